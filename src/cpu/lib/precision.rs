//! Inertia matrices that a precision cannot hold.

use crate::fields::{Data, Model};
use crate::real::Real;

/// By how much a rounding grows on its way into the acceleration of a dof, at most: the largest number that its pivot of L'DL
/// is what is left of, over the pivot.
///
/// A long chain has pivots that are a 10⁵th of the inertia that they are taken from: a rounding of M (6e-8 of an `f32`) is a
/// large part of them, whatever the order of the sums. (Demmel, On floating point errors in Cholesky, 1989: the error is
/// bounded by the condition of M with its diagonal scaled to one, not by that of M.)
#[inline(always)]
pub fn cancellation<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    // the diagonal of M: each dof of the tree takes its part with a rounding of its own
    let diag = d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
    let inertia = diag * R::splat(f64::from(m.tree_dofnum[m.dof_treeid[i] as usize]));

    // it is itself the rest of an inertia about the tree's centre of mass, which may be far away
    let [_, _, _, x, y, z] = d.cdof[i];
    let mass = d.own.body_subtreemass(m, m.dof_bodyid[i] as usize);
    let moved = mass * (x * x + y * y + z * z);
    inertia.max(moved) * d.qLDiagInv[i]
}
