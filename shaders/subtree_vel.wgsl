// Linear velocity and angular momentum of subtrees (`mj_subtreeVel`).

fn mj_subtree_vel() {
    // momentum, children before parents, then velocity
    for (var level = nlevel - 1; level >= 0; level--) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            var momentum = object_velocity(OBJ_BODY, i).lin * body_mass(i);
            for (var c = 0; c < body_childnum(i); c++) {
                let child = child_body(body_childadr(i) + c);
                momentum += subtree_linvel(child) * max(body_subtreemass(child), MINVAL);
            }
            set_subtree_linvel(i, momentum / max(body_subtreemass(i), MINVAL));
        }
        team_sync();
    }

    // angular momentum, children before parents: of the body itself, and of subtrees about the parent's centre of mass
    for (var level = nlevel - 1; level >= 0; level--) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            var sum = body_angmom(i);
            for (var c = 0; c < body_childnum(i); c++) {
                let child = child_body(body_childadr(i) + c);
                let arm = subtree_com(child) - subtree_com(i);
                let vel = subtree_linvel(child) - subtree_linvel(i);
                sum += subtree_angmom(child) + cross(arm, vel) * body_subtreemass(child);
            }
            set_subtree_angmom(i, sum);
        }
        team_sync();
    }
}

// angular momentum of a body about the centre of mass of its subtree
fn body_angmom(i: i32) -> vec3f {
    let vel = object_velocity(OBJ_BODY, i);
    let mat = ximat(i);
    let own = mat * (body_inertia(i) * (transpose(mat) * vel.rot));
    if (i == 0) {
        return own;
    }
    return own + cross(xipos(i) - subtree_com(i), vel.lin - subtree_linvel(i)) * body_mass(i);
}
