// What the metric adds to the force that an acceleration takes (end of `mj_inverseSkip`).

fn mj_inverse_settle() {
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_inverse(i, qfrc_inverse(i) - efm_c(i));
    }
    hold_dofs();
    for (var i = lane; i < nv && model_rigid; i += LANES) {
        let first = jnt_dofadr(dof_jntid(i));
        if (rigid(i) && is_free(first)) {
            var slope = bias_slope(i);
            var turn = 0.0;
            for (var k = 0; k < 6; k++) {
                turn += slope[k] * qacc(first + k);
            }
            set_qfrc_inverse(i, qfrc_inverse(i) + opt_timestep * turn);
        }
    }
    exchange_metric();
}
