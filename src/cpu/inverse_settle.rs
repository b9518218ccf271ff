//! What the metric adds to the force that an acceleration takes (end of `mj_inverseSkip`).

use crate::cpu::lib::free_body::{begins_free, hold_dofs, is_free};
use crate::cpu::lib::metric::exchange_metric;
use crate::cpu::lib::slope::bias_slope;
use crate::fields::{Data, Model};
use crate::real::Real;

/// What the metric adds to the force that an acceleration takes (end of `mj_inverseSkip`); M and its factor in their places.
pub fn inverse_settle(m: &Model, d: &mut Data) {
    leave_inverse(m, d, d.nefc[0] as usize);
}

/// The same for worlds side by side with `num` rows.
pub(crate) fn leave_inverse<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    let h = d.own.timestep(m);
    for i in 0..m.nv {
        d.qfrc_inverse[i] -= d.efm_c[i];
    }
    hold_dofs(m, d, num);
    for first in (0..m.nv).filter(|&i| begins_free(m, i)) {
        let free = is_free(d, first);
        for i in first..first + 6 {
            let slope = bias_slope(m, d, i);
            let turn = (0..6).fold(R::zero(), |sum, k| sum + slope[k] * d.qacc[first + k]);
            d.qfrc_inverse[i] += R::select(free, h * turn, R::zero());
        }
    }
    exchange_metric(d);
}
