//! Spring and damper forces (`mj_passive`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Spring and damper forces (`mj_passive`).
pub fn passive<R: Real>(_m: &Model, _d: &mut Data<R>) {}
