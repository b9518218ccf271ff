//! What Newton and conjugate gradients have in common: where to start, forces from residuals, the gradient, the step along
//! a direction. The primal problem is to minimise
//! `1/2 (a - qacc_smooth)' M (a - qacc_smooth) + s(J a - aref)` over the acceleration a, where s is the sum of the rows'
//! costs. `solver_Ma` is `M a - qfrc_smooth`, `solver_Jaref` is `J a - aref`.

use super::cone::{Contact, Path, is_elliptic};
use super::linesearch::Line;
use super::sparse::mul_m;
use crate::fields::{Data, Model};
use crate::types::*;

/// Where an island's dofs and rows are, in `map_idof2dof` and `map_iefc2efc`.
pub struct Island {
    /// Its dofs.
    pub dofs: std::ops::Range<usize>,
    /// Its rows.
    pub rows: std::ops::Range<usize>,
}

impl Island {
    /// An island by its number.
    pub fn of(d: &Data, island: usize) -> Self {
        let range = |adr: i32, num: i32| adr as usize..(adr + num) as usize;
        Self {
            dofs: range(d.island_idofadr[island], d.island_nv[island]),
            rows: range(d.island_iefcadr[island], d.island_nefc[island]),
        }
    }
}

// borrows the Jacobian without borrowing the rest of the world
macro_rules! jacobian {
    ($m:expr, $d:expr) => {
        $crate::cpu::lib::rows::Rows {
            m: $m,
            pat: &$d.efc_Jpat,
            entries: &$d.efc_J,
        }
    };
}
pub(crate) use jacobian;

/// `mj_fwdConstraint`: starts, and has every island solved; `solve` returns the number of iterations.
pub fn by_island(m: &Model, d: &mut Data, solve: impl Fn(&Model, &mut Data, &Island) -> i32) {
    crate::cpu::island::island(m, d);
    d.solver_niter[0] = 0;
    d.qfrc_constraint.fill(0.0);
    d.qacc.copy_from_slice(&d.qacc_smooth);

    // no rows: nothing holds the unconstrained acceleration up
    if d.nefc[0] == 0 {
        return;
    }
    start(m, d);
    for k in 0..d.nisland[0] as usize {
        let niter = solve(m, d, &Island::of(d, k));
        d.island_niter[k] = niter;
        d.solver_niter[0] += niter;
    }
}

/// 1 / trace of an island's inertia: what improvements and gradients are measured with.
pub fn scale_of(m: &Model, d: &Data, island: &Island) -> f64 {
    let mut trace = 0.0;
    for &i in &d.map_idof2dof[island.dofs.clone()] {
        let i = i as usize;
        trace += d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
    }
    1.0 / trace
}

/// Residuals of the rows at the unconstrained acceleration (efc_b) and at the last one (Jaref), and what the latter lacks
/// in force (Ma).
pub fn residuals(m: &Model, d: &mut Data) {
    let nefc = d.nefc[0] as usize;
    let rows = &d.map_iefc2efc[..nefc];
    jacobian!(m, d).mul_vec(rows, &d.qacc_smooth, &mut d.efc_b);
    jacobian!(m, d).mul_vec(rows, &d.qacc_warmstart, &mut d.solver_Jaref);
    for r in 0..nefc {
        d.efc_b[r] -= d.efc_aref[r];
        d.solver_Jaref[r] -= d.efc_aref[r];
    }
    mul_m(m, &d.M, &mut d.solver_Ma, &d.qacc_warmstart);
    for i in 0..m.nv {
        d.solver_Ma[i] -= d.qfrc_smooth[i];
    }
}

// begins at the cheaper of the last acceleration and the unconstrained one; leaves qacc, Ma, Jaref (warmstart)
fn start(m: &Model, d: &mut Data) {
    let nefc = d.nefc[0] as usize;
    residuals(m, d);
    if !m.opt.disabled(DSBL_WARMSTART) {
        // cost of both
        let mut cost = rows_cost(m, d, &d.solver_Jaref);
        let cost_smooth = rows_cost(m, d, &d.efc_b);
        for i in 0..m.nv {
            cost += 0.5 * d.solver_Ma[i] * (d.qacc_warmstart[i] - d.qacc_smooth[i]);
        }

        // dofs that no row moves are not the solver's
        if cost <= cost_smooth {
            let nidof: i32 = d.island_nv[..d.nisland[0] as usize].iter().sum();
            for &i in &d.map_idof2dof[..nidof as usize] {
                d.qacc[i as usize] = d.qacc_warmstart[i as usize];
            }
            return;
        }
    }
    d.solver_Ma.fill(0.0);
    d.solver_Jaref[..nefc].copy_from_slice(&d.efc_b[..nefc]);
}

// cost of all rows with residuals x
fn rows_cost(m: &Model, d: &Data, x: &[f64]) -> f64 {
    let [ne, nf, nefc] = [d.ne[0], d.nf[0], d.nefc[0]].map(|n| n as usize);
    let mut cost = 0.0;
    for r in 0..ne {
        cost += 0.5 * d.efc_D[r] * x[r] * x[r];
    }
    for r in ne..ne + nf {
        let loss = d.efc_frictionloss[r];
        let bound = d.efc_R[r] * loss;
        cost += if x[r].abs() < bound {
            0.5 * d.efc_D[r] * x[r] * x[r]
        } else {
            loss * (x[r].abs() - 0.5 * bound)
        };
    }
    let mut r = ne + nf;
    while r < nefc {
        if is_elliptic(m, d, r) {
            let contact = Contact::of(m, d, r);
            cost += contact.cost(&d.efc_D[r..], &x[r..]);
            r += contact.dim;
        } else {
            // a residual that is not a number stays one
            let x = if x[r] >= 0.0 { 0.0 } else { x[r] };
            cost += 0.5 * d.efc_D[r] * x * x;
            r += 1;
        }
    }
    cost
}

/// What an update did to the rows' part of the Hessian.
#[derive(Clone, Copy, Default)]
pub struct Change {
    /// A row became quadratic or no longer is.
    pub quadratic: bool,
    /// A contact slides: its part changes with every step.
    pub cone: bool,
}

/// Force and state of a row from its residual; rows of an elliptic contact have theirs together ([`Contact::force`]).
pub fn row_force(d: &Data, r: usize, x: f64) -> (f64, ConstraintState) {
    let [ne, nf] = [d.ne[0] as usize, d.nf[0] as usize];
    let force = -d.efc_D[r] * x;
    if r < ne {
        // equality
    } else if r < ne + nf {
        // friction loss
        let loss = d.efc_frictionloss[r];
        let bound = d.efc_R[r] * loss;
        if x <= -bound {
            return (loss, ConstraintState::LinearNeg);
        } else if x >= bound {
            return (-loss, ConstraintState::LinearPos);
        }
    } else if x >= 0.0 {
        // limit or contact, let go
        return (0.0, ConstraintState::Satisfied);
    }
    (force, ConstraintState::Quadratic)
}

/// Force and state of every row from its residual (`mj_constraintUpdate`).
pub fn update_constraint(m: &Model, d: &mut Data, island: &Island) -> Change {
    let mut change = Change::default();
    let mut row = island.rows.start;
    while row < island.rows.end {
        let r = d.map_iefc2efc[row] as usize;
        let mut num = 1;
        let state = if is_elliptic(m, d, r) {
            let contact = Contact::of(m, d, r);
            num = contact.dim;
            let (inertia, x) = (&d.efc_D[r..], &d.solver_Jaref[r..]);
            contact.force(inertia, x, &mut d.efc_force[r..])
        } else {
            let (force, state) = row_force(d, r, d.solver_Jaref[r]);
            d.efc_force[r] = force;
            state
        };
        let quadratic = i32::from(state == ConstraintState::Quadratic);
        change.quadratic |= d.solver_inH[r] != quadratic;
        change.cone |= state == ConstraintState::Cone;
        d.efc_state[r..r + num].fill(state as i32);
        row += num;
    }
    change
}

/// Grad = M qacc - qfrc_smooth - J' force; its length.
pub fn update_gradient(m: &Model, d: &mut Data, island: &Island) -> f64 {
    let dofs = &d.map_idof2dof[island.dofs.clone()];
    for &i in dofs {
        d.solver_grad[i as usize] = d.solver_Ma[i as usize];
    }
    let rows = &d.map_iefc2efc[island.rows.clone()];
    jacobian!(m, d).sub_mul_t_vec(rows, &d.efc_force, &mut d.solver_grad);
    let mut sum = 0.0;
    for &i in dofs {
        let i = i as usize;
        d.qfrc_constraint[i] = d.solver_Ma[i] - d.solver_grad[i];
        sum += d.solver_grad[i] * d.solver_grad[i];
    }
    sum.sqrt()
}

/// 1/2 grad' inv(M) grad (mj_solveLD).
pub fn gap(m: &Model, d: &mut Data, island: &Island) -> f64 {
    let dofs = &d.map_idof2dof[island.dofs.clone()];
    let x = &mut d.solver_search;
    for &i in dofs {
        x[i as usize] = d.solver_grad[i as usize];
    }

    // x = inv(L') grad; then grad' inv(M) grad = x' inv(D) x
    let mut sum = 0.0;
    for &i in dofs.iter().rev() {
        let i = i as usize;
        let adr = m.M_rowadr[i] as usize;
        let num = m.M_rownnz[i] as usize - 1;
        for k in adr..adr + num {
            x[m.M_colind[k] as usize] -= d.qLD[k] * x[i];
        }
        sum += x[i] * x[i] * d.qLDiagInv[i];
    }
    0.5 * sum
}

// res = M x for an island's dofs
fn mul_m_dofs(m: &Model, mass: &[f64], res: &mut [f64], x: &[f64], dofs: &[i32]) {
    for &i in dofs {
        let i = i as usize;
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
        let xi = x[i];
        let mut sum = mass[adr + num] * xi;
        for (a, &j) in mass[adr..adr + num].iter().zip(&m.M_colind[adr..adr + num]) {
            sum += *a * x[j as usize];
            res[j as usize] += *a * xi;
        }
        res[i] = sum;
    }
}

/// The best step along the search direction, and what it gains (PrimalSearch).
pub fn line_search(m: &Model, d: &mut Data, island: &Island, scale: f64) -> (f64, f64) {
    let dofs = &d.map_idof2dof[island.dofs.clone()];
    let rows = &d.map_iefc2efc[island.rows.clone()];
    let mut norm = 0.0;
    for &i in dofs {
        norm += d.solver_search[i as usize] * d.solver_search[i as usize];
    }
    let norm = norm.sqrt();
    if norm < MINVAL {
        return (0.0, 0.0);
    }
    let gtol = m.opt.tolerance * m.opt.ls_tolerance * norm / scale;
    mul_m_dofs(m, &d.M, &mut d.solver_Mv, &d.solver_search, dofs);
    jacobian!(m, d).mul_vec(rows, &d.solver_search, &mut d.solver_Jv);

    // what is quadratic everywhere: inertia and equalities
    let mut smooth = [0.0; 2];
    for &i in dofs {
        let (i, v) = (i as usize, d.solver_search[i as usize]);
        smooth[0] += v * d.solver_Ma[i];
        smooth[1] += 0.5 * v * d.solver_Mv[i];
    }
    let [ne, nf] = [d.ne[0], d.nf[0]];
    let count = |stop: i32| rows.partition_point(|&r| r < stop);
    let [ne, nf] = [count(ne), count(ne + nf)];
    for &r in &rows[..ne] {
        let r = r as usize;
        let dv = d.efc_D[r] * d.solver_Jv[r];
        smooth[0] += dv * d.solver_Jaref[r];
        smooth[1] += 0.5 * dv * d.solver_Jv[r];
    }

    // the other rows: friction losses, one-sided ones, elliptic contacts
    let mut num = 0;
    let mut ncone = 0;
    let mut elliptic = rows.len();
    for (k, &r) in rows.iter().enumerate().skip(ne) {
        let r = r as usize;
        let (x, v, inertia) = (d.solver_Jaref[r], d.solver_Jv[r], d.efc_D[r]);
        let quad = if k < nf {
            let loss = d.efc_frictionloss[r];
            [x, v, inertia, loss, loss * d.efc_R[r]]
        } else if is_elliptic(m, d, r) {
            elliptic = elliptic.min(k);
            continue;
        } else {
            let force = inertia * x;
            [x, v, 0.5 * force * x, force * v, 0.5 * inertia * v * v]
        };
        d.solver_quad[5 * num..5 * num + 5].copy_from_slice(&quad);
        num += 1;
    }
    while elliptic < rows.len() {
        let r = rows[elliptic] as usize;
        elliptic += 1;
        if is_elliptic(m, d, r) {
            let contact = Contact::of(m, d, r);
            let path = contact.path(&d.efc_D[r..], &d.solver_Jaref[r..], &d.solver_Jv[r..]);
            let at = 5 * num + PATH * ncone;
            d.solver_quad[at..at + PATH].copy_from_slice(bytemuck::cast_slice(&[path]));
            elliptic += contact.dim - 1;
            ncone += 1;
        }
    }
    let (quad, cones) = d.solver_quad.split_at(5 * num);
    let (friction, one_sided) = quad.as_chunks::<5>().0.split_at(nf - ne);
    let mut line = Line {
        smooth,
        friction,
        one_sided,
        cones: bytemuck::cast_slice(&cones[..PATH * ncone]),
        neval: 0,
    };
    line.search(gtol, m.opt.ls_iterations)
}

// reals of a contact's path
const PATH: usize = size_of::<Path>() / size_of::<f64>();

/// Moves along the search direction.
pub fn take_step(d: &mut Data, island: &Island, alpha: f64) {
    for &i in &d.map_idof2dof[island.dofs.clone()] {
        let i = i as usize;
        d.qacc[i] += alpha * d.solver_search[i];
        d.solver_Ma[i] += alpha * d.solver_Mv[i];
    }
    for &r in &d.map_iefc2efc[island.rows.clone()] {
        d.solver_Jaref[r as usize] += alpha * d.solver_Jv[r as usize];
    }
}
