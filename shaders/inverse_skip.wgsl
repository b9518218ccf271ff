// Applied force that an acceleration takes (end of `mj_inverseSkip`).

fn mj_inverse_skip() {
    // inertia, less what is given without being applied
    mul_m<M, qfrc_inverse, qacc>();
    for (var i = lane; i < nv; i += LANES) {
        let given = qfrc_passive(i) + qfrc_constraint(i) - qfrc_bias(i);
        set_qfrc_inverse(i, qfrc_inverse(i) - given);
    }

    // the acceleration over a timestep comes back
    if ((opt_enableflags & ENBL_INVDISCRETE) != 0 && opt_integrator != INT_RK4) {
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, inv_qacc(i));
        }
    }
}
