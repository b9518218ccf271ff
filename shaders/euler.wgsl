// Semi-implicit Euler with implicit joint damping (`mj_Euler`).

fn mj_euler() {
    // model_damped: true if joint damping has to be integrated implicitly
    if (model_damped) {
        // M plus the timestep times the damping of the dofs
        for (var k = lane; k < nC; k += LANES) {
            set_qH(k, M(k));
        }
        team_sync();
        for (var i = lane; i < nv; i += LANES) {
            let diag = M_rowadr(i) + M_rownnz(i) - 1;
            set_qH(diag, qH(diag) + opt_timestep * damping_slope(i));
        }
        team_sync();

        // acceleration of the damped system
        let clamped = factor_i<qH, qHDiagInv>();
        warn(WARN_INERTIA, clamped);
        // the sum of the forces is computed as M qacc: the force of a stiff contact is the difference of two large numbers times
        // a large one, of which f32 keeps little, while qacc is accurate to its last bits
        mul_m<M, euler_qacc, qacc>();
        // after a solver that ran out of iterations M qacc differs: there the sum is used
        let ended = solver_niter() >= opt_iterations;
        for (var i = lane; i < nv; i += LANES) {
            set_euler_qacc(i, select(euler_qacc(i), qfrc_smooth(i) + qfrc_constraint(i), ended));
        }
        team_sync();
        solve_ld<qH, qHDiagInv, euler_qacc>();
    } else {
        for (var i = lane; i < nv; i += LANES) {
            set_euler_qacc(i, qacc(i));
        }
    }
    team_sync();

    // advance state and time
    advance<act_dot, euler_qacc, qvel>();
}
