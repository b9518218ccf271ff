// Acceleration of an instant from that over a timestep (`mj_discreteAcc`).

fn mj_discrete_acc() {
    // what was given is kept
    for (var i = lane; i < nv; i += LANES) {
        set_inv_qacc(i, qacc(i));
    }
    team_sync();

    if (opt_integrator == INT_IMPLICIT) {
        // M less the slope over a timestep, times what was given
        for (var i = lane; i < nv; i += LANES) {
            less_slope(i);
            set_qacc(i, mul_d_row<qLU, inv_qacc>(i));
        }
    } else if (opt_integrator == INT_IMPLICITFAST) {
        // the same without the bias force, symmetric
        for (var i = lane; i < nv; i += LANES) {
            less_symmetric_slope(i);
        }
        team_sync();
        mul_m<qH, qacc, inv_qacc>();

        // a body that is free and rigid gets its bias force as well
        for (var i = lane; i < nv; i += LANES) {
            if (rigid(i)) {
                less_slope(i);
                add_bias(i);
                set_qacc(i, mul_d_row<qLU, inv_qacc>(i));
            }
        }
    } else if (model_damped) {
        // M with the slope of the damping over a timestep
        mul_m<M, qacc, inv_qacc>();
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, qacc(i) + opt_timestep * damping_slope(i) * inv_qacc(i));
        }
    } else {
        return;
    }
    team_sync();

    // the acceleration that this force gives at once
    solve_ld<qLD, qLDiagInv, qacc>();
}
