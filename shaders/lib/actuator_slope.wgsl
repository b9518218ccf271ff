// how the force of an actuator grows with its length and its velocity

// true where a limit holds the force, independent of the velocity
fn saturated(i: i32) -> bool {
    let adr = actuator_outadr(i);

    // force range of the actuator
    if (actuator_forcelimited(i) != 0) {
        let lo = actuator_forcerange(i, 0);
        let hi = actuator_forcerange(i, 1);
        if (model_so3 && actuator_gaintype(i) == GAIN_SO3) {
            let torque = vec3f(actuator_force(adr), actuator_force(adr + 1), actuator_force(adr + 2));
            if (at_limit(length(torque), hi)) {
                return true;
            }
        } else if (actuator_force(adr) <= lo || actuator_force(adr) >= hi) {
            return true;
        }
    }

    // force range of its joint or tendon
    let trn = actuator_trntype(i);
    let id = max(actuator_trnid(i, 0), 0);
    if (trn == TRN_JOINT || trn == TRN_JOINTINPARENT) {
        if (jnt_actfrclimited(id) == 0) {
            return false;
        }
        let force = qfrc_actuator(jnt_dofadr(id));
        return force <= jnt_actfrcrange(id, 0) || force >= jnt_actfrcrange(id, 1);
    }
    if (trn != TRN_TENDON) {
        return false;
    }
    if (tendon_actfrclimited(id) == 0) {
        return false;
    }
    var sum = 0.0;
    for (var k = 0; k < nactuator; k++) {
        if (actuator_trntype(k) == TRN_TENDON && actuator_trnid(k, 0) == id) {
            sum += actuator_force(actuator_outadr(k));
        }
    }
    return at_limit(-sum, -tendon_actfrcrange(id, 0)) || at_limit(sum, tendon_actfrcrange(id, 1));
}

// true for a force that was scaled down to its limit, which it then meets up to rounding (MuJoCo leaves that to chance)
fn at_limit(x: f32, limit: f32) -> bool {
    return limit - 1e-6 * abs(limit) <= x;
}

// derivative of an actuator's force with respect to its velocity
fn force_slope(i: i32, bad: bool) -> f32 {
    let r = actuator_outadr(i);
    var slope = 0.0;

    // bias
    let biastype = actuator_biastype(i);
    if (biastype == BIAS_AFFINE || biastype == BIAS_SO3) {
        slope += actuator_biasprm(i, 2);
    }
    let gaintype = actuator_gaintype(i);
    if (model_dcmotors && (biastype == BIAS_DCMOTOR || gaintype == GAIN_DCMOTOR)) {
        slope += motor_slope(i, bad);
    }

    // derivative of the gain, times the control or the last activation, possibly that of the next timestep
    if (gaintype == GAIN_AFFINE) {
        return slope + actuator_gainprm(i, 2) * actuator_input(i, bad);
    }
    if (model_muscles && gaintype == GAIN_MUSCLE) {
        return slope + muscle_gain_slope(i, actuator_length(r), actuator_velocity(r)) * actuator_input(i, bad);
    }
    return slope;
}

// derivative of an actuator's force with respect to its length
fn length_slope(i: i32, bad: bool) -> f32 {
    let r = actuator_outadr(i);
    var slope = 0.0;

    // bias
    let biastype = actuator_biastype(i);
    if (biastype == BIAS_AFFINE || biastype == BIAS_SO3) {
        slope += actuator_biasprm(i, 1);
    }
    let gaintype = actuator_gaintype(i);
    if (model_dcmotors && (biastype == BIAS_DCMOTOR || gaintype == GAIN_DCMOTOR)) {
        slope += motor_stiffness(i, bad);
    }
    if (model_muscles && biastype == BIAS_MUSCLE) {
        slope += muscle_bias_stiffness(i, actuator_length(r));
    }

    // derivative of the gain, times the control or the last activation
    if (gaintype == GAIN_AFFINE) {
        return slope + actuator_gainprm(i, 1) * actuator_input(i, bad);
    }
    if (model_muscles && gaintype == GAIN_MUSCLE) {
        return slope + muscle_gain_stiffness(i, actuator_length(r), actuator_velocity(r)) * actuator_input(i, bad);
    }
    return slope;
}
