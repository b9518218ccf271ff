//! Bodies in a medium: what their shape is to it, and how they move in it.

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{GeomType, MINVAL};

/// True if a body is to the medium the box of its inertia: none of its geoms is an ellipsoid to it.
#[inline(always)]
pub fn box_like(m: &Model, i: usize) -> bool {
    let adr = m.body_geomadr[i].max(0) as usize;
    let num = m.body_geomnum[i] as usize;
    (adr..adr + num).all(|g| m.geom_fluid[12 * g] <= 0.0)
}

/// Edges of the box that has a body's mass and inertia.
#[inline(always)]
pub fn box_edges(m: &Model, i: usize) -> [f64; 3] {
    let [x, y, z] = m.body_inertia[i];
    let edge = |x: f64| (x.max(MINVAL) / m.body_mass[i] * 6.0).sqrt();
    [edge(y + z - x), edge(x + z - y), edge(x + y - z)]
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
