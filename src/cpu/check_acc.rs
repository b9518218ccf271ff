//! Reset a world whose qacc is bad (`mj_checkAcc`).

use crate::cpu::lib::math::is_bad;
use crate::cpu::lib::restart::bad_world;
use crate::fields::{Data, Model};
use crate::types::{DSBL_AUTORESET, Warning};

/// Reset a world whose qacc is bad (`mj_checkAcc`).
pub fn check_acc(m: &Model, d: &mut Data) {
    // is any number bad
    if !d.qacc.iter().any(|&x| is_bad(x)) {
        return;
    }

    // start again, warnings included; then count this one
    bad_world(m, d, Warning::BadQacc);

    // the new start stands still for the rest of this step, whose accelerations were those of the old state
    if !m.opt.disabled(DSBL_AUTORESET) {
        d.qacc.fill(0.0);
        d.act_dot.fill(0.0);
        d.qfrc_smooth.fill(0.0);
        d.qfrc_constraint.fill(0.0);
    }
}
