//! Reset a world whose qvel is bad (`mj_checkVel`).

use crate::fields::{Data, Model};

/// Reset a world whose qvel is bad (`mj_checkVel`).
pub fn check_vel(_m: &Model, _d: &mut Data) {}
