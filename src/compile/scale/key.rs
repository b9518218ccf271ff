//! Keyframes of scaled models: positions of bodies and slides, and controls and activations that are displacements.

use super::actuator::places;
use super::span::{self, Span};
use super::stretch::Stretch;
use super::{Named, Scale};
use crate::compile::pose::{Pose, unit};
use crate::compile::tree::Tree;
use crate::error::Result;
use crate::mjcf::schema::Key;
use crate::mjcf::spec::{Actuator, Spec};
use crate::types::{DynType, GainType, JointType};

/// Map of positions in the world: `to + factor (p - from)`.
struct Move {
    from: [f64; 3],
    to: [f64; 3],
    factor: Stretch,
}

impl Move {
    // maps a position; one that is cut short stays, the compiler reports it
    fn carry(&self, place: &mut [f64]) {
        if let [x, y, z, ..] = place {
            let [a, b, c] = self.from;
            let moved = self.factor.place([*x - a, *y - b, *z - c]);
            let [a, b, c] = self.to;
            [*x, *y, *z] = [a + moved[0], b + moved[1], c + moved[2]];
        }
    }

    fn turn(&self, velocity: &mut [f64]) {
        if let [x, y, z, ..] = velocity {
            [*x, *y, *z] = self.factor.place([*x, *y, *z]);
        }
    }
}

/// Scales the keyframes of a model; `before` is the spec before scaling. The scale and the kind of each joint are in the order of
/// ids, and so are mocap bodies.
pub(super) fn keys(
    before: &Spec,
    spec: &mut Spec,
    named: &Named,
    joints: &[(Scale, JointType)],
    mocaps: &[Scale],
) -> Result<()> {
    let sources = spec.sources.clone();
    let moves_some = |s: &Scale| s.length != 1.0 || s.stretch.is_some();
    let scaled = joints.iter().any(|(s, _)| moves_some(s)) || mocaps.iter().any(moves_some);
    let (free, mocap) = match scaled && !spec.keys.is_empty() {
        true => moves(before, spec, joints, mocaps)?,
        false => (Vec::new(), Vec::new()),
    };
    let mut keys = std::mem::take(&mut spec.keys);
    for key in &mut keys {
        let origin = key.origin;
        let refuse = |what: &str| {
            let feature = format!("{what} of what a frame scales");
            Err(sources.unsupported(origin, None, feature))
        };
        if key.of.is_some() {
            return refuse("a keyframe of an attached model");
        }
        if key.plastic.is_some() {
            return refuse("plastic deformations");
        }
        if scaled {
            states(key, joints, &free);
            for (place, way) in key
                .mpos
                .iter_mut()
                .flat_map(|x| x.chunks_mut(3))
                .zip(&mocap)
            {
                way.carry(place);
            }
        }
        let follows = |x: &Actuator| {
            let (scale, slides) = span::actuator(x, named);
            places(x) && Span::new(&scale, slides).length != 1.0
        };
        if (key.ctrl.is_some() || key.act.is_some()) && spec.actuators.iter().any(follows) {
            let several = [GainType::Pid, GainType::So3, GainType::DcMotor];
            if spec
                .actuators
                .iter()
                .any(|x| several.contains(&x.gaintype) || x.actdim > 1)
            {
                return refuse("controls beside those of an actuator with several");
            }
            inputs(key, &spec.actuators, named);
        }
    }
    spec.keys = keys;
    Ok(())
}

// maps of the positions of free bodies and mocap bodies in the world
fn moves(
    before: &Spec,
    after: &Spec,
    joints: &[(Scale, JointType)],
    mocaps: &[Scale],
) -> Result<(Vec<Move>, Vec<Move>)> {
    let (before, after) = (Tree::new(before)?, Tree::new(after)?);
    let place = |tree: &Tree, b: usize| -> Result<Pose> {
        let node = &tree.bodies[b];
        let own = tree.pose(node.said.pos(), &node.said.orientation, node.said.origin)?;
        Ok(node.frame.map_or(own, |frame| frame.then(own)))
    };
    let way = |b: usize, scale: &Scale| -> Result<Move> {
        let (from, to) = (place(&before, b)?, place(&after, b)?);
        let factor = match scale.stretch {
            Some(stretch) => stretch.seen_from(unit(to.quat)),
            None => Stretch::uniform(scale.length),
        };
        Ok(Move {
            from: from.pos,
            to: to.pos,
            factor,
        })
    };
    let free = after.joints.iter().zip(joints);
    let free = free.filter(|(_, (_, kind))| *kind == JointType::Free);
    let free = free
        .map(|(joint, (scale, _))| way(joint.body, scale))
        .collect::<Result<_>>()?;
    let mocap = (0..after.bodies.len()).filter(|&b| after.bodies[b].said.mocap());
    let mocap = mocap
        .zip(mocaps)
        .map(|(b, scale)| way(b, scale))
        .collect::<Result<_>>()?;
    Ok((free, mocap))
}

// positions and velocities
fn states(key: &mut Key, joints: &[(Scale, JointType)], free: &[Move]) {
    let mut free = free.iter();
    let mut qpos = key.qpos.as_deref_mut().unwrap_or_default();
    let mut qvel = key.qvel.as_deref_mut().unwrap_or_default();
    for (scale, kind) in joints {
        let (nq, nv) = match kind {
            JointType::Free => (7, 6),
            JointType::Ball => (4, 3),
            JointType::Slide | JointType::Hinge => (1, 1),
        };
        let (q, rest_q) = qpos.split_at_mut(nq.min(qpos.len()));
        let (v, rest_v) = qvel.split_at_mut(nv.min(qvel.len()));
        match kind {
            JointType::Free => {
                if let Some(way) = free.next() {
                    way.carry(q);
                    way.turn(v);
                }
            }
            JointType::Slide => q.iter_mut().chain(v).for_each(|x| *x *= scale.length),
            JointType::Ball | JointType::Hinge => {}
        }
        (qpos, qvel) = (rest_q, rest_v);
    }
}

// controls that are displacements, and activations that are
fn inputs(key: &mut Key, actuators: &[Actuator], named: &Named) {
    let mut act = key.act.iter_mut().flatten();
    let mut ctrl = key.ctrl.iter_mut().flatten();
    for x in actuators {
        let (scale, slides) = span::actuator(x, named);
        let factor = match places(x) {
            true => Span::new(&scale, slides).length,
            false => 1.0,
        };
        if let Some(u) = ctrl.next() {
            *u *= factor;
        }
        if x.dyntype != DynType::None
            && let Some(a) = act.next()
        {
            *a *= factor;
        }
    }
}
