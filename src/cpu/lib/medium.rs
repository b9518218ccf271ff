//! Bodies in a medium: what their shape is to it, and how they move in it.

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{GeomType, MINVAL};
use std::f64::consts::PI;

/// True if a body is to the medium the box of its inertia: none of its geoms is an ellipsoid to it.
#[inline(always)]
pub fn box_like(m: &Model, i: usize) -> bool {
    let adr = m.body_geomadr[i].max(0) as usize;
    let num = m.body_geomnum[i] as usize;
    (adr..adr + num).all(|g| m.geom_fluid[12 * g] <= 0.0)
}

/// What a box resists a medium with: by speed, and by its square along each axis.
#[derive(Clone, Copy, Debug)]
pub struct BoxDrag {
    /// Force by speed.
    pub linear: f64,
    /// Torque by speed of turning.
    pub angular: f64,
    /// Force by squared speed.
    pub face: [f64; 3],
    /// Torque by squared speed of turning.
    pub spin: [f64; 3],
}

/// Drag of the box that has a body's mass and inertia (`mj_inertiaBoxFluidModel`).
#[inline(always)]
pub fn box_drag(m: &Model, i: usize) -> BoxDrag {
    // edges of the box of the same inertia
    let edge = |x: f64| (x.max(MINVAL) / m.body_mass[i] * 6.0).sqrt();
    let [ix, iy, iz] = m.body_inertia[i];
    let [x, y, z] = [edge(iy + iz - ix), edge(ix + iz - iy), edge(ix + iy - iz)];

    // viscosity acts on a sphere of the mean diameter
    let diam = (x + y + z) / 3.0;
    let viscosity = m.opt.viscosity.max(0.0);
    let linear = 3.0 * PI * diam * viscosity;
    let angular = PI * diam * diam * diam * viscosity;

    // density on the faces
    let density = m.opt.density.max(0.0);
    let face = [y * z, x * z, x * y].map(|area| 0.5 * density * area);
    let fourth = |a: f64| a * a * a * a;
    let spin = [
        density * x * (fourth(y) + fourth(z)) / 64.0,
        density * y * (fourth(x) + fourth(z)) / 64.0,
        density * z * (fourth(x) + fourth(y)) / 64.0,
    ];
    BoxDrag {
        linear,
        angular,
        face,
        spin,
    }
}

/// Velocity of a frame of a body relative to the medium, in the frame: turning, moving.
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
    let wind = m.opt.wind.map(R::splat);
    [
        mul_mat_t_vec3(mat, [rx, ry, rz]),
        mul_mat_t_vec3(mat, sub3(vel, wind)),
    ]
}

/// Half axes of the ellipsoid that stands for a geom (`mju_geomSemiAxes`).
#[inline(always)]
pub fn semi_axes(m: &Model, g: usize) -> [f64; 3] {
    let [x, y, z] = m.geom_size[g];
    match GeomType::from_i32(m.geom_type[g]) {
        Some(GeomType::Sphere) => [x, x, x],
        Some(GeomType::Capsule) => [x, x, x + y],
        Some(GeomType::Cylinder) => [x, x, y],
        _ => [x, y, z],
    }
}
