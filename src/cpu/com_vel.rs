//! Cvel, cdof_dot (`mj_comVel`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Cvel, cdof_dot (`mj_comVel`).
pub fn com_vel<R: Real>(_m: &Model, _d: &mut Data<R>) {}
