// Poses of bodies, geoms, sites, joint axes (`mj_kinematics`).

struct Pose {
    pos: vec3f,
    quat: vec4f,
}

fn mj_kinematics() {
    if (SLEEPS) {
        wake();
    }
    // the world does not move
    if (lane == 0) {
        set_xpos(0, vec3f(0.0));
        set_xquat(0, vec4f(1.0, 0.0, 0.0, 0.0));
        set_xmat(0, unit_mat3());
        set_xipos(0, vec3f(0.0));
        set_ximat(0, unit_mat3());
    }
    team_sync();

    // bodies, parents first
    for (var level = 1; level < nlevel; level++) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            let free = body_jntnum(i) == 1 && jnt_type(max(body_jntadr(i), 0)) == JNT_FREE;
            var pose: Pose;
            if (free) {
                pose = free_body(i);
            } else {
                pose = jointed_body(i);
            }
            let quat = normalize4(pose.quat);
            set_xpos(i, pose.pos);
            set_xquat(i, quat);
            set_xmat(i, quat2mat(quat));
        }
        team_sync();
    }

    // inertial frames
    for (var i = 1 + lane; i < nbody; i += LANES) {
        let place = local2global(i, body_sameframe(i), body_ipos(i), body_iquat(i));
        set_xipos(i, place.pos);
        set_ximat(i, place.mat);
    }
    team_sync();

    // geoms
    for (var i = lane; i < ngeom; i += LANES) {
        let place = local2global(geom_bodyid(i), geom_sameframe(i), geom_pos(i), geom_quat(i));
        set_geom_xpos(i, place.pos);
        set_geom_xmat(i, place.mat);
    }

    // sites
    for (var i = lane; i < nsite; i += LANES) {
        let place = local2global(site_bodyid(i), site_sameframe(i), site_pos(i), site_quat(i));
        set_site_xpos(i, place.pos);
        set_site_xmat(i, place.mat);
    }
}

// a free body has the pose in its joint's coordinates
fn free_body(i: i32) -> Pose {
    let j = body_jntadr(i);
    let adr = jnt_qposadr(j);
    let pos = vec3f(qpos(adr), qpos(adr + 1), qpos(adr + 2));
    set_xanchor(j, pos);
    set_xaxis(j, vec3f(0.0, 0.0, 1.0));
    return Pose(pos, vec4f(qpos(adr + 3), qpos(adr + 4), qpos(adr + 5), qpos(adr + 6)));
}

// any other body starts at its pose in the parent and is moved by its joints, one after the other
fn jointed_body(i: i32) -> Pose {
    // pose in the parent: the model's, or the mocap body's
    let p = body_parentid(i);
    let mocap = body_mocapid(i);
    var local = Pose(body_pos(i), body_quat(i));
    if (mocap >= 0) {
        local = Pose(mocap_pos(mocap), normalize4(mocap_quat(mocap)));
    }
    var pos = xpos(p) + xmat(p) * local.pos;
    var quat = mul_quat(xquat(p), local.quat);

    for (var k = 0; k < body_jntnum(i); k++) {
        let j = body_jntadr(i) + k;
        let adr = jnt_qposadr(j);
        let type_ = jnt_type(j);

        // axis and anchor before this joint moves
        let local_axis = jnt_axis(j);
        let local_anchor = jnt_pos(j);
        let axis = rot_vec_quat(local_axis, quat);
        let anchor = pos + rot_vec_quat(local_anchor, quat);
        set_xaxis(j, axis);
        set_xanchor(j, anchor);

        if (type_ == JNT_SLIDE) {
            // translation along the axis
            pos += axis * (qpos(adr) - qpos0(adr));
        } else {
            // rotation about the anchor
            var turn: vec4f;
            if (type_ == JNT_BALL) {
                turn = normalize4(vec4f(qpos(adr), qpos(adr + 1), qpos(adr + 2), qpos(adr + 3)));
            } else {
                turn = axis_angle2quat(local_axis, qpos(adr) - qpos0(adr));
            }
            quat = mul_quat(quat, turn);
            pos = anchor - rot_vec_quat(local_anchor, quat);
        }
    }
    return Pose(pos, quat);
}
