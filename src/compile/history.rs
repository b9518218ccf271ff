//! Histories: sizes of the delayed data, and the buffers after a reset.

use crate::fields::Arrays;

/// Sizes that depend on histories, and the buffers after a reset (`mj_resetData`): all values are zero, the times are those at
/// which samples would have been taken.
pub(super) fn begin(m: &mut Arrays) {
    let any = |adr: &[i32]| m.nhistory > 0 && adr.iter().any(|&adr| adr >= 0);
    m.nlate = if any(&m.actuator_historyadr) { m.nu } else { 0 };
    m.nfresh = if any(&m.sensor_historyadr) {
        m.nsensordata
    } else {
        0
    };
    m.history0 = vec![0.0; m.nhistory];
    let step = m.opt.timestep;
    for i in 0..m.nactuator {
        let ring = (m.actuator_historyadr[i], m.actuator_history[2 * i]);
        start(&mut m.history0, ring, 0.0, -step, step);
    }
    for i in 0..m.nsensor {
        let ring = (m.sensor_historyadr[i], m.sensor_history[2 * i]);
        let [period, phase] = [m.sensor_interval[2 * i], m.sensor_interval[2 * i + 1]];

        // a step takes one sample at most
        let span = period.max(step);
        let newest = if phase == 0.0 { -span } else { phase };
        let due = match phase == 0.0 {
            true if period > 0.0 => -period,
            _ => newest,
        };
        start(&mut m.history0, ring, due, newest, span);
    }
    // samples are taken when a step begins
    let actuators = m
        .actuator_historyadr
        .iter()
        .zip(m.actuator_history.chunks(2));
    let sensors = m.sensor_historyadr.iter().zip(m.sensor_history.chunks(2));
    for (&adr, history) in actuators.chain(sensors).filter(|(adr, _)| **adr >= 0) {
        let from = adr as usize + 2;
        let times = m.history0.get_mut(from..from + history[0].max(0) as usize);
        for time in times.into_iter().flatten() {
            *time = step * (*time / step - ROUNDING).ceil();
        }
    }
}

/// Remainder of a quotient, as a share of a step, up to which the quotient counts as a whole number.
const ROUNDING: f64 = 1e-9;

// fills one buffer: `due`, the place of the newest sample, the times of the samples
fn start(history: &mut [f64], (adr, num): (i32, i32), due: f64, newest: f64, span: f64) {
    let (Ok(adr), Ok(num)) = (usize::try_from(adr), usize::try_from(num)) else {
        return;
    };
    let Some(history) = history.get_mut(adr..adr + 2 + num) else {
        return;
    };
    if num == 0 {
        return;
    }
    history[0] = due;
    history[1] = (num - 1) as f64;
    for k in 0..num {
        history[2 + k] = newest - (num - 1 - k) as f64 * span;
    }
}
