// two boxes, as in src/cpu/collision/box_box.rs: the axis of greatest separation among 15, then the contacts of the faces or
// edges that meet along it
//
//   a face wins: the facing face of the other box        an edge pair wins: one contact
//   is clipped to the four sides of the face             midway between the edges

// two boxes, each in the frame of the other
struct Boxes {
    first: Shape,
    second: Shape,
    // axes of the second in the frame of the first, as columns
    rot: mat3x3f,
    // center of the second in the frame of the first, and the reverse
    pos21: vec3f,
    pos12: vec3f,
    margin: f32,
    // margin with slack
    slack: f32,
}

// maximum number of corners of a clipped face
const MAXCORNER: i32 = 12;
var<private> box_corner: array<vec3f, MAXCORNER>;

// two boxes
fn box_box(first: Shape, second: Shape, margin: f32) {
    let sizes = first.size + second.size;
    let b = Boxes(
        first, second, transpose(first.mat) * second.mat, transpose(first.mat) * (second.pos - first.pos),
        transpose(second.mat) * (first.pos - second.pos), margin, margin + 1e-7 * (sizes.x + sizes.y + sizes.z));
    let axis = best_axis(b);
    if (axis >= 6) {
        edge_edge(b, axis - 6);
    } else if (axis >= 0) {
        box_face(b, axis);
    }
}

// the axis of greatest separation: 0..2 face of the first, 3..5 of the second, 6 + 3 i + j edges i and j; -1: apart
fn best_axis(b: Boxes) -> i32 {
    var best = -MAXVAL;
    var axis = -1;

    // faces
    for (var n = 0; n < 6; n++) {
        let i = n % 3;
        var separation: f32;
        if (n < 3) {
            separation = abs(b.pos21[i]) - b.first.size[i] - dot(abs(transpose(b.rot)[i]), b.second.size);
        } else {
            separation = abs(b.pos12[i]) - b.second.size[i] - dot(abs(b.rot[i]), b.first.size);
        }
        if (separation > b.slack) {
            return -1;
        }
        if (separation > best) {
            best = separation;
            axis = n;
        }
    }

    // pairs of edges, unless parallel
    let face = axis;
    let best_face = best;
    for (var n = 0; n < 9; n++) {
        let across = edge_cross(b, n / 3, n % 3);
        let norm2 = dot(across, across);
        if (norm2 < 1e-9) {
            continue;
        }
        let dir = across * inverseSqrt(norm2);
        let separation = abs(dot(dir, b.pos21)) - dot(b.first.size, abs(dir)) - dot(b.second.size, abs(transpose(b.rot) * dir));
        if (separation > b.slack) {
            return -1;
        }
        if (separation - 1e-6 * abs(separation) > best && separation > best_face) {
            best = separation;
            axis = 6 + n;
        }
    }

    // a pair of edges along nearly the axis of the best face gives way to the face, which has more contacts of about the same depth
    if (axis >= 6) {
        let dir = normalize3(edge_cross(b, (axis - 6) / 3, (axis - 6) % 3)).xyz;
        var along = 0.0;
        if (face < 3) {
            along = dir[face];
        } else {
            along = dot(dir, b.rot[face - 3]);
        }
        let close = best < best_face + 0.05 * abs(best_face) + MINVAL;
        if (abs(along) > 0.99 && close) {
            axis = face;
        }
    }
    return axis;
}

// cross product of edge i of the first and edge j of the second, in the frame of the first: component i is zero
fn edge_cross(b: Boxes, i: i32, j: i32) -> vec3f {
    var unit = vec3f(0.0);
    unit[i] = 1.0;
    return cross(unit, b.rot[j]);
}

// one contact midway between two edges
fn edge_edge(b: Boxes, edges: i32) {
    let i = edges / 3;
    let j = edges % 3;

    // the axis points from the first to the second
    var axis = normalize3(edge_cross(b, i, j)).xyz;
    if (dot(axis, b.pos21) < 0.0) {
        axis = -axis;
    }
    let axis2 = transpose(b.rot) * axis;

    // where the axis lies in a face, either of two edges may be nearest: try both
    let turn1 = ambiguous(axis, i);
    let turn2 = ambiguous(axis2, j);
    var gap2 = MAXVAL;
    var point1 = vec3f(0.0);
    var point2 = vec3f(0.0);
    for (var n = 0; n < 4; n++) {
        if ((n % 2 == 1 && turn2 == 3) || (n / 2 == 1 && turn1 == 3)) {
            continue;
        }
        var middle1 = select(vec3f(-1.0), vec3f(1.0), axis >= vec3f(0.0)) * b.first.size;
        if (n / 2 == 1) {
            middle1[turn1] = -middle1[turn1];
        }
        middle1[i] = 0.0;
        var local2 = select(vec3f(1.0), vec3f(-1.0), axis2 >= vec3f(0.0)) * b.second.size;
        if (n % 2 == 1) {
            local2[turn2] = -local2[turn2];
        }
        local2[j] = 0.0;
        let middle2 = b.rot * local2 + b.pos21;

        // nearest points of two edges given by their middles
        let dir2 = b.rot[j];
        let slope = dir2[i];
        let dif = middle2 - middle1;
        let along1 = dif[i];
        let along2 = dot(dir2, dif);
        let half1 = b.first.size[i];
        let half2 = b.second.size[j];
        let sine2 = 1.0 - slope * slope;
        var x1 = 0.0;
        if (sine2 >= 1e-7) {
            x1 = (along1 - slope * along2) / sine2;
        }
        x1 = clip(x1, -half1, half1);
        let x2 = clip(slope * x1 - along2, -half2, half2);
        x1 = clip(along1 + slope * x2, -half1, half1);
        var near1 = middle1;
        near1[i] += x1;
        let near2 = middle2 + dir2 * x2;
        let gap = near2 - near1;
        if (dot(gap, gap) < gap2) {
            gap2 = dot(gap, gap);
            point1 = near1;
            point2 = near2;
        }
    }

    // the contact
    let dist = dot(point2 - point1, axis);
    if (dist > b.slack) {
        return;
    }
    add_contact(dist, b.first.mat * ((point1 + point2) * 0.5) + b.first.pos, b.first.mat * axis);
}

// the other axis to which an axis is orthogonal; 3: both edges may be nearest
fn ambiguous(axis: vec3f, i: i32) -> i32 {
    let k1 = (i + 1) % 3;
    let k2 = (i + 2) % 3;
    if (abs(axis[k1]) < 1e-6) {
        return k1;
    }
    return select(3, k2, abs(axis[k2]) < 1e-6);
}

// contacts of a face of one box (reference) and the facing face of the other (incident)
fn box_face(b: Boxes, code: i32) {
    let of_first = code < 3;
    let a = code % 3;
    var reference = b.first;
    var incident_size = b.second.size;
    var center = b.pos21;
    // axes of the incident box in the frame of the reference, as columns
    var rot = b.rot;
    if (!of_first) {
        reference = b.second;
        incident_size = b.first.size;
        center = b.pos12;
        rot = transpose(b.rot);
    }
    let sign = select(-1.0, 1.0, center[a] >= 0.0);
    let ax = (a + 1) % 3;
    let ay = (a + 2) % 3;

    // the face of the incident box that is most opposed to the reference face
    var facing = 0;
    for (var k = 1; k < 3; k++) {
        if (abs(rot[k][a]) > abs(rot[facing][a])) {
            facing = k;
        }
    }
    let side = select(incident_size[facing], -incident_size[facing], sign * rot[facing][a] > 0.0);
    let u = (facing + 1) % 3;
    let v = (facing + 2) % 3;

    // corners of the incident face: x, y in the reference face, z above it
    let middle = center + rot[facing] * side;
    let along_u = rot[u] * incident_size[u];
    let along_v = rot[v] * incident_size[v];
    for (var k = 0; k < 4; k++) {
        let su = select(-1.0, 1.0, k == 0 || k == 3);
        let sv = select(-1.0, 1.0, k < 2);
        let p = middle + along_u * su + along_v * sv;
        box_corner[k] = vec3f(p[ax], p[ay], sign * p[a] - reference.size[a]);
    }

    // clip to the sides of the reference face
    let limit = vec2f(reference.size[ax], reference.size[ay]);
    var num = 4;
    for (var cut = 0; cut < 4; cut++) {
        num = cut_corners(num, cut / 2, select(1.0, -1.0, cut % 2 == 1), limit[cut / 2]);
    }

    // corners within the margin, duplicates left out
    let normal = reference.mat[a] * select(-sign, sign, of_first);
    let same = 1e-10 * dot(limit, limit);
    var kept = 0;
    for (var k = 0; k < num; k++) {
        let point = box_corner[k];
        var repeated = false;
        for (var o = 0; o < kept; o++) {
            let d = box_corner[o].xy - point.xy;
            repeated |= dot(d, d) < same;
        }
        if (point.z > b.margin || repeated) {
            continue;
        }
        box_corner[kept] = point;
        kept++;
        var local = vec3f(0.0);
        local[ax] = point.x;
        local[ay] = point.y;
        local[a] = sign * (reference.size[a] + 0.5 * point.z);
        add_contact(point.z, reference.mat * local + reference.pos, normal);
    }
}

// clips a polygon to the side below a limit in one coordinate; returns the number of corners left
fn cut_corners(num: i32, coord: i32, sign: f32, limit: f32) -> i32 {
    let uncut = box_corner;
    var left = 0;
    for (var k = 0; k < num; k++) {
        let p = uncut[k];
        let q = uncut[select(k + 1, 0, k + 1 == num)];
        let dp = sign * p[coord] - limit;
        let dq = sign * q[coord] - limit;
        if (dp <= 0.0 && left < MAXCORNER) {
            box_corner[left] = p;
            left++;
        }
        let crosses = (dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0);
        if (crosses && left < MAXCORNER) {
            box_corner[left] = p + (q - p) * (dp / (dp - dq));
            left++;
        }
    }
    return left;
}
