// the diagonal of A as it is, J inv(M) J' of each row, in the place of an estimate

// the diagonal of A as it is, and the regularization that follows from it
fn exact_rows() {
    for (var r = lane; r < nefc(); r += LANES) {
        let kind = efc_type(r);
        let of_cone = kind == CNSTR_CONTACTPYRAMIDAL || kind == CNSTR_CONTACTELLIPTIC;
        if (of_cone && contact_efc_address(efc_id(r)) != r) {
            continue;
        }

        // diagonal of A, and R from it and the impedance
        let diag = unit_response(r);
        let imp = efc_KBIP(r, 2);
        let reg = max((1.0 - imp) * diag / imp, MINVAL);

        // a contact's rows are treated together, at its first row
        if (kind == CNSTR_CONTACTPYRAMIDAL) {
            regularize_pyramid(r, reg);
        } else if (kind == CNSTR_CONTACTELLIPTIC) {
            regularize_cone(r, reg);
        } else {
            regularize(r, reg);
        }
    }
}

// all edges of a pyramid get the R that gives the friction impedance of the elliptic cone
fn regularize_pyramid(first: i32, reg: f32) {
    let k = contact_collision(efc_id(first));
    let slide = collision_friction(k, 0);
    let share = 2.0 * (slide * slide / max(opt_impratio, MINVAL));
    for (var e = 0; e < 2 * (collision_condim(k) - 1); e++) {
        regularize(first + e, reg * share);
    }
}

// R of the normal row, and of each friction row from its friction coefficient
fn regularize_cone(first: i32, reg: f32) {
    let k = contact_collision(efc_id(first));
    regularize(first, reg);
    for (var e = 1; e < collision_condim(k); e++) {
        let ratio = collision_friction(k, 0) / collision_friction(k, e - 1);
        regularize(first + e, reg / max(opt_impratio, MINVAL) * (ratio * ratio));
    }
}

// sets R, its inverse D, and the corresponding diagonal of A
fn regularize(r: i32, reg: f32) {
    let imp = efc_KBIP(r, 2);
    set_efc_R(r, reg);
    set_efc_D(r, 1.0 / reg);
    set_efc_diagA(r, reg * imp / (1.0 - imp));
}

// acceleration of a row per unit of its force, J inv(M) J': the squared norm of a half solve
fn unit_response(r: i32) -> f32 {
    var x: array<f32, nv + 1>;
    for (var i = 0; i < nv; i++) {
        x[i] = 0.0;
    }
    let pattern = efc_Jpat(r);
    let first = pattern_adr(pattern);
    for (var k = 0; k < pattern_num(pattern); k++) {
        x[pattern_dof(first + k)] = efc_J(r, k);
    }
    var sum = 0.0;
    for (var i = nv - 1; i >= 0; i--) {
        let adr = M_rowadr(i);
        let xi = x[i];
        for (var a = 0; a < M_rownnz(i) - 1; a++) {
            let j = M_colind(adr + a);
            x[j] -= qLD(adr + a) * xi;
        }
        sum += xi * xi * qLDiagInv(i);
    }
    return sum;
}
