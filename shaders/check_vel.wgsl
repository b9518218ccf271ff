// Reset a world whose qvel is bad (`mj_checkVel`).

fn mj_check_vel() {
    // is any number NaN or too large
    var found = 0;
    for (var i = lane; i < nv; i += LANES) {
        found += select(0, 1, is_bad(qvel(i)));
    }
    let bad = team_sum_i(found) > 0;

    // reset the world, its warnings included; then count this warning
    bad_world(WARN_BADQVEL, bad);
}
