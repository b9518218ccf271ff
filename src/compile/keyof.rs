//! Keyframes of attached models, spread over the whole model.

use super::actuator::{activations_said, controls_said};
use super::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Key, KeyOf};
use crate::types::JointType;

/// A piece of a vector: how many numbers, and where they go in the whole model, if that part was attached.
type Piece = (usize, Option<usize>);

/// The keyframe of the whole model: the attached model gives its part, `rest` the others.
pub(super) fn whole(m: &Arrays, tree: &Tree, key: &Key, of: &KeyOf, rest: &Key) -> Result<Key> {
    let joint = |type_: JointType| match type_ {
        JointType::Free => (7, 6),
        JointType::Ball => (4, 3),
        _ => (1, 1),
    };
    let adr = |list: &[i32], id: Option<usize>| id.and_then(|i| usize::try_from(list[i]).ok());
    let qpos = of
        .joints
        .iter()
        .map(|j| (joint(j.type_).0, adr(&m.jnt_qposadr, j.id)));
    let qvel = of
        .joints
        .iter()
        .map(|j| (joint(j.type_).1, adr(&m.jnt_dofadr, j.id)));
    let act = of.actuators.iter();
    let act = act.map(|x| (activations_said(&x.said), adr(&m.actuator_actadr, x.id)));
    let ctrl = of.actuators.iter();
    let ctrl = ctrl.map(|x| (controls_said(&x.said), adr(&m.actuator_ctrladr, x.id)));
    let mocap = |n: usize| move |id: &Option<usize>| (n, adr(&m.body_mocapid, *id).map(|i| n * i));
    let spread =
        |attr: &str, said: &Option<Vec<f64>>, rest: &Option<Vec<f64>>, pieces: Vec<Piece>| {
            let mut out = rest.clone().unwrap_or_default();
            let Some(said) = said else {
                return Ok(Some(out));
            };
            let need: usize = pieces.iter().map(|p| p.0).sum();
            let msg = format!(
                "{attr} needs {need} numbers for the attached model, found {}",
                said.len()
            );
            tree.ensure(said.len() == need, key.origin, Some(attr), &msg)?;
            let mut from = 0;
            for (n, to) in pieces {
                if let Some(to) = to {
                    out[to..to + n].copy_from_slice(&said[from..from + n]);
                }
                from += n;
            }
            Ok(Some(out))
        };
    Ok(Key {
        qpos: spread("qpos", &key.qpos, &rest.qpos, qpos.collect())?,
        qvel: spread("qvel", &key.qvel, &rest.qvel, qvel.collect())?,
        act: spread("act", &key.act, &rest.act, act.collect())?,
        ctrl: spread("ctrl", &key.ctrl, &rest.ctrl, ctrl.collect())?,
        mpos: spread(
            "mpos",
            &key.mpos,
            &rest.mpos,
            of.mocaps.iter().map(mocap(3)).collect(),
        )?,
        mquat: spread(
            "mquat",
            &key.mquat,
            &rest.mquat,
            of.mocaps.iter().map(mocap(4)).collect(),
        )?,
        of: None,
        ..key.clone()
    })
}
