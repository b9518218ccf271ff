// contacts of a signed distance field with a solid that has one too, as in src/cpu/collision/sdf.rs: from points spread over the box in
// which both may lie, a descent looks for the deepest overlap. A negative value found is a contact, on the surface of equal distance to
// both

// share of the expected decrease with which a step of the descent is content
const SDF_SHARE: f32 = 0.1;
// length of a step, relative to the slope, below which it is not halved again
const SDF_LEAST: f32 = 1e-4;
// distance of two points that are the same but for roundings, as a multiple of the rounding of the solid's size
const SDF_SAME: f32 = 20.0;
// steps of a ray, and the distances (m) from the surface at which it hits, unless that is below the rounding, and at which it is lost
const SDF_STEPS: i32 = 40;
const SDF_NEAR: f32 = 1e-7;
const SDF_FAR: f32 = 1e6;
// halvings of a step down to that length
const SDF_HALVINGS: i32 = 15;

// two solids at a point: signed distance (w) and slope (xyz) of the second, a signed distance field, and of the first
struct Both {
    field: vec4f,
    solid: vec4f,
}

// the present pair, and the pose of the second frame in the first
var<private> sdf_geom1: i32;
var<private> sdf_geom2: i32;
var<private> sdf_other: Place;
// where the descent is, in the frame of the second, both solids there, and the objective reached
var<private> sdf_point: vec3f;
var<private> sdf_both: Both;
var<private> sdf_dist: f32;

// where the frame of the distance is
fn sdf_frame(geom: i32) -> Place {
    let place = Place(geom_xpos(geom), geom_xmat(geom));
    if (nplugin == 0 || geom_type(geom) != GEOM_SDF || geom_plugin(geom) < 0) {
        return place;
    }
    let mesh = geom_dataid(geom);
    let mat = place.mat * transpose(quat2mat(mesh_quat(mesh)));
    return Place(place.pos - mat * mesh_pos(mesh), mat);
}

// the frame of one pose in that of another
fn sdf_between(first: Place, second: Place) -> Place {
    let back = transpose(second.mat);
    return Place(back * (first.pos - second.pos), back * first.mat);
}

// signed distance (w) and slope (xyz) of a geom of type `sdf` at a point in the frame of the distance
fn sdf_at(geom: i32, x: vec3f) -> vec4f {
    let id = geom_plugin(geom);
    if (noct > 0 && (nplugin == 0 || id < 0)) {
        let mesh = geom_dataid(geom);
        if (own_sdfs && own__is_sdf(mesh)) {
            return own__sdf_at(mesh, x);
        }
        return octree_at(mesh, x);
    }
    return shape_at(id, x);
}

// where a ray meets the surface, in the geom's frame. Sphere tracing: each step is the signed distance, and there is no step back from
// inside
fn field_ray(geom: i32, r: Ray) -> Hit {
    let way = normalize3(r.vec);
    let near = max(SDF_NEAR, 2.0 * ROUNDING * (length(r.pnt) + length(geom_size(geom))));
    var dist = 0.0;
    for (var step = 0; step < SDF_STEPS; step++) {
        let at = sdf_at(geom, r.pnt + way.xyz * dist);
        let room = abs(at.w);
        dist += room;
        if (room < near) {
            return Hit(dist / way.w, normalize3(at.xyz).xyz);
        }
        if (room > SDF_FAR) {
            break;
        }
    }
    return miss();
}

// signed distance and slope of a sphere, capsule, ellipsoid, cylinder or box
fn solid_at(kind: i32, size: vec3f, x: vec3f) -> vec4f {
    if (meets_sphere && kind == GEOM_SPHERE) {
        return vec4f(x / length(x), length(x) - size.x);
    }
    if (meets_capsule && kind == GEOM_CAPSULE) {
        let a = vec3f(x.xy, x.z - clip(x.z, -size.y, size.y));
        return vec4f(a / length(a), length(a) - size.x);
    }
    if (meets_ellipsoid && kind == GEOM_ELLIPSOID) {
        return ellipsoid_at(size, x);
    }
    if (meets_cylinder && kind == GEOM_CYLINDER) {
        return cylinder_at(size, x);
    }
    if (meets_box && kind == GEOM_BOX) {
        return box_at(size, x);
    }
    return level(MAXVAL);
}

fn box_at(size: vec3f, x: vec3f) -> vec4f {
    let a = abs(x) - size;
    let side = select(vec3f(-1.0), vec3f(1.0), x >= vec3f(0.0));
    if (all(a < vec3f(0.0))) {
        // all sides count, a nearer side more, relative to the box's size
        let way = normalize3(size / abs(a) * side).xyz;
        let far = abs(a / way);
        return vec4f(way, -min(far.x, min(far.y, far.z)));
    }
    let b = max(a, vec3f(0.0));
    let far = length(b);
    if (far == 0.0) {
        // on an edge or at a corner, away from all sides there
        return vec4f(normalize3(select(vec3f(0.0), side, a == vec3f(0.0))).xyz, 0.0);
    }
    return vec4f(b / far * side, far);
}

fn ellipsoid_at(size: vec3f, x: vec3f) -> vec4f {
    // norm of a point divided by the semiaxes, and by their squares
    let b = x / size / size;
    let k0 = length(x / size);
    let k1 = length(b);
    let first = b / k0 * ((2.0 * k0 - 1.0) / k1);
    let second = b / (size * size) * (k0 * (k0 - 1.0) / (k1 * k1 * k1));
    return vec4f(normalize3(first - second).xyz, k0 * (k0 - 1.0) / k1);
}

fn cylinder_at(size: vec3f, x: vec3f) -> vec4f {
    let across = length(x.xy);
    let side = vec4f(x.xy / max(across, 1.0 / MAXVAL), 0.0, across - size.x);
    let cap = vec4f(0.0, 0.0, x.z / max(abs(x.z), 1.0 / MAXVAL), abs(x.z) - size.y);
    let surface = larger(side, cap);
    if (surface.w < 0.0) {
        return surface;
    }
    let b = max(vec2f(side.w, cap.w), vec2f(0.0));
    return vec4f((side.xyz * b.x + cap.xyz * b.y) / max(length(b), 1.0 / MAXVAL), length(b));
}

// both solids of the present pair at a point in the frame of the second
fn both_at(x: vec3f) -> Both {
    var out: Both;
    for (var k = 0; k < 2; k++) {
        let geom = select(sdf_geom1, sdf_geom2, k == 0);
        let kind = geom_type(geom);
        let at = select(sdf_other.mat * x + sdf_other.pos, x, k == 0);
        if (k == 0 || (meets_sdf && kind == GEOM_SDF)) {
            out.solid = sdf_at(geom, at);
        } else {
            out.solid = solid_at(kind, geom_size(geom), at);
        }
        if (k == 0) {
            out.field = out.solid;
        }
    }
    out.solid = vec4f(transpose(sdf_other.mat) * out.solid.xyz, out.solid.w);
    return out;
}

// what a descent makes small (w), and its slope (xyz): the larger of both distances, or the sum of both distances and of the absolute value
// of the larger one
fn objective(both: Both, of_overlap: bool) -> vec4f {
    let farther = select(both.solid, both.field, both.field.w > both.solid.w);
    if (of_overlap) {
        return farther;
    }
    return both.field + both.solid + farther * select(-1.0, 1.0, farther.w > 0.0);
}

// gradient descent from a point
fn descend(of_overlap: bool, steps: i32) {
    sdf_dist = MAXVAL;
    var here = vec4f(0.0);
    var alpha = 0.0;
    var step = 0;
    for (var turn = 0; turn < SDF_HALVINGS * steps + 1; turn++) {
        let x = sdf_point - here.xyz * alpha;
        let both = both_at(x);
        let there = objective(both, of_overlap);
        if (step > 0) {
            let wanted = -SDF_SHARE * alpha * dot(here.xyz, here.xyz);
            if (alpha > SDF_LEAST && there.w - here.w > wanted) {
                alpha *= 0.5;
                continue;
            }
            // no improvement: the point stays
            if (here.w < there.w) {
                sdf_dist = here.w;
                return;
            }
            sdf_dist = there.w;
        }
        sdf_point = x;
        sdf_both = both;
        here = there;
        if (step == steps) {
            return;
        }
        if (is_bad(here.x) || is_bad(here.y) || is_bad(here.z)) {
            sdf_dist = MAXVAL;
            return;
        }
        alpha = 1.0;
        step++;
    }
}

// a number of a sequence that fills the unit interval evenly
fn halton(index: i32, base: i32) -> f32 {
    var left = index;
    var share = 1.0 / f32(base);
    var sum = 0.0;
    while (left > 0) {
        let rest = left / base;
        sum += share * f32(left - rest * base);
        share /= f32(base);
        left = rest;
    }
    return sum;
}

struct CommonBox {
    low: vec3f,
    high: vec3f,
}

fn aabb_center(geom: i32) -> vec3f {
    return vec3f(geom_aabb(geom, 0), geom_aabb(geom, 1), geom_aabb(geom, 2));
}

fn aabb_half(geom: i32) -> vec3f {
    return vec3f(geom_aabb(geom, 3), geom_aabb(geom, 4), geom_aabb(geom, 5));
}

// the box in which both solids lie, in the frame of the first geom: smallest corner, then largest
fn common_box(geom1: i32, geom2: i32) -> CommonBox {
    let map = sdf_between(Place(geom_xpos(geom2), geom_xmat(geom2)), Place(geom_xpos(geom1), geom_xmat(geom1)));
    let center1 = aabb_center(geom1);
    let half1 = aabb_half(geom1);
    let center2 = map.mat * aabb_center(geom2) + map.pos;
    let half2 = mat3x3f(abs(map.mat[0]), abs(map.mat[1]), abs(map.mat[2])) * aabb_half(geom2);
    return CommonBox(max(center1 - half1, center2 - half2), min(center1 + half1, center2 + half2));
}

// true if a contact of the present pair is at this point; before `sdf_place` contacts are in the frame of the distance
fn sdf_known(geom2: i32, x: vec3f) -> bool {
    var known = false;
    for (var n = 0; n < found; n++) {
        known = known || length(x - found_point[n].pos) < SDF_SAME * ROUNDING * geom_rbound(geom2);
    }
    return known;
}

// moves the contacts from a frame to the world, and from the surface of the field to the middle between both surfaces
fn sdf_place(frame: Place) {
    for (var n = 0; n < found; n++) {
        let normal = normalize3(frame.mat * found_point[n].normal).xyz;
        found_point[n].normal = normal;
        found_point[n].pos = frame.mat * found_point[n].pos + frame.pos + normal * (0.5 * found_point[n].dist);
    }
}

// contacts of two solids, of which the second is a signed distance field
fn sdf_sdf(geom1: i32, geom2: i32) {
    let both_lie = common_box(geom1, geom2);
    if (any(both_lie.high < both_lie.low)) {
        return;
    }
    let frame = sdf_frame(geom2);
    let start = sdf_between(Place(geom_xpos(geom1), geom_xmat(geom1)), frame);
    sdf_geom1 = geom1;
    sdf_geom2 = geom2;
    sdf_other = sdf_between(frame, sdf_frame(geom1));
    for (var i = 0; i < opt_sdf_initpoints; i++) {
        let spread = vec3f(halton(i, 2), halton(i, 3), halton(i, 5));
        sdf_point = start.mat * (both_lie.low + (both_lie.high - both_lie.low) * spread) + start.pos;

        // one more step rejects false contacts, which a field that is no true distance gives
        for (var k = 0; k < 2; k++) {
            descend(k == 1, select(opt_sdf_iterations, 1, k == 1));
        }
        if (sdf_dist <= 0.0 && !sdf_known(geom2, sdf_point)) {
            // contact normal: normal of the surface of equal distance to both
            let normal = normalize3(sdf_both.solid.xyz).xyz - normalize3(sdf_both.field.xyz).xyz;
            add_contact(sdf_dist, sdf_point, normal);
        }
    }
    sdf_place(frame);
}
