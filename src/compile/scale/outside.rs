//! What stands outside of the tree and is about what a frame scales.

use super::{Named, ONE, Scale, lengths, number, width};
use crate::error::Result;
use crate::mjcf::schema::{Equality, EqualityTag, Key, Pair, Sensor};
use crate::mjcf::source::Origin;
use crate::mjcf::spec::{Actuator, Spec};
use crate::mjcf::table::{Attrs, Kind, fill};
use crate::types::{BiasType, DynType, GainType, JointType, TrnType};

/// Scales what is about scaled elements; what of it is not here is refused by name.
pub(super) fn scale(
    spec: &mut Spec,
    named: &Named,
    joints: &[(Scale, JointType)],
    mocaps: bool,
) -> Result<()> {
    let sources = spec.sources.clone();
    let refuse = |at: Origin, what: &str| {
        let feature = format!("{what} of what a frame scales");
        Err(sources.unsupported(at, None, feature))
    };
    for x in &mut spec.pairs {
        pair(x, named);
    }
    for x in &mut spec.equalities {
        if !equality(x, named) {
            return refuse(x.origin, "this equality");
        }
    }
    for x in &mut spec.tendons {
        for step in &mut x.path {
            if named.has(step) {
                return refuse(x.origin, "a tendon");
            }
        }
    }
    for x in &mut spec.actuators {
        if !actuator(x, named) {
            return refuse(x.origin, "this actuator");
        }
    }
    for x in &mut spec.sensors {
        if x.cutoff() > 0.0 && (named.has(x) || measures(x, named)) {
            return refuse(x.origin, "a sensor with a cutoff");
        }
    }
    for x in &mut spec.skins {
        if x.bones.iter_mut().any(|b| named.has(b)) {
            return refuse(x.origin, "a skin");
        }
    }
    for key in &mut spec.keys {
        if key.of.is_some() {
            return refuse(key.origin, "a keyframe of an attached model");
        }
        if key.plastic.is_some() {
            return refuse(key.origin, "plastic deformations");
        }
        let free = |(s, kind): &(Scale, JointType)| *kind == JointType::Free && s.length != 1.0;
        // their positions are in the world, and scaled about the origin of the frame
        let places = key.qpos.is_some() && joints.iter().any(free);
        if places || key.mpos.is_some() && mocaps {
            return refuse(key.origin, "the place of a body in a keyframe");
        }
        self::key(key, joints);
    }
    Ok(())
}

impl Named {
    /// Whether an element refers to something that is scaled.
    fn has(&self, element: &mut impl Attrs) -> bool {
        let mut any = false;
        element.texts(&mut |attr, name| {
            any |= match attr.kind {
                Kind::Ref("body") => self.body.contains_key(name.as_str()),
                Kind::Ref("joint") => self.joint.contains_key(name.as_str()),
                Kind::Ref("geom") => self.geom.contains_key(name.as_str()),
                Kind::Ref("site") => self.site.contains_key(name.as_str()),
                Kind::Ref("camera") => self.camera.contains_key(name.as_str()),
                _ => false,
            };
        });
        any
    }

    fn body_scale(&self, name: Option<&str>) -> Scale {
        name.and_then(|n| self.body.get(n)).copied().unwrap_or(ONE)
    }
}

/// Whether the object or the reference that a sensor names is scaled, whatever its kind.
fn measures(x: &Sensor, named: &Named) -> bool {
    let names = [&x.objname, &x.refname];
    names.into_iter().flatten().any(|name| {
        let tree = named.body.contains_key(name) || named.geom.contains_key(name);
        tree || named.site.contains_key(name) || named.camera.contains_key(name)
    })
}

/// Scales a pair between the scales of its geoms; what it leaves open is built in, and scaled too.
fn pair(x: &mut Pair, named: &Named) {
    let scale = |name: &Option<String>| {
        let name = name.as_deref();
        name.and_then(|n| named.geom.get(n)).copied().unwrap_or(ONE)
    };
    let scale = scale(&x.geom1).mean(&scale(&x.geom2));
    if scale == ONE {
        return;
    }
    number(&mut x.margin, scale.length);
    number(&mut x.gap, scale.length);
    number(&mut x.adhesion, scale.force());
    let friction = fill(x.friction.as_deref(), [1.0, 1.0, 0.005, 0.0001, 0.0001]);
    let [slide, other, rest @ ..] = friction;
    let rest = rest.map(|f| f * scale.length);
    x.friction = Some([&[slide, other], rest.as_slice()].concat());
    let solimp = fill(x.solimp.as_deref(), [0.9, 0.95, 0.001, 0.5, 2.0]);
    width(&mut x.solimp, solimp, scale.length);
}

/// Scales an equality; false if that is not known here.
fn equality(x: &mut Equality, named: &Named) -> bool {
    if !named.has(x) {
        return true;
    }
    let hinge = |name: &Option<String>| {
        let name = name.as_deref();
        name.and_then(|n| named.joint.get(n))
            .is_none_or(|j| j.1 == JointType::Hinge)
    };
    let first = named.body_scale(x.body1.as_deref());
    let second = named.body_scale(x.body2.as_deref());
    let solimp = x.solimp();
    match x.tag {
        // angles stay
        EqualityTag::Joint => hinge(&x.joint1) && hinge(&x.joint2),
        EqualityTag::Connect if x.site1.is_none() => {
            lengths(&mut x.anchor, first.length);
            width(&mut x.solimp, solimp, first.length);
            true
        }
        EqualityTag::Weld if x.site1.is_none() => {
            let between = first.mean(&second).length;
            lengths(&mut x.anchor, second.length);
            if let Some(pos) = &mut x.relpose {
                pos.iter_mut().take(3).for_each(|p| *p *= first.length);
            }
            x.torquescale = Some(x.torquescale() * between);
            width(&mut x.solimp, solimp, between);
            true
        }
        _ => false,
    }
}

/// Scales an actuator of a hinge; false if that is not known here.
fn actuator(x: &mut Actuator, named: &Named) -> bool {
    let target = x.target.as_deref();
    let joint = matches!(x.trntype, TrnType::Joint | TrnType::JointInParent);
    if !joint {
        let names = [target, x.slidersite.as_deref(), x.refsite.as_deref()];
        let scaled = |n: &str| named.site.contains_key(n) || named.body.contains_key(n);
        return !names.into_iter().flatten().any(scaled);
    }
    let Some((scale, kind)) = target.and_then(|n| named.joint.get(n)) else {
        return true;
    };
    let gain = matches!(x.gaintype, GainType::Fixed | GainType::Affine);
    let bias = matches!(x.biastype, BiasType::None | BiasType::Affine);
    let known = matches!(
        x.dyntype,
        DynType::None | DynType::Integrator | DynType::FilterExact
    );
    if *kind != JointType::Hinge || !(gain && bias && known) {
        return false;
    }
    let torque = scale.torque();
    let count = if x.gaintype == GainType::Fixed { 1 } else { 3 };
    x.gainprm.iter_mut().take(count).for_each(|g| *g *= torque);
    if x.biastype == BiasType::Affine {
        // a positive third one is a damping ratio
        let ratio = x.biasprm[2] > 0.0;
        let count = if ratio { 2 } else { 3 };
        x.biasprm.iter_mut().take(count).for_each(|b| *b *= torque);
    }
    x.forcerange = x.forcerange.map(|f| f * torque);
    x.damping = x.damping.map(|d| d * torque);
    x.armature *= torque;
    true
}

/// Positions of joints that slide, velocities of those and of free ones.
fn key(key: &mut Key, joints: &[(Scale, JointType)]) {
    let (mut qpos, mut qvel) = (Vec::new(), Vec::new());
    for (scale, kind) in joints {
        let s = scale.length;
        match kind {
            JointType::Free => {
                qpos.extend([s, s, s, 1.0, 1.0, 1.0, 1.0]);
                qvel.extend([s, s, s, 1.0, 1.0, 1.0]);
            }
            JointType::Ball => {
                qpos.extend([1.0; 4]);
                qvel.extend([1.0; 3]);
            }
            JointType::Slide => {
                qpos.push(s);
                qvel.push(s);
            }
            JointType::Hinge => {
                qpos.push(1.0);
                qvel.push(1.0);
            }
        }
    }
    for (said, factors) in [(&mut key.qpos, qpos), (&mut key.qvel, qvel)] {
        for (x, factor) in said.iter_mut().flatten().zip(factors) {
            *x *= factor;
        }
    }
}
