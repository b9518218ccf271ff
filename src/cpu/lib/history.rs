//! Histories: the last values of a control or of a sensor, with their sample times.

use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{DSBL_SENSOR, Interp, MINVAL};

/// A ring of samples in `history`: last due time, index of the newest sample, times of all samples, their values.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    adr: usize,
    num: usize,
    dim: usize,
}

impl Ring {
    /// True if there are no samples.
    pub fn is_none(self) -> bool {
        self.num == 0
    }

    /// Number of values per sample.
    pub fn width(self) -> usize {
        self.dim
    }
}

/// Samples of a ring, by their indices, and their weights; samples of weight zero are not read.
#[derive(Clone, Copy, Debug)]
pub struct Blend {
    place: [usize; 4],
    weight: [f64; 4],
}

/// The history of an actuator's controls.
pub fn actuator_ring(m: &Model, i: usize) -> Ring {
    let (adr, num) = (m.actuator_historyadr[i], m.actuator_history[2 * i]);
    ring(adr, num, m.actuator_ctrlnum[i])
}

/// The history of a sensor's readings.
pub fn sensor_ring(m: &Model, i: usize) -> Ring {
    let (adr, num) = (m.sensor_historyadr[i], m.sensor_history[2 * i]);
    ring(adr, num, m.sensor_dim[i])
}

// a ring of `num` samples; empty without an address
fn ring(adr: i32, num: i32, dim: i32) -> Ring {
    Ring {
        adr: adr.max(0) as usize,
        num: if adr < 0 { 0 } else { num.max(0) as usize },
        dim: dim as usize,
    }
}

/// Tolerance within which two times count as equal: the rounding error of sums of timesteps in single precision.
#[inline(always)]
pub fn time_slack<R: Real>(steps: usize, time: f64) -> f64 {
    let lost = 2.0 * (R::ROUNDING - <f64 as Real>::ROUNDING);
    lost * (steps + 2) as f64 * time.abs()
}

/// A number of the model, rounded to a world's precision.
#[inline(always)]
pub fn as_kept<R: Real>(x: f64) -> f64 {
    R::splat(x).lane(0)
}

// index of the `k`th sample, the oldest first
fn sample_place<R: Real>(d: &Data<R>, lane: usize, ring: Ring, k: usize) -> usize {
    let newest = (d.history[ring.adr + 1].lane(lane) as usize).min(ring.num - 1);
    (newest + 1 + k) % ring.num
}

// time of the `k`th sample
fn sample_time<R: Real>(d: &Data<R>, lane: usize, ring: Ring, k: usize) -> f64 {
    d.history[ring.adr + 2 + sample_place(d, lane, ring, k)].lane(lane)
}

// the first sample that is not before a time; the last one if all are before it
fn not_before<R: Real>(d: &Data<R>, lane: usize, ring: Ring, time: f64) -> usize {
    let mut k = 0;
    while k + 1 < ring.num && sample_time(d, lane, ring, k) < time {
        k += 1;
    }
    k
}

/// Weights of a history's samples at a time: constant before the oldest sample and from the newest on, interpolated by `interp`
/// between them.
pub fn read_ring<R: Real>(d: &Data<R>, lane: usize, ring: Ring, time: f64, interp: i32) -> Blend {
    let k = not_before(d, lane, ring, time);
    let at = |k: usize| sample_place(d, lane, ring, k.min(ring.num - 1));
    let next = sample_time(d, lane, ring, k);
    let after = next - time;
    let same = after.abs() <= MINVAL + time_slack::<R>(ring.num, time);
    if same || k == 0 || next < time {
        return Blend {
            place: [at(k); 4],
            weight: [1.0, 0.0, 0.0, 0.0],
        };
    }

    // the two samples around the time, and their outer neighbours
    let last = sample_time(d, lane, ring, k - 1);
    let place = [at(k.max(2) - 2), at(k - 1), at(k), at(k + 1)];
    let span = next - last;
    let s = (time - last) / span;
    if interp == Interp::Zoh as i32 {
        return Blend {
            place,
            weight: [0.0, 1.0, 0.0, 0.0],
        };
    }
    if interp == Interp::Linear as i32 {
        return Blend {
            place,
            weight: [0.0, 1.0 - s, s, 0.0],
        };
    }

    // a cubic through both samples, with the slopes of the lines between their neighbours; zero slope where the history ends
    let (mut before, mut behind) = (0.0, 0.0);
    if k >= 2 {
        before = span / (next - sample_time(d, lane, ring, k - 2));
    }
    if k + 1 < ring.num {
        behind = span / (sample_time(d, lane, ring, k + 1) - last);
    }
    let (s2, s3) = (s * s, s * s * s);
    let rise = 3.0 * s2 - 2.0 * s3;
    let before = (s3 - 2.0 * s2 + s) * before;
    let behind = (s3 - s2) * behind;
    Blend {
        place,
        weight: [-before, 1.0 - rise - behind, rise + before, behind],
    }
}

/// Component `c` of the weighted samples.
pub fn blended<R: Real>(d: &Data<R>, lane: usize, ring: Ring, blend: Blend, c: usize) -> f64 {
    let values = ring.adr + 2 + ring.num;
    let mut sum = 0.0;
    for (place, weight) in blend.place.into_iter().zip(blend.weight) {
        if weight != 0.0 {
            sum += weight * d.history[values + place * ring.dim + c].lane(lane);
        }
    }
    sum
}

/// True if a period has passed since a history was last due.
pub fn is_due<R: Real>(d: &Data<R>, lane: usize, ring: Ring, period: f64, time: f64) -> bool {
    d.history[ring.adr].lane(lane) + period <= time + time_slack::<R>(0, time)
}

/// Makes room for a sample at a time, in place of the oldest one, and returns the address of its values; a sample at the same
/// time is overwritten.
pub fn new_sample<R: Real>(d: &mut Data<R>, lane: usize, ring: Ring, time: f64) -> usize {
    let (times, values) = (ring.adr + 2, ring.adr + 2 + ring.num);
    let mut to = sample_place(d, lane, ring, 0);
    let newest = sample_time(d, lane, ring, ring.num - 1);
    if time <= newest {
        // time was set back: insert the sample between the others
        let k = not_before(d, lane, ring, time);
        let apart = sample_time(d, lane, ring, k) - time;
        let same = apart.abs() <= MINVAL + time_slack::<R>(0, time);
        to = sample_place(d, lane, ring, if same { k } else { k.max(1) - 1 });
        let moved = if same { 1 } else { k };
        for j in 1..moved {
            let (from, into) = (
                sample_place(d, lane, ring, j),
                sample_place(d, lane, ring, j - 1),
            );
            copy(d, lane, times + from, times + into);
            for c in 0..ring.dim {
                let [from, into] = [from, into].map(|place| values + place * ring.dim + c);
                copy(d, lane, from, into);
            }
        }
    } else {
        d.history[ring.adr + 1].set_lane(lane, to as f64);
    }
    d.history[times + to].set_lane(lane, time);
    values + to * ring.dim
}

fn copy<R: Real>(d: &mut Data<R>, lane: usize, from: usize, to: usize) {
    let x = d.history[from].lane(lane);
    d.history[to].set_lane(lane, x);
}

/// Replaces a sensor's reading by its history's value, if the sensor is delayed or not due yet, or by zeros if sensors are disabled; the
/// reading is kept for the history.
pub fn hold_back<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let ring = sensor_ring(m, i);
    let (delay, period) = (
        d.own.sensor_delay(m, i),
        as_kept::<R>(m.sensor_interval[2 * i]),
    );
    let off = m.opt.disabled(DSBL_SENSOR);
    if ring.is_none() || (delay.le(R::zero()).all() && period <= 0.0 && !off) {
        return;
    }
    let adr = m.sensor_adr[i] as usize;
    let reading = &mut d.sensordata[adr..adr + ring.dim];
    d.sensor_fresh[adr..adr + ring.dim].copy_from_slice(reading);
    if off {
        reading.fill(R::zero());
        return;
    }
    for lane in 0..R::WIDTH {
        let (time, delay) = (d.time[0].lane(lane), delay.lane(lane));
        if delay <= 0.0 && period <= 0.0 {
            continue;
        }
        if delay <= 0.0 && is_due(d, lane, ring, period, time) {
            continue;
        }
        let blend = read_ring(d, lane, ring, time - delay, m.sensor_history[2 * i + 1]);
        for c in 0..ring.dim {
            let x = blended(d, lane, ring, blend, c);
            d.sensordata[adr + c].set_lane(lane, x);
        }
    }
}
