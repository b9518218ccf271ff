//! Common parts of the solvers of the dual problem: find the rows' forces f that minimise `1/2 f' (A + R) f + f' b`, where A = J
//! inv(M) J' and b = J qacc_smooth - aref, within the bounds of each row. Twins take the problem's data from [`super::problem`].

use super::cone::{MAXDIM, is_elliptic};
use super::coupling::solve_metric;
use super::primal::{Island, System};
use super::rows::patterns;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Block of A for the rows of one contact.
pub type Block = [[f64; MAXDIM]; MAXDIM];

/// Change of the cost by a change of forces, `1/2 change' A change + change' residual`.
pub fn cost_change(a: &Block, change: &[f64], residual: &[f64]) -> f64 {
    let mut cost = 0.0;
    for (i, &x) in change.iter().enumerate() {
        let ax: f64 = change.iter().zip(&a[i]).map(|(x, a)| x * a).sum();
        cost += x * (0.5 * ax + residual[i]);
    }
    cost
}

/// A change that raises the cost by more than this is undone.
pub const NOISE: f64 = 1e-10;

/// Minimum of `1/2 x' A x + x' b` over the friction forces that a normal force allows, `sum (x / friction)^2 <= normal^2`,
/// by Newton's method on the multiplier (`mju_QCQP`).
pub fn friction_forces(a: &Block, b: &[f64], friction: &[f64], normal: f64) -> [f64; MAXDIM] {
    let n = b.len();
    let mut x = [0.0; MAXDIM];
    let mut multiplier = 0.0;
    for _ in 0..20 {
        // x and its derivative, in coordinates where the ellipsoid is a ball
        let mut l = [[0.0; MAXDIM]; MAXDIM];
        for i in 0..n {
            for j in 0..=i {
                l[i][j] = a[i][j] * friction[i] * friction[j];
            }
            l[i][i] += multiplier;
        }
        if !cholesky(&mut l, n) {
            return [0.0; MAXDIM];
        }
        x = [0.0; MAXDIM];
        for i in 0..n {
            x[i] = -b[i] * friction[i];
        }
        cholesky_solve(&l, n, &mut x);
        let excess = square(&x, n) - normal * normal;
        if excess < NOISE {
            break;
        }
        let mut slope = x;
        cholesky_solve(&l, n, &mut slope);
        let product: f64 = (0..n).map(|i| x[i] * slope[i]).sum();
        let change = excess / (2.0 * product);
        if change < NOISE {
            break;
        }
        multiplier += change;
    }

    // project onto the ellipsoid, which x is only near
    let mut scale = 1.0;
    if multiplier != 0.0 {
        scale = normal / square(&x, n).max(MINVAL).sqrt();
    }
    for i in 0..n {
        x[i] *= friction[i] * scale;
    }
    x
}

fn square(x: &[f64], n: usize) -> f64 {
    x[..n].iter().map(|x| x * x).sum()
}

// a = L L' in place; false if it is singular
fn cholesky(a: &mut Block, n: usize) -> bool {
    let mut determinant = 1.0;
    for i in 0..n {
        for j in 0..=i {
            let mut sum = a[i][j];
            for k in 0..j {
                sum -= a[i][k] * a[j][k];
            }
            if i > j {
                a[i][j] = sum / a[j][j];
            } else {
                determinant *= sum;
                a[i][i] = sum.max(MINVAL).sqrt();
            }
        }
    }
    determinant >= NOISE || (n > 3 && determinant > 0.0)
}

fn cholesky_solve(l: &Block, n: usize, x: &mut [f64; MAXDIM]) {
    for i in 0..n {
        for k in 0..i {
            x[i] -= l[i][k] * x[k];
        }
        x[i] /= l[i][i];
    }
    for i in (0..n).rev() {
        for k in i + 1..n {
            x[i] -= l[k][i] * x[k];
        }
        x[i] /= l[i][i];
    }
}

/// Generalized constraint force, acceleration and the rows' states, from the rows' forces (`mj_dualFinish`). `all` has all rows.
pub fn finish<R: Real, S: System<R>>(m: &Model, d: &mut Data<R>, system: &S, all: &Island<'_, R>) {
    d.qfrc_constraint.fill(R::zero());
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    S::add_mul_t_vec(jacobian, all.rows, &d.efc_force, &mut d.qfrc_constraint);
    let mut x = std::mem::take(&mut d.qacc);
    x.copy_from_slice(&d.qfrc_constraint);
    solve_metric(m, d, &mut x);
    d.qacc = x;
    for i in 0..m.nv {
        d.qacc[i] += d.qacc_smooth[i];
    }
    set_states(m, d, system, [all.ne, all.nf, all.rows.len()]);
}

// the states of the rows from their forces; ne equalities, nf friction losses, num rows in all
fn set_states<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    [ne, nf, num]: [usize; 3],
) {
    let int = |state: ConstraintState| R::int(state as i32);
    let quadratic = int(ConstraintState::Quadratic);
    d.efc_state[..ne].fill(quadratic);
    for r in ne..ne + nf {
        let (force, loss) = (d.efc_force[r], d.efc_frictionloss[r]);
        let above = R::select_int(force.le(-loss), int(ConstraintState::LinearPos), quadratic);
        d.efc_state[r] = R::select_int(loss.le(force), int(ConstraintState::LinearNeg), above);
    }
    let mut r = ne + nf;
    while r < num {
        let (mut dim, mut held) = (1, quadratic);
        if is_elliptic(m, d, r) {
            let contact = system.contact(m, d, r);
            dim = contact.dim;
            let slides = contact.slides(&d.efc_force[r..]);
            held = R::select_int(slides, int(ConstraintState::Cone), held);
        }
        let free = d.efc_force[r].le(R::zero());
        let state = R::select_int(free, int(ConstraintState::Satisfied), held);
        d.efc_state[r..r + dim].fill(state);
        r += dim;
    }
}
