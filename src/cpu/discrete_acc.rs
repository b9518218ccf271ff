//! Instantaneous acceleration from that over a timestep (`mj_discreteAcc`).

use crate::cpu::euler::damps;
use crate::cpu::lib::force::damping_slope;
use crate::cpu::lib::slope::{add_bias, less_slope, less_symmetric_slope, rigid};
use crate::cpu::lib::sparse::{mul_d_row, mul_m, solve_ld};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::Integrator;

/// Instantaneous acceleration from that over a timestep (`mj_discreteAcc`).
///
/// An integrator that is implicit in the velocity solves `(M - h D) a = M qacc`, with the derivative D of the forces with respect
/// to velocity. Given a, this computes qacc, from which `qfrc_inverse` is computed. `inverse_skip` restores a.
pub fn discrete_acc<R: Real>(m: &Model, d: &mut Data<R>) {
    // keep the given acceleration
    d.inv_qacc.copy_from_slice(&d.qacc);
    let h = d.own.timestep(m);

    if m.opt.integrator == Integrator::Implicit {
        // (M - h D) times the given acceleration
        for i in 0..m.nv {
            less_slope(m, d, i);
            d.qacc[i] = mul_d_row(m, &d.qLU, i, &d.inv_qacc);
        }
    } else if m.opt.integrator == Integrator::ImplicitFast {
        // m - h D without the derivative of the bias force, symmetric
        for i in 0..m.nv {
            less_symmetric_slope(m, d, i);
        }
        mul_m(m, &d.qH, &mut d.qacc, &d.inv_qacc);

        // a free rigid body has the derivative of its bias force as well
        for i in (0..m.nv).filter(|&i| rigid(m, i)) {
            less_slope(m, d, i);
            add_bias(m, d, i);
            d.qacc[i] = mul_d_row(m, &d.qLU, i, &d.inv_qacc);
        }
    } else if damps(m, d) {
        // M plus the timestep times the damping of the dofs
        mul_m(m, &d.M, &mut d.qacc, &d.inv_qacc);
        for i in 0..m.nv {
            let slope = damping_slope(m, d, i);
            d.qacc[i] += h * slope * d.inv_qacc[i];
        }
    } else {
        return;
    }

    // instantaneous acceleration of this force
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.qacc);
}
