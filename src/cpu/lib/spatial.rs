//! Spatial (6D) algebra about the subtree's centre of mass: rotation first, then translation.

use crate::cpu::lib::math::{add3, cross, mul_mat_t_vec3};
use crate::fields::{Data, Model};
use crate::real::{Real, products};
use crate::types::DSBL_GRAVITY;

/// Inertia times motion: a force (`mju_mulInertVec`).
#[inline(always)]
pub fn mul_inert_vec<R: Real>(i: [R; 10], v: [R; 6]) -> [R; 6] {
    let [x, y, z, mass] = [i[6], i[7], i[8], i[9]];
    [
        products([i[0], i[3], i[4], -z, y], [v[0], v[1], v[2], v[4], v[5]]),
        products([i[3], i[1], i[5], z, -x], [v[0], v[1], v[2], v[3], v[5]]),
        products([i[4], i[5], i[2], -y, x], [v[0], v[1], v[2], v[3], v[4]]),
        products([z, -y, mass], [v[1], v[2], v[3]]),
        products([x, -z, mass], [v[2], v[0], v[4]]),
        products([y, -x, mass], [v[0], v[1], v[5]]),
    ]
}

/// Cross product of motions `vel × v` (`mju_crossMotion`).
#[inline(always)]
pub fn cross_motion<R: Real>(vel: [R; 6], v: [R; 6]) -> [R; 6] {
    let [rx, ry, rz, x, y, z] = vel;
    [
        products([-rz, ry], [v[1], v[2]]),
        products([rz, -rx], [v[0], v[2]]),
        products([-ry, rx], [v[0], v[1]]),
        products([-rz, ry, -z, y], [v[4], v[5], v[1], v[2]]),
        products([rz, -rx, z, -x], [v[3], v[5], v[0], v[2]]),
        products([-ry, rx, -y, x], [v[3], v[4], v[0], v[1]]),
    ]
}

/// Cross product of a motion and a force `vel ×* f` (`mju_crossForce`).
#[inline(always)]
pub fn cross_force<R: Real>(vel: [R; 6], f: [R; 6]) -> [R; 6] {
    let [rx, ry, rz, x, y, z] = vel;
    [
        products([-rz, ry, -z, y], [f[1], f[2], f[4], f[5]]),
        products([rz, -rx, z, -x], [f[0], f[2], f[3], f[5]]),
        products([-ry, rx, -y, x], [f[0], f[1], f[3], f[4]]),
        products([-rz, ry], [f[4], f[5]]),
        products([rz, -rx], [f[3], f[5]]),
        products([-ry, rx], [f[3], f[4]]),
    ]
}

/// Inner product of two spatial vectors.
#[inline(always)]
pub fn dot6<R: Real>(a: [R; 6], b: [R; 6]) -> R {
    products(a, b)
}

/// `a + b * s`.
#[inline(always)]
pub fn add_scl6<R: Real>(a: [R; 6], b: [R; 6], s: R) -> [R; 6] {
    std::array::from_fn(|k| b[k].mul_add(s, a[k]))
}

/// Inertia about a point at `-offset` from a body's centre of mass, with principal moments `inertia` in the frame `mat`
/// (`mju_inertCom`).
#[inline(always)]
pub fn inert_com<R: Real>(inertia: [R; 3], mat: [R; 9], offset: [R; 3], mass: R) -> [R; 10] {
    let [x, y, z] = offset;
    // row i of mat · diag(inertia) · matᵀ, column j
    let row = |i: usize| [mat[3 * i], mat[3 * i + 1], mat[3 * i + 2]];
    let scaled = [0, 1, 2].map(|i| {
        let [a, b, c] = row(i);
        [a * inertia[0], b * inertia[1], c * inertia[2]]
    });
    let turned = |i: usize, j: usize| products(scaled[i], row(j));
    [
        turned(0, 0) + mass * (y * y + z * z),
        turned(1, 1) + mass * (x * x + z * z),
        turned(2, 2) + mass * (x * x + y * y),
        turned(0, 1) - mass * x * y,
        turned(0, 2) - mass * x * z,
        turned(1, 2) - mass * y * z,
        mass * x,
        mass * y,
        mass * z,
        mass,
    ]
}

/// Motion of a rotation about `axis` through a point, at `offset` from that point (`mju_dofCom`).
#[inline(always)]
pub fn dof_com<R: Real>(axis: [R; 3], offset: [R; 3]) -> [R; 6] {
    let v = cross(axis, offset);
    [axis[0], axis[1], axis[2], v[0], v[1], v[2]]
}

/// A spatial vector from its two halves.
#[inline(always)]
pub fn spatial<R: Real>(rot: [R; 3], lin: [R; 3]) -> [R; 6] {
    [rot[0], rot[1], rot[2], lin[0], lin[1], lin[2]]
}

/// A motion transferred to a point at `offset` (`mju_transformSpatial`).
#[inline(always)]
pub fn seen_from<R: Real>(v: [R; 6], offset: [R; 3]) -> [R; 6] {
    spatial(rot(v), add3(lin(v), cross(rot(v), offset)))
}

/// The first half: angular part of a motion, torque of a force.
#[inline(always)]
pub fn rot<R: Real>(v: [R; 6]) -> [R; 3] {
    [v[0], v[1], v[2]]
}

/// The second half: linear part of a motion, force of a force.
#[inline(always)]
pub fn lin<R: Real>(v: [R; 6]) -> [R; 3] {
    [v[3], v[4], v[5]]
}

/// Both halves in the axes of a frame.
#[inline(always)]
pub fn along<R: Real>(mat: [R; 9], v: [R; 6]) -> [R; 6] {
    spatial(mul_mat_t_vec3(mat, rot(v)), mul_mat_t_vec3(mat, lin(v)))
}

/// Gravity as an upward acceleration of the world (m/s²): the start of a tree's accelerations.
pub fn world_acceleration<R: Real>(m: &Model, d: &Data<R>) -> [R; 6] {
    let mut acc = [R::zero(); 6];
    if !m.opt.disabled(DSBL_GRAVITY) {
        for k in 0..3 {
            acc[3 + k] = -d.own.gravity(m)[k];
        }
    }
    acc
}
