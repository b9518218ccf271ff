// Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).

// tolerance of the forces between bodies, as a fraction of their terms: 64 roundings
const SLACK: f32 = 64.0 * 5.9604645e-8;

fn mj_rne_post() {
    // gravity is an acceleration of the world
    if (lane == 0) {
        set_cacc(0, world_acceleration());
    }
    team_sync();

    // acceleration, parents first
    for (var level = 1; level < nlevel; level++) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            var acc = cacc(body_parentid(i));
            for (var dof = body_dofadr(i); dof < body_dofadr(i) + body_dofnum(i); dof++) {
                acc = add_scl6(acc, cdof_dot(dof), qvel(dof));
                acc = add_scl6(acc, cdof(dof), qacc(dof));
            }
            set_cacc(i, acc);
        }
        team_sync();
    }

    // forces applied to bodies, at their centres of mass
    for (var i = lane; i < nbody; i += LANES) {
        set_cfrc_ext(i, Spatial(vec3f(0.0), vec3f(0.0)));
        // the table has the force first
        let applied = xfrc_applied(i);
        push(i, xipos(i), Spatial(applied.lin, applied.rot), 1.0);
    }

    push_contacts();
    push_equalities();

    // spatial tendons, at the bodies of their path
    for (var t = 0; t < ntendon && model_spatial_tendons; t++) {
        if (tendon_type(t) == TENDON_SPATIAL) {
            pull(t, tension(t));
        }
    }
    team_sync();

    // inertial force minus external force
    for (var i = lane; i < nbody; i += LANES) {
        var force = Spatial(vec3f(0.0), vec3f(0.0));
        if (i > 0) {
            let taken = taken_by_motion(i);
            force = add_scl6(taken.inertial, taken.gyroscopic, 1.0);
            force = add_scl6(force, cfrc_ext(i), -1.0);
        }
        set_cfrc_int(i, force);
    }
    team_sync();

    // force on subtrees, children before parents, the world body included
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
            if (body_jntnum(i) == 1 && jnt_type(max(body_jntadr(i), 0)) == JNT_FREE) {
                set_cfrc_int(i, of_free_joint(i));
            }
        }
        team_sync();
    }
}

// forces of contacts on bodies
fn push_contacts() {
    var r = ne();
    while (r < nefc()) {
        let kind = efc_type(r);
        if (kind < CNSTR_CONTACTFRICTIONLESS) {
            r++;
            continue;
        }
        let c = efc_id(r);
        let pair = contact_collision(c);
        if (ncollisionflex > 0 && is_soft(pair)) {
            r += contact_rows(pair, kind);
            continue;
        }
        let body1 = geom_bodyid(collision_geom1(pair));
        let body2 = geom_bodyid(collision_geom2(pair));
        if (is_mine(body1) || is_mine(body2)) {
            let local = contact_force_at(pair, r);

            // from the contact frame to the world frame
            let frame = contact_frame(c);
            let force = Spatial(local.rot * frame, local.lin * frame);
            push(body1, contact_pos(c), force, -1.0);
            push(body2, contact_pos(c), force, 1.0);
        }
        r += contact_rows(pair, kind);
    }
}

// forces of connects and welds; a joint equality exerts no force on a body
fn push_equalities() {
    var r = 0;
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
}

struct Taken {
    inertial: Spatial,
    gyroscopic: Spatial,
}

// inertial and gyroscopic force of a body
fn taken_by_motion(i: i32) -> Taken {
    let inertia = cinert(i);
    return Taken(mul_inert_vec(inertia, cacc(i)), gyroscopic_force(inertia, cvel(i)));
}

// force transmitted by a free joint: its own forces, unless the sum differs from them by more than the rounding of its terms
fn of_free_joint(i: i32) -> Spatial {
    // torques and forces in the sum, and their lever arm to the centre of mass of the tree
    var turning = 0.0;
    var pushing = 0.0;
    var inertia = 0.0;
    var mass = 0.0;
    for (var b = i; b < nbody; b++) {
        if (body_rootid(b) == i) {
            let taken = taken_by_motion(b);
            let outside = cfrc_ext(b);
            turning += length(taken.inertial.rot) + length(taken.gyroscopic.rot) + length(outside.rot);
            pushing += length(taken.inertial.lin) + length(taken.gyroscopic.lin) + length(outside.lin);
            let own = cinert(b);
            inertia += own.diag.x + own.diag.y + own.diag.z;
            mass += own.mass;
        }
    }
    let lever = sqrt(inertia / mass);

    // the dofs: along world axes, then about the body's axes, which are orthogonal
    let dof = body_dofadr(i);
    let force = vec3f(dof_force(dof), dof_force(dof + 1), dof_force(dof + 2));
    var torque = vec3f(0.0);
    for (var k = dof + 3; k < dof + 6; k++) {
        let turn = dof_force(k) - dot(cdof(k).lin, force);
        torque += cdof(k).rot * turn;
    }
    let sum = cfrc_int(i);
    let turned = rounded_to(sum.rot, torque, (turning + lever * pushing) * SLACK);
    return Spatial(turned, rounded_to(sum.lin, force, pushing * SLACK));
}

// each number of a sum, replaced by the intended one where they differ by at most `slack`
fn rounded_to(sum: vec3f, meant: vec3f, slack: f32) -> vec3f {
    return select(sum, meant, abs(sum - meant) <= vec3f(slack));
}

// a dof's own force: without spatial tendons, which act on bodies, and minus armature, which belongs to no body
fn dof_force(i: i32) -> f32 {
    var sum = qfrc_applied(i) + qfrc_passive(i) + qfrc_actuator(i);
    sum -= dof_armature_all(i) * qacc(i);
    for (var t = 0; t < ntendon && model_spatial_tendons; t++) {
        if (tendon_type(t) == TENDON_SPATIAL) {
            let adr = ten_J_rowadr(t);
            for (var k = adr; k < adr + ten_J_rownnz(t); k++) {
                if (ten_J_colind(k) == i) {
                    sum -= ten_J(k) * driven(t);
                }
            }
        }
    }
    return sum;
}

// true if the lane collects the forces on a body: one lane per body
fn is_mine(body: i32) -> bool {
    return body > 0 && body % LANES == lane;
}

// force along a tendon: of its spring, damper and armature, its actuators and its rows
fn tension(t: i32) -> f32 {
    var sum = driven(t);
    if (tendon_armature_all(t) != 0.0) {
        sum -= tendon_armature_all(t) * tendon_acceleration<cacc>(t);
    }
    for (var r = 0; r < nefc(); r++) {
        sum += efc_force(r) * row_slope(t, r);
    }
    return sum;
}

// the part of the spring, the damper and the actuators
fn driven(t: i32) -> f32 {
    let passive = tendon_passive(t);
    var sum = passive.x + passive.y;
    for (var i = 0; i < nactuator; i++) {
        if (actuator_trntype(i) == TRN_TENDON && actuator_trnid(i, 0) == t) {
            let first = actuator_outadr(i);
            sum += actuator_force(first) * actuator_gear(first, 0);
        }
    }
    return sum;
}

// derivative of a row's value with respect to the length of a tendon
fn row_slope(t: i32, r: i32) -> f32 {
    let kind = efc_type(r);
    let i = efc_id(r);
    if ((kind == CNSTR_LIMITTENDON || kind == CNSTR_FRICTIONTENDON) && i == t) {
        // an upper limit has the negative Jacobian of the tendon
        let adr = ten_J_rowadr(t);
        var sum = 0.0;
        for (var k = 0; k < ten_J_rownnz(t); k++) {
            sum += efc_J(r, k) * ten_J(adr + k);
        }
        return select(1.0, -1.0, sum < 0.0);
    }
    if (kind != CNSTR_EQUALITY) {
        return 0.0;
    }
    var rate = 0.0;
    if (eq_type(i) == EQ_TENDON) {
        if (eq_obj1id(i) == t) {
            rate += 1.0;
        }
        if (eq_obj2id(i) == t) {
            let x = ten_length(t) - tendon_length0(t);
            rate -= eq_data(i, 1) + x * (2.0 * eq_data(i, 2) + x * (3.0 * eq_data(i, 3) + x * 4.0 * eq_data(i, 4)));
        }
    }
    return rate;
}

fn path_point(n: i32) -> vec3f {
    let word = 3 * n;
    return vec3f(wrap_xpos(word / 6, word % 6), wrap_xpos(word / 6, word % 6 + 1), wrap_xpos(word / 6, word % 6 + 2));
}

// applies a tendon's force to the bodies along its path
fn pull(t: i32, force: f32) {
    let first = tendon_adr(t);
    let end = first + tendon_num(t);
    var n = ten_wrapadr(t);
    var divisor = 1.0;
    var w = first;
    while (w + 1 < end) {
        // a pulley starts a branch
        if (wrap_type(w) == WRAP_PULLEY) {
            divisor = wrap_prm(w);
            n++;
            w++;
            continue;
        }
        if (wrap_type(w + 1) == WRAP_PULLEY) {
            if (w > first) {
                n += select(0, 1, wrap_type(w - 1) != WRAP_PULLEY);
            }
            w++;
            continue;
        }

        // from a site, around a geom if the path has points on it, to the next site
        let geom = wrap_type(w + 1) != WRAP_SITE;
        let next = select(w + 1, w + 2, geom);
        let site1 = wrap_objid(next);
        let body0 = site_bodyid(wrap_objid(w));
        let body1 = site_bodyid(site1);
        let to = site_xpos(site1);
        var legs = 1;
        if (geom) {
            legs = select(1, 2, any(path_point(n + 1) != to));
        }
        for (var leg = 0; leg < legs; leg++) {
            var near = body0;
            var far = body1;
            var ends = to;
            if (legs == 2 && leg == 0) {
                far = geom_bodyid(wrap_objid(w + 1));
                ends = path_point(n + 1);
            } else if (legs == 2) {
                near = geom_bodyid(wrap_objid(w + 1));
            }
            let from_ = path_point(n + 2 * leg);
            // force that pushes two points of two bodies apart
            if (near != far) {
                let apart = Spatial(vec3f(0.0), normalize3(ends - from_).xyz * (force / divisor));
                push(near, from_, apart, -1.0);
                push(far, ends, apart, 1.0);
            }
        }
        n += select(1, 3, legs == 2);
        w = next;
    }
}

// adds a force and torque at a point, torque first, to the external force on a body, except the world body
fn push(body: i32, pos: vec3f, force: Spatial, sign: f32) {
    if (is_mine(body)) {
        let offset = pos - subtree_com(body_rootid(body));
        let moved = Spatial(force.rot + cross(offset, force.lin), force.lin);
        set_cfrc_ext(body, add_scl6(cfrc_ext(body), moved, sign));
    }
}
