// free and rigid bodies in a discrete step: those that no row holds feel their gyroscopic force as it is at the end of the timestep

// which dofs some row moves: more than 0. Known where a body is free and rigid
fn hold_dofs() {
    for (var i = lane; i < nv && model_rigid; i += LANES) {
        var held = 0.0;
        for (var r = 0; r < nefc(); r++) {
            if (place_in(efc_Jpat(r), i) >= 0) {
                held += efc_D(r);
            }
        }
        // springs, dampers and servos that couple its dofs hold a body as well
        if (COUPLED) {
            held += efm_bound(i);
        }
        set_efm_held(i, held);
    }
    team_sync();
}

// true for the first dof of a body that is free and rigid
fn begins_free(i: i32) -> bool {
    return rigid(i) && jnt_dofadr(dof_jntid(i)) == i;
}

// true where no row moves the body of this first dof
fn is_free(first: i32) -> bool {
    var held = 0.0;
    for (var i = first; i < first + 6; i++) {
        held += efm_held(i);
    }
    return held <= 0.0;
}
