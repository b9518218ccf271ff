// servos with several inputs: PID controllers, and servos of an orientation; `control(u, bad)` is a control as the actuator uses it

// setpoints and feedforward of a PID controller, and its integral gain; missing inputs are zero
struct Pid {
    goal: f32,
    speed: f32,
    feedforward: f32,
    ki: f32,
}

// the position setpoint follows its input with limited rate
fn pid(i: i32, bad: bool) -> Pid {
    var u = actuator_ctrladr(i);
    let spec = actuator_ctrlspec(i);
    var inputs = vec3f(0.0);
    for (var k = 0; k < 3; k++) {
        // the order of their bits
        if ((spec & (INPUT_POS << u32(k))) != 0) {
            inputs[k] = control(u, bad);
            u++;
        }
    }
    let slew = actuator_dynprm(i, 1);
    if (actuator_dyntype(i) == DYN_PID && slew > 0.0) {
        let now = act(actuator_actadr(i));
        let step = slew * opt_timestep;
        inputs.x = wrap_setpoint(inputs.x, now, turn_period(i));
        inputs.x = clip(inputs.x, now - step, now + step);
    }
    return Pid(inputs.x, inputs.y, inputs.z, actuator_gainprm(i, 0));
}

// rates of a PID controller's setpoint (x) and integral (y); each is a state only if the controller has it
fn pid_rate(i: i32, bad: bool) -> vec2f {
    let adr = actuator_actadr(i);
    let last = adr + actuator_actnum(i) - 1;
    let goal = pid(i, bad).goal;
    let slew = (goal - act(adr)) / opt_timestep;
    let len = actuator_length(actuator_outadr(i));
    let rate = wrap_setpoint(goal, len, turn_period(i)) - len;
    return vec2f(slew, unwound(rate, act(last), actuator_dynprm(i, 0)));
}

// force of a PID controller without its bias, `-kp length - kv velocity`
fn pid_force(i: i32, bad: bool) -> f32 {
    let p = pid(i, bad);
    let goal = wrap_setpoint(p.goal, actuator_length(actuator_outadr(i)), turn_period(i));
    let force = -actuator_biasprm(i, 1) * goal - actuator_biasprm(i, 2) * p.speed + p.feedforward;
    if (p.ki == 0.0) {
        return force;
    }
    let last = actuator_actadr(i) + actuator_actnum(i) - 1;
    var sum = act(last);
    if (actuator_actearly(i) != 0) {
        sum = next_activation(i, last, act_dot(last));
    }
    return force + p.ki * sum;
}

// quaternion of a rotation vector
fn expmap2quat(v: vec3f) -> vec4f {
    let axis = normalize3(v);
    return axis_angle2quat(axis.xyz, axis.w);
}

// torque of a servo of an orientation: towards the target along the shortest rotation, and damping
fn so3_force(i: i32, bad: bool) -> vec3f {
    let u = actuator_ctrladr(i);
    let r = actuator_outadr(i);
    let quat = actuator_ctrlspec(i) == CHART_QUAT;
    let inside_ = !quat && actuator_dyntype(i) != DYN_NONE;
    var given = vec4f(0.0);
    for (var k = 0; k < select(3, 4, quat); k++) {
        if (inside_) {
            let a = actuator_actadr(i) + k;
            given[k] = act(a);
            if (actuator_actearly(i) != 0) {
                given[k] = next_activation(i, a, act_dot(a));
            }
        } else {
            given[k] = control(u + k, bad);
        }
    }
    var goal: vec4f;
    if (quat) {
        goal = normalize4(given);
    } else {
        goal = expmap2quat(given.xyz);
    }
    let current = expmap2quat(vec3f(actuator_length(r), actuator_length(r + 1), actuator_length(r + 2)));
    let velocity = vec3f(actuator_velocity(r), actuator_velocity(r + 1), actuator_velocity(r + 2));
    return actuator_gainprm(i, 0) * sub_quat(goal, current) + actuator_biasprm(i, 0) + actuator_biasprm(i, 2) * velocity;
}

// limits the norm of a servo's torque
fn limit_norm(torque: vec3f, limit: f32) -> vec3f {
    let norm = length(torque);
    return select(torque, torque * (limit / norm), norm > limit);
}

// keeps a rotation vector within half a turn
fn wrap_rotation(v: vec3f) -> vec3f {
    let turn = 6.2831853;
    let angle = length(v);
    if (angle <= 3.1415927) {
        return v;
    }
    return v * ((angle - turn * floor(angle / turn + 0.5)) / angle);
}
