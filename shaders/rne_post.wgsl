// Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).

fn mj_rne_post() {
    // what is applied to bodies, at their centres of mass
    for (var i = lane; i < nbody; i += LANES) {
        set_cfrc_ext(i, Spatial(vec3f(0.0), vec3f(0.0)));
        // the table has the force first
        let applied = xfrc_applied(i);
        push(i, xipos(i), Spatial(applied.lin, applied.rot), 1.0);
    }

    // contacts
    var r = ne();
    while (r < nefc()) {
        if (efc_type(r) < CNSTR_CONTACTFRICTIONLESS) {
            r++;
            continue;
        }
        let c = efc_id(r);
        let pair = contact_collision(c);
        let body1 = geom_bodyid(collision_geom1(pair));
        let body2 = geom_bodyid(collision_geom2(pair));
        if (is_mine(body1) || is_mine(body2)) {
            let local = contact_force_at(pair, r);

            // from the frame of the contact to that of the world
            let frame = contact_frame(c);
            let force = Spatial(local.rot * frame, local.lin * frame);
            push(body1, contact_pos(c), force, -1.0);
            push(body2, contact_pos(c), force, 1.0);
        }
        r += contact_rows(pair);
    }

    // connects and welds; a joint or a tendon is no force on a body
    r = 0;
    while (r < ne()) {
        let i = efc_id(r);
        let weld = eq_type(i) == EQ_WELD;
        if (!weld && eq_type(i) != EQ_CONNECT) {
            r++;
            continue;
        }
        let body = bodies(i);
        if (is_mine(body[0]) || is_mine(body[1])) {
            var force = Spatial(vec3f(0.0), vec3f(efc_force(r), efc_force(r + 1), efc_force(r + 2)));
            if (weld) {
                force.rot = weld_torque(i, vec3f(efc_force(r + 3), efc_force(r + 4), efc_force(r + 5)));
            }
            let points = anchors(i);
            push(body[0], points.first, force, 1.0);
            push(body[1], points.second, force, -1.0);
        }
        r += select(3, 6, weld);
    }

    // gravity is an acceleration of the world
    if (lane == 0) {
        var up = -opt_gravity;
        if ((opt_disableflags & DSBL_GRAVITY) != 0) {
            up = vec3f(0.0);
        }
        set_cacc(0, Spatial(vec3f(0.0), up));
        set_cfrc_int(0, Spatial(vec3f(0.0), vec3f(0.0)));
    }
    team_sync();

    // acceleration, and force that it takes beside the one from outside, parents first
    for (var level = 1; level < nlevel; level++) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            var acc = cacc(body_parentid(i));
            for (var dof = body_dofadr(i); dof < body_dofadr(i) + body_dofnum(i); dof++) {
                acc = add_scl6(acc, cdof_dot(dof), qvel(dof));
                acc = add_scl6(acc, cdof(dof), qacc(dof));
            }
            set_cacc(i, acc);
            let inertia = cinert(i);
            let vel = cvel(i);
            let gyroscopic = cross_force(vel, mul_inert_vec(inertia, vel));
            let force = add_scl6(mul_inert_vec(inertia, acc), gyroscopic, 1.0);
            set_cfrc_int(i, add_scl6(force, cfrc_ext(i), -1.0));
        }
        team_sync();
    }

    // force on subtrees, children before parents, the world too
    for (var level = nlevel - 1; level >= 0; level--) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            if (body_childnum(i) > 0) {
                var sum = cfrc_int(i);
                for (var c = 0; c < body_childnum(i); c++) {
                    sum = add_scl6(sum, cfrc_int(child_body(body_childadr(i) + c)), 1.0);
                }
                set_cfrc_int(i, sum);
            }
        }
        team_sync();
    }
}

// a body has one lane, which adds up what acts on it
fn is_mine(body: i32) -> bool {
    return body > 0 && body % LANES == lane;
}

// rows of a contact of a pair
fn contact_rows(pair: i32) -> i32 {
    let dim = collision_condim(pair);
    if (dim == 1 || opt_cone == CONE_ELLIPTIC) {
        return dim;
    }
    return 2 * (dim - 1);
}

// torque and force of a contact in its frame, from its rows (`mj_contactForce`); it acts on the second geom
fn contact_force_at(pair: i32, r: i32) -> Spatial {
    var force: array<f32, 6>;
    let dim = collision_condim(pair);
    if (dim == 1 || opt_cone == CONE_ELLIPTIC) {
        for (var k = 0; k < dim; k++) {
            force[k] = efc_force(r + k);
        }
    } else {
        // edges of the pyramid, two for each direction of friction
        for (var k = 0; k < dim - 1; k++) {
            let plus = efc_force(r + 2 * k);
            let minus = efc_force(r + 2 * k + 1);
            force[0] += plus + minus;
            force[k + 1] = (plus - minus) * collision_friction(pair, k);
        }
    }
    return Spatial(vec3f(force[3], force[4], force[5]), vec3f(force[0], force[1], force[2]));
}

// adds a force with its torque at a point to what acts on a body; the world is none
fn push(body: i32, pos: vec3f, force: Spatial, sign: f32) {
    if (is_mine(body)) {
        let offset = pos - subtree_com(body_rootid(body));
        let moved = Spatial(force.rot + cross(offset, force.lin), force.lin);
        set_cfrc_ext(body, add_scl6(cfrc_ext(body), moved, sign));
    }
}
