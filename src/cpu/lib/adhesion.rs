//! Adhesion of contacts.

use crate::cpu::lib::rows::first_row;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::ConstraintType;

/// Share of a row in the adhesion force of its contact: the normal row has all of it, edges of a pyramid have equal shares, other
/// rows zero.
pub fn adhesion_share<R: Real>(m: &Model, d: &Data<R>, contact: &[i32], r: usize) -> R {
    let kind = R::int_lane(d.efc_type[r], 0);
    if kind < ConstraintType::ContactFrictionless as i32 {
        return R::zero();
    }
    let k = contact[R::int_lane(d.efc_id[r], 0) as usize] as usize;
    let whole = d.own.collision_adhesion(m, k);
    if kind == ConstraintType::ContactPyramidal {
        return whole / R::splat(2.0 * f64::from(m.collision_condim[k] - 1));
    }
    match first_row(d, r) == r {
        true => whole,
        false => R::zero(),
    }
}
