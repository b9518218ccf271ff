//! Actuator lengths and moments (`mj_transmission`).

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{JointType, TrnType};

/// Actuator lengths and moments (`mj_transmission`).
pub fn transmission<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.nactuator {
        let id = m.actuator_trnid[2 * i] as usize;
        let r = m.actuator_outadr[i] as usize;
        let gear: [R; 6] = std::array::from_fn(|k| R::splat(m.actuator_gear[6 * r + k]));
        let trntype = m.actuator_trntype[i];
        if trntype == TrnType::Joint || trntype == TrnType::JointInParent {
            joint(m, d, r, id, gear, trntype == TrnType::JointInParent);
        } else if trntype == TrnType::Tendon {
            tendon(m, d, r, id, gear[0]);
        }
    }
}

#[inline(always)]
fn joint<R: Real>(m: &Model, d: &mut Data<R>, r: usize, id: usize, gear: [R; 6], in_parent: bool) {
    let adr = m.moment_rowadr[r] as usize;
    let padr = m.jnt_qposadr[id] as usize;
    let jnt_type = m.jnt_type[id];

    // one coordinate, scaled
    if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
        d.actuator_length[r] = d.qpos[padr] * gear[0];
        d.actuator_moment[adr] = gear[0];
        return;
    }

    // a wrench, whose turning part may be given in the parent's frame
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

    // a free joint has no length, a ball has its rotation vector along the axis
    if free {
        d.actuator_length[r] = R::zero();
        d.actuator_moment[adr..adr + 3].copy_from_slice(&gear[..3]);
        d.actuator_moment[adr + 3..adr + 6].copy_from_slice(&axis);
    } else {
        d.actuator_length[r] = dot3(quat2vel(quat), axis);
        d.actuator_moment[adr..adr + 3].copy_from_slice(&axis);
    }
}

// a tendon's length and Jacobian, scaled
#[inline(always)]
fn tendon<R: Real>(m: &Model, d: &mut Data<R>, r: usize, id: usize, gear: R) {
    d.actuator_length[r] = d.ten_length[id] * gear;
    let (to, from) = (m.moment_rowadr[r] as usize, m.ten_J_rowadr[id] as usize);
    for k in 0..m.ten_J_rownnz[id] as usize {
        d.actuator_moment[to + k] = d.ten_J[from + k] * gear;
    }
}
