// the older convex collider, as in src/cpu/collision/older.rs: one search, and four more with the solids turned a little against
// each other to find further corners of faces that meet

// true if the model chooses the older collider
const CCD_OLDER: bool = (opt_disableflags & DSBL_NATIVECCD) != 0;
// true if a search of the newer collider is needed: contacts take the older one then, distances of convex solids the newer one
const CCD_NEWER: bool = !CCD_OLDER || senses_distances;

// angle by which the solids are turned against each other (rad)
const OLDER_TURN: f32 = 1e-3;
// distance below which two contacts count as one, as a fraction of the smaller bounding sphere's radius
const OLDER_DISTINCT: f32 = 1e-3;
// share of a cylinder's half length in which the normal may be that of the side
const OLDER_SIDE: f32 = 0.95;
// factor of the distance from a cylinder's side below which its cap counts as the nearer surface
const OLDER_CAP: f32 = 0.25;

// maximum iterations of the search for the normal of an ellipsoid
const OLDER_TURNS: i32 = 30;
// change of the unit normal at which that search ends
const OLDER_CHANGE: f32 = 1e-6;

// true if the present search is the newer one
var<private> ccd_newer: bool;
// number of the present search of a pair
var<private> older_search: i32;
// results of the first search of a pair: the distance of all its contacts, its position and normal
var<private> older_dist: f32;
var<private> older_pos: vec3f;
var<private> older_normal: vec3f;

// adds the contact of a search, and begins the next one with the solids turned; both shapes in the world frame
fn older_found(a: Shape, b: Shape, geom1: i32, geom2: i32) {
    ccd_phase = CCD_DONE;
    let met = ccd_dist <= 0.0;
    let first = Shape(vec3f(0.0), unit_mat3(), a.size);
    if (elements_searched && geom2 < 0) {
        if (is_hfield(geom1)) {
            if (met) {
                prism_element(a, b);
            }
            ccd_phase = CCD_PRISM;
        }
        return;
    }
    if (solid_hfield && geom_type(geom1) == GEOM_HFIELD) {
        if (met) {
            let normal = smooth_normal(geom1, geom2, first, Shape(solid2.pos, solid2.mat, b.size), ccd_point1);
            add_contact(ccd_margin + ccd_dist, a.mat * ccd_point1 + b.pos, a.mat * normal);
        }
        ccd_phase = CCD_PRISM;
        return;
    }
    let second = Shape(transpose(a.mat) * (b.pos - a.pos), transpose(a.mat) * b.mat, b.size);
    if (older_search == 0) {
        if (!met) {
            return;
        }
        older_dist = ccd_margin + ccd_dist;
        older_pos = ccd_point1;
    }
    var far = met;
    for (var n = 0; n < found; n++) {
        far = far && length(ccd_point1 - found_point[n].pos) > OLDER_DISTINCT * min(geom_rbound(geom1), geom_rbound(geom2));
    }
    if (far) {
        // all contacts of two meeting faces get the same distance
        let normal = smooth_normal(geom1, geom2, first, second, ccd_point1);
        add_contact(older_dist, ccd_point1, normal);
        if (older_search == 0) {
            older_normal = normal;
        }
    }
    if (older_search == 4 || older_round(geom1) || older_round(geom2) || (opt_disableflags & DSBL_MULTICCD) != 0) {
        return;
    }
    let frame = transpose(contact_frame_of(a.mat * older_normal, vec3f(0.0)));
    let axis = transpose(a.mat) * select(frame[1], frame[2], older_search >= 2);
    let angle = select(OLDER_TURN, -OLDER_TURN, older_search % 2 == 0);
    let turn = quat2mat(axis_angle2quat(axis, angle));
    solid1.mat = turn;
    solid1.pos = older_pos - turn * older_pos;
    solid2.mat = transpose(turn) * second.mat;
    solid2.pos = older_pos + transpose(turn) * (second.pos - older_pos);
    solid1.climbed = -1;
    solid2.climbed = -1;
    solid1.vertex = -1;
    solid2.vertex = -1;
    older_search++;
    ccd_phase = CCD_BEGIN;
}

// contact of a prism of a height field and an element of a flex
fn prism_element(a: Shape, b: Shape) {
    add_contact(ccd_margin + ccd_dist, a.mat * ccd_point1 + b.pos, a.mat * ccd_normal);
}

fn older_round(geom: i32) -> bool {
    return geom_type(geom) == GEOM_SPHERE || geom_type(geom) == GEOM_ELLIPSOID;
}

// normal from a smooth surface, if one of the geoms has one: it is more accurate than the search
fn smooth_normal(geom1: i32, geom2: i32, a: Shape, b: Shape, pos: vec3f) -> vec3f {
    var out = vec3f(0.0);
    for (var k = 0; k < 2; k++) {
        let way = select(1.0, -1.0, k == 1);
        var shape = a;
        if (k == 1) {
            shape = b;
        }
        let normal = surface_normal(geom_type(select(geom1, geom2, k == 1)), shape, pos, way * ccd_normal);
        out += way * normal.xyz * normal.w;
    }
    return select(ccd_normal, normalize3(out).xyz, dot(out, out) > 0.0);
}

// outward normal of a smooth surface near a point (xyz); w is 0 if there is none
fn surface_normal(kind: i32, shape: Shape, point: vec3f, guess: vec3f) -> vec4f {
    let at = transpose(shape.mat) * (point - shape.pos);
    let size = shape.size;
    var local = vec4f(0.0);
    if (solid_sphere && kind == GEOM_SPHERE) {
        local = vec4f(at, 1.0);
    } else if (solid_capsule && kind == GEOM_CAPSULE) {
        local = vec4f(at.xy, at.z - clip(at.z, -size.y, size.y), 1.0);
    } else if (solid_cylinder && kind == GEOM_CYLINDER && !near_cap(size, at)) {
        local = vec4f(at.xy, 0.0, 1.0);
    } else if (solid_ellipsoid && kind == GEOM_ELLIPSOID) {
        local = nearest_normal(size, at, transpose(shape.mat) * guess);
    }
    return vec4f(shape.mat * normalize3(local.xyz).xyz, local.w);
}

// true if a point of a cylinder is near an end of its axis, or much nearer to a cap than to the side
fn near_cap(size: vec3f, at: vec3f) -> bool {
    let inside = abs(size.x - length(at.xy));
    return abs(at.z) > OLDER_SIDE * size.y || abs(size.y - abs(at.z)) < OLDER_CAP * inside;
}

// normal of an ellipsoid where it is nearest to a point (xyz); w is 0 if there is none
fn nearest_normal(size: vec3f, point: vec3f, guess: vec3f) -> vec4f {
    let shares = vec3f(1.0) / (size * size);
    let out = dot(point * shares, point) - 1.0;
    if (out > 0.0) {
        return vec4f(normal_of_outer(size, point), 1.0);
    }
    return normal_of_inner(shares, out, point, guess);
}

// from inside: the normal where a ray meets the surface is the direction of the next ray
fn normal_of_inner(shares: vec3f, out: f32, point: vec3f, guess: vec3f) -> vec4f {
    var normal = normalize3(guess).xyz;
    for (var turn = 0; turn < OLDER_TURNS; turn++) {
        let a = dot(normal * shares, normal);
        let b = dot(point * shares, normal);
        let root = b * b - a * out;
        let along = (sqrt(max(root, 0.0)) - b) / a;
        if (root < MINVAL || a < MINVAL || along < 0.0) {
            return vec4f(normal, select(0.0, 1.0, turn > 0));
        }
        let next = normalize3((point + normal * along) * shares).xyz;
        let change = length(normal - next);
        normal = next;
        if (change < OLDER_CHANGE) {
            break;
        }
    }
    return vec4f(normal, 1.0);
}

// from outside: Newton's method for the multiplier of the nearest point
fn normal_of_outer(size: vec3f, point: vec3f) -> vec3f {
    let square = size * size;
    let weight = point * point * square;
    var multiplier = 0.0;
    for (var turn = 0; turn < OLDER_TURNS; turn++) {
        let share = vec3f(1.0) / (square + multiplier);
        let value = dot(weight, share * share) - 1.0;
        let slope = -2.0 * dot(weight, share * share * share);
        if (value < OLDER_CHANGE || slope > -MINVAL || -value / slope < OLDER_CHANGE) {
            break;
        }
        multiplier -= value / slope;
    }
    return normalize3(point / (square + multiplier)).xyz;
}
