// The metric of a discrete step in the place of M (`mj_effActuation`).

fn mj_metric() {
    build_metric();

    // unconstrained acceleration over the timestep
    for (var i = lane; i < nv; i += LANES) {
        set_efm_qfrc(i, qfrc_smooth(i));
        set_qfrc_smooth(i, qfrc_smooth(i) + efm_c(i));
        set_qacc_smooth(i, qfrc_smooth(i));
    }
    team_sync();
    solve_metric<qacc_smooth>();
}
