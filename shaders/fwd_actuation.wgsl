// Actuator forces (`mj_fwdActuation`).

const ACTUATED: bool = nactuator > 0 && (opt_disableflags & DSBL_ACTUATION) == 0;

fn mj_fwd_actuation() {
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_actuator(i, 0.0);
    }
    if (ACTUATED) {
        actuate();
    } else {
        for (var r = lane; r < nout; r += LANES) {
            set_actuator_force(r, 0.0);
        }
    }
}

fn actuate() {
    // one bad control sets all controls to zero
    let bad = bad_ctrl();
    warn(WARN_BADCTRL, bad);

    // rate of activation, then force
    for (var i = lane; i < nactuator; i += LANES) {
        let adr = actuator_outadr(i);
        for (var r = adr; r < adr + actuator_outnum(i); r++) {
            set_actuator_force(r, 0.0);
        }
        let motor = model_dcmotors && actuator_gaintype(i) == GAIN_DCMOTOR;
        if (motor || (model_dcmotors && actuator_dyntype(i) == DYN_DCMOTOR)) {
            dc_motor(i, bad, motor);
        } else if (actuator_actnum(i) > 0) {
            activation_rate(i, bad);
        }
        // an actuator with a plugin is not disabled with its group
        if (!motor && (!actuator_disabled(i) || has_plugin(i))) {
            actuator_strength(i, bad);
        }
    }
    if (SLEEPS) {
        rest_actuators();
    }
    team_sync();

    // limit the sum of the actuator forces on each tendon
    for (var t = lane; t < ntendon; t += LANES) {
        if (tendon_actfrclimited(t) != 0 && limits_hold()) {
            limit_tendon(t);
        }
    }
    team_sync();

    // limit each actuator force
    for (var i = lane; i < nactuator; i += LANES) {
        let adr = actuator_outadr(i);
        if (actuator_forcelimited(i) != 0) {
            limit_actuator(i, adr);
        }

        // cogging and friction of motors are not limited
        if (model_dcmotors && actuator_biastype(i) == BIAS_DCMOTOR && !actuator_disabled(i)) {
            set_actuator_force(adr, actuator_force(adr) + motor_friction(i));
        }
    }
    team_sync();

    // as generalized forces
    for (var r = 0; r < nout; r++) {
        let force = actuator_force(r);
        let adr = moment_rowadr(r);
        for (var k = adr; k < adr + moment_rownnz(r); k++) {
            let i = moment_colind(k);
            if (i % LANES == lane) {
                set_qfrc_actuator(i, qfrc_actuator(i) + actuator_moment(k) * force);
            }
        }
    }

    // gravity compensation by actuators
    let pull = ngravcomp > 0 && (opt_disableflags & DSBL_GRAVITY) == 0 && any(opt_gravity != vec3f(0.0));
    for (var i = lane; i < nv; i += LANES) {
        let j = dof_jntid(i);
        var force = qfrc_actuator(i);
        if (pull && jnt_actgravcomp(j) != 0) {
            force += qfrc_gravcomp(i);
        }

        // limit the sum of the actuator forces on each joint
        if (jnt_actfrclimited(j) != 0 && jnt_dofadr(j) == i) {
            force = clip(force, jnt_actfrcrange(j, 0), jnt_actfrcrange(j, 1));
        }
        set_qfrc_actuator(i, force);
    }
}

fn limit_actuator(i: i32, adr: i32) {
    let lo = actuator_forcerange(i, 0);
    let hi = actuator_forcerange(i, 1);
    if (model_so3 && actuator_gaintype(i) == GAIN_SO3) {
        let torque = limit_norm(vec3f(actuator_force(adr), actuator_force(adr + 1), actuator_force(adr + 2)), hi);
        for (var k = 0; k < 3; k++) {
            set_actuator_force(adr + k, torque[k]);
        }
        return;
    }
    for (var r = adr; r < adr + actuator_outnum(i); r++) {
        set_actuator_force(r, clip(actuator_force(r), lo, hi));
    }
}

fn activation_rate(i: i32, bad: bool) {
    let adr = actuator_actadr(i);
    let last = adr + actuator_actnum(i) - 1;
    let u = actuator_ctrladr(i);
    let dyn_ = actuator_dyntype(i);
    for (var k = adr; k <= last; k++) {
        set_act_dot(k, 0.0);
    }
    if (dyn_ == DYN_INTEGRATOR) {
        let inputs = actuator_ctrlnum(i);
        for (var k = 0; k < inputs; k++) {
            set_act_dot(last + 1 - inputs + k, control(u + k, bad));
        }
    } else if (dyn_ == DYN_FILTER || dyn_ == DYN_FILTEREXACT) {
        let goal = wrap_setpoint(control(u, bad), act(last), wrap_period(i));
        set_act_dot(last, (goal - act(last)) / max(actuator_dynprm(i, 0), MINVAL));
    } else if (model_muscles && dyn_ == DYN_MUSCLE) {
        set_act_dot(last, muscle_dynamics(i, control(u, bad), act(last)));
    } else if (model_pids && dyn_ == DYN_PID) {
        let rate = pid_rate(i, bad);
        // each state exists only if its parameter asks for it
        if (actuator_dynprm(i, 1) > 0.0) {
            set_act_dot(adr, rate.x);
        }
        if (actuator_gainprm(i, 0) != 0.0) {
            set_act_dot(last, rate.y);
        }
    }
    if (has_plugin(i)) {
        plugin_rate(i);
    }
}

fn has_plugin(i: i32) -> bool {
    return nplugin > 0 && actuator_plugin(i) >= 0;
}

// rate and force of a motor, which share its voltage; the force only if its gain is that of a motor
fn dc_motor(i: i32, bad: bool, motor: bool) {
    let s = slots(i);
    let volt = voltage(i, s, bad);
    if (actuator_dyntype(i) == DYN_DCMOTOR && actuator_actnum(i) > 0) {
        motor_rate(i, s, volt.x, volt.y);
    }
    if (motor && !actuator_disabled(i)) {
        set_actuator_force(actuator_outadr(i), motor_force(i, s, volt.x));
    }
}

// gain times control or activation, plus bias
fn actuator_strength(i: i32, bad: bool) {
    let r = actuator_outadr(i);
    let gaintype = actuator_gaintype(i);

    // a plugin computes its force itself
    if (has_plugin(i)) {
        set_actuator_force(r, plugin_force(i));
        return;
    }

    // a servo of an orientation has three force outputs
    if (model_so3 && gaintype == GAIN_SO3) {
        let torque = so3_force(i, bad);
        for (var k = 0; k < 3; k++) {
            set_actuator_force(r + k, torque[k]);
        }
        return;
    }
    let len = actuator_length(r);
    let velocity = actuator_velocity(r);
    let affine = vec3f(1.0, len, velocity);

    // gain
    var gain = 1.0;
    if (gaintype == GAIN_FIXED) {
        gain = actuator_gainprm(i, 0);
    } else if (gaintype == GAIN_AFFINE) {
        gain = dot(vec3f(actuator_gainprm(i, 0), actuator_gainprm(i, 1), actuator_gainprm(i, 2)), affine);
    } else if (model_muscles && gaintype == GAIN_MUSCLE) {
        gain = muscle_gain(i, len, velocity);
    }

    // input
    var input = 0.0;
    if (model_pids && gaintype == GAIN_PID) {
        input = pid_force(i, bad);
    } else {
        input = actuator_input(i, bad);
    }
    input = wrap_setpoint(input, len, wrap_period(i));

    // bias
    let biastype = actuator_biastype(i);
    var bias = 0.0;
    if (biastype == BIAS_AFFINE) {
        bias = dot(vec3f(actuator_biasprm(i, 0), actuator_biasprm(i, 1), actuator_biasprm(i, 2)), affine);
    } else if (model_muscles && biastype == BIAS_MUSCLE) {
        bias = muscle_bias(i, len);
    }
    set_actuator_force(r, gain * input + bias);
}

fn on_this_tendon(i: i32, t: i32) -> bool {
    return actuator_trntype(i) == TRN_TENDON && actuator_trnid(i, 0) == t;
}

// in models with plugins, tendon limits hold only if an enabled actuator without a plugin acts on a limited tendon
fn limits_hold() -> bool {
    if (nplugin == 0) {
        return true;
    }
    for (var i = 0; i < nactuator; i++) {
        if (actuator_trntype(i) == TRN_TENDON && tendon_actfrclimited(actuator_trnid(i, 0)) != 0
            && !has_plugin(i) && !actuator_disabled(i)) {
            return true;
        }
    }
    return false;
}

fn limit_tendon(t: i32) {
    var sum = 0.0;
    for (var i = 0; i < nactuator; i++) {
        if (on_this_tendon(i, t)) {
            sum += actuator_force(actuator_outadr(i));
        }
    }

    // scale the forces of all actuators on the tendon by the same factor
    let lo = tendon_actfrcrange(t, 0);
    let hi = tendon_actfrcrange(t, 1);
    if (sum == 0.0 || (sum >= lo && sum <= hi)) {
        return;
    }
    let scale = select(hi, lo, sum < lo) / sum;
    for (var i = 0; i < nactuator; i++) {
        let r = actuator_outadr(i);
        if (on_this_tendon(i, t)) {
            set_actuator_force(r, actuator_force(r) * scale);
        }
    }
}
