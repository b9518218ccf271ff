//! Poses of cameras and lights (`mj_camlight`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Poses of cameras and lights (`mj_camlight`).
pub fn camlight<R: Real>(_m: &Model, _d: &mut Data<R>) {}
