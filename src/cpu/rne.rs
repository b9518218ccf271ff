//! Bias force (`mj_rne` without acceleration).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Bias force (`mj_rne` without acceleration).
pub fn rne<R: Real>(_m: &Model, _d: &mut Data<R>) {}
