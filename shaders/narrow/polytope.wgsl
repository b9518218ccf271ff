// a polytope of triangles around the origin that grows towards the surface of the Minkowski difference, as in
// src/cpu/collision/polytope.rs. New faces reuse the slots of deleted ones: with n corners there are 2 n - 4 faces
const POLYTOPE_CORNERS: i32 = CCD_STEPS + 6;
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

// adds the first faces, or the faces that fill the hole: from every edge of the horizon to the new point
fn epa_attach() {
    let first = polytope_corners > 0 && ccd_step == 0;
    var num = polytope_edges;
    var misses = false;
    if (first) {
        epa_choose();
        num = select(6, 4, epa_start_four);
        if (epa_start_num == 2) {
            let volume = epa_volumes(polytope_diff[0], polytope_diff[1], polytope_diff[2], polytope_diff[3], polytope_diff[4]);
            misses = !epa_pierces(volume, 0.0);
        }
        polytope_faces = num;
        polytope_free = POLYTOPE_NONE;
        polytope_spare = POLYTOPE_FACES - num;
    }
    let to = polytope_corners - 1;
    let least2 = epa_best.w * 0.999999;
    let most2 = epa_upper * epa_upper * 1.000001;
    let least = select(4.0 * ccd_grain, max(4.0 * ccd_grain, ccd_tolerance), epa_start_num == 3);
    var on = 0u;
    var on_place = 0;
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
            let four = epa_start_four;
            let c = select(POLYTOPE_PYRAMIDS, POLYTOPE_TETRAHEDRON, four);
            let n = select(POLYTOPE_BESIDE, POLYTOPE_BESIDE_OF_FOUR, four);
            let digit = vec3u(u32(4 * k));
            let place = vec3u(1u, 1u << 10u, 1u << 20u);
            slot = k;
            let places = (c >> digit) & vec3u(15u);
            corners = dot((vec3u(epa_start_map) >> (4u * places)) & vec3u(15u), place);
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
        outside |= turned && dist2 > least * least;
        flat |= dist2 == 0.0;
        if (first && on == 0u && dist2 < ccd_grain * ccd_grain) {
            on = corners | POLYTOPE_LISTED;
            on_place = k;
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
            epa_end(true);
        }
    } else if (on != 0u) {
        epa_restart(on, on_place);
    } else if (outside || misses) {
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
