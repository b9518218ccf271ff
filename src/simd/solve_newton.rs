//! Newton's solver for worlds side by side: one matrix, one factor and one line search for all lanes of a tile, each
//! lane with its own numbers. Twin of `cpu/solve_newton.rs`.
//!
//! Rows are the union of the lanes' rows, in the order of the model's elements; a lane that lacks a row has D = 0 there,
//! which adds exact zeros. So a lane's numbers do not depend on its neighbours. Lanes that have converged stand still.

use super::line_search::Line;
use super::rows::{Rows, pattern};
use crate::cpu::lib::{skyline, sparse};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
pub fn solve_newton<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    d.solver_niter[0] = R::Int::default();
    d.qfrc_constraint.fill(R::zero());
    d.qacc.copy_from_slice(&d.qacc_smooth);

    // no rows: nothing holds the unconstrained acceleration up
    if rows.num > 0 {
        start(m, d, rows);
        newton(m, d, rows);
    }
}

// out = J v
fn mul_j<R: Real>(m: &Model, rows: &Rows<R>, entries: &[R], v: &[R], out: &mut [R]) {
    fn some<R: Real, const N: usize>(dofs: &[i32], entries: [&[R]; N], v: &[R]) -> [R; N] {
        let mut sum = [R::zero(); N];
        for (k, &dof) in dofs.iter().enumerate() {
            let v = v[dof as usize];
            for n in 0..N {
                sum[n] = entries[n][k].mul_add(v, sum[n]);
            }
        }
        sum
    }
    rows.by_pattern(|r, n| match n {
        4 => {
            let (dofs, entries) = rows.some::<4>(m, entries, r);
            out[r..r + 4].copy_from_slice(&some(dofs, entries, v));
        }
        2 => {
            let (dofs, entries) = rows.some::<2>(m, entries, r);
            out[r..r + 2].copy_from_slice(&some(dofs, entries, v));
        }
        _ => {
            let (dofs, entries) = rows.some::<1>(m, entries, r);
            out[r..r + 1].copy_from_slice(&some(dofs, entries, v));
        }
    });
}

// begins at the cheaper of the last acceleration and the unconstrained one; leaves qacc, Ma, Jaref
fn start<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
    let num = rows.num;
    mul_j(m, rows, &d.efc_J, &d.qacc_smooth, &mut d.efc_b);
    for (b, &aref) in d.efc_b[..num].iter_mut().zip(&d.efc_aref) {
        *b -= aref;
    }
    d.solver_Ma.fill(R::zero());
    d.solver_Jaref[..num].copy_from_slice(&d.efc_b[..num]);
    if m.opt.disabled(DSBL_WARMSTART) {
        return;
    }

    // cost of the last acceleration
    sparse::mul_m(m, &d.M, &mut d.solver_Mv, &d.qacc_warmstart);
    mul_j(m, rows, &d.efc_J, &d.qacc_warmstart, &mut d.solver_Jv);
    let (mut cost, mut cost_smooth) = (R::zero(), R::zero());
    for r in 0..num {
        d.solver_Jv[r] -= d.efc_aref[r];
        cost += row_cost(d, rows, r, d.solver_Jv[r]);
        cost_smooth += row_cost(d, rows, r, d.efc_b[r]);
    }
    for i in 0..m.nv {
        d.solver_Mv[i] -= d.qfrc_smooth[i];
        cost += R::splat(0.5) * d.solver_Mv[i] * (d.qacc_warmstart[i] - d.qacc_smooth[i]);
    }

    // lane by lane the cheaper
    let warm = cost.le(cost_smooth);
    for i in 0..m.nv {
        d.qacc[i] = R::select(warm, d.qacc_warmstart[i], d.qacc[i]);
        d.solver_Ma[i] = R::select(warm, d.solver_Mv[i], d.solver_Ma[i]);
    }
    for r in 0..num {
        d.solver_Jaref[r] = R::select(warm, d.solver_Jv[r], d.solver_Jaref[r]);
    }
}

// iterates until every lane has converged
fn newton<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    let zero = R::zero();
    let tolerance = R::splat(m.opt.tolerance);

    // improvements and gradients are measured against the trace of M
    let mut trace = zero;
    for i in 0..m.nv {
        trace += d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
    }
    let scale = R::one() / trace;

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

// cost of one row with a residual
fn row_cost<R: Real>(d: &Data<R>, rows: &Rows<R>, r: usize, x: R) -> R {
    let half = R::splat(0.5);
    let quadratic = half * d.efc_D[r] * x * x;
    if r < rows.ne {
        quadratic
    } else if r < rows.ne + rows.nf {
        let loss = d.efc_frictionloss[r];
        let bound = d.efc_R[r] * loss;
        R::select(
            x.abs().lt(bound),
            quadratic,
            loss * (x.abs() - half * bound),
        )
    } else {
        R::select(x.lt(R::zero()), quadratic, R::zero())
    }
}

// force of every row from its residual, and its weight in the Hessian; true where the set of quadratic rows changed
// (mj_constraintUpdate)
fn update_constraint<R: Real>(d: &mut Data<R>, rows: &mut Rows<R>) -> R::Mask {
    let zero = R::zero();
    let mut changed = zero.lt(zero);
    for r in 0..rows.num {
        let (x, stiff) = (d.solver_Jaref[r], d.efc_D[r]);
        let mut force = -stiff * x;
        let mut weight = stiff;
        if r < rows.ne {
            // equality
        } else if r < rows.ne + rows.nf {
            // friction loss
            let loss = d.efc_frictionloss[r];
            let inside = x.abs().lt(d.efc_R[r] * loss);
            force = R::select(inside, force, R::select(zero.lt(x), -loss, loss));
            weight = R::select(inside, stiff, zero);
        } else {
            // limit or contact
            let holds = x.lt(zero);
            force = R::select(holds, force, zero);
            weight = R::select(holds, stiff, zero);
        }
        d.efc_force[r] = force;
        changed = changed | weight.lt(rows.weight[r]) | rows.weight[r].lt(weight);
        rows.weight[r] = weight;
    }
    changed
}

// grad = M qacc - qfrc_smooth - J' force; its length
fn update_gradient<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>) -> R {
    fn some<R: Real, const N: usize>(dofs: &[i32], entries: [&[R]; N], force: &[R], sum: &mut [R]) {
        if force.iter().all(|f| f.abs().le(R::zero()).all()) {
            return;
        }
        for (k, &dof) in dofs.iter().enumerate() {
            let sum = &mut sum[dof as usize];
            let mut x = *sum;
            for n in 0..N {
                x = entries[n][k].mul_add(force[n], x);
            }
            *sum = x;
        }
    }
    let mut qfrc = std::mem::take(&mut d.qfrc_constraint);
    qfrc.fill(R::zero());
    rows.by_pattern(|r, n| {
        let force = &d.efc_force[r..r + n];
        match n {
            4 => {
                let (dofs, entries) = rows.some::<4>(m, &d.efc_J, r);
                some(dofs, entries, force, &mut qfrc);
            }
            2 => {
                let (dofs, entries) = rows.some::<2>(m, &d.efc_J, r);
                some(dofs, entries, force, &mut qfrc);
            }
            _ => {
                let (dofs, entries) = rows.some::<1>(m, &d.efc_J, r);
                some(dofs, entries, force, &mut qfrc);
            }
        }
    });
    d.qfrc_constraint = qfrc;
    let mut sum = R::zero();
    for i in 0..m.nv {
        let grad = d.solver_Ma[i] - d.qfrc_constraint[i];
        d.solver_grad[i] = grad;
        sum = grad.mul_add(grad, sum);
    }
    sum.sqrt()
}

// 1/2 grad' inv(M) grad
fn gap<R: Real>(m: &Model, d: &mut Data<R>) -> R {
    let x = &mut d.solver_Mgrad[..m.nv];
    x.copy_from_slice(&d.solver_grad);
    sparse::solve_ld(m, &d.qLD, &d.qLDiagInv, x);
    let mut sum = R::zero();
    for (x, &grad) in x.iter().zip(&d.solver_grad) {
        sum = x.mul_add(grad, sum);
    }
    R::splat(0.5) * sum
}

// which dofs are coupled in any lane: every dof's row of the Hessian ends at the last of them
fn symbolic<R: Real>(m: &Model, rows: &mut Rows<R>) {
    // by inertia
    for i in 0..m.nv {
        rows.end[i] = i as i32;
        let adr = m.M_rowadr[i] as usize;
        for &j in &m.M_colind[adr..adr + m.M_rownnz[i] as usize] {
            rows.end[j as usize] = i as i32;
        }
    }

    // by rows
    for r in 0..rows.num {
        let dofs = pattern(m, rows.pattern[r]);
        let Some(&last) = dofs.last() else { continue };
        for &i in dofs {
            let end = &mut rows.end[i as usize];
            *end = last.max(*end);
        }
    }

    // rows of the Hessian follow each other
    let mut adr = 0;
    for i in 0..m.nv {
        rows.adr[i] = adr - i as i32;
        adr += rows.end[i] + 1 - i as i32;
    }
    rows.nh = adr as usize;
}

// H = M + J' D J over the quadratic rows, and its factor
fn factor<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
    let h = &mut d.solver_U[..rows.nh];
    h.fill(R::zero());
    for i in 0..m.nv {
        let adr = m.M_rowadr[i] as usize;
        for k in adr..adr + m.M_rownnz[i] as usize {
            let j = m.M_colind[k] as usize;
            h[(rows.adr[j] + i as i32) as usize] = d.M[k];
        }
    }
    rows.by_pattern(|r, n| match n {
        4 => add_rows::<R, 4>(m, rows, &d.efc_J, r, h),
        2 => add_rows::<R, 2>(m, rows, &d.efc_J, r, h),
        _ => add_rows::<R, 1>(m, rows, &d.efc_J, r, h),
    });
    skyline::factor(
        h,
        &mut d.solver_dinv,
        &rows.adr,
        &rows.end,
        R::splat(f64::from(f32::MIN_POSITIVE)),
    );
}

// H += J' weight J for N rows that touch the same dofs; two rows of H at a time share the entries that they load
fn add_rows<R: Real, const N: usize>(
    m: &Model,
    rows: &Rows<R>,
    entries: &[R],
    r: usize,
    h: &mut [R],
) {
    let weight: [R; N] = std::array::from_fn(|n| rows.weight[r + n]);
    if weight.iter().all(|w| w.le(R::zero()).all()) {
        return;
    }
    let (dofs, entries) = rows.some::<N>(m, entries, r);
    let num = dofs.len();
    let entries: [&[R]; N] = entries.map(|row| &row[..num]);
    let times = |a: usize| -> [R; N] { std::array::from_fn(|n| weight[n] * entries[n][a]) };
    let add = |h: &mut R, t: &[R; N], b: usize| {
        let mut sum = *h;
        for n in 0..N {
            sum = t[n].mul_add(entries[n][b], sum);
        }
        *h = sum;
    };
    let mut a = 0;
    while a + 1 < num {
        let (t0, t1) = (times(a), times(a + 1));
        let adr0 = rows.adr[dofs[a] as usize];
        let adr1 = rows.adr[dofs[a + 1] as usize];
        add(&mut h[(adr0 + dofs[a]) as usize], &t0, a);
        for b in a + 1..num {
            let j = dofs[b];
            add(&mut h[(adr0 + j) as usize], &t0, b);
            add(&mut h[(adr1 + j) as usize], &t1, b);
        }
        a += 2;
    }
    if a < num {
        let adr = rows.adr[dofs[a] as usize];
        add(&mut h[(adr + dofs[a]) as usize], &times(a), a);
    }
}

// search = - inv(H) grad; what a full step would gain, 1/2 grad' inv(H) grad
fn direction<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>) -> R {
    d.solver_Mgrad[..m.nv].copy_from_slice(&d.solver_grad);
    skyline::solve(
        &mut d.solver_Mgrad,
        &d.solver_U,
        &d.solver_dinv,
        &rows.adr,
        &rows.end,
    );
    let mut sum = R::zero();
    for i in 0..m.nv {
        let x = d.solver_Mgrad[i];
        d.solver_search[i] = -x;
        sum = x.mul_add(d.solver_grad[i], sum);
    }
    R::splat(0.5) * sum
}

// the best step along the search direction, and what it gains (PrimalSearch)
fn line_search<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    rows: &Rows<R>,
    scale: R,
    live: R::Mask,
) -> (R, R) {
    let mut norm = R::zero();
    for &x in &d.solver_search {
        norm = x.mul_add(x, norm);
    }
    let gtol = R::splat(m.opt.tolerance * m.opt.ls_tolerance) * norm.sqrt() / scale;
    sparse::mul_m(m, &d.M, &mut d.solver_Mv, &d.solver_search);
    mul_j(m, rows, &d.efc_J, &d.solver_search, &mut d.solver_Jv);

    // what is quadratic everywhere: inertia and equalities
    let half = R::splat(0.5);
    let mut smooth = [R::zero(); 2];
    for i in 0..m.nv {
        let v = d.solver_search[i];
        smooth[0] = v.mul_add(d.solver_Ma[i], smooth[0]);
        smooth[1] = (half * v).mul_add(d.solver_Mv[i], smooth[1]);
    }
    for r in 0..rows.ne {
        let dv = d.efc_D[r] * d.solver_Jv[r];
        smooth[0] = dv.mul_add(d.solver_Jaref[r], smooth[0]);
        smooth[1] = (half * dv).mul_add(d.solver_Jv[r], smooth[1]);
    }
    let rest = rows.ne..rows.num;
    let line = Line {
        smooth,
        nf: rows.nf,
        x: &d.solver_Jaref[rest.clone()],
        v: &d.solver_Jv[rest.clone()],
        d: &d.efc_D[rest.clone()],
        loss: &d.efc_frictionloss[rest.clone()],
        r: &d.efc_R[rest],
    };
    line.search(gtol, live, m.opt.ls_iterations)
}

// moves along the search direction
fn advance<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>, alpha: R) {
    for i in 0..m.nv {
        d.qacc[i] = alpha.mul_add(d.solver_search[i], d.qacc[i]);
        d.solver_Ma[i] = alpha.mul_add(d.solver_Mv[i], d.solver_Ma[i]);
    }
    for r in 0..rows.num {
        d.solver_Jaref[r] = alpha.mul_add(d.solver_Jv[r], d.solver_Jaref[r]);
    }
}
