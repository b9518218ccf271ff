//! Conjugate gradients for worlds side by side, each lane with its own step and direction. Twin of `cpu/solve_cg.rs`.
//! Lanes that have converged stand still.

use super::primal::*;
use super::rows::Rows;
use crate::cpu::lib::sparse;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::MINVAL;

/// Constraint forces and acceleration by conjugate gradients (`mj_fwdConstraint`, `mj_solCG`).
pub fn solve_cg<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    if begin(m, d, rows) {
        conjugate_gradients(m, d, rows);
    }
}

// iterates until every lane has converged
fn conjugate_gradients<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let (zero, half) = (R::zero(), R::splat(0.5));
    let tolerance = R::splat(m.opt.tolerance);
    let scale = scale_of(m, d);

    // forces, and what is left of the equation of motion
    update_constraint(d, rows);
    update_gradient(m, d, rows);

    // the gap to the optimum is at most 1/2 grad' inv(M) grad: nothing to do where that is small
    precondition(m, d);
    let mut gap = zero;
    for i in 0..m.nv {
        gap += half * d.solver_grad[i] * d.solver_Mgrad[i];
        d.solver_search[i] = -d.solver_Mgrad[i];
    }
    let mut live = !(scale * gap).lt(tolerance);

    let mut niter = zero;
    for _ in 0..m.opt.iterations {
        if !live.any() {
            break;
        }
        // step along the direction
        let (alpha, improvement) = line_search(m, d, rows, scale, live);
        live = live & zero.lt(alpha.abs());
        advance(m, d, rows, R::select(live, alpha, zero));
        niter += R::select(live, R::one(), zero);

        // what the gradients were: nobody needs the Hessian here
        d.solver_H[..m.nv].copy_from_slice(&d.solver_grad[..m.nv]);
        d.solver_U[..m.nv].copy_from_slice(&d.solver_Mgrad[..m.nv]);

        // done where the step gained little or forces balance
        update_constraint(d, rows);
        let gradient = scale * update_gradient(m, d, rows);
        let improvement = scale * improvement;
        let done = (zero.lt(improvement) & improvement.lt(tolerance)) | gradient.lt(tolerance);
        live = live & !done;
        precondition(m, d);
        turn(m, d);
    }
    for lane in 0..R::WIDTH {
        R::set_int_lane(&mut d.solver_niter[0], lane, niter.lane(lane) as i32);
    }
}

// the next direction: down, and on in the old one as far as the change of the gradient tells
fn turn<R: Real>(m: &Model, d: &mut Data<R>) {
    let (zero, one, two) = (R::zero(), R::one(), R::splat(2.0));
    let [mut sy, mut yy, mut yg, mut sg, mut ss, mut gg] = [zero; 6];
    for i in 0..m.nv {
        let (s, g) = (d.solver_search[i], d.solver_grad[i]);
        let y = g - d.solver_H[i];
        sy += s * y;
        yy += y * (d.solver_Mgrad[i] - d.solver_U[i]);
        yg += y * d.solver_Mgrad[i];
        sg += s * g;
        ss += s * s;
        gg += g * g;
    }

    // start anew where the gradient did not change along the direction
    let tiny = R::splat(MINVAL);
    let turns = tiny.le(sy);
    let sy = R::select(turns, sy, one);
    let least = -one / (ss.sqrt() * gg.sqrt().min(R::splat(ETA))).max(tiny);
    let beta = ((yg - two * (yy / sy) * sg) / sy).max(least);
    let beta = R::select(turns, beta, zero);
    for i in 0..m.nv {
        d.solver_search[i] = beta * d.solver_search[i] - d.solver_Mgrad[i];
    }
}

// bounds how far the direction turns back
const ETA: f64 = 0.01;

// Mgrad = inv(M) grad (mj_solveM)
fn precondition<R: Real>(m: &Model, d: &mut Data<R>) {
    let x = &mut d.solver_Mgrad[..m.nv];
    x.copy_from_slice(&d.solver_grad[..m.nv]);
    sparse::solve_ld(m, &d.qLD, &d.qLDiagInv, x);
}
