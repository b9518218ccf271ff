// Velocity and reference acceleration of rows (`mj_referenceConstraint`).

fn mj_reference_constraint() {
    for (var r = lane; r < nefc(); r += LANES) {
        // vel = J qvel
        let pattern = efc_Jpat(r);
        let adr = Jpat_adr(pattern);
        var vel = 0.0;
        for (var k = 0; k < Jpat_num(pattern); k++) {
            vel += efc_J(r, k) * qvel(Jpat_dof(adr + k));
        }
        set_efc_vel(r, vel);

        // aref = - B vel - K I (pos - margin)
        let spring = efc_KBIP(r, 0) * efc_KBIP(r, 2) * (efc_pos(r) - efc_margin(r));
        set_efc_aref(r, -efc_KBIP(r, 1) * vel - spring);
    }
}
