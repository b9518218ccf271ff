//! Contacts (`mj_collision`).

use crate::fields::{Data, Model};

/// Contacts (`mj_collision`).
pub fn collision(_m: &Model, _d: &mut Data) {}
