//! Keyframes of scaled models: positions of bodies and slides, rest positions of springs that yield, and controls and activations
//! that are displacements.

use super::actuator::places;
use super::span::{self, Line, Span};
use super::stretch::Stretch;
use super::{Moves, Named, Scale};
use crate::compile::actuator::{INPUTS, activations_said, inputs_said};
use crate::compile::pose::{Pose, unit};
use crate::compile::tree::Tree;
use crate::error::Result;
use crate::mjcf::schema::Key;
use crate::mjcf::spec::{Actuator, Spec};
use crate::types::{CtrlChart, CtrlInput, DynType, GainType, JointType};

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

/// Scales the keyframes of a model; `before` is the spec before scaling. Joints are in the order of ids, and so are tendons that yield
/// and mocap bodies.
pub(super) fn keys(
    before: &Spec,
    spec: &mut Spec,
    named: &Named,
    (joints, yielding): (&[Moves], &[Line]),
    mocaps: &[Scale],
) -> Result<()> {
    let sources = spec.sources.clone();
    let moves_some = |s: &Scale| s.length != 1.0 || s.stretch.is_some();
    let scaled = joints.iter().any(|j| moves_some(&j.scale)) || mocaps.iter().any(moves_some);
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
        if key.plastic.is_some() && spec.flexes.iter().any(|f| f.elasticity.yield_.is_some()) {
            return refuse("plastic deformations of flexes");
        }
        // the number of a plugin's activations is not known here
        if key.act.is_some() && spec.actuators.iter().any(|x| x.plugin.is_some()) {
            return refuse("activations beside those of a plugin");
        }
        plastic(key, joints, yielding);
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
        if key.ctrl.is_some() || key.act.is_some() {
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
    joints: &[Moves],
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
    let free = free.filter(|(_, moves)| moves.kind == JointType::Free);
    let free = free
        .map(|(joint, moves)| way(joint.body, &moves.scale))
        .collect::<Result<_>>()?;
    let mocap = (0..after.bodies.len()).filter(|&b| after.bodies[b].said.mocap());
    let mocap = mocap
        .zip(mocaps)
        .map(|(b, scale)| way(b, scale))
        .collect::<Result<_>>()?;
    Ok((free, mocap))
}

// positions and velocities
fn states(key: &mut Key, joints: &[Moves], free: &[Move]) {
    let mut free = free.iter();
    let mut qpos = key.qpos.as_deref_mut().unwrap_or_default();
    let mut qvel = key.qvel.as_deref_mut().unwrap_or_default();
    for Moves { scale, kind, .. } in joints {
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

// rest positions of springs that yield: of joints, then of tendons, whose dead bands have two ends
fn plastic(key: &mut Key, joints: &[Moves], yielding: &[Line]) {
    let joints = joints.iter().filter(|joint| joint.yields);
    let joints = joints.flat_map(|joint| match joint.kind {
        JointType::Ball => vec![1.0; 4],
        kind => vec![Span::new(&joint.scale, kind == JointType::Slide).length],
    });
    let ends = |(scale, slides): &Line| [Span::new(scale, *slides).length; 2];
    let factors = joints.chain(yielding.iter().flat_map(ends));
    for (x, factor) in key.plastic.iter_mut().flatten().zip(factors) {
        *x *= factor;
    }
}

// controls that are displacements or forces, and activations that are displacements
fn inputs(key: &mut Key, actuators: &[Actuator], named: &Named) {
    let mut act = key.act.iter_mut().flatten();
    let mut ctrl = key.ctrl.iter_mut().flatten();
    for x in actuators {
        let (scale, slides) = span::actuator(x, named);
        let along = Span::new(&scale, slides);
        for factor in of_controls(x, &along) {
            if let Some(u) = ctrl.next() {
                *u *= factor;
            }
        }
        let follows = [
            DynType::Integrator,
            DynType::Filter,
            DynType::FilterExact,
            DynType::Pid,
        ];
        let factor = match places(x) && follows.contains(&x.dyntype) {
            true => along.length,
            false => 1.0,
        };
        for a in act.by_ref().take(activations_said(x)) {
            *a *= factor;
        }
    }
}

// a factor for every control of an actuator
fn of_controls(x: &Actuator, along: &Span) -> Vec<f64> {
    let said = inputs_said(x);
    match x.gaintype {
        GainType::So3 if said == CtrlChart::Quat as i32 => vec![1.0; 4],
        GainType::So3 => vec![1.0; 3],
        GainType::Pid | GainType::DcMotor => {
            let inputs = INPUTS.into_iter();
            let inputs = inputs.filter(|&input| said & input as i32 != 0);
            let factor = |input| match input {
                CtrlInput::Pos | CtrlInput::Vel => along.length,
                CtrlInput::Ff => along.force,
                _ => 1.0,
            };
            inputs.map(factor).collect()
        }
        _ if places(x) => vec![along.length],
        _ => vec![1.0],
    }
}
