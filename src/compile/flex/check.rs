//! What the bodies, the elements and the material of a flex must be.

use super::{Part, plastic};
use crate::compile::names::Names;
use crate::compile::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Elastic2d, Flex};
use crate::types::JointType;

pub(super) fn check_elements(
    tree: &Tree,
    said: &Flex,
    dim: usize,
    element: &[i32],
    nvert: usize,
) -> Result<()> {
    for (i, of) in element.chunks_exact(dim + 1).enumerate() {
        let inside = of.iter().all(|v| (0..nvert as i32).contains(v));
        let msg = format!("element {i} has a vertex that is none of the {nvert}");
        tree.ensure(inside, said.origin, Some("element"), &msg)?;
        let once = (0..of.len()).all(|k| !of[..k].contains(&of[k]));
        let msg = format!("element {i} has a vertex twice");
        tree.ensure(once, said.origin, Some("element"), &msg)?;
    }
    Ok(())
}

pub(super) fn check_material(tree: &Tree, said: &Flex, part: &Part, held: bool) -> Result<()> {
    let (elastic, edge) = (&said.elasticity, &said.edge);
    let ensure = |ok: bool, attr: &str, msg: &str| tree.ensure(ok, said.origin, Some(attr), msg);
    let lines = part.dim == 1;
    let flat = elastic.elastic2d() != Elastic2d::None;
    let poisson = (0.0..0.5).contains(&elastic.poisson());
    ensure(
        edge.stiffness() <= 0.0 || lines,
        "dim",
        "edges of triangles and tetrahedra have no stiffness of their own; give the flex <elasticity>",
    )?;
    ensure(
        !flat || elastic.thickness() > 0.0,
        "dim",
        "elastic2d needs a thickness that is positive",
    )?;
    ensure(
        poisson || !(flat || elastic.young() > 0.0),
        "dim",
        "poisson must be at least 0 and below 0.5",
    )?;
    let sheet = part.dim == 2 || part.cage.is_some();
    ensure(!flat || sheet, "dim", "elastic2d is for dim 2")?;
    ensure(
        !held || lines || elastic.young() <= 0.0 || elastic.elastic2d() == Elastic2d::Bend,
        "dim",
        "edges or strains that an equality holds and elasticity (young) exclude each other, but that of bending alone; drop one",
    )?;
    ensure(
        !held || edge.stiffness() <= 0.0,
        "dim",
        "edges that an equality holds and edges with stiffness exclude each other; drop one",
    )?;
    plastic::check(tree, said, part)?;
    ensure(elastic.shear() >= 0.0, "dim", "shear must not be negative")?;
    let condim = matches!(said.contact.condim(), 1 | 3 | 4 | 6);
    ensure(condim, "dim", "condim of its contacts must be 1, 3, 4 or 6")
}

// MuJoCo writes beyond its memory where a shell of lines bends, and ends or computes with whatever is there
pub(super) fn check_cage(tree: &Tree, said: &Flex, part: &Part) -> Result<()> {
    let shell = part.cage.as_ref().is_some_and(|cage| cage.shell);
    let bends = shell && said.elasticity.young() > 0.0 && super::bends(said);
    let msg = "lines between nodes do not bend; set elastic2d to none or stretch, or young to 0";
    tree.ensure(part.dim > 1 || !bends, said.origin, Some("dim"), msg)
}

// the bodies must move independently, and only the flex may damp them
pub(super) fn check_bodies(
    m: &Arrays,
    tree: &Tree,
    names: &Names,
    said: &Flex,
    part: &Part,
) -> Result<()> {
    if part.rigid {
        return Ok(());
    }
    let name = |b: usize| names.body.name(b);
    let held_by: Vec<usize> = match &part.cage {
        Some(cage) => cage.bodies.clone(),
        None => part
            .element
            .iter()
            .map(|&v| part.bodies[v as usize])
            .collect(),
    };
    let bodies = part.cage.as_ref().map_or(&part.bodies, |cage| &cage.bodies);
    let mut times = vec![0; m.nbody];
    for &b in bodies {
        times[b] += 1;
    }
    let is_vertex = |b: usize| {
        let node = &tree.bodies[b];
        let mut joints = node.joints.clone();
        let carries = !node.geoms.is_empty() || !node.said.bodies.is_empty();
        times[b] == 1
            && !joints.is_empty()
            && !carries
            && joints.all(|j| m.jnt_type[j] == JointType::Slide)
    };
    // a body that does not slide along three axes pins the flex
    let slides = |b: &usize| is_vertex(*b) && tree.bodies[*b].joints.len() == 3;
    let loose = held_by.iter().all(slides);
    for &b in bodies.iter().filter(|b| is_vertex(**b)) {
        let node = &tree.bodies[b];
        let damped = tree.joints[node.joints.clone()].iter().any(|part| {
            let [timeconst, ratio] = part.said.springdamper();
            (timeconst > 0.0 && ratio > 0.0) || part.said.damping() != [0.0; 3]
        });
        let msg = format!(
            "body {:?} of a vertex has joints with damping; give the damping to the flex, by <elasticity> or <edge>",
            name(b)
        );
        tree.ensure(!damped, said.origin, Some("body"), &msg)?;

        // joints of an ancestor would move an unpinned flex twice
        let mut around = node.parent;
        while loose && around != 0 {
            let joints = tree.bodies[around].joints.is_empty();
            let msg = format!(
                "body {:?} has joints, and no vertex is pinned; pin one, or drop the joints",
                name(around)
            );
            tree.ensure(joints, said.origin, Some("body"), &msg)?;
            around = tree.bodies[around].parent;
        }
    }
    Ok(())
}
