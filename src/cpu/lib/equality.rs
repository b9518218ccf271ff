//! Equality constraints of two bodies: their points, orientations, and the motion of these.

use super::math::*;
use super::spatial::cross_motion;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// The two bodies of a connect or weld.
pub fn bodies(m: &Model, i: usize) -> [usize; 2] {
    let ids = [m.eq_obj1id[i] as usize, m.eq_obj2id[i] as usize];
    match m.eq_objtype[i] == ObjType::Site {
        true => ids.map(|site| m.site_bodyid[site] as usize),
        false => ids,
    }
}

/// The two points that a connect or weld holds together (m).
pub fn anchors<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [[R; 3]; 2] {
    let ids = [m.eq_obj1id[i] as usize, m.eq_obj2id[i] as usize];
    if m.eq_objtype[i] == ObjType::Site {
        return ids.map(|site| d.site_xpos[site]);
    }

    // eq_data has the anchor of the first body first in a connect, last in a weld
    let weld = m.eq_type[i] == EqType::Weld;
    [0, 1].map(|n| {
        let adr = 12 * i + if weld { 3 * (1 - n) } else { 3 * n };
        let local = [0, 1, 2].map(|k| d.own.eq_data(m, adr + k));
        add3(mul_mat_vec3(d.xmat[ids[n]], local), d.xpos[ids[n]])
    })
}

/// The two orientations that a weld holds together, the relative pose included.
pub fn orientations<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [[R; 4]; 2] {
    let ids = [m.eq_obj1id[i] as usize, m.eq_obj2id[i] as usize];
    let [body1, body2] = bodies(m, i);
    if m.eq_objtype[i] == ObjType::Site {
        let of = |body: usize, site: usize| mul_quat(d.xquat[body], d.own.site_quat(m, site));
        return [of(body1, ids[0]), of(body2, ids[1])];
    }
    let relpose = [6, 7, 8, 9].map(|k| d.own.eq_data(m, 12 * i + k));
    [mul_quat(d.xquat[body1], relpose), d.xquat[body2]]
}

/// Torque of a weld on its first body, from the forces of the rows that hold the orientation: half its scale times
/// `quat2 force inverse(quat1)`.
pub fn weld_torque<R: Real>(m: &Model, d: &Data<R>, i: usize, force: [R; 3]) -> [R; 3] {
    let [quat1, quat2] = orientations(m, d, i);
    let force = [R::zero(), force[0], force[1], force[2]];
    let [_, x, y, z] = mul_quat(mul_quat(quat2, force), neg_quat(quat1));
    scl3([x, y, z], R::splat(0.5) * d.own.eq_data(m, 12 * i + 10))
}

/// Jdot v of a point of a body: rotation and translation (`mj_jacDot` times qvel).
pub fn jac_dot_vel<R: Real>(
    m: &Model,
    d: &Data<R>,
    point: [R; 3],
    body: usize,
) -> ([R; 3], [R; 3]) {
    // rate of the motion axes, and the angular velocity due to the dofs
    let mut rate = [R::zero(); 6];
    let mut spin = [R::zero(); 3];
    let mut dof = m.body_lastdof[body];
    while dof >= 0 {
        let i = dof as usize;
        let joint = m.dof_jntid[i] as usize;
        let turns = m.jnt_type[joint] == JointType::Ball
            || (m.jnt_type[joint] == JointType::Free && dof >= m.jnt_dofadr[joint] + 3);
        let dot = match turns {
            true => cross_motion(d.cvel[m.dof_bodyid[i] as usize], d.cdof[i]),
            false => d.cdof_dot[i],
        };
        for k in 0..6 {
            rate[k] += dot[k] * d.qvel[i];
        }
        let cdof = d.cdof[i];
        spin = add_scl3(spin, [cdof[0], cdof[1], cdof[2]], d.qvel[i]);
        dof = m.dof_parentid[i];
    }

    // at the point itself
    let offset = sub3(point, d.subtree_com[m.body_rootid[body] as usize]);
    let cvel = d.cvel[body];
    let vel = add3(
        [cvel[3], cvel[4], cvel[5]],
        cross([cvel[0], cvel[1], cvel[2]], offset),
    );
    let rot = [rate[0], rate[1], rate[2]];
    let lin = [rate[3], rate[4], rate[5]];
    (rot, add3(add3(lin, cross(rot, offset)), cross(spin, vel)))
}
