// Instantaneous acceleration from that over a timestep (`mj_discreteAcc`).

fn mj_discrete_acc() {
    // keep the given acceleration
    for (var i = lane; i < nv; i += LANES) {
        set_inv_qacc(i, qacc(i));
    }
    team_sync();

    if (opt_integrator == INT_IMPLICIT) {
        // (M - h D) times the given acceleration
        for (var i = lane; i < nv; i += LANES) {
            less_slope(i);
            set_qacc(i, mul_d_row<qLU, inv_qacc>(i));
        }
    } else if (opt_integrator == INT_IMPLICITFAST) {
        // m - h D without the derivative of the bias force, symmetric
        for (var i = lane; i < nv; i += LANES) {
            less_symmetric_slope(i);
        }
        team_sync();
        mul_m<qH, qacc, inv_qacc>();

        // a free rigid body has the derivative of its bias force as well
        for (var i = lane; i < nv; i += LANES) {
            if (rigid(i)) {
                less_slope(i);
                add_bias(i);
                set_qacc(i, mul_d_row<qLU, inv_qacc>(i));
            }
        }
    } else if (model_damped) {
        // M plus the timestep times the damping of the dofs
        mul_m<M, qacc, inv_qacc>();
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, qacc(i) + opt_timestep * damping_slope(i) * inv_qacc(i));
        }
    } else {
        return;
    }
    team_sync();

    // instantaneous acceleration of this force
    solve_ld<qLD, qLDiagInv, qacc>();
}
