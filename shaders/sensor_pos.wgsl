// Sensors of position (`mj_sensorPos`).

fn mj_sensor_pos() {
    if (senses_rangefinder) {
        find_ranges();
        team_sync();
    }
    for (var i = lane; i < nsensor; i += LANES) {
        if (sensor_needstage(i) == STAGE_POS && is_computed(i)) {
            let awake = !SLEEPS || sensor_awake(i);
            if (awake) {
                read_pos(i);
                cutoff(i);
            }
            if (SLEEPS) {
                keep_reading(i, awake);
            }
            if (nfresh > 0) {
                hold_back(i);
            }
        }
    }
}

fn read_pos(i: i32) {
    let id = sensor_objid(i);
    let adr = sensor_adr(i);
    let type_ = sensor_type(i);
    if (senses_magnetometer && type_ == SENS_MAGNETOMETER) {
        give3(adr, transpose(site_xmat(id)) * opt_magnetic);
        return;
    }
    if (senses_camprojection && type_ == SENS_CAMPROJECTION) {
        let pixel = cam_project(id, sensor_refid(i));
        set_sensordata(adr, pixel.x);
        set_sensordata(adr + 1, pixel.y);
        return;
    }
    if (senses_jointpos && type_ == SENS_JOINTPOS) {
        set_sensordata(adr, qpos(jnt_qposadr(id)));
        return;
    }
    if (senses_tendonpos && type_ == SENS_TENDONPOS) {
        set_sensordata(adr, ten_length(id));
        return;
    }
    if (senses_actuatorpos && type_ == SENS_ACTUATORPOS) {
        for (var k = 0; k < sensor_dim(i); k++) {
            set_sensordata(adr + k, actuator_length(actuator_outadr(id) + k));
        }
        return;
    }
    if (senses_ballquat && type_ == SENS_BALLQUAT) {
        let qadr = jnt_qposadr(id);
        give4(adr, normalize4(vec4f(qpos(qadr), qpos(qadr + 1), qpos(qadr + 2), qpos(qadr + 3))));
        return;
    }
    if ((senses_jointlimitpos || senses_tendonlimitpos) && (type_ == SENS_JOINTLIMITPOS || type_ == SENS_TENDONLIMITPOS)) {
        let r = of_limit(select(CNSTR_LIMITTENDON, CNSTR_LIMITJOINT, type_ == SENS_JOINTLIMITPOS), id);
        var x = 0.0;
        if (r >= 0) {
            x = efc_pos(r) - efc_margin(r);
        }
        set_sensordata(adr, x);
        return;
    }
    if (senses_frame && (type_ == SENS_FRAMEPOS || (type_ >= SENS_FRAMEXAXIS && type_ <= SENS_FRAMEZAXIS))) {
        give3(adr, seen_frame(i, type_));
        return;
    }
    if (senses_framequat && type_ == SENS_FRAMEQUAT) {
        var quat = quat_of(sensor_objtype(i), id);
        if (sensor_refid(i) >= 0) {
            quat = mul_quat(neg_quat(quat_of(sensor_reftype(i), sensor_refid(i))), quat);
        }
        give4(adr, quat);
        return;
    }
    if (senses_rangefinder && type_ == SENS_RANGEFINDER) {
        return;
    }
    if (senses_distances && type_ >= SENS_GEOMDIST && type_ <= SENS_GEOMFROMTO) {
        find_distance(i);
        return;
    }
    if (senses_contact && type_ == SENS_CONTACT) {
        contact_report(i);
        return;
    }
    if (senses_subtreecom && type_ == SENS_SUBTREECOM) {
        give3(adr, subtree_com(id));
        return;
    }
    if (senses_insidesite && type_ == SENS_INSIDESITE) {
        let site = sensor_refid(i);
        if (senses_enclosure && sensor_intprm(i, 0) != 0) {
            set_sensordata(adr, juts_out_of_site(sensor_objtype(i), id, site));
            return;
        }
        let pos = frame_of(sensor_objtype(i), id).pos;
        if (sites_mesh && site_type(site) == GEOM_MESH) {
            set_sensordata(adr, inside_mesh(frame_of(OBJ_SITE, site), site_dataid(site), pos));
        } else {
            set_sensordata(adr, inside_geom(frame_of(OBJ_SITE, site), site_size(site), site_type(site), pos));
        }
        return;
    }
    if (type_ == SENS_EPOTENTIAL) {
        set_sensordata(adr, energy(0));
        return;
    }
    if (type_ == SENS_EKINETIC) {
        set_sensordata(adr, energy(1));
        return;
    }
    if (type_ == SENS_CLOCK) {
        set_sensordata(adr, time());
        return;
    }
    // all other types read zero
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(adr + k, 0.0);
    }
}

// position of an object or direction of one of its axes, relative to the reference object if there is one
fn seen_frame(i: i32, type_: i32) -> vec3f {
    let place = frame_of(sensor_objtype(i), sensor_objid(i));
    let axis = type_ != SENS_FRAMEPOS;
    var seen = place.pos;
    if (axis) {
        seen = place.mat[type_ - SENS_FRAMEXAXIS];
    }
    if (sensor_refid(i) >= 0) {
        let origin = frame_of(sensor_reftype(i), sensor_refid(i));
        seen = transpose(origin.mat) * (seen - select(origin.pos, vec3f(0.0), axis));
    }
    return seen;
}

// size of a camera's image, its focal lengths and principal point (pixels)
struct Lens {
    size: vec2f,
    focal: vec2f,
    principal: vec2f,
}

fn cam_intrinsics(cam: i32) -> Lens {
    let size = vec2f(f32(cam_resolution(cam, 0)), f32(cam_resolution(cam, 1)));
    let chip = vec2f(cam_sensorsize(cam, 0), cam_sensorsize(cam, 1));
    if (chip.x == 0.0 || chip.y == 0.0) {
        let sc = sin_cos(cam_fovy(cam) * 0.008726646259971648);
        return Lens(size, vec2f(0.5 * sc.y / sc.x * size.y), 0.5 * size);
    }
    let pixels = size / chip;
    let focal = vec2f(cam_intrinsic(cam, 0), cam_intrinsic(cam, 1));
    return Lens(size, focal * pixels, vec2f(cam_intrinsic(cam, 2), cam_intrinsic(cam, 3)) * pixels);
}

// pixel of a camera image at which a site appears
fn cam_project(site: i32, cam: i32) -> vec2f {
    let lens = cam_intrinsics(cam);

    // a camera looks along its negative z axis; depth zero is avoided, as a divisor
    let local = transpose(cam_xmat(cam)) * (site_xpos(site) - cam_xpos(cam));
    let depth = select(max(local.z, MINVAL), min(local.z, -MINVAL), local.z < 0.0);
    return (0.5 * lens.size * local.z + vec2f(-lens.focal.x, lens.focal.y) * local.xy) / depth;
}

// distance of two geoms, or of the nearest geoms of two bodies
fn find_distance(i: i32) {
    let most = sensor_cutoff(i);
    let geoms1 = range_of_geoms(sensor_objtype(i), sensor_objid(i));
    let geoms2 = range_of_geoms(sensor_reftype(i), sensor_refid(i));
    var nearest = Apart(most, vec3f(0.0), vec3f(0.0), vec3f(0.0));
    for (var geom1 = geoms1.x; geom1 < geoms1.y; geom1++) {
        for (var geom2 = geoms2.x; geom2 < geoms2.y; geom2++) {
            let apart = geom_distance(geom1, geom2, most);
            if (apart.dist < nearest.dist) {
                nearest = apart;
            }
        }
    }
    let adr = sensor_adr(i);
    if (sensor_type(i) == SENS_GEOMDIST) {
        set_sensordata(adr, nearest.dist);
    } else if (sensor_type(i) == SENS_GEOMNORMAL) {
        give3(adr, nearest.dir);
    } else {
        give3(adr, nearest.begin);
        give3(adr + 3, nearest.end);
    }
}

// range of geoms: a geom, or the geoms of a body
fn range_of_geoms(kind: i32, id: i32) -> vec2i {
    if (kind != OBJ_BODY) {
        return vec2i(id, id + 1);
    }
    let first = max(body_geomadr(id), 0);
    return vec2i(first, first + body_geomnum(id));
}

// rays of all rangefinders, distributed over the lanes
fn find_ranges() {
    var before = 0;
    for (var i = 0; i < nsensor; i++) {
        if (sensor_type(i) != SENS_RANGEFINDER) {
            continue;
        }
        var nray = 1;
        if (sensor_objtype(i) == OBJ_CAMERA) {
            nray = cam_resolution(sensor_objid(i), 0) * cam_resolution(sensor_objid(i), 1);
        }
        for (var k = (lane + LANES - before % LANES) % LANES; k < nray; k += LANES) {
            find_range(i, k, nray);
        }
        before += nray;
    }
}

// intersection of one ray of a rangefinder: the ray along the z axis of a site, or of a pixel of a camera
fn find_range(i: i32, k: i32, nray: i32) {
    let kind = sensor_objtype(i);
    let id = sensor_objid(i);
    let camera = kind == OBJ_CAMERA;
    let place = frame_of(kind, id);
    let back = place.mat[2];
    var beam = Ray(place.pos, back);
    if (camera) {
        beam = pixel_ray(id, k, place);
    }
    let hit = ray(beam, body_of(kind, id));
    let met_ = hit.dist >= 0.0;
    let point = select(vec3f(0.0), ray_at(beam, hit.dist), met_);

    // the data that the sensor asks for, in the order of the bits
    let bits = sensor_intprm(i, 0);
    var adr = sensor_adr(i) + k * (sensor_dim(i) / nray);
    if ((bits & (1 << u32(RAYDATA_DIST))) != 0) {
        set_sensordata(adr, hit.dist);
        adr++;
    }
    if ((bits & (1 << u32(RAYDATA_DIR))) != 0) {
        give3(adr, select(vec3f(0.0), beam.vec, met_));
        adr += 3;
    }
    if ((bits & (1 << u32(RAYDATA_ORIGIN))) != 0) {
        give3(adr, beam.pnt);
        adr += 3;
    }
    if ((bits & (1 << u32(RAYDATA_POINT))) != 0) {
        give3(adr, point);
        adr += 3;
    }
    if ((bits & (1 << u32(RAYDATA_NORMAL))) != 0) {
        give3(adr, hit.normal);
        adr += 3;
    }
    if ((bits & (1 << u32(RAYDATA_DEPTH))) != 0) {
        set_sensordata(adr, select(hit.dist, -dot(point - place.pos, back), met_ && camera));
    }
}

// the ray through the center of a pixel, counted row by row from the upper left
fn pixel_ray(cam: i32, pixel: i32, place: Place) -> Ray {
    let lens = cam_intrinsics(cam);
    let ncol = cam_resolution(cam, 0);
    let x = vec2f(f32(pixel % ncol), f32(pixel / ncol)) + 0.5;
    if (cam_projection(cam) == PROJ_ORTHOGRAPHIC) {
        // fovy is the width and the height of the view
        let at = (x / lens.size - 0.5) * cam_fovy(cam);
        return Ray(place.pos + place.mat * vec3f(at.x, -at.y, 0.0), -place.mat[2]);
    }
    let at = (x - lens.principal) / lens.focal;
    return Ray(place.pos, normalize3(place.mat * vec3f(at.x, -at.y, -1.0)).xyz);
}
