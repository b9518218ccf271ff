//! Replaces M by the metric again, after a step (`mj_compareFwdInv`).

use crate::cpu::lib::metric::exchange_metric;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Replaces M by the metric again, after a step (`mj_compareFwdInv`): the rows of the step are evaluated in it already.
pub fn metric_again<R: Real>(_: &Model, d: &mut Data<R>) {
    exchange_metric(d);
}
