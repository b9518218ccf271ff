//! Joints: limits, angles, axes, and the dofs they give.

use super::pose::{Pose, V3};
use super::tree::{Part, Tree};
use crate::asset::vec3::{EPS, normalize, rotvecquat};
use crate::error::Result;
use crate::mjcf::schema::{Joint, Tri};
use crate::mjcf::source::Origin;
use crate::types::JointType;

/// A joint in the frame of its body, angles in radians.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub kind: JointType,
    pub pos: V3,
    pub axis: V3,
    pub limited: bool,
    pub range: [f64; 2],
    pub actfrclimited: bool,
    pub actfrcrange: [f64; 2],
    pub reference: f64,
    pub springref: f64,
    pub springyield: f64,
}

/// Compiles one joint (`mjCJoint::Compile`).
pub(super) fn compile(tree: &Tree, part: &Part<Joint>, autolimits: bool) -> Result<Compiled> {
    let said = part.said;
    let kind = if said.free {
        JointType::Free
    } else {
        said.type_()
    };
    let origin = said.origin;
    check_springdamper(tree, said)?;
    let yields = kind == JointType::Free && said.springyield() != 0.0;
    let msg = "springyield is not for free joints";
    tree.ensure(!yields, origin, Some("springyield"), msg)?;
    check_not_negative(tree, origin, "springyield", said.springyield())?;
    check_not_negative(tree, origin, "frictionloss", said.frictionloss())?;

    // which limits are active; a free joint has none, the actuator's are on scalar joints only
    let range = said.range();
    let limited =
        kind != JointType::Free && limited(tree, origin, "", said.limited(), range, autolimits)?;
    let actfrcrange = said.actuatorfrcrange();
    let scalar = matches!(kind, JointType::Slide | JointType::Hinge);
    let actfrclimited = scalar
        && self::limited(
            tree,
            origin,
            "actuatorfrc",
            said.actuatorfrclimited(),
            actfrcrange,
            autolimits,
        )?;
    if limited && kind == JointType::Ball {
        let msg = "range of a ball joint starts at 0: it is the largest angle of rotation";
        tree.ensure(range[0] == 0.0, origin, Some("range"), msg)?;
    } else if limited {
        let msg = "range needs its first number below its second";
        tree.ensure(range[0] < range[1], origin, Some("range"), msg)?;
    }
    let msg = "actuatorfrcrange needs its first number below its second";
    let ordered = actfrcrange[0] < actfrcrange[1];
    tree.ensure(
        !actfrclimited || ordered,
        origin,
        Some("actuatorfrcrange"),
        msg,
    )?;

    // angles in radians; an inactive range stays as given
    let radian = if tree.units.degree {
        std::f64::consts::PI / 180.0
    } else {
        1.0
    };
    let rotates = matches!(kind, JointType::Hinge | JointType::Ball);
    let angle = |x: f64, turn: bool| if turn { x * radian } else { x };

    let (pos, axis) = place(tree, part, kind)?;
    Ok(Compiled {
        kind,
        pos,
        axis,
        limited,
        range: range.map(|x| angle(x, limited && rotates)),
        actfrclimited,
        actfrcrange,
        reference: angle(said.ref_(), kind == JointType::Hinge),
        springref: angle(said.springref(), kind == JointType::Hinge),
        springyield: angle(said.springyield(), rotates),
    })
}

fn check_springdamper(tree: &Tree, said: &Joint) -> Result<()> {
    let [timeconst, dampratio] = said.springdamper();
    let unset = timeconst == 0.0 && dampratio == 0.0;
    let msg = "springdamper needs two positive numbers: time constant and damping ratio";
    let ok = unset || (timeconst > 0.0 && dampratio > 0.0);
    tree.ensure(ok, said.origin, Some("springdamper"), msg)
}

/// Refuses a negative number. Friction below zero would push, and no force satisfies MuJoCo's rows for it; a spring has no yield below zero.
pub(super) fn check_not_negative(tree: &Tree, origin: Origin, attr: &str, x: f64) -> Result<()> {
    let msg = format!("{attr} may not be negative");
    tree.ensure(x >= 0.0, origin, Some(attr), &msg)
}

// anchor and axis in the body, out of the frames around the joint
fn place(tree: &Tree, part: &Part<Joint>, kind: JointType) -> Result<(V3, V3)> {
    let said = part.said;
    let scalar = matches!(kind, JointType::Slide | JointType::Hinge);
    let mut axis = if scalar { said.axis() } else { [0.0, 0.0, 1.0] };
    let mut pos = match kind {
        JointType::Free => [0.0; 3],
        _ => said.pos(),
    };
    if let Some(frame) = part.frame {
        if scalar {
            axis = rotvecquat(axis, frame.quat);
        }
        if kind != JointType::Free {
            pos = frame.then(Pose::at(pos)).pos;
        }
    }
    let long = normalize(&mut axis) >= EPS;
    let msg = "axis is too short to have a direction";
    tree.ensure(long, said.origin, Some("axis"), msg)?;
    Ok((pos, axis))
}

/// Whether a limit is active: as given, or by whether a range was given. Fails when that may not be inferred.
pub(super) fn limited(
    tree: &Tree,
    origin: Origin,
    what: &str,
    said: Tri,
    range: [f64; 2],
    autolimits: bool,
) -> Result<bool> {
    let given = range != [0.0, 0.0];
    if said == Tri::Auto && given && !autolimits {
        let msg = format!(
            "{what}range is given but {what}limited is not: set {what}limited=\"true\" or \"false\", or set \
             autolimits=\"true\" in <compiler>"
        );
        return Err(tree.error(origin, Some(&format!("{what}range")), msg));
    }
    Ok(said == Tri::True || (said == Tri::Auto && range[0] < range[1]))
}
