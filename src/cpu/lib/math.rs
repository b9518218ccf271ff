//! Vectors, quaternions (w x y z) and 3 × 3 matrices (row-major), with the operations in MuJoCo's order.

use crate::real::Real;
use crate::types::{MAXVAL, MINVAL};

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

/// True if the precision of a number is as fine as MuJoCo's, so that MuJoCo's thresholds for zero hold; the rounding of single
/// precision is larger than these.
pub const fn is_fine<R: Real>() -> bool {
    R::ROUNDING < MINVAL
}

/// Length below which the distance of two points on shapes of this size is only rounding; in double precision MuJoCo's threshold,
/// which does not depend on the size.
#[inline(always)]
pub fn nothing<R: Real>(size: R) -> R {
    let rounding = if is_fine::<R>() { 0.0 } else { R::ROUNDING };
    R::splat(MINVAL).max(R::splat(200.0 * rounding) * size)
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
        (a[0] * b[0] - a[1] * b[1]) - (a[2] * b[2] + a[3] * b[3]),
        (a[0] * b[1] + a[1] * b[0]) + (a[2] * b[3] - a[3] * b[2]),
        (a[0] * b[2] - a[1] * b[3]) + (a[2] * b[0] + a[3] * b[1]),
        (a[0] * b[3] + a[1] * b[2]) + (a[3] * b[0] - a[2] * b[1]),
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
    let [w, x, y, z] = q;
    let t = [
        (w * v[0] + y * v[2]) - z * v[1],
        (w * v[1] + z * v[0]) - x * v[2],
        (w * v[2] + x * v[1]) - y * v[0],
    ];
    add3(scl3(cross([x, y, z], t), R::splat(2.0)), v)
}

/// Rotation matrix of a unit quaternion.
#[inline(always)]
pub fn quat2mat<R: Real>(q: [R; 4]) -> [R; 9] {
    let (q00, q01, q02, q03) = (q[0] * q[0], q[0] * q[1], q[0] * q[2], q[0] * q[3]);
    let (q11, q12, q13) = (q[1] * q[1], q[1] * q[2], q[1] * q[3]);
    let (q22, q23, q33) = (q[2] * q[2], q[2] * q[3], q[3] * q[3]);
    let two = R::splat(2.0);
    [
        (q00 - q22) + (q11 - q33),
        two * (q12 - q03),
        two * (q13 + q02),
        two * (q12 + q03),
        (q00 + q22) - (q11 + q33),
        two * (q23 - q01),
        two * (q13 - q02),
        two * (q23 + q01),
        (q00 - q22) - (q11 - q33),
    ]
}

/// Quaternion of a rotation by `angle` (rad) about a unit `axis`.
#[inline(always)]
pub fn axis_angle2quat<R: Real>(axis: [R; 3], angle: R) -> [R; 4] {
    let (s, c) = (angle * R::splat(0.5)).sin_cos();
    [c, axis[0] * s, axis[1] * s, axis[2] * s]
}

/// `x` limited to `[lo, hi]`; NaN stays NaN (`mju_clip`).
#[inline(always)]
pub fn clip<R: Real>(x: R, lo: R, hi: R) -> R {
    R::select(x.lt(lo), lo, R::select(hi.lt(x), hi, x))
}

/// True where a number is NaN or too large (`mju_isBad`).
#[inline(always)]
pub fn is_bad<R: Real>(x: R) -> R::Mask {
    !(x.le(R::splat(MAXVAL)) & R::splat(-MAXVAL).le(x))
}

/// True where a number is not zero; NaN counts as nonzero.
#[inline(always)]
pub fn nonzero<R: Real>(x: R) -> R::Mask {
    !(x.le(R::zero()) & R::zero().le(x))
}

/// The unit vector and the length of a vector; the x axis if it is too short (`mju_normalize3`).
#[inline(always)]
pub fn normalize3<R: Real>(a: [R; 3]) -> ([R; 3], R) {
    let norm = norm3(a);
    let short = norm.lt(R::splat(MINVAL));
    let s = R::one() / R::select(short, R::one(), norm);
    let pick = |x: R, unit: f64| R::select(short, R::splat(unit), x * s);
    ([pick(a[0], 1.0), pick(a[1], 0.0), pick(a[2], 0.0)], norm)
}

/// The normalized quaternion; the identity if it is too short, itself if it has unit length but for rounding (`mju_normalize4`).
#[inline(always)]
pub fn normalize4<R: Real>(q: [R; 4]) -> [R; 4] {
    let norm = ((q[0] * q[0] + q[1] * q[1]) + (q[2] * q[2] + q[3] * q[3])).sqrt();
    let least = R::splat(MINVAL);
    let short = norm.lt(least);
    let unit = (norm - R::one()).abs().le(least);
    let s = R::one() / R::select(short | unit, R::one(), norm);
    let pick = |x: R, unit: f64| R::select(short, R::splat(unit), x * s);
    [
        pick(q[0], 1.0),
        pick(q[1], 0.0),
        pick(q[2], 0.0),
        pick(q[3], 0.0),
    ]
}

/// Rotation vector (rad) of a unit quaternion, the shorter way round (`mju_quat2Vel` in unit time).
#[inline(always)]
pub fn quat2vel<R: Real>(q: [R; 4]) -> [R; 3] {
    let (axis, sine) = normalize3([q[1], q[2], q[3]]);
    let angle = sine.atan2(q[0]) * R::splat(2.0);
    let turn = R::select(
        R::splat(std::f64::consts::PI).lt(angle),
        R::splat(2.0 * std::f64::consts::PI),
        R::zero(),
    );
    scl3(axis, angle - turn)
}

/// Rotation vector (rad) that takes `b` to `a`, in the frame of `b` (`mju_subQuat`).
#[inline(always)]
pub fn sub_quat<R: Real>(a: [R; 4], b: [R; 4]) -> [R; 3] {
    quat2vel(mul_quat(neg_quat(b), a))
}

/// A quaternion rotated for a time by an angular velocity in its own frame (`mju_quatIntegrate`).
#[inline(always)]
pub fn quat_integrate<R: Real>(q: [R; 4], vel: [R; 3], time: R) -> [R; 4] {
    let (axis, speed) = normalize3(vel);
    normalize4(mul_quat(q, axis_angle2quat(axis, speed * time)))
}

/// The nearest integer, halves rounded up (`mju_round`).
#[inline(always)]
pub fn round<R: Real>(mut x: R) -> R {
    for lane in 0..R::WIDTH {
        let whole = (x.lane(lane) + 0.5).floor();
        x.set_lane(lane, whole);
    }
    x
}

/// Time derivative of a rotation vector `u` while its frame rotates with the angular velocity `w` in its own axes: the inverse of
/// the right derivative of the exponential, `w + u×w/2 + c(|u|) u×(u×w)`.
#[inline(always)]
pub fn rotation_vector_rate<R: Real>(u: [R; 3], w: [R; 3]) -> [R; 3] {
    // c = (1 - |u|/2 cot(|u|/2)) / |u|², by its series where the formula is not accurate
    let t2 = dot3(u, u);
    let small = t2.lt(R::splat(0.01));
    let t2_large = R::select(small, R::one(), t2);
    let half = t2_large.sqrt() * R::splat(0.5);
    let (sin, cos) = half.sin_cos();
    let exact = (R::one() - half * cos / sin) / t2_large;
    let c = |n: f64| R::splat(1.0 / n);
    let series = c(12.0) + t2 * (c(720.0) + t2 * (c(30240.0) + t2 * c(1_209_600.0)));
    let uw = cross(u, w);
    let v = add_scl3(w, uw, R::splat(0.5));
    add_scl3(v, cross(u, uw), R::select(small, series, exact))
}
