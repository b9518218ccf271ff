// integration of rates to the next state. Every lane of the team must call these functions

// adds a velocity times a time to positions
fn integrate_pos<pos, vel>(time: f32) {
    for (var j = lane; j < njnt; j += LANES) {
        var padr = jnt_qposadr(j);
        var vadr = jnt_dofadr(j);
        let type_ = jnt_type(j);
        if (type_ == JNT_SLIDE || type_ == JNT_HINGE) {
            set_pos(padr, pos(padr) + time * vel(vadr));
            continue;
        }
        if (type_ == JNT_FREE) {
            for (var k = 0; k < 3; k++) {
                set_pos(padr + k, pos(padr + k) + time * vel(vadr + k));
            }
            padr += 3;
            vadr += 3;
        }
        let quat = vec4f(pos(padr), pos(padr + 1), pos(padr + 2), pos(padr + 3));
        let turned = quat_integrate(quat, vec3f(vel(vadr), vel(vadr + 1), vel(vadr + 2)), time);
        for (var k = 0; k < 4; k++) {
            set_pos(padr + k, turned[k]);
        }
    }
}

// advances activation, velocity, position and time by one timestep and keeps the acceleration for the next solve; positions
// move with `vel`, which may be the new qvel
fn advance<rate, acc, vel>() {
    advance_rates<rate, acc>();
    team_sync();

    // position
    integrate_pos<qpos, vel>(opt_timestep);
    if (SLEEPS) {
        team_sync();
        stay_asleep<latent>();
    }

    // move the rest positions of plastic springs that were stretched too far
    if (nplastic > 0) {
        team_sync();
        yield_springs<vel>();
        if (model_yields) {
            yield_flexes();
        }
        if (nrod > 0) {
            keep_rods();
        }
    }
}

// advance without the positions
fn advance_rates<rate, acc>() {
    // activation
    if (na > 0 && (opt_disableflags & DSBL_ACTUATION) == 0) {
        for (var i = lane; i < nactuator; i += LANES) {
            advance_act<rate>(i);
        }
    }

    // velocity
    for (var i = lane; i < nv; i += LANES) {
        set_qvel(i, qvel(i) + acc(i) * opt_timestep);
    }

    // time
    if (lane == 0) {
        set_time(time() + opt_timestep);
    }

    // warm start of the next solve; with the flag `ipc` it stays as it was, as in MuJoCo
    if ((opt_enableflags & ENBL_IPC) == 0) {
        for (var i = lane; i < nv; i += LANES) {
            set_qacc_warmstart(i, qacc(i));
        }
    }
}

fn advance_act<rate>(i: i32) {
    let adr = actuator_actadr(i);
    if (adr < 0) {
        return;
    }
    let num = actuator_actnum(i);
    for (var k = adr; k < adr + num; k++) {
        // activations of a disabled actuator stay constant
        if (actuator_disabled(i)) {
            set_act(k, next_activation(i, k, 0.0));
        } else {
            set_act(k, next_activation(i, k, rate(k)));
        }
    }

    // an angle setpoint is kept within half a turn of the length
    let period = wrap_period(i);
    if (period > 0.0) {
        let last = adr + num - 1;
        set_act(last, wrap_setpoint(act(last), actuator_length(actuator_outadr(i)), period));
    }

    // likewise an orientation setpoint
    if (model_so3 && actuator_dyntype(i) == DYN_INTEGRATOR && actuator_gaintype(i) == GAIN_SO3) {
        let wrapped = wrap_rotation(vec3f(act(adr), act(adr + 1), act(adr + 2)));
        for (var k = 0; k < 3; k++) {
            set_act(adr + k, wrapped[k]);
        }
    }
}
