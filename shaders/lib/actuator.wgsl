// parts of actuators: activation, angle setpoints, muscles

// true if an actuator's group is disabled
fn actuator_disabled(i: i32) -> bool {
    let group = actuator_group(i);
    return group >= 0 && group < 31 && (opt_disableactuator & (1 << u32(group))) != 0;
}

// a control clamped to its range
fn clamped_ctrl(u: i32) -> f32 {
    let told = told_ctrl(u);
    if (actuator_ctrllimited(u) == 0 || (opt_disableflags & DSBL_CLAMPCTRL) != 0) {
        return told;
    }
    return clip(told, actuator_ctrlrange(u, 0), actuator_ctrlrange(u, 1));
}

// a control after the actuator's delay
fn told_ctrl(u: i32) -> f32 {
    if (nlate > 0) {
        return ctrl_late(u);
    }
    return ctrl(u);
}

// true where any control is bad (NaN or too large): then all controls count as zero. Every lane of the team must call this
fn bad_ctrl() -> bool {
    var found = 0;
    for (var u = lane; u < nu; u += LANES) {
        found |= select(0, 1, is_bad(clamped_ctrl(u)));
    }
    return team_sum_i(found) > 0;
}

// a control as the actuator uses it: clamped, or zero if any control is bad
fn control(u: i32, bad: bool) -> f32 {
    return select(clamped_ctrl(u), 0.0, bad);
}

// the factor that a gain multiplies: the control, or the last activation, possibly that of the next timestep
fn actuator_input(i: i32, bad: bool) -> f32 {
    if (actuator_actnum(i) > 0) {
        let last = actuator_actadr(i) + actuator_actnum(i) - 1;
        if (actuator_actearly(i) != 0) {
            return next_activation(i, last, act_dot(last));
        }
        return act(last);
    }
    if (actuator_ctrlnum(i) > 0) {
        return control(actuator_ctrladr(i), bad);
    }
    return 0.0;
}

// activation `k` of actuator `i` after the next timestep, within its range
fn next_activation(i: i32, k: i32, rate: f32) -> f32 {
    if (model_dcmotors && actuator_dyntype(i) == DYN_DCMOTOR) {
        return next_state(i, k, rate);
    }
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

// actuator length of a whole turn (2π times the gear) of a transmission that only rotates: a ball joint, or a site relative to another
// without gear along an axis; zero for all others
fn turn_period(i: i32) -> f32 {
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

// `turn_period` of position servos; zero for all other actuators
fn wrap_period(i: i32) -> f32 {
    // a position servo: fixed gain, affine bias of the same stiffness, setpoint as input
    let dyntype = actuator_dyntype(i);
    let follows = dyntype == DYN_NONE || dyntype == DYN_INTEGRATOR || dyntype == DYN_FILTER || dyntype == DYN_FILTEREXACT;
    if (actuator_gaintype(i) != GAIN_FIXED
        || actuator_biastype(i) != BIAS_AFFINE
        || actuator_gainprm(i, 0) != -actuator_biasprm(i, 1)
        || !follows) {
        return 0.0;
    }
    return turn_period(i);
}

// the setpoint nearest to a length among those that differ from the given one by whole periods; without a period, the given setpoint
fn wrap_setpoint(setpoint: f32, len: f32, period: f32) -> f32 {
    if (period <= 0.0) {
        return setpoint;
    }
    return setpoint - period * floor((setpoint - len) / period + 0.5);
}

// rate of a muscle's activation
fn muscle_dynamics(i: i32, ctrl_: f32, act_: f32) -> f32 {
    let excess = clip(ctrl_, 0.0, 1.0) - act_;
    let clipped = clip(act_, 0.0, 1.0);

    // time constants at the present activation (Millard et al. 2013)
    let slow = 0.5 + 1.5 * clipped;
    let tau_act = actuator_dynprm(i, 0) * slow;
    let tau_deact = actuator_dynprm(i, 1) / slow;
    let width = actuator_dynprm(i, 2);
    var tau = select(tau_deact, tau_act, excess > 0.0);
    if (width >= MINVAL) {
        // quintic blend of the two time constants
        let x = clip(excess / width + 0.5, 0.0, 1.0);
        let quintic = x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0);
        tau = tau_deact + (tau_act - tau_deact) * quintic;
    }
    return excess / max(tau, MINVAL);
}

// largest force (x), and length of the muscle at which it is largest (y); `prm`: the first four parameters of the muscle
fn muscle_scale(r: i32, prm: vec4f) -> vec2f {
    let force = select(prm[2], prm[3] / max(actuator_acc0(r), MINVAL), prm[2] < 0.0);
    let optimal = (actuator_lengthrange(r, 1) - actuator_lengthrange(r, 0)) / max(prm[1] - prm[0], MINVAL);
    return vec2f(force, optimal);
}

// a parabola that is zero at `start` and a half at `end`
fn muscle_parabola(l: f32, start: f32, end: f32) -> f32 {
    let way = end - start;
    let x = (l - start) / (max(abs(way), MINVAL) * select(1.0, -1.0, way < 0.0));
    return 0.5 * x * x;
}

// isometric force relative to the largest, as a function of the length in units of the optimal length: four parabolas
fn muscle_by_length(l: f32, lmin: f32, lmax: f32) -> f32 {
    let a = 0.5 * (lmin + 1.0);
    let b = 0.5 * (1.0 + lmax);
    if (l < lmin || l > lmax) {
        return 0.0;
    }
    if (l <= a) {
        return muscle_parabola(l, lmin, a);
    }
    if (l <= 1.0) {
        return 1.0 - muscle_parabola(l, 1.0, a);
    }
    if (l <= b) {
        return 1.0 - muscle_parabola(l, 1.0, b);
    }
    return muscle_parabola(l, lmax, b);
}

// its derivative with respect to the length
fn muscle_by_length_slope(l: f32, lmin: f32, lmax: f32) -> f32 {
    let a = 0.5 * (lmin + 1.0);
    let b = 0.5 * (1.0 + lmax);
    if (l < lmin || l > lmax) {
        return 0.0;
    }
    if (l <= a) {
        return muscle_parabola_slope(l, lmin, a);
    }
    if (l <= 1.0) {
        return -muscle_parabola_slope(l, 1.0, a);
    }
    if (l <= b) {
        return -muscle_parabola_slope(l, 1.0, b);
    }
    return muscle_parabola_slope(l, lmax, b);
}

// slope of muscle_parabola
fn muscle_parabola_slope(l: f32, start: f32, end: f32) -> f32 {
    let span = max(abs(end - start), MINVAL);
    return (l - start) / (span * span);
}

// force of a muscle relative to the isometric force, as a function of the velocity in units of the largest
fn muscle_by_velocity(v: f32, fvmax: f32) -> f32 {
    let y = fvmax - 1.0;
    if (v <= -1.0) {
        return 0.0;
    }
    if (v <= 0.0) {
        return (v + 1.0) * (v + 1.0);
    }
    if (v > y) {
        return fvmax;
    }
    return fvmax - (y - v) * (y - v) / max(y, MINVAL);
}

// active force of a muscle at full activation: force-length-velocity curve
fn muscle_gain(i: i32, len: f32, vel: f32) -> f32 {
    let r = actuator_outadr(i);
    let range = vec2f(actuator_gainprm(i, 0), actuator_gainprm(i, 1));
    let scale = muscle_scale(r, vec4f(range, actuator_gainprm(i, 2), actuator_gainprm(i, 3)));
    let fvmax = actuator_gainprm(i, 8);

    // in units of the optimal length
    let l = range.x + (len - actuator_lengthrange(r, 0)) / max(scale.y, MINVAL);
    let v = vel / max(scale.y * actuator_gainprm(i, 6), MINVAL);
    let fl = muscle_by_length(l, actuator_gainprm(i, 4), actuator_gainprm(i, 5));

    // two parabolas in the velocity
    return -scale.x * fl * muscle_by_velocity(v, fvmax);
}

// derivative of muscle_gain with respect to the length
fn muscle_gain_stiffness(i: i32, len: f32, vel: f32) -> f32 {
    let r = actuator_outadr(i);
    let range = vec2f(actuator_gainprm(i, 0), actuator_gainprm(i, 1));
    let scale = muscle_scale(r, vec4f(range, actuator_gainprm(i, 2), actuator_gainprm(i, 3)));
    let unit = max(scale.y, MINVAL);
    let l = range.x + (len - actuator_lengthrange(r, 0)) / unit;
    let v = vel / max(scale.y * actuator_gainprm(i, 6), MINVAL);
    let fl = muscle_by_length_slope(l, actuator_gainprm(i, 4), actuator_gainprm(i, 5));
    return -scale.x * fl * muscle_by_velocity(v, actuator_gainprm(i, 8)) / unit;
}

// derivative of muscle_gain with respect to the velocity
fn muscle_gain_slope(i: i32, len: f32, vel: f32) -> f32 {
    let r = actuator_outadr(i);
    let range = vec2f(actuator_gainprm(i, 0), actuator_gainprm(i, 1));
    let scale = muscle_scale(r, vec4f(range, actuator_gainprm(i, 2), actuator_gainprm(i, 3)));

    // in units of the optimal length
    let l = range.x + (len - actuator_lengthrange(r, 0)) / max(scale.y, MINVAL);
    let fastest = max(scale.y * actuator_gainprm(i, 6), MINVAL);
    let v = vel / fastest;
    let fl = muscle_by_length(l, actuator_gainprm(i, 4), actuator_gainprm(i, 5));

    // two lines in the velocity
    let y = actuator_gainprm(i, 8) - 1.0;
    var slope = 0.0;
    if (v > -1.0 && v <= 0.0) {
        slope = 2.0 * (v + 1.0);
    } else if (v > 0.0 && v <= y) {
        slope = 2.0 * (y - v) / max(y, MINVAL);
    }
    return -scale.x * fl * slope / fastest;
}

// passive force of a muscle
fn muscle_bias(i: i32, len: f32) -> f32 {
    let r = actuator_outadr(i);
    let range = vec2f(actuator_biasprm(i, 0), actuator_biasprm(i, 1));
    let scale = muscle_scale(r, vec4f(range, actuator_biasprm(i, 2), actuator_biasprm(i, 3)));
    let l = range.x + (len - actuator_lengthrange(r, 0)) / max(scale.y, MINVAL);

    // zero, a parabola, a line
    let b = 0.5 * (1.0 + actuator_biasprm(i, 5));
    let span = max(b - 1.0, MINVAL);
    let x = (l - 1.0) / span;
    var fp = 0.0;
    if (l > 1.0) {
        fp = select(0.5 + (l - b) / span, 0.5 * x * x, l <= b);
    }
    return -scale.x * actuator_biasprm(i, 7) * fp;
}

// derivative of muscle_bias with respect to the length
fn muscle_bias_stiffness(i: i32, len: f32) -> f32 {
    let r = actuator_outadr(i);
    let range = vec2f(actuator_biasprm(i, 0), actuator_biasprm(i, 1));
    let scale = muscle_scale(r, vec4f(range, actuator_biasprm(i, 2), actuator_biasprm(i, 3)));
    let unit = max(scale.y, MINVAL);
    let l = range.x + (len - actuator_lengthrange(r, 0)) / unit;

    // zero, a line, a constant
    let b = 0.5 * (1.0 + actuator_biasprm(i, 5));
    let span = max(b - 1.0, MINVAL);
    var slope = 0.0;
    if (l > 1.0) {
        slope = select(1.0 / span, (l - 1.0) / (span * span), l <= b);
    }
    return -scale.x * actuator_biasprm(i, 7) * slope / unit;
}
