// Samples of controls and sensors for delayed reading (part of `mj_advance`).

fn mj_write_history() {
    // the time at the start of the step, which Runge-Kutta has left since
    var begin = time();
    if (opt_integrator == INT_RK4) {
        begin = rk_time();
    }

    // controls as they were set
    for (var i = lane; i < nactuator; i += LANES) {
        let ring = actuator_ring(i);
        if (ring_is_none(ring)) {
            continue;
        }
        let u = actuator_ctrladr(i);
        let to = new_sample(ring, begin);
        for (var c = 0; c < ring_width(ring); c++) {
            set_history(to + c, ctrl(u + c));
        }
    }

    // readings that are due
    for (var i = lane; i < nsensor; i += LANES) {
        let ring = sensor_ring(i);
        let adr = sensor_adr(i);
        let period = sensor_interval(i, 0);
        if (ring_is_none(ring) || (period > 0.0 && !is_due(ring, period, begin))) {
            continue;
        }
        if (period > 0.0) {
            let last = sensor_historyadr(i);
            set_history(last, history(last) + period);
        }
        let held = sensor_delay(i) > 0.0;
        let to = new_sample(ring, begin);
        for (var c = 0; c < ring_width(ring); c++) {
            if (held) {
                set_history(to + c, sensor_fresh(adr + c));
            } else {
                set_history(to + c, sensordata(adr + c));
            }
        }
    }
}
