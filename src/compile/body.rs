//! Bodies: pose, mass and inertia, and the elements that move when a free body is aligned with its inertia.

use super::asset::Assets;
use super::pose::{Pose, UNIT, V3};
use super::tree::{Node, Tree};
use super::{geom, joint};
use crate::asset::inertia::{self, eig3};
use crate::asset::vec3::{EPS, rotvecquat};
use crate::error::Result;
use crate::mjcf::schema::{Compiler, Inertial, Tri};
use crate::mjcf::source::Origin;
use crate::types::JointType;

/// A body in its parent's frame, with its elements in its own frame.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub pose: Pose,
    pub inertial: Pose,
    pub mass: f64,
    pub inertia: V3,
    /// True if the body has mass, and bounds have raised its mass or its inertia.
    pub raised: bool,
    pub geoms: Vec<geom::Compiled>,
    pub joints: Vec<joint::Compiled>,
    /// Pose that sites, cameras and lights are moved by: the old body frame in the new one.
    pub aligned: Option<Pose>,
}

struct Mass {
    pose: Option<Pose>,
    mass: f64,
    inertia: V3,
}

/// Compiles a body with its geoms and joints (`mjCBody::Compile`).
pub(super) fn compile(tree: &Tree, assets: &Assets, id: usize) -> Result<Compiled> {
    let node = &tree.bodies[id];
    let said = node.said;
    let mut pose = if id == 0 {
        Pose::NULL
    } else {
        tree.pose(said.pos(), &said.orientation, said.origin)?
    };

    // geoms first: the inertia may follow from them
    let always = node.compiler.inertiafromgeom() == Tri::True;
    let [lo, hi] = node.compiler.inertiagrouprange();
    let wanted = |group: i32| (lo..=hi).contains(&group);
    let infer = id > 0 && (said.inertial.is_none() || always);
    let mut geoms = Vec::with_capacity(node.geoms.len());
    for part in &tree.geoms[node.geoms.clone()] {
        let counts = infer && wanted(part.said.group());
        geoms.push(geom::compile(tree, assets, part, counts)?);
    }
    let mut mass = match &said.inertial {
        Some(inertial) if id > 0 => explicit(tree, node, inertial)?,
        _ => Mass {
            pose: None,
            mass: 0.0,
            inertia: [0.0; 3],
        },
    };
    let auto = node.compiler.inertiafromgeom() == Tri::Auto && said.inertial.is_none();
    if id > 0 && (always || auto) {
        let parts = &tree.geoms[node.geoms.clone()];
        let chosen: Vec<&geom::Compiled> = geoms
            .iter()
            .zip(parts)
            .filter(|(geom, part)| wanted(part.said.group()) && geom.mass > EPS)
            .map(|(geom, _)| geom)
            .collect();
        from_geoms(tree, node, &chosen, &mut mass)?;
    }
    // a body without inertia has its own pose as its inertial frame, as in MuJoCo
    let mut inertial = mass.pose.unwrap_or(pose);
    let mut raised = false;
    if id > 0 {
        let before = (mass.mass, mass.inertia);
        check(tree, node, &mut mass)?;
        raised = mass.mass >= crate::types::MINVAL && before != (mass.mass, mass.inertia);
    }
    if let Some(frame) = node.frame {
        pose = frame.then(pose);
    }

    // a free body without children may move its frame onto its inertia
    let mut aligned = None;
    if align(tree, node) {
        pose = pose.then(inertial);
        let back = inertial.inverse();
        inertial = Pose::NULL;
        for geom in &mut geoms {
            geom.pose = back.then(geom.pose);
        }
        aligned = Some(back);
    }

    let autolimits = node.compiler.autolimits();
    let mut joints = Vec::with_capacity(node.joints.len());
    for part in &tree.joints[node.joints.clone()] {
        joints.push(joint::compile(tree, part, autolimits)?);
    }
    check_joints(tree, node, &joints)?;
    Ok(Compiled {
        pose,
        inertial,
        mass: mass.mass,
        inertia: mass.inertia,
        raised,
        geoms,
        joints,
        aligned,
    })
}

// mass and inertia of an `inertial` element
fn explicit(tree: &Tree, node: &Node, said: &Inertial) -> Result<Mass> {
    let origin = said.origin;
    let (Some(pos), Some(mass)) = (said.pos, said.mass) else {
        return Err(tree.error(origin, None, "pos and mass are needed"));
    };
    let quat = tree.units.orientation(&said.orientation);
    let quat = quat.map_err(|msg| tree.error(origin, None, msg))?;
    let mut pose = Pose {
        pos,
        quat: quat.unwrap_or(UNIT),
    };
    let mut diag = said.diaginertia.unwrap_or([0.0; 3]);
    if let Some(full) = said.fullinertia {
        let msg = "fullinertia gives the orientation too; drop the other orientation";
        tree.ensure(quat.is_none(), origin, Some("fullinertia"), msg)?;
        let msg = "fullinertia and diaginertia both give the inertia; drop one";
        tree.ensure(said.diaginertia.is_none(), origin, Some("diaginertia"), msg)?;
        let Some((quat, eigval)) = principal(full, node.compiler) else {
            let msg = "fullinertia needs positive principal moments; set boundinertia in <compiler> to raise zeros";
            return Err(tree.error(origin, Some("fullinertia"), msg));
        };
        pose.quat = quat;
        diag = eigval;
    }
    if let Some(frame) = node.inertial_frame {
        pose = frame.then(pose);
    }
    Ok(Mass {
        pose: Some(pose),
        mass,
        inertia: diag,
    })
}

// principal axes and moments; a moment of zero, but for rounding, may be raised to boundinertia
fn principal(full: [f64; 6], compiler: &Compiler) -> Option<([f64; 4], V3)> {
    let [xx, yy, zz, xy, xz, yz] = full;
    let e = eig3(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let bound = compiler.boundinertia();
    let least = if bound > 0.0 {
        -f64::max(EPS, 1e-14 * e.eigval[0])
    } else {
        EPS
    };
    (e.eigval[2] >= least).then(|| (e.quat, e.eigval.map(|x| x.max(bound))))
}

// the inertia of the geoms together (`mjCBody::InertiaFromGeom`)
fn from_geoms(tree: &Tree, node: &Node, chosen: &[&geom::Compiled], out: &mut Mass) -> Result<()> {
    if let [geom] = chosen {
        out.pose = Some(geom.pose);
        out.mass = geom.mass;
        out.inertia = geom.inertia;
    }
    if chosen.len() < 2 {
        return Ok(());
    }
    let mass: f64 = chosen.iter().fold(0.0, |sum, g| sum + g.mass);
    let mut com = [0.0; 3];
    for g in chosen {
        for (c, x) in com.iter_mut().zip(g.pose.pos) {
            *c += g.mass * x;
        }
    }
    let com = com.map(|c| c / mass);
    let mut total = [0.0; 6];
    for g in chosen {
        let [x, y, z] = g.pose.pos;
        let shift = [x - com[0], y - com[1], z - com[2]];
        let own = inertia::globalinertia(g.inertia, g.pose.quat);
        let off = inertia::offcenter(g.mass, shift);
        for k in 0..6 {
            total[k] = total[k] + own[k] + off[k];
        }
    }
    let Some((quat, diag)) = principal(total, node.compiler) else {
        let msg = "the geoms together have no positive inertia; give the body an <inertial>, or set boundinertia in <compiler>";
        return Err(tree.error(node.said.origin, None, msg));
    };
    *out = Mass {
        pose: Some(Pose { pos: com, quat }),
        mass,
        inertia: diag,
    };
    Ok(())
}

// lower bounds, signs, and the triangle inequality that every real body satisfies
fn check(tree: &Tree, node: &Node, mass: &mut Mass) -> Result<()> {
    let compiler = node.compiler;
    let origin = match &node.said.inertial {
        Some(inertial) => inertial.origin,
        None => node.said.origin,
    };
    // before the bounds, which would hide a NaN
    let finite = mass.mass.is_finite() && mass.inertia.iter().all(|x| x.is_finite());
    let msg = "mass and inertia overflow; make sizes, densities or masses smaller";
    tree.ensure(finite, origin, None, msg)?;
    mass.mass = mass.mass.max(compiler.boundmass());
    mass.inertia = mass.inertia.map(|x| x.max(compiler.boundinertia()));
    let positive = mass.mass >= 0.0 && mass.inertia.iter().all(|x| *x >= 0.0);
    tree.ensure(
        positive,
        origin,
        None,
        "mass and inertia must not be negative",
    )?;
    let [a, b, c] = mass.inertia;
    if a + b < c || a + c < b || b + c < a {
        if !compiler.balanceinertia() {
            let msg = format!(
                "no body has the principal moments {a} {b} {c}: each must be at most the sum of the other two; \
                 correct them, or set balanceinertia=\"true\" in <compiler>"
            );
            return Err(tree.error(origin, None, msg));
        }
        mass.inertia = [(a + b + c) / 3.0; 3];
    }
    Ok(())
}

/// Place and message of the error that a body has too little mass or inertia to move.
pub(super) fn too_light(node: &Node, body: &Compiled) -> (Origin, String) {
    let least = crate::types::MINVAL;
    let Some(said) = &node.said.inertial else {
        let msg = match node.geoms.is_empty() {
            true => "a body with joints needs mass and inertia: give it a geom with mass, or an <inertial>".to_owned(),
            false => format!(
                "a body with joints needs a mass and moments of inertia of at least {least:e}, and its geoms give mass {} and \
                 moments {}: make them larger or denser, or give the body an <inertial>",
                body.mass,
                spelled(body.inertia)
            ),
        };
        return (node.said.origin, msg);
    };
    let moments = said.diaginertia.unwrap_or(body.inertia);
    let mass = said.mass.unwrap_or(body.mass);
    let msg = format!(
        "a body with joints needs a mass and moments of inertia of at least {least:e}, found mass {mass} and moments {}",
        spelled(moments)
    );
    (said.origin, msg)
}

fn spelled([a, b, c]: V3) -> String {
    format!("{a} {b} {c}")
}

fn align(tree: &Tree, node: &Node) -> bool {
    let [part] = &tree.joints[node.joints.clone()] else {
        return false;
    };
    let free = part.said.free || part.said.type_() == JointType::Free;
    let wanted = match part.said.align() {
        Tri::True => true,
        Tri::Auto => node.compiler.alignfree(),
        Tri::False => false,
    };
    free && node.said.bodies.is_empty() && wanted
}

fn check_joints(tree: &Tree, node: &Node, joints: &[joint::Compiled]) -> Result<()> {
    let origin = |k: usize| tree.joints[node.joints.start + k].said.origin;
    let mut dofs = 0;
    let mut ball = false;
    for (k, joint) in joints.iter().enumerate() {
        let free = joint.kind == JointType::Free;
        let msg = "a free joint must be the only joint of its body";
        tree.ensure(!free || joints.len() == 1, origin(k), None, msg)?;
        // `fusestatic` may still remove bodies between it and the world
        let top = node.parent == 0 || tree.spec.compiler().fusestatic();
        let msg = "a free joint is for children of the world only";
        tree.ensure(!free || top, origin(k), None, msg)?;
        let turns = matches!(joint.kind, JointType::Ball | JointType::Hinge);
        let msg = "no rotation can follow a ball joint in the same body";
        tree.ensure(!(ball && turns), origin(k), None, msg)?;
        ball |= joint.kind == JointType::Ball;
        dofs += super::tree::joint_sizes(joint.kind).1;
        let msg = "the joints of one body can have 6 degrees of freedom at most";
        tree.ensure(dofs <= 6, origin(k), None, msg)?;
    }
    let mocap = node.said.mocap();
    let msg = "a mocap body must be a child of the world without joints";
    let ok = !mocap || (joints.is_empty() && node.parent == 0);
    tree.ensure(ok, node.said.origin, Some("mocap"), msg)
}

/// Moves a light's position and direction into a body frame that was moved.
pub(super) fn move_light(back: Pose, pos: &mut V3, dir: &mut V3) {
    *pos = back.then(Pose::at(*pos)).pos;
    *dir = rotvecquat(*dir, back.quat);
}
