// shells between nodes: outer faces of the grid, the forces that keep the angles between them, and inner nodes, which follow the outer ones

// number of coefficients of an edge between two faces: their numbers, the edge in either, its stiffness, and the difference of the
// normals at rest
const BEND: i32 = 10;

// outer nodes that an inner node of a shell follows
const OUTER: i32 = 26;

// an outer face of a cell
struct Face {
    order: i32,
    // the axis that it stands on, and the two along it: nodes along the second follow each other
    normal: i32,
    axes: vec2i,
    // its first node, and the difference of numbers between neighbours along both axes
    first: i32,
    stride: vec2i,
}

// number of outer faces of a grid of cells
fn face_num(cells: vec3i) -> i32 {
    return 2 * (cells.y * cells.z + cells.x * cells.z + cells.x * cells.y);
}

// side of the grid that a face is on, and its place there; sides are numbered by axis, the lower one first
fn side_of(cells: vec3i, face: i32) -> vec3i {
    var left = face;
    for (var side = 0; side < 6; side++) {
        let first = cells[(side / 2 + 1) % 3];
        let second = cells[(side / 2 + 2) % 3];
        if (left < first * second) {
            return vec3i(side, left / second, left % second);
        }
        left -= first * second;
    }
    return vec3i(0);
}

fn face_new(order: i32, cells: vec3i, face: i32) -> Face {
    let place = side_of(cells, face);
    let normal = place.x / 2;
    let axes = vec2i((normal + 1) % 3, (normal + 2) % 3);
    let ny = cells.y * order + 1;
    let nz = cells.z * order + 1;
    let strides = vec3i(ny * nz, nz, 1);
    let stride = vec2i(strides[axes.x], strides[axes.y]);
    let level = (place.x % 2) * cells[normal] * order;
    let first = level * strides[normal] + order * (place.y * stride.x + place.z * stride.y);
    return Face(order, normal, axes, first, stride);
}

// the face of a flex, its nodes counted from the first of all
fn face_of(f: i32, face: i32) -> Face {
    let cells = vec3i(flex_cellnum(f, 0), flex_cellnum(f, 1), flex_cellnum(f, 2));
    var out = face_new(abs(flex_interp(f)), cells, face);
    out.first += flex_nodeadr(f);
    return out;
}

// number of a node of a face
fn face_node(s: Face, n: i32) -> i32 {
    let side = s.order + 1;
    return s.first + n / side * s.stride.x + n % side * s.stride.y;
}

struct Tangents {
    first: vec3f,
    second: vec3f,
}

// directions along its two axes at a place in it
fn face_tangents<place>(s: Face, at: vec2f) -> Tangents {
    let first = cell_weights(s.order, at.x);
    let second = cell_weights(s.order, at.y);
    let slope1 = cell_slopes(s.order, at.x);
    let slope2 = cell_slopes(s.order, at.y);
    let side = s.order + 1;
    var out = Tangents();
    for (var n = 0; n < side * side; n++) {
        let i = n / side;
        let j = n % side;
        let x = place(face_node(s, n));
        out.first += x * (slope1[i] * second[j]);
        out.second += x * (first[i] * slope2[j]);
    }
    return out;
}

// deformation at its center: the directions along the axes of the grid, and the vector product along its normal
fn face_stretched<place>(s: Face, size: vec3f) -> mat3x3f {
    let along = face_tangents<place>(s, vec2f(0.5));
    let first = along.first / size[s.axes.x];
    let second = along.second / size[s.axes.y];
    var to: mat3x3f;
    to[s.axes.x] = first;
    to[s.axes.y] = second;
    to[s.normal] = cross(first, second);
    return to;
}

// sides of a cell at rest
fn cell_size(f: i32) -> vec3f {
    let adr = flex_nodeadr(f);
    let extent = flex_node0(adr + flex_nodenum(f) - 1) - flex_node0(adr);
    return extent / vec3f(f32(flex_cellnum(f, 0)), f32(flex_cellnum(f, 1)), f32(flex_cellnum(f, 2)));
}

// adds the forces that keep the angles between faces. A lane computes all of them, and adds those on its own nodes
fn bend_faces(f: i32) {
    let adr = flex_bendingadr(f);
    let size = cell_size(f);
    for (var e = 0; e < i32(flex_bending(adr)); e++) {
        let of_ = adr + 1 + BEND * e;
        let rest = vec3f(flex_bending(of_ + 7), flex_bending(of_ + 8), flex_bending(of_ + 9));
        let at0 = vec2f(flex_bending(of_ + 2), flex_bending(of_ + 3));
        let at1 = vec2f(flex_bending(of_ + 4), flex_bending(of_ + 5));
        var sides: array<FaceSide, 2>;
        for (var k = 0; k < 2; k++) {
            sides[k] = face_side(face_of(f, i32(flex_bending(of_ + k))), select(at0, at1, k == 1), size);
        }
        push_sides(sides, flex_bending(of_ + 6), rest);
    }
}

// a face beside an edge
struct FaceSide {
    face: Face,
    at: vec2f,
    tangents: Tangents,
    // its unit normal, and the length of the product of the tangents
    normal: vec3f,
    length: f32,
    quat: vec4f,
}

fn face_side(face: Face, at: vec2f, size: vec3f) -> FaceSide {
    let tangents = face_tangents<node_xpos>(face, at);
    let normal = normalize3(cross(tangents.first, tangents.second));
    return FaceSide(face, at, tangents, normal.xyz, normal.w, cell_quat(face_stretched<node_xpos>(face, size)));
}

fn push_sides(sides_: array<FaceSide, 2>, stiffness: f32, rest: vec3f) {
    var sides = sides_;
    if (min(sides[0].length, sides[1].length) < MINVAL) {
        return;
    }
    // the mean of both orientations
    let sign = select(1.0, -1.0, dot(sides[0].quat, sides[1].quat) < 0.0);
    let mean = normalize4(sides[0].quat + sides[1].quat * sign);
    let away = sides[0].normal - sides[1].normal - rot_vec_quat(rest, mean);
    for (var k = 0; k < 2; k++) {
        let s = sides[k];
        let firm = select(stiffness, -stiffness, k == 1);
        let pull = (away - s.normal * dot(s.normal, away)) / s.length;
        let first = cross(pull, s.tangents.second);
        let second = cross(pull, s.tangents.first);
        let weight1 = cell_weights(s.face.order, s.at.x);
        let weight2 = cell_weights(s.face.order, s.at.y);
        let slope1 = cell_slopes(s.face.order, s.at.x);
        let slope2 = cell_slopes(s.face.order, s.at.y);
        let width = s.face.order + 1;
        for (var n = 0; n < width * width; n++) {
            let node = face_node(s.face, n);
            if (node % LANES != lane) {
                continue;
            }
            let i = n / width;
            let j = n % width;
            let force = first * (slope1[i] * weight2[j]) - second * (weight1[i] * slope2[j]);
            set_flexnode_spring(node, flexnode_spring(node) + force * firm);
        }
    }
}

// an outer node, and its weight
struct Outer {
    node: i32,
    weight: f32,
}

// whether a node of a flex follows the outer ones
fn follows(f: i32, node: i32) -> bool {
    let at = grid_place(f, node);
    return flex_interp(f) < 0 && all(at > vec3i(0)) && all(at + vec3i(1) < grid_count(f));
}

// number of nodes along each axis
fn grid_count(f: i32) -> vec3i {
    return vec3i(flex_cellnum(f, 0), flex_cellnum(f, 1), flex_cellnum(f, 2)) * abs(flex_interp(f)) + vec3i(1);
}

// place of a node in the grid of a flex, counted along each axis
fn grid_place(f: i32, node: i32) -> vec3i {
    let count = grid_count(f);
    let local = node - flex_nodeadr(f);
    return vec3i(local / (count.y * count.z), local / count.z % count.y, local % count.z);
}

// the `k`-th of the OUTER nodes that an inner node follows: along each axis the lower end, the upper end or the place itself, but
// not the place itself along all
fn outer_of(f: i32, node: i32, k: i32) -> Outer {
    let count = grid_count(f);
    var at = grid_place(f, node);
    var which = vec3i(k / 9, k / 3 % 3, k % 3);
    var weight = 1.0;
    var ends = 0;
    for (var a = 0; a < 3; a++) {
        let share = f32(at[a]) / f32(count[a] - 1);
        if (which[a] < 2) {
            weight *= select(1.0 - share, share, which[a] == 1);
            at[a] = select(0, count[a] - 1, which[a] == 1);
            ends++;
        }
    }
    // two places: faces, one: edges, none: corners
    let sign = select(1.0, -1.0, ends == 2);
    return Outer(flex_nodeadr(f) + (at.x * count.y + at.y) * count.z + at.z, sign * weight);
}

// where a node of a flex is; an inner node of a shell follows the outer ones
fn placed_node(f: i32, node: i32) -> vec3f {
    if (!follows(f, node)) {
        return node_xpos(node);
    }
    var sum = vec3f();
    for (var k = 0; k < OUTER; k++) {
        let outer = outer_of(f, node, k);
        sum += node_xpos(outer.node) * outer.weight;
    }
    return sum;
}
