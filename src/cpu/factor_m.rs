//! L'DL of M (`mj_factorM`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// L'DL of M (`mj_factorM`).
pub fn factor_m<R: Real>(_m: &Model, _d: &mut Data<R>) {}
