// quaternions (w x y z, in registers as in memory: q[0] is w) and 3 × 3 matrices (column-major in registers: m * v and
// transpose(m) * v have their mathematical meaning). Vectors use WGSL's own operations: + - * dot cross length

// product of two quaternions
fn mul_quat(a: vec4f, b: vec4f) -> vec4f {
    return vec4f(
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]);
}

// conjugate of a quaternion
fn neg_quat(q: vec4f) -> vec4f {
    return vec4f(q[0], -q[1], -q[2], -q[3]);
}

// a vector rotated by a unit quaternion
fn rot_vec_quat(v: vec3f, q: vec4f) -> vec3f {
    // v + 2 w (u × v) + 2 u × (u × v)
    let u = vec3f(q[1], q[2], q[3]);
    let t = cross(u, v) * 2.0;
    return v + t * q[0] + cross(u, t);
}

// rotation matrix of a unit quaternion
fn quat2mat(q: vec4f) -> mat3x3f {
    let q00 = q[0] * q[0];
    let q01 = q[0] * q[1];
    let q02 = q[0] * q[2];
    let q03 = q[0] * q[3];
    let q11 = q[1] * q[1];
    let q12 = q[1] * q[2];
    let q13 = q[1] * q[3];
    let q22 = q[2] * q[2];
    let q23 = q[2] * q[3];
    let q33 = q[3] * q[3];
    // columns
    return mat3x3f(
        vec3f(q00 + q11 - q22 - q33, 2.0 * (q12 + q03), 2.0 * (q13 - q02)),
        vec3f(2.0 * (q12 - q03), q00 - q11 + q22 - q33, 2.0 * (q23 + q01)),
        vec3f(2.0 * (q13 + q02), 2.0 * (q23 - q01), q00 - q11 - q22 + q33));
}

// quaternion of a rotation by `angle` (rad) about a unit `axis`
fn axis_angle2quat(axis: vec3f, angle: f32) -> vec4f {
    let sc = sin_cos(angle * 0.5);
    return vec4f(sc.y, axis * sc.x);
}

// unit matrix
fn unit_mat3() -> mat3x3f {
    return mat3x3f(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
}

// `x` limited to `[lo, hi]`; NaN stays NaN
fn clip(x: f32, lo: f32, hi: f32) -> f32 {
    return select(select(x, hi, hi < x), lo, x < lo);
}

// true where a number is NaN or too large
fn is_bad(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) > bitcast<u32>(MAXVAL);
}

// true where a number is not zero; NaN counts as nonzero
fn nonzero(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7fffffffu) != 0u;
}

// the unit vector (xyz) and the length (w) of a vector; the x axis if it is too short
fn normalize3(a: vec3f) -> vec4f {
    let norm = sqrt(dot(a, a));
    if (norm < MINVAL) {
        return vec4f(1.0, 0.0, 0.0, norm);
    }
    return vec4f(a / norm, norm);
}

// length below which the distance of two points on shapes of this size is only rounding
fn nothing(size: f32) -> f32 {
    return 200.0 * ROUNDING * size;
}

// the normalized quaternion; the identity if it is too short
fn normalize4(q: vec4f) -> vec4f {
    let norm = sqrt(dot(q, q));
    if (norm < MINVAL) {
        return vec4f(1.0, 0.0, 0.0, 0.0);
    }
    return q / norm;
}

// rotation vector (rad) of a unit quaternion, the shorter way round
fn quat2vel(q: vec4f) -> vec3f {
    let axis = normalize3(vec3f(q[1], q[2], q[3]));
    let angle = 2.0 * arc_tangent(axis.w, q[0]);
    return axis.xyz * (angle - select(0.0, 6.283185307179586, angle > 3.141592653589793));
}

// rotation vector (rad) that takes `b` to `a`, in the frame of `b`
fn sub_quat(a: vec4f, b: vec4f) -> vec3f {
    return quat2vel(mul_quat(neg_quat(b), a));
}

// a quaternion rotated for a time by an angular velocity in its own frame
fn quat_integrate(q: vec4f, vel: vec3f, time: f32) -> vec4f {
    let axis = normalize3(vel);
    return normalize4(mul_quat(q, axis_angle2quat(axis.xyz, axis.w * time)));
}

// time derivative of a rotation vector `u` while its frame rotates with the angular velocity `w` in its own axes: the inverse of
// the right derivative of the exponential, `w + u×w/2 + c(|u|) u×(u×w)`
fn rotation_vector_rate(u: vec3f, w: vec3f) -> vec3f {
    // c = (1 - |u|/2 cot(|u|/2)) / |u|², by its series where the formula is not accurate
    let t2 = dot(u, u);
    var c = 1.0 / 12.0 + t2 * (1.0 / 720.0 + t2 * (1.0 / 30240.0 + t2 * (1.0 / 1209600.0)));
    if (t2 > 0.25) {
        let half = sqrt(t2) * 0.5;
        let sc = sin_cos(half);
        c = (1.0 - half * sc.y / sc.x) / t2;
    }
    let uw = cross(u, w);
    return w + uw * 0.5 + cross(u, uw) * c;
}
