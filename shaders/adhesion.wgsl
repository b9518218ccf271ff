// Adhesion forces of contacts (part of `mj_passive`).

fn mj_adhesion() {
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_adhesion(i, 0.0);
    }

    // no passive forces if springs and dampers are both disabled
    if ((opt_disableflags & DSBL_SPRING) != 0 && (opt_disableflags & DSBL_DAMPER) != 0) {
        return;
    }
    for (var r = 0; r < nefc(); r++) {
        let pull = adhesion_share(r);
        if (pull == 0.0) {
            continue;
        }
        let pattern = efc_Jpat(r);
        let adr = pattern_adr(pattern);
        for (var k = 0; k < pattern_num(pattern); k++) {
            let i = pattern_dof(adr + k);
            if (i % LANES == lane) {
                set_qfrc_adhesion(i, qfrc_adhesion(i) - efc_J(r, k) * pull);
            }
        }
    }
}
