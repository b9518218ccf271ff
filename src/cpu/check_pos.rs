//! Reset a world whose qpos is bad (`mj_checkPos`).

use crate::fields::{Data, Model};

/// Reset a world whose qpos is bad (`mj_checkPos`).
pub fn check_pos(_m: &Model, _d: &mut Data) {}
