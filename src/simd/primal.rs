//! What Newton and conjugate gradients have in common, for worlds side by side. Twin of `cpu/lib/primal.rs`.

use super::line_search::Line;
use super::rows::Rows;
use crate::cpu::lib::sparse;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

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

/// 1 / trace of M: what improvements and gradients are measured with.
pub fn scale_of<R: Real>(m: &Model, d: &Data<R>) -> R {
    let mut trace = R::zero();
    for i in 0..m.nv {
        trace += d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
    }
    R::one() / trace
}

/// Puts the solver where it begins; false where nothing is left to do: without rows nothing holds the unconstrained
/// acceleration up.
pub fn begin<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) -> bool {
    d.solver_niter[0] = R::Int::default();
    d.qfrc_constraint.fill(R::zero());
    d.qacc.copy_from_slice(&d.qacc_smooth);
    if rows.num == 0 {
        return false;
    }
    start(m, d, rows);
    true
}

/// Begins at the cheaper of the last acceleration and the unconstrained one; leaves qacc, Ma, Jaref
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
        if !rows.is_cone(r) {
            cost += row_cost(d, rows, r, d.solver_Jv[r]);
            cost_smooth += row_cost(d, rows, r, d.efc_b[r]);
        }
    }
    for contact in &rows.cones {
        let inertia = &d.efc_D[contact.rows()];
        cost += contact.cost(inertia, &d.solver_Jv[contact.rows()]);
        cost_smooth += contact.cost(inertia, &d.efc_b[contact.rows()]);
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

/// Force of every row from its residual, and its weight in the Hessian; true where the set of quadratic rows changed
/// (mj_constraintUpdate)
pub fn update_constraint<R: Real>(d: &mut Data<R>, rows: &mut Rows<R>) -> R::Mask {
    let zero = R::zero();
    let mut changed = zero.lt(zero);
    for r in 0..rows.num {
        if rows.is_cone(r) {
            continue;
        }
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

    // elliptic contacts: where one slides, its part of the Hessian changes with every step
    for (k, contact) in rows.cones.iter().enumerate() {
        let zone = contact.force(
            &d.efc_D[contact.rows()],
            &d.solver_Jaref[contact.rows()],
            &mut d.efc_force[contact.rows()],
            &mut rows.cone_weight[k],
        );
        let bottom = R::select(zone.bottom, R::one(), zero);
        let was = rows.cone_bottom[k];
        changed = changed | zone.middle | bottom.lt(was) | was.lt(bottom) | was.lt(zero);
        rows.cone_bottom[k] = R::select(zone.middle, -R::one(), bottom);
    }
    changed
}

/// Force of every row, and J' force, from the acceleration that there is
pub fn inv_constraint<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    mul_j(m, rows, &d.efc_J, &d.qacc, &mut d.solver_Jaref);
    for (x, &aref) in d.solver_Jaref[..rows.num].iter_mut().zip(&d.efc_aref) {
        *x -= aref;
    }
    update_constraint(d, rows);
    update_gradient(m, d, rows);
}

/// Grad = M qacc - qfrc_smooth - J' force; its length
pub fn update_gradient<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>) -> R {
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
pub fn gap<R: Real>(m: &Model, d: &mut Data<R>) -> R {
    let x = &mut d.solver_Mgrad[..m.nv];
    x.copy_from_slice(&d.solver_grad);
    sparse::solve_ld(m, &d.qLD, &d.qLDiagInv, x);
    let mut sum = R::zero();
    for (x, &grad) in x.iter().zip(&d.solver_grad) {
        sum = x.mul_add(grad, sum);
    }
    R::splat(0.5) * sum
}

/// The best step along the search direction, and what it gains (PrimalSearch)
pub fn line_search<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    rows: &mut Rows<R>,
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
    let (inertia, x, v) = (&d.efc_D, &d.solver_Jaref, &d.solver_Jv);
    rows.paths.clear();
    rows.paths.extend(rows.cones.iter().map(|contact| {
        let at = contact.rows();
        contact.path(&inertia[at.clone()], &x[at.clone()], &v[at])
    }));
    let inertia = match rows.cones.is_empty() {
        true => &d.efc_D,
        false => &rows.one_sided,
    };
    let line = Line {
        smooth,
        nf: rows.nf,
        x: &d.solver_Jaref[rest.clone()],
        v: &d.solver_Jv[rest.clone()],
        d: &inertia[rest.clone()],
        loss: &d.efc_frictionloss[rest.clone()],
        r: &d.efc_R[rest],
        cones: &rows.paths,
    };
    line.search(gtol, live, m.opt.ls_iterations)
}

/// Moves along the search direction
pub fn advance<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>, alpha: R) {
    for i in 0..m.nv {
        d.qacc[i] = alpha.mul_add(d.solver_search[i], d.qacc[i]);
        d.solver_Ma[i] = alpha.mul_add(d.solver_Mv[i], d.solver_Ma[i]);
    }
    for r in 0..rows.num {
        d.solver_Jaref[r] = alpha.mul_add(d.solver_Jv[r], d.solver_Jaref[r]);
    }
}
