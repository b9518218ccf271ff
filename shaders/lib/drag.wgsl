// slope of the drag of a medium over the velocity: matrices of bodies, summed over subtrees

const SLOPE_DRAG: bool = has_medium && !((opt_disableflags & DSBL_SPRING) != 0 && (opt_disableflags & DSBL_DAMPER) != 0);

// of subtrees, children before parents. Every lane of the team must call this
fn of_subtrees() {
    for (var level = nlevel - 1; level > 0; level--) {
        for (var n = lane; n < level_num(level); n += LANES) {
            let i = level_body(level_adr(level) + n);
            for (var c = 0; c < body_childnum(i); c++) {
                let child = child_body(body_childadr(i) + c);
                for (var k = 0; k < 36; k++) {
                    set_slope_force(i, k, slope_force(i, k) + slope_force(child, k));
                }
            }
        }
        team_sync();
    }
}

fn slope_column(body: i32, c: i32) -> Spatial {
    return Spatial(
        vec3f(slope_force(body, 6 * c), slope_force(body, 6 * c + 1), slope_force(body, 6 * c + 2)),
        vec3f(slope_force(body, 6 * c + 3), slope_force(body, 6 * c + 4), slope_force(body, 6 * c + 5)));
}

// adds a column times a number
fn add_column(body: i32, c: i32, column: Spatial, scale: f32) {
    for (var r = 0; r < 3; r++) {
        set_slope_force(body, 6 * c + r, slope_force(body, 6 * c + r) + scale * column.rot[r]);
        set_slope_force(body, 6 * c + 3 + r, slope_force(body, 6 * c + 3 + r) + scale * column.lin[r]);
    }
}

// metric less a timestep of the drag's slope, for each pair of a dof and itself or an ancestor of it. Every lane of the team must call this
fn less_drag() {
    if (!SLOPE_DRAG) {
        return;
    }
    for (var i = lane; i < nbody; i += LANES) {
        for (var k = 0; k < 36; k++) {
            set_slope_force(i, k, 0.0);
        }
        if (i > 0 && body_mass(i) >= MINVAL) {
            slope_resistance(i);
        }
    }
    team_sync();
    of_subtrees();
    for (var i = lane; i < nv; i += LANES) {
        let axis = cdof(i);
        let body = dof_bodyid(i);
        let through = Spatial(
            vec3f(dot6(slope_column(body, 0), axis), dot6(slope_column(body, 1), axis), dot6(slope_column(body, 2), axis)),
            vec3f(dot6(slope_column(body, 3), axis), dot6(slope_column(body, 4), axis), dot6(slope_column(body, 5), axis)));
        let adr = M_rowadr(i);
        for (var k = adr; k < adr + M_rownnz(i); k++) {
            set_efm_M(k, efm_M(k) - opt_timestep * dot6(through, cdof(M_colind(k))));
        }
    }
    team_sync();
}

// drag on a body: its derivatives for unit motions
fn slope_resistance(i: i32) {
    // integrators with a symmetric factor take the symmetric part; free rigid bodies have a full one
    let last = body_lastdof(i);
    let symmetric = opt_integrator == INT_DISCRETE || (opt_integrator == INT_IMPLICITFAST && (last < 0 || !rigid(last)));
    if (box_like(i)) {
        slope_along(i, -1, symmetric);
        return;
    }
    let adr = body_geomadr(i);
    for (var g = adr; g < adr + body_geomnum(i); g++) {
        if (geom_fluid(g, 0) != 0.0) {
            slope_along(i, g, symmetric);
        }
    }
}

// six columns: derivative of torque and force, about the centre of mass of the tree, by motion; `g`: the geom, -1: the inertia box
fn slope_along(i: i32, g: i32, symmetric: bool) {
    var pos = xipos(i);
    var mat = ximat(i);
    if (g >= 0) {
        pos = geom_xpos(g);
        mat = geom_xmat(g);
    }
    let offset = pos - subtree_com(body_rootid(i));
    let vel = fluid_velocity(i, pos, mat);
    for (var c = 0; c < 6; c++) {
        let unit = unit_motion(c);
        let motion = Medium(
            transpose(mat) * (unit.lin + cross(unit.rot, offset)),
            transpose(mat) * unit.rot);
        var push: Medium;
        if (g >= 0) {
            push = ellipsoid_slope(g, vel, motion);
        } else {
            push = box_slope(i, vel, motion);
        }
        let force = mat * push.lin;
        let column = Spatial(mat * push.rot + cross(offset, force), force);
        if (!symmetric) {
            add_column(i, c, column, 1.0);
            continue;
        }
        add_column(i, c, column, 0.5);
        for (var r = 0; r < 3; r++) {
            set_slope_force(i, 6 * r + c, slope_force(i, 6 * r + c) + 0.5 * column.rot[r]);
            set_slope_force(i, 6 * (r + 3) + c, slope_force(i, 6 * (r + 3) + c) + 0.5 * column.lin[r]);
        }
    }
}
