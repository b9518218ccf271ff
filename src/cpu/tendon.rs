//! Tendon lengths and Jacobian (`mj_tendon`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Tendon lengths and Jacobian (`mj_tendon`).
pub fn tendon<R: Real>(_m: &Model, _d: &mut Data<R>) {}
