//! Reset a world whose qacc is bad (`mj_checkAcc`).

use crate::cpu::lib::math::is_bad;
use crate::fields::{Data, Model};
use crate::types::{DSBL_AUTORESET, Warning};

/// Reset a world whose qacc is bad (`mj_checkAcc`).
pub fn check_acc(m: &Model, d: &mut Data) {
    // is any number bad
    if !d.qacc.iter().any(|&x| is_bad(x)) {
        return;
    }

    // start again, warnings included; then count this one
    let reset = !m.opt.disabled(DSBL_AUTORESET);
    if reset {
        d.reset(m);
    }
    d.warning[Warning::BadQacc as usize] += 1;

    // accelerations of the state that the step now starts from
    if reset {
        crate::cpu::forward(m, d);
    }
}
