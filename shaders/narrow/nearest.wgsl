// the point of a segment, a triangle or a tetrahedron that is nearest to another point, as in src/cpu/collision/nearest.rs

// corner numbers of the faces of a tetrahedron
const TETRAHEDRON_FACES: array<vec3i, 4> = array<vec3i, 4>(vec3i(0, 1, 2), vec3i(0, 2, 3), vec3i(0, 3, 1), vec3i(1, 3, 2));

// barycentric weights of the point of a segment, triangle or tetrahedron nearest to `point`; corners beyond the number get zero
fn nearest_weights(corner: array<vec3f, 4>, num: i32, point: vec3f) -> vec4f {
    let a = corner[0] - point;
    let b = corner[1] - point;
    if (num == 2) {
        return vec4f(nearest_on_segment(a, b), 0.0, 0.0);
    }
    return nearest_on_faces(a, b, corner[2] - point, corner[3] - point, num == 4);
}

// the nearest point itself
fn nearest_point(corner: array<vec3f, 4>, num: i32, point: vec3f) -> vec3f {
    let w = nearest_weights(corner, num, point);
    return corner[0] * w.x + corner[1] * w.y + corner[2] * w.z + corner[3] * w.w;
}

// weights of the point nearest to the origin, as in all functions below
fn nearest_on_segment(a: vec3f, b: vec3f) -> vec2f {
    let ab = b - a;
    let length2 = dot(ab, ab);
    let share = select(0.0, clip(-dot(a, ab) / length2, 0.0, 1.0), length2 > 0.0);
    return vec2f(1.0 - share, share);
}

fn nearest_on_triangle(a: vec3f, b: vec3f, c: vec3f) -> vec3f {
    let origin = origin_on_plane(a, b, c);
    if (origin.w != 0.0) {
        let area = simplex_areas(a, b, c, origin.xyz);
        let weights = area.xyz / area.w;
        if (all(weights >= vec3f(0.0))) {
            return weights;
        }
    }
    let ab = nearest_on_segment(a, b);
    let bc = nearest_on_segment(b, c);
    let ca = nearest_on_segment(c, a);
    let far_ab = nearest_far(a * ab.x + b * ab.y);
    let far_bc = nearest_far(b * bc.x + c * bc.y);
    let far_ca = nearest_far(c * ca.x + a * ca.y);
    var weights = vec3f(ab, 0.0);
    if (far_bc < far_ab) {
        weights = vec3f(0.0, bc);
    }
    if (far_ca < min(far_ab, far_bc)) {
        weights = vec3f(ca.y, 0.0, ca.x);
    }
    return weights;
}

fn nearest_far(x: vec3f) -> f32 {
    return dot(x, x);
}

// a triangle of the first three corners, or a tetrahedron
fn nearest_on_faces(a: vec3f, b: vec3f, c: vec3f, d: vec3f, solid: bool) -> vec4f {
    if (solid) {
        let part = vec4f(-dot(b, cross(c, d)), dot(a, cross(c, d)), -dot(a, cross(b, d)), dot(a, cross(b, c)));
        let weights = part / (part.x + part.y + part.z + part.w);
        if (all(weights >= vec4f(0.0))) {
            return weights;
        }
    }

    // the nearest face, the first of equally near ones
    var weights = vec4f(0.0);
    var least = CCD_FAR;
    for (var i = 0; i < select(1, 4, solid); i++) {
        let face = TETRAHEDRON_FACES[i];
        let p = nearest_corner(a, b, c, d, face.x);
        let q = nearest_corner(a, b, c, d, face.y);
        let r = nearest_corner(a, b, c, d, face.z);
        let own = nearest_on_triangle(p, q, r);
        let far = nearest_far(p * own.x + q * own.y + r * own.z);
        if (far < least) {
            least = far;
            weights = vec4f(0.0);
            weights[face.x] = own.x;
            weights[face.y] = own.y;
            weights[face.z] = own.z;
        }
    }
    return weights;
}

fn nearest_corner(a: vec3f, b: vec3f, c: vec3f, d: vec3f, i: i32) -> vec3f {
    return select(select(a, b, i == 1), select(c, d, i == 3), i >= 2);
}
