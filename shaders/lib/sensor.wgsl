// common parts of sensors: frames of objects, their motion, rows of limits, the range of a reading

// true if a sensor is computed. Where sensors are disabled, those with a history still are, for its samples
fn is_computed(i: i32) -> bool {
    return (opt_disableflags & DSBL_SENSOR) == 0 || sensor_historyadr(i) >= 0;
}

// body to which an object belongs; a body belongs to itself
fn body_of(kind: i32, id: i32) -> i32 {
    if (kind == OBJ_GEOM) {
        return geom_bodyid(id);
    }
    if (kind == OBJ_SITE) {
        return site_bodyid(id);
    }
    if (kind == OBJ_CAMERA) {
        return cam_bodyid(id);
    }
    return id;
}

// position and orientation of an object; for a body those of its inertial frame, for an xbody of its own frame
fn frame_of(kind: i32, id: i32) -> Place {
    if (kind == OBJ_XBODY) {
        return Place(xpos(id), xmat(id));
    }
    if (kind == OBJ_GEOM) {
        return Place(geom_xpos(id), geom_xmat(id));
    }
    if (kind == OBJ_SITE) {
        return Place(site_xpos(id), site_xmat(id));
    }
    if (kind == OBJ_CAMERA) {
        return Place(cam_xpos(id), cam_xmat(id));
    }
    return Place(xipos(id), ximat(id));
}

// orientation of an object as a quaternion
fn quat_of(kind: i32, id: i32) -> vec4f {
    if (kind == OBJ_XBODY) {
        return xquat(id);
    }
    let quat = xquat(body_of(kind, id));
    if (kind == OBJ_GEOM) {
        return mul_quat(quat, geom_quat(id));
    }
    if (kind == OBJ_SITE) {
        return mul_quat(quat, site_quat(id));
    }
    if (kind == OBJ_CAMERA) {
        return mul_quat(quat, cam_quat(id));
    }
    return mul_quat(quat, body_iquat(id));
}

// velocity of an object at its position, along the world's axes
fn object_velocity(kind: i32, id: i32) -> Spatial {
    let body = body_of(kind, id);
    return body_motion(body, frame_of(kind, id).pos);
}

// velocity of an object relative to another: at the first one's position, along the axes of the second one, which rotate
fn relative_velocity(kind: i32, id: i32, refkind: i32, refid: i32) -> Spatial {
    let origin = frame_of(refkind, refid);
    let vel = object_velocity(kind, id);
    let frame = object_velocity(refkind, refid);
    let lin = vel.lin - frame.lin + cross(frame_of(kind, id).pos - origin.pos, frame.rot);
    return Spatial(transpose(origin.mat) * (vel.rot - frame.rot), transpose(origin.mat) * lin);
}

// the first row of a limit; -1: none
fn of_limit(kind: i32, id: i32) -> i32 {
    for (var r = ne() + nf(); r < nefc(); r++) {
        if (efc_type(r) == kind && efc_id(r) == id) {
            return r;
        }
    }
    return -1;
}

// clips a reading to the cutoff of its sensor
fn cutoff(i: i32) {
    let most = sensor_cutoff(i);
    let datatype = sensor_datatype(i);
    // contact sensors use the cutoff otherwise, fromto readings have none
    let kind = sensor_type(i);
    if (most <= 0.0 || kind == SENS_CONTACT || kind == SENS_GEOMFROMTO) {
        return;
    }
    let adr = sensor_adr(i);
    for (var k = adr; k < adr + sensor_dim(i); k++) {
        let x = sensordata(k);
        if (datatype == DATATYPE_REAL) {
            set_sensordata(k, clip(x, -most, most));
        } else if (datatype == DATATYPE_POSITIVE) {
            set_sensordata(k, select(x, most, most < x));
        }
    }
}

// one where a point lies inside a shape at its pose
fn inside_geom(place: Place, size: vec3f, kind: i32, point: vec3f) -> f32 {
    let p = transpose(place.mat) * (point - place.pos);
    let radial = dot(p.xy, p.xy);
    var within = false;
    if (kind == GEOM_SPHERE) {
        within = dot(p, p) < size.x * size.x;
    } else if (kind == GEOM_CAPSULE) {
        let over = p.z - clip(p.z, -size.y, size.y);
        within = radial + over * over < size.x * size.x;
    } else if (kind == GEOM_ELLIPSOID) {
        let q = p / size;
        within = dot(q, q) < 1.0;
    } else if (kind == GEOM_CYLINDER) {
        within = radial < size.x * size.x && abs(p.z) < size.y;
    } else if (kind == GEOM_BOX) {
        within = all(abs(p) < size);
    } else if (kind == GEOM_PLANE) {
        within = p.z < 0.0;
    }
    return select(0.0, 1.0, within);
}

// one where a point lies inside the convex hull of a mesh; the pose is that of the frame in which the mesh was given
fn inside_mesh(place: Place, mesh: i32, point: vec3f) -> f32 {
    // mesh vertices are given relative to the centre and along the principal axes
    let said = transpose(place.mat) * (point - place.pos);
    let local = rot_vec_quat(said - mesh_pos(mesh), neg_quat(mesh_quat(mesh)));

    // inside: behind every face of the hull
    let vertadr = mesh_vertadr(mesh);
    let polyadr = mesh_polyadr(mesh);
    var most = -1.0;
    for (var poly = polyadr; poly < polyadr + mesh_polynum(mesh); poly++) {
        let corner = mesh_vert(vertadr + mesh_polyvert(mesh_polyvertadr(poly)));
        most = max(most, dot(mesh_polynormal(poly), local - corner));
    }
    return select(0.0, 1.0, most < 0.0);
}

// writes three numbers of a reading
fn give3(adr: i32, x: vec3f) {
    for (var k = 0; k < 3; k++) {
        set_sensordata(adr + k, x[k]);
    }
}

// writes a reading that is a quaternion
fn give4(adr: i32, x: vec4f) {
    for (var k = 0; k < 4; k++) {
        set_sensordata(adr + k, x[k]);
    }
}
