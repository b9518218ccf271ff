// the first polytope around the origin, from a simplex that holds it, as in src/cpu/collision/initial.rs

// corners of the initial simplex, and number of missing corners
var<private> epa_start_num: i32;
var<private> epa_start_lack: i32;
var<private> epa_start_dir: vec3f;
var<private> epa_start_turn: mat3x3f;
// whether the next corner may take the place of one of the three around a segment
var<private> epa_start_mends: bool;
// whether a triangle with the origin on an edge may start anew from there
var<private> epa_start_edges: bool;
// whether there are four first faces, and the corners that take the places of the five in the tables, one hexadecimal digit each
var<private> epa_start_four: bool;
var<private> epa_start_map: u32;

// the first faces: of two pyramids base to base, the base before the lower tip and the upper one, or of a tetrahedron. Their three corners and
// their three neighbors, one hexadecimal digit per face, the first face in the last digit
const POLYTOPE_PYRAMIDS = vec3u(0x333444u, 0x201120u, 0x120201u);
const POLYTOPE_TETRAHEDRON = vec3u(0x3000u, 0x2231u, 0x1312u);
const POLYTOPE_BESIDE = vec3u(0x435021u, 0x210543u, 0x354102u);
const POLYTOPE_BESIDE_OF_FOUR = vec3u(0x2021u, 0x0333u, 0x1102u);

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
    epa_start_mends = false;
    ccd_step = 0;
    if (ccd_corners == 2) {
        // three support points around the segment
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
        let normal = normalize3(cross(b - a, c - a));
        epa_start_dir = -normal.xyz;
        epa_start_turn = mat3x3f(-1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, -1.0);
        epa_start_lack = 2;
        ccd_phase = CCD_CORNER;
        if (normal.w < MINVAL) {
            epa_end(true);
        }
    } else {
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
    if (epa_start_mends) {
        epa_mend(corner);
        polytope_corners = 5;
        ccd_phase = CCD_FACES;
        return;
    }
    epa_start_dir = epa_start_turn * epa_start_dir;
    epa_start_lack--;
    if (epa_start_lack == 0) {
        ccd_phase = CCD_FACES;
        if (epa_start_num == 2) {
            epa_look_beyond();
        }
    }
}

// six times the volumes of the tetrahedra of a segment and each edge of a triangle; all have one sign where the line goes through it
fn epa_volumes(start: vec3f, end: vec3f, a: vec3f, b: vec3f, c: vec3f) -> vec3f {
    let along = end - start;
    let p = a - start;
    let q = b - start;
    let r = c - start;
    return vec3f(dot(cross(p, q), along), dot(cross(q, r), along), dot(cross(r, p), along));
}

fn epa_pierces(volume: vec3f, least: f32) -> bool {
    return all(volume >= vec3f(least)) || all(volume <= vec3f(-least));
}

// index of the least of three numbers, the first of equal ones
fn epa_least(x: vec3f) -> i32 {
    return select(select(2, 1, x.y <= min(x.x, x.z)), 0, x.x <= min(x.y, x.z));
}

// volume below which rounding decides whether the segment pierces the triangle around it
fn epa_segment_least() -> f32 {
    let axis = polytope_diff[1] - polytope_diff[0];
    return dot(axis, axis) * ccd_grain;
}

// where the segment misses the triangle around it: asks for a corner beyond the edge that the segment is farthest beyond
fn epa_look_beyond() {
    let start = polytope_diff[0];
    let axis = polytope_diff[1] - start;
    let volume = epa_volumes(start, polytope_diff[1], polytope_diff[2], polytope_diff[3], polytope_diff[4]);
    if (epa_pierces(volume, epa_segment_least())) {
        return;
    }
    let first = epa_least(volume);
    let a = polytope_diff[2 + first];
    let edge = polytope_diff[2 + (first + 1) % 3] - a;
    let along = dot(axis, polytope_diff[2 + (first + 2) % 3] - start);
    let lean = length(edge) * select(-0.001, 0.001, 0.5 * dot(axis, axis) <= along);
    epa_start_dir = normalize3(cross(edge, axis) + axis * lean).xyz;
    epa_start_lack = first;
    epa_start_mends = true;
    ccd_phase = CCD_CORNER;
}

// puts a corner in the place of the first of the three around a segment with which the segment pierces their triangle
fn epa_mend(corner: Corner) {
    for (var k = 0; k < 3; k++) {
        let at = 2 + (epa_start_lack + k) % 3;
        var p = mat3x3f(polytope_diff[2], polytope_diff[3], polytope_diff[4]);
        p[at - 2] = corner.diff;
        let volume = epa_volumes(polytope_diff[0], polytope_diff[1], p[0], p[1], p[2]);
        if (epa_pierces(volume, epa_segment_least())) {
            polytope_put(at, corner);
            return;
        }
    }
}

// chooses the first faces, and their center. Where the segment between the support points of a triangle passes it across two of its edges,
// another segment pierces another triangle; where it passes across one, these points and that edge make a tetrahedron
fn epa_choose() {
    epa_start_four = epa_start_num == 4;
    // of a segment the ends are the tips
    epa_start_map = select(0x43210u, 0x01432u, epa_start_num == 2);
    if (epa_start_num == 3) {
        let v = epa_volumes(polytope_diff[4], polytope_diff[3], polytope_diff[0], polytope_diff[1], polytope_diff[2]);
        let up = v > vec3f(0.0);
        let down = v < vec3f(0.0);
        if (up.x && down.y && down.z) {
            epa_start_map = 0x01432u;
        } else if (up.y && down.x && down.z) {
            epa_start_map = 0x12430u;
        } else if (up.z && down.x && down.y) {
            epa_start_map = 0x20431u;
        } else if (any(up) && any(down)) {
            let edge = epa_least(v);
            epa_start_map = 0x3400u | u32(((edge + 1) % 3) << 4u) | u32(edge);
            epa_start_four = true;
        }
    }
    let num = select(5, 4, epa_start_four);
    polytope_center = vec3f(0.0);
    for (var k = 0; k < num; k++) {
        polytope_center += polytope_diff[(epa_start_map >> u32(4 * k)) & 15u] / f32(num);
    }
}

// the origin is on a first face: starts anew from it, if it is one of a tetrahedron; from the better of two triangles, if it is one beside
// a segment; from an edge of a triangle, if the origin is on one
fn epa_restart(face: u32, k: i32) {
    ccd_phase = CCD_AGAIN;
    epa_again = 3;
    epa_best_corners = face;
    if (epa_start_num == 2) {
        // corners of an edge around the segment; the origin is on the side of the start of the segment, or of its end
        let beside = (vec3u(0x342u, 0x423u, 0x0u) >> vec3u(u32(4 * (k % 3)))) & vec3u(15u);
        let c = polytope_diff[beside.x];
        let edge = polytope_diff[beside.y] - c;
        let way = edge / max(dot(edge, edge), MINVAL * MINVAL);
        let out = polytope_diff[0] - c;
        let there = out - edge * dot(out, way);
        let origin = -c + edge * dot(c, way);
        let one = i32(beside.x);
        let two = i32(beside.y);
        let at_end = dot(there, origin) < 0.0 || dot(there, there) < ccd_grain * ccd_grain;
        epa_best_corners = select(polytope_three(0, one, two), polytope_three(1, two, one), at_end);
        epa_start_edges = false;
    } else if (epa_start_num == 3) {
        ccd_phase = CCD_TELL;
        for (var edge = 0; edge < 3 && epa_start_edges; edge++) {
            let next = (edge + 1) % 3;
            let a = polytope_diff[edge];
            let along = polytope_diff[next] - a;
            let near = a - along * (dot(a, along) / max(dot(along, along), MINVAL * MINVAL));
            if (dot(a, polytope_diff[next]) < 0.0 && dot(near, near) < ccd_grain * ccd_grain) {
                ccd_phase = CCD_AGAIN;
                epa_again = 2;
                epa_best_corners = polytope_three(edge, next, next);
                return;
            }
        }
    }
}
