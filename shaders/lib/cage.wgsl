// soft bodies between the nodes of a grid: where their vertices are, and the forces with which cells keep their shape

// turns of the search for the rotation of a cell at most, and the angle that ends it (rad)
const CELL_TURNS: i32 = 500;
const CELL_STILL: f32 = 9.5367431640625e-7;

// the value of flex_edgeequality where strains are held
const STRAIN: i32 = 3;

// shares of a cell's width between which its nodes move a vertex that lies in an empty cell beside it
const CELL_NEAR: vec2f = vec2f(-0.02, 1.02);

// cells before a cell along the axes
fn cell_first(f: i32, cell: i32) -> vec3i {
    let cy = flex_cellnum(f, 1);
    let cz = flex_cellnum(f, 2);
    return vec3i(cell / (cy * cz), cell / cz % cy, cell % cz);
}

// the node that is so far along the axes of a cell
fn cell_node(f: i32, first: vec3i, at: vec3i) -> i32 {
    let order = abs(flex_interp(f));
    let ny = flex_cellnum(f, 1) * order + 1;
    let nz = flex_cellnum(f, 2) * order + 1;
    let place = first * order + at;
    return flex_nodeadr(f) + (place.x * ny + place.y) * nz + place.z;
}

// how far along the axes of its cell a node is
fn cell_at(order: i32, n: i32) -> vec3i {
    let side = order + 1;
    return vec3i(n / (side * side), n / side % side, n % side);
}

// where a node is
fn node_xpos(n: i32) -> vec3f {
    let body = flex_nodebodyid(n);
    return xpos(body) + xmat(body) * flex_node(n);
}

fn node_vel(n: i32, point: vec3f) -> vec3f {
    let body = flex_nodebodyid(n);
    let motion = cvel(body);
    return motion.lin + cross(motion.rot, point - subtree_com(body_rootid(body)));
}

// interpolates the vertices of a flex between the nodes
fn place_vertices(f: i32) {
    let order = abs(flex_interp(f));
    let cells = vec3f(f32(flex_cellnum(f, 0)), f32(flex_cellnum(f, 1)), f32(flex_cellnum(f, 2)));
    let adr = flex_vertadr(f);
    for (var v = adr + lane; v < adr + flex_vertnum(f); v += LANES) {
        let first = cell_first(f, flex_vertcell(v));
        let along = clamp(flex_vert0(v) * cells - vec3f(first), vec3f(CELL_NEAR.x), vec3f(CELL_NEAR.y));
        let x = cell_weights(order, along.x);
        let y = cell_weights(order, along.y);
        let z = cell_weights(order, along.z);
        var sum = vec3f(0.0);
        for (var n = 0; n < (order + 1) * (order + 1) * (order + 1); n++) {
            let at = cell_at(order, n);
            let node = cell_node(f, first, at);
            if (model_shells) {
                sum += placed_node(f, node) * (x[at.x] * y[at.y] * z[at.z]);
            } else {
                sum += node_xpos(node) * (x[at.x] * y[at.y] * z[at.z]);
            }
        }
        set_flexvert_xpos(v, sum);
    }
}

// slopes of the interpolation weights of the nodes along an axis of a cell
fn cell_slopes(order: i32, s: f32) -> vec3f {
    if (order == 1) {
        return vec3f(-1.0, 1.0, 0.0);
    }
    return vec3f(4.0 * s - 3.0, 4.0 - 8.0 * s, 4.0 * s - 1.0);
}

// interpolation weights of the nodes along an axis of a cell
fn cell_weights(order: i32, s: f32) -> vec3f {
    if (order == 1) {
        return vec3f(1.0 - s, s, 0.0);
    }
    return vec3f((1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0));
}

// forces of all cells of a flex on its nodes: linear elasticity in a frame that turns with the cell, and Rayleigh's damping
fn cell_forces(f: i32) {
    for (var n = flex_nodeadr(f) + lane; n < flex_nodeadr(f) + flex_nodenum(f); n += LANES) {
        var force = CellForce(vec3f(0.0), vec3f(0.0));
        if (is_stiff(f) && flex_interp(f) > 0) {
            force = cells_force(f, n);
        }
        set_flexnode_spring(n, force.pull);
        set_flexnode_damper(n, force.drag * flex_damping(f));
    }
    if (model_shells && flex_interp(f) < 0) {
        team_sync();
        for (var c = 0; c < patch_num(f) && is_stiff(f); c++) {
            patch_force(f, c);
        }
        if (flex_bendingadr(f) >= 0) {
            bend_faces(f);
        }
    }
}

// whether cells or faces have a stiffness; an equality of strains takes its place
fn is_stiff(f: i32) -> bool {
    return flex_stiffnessadr(f) >= 0 && flex_edgeequality(f) != STRAIN;
}

// of cells or faces on a node: for where their nodes are, and for how they move
struct CellForce {
    pull: vec3f,
    drag: vec3f,
}

// on a node, from every cell that has it
fn cells_force(f: i32, n: i32) -> CellForce {
    let order = flex_interp(f);
    let num = vec3i(flex_cellnum(f, 0), flex_cellnum(f, 1), flex_cellnum(f, 2));
    let place = grid_place(f, n);
    let low = max((place + vec3i(order - 1)) / order - vec3i(1), vec3i(0));
    let high = min(place / order, num - vec3i(1));
    var sum = CellForce(vec3f(0.0), vec3f(0.0));
    for (var x = low.x; x <= high.x; x++) {
        for (var y = low.y; y <= high.y; y++) {
            for (var z = low.z; z <= high.z; z++) {
                let at = place - vec3i(x, y, z) * order;
                let own = (at.x * (order + 1) + at.y) * (order + 1) + at.z;
                let force = cell_force_on(f, (x * num.y + y) * num.z + z, own);
                sum.pull += force.pull;
                sum.drag += force.drag;
            }
        }
    }
    return sum;
}

// number of cells of a flex, or of faces of a shell
fn patch_num(f: i32) -> i32 {
    let cells = vec3i(flex_cellnum(f, 0), flex_cellnum(f, 1), flex_cellnum(f, 2));
    if (model_shells && flex_interp(f) < 0) {
        return face_num(cells);
    }
    return cells.x * cells.y * cells.z;
}

// number of nodes of a cell, or of a face of a shell
fn patch_size(f: i32) -> i32 {
    let side = abs(flex_interp(f)) + 1;
    return side * side * select(side, 1, flex_interp(f) < 0);
}

// a node of a cell, or of a face of a shell
fn patch_node(f: i32, c: i32, n: i32) -> i32 {
    if (model_shells && flex_interp(f) < 0) {
        return face_node(face_of(f, c), n);
    }
    return cell_node(f, cell_first(f, c), cell_at(flex_interp(f), n));
}

// the deformation at the center of a cell or a face, by columns, with its nodes at `place`
fn patch_stretched<place>(f: i32, c: i32) -> mat3x3f {
    if (model_shells && flex_interp(f) < 0) {
        return face_stretched<place>(face_of(f, c), cell_size(f));
    }
    return cell_stretched<place>(f, cell_first(f, c));
}

// numbers of a plastic strain: six of a cell, three of a face
fn patch_words(f: i32) -> i32 {
    return select(6, 3, flex_interp(f) < 0);
}

// strain in the frame of a cell or a face that is deformed: the stretches, and the shears twice
fn patch_strain(f: i32, c: i32, to: mat3x3f) -> array<f32, 6> {
    let of_ = transpose(cell_rotation(to)) * to;
    if (model_shells && flex_interp(f) < 0) {
        let axes = face_of(f, c).axes;
        let shear = of_[axes.x][axes.y] + of_[axes.y][axes.x];
        return array<f32, 6>(of_[axes.x][axes.x] - 1.0, of_[axes.y][axes.y] - 1.0, shear, 0.0, 0.0, 0.0);
    }
    return array<f32, 6>(
        of_[0][0] - 1.0, of_[1][1] - 1.0, of_[2][2] - 1.0,
        of_[0][1] + of_[1][0], of_[0][2] + of_[2][0], of_[1][2] + of_[2][1]);
}

// the plastic strain of a cell or a face as a matrix
fn patch_matrix(f: i32, c: i32) -> mat3x3f {
    let at = plastic_stretch(f) + patch_words(f) * c;
    if (model_shells && flex_interp(f) < 0) {
        let axes = face_of(f, c).axes;
        var out: mat3x3f;
        out[axes.x][axes.x] = plastic(at);
        out[axes.y][axes.y] = plastic(at + 1);
        out[axes.x][axes.y] = plastic(at + 2) * 0.5;
        out[axes.y][axes.x] = plastic(at + 2) * 0.5;
        return out;
    }
    let xy = plastic(at + 3) * 0.5;
    let xz = plastic(at + 4) * 0.5;
    let yz = plastic(at + 5) * 0.5;
    return mat3x3f(vec3f(plastic(at), xy, xz), vec3f(xy, plastic(at + 1), yz), vec3f(xz, yz, plastic(at + 2)));
}

// forces of a cell or a face on its nodes. A lane adds those on its own nodes
fn patch_force(f: i32, c: i32) {
    for (var own = 0; own < patch_size(f); own++) {
        let node = patch_node(f, c, own);
        if (node % LANES != lane) {
            continue;
        }
        let force = cell_force_on(f, c, own);
        set_flexnode_spring(node, flexnode_spring(node) + force.pull);
        set_flexnode_damper(node, flexnode_damper(node) + force.drag * flex_damping(f));
    }
}

// of a cell or a face on one of its nodes
fn cell_force_on(f: i32, c: i32, own: i32) -> CellForce {
    let num = patch_size(f);
    let mat = cell_rotation(patch_stretched<node_xpos>(f, c));
    let yielded = model_yields && plastic_stretch(f) >= 0;
    var kept: mat3x3f;
    if (yielded) {
        kept = patch_matrix(f, c);
    }

    // relative to the first node, so that the position of the cell costs no precision
    let start = patch_node(f, c, 0);
    let x = node_xpos(start);
    let v = node_vel(start, x);
    let rest = flex_node0(start);
    let size = 3 * num;
    let adr = flex_stiffnessadr(f) + c * size * size;
    var pull = vec3f(0.0);
    var drag = vec3f(0.0);
    for (var n = 0; n < num; n++) {
        let node = patch_node(f, c, n);
        let point = node_xpos(node);
        let arm = flex_node0(node) - rest;
        var away = transpose(mat) * (point - x) - arm;
        if (yielded) {
            away -= kept * arm;
        }
        let vel = transpose(mat) * (node_vel(node, point) - v);
        for (var k = 0; k < 3; k++) {
            let row = adr + (3 * own + k) * size + 3 * n;
            let stiffness = vec3f(flex_stiffness(row), flex_stiffness(row + 1), flex_stiffness(row + 2));
            pull[k] += dot(stiffness, away);
            drag[k] += dot(stiffness, vel);
        }
    }
    return CellForce(mat * pull, mat * drag);
}

// mean edge vectors of a cell along its three axes, each divided by its rest length
fn cell_stretched<place>(f: i32, first: vec3i) -> mat3x3f {
    let order = flex_interp(f);
    let extent = flex_node0(cell_node(f, first, vec3i(order))) - flex_node0(cell_node(f, first, vec3i(0)));
    var out: mat3x3f;
    for (var a = 0; a < 3; a++) {
        var sum = vec3f(0.0);
        // only between the centers of opposite faces
        for (var corner = 0; corner < select(1, 4, order == 1); corner++) {
            var at = vec3i(0);
            at[(a + 1) % 3] = select(1, corner / 2, order == 1);
            at[(a + 2) % 3] = select(1, corner % 2, order == 1);
            let near = place(cell_node(f, first, at));
            at[a] = order;
            sum += (place(cell_node(f, first, at)) - near) * select(1.0, 0.25, order == 1);
        }
        out[a] = sum / extent[a];
    }
    return out;
}

// the rotation nearest to a matrix, given by its columns
fn cell_rotation(to: mat3x3f) -> mat3x3f {
    return quat2mat(cell_quat(to));
}

// the rotation nearest to a matrix, given by its columns (`mju_mat2Rot`)
fn cell_quat(to: mat3x3f) -> vec4f {
    var quat = vec4f(1.0, 0.0, 0.0, 0.0);
    for (var turn = 0; turn < CELL_TURNS; turn++) {
        let mat = quat2mat(quat);
        let about = cross(mat[0], to[0]) + cross(mat[1], to[1]) + cross(mat[2], to[2]);
        let along = dot(mat[0], to[0]) + dot(mat[1], to[1]) + dot(mat[2], to[2]);
        let way = normalize3(about / (abs(along) + MINVAL));
        if (!(CELL_STILL <= way.w)) {
            break;
        }
        quat = normalize4(mul_quat(axis_angle2quat(way.xyz, way.w), quat));
    }
    return quat;
}
