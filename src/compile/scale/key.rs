//! Keyframes of scaled models: positions of bodies and slides, rest positions of springs that yield, and controls and activations
//! that are displacements.

use std::collections::BTreeMap;

use super::actuator::places as displaces;
use super::span::{self, Line, Span};
use super::stretch::Stretch;
use super::{Moves, Named, Scale};
use crate::compile::actuator::{activations_said, controls_said, inputs_of};
use crate::compile::pose::{Pose, unit};
use crate::compile::tree::Tree;
use crate::error::Result;
use crate::mjcf::schema::{Key, KeyOf};
use crate::mjcf::spec::{Actuator, Spec};
use crate::types::{CtrlInput, DynType, GainType, JointType};

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

/// What scales the keyframes of a model. Joints are in the order of ids; so are tendons that yield, mocap bodies and flexes.
pub(super) struct Scales<'a> {
    pub named: &'a Named,
    pub joints: &'a [Moves],
    pub yielding: &'a [Line],
    pub mocaps: &'a [Scale],
    pub flexes: &'a [Scale],
}

/// Scales the keyframes of a model; `before` is the spec before scaling.
pub(super) fn keys(before: &Spec, spec: &mut Spec, scales: &Scales) -> Result<()> {
    let moves_some = |s: &Scale| s.length != 1.0 || s.stretch.is_some();
    let joints = scales.joints.iter().map(|joint| &joint.scale);
    let scaled = joints.chain(scales.mocaps).any(moves_some);
    let moved = match scaled && !spec.keys.is_empty() {
        true => Some(Moved::new(before, spec, scales)?),
        false => None,
    };
    let mut keys = std::mem::take(&mut spec.keys);
    for key in &mut keys {
        let of = key.of.take();
        plastic(key, scales);
        if let Some(moved) = &moved {
            states(key, of.as_deref(), scales.joints, &moved.free);
            places(key, of.as_deref(), &moved.mocap);
        }
        inputs(key, of.as_deref(), &spec.actuators, scales.named);
        key.of = of;
    }
    spec.keys = keys;
    Ok(())
}

/// Maps of the positions of bodies in the world.
struct Moved {
    /// Of free joints, by id.
    free: BTreeMap<usize, Move>,
    /// Of mocap bodies, by the body's id.
    mocap: BTreeMap<usize, Move>,
}

impl Moved {
    fn new(before: &Spec, after: &Spec, scales: &Scales) -> Result<Moved> {
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
        let joints = after.joints.iter().zip(scales.joints).enumerate();
        let free = joints.filter(|(_, (_, moves))| moves.kind == JointType::Free);
        let free = free
            .map(|(id, (joint, moves))| Ok((id, way(joint.body, &moves.scale)?)))
            .collect::<Result<_>>()?;
        let mocap = (0..after.bodies.len()).filter(|&b| after.bodies[b].said.mocap());
        let mocap = mocap
            .zip(scales.mocaps)
            .map(|(b, scale)| Ok((b, way(b, scale)?)))
            .collect::<Result<_>>()?;
        Ok(Moved { free, mocap })
    }
}

// positions and velocities
fn states(key: &mut Key, of: Option<&KeyOf>, joints: &[Moves], free: &BTreeMap<usize, Move>) {
    let all = joints.iter().enumerate();
    let about: Vec<(Option<usize>, JointType)> = match of {
        None => all.map(|(id, joint)| (Some(id), joint.kind)).collect(),
        Some(of) => of
            .joints
            .iter()
            .map(|joint| (joint.id, joint.type_))
            .collect(),
    };
    let mut qpos = key.qpos.as_deref_mut().unwrap_or_default();
    let mut qvel = key.qvel.as_deref_mut().unwrap_or_default();
    for (id, kind) in about {
        let (nq, nv) = match kind {
            JointType::Free => (7, 6),
            JointType::Ball => (4, 3),
            JointType::Slide | JointType::Hinge => (1, 1),
        };
        let (q, rest_q) = qpos.split_at_mut(nq.min(qpos.len()));
        let (v, rest_v) = qvel.split_at_mut(nv.min(qvel.len()));
        match (kind, id) {
            (JointType::Free, Some(id)) => {
                if let Some(way) = free.get(&id) {
                    way.carry(q);
                    way.turn(v);
                }
            }
            (JointType::Slide, Some(id)) => {
                let factor = joints[id].scale.length;
                q.iter_mut().chain(v).for_each(|x| *x *= factor);
            }
            _ => {}
        }
        (qpos, qvel) = (rest_q, rest_v);
    }
}

// positions of mocap bodies
fn places(key: &mut Key, of: Option<&KeyOf>, mocap: &BTreeMap<usize, Move>) {
    let about: Vec<Option<usize>> = match of {
        None => mocap.keys().copied().map(Some).collect(),
        Some(of) => of.mocaps.clone(),
    };
    let said = key.mpos.iter_mut().flat_map(|x| x.chunks_mut(3));
    for (place, id) in said.zip(about) {
        if let Some(way) = id.and_then(|id| mocap.get(&id)) {
            way.carry(place);
        }
    }
}

// rest positions of springs that yield: of joints, then of tendons, whose dead bands have two ends
fn plastic(key: &mut Key, scales: &Scales) {
    let joints = scales.joints.iter().filter(|joint| joint.yields);
    let joints = joints.flat_map(|joint| match joint.kind {
        JointType::Ball => vec![1.0; 4],
        kind => vec![Span::new(&joint.scale, kind == JointType::Slide).length],
    });
    let ends = |(scale, slides): &Line| [Span::new(scale, *slides).length; 2];
    let factors = joints.chain(scales.yielding.iter().flat_map(ends));
    for (x, factor) in key.plastic.iter_mut().flatten().zip(factors) {
        *x *= factor;
    }
    // how many numbers a flex has is known when it is compiled
    let of_flex = |s: &Scale| [s.length * s.length, s.pressure()];
    key.flex_factors = scales.flexes.iter().map(of_flex).collect();
}

// controls that are displacements or forces, and activations that are displacements
fn inputs(key: &mut Key, of: Option<&KeyOf>, actuators: &[Actuator], named: &Named) {
    if key.ctrl.is_none() && key.act.is_none() {
        return;
    }
    // what was not attached has numbers in the keyframe, which nothing takes
    let about: Vec<&Actuator> = match of {
        None => actuators.iter().collect(),
        Some(of) => {
            let own = of.actuators.iter();
            own.map(|x| x.id.map_or(&x.said, |id| &actuators[id]))
                .collect()
        }
    };
    let mut act = key.act.iter_mut().flatten();
    let mut ctrl = key.ctrl.iter_mut().flatten();
    for x in about {
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
        let factor = match displaces(x) && follows.contains(&x.dyntype) {
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
    match x.gaintype {
        GainType::So3 => vec![1.0; controls_said(x)],
        GainType::Pid | GainType::DcMotor => {
            let factor = |input| match input {
                CtrlInput::Pos | CtrlInput::Vel => along.length,
                CtrlInput::Ff => along.force,
                _ => 1.0,
            };
            inputs_of(x).map(factor).collect()
        }
        _ if displaces(x) => vec![along.length],
        _ => vec![1.0],
    }
}
