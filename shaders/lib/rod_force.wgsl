// forces of elastic rods: bending and torsion, on the vertices of flexes of lines and on the hinges that twist their edges. A lane
// computes all of them, and adds those on its own vertices and dofs

// part of the squared curvature at rest by which the size of a curvature is smoothed
const ROD_SMOOTH: f32 = 1e-8;

// two edges that meet at a hinge
struct Bend {
    v: vec3i,
    tangent: array<vec3f, 2>,
    len: vec2f,
    chi: f32,
    curvature: vec3f,
    // change of the curvature with time
    rate: vec3f,
}

// two edges that meet at a hinge, by their three vertices
fn bend_at(v: vec3i) -> Bend {
    let e0 = between(v.x, v.y);
    let e1 = between(v.y, v.z);
    let t0 = e0.xyz;
    let t1 = e1.xyz;
    let chi = max(1.0 + dot(t0, t1), MINVAL);
    var b = Bend(v, array<vec3f, 2>(t0, t1), vec2f(e0.w, e1.w), chi, curvature(t0, t1), vec3f());
    let turn0 = bend_across(b, 0, flexvert_vel(v.y) - flexvert_vel(v.x));
    let turn1 = bend_across(b, 1, flexvert_vel(v.z) - flexvert_vel(v.y));
    let moved = cross(turn0, t1) + cross(t0, turn1);
    let change = dot(turn0, t1) + dot(t0, turn1);
    b.rate = (moved * 2.0 - b.curvature * change) / chi;
    return b;
}

// change of the direction of an edge with the vector from its first to its second vertex
fn bend_across(b: Bend, k: i32, x: vec3f) -> vec3f {
    let t = select(b.tangent[0], b.tangent[1], k == 1);
    return (x - t * dot(t, x)) / b.len[k];
}

// slopes over the two edges, from the slope over the curvature and that over the twist
fn bend_slopes(b: Bend, over: vec3f, torque: f32) -> array<vec3f, 2> {
    let t0 = b.tangent[0];
    let t1 = b.tangent[1];
    let along = dot(b.curvature, over);
    let slope0 = (cross(t1, over) * 2.0 - t1 * along) / b.chi;
    let slope1 = (cross(over, t0) * 2.0 - t0 * along) / b.chi;
    return array<vec3f, 2>(
        bend_across(b, 0, slope0) + b.curvature * (torque * bend_twist_slope(b, 0)),
        bend_across(b, 1, slope1) + b.curvature * (torque * bend_twist_slope(b, 1)));
}

// slope of the twist between the edges over one of them, in units of the curvature
fn bend_twist_slope(b: Bend, k: i32) -> f32 {
    return 0.5 / b.len[k];
}

// rate at which the frames of the edges twist against each other
fn bend_twist_rate(b: Bend) -> f32 {
    let first = dot(b.curvature, flexvert_vel(b.v.y) - flexvert_vel(b.v.x));
    let second = dot(b.curvature, flexvert_vel(b.v.z) - flexvert_vel(b.v.y));
    return first * bend_twist_slope(b, 0) + second * bend_twist_slope(b, 1);
}

// adds forces down the slopes over the edges
fn bend_push(b: Bend, spring: array<vec3f, 2>, damper: array<vec3f, 2>) {
    push_vertex(b.v.x, spring[0], damper[0]);
    push_vertex(b.v.y, spring[1] - spring[0], damper[1] - damper[0]);
    push_vertex(b.v.z, -spring[1], -damper[1]);
}

// length of the curvature, 0 where its direction is but rounding
fn bend_size(b: Bend) -> f32 {
    let size = length(b.curvature);
    return select(0.0, size, nothing(1.0) < size);
}

// direction of the curvature, zero where it has none
fn bend_direction(b: Bend, size: f32) -> vec3f {
    let inverse = 1.0 / select(1.0, size, nonzero(size));
    return b.curvature * select(0.0, inverse, nonzero(size));
}

// slope of the damping: only the angle between the edges is damped, unless they are aligned
fn bend_damped(b: Bend, stiffness: f32) -> vec3f {
    let size = bend_size(b);
    let dir = bend_direction(b, size);
    return select(b.rate, dir * dot(dir, b.rate), nonzero(size)) * stiffness;
}

// adds the forces of a rod
fn rod_forces(f: i32) {
    for (var k = 0; k < hinges(f); k++) {
        if (twists(f)) {
            twisting_hinge(f, k);
        } else if (flex_bending(record(f, k) + 3) < 0.0) {
            plain_hinge(f, k);
        } else {
            bent_pair(f, k);
        }
    }
}

// a hinge without twist: of curvature at rest only the size counts
fn plain_hinge(f: i32, k: i32) {
    let adr = record(f, k);
    let b = bend_at(vec3i(rod_corner(f, k, 0), rod_corner(f, k, 1), rod_corner(f, k, 2)));
    hold_bend(f, b, flex_bending(adr + 4), smoothed(b, flex_bending(adr + 6)));
}

// size of a curvature, smoothed where it has one at rest
struct Size {
    smooth_: f32,
    // the smoothed size at rest
    held: f32,
    // 1 at rest, 0 without curvature, and its slope over the size
    weight: f32,
    slope: f32,
}

// the size of the curvature at a hinge; `rest` is that at rest
fn smoothed(b: Bend, rest: f32) -> Size {
    let square = dot(b.curvature, b.curvature);
    let more = rest * rest * ROD_SMOOTH;
    let size = max(sqrt(square + more), MINVAL);
    let unit = 1.0 + 0.5 * ROD_SMOOTH;
    return Size(size, rest * unit, sqrt(square) * unit / size, unit * more / (size * size * size));
}

// holds the size of the curvature at a hinge
fn hold_bend(f: i32, b: Bend, stiffness: f32, size: Size) {
    let pull = 2.0 * stiffness * (1.0 - size.held / size.smooth_);
    let damping = 2.0 * flex_damping(f);
    let spring = bend_slopes(b, b.curvature * pull, 0.0);
    bend_push(b, spring, bend_slopes(b, bend_damped(b, stiffness * damping), 0.0));
}

// two neighbouring hinges that are bent at rest
struct Pair {
    v: vec4i,
    bend0: Bend,
    bend1: Bend,
    size0: Size,
    size1: Size,
}

// the pair of a record
fn pair_at(f: i32, k: i32) -> Pair {
    let v = vec4i(rod_corner(f, k, 0), rod_corner(f, k, 1), rod_corner(f, k, 2), rod_corner(f, k, 3));
    let adr = record(f, k);
    let bend0 = bend_at(v.xyz);
    let bend1 = bend_at(v.yzw);
    let size0 = smoothed(bend0, flex_bending(adr + 6));
    let size1 = smoothed(bend1, flex_bending(adr + 7));
    return Pair(v, bend0, bend1, size0, size1);
}

// two neighbours that are bent at rest, and the angle between their planes
fn bent_pair(f: i32, k: i32) {
    let pair = pair_at(f, k);
    let v = pair.v;
    let adr = record(f, k);
    let bend0 = pair.bend0;
    let bend1 = pair.bend1;
    let size0 = pair.size0;
    let size1 = pair.size1;
    hold_bend(f, bend0, flex_bending(adr + 4), size0);
    hold_bend(f, bend1, flex_bending(adr + 5), size1);

    var angle = fold(v);
    let held = vec2f(flex_bending(adr + 8), flex_bending(adr + 9));
    let weight = size0.weight * size1.weight;
    let torque = 2.0 * (angle.sine * held.x - angle.cosine * held.y) * weight;
    var rate = 0.0;
    for (var i = 0; i < 4; i++) {
        rate += dot((angle.turns[4 + i] - angle.turns[i]), flexvert_vel(v[i]));
    }
    let stiffness = length(held);
    let energy = 2.0 * (stiffness - angle.cosine * held.x - angle.sine * held.y);
    // the angle counts less where a bend vanishes
    let none = array<vec3f, 2>(vec3f(), vec3f());
    let pull0 = energy * size1.weight * size0.slope / size0.smooth_;
    let pull1 = energy * size0.weight * size1.slope / size1.smooth_;
    bend_push(bend0, bend_slopes(bend0, bend0.curvature * pull0, 0.0), none);
    bend_push(bend1, bend_slopes(bend1, bend1.curvature * pull1, 0.0), none);
    let damping = stiffness * weight * weight / (1.0 + ROD_SMOOTH);
    let drag = 2.0 * flex_damping(f) * damping * rate;
    for (var i = 0; i < 4; i++) {
        push_vertex(v[i], (angle.turns[4 + i] - angle.turns[i]) * -torque, (angle.turns[4 + i] - angle.turns[i]) * -drag);
    }
}

// angle between the planes of two neighbouring hinges
struct Fold {
    sine: f32,
    cosine: f32,
    // slopes over the vertices of how far both planes turn about the edge between them
    turns: array<vec3f, 8>,
}

fn fold(v: vec4i) -> Fold {
    let e0 = flexvert_xpos(v.y) - flexvert_xpos(v.x);
    let e1 = flexvert_xpos(v.z) - flexvert_xpos(v.y);
    let e2 = flexvert_xpos(v.w) - flexvert_xpos(v.z);
    let n0 = cross(e0, e1);
    let n1 = cross(e1, e2);
    let way = normalize3(e1);
    let a = n0 / max(dot(n0, n0), MINVAL);
    let b = n1 / max(dot(n1, n1), MINVAL);
    let s0 = dot(e0, way.xyz);
    let s2 = dot(e2, way.xyz);
    let size = max(sqrt(dot(n0, n0) * dot(n1, n1)), MINVAL);
    let turns = array<vec3f, 8>(
        a * way.w, a * -(s0 + way.w), a * s0, vec3f(),
        vec3f(), b * s2, b * -(s2 + way.w), b * way.w);
    return Fold(dot(cross(n0, n1), way.xyz) / size, dot(n0, n1) / size, turns);
}

// axes of the material of an edge, and the joint that turns it
struct Axes {
    joint: i32,
    // angle and its rate
    angle: f32,
    rate: f32,
    axes: array<vec3f, 2>,
}

fn axes(f: i32, e: i32) -> Axes {
    let at = flex_plasticadr(f) + 6 * e;
    let tangent = vec3f(rod_plastic(at), rod_plastic(at + 1), rod_plastic(at + 2));
    let frame = turned_frame(f, e);
    let across = array<vec3f, 2>(cross(tangent, frame), -frame);
    let j = twist_joint(f, e);
    if (j < 0) {
        // it turns with its body
        let rate = dot(cvel(flex_vertbodyid(vertex(f, e))).rot, tangent);
        return Axes(-1, 0.0, rate, across);
    }
    return Axes(j, twist_angle(j), qvel(jnt_dofadr(j)), across);
}

// a hinge of an open chain whose edges twist
fn twisting_hinge(f: i32, k: i32) {
    let b = bend_at(vec3i(rod_corner(f, k, 0), rod_corner(f, k, 1), rod_corner(f, k, 2)));
    var edges = array<Axes, 2>(axes(f, k), axes(f, k + 1));
    let damping = 2.0 * flex_damping(f);

    // torsion
    let stiffness = flex_bending(record(f, k) + 8);
    let frames = flex_plasticadr(f) + 6 * (hinges(f) + 1);
    let twist = edges[1].angle - edges[0].angle + rod_plastic(frames + k);
    let rate = edges[1].rate - edges[0].rate + bend_twist_rate(b);
    let torque = 2.0 * stiffness * twist;
    let drag = damping * stiffness * rate;

    // bending
    let bent = bending(f, k, b, edges);
    let turns = bent.turns + vec2f(-torque, torque);
    var spring = bend_slopes(b, bent.over, torque);
    for (var j = 0; j < 2; j++) {
        // the shortest way from the kept direction also twists the frame
        if (edges[j].joint >= 0) {
            let tangent = select(b.tangent[0], b.tangent[1], j == 1);
            spring[j] -= curvature(kept(f, k + j), tangent) * (bend_twist_slope(b, j) * turns[j]);
        }
    }
    bend_push(b, spring, bend_slopes(b, bent.rate * damping, drag));
    twist_edge(f, k, edges[0].joint, vec2f(-turns[0], drag));
    twist_edge(f, k + 1, edges[1].joint, vec2f(-turns[1], -drag));
}

// bending at a hinge whose edges twist
struct Bending {
    // slope of the energy over the curvature
    over: vec3f,
    // what damping holds: the rate of the curvature, times the stiffness
    rate: vec3f,
    // slopes over the angles of the edges
    turns: vec2f,
}

fn bending(f: i32, k: i32, b: Bend, edges_: array<Axes, 2>) -> Bending {
    let adr = record(f, k);
    let weak = flex_bending(adr + 4);
    // straight and round
    if (flex_bending(adr + 9) == 0.0 && flex_bending(adr + 6) == 0.0) {
        return Bending(b.curvature * (2.0 * weak), bend_damped(b, weak), vec2f());
    }

    let strong = weak + flex_bending(adr + 5);
    let stiff = vec2f(strong, weak);
    let damp = vec2f(strong, sqrt(weak * strong));
    let rest = flex_rodadr(f) + ROD_REST + ROD_CURVATURES * k;
    let size = bend_size(b);
    let dir = bend_direction(b, size);
    var edges = edges_;
    var out = Bending(vec3f(), vec3f(), vec2f());
    var stiffness = 0.0;
    for (var j = 0; j < 2; j++) {
        var own = vec2f();
        var pull = vec2f();
        for (var axis = 0; axis < 2; axis++) {
            let along = edges[j].axes[axis];
            own[axis] = dot(b.curvature, along);
            pull[axis] = stiff[axis] * (own[axis] - flex_rod(rest + 2 * j + axis));
            out.over += along * pull[axis];
            let part = dot(dir, along);
            stiffness += 0.5 * damp[axis] * part * part;
            out.rate += along * (0.5 * damp[axis] * dot(along, b.rate));
        }
        out.turns[j] = pull[0] * own[1] - pull[1] * own[0];
    }
    out.rate = select(out.rate, dir * (stiffness * dot(dir, b.rate)), nonzero(size));
    return out;
}

// adds the torques of spring and damper about an edge: to its joint, or to the body that holds it
fn twist_edge(f: i32, e: i32, joint: i32, torques: vec2f) {
    let on = vec2<bool>((opt_disableflags & DSBL_SPRING) == 0, (opt_disableflags & DSBL_DAMPER) == 0);
    let torque = select(vec2f(), torques, on);
    if (joint >= 0) {
        let i = jnt_dofadr(joint);
        if (i % LANES == lane) {
            set_qfrc_spring(i, qfrc_spring(i) + torque.x);
            set_qfrc_damper(i, qfrc_damper(i) + torque.y);
        }
        return;
    }
    let body = flex_vertbodyid(vertex(f, e));
    let at = flex_plasticadr(f) + 6 * e;
    let tangent = vec3f(rod_plastic(at), rod_plastic(at + 1), rod_plastic(at + 2));
    for (var i = body_lastdof(body); i >= 0; i = dof_parentid(i)) {
        if (i % LANES == lane) {
            let along = dot(cdof(i).rot, tangent);
            set_qfrc_spring(i, qfrc_spring(i) + along * torque.x);
            set_qfrc_damper(i, qfrc_damper(i) + along * torque.y);
        }
    }
}
