//! Acceleration of an instant from that over a timestep (`mj_discreteAcc`).

use crate::cpu::euler::damps;
use crate::cpu::lib::force::damping_slope;
use crate::cpu::lib::slope::{add_bias, less_slope, less_symmetric_slope, rigid};
use crate::cpu::lib::sparse::{mul_d_row, mul_m, solve_ld};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::Integrator;

/// Acceleration of an instant from that over a timestep (`mj_discreteAcc`).
///
/// An integrator that is implicit in the velocity takes `(M - h D) a = M qacc`, with the slope D of the forces over the
/// velocity; given a, what `qfrc_inverse` is to be computed with is qacc. `inverse_skip` puts a back.
pub fn discrete_acc<R: Real>(m: &Model, d: &mut Data<R>) {
    // what was given is kept
    d.inv_qacc.copy_from_slice(&d.qacc);
    let h = d.own.timestep(m);

    if m.opt.integrator == Integrator::Implicit {
        // M less the slope over a timestep, times what was given
        for i in 0..m.nv {
            less_slope(m, d, i);
            d.qacc[i] = mul_d_row(m, &d.qLU, i, &d.inv_qacc);
        }
    } else if m.opt.integrator == Integrator::ImplicitFast {
        // the same without the bias force, symmetric
        for i in 0..m.nv {
            less_symmetric_slope(m, d, i);
        }
        mul_m(m, &d.qH, &mut d.qacc, &d.inv_qacc);

        // a body that is free and rigid gets its bias force as well
        for i in (0..m.nv).filter(|&i| rigid(m, i)) {
            less_slope(m, d, i);
            add_bias(m, d, i);
            d.qacc[i] = mul_d_row(m, &d.qLU, i, &d.inv_qacc);
        }
    } else if damps(m, d) {
        // M with the slope of the damping over a timestep
        mul_m(m, &d.M, &mut d.qacc, &d.inv_qacc);
        for i in 0..m.nv {
            let slope = damping_slope(m, d, i);
            d.qacc[i] += h * slope * d.inv_qacc[i];
        }
    } else {
        return;
    }

    // the acceleration that this force gives at once
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.qacc);
}
