//! Constraint forces and acceleration by conjugate gradients (`mj_solCG`), in the direction of Hager and Zhang.
//!
//! W. Hager, H. Zhang: A new conjugate gradient method with guaranteed descent and an efficient line search, 2005. The inertia
//! matrix is the preconditioner.

use crate::cpu::lib::coupling::{is_coupled, solve_dofs};
use crate::cpu::lib::math::is_fine;
use crate::cpu::lib::primal::*;
use crate::cpu::lib::rounding::balance;
use crate::cpu::lib::stat::Notes;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::MINVAL;

/// Constraint forces and acceleration by conjugate gradients (`mj_fwdConstraint`, `mj_solCG`).
pub fn solve_cg(m: &Model, d: &mut Data) {
    by_island(m, d, conjugate_gradients);
}

/// Iterates until an island has converged; returns the number of iterations. Side by side it runs until every lane has converged;
/// converged lanes do not change.
pub fn conjugate_gradients<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &mut S,
    island: &Island<'_, R>,
) -> R {
    let zero = R::zero();
    let scale = island.scale;
    let tolerance = d.own.tolerance(m);

    // constraint forces, and the gradient: the residual of the equation of motion
    update_constraint(m, d, system, island);
    update_gradient(m, d, system, island);

    // the gap to the optimum is at most 1/2 grad' inv(M) grad: converged if that is small
    precondition(m, d, island);
    let mut left = zero;
    for &i in island.dofs {
        let i = i as usize;
        left += d.solver_grad[i] * d.solver_Mgrad[i];
        d.solver_search[i] = -d.solver_Mgrad[i];
    }
    let mut live = island.lanes & !(R::splat(0.5) * scale * left).lt(tolerance);

    let mut niter = zero;
    let mut notes = Notes::new(m);
    for _ in 0..m.opt.iterations {
        // step along the direction
        shorten(d, island);
        let step = line_search(m, d, system, island, live);
        live = live & !step.alpha.abs().le(zero);
        if !live.any() {
            break;
        }
        notes.before(d, island);
        take_step(d, island, R::select(live, step.alpha, zero));
        niter += R::select(live, R::one(), zero);

        // keep the last gradients, in the arrays of the Hessian, which this solver does not need
        for &i in island.dofs {
            let i = i as usize;
            d.solver_H[i] = d.solver_grad[i];
            d.solver_U[i] = d.solver_Mgrad[i];
        }

        // done when the step gained little or the forces balance
        update_constraint(m, d, system, island);
        let gradient = scale * update_gradient(m, d, system, island);
        notes.write(m, d, island, live, &step, gradient);
        let improvement = scale * step.improvement;
        let little = zero.lt(improvement) & improvement.lt(tolerance);
        live = live & !(little | gradient.lt(tolerance));
        if !live.any() {
            break;
        }
        precondition(m, d, island);
        turn(d, island);
    }
    balance(m, d, system, island);
    niter
}

// in f32 the curvature along a long direction of hard rows would be infinite; powers of two are no rounding
fn shorten<R: Real>(d: &mut Data<R>, island: &Island<'_, R>) {
    if is_fine::<R>() {
        return;
    }
    let mut most = R::zero();
    for &i in island.dofs {
        most = most.max(d.solver_search[i as usize].abs());
    }
    let long = R::splat(LONG).lt(most);
    if !long.any() {
        return;
    }
    let scale = R::select(long, R::splat(SHORTER), R::one());
    for &i in island.dofs {
        d.solver_search[i as usize] *= scale;
    }
}

// 2^30 and 2^-40
const LONG: f64 = 1073741824.0;
const SHORTER: f64 = 9.094947017729282e-13;

// the next direction: the negative preconditioned gradient, plus a multiple of the last direction by the change of the gradient
fn turn<R: Real>(d: &mut Data<R>, island: &Island<'_, R>) {
    let (zero, one, two) = (R::zero(), R::one(), R::splat(2.0));
    let [mut sy, mut yy, mut yg, mut sg, mut ss, mut gg] = [zero; 6];
    for &i in island.dofs {
        let i = i as usize;
        let (s, g) = (d.solver_search[i], d.solver_grad[i]);
        let y = g - d.solver_H[i];
        sy += s * y;
        yy += y * (d.solver_Mgrad[i] - d.solver_U[i]);
        yg += y * d.solver_Mgrad[i];
        sg += s * g;
        ss += s * s;
        gg += g * g;
    }

    // restart if the gradient did not change along the direction
    let tiny = R::splat(MINVAL);
    let turns = tiny.le(sy);
    let sy = R::select(turns, sy, one);
    let least = -one / (ss.sqrt() * gg.sqrt().min(R::splat(ETA))).max(tiny);
    let beta = ((yg - two * (yy / sy) * sg) / sy).max(least);
    let beta = R::select(turns, beta, zero);
    for &i in island.dofs {
        let i = i as usize;
        d.solver_search[i] = beta * d.solver_search[i] - d.solver_Mgrad[i];
    }
}

// bounds the negative multiple of the last direction
const ETA: f64 = 0.01;

// Mgrad = inv(M) grad (mj_solveM)
fn precondition<R: Real>(m: &Model, d: &mut Data<R>, island: &Island<'_, R>) {
    let dofs = island.dofs;
    if is_coupled(m) {
        let mut x = std::mem::take(&mut d.solver_Mgrad);
        solve_dofs(m, d, &mut x, &d.solver_grad, dofs);
        d.solver_Mgrad = x;
        return;
    }
    let x = &mut d.solver_Mgrad;
    for &i in dofs {
        x[i as usize] = d.solver_grad[i as usize];
    }
    let above = |i: usize| {
        let adr = m.M_rowadr[i] as usize;
        adr..adr + m.M_rownnz[i] as usize - 1
    };
    for &i in dofs.iter().rev() {
        let i = i as usize;
        let xi = x[i];
        for k in above(i) {
            x[m.M_colind[k] as usize] -= d.qLD[k] * xi;
        }
    }
    for &i in dofs {
        let i = i as usize;
        let mut sum = x[i] * d.qLDiagInv[i];
        for k in above(i) {
            sum -= d.qLD[k] * x[m.M_colind[k] as usize];
        }
        x[i] = sum;
    }
}
