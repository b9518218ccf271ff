//! Actuator lengths and moments (`mj_transmission`).

use crate::cpu::lib::contact::ABSENT;
use crate::cpu::lib::jac::add_jac;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{JointType, TrnType};

/// Actuator lengths and moments (`mj_transmission`).
pub fn transmission(m: &Model, d: &mut Data) {
    let ncon = d.ncon[0] as usize;
    let contact = std::mem::take(&mut d.contact_collision);
    transmit(m, d, &contact[..ncon]);
    d.contact_collision = contact;
}

/// The stage for one world, or for worlds side by side; `contact` gives the pair of each contact slot.
pub fn transmit<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32]) {
    for i in 0..m.nactuator {
        let id = m.actuator_trnid[2 * i] as usize;
        let r = m.actuator_outadr[i] as usize;
        let trntype = m.actuator_trntype[i];
        if trntype == TrnType::Joint || trntype == TrnType::JointInParent {
            joint(m, d, r, id, trntype == TrnType::JointInParent);
        } else if trntype == TrnType::Tendon {
            tendon(m, d, r, id);
        } else if trntype == TrnType::SliderCrank {
            slider_crank(m, d, i, r);
        } else if trntype == TrnType::Site {
            site(m, d, i, r);
        } else if trntype == TrnType::So3 {
            so3(m, d, i, r);
        } else if trntype == TrnType::Body {
            adhesion(m, d, r, id, contact);
        }
    }
}

#[inline(always)]
fn gear<R: Real>(m: &Model, d: &Data<R>, r: usize) -> [R; 6] {
    std::array::from_fn(|k| d.own.actuator_gear(m, 6 * r + k))
}

#[inline(always)]
fn joint<R: Real>(m: &Model, d: &mut Data<R>, r: usize, id: usize, in_parent: bool) {
    let adr = m.moment_rowadr[r] as usize;
    let padr = m.jnt_qposadr[id] as usize;
    let jnt_type = m.jnt_type[id];

    // one coordinate, times the gear
    if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
        let gear = d.own.actuator_gear(m, 6 * r);
        d.actuator_length[r] = d.qpos[padr] * gear;
        d.actuator_moment[adr] = gear;
        return;
    }
    let gear = gear(m, d, r);

    // force and torque by the gear; the torque axis may be given in the parent's frame
    let free = jnt_type == JointType::Free;
    let padr = if free { padr + 3 } else { padr };
    let quat: [R; 4] = normalize4(std::array::from_fn(|k| d.qpos[padr + k]));
    let axis = if free {
        [gear[3], gear[4], gear[5]]
    } else {
        [gear[0], gear[1], gear[2]]
    };
    let axis = if in_parent {
        rot_vec_quat(axis, neg_quat(quat))
    } else {
        axis
    };

    // a free joint has length zero, a ball joint the component of its rotation vector along the axis
    if free {
        d.actuator_length[r] = R::zero();
        d.actuator_moment[adr..adr + 3].copy_from_slice(&gear[..3]);
        d.actuator_moment[adr + 3..adr + 6].copy_from_slice(&axis);
    } else {
        d.actuator_length[r] = dot3(quat2vel(quat), axis);
        d.actuator_moment[adr..adr + 3].copy_from_slice(&axis);
    }
}

// a tendon's length and Jacobian, times the gear
#[inline(always)]
fn tendon<R: Real>(m: &Model, d: &mut Data<R>, r: usize, id: usize) {
    let gear = d.own.actuator_gear(m, 6 * r);
    d.actuator_length[r] = d.ten_length[id] * gear;
    let (to, from) = (m.moment_rowadr[r] as usize, m.ten_J_rowadr[id] as usize);
    for k in 0..m.ten_J_rownnz[id] as usize {
        d.actuator_moment[to + k] = d.ten_J[from + k] * gear;
    }
}

// a rod of fixed length from a crank's site to a slider, which moves along the z axis of its own site
#[inline(always)]
fn slider_crank<R: Real>(m: &Model, d: &mut Data<R>, i: usize, r: usize) {
    let gear = d.own.actuator_gear(m, 6 * r);
    let [crank, slider] =
        [m.actuator_trnid[2 * i], m.actuator_trnid[2 * i + 1]].map(|s| s as usize);
    let rod = d.own.actuator_cranklength(m, i);
    let mat = d.site_xmat[slider];
    let axis = [mat[2], mat[5], mat[8]];
    let vec = sub3(d.site_xpos[crank], d.site_xpos[slider]);

    // length = a·v - sqrt((a·v)² + rod² - v·v), or a·v beyond the reach of the rod
    let av = dot3(vec, axis);
    let det = av * av + rod * rod - dot3(vec, vec);
    let reach = R::zero().lt(det);
    let root = R::select(reach, det, R::one()).sqrt();
    d.actuator_length[r] = R::select(reach, av - root, av) * gear;

    // its derivatives with respect to v and a
    let ratio = R::select(reach, R::one() - av / root, R::one());
    let pull = R::select(reach, R::one() / root, R::zero());
    let dv = add_scl3(scl3(axis, ratio), vec, pull);
    let da = scl3(vec, ratio);

    // v moves with both sites, a rotates with the slider
    let (dv, da) = (scl3(dv, gear), scl3(da, gear));
    moment_row(m, d, r, |d, row, colind| {
        let [crank_body, slider_body] = [crank, slider].map(|s| m.site_bodyid[s] as usize);
        let (from, turn) = (d.site_xpos[slider], cross(axis, da));
        add_jac(
            m,
            d,
            row,
            colind,
            slider_body,
            from,
            scl3(dv, -R::one()),
            turn,
        );
        let (to, still) = (d.site_xpos[crank], [R::zero(); 3]);
        add_jac(m, d, row, colind, crank_body, to, dv, still);
    });
}

// a wrench on a site, in the site's frame, or in the frame of its reference site
#[inline(always)]
fn site<R: Real>(m: &Model, d: &mut Data<R>, i: usize, r: usize) {
    let id = m.actuator_trnid[2 * i] as usize;
    let body = m.site_bodyid[id] as usize;
    let [gx, gy, gz, tx, ty, tz] = gear(m, d, r);
    let (force, torque) = ([gx, gy, gz], [tx, ty, tz]);

    // without a reference site the length is zero
    let Ok(refid) = usize::try_from(m.actuator_trnid[2 * i + 1]) else {
        let mat = d.site_xmat[id];
        let (force, torque) = (mul_mat_vec3(mat, force), mul_mat_vec3(mat, torque));
        d.actuator_length[r] = R::zero();
        moment_row(m, d, r, |d, row, colind| {
            add_jac(m, d, row, colind, body, d.site_xpos[id], force, torque);
        });
        return;
    };

    // position and rotation vector in the frame of the reference site, along the gear
    let mat = d.site_xmat[refid];
    let ref_body = m.site_bodyid[refid] as usize;
    let apart = mul_mat_t_vec3(mat, sub3(d.site_xpos[id], d.site_xpos[refid]));
    let quat = |s: usize, b: usize| mul_quat(d.xquat[b], d.own.site_quat(m, s));
    let turned = sub_quat(quat(id, body), quat(refid, ref_body));
    let trans = gear_of(m, d, r, 0..3);
    let rot = gear_of(m, d, r, 3..6);
    let zero = R::zero();
    d.actuator_length[r] = if trans { dot3(apart, force) } else { zero }
        + if rot { dot3(turned, torque) } else { zero };

    // relative motion of the sites; dofs that move both are left out
    let (force, torque) = (mul_mat_vec3(mat, force), mul_mat_vec3(mat, torque));
    let (back, twist) = (scl3(force, -R::one()), scl3(torque, -R::one()));
    moment_row(m, d, r, |d, row, colind| {
        add_jac(m, d, row, colind, body, d.site_xpos[id], force, torque);
        add_jac(m, d, row, colind, ref_body, d.site_xpos[refid], back, twist);
        clear_common(m, row, colind, body, ref_body);
    });
}

// clears the entries of dofs that move two bodies alike
#[inline(always)]
fn clear_common<R: Real>(m: &Model, row: &mut [R], colind: &[i32], body1: usize, body2: usize) {
    let mut common = common_dof(m, body1, body2);
    for k in (0..colind.len()).rev() {
        if colind[k] == common {
            row[k] = R::zero();
            common = m.dof_parentid[common as usize];
        }
    }
}

// the rotation vector of a ball joint, or of a site relative to another, in its own frame
#[inline(always)]
fn so3<R: Real>(m: &Model, d: &mut Data<R>, i: usize, r: usize) {
    let id = m.actuator_trnid[2 * i] as usize;
    let Ok(refid) = usize::try_from(m.actuator_trnid[2 * i + 1]) else {
        let padr = m.jnt_qposadr[id] as usize;
        let quat = normalize4(std::array::from_fn(|k| d.qpos[padr + k]));
        d.actuator_length[r..r + 3].copy_from_slice(&quat2vel(quat));
        for k in 0..3 {
            moment_row(m, d, r + k, |_, row, _| row[k] = R::one());
        }
        return;
    };
    let [body, ref_body] = [id, refid].map(|s| m.site_bodyid[s] as usize);
    let quat = |s: usize, b: usize| mul_quat(d.xquat[b], d.own.site_quat(m, s));
    let turned = sub_quat(quat(id, body), quat(refid, ref_body));
    d.actuator_length[r..r + 3].copy_from_slice(&turned);
    let mat = d.site_xmat[id];
    for k in 0..3 {
        let (axis, still) = ([mat[k], mat[k + 3], mat[k + 6]], [R::zero(); 3]);
        let back = scl3(axis, -R::one());
        moment_row(m, d, r + k, |d, row, colind| {
            add_jac(m, d, row, colind, body, still, still, axis);
            add_jac(m, d, row, colind, ref_body, still, still, back);
            clear_common(m, row, colind, body, ref_body);
        });
    }
}

// a body is pulled towards the bodies it touches: along the negative mean of its contacts' normals
#[inline(always)]
fn adhesion<R: Real>(m: &Model, d: &mut Data<R>, r: usize, body: usize, contact: &[i32]) {
    d.actuator_length[r] = R::zero();
    moment_row(m, d, r, |d, row, colind| {
        let mut count = R::zero();
        for (c, &pair) in contact.iter().enumerate() {
            if m.collision_geom2[pair as usize] < 0 {
                continue;
            }
            let bodies = [
                m.collision_geom1[pair as usize],
                m.collision_geom2[pair as usize],
            ]
            .map(|g| m.geom_bodyid[g as usize] as usize);
            if !bodies.contains(&body) {
                continue;
            }

            let present = d.contact_dist[c].lt(R::splat(ABSENT));
            count += R::select(present, R::one(), R::zero());

            // separation speed of the bodies along the normal
            let [nx, ny, nz, ..] = d.contact_frame[c];
            let dir = [nx, ny, nz].map(|x| R::select(present, x, R::zero()));
            let back = scl3(dir, -R::one());
            let (pos, still) = (d.contact_pos[c], [R::zero(); 3]);
            add_jac(m, d, row, colind, bodies[0], pos, back, still);
            add_jac(m, d, row, colind, bodies[1], pos, dir, still);
        }
        let some = R::zero().lt(count);
        let scale = R::select(some, -R::one() / count, R::zero());
        row.iter_mut().for_each(|x| *x *= scale);
    });
}

// true if a part of the gear is nonzero
#[inline(always)]
fn gear_of<R: Real>(m: &Model, d: &Data<R>, r: usize, part: std::ops::Range<usize>) -> bool {
    part.into_iter()
        .any(|k| nonzero(d.own.actuator_gear(m, 6 * r + k)).any())
}

// last dof that moves both bodies; -1: none
#[inline(always)]
fn common_dof(m: &Model, body1: usize, body2: usize) -> i32 {
    let [mut i, mut j] = [m.body_lastdof[body1], m.body_lastdof[body2]];
    while i != j && i >= 0 && j >= 0 {
        if i < j {
            j = m.dof_parentid[j as usize];
        } else {
            i = m.dof_parentid[i as usize];
        }
    }
    if i == j { i } else { -1 }
}

// clears a row of the moments and passes it to `fill`
#[inline(always)]
fn moment_row<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    r: usize,
    fill: impl FnOnce(&Data<R>, &mut [R], &[i32]),
) {
    let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
    let mut moment = std::mem::take(&mut d.actuator_moment);
    let row = &mut moment[adr..adr + num];
    row.fill(R::zero());
    fill(d, row, &m.moment_colind[adr..adr + num]);
    d.actuator_moment = moment;
}
