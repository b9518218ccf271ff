// a capsule and a box, as in src/cpu/collision/capsule_box.rs: the point of the capsule's segment nearest to the box, and a second
// one where the capsule lies along a face or an edge. Each point is then tested as a sphere against the box

// the capsule's segment in the frame of the box
struct Segment {
    center: vec3f,
    axis: vec3f,
    halfaxis: vec3f,
    half: f32,
    // bit i: component i of the axis is positive
    direction: i32,
}

// feature of the box nearest to the segment: 0 none, 1 face, 2 edge, 3 corner
struct Nearest {
    kind: i32,
    // squared distance
    dist: f32,
    // position on the segment and on the edge, -1 to 1
    on_segment: f32,
    on_edge: f32,
    // face: its axis, or -1 if the point is inside the box
    face: i32,
    // edge: its axis, and the corner at which it begins, bit i: on the +i side
    edge: i32,
    corner: i32,
}

// capsule and box: the point of the capsule's segment nearest to the box, and a second one where the capsule lies along a face or
// an edge
fn capsule_box(capsule: Shape, cube: Shape, margin: f32) {
    let half = capsule.size[1];
    let axis = transpose(cube.mat) * capsule.mat[2];
    let h = axis * half;
    let segment = Segment(
        transpose(cube.mat) * (capsule.pos - cube.pos), axis, h, half,
        i32(h.x > 0.0) + 2 * i32(h.y > 0.0) + 4 * i32(h.z > 0.0));
    let size = cube.size;
    let radius = capsule.size[0];
    let far = margin + 2.0 * (radius + half + size[0] + size[1] + size[2]);
    let far2 = far * far;
    var near = Nearest(0, far2, 0.0, 0.0, -1, 0, 0);
    near = nearest_face(segment, size, near);
    near = nearest_edge(segment, size, near);
    if (near.kind == 0) {
        return;
    }

    // a sphere at the nearest point, and one at the second
    var second = -4.0;
    if (near.kind == 1) {
        second = second_on_face(segment, size, near);
    } else if (near.kind == 2) {
        second = second_across_edge(segment, size, near);
    } else {
        second = second_from_corner(segment, size, near);
    }
    for (var n = 0; n < select(1, 2, second > -3.0); n++) {
        let x = near.on_segment + select(0.0, second, n == 1);
        ball_box(segment.center + segment.halfaxis * x, radius, cube, margin);
    }
}

// an end of the segment above a face or inside the box
fn nearest_face(segment: Segment, size: vec3f, start: Nearest) -> Nearest {
    var near = start;
    for (var n = 0; n < 2; n++) {
        let end = f32(2 * n - 1);
        let point = segment.center + segment.halfaxis * end;
        var outside = 0;
        var face = -1;
        var clamped = point;
        for (var j = 0; j < 3; j++) {
            if (abs(point[j]) > size[j]) {
                outside++;
                face = j;
                clamped[j] = select(size[j], -size[j], point[j] < 0.0);
            }
        }
        if (outside > 1) {
            continue;
        }
        let dif = clamped - point;
        let dist = dot(dif, dif);
        if (dist < near.dist) {
            near.kind = 1;
            near.dist = dist;
            near.on_segment = end;
            near.face = face;
        }
    }
    return near;
}

// the segment against each of the twelve edges
fn nearest_edge(segment: Segment, size: vec3f, start: Nearest) -> Nearest {
    var near = start;
    for (var n = 0; n < 24; n++) {
        let j = n / 8;
        let i = n % 8;
        if ((i & (1 << u32(j))) != 0) {
            continue;
        }

        // middle of the edge
        var middle = corner_sign(i) * size;
        middle[j] = 0.0;
        let dif = middle - segment.center;

        // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v
        let ma = size[j] * size[j];
        let mb = -size[j] * segment.halfaxis[j];
        let mc = segment.half * segment.half;
        let u = -size[j] * dif[j];
        let v = dot(segment.halfaxis, dif);
        let det = ma * mc - mb * mb;
        if (abs(det) < 1e-6 * ma * mc) {
            continue;
        }
        var x1 = (mc * u - mb * v) / det;
        var x2 = (ma * v - mb * u) / det;

        // clipped to the segments; an edge clipped at an end counts as that corner
        var end = 0;
        if (x1 > 1.0) {
            x1 = 1.0;
            x2 = (v - mb) / mc;
            end = 1;
        } else if (x1 < -1.0) {
            x1 = -1.0;
            x2 = (v + mb) / mc;
            end = -1;
        }
        if (x2 > 1.0) {
            x2 = 1.0;
            x1 = (u - mb) / ma;
        } else if (x2 < -1.0) {
            x2 = -1.0;
            x1 = (u + mb) / ma;
        }
        if (x1 > 1.0) {
            x1 = 1.0;
            end = 1;
        } else if (x1 < -1.0) {
            x1 = -1.0;
            end = -1;
        }

        // the nearest so far
        var gap = dif - segment.halfaxis * x2;
        gap[j] += size[j] * x1;
        let dist = dot(gap, gap);
        if (dist < near.dist - MINVAL) {
            near.kind = select(2, 3, end != 0);
            near.dist = dist;
            near.on_segment = x2;
            near.on_edge = x1;
            near.edge = j;
            near.corner = i + select(0, 1 << u32(j), end == 1);
        }
    }
    return near;
}

// length along the segment, in half lengths, over which it crosses the whole box along an axis
fn crossing(segment: Segment, size: vec3f, i: i32) -> f32 {
    return 2.0 * size[i] / max(abs(segment.halfaxis[i]), MINVAL);
}

// nearest to a corner: along an edge or along a face, unless the segment points at the corner
fn second_from_corner(segment: Segment, size: vec3f, near: Nearest) -> f32 {
    var turn = segment.direction ^ near.corner;
    if (turn == 0 || turn == 7) {
        return -4.0;
    }
    var sign = 1.0;
    if (turn == 3 || turn == 5 || turn == 6) {
        turn = 7 - turn;
        sign = -1.0;
    }
    let ahead = 1.0 - sign * near.on_segment;
    let behind = 1.0 + sign * near.on_segment;
    let ax = select(turn - 1, 2, turn == 4);
    if (segment.axis[ax] * segment.axis[ax] > 0.5) {
        // along the edge
        return sign * min(ahead, crossing(segment, size, ax));
    }
    // along the face
    let second = min(behind, crossing(segment, size, (ax + 1) % 3));
    return -sign * min(second, crossing(segment, size, (ax + 2) % 3));
}

// nearest to an edge: the segment crosses it, so the second point is over a face
fn second_across_edge(segment: Segment, size: vec3f, near: Nearest) -> f32 {
    let ax = near.edge;
    let turn = (segment.direction ^ near.corner) & (7 - (1 << u32(ax)));
    if (turn != 1 && turn != 2 && turn != 4) {
        return -4.0;
    }

    // the direction across the adjacent face to which the segment is more parallel
    let side1 = (ax + 1) % 3;
    let side2 = (ax + 2) % 3;
    let across = select(side2, side1, abs(segment.axis[side1]) > abs(segment.axis[side2]));
    let ahead = (turn & (1 << u32(across))) != 0;
    let sign = select(-1.0, 1.0, ahead);

    // up to the end of the segment, the far side of the face, or the end of the edge
    var second = min(1.0 - sign * near.on_segment, crossing(segment, size, across));
    let same = ((segment.direction & (1 << u32(ax))) != 0) == ahead;
    let left = 1.0 + select(near.on_edge, -near.on_edge, same);
    second = min(second, size[ax] * left / max(abs(segment.halfaxis[ax]), MINVAL));
    return sign * second;
}

// an end is nearest to a face: the second point is where the segment leaves the space above the face, at most the other end
fn second_on_face(segment: Segment, size: vec3f, near: Nearest) -> f32 {
    if (near.face < 0) {
        return -4.0;
    }
    let sign = -near.on_segment;
    let end = segment.center - segment.halfaxis * sign;
    var second = 2.0;
    for (var n = 0; n < 6; n++) {
        let i = n / 2;
        if (i == near.face || segment.halfaxis[i] == 0.0) {
            continue;
        }
        let side = select(1.0, -1.0, n % 2 == 1);
        let x = (side * size[i] - end[i]) / segment.halfaxis[i] * sign;
        if (x > 0.0) {
            second = min(second, x);
        }
    }
    return sign * second;
}
