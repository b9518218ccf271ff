//! User texts in kernels ([`crate::user`]): their stages, their callers, and the renaming that keeps them apart from this crate's code.
//!
//! ```text
//! fn control() { set_ctrl(0, -qpos(0)); }                     the text, checked by itself (`check`)
//! fn own__control__control() { own__set_ctrl(0, -own__qpos(0)); }     as renamed in the kernel of its stage
//! fn own__control() { if (lane == 0) { own__control__control(); } }   its caller, run after the stage
//! ```
//!
//! The names that a text defines are renamed, so that they cannot replace a name of this crate or of another text. The arrays that it names
//! become accessors that check their index. A stage with a text is a kernel of its own, and no other kernel changes.

mod check;

pub(crate) use check::check;

use crate::cpu::lib::sleep::sleeps;
use crate::fields::Model;
use crate::gpu::accessor::access;
use crate::gpu::dataflow::{Dataflow, flow};
use crate::gpu::generic::replace;
use crate::gpu::lex;
use crate::stages::Stage;
use crate::types::{DSBL_DAMPER, DSBL_SPRING, MAXCONPAIR, NeedStage};
use crate::user::{Hook, UserPart};
use std::fmt::Write as _;

/// Prefix of every name in a user text.
pub(super) const OWN: &str = "own__";

/// An actuator as passed to a text.
pub(super) const ACTUATOR: &str =
    "struct UserActuator { id: i32, ctrl: f32, length: f32, velocity: f32 }\n";

/// The function that a text has to define, and the arrays that it may set.
struct Form {
    name: &'static str,
    params: &'static [&'static str],
    result: &'static str,
    sets: &'static [&'static str],
    // functions of the stage that it may call
    calls: &'static [&'static str],
    // whether it may read arrays, and call functions of this crate
    reads: bool,
}

impl Hook {
    fn form(self) -> Form {
        let form = |name, params, result, sets| Form {
            name,
            params,
            result,
            sets,
            calls: &[],
            reads: true,
        };
        match self {
            Self::Control => {
                const SETS: &[&str] = &["ctrl", "qfrc_applied", "xfrc_applied", "userdata"];
                form("control", &[], "", SETS)
            }
            Self::Passive => form("passive", &[], "", &["qfrc_passive"]),
            Self::Filter => form("contact_filter", &["i32", "i32"], "bool", &[]),
            Self::Collision(_) => Form {
                calls: &["add_contact"],
                ..form("collide", &["i32", "i32", "f32"], "", &[])
            },
            Self::Sdf(_) => Form {
                reads: false,
                ..form("distance", &["vec3f"], "vec4f", &[])
            },
            Self::Sensor(_) => form("sensor", &["i32"], "f32", &[]),
            Self::Actuator(_, UserPart::Gain) => form("gain", &["UserActuator"], "f32", &[]),
            Self::Actuator(_, UserPart::Bias) => form("bias", &["UserActuator"], "f32", &[]),
            Self::Actuator(_, UserPart::Dyn) => form("rate", &["UserActuator", "i32"], "f32", &[]),
        }
    }

    // the stage whose kernel contains the hook's text
    fn stage(self, m: &Model) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Passive => "passive",
            Self::Filter | Self::Collision(_) => "collision",
            // other stages get it with the function that calls it ([`sdfs`])
            Self::Sdf(_) => "collision",
            Self::Actuator(..) => "fwd_actuation",
            Self::Sensor(i) => match NeedStage::from_i32(m.sensor_needstage[i]) {
                Some(NeedStage::Pos) => "sensor_pos",
                Some(NeedStage::Vel) => "sensor_vel",
                _ => "sensor_acc",
            },
        }
    }

    // prefix of the names that the hook's text defines
    fn prefix(self) -> String {
        let number = match self {
            Self::Sdf(i) | Self::Sensor(i) | Self::Actuator(i, _) => i.to_string(),
            Self::Collision([low, high]) => format!("{low}_{high}"),
            _ => String::new(),
        };
        format!("{OWN}{}{number}__", self.form().name)
    }

    // the renamed function of the hook, as its caller names it
    fn function(self) -> String {
        format!("{}{}", self.prefix(), self.form().name)
    }
}

// the texts in the kernel of a stage, in the order of sensors and actuators
fn texts<'a>(m: &'a Model, stage: &Stage) -> Vec<(Hook, &'a str)> {
    let texts = m.users().texts();
    let mut texts: Vec<_> = texts
        .filter(|(hook, _)| hook.stage(m) == stage.name)
        .collect();
    texts.sort_by_key(|(hook, _)| match hook {
        Hook::Sensor(i) | Hook::Actuator(i, _) => *i,
        Hook::Collision(_) => 1,
        Hook::Sdf(_) => 2,
        _ => 0,
    });
    texts
}

/// Whether a stage runs a user text in a model.
pub(super) fn has_text(m: &Model, stage: &Stage) -> bool {
    m.users()
        .texts()
        .any(|(hook, _)| hook.stage(m) == stage.name)
}

/// Additions of user texts to the kernel of a stage; empty where there are none.
#[derive(Debug, Default)]
pub(super) struct Added {
    /// The texts, each with its name in error messages.
    pub texts: Vec<(String, String)>,
    /// Prefixes of the names that the texts define.
    pub prefixes: Vec<String>,
    /// Functions that call the texts.
    pub calls: String,
    /// The caller that is run after the stage.
    pub behind: Option<&'static str>,
    /// Replacements in the text of the stage: old, new.
    pub splices: &'static [[&'static str; 2]],
}

impl Added {
    /// The text of a stage with the calls of user texts spliced in.
    pub fn spliced(&self, shader: String) -> String {
        let mut shader = shader;
        for [ours, theirs] in self.splices {
            shader = shader.replacen(ours, theirs, 1);
        }
        shader
    }
}

/// Additions of user texts to the kernel of a stage.
pub(super) fn added(m: &Model, stage: &Stage) -> Added {
    let texts = texts(m, stage);
    let hooks: Vec<Hook> = texts.iter().map(|(hook, _)| *hook).collect();
    let named = |(hook, text): &(Hook, &str)| {
        let (_, renamed) = renamed(*hook, text);
        (format!("text {}", hook.told(m)), renamed)
    };
    let mut added = Added {
        texts: texts.iter().map(named).collect(),
        prefixes: hooks.iter().map(|hook| hook.prefix()).collect(),
        ..Added::default()
    };
    let others = hooks.iter().filter(|hook| !matches!(hook, Hook::Sdf(_)));
    let others: Vec<Hook> = others.copied().collect();
    match others.first() {
        None | Some(Hook::Sdf(_)) => {}
        Some(hook @ Hook::Control) => {
            added.calls = alone("control", *hook);
            added.behind = Some("own__control");
        }
        // without springs and dampers the passive stage does nothing
        Some(Hook::Passive) if m.opt.disabled(DSBL_SPRING) && m.opt.disabled(DSBL_DAMPER) => {}
        Some(hook @ Hook::Passive) => {
            added.calls = alone("passive", *hook);
            added.behind = Some("own__passive");
        }
        Some(Hook::Filter | Hook::Collision(_)) => {
            added.calls = contacts(&others);
            added.splices = match others.as_slice() {
                [Hook::Filter] => FILTER,
                [Hook::Filter, ..] => FILTER_AND_MEETINGS,
                _ => MEETINGS,
            };
        }
        Some(Hook::Sensor(_)) => {
            added.calls = sensors(m, &hooks);
            added.behind = Some("own__sensors");
        }
        Some(Hook::Actuator(..)) => {
            added.calls = actuators(&hooks);
            added.splices = ACTUATORS;
        }
    }
    if others.len() < hooks.len() {
        added.calls += &sdf_calls(m);
    }
    added
}

/// Whether a text gives the distances of a mesh.
pub(super) fn has_sdfs(m: &Model) -> bool {
    sdf_texts(m).next().is_some()
}

/// The texts that give distances of meshes, with their callers, for a stage that has none of its own.
pub(super) fn sdfs(m: &Model) -> String {
    let texts = sdf_texts(m).map(|(mesh, text)| renamed(Hook::Sdf(mesh), text).1);
    texts.chain([sdf_calls(m)]).collect()
}

/// Prefixes of the names that these texts define.
pub(super) fn sdf_prefixes(m: &Model) -> impl Iterator<Item = String> {
    sdf_texts(m).map(|(mesh, _)| Hook::Sdf(mesh).prefix())
}

/// Whether a text gives the distances of a mesh, as a kernel asks.
pub(super) fn is_sdf(m: &Model) -> String {
    let any: Vec<String> = sdf_texts(m)
        .map(|(mesh, _)| format!("mesh == {mesh}"))
        .collect();
    let any = if any.is_empty() {
        "false".to_owned()
    } else {
        any.join(" || ")
    };
    format!("fn own__is_sdf(mesh: i32) -> bool {{\n    return {any};\n}}\n")
}

fn sdf_texts(m: &Model) -> impl Iterator<Item = (usize, &str)> {
    m.users().texts().filter_map(|(hook, text)| match hook {
        Hook::Sdf(mesh) => Some((mesh, text)),
        _ => None,
    })
}

// in the frame of the mesh's file, the slope in that of the geom
fn sdf_calls(m: &Model) -> String {
    let choice = |(mesh, _): (usize, &str)| {
        let call = Hook::Sdf(mesh).function();
        format!("    if (mesh == {mesh}) {{\n        at = {call}(point);\n    }}\n")
    };
    let choices: String = sdf_texts(m).map(choice).collect();
    format!(
        "fn own__sdf_at(mesh: i32, x: vec3f) -> vec4f {{\n    let mat = quat2mat(mesh_quat(mesh));\n    let point = mat * x + \
         mesh_pos(mesh);\n    var at = vec4f();\n{choices}    return vec4f(transpose(mat) * at.xyz, at.w);\n}}\n"
    )
}

/// The arrays that user texts and their callers read and set in the kernel of a stage.
pub(super) fn added_flow(m: &Model, stage: &Stage) -> Dataflow {
    let Added { texts, calls, .. } = added(m, stage);
    flow(texts.into_iter().map(|(_, text)| text).chain([calls]))
}

// names that a text defines, and the text with these names and the arrays renamed; its lines stay
fn renamed(hook: Hook, text: &str) -> (Vec<String>, String) {
    let names: Vec<String> = lex::items(text).into_iter().map(|item| item.name).collect();
    let prefix = hook.prefix();
    let other = |word: &lex::Word<'_>| {
        if names.iter().any(|name| name == word.name) {
            return Some(format!("{prefix}{}", word.name));
        }
        let accesses = word.call && access(word.name).is_some();
        accesses.then(|| format!("{OWN}{}", word.name))
    };
    let renamed = replace(text, other) + "\n";
    (names, renamed)
}

// a caller that runs the function in one lane
fn alone(name: &str, hook: Hook) -> String {
    let call = hook.function();
    format!("fn {OWN}{name}() {{\n    if (lane == 0) {{\n        {call}();\n    }}\n}}\n")
}

// callers of the contact filter and of the functions of two types of geoms
fn contacts(hooks: &[Hook]) -> String {
    let mut out = String::new();
    let mut met = "fn own__met(a: i32, b: i32, near: bool, detect: f32) -> bool {\n".to_owned();
    for hook in hooks {
        if let Hook::Collision([low, high]) = hook {
            let call = hook.function();
            let _ = writeln!(
                met,
                "    if (geom_type(a) == {low} && geom_type(b) == {high}) {{\n        if (near) {{\n            {call}(a, b, \
                 detect);\n            found = min(found, {MAXCONPAIR});\n        }}\n        return true;\n    }}"
            );
        } else {
            out += &filter(*hook);
        }
    }
    out + &met + "    return false;\n}\n"
}

// the contact filter is not asked about predefined pairs
fn filter(hook: Hook) -> String {
    let call = hook.function();
    format!(
        "fn own__left_out(k: i32, a: i32, b: i32) -> bool {{\n    return collision_pairid(k) < 0 && {call}(min(a, b), max(a, \
         b));\n}}\n"
    )
}

/// A near pair may be filtered out before its shapes are read.
const FILTER: &[[&str; 2]] = &[[
    "let a = shape_of(geom1);",
    "if (own__left_out(k, geom1, geom2)) { return; } let a = shape_of(geom1);",
]];

/// Contacts of two types of geoms are found by the text alone, of which there may be many.
const MEETINGS: &[[&str; 2]] = &[MOST, MEET];
const FILTER_AND_MEETINGS: &[[&str; 2]] = &[FILTER[0], MOST, MEET];
const MOST: [&str; 2] = [
    "const COLLISION_MOST: i32 = ",
    "const COLLISION_MOST: i32 = 50 + ",
];
const MEET: [&str; 2] = [
    "let a = shape_of(geom1);",
    "if (own__met(geom1, geom2, near, detect)) { return; } let a = shape_of(geom1);",
];

// after the other sensors of the stage, one after the other, each by all lanes
fn sensors(m: &Model, hooks: &[Hook]) -> String {
    let mut out = "fn own__sensors() {\n".to_owned();
    for hook in hooks {
        let Hook::Sensor(i) = *hook else {
            continue;
        };
        let (adr, dim, call) = (m.sensor_adr[i], m.sensor_dim[i], hook.function());
        let awake = match sleeps(m) {
            true => format!(" && sensor_awake({i})"),
            false => String::new(),
        };
        let _ = writeln!(
            out,
            "    for (var k = lane; k < {dim}{awake}; k += LANES) {{\n        set_sensordata({adr} + k, {call}(k));\n    }}\n    \
             team_sync();\n    if (lane == 0) {{\n        cutoff({i});"
        );
        if sleeps(m) {
            let _ = writeln!(out, "        keep_reading({i}, sensor_awake({i}));");
        }
        if m.nfresh > 0 {
            let _ = writeln!(out, "        hold_back({i});");
        }
        out.push_str("    }\n    team_sync();\n");
    }
    out + "}\n"
}

/// Defaults in the stage's text that user actuators replace.
const ACTUATORS: &[[&str; 2]] = &[
    ["var gain = 1.0;", "var gain = own__gain(i, bad);"],
    ["var bias = 0.0;", "var bias = own__bias(i, bad);"],
    [
        "set_act_dot(k, 0.0);",
        "set_act_dot(k, own__rate(i, k - adr, bad));",
    ],
];

// one function each for gain, bias and rate, which selects the text by actuator id, or else the default
fn actuators(hooks: &[Hook]) -> String {
    let choice = |wanted: UserPart, more: &str| {
        let mut out = String::new();
        for hook in hooks {
            if let Hook::Actuator(i, part) = hook
                && *part == wanted
            {
                let call = hook.function();
                let _ = writeln!(
                    out,
                    "    if (i == {i}) {{\n        return {call}(own__actuator(i, bad){more});\n    }}"
                );
            }
        }
        out
    };
    format!(
        "fn own__actuator(i: i32, bad: bool) -> UserActuator {{\n    let r = actuator_outadr(i);\n    var told = 0.0;\n    if \
         (actuator_ctrlnum(i) > 0) {{\n        told = control(actuator_ctrladr(i), bad);\n    }}\n    return UserActuator(i, told, \
         actuator_length(r), actuator_velocity(r));\n}}\n\
         fn own__gain(i: i32, bad: bool) -> f32 {{\n{}    return 1.0;\n}}\n\
         fn own__bias(i: i32, bad: bool) -> f32 {{\n{}    return 0.0;\n}}\n\
         fn own__rate(i: i32, k: i32, bad: bool) -> f32 {{\n{}    return 0.0;\n}}\n",
        choice(UserPart::Gain, ""),
        choice(UserPart::Bias, ""),
        choice(UserPart::Dyn, ", k"),
    )
}
