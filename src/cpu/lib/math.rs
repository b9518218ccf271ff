//! Vectors, quaternions (w x y z) and 3 × 3 matrices (row-major), with the operations in MuJoCo's order.

use crate::real::Real;

/// Sum of two vectors.
#[inline(always)]
pub fn add3<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// Difference of two vectors.
#[inline(always)]
pub fn sub3<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// A vector times a number.
#[inline(always)]
pub fn scl3<R: Real>(a: [R; 3], s: R) -> [R; 3] {
    [a[0] * s, a[1] * s, a[2] * s]
}

/// `a + b * s`.
#[inline(always)]
pub fn add_scl3<R: Real>(a: [R; 3], b: [R; 3], s: R) -> [R; 3] {
    [a[0] + b[0] * s, a[1] + b[1] * s, a[2] + b[2] * s]
}

/// Inner product.
#[inline(always)]
pub fn dot3<R: Real>(a: [R; 3], b: [R; 3]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Cross product.
#[inline(always)]
pub fn cross<R: Real>(a: [R; 3], b: [R; 3]) -> [R; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Length.
#[inline(always)]
pub fn norm3<R: Real>(a: [R; 3]) -> R {
    dot3(a, a).sqrt()
}

/// Matrix times vector.
#[inline(always)]
pub fn mul_mat_vec3<R: Real>(m: [R; 9], v: [R; 3]) -> [R; 3] {
    [
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    ]
}

/// Transposed matrix times vector.
#[inline(always)]
pub fn mul_mat_t_vec3<R: Real>(m: [R; 9], v: [R; 3]) -> [R; 3] {
    [
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    ]
}

/// Product of two quaternions.
#[inline(always)]
pub fn mul_quat<R: Real>(a: [R; 4], b: [R; 4]) -> [R; 4] {
    [
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
}

/// Conjugate of a quaternion.
#[inline(always)]
pub fn neg_quat<R: Real>(q: [R; 4]) -> [R; 4] {
    [q[0], -q[1], -q[2], -q[3]]
}

/// A vector rotated by a unit quaternion.
#[inline(always)]
pub fn rot_vec_quat<R: Real>(v: [R; 3], q: [R; 4]) -> [R; 3] {
    // v + 2 w (u × v) + 2 u × (u × v)
    let u = [q[1], q[2], q[3]];
    let t = scl3(cross(u, v), R::splat(2.0));
    add3(add_scl3(v, t, q[0]), cross(u, t))
}

/// Rotation matrix of a unit quaternion.
#[inline(always)]
pub fn quat2mat<R: Real>(q: [R; 4]) -> [R; 9] {
    let (q00, q01, q02, q03) = (q[0] * q[0], q[0] * q[1], q[0] * q[2], q[0] * q[3]);
    let (q11, q12, q13) = (q[1] * q[1], q[1] * q[2], q[1] * q[3]);
    let (q22, q23, q33) = (q[2] * q[2], q[2] * q[3], q[3] * q[3]);
    let two = R::splat(2.0);
    [
        q00 + q11 - q22 - q33,
        two * (q12 - q03),
        two * (q13 + q02),
        two * (q12 + q03),
        q00 - q11 + q22 - q33,
        two * (q23 - q01),
        two * (q13 - q02),
        two * (q23 + q01),
        q00 - q11 - q22 + q33,
    ]
}

/// Quaternion of a rotation by `angle` (rad) about a unit `axis`.
#[inline(always)]
pub fn axis_angle2quat<R: Real>(axis: [R; 3], angle: R) -> [R; 4] {
    let (s, c) = (angle * R::splat(0.5)).sin_cos();
    [c, axis[0] * s, axis[1] * s, axis[2] * s]
}
