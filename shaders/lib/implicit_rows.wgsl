// rows whose springs and dampers act as at the end of the timestep: with the velocity and the position that the acceleration a of a
// row leads to, its reference `-B vel - K I (pos - margin)` is another one, and it is regularized by `1 + h B + h² K I` less

// stiffness and damping of the stiffest row that a timestep resolves without a rebound, with the damping ratio of a standard solref
fn resolved(imp: f32, ratio: f32) -> vec2f {
    let stiff = 1.0 / (imp * opt_timestep * opt_timestep);
    return vec2f(stiff, 2.0 * ratio * sqrt(stiff));
}

// evaluates every row at the end of the timestep; in_metric: by how much less it moves than by inertia
fn soften(in_metric: bool) {
    for (var r = lane; r < nefc(); r += LANES) {
        // a contact's rows are treated together, at its first row
        var nrow = 1;
        let kind = efc_type(r);
        if (kind == CNSTR_CONTACTPYRAMIDAL || kind == CNSTR_CONTACTELLIPTIC) {
            if (contact_efc_address(efc_id(r)) != r) {
                continue;
            }
            let dim = collision_condim(contact_collision(efc_id(r)));
            nrow = select(dim, 2 * (dim - 1), kind == CNSTR_CONTACTPYRAMIDAL);
        }
        var less = 1.0;
        if (in_metric) {
            less = lighter(r);
        }
        var scale = 1.0;
        for (var k = 0; k < nrow; k++) {
            let own = postpone(r + k);
            scale = select(scale, own, k == 0);
        }

        // keep the impedance below 1: at most `MAXIMP`
        let imp = efc_KBIP(r, 2);
        let least = (1.0 - MAXIMP) / MAXIMP * imp / (1.0 - imp);
        let factor = less * max(1.0 / scale, least);
        for (var k = r; k < r + nrow; k++) {
            regularize(k, max(efc_R(k) * factor, MINVAL));
            // a sticking contact rests where it would without adhesion
            if (nadhesion > 0) {
                set_efc_aref(k, efc_aref(k) + efc_R(k) * adhesion_share(k));
            }
        }
    }
}

// sets the reference of a row at the end of the timestep; returns the divisor of its regularization
fn postpone(r: i32) -> f32 {
    let spring = opt_timestep * efc_KBIP(r, 0) * efc_KBIP(r, 2);
    let scale = 1.0 + opt_timestep * efc_KBIP(r, 1) + opt_timestep * spring;
    set_efc_aref(r, (efc_aref(r) - spring * efc_vel(r)) / scale);
    return scale;
}
