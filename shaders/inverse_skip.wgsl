// Applied force at a given acceleration (end of `mj_inverseSkip`).

fn mj_inverse_skip() {
    // inertial force minus the forces that are not applied ones
    mul_m<M, qfrc_inverse, qacc>();
    for (var i = lane; i < nv; i += LANES) {
        let given = qfrc_passive(i) + qfrc_constraint(i) - qfrc_bias(i);
        var force = qfrc_inverse(i);
        if (COUPLED) {
            force = add_couplings<qacc>(force, i);
        }
        set_qfrc_inverse(i, force - given);
    }

    // restore the acceleration over a timestep
    if ((opt_enableflags & ENBL_INVDISCRETE) != 0 && opt_integrator != INT_RK4) {
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, inv_qacc(i));
        }
    }
}
