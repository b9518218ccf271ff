// Unconstrained acceleration (`mj_fwdAcceleration`).

fn mj_fwd_acceleration() {
    // sum of all forces except constraint forces
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_smooth(i, qfrc_passive(i) - qfrc_bias(i) + qfrc_applied(i) + qfrc_actuator(i));
    }

    // external forces on bodies at their centres of mass, where they are not zero
    var pushed = 0;
    for (var i = 1 + lane; i < nbody; i += LANES) {
        for (var k = 0; k < 6; k++) {
            pushed |= select(0, 1, nonzero(xfrc_applied_at(i, k)));
        }
    }
    if (team_sum_i(pushed) > 0) {
        for (var i = lane; i < nv; i += LANES) {
            var sum = qfrc_smooth(i);
            for (var b = 1; b < nbody; b++) {
                // the table has the force first
                let applied = xfrc_applied(b);
                sum += apply_ft(i, b, xipos(b), applied.rot, applied.lin);
            }
            set_qfrc_smooth(i, sum);
        }
    }
    if (SLEEPS) {
        keep_forces();
    }

    // M qacc = qfrc
    for (var i = lane; i < nv; i += LANES) {
        set_qacc_smooth(i, qfrc_smooth(i));
    }
    team_sync();
    solve_ld<qLD, qLDiagInv, qacc_smooth>();
}
