//! Subtree centres of mass, cinert, cdof (`mj_comPos`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Subtree centres of mass, cinert, cdof (`mj_comPos`).
pub fn com_pos<R: Real>(_m: &Model, _d: &mut Data<R>) {}
