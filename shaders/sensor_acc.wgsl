// Sensors of acceleration and force (`mj_sensorAcc`).

fn mj_sensor_acc() {
    for (var i = lane; i < nsensor; i += LANES) {
        if (sensor_needstage(i) == STAGE_ACC && is_computed(i)) {
            let awake = !SLEEPS || sensor_awake(i);
            if (awake) {
                read_acc(i);
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

fn read_acc(i: i32) {
    let id = sensor_objid(i);
    let adr = sensor_adr(i);
    let type_ = sensor_type(i);
    if (senses_touch && type_ == SENS_TOUCH) {
        set_sensordata(adr, touch_force(id));
        return;
    }
    if (senses_contact && type_ == SENS_CONTACT) {
        contact_report(i);
        return;
    }
    if (senses_plugin && type_ == SENS_PLUGIN) {
        grid_report(i);
        return;
    }
    if (senses_acceleration && (type_ == SENS_ACCELEROMETER || type_ == SENS_FRAMELINACC || type_ == SENS_FRAMEANGACC)) {
        give3(adr, seen_acceleration(i, type_));
        return;
    }
    if (senses_force && (type_ == SENS_FORCE || type_ == SENS_TORQUE)) {
        let force = site_force(id);
        give3(adr, select(force.rot, force.lin, type_ == SENS_FORCE));
        return;
    }
    if (senses_actuatorfrc && type_ == SENS_ACTUATORFRC) {
        for (var k = 0; k < sensor_dim(i); k++) {
            set_sensordata(adr + k, actuator_force(actuator_outadr(id) + k));
        }
        return;
    }
    if (senses_jointactfrc && type_ == SENS_JOINTACTFRC) {
        set_sensordata(adr, qfrc_actuator(jnt_dofadr(id)));
        return;
    }
    if (senses_tendonactfrc && type_ == SENS_TENDONACTFRC) {
        set_sensordata(adr, tendon_pull(id));
        return;
    }
    if ((senses_jointlimitfrc || senses_tendonlimitfrc) && (type_ == SENS_JOINTLIMITFRC || type_ == SENS_TENDONLIMITFRC)) {
        let r = of_limit(select(CNSTR_LIMITTENDON, CNSTR_LIMITJOINT, type_ == SENS_JOINTLIMITFRC), id);
        var x = 0.0;
        if (r >= 0) {
            x = efc_force(r);
        }
        set_sensordata(adr, x);
        return;
    }
    // all other types read zero
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(adr + k, 0.0);
    }
}

// sum over all actuators of a tendon
fn tendon_pull(tendon: i32) -> f32 {
    var sum = 0.0;
    for (var i = 0; i < nactuator; i++) {
        if (actuator_trntype(i) == TRN_TENDON && actuator_trnid(i, 0) == tendon) {
            sum += actuator_force(actuator_outadr(i));
        }
    }
    return sum;
}

// acceleration of an object at its position, along the world's axes, or of a site along its own axes
fn seen_acceleration(i: i32, type_: i32) -> vec3f {
    let kind = sensor_objtype(i);
    let id = sensor_objid(i);
    let body = body_of(kind, id);
    let place = frame_of(kind, id);
    let arm = place.pos - subtree_com(body_rootid(body));
    let acc = seen_from(cacc(body), arm);
    let vel = seen_from(cvel(body), arm);
    // from spatial to linear acceleration of the point
    let linacc = acc.lin + cross(vel.rot, vel.lin);
    if (type_ == SENS_ACCELEROMETER) {
        return transpose(place.mat) * linacc;
    }
    return select(acc.rot, linacc, type_ == SENS_FRAMELINACC);
}

// force and torque between a site's body and its parent, at the site and along its axes
fn site_force(site: i32) -> Spatial {
    let body = site_bodyid(site);
    let arm = site_xpos(site) - subtree_com(body_rootid(body));
    let force = cfrc_int(body);
    return along(site_xmat(site), Spatial(force.rot - cross(arm, force.lin), force.lin));
}
