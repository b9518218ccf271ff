//! Actuator forces (`mj_fwdActuation`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Actuator forces (`mj_fwdActuation`).
pub fn fwd_actuation<R: Real>(_m: &Model, _d: &mut Data<R>) {}
