// Subtree centres of mass, cinert, cdof (`mj_comPos`).

fn mj_com_pos() {
    // mass times position, children before parents
    for (var level = nlevel - 1; level >= 0; level--) {
        for (var k = lane; k < level_num(level); k += LANES) {
            let i = level_body(level_adr(level) + k);
            var moment = vec3f(0.0);
            for (var c = 0; c < body_childnum(i); c++) {
                moment += subtree_com(child_body(body_childadr(i) + c));
            }
            set_subtree_com(i, moment + xipos(i) * body_mass(i));
        }
        team_sync();
    }

    // a subtree without mass, or of one body, has its body's centre of mass
    for (var i = lane; i < nbody; i += LANES) {
        let mass = body_subtreemass(i);
        if (mass < MINVAL || body_childnum(i) == 0) {
            set_subtree_com(i, xipos(i));
        } else {
            set_subtree_com(i, subtree_com(i) * (1.0 / mass));
        }
    }
    team_sync();

    // inertia of bodies about the centre of mass of their tree
    for (var i = lane; i < nbody; i += LANES) {
        if (i == 0) {
            set_cinert(0, Inert(vec3f(0.0), vec3f(0.0), vec3f(0.0), 0.0));
        } else {
            let offset = xipos(i) - subtree_com(body_rootid(i));
            set_cinert(i, inert_com(body_inertia(i), ximat(i), offset, body_mass(i)));
        }
    }

    // motion axes of dofs about the centre of mass of their tree
    for (var j = lane; j < njnt; j += LANES) {
        let i = jnt_bodyid(j);
        let offset = subtree_com(body_rootid(i)) - xanchor(j);
        let axis = xaxis(j);
        var adr = jnt_dofadr(j);
        let type_ = jnt_type(j);
        if (type_ == JNT_SLIDE) {
            set_cdof(adr, Spatial(vec3f(0.0), axis));
            continue;
        }
        if (type_ == JNT_HINGE) {
            set_cdof(adr, dof_com(axis, offset));
            continue;
        }
        // a free joint translates along the world's axes
        if (type_ == JNT_FREE) {
            set_cdof(adr, Spatial(vec3f(0.0), vec3f(1.0, 0.0, 0.0)));
            set_cdof(adr + 1, Spatial(vec3f(0.0), vec3f(0.0, 1.0, 0.0)));
            set_cdof(adr + 2, Spatial(vec3f(0.0), vec3f(0.0, 0.0, 1.0)));
            adr += 3;
        }
        // a free joint rotates, like a ball joint, about the axes of its body
        let mat = xmat(i);
        for (var k = 0; k < 3; k++) {
            set_cdof(adr + k, dof_com(mat[k], offset));
        }
    }
}
