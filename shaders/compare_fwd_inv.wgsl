// Difference of forward and inverse dynamics (`mj_compareFwdInv`).

fn mj_compare_fwd_inv() {
    let after = fwdinv_stage();
    var constraint = 0.0;
    var applied = 0.0;
    if (after == 0) {
        // keep the constraint forces of forward dynamics
        for (var i = lane; i < nv; i += LANES) {
            set_fwdinv_qfrc(i, qfrc_constraint(i));
        }
        for (var r = lane; r < nefc(); r += LANES) {
            set_fwdinv_force(r, efc_force(r));
        }
    } else {
        // norms of the differences
        for (var i = lane; i < nv; i += LANES) {
            var x = fwdinv_qfrc(i) - qfrc_constraint(i);
            constraint += x * x;
            let force = qfrc_smooth(i) - qfrc_passive(i) + qfrc_bias(i);
            x = force - qfrc_inverse(i);
            applied += x * x;
        }

        // restore the constraint forces of forward dynamics
        for (var i = lane; i < nv; i += LANES) {
            set_qfrc_constraint(i, fwdinv_qfrc(i));
        }
        for (var r = lane; r < nefc(); r += LANES) {
            set_efc_force(r, fwdinv_force(r));
        }
    }
    // every lane has read fwdinv_stage: the sums are barriers
    let lengths = vec2f(sqrt(team_sum(constraint)), sqrt(team_sum(applied)));
    if (lane == 0) {
        if (after != 0) {
            set_solver_fwdinv(0, select(0.0, lengths[0], nefc() > 0));
            set_solver_fwdinv(1, select(0.0, lengths[1], nefc() > 0));
        }
        set_fwdinv_stage(1 - after);
    }
}
