// One of the four stages of Runge-Kutta (`mj_RungeKutta`).
//
// Called after each of the four evaluations of a step: the first three calls move the state to the point of the next evaluation,
// the last takes the step. Orientations follow Munthe-Kaas: the method is applied to the rotation vector from the orientation at
// the start, so that it keeps its order.

// times of the evaluations, in units of a timestep
fn rk4_place(stage: i32) -> f32 {
    return select(select(0.5, 1.0, stage == 3), 0.0, stage == 0);
}

// true if the fourth call goes back to the start of the step, and a fifth takes the step: flexes yield by their places there. Trees
// that may sleep fall asleep by them too
fn goes_back() -> bool {
    return SLEEPS || model_yields;
}

fn mj_rk4() {
    let stage = rk_stage();
    let h = opt_timestep;

    if (stage == 0) {
        keep_start();
    }
    if (model_yields && stage == 4) {
        yield_flexes();
    }
    team_sync();

    let evaluated = !goes_back() || stage < 4;
    if (evaluated) {
        find_rates(rk4_place(stage) * h);
    }
    team_sync();

    // weighted sums
    let weight = select(1.0 / 3.0, 1.0 / 6.0, stage == 0 || stage == 3);
    for (var i = lane; i < nv && evaluated; i += LANES) {
        set_rk_dqpos(i, rk_dqpos(i) + rk_vel(i) * weight);
        set_rk_dqvel(i, rk_dqvel(i) + qacc(i) * weight);
    }
    for (var k = lane; k < na && evaluated; k += LANES) {
        set_rk_dact(k, rk_dact(k) + act_dot(k) * weight);
    }

    if (SLEEPS) {
        if (stage == 3) {
            note_places();
        }
        team_sync();
    }

    return_to_start();
    team_sync();

    if (stage < 3) {
        // state for the next evaluation
        let next = rk4_place(stage + 1) * h;
        integrate_pos<qpos, rk_vel>(next);
        for (var i = lane; i < nv; i += LANES) {
            set_qvel(i, qvel(i) + qacc(i) * next);
        }
        for (var k = lane; k < na; k += LANES) {
            set_act(k, act(k) + act_dot(k) * next);
        }
        if (lane == 0) {
            set_time(time() + next);
        }
    } else if (goes_back() && stage == 3) {
        // the velocity of the positions, by which flexes yield
        for (var i = lane; i < nv && model_yields; i += LANES) {
            set_qvel(i, rk_dqpos(i));
        }
    } else {
        // the step
        advance_rates<rk_dact, rk_dqvel>();
        // the acceleration of the whole step, for those who read it
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, rk_dqvel(i));
        }
        integrate_pos<qpos, rk_dqpos>(h);
        if (nplastic > 0) {
            yield_springs<rk_dqpos>();
            if (nrod > 0) {
                keep_rods();
            }
        }
    }
    if (SLEEPS) {
        team_sync();
        if (stage != 3) {
            stay_asleep<rk_qpos>();
        }
    }
    if (lane == 0) {
        set_rk_stage((stage + 1) % select(4, 5, goes_back()));
    }
}

// keeps the start of the step
fn keep_start() {
    for (var k = lane; k < nq; k += LANES) {
        set_rk_qpos(k, qpos(k));
    }
    for (var i = lane; i < nv; i += LANES) {
        set_rk_qvel(i, qvel(i));
        set_rk_vel(i, 0.0);
        set_rk_dqpos(i, 0.0);
        set_rk_dqvel(i, 0.0);
    }
    for (var k = lane; k < na; k += LANES) {
        set_rk_act(k, act(k));
        set_rk_dact(k, 0.0);
    }
    for (var t = lane; t < ntendonrk; t += LANES) {
        set_rk_ten_length(t, ten_length(t));
    }
    for (var k = lane; k < nJtenrk; k += LANES) {
        set_rk_ten_J(k, ten_J(k));
    }
    if (nrodrk > 0) {
        for (var k = lane; k < nrodrk; k += LANES) {
            set_rk_rod_plastic(k, rod_plastic(k));
        }
    }
    if (lane == 0) {
        set_rk_time(time());
    }
}

// rates at this evaluation, `here` seconds into the step; rk_vel still holds the velocities of the previous one
fn find_rates(here: f32) {
    for (var j = lane; j < njnt; j += LANES) {
        var adr = jnt_dofadr(j);
        let type_ = jnt_type(j);
        if (type_ == JNT_SLIDE || type_ == JNT_HINGE) {
            set_rk_vel(adr, qvel(adr));
            continue;
        }
        if (type_ == JNT_FREE) {
            for (var k = 0; k < 3; k++) {
                set_rk_vel(adr + k, qvel(adr + k));
            }
            adr += 3;
        }
        let turned = vec3f(rk_vel(adr), rk_vel(adr + 1), rk_vel(adr + 2)) * here;
        let rate = rotation_vector_rate(turned, vec3f(qvel(adr), qvel(adr + 1), qvel(adr + 2)));
        for (var k = 0; k < 3; k++) {
            set_rk_vel(adr + k, rate[k]);
        }
    }
}

// back to the start of the step; plastic tendons yield by their lengths and Jacobians there
fn return_to_start() {
    for (var t = lane; t < ntendonrk; t += LANES) {
        set_ten_length(t, rk_ten_length(t));
    }
    for (var k = lane; k < nJtenrk; k += LANES) {
        set_ten_J(k, rk_ten_J(k));
    }
    if (nrodrk > 0) {
        for (var k = lane; k < nrodrk; k += LANES) {
            set_rod_plastic(k, rk_rod_plastic(k));
        }
    }
    for (var k = lane; k < nq; k += LANES) {
        set_qpos(k, rk_qpos(k));
    }
    for (var i = lane; i < nv; i += LANES) {
        set_qvel(i, rk_qvel(i));
    }
    for (var k = lane; k < na; k += LANES) {
        set_act(k, rk_act(k));
    }
    if (lane == 0) {
        set_time(rk_time());
    }
}
