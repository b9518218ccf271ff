// Velocities of flex edges, tendons and actuators (first part of `mj_fwdVelocity`).

fn mj_fwd_velocity() {
    // flex edges
    for (var e = lane; e < nflexedge; e += LANES) {
        let adr = flexedge_J_rowadr(e);
        var sum = 0.0;
        for (var k = adr; k < adr + flexedge_J_rownnz(e); k++) {
            sum += flexedge_J(k) * qvel(flexedge_J_colind(k));
        }
        set_flexedge_velocity(e, sum);
    }

    // tendons
    for (var t = lane; t < ntendon; t += LANES) {
        let adr = ten_J_rowadr(t);
        var sum = 0.0;
        for (var k = adr; k < adr + ten_J_rownnz(t); k++) {
            sum += ten_J(k) * qvel(ten_J_colind(k));
        }
        set_ten_velocity(t, sum);
    }

    // force outputs of actuators
    for (var r = lane; r < nout; r += LANES) {
        let adr = moment_rowadr(r);
        var sum = 0.0;
        if ((opt_disableflags & DSBL_ACTUATION) == 0) {
            for (var k = adr; k < adr + moment_rownnz(r); k++) {
                sum += actuator_moment(k) * qvel(moment_colind(k));
            }
        }
        set_actuator_velocity(r, sum);
    }
}
