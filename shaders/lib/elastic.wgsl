// elastic forces on the vertices of a flex; a lane computes all of them, and adds those on its own vertices

// vertex numbers of the edges of a triangle, then of a tetrahedron
const ELEMENT_EDGES: array<vec2i, 9> = array<vec2i, 9>(
    vec2i(1, 2), vec2i(2, 0), vec2i(0, 1),
    vec2i(0, 1), vec2i(1, 2), vec2i(2, 0), vec2i(2, 3), vec2i(0, 3), vec2i(1, 3));

// place of the thickness among the coefficients of the first triangle, if hinges yield
const THICKNESS: i32 = 6;
// number of bending coefficients of an edge: the matrix of the four vertices of a hinge, and one coefficient of its curvature at rest
const BENDING: i32 = 17;

// sets the velocities of the vertices, and their forces to zero
fn vertex_motion() {
    for (var v = lane; v < nflexvert; v += LANES) {
        let body = flex_vertbodyid(v);
        if (model_cages && body < 0) {
            continue;
        }
        let offset = flexvert_xpos(v) - subtree_com(body_rootid(body));
        let motion = cvel(body);
        set_flexvert_vel(v, motion.lin + cross(motion.rot, offset));
        set_flexvert_spring(v, vec3f());
        set_flexvert_damper(v, vec3f());
    }
}

// adds the stretch forces of elements. The energy of an element is `s' K s / 4`, with `s` the squared lengths of its edges less
// those at rest. Damping is Rayleigh's over a timestep
fn stretch_forces(f: i32) {
    let dim = flex_dim(f);
    let nedge = select(6, 3, dim == 2);
    let first = select(3, 0, dim == 2);
    let stride = select(24, 21, dim == 2);
    let rayleigh = flex_damping(f);
    for (var t = 0; t < flex_elemnum(f); t++) {
        let corner = flex_elemdataadr(f) + (dim + 1) * t;
        var between: array<vec3f, 6>;
        var stretch: array<f32, 6>;
        var rate: array<f32, 6>;
        for (var k = 0; k < nedge; k++) {
            let ends = ELEMENT_EDGES[first + k];
            let a = flex_vertadr(f) + flex_elem(corner + ends[0]);
            let b = flex_vertadr(f) + flex_elem(corner + ends[1]);
            between[k] = flexvert_xpos(a) - flexvert_xpos(b);
            let way = normalize3(between[k]);
            let speed = dot(way.xyz, flexvert_vel(a) - flexvert_vel(b));
            stretch[k] = edge_stretch(f, nedge * t + k, way.w);
            rate[k] = 2.0 * way.w * speed - speed * speed * opt_timestep;
        }

        // every edge pulls at its two vertices
        let adr = flex_stiffnessadr(f) + stride * t;
        for (var i = 0; i < nedge; i++) {
            var spring = 0.0;
            var damper = 0.0;
            for (var k = 0; k < nedge; k++) {
                let stiffness = element_stiffness(adr, nedge, i, k);
                spring += stiffness * stretch[k];
                damper += stiffness * rate[k];
            }
            let ends = ELEMENT_EDGES[first + i];
            let pull = between[i] * spring;
            let drag = between[i] * (damper * rayleigh);
            push_vertex(flex_vertadr(f) + flex_elem(corner + ends[0]), -pull, -drag);
            push_vertex(flex_vertadr(f) + flex_elem(corner + ends[1]), pull, drag);
        }
    }
}

// square of the length of an element's edge less that at rest and what has yielded; the edges of all elements are numbered one after
// another
fn edge_stretch(f: i32, edge: i32, len: f32) -> f32 {
    let rest = flexedge_length0(flex_edgeadr(f) + flex_elemedge(flex_elemedgeadr(f) + edge));
    let stretch = (len - rest) * (len + rest);
    if (model_yields && plastic_stretch(f) >= 0) {
        return stretch - plastic(plastic_stretch(f) + edge);
    }
    return stretch;
}

// the material between two edges of an element: the upper triangle of a matrix, row by row
fn element_stiffness(adr: i32, nedge: i32, a: i32, b: i32) -> f32 {
    let row = min(a, b);
    return flex_stiffness(adr + row * nedge - row * (row + 1) / 2 + max(a, b));
}

// vertices of the hinge at an edge: the ends of the edge, then the corners across it
fn hinge(f: i32, edge: i32) -> array<i32, 4> {
    let first = flex_vertadr(f);
    return array<i32, 4>(
        first + flex_edge(edge, 0), first + flex_edge(edge, 1),
        first + flex_edgeflap(edge, 0), first + flex_edgeflap(edge, 1));
}

// adds the bending forces of hinges between triangles
fn bend_forces(f: i32) {
    let rayleigh = flex_damping(f);
    for (var e = 0; e < flex_edgenum(f); e++) {
        let edge = flex_edgeadr(f) + e;
        if (flex_edgeflap(edge, 1) < 0) {
            continue;
        }
        let v = hinge(f, edge);
        let adr = flex_bendingadr(f) + BENDING * e;

        // force due to a curvature at rest
        let x0 = flexvert_xpos(v[0]);
        let x1 = flexvert_xpos(v[1]) - x0;
        let x2 = flexvert_xpos(v[2]) - x0;
        let x3 = flexvert_xpos(v[3]) - x0;
        var cubic = array<vec3f, 4>(vec3f(), cross(x2, x3), cross(x3, x1), cross(x1, x2));
        cubic[0] = -(cubic[1] + cubic[2] + cubic[3]);
        var curved = flex_bending(adr + BENDING - 1);
        if (model_yields && plastic_bend(f) >= 0) {
            curved += plastic(plastic_bend(f) + e);
        }
        for (var i = 0; i < 4; i++) {
            // the matrix is invariant to the position of the hinge
            let stiffness = vec4f(
                flex_bending(adr + 4 * i), flex_bending(adr + 4 * i + 1), flex_bending(adr + 4 * i + 2),
                flex_bending(adr + 4 * i + 3));
            let spring = cubic[i] * curved + x1 * stiffness[1] + x2 * stiffness[2] + x3 * stiffness[3];
            let damper = flexvert_vel(v[0]) * stiffness[0] + flexvert_vel(v[1]) * stiffness[1]
                + flexvert_vel(v[2]) * stiffness[2] + flexvert_vel(v[3]) * stiffness[3];
            push_vertex(v[i], -spring, -rayleigh * damper);
        }
    }
}

fn push_vertex(v: i32, spring: vec3f, damper: vec3f) {
    if (v % LANES == lane) {
        set_flexvert_spring(v, flexvert_spring(v) + spring);
        set_flexvert_damper(v, flexvert_damper(v) + damper);
    }
}
