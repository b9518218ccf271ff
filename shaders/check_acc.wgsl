// Reset a world whose qacc is bad (`mj_checkAcc`).

fn mj_check_acc() {
    // is any number NaN or too large
    var found = 0;
    for (var i = lane; i < nv; i += LANES) {
        found += select(0, 1, is_bad(qacc(i)));
    }
    let bad = team_sum_i(found) > 0;

    // reset the world, its warnings included; then count this warning
    bad_world(WARN_BADQACC, bad);

    // forward dynamics of the reset state, from which the step goes on
    team_sync();
    begin_anew(bad && (opt_disableflags & DSBL_AUTORESET) == 0);
}
