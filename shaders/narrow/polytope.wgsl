// a polytope of triangles around the origin that grows towards the surface of the Minkowski difference, as in
// src/cpu/collision/polytope.rs. New faces reuse the slots of deleted ones: with n corners there are 2 n - 4 faces
const POLYTOPE_CORNERS: i32 = CCD_STEPS + 5;
const POLYTOPE_FACES: i32 = 2 * POLYTOPE_CORNERS;
const POLYTOPE_LISTED: u32 = 1u << 30u;
const POLYTOPE_DELETED: u32 = 1u << 31u;
const POLYTOPE_NONE: i32 = 1023;

var<private> polytope_corners: i32;
var<private> polytope_diff: array<vec3f, POLYTOPE_CORNERS>;
var<private> polytope_on1: array<vec3f, POLYTOPE_CORNERS>;
var<private> polytope_dir: array<vec3f, POLYTOPE_CORNERS>;
var<private> polytope_id: array<vec2i, POLYTOPE_CORNERS>;
var<private> polytope_faces: i32;
// the projection of the origin on the plane of a face, and its squared distance
var<private> polytope_plane: array<vec4f, POLYTOPE_FACES>;
// three corners, counterclockwise seen from outside, and three neighbors across the edges 01, 12 and 20, ten bits each
var<private> polytope_link: array<vec2u, POLYTOPE_FACES>;
// for a face on the stack: the one before it, the edge by which it was entered, the number of its edges done; for a free slot:
// the next free one
var<private> polytope_way: array<u32, POLYTOPE_FACES>;
var<private> polytope_free: i32;
var<private> polytope_spare: i32;
// faces beyond the horizon and their edges on it
var<private> polytope_horizon: array<u32, POLYTOPE_FACES>;
var<private> polytope_edges: i32;
var<private> polytope_nearest: i32;
// a point inside
var<private> polytope_center: vec3f;
// corners of the initial simplex, and number of missing corners
var<private> epa_start_num: i32;
var<private> epa_start_lack: i32;
var<private> epa_start_dir: vec3f;
var<private> epa_start_turn: mat3x3f;

// the first faces: of two pyramids base to base for a segment or a triangle, or of a tetrahedron. Their three corners and their
// three neighbors, one hexadecimal digit per face, the first face in the last digit
const POLYTOPE_SEGMENT = vec3u(0x111000u, 0x423342u, 0x342423u);
const POLYTOPE_TRIANGLE = vec3u(0x333444u, 0x201120u, 0x120201u);
const POLYTOPE_TETRAHEDRON = vec3u(0x3000u, 0x2231u, 0x1312u);
const POLYTOPE_BESIDE = vec3u(0x435021u, 0x210543u, 0x354102u);
const POLYTOPE_BESIDE_OF_FOUR = vec3u(0x2021u, 0x0333u, 0x1102u);

fn polytope_at(three: u32, k: i32) -> i32 {
    return i32((three >> u32(10 * k)) & 1023u);
}

fn polytope_three(a: i32, b: i32, c: i32) -> u32 {
    return u32(a) | (u32(b) << 10u) | (u32(c) << 20u);
}

fn polytope_put(k: i32, corner: Corner) {
    polytope_diff[k] = corner.diff;
    polytope_on1[k] = corner.on1;
    polytope_dir[k] = corner.dir;
    polytope_id[k] = vec2i(corner.id1, corner.id2);
}

fn polytope_corner(k: i32) -> Corner {
    let id = polytope_id[k];
    return Corner(polytope_diff[k], polytope_on1[k], polytope_dir[k], id.x, id.y);
}

// builds the first polytope from a simplex that holds the origin
fn epa_start() {
    epa_start_num = ccd_corners;
    polytope_put(0, corner0);
    polytope_put(1, corner1);
    polytope_put(2, corner2);
    polytope_put(3, corner3);
    polytope_corners = ccd_corners;
    let a = corner0.diff;
    let b = corner1.diff;
    let c = corner2.diff;
    epa_has = false;
    epa_upper = CCD_FAR;
    ccd_step = 0;
    if (ccd_corners == 2) {
        // three support points around the segment
        polytope_center = 0.5 * (a + b);
        let axis = b - a;
        let size = abs(axis);
        var unit = select(vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, 1.0), size.z < size.y);
        unit = select(unit, vec3f(1.0, 0.0, 0.0), size.x <= min(size.y, size.z));
        epa_start_dir = normalize3(cross(unit, axis)).xyz;
        epa_start_turn = quat2mat(axis_angle2quat(normalize3(axis).xyz, 2.0943951023931953));
        epa_start_lack = 3;
        ccd_phase = CCD_CORNER;
    } else if (ccd_corners == 3) {
        // a support point on either side of the triangle
        polytope_center = (a + b + c) * (1.0 / 3.0);
        let normal = normalize3(cross(b - a, c - a));
        epa_start_dir = -normal.xyz;
        epa_start_turn = mat3x3f(-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0);
        epa_start_lack = 2;
        ccd_phase = CCD_CORNER;
        if (normal.w < MINVAL) {
            epa_end(true);
        }
    } else {
        polytope_center = 0.25 * (a + b + c + corner3.diff);
        epa_start_lack = 0;
        ccd_phase = CCD_FACES;
    }
}

// adds one of the first corners
fn epa_corner(corner: Corner) {
    // a triangle on the surface: the solids only touch
    if (epa_start_num == 3 && abs(dot(corner.dir, corner.diff - corner0.diff)) < ccd_grain) {
        epa_end(true);
        return;
    }
    epa_start_dir = epa_start_turn * epa_start_dir;
    epa_start_lack--;
    if (epa_start_lack == 0) {
        ccd_phase = CCD_FACES;
    }
}

// adds the first faces, or the faces that fill the hole: from every edge of the horizon to the new point
fn epa_attach() {
    let first = polytope_corners > 0 && ccd_step == 0;
    var num = polytope_edges;
    if (first) {
        num = select(6, 4, epa_start_num == 4);
        polytope_faces = num;
        polytope_free = POLYTOPE_NONE;
        polytope_spare = POLYTOPE_FACES - num;
    }
    let to = polytope_corners - 1;
    let least2 = epa_best.w * 0.999999;
    let most2 = epa_upper * epa_upper * 1.000001;
    var on = 0u;
    var flat = false;
    var outside = false;
    var begin = 0;
    var before = 0;
    var slot = 0;
    if (!first) {
        begin = polytope_take();
        slot = begin;
    }
    for (var k = 0; k < num; k++) {
        var corners = 0u;
        var neighbors = 0u;
        var next = begin;
        if (first) {
            let four = epa_start_num == 4;
            let c = select(select(POLYTOPE_SEGMENT, POLYTOPE_TRIANGLE, epa_start_num == 3), POLYTOPE_TETRAHEDRON, four);
            let n = select(POLYTOPE_BESIDE, POLYTOPE_BESIDE_OF_FOUR, four);
            let digit = vec3u(u32(4 * k));
            let place = vec3u(1u, 1u << 10u, 1u << 20u);
            slot = k;
            corners = dot(((c >> digit) & vec3u(15u)), place);
            neighbors = dot(((n >> digit) & vec3u(15u)), place);
        } else {
            let word = polytope_horizon[k];
            let beyond = i32(word >> 2u);
            let edge = i32(word & 3u);
            let link = polytope_link[beyond];
            let shift = u32(10 * edge);
            polytope_link[beyond].y = (link.y & ~(1023u << shift)) | (u32(slot) << shift);
            corners = polytope_three(to, polytope_at(link.x, (edge + 1) % 3), polytope_at(link.x, edge));
            if (k + 1 < num) {
                next = polytope_take();
            }
            neighbors = polytope_three(before, beyond, next);
        }

        // the projection of the origin on its plane; the normal points away from the center
        let a = polytope_diff[polytope_at(corners, 0)];
        let b = polytope_diff[polytope_at(corners, 1)];
        let c = polytope_diff[polytope_at(corners, 2)];
        let plane = origin_on_plane(c, b, a);
        let turned = dot(plane.xyz, a - polytope_center) < 0.0;
        let near = select(plane.xyz, -plane.xyz, turned);
        let dist2 = dot(near, near);
        let listed = first || (dist2 >= least2 && dist2 <= most2);
        outside |= turned && dist2 > 16.0 * ccd_grain * ccd_grain;
        flat |= dist2 == 0.0;
        if (first && on == 0u && dist2 < MINVAL * MINVAL) {
            on = corners | POLYTOPE_LISTED;
        }
        polytope_plane[slot] = vec4f(near, dist2);
        polytope_link[slot] = vec2u(corners | select(0u, POLYTOPE_LISTED, listed), neighbors);
        before = slot;
        slot = next;
    }
    ccd_phase = CCD_GROW;
    if (!first) {
        // the first face is the neighbor of the last
        polytope_link[begin].y = (polytope_link[begin].y & ~1023u) | u32(before);
        if (flat) {
            epa_end(false);
        }
    } else if (on != 0u) {
        // the origin is on a face: start anew from that face
        epa_best_corners = on;
        ccd_phase = select(CCD_AGAIN, CCD_TELL, epa_start_num == 3);
    } else if (outside && epa_start_num != 3) {
        epa_end(true);
    }
}

// takes a slot for a face
fn polytope_take() -> i32 {
    polytope_spare--;
    if (polytope_free != POLYTOPE_NONE) {
        let slot = polytope_free;
        polytope_free = i32(polytope_way[slot]);
        return slot;
    }
    polytope_faces++;
    return polytope_faces - 1;
}

// deletes the faces visible from a point, starting at the nearest one, depth first; edges to faces that are not visible make up the
// horizon
fn polytope_see(point: vec3f) {
    let root = polytope_nearest;
    var at = root;
    var link = polytope_link[root];
    var parent = POLYTOPE_NONE;
    var entered = 2;
    var done = 0;
    polytope_edges = 0;
    polytope_link[root].x = (link.x & ~POLYTOPE_LISTED) | POLYTOPE_DELETED;
    for (var turn = 0; turn < 4 * POLYTOPE_FACES; turn++) {
        if (done == select(2, 3, at == root)) {
            // all its edges are done: free its slot and go back
            polytope_way[at] = u32(polytope_free);
            polytope_free = at;
            polytope_spare++;
            if (at == root) {
                break;
            }
            at = parent;
            link = polytope_link[at];
            let word = polytope_way[at];
            parent = i32(word & 1023u);
            entered = i32((word >> 10u) & 3u);
            done = i32(word >> 12u);
            continue;
        }
        let edge = (entered + 1 + done) % 3;
        done++;
        let next = polytope_at(link.y, edge);
        let there = polytope_link[next];
        if ((there.x & POLYTOPE_DELETED) != 0u) {
            continue;
        }
        let begins = polytope_at(link.x, (edge + 1) % 3);
        let back = select(select(2, 1, polytope_at(there.x, 1) == begins), 0, polytope_at(there.x, 0) == begins);
        let plane = polytope_plane[next];
        if (dot(plane.xyz, point) - plane.w > ccd_grain * sqrt(plane.w)) {
            polytope_link[next].x = (there.x & ~POLYTOPE_LISTED) | POLYTOPE_DELETED;
            polytope_way[at] = u32(parent) | (u32(entered) << 10u) | (u32(done) << 12u);
            parent = at;
            at = next;
            link = there;
            entered = back;
            done = 0;
        } else if (polytope_edges < POLYTOPE_FACES) {
            polytope_horizon[polytope_edges] = (u32(next) << 2u) | u32(back);
            polytope_edges++;
        }
    }
    ccd_phase = CCD_FACES;
    if (polytope_edges < 3 || polytope_edges > polytope_spare) {
        epa_end(false);
    }
}
