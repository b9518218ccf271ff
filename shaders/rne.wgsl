// Bias force (`mj_rne` without acceleration, `mj_tendonBias`).

fn mj_rne() {
    // accelerations at qacc = 0, and the forces for them without gravity, parents first
    if (lane == 0) {
        set_rne_cacc(0, Spatial());
    }
    team_sync();
    for (var level = 1; level < nlevel; level++) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            var acc = rne_cacc(body_parentid(i));
            for (var dof = body_dofadr(i); dof < body_dofadr(i) + body_dofnum(i); dof++) {
                acc = add_scl6(acc, cdof_dot(dof), qvel(dof));
            }
            set_rne_cacc(i, acc);
            let inertia = cinert(i);
            set_rne_cfrc(i, add_scl6(mul_inert_vec(inertia, acc), gyroscopic_force(inertia, cvel(i)), 1.0));
        }
        team_sync();
    }

    // force on subtrees, children before parents; the world body collects none
    for (var level = nlevel - 1; level > 0; level--) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            if (body_childnum(i) > 0) {
                var sum = rne_cfrc(i);
                for (var c = 0; c < body_childnum(i); c++) {
                    sum = add_scl6(sum, rne_cfrc(child_body(body_childadr(i) + c)), 1.0);
                }
                set_rne_cfrc(i, sum);
            }
        }
        team_sync();
    }

    // as generalized forces
    for (var i = lane; i < nv; i += LANES) {
        set_qfrc_bias(i, dot6(cdof(i), rne_cfrc(dof_bodyid(i))) + weight(i));
    }

    // armature of spatial tendons
    for (var t = 0; t < ntendon; t++) {
        if (tendon_armature_all(t) != 0.0 && tendon_type(t) == TENDON_SPATIAL) {
            tendon_bias(t);
        }
    }
}

// a dof's share of the weight of its subtree: how fast it lifts the centre of mass; a sum over the bodies would round each lever
fn weight(i: i32) -> f32 {
    let body = dof_bodyid(i);
    let center = subtree_com(body_rootid(body));
    let lifted = seen_from(cdof(i), subtree_com(body) - center);
    return dot(lifted.lin, world_acceleration().lin) * body_subtreemass(body);
}

// bias force of a tendon's armature: its force at the tendon's acceleration for qacc = 0
fn tendon_bias(t: i32) {
    let acc = tendon_acceleration<rne_cacc>(t);

    // as generalized forces
    let force = acc * tendon_armature_all(t);
    let adr = ten_J_rowadr(t);
    for (var k = adr; k < adr + ten_J_rownnz(t); k++) {
        let i = ten_J_colind(k);
        if (i % LANES == lane) {
            set_qfrc_bias(i, qfrc_bias(i) + ten_J(k) * force);
        }
    }
}
