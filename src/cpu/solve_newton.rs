//! Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
//!
//! Both stop when the forces balance, and when the gain of a step, or of the next one, is small. In f64 there is no other
//! criterion. f32 reaches its limit of resolution earlier: there it also ends when steps no longer converge and the imbalance of the
//! forces is within rounding. More steps would only add roundings to the residuals. The kernel ends when the imbalance is within the
//! rounding of its terms, and when a step changes no bit of the acceleration.
//!
//! The Hessian changes only with the zones of the rows' costs; it is kept, updated by those rows, and factored again.
//!
//! Side by side, rows that only converged lanes have are left out (`Fewer`); the forces of all rows are computed at the end.

use crate::cpu::lib::math::is_fine;
use crate::cpu::lib::primal::*;
use crate::cpu::lib::rounding::{balance, within_rounding};
use crate::cpu::lib::stat::Notes;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
pub fn solve_newton(m: &Model, d: &mut Data) {
    by_island(m, d, newton);
}

/// Iterates until an island has converged; returns the number of iterations. Side by side it runs until every lane has converged;
/// converged lanes do not change.
pub fn newton<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &mut S,
    island: &Island<'_, R>,
) -> R {
    let (zero, one, half) = (R::zero(), R::one(), R::splat(0.5));
    let scale = island.scale;
    let tolerance = d.own.tolerance(m);

    // constraint forces, and the gradient: the residual of the equation of motion
    let mut cone = update_constraint(m, d, system, island).cone;
    let gradient = scale * update_gradient(m, d, system, island);

    // the gap to the optimum is at most 1/2 grad' inv(M) grad: converged if that is small
    let mut live = island.lanes;
    let small_gradient = gradient.lt(tolerance);
    if (live & small_gradient).any() {
        live = live & !(small_gradient & (gap(m, d, island) * scale).lt(tolerance));
        if !live.any() {
            balance(m, d, system, island);
            return zero;
        }
    }

    // Hessian, its factor, and the direction
    system.symbolic(m, d, island);
    system.make_hessian(m, d, island);
    system.factor(m, d, island);
    let decrement = scale * system.direction(m, d, island);
    live = live & !(small_gradient & decrement.lt(tolerance));

    let mut niter = zero;
    let mut fewer = system.take_fewer();
    let mut needed = island.lanes;
    let mut notes = Notes::new(m);
    let mut last = decrement;
    for pass in 0..m.opt.iterations {
        // step along the direction
        let left = fewer.of(island);
        let step = line_search(m, d, system, &left, live);
        live = live & !step.alpha.abs().le(zero);
        if !live.any() {
            break;
        }
        notes.before(d, &left);
        take_step(d, &left, R::select(live, step.alpha, zero));
        niter += R::select(live, one, zero);

        // done when the step gained little or the forces balance
        let change = update_constraint(m, d, system, &left);
        let gradient = scale * update_gradient(m, d, system, &left);
        notes.write(m, d, &left, live, &step, gradient);
        let improvement = scale * step.improvement;
        let little = zero.lt(improvement) & improvement.lt(tolerance);
        live = live & !(little | gradient.lt(tolerance));
        if !live.any() {
            break;
        }

        // the Hessian changes if a row became quadratic or is no longer, or a contact slides; done when the next step would gain little,
        // or half as much as this one in the same zones, which in f32 is rounding if the forces balance but for that
        if (live & change.quadratic).any() {
            system.update_hessian(m, d, &left);
        }
        if (live & (change.quadratic | change.cone | cone)).any() {
            if (needed & !live).any() {
                needed = live;
                if system.leave_out(m, d, island, live, &mut fewer) {
                    system.symbolic(m, d, &fewer.of(island));
                }
            }
            system.factor(m, d, &fewer.of(island));
        }
        cone = change.cone;
        let decrement = scale * system.direction(m, d, island);
        live = live & !decrement.lt(tolerance);
        let stuck = live & !change.quadratic & (half * last).lt(decrement);
        if !is_fine::<R>() && pass > 0 && stuck.any() {
            live = live & !(stuck & within_rounding(m, d, system, &fewer.of(island)));
        }
        last = decrement;
    }

    if fewer.some {
        update_gradient(m, d, system, island);
    }
    system.put_fewer(fewer);
    balance(m, d, system, island);
    niter
}
