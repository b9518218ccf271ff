// Integrators implicit in the velocity (`mj_implicit`).

fn mj_implicit() {
    // right-hand side: smooth and constraint forces
    mul_m<M, implicit_qfrc, qacc>();
    // the sum of the forces is computed as M qacc, unless the solver ran out of iterations, as in euler.wgsl
    let ended = solver_niter() >= opt_iterations;
    for (var i = lane; i < nv; i += LANES) {
        set_implicit_qfrc(i, select(implicit_qfrc(i), qfrc_smooth(i) + qfrc_constraint(i), ended));
        set_implicit_qacc(i, implicit_qfrc(i));
    }

    if (opt_integrator == INT_IMPLICIT) {
        // M - h D
        for (var i = lane; i < nv; i += LANES) {
            less_slope(i);
        }
        team_sync();
        warn(WARN_INERTIA, factor_lu<qLU>(false));
        solve_lu<qLU, implicit_qacc>(false);
    } else {
        // m - h D without the derivative of the bias force, symmetric
        for (var i = lane; i < nv; i += LANES) {
            less_symmetric_slope(i);
        }
        team_sync();
        warn(WARN_INERTIA, factor_i<qH, qHDiagInv>());
        solve_ld<qH, qHDiagInv, implicit_qacc>();

        // a free rigid body has the derivative of its bias force as well: its dofs are a separate system
        if (model_rigid) {
            for (var i = lane; i < nv; i += LANES) {
                if (rigid(i)) {
                    less_slope(i);
                    add_bias(i);
                    set_implicit_qacc(i, implicit_qfrc(i));
                }
            }
            team_sync();
            warn(WARN_INERTIA, factor_lu<qLU>(true));
            solve_lu<qLU, implicit_qacc>(true);
        }
    }
    team_sync();

    // advance state and time
    advance<act_dot, implicit_qacc, qvel>();
}
