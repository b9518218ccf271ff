//! Reset a world whose qpos is bad (`mj_checkPos`).

use crate::cpu::lib::math::is_bad;
use crate::cpu::lib::restart::bad_world;
use crate::fields::{Data, Model};
use crate::types::Warning;

/// Reset a world whose qpos is bad (`mj_checkPos`).
pub fn check_pos(m: &Model, d: &mut Data) {
    // is any number NaN or too large
    if !d.qpos.iter().any(|&x| is_bad(x)) {
        return;
    }

    // reset the world, its warnings included; then count this warning
    bad_world(m, d, Warning::BadQpos);
}
