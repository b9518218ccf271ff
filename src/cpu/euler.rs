//! Semi-implicit Euler with implicit joint damping (`mj_Euler`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Semi-implicit Euler with implicit joint damping (`mj_Euler`).
pub fn euler<R: Real>(_m: &Model, _d: &mut Data<R>) {}
