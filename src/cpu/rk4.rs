//! One of the four stages of Runge-Kutta (`mj_RungeKutta`).

use crate::fields::{Data, Model};

/// One of the four stages of Runge-Kutta (`mj_RungeKutta`).
pub fn rk4(_m: &Model, _d: &mut Data) {}
