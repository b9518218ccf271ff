// what a tactile sensor feels: how deep its taxels lie in what its body touches, and how fast that slides over them

// depth of all taxels of a sensor, then how fast they are slid over along their two tangents, in one lane
fn feel(i: i32) {
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(sensor_adr(i) + k, 0.0);
    }
    let body = body_weldid(geom_bodyid(sensor_refid(i)));
    for (var c = 0; c < ncon(); c++) {
        let other = touched(c, body);
        // a geom that is touched in several places is felt once
        var again = other < 0;
        for (var before = 0; before < c && !again; before++) {
            again = touched(before, body) == other;
        }
        if (!again) {
            feel_geom(i, other);
        }
    }
}

// the geom that a contact brings to a body or what is welded to it
fn touched(c: i32, body: i32) -> i32 {
    let pair = contact_collision(c);
    let geom1 = collision_geom1(pair);
    let geom2 = collision_geom2(pair);
    if (body_weldid(geom_bodyid(geom1)) == body) {
        return geom2;
    }
    return select(-1, geom1, body_weldid(geom_bodyid(geom2)) == body);
}

// adds what the taxels feel of one geom
fn feel_geom(i: i32, other: i32) {
    let mesh = sensor_objid(i);
    let own = sensor_refid(i);
    let mat = geom_xmat(own);
    let num = mesh_vertnum(mesh);
    let tangents = mesh_normalnum(mesh) == 3 * num;
    for (var k = 0; k < num; k++) {
        let pos = geom_xpos(own) + mat * mesh_vert(mesh_vertadr(mesh) + k);
        let local = transpose(geom_xmat(other)) * (pos - geom_xpos(other));
        let depth = depth_in(geom_type(other), geom_size(other), local);
        if (depth <= 0.0) {
            continue;
        }

        // the deepest counts
        let adr = sensor_adr(i) + k;
        set_sensordata(adr, max(sensordata(adr), depth));
        if (!tangents) {
            continue;
        }

        // all that slides adds up
        let sliding = transpose(mat) * (body_motion(geom_bodyid(other), pos).lin - body_motion(geom_bodyid(own), pos).lin);
        for (var axis = 1; axis < 3; axis++) {
            let normal = mesh_normal(mesh_normaladr(mesh) + 3 * k + axis);
            let sum = adr + axis * num;
            set_sensordata(sum, sensordata(sum) + abs(dot(sliding, normal)));
        }
    }
}

// how deep a point in the frame of a geom lies in it; a mesh without a field of distances is not felt
fn depth_in(kind: i32, size: vec3f, p: vec3f) -> f32 {
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
    return 0.0;
}

// along a ray that leans to the near faces
fn depth_in_box(size: vec3f, p: vec3f) -> f32 {
    let share = vec3f(1.0) - abs(p) / size;
    if (any(share <= vec3f(0.0))) {
        return 0.0;
    }
    let reach = size * share * share;
    return min(min(reach.x, reach.y), reach.z) * length(vec3f(1.0) / share);
}
