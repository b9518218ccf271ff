//! Constraint rows and their parameters (`mj_makeConstraint`).

use crate::fields::{Data, Model};

/// Constraint rows and their parameters (`mj_makeConstraint`).
pub fn make_constraint(_m: &Model, _d: &mut Data) {}
