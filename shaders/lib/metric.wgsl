// the metric in which a discrete step is solved for, `M + h D + h² K`: inertia, with the share of dampers D and springs K in a timestep h. While the
// solver works, the metric and its factor stand in the places of M, qLD and qLDiagInv, and qfrc_smooth includes the change of the springs' forces as
// they move; `settle` puts everything back where it was. Every lane of the team must call these functions, unless they are of one joint or row. A
// row of the metric belongs to the lane of its dof

// the metric and its factor in the places of M and its own, and rows in it
fn build_metric() {
    // inertia, springs, dampers and drag; factor of the metric
    for (var k = lane; k < nC; k += LANES) {
        set_efm_M(k, M(k));
    }
    for (var i = lane; i < nv; i += LANES) {
        set_efm_c(i, 0.0);
    }
    if (COUPLED) {
        for (var k = lane; k < nefmK; k += LANES) {
            set_efm_K_val(k, 0.0);
        }
        for (var i = lane; i < nv; i += LANES) {
            set_efm_bound(i, 0.0);
        }
    }
    team_sync();
    stiffen_joints();
    less_drag();
    if (opt_solver != SOL_PGS) {
        for (var t = 0; t < ntendon; t++) {
            stiffen_tendon(t);
        }
        stiffen_actuators();
    }
    if (COUPLED && nflex > 0) {
        stiffen_flexes();
        if (model_penalties) {
            stiffen_contacts();
        }
    }
    team_sync();
    for (var k = lane; k < nC; k += LANES) {
        set_qH(k, efm_M(k));
    }
    team_sync();
    if (COUPLED) {
        add_own_couplings();
    }
    warn(WARN_INERTIA, factor_i<qH, qHDiagInv>());
    if (COUPLED) {
        factor_metric();
    }

    // evaluate the rows at the end of the timestep, like springs and dampers
    if ((opt_enableflags & ENBL_DIAGEXACT) != 0) {
        exchange_metric();
        exact_rows();
        soften(false);
    } else {
        soften(true);
        team_sync();
        exchange_metric();
    }
}

// exchanges M and the metric, and their factors
fn exchange_metric() {
    for (var k = lane; k < nC; k += LANES) {
        let inertia = M(k);
        set_M(k, efm_M(k));
        set_efm_M(k, inertia);
        let factor = qLD(k);
        set_qLD(k, qH(k));
        set_qH(k, factor);
    }
    for (var i = lane; i < nv; i += LANES) {
        let inv = qLDiagInv(i);
        set_qLDiagInv(i, qHDiagInv(i));
        set_qHDiagInv(i, inv);
    }
    team_sync();
}

fn on_diagonal(i: i32) -> i32 {
    return M_rowadr(i) + M_rownnz(i) - 1;
}

// springs and dampers of joints: each acts on its own dofs
fn stiffen_joints() {
    if ((opt_disableflags & DSBL_SPRING) == 0) {
        for (var j = lane; j < njnt; j += LANES) {
            stiffen_joint(j);
        }
        team_sync();
    }
    if ((opt_disableflags & DSBL_DAMPER) == 0) {
        for (var i = lane; i < nv; i += LANES) {
            let at = on_diagonal(i);
            set_efm_M(at, efm_M(at) + opt_timestep * max(damping_slope(i), 0.0));
        }
        team_sync();
    }
}

fn stiffen_joint(j: i32) {
    let linear = jnt_stiffness(j);
    let poly = vec2f(jnt_stiffnesspoly(j, 0), jnt_stiffnesspoly(j, 1));
    if (linear == 0.0 && all(poly == vec2f(0.0))) {
        return;
    }
    var padr = jnt_qposadr(j);
    var dadr = jnt_dofadr(j);
    let type_ = jnt_type(j);
    if (type_ == JNT_SLIDE || type_ == JNT_HINGE) {
        let x = qpos(padr) - joint_rest(j, 0);
        stiffen(dadr, max(poly_force_slope(linear, poly, x, false), 0.0));
        return;
    }

    // three coordinates: the stiffness at their distance from rest
    var rest = 0;
    if (type_ == JNT_FREE) {
        let x = vec3f(qpos(padr) - joint_rest(j, 0), qpos(padr + 1) - joint_rest(j, 1), qpos(padr + 2) - joint_rest(j, 2));
        let firm = max(poly_force_slope(linear, poly, length(x), false), 0.0);
        for (var k = 0; k < 3; k++) {
            stiffen(dadr + k, firm);
        }
        padr += 3;
        dadr += 3;
        rest = 3;
    }
    let quat = normalize4(vec4f(qpos(padr), qpos(padr + 1), qpos(padr + 2), qpos(padr + 3)));
    let at_rest = vec4f(joint_rest(j, rest), joint_rest(j, rest + 1), joint_rest(j, rest + 2), joint_rest(j, rest + 3));
    let firm = max(poly_force_slope(linear, poly, length(sub_quat(quat, at_rest)), false), 0.0);
    for (var k = 0; k < 3; k++) {
        stiffen(dadr + k, firm);
    }
}

// a spring of one dof
fn stiffen(i: i32, firm: f32) {
    let at = on_diagonal(i);
    set_efm_M(at, efm_M(at) + opt_timestep * opt_timestep * firm);
    set_efm_c(i, efm_c(i) - opt_timestep * firm * qvel(i));
}

fn stiffen_tendon(t: i32) {
    var firm = 0.0;
    if ((opt_disableflags & DSBL_SPRING) == 0) {
        let poly = vec2f(tendon_stiffnesspoly(t, 0), tendon_stiffnesspoly(t, 1));
        let len = ten_length(t);
        let rest = rest_length(t);
        let x = select(select(0.0, len - rest.x, len < rest.x), len - rest.y, rest.y < len);
        firm = select(0.0, max(poly_force_slope(tendon_stiffness(t), poly, x, false), 0.0), x != 0.0);
    }
    var damp = 0.0;
    if ((opt_disableflags & DSBL_DAMPER) == 0) {
        let poly = vec2f(tendon_dampingpoly_all(t, 0), tendon_dampingpoly_all(t, 1));
        damp = max(poly_force_slope(tendon_damping_all(t), poly, ten_velocity(t), true), 0.0);
    }
    if (firm != 0.0 || damp != 0.0) {
        resist_along<ten_J_colind, ten_J>(ten_J_rowadr(t), ten_J_rownnz(t), ten_velocity(t), firm, damp);
    }
}

// adds a spring and a damper along a coordinate with this Jacobian and this velocity
fn resist_along<dofs, moves>(adr: i32, num: i32, velocity: f32, firm: f32, damp: f32) {
    let weight = opt_timestep * opt_timestep * firm + opt_timestep * damp;
    for (var k = 0; k < num; k++) {
        let i = dofs(adr + k);
        let own = moves(adr + k);
        if (i % LANES == lane) {
            set_efm_c(i, efm_c(i) - opt_timestep * firm * velocity * own);
            if (COUPLED) {
                set_efm_bound(i, efm_bound(i) + weight);
            }
        }
        for (var l = 0; l <= k; l++) {
            let product = own * moves(adr + l);
            couple(i, dofs(adr + l), weight * product);
        }
    }
}

fn stiffen_actuators() {
    if (nactuator == 0 || (opt_disableflags & DSBL_ACTUATION) != 0) {
        return;
    }
    let bad = bad_ctrl();
    for (var i = 0; i < nactuator; i++) {
        if (actuator_disabled(i) || saturated(i)) {
            continue;
        }
        let damp = max(-force_slope(i, bad), 0.0);
        let firm = max(-length_slope(i, bad), 0.0);
        let first = actuator_outadr(i);
        for (var r = first; r < first + actuator_outnum(i); r++) {
            resist_along<moment_colind, actuator_moment>(moment_rowadr(r), moment_rownnz(r), actuator_velocity(r), firm, damp);
        }
    }
}

// adds to the entry of two dofs. Where the metric has couplings beyond M's sparsity, all that lines couple is there, since M's
// sparsity then holds only what the solvers of the dual problem and the exact diagonal take
fn couple(i: i32, j: i32, x: f32) {
    let low = min(i, j);
    let high = max(i, j);
    if (COUPLED && low != high) {
        if (high % LANES == lane) {
            let k = coupling(low, high);
            if (k >= 0) {
                set_efm_K_val(k, efm_K_val(k) + x);
            }
        }
        return;
    }
    if (high % LANES == lane && ancestor(low, high)) {
        let at = m_address(low, high);
        if (at >= 0) {
            set_efm_M(at, efm_M(at) + x);
        }
    }
}

// ratio of a row's response in the metric to its response by inertia, from the diagonals of both
fn lighter(r: i32) -> f32 {
    var bare = 0.0;
    var firm = 0.0;
    let pattern = efc_Jpat(r);
    let first = pattern_adr(pattern);
    for (var k = 0; k < pattern_num(pattern); k++) {
        let at = on_diagonal(pattern_dof(first + k));
        let x = efc_J(r, k);
        bare += x * x / M(at);
        firm += x * x / efm_M(at);
    }
    return select(1.0, firm / bare, bare > 0.0);
}
