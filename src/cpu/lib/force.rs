//! Generalized forces of forces on bodies; polynomial springs and dampers.

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{DSBL_DAMPER, DSBL_SPRING};

/// Coefficient of the force of a spring or damper, to be multiplied by `-x`: `linear + poly[0] x + poly[1] x²`, with the
/// absolute value of `x` for dampers, so that they oppose motion either way (`mju_polyForce`).
#[inline(always)]
pub fn poly_force<R: Real>(linear: R, poly: [R; 2], x: R, damper: bool) -> R {
    let x = if damper { x.abs() } else { x };
    linear + x * (poly[0] + x * poly[1])
}

/// True if a spring or damper with these coefficients has a force in some lane.
#[inline(always)]
pub(crate) fn acts<R: Real>(linear: R, poly: [R; 2]) -> bool {
    (nonzero(linear) | nonzero(poly[0]) | nonzero(poly[1])).any()
}

/// Forces of a tendon's spring and damper along its length.
#[inline(always)]
pub fn tendon_passive<R: Real>(m: &Model, d: &Data<R>, t: usize) -> [R; 2] {
    let two = |at: &dyn Fn(usize) -> R| [at(2 * t), at(2 * t + 1)];
    let stiffness = d.own.tendon_stiffness(m, t);
    let stiffnesspoly = two(&|k| d.own.tendon_stiffnesspoly(m, k));
    let damping = d.own.tendon_damping_all(m, t);
    let dampingpoly = two(&|k| d.own.tendon_dampingpoly_all(m, k));
    let spring = !m.opt.disabled(DSBL_SPRING) && acts(stiffness, stiffnesspoly);
    let damper = !m.opt.disabled(DSBL_DAMPER) && acts(damping, dampingpoly);
    let mut forces = [R::zero(); 2];

    // a spring acts outside its range of slack lengths
    if spring {
        let length = d.ten_length[t];
        let [lower, upper] = rest_length(m, d, t);
        let below = R::select(length.lt(lower), length - lower, R::zero());
        let x = R::select(upper.lt(length), length - upper, below);
        forces[0] = -x * poly_force(stiffness, stiffnesspoly, x, false);
    }

    // a damper acts at any length
    if damper {
        let v = d.ten_velocity[t];
        forces[1] = -v * poly_force(damping, dampingpoly, v, true);
    }
    forces
}

/// Rest position of a joint's spring, number `k` of its coordinates.
#[inline(always)]
pub fn joint_rest<R: Real>(m: &Model, d: &Data<R>, j: usize, k: usize) -> R {
    if m.nplastic > 0
        && let Ok(adr) = usize::try_from(m.jnt_plasticadr[j])
    {
        return d.plastic[adr + k];
    }
    d.own.qpos_spring(m, m.jnt_qposadr[j] as usize + k)
}

/// Range of lengths in which a tendon's spring is slack.
#[inline(always)]
pub fn rest_length<R: Real>(m: &Model, d: &Data<R>, t: usize) -> [R; 2] {
    if m.nplastic > 0
        && let Ok(adr) = usize::try_from(m.tendon_plasticadr[t])
    {
        return [d.plastic[adr], d.plastic[adr + 1]];
    }
    [0, 1].map(|k| d.own.tendon_lengthspring(m, 2 * t + k))
}

/// Energy of a spring: the integral of `x` times [`poly_force`].
#[inline(always)]
pub fn spring_energy<R: Real>(linear: R, poly: [R; 2], x: R) -> R {
    let higher = poly[0] / R::splat(3.0) + x * (poly[1] / R::splat(4.0));
    x * x * (R::splat(0.5) * linear + x * higher)
}

/// Derivative of `x` times [`poly_force`] (`mjd_xPolyForce`).
#[inline(always)]
pub fn poly_force_slope<R: Real>(linear: R, poly: [R; 2], x: R, damper: bool) -> R {
    let x = if damper { x.abs() } else { x };
    linear + x * (R::splat(2.0) * poly[0] + x * (R::splat(3.0) * poly[1]))
}

/// Derivative of the force of a dof's damper, including its actuators' damping, with respect to its velocity.
#[inline(always)]
pub fn damping_slope<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let linear = d.own.dof_damping_all(m, i);
    let poly = [
        d.own.dof_dampingpoly_all(m, 2 * i),
        d.own.dof_dampingpoly_all(m, 2 * i + 1),
    ];
    poly_force_slope(linear, poly, d.qvel[i], true)
}

/// Adds to `qfrc` the force and torque on a body at a point (`mj_applyFT`).
#[inline(always)]
pub fn apply_ft<R: Real>(
    m: &Model,
    d: &Data<R>,
    qfrc: &mut [R],
    body: usize,
    point: [R; 3],
    force: [R; 3],
    torque: [R; 3],
) {
    // torque about the centre of mass of the tree
    let offset = sub3(point, d.subtree_com[m.body_rootid[body] as usize]);
    let torque = add3(torque, cross(offset, force));

    // dofs that move the body
    let mut i = m.body_lastdof[body];
    while i >= 0 {
        let [rx, ry, rz, x, y, z] = d.cdof[i as usize];
        qfrc[i as usize] += dot3([rx, ry, rz], torque) + dot3([x, y, z], force);
        i = m.dof_parentid[i as usize];
    }
}
