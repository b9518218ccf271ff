//! Reset a world whose qvel is bad (`mj_checkVel`).

use crate::cpu::lib::math::is_bad;
use crate::cpu::lib::restart::bad_world;
use crate::fields::{Data, Model};
use crate::types::Warning;

/// Reset a world whose qvel is bad (`mj_checkVel`).
pub fn check_vel(m: &Model, d: &mut Data) {
    // is any number NaN or too large
    if !d.qvel.iter().any(|&x| is_bad(x)) {
        return;
    }

    // reset the world, its warnings included; then count this warning
    bad_world(m, d, Warning::BadQvel);
}
