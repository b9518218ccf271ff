//! The step that was solved for (`mj_discrete`).

use crate::cpu::euler::take_step;
use crate::fields::{Data, Model};
use crate::real::Real;

/// The step that was solved for (`mj_discrete`): state and time by the accelerations over the timestep, which the solver found.
pub fn discrete<R: Real>(m: &Model, d: &mut Data<R>) {
    d.euler_qacc.copy_from_slice(&d.qacc);
    take_step(m, d);
}
