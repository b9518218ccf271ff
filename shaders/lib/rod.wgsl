// elastic rods: their vertices and edges, and the frames of the edges (discrete elastic rods)

// numbers of a record of flex_bending: four vertices, and what holds them
const ROD_RECORD: i32 = 10;
// numbers of a rod at rest before its curvatures
const ROD_REST: i32 = 12;
// numbers of the curvatures of a hinge at rest
const ROD_CURVATURES: i32 = 4;
const FULL_TURN: f32 = 6.283185307179586;

// true if a flex is an elastic rod
fn is_rod(f: i32) -> bool {
    return model_rods && flex_dim(f) == 1 && flex_bendingadr(f) >= 0;
}

// number of hinges or pairs of hinges of a rod
fn hinges(f: i32) -> i32 {
    return i32(flex_bending(flex_bendingadr(f)));
}

// address of the record of a hinge or of a pair of hinges
fn record(f: i32, k: i32) -> i32 {
    return flex_bendingadr(f) + 1 + ROD_RECORD * k;
}

// the vertex at a place of a record
fn rod_corner(f: i32, k: i32, c: i32) -> i32 {
    return flex_vertadr(f) + i32(flex_bending(record(f, k) + c));
}

// the vertex with a number along an open chain
fn vertex(f: i32, v: i32) -> i32 {
    let k = min(v, hinges(f) - 1);
    return rod_corner(f, k, v - k);
}

// turns a vector as the shortest rotation between two directions does
fn transport(x: vec3f, old: vec3f, now: vec3f) -> vec3f {
    let axis = cross(old, now);
    let cosine = dot(old, now);
    let along = dot(axis, x) / max(1.0 + cosine, MINVAL);
    let turned = x * cosine + cross(axis, x) + axis * along;
    // rounding errors do not add up over steps
    return normalize3(turned - now * dot(now, turned)).xyz;
}

// curvature between two edges with these directions
fn curvature(first: vec3f, second: vec3f) -> vec3f {
    let chi = max(1.0 + dot(first, second), MINVAL);
    return cross(first, second) * (2.0 / chi);
}

// true if hinges of joints twist the edges of a rod
fn twists(f: i32) -> bool {
    return model_rods && flex_rodadr(f) >= 0;
}

// the joint that twists an edge of an open chain; none if a body holds it
fn twist_joint(f: i32, e: i32) -> i32 {
    if (e > 0) {
        return i32(flex_bending(record(f, e - 1) + 7));
    }
    let second = i32(flex_bending(record(f, 0) + 7));
    let held = flex_vertbodyid(vertex(f, 0)) == flex_vertbodyid(vertex(f, 1));
    return select(second - 1, -1, held);
}

// the number along an open chain of a vertex; one more than the last if it is not there
fn place_along(f: i32, v: i32) -> i32 {
    let num = hinges(f) + 2;
    // most chains run in the order of their vertices
    let guess = v - flex_vertadr(f);
    if (guess < num && vertex(f, guess) == v) {
        return guess;
    }
    for (var i = 0; i < num; i++) {
        if (vertex(f, i) == v) {
            return i;
        }
    }
    return num;
}

// the number along an open chain of an element
fn edge_of(f: i32, element: i32) -> i32 {
    let adr = flex_elemdataadr(f) + 2 * element;
    let a = place_along(f, flex_vertadr(f) + flex_elem(adr));
    let b = place_along(f, flex_vertadr(f) + flex_elem(adr + 1));
    return min(min(a, b), hinges(f));
}

// the angle by which a joint turns the material of an edge from its frame
fn twist_angle(joint: i32) -> f32 {
    let q = jnt_qposadr(joint);
    return qpos(q) - qpos0(q);
}

// the frame of an edge, turned as the material is
fn turned_frame(f: i32, e: i32) -> vec3f {
    let at = flex_plasticadr(f) + 6 * e;
    let tangent = vec3f(rod_plastic(at), rod_plastic(at + 1), rod_plastic(at + 2));
    let frame = vec3f(rod_plastic(at + 3), rod_plastic(at + 4), rod_plastic(at + 5));
    let j = twist_joint(f, e);
    if (j < 0) {
        return frame;
    }
    let sc = sin_cos(twist_angle(j));
    return frame * sc.y + cross(tangent, frame) * sc.x;
}

// true if the section of a rod whose edges twist is a box
fn is_boxed(f: i32) -> bool {
    return twists(f) && flex_bending(record(f, 0) + 9) != 0.0;
}

// half sizes of a section that is a box: the larger one, which is along the frame of an edge, then the smaller one
fn half_sizes(f: i32) -> vec2f {
    let adr = record(f, 0);
    let ratio = sqrt(1.0 + flex_bending(adr + 5) / max(flex_bending(adr + 4), MINVAL));
    let minor = abs(flex_bending(adr + 9));
    return vec2f(minor * ratio, minor);
}

// vectors from the middle of an edge to the sides of its section, a box
fn half_sides(f: i32, e: i32) -> array<vec3f, 2> {
    let size = half_sizes(f);
    let at = flex_plasticadr(f) + 6 * e;
    let tangent = vec3f(rod_plastic(at), rod_plastic(at + 1), rod_plastic(at + 2));
    let frame = turned_frame(f, e);
    return array<vec3f, 2>(frame * size.x, cross(tangent, frame) * size.y);
}

// the direction of an edge where its frame was kept; zero if none was
fn kept(f: i32, e: i32) -> vec3f {
    let at = flex_plasticadr(f) + 6 * e;
    return vec3f(plastic(at), plastic(at + 1), plastic(at + 2));
}

// direction and length from a vertex to another
fn between(a: i32, b: i32) -> vec4f {
    return normalize3(flexvert_xpos(b) - flexvert_xpos(a));
}

// carries the frames of rods to the present positions of their vertices. Frames that were never set begin with that of the first
// edge, which follows its body or else the edge from rest, and go on along the rod without twist
fn carry_rods() {
    for (var f = 0; f < nflex; f++) {
        if (twists(f)) {
            carry_rod(f);
        }
    }
    team_sync();
}

fn carry_rod(f: i32) {
    let num = hinges(f);
    let adr = flex_plasticadr(f);
    let rest = flex_rodadr(f);
    var before = vec3f();
    var frame_before = vec3f();
    for (var e = 0; e <= num; e++) {
        let at = adr + 6 * e;
        let v = vertex(f, e);
        let tangent = between(v, vertex(f, e + 1)).xyz;
        let old = kept(f, e);
        var frame = vec3f();
        if (twist_joint(f, e) < 0) {
            frame = xmat(flex_vertbodyid(v)) * at_rest(rest + select(9, 6, e == 0));
        } else if (nonzero(dot(old, old))) {
            frame = transport(vec3f(plastic(at + 3), plastic(at + 4), plastic(at + 5)), old, tangent);
        } else if (e == 0) {
            frame = transport(at_rest(rest + 3), at_rest(rest), tangent);
        } else {
            frame = transport(frame_before, before, tangent);
        }
        for (var k = 0; k < 3 && lane == 0; k++) {
            set_rod_plastic(at + k, tangent[k]);
            set_rod_plastic(at + 3 + k, frame[k]);
        }
        if (e > 0) {
            // twist between the frames, counted on over full turns
            let to = adr + 6 * (num + 1) + e - 1;
            let plain = transport(frame_before, before, tangent);
            let angle = arc_tangent(dot(cross(plain, frame), tangent), dot(plain, frame));
            let turns = floor((plastic(to) - angle) / FULL_TURN + 0.5);
            if (lane == 0) {
                set_rod_plastic(to, angle + turns * FULL_TURN);
            }
        }
        before = tangent;
        frame_before = frame;
    }
}

// a vector of a rod at rest
fn at_rest(adr: i32) -> vec3f {
    return vec3f(flex_rod(adr), flex_rod(adr + 1), flex_rod(adr + 2));
}

// keeps the frames of rods for the next step: those at the positions where this one began
fn keep_rods() {
    for (var f = 0; f < nflex; f++) {
        if (!twists(f)) {
            continue;
        }
        let adr = flex_plasticadr(f);
        let words = 7 * (hinges(f) + 1) - 1;
        for (var k = adr + lane; k < adr + words; k += LANES) {
            set_plastic(k, rod_plastic(k));
        }
    }
}
