// Reset a world whose qacc is bad (`mj_checkAcc`).

fn mj_check_acc() {
    // is any number bad
    var found = 0;
    for (var i = lane; i < nv; i += LANES) {
        found += select(0, 1, is_bad(qacc(i)));
    }
    let bad = team_sum_i(found) > 0;

    // start again, warnings included; then count this one
    bad_world(WARN_BADQACC, bad);

    // the new start stands still for the rest of this step, whose accelerations were those of the old state
    if (bad && (opt_disableflags & DSBL_AUTORESET) == 0) {
        for (var i = lane; i < nv; i += LANES) {
            set_qacc(i, 0.0);
            set_qfrc_smooth(i, 0.0);
            set_qfrc_constraint(i, 0.0);
        }
        for (var k = lane; k < na; k += LANES) {
            set_act_dot(k, 0.0);
        }
    }
}
