//! Which trees and bodies are awake (`mj_updateSleep`).

use crate::cpu::lib::sleep::tell_awake;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Which trees and bodies are awake (`mj_updateSleep`).
pub fn update_sleep<R: Real>(m: &Model, d: &mut Data<R>) {
    tell_awake(m, d);
}
