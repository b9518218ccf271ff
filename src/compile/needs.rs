//! What a compiled model asks for that the pipeline cannot run yet. It is refused rather than left out: a wrong step is worse
//! than none. What is only not computed is told, and does not stop anyone.

use std::collections::BTreeMap;

use super::tree::Tree;
use crate::cpu;
use crate::cpu::collision::Kind;
use crate::fields::Arrays;
use crate::mjcf::source::Origin;
use crate::mjcf::table::Keyword;
use crate::stages::STAGES;
use crate::types::*;

/// What the dynamics of a model need that the pipeline cannot run yet, each in a few words, behind the place where the model
/// says so (`file:line:column`) if it was compiled from a text; empty if the model moves as it was meant.
///
/// A model compiles with all its numbers whatever it asks for; a [`crate::Batch`] of one that misses something is refused.
pub fn missing(m: &Arrays) -> Vec<String> {
    placed(m, everywhere(m))
}

/// What a model needs that the twins run but the kernels do not yet, told as [`missing`] does; empty if a device can run it.
pub fn missing_on_device(m: &Arrays) -> Vec<String> {
    placed(m, on_device(m))
}

/// Something that a model asks for, and which of its elements does.
struct Need {
    what: String,
    by: By,
    /// The attribute that says it.
    attr: &'static str,
}

/// An element of a model, by its id.
enum By {
    Option,
    Flag,
    Geom(usize),
    Flex(usize),
    Actuator(usize),
    Sensor(usize),
}

impl Need {
    fn new(what: impl Into<String>, by: By, attr: &'static str) -> Need {
        let what = what.into();
        Need { what, by, attr }
    }

    fn origin(&self, tree: &Tree) -> Option<Origin> {
        let spec = tree.spec;
        match self.by {
            By::Option => Some(spec.option.origin),
            By::Flag => Some(spec.option.flag.origin),
            By::Geom(i) => tree.geoms.get(i).map(|x| x.said.origin),
            By::Flex(i) => spec.flexes.get(i).map(|x| x.origin),
            By::Actuator(i) => spec.actuators.get(i).map(|x| x.origin),
            By::Sensor(i) => spec.sensors.get(i).map(|x| x.origin),
        }
    }
}

/// Where a model asks for what some backend lacks: the words of [`missing`], and the place in the text.
pub(super) fn places(m: &Arrays, tree: &Tree) -> Vec<(String, String)> {
    let needs = [everywhere(m), on_device(m)];
    let place = |need: Need| {
        let place = tree
            .spec
            .sources
            .told(need.origin(tree)?, Some(need.attr))?;
        Some((need.what, place))
    };
    needs.into_iter().flatten().filter_map(place).collect()
}

// what is known of where it was said stands before what is missing
fn placed(m: &Arrays, needs: Vec<Need>) -> Vec<String> {
    let place = |what: &str| m.names.place.iter().find(|(known, _)| known == what);
    let told = |need: Need| match place(&need.what) {
        Some((what, place)) => format!("{place}: {what}"),
        None => need.what,
    };
    needs.into_iter().map(told).collect()
}

fn everywhere(m: &Arrays) -> Vec<Need> {
    let mut out = Vec::new();
    options(m, &mut out);
    collisions(m, &mut out);
    forces(m, &mut out);
    flexes(m, &mut out);
    out
}

fn on_device(m: &Arrays) -> Vec<Need> {
    let mut out = Vec::new();
    let convex = |geoms: [i32; 2]| {
        matches!(
            cpu::collision::kind(geoms),
            Some(Kind::Convex | Kind::Hfield)
        )
    };
    if m.opt.disabled(DSBL_NATIVECCD) && pairs(m).into_keys().any(convex) {
        let what = "the flag \"nativeccd\" disabled (the older convex collider) on a device";
        out.push(Need::new(what, By::Flag, "nativeccd"));
    }
    if !m.opt.disabled(DSBL_SENSOR) {
        sensors_on_device(m, &mut out);
    }
    out
}

fn sensors_on_device(m: &Arrays, out: &mut Vec<Need>) {
    use SensorType::{GeomDist, GeomFromTo, GeomNormal};
    let mut first = |what: &str, attr, asks: &dyn Fn(usize) -> bool| {
        let i = (0..m.nsensor).find(|&i| asks(i));
        out.extend(i.map(|i| Need::new(what, By::Sensor(i), attr)));
    };
    first("sensors of distance on a device", "cutoff", &|i| {
        let distances = [GeomDist, GeomNormal, GeomFromTo];
        distances.iter().any(|d| m.sensor_type[i] == *d)
    });
    first("sites that enclose on a device", "enclosed", &|i| {
        m.sensor_type[i] == SensorType::InsideSite && m.sensor_intprm[3 * i] != 0
    });
}

// whether some stage computes a thing
fn stage(prefix: &str) -> bool {
    STAGES.iter().any(|stage| stage.name.starts_with(prefix))
}

fn options(m: &Arrays, out: &mut Vec<Need>) {
    let integrator = Integrator::from_i32(m.opt.integrator);
    let done = match integrator {
        Some(Integrator::Euler | Integrator::Rk4) => true,
        Some(Integrator::Implicit | Integrator::ImplicitFast) => stage("implicit"),
        Some(Integrator::Discrete) | None => false,
    };
    if !done {
        let word = integrator.map_or("", Keyword::word);
        let what = format!("integrator {word:?}");
        out.push(Need::new(what, By::Option, "integrator"));
    }
    if m.opt.noslip_iterations > 0 && !stage("solve_noslip") {
        let what = "the no-slip solver";
        out.push(Need::new(what, By::Option, "noslip_iterations"));
    }
    let flags = [
        (ENBL_SLEEP, "sleep"),
        (ENBL_IPC, "ipc"),
        (ENBL_SPECULATIVE, "speculative"),
    ];
    for (bit, name) in flags {
        if m.opt.enabled(bit) {
            out.push(Need::new(format!("the flag {name:?}"), By::Flag, name));
        }
    }
}

// types of shapes that may touch, and the first pair of each
fn pairs(m: &Arrays) -> BTreeMap<[i32; 2], [i32; 2]> {
    let mut pairs = BTreeMap::new();
    // nothing collides where contacts or constraints are off
    if m.opt.disabled(DSBL_CONTACT) || m.opt.disabled(DSBL_CONSTRAINT) {
        return pairs;
    }
    for (&geom1, &geom2) in m.collision_geom1.iter().zip(&m.collision_geom2) {
        let types = [geom1, geom2].map(|g| m.geom_type[g as usize]);
        pairs.entry(types).or_insert([geom1, geom2]);
    }
    pairs
}

fn collisions_of(types: [i32; 2]) -> String {
    let [type1, type2] = types.map(|t| GeomType::from_i32(t).map_or("", Keyword::word));
    format!("collisions of {type1} and {type2}")
}

fn collisions(m: &Arrays, out: &mut Vec<Need>) {
    for (types, [_, geom2]) in pairs(m) {
        if cpu::collision::kind(types).is_none() {
            let by = By::Geom(geom2 as usize);
            out.push(Need::new(collisions_of(types), by, "type"));
        }
    }
}

fn forces(m: &Arrays, out: &mut Vec<Need>) {
    // the first element that says something
    let first = |n: usize, says: &dyn Fn(usize) -> bool| (0..n).find(|&i| says(i));
    let mut need = |what: &str, attr: &'static str, by: Option<By>| {
        out.extend(by.map(|by| Need::new(what, by, attr)));
    };

    let what = "actuators of type \"user\"";
    let kinds = [
        (&m.actuator_dyntype, DynType::User as i32, "dyntype"),
        (&m.actuator_gaintype, GainType::User as i32, "gaintype"),
        (&m.actuator_biastype, BiasType::User as i32, "biastype"),
    ];
    let user = kinds
        .iter()
        .find_map(|(list, user, attr)| Some((list.iter().position(|t| t == user)?, *attr)));
    if let Some((i, attr)) = user {
        need(what, attr, Some(By::Actuator(i)));
    }

    // MuJoCo ends where it finds such a contact
    let what = "tactile sensors that touch height fields";
    let feels = |i: usize, k: usize| {
        let weld = |g: i32| m.body_weldid[m.geom_bodyid[g as usize] as usize];
        let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
        m.geom_type[geoms[0] as usize] == GeomType::Hfield
            && geoms.iter().any(|g| weld(*g) == weld(m.sensor_refid[i]))
    };
    let field = first(m.nsensor, &|i| {
        m.sensor_type[i] == SensorType::Tactile && (0..m.ncollision).any(|k| feels(i, k))
    });
    need(what, "geom", field.map(By::Sensor));

    // MuJoCo goes on to sample them, though nobody reads them
    let what = "histories of sensors that are off";
    let seen = first(m.nsensor, &|i| m.sensor_historyadr[i] >= 0);
    let seen = seen.filter(|_| m.nfresh > 0 && m.opt.disabled(DSBL_SENSOR));
    need(what, "nsample", seen.map(By::Sensor));
}

fn flexes(m: &Arrays, out: &mut Vec<Need>) {
    let mut need = |what: &str, by: Option<usize>| {
        out.extend(by.map(|f| Need::new(what, By::Flex(f), "name")));
    };
    let first = |says: &dyn Fn(usize) -> bool| (0..m.nflex).find(|&f| says(f));

    // MuJoCo refuses these too
    let implicit = m.opt.is_implicit();
    let elastic = first(&|f| implicit && m.flex_rigid[f] == 0 && m.flex_stiffnessadr[f] >= 0);
    let what = "elastic flexes with the integrators \"implicit\" and \"implicitfast\"";
    need(what, elastic);
    let off = m.opt.disabled(DSBL_CONTACT) || m.opt.disabled(DSBL_CONSTRAINT);
    need("collisions of flexes", first(&|f| !off && touches(m, f)));
}

// whether something in the model may touch a flex by the bits of the two, or the flex itself
fn touches(m: &Arrays, f: usize) -> bool {
    let bits = |contype: i32, conaffinity: i32| {
        m.flex_contype[f] & conaffinity != 0 || contype & m.flex_conaffinity[f] != 0
    };
    let geom = (0..m.ngeom).any(|g| bits(m.geom_contype[g], m.geom_conaffinity[g]));
    let flex = |g: usize| g != f && bits(m.flex_contype[g], m.flex_conaffinity[g]);
    let own = m.flex_rigid[f] == 0
        && m.flex_selfcollide[f] != 0
        && bits(m.flex_contype[f], m.flex_conaffinity[f]);
    geom || own || (0..m.nflex).any(flex)
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
    fn the_older_convex_collider_is_missing_on_a_device() {
        let mut m = Model::from_xml_str(&PLAIN.replace("plane", "ellipsoid")).unwrap();
        assert_eq!(missing(&m), [""; 0]);
        m.edit(|m| m.opt.disableflags |= DSBL_NATIVECCD).unwrap();
        let what = "the flag \"nativeccd\" disabled (the older convex collider) on a device";
        assert_eq!(missing(&m), [""; 0]);
        assert_eq!(
            missing_on_device(&m),
            [what],
            "an edit has no place in the text"
        );
    }

    #[test]
    fn what_is_asked_for_is_named() {
        let mut m = Model::from_xml_str(PLAIN).unwrap();
        m.edit(|m| {
            m.opt.integrator = Integrator::Discrete as i32;
            m.opt.enableflags |= ENBL_IPC;
        })
        .unwrap();
        assert_eq!(missing(&m), ["integrator \"discrete\"", "the flag \"ipc\""]);
    }
}
