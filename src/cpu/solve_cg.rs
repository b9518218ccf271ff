//! Constraint forces and acceleration by conjugate gradients (`mj_solCG`), in the direction of Hager and Zhang.
//!
//! W. Hager, H. Zhang: A new conjugate gradient method with guaranteed descent and an efficient line search, 2005. The inertia
//! is the preconditioner.

use crate::cpu::lib::primal::*;
use crate::fields::{Data, Model};
use crate::types::MINVAL;

/// Constraint forces and acceleration by conjugate gradients (`mj_fwdConstraint`, `mj_solCG`).
pub fn solve_cg(m: &Model, d: &mut Data) {
    by_island(m, d, conjugate_gradients);
}

// iterates until an island has converged; number of iterations
fn conjugate_gradients(m: &Model, d: &mut Data, island: &Island) -> i32 {
    let scale = scale_of(m, d, island);
    let tolerance = m.opt.tolerance;

    // forces, and what is left of the equation of motion
    update_constraint(m, d, island);
    update_gradient(m, d, island);

    // the gap to the optimum is at most 1/2 grad' inv(M) grad: nothing to do if that is small
    precondition(m, d, island);
    if 0.5 * scale * dot(d, island, &d.solver_grad, &d.solver_Mgrad) < tolerance {
        return 0;
    }
    for &i in &d.map_idof2dof[island.dofs.clone()] {
        d.solver_search[i as usize] = -d.solver_Mgrad[i as usize];
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

        // what the gradients were: nobody needs the Hessian here
        for &i in &d.map_idof2dof[island.dofs.clone()] {
            let i = i as usize;
            d.solver_H[i] = d.solver_grad[i];
            d.solver_U[i] = d.solver_Mgrad[i];
        }

        // done when the step gained little or forces balance
        update_constraint(m, d, island);
        let gradient = scale * update_gradient(m, d, island);
        let improvement = scale * improvement;
        if (improvement > 0.0 && improvement < tolerance) || gradient < tolerance {
            break;
        }
        precondition(m, d, island);
        turn(d, island);
    }
    niter
}

// the next direction: down, and on in the old one as far as the change of the gradient tells
fn turn(d: &mut Data, island: &Island) {
    let dofs = &d.map_idof2dof[island.dofs.clone()];
    let (mut sy, mut yy, mut yg, mut sg, mut ss, mut gg) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    for &i in dofs {
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

    // start anew if the gradient did not change along the direction
    let mut beta = 0.0;
    if sy >= MINVAL {
        let least = -1.0 / (ss.sqrt() * gg.sqrt().min(ETA)).max(MINVAL);
        beta = f64::max((yg - 2.0 * (yy / sy) * sg) / sy, least);
    }
    for &i in dofs {
        let i = i as usize;
        d.solver_search[i] = beta * d.solver_search[i] - d.solver_Mgrad[i];
    }
}

// bounds how far the direction turns back
const ETA: f64 = 0.01;

fn dot(d: &Data, island: &Island, a: &[f64], b: &[f64]) -> f64 {
    let dofs = &d.map_idof2dof[island.dofs.clone()];
    dofs.iter().map(|&i| a[i as usize] * b[i as usize]).sum()
}

// Mgrad = inv(M) grad (mj_solveM)
fn precondition(m: &Model, d: &mut Data, island: &Island) {
    let dofs = &d.map_idof2dof[island.dofs.clone()];
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
        for k in above(i) {
            x[m.M_colind[k] as usize] -= d.qLD[k] * x[i];
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
