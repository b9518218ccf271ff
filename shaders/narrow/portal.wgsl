// the older search for the penetration depth of two convex solids, as in src/cpu/collision/portal.rs: a portal is a triangle in the
// surface of their Minkowski difference, through which the ray from an inner point to the origin leaves it; the portal is moved
// outwards (XenoCollide, as in libccd)
//
// The inner point is corner0, the corners of the portal are corner1, corner2 and corner3. As the newer search it takes one support
// point in each iteration of the loop in convex.wgsl:
//
//   first ─▶ second ─▶ third ─▶ refine ─▶ outermost
//                      └─ until the ray passes through the portal

const PORTAL_FIRST: i32 = 0;
const PORTAL_SECOND: i32 = 1;
const PORTAL_THIRD: i32 = 2;
const PORTAL_REFINE: i32 = 3;
const PORTAL_OUTERMOST: i32 = 4;

// numbers below this count as zero, as in f64
const PORTAL_NOTHING: f32 = 2.220446e-16;
// rounding of a product of lengths, relative to the product
const PORTAL_GRAIN: f32 = 4e-7;
// how far beyond an edge of a triangle a point counts as within, in parts of the edge
const PORTAL_EDGE: f32 = 1e-6;
// maximum number of portals tried to find whether the origin is inside
const PORTAL_MOST: i32 = 1000;

var<private> portal_phase: i32;
// unit direction of the next support point
var<private> portal_dir: vec3f;

fn portal_unit(v: vec3f) -> vec3f {
    return v / max(length(v), 1e-30);
}

// true if a product of vectors is no more than rounding
fn portal_zero(x: f32, scale: f32) -> bool {
    return abs(x) < max(PORTAL_NOTHING, PORTAL_GRAIN * scale);
}

// a point inside the difference
fn portal_begin() {
    ccd_thin(true);
    corner0.on1 = solid_center(solid1);
    corner0.diff = corner0.on1 - solid2.pos;
    if (all(abs(corner0.diff) < vec3f(PORTAL_NOTHING))) {
        corner0.diff.x += 10.0 * PORTAL_NOTHING;
    }
    portal_dir = portal_unit(-corner0.diff);
    portal_phase = PORTAL_FIRST;
    ccd_step = 0;
    ccd_phase = CCD_PORTAL;
}

// one support point of the search
fn portal_move(corner: Corner) {
    if (portal_phase <= PORTAL_THIRD && dot(corner.diff, portal_dir) < PORTAL_NOTHING) {
        portal_apart();
        return;
    }
    if (portal_phase == PORTAL_FIRST) {
        portal_first(corner);
    } else if (portal_phase == PORTAL_SECOND) {
        portal_second(corner);
    } else if (portal_phase == PORTAL_THIRD) {
        portal_third(corner);
    } else {
        portal_refine(corner);
    }
    if (ccd_phase == CCD_PORTAL && portal_phase == PORTAL_REFINE) {
        // the origin lies inside of the portal
        portal_dir = portal_outwards();
        if (dot(portal_dir, corner1.diff) > -ccd_grain) {
            portal_phase = PORTAL_OUTERMOST;
            ccd_step = 0;
        }
    }
}

fn portal_apart() {
    ccd_dist = CCD_FAR;
    ccd_phase = CCD_FOUND;
}

// the depth, the unit normal from the first solid to the second, and the position between the two surfaces
fn portal_found(depth: f32, normal: vec3f, pos: vec3f) {
    ccd_dist = -depth;
    ccd_normal = normal;
    ccd_point1 = pos;
    ccd_point2 = pos;
    ccd_phase = CCD_FOUND;
}

fn portal_first(corner: Corner) {
    corner1 = corner;
    let side = cross(corner0.diff, corner1.diff);
    let area = length(side);
    let far = length(corner1.diff);
    if (dot(side, side) < PORTAL_NOTHING || portal_zero(area, length(corner0.diff) * far)) {
        // the origin lies on the segment between the inner point and its support point
        portal_found(far, corner1.diff / max(far, 1e-30), corner1.on1 - 0.5 * corner1.diff);
        return;
    }
    portal_dir = side / area;
    portal_phase = PORTAL_SECOND;
}

fn portal_second(corner: Corner) {
    corner2 = corner;
    portal_dir = portal_across();

    // order the corners so that the normal points outwards
    if (dot(portal_dir, corner0.diff) > 0.0) {
        corner2 = corner1;
        corner1 = corner;
        portal_dir = -portal_dir;
    }
    portal_phase = PORTAL_THIRD;
}

// true if the ray leaves the difference beyond the side of the portal through two points
fn portal_beyond(a: vec3f, b: vec3f) -> bool {
    let side = dot(cross(a, b), corner0.diff);
    return side < 0.0 && !portal_zero(side, length(a) * length(b) * length(corner0.diff));
}

fn portal_third(corner: Corner) {
    corner3 = corner;
    if (portal_beyond(corner1.diff, corner3.diff)) {
        corner2 = corner3;
    } else if (portal_beyond(corner3.diff, corner2.diff)) {
        corner1 = corner3;
    } else {
        portal_phase = PORTAL_REFINE;
        ccd_step = 0;
        return;
    }
    portal_dir = portal_across();
    ccd_step++;
    if (ccd_step == PORTAL_MOST) {
        portal_apart();
    }
}

// moves the portal outwards: until the origin lies inside of it, then on to the surface
fn portal_refine(next: Corner) {
    let ended = portal_ends(next, portal_dir);
    if (portal_phase == PORTAL_REFINE) {
        if (ended || dot(next.diff, portal_dir) <= -ccd_grain || ccd_step == PORTAL_MOST) {
            portal_apart();
            return;
        }
    } else if (ended || ccd_step > CCD_STEPS) {
        portal_outermost();
        return;
    }
    portal_expand(next);
    portal_dir = portal_outwards();
    ccd_step++;
}

// the origin's distance from the portal
fn portal_outermost() {
    let dir = portal_outwards();
    let near = portal_nearest(dir);
    portal_found(near.w, select(dir, near.xyz / max(near.w, 1e-30), near.w > ccd_grain), portal_place(dir));
}

// true if a support point is no farther out than a corner of the portal, within the tolerance
fn portal_ends(next: Corner, dir: vec3f) -> bool {
    let reach = dot(next.diff, dir);
    let over = vec3f(dot(corner1.diff, dir), dot(corner2.diff, dir), dot(corner3.diff, dir));
    return reach - max(over.x, max(over.y, over.z)) <= ccd_tolerance;
}

// unit normal of the triangle of the inner point and two corners
fn portal_across() -> vec3f {
    return portal_unit(cross(corner1.diff - corner0.diff, corner2.diff - corner0.diff));
}

fn portal_outwards() -> vec3f {
    return portal_unit(cross(corner2.diff - corner1.diff, corner3.diff - corner1.diff));
}

// replaces the portal corner that the ray does not need by a new point
fn portal_expand(next: Corner) {
    let side = cross(next.diff, corner0.diff);
    let first = dot(corner1.diff, side) > 0.0;
    let second = dot(corner2.diff, side) > 0.0;
    let third = dot(corner3.diff, side) > 0.0;
    if (first && !second) {
        corner3 = next;
    } else if (!first && third) {
        corner2 = next;
    } else {
        corner1 = next;
    }
}

// contact position: midway between the two points of the solids that make up the point of the portal on the ray. Volumes are
// formed from edges, which are short: an f32 keeps little of the differences of large products
fn portal_place(dir: vec3f) -> vec3f {
    let v0 = corner0.diff;
    let v1 = corner1.diff;
    let v2 = corner2.diff;
    let v3 = corner3.diff;
    let inner = dot(v1, cross(v2 - v1, v3 - v1));
    let outer = vec3f(dot(cross(v3 - v2, v2), v0), dot(cross(v1 - v3, v3), v0), dot(cross(v2 - v1, v1), v0));
    var share = vec4f(inner, outer);
    var sum = inner + outer.x + outer.y + outer.z;
    if (sum < PORTAL_NOTHING) {
        share = vec4f(0.0, dot(cross(v2, v3), dir), dot(cross(v3, v1), dir), dot(cross(v1, v2), dir));
        sum = share.y + share.z + share.w;
    }
    share /= sum;
    let on1 = corner0.on1 * share.x + corner1.on1 * share.y + corner2.on1 * share.z + corner3.on1 * share.w;
    return on1 - 0.5 * (v0 * share.x + v1 * share.y + v2 * share.z + v3 * share.w);
}

// the point of the portal nearest to the origin (xyz) and its distance (w); within the portal it lies along the normal, which has
// more digits than the point
fn portal_nearest(dir: vec3f) -> vec4f {
    let a = corner1.diff;
    let d1 = corner2.diff - a;
    let d2 = corner3.diff - a;
    let n = cross(d1, d2);
    let divisor = dot(n, n);
    if (divisor > PORTAL_NOTHING) {
        let s = -dot(cross(a, d2), n) / divisor;
        let t = -dot(cross(d1, a), n) / divisor;
        if (s >= -PORTAL_EDGE && t >= -PORTAL_EDGE && s + t <= 1.0 + PORTAL_EDGE) {
            let depth = max(dot(dir, a), 0.0);
            return vec4f(dir * depth, depth);
        }
    }
    var best = portal_on_edge(a, corner2.diff);
    for (var k = 0; k < 2; k++) {
        let next = portal_on_edge(select(a, corner2.diff, k == 1), corner3.diff);
        if (next.w < best.w) {
            best = next;
        }
    }
    return best;
}

fn portal_on_edge(a: vec3f, b: vec3f) -> vec4f {
    let d = b - a;
    let t = clamp(-dot(a, d) / max(dot(d, d), 1e-30), 0.0, 1.0);
    let point = a + d * t;
    return vec4f(point, length(point));
}
