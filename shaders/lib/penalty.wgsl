// passive contacts of flexes (`passive`): instead of rows they have a spring along the normal, whose stiffness a discrete step takes into
// its metric. Every lane goes over all contacts, and adds to the rows of its own dofs

// square of the natural frequency of a vertex that touches (1/s²)
const PENALTY_STIFFNESS: f32 = 5e7;

// true if contacts of a flex with others, itself and what does not move are passive. With the flag `ipc` none are, as in MuJoCo
fn gives_way(f: i32) -> bool {
    let deforms = f >= 0 && flex_dim(max(f, 0)) > 1 && flex_rigid(max(f, 0)) == 0;
    return deforms && flex_passive(max(f, 0)) != 0 && (opt_enableflags & ENBL_IPC) == 0;
}

// true if contacts of a pair have no rows
fn is_passive(k: i32) -> bool {
    if (!is_soft(k)) {
        return false;
    }
    let geom = collision_geom1(k);
    let still = geom < 0 || body_weldid(geom_bodyid(max(geom, 0))) == 0;
    return still && (gives_way(collision_flex(k, 0)) || gives_way(collision_flex(k, 1)));
}

// true if a body moves along three slides only: such are the vertices and nodes that count in the mass of a contact
fn slides_only(body: i32) -> bool {
    let adr = body_jntadr(body);
    if (body_jntnum(body) != 3) {
        return false;
    }
    return jnt_type(adr) == JNT_SLIDE && jnt_type(adr + 1) == JNT_SLIDE && jnt_type(adr + 2) == JNT_SLIDE;
}

// mass of a side of a contact: the least of an element's vertices, or that of the nodes which carry it in the proportion of vertices;
// 0 where nothing counts
fn side_mass(k: i32, side: i32, sides: Carriers) -> f32 {
    let f = collision_flex(k, side);
    if (f < 0) {
        return 0.0;
    }
    if (!model_cages || flex_interp(f) == 0) {
        var least = 0.0;
        for (var n = 0; n < sides.num; n++) {
            let body = sides.body[n];
            if (slides_only(body)) {
                least = select(min(least, body_mass(body)), body_mass(body), least == 0.0);
            }
        }
        return least;
    }
    var sum = 0.0;
    for (var n = 0; n < sides.num; n = carrier_after(sides, n)) {
        let x = carrier(sides, n);
        if (slides_only(x.body) && body_mass(x.body) > 0.0) {
            sum += x.share * x.share / body_mass(x.body);
        }
    }
    var num = 0;
    for (var n = flex_nodeadr(f); n < flex_nodeadr(f) + flex_nodenum(f); n++) {
        num += select(0, 1, slides_only(flex_nodebodyid(n)));
    }
    return select(0.0, f32(num) / f32(flex_vertnum(f)) / sum, sum > 0.0);
}

// a passive contact: what carries its sides, its stiffness (N/m) and its depth
struct Penalty {
    sides: array<Carriers, 2>,
    levers: array<Lever, 2>,
    stiffness: f32,
    depth: f32,
}

fn penalty(c: i32, k: i32) -> Penalty {
    var out: Penalty;
    var mass = vec2f();
    for (var side = 0; side < 2; side++) {
        let carried_by = carriers(c, k, side, contact_pos(c));
        mass[side] = side_mass(k, side, carried_by);
        out.sides[side] = carried_by;
        if (rods_touch) {
            out.levers[side] = lever_of(c, k, side);
            out.sides[side].num = select(carried_by.num, 0, out.levers[side].turns);
        }
    }
    let least = select(min(mass.x, mass.y), max(mass.x, mass.y), min(mass.x, mass.y) == 0.0);
    let dist = contact_dist(c);
    if (dist < collision_margin(k)) {
        out.stiffness = least * PENALTY_STIFFNESS;
        out.depth = max(-dist, 0.0);
    }
    return out;
}

// how the distance of a passive contact changes with a dof
fn penalty_slope(p: Penalty, c: i32, i: i32) -> f32 {
    let axis = cdof(i);
    let arm = contact_pos(c) - subtree_com(body_rootid(dof_bodyid(i)));
    var motion = (axis.lin + cross(axis.rot, arm)) * (carried(p.sides[1], i) - carried(p.sides[0], i));
    if (rods_touch) {
        motion += lever_motion(p.levers[0], i).lin + lever_motion(p.levers[1], i).lin;
    }
    return dot(vec3f(contact_frame_at(c, 0), contact_frame_at(c, 1), contact_frame_at(c, 2)), motion);
}

// adds the forces of passive contacts
fn push_apart() {
    for (var c = 0; c < ncon(); c++) {
        let k = contact_collision(c);
        if (!is_passive(k)) {
            continue;
        }
        let p = penalty(c, k);
        let pattern = pattern_of(c, k);
        for (var n = 0; n < pattern_num(pattern); n++) {
            let i = pattern_dof(pattern_adr(pattern) + n);
            if (i % LANES == lane) {
                set_qfrc_spring(i, qfrc_spring(i) + p.stiffness * p.depth * penalty_slope(p, c, i));
            }
        }
    }
}

// adds the stiffness of passive contacts to `efm_K_val` and `efm_c`
fn stiffen_contacts() {
    let h = opt_timestep;
    for (var c = 0; c < group_max(ncon()); c++) {
        // none of a world that has no such contact
        var k = -1;
        if (c < ncon()) {
            k = contact_collision(c);
        }
        var adr = 0;
        var num = 0;
        var stiffness = 0.0;
        if (k >= 0 && is_passive(k)) {
            let p = penalty(c, k);
            adr = pattern_adr(pattern_of(c, k));
            num = pattern_num(pattern_of(c, k));
            stiffness = p.stiffness;
            for (var n = lane; n < num; n += LANES) {
                set_penalty_J(n, penalty_slope(p, c, pattern_dof(adr + n)));
            }
        }
        team_sync();
        var speed = 0.0;
        for (var n = 0; n < num; n++) {
            speed += penalty_J(n) * qvel(pattern_dof(adr + n));
        }
        for (var n = 0; n < num; n++) {
            let i = pattern_dof(adr + n);
            if (i % LANES != lane) {
                continue;
            }
            set_efm_c(i, efm_c(i) - h * stiffness * speed * penalty_J(n));
            for (var l = 0; l <= n; l++) {
                let at = coupling(i, pattern_dof(adr + l));
                if (at >= 0) {
                    set_efm_K_val(at, efm_K_val(at) + h * h * stiffness * penalty_J(n) * penalty_J(l));
                }
            }
        }
        team_sync();
    }
}
