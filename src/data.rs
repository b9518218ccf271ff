//! One world: making it and putting it back to its start.

pub use crate::fields::Data;
use crate::fields::Model;
use crate::real::Real;

impl<R: Real> Data<R> {
    /// A world of the model at `qpos0`, at rest (`mj_makeData`, `mj_resetData`).
    pub fn new(m: &Model) -> Self {
        let mut d = Self::zeroed(m);
        d.reset(m);
        d
    }

    /// Puts the world back to `qpos0` at rest: inputs, warnings and derived arrays are cleared (`mj_resetData`).
    pub fn reset(&mut self, m: &Model) {
        *self = Self::zeroed(m);
        for (q, q0) in self.qpos.iter_mut().zip(&m.qpos0) {
            *q = R::splat(*q0);
        }
        for (x, x0) in self.history.iter_mut().zip(&m.history0) {
            *x = R::splat(*x0);
        }
        for (ctrl, ctrl0) in self.ctrl.iter_mut().zip(&m.ctrl0) {
            *ctrl = R::splat(*ctrl0);
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
            self.mocap_pos[mocap] = m.body_pos[body].map(R::splat);
            self.mocap_quat[mocap] = m.body_quat[body].map(R::splat);
        }
    }
}
