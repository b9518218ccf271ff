//! Reset a world whose qpos is bad (`mj_checkPos`).

use crate::cpu::lib::math::is_bad;
use crate::fields::{Data, Model};
use crate::types::{DSBL_AUTORESET, Warning};

/// Reset a world whose qpos is bad (`mj_checkPos`).
pub fn check_pos(m: &Model, d: &mut Data) {
    // is any number bad
    if !d.qpos.iter().any(|&x| is_bad(x)) {
        return;
    }

    // start again, warnings included; then count this one
    let reset = !m.opt.disabled(DSBL_AUTORESET);
    if reset {
        d.reset(m);
    }
    d.warning[Warning::BadQpos as usize] += 1;
}
