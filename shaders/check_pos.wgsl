// Reset a world whose qpos is bad (`mj_checkPos`).

fn mj_check_pos() {
    // is any number NaN or too large
    var found = 0;
    for (var i = lane; i < nq; i += LANES) {
        found += select(0, 1, is_bad(qpos(i)));
    }
    let bad = team_sum_i(found) > 0;

    // reset the world, its warnings included; then count this warning
    bad_world(WARN_BADQPOS, bad);
}
