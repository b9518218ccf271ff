//! Bodies, joints, dofs and geoms in the order of the tree, as the compiler lays them out.

use super::{bad, ensure, runs};
use crate::compile::simple;
use crate::error::{Error, Result};
use crate::fields::{Arrays, Row};
use crate::rowset::RowSet;
use crate::types::*;

pub(super) fn check(m: &Arrays) -> Result<()> {
    if m.nbody == 0 {
        let msg = "a model has at least one body, the world".to_owned();
        return Err(Error::Input(msg));
    }
    bodies(m)?;
    joints(m)?;
    dofs(m)?;
    let names = ["body_geomadr", "body_geomnum"];
    runs(names, &m.body_geomadr, &m.body_geomnum, m.ngeom)?;
    owners(
        "geom_bodyid",
        &m.geom_bodyid,
        &m.body_geomadr,
        &m.body_geomnum,
    )?;
    simple(m)
}

/// Arrays that [`simple`] reads.
pub(super) const OF_INERTIA: RowSet = RowSet::of(&[
    Row::body_ipos,
    Row::body_iquat,
    Row::jnt_pos,
    Row::jnt_axis,
    Row::tendon_armature,
    Row::actuator_armature,
]);

/// Checks that bodies which the compiler marked as simple still have a diagonal inertia.
pub(super) fn simple(m: &Arrays) -> Result<()> {
    simple::violated(m).map_or(Ok(()), |(i, why)| {
        let why = format_args!(
            "is {}: the body was compiled as one whose inertia is diagonal, but {why}; give it simple=\"false\" in the text of the model",
            m.body_simple[i]
        );
        Err(bad("body_simple", i, why))
    })
}

fn bodies(m: &Arrays) -> Result<()> {
    // without a keyframe no array has the length nmocap
    if m.nmocap > m.nbody {
        let msg = format!("nmocap is {}, and there are {} bodies", m.nmocap, m.nbody);
        return Err(crate::error::Error::Input(msg));
    }
    let mut mocap = vec![false; m.nmocap];
    for i in 0..m.nbody {
        let p = m.body_parentid[i] as usize;
        let before = p < i || (i == 0 && p == 0);
        ensure(
            before,
            "body_parentid",
            i,
            format_args!("is {p}: parents come first"),
        )?;
        let root = if p == 0 { i as i32 } else { m.body_rootid[p] };
        let why = format_args!("is {}, and the tree says {root}", m.body_rootid[i]);
        ensure(m.body_rootid[i] == root, "body_rootid", i, why)?;
        let own = i == 0 || m.body_jntnum[i] > 0 || m.body_mocapid[i] >= 0;
        let weld = if own { i as i32 } else { m.body_weldid[p] };
        let why = format_args!("is {}, and the tree says {weld}", m.body_weldid[i]);
        ensure(m.body_weldid[i] == weld, "body_weldid", i, why)?;
        if let Ok(k) = usize::try_from(m.body_mocapid[i]) {
            let alone = !mocap[k] && p == 0 && m.body_jntnum[i] == 0;
            let why =
                "is that of another body, or the body is no child of the world without joints";
            ensure(alone, "body_mocapid", i, why)?;
            mocap[k] = true;
        }
    }
    let none = mocap.iter().position(|there| !there);
    none.map_or(Ok(()), |k| {
        Err(Error::Input(format!("no body has the mocap id {k}")))
    })
}

fn joints(m: &Arrays) -> Result<()> {
    let names = ["body_jntadr", "body_jntnum"];
    runs(names, &m.body_jntadr, &m.body_jntnum, m.njnt)?;
    owners("jnt_bodyid", &m.jnt_bodyid, &m.body_jntadr, &m.body_jntnum)?;
    let (mut nq, mut nv) = (0, 0);
    for j in 0..m.njnt {
        let at = (m.jnt_qposadr[j] as usize, m.jnt_dofadr[j] as usize);
        ensure(
            at.0 == nq,
            "jnt_qposadr",
            j,
            format_args!("is {}, where {nq} follows", at.0),
        )?;
        ensure(
            at.1 == nv,
            "jnt_dofadr",
            j,
            format_args!("is {}, where {nv} follows", at.1),
        )?;
        let (q, v) = match JointType::from_i32(m.jnt_type[j]) {
            Some(JointType::Free) => (7, 6),
            Some(JointType::Ball) => (4, 3),
            _ => (1, 1),
        };
        (nq, nv) = (nq + q, nv + v);
    }
    match (nq, nv) == (m.nq, m.nv) {
        true => Ok(()),
        false => Err(Error::Input(format!(
            "nq = {} and nv = {}, but the joints have {nq} coordinates and {nv} dofs",
            m.nq, m.nv
        ))),
    }
}

fn dofs(m: &Arrays) -> Result<()> {
    let names = ["body_dofadr", "body_dofnum"];
    runs(names, &m.body_dofadr, &m.body_dofnum, m.nv)?;
    owners("dof_bodyid", &m.dof_bodyid, &m.body_dofadr, &m.body_dofnum)?;
    // the last dof of a body or of its nearest ancestor that has one
    let mut last = vec![-1; m.nbody];
    let mut trees = 0;
    for i in 0..m.nbody {
        last[i] = last[m.body_parentid[i] as usize];
        let adr = m.body_dofadr[i];
        for d in adr..adr + m.body_dofnum[i] {
            let k = d as usize;
            let parent = m.dof_parentid[k];
            ensure(
                parent == last[i],
                "dof_parentid",
                k,
                format_args!("is {parent}, and the tree says {}", last[i]),
            )?;
            trees += i32::from(parent == -1);
            let tree = trees - 1;
            // a dof that begins no tree is in the tree of its parent
            let tree = usize::try_from(parent).map_or(tree, |p| m.dof_treeid[p]);
            ensure(
                m.dof_treeid[k] == tree,
                "dof_treeid",
                k,
                format_args!("is {}, and the tree says {tree}", m.dof_treeid[k]),
            )?;
            last[i] = d;
        }
    }
    for j in 0..m.njnt {
        let adr = m.jnt_dofadr[j] as usize;
        let end = m.jnt_dofadr.get(j + 1).map_or(m.nv, |&adr| adr as usize);
        for k in adr..end {
            let ok = m.dof_jntid[k] == j as i32 && m.dof_bodyid[k] == m.jnt_bodyid[j];
            ensure(
                ok,
                "dof_jntid",
                k,
                format_args!("is {}, and the joints say {j}", m.dof_jntid[k]),
            )?;
        }
    }
    let why = format!("ntree is {}, and the dofs say {trees}", m.ntree);
    match m.ntree as i64 == i64::from(trees) {
        true => Ok(()),
        false => Err(Error::Input(why)),
    }
}

// elements in the run of a body have it as their owner
fn owners(name: &str, owner: &[i32], adr: &[i32], num: &[i32]) -> Result<()> {
    for (body, (&adr, &num)) in adr.iter().zip(num).enumerate() {
        for k in adr.max(0)..adr.max(0) + num {
            let said = owner[k as usize];
            ensure(
                said == body as i32,
                name,
                k as usize,
                format_args!("is {said}, and lies among those of body {body}"),
            )?;
        }
    }
    Ok(())
}
