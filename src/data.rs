//! One world: making it and putting it back to its start.

use crate::cpu::lib::sleep::sleeps;
use crate::cpu::sleep::begin;
use crate::fields::{Data, Model};
use crate::real::Real;

impl<R: Real> Data<R> {
    /// A world of the model at `qpos0`, at rest (`mj_makeData`, `mj_resetData`).
    pub fn new(m: &Model) -> Self {
        let mut d = Self::zeroed(m);
        d.reset(m);
        d
    }

    /// Puts the world back to `qpos0` at rest: inputs, warnings and derived arrays are cleared (`mj_resetData`). The world's own
    /// model arrays stay.
    pub fn reset(&mut self, m: &Model) {
        let own = std::mem::take(&mut self.own);
        *self = Self::zeroed(m);
        self.own = own;
        self.start(m);
    }

    /// Sets the state and the inputs of a world to their start; computed arrays do not change.
    pub(crate) fn start(&mut self, m: &Model) {
        let own = std::mem::take(&mut self.own);
        for (i, q) in self.qpos.iter_mut().enumerate() {
            *q = own.qpos0(m, i);
        }
        for (i, x) in self.history.iter_mut().enumerate() {
            *x = own.history0(m, i);
        }
        for (i, x) in self.plastic.iter_mut().enumerate() {
            *x = own.plastic0(m, i);
        }
        for (i, ctrl) in self.ctrl.iter_mut().enumerate() {
            *ctrl = own.ctrl0(m, i);
        }
        for (active, active0) in self.eq_active.iter_mut().zip(&m.eq_active0) {
            for lane in 0..R::WIDTH {
                R::set_int_lane(active, lane, *active0);
            }
        }
        for body in 0..m.nbody {
            let Ok(mocap) = usize::try_from(m.body_mocapid[body]) else {
                continue;
            };
            self.mocap_pos[mocap] = own.body_pos(m, body);
            self.mocap_quat[mocap] = own.body_quat(m, body);
        }
        self.own = own;
        if sleeps(m) {
            begin(m, self);
        }
    }
}
