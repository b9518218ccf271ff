//! Couplings of the metric of a discrete step for which M's sparsity has no room: `efm_K_val`, in rows of its own, and the factor of the
//! whole metric. Models without such couplings have none of these arrays.
//!
//! While the solver runs, the metric is M (with all that its sparsity holds in its place) plus K.

use crate::cpu::lib::skyline;
use crate::cpu::lib::sparse::solve_ld;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::MINVAL;

/// True if the metric of a model has couplings beyond M's sparsity.
#[inline(always)]
pub(crate) fn is_coupled(m: &Model) -> bool {
    m.nefmK > 0
}

/// Dofs up to dof `i` that it is coupled with, and the address of the first coupling.
#[inline(always)]
pub(crate) fn couplings_of(m: &Model, i: usize) -> (usize, &[i32]) {
    let adr = m.efm_K_rowadr[i] as usize;
    (adr, &m.efm_K_colind[adr..adr + m.efm_K_rownnz[i] as usize])
}

/// Address of the coupling of two dofs, if there is one.
#[inline(always)]
pub fn coupling(m: &Model, i: usize, j: usize) -> Option<usize> {
    let (adr, dofs) = couplings_of(m, i.max(j));
    let at = dofs.binary_search(&(i.min(j) as i32));
    at.ok().map(|k| adr + k)
}

/// Adds K `x` to a product with the metric, for these dofs; nothing in a model without couplings.
#[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
pub fn add_couplings<R: Real>(
    m: &Model,
    efm_K_val: &[R],
    res: &mut [R],
    x: &[R],
    dofs: impl Iterator<Item = usize>,
) {
    if !is_coupled(m) {
        return;
    }
    for i in dofs {
        let (adr, coupled) = couplings_of(m, i);
        let (xi, mut sum) = (x[i], R::zero());
        for (&k, &j) in efm_K_val[adr..].iter().zip(coupled) {
            // the row, and the mirrored column
            sum += k * x[j as usize];
            if j as usize != i {
                res[j as usize] += k * xi;
            }
        }
        res[i] += sum;
    }
}

/// Adds what soft bodies add to the diagonal of the metric to `qH`, from which the exact diagonal of A follows.
pub fn add_own_couplings<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.nv {
        if let Some(k) = coupling(m, i, i) {
            d.qH[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize] += d.efm_K_val[k];
        }
    }
}

/// Factors the whole metric; `efm_M` holds what M's sparsity has room for, and M and its factor are in their own places.
pub fn factor_metric<R: Real>(m: &Model, d: &mut Data<R>) {
    let at = |i: usize, j: i32| (m.efm_L_adr[j as usize] as usize) + i;
    d.efm_L.fill(R::zero());
    for i in 0..m.nv {
        let adr = m.M_rowadr[i] as usize;
        let inertia = &m.M_colind[adr..adr + m.M_rownnz[i] as usize];
        for (k, &j) in inertia.iter().enumerate() {
            d.efm_L[at(i, j)] += d.efm_M[adr + k];
        }
        let (adr, coupled) = couplings_of(m, i);
        for (k, &j) in coupled.iter().enumerate() {
            d.efm_L[at(i, j)] += d.efm_K_val[adr + k];
        }
    }
    // springs and dampers only add to inertia, also where rounding errors would reduce it
    let (inverse, least) = (&d.qLDiagInv, R::splat(MINVAL));
    skyline::factor(
        &mut d.efm_L,
        &mut d.efm_LDiagInv,
        &m.efm_L_adr,
        &m.efm_L_end,
        |j| least.max(R::one() / inverse[j]),
    );
}

/// Solves with the whole metric in place.
#[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
pub fn solve_coupled<R: Real>(m: &Model, efm_L: &[R], efm_LDiagInv: &[R], x: &mut [R]) {
    skyline::solve(x, efm_L, efm_LDiagInv, &m.efm_L_adr, &m.efm_L_end);
}

/// Solves with the metric that is in M's place.
pub fn solve_metric<R: Real>(m: &Model, d: &Data<R>, x: &mut [R]) {
    match is_coupled(m) {
        true => solve_coupled(m, &d.efm_L, &d.efm_LDiagInv, x),
        false => solve_ld(m, &d.qLD, &d.qLDiagInv, x),
    }
}

/// `x` = inv(metric) `b` for some dofs of which no other dof is coupled with any; the other numbers of `x` become zero.
pub fn solve_dofs<R: Real>(m: &Model, d: &Data<R>, x: &mut [R], b: &[R], dofs: &[i32]) {
    x[..m.nv].fill(R::zero());
    for &i in dofs {
        x[i as usize] = b[i as usize];
    }
    solve_coupled(m, &d.efm_L, &d.efm_LDiagInv, &mut x[..m.nv]);
}
