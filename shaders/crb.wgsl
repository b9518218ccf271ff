// Composite inertia and M (`mj_makeM`: `mj_crb`, `mj_tendonArmature`).

fn mj_crb() {
    // inertia of subtrees, children before parents; the world body collects none
    for (var level = nlevel - 1; level >= 0; level--) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            var sum = cinert(i);
            for (var c = 0; i > 0 && c < body_childnum(i); c++) {
                sum = add_inert(sum, crb(child_body(body_childadr(i) + c)));
            }
            set_crb(i, sum);
        }
        team_sync();
    }

    // a row for every dof: force that moves the subtree along the dof, projected on the dof and its ancestors
    for (var i = lane; i < nv; i += LANES) {
        let adr = M_rowadr(i);
        let num = M_rownnz(i);
        // constant inertia of simple bodies
        if (dof_simplenum(i) > 0) {
            set_M(adr, dof_M0(i));
            continue;
        }
        let force = mul_inert_vec(crb(dof_bodyid(i)), cdof(i));
        for (var a = 0; a < num - 1; a++) {
            set_M(adr + a, dot6(cdof(M_colind(adr + a)), force));
        }
        set_M(adr + num - 1, dot6(cdof(i), force) + dof_armature_all(i));
    }

    // inertia of tendons, among dofs of one chain
    for (var i = lane; i < nv && ntendon > 0; i += LANES) {
        for (var t = 0; t < ntendon; t++) {
            if (tendon_armature_all(t) != 0.0) {
                tendon_armature_row(t, i);
            }
        }
    }
}

// contribution of a tendon's armature to the row of one dof
fn tendon_armature_row(t: i32, i: i32) {
    let adr = ten_J_rowadr(t);
    let num = ten_J_rownnz(t);
    var a = 0;
    while (a < num && ten_J_colind(adr + a) < i) {
        a++;
    }
    if (a == num || ten_J_colind(adr + a) != i) {
        return;
    }
    let scale = tendon_armature_all(t) * ten_J(adr + a);
    let row = M_rowadr(i);
    var b = 0;
    // both index lists ascend: advance them together
    for (var k = row; k < row + M_rownnz(i); k++) {
        while (b < num && ten_J_colind(adr + b) < M_colind(k)) {
            b++;
        }
        if (b < num && ten_J_colind(adr + b) == M_colind(k)) {
            set_M(k, M(k) + scale * ten_J(adr + b));
        }
    }
}
