//! Numbers, texts and keyframes.

use super::emit::put;
use super::keyof;
use super::names::Names;
use super::pose::unit;
use super::tree::{Ids, Tree};
use crate::cpu::lib::math::normalize4;
use crate::error::{Error, Result};
use crate::fields::{Arrays, Model};
use crate::mjcf::Spec;
use crate::mjcf::schema::Key;
use crate::types::JointType;

/// Most numbers (128 MiB) that a short text may allocate without giving any of them.
const MOST_NUMBERS: usize = 1 << 24;

/// Fills `numeric_*`; texts are kept with the names.
pub(super) fn numerics(m: &mut Arrays, tree: &Tree) -> Result<()> {
    for numeric in &tree.spec.numerics {
        let data = numeric.data.as_deref().unwrap_or_default();
        let size = match numeric.size {
            Some(size) if size != 0 => usize::try_from(size).unwrap_or(0),
            _ => data.len(),
        };
        let origin = numeric.origin;
        let msg = "size or data must give at least one number";
        tree.ensure(size > 0, origin, Some("size"), msg)?;
        let msg = format!(
            "size is {size}, and all numeric fields together may have {MOST_NUMBERS} numbers"
        );
        let fits = m.numeric_data.len().saturating_add(size) <= MOST_NUMBERS;
        tree.ensure(fits, origin, Some("size"), &msg)?;
        let msg = format!("size is {size}, but data has {} numbers", data.len());
        tree.ensure(data.len() <= size, origin, Some("size"), &msg)?;
        m.numeric_adr.push(m.numeric_data.len() as i32);
        m.numeric_size.push(size as i32);
        m.numeric_data.extend(data);
        m.numeric_data
            .resize(m.numeric_data.len() + size - data.len(), 0.0);
    }
    m.nnumeric = m.numeric_adr.len();
    m.nnumericdata = m.numeric_data.len();
    for text in &tree.spec.texts {
        let said = text.data.as_deref().unwrap_or_default();
        let msg = "data must not be empty";
        tree.ensure(!said.is_empty(), text.origin, None, msg)?;
    }
    Ok(())
}

/// Checks that tuples name existing elements.
pub(super) fn tuples(tree: &Tree, names: &Names) -> Result<()> {
    for tuple in &tree.spec.tuples {
        let msg = "a tuple needs at least one element";
        tree.ensure(!tuple.elements.is_empty(), tuple.origin, None, msg)?;
        for element in &tuple.elements {
            let ids = element.objtype.and_then(|kind| names.of(kind));
            if let (Some(ids), Some(name)) = (ids, element.objname.as_deref()) {
                ids.find(tree, element.origin, "objname", name)?;
            }
        }
    }
    Ok(())
}

/// Number of keyframes: the given ones, and empty ones up to `nkey` of `<size>`, which may not take more than [`MOST_NUMBERS`].
pub(super) fn key_count(m: &Arrays, tree: &Tree) -> Result<usize> {
    let said = tree.spec.keys.len();
    let nkey = usize::try_from(tree.spec.size.nkey()).unwrap_or(0);
    if nkey <= said {
        return Ok(said);
    }
    let numbers = 1 + m.nq + m.nv + m.na + m.nu + 7 * m.nmocap;
    let msg = format!(
        "nkey {nkey} asks for {} empty keyframes of {numbers} numbers, more than {MOST_NUMBERS} numbers in all; make it smaller",
        nkey - said
    );
    let fits = (nkey - said).saturating_mul(numbers) <= MOST_NUMBERS;
    tree.ensure(fits, tree.spec.size.origin, Some("nkey"), &msg)?;
    Ok(nkey)
}

/// Fills `key_*`: values that a keyframe leaves out are those of the initial configuration (`mjCKey::Compile`).
pub(super) fn keys(m: &mut Arrays, tree: &Tree) -> Result<()> {
    let mocap: Vec<usize> = (0..m.nbody).filter(|&i| m.body_mocapid[i] >= 0).collect();
    let mpos: Vec<f64> = mocap.iter().flat_map(|&i| m.body_pos[i]).collect();
    let mquat: Vec<f64> = mocap.iter().flat_map(|&i| m.body_quat[i]).collect();
    let (qpos0, zero_v) = (m.qpos0.clone(), vec![0.0; m.nv]);
    let (zero_a, zero_u) = (vec![0.0; m.na], vec![0.0; m.nu]);
    let initial = Key {
        qpos: Some(qpos0.clone()),
        qvel: Some(zero_v.clone()),
        act: Some(zero_a.clone()),
        ctrl: Some(zero_u.clone()),
        mpos: Some(mpos.clone()),
        mquat: Some(mquat.clone()),
        ..Key::default()
    };
    for k in 0..m.nkey {
        let said = tree.spec.keys.get(k);
        // the keyframe of an attached model gives its own part alone
        let spread = match said.and_then(|key| Some((key, key.of.as_deref()?))) {
            Some((key, of)) => Some(keyof::whole(m, tree, key, of, &initial)?),
            None => None,
        };
        let said = spread.as_ref().or(said);
        let pick = |attr: &str, get: &dyn Fn() -> Option<Vec<f64>>, rest: &[f64]| {
            let Some(mut values) = get() else {
                return Ok(rest.to_vec());
            };
            let origin = said.map(|key| key.origin).unwrap_or_default();
            let msg = format!(
                "{attr} needs {} numbers for this model, found {}",
                rest.len(),
                values.len()
            );
            // a short vector is completed, as for models that were attached
            let ok = values.len() <= rest.len();
            tree.ensure(ok, origin, Some(attr), &msg)?;
            values.extend(&rest[values.len()..]);
            Ok(values)
        };
        m.key_time[k] = said.map_or(0.0, |key| key.time());
        let qpos = pick("qpos", &|| said?.qpos.clone(), &qpos0)?;
        put(&mut m.key_qpos, k, &qpos);
        put(
            &mut m.key_qvel,
            k,
            &pick("qvel", &|| said?.qvel.clone(), &zero_v)?,
        );
        put(
            &mut m.key_act,
            k,
            &pick("act", &|| said?.act.clone(), &zero_a)?,
        );
        put(
            &mut m.key_ctrl,
            k,
            &pick("ctrl", &|| said?.ctrl.clone(), &zero_u)?,
        );
        let pos = pick("mpos", &|| said?.mpos.clone(), &mpos)?;
        let quat = pick("mquat", &|| said?.mquat.clone(), &mquat)?;
        for (c, pos) in pos.chunks_exact(3).enumerate() {
            m.key_mpos[k * m.nmocap + c] = [pos[0], pos[1], pos[2]];
        }
        for (c, q) in quat.chunks_exact(4).enumerate() {
            m.key_mquat[k * m.nmocap + c] = unit([q[0], q[1], q[2], q[3]]);
        }
        normalize_qpos(m, k);
    }
    Ok(())
}

impl Spec {
    /// Takes over the keyframes of attached models from this spec's compiled model, as keyframes of the whole model:
    /// [`Spec::to_mjcf`] can save them then.
    ///
    /// # Errors
    /// [`Error::Input`] if the model has fewer keyframes, or a frame scales lengths.
    pub fn keep_keyframes(&mut self, m: &Model) -> Result<()> {
        if self.keys.len() > m.nkey {
            let msg = format!(
                "the model has {} keyframes and the spec {}: give the model compiled from this spec",
                m.nkey,
                self.keys.len()
            );
            return Err(Error::Input(msg));
        }
        if super::scale::scales(self) {
            let msg = "a frame scales lengths, and would scale those of the keyframes again";
            return Err(Error::Input(msg.to_owned()));
        }
        let attached = |(_, key): &(usize, &mut Key)| key.of.is_some();
        for (k, key) in self.keys.iter_mut().enumerate().filter(attached) {
            let row = |all: &[f64], n: usize| Some(all[k * n..(k + 1) * n].to_vec());
            let mocaps = k * m.nmocap..(k + 1) * m.nmocap;
            *key = Key {
                qpos: row(&m.key_qpos, m.nq),
                qvel: row(&m.key_qvel, m.nv),
                act: row(&m.key_act, m.na),
                ctrl: row(&m.key_ctrl, m.nu),
                mpos: Some(m.key_mpos[mocaps.clone()].concat()),
                mquat: Some(m.key_mquat[mocaps].concat()),
                of: None,
                ..key.clone()
            };
        }
        Ok(())
    }
}

/// Fills `key_plastic`: a keyframe without it has the plastic state of a reset; a short vector is completed.
pub(super) fn plastic_keys(m: &mut Arrays, tree: &Tree) -> Result<()> {
    for k in 0..m.nkey {
        // the keyframe of an attached model gives its own part alone
        let said = tree.spec.keys.get(k).filter(|key| key.of.is_none());
        let values = said.and_then(|key| key.plastic.clone()).unwrap_or_default();
        let origin = said.map(|key| key.origin).unwrap_or_default();
        let (need, have) = (m.nplastic, values.len());
        let msg = format!("plastic needs {need} numbers for this model, found {have}");
        tree.ensure(have <= need, origin, Some("plastic"), &msg)?;
        let row = k * need..(k + 1) * need;
        let rest = &m.plastic0[have..];
        let row = m.key_plastic[row].iter_mut();
        row.zip(values.iter().chain(rest))
            .for_each(|(to, x)| *to = *x);
        if let Some(said) = said {
            let mut row = m.key_plastic[k * need..(k + 1) * need].to_vec();
            super::flex::plastic::scale(m, &said.flex_factors, &mut row);
            put(&mut m.key_plastic, k, &row);
        }
        normalize_plastic(m, k);
    }
    Ok(())
}

// rest orientations of ball joints, as in MuJoCo
fn normalize_plastic(m: &mut Arrays, k: usize) {
    let balls = (0..m.njnt).filter(|&j| m.jnt_type[j] == JointType::Ball);
    for j in balls.filter(|&j| m.jnt_plasticadr[j] >= 0) {
        let adr = k * m.nplastic + m.jnt_plasticadr[j] as usize;
        let q = &mut m.key_plastic[adr..adr + 4];
        q.copy_from_slice(&normalize4([q[0], q[1], q[2], q[3]]));
    }
}

// a quaternion of zero length becomes the identity, as in MuJoCo; mocap orientations stay as given
fn normalize_qpos(m: &mut Arrays, k: usize) {
    for j in 0..m.njnt {
        let at = match JointType::from_i32(m.jnt_type[j]) {
            Some(JointType::Free) => 3,
            Some(JointType::Ball) => 0,
            _ => continue,
        };
        let adr = k * m.nq + m.jnt_qposadr[j] as usize + at;
        let q = &mut m.key_qpos[adr..adr + 4];
        q.copy_from_slice(&normalize4([q[0], q[1], q[2], q[3]]));
    }
}

/// Names of keyframes, empty where there is none.
pub(super) fn key_names(tree: &Tree, n: usize) -> Result<Vec<String>> {
    let named = tree.spec.keys.iter();
    let named = named.map(|k| (k.name.as_deref().unwrap_or_default(), k.origin));
    let mut names = Ids::new(tree.spec, "keyframe", named)?.list();
    names.resize(n, String::new());
    Ok(names)
}
