// Velocity and reference acceleration of rows (`mj_referenceConstraint`).

fn mj_reference_constraint() {
    for (var r = lane; r < nefc(); r += LANES) {
        // vel = J qvel
        let pattern = efc_Jpat(r);
        let adr = pattern_adr(pattern);
        var vel = 0.0;
        for (var k = 0; k < pattern_num(pattern); k++) {
            vel += efc_J(r, k) * qvel(pattern_dof(adr + k));
        }
        // plus the surface velocity of the geoms
        if (nsurfacevel > 0) {
            vel += surface_motion(r);
        }
        set_efc_vel(r, vel);

        // aref = - B vel - K I (pos - margin)
        let spring = efc_KBIP(r, 0) * efc_KBIP(r, 2) * (efc_pos(r) - efc_margin(r));
        var aref = -efc_KBIP(r, 1) * vel - spring;
        // + R adhesion: a sticking contact rests where it would without adhesion; a discrete step adds it with an R of its own
        if (nadhesion > 0 && opt_integrator != INT_DISCRETE) {
            aref += efc_R(r) * adhesion_share(r);
        }
        set_efc_aref(r, aref);
    }
    team_sync();

    // connects and welds: minus the acceleration due to their rotating axes
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

// velocity of a contact row due to the surface velocities of its geoms
fn surface_motion(r: i32) -> f32 {
    let kind = efc_type(r);
    let pyramid = kind == CNSTR_CONTACTPYRAMIDAL;
    if (!pyramid && kind != CNSTR_CONTACTELLIPTIC) {
        return 0.0;
    }
    let c = efc_id(r);
    let k = contact_collision(c);
    let e = r - contact_efc_address(c);

    // edges come in pairs; the first axis of a cone is the normal
    let part = select(e - 1, e / 2, pyramid);
    if (part < 0 || part > 2) {
        return 0.0;
    }
    let edge = select(-1.0, 1.0, e % 2 == 0);
    let share = select(1.0, edge * collision_friction(k, part), pyramid);

    // surface velocity of the second geom minus that of the first, along the tangents, and about the normal
    let field1 = surface_field(collision_geom1(k), contact_pos(c));
    let field2 = surface_field(collision_geom2(k), contact_pos(c));
    let frame = contact_frame(c);
    let lin = frame * (field2.lin - field1.lin);
    let ang = frame * (field2.rot - field1.rot);
    return select(lin[min(part + 1, 2)], ang[0], part == 2) * share;
}

// velocity of a geom's surface at a point relative to its body: linear, angular
fn surface_field(geom: i32, pos: vec3f) -> Spatial {
    if (ncollisionflex > 0 && geom < 0) {
        return Spatial(vec3f(), vec3f());
    }
    let mat = geom_xmat(geom);
    let lin = mat * vec3f(geom_surfacevel(geom, 0), geom_surfacevel(geom, 1), geom_surfacevel(geom, 2));
    let ang = mat * vec3f(geom_surfacevel(geom, 3), geom_surfacevel(geom, 4), geom_surfacevel(geom, 5));
    return Spatial(ang, lin + cross(ang, pos - geom_xpos(geom)));
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

// time derivative of half of inverse(q2) (rot1 - rot2) q1 applied to the velocities, by the product rule
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
