//! Features that a compiled model asks for and that the pipeline cannot run yet. The model is refused: a wrong step is worse than
//! none. A result that is only not computed is reported, and refuses no model.

use std::collections::BTreeMap;

use super::couple;
use super::tree::Tree;
use crate::cpu;
use crate::cpu::ipc::parts::refused;
use crate::cpu::lib::cage::is_stiff;
use crate::cpu::lib::penalty::gives_way;
use crate::cpu::lib::rod::is_rod;
use crate::cpu::lib::sleep::sleeps;
use crate::fields::Arrays;
use crate::mjcf::source::Origin;
use crate::mjcf::table::Keyword;
use crate::stages::STAGES;
use crate::types::*;

/// Features that the dynamics of a model need and that the pipeline cannot run yet. Each is a few words, behind its place in the
/// model's text (`file:line:column`) if the model was compiled from a text. Empty if the pipeline can run the model.
///
/// A model compiles with all its numbers whatever it asks for; a [`crate::Batch`] of a model with missing features is refused.
pub fn missing(m: &Arrays) -> Vec<String> {
    placed(m, everywhere(m))
}

/// A feature that a model asks for, and the element that does.
struct Need {
    what: String,
    by: By,
    /// The attribute that asks for it.
    attr: &'static str,
}

/// An element of a model, by its id.
enum By {
    Option,
    Flag,
    Geom(usize),
    Flex(usize),
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
            By::Sensor(i) => spec.sensors.get(i).map(|x| x.origin),
        }
    }
}

/// Features that a model lacks: the words of [`missing`], and the place in the text.
pub(super) fn places(m: &Arrays, tree: &Tree) -> Vec<(String, String)> {
    let place = |need: Need| {
        let place = tree
            .spec
            .sources
            .told(need.origin(tree)?, Some(need.attr))?;
        Some((need.what, place))
    };
    everywhere(m).into_iter().filter_map(place).collect()
}

// puts the place in the text, where it is known, before each missing feature
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

// whether there is a stage with a name of this prefix
fn stage(prefix: &str) -> bool {
    STAGES.iter().any(|stage| stage.name.starts_with(prefix))
}

fn options(m: &Arrays, out: &mut Vec<Need>) {
    let integrator = Integrator::from_i32(m.opt.integrator);
    let done = match integrator {
        Some(Integrator::Euler | Integrator::Rk4) => true,
        Some(Integrator::Implicit | Integrator::ImplicitFast) => stage("implicit"),
        Some(Integrator::Discrete) => {
            discrete(m, out);
            true
        }
        None => false,
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
    if m.opt.enabled(ENBL_IPC) {
        ipc(m, out);
    }
    // MuJoCo ends where it finds one
    if sleeps(m) && m.eq_type.iter().any(|kind| *kind == EqType::Tendon) {
        let what = "the flag \"sleep\" with equalities of tendons";
        out.push(Need::new(what, By::Flag, "sleep"));
    }
}

// features that the flag `ipc` does not support. MuJoCo refuses them too
fn ipc(m: &Arrays, out: &mut Vec<Need>) {
    let mut need = |what: &str, by: By, attr: &'static str| {
        out.push(Need::new(format!("the flag \"ipc\" with {what}"), by, attr));
    };
    if m.opt.integrator != Integrator::Discrete as i32 {
        need("another integrator than \"discrete\"", By::Flag, "ipc");
    }
    if m.opt.solver == Solver::Pgs {
        need("the solver \"PGS\"", By::Option, "solver");
    }
    for (flag, name) in [(ENBL_FWDINV, "fwdinv"), (ENBL_SLEEP, "sleep")] {
        if m.opt.enabled(flag) {
            need(&format!("the flag \"{name}\""), By::Flag, name);
        }
    }
    if let Some((f, what)) = refused(m) {
        need(what, By::Flex(f), "name");
    }
}

// features that a discrete step does not support
fn discrete(m: &Arrays, out: &mut Vec<Need>) {
    let mut need = |what: &str, by: By, attr: &'static str| {
        let what = format!("{what} with the integrator \"discrete\"");
        out.push(Need::new(what, by, attr));
    };
    // MuJoCo ends there too
    let sleeps = sleeps(m);
    if sleeps && m.opt.disabled(DSBL_ISLAND) {
        need("the flag \"sleep\" without islands", By::Flag, "sleep");
    }
    // MuJoCo ends where constraints act on them: its metric has the diagonal of their stiffness, and its solver all of it
    let stiff = |f: &usize| m.flex_interp[*f] != 0 && m.flex_dim[*f] == 1 && is_stiff(m, *f);
    if let Some(f) = (0..m.nflex).find(stiff) {
        let what = "elastic lines between nodes";
        need(what, By::Flex(f), "dof");
    }
    let elastic = (0..m.nflex).find(|&f| couple::is_elastic(m, f));
    if let Some(f) = elastic.filter(|_| m.opt.solver == Solver::Pgs) {
        need("elastic flexes and the solver \"PGS\"", By::Flex(f), "name");
    }
    if let Some(f) = elastic.filter(|_| m.opt.noslip_iterations > 0) {
        need("elastic flexes and the no-slip solver", By::Flex(f), "name");
    }
    let of_edges = |f: &usize| m.flex_edgestiffness[*f] != 0.0 || m.flex_edgedamping[*f] != 0.0;
    if let Some(f) = (0..m.nflex).find(of_edges) {
        let what = "springs and dampers of the edges of flexes";
        need(what, By::Flex(f), "name");
    }

    if couple::lacks(m) {
        let what =
            "springs, dampers and servos that couple dofs which the worlds' shared model does not";
        need(what, By::Option, "integrator");
    }
}

// nothing collides where contacts or constraints are off
fn contacts_are_off(m: &Arrays) -> bool {
    m.opt.disabled(DSBL_CONTACT) || m.opt.disabled(DSBL_CONSTRAINT)
}

// types of shapes that may touch, and the first pair of each
fn pairs(m: &Arrays) -> BTreeMap<[i32; 2], [i32; 2]> {
    let mut pairs = BTreeMap::new();
    if contacts_are_off(m) {
        return pairs;
    }
    let geoms = m.collision_geom1.iter().zip(&m.collision_geom2);
    for (&geom1, &geom2) in geoms.filter(|(_, geom2)| **geom2 >= 0) {
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
    // the first element of which `says` is true
    let first = |n: usize, says: &dyn Fn(usize) -> bool| (0..n).find(|&i| says(i));
    let mut need = |what: &str, attr: &'static str, by: Option<By>| {
        out.extend(by.map(|by| Need::new(what, by, attr)));
    };

    // MuJoCo ends where it finds such a contact
    let what = "tactile sensors that touch height fields";
    let feels = |i: usize, k: usize| {
        let weld = |g: i32| m.body_weldid[m.geom_bodyid[g as usize] as usize];
        let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
        geoms[1] >= 0
            && m.geom_type[geoms[0] as usize] == GeomType::Hfield
            && geoms.iter().any(|g| weld(*g) == weld(m.sensor_refid[i]))
    };
    let field = first(m.nsensor, &|i| {
        m.sensor_type[i] == SensorType::Tactile && (0..m.ncollision).any(|k| feels(i, k))
    });
    need(what, "geom", field.map(By::Sensor));
}

fn flexes(m: &Arrays, out: &mut Vec<Need>) {
    let mut need = |what: &str, by: Option<usize>| {
        out.extend(by.map(|f| Need::new(what, By::Flex(f), "name")));
    };
    let first = |says: &dyn Fn(usize) -> bool| (0..m.nflex).find(|&f| says(f));

    // MuJoCo refuses these too
    let implicit = m.opt.is_implicit();
    let elastic = |f: usize| m.flex_rigid[f] == 0 && m.flex_dim[f] > 1 && is_stiff(m, f);
    let elastic = first(&|f| implicit && (elastic(f) || is_rod(m, f)));
    let what = "elastic flexes with the integrators \"implicit\" and \"implicitfast\"";
    need(what, elastic);
    let touching = |f: usize| touches(m, f);
    let passive = first(&|f| gives_way(m, f) && touching(f));
    let what = "passive contacts of flexes but with the integrator \"discrete\"";
    need(what, passive.filter(|_| !m.opt.is_discrete()));
}

// whether a flex may touch something
fn touches(m: &Arrays, f: usize) -> bool {
    !contacts_are_off(m) && m.collision_flex.contains(&(f as i32))
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
    fn what_is_asked_for_is_named() {
        let mut m = Model::from_xml_str(PLAIN).unwrap();
        m.edit(|m| {
            m.opt.integrator = Integrator::Discrete as i32;
            m.opt.enableflags |= ENBL_IPC;
        })
        .unwrap();
        assert_eq!(missing(&m), [""; 0]);
        m.edit(|m| m.opt.integrator = Integrator::Euler as i32)
            .unwrap();
        let what = "the flag \"ipc\" with another integrator than \"discrete\"";
        assert_eq!(missing(&m), [what]);
    }
}
