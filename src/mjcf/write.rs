//! [`Spec`] → MJCF text that reads to an equal `Spec`.

use super::schema::{ActuatorTag, Body, Compiler, Frame, PluginUse, Tendon, TendonTag, Tri};
use super::spec::{Actuator, Spec};
use super::table::{Attrs, Keyword, Value};
use crate::error::{Error, Result};
use crate::types::{BiasType, CtrlInput, DynType, GainType, TrnType};

/// The text so far.
struct Xml {
    out: String,
    depth: usize,
    /// The first character that XML cannot represent.
    bad: Option<char>,
}

impl Xml {
    /// An element with attributes, and children if `inside` writes any.
    fn element(&mut self, tag: &str, attrs: &[(&str, String)], inside: impl FnOnce(&mut Xml)) {
        self.line("<", tag);
        for (name, value) in attrs {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            self.escape(value);
            self.out.push('"');
        }
        let start = self.out.len();
        self.out.push_str(">\n");
        let empty = self.out.len();
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        if self.out.len() == empty {
            self.out.truncate(start);
            self.out.push_str("/>\n");
        } else {
            self.line("</", tag);
            self.out.push_str(">\n");
        }
    }

    /// An element that is left out when it would be empty.
    fn section(&mut self, tag: &str, inside: impl FnOnce(&mut Xml)) {
        let start = self.out.len();
        self.element(tag, &[], inside);
        if self
            .out
            .get(start..)
            .is_some_and(|s| s.trim() == format!("<{tag}/>"))
        {
            self.out.truncate(start);
        }
    }

    fn line(&mut self, open: &str, tag: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(open);
        self.out.push_str(tag);
    }

    fn escape(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\t' | '\n' | '\r' => self.out.push_str(&format!("&#{};", u32::from(c))),
                '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => self.bad = Some(c),
                c => self.out.push(c),
            }
        }
    }

    /// An element from the table, its child elements included.
    fn row<A: Attrs>(&mut self, tag: &str, row: &A) {
        self.row_with(tag, row, &[], |_| {});
    }

    fn row_with<A: Attrs>(
        &mut self,
        tag: &str,
        row: &A,
        more: &[(&'static str, String)],
        inside: impl FnOnce(&mut Xml),
    ) {
        let mut attrs = said(row);
        attrs.extend_from_slice(more);
        self.element(tag, &attrs, |x| {
            row.elements(&mut |tag, attrs| x.element(tag, &attrs, |_| {}));
            inside(x);
        });
    }

    /// Settings, left out if no attribute is given.
    fn settings<A: Attrs>(&mut self, tag: &str, row: &A) {
        let mut any = !said(row).is_empty();
        row.elements(&mut |_, _| any = true);
        if any {
            self.row(tag, row);
        }
    }

    /// Every row of a list.
    fn rows<A: Attrs>(&mut self, tag: &str, rows: &[A]) {
        rows.iter().for_each(|r| self.row(tag, r));
    }
}

/// The attributes that are given; lists without numbers cannot be written.
fn said<A: Attrs>(row: &A) -> Vec<(&'static str, String)> {
    let mut numeric = Vec::new();
    A::list(&mut |a| {
        if matches!(
            a.kind,
            super::table::Kind::Real(..) | super::table::Kind::Int(..)
        ) {
            numeric.push(a.name);
        }
    });
    let mut out = Vec::new();
    row.said(&mut |name, text| {
        if !(text.is_empty() && numeric.contains(&name)) {
            out.push((name, text));
        }
    });
    out
}

impl Spec {
    /// The model as MJCF text, which reads to an equal `Spec` given the same files.
    ///
    /// Includes, replicates and attachments are written out, default classes are written into the elements that use them,
    /// and actuators are written as `general`.
    ///
    /// # Errors
    /// [`Error::Input`] for models that MJCF cannot describe: an attached model with other compiler settings for inertias than
    /// this one, a keyframe of an attached model (take it from the compiled model with `Spec::keep_keyframes` first), and characters
    /// that XML does not have.
    pub fn to_mjcf(&self) -> Result<String> {
        if let Some(key) = self.keys.iter().find(|k| k.of.is_some()) {
            let name = key.name.as_deref().unwrap_or("");
            return Err(Error::Input(format!(
                "keyframe {name:?} of an attached model cannot be saved as it is; take it from the compiled model with `Spec::keep_keyframes`, or give it for the whole model"
            )));
        }
        let mut other = false;
        self.each_body(&mut |_, b| other |= b.compiler != 0);
        if other {
            let msg = "an attached model with other compiler settings than this one cannot be saved in one file";
            return Err(Error::Input(msg.into()));
        }
        let mut x = Xml {
            out: String::new(),
            depth: 0,
            bad: None,
        };
        x.element("mujoco", &[("model", self.name.clone())], |x| {
            self.sections(x)
        });
        match x.bad {
            Some(c) => Err(Error::Input(format!(
                "a name or text has the character {c:?}, which XML cannot represent"
            ))),
            None => Ok(x.out),
        }
    }

    fn sections(&self, x: &mut Xml) {
        x.settings::<Compiler>("compiler", self.compiler());
        x.settings("option", &self.option);
        x.settings("size", &self.size);
        x.settings("statistic", &self.statistic);
        x.settings("visual", &self.visual);
        self.odd_classes(x);
        x.section("extension", |x| {
            for e in &self.extensions {
                let of = self.plugins.iter().filter(|p| p.plugin == e.plugin);
                x.row_with("plugin", e, &[], |x| {
                    of.for_each(|p| {
                        x.row_with("instance", p, &[], |x| x.rows("config", &p.config))
                    });
                });
            }
        });
        x.section("asset", |x| {
            for m in &self.meshes {
                x.row_with("mesh", m, &[], |x| own_plugin(x, m.plugin.as_deref()));
            }
            x.rows("hfield", &self.hfields);
            x.rows("texture", &self.textures);
            for m in &self.materials {
                x.row_with("material", m, &[], |x| x.rows("layer", &m.layers));
            }
            for s in &self.skins {
                x.row_with("skin", s, &[], |x| x.rows("bone", &s.bones));
            }
        });
        x.section("worldbody", |x| contents(x, &self.world));
        x.section("deformable", |x| x.rows("flex", &self.flexes));
        x.section("contact", |x| {
            x.rows("pair", &self.pairs);
            x.rows("exclude", &self.excludes);
        });
        x.section("equality", |x| {
            self.equalities.iter().for_each(|e| x.row(e.tag.word(), e))
        });
        x.section("tendon", |x| {
            for (i, t) in self.tendons.iter().enumerate() {
                tendon(x, t, i);
            }
        });
        x.section("actuator", |x| {
            self.actuators
                .iter()
                .enumerate()
                .for_each(|(i, a)| actuator(x, a, i))
        });
        x.section("sensor", |x| {
            for s in &self.sensors {
                x.row_with(s.tag.word(), s, &[], |x| x.rows("config", &s.config));
            }
        });
        x.section("custom", |x| {
            x.rows("numeric", &self.numerics);
            x.rows("text", &self.texts);
            for t in &self.tuples {
                x.row_with("tuple", t, &[], |x| x.rows("element", &t.elements));
            }
        });
        x.section("keyframe", |x| x.rows("key", &self.keys));
    }

    /// Attributes that elements can have only by a class: appearance of fixed tendons, cranks of actuators without one.
    fn odd_classes(&self, x: &mut Xml) {
        x.section("default", |x| {
            for (i, t) in self.tendons.iter().enumerate() {
                if let Some(looks) = looks(t) {
                    x.element("default", &[("class", looks_class(i))], |x| {
                        x.row("tendon", &looks)
                    });
                }
            }
            for (i, a) in self.actuators.iter().enumerate() {
                let (by_class, _) = attributes(a);
                if !by_class.is_empty() {
                    x.element("default", &[("class", actuator_class(i))], |x| {
                        x.element("general", &by_class, |_| {})
                    });
                }
            }
        });
    }
}

fn own_plugin(x: &mut Xml, plugin: Option<&PluginUse>) {
    if let Some(p) = plugin {
        x.row_with("plugin", p, &[], |x| x.rows("config", &p.config));
    }
}

/// Whether an actuator has a crank length but no crank to use it.
fn idle_crank(a: &Actuator) -> bool {
    let crank = matches!(a.trntype, TrnType::SliderCrank | TrnType::Undefined);
    !crank && a.cranklength != 0.0
}

fn actuator_class(i: usize) -> String {
    format!("class of actuator {i}")
}

fn looks_class(i: usize) -> String {
    format!("looks of tendon {i}")
}

/// The appearance of a fixed tendon, if it has any.
fn looks(t: &Tendon) -> Option<Tendon> {
    let any = t.width.is_some() || t.material.is_some() || t.rgba.is_some();
    let looks = || Tendon {
        width: t.width,
        material: t.material.clone(),
        rgba: t.rgba,
        ..Tendon::default()
    };
    (any && t.tag == TendonTag::Fixed).then(looks)
}

fn tendon(x: &mut Xml, t: &Tendon, i: usize) {
    let mut row = Tendon {
        path: Vec::new(),
        ..t.clone()
    };
    if looks(t).is_some() {
        (row.width, row.material, row.rgba) = (None, None, None);
        row.class = Some(looks_class(i));
    }
    x.row_with(t.tag.word(), &row, &[], |x| {
        t.path.iter().for_each(|w| x.row(w.tag.word(), w))
    });
}

/// The attributes of an actuator.
type Said = Vec<(&'static str, String)>;

/// An actuator in the attributes of `general`, or as one of a plugin.
fn actuator(x: &mut Xml, a: &Actuator, i: usize) {
    let (by_class, mut attrs) = attributes(a);
    if !by_class.is_empty() {
        attrs.push(("class", actuator_class(i)));
    }
    let Some(plugin) = &a.plugin else {
        return x.element(ActuatorTag::General.word(), &attrs, |_| {});
    };
    plugin.said(&mut |name, value| attrs.push((name, value)));
    x.element(ActuatorTag::Plugin.word(), &attrs, |x| {
        x.rows("config", &plugin.config)
    });
}

/// The attributes that only a class can give to an actuator, and the others.
fn attributes(a: &Actuator) -> (Said, Said) {
    let tag = match a.plugin {
        Some(_) => ActuatorTag::Plugin,
        None => ActuatorTag::General,
    };
    let may = ActuatorTag::ALL.iter().find(|t| t.1 == tag).map(|t| t.2);
    let may = may.unwrap_or_default();
    let by_class = |name: &str| (name == "cranklength" && idle_crank(a)) || !may.contains(&name);
    terms(a).into_iter().partition(|(name, _)| by_class(name))
}

/// The attributes of `general` in which an actuator differs from MuJoCo's built-in one.
fn terms(a: &Actuator) -> Said {
    let builtin = Actuator::default();
    let mut attrs = Said::new();
    let mut text = |name, value: &Option<String>| {
        if let Some(value) = value {
            attrs.push((name, value.clone()));
        }
    };
    text("name", &a.name);
    let target = match a.trntype {
        TrnType::Joint => Some("joint"),
        TrnType::JointInParent => Some("jointinparent"),
        TrnType::Tendon => Some("tendon"),
        TrnType::SliderCrank => Some("cranksite"),
        TrnType::Site => Some("site"),
        TrnType::Body => Some("body"),
        TrnType::So3 | TrnType::Undefined => None,
    };
    if let Some(target) = target {
        text(target, &a.target);
    }
    text("slidersite", &a.slidersite);
    text("refsite", &a.refsite);
    fn put<T: Value + PartialEq>(attrs: &mut Said, name: &'static str, value: &T, builtin: &T) {
        if value != builtin {
            attrs.push((name, value.print()));
        }
    }
    let b = &builtin;
    put(&mut attrs, "group", &a.group, &b.group);
    put(&mut attrs, "nsample", &a.nsample, &b.nsample);
    put(&mut attrs, "interp", &a.interp, &b.interp);
    put(&mut attrs, "delay", &a.delay, &b.delay);
    put(&mut attrs, "cranklength", &a.cranklength, &b.cranklength);
    put(&mut attrs, "gear", &a.gear, &b.gear);
    put(&mut attrs, "lengthrange", &a.lengthrange, &b.lengthrange);
    put(&mut attrs, "damping", &a.damping, &b.damping);
    put(&mut attrs, "armature", &a.armature, &b.armature);
    put::<Tri>(&mut attrs, "ctrllimited", &a.ctrllimited, &b.ctrllimited);
    put(&mut attrs, "ctrlrange", &a.ctrlrange, &b.ctrlrange);
    put(&mut attrs, "velrange", &a.velrange, &b.velrange);
    put(&mut attrs, "ffrange", &a.ffrange, &b.ffrange);
    put(&mut attrs, "forcelimited", &a.forcelimited, &b.forcelimited);
    put(&mut attrs, "forcerange", &a.forcerange, &b.forcerange);
    put(&mut attrs, "actlimited", &a.actlimited, &b.actlimited);
    put(&mut attrs, "actrange", &a.actrange, &b.actrange);
    put(&mut attrs, "inheritrange", &a.inheritrange, &b.inheritrange);
    put(&mut attrs, "actdim", &a.actdim, &b.actdim);
    put(&mut attrs, "actearly", &a.actearly, &b.actearly);
    put::<DynType>(&mut attrs, "dyntype", &a.dyntype, &b.dyntype);
    put(&mut attrs, "dynprm", &a.dynprm, &b.dynprm);
    put::<GainType>(&mut attrs, "gaintype", &a.gaintype, &b.gaintype);
    put(&mut attrs, "gainprm", &a.gainprm, &b.gainprm);
    put::<BiasType>(&mut attrs, "biastype", &a.biastype, &b.biastype);
    put(&mut attrs, "biasprm", &a.biasprm, &b.biasprm);
    put(&mut attrs, "user", &a.user, &b.user);
    if a.ctrlspec != 0 {
        attrs.push(("input", input(a.ctrlspec)));
    }
    attrs
}

/// The words of an input signature; charts share numbers with inputs.
fn input(ctrlspec: i32) -> String {
    if ctrlspec == CtrlInput::None as i32 {
        return "none".into();
    }
    let words = CtrlInput::VALUES
        .iter()
        .filter(|v| ctrlspec & **v as i32 != 0)
        .map(|v| v.word());
    words.collect::<Vec<_>>().join(" ")
}

/// The lists of a body whose elements may stand in frames, in the order of writing.
const LISTS: usize = 7;

/// The number of elements of a list, and the frame of one of them.
fn list(body: &Body, kind: usize) -> usize {
    match kind {
        0 => usize::from(body.inertial.is_some()),
        1 => body.joints.len(),
        2 => body.geoms.len(),
        3 => body.sites.len(),
        4 => body.cameras.len(),
        5 => body.lights.len(),
        _ => body.bodies.len(),
    }
}

fn frame_of(body: &Body, kind: usize, i: usize) -> Option<usize> {
    match kind {
        0 => body.inertial.as_ref().and_then(|x| x.frame),
        1 => body.joints.get(i).and_then(|x| x.frame),
        2 => body.geoms.get(i).and_then(|x| x.frame),
        3 => body.sites.get(i).and_then(|x| x.frame),
        4 => body.cameras.get(i).and_then(|x| x.frame),
        5 => body.lights.get(i).and_then(|x| x.frame),
        _ => body.bodies.get(i).and_then(|x| x.frame),
    }
}

fn write_one(x: &mut Xml, body: &Body, kind: usize, i: usize) {
    match kind {
        0 => body.inertial.iter().for_each(|e| x.row("inertial", e)),
        1 => {
            if let Some(j) = body.joints.get(i) {
                if j.free {
                    let free = super::schema::Joint {
                        type_: None,
                        ..j.clone()
                    };
                    x.row("freejoint", &free);
                } else {
                    x.row("joint", j);
                }
            }
        }
        2 => body.geoms.get(i).into_iter().for_each(|e| {
            x.row_with("geom", e, &[], |x| own_plugin(x, e.plugin.as_deref()));
        }),
        3 => body.sites.get(i).into_iter().for_each(|e| x.row("site", e)),
        4 => body
            .cameras
            .get(i)
            .into_iter()
            .for_each(|e| x.row("camera", e)),
        5 => body
            .lights
            .get(i)
            .into_iter()
            .for_each(|e| x.row("light", e)),
        _ => body
            .bodies
            .get(i)
            .into_iter()
            .for_each(|e| x.row_with("body", e, &[], |x| contents(x, e))),
    }
}

/// The contents of a body, with the frames around them.
fn contents(x: &mut Xml, body: &Body) {
    // frames that contain an element
    let mut used = vec![false; body.frames.len()];
    for (kind, i) in (0..LISTS).flat_map(|kind| (0..list(body, kind)).map(move |i| (kind, i))) {
        let mut at = frame_of(body, kind, i);
        while let Some(f) = at
            && let Some(u) = used.get_mut(f)
            && !std::mem::replace(u, true)
        {
            at = body.frames.get(f).and_then(|f| f.parent);
        }
    }
    let mut state = State {
        next: [0; LISTS],
        written: vec![false; body.frames.len()],
        used,
    };
    inside(x, body, None, &mut state);
}

/// Progress of the writing of a body.
struct State {
    /// The next element of each list.
    next: [usize; LISTS],
    /// Frames that have been written.
    written: Vec<bool>,
    /// Frames that contain an element.
    used: Vec<bool>,
}

/// The frame directly inside `around` that contains `frame`; `frame` itself is `around` or in it.
fn branch(body: &Body, around: Option<usize>, frame: Option<usize>) -> Option<usize> {
    let mut at = frame;
    // frames come after those around them, so this ends
    while let Some(f) = at {
        let parent = body.frames.get(f).and_then(|f| f.parent);
        if parent == around {
            return at;
        }
        at = parent.filter(|p| *p < f);
    }
    None
}

/// Whether a frame is another or in it.
fn within(body: &Body, frame: Option<usize>, around: Option<usize>) -> bool {
    around.is_none() || frame == around || branch(body, around, frame).is_some()
}

/// Writes the contents of a frame, list by list as far as the order of each list allows.
fn inside(x: &mut Xml, body: &Body, around: Option<usize>, state: &mut State) {
    loop {
        // elements directly in this frame
        for (kind, i) in state.next.iter_mut().enumerate() {
            while *i < list(body, kind) && frame_of(body, kind, *i) == around {
                write_one(x, body, kind, *i);
                *i += 1;
            }
        }
        // frames of the next elements of the lists, first those that no list reaches later only
        let heads = || {
            state
                .next
                .iter()
                .enumerate()
                .filter(|(kind, i)| **i < list(body, *kind))
        };
        let ahead: Vec<usize> = heads()
            .filter(|(kind, i)| within(body, frame_of(body, *kind, **i), around))
            .filter_map(|(kind, i)| branch(body, around, frame_of(body, kind, *i)))
            .collect();
        let waits = |f: usize| {
            heads().any(|(kind, i)| {
                let at = |j: usize| branch(body, around, frame_of(body, kind, j));
                at(*i) != Some(f) && (*i..list(body, kind)).any(|j| at(j) == Some(f))
            })
        };
        let ready = ahead.iter().copied().filter(|f| !waits(*f)).min();
        // frames without elements keep their place
        let empty = |f: &usize| {
            let here = body.frames.get(*f).is_some_and(|x| x.parent == around);
            here && !state.written.get(*f).copied().unwrap_or(true)
                && !state.used.get(*f).copied().unwrap_or(true)
        };
        let idle = (0..body.frames.len()).find(empty);
        let Some(f) = ready
            .or(ahead.iter().copied().min())
            .into_iter()
            .chain(idle)
            .min()
        else {
            return;
        };
        let mut frame: Frame = body.frames.get(f).cloned().unwrap_or_default();
        if let Some(w) = state.written.get_mut(f) {
            // a frame whose contents are not contiguous is written again, without its name
            if std::mem::replace(w, true) {
                frame.name = None;
            }
        }
        x.row_with("frame", &frame, &[], |x| inside(x, body, Some(f), state));
    }
}
