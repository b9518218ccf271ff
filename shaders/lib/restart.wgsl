// reset of a world after an error

// resets a world to qpos0, at rest: state, inputs and flags. Derived quantities are computed by the stages that follow. All lanes
// do it together
fn restart() {
    start_world();

    // flags
    for (var k = lane; k < 7; k += LANES) {
        set_warning(k, 0);
    }
    if (lane == 0) {
        set_time(0.0);
        set_rk_stage(0);
        set_overflow(0);
        set_needed(0, 0);
        set_needed(1, 0);
    }
}

// state and inputs of a reset world
fn start_world() {
    // state
    for (var i = lane; i < nq; i += LANES) {
        set_qpos(i, qpos0(i));
    }
    for (var i = lane; i < nv; i += LANES) {
        set_qvel(i, 0.0);
        set_qacc_warmstart(i, 0.0);
        set_qfrc_applied(i, 0.0);
    }
    for (var k = lane; k < na; k += LANES) {
        set_act(k, 0.0);
    }
    for (var k = lane; k < nhistory; k += LANES) {
        set_history(k, history0(k));
    }
    for (var k = lane; k < nplastic; k += LANES) {
        set_plastic(k, plastic0(k));
    }

    // inputs
    for (var k = lane; k < nu; k += LANES) {
        set_ctrl(k, ctrl0(k));
    }
    for (var k = lane; k < neq; k += LANES) {
        set_eq_active(k, eq_active0(k));
    }
    for (var i = lane; i < nbody; i += LANES) {
        set_xfrc_applied(i, Spatial(vec3f(0.0), vec3f(0.0)));
        let mocap = body_mocapid(i);
        if (mocap >= 0) {
            set_mocap_pos(mocap, body_pos(i));
            set_mocap_quat(mocap, body_quat(i));
        }
    }
    for (var k = lane; k < nuserdata; k += LANES) {
        set_userdata(k, 0.0);
    }
    if (SLEEPS) {
        start_sleep();
    }
}

// the sleeping trees of a reset world, and what was read when they fell asleep: as they are in the world that is stored behind the
// model's words
fn start_sleep() {
    for (var t = lane; t < ntree; t += LANES) {
        let sleeper = fresh_tree_asleep(t) >= 0;
        set_tree_asleep(t, fresh_tree_asleep(t));
        set_tree_awake(t, select(1, 0, sleeper));
        let at = positions(t);
        for (var q = at[0]; q < at[1]; q++) {
            set_latent(q, select(0.0, qpos0(q), sleeper));
        }
    }
    for (var b = lane; b < nbody; b += LANES) {
        set_body_awake(b, fresh_body_awake(b));
    }
    for (var k = nq + lane; k < nlatent; k += LANES) {
        set_latent(k, select(fresh_latent(k), 0.0, k < nq + nv));
    }
}

// reaction of a check to a bad world: resets it, its warnings included, unless that is disabled; then counts this warning
fn bad_world(kind: i32, bad: bool) {
    if (bad && (opt_disableflags & DSBL_AUTORESET) == 0) {
        restart();
    }
    team_sync();
    warn(kind, bad);
}

// copies the state that the twin has after a reset and forward dynamics. It is the same for every world of a model: it was
// computed once, and is stored behind the model's words
fn begin_anew(bad: bool) {
    let words = select(0, FRESH_WORDS, bad);
    for (var k = lane; k < words; k += LANES) {
        set_data_word(k, model_word(FRESH + k));
    }
    // a world with its own model values resets to their initial state; the forces of this step are those of the model's values
    if (OWN_MODEL) {
        team_sync();
        if (bad) {
            start_world();
        }
    }
}
