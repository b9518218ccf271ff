//! Samples of controls and sensors for delayed reading (part of `mj_advance`).

use crate::cpu::lib::history::{actuator_ring, as_kept, is_due, new_sample, sensor_ring};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::Integrator;

/// Samples of controls and sensors for delayed reading (part of `mj_advance`).
pub fn write_history<R: Real>(m: &Model, d: &mut Data<R>) {
    // the time at the start of the step, which Runge-Kutta has left since
    let begin = match m.opt.integrator == Integrator::Rk4 {
        true => d.rk_time[0],
        false => d.time[0],
    };

    // controls as they were set
    for i in 0..m.nactuator {
        let ring = actuator_ring(m, i);
        if ring.is_none() {
            continue;
        }
        let u = m.actuator_ctrladr[i].max(0) as usize;
        for lane in 0..R::WIDTH {
            let to = new_sample(d, lane, ring, begin.lane(lane));
            for c in 0..ring.width() {
                let x = d.ctrl[u + c].lane(lane);
                d.history[to + c].set_lane(lane, x);
            }
        }
    }

    // readings that are due
    for i in 0..m.nsensor {
        let ring = sensor_ring(m, i);
        let (adr, period) = (
            m.sensor_adr[i] as usize,
            as_kept::<R>(m.sensor_interval[2 * i]),
        );
        if ring.is_none() {
            continue;
        }
        let delay = d.own.sensor_delay(m, i);
        for lane in 0..R::WIDTH {
            let time = begin.lane(lane);
            let held = delay.lane(lane) > 0.0;
            if period > 0.0 {
                if !is_due(d, lane, ring, period, time) {
                    continue;
                }
                let adr = m.sensor_historyadr[i] as usize;
                let last = d.history[adr].lane(lane);
                d.history[adr].set_lane(lane, last + period);
            }
            let to = new_sample(d, lane, ring, time);
            for c in 0..ring.width() {
                let x = match held {
                    true => d.sensor_fresh[adr + c].lane(lane),
                    false => d.sensordata[adr + c].lane(lane),
                };
                d.history[to + c].set_lane(lane, x);
            }
        }
    }
}
