//! Forces of the fluid on bodies (`mj_fluid`).

use crate::cpu::lib::force::apply_ft;
use crate::cpu::lib::math::*;
use crate::cpu::lib::medium::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{DSBL_DAMPER, DSBL_SPRING, MINVAL};
use std::f64::consts::PI;

/// Forces of the fluid on bodies (`mj_fluid`).
pub fn fluid<R: Real>(m: &Model, d: &mut Data<R>) {
    // no passive forces if springs and dampers are both disabled
    d.qfrc_fluid.fill(R::zero());
    if m.opt.disabled(DSBL_SPRING) && m.opt.disabled(DSBL_DAMPER) {
        return;
    }

    // the ellipsoid model for a body with ellipsoid geoms, else the inertia box model
    let mut qfrc = std::mem::take(&mut d.qfrc_fluid);
    for i in 1..m.nbody {
        if d.own.body_mass(m, i).lt(R::splat(MINVAL)).all() {
            continue;
        }
        if box_like(m, i) {
            inertia_box(m, d, &mut qfrc, i);
            continue;
        }
        let adr = m.body_geomadr[i] as usize;
        for g in adr..adr + m.body_geomnum[i] as usize {
            if m.geom_fluid[12 * g] != 0.0 {
                ellipsoid(m, d, &mut qfrc, i, g);
            }
        }
    }
    d.qfrc_fluid = qfrc;
}

// viscous resistance of a sphere, drag of a box (`mj_inertiaBoxFluidModel`)
#[inline(always)]
fn inertia_box<R: Real>(m: &Model, d: &Data<R>, qfrc: &mut [R], i: usize) {
    let (pos, mat) = (d.xipos[i], d.ximat[i]);
    let [turn, vel] = fluid_velocity(m, d, i, pos, mat);

    let BoxDrag {
        linear,
        angular,
        face,
        spin,
    } = box_drag(m, d, i);
    let resist = |v: R, linear: R, quadratic: R| -v * (linear + quadratic * v.abs());
    let force = std::array::from_fn(|k| resist(vel[k], linear, face[k]));
    let torque = std::array::from_fn(|k| resist(turn[k], angular, spin[k]));
    let (force, torque) = (mul_mat_vec3(mat, force), mul_mat_vec3(mat, torque));
    apply_ft(m, d, qfrc, i, pos, force, torque);
}

// added mass, lift and drag of an ellipsoid (`mj_ellipsoidFluidModel`)
#[inline(always)]
fn ellipsoid<R: Real>(m: &Model, d: &Data<R>, qfrc: &mut [R], i: usize, g: usize) {
    let (pos, mat) = (d.geom_xpos[g], d.geom_xmat[g]);
    let [turn, vel] = fluid_velocity(m, d, i, pos, mat);
    let prm: [R; 12] = std::array::from_fn(|k| d.own.geom_fluid(m, 12 * g + k));
    let size = semi_axes(m, d, g);
    let density = d.own.density(m);

    // momentum of the fluid that moves along (added mass)
    let carried =
        |mass: &[R], v: [R; 3]| -> [R; 3] { std::array::from_fn(|k| density * mass[k] * v[k]) };
    let linear = carried(&prm[6..9], vel);
    let angular = carried(&prm[9..12], turn);
    let added_force = cross(linear, turn);
    let added_torque = add3(cross(linear, vel), cross(angular, turn));

    let (force, drag_torque) = lift_and_drag(m, d, prm, size, turn, vel);
    let scale = prm[0] * has_mass(m, d, i);
    let force = scl3(add3(added_force, force), scale);
    let torque = scl3(sub3(added_torque, drag_torque), scale);
    let (force, torque) = (mul_mat_vec3(mat, force), mul_mat_vec3(mat, torque));
    apply_ft(m, d, qfrc, i, pos, force, torque);
}

// force (lift minus drag) and torque (drag), in the frame of the ellipsoid (`mj_viscousForces`)
#[inline(always)]
fn lift_and_drag<R: Real>(
    m: &Model,
    d: &Data<R>,
    prm: [R; 12],
    size: [R; 3],
    turn: [R; 3],
    vel: [R; 3],
) -> ([R; 3], [R; 3]) {
    let [_, blunt, slender, angular, kutta, magnus, ..] = prm;
    let (density, viscosity) = (d.own.density(m), d.own.viscosity(m));
    let [sx, sy, sz] = size;
    let max = sx.max(sy).max(sz);
    let min = sx.min(sy).min(sz);
    let mid = sx + sy + sz - max - min;

    // area projected along the velocity; faces are scaled by the largest one, since squares of thin shapes lose precision
    let (dir, speed) = normalize3(vel);
    let square = |x: R| x * x;
    let faces = [sy * sz, sz * sx, sx * sy];
    let largest = faces[0].max(faces[1]).max(faces[2]);
    let faces = faces.map(|face| square(face / largest));
    let normal: [R; 3] = std::array::from_fn(|k| faces[k] * dir[k]);
    let (denominator, numerator) = (dot3(normal, normal), dot3(normal, dir));
    let area = R::splat(PI) * largest * (denominator / numerator).sqrt();

    // Magnus lift: rotation during translation
    let volume = R::splat(4.0 / 3.0 * PI) * sx * sy * sz;
    let lift = scl3(cross(turn, vel), magnus * density * volume);

    // Kutta lift: translation at an angle to the axes
    let circulation = kutta * density * area * (numerator / denominator);
    let kutta_force = cross(cross(normal, vel), vel);
    let lift = add_scl3(lift, kutta_force, circulation);

    // drag of translation: viscous as for a sphere, else between blunt and slender
    let diam = R::splat(2.0 / 3.0) * (sx + sy + sz);
    let widest = R::splat(PI) * max * mid;
    let seen = area * blunt + slender * (widest - area);
    let drag = viscosity * R::splat(3.0 * PI) * diam + density * speed * seen;

    // drag of rotation
    let resist: [R; 3] = std::array::from_fn(|k| turn[k] * spin_drag(size, k, angular, slender));
    let viscous = viscosity * R::splat(PI) * diam * diam * diam;
    let drag_torque = scl3(turn, viscous + density * norm3(resist));
    (add_scl3(lift, vel, -drag), drag_torque)
}
