// DC motors: controller, winding, friction; `control(u, bad)` is a control as the actuator uses it

// addresses of a motor's states in `act`, -1: no such state
struct Slots {
    // first input, limited by the slew rate
    slew: i32,
    // integral of the position error
    integral: i32,
    // temperature of the winding above the ambient (K)
    temperature: i32,
    // deflection of the bristles of LuGre friction
    bristle: i32,
    // current (A)
    current: i32,
}

// the states of a motor
fn slots(i: i32) -> Slots {
    var next = actuator_actadr(i);
    var s = Slots(-1, -1, -1, -1, -1);
    if (actuator_dynprm(i, 7) > 0.0) {
        s.slew = next;
        next++;
    }
    if (actuator_gainprm(i, 5) > 0.0) {
        s.integral = next;
        next++;
    }
    if (actuator_dynprm(i, 2) > 0.0) {
        s.temperature = next;
        next++;
    }
    if (actuator_dynprm(i, 5) > 0.0) {
        s.bristle = next;
        next++;
    }
    if (actuator_dynprm(i, 0) > 0.0) {
        s.current = next;
    }
    return s;
}

// resistance of the winding at its temperature
fn resistance(i: i32, s: Slots) -> f32 {
    var ohm = actuator_gainprm(i, 0);
    if (s.temperature >= 0) {
        let above = act(s.temperature) + (actuator_dynprm(i, 4) - actuator_gainprm(i, 3));
        ohm *= 1.0 + actuator_gainprm(i, 2) * above;
    }
    return max(ohm, MINVAL);
}

// first input, limited by the slew rate
fn first_input(i: i32, s: Slots, given: f32) -> f32 {
    if (s.slew < 0) {
        return given;
    }
    let step = actuator_dynprm(i, 7) * opt_timestep;
    return clip(given, act(s.slew) - step, act(s.slew) + step);
}

// voltage at the terminals (x): the controller's, which compensates back-EMF, plus the raw input; the first input (y); and
// whether the controller's voltage is within its limit (z: 1 or 0)
fn voltage(i: i32, s: Slots, bad: bool) -> vec3f {
    let r = actuator_outadr(i);
    let spec = actuator_ctrlspec(i);
    let first = actuator_ctrladr(i);
    var u = first;
    var inputs = vec4f(0.0);
    var input = 0.0;
    for (var k = 0; k < 4; k++) {
        // the order of their bits: position, velocity, feedforward, voltage
        if ((spec & (INPUT_POS << u32(k))) != 0) {
            inputs[k] = control(u, bad);
            if (u == first) {
                inputs[k] = first_input(i, s, inputs[k]);
                input = inputs[k];
            }
            u++;
        }
    }
    if ((spec & (INPUT_POS | INPUT_VEL | INPUT_FF)) == 0) {
        return vec3f(inputs.w, input, 0.0);
    }

    // desired torque
    let k = actuator_gainprm(i, 1);
    let vmax = actuator_gainprm(i, 7);
    let velocity = actuator_velocity(r);
    var sum = 0.0;
    if (s.integral >= 0) {
        sum = act(s.integral);
    }
    let torque = actuator_gainprm(i, 4) * (inputs.x - actuator_length(r))
        + actuator_gainprm(i, 6) * (inputs.y - velocity) + actuator_gainprm(i, 5) * sum + inputs.z;
    var drive = actuator_gainprm(i, 0) / max(k, MINVAL) * torque + k * velocity;
    var within = 1.0;
    if (vmax > 0.0) {
        within = select(0.0, 1.0, abs(drive) < vmax);
        drive = clip(drive, -vmax, vmax);
    }
    return vec3f(drive + inputs.w, input, within);
}

// steady-state friction force at a constant velocity (Stribeck)
fn stribeck(i: i32, velocity: f32) -> f32 {
    let ratio = velocity / max(actuator_biasprm(i, 5), MINVAL);
    let coulomb = actuator_biasprm(i, 3);
    return max(coulomb + (actuator_biasprm(i, 4) - coulomb) * exp(-ratio * ratio), MINVAL);
}

// relaxation rate of the bristles
fn relaxation(i: i32, velocity: f32) -> f32 {
    return -actuator_dynprm(i, 5) * abs(velocity) / stribeck(i, velocity);
}

// rates of a motor's states; `volt` is its voltage, `first` its first input
fn motor_rate(i: i32, s: Slots, volt: f32, first: f32) {
    let r = actuator_outadr(i);
    let k = actuator_gainprm(i, 1);
    let velocity = actuator_velocity(r);
    let ohm = resistance(i, s);

    // rate of the setpoint
    if (s.slew >= 0) {
        set_act_dot(s.slew, (first - act(s.slew)) / opt_timestep);
    }

    // rate of the integral, which stops at its limit (anti-windup)
    if (s.integral >= 0) {
        set_act_dot(s.integral, unwound(first - actuator_length(r), act(s.integral), actuator_dynprm(i, 8)));
    }

    // rate of the temperature: loss in the winding minus dissipated heat
    let drawn = (volt - k * velocity) / ohm;
    var flowing = drawn;
    if (s.current >= 0) {
        flowing = act(s.current);
    }
    if (s.temperature >= 0) {
        let loss = ohm * flowing * flowing - act(s.temperature) / actuator_dynprm(i, 2);
        set_act_dot(s.temperature, loss / actuator_dynprm(i, 3));
    }

    // rate of the bristle deflection
    if (s.bristle >= 0) {
        set_act_dot(s.bristle, relaxation(i, velocity) * act(s.bristle) + velocity);
    }

    // rate of the current
    if (s.current >= 0) {
        var rate = (drawn - flowing) / actuator_dynprm(i, 0);
        let limit = actuator_dynprm(i, 1);
        if (limit > 0.0) {
            rate = clip(rate, -limit, limit);
        }
        set_act_dot(s.current, rate);
    }
}

// a rate, set to zero if it would take its integral further beyond a limit; 0: no limit
fn unwound(rate: f32, sum: f32, limit: f32) -> f32 {
    if (limit <= 0.0) {
        return rate;
    }
    var held = rate;
    if (sum >= limit) {
        held = min(held, 0.0);
    }
    if (sum <= -limit) {
        held = max(held, 0.0);
    }
    return held;
}

// derivative of a motor's torque with respect to the velocity: of the current's torque, and of the damping of the bristles
fn motor_slope(i: i32, bad: bool) -> f32 {
    let s = slots(i);
    let k = actuator_gainprm(i, 1);
    var slope = 0.0;
    if (actuator_gaintype(i) == GAIN_DCMOTOR) {
        // controller's reaction to back-EMF and velocity, while its voltage is within its limit
        let volt = voltage(i, s, bad);
        let by_velocity = volt.z * (k - actuator_gainprm(i, 0) / max(k, MINVAL) * actuator_gainprm(i, 6));
        slope = of_current(i, s, volt.x, by_velocity - k);
    }
    if (actuator_biastype(i) == BIAS_DCMOTOR && s.bristle >= 0) {
        slope -= actuator_dynprm(i, 6);
    }
    return slope;
}

// derivative of the torque of the current, for a terminal voltage `sum` with derivative `slope`
fn of_current(i: i32, s: Slots, sum: f32, slope: f32) -> f32 {
    let k = actuator_gainprm(i, 1);
    let ohm = resistance(i, s);
    let drawn = slope / ohm;
    if (s.current < 0) {
        return k * drawn;
    }
    if (actuator_actearly(i) == 0) {
        return 0.0;
    }
    let tau = max(actuator_dynprm(i, 0), MINVAL);
    let limit = actuator_dynprm(i, 1);
    let flowing = (sum - k * actuator_velocity(actuator_outadr(i))) / ohm;
    let rate = (flowing - act(s.current)) / actuator_dynprm(i, 0);
    return select(0.0, k * drawn * (1.0 - exp(-opt_timestep / tau)), limit <= 0.0 || abs(rate) < limit);
}

// derivative of a motor's torque with respect to the length: of the controller's reaction to the position, and of cogging
fn motor_stiffness(i: i32, bad: bool) -> f32 {
    var slope = 0.0;
    if (actuator_gaintype(i) == GAIN_DCMOTOR) {
        let s = slots(i);
        let volt = voltage(i, s, bad);
        let by_length = -volt.z * actuator_gainprm(i, 0) / max(actuator_gainprm(i, 1), MINVAL) * actuator_gainprm(i, 4);
        slope = of_current(i, s, volt.x, by_length);
    }
    if (actuator_biastype(i) == BIAS_DCMOTOR) {
        let poles = actuator_biasprm(i, 1);
        let angle = poles * actuator_length(actuator_outadr(i)) + actuator_biasprm(i, 2);
        slope += actuator_biasprm(i, 0) * poles * sin_cos(angle).y;
    }
    return slope;
}

// torque of a motor due to its current
fn motor_force(i: i32, s: Slots, volt: f32) -> f32 {
    let k = actuator_gainprm(i, 1);
    if (s.current >= 0) {
        var current = act(s.current);
        if (actuator_actearly(i) != 0) {
            current = next_state(i, s.current, act_dot(s.current));
        }
        return k * current;
    }
    return k / resistance(i, s) * (volt - k * actuator_velocity(actuator_outadr(i)));
}

// torque of a motor not due to its current: cogging and friction
fn motor_friction(i: i32) -> f32 {
    let r = actuator_outadr(i);
    let cogging = actuator_biasprm(i, 0);
    var force = 0.0;
    if (cogging != 0.0) {
        force += cogging * sin_cos(actuator_biasprm(i, 1) * actuator_length(r) + actuator_biasprm(i, 2)).x;
    }
    let bristle = slots(i).bristle;
    if (bristle >= 0) {
        force -= actuator_dynprm(i, 5) * act(bristle) + actuator_dynprm(i, 6) * act_dot(bristle);
    }
    return force;
}

// state `k` of a motor after the next timestep
fn next_state(i: i32, k: i32, rate: f32) -> f32 {
    let s = slots(i);
    let now = act(k);
    if (s.current == k) {
        let tau = max(actuator_dynprm(i, 0), MINVAL);
        return now + rate * (tau * (1.0 - exp(-opt_timestep / tau)));
    }
    if (s.bristle == k) {
        // exact solution for a constant velocity
        let velocity = actuator_velocity(actuator_outadr(i));
        let a = relaxation(i, velocity);
        let decay = exp(a * opt_timestep);
        let gain = select(opt_timestep, (decay - 1.0) / a, abs(a) > MINVAL);
        return decay * now + gain * velocity;
    }
    let next = now + rate * opt_timestep;
    let limit = actuator_dynprm(i, 8);
    if (limit > 0.0 && s.integral == k) {
        return clip(next, -limit, limit);
    }
    return next;
}
