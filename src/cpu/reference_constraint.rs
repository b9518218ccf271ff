//! Velocity and reference acceleration of rows (`mj_referenceConstraint`).

use crate::fields::{Data, Model};

/// Velocity and reference acceleration of rows (`mj_referenceConstraint`).
pub fn reference_constraint(_m: &Model, _d: &mut Data) {}
