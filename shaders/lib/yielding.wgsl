// flexes that yield: what of a strain is plastic after a step, and where it is kept. A lane does whole elements

// largest angle to which a hinge bends for good, in the measure of its coefficient (rad)
const BENT_MOST: f32 = 1.3;

// largest plastic strain of a cell or a face
const PLASTIC_LARGEST: f32 = 0.35;

// largest part of an edge's squared length at rest that it loses for good
const PLASTIC_SHORTEST: f32 = 0.99;

// part of the squared change of area that does not count in a face that is stretched: it gets thinner by a quarter of that change
const THINNING: f32 = 0.125;

// iterations of the search for the plastic change of volume at most
const VOLUME_TURNS: i32 = 60;

// address of the plastic strains of stretching, if a flex has any
fn plastic_stretch(f: i32) -> i32 {
    return select(-1, flex_plasticadr(f), (flex_plasticmode(f) & 2) != 0);
}

// address of the plastic coefficients of hinges, if a flex has any: they follow those of stretching
fn plastic_bend(f: i32) -> i32 {
    let before = select(0, 3 * flex_elemnum(f), plastic_stretch(f) >= 0);
    return select(-1, flex_plasticadr(f) + before, (flex_plasticmode(f) & 1) != 0);
}

// moves the plastic strains of flexes whose elastic strains a step brought beyond their yield limits
fn yield_flexes() {
    if ((opt_disableflags & DSBL_SPRING) != 0) {
        return;
    }
    for (var f = 0; f < nflex; f++) {
        let adr = plastic_stretch(f);
        if (adr >= 0 && model_cages && flex_interp(f) != 0) {
            yield_patches(f, adr);
        } else if (adr >= 0 && flex_dim(f) == 2) {
            yield_triangles(f, adr);
        } else if (adr >= 0) {
            yield_tetrahedra(f, adr);
        }
        if (plastic_bend(f) >= 0) {
            yield_hinges(f, plastic_bend(f));
        }
    }
}

// where a point of a body is after a step, by its velocity
fn next(body: i32, point: vec3f) -> vec3f {
    let offset = point - subtree_com(body_rootid(body));
    var vel = vec3f();
    for (var i = body_lastdof(body); i >= 0; i = dof_parentid(i)) {
        let motion = cdof(i);
        vel += (motion.lin + cross(motion.rot, offset)) * qvel(i);
    }
    return point + vel * opt_timestep;
}

fn next_vertex(v: i32) -> vec3f {
    return next(flex_vertbodyid(v), flexvert_xpos(v));
}

fn next_node(n: i32) -> vec3f {
    return next(flex_nodebodyid(n), node_xpos(n));
}

// edges of an element: elastic part of their squared lengths less those at rest, and the latter
struct Stretch {
    elastic: array<f32, 6>,
    square: array<f32, 6>,
}

fn stretch(f: i32, t: i32, plastic_: i32) -> Stretch {
    let dim = flex_dim(f);
    let nedge = select(6, 3, dim == 2);
    let first = select(3, 0, dim == 2);
    let corner = flex_elemdataadr(f) + (dim + 1) * t;
    var xpos: array<vec3f, 4>;
    for (var k = 0; k <= dim; k++) {
        xpos[k] = next_vertex(flex_vertadr(f) + flex_elem(corner + k));
    }
    var out: Stretch;
    for (var k = 0; k < nedge; k++) {
        let ends = ELEMENT_EDGES[first + k];
        let rest = flexedge_length0(flex_edgeadr(f) + flex_elemedge(flex_elemedgeadr(f) + nedge * t + k));
        let between = xpos[ends[0]] - xpos[ends[1]];
        out.square[k] = rest * rest;
        out.elastic[k] = dot(between, between) - rest * rest - plastic(plastic_ + k);
    }
    return out;
}

// the factor that brings a strain to its limit, whose squared deviator is given; 1: it is below
fn kept_strain(square: f32, limit: f32) -> f32 {
    let strain = sqrt(max(square, 0.0) * (2.0 / 3.0));
    if (limit < strain) {
        return limit / strain;
    }
    return 1.0;
}

// von Mises in a plane: what is stretched gets thinner, what is compressed keeps its area
fn yield_triangles(f: i32, adr: i32) {
    let limit = flex_yield(f, 0);
    for (var t = lane; t < flex_elemnum(f); t += LANES) {
        let at = adr + 3 * t;
        let x = stretch(f, t, at);
        let mat = 0.5 * mixed2(
            vec3f(x.elastic[2], x.elastic[1], x.elastic[0]),
            vec3f(x.square[2], x.square[1], x.square[0]));
        let trace = mat[0] + mat[3];
        let norm = mat[0] * mat[0] + 2.0 * mat[1] * mat[2] + mat[3] * mat[3];
        let grows = 0.0 <= trace;
        let along = select(-trace * trace * 0.5, trace * trace, grows);
        let moved = 1.0 - kept_strain(norm + along, limit);
        for (var k = 0; k < 3; k++) {
            let area = select(trace * x.square[k], 0.0, grows);
            let held = plastic(at + k) + moved * (x.elastic[k] - area);
            set_plastic(at + k, max(held, -PLASTIC_SHORTEST * x.square[k]));
        }
    }
}

// scalar products of the edges from the first vertex, by the squares of two edges there and of the third
fn products(s: vec3f) -> vec3f {
    return vec3f(s[0], (s[0] + s[1] - s[2]) * 0.5, s[1]);
}

// inverse of the products at rest times the change of the products
fn mixed2(change: vec3f, square: vec3f) -> vec4f {
    let d = products(change);
    let s = products(square);
    let scale = 1.0 / (s[0] * s[2] - s[1] * s[1]);
    return vec4f(
        s[2] * d[0] - s[1] * d[1],
        s[2] * d[1] - s[1] * d[2],
        s[0] * d[1] - s[1] * d[0],
        s[0] * d[2] - s[1] * d[1]) * scale;
}

// products of the three edges from the first vertex of a tetrahedron, by the squares of its edges
fn products3(s: array<f32, 6>) -> mat3x3f {
    let ab = 0.5 * (s[0] + s[2] - s[1]);
    let ac = 0.5 * (s[0] + s[4] - s[5]);
    let bc = 0.5 * (s[2] + s[4] - s[3]);
    return mat3x3f(vec3f(s[0], ab, ac), vec3f(ab, s[2], bc), vec3f(ac, bc, s[4]));
}

// inverse of the products at rest times the change of the products: columns are the rows of the matrix
fn mixed3(change: array<f32, 6>, square: array<f32, 6>) -> mat3x3f {
    let rest = products3(square);
    let across = mat3x3f(cross(rest[1], rest[2]), cross(rest[2], rest[0]), cross(rest[0], rest[1]));
    return (products3(change) * across) * (1.0 / dot(rest[0], across[0]));
}

fn trace_square(a: mat3x3f) -> f32 {
    let b = transpose(a);
    return dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2]);
}

// von Mises; the plastic part of the deformation keeps the volume
fn yield_tetrahedra(f: i32, adr: i32) {
    let limit = flex_yield(f, 0);
    for (var t = lane; t < flex_elemnum(f); t += LANES) {
        let at = adr + 6 * t;
        let x = stretch(f, t, at);
        let mat = mixed3(x.elastic, x.square);
        let trace = mat[0][0] + mat[1][1] + mat[2][2];
        let deviator_ = (trace_square(mat) - trace * trace / 3.0) * 0.25;
        let moved = 1.0 - kept_strain(deviator_, limit);
        if (moved <= 0.0) {
            continue;
        }
        var old: array<f32, 6>;
        for (var k = 0; k < 6; k++) {
            old[k] = plastic(at + k);
        }
        let kept = mixed3(old, x.square);
        let before = (kept[0][0] + kept[1][1] + kept[2][2]) / 3.0;
        let more = trace / 3.0;
        var shape: array<f32, 6>;
        for (var k = 0; k < 6; k++) {
            shape[k] = old[k] - before * x.square[k] + moved * (x.elastic[k] - more * x.square[k]);
        }
        let growth = isochoric(mixed3(shape, x.square));
        for (var k = 0; k < 6; k++) {
            let held = shape[k] + growth * x.square[k];
            set_plastic(at + k, max(held, -PLASTIC_SHORTEST * x.square[k]));
        }
    }
}

// the number x - 1 for which det(x 1 + a) is 1, of a matrix without trace: the largest root
fn isochoric(a: mat3x3f) -> f32 {
    let second = -0.5 * trace_square(a);
    let third = dot(a[0], cross(a[1], a[2])) - 1.0;
    var x = sqrt(max(-second, 0.0)) + max(-third, 1.0);
    for (var turn = 0; turn < VOLUME_TURNS; turn++) {
        let value = (x * x + second) * x + third;
        let step = value / (3.0 * x * x + second);
        x -= step;
        if (abs(step) <= 4.0 * ROUNDING) {
            break;
        }
    }
    return x - 1.0;
}

// von Mises of the small strain of a cell, or of a face of a shell
fn yield_patches(f: i32, adr: i32) {
    let limit = flex_yield(f, 0);
    let words = patch_words(f);
    for (var c = lane; c < patch_num(f); c += LANES) {
        let at = adr + words * c;
        var strain = patch_strain(f, c, patch_stretched<next_node>(f, c));
        for (var k = 0; k < words; k++) {
            strain[k] -= plastic(at + k);
        }
        var square: f32;
        if (words == 6) {
            // takes the change of volume from a strain; the square of what is left
            let mean = (strain[0] + strain[1] + strain[2]) / 3.0;
            for (var k = 0; k < 3; k++) {
                strain[k] -= mean;
            }
            square = dot(vec3f(strain[0], strain[1], strain[2]), vec3f(strain[0], strain[1], strain[2]));
            square += 0.5 * (strain[3] * strain[3] + strain[4] * strain[4] + strain[5] * strain[5]);
        } else {
            // the same in a plane: what is stretched gets thinner and keeps its change of area
            let trace = strain[0] + strain[1];
            let grows = 0.0 <= trace;
            square = strain[0] * strain[0] + strain[1] * strain[1] + 0.5 * strain[2] * strain[2];
            square -= trace * trace * select(0.5, THINNING, grows);
            let area = select(0.5 * trace, 0.0, grows);
            strain[0] -= area;
            strain[1] -= area;
        }
        let moved = 1.0 - kept_strain(square, limit);
        if (moved <= 0.0) {
            continue;
        }
        for (var k = 0; k < words; k++) {
            strain[k] = plastic(at + k) + moved * strain[k];
        }

        // a larger plastic strain is scaled down
        var norm = 0.0;
        for (var k = 0; k < words; k++) {
            norm += strain[k] * strain[k] * select(0.5, 1.0, k < select(2, 3, words == 6));
        }
        norm = sqrt(norm);
        let scale = select(1.0, PLASTIC_LARGEST / norm, norm > PLASTIC_LARGEST);
        for (var k = 0; k < words; k++) {
            set_plastic(at + k, strain[k] * scale);
        }
    }
}

// hinges keep what bends their outer fibres too far, as a coefficient of the bend at rest
fn yield_hinges(f: i32, adr: i32) {
    let thickness = flex_stiffness(flex_stiffnessadr(f) + THICKNESS);
    let limit = flex_yield(f, 1) * 2.0 / thickness;
    for (var e = lane; e < flex_edgenum(f); e += LANES) {
        let edge = flex_edgeadr(f) + e;
        if (flex_edgeflap(edge, 1) < 0) {
            continue;
        }
        let v = hinge(f, edge);
        let x0 = next_vertex(v[0]);
        let x1 = next_vertex(v[1]) - x0;
        let way = normalize3(x1);
        let first = cross(x1, next_vertex(v[2]) - x0);
        let last = cross(next_vertex(v[3]) - x0, x1);
        let areas = (length(first) + length(last)) * 0.5;
        let sine = dot(cross(first, last), way.xyz);

        // the angle that the coefficient of a hinge at rest would hold
        let rest = flexedge_length0(edge);
        let bending_ = flex_bendingadr(f) + BENDING * e;
        let scale = flex_bending(bending_ + 11) / rest;
        let angle = atan2(sine * rest, dot(first, last) * way.w);
        let given = flex_bending(bending_ + BENDING - 1);
        let held = atan2(given + plastic(adr + e), scale);
        let most = limit * areas / rest;
        let bent = angle - held;
        if (most < abs(bent)) {
            let bound = clip(angle - select(most, -most, bent < 0.0), -BENT_MOST, BENT_MOST);
            set_plastic(adr + e, scale * tan(bound) - given);
        }
    }
}
