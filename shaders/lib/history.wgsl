// histories: the last values of a control or of a sensor, with their sample times

// a ring of samples in `history`: last due time, index of the newest sample, times of all samples, their values
struct Ring {
    adr: i32,
    num: i32,
    dim: i32,
}

// true if there are no samples
fn ring_is_none(ring: Ring) -> bool {
    return ring.num <= 0;
}

// number of values per sample
fn ring_width(ring: Ring) -> i32 {
    return ring.dim;
}

// samples of a ring, by their indices, and their weights; samples of weight zero are not read
struct Blend {
    place: vec4i,
    weight: vec4f,
}

// the history of an actuator's controls
fn actuator_ring(i: i32) -> Ring {
    let adr = actuator_historyadr(i);
    return Ring(max(adr, 0), select(actuator_history(i, 0), 0, adr < 0), actuator_ctrlnum(i));
}

// the history of a sensor's readings
fn sensor_ring(i: i32) -> Ring {
    let adr = sensor_historyadr(i);
    return Ring(max(adr, 0), select(sensor_history(i, 0), 0, adr < 0), sensor_dim(i));
}

// tolerance within which two times count as equal: the rounding error of sums of timesteps in single precision
fn time_slack(steps: i32, time_: f32) -> f32 {
    return 1.1920929e-7 * f32(steps + 2) * abs(time_);
}

// index of the `k`th sample, the oldest first
fn sample_place(ring: Ring, k: i32) -> i32 {
    let newest = clamp(i32(history(ring.adr + 1)), 0, ring.num - 1);
    return (newest + 1 + k) % ring.num;
}

// time of the `k`th sample
fn sample_time(ring: Ring, k: i32) -> f32 {
    return history(ring.adr + 2 + sample_place(ring, k));
}

// the first sample that is not before a time; the last one if all are before it
fn not_before(ring: Ring, time_: f32) -> i32 {
    var k = 0;
    while (k + 1 < ring.num && sample_time(ring, k) < time_) {
        k++;
    }
    return k;
}

// weights of a history's samples at a time: constant before the oldest sample and from the newest on, interpolated by `interp`
// between them
fn read_ring(ring: Ring, time_: f32, interp: i32) -> Blend {
    let k = not_before(ring, time_);
    let next = sample_time(ring, k);
    let same = abs(next - time_) <= MINVAL + time_slack(ring.num, time_);
    if (same || k == 0 || next < time_) {
        return Blend(vec4i(sample_place(ring, k)), vec4f(1.0, 0.0, 0.0, 0.0));
    }

    // the two samples around the time, and their outer neighbours
    let last = sample_time(ring, k - 1);
    let beside = min(k + 1, ring.num - 1);
    let places = vec4i(sample_place(ring, max(k, 2) - 2), sample_place(ring, k - 1), sample_place(ring, k), sample_place(ring, beside));
    let span = next - last;
    let s = (time_ - last) / span;
    if (interp == INTERP_ZOH) {
        return Blend(places, vec4f(0.0, 1.0, 0.0, 0.0));
    }
    if (interp == INTERP_LINEAR) {
        return Blend(places, vec4f(0.0, 1.0 - s, s, 0.0));
    }

    // a cubic through both samples, with the slopes of the lines between their neighbours; zero slope where the history ends
    var before = 0.0;
    var behind = 0.0;
    if (k >= 2) {
        before = span / (next - sample_time(ring, k - 2));
    }
    if (k + 1 < ring.num) {
        behind = span / (sample_time(ring, k + 1) - last);
    }
    let s2 = s * s;
    let s3 = s2 * s;
    let rise = 3.0 * s2 - 2.0 * s3;
    before *= s3 - 2.0 * s2 + s;
    behind *= s3 - s2;
    return Blend(places, vec4f(-before, 1.0 - rise - behind, rise + before, behind));
}

// component `c` of the weighted samples
fn blended(ring: Ring, blend: Blend, c: i32) -> f32 {
    let values = ring.adr + 2 + ring.num;
    var sum = 0.0;
    for (var k = 0; k < 4; k++) {
        if (blend.weight[k] != 0.0) {
            sum += blend.weight[k] * history(values + blend.place[k] * ring.dim + c);
        }
    }
    return sum;
}

// true if a period has passed since a history was last due
fn is_due(ring: Ring, period: f32, time_: f32) -> bool {
    return history(ring.adr) + period <= time_ + time_slack(0, time_);
}

// makes room for a sample at a time, in place of the oldest one, and returns the address of its values; a sample at the same time
// is overwritten
fn new_sample(ring: Ring, time_: f32) -> i32 {
    let times = ring.adr + 2;
    let values = times + ring.num;
    var to = sample_place(ring, 0);
    let newest = sample_time(ring, ring.num - 1);
    if (time_ <= newest) {
        // time was set back: insert the sample between the others
        let k = not_before(ring, time_);
        let same = abs(sample_time(ring, k) - time_) <= MINVAL + time_slack(0, time_);
        to = sample_place(ring, select(max(k, 1) - 1, k, same));
        let moved = select(k, 1, same);
        for (var j = 1; j < moved; j++) {
            let first = sample_place(ring, j);
            let into = sample_place(ring, j - 1);
            set_history(times + into, history(times + first));
            for (var c = 0; c < ring.dim; c++) {
                set_history(values + into * ring.dim + c, history(values + first * ring.dim + c));
            }
        }
    } else {
        set_history(ring.adr + 1, f32(to));
    }
    set_history(times + to, time_);
    return values + to * ring.dim;
}

// replaces a sensor's reading by its history's value, if the sensor is delayed or not due yet, or by zeros if sensors are disabled; the
// reading is kept for the history
fn hold_back(i: i32) {
    let ring = sensor_ring(i);
    let delay = sensor_delay(i);
    let period = sensor_interval(i, 0);
    let off = (opt_disableflags & DSBL_SENSOR) != 0;
    if (ring_is_none(ring) || (delay <= 0.0 && period <= 0.0 && !off)) {
        return;
    }
    let adr = sensor_adr(i);
    for (var c = 0; c < ring.dim; c++) {
        set_sensor_fresh(adr + c, sensordata(adr + c));
        if (off) {
            set_sensordata(adr + c, 0.0);
        }
    }
    if (off) {
        return;
    }
    if (delay <= 0.0 && is_due(ring, period, time())) {
        return;
    }
    let blend = read_ring(ring, time() - delay, sensor_history(i, 1));
    for (var c = 0; c < ring.dim; c++) {
        set_sensordata(adr + c, blended(ring, blend, c));
    }
}
