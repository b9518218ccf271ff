//! Reset a world whose qacc is bad (`mj_checkAcc`).

use crate::cpu::lib::math::is_bad;
use crate::cpu::lib::restart::{bad_world, begin_anew};
use crate::fields::{Data, Model};
use crate::types::{DSBL_AUTORESET, Warning};

/// Reset a world whose qacc is bad (`mj_checkAcc`).
pub fn check_acc(m: &Model, d: &mut Data) {
    // is any number NaN or too large
    if !d.qacc.iter().any(|&x| is_bad(x)) {
        return;
    }

    // reset the world, its warnings included; then count this warning
    bad_world(m, d, Warning::BadQacc);

    // forward dynamics of the reset state, from which the step goes on
    if !m.opt.disabled(DSBL_AUTORESET) {
        begin_anew(m, d);
    }
}
