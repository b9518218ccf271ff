//! Poses of bodies, geoms, sites, joint axes (`mj_kinematics`).

use crate::cpu::lib::math::*;
use crate::cpu::lib::pose::local2global;
use crate::cpu::lib::sleep::{sleeps, wake};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::JointType;

/// Poses of bodies, geoms, sites, joint axes (`mj_kinematics`).
pub fn kinematics<R: Real>(m: &Model, d: &mut Data<R>) {
    if sleeps(m) {
        wake(m, d);
    }
    let (zero, one) = (R::zero(), R::one());
    let unit = [one, zero, zero, zero, one, zero, zero, zero, one];

    // the world does not move
    d.xpos[0] = [zero; 3];
    d.xquat[0] = [one, zero, zero, zero];
    d.xmat[0] = unit;
    d.xipos[0] = [zero; 3];
    d.ximat[0] = unit;

    // bodies, parents first
    for i in 1..m.nbody {
        if d.still.body(i) {
            continue;
        }
        let free =
            m.body_jntnum[i] == 1 && m.jnt_type[m.body_jntadr[i] as usize] == JointType::Free;
        let (pos, quat) = if free {
            free_body(m, d, i)
        } else {
            jointed_body(m, d, i)
        };
        let quat = normalize4(quat);
        d.xpos[i] = pos;
        d.xquat[i] = quat;
        d.xmat[i] = quat2mat(quat);
    }

    // inertial frames
    for i in 1..m.nbody {
        if d.still.body(i) {
            continue;
        }
        let (pos, quat) = (d.own.body_ipos(m, i), d.own.body_iquat(m, i));
        let (pos, mat) = local2global(d, i, m.body_sameframe[i], pos, quat);
        d.xipos[i] = pos;
        d.ximat[i] = mat;
    }

    // geoms
    for i in 0..m.ngeom {
        let body = m.geom_bodyid[i] as usize;
        if d.still.body(body) {
            continue;
        }
        let (pos, quat) = (d.own.geom_pos(m, i), d.own.geom_quat(m, i));
        let (pos, mat) = local2global(d, body, m.geom_sameframe[i], pos, quat);
        d.geom_xpos[i] = pos;
        d.geom_xmat[i] = mat;
    }

    // sites
    for i in 0..m.nsite {
        let body = m.site_bodyid[i] as usize;
        if d.still.body(body) {
            continue;
        }
        let (pos, quat) = (d.own.site_pos(m, i), d.own.site_quat(m, i));
        let (pos, mat) = local2global(d, body, m.site_sameframe[i], pos, quat);
        d.site_xpos[i] = pos;
        d.site_xmat[i] = mat;
    }
}

// a free body has the pose in its joint's coordinates
#[inline(always)]
fn free_body<R: Real>(m: &Model, d: &mut Data<R>, i: usize) -> ([R; 3], [R; 4]) {
    let j = m.body_jntadr[i] as usize;
    let adr = m.jnt_qposadr[j] as usize;
    let q = &d.qpos[adr..adr + 7];
    let (pos, quat) = ([q[0], q[1], q[2]], [q[3], q[4], q[5], q[6]]);
    d.xanchor[j] = pos;
    d.xaxis[j] = [R::zero(), R::zero(), R::one()];
    (pos, quat)
}

// any other body starts at its pose in the parent and is moved by its joints, one after the other
#[inline(always)]
fn jointed_body<R: Real>(m: &Model, d: &mut Data<R>, i: usize) -> ([R; 3], [R; 4]) {
    // pose in the parent: the model's, or the mocap body's
    let p = m.body_parentid[i] as usize;
    let (local_pos, local_quat) = match usize::try_from(m.body_mocapid[i]) {
        Ok(mocap) => (d.mocap_pos[mocap], normalize4(d.mocap_quat[mocap])),
        Err(_) => (d.own.body_pos(m, i), d.own.body_quat(m, i)),
    };
    let mut pos = add3(d.xpos[p], mul_mat_vec3(d.xmat[p], local_pos));
    let mut quat = match is_unturned(local_quat) {
        true => d.xquat[p],
        false => mul_quat(d.xquat[p], local_quat),
    };

    for k in 0..m.body_jntnum[i] as usize {
        let j = m.body_jntadr[i] as usize + k;
        let adr = m.jnt_qposadr[j] as usize;
        let jnt_type = m.jnt_type[j];

        // axis and anchor before this joint moves
        let local_axis = d.own.jnt_axis(m, j);
        let local_anchor = d.own.jnt_pos(m, j);
        let axis = rot_vec_quat(local_axis, quat);
        let at_origin = vanishes(&local_anchor);
        let anchor = match at_origin {
            true => pos,
            false => add3(pos, rot_vec_quat(local_anchor, quat)),
        };
        d.xaxis[j] = axis;
        d.xanchor[j] = anchor;

        if jnt_type == JointType::Slide {
            // translation along the axis
            pos = add_scl3(pos, axis, d.qpos[adr] - d.own.qpos0(m, adr));
        } else {
            // rotation about the anchor
            let turn = if jnt_type == JointType::Ball {
                let q = &d.qpos[adr..adr + 4];
                normalize4([q[0], q[1], q[2], q[3]])
            } else {
                axis_angle2quat(local_axis, d.qpos[adr] - d.own.qpos0(m, adr))
            };
            quat = mul_quat(quat, turn);
            if !at_origin {
                pos = sub3(anchor, rot_vec_quat(local_anchor, quat));
            }
        }
    }
    (pos, quat)
}

// true if numbers are zero in every lane, of either sign
#[inline(always)]
fn vanishes<R: Real>(x: &[R]) -> bool {
    x.iter().all(|x| x.abs().le(R::zero()).all())
}

// true if a quaternion turns nothing in any lane
#[inline(always)]
fn is_unturned<R: Real>(quat: [R; 4]) -> bool {
    let [w, x, y, z] = quat;
    vanishes(&[w - R::one(), x, y, z])
}
