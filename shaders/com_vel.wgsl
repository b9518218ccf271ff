// Cvel, cdof_dot (`mj_comVel`).

fn mj_com_vel() {
    // the world does not move
    if (lane == 0) {
        set_cvel(0, Spatial(vec3f(0.0), vec3f(0.0)));
    }
    team_sync();

    // bodies, parents first
    for (var level = 1; level < nlevel; level++) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            set_cvel(i, moved_body(i));
        }
        team_sync();
    }
}

// velocity of a body: its parent's, plus the motion of each of its joints
fn moved_body(i: i32) -> Spatial {
    var vel = cvel(body_parentid(i));
    let num = body_dofnum(i);
    var adr = body_dofadr(i);
    let end = adr + num;
    while (num > 0 && adr < end) {
        let type_ = jnt_type(dof_jntid(adr));

        // translations of a free joint are along axes that do not turn
        if (type_ == JNT_FREE) {
            for (var k = 0; k < 3; k++) {
                set_cdof_dot(adr + k, Spatial(vec3f(0.0), vec3f(0.0)));
                vel = add_scl6(vel, cdof(adr + k), qvel(adr + k));
            }
            adr += 3;
        }

        // axes rotate with the motion of the dofs before them: three at once in a ball, else one
        let ndof = select(1, 3, type_ == JNT_FREE || type_ == JNT_BALL);
        for (var k = 0; k < ndof; k++) {
            set_cdof_dot(adr + k, cross_motion(vel, cdof(adr + k)));
        }
        for (var k = 0; k < ndof; k++) {
            vel = add_scl6(vel, cdof(adr + k), qvel(adr + k));
        }
        adr += ndof;
    }
    return vel;
}
