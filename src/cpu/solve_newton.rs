//! Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
//!
//! Minimises `1/2 (a - qacc_smooth)' M (a - qacc_smooth) + s(J a - aref)` over the acceleration a, where s is the sum of the
//! rows' costs: quadratic, linear, or nothing. Every island by itself.

use wide::f64x4;

use crate::cpu::lib::chains;
use crate::cpu::lib::linesearch::Line;
use crate::cpu::lib::rows::{Rows, follow, for_rows, load, store};
use crate::cpu::lib::sparse::mul_m;
use crate::fields::{Data, Model};
use crate::types::*;

/// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
pub fn solve_newton(m: &Model, d: &mut Data) {
    d.solver_niter[0] = 0;
    d.qfrc_constraint.fill(0.0);
    d.qacc.copy_from_slice(&d.qacc_smooth);

    // no rows: nothing holds the unconstrained acceleration up
    if d.nefc[0] == 0 {
        return;
    }
    start(m, d);
    for island in 0..d.nisland[0] as usize {
        let size = Island::of(d, island);
        let niter = newton(m, d, &size);
        d.island_niter[island] = niter;
        d.solver_niter[0] += niter;
    }
}

/// Where an island's dofs and rows are.
struct Island {
    dofs: std::ops::Range<usize>,
    rows: std::ops::Range<usize>,
}

impl Island {
    fn of(d: &Data, island: usize) -> Self {
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
        Rows {
            m: $m,
            pat: &$d.efc_Jpat,
            entries: &$d.efc_J,
        }
    };
}

// where the rows of an island's Hessian are
macro_rules! shape {
    ($d:expr, $nv:expr) => {
        chains::Shape {
            adr: &$d.solver_adr[..$nv],
            end: &$d.solver_end[..$nv],
            parent: &$d.solver_parent[..$nv],
        }
    };
}

// begins at the cheaper of the last acceleration and the unconstrained one; leaves qacc, Ma, Jaref (warmstart)
fn start(m: &Model, d: &mut Data) {
    let nefc = d.nefc[0] as usize;
    let rows = &d.map_iefc2efc[..nefc];

    // residual of the rows at the unconstrained acceleration
    jacobian!(m, d).mul_vec(rows, &d.qacc_smooth, &mut d.efc_b);
    for r in 0..nefc {
        d.efc_b[r] -= d.efc_aref[r];
    }
    if !m.opt.disabled(DSBL_WARMSTART) {
        // residual and force at the last acceleration
        jacobian!(m, d).mul_vec(rows, &d.qacc_warmstart, &mut d.solver_Jaref);
        mul_m(m, &d.M, &mut d.solver_Ma, &d.qacc_warmstart);
        for r in 0..nefc {
            d.solver_Jaref[r] -= d.efc_aref[r];
        }
        for i in 0..m.nv {
            d.solver_Ma[i] -= d.qfrc_smooth[i];
        }

        // cost of both
        let mut cost = 0.0;
        let mut cost_smooth = 0.0;
        for r in 0..nefc {
            cost += row_cost(d, r, d.solver_Jaref[r]);
            cost_smooth += row_cost(d, r, d.efc_b[r]);
        }
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

// iterates until an island has converged; number of iterations
fn newton(m: &Model, d: &mut Data, size: &Island) -> i32 {
    let dofs = size.dofs.clone();

    // improvements and gradients are measured against the trace of M
    let mut trace = 0.0;
    for &i in &d.map_idof2dof[dofs.clone()] {
        let i = i as usize;
        trace += d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
    }
    let scale = 1.0 / trace;
    let tolerance = m.opt.tolerance;

    // forces, and what is left of the equation of motion
    update_constraint(d, size);
    let mut gradient = scale * update_gradient(m, d, size);

    // the gap to the optimum is at most 1/2 grad' inv(M) grad: nothing to do if that is small
    let small_gradient = gradient < tolerance;
    if small_gradient && gap(m, d, size) * scale < tolerance {
        return 0;
    }

    // Hessian, its factor, and the direction
    symbolic(m, d, size);
    make_hessian(m, d, size);
    factor(m, d, size);
    let mut decrement = scale * direction(d, size);
    if small_gradient && decrement < tolerance {
        return 0;
    }

    let mut niter = 0;
    while niter < m.opt.iterations {
        // step along the direction
        let (alpha, improvement) = line_search(m, d, size, scale);
        if alpha == 0.0 {
            break;
        }
        advance(d, size, alpha);
        niter += 1;

        // done when the step gained little or forces balance
        let changed = update_constraint(d, size);
        gradient = scale * update_gradient(m, d, size);
        let improvement = scale * improvement;
        if (improvement > 0.0 && improvement < tolerance) || gradient < tolerance {
            break;
        }

        // the Hessian changes only if a row entered or left it; done when the next step would gain little
        if changed {
            update_hessian(m, d, size);
            factor(m, d, size);
        }
        decrement = scale * direction(d, size);
        if decrement < tolerance {
            break;
        }
    }
    niter
}

// cost of one row with a residual
fn row_cost(d: &Data, r: usize, x: f64) -> f64 {
    let [ne, nf] = [d.ne[0] as usize, d.nf[0] as usize];
    if r < ne {
        0.5 * d.efc_D[r] * x * x
    } else if r < ne + nf {
        let loss = d.efc_frictionloss[r];
        let bound = d.efc_R[r] * loss;
        if x.abs() < bound {
            0.5 * d.efc_D[r] * x * x
        } else {
            loss * (x.abs() - 0.5 * bound)
        }
    } else if x < 0.0 {
        0.5 * d.efc_D[r] * x * x
    } else {
        0.0
    }
}

// force and state of every row from its residual; true if the set of quadratic rows changed (mj_constraintUpdate)
fn update_constraint(d: &mut Data, size: &Island) -> bool {
    let [ne, nf] = [d.ne[0] as usize, d.nf[0] as usize];
    let mut changed = false;
    for &r in &d.map_iefc2efc[size.rows.clone()] {
        let r = r as usize;
        let x = d.solver_Jaref[r];
        let mut force = -d.efc_D[r] * x;
        let mut state = ConstraintState::Quadratic;
        if r < ne {
            // equality
        } else if r < ne + nf {
            // friction loss
            let loss = d.efc_frictionloss[r];
            let bound = d.efc_R[r] * loss;
            if x <= -bound {
                (force, state) = (loss, ConstraintState::LinearNeg);
            } else if x >= bound {
                (force, state) = (-loss, ConstraintState::LinearPos);
            }
        } else if x >= 0.0 {
            // limit or contact, let go
            (force, state) = (0.0, ConstraintState::Satisfied);
        }
        d.efc_force[r] = force;
        d.efc_state[r] = state as i32;
        let quadratic = i32::from(state == ConstraintState::Quadratic);
        changed |= d.solver_inH[r] != quadratic;
    }
    changed
}

// grad = M qacc - qfrc_smooth - J' force; its length
fn update_gradient(m: &Model, d: &mut Data, size: &Island) -> f64 {
    let dofs = &d.map_idof2dof[size.dofs.clone()];
    for &i in dofs {
        d.solver_grad[i as usize] = d.solver_Ma[i as usize];
    }
    let rows = &d.map_iefc2efc[size.rows.clone()];
    jacobian!(m, d).sub_mul_t_vec(rows, &d.efc_force, &mut d.solver_grad);
    let mut sum = 0.0;
    for &i in dofs {
        let i = i as usize;
        d.qfrc_constraint[i] = d.solver_Ma[i] - d.solver_grad[i];
        sum += d.solver_grad[i] * d.solver_grad[i];
    }
    sum.sqrt()
}

// 1/2 grad' inv(M) grad (mj_solveLD)
fn gap(m: &Model, d: &mut Data, size: &Island) -> f64 {
    let dofs = &d.map_idof2dof[size.dofs.clone()];
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

// which dofs of the island are coupled: every dof's row of the Hessian ends at the last of them
fn symbolic(m: &Model, d: &mut Data, size: &Island) {
    let dofs = &d.map_idof2dof[size.dofs.clone()];
    let end = &mut d.solver_end;

    // by inertia
    for (k, &i) in dofs.iter().enumerate() {
        end[k] = k as i32;
        let adr = m.M_rowadr[i as usize] as usize;
        for &j in &m.M_colind[adr..adr + m.M_rownnz[i as usize] as usize] {
            end[d.map_dof2idof[j as usize] as usize] = k as i32;
        }
    }

    // by rows
    let mut last_pattern = -1;
    for &r in &d.map_iefc2efc[size.rows.clone()] {
        let pattern = d.efc_Jpat[r as usize];
        if pattern == last_pattern {
            continue;
        }
        last_pattern = pattern;
        let pattern_dofs = jacobian!(m, d).dofs(r);
        let Some(&last) = pattern_dofs.last() else {
            continue;
        };
        let last = d.map_dof2idof[last as usize];
        for &i in pattern_dofs {
            let k = d.map_dof2idof[i as usize] as usize;
            end[k] = end[k].max(last);
        }
    }

    // rows of the Hessian follow each other
    chains::parents(&mut d.solver_parent, &mut end[..dofs.len()]);
    let mut adr = 0;
    for k in 0..dofs.len() {
        d.solver_adr[k] = adr - k as i32;
        adr += end[k] + 1 - k as i32;
    }
}

// H = M + J' D J over the quadratic rows
fn make_hessian(m: &Model, d: &mut Data, size: &Island) {
    let dofs = &d.map_idof2dof[size.dofs.clone()];
    let nv = dofs.len();
    let nh = d.solver_adr[nv - 1] as usize + nv;
    d.solver_H[..nh].fill(0.0);
    for (k, &i) in dofs.iter().enumerate() {
        let adr = m.M_rowadr[i as usize] as usize;
        for k_m in adr..adr + m.M_rownnz[i as usize] as usize {
            let j = d.map_dof2idof[m.M_colind[k_m] as usize] as usize;
            d.solver_H[d.solver_adr[j] as usize + k] = d.M[k_m];
        }
    }
    for &r in &d.map_iefc2efc[size.rows.clone()] {
        d.solver_inH[r as usize] = 0;
    }
    update_hessian(m, d, size);
}

// adds rows that became quadratic to H and takes away those that no longer are
fn update_hessian(m: &Model, d: &mut Data, size: &Island) {
    let rows = &d.map_iefc2efc[size.rows.clone()];
    let (h, adr, place) = (&mut d.solver_H, &d.solver_adr, &d.map_dof2idof);
    for_rows!(jacobian!(m, d), rows, |r, entries, dof| {
        let mut weight = [0.0; _];
        for i in 0..r.len() {
            let quadratic = i32::from(d.efc_state[r[i]] == ConstraintState::Quadratic);
            let change = quadratic - d.solver_inH[r[i]];
            d.solver_inH[r[i]] = quadratic;
            weight[i] = f64::from(change) * d.efc_D[r[i]];
        }
        add_rows(h, adr, place, entries, dof, weight);
    });
}

// H += J' weight J for rows that touch the same dofs
fn add_rows<const N: usize>(
    h: &mut [f64],
    adr: &[i32],
    place: &[i32],
    rows: [&[f64]; N],
    dof: &[i32],
    weight: [f64; N],
) {
    if weight.iter().all(|&weight| weight == 0.0) {
        return;
    }
    for a in 0..dof.len() {
        let row = adr[place[dof[a] as usize] as usize];
        let t: [f64; N] = std::array::from_fn(|n| weight[n] * rows[n][a]);
        let t4 = t.map(f64x4::splat);
        let mut b = a;
        while b < dof.len() {
            if let Some(first) = follow(dof, b) {
                let at = (row + place[first]) as usize;
                let mut sum = load(h, at);
                for n in 0..N {
                    sum += t4[n] * load(rows[n], b);
                }
                store(h, at, sum);
                b += 4;
            } else {
                let mut sum = 0.0;
                for n in 0..N {
                    sum += t[n] * rows[n][b];
                }
                h[(row + place[dof[b] as usize]) as usize] += sum;
                b += 1;
            }
        }
    }
}

// factors H; made anew if what was added and taken away left it indefinite
fn factor(m: &Model, d: &mut Data, size: &Island) {
    for anew in [false, true] {
        if anew {
            make_hessian(m, d, size);
        }
        let nv = size.dofs.len();
        let nh = d.solver_adr[nv - 1] as usize + nv;
        d.solver_U[..nh].copy_from_slice(&d.solver_H[..nh]);
        let full_rank = chains::factor(
            &mut d.solver_U,
            &mut d.solver_dinv[..nv],
            &mut d.solver_column,
            shape!(d, nv),
            MINVAL,
        );
        if full_rank {
            break;
        }
    }
}

// search = - inv(H) grad; what a full step would gain, 1/2 grad' inv(H) grad
fn direction(d: &mut Data, size: &Island) -> f64 {
    let dofs = &d.map_idof2dof[size.dofs.clone()];
    let nv = dofs.len();
    let x = &mut d.solver_Mgrad;
    for (x, &i) in x.iter_mut().zip(dofs) {
        *x = d.solver_grad[i as usize];
    }
    chains::solve(x, &d.solver_U, &d.solver_dinv[..nv], shape!(d, nv));
    let mut sum = 0.0;
    for (x, &i) in x.iter().zip(dofs) {
        d.solver_search[i as usize] = -x;
        sum += x * d.solver_grad[i as usize];
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

// the best step along the search direction, and what it gains (PrimalSearch)
fn line_search(m: &Model, d: &mut Data, size: &Island, scale: f64) -> (f64, f64) {
    let dofs = &d.map_idof2dof[size.dofs.clone()];
    let rows = &d.map_iefc2efc[size.rows.clone()];
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

    // the other rows in the island's order
    let njmax = d.solver_Jv.len();
    let quad = &mut d.solver_quad[..];
    let (x, quad) = quad.split_at_mut(njmax);
    let (v, quad) = quad.split_at_mut(njmax);
    let (q0, quad) = quad.split_at_mut(njmax);
    let (q1, q2) = quad.split_at_mut(njmax);
    for (k, &r) in rows[ne..].iter().enumerate() {
        let r = r as usize;
        (x[k], v[k]) = (d.solver_Jaref[r], d.solver_Jv[r]);
        let inertia = d.efc_D[r];
        if k < nf - ne {
            let loss = d.efc_frictionloss[r];
            (q0[k], q1[k], q2[k]) = (inertia, loss, loss * d.efc_R[r]);
        } else {
            let dx = inertia * x[k];
            (q0[k], q1[k], q2[k]) = (0.5 * dx * x[k], dx * v[k], 0.5 * inertia * v[k] * v[k]);
        }
    }
    let mut line = Line {
        smooth,
        nf: nf - ne,
        nu: rows.len() - ne,
        x,
        v,
        q: [q0, q1, q2],
        neval: 0,
    };
    line.search(gtol, m.opt.ls_iterations)
}

// moves along the search direction
fn advance(d: &mut Data, size: &Island, alpha: f64) {
    for &i in &d.map_idof2dof[size.dofs.clone()] {
        let i = i as usize;
        d.qacc[i] += alpha * d.solver_search[i];
        d.solver_Ma[i] += alpha * d.solver_Mv[i];
    }
    for &r in &d.map_iefc2efc[size.rows.clone()] {
        d.solver_Jaref[r as usize] += alpha * d.solver_Jv[r as usize];
    }
}
