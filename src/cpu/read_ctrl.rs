//! Controls after the delay of their actuators (`mj_readCtrl`).

use crate::cpu::lib::history::{actuator_ring, blended, read_ring};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Controls after the delay of their actuators (`mj_readCtrl`).
pub fn read_ctrl<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.nactuator {
        let u = m.actuator_ctrladr[i].max(0) as usize;
        let num = m.actuator_ctrlnum[i] as usize;
        let ring = actuator_ring(m, i);

        // without delay
        let delay = d.own.actuator_delay(m, i);
        let late = R::zero().lt(delay);
        if ring.is_none() || !late.any() {
            d.ctrl_late[u..u + num].copy_from_slice(&d.ctrl[u..u + num]);
            continue;
        }

        // the control a delay ago
        for lane in 0..R::WIDTH {
            let delay = delay.lane(lane);
            if delay <= 0.0 {
                for c in u..u + num {
                    let x = d.ctrl[c].lane(lane);
                    d.ctrl_late[c].set_lane(lane, x);
                }
                continue;
            }
            let time = d.time[0].lane(lane) - delay;
            let blend = read_ring(d, lane, ring, time, m.actuator_history[2 * i + 1]);
            for c in 0..num {
                let x = blended(d, lane, ring, blend, c);
                d.ctrl_late[u + c].set_lane(lane, x);
            }
        }
    }
}
