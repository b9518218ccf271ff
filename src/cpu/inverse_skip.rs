//! Applied force that an acceleration takes (end of `mj_inverseSkip`).

use crate::cpu::lib::sparse::mul_m;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Applied force that an acceleration takes (end of `mj_inverseSkip`).
///
/// `qfrc_inverse` (N, N m) is M qacc + qfrc_bias - qfrc_passive - qfrc_constraint: what actuators, `qfrc_applied` and
/// `xfrc_applied` together have to give.
pub fn inverse_skip<R: Real>(m: &Model, d: &mut Data<R>) {
    // inertia, less what is given without being applied
    mul_m(m, &d.M, &mut d.qfrc_inverse, &d.qacc);
    for i in 0..m.nv {
        let given = d.qfrc_passive[i] + d.qfrc_constraint[i] - d.qfrc_bias[i];
        d.qfrc_inverse[i] -= given;
    }

    // the acceleration over a timestep comes back
    if m.opt.inverts_steps() {
        d.qacc.copy_from_slice(&d.inv_qacc);
    }
}
