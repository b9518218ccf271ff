// Poses of cameras and lights (`mj_camlight`).

fn mj_camlight() {
    // cameras
    for (var i = lane; i < ncam; i += LANES) {
        let body = cam_bodyid(i);
        let mode = cam_mode(i);
        let pose = local2global(body, SAMEFRAME_NONE, cam_pos(i), cam_quat(i));
        var pos = pose.pos;
        var mat = pose.mat;
        if (mode == CAMLIGHT_TRACK || mode == CAMLIGHT_TRACKCOM) {
            // track modes: the orientation stays, the position follows
            mat = cam_mat0(i);
            if (mode == CAMLIGHT_TRACK) {
                pos = xpos(body) + cam_pos0(i);
            } else {
                pos = subtree_com(body) + cam_poscom0(i);
            }
        } else if (has_target(mode, cam_targetbodyid(i))) {
            // target modes: -z of the camera points at the target, its x axis is level
            let z = normalize3(pos - target_pos(mode, cam_targetbodyid(i))).xyz;
            let x = normalize3(cross(vec3f(0.0, 0.0, 1.0), z)).xyz;
            let y = normalize3(cross(z, x)).xyz;
            mat = mat3x3f(x, y, z);
        }
        set_cam_xpos(i, pos);
        set_cam_xmat(i, mat);
    }

    // lights
    for (var i = lane; i < nlight; i += LANES) {
        let body = light_bodyid(i);
        let mode = light_mode(i);
        var pos = xpos(body) + xmat(body) * light_pos(i);
        var dir = rot_vec_quat(light_dir(i), xquat(body));
        if (mode == CAMLIGHT_TRACK || mode == CAMLIGHT_TRACKCOM) {
            // track modes: the direction stays, the position follows
            dir = light_dir0(i);
            if (mode == CAMLIGHT_TRACK) {
                pos = xpos(body) + light_pos0(i);
            } else {
                pos = subtree_com(body) + light_poscom0(i);
            }
        } else if (has_target(mode, light_targetbodyid(i))) {
            // target modes: the light shines at the target
            dir = target_pos(mode, light_targetbodyid(i)) - pos;
        }
        set_light_xpos(i, pos);
        set_light_xdir(i, normalize3(dir).xyz);
    }
}

// position of the target of a camera or light; none in modes without a target
fn has_target(mode: i32, body: i32) -> bool {
    return body >= 0 && (mode == CAMLIGHT_TARGETBODY || mode == CAMLIGHT_TARGETBODYCOM);
}

fn target_pos(mode: i32, body: i32) -> vec3f {
    if (mode == CAMLIGHT_TARGETBODY) {
        return xpos(body);
    }
    return subtree_com(body);
}
