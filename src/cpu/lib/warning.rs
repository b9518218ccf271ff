//! Counters of warnings, and overflow flags.

use crate::fields::Data;
use crate::real::{Mask, Real, lanes};
use crate::types::Warning;

/// Sets an overflow bit (`OVERFLOW_*`) in the lanes of a mask.
#[inline(always)]
pub fn tell<R: Real>(d: &mut Data<R>, bit: i32, mask: R::Mask) {
    if !mask.any() {
        return;
    }
    for lane in lanes::<R>(mask) {
        let bits = R::int_lane(d.overflow[0], lane);
        R::set_int_lane(&mut d.overflow[0], lane, bits | bit);
    }
}

/// Counts a warning in the lanes of a mask (`mj_warning`).
#[inline(always)]
pub fn warn<R: Real>(d: &mut Data<R>, warning: Warning, mask: Option<R::Mask>) {
    let Some(mask) = mask else { return };
    if !mask.any() {
        return;
    }
    let count = &mut d.warning[warning as usize];
    for lane in lanes::<R>(mask) {
        let n = R::int_lane(*count, lane);
        R::set_int_lane(count, lane, n + 1);
    }
}
