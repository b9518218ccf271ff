//! Tendon and actuator velocities (first part of `mj_fwdVelocity`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Tendon and actuator velocities (first part of `mj_fwdVelocity`).
pub fn fwd_velocity<R: Real>(_m: &Model, _d: &mut Data<R>) {}
