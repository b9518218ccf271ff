// Velocity and reference acceleration of rows (`mj_referenceConstraint`).

fn mj_reference_constraint() {
    for (var r = lane; r < nefc(); r += LANES) {
        // vel = J qvel
        let pattern = efc_Jpat(r);
        let adr = Jpat_adr(pattern);
        var vel = 0.0;
        for (var k = 0; k < Jpat_num(pattern); k++) {
            vel += efc_J(r, k) * qvel(Jpat_dof(adr + k));
        }
        set_efc_vel(r, vel);

        // aref = - B vel - K I (pos - margin)
        let spring = efc_KBIP(r, 0) * efc_KBIP(r, 2) * (efc_pos(r) - efc_margin(r));
        set_efc_aref(r, -efc_KBIP(r, 1) * vel - spring);
    }
    team_sync();

    // a connect or weld also moves because its axes turn
    var turn = 0;
    for (var r = 0; r < ne();) {
        let i = efc_id(r);
        let type_ = eq_type(i);
        let nrow = select(select(1, 3, type_ == EQ_CONNECT), 6, type_ == EQ_WELD);
        if (nrow > 1 && turn % LANES == lane) {
            turning(i, r, nrow);
        }
        turn++;
        r += nrow;
    }
}

// aref -= Jdot v
fn turning(i: i32, r: i32, nrow: i32) {
    let body = bodies(i);
    let points = anchors(i);
    let rate1 = jac_dot_vel(points.first, body[0]);
    let rate2 = jac_dot_vel(points.second, body[1]);
    let rate = add_scl6(rate1, rate2, -1.0);
    for (var k = 0; k < 3; k++) {
        set_efc_aref(r + k, efc_aref(r + k) - rate.lin[k]);
    }
    if (nrow == 6) {
        let turned = weld_rate(i, rate.rot);
        for (var k = 0; k < 3; k++) {
            set_efc_aref(r + 3 + k, efc_aref(r + 3 + k) - turned[k]);
        }
    }
}

// rate of half of inverse(q2) (rot1 - rot2) q1 times the velocities, by the product rule
fn weld_rate(i: i32, jdv: vec3f) -> vec3f {
    let body = bodies(i);
    let quats = orientations(i);
    let spin1 = cvel(body[0]).rot;
    let spin2 = cvel(body[1]).rot;
    let rate1 = mul_quat(vec4f(0.0, spin1 * 0.5), quats.first);
    let rate2 = mul_quat(vec4f(0.0, spin2 * 0.5), quats.second);
    let dif = vec4f(0.0, spin1 - spin2);
    let sum = mul_quat(mul_quat(neg_quat(rate2), dif), quats.first)
        + mul_quat(mul_quat(neg_quat(quats.second), vec4f(0.0, jdv)), quats.first)
        + mul_quat(mul_quat(neg_quat(quats.second), dif), rate1);
    return sum.yzw * (0.5 * eq_data(i, 10));
}
