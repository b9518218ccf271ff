// soft bodies between the nodes of a grid: where their vertices are, and the forces with which cells keep their shape

// turns of the search for the rotation of a cell at most, and the angle that ends it (rad)
const CELL_TURNS: i32 = 500;
const CELL_STILL: f32 = 9.5367431640625e-7;

// cells before a cell along the axes
fn cell_first(f: i32, cell: i32) -> vec3i {
    let cy = flex_cellnum(f, 1);
    let cz = flex_cellnum(f, 2);
    return vec3i(cell / (cy * cz), cell / cz % cy, cell % cz);
}

// the node that is so far along the axes of a cell
fn cell_node(f: i32, first: vec3i, at: vec3i) -> i32 {
    let order = flex_interp(f);
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
    let order = flex_interp(f);
    let cells = vec3f(f32(flex_cellnum(f, 0)), f32(flex_cellnum(f, 1)), f32(flex_cellnum(f, 2)));
    let adr = flex_vertadr(f);
    for (var v = adr + lane; v < adr + flex_vertnum(f); v += LANES) {
        let first = cell_first(f, flex_vertcell(v));
        let along = flex_vert0(v) * cells - vec3f(first);
        let x = cell_weights(order, along.x);
        let y = cell_weights(order, along.y);
        let z = cell_weights(order, along.z);
        var sum = vec3f(0.0);
        for (var n = 0; n < (order + 1) * (order + 1) * (order + 1); n++) {
            let at = cell_at(order, n);
            sum += node_xpos(cell_node(f, first, at)) * (x[at.x] * y[at.y] * z[at.z]);
        }
        set_flexvert_xpos(v, sum);
    }
}

// interpolation weights of the nodes along an axis of a cell
fn cell_weights(order: i32, s: f32) -> vec3f {
    if (order == 1) {
        return vec3f(1.0 - s, s, 0.0);
    }
    return vec3f((1.0 - s) * (1.0 - 2.0 * s), 4.0 * s * (1.0 - s), s * (2.0 * s - 1.0));
}

// forces of all cells of a flex on its nodes: linear elasticity in a frame that turns with the cell, and Rayleigh's damping. A lane
// finds those on its own nodes, from every cell that has them
fn cell_forces(f: i32) {
    let order = flex_interp(f);
    let num = vec3i(flex_cellnum(f, 0), flex_cellnum(f, 1), flex_cellnum(f, 2));
    let side = num * order + vec3i(1);
    for (var n = lane; n < flex_nodenum(f); n += LANES) {
        let place = vec3i(n / (side.y * side.z), n / side.z % side.y, n % side.z);
        let low = max((place + vec3i(order - 1)) / order - vec3i(1), vec3i(0));
        let high = min(place / order, num - vec3i(1));
        var pull = vec3f(0.0);
        var drag = vec3f(0.0);
        for (var x = low.x; x <= high.x; x++) {
            for (var y = low.y; y <= high.y; y++) {
                for (var z = low.z; z <= high.z; z++) {
                    let first = vec3i(x, y, z);
                    let force = cell_force_on(f, first, place - first * order);
                    pull += force.pull;
                    drag += force.drag;
                }
            }
        }
        set_flexnode_spring(flex_nodeadr(f) + n, pull);
        set_flexnode_damper(flex_nodeadr(f) + n, drag * flex_damping(f));
    }
}

// of a cell on one of its nodes: for where its nodes are, and for how they move
struct CellForce {
    pull: vec3f,
    drag: vec3f,
}

fn cell_force_on(f: i32, first: vec3i, at: vec3i) -> CellForce {
    let order = flex_interp(f);
    let num = (order + 1) * (order + 1) * (order + 1);
    let cell = (first.x * flex_cellnum(f, 1) + first.y) * flex_cellnum(f, 2) + first.z;
    let own = (at.x * (order + 1) + at.y) * (order + 1) + at.z;
    let mat = cell_rotation(cell_stretched(f, first));

    // relative to the first node, so that the position of the cell costs no precision
    let start = cell_node(f, first, vec3i(0));
    let x = node_xpos(start);
    let v = node_vel(start, x);
    let rest = flex_node0(start);
    let size = 3 * num;
    let adr = flex_stiffnessadr(f) + cell * size * size;
    var pull = vec3f(0.0);
    var drag = vec3f(0.0);
    for (var n = 0; n < num; n++) {
        let node = cell_node(f, first, cell_at(order, n));
        let point = node_xpos(node);
        let away = transpose(mat) * (point - x) - (flex_node0(node) - rest);
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
fn cell_stretched(f: i32, first: vec3i) -> mat3x3f {
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
            let near = node_xpos(cell_node(f, first, at));
            at[a] = order;
            sum += (node_xpos(cell_node(f, first, at)) - near) * select(1.0, 0.25, order == 1);
        }
        out[a] = sum / extent[a];
    }
    return out;
}

// the rotation nearest to a matrix, given by its columns
fn cell_rotation(to: mat3x3f) -> mat3x3f {
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
    return quat2mat(quat);
}
