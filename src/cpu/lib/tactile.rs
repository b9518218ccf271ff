//! Tactile sensors: penetration depth of their taxels in the geoms touched, and the sliding velocity of these.

use super::contact::ABSENT;
use super::math::*;
use super::ray::shape_of;
use super::sensor::Slots;
use super::spatial::lin;
use super::touch::body_motion;
use crate::cpu::collision::octree::Octree;
use crate::cpu::collision::sdf::Form;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Depth of all taxels of a sensor, then their sliding velocities along their two tangents, in one lane.
pub fn feel<R: Real>(m: &Model, d: &mut Data<R>, lane: usize, i: usize, slots: Slots) {
    let adr = m.sensor_adr[i] as usize;
    for x in &mut d.sensordata[adr..adr + m.sensor_dim[i] as usize] {
        x.set_lane(lane, 0.0);
    }
    let body = m.body_weldid[m.geom_bodyid[m.sensor_refid[i] as usize] as usize];
    for c in 0..slots.contacts {
        let Some(other) = touched(m, d, lane, c, body) else {
            continue;
        };
        // a geom with several contacts counts once
        if (0..c).all(|before| touched(m, d, lane, before, body) != Some(other)) {
            feel_geom(m, d, lane, i, other);
        }
    }
}

// the other geom of a contact with a body or a body welded to it
fn touched<R: Real>(m: &Model, d: &Data<R>, lane: usize, c: usize, body: i32) -> Option<usize> {
    if d.contact_dist[c].lane(lane) >= ABSENT {
        return None;
    }
    let pair = R::int_lane(d.contact_collision[c], lane) as usize;
    if m.collision_geom2[pair] < 0 {
        return None;
    }
    let [geom1, geom2] = [m.collision_geom1[pair], m.collision_geom2[pair]].map(|g| g as usize);
    let welded = |geom: usize| m.body_weldid[m.geom_bodyid[geom] as usize] == body;
    match (welded(geom1), welded(geom2)) {
        (true, _) => Some(geom2),
        (_, true) => Some(geom1),
        _ => None,
    }
}

// adds the contribution of one geom to the taxels
fn feel_geom<R: Real>(m: &Model, d: &mut Data<R>, lane: usize, i: usize, other: usize) {
    let (mesh, own) = (m.sensor_objid[i] as usize, m.sensor_refid[i] as usize);
    let (here, there) = (shape_of(m, d, lane, own), shape_of(m, d, lane, other));
    let num = m.mesh_vertnum[mesh] as usize;
    let tangents = m.mesh_normalnum[mesh] as usize == 3 * num;
    for k in 0..num {
        let vert = m.mesh_vert[m.mesh_vertadr[mesh] as usize + k];
        let pos = add3(here.pos, mul_mat_vec3(here.mat, vert));
        let local = mul_mat_t_vec3(there.mat, sub3(pos, there.pos));
        let depth = depth_in(m, other, there.size, local);
        if depth <= 0.0 {
            continue;
        }

        // depth: the largest of all geoms
        let adr = m.sensor_adr[i] as usize + k;
        let most = d.sensordata[adr].lane(lane).max(depth);
        d.sensordata[adr].set_lane(lane, most);
        if !tangents {
            continue;
        }

        // sliding velocity: the sum over all geoms
        let [vel1, vel2] = [own, other]
            .map(|geom| lin(body_motion(m, d, lane, m.geom_bodyid[geom] as usize, pos)));
        let sliding = mul_mat_t_vec3(here.mat, sub3(vel2, vel1));
        for axis in 1..3 {
            let normal = m.mesh_normal[m.mesh_normaladr[mesh] as usize + 3 * k + axis];
            let sum = &mut d.sensordata[adr + axis * num];
            sum.set_lane(lane, sum.lane(lane) + dot3(sliding, normal).abs());
        }
    }
}

// depth of a point inside a geom, in the geom's frame; 0 for a mesh, which needs a signed distance field
fn depth_in(m: &Model, geom: usize, size: [f64; 3], p: [f64; 3]) -> f64 {
    match GeomType::from_i32(m.geom_type[geom]) {
        Some(GeomType::Plane) => -p[2],
        Some(GeomType::Sphere) => size[0] - norm3(p),
        Some(GeomType::Capsule) => {
            let over = p[2] - clip(p[2], -size[1], size[1]);
            size[0] - norm3([p[0], p[1], over])
        }
        Some(GeomType::Ellipsoid) => {
            let a = [p[0] / size[0], p[1] / size[1], p[2] / size[2]];
            let b = [a[0] / size[0], a[1] / size[1], a[2] / size[2]];
            let (k0, k1) = (norm3(a), norm3(b));
            match k1 > 0.0 {
                true => k0 * (1.0 - k0) / k1,
                false => 0.0,
            }
        }
        Some(GeomType::Cylinder) => {
            let radial = (p[0] * p[0] + p[1] * p[1]).sqrt();
            f64::min(size[0] - radial, size[1] - p[2].abs())
        }
        Some(GeomType::Box) => depth_in_box(size, p),
        Some(GeomType::Sdf) => -Form::of(m, geom, size).distance(p),
        Some(GeomType::Mesh) if m.mesh_octadr[m.geom_dataid[geom] as usize] >= 0 => {
            -Octree::new(m, m.geom_dataid[geom] as usize).distance(p)
        }
        _ => 0.0,
    }
}

// distance to the surface along a ray that leans towards the near faces
fn depth_in_box(size: [f64; 3], p: [f64; 3]) -> f64 {
    let share = [0, 1, 2].map(|k| 1.0 - p[k].abs() / size[k]);
    if share.iter().any(|x| *x <= 0.0) {
        return 0.0;
    }
    let reach = |k: usize| size[k] * share[k] * share[k];
    let lean = share.map(|x| 1.0 / x);
    reach(0).min(reach(1)).min(reach(2)) * norm3(lean)
}
