// Sensors of acceleration and force (`mj_sensorAcc`).

fn mj_sensor_acc() {
    for (var i = lane; i < nsensor; i += LANES) {
        if (sensor_needstage(i) == STAGE_ACC) {
            read_acc(i);
            cutoff(i);
        }
    }
}

fn read_acc(i: i32) {
    let id = sensor_objid(i);
    let adr = sensor_adr(i);
    let type_ = sensor_type(i);
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
    // nobody fills these
    for (var k = 0; k < sensor_dim(i); k++) {
        set_sensordata(adr + k, 0.0);
    }
}

// of all actuators that pull at a tendon
fn tendon_pull(tendon: i32) -> f32 {
    var sum = 0.0;
    for (var i = 0; i < nactuator; i++) {
        if (actuator_trntype(i) == TRN_TENDON && actuator_trnid(i, 0) == tendon) {
            sum += actuator_force(actuator_outadr(i));
        }
    }
    return sum;
}
