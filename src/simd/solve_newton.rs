//! Newton's solver for worlds side by side: one matrix, one factor and one line search for all lanes of a tile, each
//! lane with its own numbers. Twin of `cpu/solve_newton.rs`.
//!
//! Rows are the union of the lanes' rows, in the order of the model's elements; a lane that lacks a row has D = 0 there,
//! which adds exact zeros. So a lane's numbers do not depend on its neighbours. Lanes that have converged stand still.

use super::hessian::{direction, factor, symbolic};
use super::primal::*;
use super::rows::Rows;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
pub fn solve_newton<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    if begin(m, d, rows) {
        newton(m, d, rows);
    }
}

// iterates until every lane has converged
fn newton<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let zero = R::zero();
    let tolerance = R::splat(m.opt.tolerance);

    let scale = scale_of(m, d);

    // forces, and what is left of the equation of motion
    update_constraint(d, rows);
    let mut gradient = scale * update_gradient(m, d, rows);

    // the gap to the optimum is at most 1/2 grad' inv(M) grad: nothing to do where that is small
    let balanced = gradient.lt(tolerance);
    let mut live = !balanced;
    if balanced.any() {
        live = live | !(scale * gap(m, d)).lt(tolerance);
    }
    if !live.any() {
        return;
    }

    // Hessian, its factor, and the direction
    symbolic(m, rows);
    factor(m, d, rows);
    let mut decrement = scale * direction(m, d, rows);
    live = live & !(balanced & decrement.lt(tolerance));

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

        // done where the step gained little or forces balance
        let changed = update_constraint(d, rows);
        gradient = scale * update_gradient(m, d, rows);
        let improvement = scale * improvement;
        let done = (zero.lt(improvement) & improvement.lt(tolerance)) | gradient.lt(tolerance);
        live = live & !done;
        if !live.any() {
            break;
        }

        // the Hessian changes only where a row entered or left it; done where the next step would gain little
        if (changed & live).any() {
            factor(m, d, rows);
        }
        decrement = scale * direction(m, d, rows);
        live = live & !decrement.lt(tolerance);
    }
    for lane in 0..R::WIDTH {
        R::set_int_lane(&mut d.solver_niter[0], lane, niter.lane(lane) as i32);
    }
}
