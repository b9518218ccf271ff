//! Integrators implicit in the velocity (`mj_implicit`).

use crate::cpu::lib::integrate::advance;
use crate::cpu::lib::slope::{add_bias, less_slope, less_symmetric_slope, rigid};
use crate::cpu::lib::sparse::*;
use crate::cpu::lib::warning::warn;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{Integrator, Warning};

/// Integrators implicit in the velocity (`mj_implicit`).
pub fn implicit<R: Real>(m: &Model, d: &mut Data<R>) {
    // right-hand side: smooth and constraint forces
    for i in 0..m.nv {
        d.implicit_qfrc[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
    }
    d.implicit_qacc.copy_from_slice(&d.implicit_qfrc);

    if m.opt.integrator == Integrator::Implicit {
        // M - h D
        for i in 0..m.nv {
            less_slope(m, d, i);
        }
        let clamped = factor_lu(m, &mut d.qLU, false);
        warn(d, Warning::Inertia, clamped);
        solve_lu(m, &d.qLU, false, &mut d.implicit_qacc);
    } else {
        // m - h D without the derivative of the bias force, symmetric
        for i in 0..m.nv {
            less_symmetric_slope(m, d, i);
        }
        let clamped = factor_i(m, &mut d.qH, &mut d.qHDiagInv, |_| false);
        warn(d, Warning::Inertia, clamped);
        solve_ld(m, &d.qH, &d.qHDiagInv, &mut d.implicit_qacc);

        // a free rigid body has the derivative of its bias force as well: its dofs are a separate system
        if (0..m.nv).any(|i| rigid(m, i)) {
            for i in (0..m.nv).filter(|&i| rigid(m, i)) {
                less_slope(m, d, i);
                add_bias(m, d, i);
                d.implicit_qacc[i] = d.implicit_qfrc[i];
            }
            let clamped = factor_lu(m, &mut d.qLU, true);
            warn(d, Warning::Inertia, clamped);
            solve_lu(m, &d.qLU, true, &mut d.implicit_qacc);
        }
    }

    // advance state and time
    let act_dot = std::mem::take(&mut d.act_dot);
    let qacc = std::mem::take(&mut d.implicit_qacc);
    advance(m, d, &act_dot, &qacc, None);
    d.act_dot = act_dot;
    d.implicit_qacc = qacc;
}
