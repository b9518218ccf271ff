//! Composite inertia and M (`mj_crb`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Composite inertia and M (`mj_crb`).
pub fn crb<R: Real>(_m: &Model, _d: &mut Data<R>) {}
