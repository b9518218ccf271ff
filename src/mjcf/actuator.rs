//! Actuators: shortcuts are translated into the attributes of `general`, class by class, as MuJoCo's `mjs_setTo…` functions do.

use super::schema::{ActuatorTag, SaidActuator, Tri};
use super::shortcut::Shortcut;
use super::spec::Actuator;
use super::table::{Keyword, fill};
use crate::types::{BiasType, CtrlChart, CtrlInput, DynType, GainType, Interp, TrnType};

/// An actuator under construction: the attributes that classes and elements gave so far, and their last tag.
#[derive(Clone, Debug)]
pub(crate) struct Actuating {
    pub actuator: Actuator,
    pub tag: ActuatorTag,
}

impl Default for Actuating {
    fn default() -> Self {
        Actuating {
            actuator: Actuator::default(),
            tag: ActuatorTag::General,
        }
    }
}

/// A mistake: its attribute, and the message.
pub(crate) type Wrong = (Option<&'static str>, String);

pub(crate) fn wrong<T>(attr: &'static str, msg: impl Into<String>) -> Result<T, Wrong> {
    Err((Some(attr), msg.into()))
}

impl Actuating {
    /// Whether a shortcut takes its parameters from a class with this tag.
    pub fn lends_to(&self, tag: ActuatorTag) -> bool {
        use ActuatorTag as A;
        let gain = match tag {
            A::Damper => GainType::Affine,
            A::Muscle => GainType::Muscle,
            A::DcMotor => GainType::DcMotor,
            A::Pid => GainType::Pid,
            A::Orientation => GainType::So3,
            _ => GainType::Fixed,
        };
        self.tag == tag || self.tag == A::General && self.actuator.gaintype == gain
    }

    /// Applies the attributes of an element; `source` is the class that lends a shortcut its parameters.
    pub fn say(&mut self, said: &SaidActuator, source: Option<&Actuating>) -> Result<(), Wrong> {
        let gaintype = self.actuator.gaintype;
        self.mechanics(said);
        self.target(said)?;
        if matches!(said.tag, ActuatorTag::General | ActuatorTag::Plugin) {
            let a = &mut self.actuator;
            // an input signature depends on the type of the gain
            if a.gaintype != gaintype {
                a.ctrlspec = 0;
            }
            if let Some(input) = &said.input {
                a.ctrlspec = ctrlspec(input)?;
            }
            if let Some(scale) = said.inheritrange {
                a.inheritrange = scale;
            }
        } else {
            let mut p = match source {
                Some(source) => Shortcut::of(&source.actuator, said.tag),
                None => Shortcut::documented(said.tag),
            };
            p.say(said)?;
            p.set(&mut self.actuator, said)?;
        }
        self.tag = said.tag;
        Ok(())
    }

    /// Attributes that every tag inherits from every other.
    fn mechanics(&mut self, s: &SaidActuator) {
        let a = &mut self.actuator;
        fn put<T: Clone>(into: &mut T, said: &Option<T>) {
            if let Some(v) = said {
                *into = v.clone();
            }
        }
        put(&mut a.group, &s.group);
        put(&mut a.nsample, &s.nsample);
        put(&mut a.interp, &s.interp);
        put(&mut a.delay, &s.delay);
        put(&mut a.ctrlrange, &s.ctrlrange);
        put(&mut a.ctrlrange, &s.posrange);
        put(&mut a.velrange, &s.velrange);
        put(&mut a.ffrange, &s.ffrange);
        put(&mut a.user, &s.user);
        put(&mut a.ctrllimited, &s.ctrllimited);
        put(&mut a.forcelimited, &s.forcelimited);
        put(&mut a.actlimited, &s.actlimited);
        put(&mut a.forcerange, &s.forcerange);
        put(&mut a.actrange, &s.actrange);
        put(&mut a.lengthrange, &s.lengthrange);
        put(&mut a.armature, &s.armature);
        put(&mut a.cranklength, &s.cranklength);
        put(&mut a.actdim, &s.actdim);
        put(&mut a.actearly, &s.actearly);
        put(&mut a.dyntype, &s.dyntype);
        put(&mut a.gaintype, &s.gaintype);
        put(&mut a.biastype, &s.biastype);
        a.gear = fill(s.gear.as_deref(), a.gear);
        a.damping = fill(s.damping.as_deref(), a.damping);
        a.dynprm = fill(s.dynprm.as_deref(), a.dynprm);
        a.gainprm = fill(s.gainprm.as_deref(), a.gainprm);
        a.biasprm = fill(s.biasprm.as_deref(), a.biasprm);
    }

    /// The target of the actuator.
    fn target(&mut self, s: &SaidActuator) -> Result<(), Wrong> {
        let a = &mut self.actuator;
        let targets = [
            ("joint", &s.joint, TrnType::Joint),
            ("jointinparent", &s.jointinparent, TrnType::JointInParent),
            ("tendon", &s.tendon, TrnType::Tendon),
            ("cranksite", &s.cranksite, TrnType::SliderCrank),
            ("site", &s.site, TrnType::Site),
            ("body", &s.body, TrnType::Body),
        ];
        let mut first = None;
        for (attr, name, trntype) in targets {
            let Some(name) = name else { continue };
            if let Some(first) = first {
                return wrong(
                    attr,
                    format!("an actuator acts on one thing; this one has {first} and {attr}"),
                );
            }
            first = Some(attr);
            a.trntype = trntype;
            a.target = Some(name.clone());
        }
        if s.slidersite.is_some() {
            a.slidersite.clone_from(&s.slidersite);
        }
        if s.refsite.is_some() {
            a.refsite.clone_from(&s.refsite);
        }
        let on = |t| a.trntype == t || a.trntype == TrnType::Undefined;
        if s.cranklength.is_some() && !on(TrnType::SliderCrank) {
            return wrong(
                "cranklength",
                "cranklength belongs to a slider-crank: give cranksite and slidersite as the target",
            );
        }
        if s.slidersite.is_some() && !on(TrnType::SliderCrank) {
            return wrong(
                "slidersite",
                "slidersite belongs to a slider-crank: give cranksite as the target",
            );
        }
        if s.refsite.is_some() && !on(TrnType::Site) {
            return wrong(
                "refsite",
                "refsite belongs to an actuator on a site: give site as the target",
            );
        }
        Ok(())
    }
}

/// Reads `input`: a chart, `none`, or inputs in their order.
pub(crate) fn ctrlspec(text: &str) -> Result<i32, Wrong> {
    if let Some(chart) = CtrlChart::from_word(text) {
        return Ok(chart as i32);
    }
    if text == "none" {
        return Ok(CtrlInput::None as i32);
    }
    let (mut bits, mut last) = (0, -1);
    for word in text.split_ascii_whitespace() {
        let place = CtrlInput::WORDS
            .iter()
            .position(|w| *w == word)
            .map(|i| i as i32);
        let Some(input) = CtrlInput::from_word(word) else {
            let words = CtrlInput::WORDS.join(", ");
            return wrong(
                "input",
                format!("input {word:?} is not one of {words}, nor is it expmap, quat or none"),
            );
        };
        let place = place.unwrap_or(0);
        if place <= last {
            return wrong(
                "input",
                format!(
                    "inputs must be in the order {}",
                    CtrlInput::WORDS.join(", ")
                ),
            );
        }
        last = place;
        bits |= input as i32;
    }
    Ok(bits)
}

impl Default for Actuator {
    fn default() -> Self {
        let first = |x: f64| {
            let mut prm = [0.0; 10];
            prm[0] = x;
            prm
        };
        Actuator {
            name: None,
            group: 0,
            nsample: 0,
            interp: Interp::Zoh,
            delay: 0.0,
            trntype: TrnType::Undefined,
            target: None,
            slidersite: None,
            refsite: None,
            cranklength: 0.0,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            lengthrange: [0.0; 2],
            damping: [0.0; 3],
            armature: 0.0,
            ctrllimited: Tri::Auto,
            ctrlrange: [0.0; 2],
            velrange: [0.0; 2],
            ffrange: [0.0; 2],
            forcelimited: Tri::Auto,
            forcerange: [0.0; 2],
            actlimited: Tri::Auto,
            actrange: [0.0; 2],
            inheritrange: 0.0,
            actdim: -1,
            actearly: false,
            dyntype: DynType::None,
            dynprm: first(1.0),
            gaintype: GainType::Fixed,
            gainprm: first(1.0),
            biastype: BiasType::None,
            biasprm: [0.0; 10],
            plugin: None,
            ctrlspec: 0,
            user: Vec::new(),
            part: 0,
            origin: super::source::Origin::CODE,
        }
    }
}
