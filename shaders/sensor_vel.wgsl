// Sensors of velocity (`mj_sensorVel`).

fn mj_sensor_vel() {
    for (var i = lane; i < nsensor; i += LANES) {
        if (sensor_needstage(i) == STAGE_VEL && is_computed(i)) {
            let awake = !SLEEPS || sensor_awake(i);
            if (awake) {
                read_vel(i);
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

fn read_vel(i: i32) {
    let id = sensor_objid(i);
    let adr = sensor_adr(i);
    let type_ = sensor_type(i);
    if (senses_motion && (type_ == SENS_VELOCIMETER || type_ == SENS_GYRO || type_ == SENS_FRAMELINVEL || type_ == SENS_FRAMEANGVEL)) {
        let vel = seen_velocity(i, type_);
        give3(adr, select(vel.rot, vel.lin, type_ == SENS_VELOCIMETER || type_ == SENS_FRAMELINVEL));
        return;
    }
    if (senses_tactile && type_ == SENS_TACTILE) {
        feel(i);
        return;
    }
    if (senses_jointvel && type_ == SENS_JOINTVEL) {
        set_sensordata(adr, qvel(jnt_dofadr(id)));
        return;
    }
    if (senses_tendonvel && type_ == SENS_TENDONVEL) {
        set_sensordata(adr, ten_velocity(id));
        return;
    }
    if (senses_actuatorvel && type_ == SENS_ACTUATORVEL) {
        for (var k = 0; k < sensor_dim(i); k++) {
            set_sensordata(adr + k, actuator_velocity(actuator_outadr(id) + k));
        }
        return;
    }
    if (senses_ballangvel && type_ == SENS_BALLANGVEL) {
        let dof = jnt_dofadr(id);
        give3(adr, vec3f(qvel(dof), qvel(dof + 1), qvel(dof + 2)));
        return;
    }
    if ((senses_jointlimitvel || senses_tendonlimitvel) && (type_ == SENS_JOINTLIMITVEL || type_ == SENS_TENDONLIMITVEL)) {
        let r = of_limit(select(CNSTR_LIMITTENDON, CNSTR_LIMITJOINT, type_ == SENS_JOINTLIMITVEL), id);
        var x = 0.0;
        if (r >= 0) {
            x = efc_vel(r);
        }
        set_sensordata(adr, x);
        return;
    }
    if (senses_contact && type_ == SENS_CONTACT) {
        contact_report(i);
        return;
    }
    if (senses_subtreelinvel && type_ == SENS_SUBTREELINVEL) {
        give3(adr, subtree_linvel(id));
        return;
    }
    if (senses_subtreeangmom && type_ == SENS_SUBTREEANGMOM) {
        give3(adr, subtree_angmom(id));
        return;
    }
    // all other types read zero
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(adr + k, 0.0);
    }
}

// velocity of an object: of a site along its own axes, else relative to the reference object if there is one
fn seen_velocity(i: i32, type_: i32) -> Spatial {
    let kind = sensor_objtype(i);
    let id = sensor_objid(i);
    let refid = sensor_refid(i);
    if (type_ == SENS_VELOCIMETER || type_ == SENS_GYRO) {
        return along(site_xmat(id), object_velocity(OBJ_SITE, id));
    }
    if (refid >= 0) {
        return relative_velocity(kind, id, sensor_reftype(i), refid);
    }
    return object_velocity(kind, id);
}
