// Constraint forces at a given acceleration (`mj_invConstraint`).

fn mj_inv_constraint() {
    // force and state of every row, from its residual
    for (var r = lane; r < nefc(); r += LANES) {
        if (is_elliptic(r)) {
            if (is_normal(r)) {
                let c = contact_of(r);
                var x: array<f32, 6>;
                for (var k = 0; k < c.dim; k++) {
                    x[k] = row_dot<qacc>(r + k) - efc_aref(r + k);
                }
                let state = contact_force(c, r, x);
                for (var k = 0; k < c.dim; k++) {
                    set_efc_state(r + k, state);
                }
            }
        } else {
            let row = row_force(r, row_dot<qacc>(r) - efc_aref(r));
            set_efc_force(r, row.force);
            set_efc_state(r, row.state);
        }
    }
    team_sync();

    // as generalized forces
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_constraint(i, force_on(i));
    }
}
