// Actuator lengths and moments (`mj_transmission`).

fn mj_transmission() {
    for (var i = lane; i < nactuator; i += LANES) {
        let id = actuator_trnid(i, 0);
        let r = actuator_outadr(i);
        let trn = actuator_trntype(i);
        if (trn == TRN_JOINT || trn == TRN_JOINTINPARENT) {
            on_joint(r, id, trn == TRN_JOINTINPARENT);
        } else if (trn == TRN_TENDON) {
            on_tendon(r, id);
        } else if (model_cranks && trn == TRN_SLIDERCRANK) {
            slider_crank(i, r);
        } else if (model_sites && trn == TRN_SITE) {
            on_site(i, r);
        } else if (model_so3 && trn == TRN_SO3) {
            on_orientation(i, r);
        } else if (model_adhesion && trn == TRN_BODY) {
            adhesion(r, id);
        }
    }
}

fn gear_force(r: i32) -> vec3f {
    return vec3f(actuator_gear(r, 0), actuator_gear(r, 1), actuator_gear(r, 2));
}

fn gear_torque(r: i32) -> vec3f {
    return vec3f(actuator_gear(r, 3), actuator_gear(r, 4), actuator_gear(r, 5));
}

fn on_joint(r: i32, id: i32, in_parent: bool) {
    let adr = moment_rowadr(r);
    var padr = jnt_qposadr(id);
    let type_ = jnt_type(id);

    // one coordinate, times the gear
    if (type_ == JNT_SLIDE || type_ == JNT_HINGE) {
        let gear = actuator_gear(r, 0);
        set_actuator_length(r, qpos(padr) * gear);
        set_actuator_moment(adr, gear);
        return;
    }

    // force and torque by the gear; the torque axis may be given in the parent's frame
    let free = type_ == JNT_FREE;
    padr += select(0, 3, free);
    let quat = normalize4(vec4f(qpos(padr), qpos(padr + 1), qpos(padr + 2), qpos(padr + 3)));
    let force = gear_force(r);
    var axis = select(force, gear_torque(r), free);
    if (in_parent) {
        axis = rot_vec_quat(axis, neg_quat(quat));
    }

    // a free joint has length zero, a ball joint the component of its rotation vector along the axis
    set_actuator_length(r, select(dot(quat2vel(quat), axis), 0.0, free));
    for (var k = 0; k < 3; k++) {
        if (free) {
            set_actuator_moment(adr + k, force[k]);
        }
        set_actuator_moment(adr + select(0, 3, free) + k, axis[k]);
    }
}

// a tendon's length and Jacobian, times the gear
fn on_tendon(r: i32, id: i32) {
    let gear = actuator_gear(r, 0);
    set_actuator_length(r, ten_length(id) * gear);
    let to = moment_rowadr(r);
    let adr = ten_J_rowadr(id);
    for (var k = 0; k < ten_J_rownnz(id); k++) {
        set_actuator_moment(to + k, ten_J(adr + k) * gear);
    }
}

// derivative of a length with respect to the motion of a point of a body
struct End {
    body: i32,
    point: vec3f,
    dir: vec3f,
    axis: vec3f,
}

// clears a row of the moments
fn clear_moment(r: i32) {
    let adr = moment_rowadr(r);
    for (var k = adr; k < adr + moment_rownnz(r); k++) {
        set_actuator_moment(k, 0.0);
    }
}

// adds the motion of one end or of both ends to a row
fn add_ends(r: i32, first: End, second: End, num: i32) {
    for (var k = 0; k < num; k++) {
        var end = first;
        if (k == 1) {
            end = second;
        }
        add_jac<actuator_moment, moment_colind>(
            moment_rowadr(r), moment_rownnz(r), end.body, end.point, end.dir, end.axis);
    }
}

// a rod of fixed length from a crank's site to a slider, which moves along the z axis of its own site
fn slider_crank(i: i32, r: i32) {
    let crank = actuator_trnid(i, 0);
    let slider = actuator_trnid(i, 1);
    let rod = actuator_cranklength(i);
    let axis = site_xmat(slider)[2];
    let vec = site_xpos(crank) - site_xpos(slider);
    let gear = actuator_gear(r, 0);

    // length = a·v - sqrt((a·v)² + rod² - v·v), or a·v beyond the reach of the rod
    let av = dot(vec, axis);
    let det = av * av + rod * rod - dot(vec, vec);
    let reach = det > 0.0;
    let root = sqrt(select(1.0, det, reach));
    set_actuator_length(r, select(av, av - root, reach) * gear);

    // its derivatives with respect to v and a
    let ratio = select(1.0, 1.0 - av / root, reach);
    let pull = select(0.0, 1.0 / root, reach);
    let dv = (axis * ratio + vec * pull) * gear;
    let da = vec * ratio * gear;

    // v moves with both sites, a rotates with the slider
    clear_moment(r);
    add_ends(
        r,
        End(site_bodyid(slider), site_xpos(slider), -dv, cross(axis, da)),
        End(site_bodyid(crank), site_xpos(crank), dv, vec3f(0.0)),
        2);
}

// rotation vector of a site relative to another, in the other's frame
fn site_turned(id: i32, refid: i32) -> vec3f {
    return sub_quat(
        mul_quat(xquat(site_bodyid(id)), site_quat(id)), mul_quat(xquat(site_bodyid(refid)), site_quat(refid)));
}

// a wrench on a site, in the site's frame, or in the frame of its reference site
fn on_site(i: i32, r: i32) {
    let id = actuator_trnid(i, 0);
    let refid = actuator_trnid(i, 1);
    let alone = refid < 0;
    let other = max(refid, 0);
    var gear1 = gear_force(r);
    var gear2 = gear_torque(r);
    let mat = site_xmat(select(other, id, alone));

    // without a reference site the length is zero
    var len = 0.0;
    if (!alone) {
        // position and rotation vector in the frame of the reference site, along the gear
        let apart = transpose(mat) * (site_xpos(id) - site_xpos(other));
        if (any(gear1 != vec3f(0.0))) {
            len += dot(apart, gear1);
        }
        if (any(gear2 != vec3f(0.0))) {
            len += dot(site_turned(id, other), gear2);
        }
    }
    set_actuator_length(r, len);

    // relative motion of the sites; dofs that move both are left out
    gear1 = mat * gear1;
    gear2 = mat * gear2;
    clear_moment(r);
    add_ends(
        r,
        End(site_bodyid(id), site_xpos(id), gear1, gear2),
        End(site_bodyid(other), site_xpos(other), -gear1, -gear2),
        select(2, 1, alone));
    if (!alone) {
        clear_common(r, site_bodyid(id), site_bodyid(other));
    }
}

// clears the entries of dofs that move two bodies alike
fn clear_common(r: i32, body1: i32, body2: i32) {
    var i = body_lastdof(body1);
    var j = body_lastdof(body2);
    while (i != j && i >= 0 && j >= 0) {
        if (i < j) {
            j = dof_parentid(j);
        } else {
            i = dof_parentid(i);
        }
    }
    if (i != j) {
        return;
    }
    let adr = moment_rowadr(r);
    for (var k = adr + moment_rownnz(r) - 1; k >= adr; k--) {
        if (i >= 0 && moment_colind(k) == i) {
            set_actuator_moment(k, 0.0);
            i = dof_parentid(i);
        }
    }
}

// the rotation vector of a ball joint, or of a site relative to another, in its own frame
fn on_orientation(i: i32, r: i32) {
    let id = actuator_trnid(i, 0);
    let refid = actuator_trnid(i, 1);
    var turned: vec3f;
    if (refid < 0) {
        let padr = jnt_qposadr(id);
        turned = quat2vel(normalize4(vec4f(qpos(padr), qpos(padr + 1), qpos(padr + 2), qpos(padr + 3))));
    } else {
        turned = site_turned(id, refid);
    }
    for (var k = 0; k < 3; k++) {
        set_actuator_length(r + k, turned[k]);
        clear_moment(r + k);
        if (refid < 0) {
            set_actuator_moment(moment_rowadr(r + k) + k, 1.0);
            continue;
        }
        let axis = site_xmat(id)[k];
        let still = vec3f(0.0);
        add_ends(
            r + k, End(site_bodyid(id), still, still, axis), End(site_bodyid(refid), still, still, -axis), 2);
        clear_common(r + k, site_bodyid(id), site_bodyid(refid));
    }
}

// a body is pulled towards the bodies it touches: along the negative mean of its contacts' normals
fn adhesion(r: i32, body: i32) {
    set_actuator_length(r, 0.0);
    clear_moment(r);
    var count = 0.0;
    for (var c = 0; c < ncon(); c++) {
        let pair = contact_collision(c);
        if (ncollisionflex > 0 && is_soft(pair)) {
            continue;
        }
        let body1 = geom_bodyid(collision_geom1(pair));
        let body2 = geom_bodyid(collision_geom2(pair));
        if (body1 != body && body2 != body) {
            continue;
        }
        count += 1.0;

        // separation speed of the bodies along the normal
        let pos = contact_pos(c);
        let normal = transpose(contact_frame(c))[0];
        let still = vec3f(0.0);
        add_ends(r, End(body1, pos, -normal, still), End(body2, pos, normal, still), 2);
    }
    let scale = select(0.0, -1.0 / count, count > 0.0);
    let adr = moment_rowadr(r);
    for (var k = adr; k < adr + moment_rownnz(r); k++) {
        set_actuator_moment(k, actuator_moment(k) * scale);
    }
}
