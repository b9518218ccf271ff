//! What the solvers of the dual problem share: find the rows' forces f that minimise `1/2 f' (A + R) f + f' b`, where
//! A = J inv(M) J' and b = J qacc_smooth - aref, inside what each row can do.
//!
//! A is not made: the acceleration that all forces cause is carried along instead (`solver_search`), and every row knows
//! what a unit of its force adds (`solver_JMinv`).

use super::cone::{Contact, MAXDIM, is_elliptic};
use super::hessian::Sparse;
use super::primal::{Island, System};
use super::sparse::solve_ld;
use crate::fields::{Data, Model};
use crate::types::*;

/// Entries of a contact's rows among each other.
pub type Block = [[f64; MAXDIM]; MAXDIM];

// the Jacobian of a world that is borrowed otherwise too
macro_rules! jacobian {
    ($m:expr, $d:expr) => {
        Sparse.jacobian($m, &$d.efc_Jpat, &$d.efc_J)
    };
}

/// J inv(M) of every row.
pub fn prepare(m: &Model, d: &mut Data) {
    let nefc = d.nefc[0] as usize;
    if d.solver_JMinv.len() < nefc * m.nv {
        // the solver was chosen after the model was compiled
        d.solver_JMinv.resize(d.efc_D.len() * m.nv, 0.0);
        d.solver_order.resize(d.efc_D.len(), 0);
    }
    for r in 0..nefc {
        let x = &mut d.solver_JMinv[r * m.nv..][..m.nv];
        x.fill(0.0);
        let rows = jacobian!(m, d);
        let dofs = rows.dofs(r as i32);
        for (&dof, &entry) in dofs.iter().zip(rows.row(r, dofs.len())) {
            x[dof as usize] = entry;
        }
        solve_ld(m, &d.qLD, &d.qLDiagInv, x);
    }
}

/// The acceleration that the forces of an island's rows cause.
pub fn accelerate(m: &Model, d: &mut Data, island: &Island<'_, f64>) {
    let dofs = island.dofs;
    for &i in dofs {
        d.solver_search[i as usize] = 0.0;
    }
    for &r in island.rows {
        let force = d.efc_force[r as usize];
        if force != 0.0 {
            let x = &d.solver_JMinv[r as usize * m.nv..][..m.nv];
            for &i in dofs {
                d.solver_search[i as usize] += force * x[i as usize];
            }
        }
    }
}

/// Changes forces of consecutive rows, and the acceleration with them.
pub fn set_forces(m: &Model, d: &mut Data, island: &Island<'_, f64>, r: usize, forces: &[f64]) {
    let dofs = island.dofs;
    for (k, &force) in forces.iter().enumerate() {
        let change = force - d.efc_force[r + k];
        d.efc_force[r + k] = force;
        if change != 0.0 {
            let x = &d.solver_JMinv[(r + k) * m.nv..][..m.nv];
            for &i in dofs {
                d.solver_search[i as usize] += change * x[i as usize];
            }
        }
    }
}

/// A row of A times all forces, plus b; plus R times the row's force if that is to be regarded.
pub fn residual(m: &Model, d: &Data, r: usize, regularized: bool) -> f64 {
    let rows = jacobian!(m, d);
    let dofs = rows.dofs(r as i32);
    let mut sum = d.efc_b[r];
    for (&dof, &entry) in dofs.iter().zip(rows.row(r, dofs.len())) {
        sum += entry * d.solver_search[dof as usize];
    }
    if regularized {
        sum += d.efc_R[r] * d.efc_force[r];
    }
    sum
}

/// A of `num` consecutive rows among each other, with R on its diagonal if that is to be regarded.
pub fn block(m: &Model, d: &Data, r: usize, num: usize, regularized: bool) -> Block {
    let rows = jacobian!(m, d);
    let mut a = [[0.0; MAXDIM]; MAXDIM];
    for i in 0..num {
        let dofs = rows.dofs((r + i) as i32);
        let row = rows.row(r + i, dofs.len());
        for j in 0..=i {
            let x = &d.solver_JMinv[(r + j) * m.nv..][..m.nv];
            let products = dofs
                .iter()
                .zip(row)
                .map(|(&dof, entry)| entry * x[dof as usize]);
            a[i][j] = products.sum();
            a[j][i] = a[i][j];
        }
        if regularized {
            a[i][i] += d.efc_R[r + i];
        }
    }
    a
}

/// What a change of forces adds to the cost, `1/2 change' A change + change' residual`.
pub fn cost_change(a: &Block, change: &[f64], residual: &[f64]) -> f64 {
    let mut cost = 0.0;
    for (i, &x) in change.iter().enumerate() {
        let ax: f64 = change.iter().zip(&a[i]).map(|(x, a)| x * a).sum();
        cost += x * (0.5 * ax + residual[i]);
    }
    cost
}

/// A change that raises the cost by more than this is taken back.
pub const NOISE: f64 = 1e-10;

/// Minimum of `1/2 x' A x + x' b` over the friction forces that a normal force allows, `sum (x / friction)^2 <= normal^2`,
/// by Newton's method on the multiplier (`mju_QCQP`).
pub fn friction_forces(a: &Block, b: &[f64], friction: &[f64], normal: f64) -> [f64; MAXDIM] {
    let n = b.len();
    let mut x = [0.0; MAXDIM];
    let mut multiplier = 0.0;
    for _ in 0..20 {
        // x and its derivative, where the ellipsoid is a ball
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

    // onto the ellipsoid, where x is only near it
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

/// Force and acceleration in joint space, and the rows' states, from the rows' forces (`mj_dualFinish`).
pub fn finish(m: &Model, d: &mut Data) {
    let nefc = d.nefc[0] as usize;
    let rows = &d.map_iefc2efc[..nefc];
    d.qfrc_constraint.fill(0.0);
    jacobian!(m, d).add_mul_t_vec(rows, &d.efc_force, &mut d.qfrc_constraint);
    d.qacc.copy_from_slice(&d.qfrc_constraint);
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.qacc);
    for i in 0..m.nv {
        d.qacc[i] += d.qacc_smooth[i];
    }
    set_states(m, d, nefc);
}

// the state of a row whose force it is
fn set_states(m: &Model, d: &mut Data, nefc: usize) {
    let [ne, nf] = [d.ne[0] as usize, d.nf[0] as usize];
    let mut r = 0;
    while r < nefc {
        let force = d.efc_force[r];
        let mut num = 1;
        let state = if r < ne {
            ConstraintState::Quadratic
        } else if r < ne + nf {
            match d.efc_frictionloss[r] {
                loss if force >= loss => ConstraintState::LinearNeg,
                loss if force <= -loss => ConstraintState::LinearPos,
                _ => ConstraintState::Quadratic,
            }
        } else if force <= 0.0 {
            ConstraintState::Satisfied
        } else if is_elliptic(m, d, r) {
            let contact = Contact::of(m, d, r);
            num = contact.dim;
            match contact.slides(&d.efc_force[r..]) {
                true => ConstraintState::Cone,
                false => ConstraintState::Quadratic,
            }
        } else {
            ConstraintState::Quadratic
        };
        if state == ConstraintState::Satisfied && is_elliptic(m, d, r) {
            num = Contact::of(m, d, r).dim;
        }
        d.efc_state[r..r + num].fill(state as i32);
        r += num;
    }
}
