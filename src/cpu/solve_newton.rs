//! Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).

use crate::fields::{Data, Model};

/// Constraint forces and acceleration by Newton (`mj_fwdConstraint`, `mj_solNewton`).
pub fn solve_newton(_m: &Model, _d: &mut Data) {}
