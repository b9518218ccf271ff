// The step that was solved for (`mj_discrete`).

fn mj_discrete() {
    for (var i = lane; i < nv; i += LANES) {
        set_euler_qacc(i, qacc(i));
    }
    team_sync();
    advance<act_dot, euler_qacc, qvel>();
}
