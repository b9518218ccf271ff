// controllers of actuators with a plugin: they use the control as it was set. Order of their activations: the integral, if they
// have one, then the setpoint of the last step, then the activations of the actuator's dynamics

// parameter `k` of an actuator's plugin instance
fn plugin_number(i: i32, k: i32) -> f32 {
    return plugin_prm(actuator_plugin(i), k);
}

// true if the controller has an integral, and a setpoint with limited rate
fn plugin_states(i: i32) -> vec2<bool> {
    return vec2<bool>(plugin_number(i, 1) != 0.0, plugin_number(i, 4) >= 0.0);
}

// setpoint: the control, or the activation of the dynamics, now or after the next timestep
fn plugin_setpoint(i: i32, early: bool) -> f32 {
    var goal = 0.0;
    if (actuator_dyntype(i) == DYN_NONE) {
        let u = actuator_ctrladr(i);
        goal = ctrl(u);
        if (actuator_ctrllimited(u) != 0) {
            goal = clip(goal, actuator_ctrlrange(u, 0), actuator_ctrlrange(u, 1));
        }
    } else {
        let last = actuator_actadr(i) + actuator_actnum(i) - 1;
        goal = act(last);
        if (early) {
            goal = next_activation(i, last, act_dot(last));
        }
    }

    // limit the rate of the setpoint, except in the first step
    let has = plugin_states(i);
    if (has.y && time() > 0.0) {
        let before = act(actuator_actadr(i) + select(0, 1, has.x));
        let step = plugin_number(i, 4) * opt_timestep;
        goal = clip(goal, before - step, before + step);
    }
    return goal;
}

// the integral of the error after the next timestep, within its limit
fn plugin_integral(i: i32, error: f32) -> f32 {
    let sum = act(actuator_actadr(i)) + error * opt_timestep;
    let most = plugin_number(i, 3);
    if (most < 0.0) {
        return sum;
    }
    return clip(sum, -most, most);
}

// sets the rates of a controller's integral and setpoint that lead to their next values
fn plugin_rate(i: i32) {
    let goal = plugin_setpoint(i, false);
    var k = actuator_actadr(i);
    let has = plugin_states(i);
    if (has.x) {
        let error = goal - actuator_length(actuator_outadr(i));
        set_act_dot(k, (plugin_integral(i, error) - act(k)) / opt_timestep);
        k++;
    }
    if (has.y) {
        set_act_dot(k, (goal - act(k)) / opt_timestep);
    }
}

// force of a controller, with the integral after the next timestep
fn plugin_force(i: i32) -> f32 {
    let r = actuator_outadr(i);
    let goal = plugin_setpoint(i, actuator_actearly(i) != 0);
    let error = goal - actuator_length(r);
    var speed = 0.0;
    if (actuator_dyntype(i) != DYN_NONE) {
        speed = act_dot(actuator_actadr(i) + actuator_actnum(i) - 1);
    }
    var force = plugin_number(i, 0) * error + plugin_number(i, 2) * (speed - actuator_velocity(r));
    if (plugin_states(i).x) {
        force += plugin_number(i, 1) * plugin_integral(i, error);
    }
    return force;
}
