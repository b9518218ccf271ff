//! Spatial (6D) algebra about the subtree's centre of mass: rotation first, then translation.

use crate::cpu::lib::math::{add_scl3, add3, cross, is_fine, mul_mat_t_vec3};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::DSBL_GRAVITY;

/// Inertia times motion: a force (`mju_mulInertVec`).
#[inline(always)]
pub fn mul_inert_vec<R: Real>(i: [R; 10], v: [R; 6]) -> [R; 6] {
    [
        i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
        i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
        i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
        i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
        i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
        i[7] * v[0] - i[6] * v[1] + i[9] * v[5],
    ]
}

/// Cross product of motions `vel × v` (`mju_crossMotion`).
#[inline(always)]
pub fn cross_motion<R: Real>(vel: [R; 6], v: [R; 6]) -> [R; 6] {
    [
        -vel[2] * v[1] + vel[1] * v[2],
        vel[2] * v[0] - vel[0] * v[2],
        -vel[1] * v[0] + vel[0] * v[1],
        -vel[2] * v[4] + vel[1] * v[5] - vel[5] * v[1] + vel[4] * v[2],
        vel[2] * v[3] - vel[0] * v[5] + vel[5] * v[0] - vel[3] * v[2],
        -vel[1] * v[3] + vel[0] * v[4] - vel[4] * v[0] + vel[3] * v[1],
    ]
}

/// Cross product of a motion and a force `vel ×* f` (`mju_crossForce`).
#[inline(always)]
pub fn cross_force<R: Real>(vel: [R; 6], f: [R; 6]) -> [R; 6] {
    [
        -vel[2] * f[1] + vel[1] * f[2] - vel[5] * f[4] + vel[4] * f[5],
        vel[2] * f[0] - vel[0] * f[2] + vel[5] * f[3] - vel[3] * f[5],
        -vel[1] * f[0] + vel[0] * f[1] - vel[4] * f[3] + vel[3] * f[4],
        -vel[2] * f[4] + vel[1] * f[5],
        vel[2] * f[3] - vel[0] * f[5],
        -vel[1] * f[3] + vel[0] * f[4],
    ]
}

/// Inner product of two spatial vectors.
#[inline(always)]
pub fn dot6<R: Real>(a: [R; 6], b: [R; 6]) -> R {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

/// `a + b * s`.
#[inline(always)]
pub fn add_scl6<R: Real>(a: [R; 6], b: [R; 6], s: R) -> [R; 6] {
    std::array::from_fn(|k| a[k] + b[k] * s)
}

/// Force that a motion needs without acceleration, `vel ×* (i vel)`: velocities add up to an acceleration `ω × v`, and of the
/// rotational inertia only what differs between axes counts. In double precision the operations are MuJoCo's.
#[inline(always)]
pub fn gyroscopic_force<R: Real>(i: [R; 10], vel: [R; 6]) -> [R; 6] {
    if is_fine::<R>() {
        return cross_force(vel, mul_inert_vec(i, vel));
    }
    let (w, moment) = (rot(vel), [i[6], i[7], i[8]]);
    let turned = [
        i[3] * w[1] + i[4] * w[2],
        i[3] * w[0] + (i[1] - i[0]) * w[1] + i[5] * w[2],
        i[4] * w[0] + i[5] * w[1] + (i[2] - i[0]) * w[2],
    ];
    let acc = cross(w, lin(vel));
    let torque = add3(cross(w, turned), cross(moment, acc));
    spatial(torque, add_scl3(cross(w, cross(w, moment)), acc, i[9]))
}

/// Inertia about a point at `-offset` from a body's centre of mass, with principal moments `inertia` in the frame `mat`
/// (`mju_inertCom`). In double precision the operations are MuJoCo's.
#[inline(always)]
pub fn inert_com<R: Real>(inertia: [R; 3], mat: [R; 9], offset: [R; 3], mass: R) -> [R; 10] {
    let [x, y, z] = offset;
    // what all axes have in common does not change with rotation
    let common = if is_fine::<R>() {
        R::zero()
    } else {
        inertia[0]
    };
    let more = inertia.map(|x| x - common);
    // row i of mat · diag(inertia) · matᵀ, column j
    let turned = |i: usize, j: usize| {
        mat[3 * i] * more[0] * mat[3 * j]
            + mat[3 * i + 1] * more[1] * mat[3 * j + 1]
            + mat[3 * i + 2] * more[2] * mat[3 * j + 2]
    };
    [
        common + turned(0, 0) + mass * (y * y + z * z),
        common + turned(1, 1) + mass * (x * x + z * z),
        common + turned(2, 2) + mass * (x * x + y * y),
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
