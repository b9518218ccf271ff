// Potential and kinetic energy (`mj_energyPos`, `mj_energyVel`).

fn mj_energy() {
    var potential = 0.0;

    // gravity
    if ((opt_disableflags & DSBL_GRAVITY) == 0) {
        for (var i = 1 + lane; i < nbody; i += LANES) {
            potential -= body_mass(i) * dot(opt_gravity, xipos(i));
        }
    }

    // springs of joints, of tendons and of flex edges
    if ((opt_disableflags & DSBL_SPRING) == 0) {
        for (var j = lane; j < njnt; j += LANES) {
            potential += joint_energy(j);
        }
        for (var t = lane; t < ntendon; t += LANES) {
            potential += tendon_energy(t);
        }
        for (var f = 0; f < nflex; f++) {
            potential += edge_energy(f);
        }
    }
    let potential_sum = team_sum(potential);

    // half of qvel' M qvel: off-diagonal entries of a row count twice
    var kinetic = 0.0;
    for (var i = lane; i < nv; i += LANES) {
        let adr = M_rowadr(i);
        let diag = adr + M_rownnz(i) - 1;
        var momentum = 0.5 * M(diag) * qvel(i);
        for (var k = adr; k < diag; k++) {
            momentum += M(k) * qvel(M_colind(k));
        }
        kinetic += momentum * qvel(i);
    }
    let kinetic_sum = team_sum(kinetic);
    if (lane == 0) {
        set_energy(0, potential_sum);
        set_energy(1, kinetic_sum);
    }
}

fn joint_energy(j: i32) -> f32 {
    let linear = jnt_stiffness(j);
    let poly = vec2f(jnt_stiffnesspoly(j, 0), jnt_stiffnesspoly(j, 1));
    if (linear == 0.0 && all(poly == vec2f(0.0))) {
        return 0.0;
    }
    var adr = jnt_qposadr(j);
    let type_ = jnt_type(j);

    // one coordinate
    if (type_ == JNT_SLIDE || type_ == JNT_HINGE) {
        return spring_energy(linear, poly, qpos(adr) - joint_rest(j, 0));
    }

    // three coordinates: the distance from rest counts
    var sum = 0.0;
    if (type_ == JNT_FREE) {
        let x = vec3f(qpos(adr), qpos(adr + 1), qpos(adr + 2));
        let rest = vec3f(joint_rest(j, 0), joint_rest(j, 1), joint_rest(j, 2));
        sum += spring_energy(linear, poly, length(x - rest));
        adr += 3;
    }

    // an orientation: the angle from rest counts
    let quat = normalize4(vec4f(qpos(adr), qpos(adr + 1), qpos(adr + 2), qpos(adr + 3)));
    let first = adr - jnt_qposadr(j);
    let rest =
        vec4f(joint_rest(j, first), joint_rest(j, first + 1), joint_rest(j, first + 2), joint_rest(j, first + 3));
    return sum + spring_energy(linear, poly, length(sub_quat(quat, rest)));
}

fn tendon_energy(t: i32) -> f32 {
    let linear = tendon_stiffness(t);
    let poly = vec2f(tendon_stiffnesspoly(t, 0), tendon_stiffnesspoly(t, 1));
    if (linear == 0.0 && all(poly == vec2f(0.0))) {
        return 0.0;
    }

    // a spring acts outside its range of slack lengths
    let len = ten_length(t);
    let rest = rest_length(t);
    return spring_energy(linear, poly, select(select(0.0, len - rest.x, len < rest.x), len - rest.y, rest.y < len));
}

fn edge_energy(f: i32) -> f32 {
    var sum = 0.0;
    if (flex_rigid(f) != 0) {
        return sum;
    }
    let half_ = 0.5 * flex_edgestiffness(f);
    for (var e = lane; e < flex_edgenum(f); e += LANES) {
        let edge = flex_edgeadr(f) + e;
        let x = flexedge_length(edge) - flexedge_length0(edge);
        sum += half_ * x * x;
    }
    return sum;
}
