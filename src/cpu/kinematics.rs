//! Poses of bodies, geoms, sites, joint axes (`mj_kinematics`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Poses of bodies, geoms, sites, joint axes (`mj_kinematics`).
pub fn kinematics<R: Real>(_m: &Model, _d: &mut Data<R>) {}
