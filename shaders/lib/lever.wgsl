// contacts of elastic rods whose edges twist: the point of a contact also moves as its edge turns

// an edge of a rod, as one side of a contact sees it
struct Lever {
    // false: contacts turn no edge on this side
    turns: bool,
    // vertices of the edge
    ends: vec2i,
    // the dof that twists it
    twist: i32,
    // 1 on the second side, -1 on the first
    sign: f32,
    tangent: vec3f,
    length: f32,
    // twist of the frame with the end of the direction, on the shortest way from the kept direction
    bent: vec3f,
    // parts of the vertices of the edge in the motion of its point
    share: vec2f,
    // from there to the point of the contact
    arm: vec3f,
}

// the edge on a side of a pair, if contacts there turn it: a vertex touches with the edge that begins there, or the last one. None of
// edges that a body holds, and of flexes whose edges do not twist
fn turned_edge(k: i32, side: i32, elem: i32) -> i32 {
    let f = collision_flex(k, side);
    if (f < 0 || !twists(f)) {
        return -1;
    }
    var edge = 0;
    if (collision_vert(k, side) >= 0) {
        edge = min(place_along(f, soft_vertex(k)), hinges(f));
    } else {
        edge = edge_of(f, elem);
    }
    return select(-1, edge, twist_joint(f, edge) >= 0);
}

// the edge on a side of a contact that turns it; none if it turns none
fn lever_of(c: i32, k: i32, side: i32) -> Lever {
    var out: Lever;
    let e = turned_edge(k, side, elements_of(c, k)[side]);
    if (e < 0) {
        return out;
    }
    let f = collision_flex(k, side);
    let ends = vec2i(vertex(f, e), vertex(f, e + 1));
    let tangent = between(ends[0], ends[1]);
    let first = flexvert_xpos(ends[0]);
    out.turns = true;
    out.ends = ends;
    out.twist = jnt_dofadr(twist_joint(f, e));
    out.sign = select(-1.0, 1.0, side == 1);
    out.tangent = tangent.xyz;
    out.length = tangent.w;
    out.bent = 0.5 * curvature(kept(f, e), tangent.xyz);
    let v = soft_vertex(k);
    var part = 0.0;
    if (v >= 0) {
        // it touches with its own sphere, or with a corner of the section
        let normal = vec3f(contact_frame_at(c, 0), contact_frame_at(c, 1), contact_frame_at(c, 2));
        part = select(1.0, 0.0, v == ends[0]);
        out.arm = contact_pos(c) + normal * (0.5 * out.sign * contact_dist(c)) - flexvert_xpos(v);
    } else {
        let along = clamp(dot(contact_pos(c) - first, tangent.xyz), 0.0, tangent.w);
        part = along / tangent.w;
        out.arm = contact_pos(c) - (first + tangent.xyz * along);
    }
    out.share = vec2f(1.0 - part, part);
    return out;
}

// motion of the point of a contact as a dof moves an end of the edge: turning, then along the axes. The end moves the point with its
// part, and turns the edge
fn moved_by_end(lever: Lever, end: i32, dof: i32) -> Spatial {
    let v = lever.ends[end];
    let offset = flexvert_xpos(v) - subtree_com(body_rootid(flex_vertbodyid(v)));
    let axis = cdof(dof);
    let moved = axis.lin + cross(axis.rot, offset);
    let twist = -dot(lever.bent, moved);
    let rot = (cross(lever.tangent, moved) + lever.tangent * twist) * (select(-1.0, 1.0, end == 1) / lever.length);
    return Spatial(rot, moved * lever.share[end] + cross(rot, lever.arm));
}

// motion of the point of a contact as the hinge turns the edge about itself
fn moved_by_twist(lever: Lever) -> Spatial {
    return Spatial(lever.tangent, cross(lever.tangent, lever.arm));
}

// motion of the point of a contact by one dof, turning and along the axes, where a side is an edge of a twisting rod
fn lever_motion(lever: Lever, i: i32) -> Spatial {
    var sum = Spatial(vec3f(), vec3f());
    if (!lever.turns) {
        return sum;
    }
    for (var end = 0; end < 2; end++) {
        var dof = body_lastdof(flex_vertbodyid(lever.ends[end]));
        while (dof > i) {
            dof = dof_parentid(dof);
        }
        if (dof == i) {
            sum = add_scl6(sum, moved_by_end(lever, end, i), lever.sign);
        }
    }
    if (lever.twist == i) {
        sum = add_scl6(sum, moved_by_twist(lever), lever.sign);
    }
    return sum;
}
