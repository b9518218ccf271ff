// Derivative of the smooth forces with respect to velocity (`mjd_smooth_vel`).

const SLOPE_BIAS: bool = opt_integrator == INT_IMPLICIT;

fn mj_smooth_vel() {
    // velocity-dependent forces on bodies
    if (nvslope > 0) {
        slope_bodies();
    } else {
        for (var k = lane; k < nDimp; k += LANES) {
            set_qDeriv(k, 0.0);
        }
    }
    team_sync();

    // actuators
    if (nactuator > 0 && (opt_disableflags & DSBL_ACTUATION) == 0) {
        let bad = bad_ctrl();
        for (var i = 0; i < nactuator; i++) {
            if (!actuator_disabled(i)) {
                slope_actuator(i, bad);
            }
        }
    }

    // dampers of dofs and tendons
    if ((opt_disableflags & DSBL_DAMPER) != 0) {
        return;
    }
    for (var i = lane; i < nv; i += LANES) {
        let at = d_address(i, i);
        set_qDeriv(at, qDeriv(at) - damping_slope(i));
    }
    for (var t = 0; t < ntendon; t++) {
        let poly = vec2f(tendon_dampingpoly_all(t, 0), tendon_dampingpoly_all(t, 1));
        if (tendon_damping_all(t) == 0.0 && all(poly == vec2f(0.0))) {
            continue;
        }
        let slope = poly_force_slope(tendon_damping_all(t), poly, ten_velocity(t), true);
        let adr = ten_J_rowadr(t);
        for (var k = adr; k < adr + ten_J_rownnz(t); k++) {
            for (var l = adr; l < adr + ten_J_rownnz(t); l++) {
                add_slope(ten_J_colind(k), ten_J_colind(l), -slope * ten_J(k) * ten_J(l));
            }
        }
    }
}

// adds to an entry, if it exists: there is none for dofs of two branches. A row is written by the lane of its dof
fn add_slope(i: i32, j: i32, x: f32) {
    if (i % LANES == lane && ancestor(min(i, j), max(i, j))) {
        let at = d_address(i, j);
        set_qDeriv(at, qDeriv(at) + x);
    }
}

// gyroscopic forces and drag: matrices of bodies, summed over subtrees
fn slope_bodies() {
    // matrices of single bodies; the world body has none
    for (var i = lane; i < nbody; i += LANES) {
        for (var k = 0; k < 36; k++) {
            set_slope_force(i, k, 0.0);
        }
        if (i == 0) {
            continue;
        }
        if (SLOPE_BIAS) {
            var slope = gyroscopic(cinert(i), cvel(i));
            for (var c = 0; c < 6; c++) {
                add_column(i, c, slope.c[c], -1.0);
            }
        }
        if (SLOPE_DRAG && body_mass(i) >= MINVAL) {
            slope_resistance(i);
        }
    }
    team_sync();

    of_subtrees();

    // vectors of each dof as the deeper one of two dofs, and as the other one
    for (var k = lane; k < nv; k += LANES) {
        let body = dof_bodyid(k);
        let axis = cdof(k);
        let x = array(axis.rot.x, axis.rot.y, axis.rot.z, axis.lin.x, axis.lin.y, axis.lin.z);
        var own = Spatial(vec3f(0.0), vec3f(0.0));
        for (var c = 0; c < 6; c++) {
            let column = slope_column(body, c);
            own = add_scl6(own, column, x[c]);
            set_slope_axis_at(k, c, dot6(column, axis));
        }
        if (SLOPE_BIAS) {
            let turn = axis_turn(k);
            set_slope_turn(k, turn);
            set_slope_momentum(k, mul_inert_vec(crb(body), axis));
            own = add_scl6(own, mul_inert_vec(crb(body), turn), -1.0);
        }
        set_slope_own(k, own);
    }
    team_sync();

    // entries
    for (var i = lane; i < nv; i += LANES) {
        let adr = D_rowadr(i);
        for (var k = adr; k < adr + D_rownnz(i); k++) {
            let j = D_colind(k);
            if (j > i) {
                set_qDeriv(k, dot6(cdof(i), slope_own(j)));
                continue;
            }
            var slope = dot6(slope_axis(i), cdof(j));
            if (SLOPE_BIAS) {
                slope -= dot6(slope_momentum(i), slope_turn(j));
            }
            set_qDeriv(k, slope);
        }
    }
}

// derivative of an actuator's force with respect to velocity, added for each output by itself
fn slope_actuator(i: i32, bad: bool) {
    if (saturated(i)) {
        return;
    }
    let slope = force_slope(i, bad);
    let first = actuator_outadr(i);
    for (var r = first; r < first + actuator_outnum(i); r++) {
        let adr = moment_rowadr(r);
        for (var k = adr; k < adr + moment_rownnz(r); k++) {
            for (var l = adr; l < adr + moment_rownnz(r); l++) {
                add_slope(moment_colind(k), moment_colind(l), slope * actuator_moment(k) * actuator_moment(l));
            }
        }
    }
}
