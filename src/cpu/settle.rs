//! Inertia in its place again (end of `mj_fwdConstraint`).

use crate::cpu::ipc::resolves;
use crate::cpu::lib::free_body::{begins_free, hold_dofs, is_free};
use crate::cpu::lib::metric::exchange_metric;
use crate::cpu::lib::slope::bias_slope;
use crate::cpu::lib::sparse::m_address;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Inertia in its place again (end of `mj_fwdConstraint`): M, its factor and qfrc_smooth have their former values; free bodies that no row
/// holds feel the gyroscopic force of the end of the timestep.
pub fn settle(m: &Model, d: &mut Data) {
    leave(m, d, d.nefc[0] as usize);
}

/// The same for worlds side by side with `num` rows.
pub(crate) fn leave<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    match resolves(m) {
        // forward dynamics are those without constraints
        true => d.qacc.copy_from_slice(&d.qacc_smooth),
        false => spin_free(m, d, num),
    }
    d.qfrc_smooth.copy_from_slice(&d.efm_qfrc);
    exchange_metric(d);
}

/// Accelerations of free rigid bodies that none of the rows holds; there are `num`.
pub(crate) fn spin_free<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    hold_dofs(m, d, num);
    for first in (0..m.nv).filter(|&i| begins_free(m, i)) {
        spin(m, d, first);
    }
}

// acceleration of a free rigid body, given by its first dof, with the derivative of its bias force
fn spin<R: Real>(m: &Model, d: &mut Data<R>, first: usize) {
    let h = d.own.timestep(m);
    let mut mat: [[R; 6]; 6] = std::array::from_fn(|a| {
        let slope = bias_slope(m, d, first + a);
        std::array::from_fn(|b| {
            let metric = m_address(m, first + a, first + b).map_or(R::zero(), |k| d.M[k]);
            metric + h * slope[b]
        })
    });
    let mut x: [R; 6] = std::array::from_fn(|a| d.qfrc_smooth[first + a]);
    eliminate(&mut mat, &mut x);
    let free = is_free(d, first);
    for (a, &x) in x.iter().enumerate() {
        d.qacc[first + a] = R::select(free, x, d.qacc[first + a]);
    }
}

// x = inv(mat) x; the symmetric part of the matrix is positive definite, so no pivoting is needed
fn eliminate<R: Real>(mat: &mut [[R; 6]; 6], x: &mut [R; 6]) {
    for k in 0..6 {
        for a in k + 1..6 {
            let factor = mat[a][k] / mat[k][k];
            for b in k..6 {
                let above = mat[k][b];
                mat[a][b] -= factor * above;
            }
            let above = x[k];
            x[a] -= factor * above;
        }
    }
    for k in (0..6).rev() {
        let sum = (k + 1..6).fold(x[k], |sum, b| sum - mat[k][b] * x[b]);
        x[k] = sum / mat[k][k];
    }
}
