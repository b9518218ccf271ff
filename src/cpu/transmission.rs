//! Actuator lengths and moments (`mj_transmission`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Actuator lengths and moments (`mj_transmission`).
pub fn transmission<R: Real>(_m: &Model, _d: &mut Data<R>) {}
