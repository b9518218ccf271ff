// plastic springs: a spring that is stretched too far gets a new rest position

// moves the rest positions of plastic springs that a step stretched beyond their yield limit. Every lane of the team must call this
fn yield_springs<vel>() {
    if ((opt_disableflags & DSBL_SPRING) != 0) {
        return;
    }
    for (var j = lane; j < njnt; j += LANES) {
        if (jnt_plasticadr(j) >= 0) {
            yield_joint(j);
        }
    }

    // tendon lengths after this step
    for (var t = lane; t < ntendon; t += LANES) {
        if (tendon_plasticadr(t) < 0) {
            continue;
        }
        let adr = ten_J_rowadr(t);
        var speed = 0.0;
        for (var k = adr; k < adr + ten_J_rownnz(t); k++) {
            speed += ten_J(k) * vel(ten_J_colind(k));
        }
        yield_tendon(t, ten_length(t) + opt_timestep * speed);
    }
}

// one coordinate, or the angle of an orientation
fn yield_joint(j: i32) {
    let adr = jnt_plasticadr(j);
    let q = jnt_qposadr(j);
    let most = jnt_springyield(j);
    if (jnt_type(j) != JNT_BALL) {
        let x = qpos(q) - plastic(adr);
        set_plastic(adr, plastic(adr) + (x - clip(x, -most, most)));
        return;
    }
    let quat = normalize4(vec4f(qpos(q), qpos(q + 1), qpos(q + 2), qpos(q + 3)));
    let rest = vec4f(plastic(adr), plastic(adr + 1), plastic(adr + 2), plastic(adr + 3));
    let x = sub_quat(quat, rest);
    let angle = length(x);
    if (angle <= most) {
        return;
    }
    let moved = quat_integrate(rest, x, (angle - most) / angle);
    for (var k = 0; k < 4; k++) {
        set_plastic(adr + k, moved[k]);
    }
}

// moves both ends of the slack range, except a lower end at zero
fn yield_tendon(t: i32, len: f32) {
    let adr = tendon_plasticadr(t);
    let lower = plastic(adr);
    let upper = plastic(adr + 1);
    let most = tendon_springyield(t);
    let x = select(select(0.0, len - lower, len < lower), len - upper, upper < len);
    let moved = x - clip(x, -most, most);
    let slack = tendon_lengthspring(t, 0) == 0.0 && tendon_lengthspring(t, 1) > 0.0;
    if (!slack) {
        set_plastic(adr, lower + moved);
    }
    set_plastic(adr + 1, upper + moved);
}
