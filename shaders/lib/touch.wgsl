// contact sensors

// all data of a contact report
struct Report {
    found: f32,
    force: vec3f,
    torque: vec3f,
    dist: f32,
    pos: vec3f,
    normal: vec3f,
    tangent: vec3f,
    linvel: vec3f,
    angvel: vec3f,
}

// body of the first (0) or second (1) geom of a contact
fn contact_body(c: i32, side: i32) -> i32 {
    let geom = contact_geom(c, side);
    if (geom < 0) {
        return -1;
    }
    return geom_bodyid(geom);
}

fn contact_geom(c: i32, side: i32) -> i32 {
    let pair = contact_collision(c);
    if (side == 0) {
        return collision_geom1(pair);
    }
    return collision_geom2(pair);
}

// sum of the normal forces of contacts of a site's body whose line of action meets the site's volume
fn touch_force(site: i32) -> f32 {
    let body = site_bodyid(site);
    let zone = Place(site_xpos(site), site_xmat(site));
    var sum = 0.0;
    for (var c = 0; c < ncon(); c++) {
        let body1 = contact_body(c, 0);
        let body2 = contact_body(c, 1);
        if (contact_efc_address(c) < 0 || (body != body1 && body != body2)) {
            continue;
        }
        let force = contact_wrench(c).lin.x;
        if (force <= 0.0) {
            continue;
        }

        // the normal, away from the body
        let sign = select(1.0, -1.0, body == body2);
        let normal = sign * vec3f(contact_frame_at(c, 0), contact_frame_at(c, 1), contact_frame_at(c, 2));
        let r = Ray(contact_pos(c), normalize3(normal).xyz);
        if (ray_geom(zone, site_size(site), site_type(site), r) >= 0.0) {
            sum += force;
        }
    }
    return sum;
}

// torque and force of a contact in its frame, from its rows (`mj_contactForce`); it acts on the second geom
fn contact_force_at(pair: i32, r: i32) -> Spatial {
    var force: array<f32, 6>;
    // the adhesion force is not part of the contact force
    if (nadhesion > 0) {
        force[0] = -collision_adhesion(pair);
    }
    let kind = efc_type(r);
    if (kind != CNSTR_CONTACTPYRAMIDAL) {
        for (var k = 0; k < contact_rows(pair, kind); k++) {
            force[k] += efc_force(r + k);
        }
    } else {
        let dim = collision_condim(pair);
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

// number of rows of a contact, by their type
fn contact_rows(pair: i32, kind: i32) -> i32 {
    let dim = collision_condim(pair);
    return select(select(1, 2 * (dim - 1), kind == CNSTR_CONTACTPYRAMIDAL), dim, kind == CNSTR_CONTACTELLIPTIC);
}

// the wrench of a contact, zero if it has no rows
fn contact_wrench(c: i32) -> Spatial {
    let row = contact_efc_address(c);
    if (row < 0) {
        return Spatial(vec3f(0.0), vec3f(0.0));
    }
    return contact_force_at(contact_collision(c), row);
}

// true if a side of a contact is the object that a sensor names; no name matches any side
fn is_side(c: i32, side: i32, kind: i32, id: i32) -> bool {
    if (kind == OBJ_UNKNOWN || kind == OBJ_SITE) {
        return true;
    }
    if (kind == OBJ_GEOM) {
        return contact_geom(c, side) == id;
    }
    var body = contact_body(c, side);
    // a body or one of its descendants
    if (kind == OBJ_XBODY) {
        while (body > id) {
            body = body_parentid(body);
        }
    }
    return body == id;
}

// 1 for a contact that matches the sensor, -1 if its sides are exchanged, else 0
fn met(i: i32, c: i32) -> i32 {
    let kind1 = sensor_objtype(i);
    let id1 = sensor_objid(i);
    let kind2 = sensor_reftype(i);
    let id2 = sensor_refid(i);
    if (kind1 == OBJ_SITE) {
        let place = Place(site_xpos(id1), site_xmat(id1));
        if (inside_geom(place, site_size(id1), site_type(id1), contact_pos(c)) == 0.0) {
            return 0;
        }
    }
    if (is_side(c, 0, kind1, id1) && is_side(c, 1, kind2, id2)) {
        return 1;
    }
    return select(0, -1, is_side(c, 1, kind1, id1) && is_side(c, 0, kind2, id2));
}

// sort key: contacts with the smallest key are reported first
fn criterion(i: i32, c: i32) -> f32 {
    let reduce = sensor_intprm(i, 1);
    if (reduce == REDUCE_MINDIST) {
        return contact_dist(c);
    }
    if (contact_forces && reduce == REDUCE_MAXFORCE) {
        let force = contact_wrench(c).lin;
        return -dot(force, force);
    }
    return 0.0;
}

// report of one contact
fn report(c: i32, flip: bool, count: i32) -> Report {
    // with exchanged sides the frame is rotated by half a turn about its third axis
    let sign = select(1.0, -1.0, flip);
    let seen = vec3f(1.0, 1.0, sign);
    var out: Report;
    out.found = f32(count);
    if (contact_forces) {
        let wrench = contact_wrench(c);
        out.force = seen * wrench.lin;
        out.torque = seen * wrench.rot;
    }
    out.dist = contact_dist(c);
    out.pos = contact_pos(c);
    let rows = transpose(contact_frame(c));
    out.normal = sign * rows[0];
    out.tangent = sign * rows[1];
    if (contact_velocities) {
        // velocity of the second geom's body relative to the first's, along the axes of the contact
        let vel = add_scl6(side_motion(c, 1, out.pos), side_motion(c, 0, out.pos), -1.0);
        out.linvel = seen * (contact_frame(c) * vel.lin);
        out.angvel = seen * (contact_frame(c) * vel.rot);
    }
    return out;
}

// velocity of a side of a contact; that of a flex is carried by several bodies
fn side_motion(c: i32, side: i32, pos: vec3f) -> Spatial {
    let pair = contact_collision(c);
    if (ncollisionflex > 0 && is_soft(pair)) {
        return carried_motion(carriers(c, pair, side, pos), pos);
    }
    return body_motion(contact_body(c, side), pos);
}

// velocity of a body at the world point `pos`
fn body_motion(body: i32, pos: vec3f) -> Spatial {
    return seen_from(cvel(body), pos - subtree_com(body_rootid(body)));
}

// net force of all contacts, and its torque about the center of the forces
fn net(i: i32) -> Report {
    var out: Report;
    out.normal = vec3f(1.0, 0.0, 0.0);
    out.tangent = vec3f(0.0, 1.0, 0.0);
    var weight = 0.0;
    // the center of the forces, then the forces about it
    for (var turn = 0; turn < 2; turn++) {
        for (var c = 0; c < ncon(); c++) {
            let side = met(i, c);
            if (side == 0) {
                continue;
            }
            let wrench = contact_wrench(c);
            if (turn == 0) {
                let size = length(wrench.lin);
                out.pos += size * contact_pos(c);
                weight += size;
                out.found += 1.0;
            } else {
                let mat = f32(side) * transpose(contact_frame(c));
                let own = mat * wrench.lin;
                out.force += own;
                out.torque += mat * wrench.rot + cross(contact_pos(c) - out.pos, own);
            }
        }
        if (turn == 0) {
            out.pos /= max(weight, MINVAL);
        }
    }
    return out;
}

// writes the data that a sensor asks for, in the order of the bits
fn give_report(first: i32, bits: i32, r: Report) {
    var adr = first;
    if ((bits & (1 << u32(CONDATA_FOUND))) != 0) {
        set_sensordata(adr, r.found);
        adr++;
    }
    if ((bits & (1 << u32(CONDATA_FORCE))) != 0) {
        give3(adr, r.force);
        adr += 3;
    }
    if ((bits & (1 << u32(CONDATA_TORQUE))) != 0) {
        give3(adr, r.torque);
        adr += 3;
    }
    if ((bits & (1 << u32(CONDATA_DIST))) != 0) {
        set_sensordata(adr, r.dist);
        adr++;
    }
    if ((bits & (1 << u32(CONDATA_POS))) != 0) {
        give3(adr, r.pos);
        adr += 3;
    }
    if ((bits & (1 << u32(CONDATA_NORMAL))) != 0) {
        give3(adr, r.normal);
        adr += 3;
    }
    if ((bits & (1 << u32(CONDATA_TANGENT))) != 0) {
        give3(adr, r.tangent);
        adr += 3;
    }
    if ((bits & (1 << u32(CONDATA_LINVEL))) != 0) {
        give3(adr, r.linvel);
        adr += 3;
    }
    if ((bits & (1 << u32(CONDATA_ANGVEL))) != 0) {
        give3(adr, r.angvel);
    }
}

// contacts between the objects of a sensor: the first, the nearest, the strongest, or the net force
fn contact_report(i: i32) {
    let adr = sensor_adr(i);
    let bits = sensor_intprm(i, 0);
    let num = sensor_intprm(i, 2);
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(adr + k, 0.0);
    }
    if (contact_forces && sensor_intprm(i, 1) == REDUCE_NETFORCE) {
        let all_ = net(i);
        if (all_.found > 0.0) {
            give_report(adr, bits, all_);
        }
        return;
    }

    // one after the other, each with the next larger key
    var count = 0;
    for (var c = 0; c < ncon(); c++) {
        count += abs(met(i, c));
    }
    let width = sensor_dim(i) / num;
    var last = -1;
    var last_key = -3.4e38;
    for (var slot = 0; slot < min(num, count); slot++) {
        var next = -1;
        var next_key = 3.4e38;
        var flip = false;
        for (var c = 0; c < ncon(); c++) {
            let side = met(i, c);
            if (side == 0) {
                continue;
            }
            let key = criterion(i, c);
            let later = key > last_key || (key == last_key && c > last);
            if (later && key < next_key) {
                next = c;
                next_key = key;
                flip = side < 0;
            }
        }
        if (next < 0) {
            return;
        }
        give_report(adr + slot * width, bits, report(next, flip, count));
        last = next;
        last_key = next_key;
    }
}
