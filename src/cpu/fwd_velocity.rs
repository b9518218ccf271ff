//! Velocities of flex edges, tendons and actuators (first part of `mj_fwdVelocity`).

use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::DSBL_ACTUATION;

/// Velocities of flex edges, tendons and actuators (first part of `mj_fwdVelocity`).
pub fn fwd_velocity<R: Real>(m: &Model, d: &mut Data<R>) {
    // flex edges
    for e in 0..m.nflexedge {
        let (adr, num) = (
            m.flexedge_J_rowadr[e] as usize,
            m.flexedge_J_rownnz[e] as usize,
        );
        let colind = &m.flexedge_J_colind[adr..adr + num];
        d.flexedge_velocity[e] = dot_sparse(&d.flexedge_J[adr..adr + num], colind, &d.qvel);
    }

    // tendons
    for t in 0..m.ntendon {
        let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
        let colind = &m.ten_J_colind[adr..adr + num];
        d.ten_velocity[t] = dot_sparse(&d.ten_J[adr..adr + num], colind, &d.qvel);
    }

    // force outputs of actuators
    let disabled = m.opt.disabled(DSBL_ACTUATION);
    for r in 0..m.nout {
        let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
        let colind = &m.moment_colind[adr..adr + num];
        d.actuator_velocity[r] = if disabled {
            R::zero()
        } else {
            dot_sparse(&d.actuator_moment[adr..adr + num], colind, &d.qvel)
        };
    }
}

#[inline(always)]
fn dot_sparse<R: Real>(row: &[R], colind: &[i32], x: &[R]) -> R {
    let mut sum = R::zero();
    for (a, &j) in row.iter().zip(colind) {
        sum += *a * x[j as usize];
    }
    sum
}
