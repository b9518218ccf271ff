// Controls after the delay of their actuators (`mj_readCtrl`).

fn mj_read_ctrl() {
    for (var i = lane; i < nactuator; i += LANES) {
        let u = actuator_ctrladr(i);
        let num = actuator_ctrlnum(i);
        let ring = actuator_ring(i);

        // without delay
        if (ring_is_none(ring) || actuator_delay(i) <= 0.0) {
            for (var c = 0; c < num; c++) {
                set_ctrl_late(u + c, ctrl(u + c));
            }
            continue;
        }

        // the control a delay ago
        let blend = read_ring(ring, time() - actuator_delay(i), actuator_history(i, 1));
        for (var c = 0; c < num; c++) {
            set_ctrl_late(u + c, blended(ring, blend, c));
        }
    }
}
