// what soft bodies add to the metric of a discrete step: the stiffness of their material over a timestep, and the change of its forces as
// the body moves. Every lane goes over all elements, and adds to the rows of its own dofs

// a point of a body, which dofs move
struct BodyPoint {
    // the last of these dofs, -1: none
    last: i32,
    // relative to the center of mass of the tree
    offset: vec3f,
}

// weights of a stiffness: in the metric, and in the change of forces over a timestep
struct Weight {
    metric: f32,
    shift: f32,
}

fn body_point(body: i32, at: vec3f) -> BodyPoint {
    return BodyPoint(body_lastdof(body), at - subtree_com(body_rootid(body)));
}

// the point of a vertex; without dofs where nodes carry it
fn vertex_point(v: i32) -> BodyPoint {
    let body = flex_vertbodyid(v);
    if (model_cages && body < 0) {
        return BodyPoint(-1, vec3f());
    }
    return body_point(body, flexvert_xpos(v));
}

// motion of a point by a dof
fn point_moved(p: BodyPoint, i: i32) -> vec3f {
    let motion = cdof(i);
    return motion.lin + cross(motion.rot, p.offset);
}

// true if a dof that moves a point belongs to this lane
fn owns(p: BodyPoint) -> bool {
    for (var i = p.last; i >= 0; i = dof_parentid(i)) {
        if (i % LANES == lane) {
            return true;
        }
    }
    return false;
}

// adds the material of all soft bodies to `efm_K_val` and `efm_c`
fn stiffen_flexes() {
    let spring = (opt_disableflags & DSBL_SPRING) == 0;
    let damper = (opt_disableflags & DSBL_DAMPER) == 0;
    if (!spring && !damper) {
        return;
    }
    let shift = select(0.0, opt_timestep, spring);
    for (var f = 0; f < nflex; f++) {
        if (flex_rigid(f) != 0) {
            continue;
        }
        let damping = select(0.0, flex_damping(f), damper);
        let weight = Weight(opt_timestep * (shift + damping), shift);
        if (model_rods && is_rod(f)) {
            stiffen_rod(f, shift, damping);
        } else if (flex_interp(f) != 0) {
            // the bending of shells between nodes acts as it is at the beginning
            if (model_cages && is_stiff(f)) {
                stiffen_patches(f, weight);
            }
        } else {
            let adr = flex_stiffnessadr(f);
            if (flex_dim(f) > 1 && adr >= 0 && flex_stiffness(max(adr, 0)) != 0.0) {
                stiffen_elements(f, weight);
            }
            if (flex_bendingadr(f) >= 0) {
                stiffen_hinges(f, weight);
            }
        }
    }
}

// the force on one point as another moves: a matrix, given by its rows, spread over the dofs that move them
fn add_block(weight: Weight, p: BodyPoint, q: BodyPoint, block: mat3x3f) {
    for (var i = p.last; i >= 0; i = dof_parentid(i)) {
        if (i % LANES != lane) {
            continue;
        }
        let through = block * point_moved(p, i);
        for (var j = q.last; j >= 0; j = dof_parentid(j)) {
            let x = dot(through, point_moved(q, j));
            set_efm_c(i, efm_c(i) - weight.shift * x * qvel(j));
            if (j <= i) {
                add_pair(weight, i, j, x);
            }
        }
    }
}

// the force along one dof as another moves, an earlier one or the same
fn add_pair(weight: Weight, i: i32, j: i32, x: f32) {
    let k = coupling(i, j);
    if (k >= 0) {
        set_efm_K_val(k, efm_K_val(k) + weight.metric * x);
    }
}

// adds a quadratic form in up to three coordinates, whose slopes over up to four vertices are given
fn add_form(weight: Weight, v: vec4i, vertices: i32, coordinates: i32, slopes_: array<vec3f, 12>, form_: mat3x3f) {
    var slopes = slopes_;
    var form = form_;
    for (var i = 0; i < vertices; i++) {
        let p = vertex_point(v[i]);
        if (!owns(p)) {
            continue;
        }
        for (var j = 0; j < vertices; j++) {
            var block = mat3x3f();
            for (var a = 0; a < coordinates; a++) {
                var along = vec3f();
                for (var b = 0; b < coordinates; b++) {
                    along += slopes[4 * b + j] * form[a][b];
                }
                let own = slopes[4 * a + i];
                block = mat3x3f(block[0] + along * own.x, block[1] + along * own.y, block[2] + along * own.z);
            }
            add_block(weight, p, vertex_point(v[j]), block);
        }
    }
}

// adds the stiffness between two hinges of joints that turn against each other, and that of each by itself; -1: missing. What holds a
// hinge is in M's place, like a spring of its joint
fn add_hinges(weight: Weight, joints: vec2i, between_: f32, own: vec2f) {
    for (var k = 0; k < 2; k++) {
        let i = select(-1, jnt_dofadr(max(joints[k], 0)), joints[k] >= 0);
        if (i >= 0 && i % LANES == lane) {
            let stiffness = between_ + own[k];
            let at = on_diagonal(i);
            set_efm_M(at, efm_M(at) + weight.metric * stiffness);
            var change = stiffness * qvel(i);
            if (joints[1 - k] >= 0) {
                let j = jnt_dofadr(joints[1 - k]);
                change -= between_ * qvel(j);
                if (j <= i) {
                    add_pair(weight, i, j, -between_);
                }
            }
            set_efm_c(i, efm_c(i) - weight.shift * change);
        }
    }
}

// stretched elements: the material, and the tension of edges, which resists their turning unless it is negative
fn stiffen_elements(f: i32, weight: Weight) {
    let dim = flex_dim(f);
    let nedge = select(6, 3, dim == 2);
    let first = select(3, 0, dim == 2);
    let stride = select(24, 21, dim == 2);
    for (var t = 0; t < flex_elemnum(f); t++) {
        let corner = flex_elemdataadr(f) + (dim + 1) * t;
        var own = false;
        for (var i = 0; i <= dim; i++) {
            own = own || owns(vertex_point(flex_vertadr(f) + flex_elem(corner + i)));
        }
        if (!own) {
            continue;
        }
        var span: array<vec3f, 6>;
        var stretch: array<f32, 6>;
        for (var k = 0; k < nedge; k++) {
            let ends = ELEMENT_EDGES[first + k];
            let a = flex_vertadr(f) + flex_elem(corner + ends[0]);
            let b = flex_vertadr(f) + flex_elem(corner + ends[1]);
            span[k] = flexvert_xpos(a) - flexvert_xpos(b);
            stretch[k] = edge_stretch(f, nedge * t + k, length(span[k]));
        }
        let adr = flex_stiffnessadr(f) + stride * t;
        var tension: array<f32, 6>;
        for (var a = 0; a < nedge; a++) {
            var sum = 0.0;
            for (var b = 0; b < nedge; b++) {
                sum += element_stiffness(adr, nedge, a, b) * stretch[b];
            }
            tension[a] = max(sum, 0.0);
        }
        for (var i = 0; i <= dim; i++) {
            let p = vertex_point(flex_vertadr(f) + flex_elem(corner + i));
            for (var j = 0; j <= dim && owns(p); j++) {
                var block = mat3x3f();
                for (var a = 0; a < nedge; a++) {
                    let from_ = end_of(ELEMENT_EDGES[first + a], i);
                    for (var b = 0; b < nedge && from_ != 0.0; b++) {
                        let sign = from_ * end_of(ELEMENT_EDGES[first + b], j);
                        let along = span[b] * (2.0 * element_stiffness(adr, nedge, a, b) * sign);
                        let turn = select(0.0, tension[a] * sign, a == b);
                        let s = span[a];
                        block = mat3x3f(
                            block[0] + along * s.x + vec3f(turn, 0.0, 0.0),
                            block[1] + along * s.y + vec3f(0.0, turn, 0.0),
                            block[2] + along * s.z + vec3f(0.0, 0.0, turn));
                    }
                }
                add_block(weight, p, vertex_point(flex_vertadr(f) + flex_elem(corner + j)), block);
            }
        }
    }
}

// 1 at the first end of an edge, -1 at the second, 0 at other corners
fn end_of(edge: vec2i, corner: i32) -> f32 {
    return select(select(0.0, -1.0, edge[1] == corner), 1.0, edge[0] == corner);
}

// hinges between triangles
fn stiffen_hinges(f: i32, weight: Weight) {
    for (var e = 0; e < flex_edgenum(f); e++) {
        let edge = flex_edgeadr(f) + e;
        if (flex_edgeflap(edge, 1) < 0) {
            continue;
        }
        var v = hinge(f, edge);
        let adr = flex_bendingadr(f) + BENDING * e;
        for (var i = 0; i < 4; i++) {
            let p = vertex_point(v[i]);
            for (var j = 0; j < 4 && owns(p); j++) {
                let x = flex_bending(adr + 4 * i + j);
                add_block(weight, p, vertex_point(v[j]), unit_mat3() * x);
            }
        }
    }
}

// cells between nodes or faces of shells, which resist in a frame that turns with them
fn stiffen_patches(f: i32, weight: Weight) {
    for (var c = 0; c < patch_num(f); c++) {
        // an empty cell has no stiffness; a face has some along its axes
        let num = patch_size(f);
        let size = 3 * num;
        let adr = flex_stiffnessadr(f) + c * size * size;
        if (flex_interp(f) > 0 && flex_stiffness(adr) == 0.0) {
            continue;
        }
        var own = false;
        for (var i = 0; i < num; i++) {
            own = own || owns(node_point(patch_node(f, c, i)));
        }
        if (!own) {
            continue;
        }
        let mat = cell_rotation(patch_stretched<node_xpos>(f, c));
        for (var i = 0; i < num; i++) {
            let p = node_point(patch_node(f, c, i));
            for (var j = 0; j < num && owns(p); j++) {
                // the model holds the matrix of the forces, which oppose the stiffness
                var within: array<vec3f, 3>;
                for (var r = 0; r < 3; r++) {
                    let at = adr + (3 * i + r) * size + 3 * j;
                    within[r] = mat * vec3f(-flex_stiffness(at), -flex_stiffness(at + 1), -flex_stiffness(at + 2));
                }
                let block = mat3x3f(within[0], within[1], within[2]) * transpose(mat);
                add_block(weight, p, node_point(patch_node(f, c, j)), block);
            }
        }
    }
}

// all dofs of a node count, also where the material's force is not passed on to ancestors
fn node_point(n: i32) -> BodyPoint {
    return body_point(flex_nodebodyid(n), node_xpos(n));
}
