//! Bodies in a fluid: their shapes in the fluid models, and their velocities relative to the fluid.

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{GeomType, MINVAL};
use std::f64::consts::PI;

/// True if the inertia box model applies to a body: none of its geoms is an ellipsoid to the fluid.
#[inline(always)]
pub fn box_like(m: &Model, i: usize) -> bool {
    let adr = m.body_geomadr[i].max(0) as usize;
    let num = m.body_geomnum[i] as usize;
    (adr..adr + num).all(|g| m.geom_fluid[12 * g] <= 0.0)
}

/// Drag coefficients of a box: linear in the speed, and quadratic along each axis.
#[derive(Clone, Copy, Debug)]
pub struct BoxDrag<R> {
    /// Force per speed.
    pub linear: R,
    /// Torque per angular speed.
    pub angular: R,
    /// Force per squared speed.
    pub face: [R; 3],
    /// Torque per squared angular speed.
    pub spin: [R; 3],
}

/// One where a body has mass, zero where not: without mass the fluid has no effect.
#[inline(always)]
pub(crate) fn has_mass<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let light = d.own.body_mass(m, i).lt(R::splat(MINVAL));
    R::select(light, R::zero(), R::one())
}

/// Drag coefficients of the box with a body's mass and inertia (`mj_inertiaBoxFluidModel`).
#[inline(always)]
pub fn box_drag<R: Real>(m: &Model, d: &Data<R>, i: usize) -> BoxDrag<R> {
    // edges of the box of the same inertia
    let mass = d.own.body_mass(m, i).max(R::splat(MINVAL));
    let some = has_mass(m, d, i);
    let edge = |x: R| (x.max(R::splat(MINVAL)) / mass * R::splat(6.0)).sqrt();
    let [ix, iy, iz] = d.own.body_inertia(m, i);
    let [x, y, z] = [edge(iy + iz - ix), edge(ix + iz - iy), edge(ix + iy - iz)];

    // viscosity acts on a sphere of the mean diameter
    let diam = (x + y + z) / R::splat(3.0);
    let viscosity = some * d.own.viscosity(m).max(R::zero());
    let linear = R::splat(3.0 * PI) * diam * viscosity;
    let angular = R::splat(PI) * diam * diam * diam * viscosity;

    // density acts on the faces
    let density = some * d.own.density(m).max(R::zero());
    let face = [y * z, x * z, x * y].map(|area| R::splat(0.5) * density * area);
    let fourth = |a: R| a * a * a * a;
    let share = density / R::splat(64.0);
    let spin = [
        share * x * (fourth(y) + fourth(z)),
        share * y * (fourth(x) + fourth(z)),
        share * z * (fourth(x) + fourth(y)),
    ];
    BoxDrag {
        linear,
        angular,
        face,
        spin,
    }
}

/// Velocity of a frame of a body relative to the fluid, in that frame: angular, linear.
#[inline(always)]
pub fn fluid_velocity<R: Real>(
    m: &Model,
    d: &Data<R>,
    i: usize,
    pos: [R; 3],
    mat: [R; 9],
) -> [[R; 3]; 2] {
    let [rx, ry, rz, x, y, z] = d.cvel[i];
    let offset = sub3(pos, d.subtree_com[m.body_rootid[i] as usize]);
    let vel = add3([x, y, z], cross([rx, ry, rz], offset));
    let wind = d.own.wind(m);
    [
        mul_mat_t_vec3(mat, [rx, ry, rz]),
        mul_mat_t_vec3(mat, sub3(vel, wind)),
    ]
}

/// Semiaxes of the ellipsoid that approximates a geom (`mju_geomSemiAxes`).
#[inline(always)]
pub fn semi_axes<R: Real>(m: &Model, d: &Data<R>, g: usize) -> [R; 3] {
    let [x, y, z] = d.own.geom_size(m, g);
    match GeomType::from_i32(m.geom_type[g]) {
        Some(GeomType::Sphere) => [x, x, x],
        Some(GeomType::Capsule) => [x, x, x + y],
        Some(GeomType::Cylinder) => [x, x, y],
        _ => [x, y, z],
    }
}

/// Drag of an ellipsoid with these semiaxes in rotation about axis `k`, per squared angular speed: between the drag of this axis
/// and that of the largest rotation.
#[inline(always)]
pub(crate) fn spin_drag<R: Real>(size: [R; 3], k: usize, angular: R, slender: R) -> R {
    let fourth = |x: R| x * x * x * x;
    let share = R::splat(8.0 / 15.0 * PI);
    let [a, b, c] = [size[k], size[(k + 1) % 3], size[(k + 2) % 3]];
    let (max, min) = (a.max(b).max(c), a.min(b).min(c));
    let mid = a + b + c - max - min;
    let about = share * a * fourth(b.max(c));
    angular * about + slender * (share * mid * fourth(max) - about)
}
