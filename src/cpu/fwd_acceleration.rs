//! Unconstrained acceleration (`mj_fwdAcceleration`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Unconstrained acceleration (`mj_fwdAcceleration`).
pub fn fwd_acceleration<R: Real>(_m: &Model, _d: &mut Data<R>) {}
