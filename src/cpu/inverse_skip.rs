//! Applied force at a given acceleration (end of `mj_inverseSkip`).

use crate::cpu::lib::coupling::add_couplings;
use crate::cpu::lib::sparse::mul_m;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Applied force at a given acceleration (end of `mj_inverseSkip`).
///
/// `qfrc_inverse` (N, N m) is M qacc + qfrc_bias - qfrc_passive - qfrc_constraint: the sum of the forces that actuators,
/// `qfrc_applied` and `xfrc_applied` have to apply.
pub fn inverse_skip<R: Real>(m: &Model, d: &mut Data<R>) {
    // inertial force minus the forces that are not applied ones
    mul_m(m, &d.M, &mut d.qfrc_inverse, &d.qacc);
    add_couplings(m, &d.efm_K_val, &mut d.qfrc_inverse, &d.qacc, 0..m.nv);
    for i in 0..m.nv {
        let given = d.qfrc_passive[i] + d.qfrc_constraint[i] - d.qfrc_bias[i];
        d.qfrc_inverse[i] -= given;
    }

    // restore the acceleration over a timestep
    if m.opt.inverts_steps() {
        d.qacc.copy_from_slice(&d.inv_qacc);
    }
}
