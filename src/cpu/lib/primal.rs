//! Common parts of Newton's method and conjugate gradients: start, forces from residuals, gradient, line search. The primal
//! problem is to minimise `1/2 (a - qacc_smooth)' M (a - qacc_smooth) + s(J a - aref)` over the acceleration a, where s is the
//! sum of the rows' costs. `solver_Ma` is `M a - qfrc_smooth`, `solver_Jaref` is `J a - aref`.
//!
//! One code for one world and for worlds side by side; where they differ, they use a [`System`].

mod forces;
mod step;

use std::ops::Range;

use super::cone::{Contact, is_elliptic};
use super::coupling::{add_couplings, is_coupled, solve_dofs};
use super::hessian::Sparse;
use super::rows::{Patterns, Rows, patterns};
use super::sparse::mul_m;
use super::stat;
use crate::fields::{Arrays, Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;
pub use forces::*;
pub use step::*;

/// Products with the Jacobian, and the Hessian. The reference takes the numbers of one world four at a time, and updates the
/// Hessian of one island by the rows that changed. Worlds side by side share a dense union of their Hessians, which is
/// recomputed.
pub trait System<R: Real> {
    /// The constraint Jacobian, from `efc_Jpat` and `efc_J`.
    fn jacobian<'a>(
        &'a self,
        of: Patterns<'a>,
        patterns: &'a [R::Int],
        entries: &'a [R],
    ) -> Rows<'a, R>;
    /// `out = J v` for the rows of a list.
    fn mul_vec(rows: Rows<'_, R>, list: &[i32], v: &[R], out: &mut [R]);
    /// `out += J' f` for the rows of a list.
    fn add_mul_t_vec(rows: Rows<'_, R>, list: &[i32], f: &[R], out: &mut [R]);
    /// The elliptic contact whose first row is `r`.
    fn contact(&self, m: &Model, d: &Data<R>, r: usize) -> Contact<R>;
    /// Finds the coupled dofs of an island: the sparsity of its Hessian.
    fn symbolic(&mut self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>);
    /// H = M + J' D J over the quadratic rows.
    fn make_hessian(&mut self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>);
    /// Adds rows that became quadratic to H and subtracts those that are no longer.
    fn update_hessian(&mut self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>);
    /// Factors H with the cones of sliding contacts.
    fn factor(&mut self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>);
    /// Search = - inv(H) grad; returns the gain of a full step, 1/2 grad' inv(H) grad.
    fn direction(&mut self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>) -> R;
    /// Collects limits and contacts for the line search as [`gather`] does, but of every lane its own only; none if that saves
    /// nothing. One world has all rows.
    fn pack(
        &self,
        _m: &Model,
        _d: &mut Data<R>,
        _rows: &[i32],
        _live: R::Mask,
        _at: usize,
    ) -> Option<[usize; 2]> {
        None
    }
    /// Memory for [`System::leave_out`].
    fn take_fewer(&mut self) -> Fewer {
        Fewer::default()
    }
    /// Returns this memory.
    fn put_fewer(&mut self, _fewer: Fewer) {}
    /// Leaves out the rows of an island that none of these lanes has, if they are many; true if it did. One world has all rows.
    fn leave_out(
        &self,
        _m: &Model,
        _d: &Data<R>,
        _island: &Island<'_, R>,
        _lanes: R::Mask,
        _fewer: &mut Fewer,
    ) -> bool {
        false
    }
}

/// The rows of an island that unconverged lanes still need: rows that only converged lanes have add exact zeros.
#[derive(Clone, Debug, Default)]
pub struct Fewer {
    /// Row numbers, ascending.
    pub rows: Vec<i32>,
    /// Number of equalities among them.
    pub ne: usize,
    /// Number of friction losses among them.
    pub nf: usize,
    /// True if some rows of the island are left out; else all other fields are meaningless.
    pub some: bool,
}

impl Fewer {
    /// The island without the rows left out.
    pub(crate) fn of<'a, R: Real>(&'a self, island: &Island<'a, R>) -> Island<'a, R> {
        match self.some {
            true => Island {
                rows: &self.rows,
                ne: self.ne,
                nf: self.nf,
                ..*island
            },
            false => *island,
        }
    }
}

/// Dofs and constraint rows of an independent subproblem.
#[derive(Clone, Copy)]
pub struct Island<'a, R: Real> {
    /// Dof numbers, ascending.
    pub dofs: &'a [i32],
    /// Row numbers, ascending.
    pub rows: &'a [i32],
    /// Number of equality rows, which come first.
    pub ne: usize,
    /// Number of friction loss rows, which follow.
    pub nf: usize,
    /// 1 / trace of the island's inertia: the scale of improvements and gradients.
    pub scale: R,
    /// The lanes where it is present.
    pub lanes: R::Mask,
    /// Number of the island in each lane.
    pub number: R::Int,
}

/// 1 / trace of an island's inertia: the scale of improvements and gradients.
pub fn scale_of(m: &Model, d: &Data, dofs: &[i32]) -> f64 {
    let mut trace = 0.0;
    for &i in dofs {
        let i = i as usize;
        trace += d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
    }
    1.0 / trace
}

/// `map_idof2dof` and `map_iefc2efc`, taken out of a world while its islands are solved.
pub struct Maps {
    dofs: Vec<i32>,
    rows: Vec<i32>,
}

impl Maps {
    pub(crate) fn take(d: &mut Data) -> Self {
        Self {
            dofs: std::mem::take(&mut d.map_idof2dof),
            rows: std::mem::take(&mut d.map_iefc2efc),
        }
    }

    pub(crate) fn put_back(self, d: &mut Data) {
        d.map_idof2dof = self.dofs;
        d.map_iefc2efc = self.rows;
    }

    // all rows, and all dofs that have rows
    pub(crate) fn all(&self, d: &Data) -> Island<'_, f64> {
        let nidof: i32 = d.island_nv[..d.nisland[0] as usize].iter().sum();
        Island {
            dofs: &self.dofs[..nidof as usize],
            rows: &self.rows[..d.nefc[0] as usize],
            ne: d.ne[0] as usize,
            nf: d.nf[0] as usize,
            scale: 1.0,
            lanes: true,
            number: 0,
        }
    }
}

/// An island by its number.
pub fn island_of<'a>(m: &Model, d: &Data, maps: &'a Maps, k: usize) -> Island<'a, f64> {
    let range = |adr: i32, num: i32| adr as usize..(adr + num) as usize;
    let dofs = &maps.dofs[range(d.island_idofadr[k], d.island_nv[k])];
    let rows = &maps.rows[range(d.island_iefcadr[k], d.island_nefc[k])];
    let count = |stop: i32| rows.partition_point(|&r| r < stop);
    let ne = count(d.ne[0]);
    Island {
        dofs,
        rows,
        ne,
        nf: count(d.ne[0] + d.nf[0]) - ne,
        scale: scale_of(m, d, dofs),
        lanes: true,
        number: k as i32,
    }
}

/// `mj_fwdConstraint`: finds the start and solves every island; `solve` returns the number of iterations.
pub fn by_island(
    m: &Model,
    d: &mut Data,
    solve: impl Fn(&Model, &mut Data, &mut Sparse, &Island<'_, f64>) -> f64,
) {
    crate::cpu::island::island(m, d);
    d.solver_niter[0] = 0;
    stat::clear_notes(d);
    d.qfrc_constraint.fill(0.0);
    d.qacc.copy_from_slice(&d.qacc_smooth);

    // no rows: qacc is the unconstrained acceleration
    if d.nefc[0] == 0 {
        return;
    }
    let maps = Maps::take(d);
    start(m, d, &Sparse::default(), &maps.all(d));
    for k in 0..d.nisland[0] as usize {
        let island = island_of(m, d, &maps, k);
        let niter = solve(m, d, &mut Sparse::default(), &island) as i32;
        d.island_niter[k] = niter;
        d.solver_niter[0] += niter;
    }
    maps.put_back(d);
}

/// Residuals of the rows at the unconstrained acceleration (efc_b) and at the last one (Jaref), and M qacc - qfrc_smooth at the
/// last one (Ma).
pub fn residuals<R: Real, S: System<R>>(m: &Model, d: &mut Data<R>, system: &S, rows: &[i32]) {
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    S::mul_vec(jacobian, rows, &d.qacc_smooth, &mut d.efc_b);
    S::mul_vec(jacobian, rows, &d.qacc_warmstart, &mut d.solver_Jaref);
    for r in 0..rows.len() {
        d.efc_b[r] -= d.efc_aref[r];
        d.solver_Jaref[r] -= d.efc_aref[r];
    }
    let warm = &d.qacc_warmstart;
    mul_m(m, &d.M, &mut d.solver_Ma, warm);
    add_couplings(m, &d.efm_K_val, &mut d.solver_Ma, warm, 0..m.nv);
    for i in 0..m.nv {
        d.solver_Ma[i] -= d.qfrc_smooth[i];
    }
}

/// Starts at the acceleration of lower cost, the last one or the unconstrained one; sets qacc, Ma, Jaref (warmstart). `all` has
/// all rows, and the dofs that have rows: the solver leaves other dofs alone.
pub fn start<R: Real, S: System<R>>(m: &Model, d: &mut Data<R>, system: &S, all: &Island<'_, R>) {
    let (zero, num) = (R::zero(), all.rows.len());
    residuals(m, d, system, all.rows);
    let mut warm = zero.lt(zero);
    if !m.opt.disabled(DSBL_WARMSTART) {
        // cost of both accelerations
        let counts = [all.ne, all.nf, num];
        let mut cost = rows_cost(m, d, system, counts, &d.solver_Jaref);
        let cost_smooth = rows_cost(m, d, system, counts, &d.efc_b);
        for i in 0..m.nv {
            let half = R::splat(0.5);
            cost += half * d.solver_Ma[i] * (d.qacc_warmstart[i] - d.qacc_smooth[i]);
        }
        // of two infinite costs neither is lower
        let finite = cost.lt(R::splat(f64::from(f32::MAX)));
        warm = finite & cost.le(cost_smooth);
    }
    for &i in all.dofs {
        let i = i as usize;
        d.qacc[i] = R::select(warm, d.qacc_warmstart[i], d.qacc[i]);
    }
    if !warm.all() {
        for x in &mut d.solver_Ma {
            *x = R::select(warm, *x, zero);
        }
        for (x, &b) in d.solver_Jaref[..num].iter_mut().zip(&d.efc_b) {
            *x = R::select(warm, *x, b);
        }
    }
}

/// Cost of the rows at residuals x: ne equalities, nf friction losses, num rows in all.
pub(crate) fn rows_cost<R: Real, S: System<R>>(
    m: &Model,
    d: &Data<R>,
    system: &S,
    [ne, nf, num]: [usize; 3],
    x: &[R],
) -> R {
    let half = R::splat(0.5);
    let mut cost = R::zero();
    for r in 0..ne {
        cost += half * d.efc_D[r] * x[r] * x[r];
    }
    for r in ne..ne + nf {
        let loss = d.efc_frictionloss[r];
        let bound = d.efc_R[r] * loss;
        let quadratic = half * d.efc_D[r] * x[r] * x[r];
        let linear = loss * (x[r].abs() - half * bound);
        cost += R::select(x[r].abs().lt(bound), quadratic, linear);
    }
    let mut r = ne + nf;
    while r < num {
        if is_elliptic(m, d, r) {
            let contact = system.contact(m, d, r);
            cost += contact.cost(&d.efc_D[r..], &x[r..]);
            r += contact.dim;
        } else {
            // a NaN residual stays NaN
            let x = R::select(R::zero().le(x[r]), R::zero(), x[r]);
            cost += half * d.efc_D[r] * x * x;
            r += 1;
        }
    }
    cost
}

/// 1/2 grad' inv(M) grad (`mj_solveLD`).
pub fn gap<R: Real>(m: &Model, d: &mut Data<R>, island: &Island<'_, R>) -> R {
    if is_coupled(m) {
        let mut x = std::mem::take(&mut d.solver_search);
        solve_dofs(m, d, &mut x, &d.solver_grad, island.dofs);
        let product = |&i: &i32| x[i as usize] * d.solver_grad[i as usize];
        let sum = (island.dofs.iter().map(product)).fold(R::zero(), |sum, x| sum + x);
        d.solver_search = x;
        return R::splat(0.5) * sum;
    }
    let x = &mut d.solver_search;
    for &i in island.dofs {
        x[i as usize] = d.solver_grad[i as usize];
    }

    // x = inv(L') grad; then grad' inv(M) grad = x' inv(D) x
    let dofs = island.dofs.iter().map(|&i| i as usize);
    R::splat(0.5) * inverse_square(m, &d.qLD, &d.qLDiagInv, x, dofs)
}

/// x' inv(M) x over ascending dofs, by a half solve: x becomes y = inv(L') x, and the sum is y' inv(D) y (mj_solveLD).
pub(crate) fn inverse_square<R: Real>(
    m: &Arrays,
    factor: &[R],
    inverse: &[R],
    x: &mut [R],
    dofs: impl DoubleEndedIterator<Item = usize>,
) -> R {
    let mut sum = R::zero();
    for i in dofs.rev() {
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
        let xi = x[i];
        for (l, &j) in factor[adr..adr + num]
            .iter()
            .zip(&m.M_colind[adr..adr + num])
        {
            x[j as usize] -= *l * xi;
        }
        sum += xi * xi * inverse[i];
    }
    sum
}

// the runs of consecutive row numbers in a list
fn runs(list: &[i32]) -> impl Iterator<Item = Range<usize>> {
    list.chunk_by(|a, b| a + 1 == *b)
        .map(|run| run[0] as usize..run[0] as usize + run.len())
}
