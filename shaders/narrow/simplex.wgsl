// the point of a simplex nearest to the origin, by signed volumes, as in src/cpu/collision/simplex.rs

// projection of the origin on the plane of three points (xyz); w is 0 if they are on a line. The two shortest edges give the most
// accurate plane
fn origin_on_plane(a: vec3f, b: vec3f, c: vec3f) -> vec4f {
    let ab = b - a;
    let bc = c - b;
    let ca = a - c;
    let ab2 = dot(ab, ab);
    let bc2 = dot(bc, bc);
    let ca2 = dot(ca, ca);
    var normal = cross(ab, bc);
    var at = b;
    if (ab2 >= bc2 && ab2 >= ca2) {
        normal = cross(bc, ca);
        at = c;
    } else if (bc2 >= ca2) {
        normal = cross(ca, ab);
        at = a;
    }
    let norm2 = dot(normal, normal);
    if (norm2 == 0.0) {
        return vec4f(0.0);
    }
    return vec4f(normal * (dot(normal, at) / norm2), 1.0);
}

// twice the areas that a point in the plane of a triangle cuts off (xyz) and twice the triangle's area (w), all times the latter
fn simplex_areas(a: vec3f, b: vec3f, c: vec3f, p: vec3f) -> vec4f {
    let normal = cross(b - a, c - a);
    let pa = a - p;
    let pb = b - p;
    let pc = c - p;
    return vec4f(
        dot(cross(pb, pc), normal), dot(cross(pc, pa), normal), dot(cross(pa, pb), normal), dot(normal, normal));
}

// barycentric weights of the point of a segment nearest to the origin: of the second end alone if the origin is not between the ends
fn on_segment(a: vec3f, b: vec3f) -> vec2f {
    let ab = b - a;
    let part = dot(b, ab) / dot(ab, ab);
    return select(vec2f(0.0, 1.0), vec2f(part, 1.0 - part), part > 0.0 && part < 1.0);
}

fn on_edge(a: vec3f, b: vec3f, weights: vec2f) -> f32 {
    let p = a * weights.x + b * weights.y;
    return dot(p, p);
}

// barycentric weights of the point of a triangle nearest to the origin, or of a segment, whose ends are the first two corners
fn on_triangle(a: vec3f, b: vec3f, c: vec3f, segment: bool) -> vec3f {
    let origin = origin_on_plane(a, b, c);
    var inside = vec3<bool>(true, true, false);
    if (!segment && origin.w != 0.0) {
        let area = simplex_areas(a, b, c, origin.xyz);
        inside = area.xyz > vec3f(0.0);
        if (all(inside)) {
            // of tiny triangles the areas do not add up to the whole: their sum keeps the point in the triangle
            return area.xyz / (area.x + area.y + area.z);
        }
    }

    // outside: the nearest of the edges that have the origin on their outer side
    let bc = on_segment(b, c);
    let ac = on_segment(a, c);
    let ab = on_segment(a, b);
    var weights = vec3f(0.0, bc);
    var least = select(on_edge(b, c, bc), CCD_FAR, inside.x);
    let far_b = select(on_edge(a, c, ac), CCD_FAR, inside.y);
    if (far_b < least) {
        least = far_b;
        weights = vec3f(ac.x, 0.0, ac.y);
    }
    let far_c = select(on_edge(a, b, ab), CCD_FAR, inside.z);
    if (far_c < least) {
        weights = vec3f(ab, 0.0);
    }
    return weights;
}

// true if both are positive or both negative
fn alike(a: vec4f, b: f32) -> vec4<bool> {
    return (a * sign(b)) > vec4f(0.0);
}

// weights of the first corners of the simplex
fn on_simplex(num: i32) -> vec4f {
    let p0 = corner0.diff;
    let p1 = corner1.diff;
    let p2 = corner2.diff;
    let p3 = corner3.diff;
    if (num == 1) {
        return vec4f(1.0, 0.0, 0.0, 0.0);
    }
    var inside = vec4<bool>(false);
    if (num == 4) {
        let across = cross(p2, p3);
        let part = vec4f(-dot(p1, across), dot(p0, across), -dot(p0, cross(p1, p3)), dot(p0, cross(p1, p2)));
        let whole = part.x + part.y + part.z + part.w;
        inside = alike(part, whole);
        if (all(inside)) {
            return part / whole;
        }
    }

    // outside: the nearest of the faces that have the origin on their outer side, each without one corner
    var weights = vec4f(0.0);
    var least = CCD_FAR;
    for (var k = select(3, 0, num == 4); k < 4; k++) {
        let skip = select(select(inside.x, inside.y, k == 1), select(inside.z, inside.w, k == 3), k > 1);
        let a = select(p0, p1, k == 0);
        let b = select(p2, p1, k > 1);
        let c = select(p3, p2, k == 3);
        let w = on_triangle(a, b, c, num == 2);
        let p = a * w.x + b * w.y + c * w.z;
        let dist = dot(p, p);
        if (!skip && dist < least) {
            least = dist;
            weights = select(
                select(vec4f(0.0, w), vec4f(w.x, 0.0, w.yz), k == 1),
                select(vec4f(w.xy, 0.0, w.z), vec4f(w, 0.0), k == 3), k > 1);
        }
    }
    return weights;
}
