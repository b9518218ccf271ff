//! Implicit in the velocity (`mj_implicit`).

use crate::cpu::lib::integrate::advance;
use crate::cpu::lib::slope::{axis_turn, gyroscopic, rigid};
use crate::cpu::lib::sparse::*;
use crate::cpu::lib::spatial::{dot6, mul_inert_vec};
use crate::cpu::lib::warning::warn;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{Integrator, Warning};

/// Implicit in the velocity (`mj_implicit`).
pub fn implicit<R: Real>(m: &Model, d: &mut Data<R>) {
    // force that accelerates
    for i in 0..m.nv {
        d.implicit_qfrc[i] = d.qfrc_smooth[i] + d.qfrc_constraint[i];
    }
    d.implicit_qacc.copy_from_slice(&d.implicit_qfrc);

    if m.opt.integrator == Integrator::Implicit {
        // M less the slope over a timestep
        for i in 0..m.nv {
            less_slope(m, d, i);
        }
        let clamped = factor_lu(m, &mut d.qLU, false);
        warn(d, Warning::Inertia, clamped);
        solve_lu(m, &d.qLU, false, &mut d.implicit_qacc);
    } else {
        // the same without the bias force, symmetric
        d.qH.copy_from_slice(&d.M);
        let h = R::splat(m.opt.timestep);
        for i in (0..m.nv).filter(|&i| !rigid(m, i)) {
            let adr = m.M_rowadr[i] as usize;
            for k in adr..adr + m.M_rownnz[i] as usize {
                let j = m.M_colind[k] as usize;
                d.qH[k] -= h * d.qDeriv[d_address(m, i, j)];
            }
        }
        let clamped = factor_i(m, &mut d.qH, &mut d.qHDiagInv);
        warn(d, Warning::Inertia, clamped);
        solve_ld(m, &d.qH, &d.qHDiagInv, &mut d.implicit_qacc);

        // a body that is free and rigid gets its bias force as well: it is a system of its own
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

    // state and time
    let act_dot = std::mem::take(&mut d.act_dot);
    let qacc = std::mem::take(&mut d.implicit_qacc);
    advance(m, d, &act_dot, &qacc, None);
    d.act_dot = act_dot;
    d.implicit_qacc = qacc;
}

// row of a dof: M less a timestep of the slope
#[inline(always)]
fn less_slope<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let h = R::splat(m.opt.timestep);
    let adr = m.D_rowadr[i] as usize;
    for k in adr..adr + m.D_rownnz[i] as usize {
        let inertia = match m_address(m, i, m.D_colind[k] as usize) {
            Some(k) => d.M[k],
            None => R::zero(),
        };
        d.qLU[k] = inertia - h * d.qDeriv[k];
    }
}

// the slope of a free and rigid body's bias force, added to a row (`mjd_freeMhat`)
#[inline(always)]
fn add_bias<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let h = R::splat(m.opt.timestep);
    let body = m.dof_bodyid[i] as usize;
    let slope = gyroscopic(d.crb[body], d.cvel[body]);
    let axis = d.cdof[i];
    let by_motion = slope.map(|column| dot6(column, axis));
    let momentum = mul_inert_vec(d.crb[body], axis);
    let adr = m.jnt_dofadr[m.dof_jntid[i] as usize] as usize;
    for k in adr..adr + 6 {
        let x = dot6(momentum, axis_turn(m, d, k)) + dot6(by_motion, d.cdof[k]);
        d.qLU[d_address(m, i, k)] += h * x;
    }
}
