//! Controls as actuators get them, some of them late (`mj_readCtrl`).

use crate::cpu::lib::history::{actuator_ring, as_kept, blended, read_ring};
use crate::fields::{Data, Model};
use crate::real::Real;

/// Controls as actuators get them, some of them late (`mj_readCtrl`).
pub fn read_ctrl<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.nactuator {
        let u = m.actuator_ctrladr[i].max(0) as usize;
        let num = m.actuator_ctrlnum[i] as usize;
        let ring = actuator_ring(m, i);

        // at once
        let delay = as_kept::<R>(m.actuator_delay[i]);
        if ring.is_none() || delay <= 0.0 {
            d.ctrl_late[u..u + num].copy_from_slice(&d.ctrl[u..u + num]);
            continue;
        }

        // what was said a delay ago
        for lane in 0..R::WIDTH {
            let time = d.time[0].lane(lane) - delay;
            let blend = read_ring(d, lane, ring, time, m.actuator_history[2 * i + 1]);
            for c in 0..num {
                let x = blended(d, lane, ring, blend, c);
                d.ctrl_late[u + c].set_lane(lane, x);
            }
        }
    }
}
