//! Wakes trees that awake trees touch (`mj_wakeCollision`).

use crate::cpu::lib::sleep::wake_touched;
use crate::fields::{Data, Model};
use crate::stages;

/// Wakes trees that awake trees touch (`mj_wakeCollision`); contacts are then found again, those of the woken trees too.
pub fn wake_collision(m: &Model, d: &mut Data) {
    let contact = d.contact_collision[..d.ncon[0] as usize].to_vec();
    if wake_touched(m, d, &contact) {
        stages::again(m, &stages::wake_collision, &mut |stage| (stage.twin)(m, d));
    }
}
