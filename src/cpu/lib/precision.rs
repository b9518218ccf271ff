//! Inertia matrices that a number format cannot represent well enough.

use crate::fields::{Data, Model};
use crate::real::Real;

/// Upper bound of the growth of rounding errors in the acceleration of a dof: the largest number from which its pivot of L'DL
/// remains after subtractions, divided by the pivot.
///
/// Pivots of a long chain are 10⁵ times smaller than the inertia that they remain from: a rounding of M (6e-8 in `f32`) is a
/// large part of them, in any order of summation. (Demmel, On floating point errors in Cholesky, 1989: the error is bounded by
/// the condition of M with its diagonal scaled to one, not by that of M.)
#[inline(always)]
pub fn cancellation<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    // the diagonal of M: each dof of the tree subtracts its part with a rounding
    let diag = d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
    let inertia = diag * R::splat(f64::from(m.tree_dofnum[m.dof_treeid[i] as usize]));

    // the diagonal itself remains from an inertia about the tree's centre of mass, which may be far away
    let [_, _, _, x, y, z] = d.cdof[i];
    let mass = d.own.body_subtreemass(m, m.dof_bodyid[i] as usize);
    let moved = mass * (x * x + y * y + z * z);
    inertia.max(moved) * d.qLDiagInv[i]
}
