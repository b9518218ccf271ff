// parts of actuators: activation, setpoints of angles, muscles

// true if an actuator's group is disabled
fn actuator_disabled(i: i32) -> bool {
    let group = actuator_group(i);
    return group >= 0 && group < 31 && (opt_disableactuator & (1 << u32(group))) != 0;
}

// activation `k` of actuator `i` one timestep on, within its range
fn next_activation(i: i32, k: i32, rate: f32) -> f32 {
    var next = act(k) + rate * opt_timestep;
    if (actuator_dyntype(i) == DYN_FILTEREXACT) {
        let tau = max(actuator_dynprm(i, 0), MINVAL);
        next = act(k) + rate * (tau * (1.0 - exp(-opt_timestep / tau)));
    }
    if (actuator_actlimited(i) == 0) {
        return next;
    }
    return clip(next, actuator_actrange(i, 0), actuator_actrange(i, 1));
}

// length of a whole turn, for servos of an orientation; zero for all others
fn wrap_period(i: i32) -> f32 {
    // a servo: fixed gain, affine bias of the same stiffness, fed by a setpoint
    let dyntype = actuator_dyntype(i);
    if (actuator_gaintype(i) != GAIN_FIXED
        || actuator_biastype(i) != BIAS_AFFINE
        || actuator_gainprm(i, 0) != -actuator_biasprm(i, 1)
        || (dyntype != DYN_NONE && dyntype != DYN_INTEGRATOR)) {
        return 0.0;
    }
    let out = actuator_outadr(i);
    let first = vec3f(actuator_gear(out, 0), actuator_gear(out, 1), actuator_gear(out, 2));
    let second = vec3f(actuator_gear(out, 3), actuator_gear(out, 4), actuator_gear(out, 5));
    let turn = 6.283185307179586;
    let trn = actuator_trntype(i);
    if (trn == TRN_SITE && actuator_trnid(i, 1) >= 0 && all(first == vec3f(0.0))) {
        return turn * length(second);
    }
    if ((trn == TRN_JOINT || trn == TRN_JOINTINPARENT) && jnt_type(actuator_trnid(i, 0)) == JNT_BALL) {
        return turn * length(first);
    }
    return 0.0;
}

// the setpoint that is nearest to a length among those that are whole turns apart
fn wrap_setpoint(setpoint: f32, len: f32, period: f32) -> f32 {
    return setpoint - period * floor((setpoint - len) / period + 0.5);
}
