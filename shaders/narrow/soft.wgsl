// contacts of flexes, as in src/cpu/collision/soft.rs: a vertex and a plane, an element and a geom, two elements

// kind of a convex solid that is an element
const SOLID_ELEMENT: i32 = -1;
// corners of the elements of the present pair; the last is repeated if there are less than four
var<private> element1: array<vec3f, 4>;
var<private> element2: array<vec3f, 4>;
// elements of the present pair, counted from their flex's first
var<private> pair_elem: vec2i;
// the second element of the present pair comes before the first
var<private> soft_reversed: bool;
// the flex that was looked at last, and its axis of the sweep
var<private> swept_flex: i32;
var<private> swept_axis: i32;

// what carries a side of a contact: bodies with their shares, or the nodes of a cell
struct Carriers {
    num: i32,
    body: vec4i,
    share: vec4f,
    // a flex whose vertices are between nodes, the cells before the one with the contact along the axes, and weights of its nodes; -1:
    // bodies
    between: i32,
    first: vec3i,
    x: vec3f,
    y: vec3f,
    z: vec3f,
}

// true if a pair of the collision list has a flex
fn is_soft(k: i32) -> bool {
    return collision_geom2(k) < 0;
}

// true if a pair stands for all pairs of elements of two flexes, or of one
fn is_block(k: i32) -> bool {
    return collision_geom2(k) < 0 && collision_geom1(k) < 0;
}

// elements of the pair of a contact
fn elements_of(c: i32, k: i32) -> vec2i {
    if (model_blocks && is_block(k)) {
        return vec2i(contact_elem(c, 0), contact_elem(c, 1));
    }
    return vec2i(collision_elem(k, 0), collision_elem(k, 1));
}

// flex vertex of a pair of a plane and a vertex, as an index into all flex vertices; -1: none
fn soft_vertex(k: i32) -> i32 {
    let v = collision_vert(k, 1);
    return select(flex_vertadr(collision_flex(k, 1)) + v, -1, v < 0);
}

// number of corners of the element on a side of a pair
fn element_num(k: i32, side: i32) -> i32 {
    return flex_dim(collision_flex(k, side)) + 1;
}

// a corner of an element of a flex, as an index into all flex vertices; of less than four the last is repeated
fn element_vertex(f: i32, e: i32, i: i32) -> i32 {
    let num = flex_dim(f) + 1;
    return flex_vertadr(f) + flex_elem(flex_elemdataadr(f) + num * e + min(i, num - 1));
}

// the same of the element on a side of the present pair
fn element_corner(k: i32, side: i32, i: i32) -> i32 {
    return element_vertex(collision_flex(k, side), pair_elem[side], i);
}

// corners of an element of a flex
fn corners_of(f: i32, e: i32) -> array<vec3f, 4> {
    return array<vec3f, 4>(
        flexvert_xpos(element_vertex(f, e, 0)), flexvert_xpos(element_vertex(f, e, 1)),
        flexvert_xpos(element_vertex(f, e, 2)), flexvert_xpos(element_vertex(f, e, 3)));
}

fn element_at(k: i32, side: i32) -> array<vec3f, 4> {
    return corners_of(collision_flex(k, side), pair_elem[side]);
}

// corners of the bounding box of an element
fn element_low(corner: array<vec3f, 4>) -> vec3f {
    return min(min(corner[0], corner[1]), min(corner[2], corner[3]));
}

fn element_high(corner: array<vec3f, 4>) -> vec3f {
    return max(max(corner[0], corner[1]), max(corner[2], corner[3]));
}

// center of the bounding box of an element
fn element_center(corner: array<vec3f, 4>) -> vec3f {
    return 0.5 * (element_low(corner) + element_high(corner));
}

// half the size of the bounding box of an element, with its radius
fn element_half(corner: array<vec3f, 4>, radius: f32) -> vec3f {
    return 0.5 * (element_high(corner) - element_low(corner)) + radius;
}

// a segment as a capsule, from its second corner to its first
fn element_capsule(corner: array<vec3f, 4>, radius: f32) -> Shape {
    let way = normalize3(corner[0] - corner[1]);
    let frame = transpose(contact_frame_of(way.xyz, vec3f()));
    let mat = mat3x3f(frame[1], frame[2], frame[0]);
    return Shape(0.5 * (corner[0] + corner[1]), mat, vec3f(radius, 0.5 * way.w, 0.0));
}

// contacts of a vertex or element of a flex and a geom
fn try_soft(k: i32) {
    let detect = collision_detect(k);
    let geom = collision_geom1(k);
    let f = collision_flex(k, 1);
    let radius = flex_radius(f);
    let v = soft_vertex(k);
    if (v >= 0) {
        if (rods_boxed && is_boxed(f)) {
            plane_section(geom, f, v, detect);
        } else {
            plane_point(geom_xpos(geom), geom_xmat(geom)[2], flexvert_xpos(v), radius, detect);
        }
        return;
    }

    // near: by the element's box along the world axes, and the bounding sphere of the geom
    pair_elem = vec2i(-1, collision_elem(k, 1));
    element2 = element_at(k, 1);
    let most = element_half(element2, reach(f)) + detect + geom_rbound(geom);
    if (any(abs(element_center(element2) - geom_xpos(geom)) > most)) {
        return;
    }
    if (rods_boxed && touch_boxed(k, radius, detect)) {
        return;
    }
    touch_geom(k, geom, radius, detect);
}

// whether MuJoCo sweeps over the elements of a flex that touches itself
fn is_swept(f: i32) -> bool {
    let said = flex_selfcollide(f);
    return (said == FLEXSELF_SAP || (said == FLEXSELF_AUTO && flex_dim(f) < 3)) && (opt_disableflags & DSBL_MIDPHASE) == 0;
}

// puts first, of two elements of a flex, the one whose box begins first along the axis of the sweep
fn sweep_order(f: i32) {
    if (swept_flex != f) {
        swept_flex = f;
        swept_axis = longest_axis(f);
    }
    let size = reach(f);
    let begin1 = element_center(element1) - element_half(element1, size);
    let begin2 = element_center(element2) - element_half(element2, size);
    soft_reversed = begin2[swept_axis] < begin1[swept_axis];
    if (soft_reversed) {
        let first = element1;
        element1 = element2;
        element2 = first;
    }
}

// the axis along which the box around the elements of a flex is longest
fn longest_axis(f: i32) -> i32 {
    var low = vec3f(CCD_FAR);
    var high = vec3f(-CCD_FAR);
    let num = flex_elemnum(f) * (flex_dim(f) + 1);
    for (var i = 0; i < num; i++) {
        let x = flexvert_xpos(flex_vertadr(f) + flex_elem(flex_elemdataadr(f) + i));
        low = min(low, x);
        high = max(high, x);
    }
    let size = high - low;
    if (size.x > size.y && size.x > size.z) {
        return 0;
    }
    return select(2, 1, size.y > size.z);
}

// largest distance of the surface of a flex from its elements
fn reach(f: i32) -> f32 {
    if (rods_boxed && is_boxed(f)) {
        return length(half_sizes(f));
    }
    return flex_radius(f);
}

// contacts of a plane and a vertex of a rod whose section is a box
fn plane_section(geom: i32, f: i32, v: i32, detect: f32) {
    let normal = geom_xmat(geom)[2];
    let edge = min(place_along(f, v), hinges(f));
    let corner = deepest_corners(half_sides(f, edge), normal);
    for (var i = 0; i < 2; i++) {
        plane_point(geom_xpos(geom), normal, flexvert_xpos(v) + select(corner[0], corner[1], i == 1), 0.0, detect);
    }
}

// the two deepest corners of a section at a plane, the deepest one first: from there to the next along the side that rises less
fn deepest_corners(sides: array<vec3f, 2>, normal: vec3f) -> array<vec3f, 2> {
    let rise = vec2f(dot(normal, sides[0]), dot(normal, sides[1]));
    let wide = select(sides[0], -sides[0], rise.x >= 0.0);
    let thin = select(sides[1], -sides[1], rise.y >= 0.0);
    let along = abs(rise.x) <= abs(rise.y);
    return array<vec3f, 2>(wide + thin, select(wide - thin, thin - wide, along));
}

// the edge on a side of a pair, if its section is a box: its axes are along the larger side of the section, along the smaller one and
// along the edge, as its element runs
fn edge_box(k: i32, side: i32) -> Shape {
    let f = collision_flex(k, side);
    let e = edge_of(f, pair_elem[side]);
    let frame = turned_frame(f, e);
    let a = flexvert_xpos(element_corner(k, side, 0));
    let b = flexvert_xpos(element_corner(k, side, 1));
    let way = normalize3(b - a);
    return Shape(0.5 * (a + b), mat3x3f(frame, cross(way.xyz, frame), way.xyz), vec3f(half_sizes(f), 0.5 * way.w));
}

// contacts of edges whose section is a box; false where they count as capsules: with all but lines, spheres, capsules and boxes
fn touch_boxed(k: i32, radius: f32, detect: f32) -> bool {
    let geom = collision_geom1(k);
    let f = max(collision_flex(k, 0), 0);
    let second = is_boxed(collision_flex(k, 1));
    let reversed = !second;
    let sides = select(vec2i(0, 1), vec2i(1, 0), soft_reversed);
    var kind = GEOM_CAPSULE;
    var other: Shape;
    if (geom >= 0) {
        kind = geom_type(geom);
        if (!second || !(kind == GEOM_SPHERE || kind == GEOM_CAPSULE || kind == GEOM_BOX)) {
            return false;
        }
        other = shape_of(geom);
    } else {
        let first = is_boxed(f);
        if (!(first || second) || element_num(k, 0) != 2 || element_num(k, 1) != 2) {
            return false;
        }
        if (first && second) {
            kind = GEOM_BOX;
            other = edge_box(k, sides.x);
        } else if (second) {
            other = element_capsule(element1, flex_radius(f));
        } else {
            other = element_capsule(element2, radius);
        }
    }
    let cube = edge_box(k, select(sides.y, sides.x, reversed));
    if (geoms_sphere && kind == GEOM_SPHERE) {
        ball_box(transpose(cube.mat) * (other.pos - cube.pos), other.size[0], cube, detect);
    } else if (kind == GEOM_CAPSULE) {
        capsule_box(other, cube, detect);
    } else {
        box_box(other, cube, detect);
    }
    if (reversed) {
        reverse();
    }
    return true;
}

// reverses the normals: what was given first comes second
fn reverse() {
    for (var n = 0; n < found; n++) {
        found_point[n].normal = -found_point[n].normal;
    }
}

fn touch_geom(k: i32, geom: i32, radius: f32, detect: f32) {
    let num = element_num(k, 1);
    let kind = geom_type(geom);
    let shape = shape_of(geom);
    if (searches_elements && kind == GEOM_SDF) {
        triangle_sdf(geom);
    } else if (flexes_of_lines && num == 2 && (kind == GEOM_SPHERE || kind == GEOM_CAPSULE || kind == GEOM_BOX)) {
        let capsule = element_capsule(element2, radius);
        if (geoms_sphere && kind == GEOM_SPHERE) {
            sphere_capsule(shape, capsule, detect);
        } else if (geoms_capsule && kind == GEOM_CAPSULE) {
            capsule_capsule(shape, capsule, detect);
        } else if (geoms_box) {
            capsule_box(capsule, shape, detect);
            reverse();
        }
    } else if (flexes_of_triangles && geoms_sphere && num == 3 && kind == GEOM_SPHERE) {
        sphere_triangle(shape.pos, shape.size[0], element2, radius, detect);
    } else if (flexes_of_triangles && geoms_capsule && num == 3 && kind == GEOM_CAPSULE) {
        capsule_triangle(shape, element2, radius, detect);
    } else if (flexes_of_triangles && geoms_box && num == 3 && kind == GEOM_BOX) {
        box_triangle(shape, element2, radius, detect);
    } else if (flexes_of_tetrahedra && num == 4 && (kind == GEOM_SPHERE || kind == GEOM_CAPSULE)) {
        let half = shape.mat[2] * select(0.0, shape.size[1], kind == GEOM_CAPSULE);
        capsule_tetrahedron(shape.pos - half, shape.pos + half, shape.size[0], element2, radius, detect);
    } else if (elements_searched) {
        single(shape, geom, radius, detect);
        if (flexes_of_triangles && !CCD_OLDER && num == 3 && found > 0) {
            smooth_triangle(kind, shape);
        }
    }
}

fn touch_element(k: i32, radius: f32, detect: f32) {
    let first = flex_radius(collision_flex(k, 0));
    if (flexes_of_lines && element_num(k, 0) == 2 && element_num(k, 1) == 2) {
        capsule_capsule(element_capsule(element1, first), element_capsule(element2, radius), detect);
    } else if (elements_searched) {
        let shape = Shape(element_center(element1), unit_mat3(), vec3f(first, 0.0, 0.0));
        single(shape, -1, radius, detect);
    }
}

// contact at the nearest points of a geom, or of the first element, and the second element. Both have the margin
fn single(a: Shape, geom: i32, radius: f32, margin: f32) {
    let b = Shape(element_center(element2), unit_mat3(), vec3f(radius, 0.0, 0.0));
    let of_field = is_hfield(geom);
    let origin = select(a.pos, b.pos, of_field);
    for (var i = 0; i < 4; i++) {
        // in the frame of the search
        element1[i] -= a.pos;
        element2[i] = transpose(a.mat) * (element2[i] - origin);
    }
    ccd_search(a, b, geom, -1, margin);
    let met = ccd_dist < 0.0 || (CCD_OLDER && ccd_dist == 0.0);
    if (!of_field && met) {
        let pos = select(0.5 * (ccd_point1 + ccd_point2), ccd_point1, CCD_OLDER);
        add_contact(margin + ccd_dist, a.mat * pos + a.pos, a.mat * ccd_normal);
    }
}

// an element as a convex solid: the first or the second of a pair
fn element_solid(second: bool, pos: vec3f, size: vec3f) -> Solid {
    return Solid(SOLID_ELEMENT, i32(second), pos, unit_mat3(), size, 0.0, false, -1, -1);
}

// support point of an element: a corner, and its radius
fn element_support(second: bool, dir: vec3f, radius: f32) -> vec3f {
    var best = select(element1[0], element2[0], second);
    for (var i = 1; i < 4; i++) {
        let corner = select(element1[i], element2[i], second);
        best = select(best, corner, dot(corner, dir) > dot(best, dir));
    }
    return best + dir * radius;
}

// rounding of lengths on an element is relative to its size
fn element_size(second: bool, radius: f32) -> f32 {
    if (second) {
        return length(element_half(element2, radius));
    }
    return length(element_half(element1, radius));
}

// a triangle on a smooth surface: take the surface's normal
fn smooth_triangle(kind: i32, shape: Shape) {
    let normal = surface_normal(kind, shape, found_point[0].pos, found_point[0].normal);
    if (normal.w > 0.0) {
        found_point[0].normal = normal.xyz;
    }
}

// what carries a side of a contact at a point. The body of a geom or vertex has the whole share. Of an element the point nearest to the
// contact decides; points between nodes are carried by the nodes
fn carriers(c: i32, k: i32, side: i32, point: vec3f) -> Carriers {
    var out: Carriers;
    out.num = 1;
    out.share = vec4f(1.0, 0.0, 0.0, 0.0);
    out.between = -1;
    let geom = select(collision_geom1(k), collision_geom2(k), side == 1);
    if (geom >= 0) {
        out.body = vec4i(geom_bodyid(geom));
        return out;
    }
    var v = vec4i(soft_vertex(k));
    if (v.x < 0) {
        pair_elem = elements_of(c, k);
        out.num = element_num(k, side);
        out.share = nearest_weights(element_at(k, side), out.num, point);
        v = vec4i(
            element_corner(k, side, 0), element_corner(k, side, 1), element_corner(k, side, 2), element_corner(k, side, 3));
    }
    let f = collision_flex(k, side);
    if (model_cages && flex_interp(f) != 0) {
        return carried_between(f, v, out.share);
    }
    out.body = vec4i(flex_vertbodyid(v.x), flex_vertbodyid(v.y), flex_vertbodyid(v.z), flex_vertbodyid(v.w));
    return out;
}

// the cell that carries a contact: it is at the weighted mean of the vertices in the undeformed grid
fn carried_between(f: i32, v: vec4i, share: vec4f) -> Carriers {
    let order = abs(flex_interp(f));
    let cells = vec3f(f32(flex_cellnum(f, 0)), f32(flex_cellnum(f, 1)), f32(flex_cellnum(f, 2)));
    var place = vec3f();
    let last = vec3i(flex_cellnum(f, 0), flex_cellnum(f, 1), flex_cellnum(f, 2)) - vec3i(1);
    var low = last;
    var high = vec3i(0);
    for (var n = 0; n < 4; n++) {
        let corner = flex_vert0(v[n]);
        place += corner * share[n];
        let at = corner * cells;
        let first = clamp(vec3i(i32(at.x), i32(at.y), i32(at.z)), vec3i(0), last);
        low = min(low, first);
        high = max(high, first);
    }
    let along = place * cells;
    let first = clamp(vec3i(i32(along.x), i32(along.y), i32(along.z)), low, high);
    let part = along - vec3f(first);
    var out: Carriers;
    out.num = (order + 1) * (order + 1) * (order + 1);
    // an inner node of a shell passes its share on to outer ones
    if (model_shells && flex_interp(f) < 0) {
        out.num *= OUTER;
    }
    out.between = f;
    out.first = first;
    out.x = cell_weights(order, part.x);
    out.y = cell_weights(order, part.y);
    out.z = cell_weights(order, part.z);
    return out;
}

// a body that carries a side, and its share
struct Carrier {
    body: i32,
    share: f32,
}

fn carrier(c: Carriers, n: i32) -> Carrier {
    if (!model_cages || c.between < 0) {
        return Carrier(c.body[n], c.share[n]);
    }
    let f = c.between;
    let shell = model_shells && flex_interp(f) < 0;
    let at = cell_at(abs(flex_interp(f)), select(n, n / OUTER, shell));
    let node = cell_node(f, c.first, at);
    let share = c.x[at.x] * c.y[at.y] * c.z[at.z];
    if (shell && follows(f, node)) {
        let outer = outer_of(f, node, n % OUTER);
        return Carrier(flex_nodebodyid(outer.node), share * outer.weight);
    }
    return Carrier(flex_nodebodyid(node), share);
}

// the number of the next carrier: only inner nodes of a shell pass their shares on
fn carrier_after(c: Carriers, n: i32) -> i32 {
    let f = c.between;
    if (!model_shells || f < 0 || flex_interp(f) >= 0) {
        return n + 1;
    }
    let node = cell_node(f, c.first, cell_at(abs(flex_interp(f)), n / OUTER));
    return select(n + OUTER, n + 1, follows(f, node));
}

// share of a side that a dof moves
fn carried(c: Carriers, i: i32) -> f32 {
    var sum = 0.0;
    for (var n = 0; n < c.num; n = carrier_after(c, n)) {
        let x = carrier(c, n);
        var dof = body_lastdof(x.body);
        while (dof > i) {
            dof = dof_parentid(dof);
        }
        sum += select(0.0, x.share, dof == i);
    }
    return sum;
}

// inverse weights of the bodies that carry a side: translation and rotation
fn carried_weight(c: Carriers) -> vec2f {
    var sum = vec2f();
    for (var n = 0; n < c.num; n = carrier_after(c, n)) {
        let x = carrier(c, n);
        sum += vec2f(body_invweight0(x.body, 0), body_invweight0(x.body, 1)) * x.share;
    }
    return sum;
}

// velocity of a side of a contact
fn carried_motion(c: Carriers, pos: vec3f) -> Spatial {
    var sum = Spatial(vec3f(), vec3f());
    for (var n = 0; n < c.num; n = carrier_after(c, n)) {
        let x = carrier(c, n);
        sum = add_scl6(sum, body_motion(x.body, pos), x.share);
    }
    return sum;
}

// contacts of one geom or flex and a rigid flex, or one between nodes, that stay
const CROWD_MOST: i32 = 50;

// of pairs that share a limit at most CROWD_MOST contacts stay; the others keep their order. One lane calls it
fn thin_out() {
    if (searches_elements) {
        drop_doubles();
    }
    let num = ncon();
    var to = 0;
    var c = 0;
    while (c < num) {
        let k = contact_collision(c);
        let shares = is_soft(k) && crowded(k);
        var end = c + 1;
        while (shares && end < num && same_crowd(k, contact_collision(end))) {
            end++;
        }
        let many = end - c > CROWD_MOST;
        if (many) {
            mark_spread(c, end);
        }
        for (; c < end; c++) {
            if (!many || contact_efc_address(c) == 0) {
                move_contact(to, c);
                set_contact_efc_address(to, -1);
                to++;
            }
        }
    }
    set_ncon(to);
}

// of contacts of one flex with a signed distance field the first CROWD_MOST count, each place once
fn drop_doubles() {
    var to = 0;
    var before = -1;
    var rank = 0;
    for (var c = 0; c < ncon(); c++) {
        let k = contact_collision(c);
        rank = select(0, rank + 1, before >= 0 && is_soft(k) && same_crowd(k, max(before, 0)));
        before = k;
        var double = is_soft(k) && is_field(k) && rank >= CROWD_MOST;
        if (!double && is_soft(k) && is_field(k)) {
            let pos = contact_pos(c);
            let same = SDF_SAME * ROUNDING * (length(pos) + geom_rbound(collision_geom1(k)));
            for (var b = to - 1; b >= 0; b--) {
                if (!same_crowd(k, contact_collision(b))) {
                    break;
                }
                double = double || length(contact_pos(b) - pos) < same;
            }
        }
        if (!double) {
            move_contact(to, c);
            to++;
        }
    }
    set_ncon(to);
}

// true if the geom of a pair with a flex is a signed distance field
fn is_field(k: i32) -> bool {
    let geom = collision_geom1(k);
    return geom >= 0 && geom_type(max(geom, 0)) == GEOM_SDF;
}

// true if the flexes of a pair are rigid or between nodes, or its geom is a signed distance field
fn crowded(k: i32) -> bool {
    if (searches_elements && is_field(k)) {
        return true;
    }
    let f = collision_flex(k, 0);
    let g = collision_flex(k, 1);
    return (f < 0 || flex_rigid(f) != 0 || flex_interp(f) != 0) && (flex_rigid(g) != 0 || flex_interp(g) != 0);
}

fn same_crowd(k: i32, next: i32) -> bool {
    return is_soft(next) && collision_geom1(next) == collision_geom1(k) && collision_flex(next, 0) == collision_flex(k, 0)
        && collision_flex(next, 1) == collision_flex(k, 1);
}

// marks the contacts that stay by an address of 0: the deepest, then repeatedly the one farthest from all that stay. The last number of
// a frame holds the squared distance from those; it follows from the others
fn mark_spread(first: i32, end: i32) {
    var next = first;
    for (var c = first; c < end; c++) {
        let rows = transpose(contact_frame(c));
        // its sign is that of a right-handed frame or a left-handed one
        set_contact_frame_at(c, 8, select(CCD_FAR, -CCD_FAR, dot(cross(rows[0], rows[1]), rows[2]) < 0.0));
        next = select(next, c, contact_dist(c) < contact_dist(next));
    }
    for (var n = 0; n < CROWD_MOST; n++) {
        let chosen = contact_pos(next);
        set_contact_efc_address(next, 0);
        var most = -1.0;
        for (var c = first; c < end; c++) {
            let dif = contact_pos(c) - chosen;
            let before = contact_frame_at(c, 8);
            let apart = max(min(abs(before), dot(dif, dif)), MINVAL);
            set_contact_frame_at(c, 8, select(apart, -apart, before < 0.0));
            if (contact_efc_address(c) != 0 && apart > most) {
                most = apart;
                next = c;
            }
        }
    }
    for (var c = first; c < end; c++) {
        let x = vec3f(contact_frame_at(c, 0), contact_frame_at(c, 1), contact_frame_at(c, 2));
        let y = vec3f(contact_frame_at(c, 3), contact_frame_at(c, 4), contact_frame_at(c, 5));
        set_contact_frame_at(c, 8, select(1.0, -1.0, contact_frame_at(c, 8) < 0.0) * cross(x, y).z);
    }
}
