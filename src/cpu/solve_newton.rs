//! Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
//!
//! The Hessian changes only where a row's cost does; it is kept, changed by those rows, and factored again.

use crate::cpu::lib::hessian::{direction, factor, make_hessian, symbolic, update_hessian};
use crate::cpu::lib::primal::*;
use crate::fields::{Data, Model};

/// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
pub fn solve_newton(m: &Model, d: &mut Data) {
    by_island(m, d, newton);
}

// iterates until an island has converged; number of iterations
fn newton(m: &Model, d: &mut Data, island: &Island) -> i32 {
    let scale = scale_of(m, d, island);
    let tolerance = m.opt.tolerance;

    // forces, and what is left of the equation of motion
    let mut cone = update_constraint(m, d, island).cone;
    let gradient = scale * update_gradient(m, d, island);

    // the gap to the optimum is at most 1/2 grad' inv(M) grad: nothing to do if that is small
    let small_gradient = gradient < tolerance;
    if small_gradient && gap(m, d, island) * scale < tolerance {
        return 0;
    }

    // Hessian, its factor, and the direction
    symbolic(m, d, island);
    make_hessian(m, d, island);
    factor(m, d, island);
    let decrement = scale * direction(d, island);
    if small_gradient && decrement < tolerance {
        return 0;
    }

    let mut niter = 0;
    while niter < m.opt.iterations {
        // step along the direction
        let (alpha, improvement) = line_search(m, d, island, scale);
        if alpha == 0.0 {
            break;
        }
        take_step(d, island, alpha);
        niter += 1;

        // done when the step gained little or forces balance
        let change = update_constraint(m, d, island);
        let gradient = scale * update_gradient(m, d, island);
        let improvement = scale * improvement;
        if (improvement > 0.0 && improvement < tolerance) || gradient < tolerance {
            break;
        }

        // the Hessian changes if a row entered or left it, or a contact slides; done when the next step would gain little
        if change.quadratic {
            update_hessian(m, d, island);
        }
        if change.quadratic || change.cone || cone {
            factor(m, d, island);
        }
        cone = change.cone;
        if scale * direction(d, island) < tolerance {
            break;
        }
    }
    niter
}
