//! What a compiled model asks for that the pipeline cannot run yet. It is refused rather than left out: a wrong step is worse
//! than none. What is only not computed is told, and does not stop anyone.

use std::collections::BTreeSet;

use crate::cpu;
use crate::cpu::collision::Kind;
use crate::fields::Arrays;
use crate::mjcf::table::Keyword;
use crate::stages::STAGES;
use crate::types::*;

/// What the dynamics of a model need that the pipeline cannot run yet, each in a few words; empty if the model moves as it was
/// meant.
///
/// A model compiles with all its numbers whatever it asks for; a [`crate::Batch`] of one that misses something is refused.
pub fn missing(m: &Arrays) -> Vec<String> {
    let mut out = Vec::new();
    options(m, &mut out);
    collisions(m, &mut out);
    forces(m, &mut out);
    out
}

/// What a model needs that the twins run but the kernels do not yet; empty if a device can run it.
pub fn missing_on_device(m: &Arrays) -> Vec<String> {
    use SensorType::{GeomDist, GeomFromTo, GeomNormal};
    let distance = |t: &i32| [GeomDist, GeomNormal, GeomFromTo].iter().any(|d| *t == *d);
    match !m.opt.disabled(DSBL_SENSOR) && m.sensor_type.iter().any(distance) {
        true => vec!["sensors of distance on a device".to_owned()],
        false => Vec::new(),
    }
}

/// What a model asks for that is read and kept but not computed; its motion does not need it.
pub fn not_computed(m: &Arrays) -> Vec<String> {
    let mut out = Vec::new();
    for (bit, name, done) in [
        (ENBL_ENERGY, "energy", stage("energy")),
        (ENBL_FWDINV, "fwdinv", stage("compare_fwd_inv")),
        (ENBL_INVDISCRETE, "invdiscrete", stage("discrete_acc")),
    ] {
        if m.opt.enabled(bit) && !done {
            out.push(format!("the flag {name:?}"));
        }
    }
    out
}

// whether some stage computes a thing
fn stage(prefix: &str) -> bool {
    STAGES.iter().any(|stage| stage.name.starts_with(prefix))
}

fn options(m: &Arrays, out: &mut Vec<String>) {
    let integrator = Integrator::from_i32(m.opt.integrator);
    let done = match integrator {
        Some(Integrator::Euler | Integrator::Rk4) => true,
        Some(Integrator::Implicit | Integrator::ImplicitFast) => stage("implicit"),
        Some(Integrator::Discrete) | None => false,
    };
    if !done {
        let word = integrator.map_or("", Keyword::word);
        out.push(format!("integrator {word:?}"));
    }
    if m.opt.noslip_iterations > 0 && !stage("solve_noslip") {
        out.push("the no-slip solver".to_owned());
    }
    let flags = [
        (ENBL_SLEEP, "sleep"),
        (ENBL_DIAGEXACT, "diagexact"),
        (ENBL_IPC, "ipc"),
        (ENBL_SPECULATIVE, "speculative"),
    ];
    for (bit, name) in flags {
        if m.opt.enabled(bit) {
            out.push(format!("the flag {name:?}"));
        }
    }
}

// types of shapes that may touch
fn pairs(m: &Arrays) -> BTreeSet<[i32; 2]> {
    // nothing collides where contacts or constraints are off
    if m.opt.disabled(DSBL_CONTACT) || m.opt.disabled(DSBL_CONSTRAINT) {
        return BTreeSet::new();
    }
    let geoms = m.collision_geom1.iter().zip(&m.collision_geom2);
    let types = geoms.map(|(&geom1, &geom2)| [geom1, geom2].map(|g| m.geom_type[g as usize]));
    types.collect()
}

fn collisions_of(types: [i32; 2]) -> String {
    let [type1, type2] = types.map(|t| GeomType::from_i32(t).map_or("", Keyword::word));
    format!("collisions of {type1} and {type2}")
}

fn collisions(m: &Arrays, out: &mut Vec<String>) {
    let kinds: Vec<_> = pairs(m)
        .into_iter()
        .map(|types| (types, cpu::collision::kind(types)))
        .collect();
    let lacking = kinds.iter().filter(|(_, kind)| kind.is_none());
    out.extend(lacking.map(|(types, _)| collisions_of(*types)));
    let convex = |kind: Option<Kind>| matches!(kind, Some(Kind::Convex | Kind::Hfield));
    if m.opt.disabled(DSBL_NATIVECCD) && kinds.iter().any(|(_, kind)| convex(*kind)) {
        out.push("the flag \"nativeccd\" disabled (the older convex collider)".to_owned());
    }
}

fn forces(m: &Arrays, out: &mut Vec<String>) {
    let some = |list: &[f64]| list.iter().any(|x| *x != 0.0);
    let user = m.actuator_dyntype.iter().any(|t| *t == DynType::User)
        || m.actuator_gaintype.iter().any(|t| *t == GainType::User)
        || m.actuator_biastype.iter().any(|t| *t == BiasType::User);
    let sensors = m.sensor_type.iter().zip(m.sensor_intprm.chunks_exact(3));
    let enclosing = sensors
        .into_iter()
        .any(|(t, prm)| *t == SensorType::InsideSite && prm[0] != 0);
    for (asked, what) in [
        (user, "actuators of type \"user\""),
        (m.nhistory > 0, "delays and history buffers"),
        (m.nplastic > 0, "plastic springs"),
        (enclosing, "insidesite sensors that ask for full enclosure"),
        (some(&m.geom_surfacevel), "surface velocities"),
        (
            some(&m.geom_adhesion) || some(&m.pair_adhesion),
            "adhesive geoms",
        ),
    ] {
        if asked {
            out.push(what.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::Model;

    const PLAIN: &str = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body pos="0 0 1"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#;

    #[test]
    fn a_plain_model_misses_nothing() {
        let m = Model::from_xml_str(PLAIN).unwrap();
        assert_eq!(missing(&m), [""; 0]);
    }

    #[test]
    fn the_older_convex_collider_is_missing() {
        let mut m = Model::from_xml_str(&PLAIN.replace("plane", "ellipsoid")).unwrap();
        assert_eq!(missing(&m), [""; 0]);
        m.edit(|m| m.opt.disableflags |= DSBL_NATIVECCD).unwrap();
        let what = "the flag \"nativeccd\" disabled (the older convex collider)";
        assert_eq!(missing(&m), [what]);
    }

    #[test]
    fn what_is_asked_for_is_named() {
        let mut m = Model::from_xml_str(PLAIN).unwrap();
        m.edit(|m| {
            m.opt.integrator = Integrator::Discrete as i32;
            m.geom_surfacevel[0] = 1.0;
        })
        .unwrap();
        assert_eq!(
            missing(&m),
            ["integrator \"discrete\"", "surface velocities"]
        );
    }
}
