// tactile sensors: penetration depth of their taxels in the geoms touched, and the sliding velocity of these

// depth of all taxels of a sensor, then their sliding velocities along their two tangents, in one lane
fn feel(i: i32) {
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(sensor_adr(i) + k, 0.0);
    }
    let body = body_weldid(geom_bodyid(sensor_refid(i)));
    for (var c = 0; c < ncon(); c++) {
        let other = touched(c, body);
        // a geom with several contacts counts once
        var again = other < 0;
        for (var before = 0; before < c && !again; before++) {
            again = touched(before, body) == other;
        }
        if (!again) {
            feel_geom(i, other);
        }
    }
}

// the other geom of a contact with a body or a body welded to it
fn touched(c: i32, body: i32) -> i32 {
    let pair = contact_collision(c);
    if (ncollisionflex > 0 && is_soft(pair)) {
        return -1;
    }
    let geom1 = collision_geom1(pair);
    let geom2 = collision_geom2(pair);
    if (body_weldid(geom_bodyid(geom1)) == body) {
        return geom2;
    }
    return select(-1, geom1, body_weldid(geom_bodyid(geom2)) == body);
}

// adds the contribution of one geom to the taxels
fn feel_geom(i: i32, other: i32) {
    let mesh = sensor_objid(i);
    let own = sensor_refid(i);
    let mat = geom_xmat(own);
    let num = mesh_vertnum(mesh);
    let tangents = mesh_normalnum(mesh) == 3 * num;
    for (var k = 0; k < num; k++) {
        let pos = geom_xpos(own) + mat * mesh_vert(mesh_vertadr(mesh) + k);
        let local = transpose(geom_xmat(other)) * (pos - geom_xpos(other));
        let depth = depth_in(other, geom_size(other), local);
        if (depth <= 0.0) {
            continue;
        }

        // depth: the largest of all geoms
        let adr = sensor_adr(i) + k;
        set_sensordata(adr, max(sensordata(adr), depth));
        if (!tangents) {
            continue;
        }

        // sliding velocity: the sum over all geoms
        let sliding = transpose(mat) * (body_motion(geom_bodyid(other), pos).lin - body_motion(geom_bodyid(own), pos).lin);
        for (var axis = 1; axis < 3; axis++) {
            let normal = mesh_normal(mesh_normaladr(mesh) + 3 * k + axis);
            let sum = adr + axis * num;
            set_sensordata(sum, sensordata(sum) + abs(dot(sliding, normal)));
        }
    }
}

// depth of a point inside a geom, in the geom's frame; 0 for a mesh, which needs a signed distance field
fn depth_in(geom: i32, size: vec3f, p: vec3f) -> f32 {
    let kind = geom_type(geom);
    if (kind == GEOM_PLANE) {
        return -p.z;
    }
    if (kind == GEOM_SPHERE) {
        return size.x - length(p);
    }
    if (kind == GEOM_CAPSULE) {
        let over = p.z - clip(p.z, -size.y, size.y);
        return size.x - length(vec3f(p.xy, over));
    }
    if (kind == GEOM_ELLIPSOID) {
        let a = p / size;
        let k0 = length(a);
        let k1 = length(a / size);
        return select(0.0, k0 * (1.0 - k0) / max(k1, MINVAL), k1 > 0.0);
    }
    if (kind == GEOM_CYLINDER) {
        return min(size.x - length(p.xy), size.y - abs(p.z));
    }
    if (kind == GEOM_BOX) {
        return depth_in_box(size, p);
    }
    if ((geoms_sdf && kind == GEOM_SDF) || (noct > 0 && kind == GEOM_MESH && mesh_octadr(max(geom_dataid(geom), 0)) >= 0)) {
        return -sdf_at(geom, p).w;
    }
    return 0.0;
}

// distance to the surface along a ray that leans towards the near faces
fn depth_in_box(size: vec3f, p: vec3f) -> f32 {
    let share = vec3f(1.0) - abs(p) / size;
    if (any(share <= vec3f(0.0))) {
        return 0.0;
    }
    let reach = size * share * share;
    return min(min(reach.x, reach.y), reach.z) * length(vec3f(1.0) / share);
}
