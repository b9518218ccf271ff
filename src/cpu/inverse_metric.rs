//! The metric in the place of M while inverse dynamics runs (`mj_effBuild`).

use crate::cpu::lib::metric::{build_metric, with_rows};
use crate::fields::{Data, Model};

/// The metric in the place of M while inverse dynamics runs (`mj_effBuild`), and rows in it.
pub fn inverse_metric(m: &Model, d: &mut Data) {
    with_rows(m, d, build_metric);
}
