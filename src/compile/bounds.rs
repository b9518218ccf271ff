//! Arrays that follow from geoms, sites and inertial frames alone: `sameframe`, boxes and spheres around geoms, virtual masses in
//! a fluid, masks and margins of bodies (first part of `mj_setConst`).

use super::emit::{inertial, put, same_frame};
use super::fluid;
use super::geom::{center_size, hfield_bounds, hfield_rbound, hfield_size, rbound, shape_bounds};
use super::pose::Pose;
use crate::fields::Arrays;
use crate::types::GeomType;

/// Derives all these arrays.
pub(super) fn derive(m: &mut Arrays) {
    frames(m);
    shapes(m);
    bodies(m);
}

/// Boxes and spheres around geoms, sizes of height fields, fluid coefficients.
pub(super) fn shapes(m: &mut Arrays) {
    (0..m.ngeom).for_each(|g| geom(m, g));
}

/// Masks and margins of bodies, from those of their geoms.
pub(super) fn bodies(m: &mut Arrays) {
    m.body_contype.fill(0);
    m.body_conaffinity.fill(0);
    m.body_margin.fill(0.0);
    for g in 0..m.ngeom {
        let i = m.geom_bodyid[g] as usize;
        m.body_contype[i] |= m.geom_contype[g];
        m.body_conaffinity[i] |= m.geom_conaffinity[g];
        m.body_margin[i] = m.body_margin[i].max(m.geom_margin[g] + m.geom_gap[g]);
    }
}

/// Sets `sameframe`: which frames are the body's or its inertia's.
pub(super) fn frames(m: &mut Arrays) {
    for i in 0..m.nbody {
        m.body_sameframe[i] = same_frame(inertial(m, i), None) as i32;
    }
    let of = |m: &Arrays, pos, quat, body: i32| {
        same_frame(Pose { pos, quat }, Some(inertial(m, body as usize))) as i32
    };
    for g in 0..m.ngeom {
        m.geom_sameframe[g] = of(m, m.geom_pos[g], m.geom_quat[g], m.geom_bodyid[g]);
    }
    for s in 0..m.nsite {
        m.site_sameframe[s] = of(m, m.site_pos[s], m.site_quat[s], m.site_bodyid[s]);
    }
}

// sizes of meshes and height fields are those of their data
fn geom(m: &mut Arrays, g: usize) {
    let Some(kind) = GeomType::from_i32(m.geom_type[g]) else {
        return;
    };
    match kind {
        GeomType::Hfield => {
            let k = m.geom_dataid[g] as usize;
            let size = [0, 1, 2, 3].map(|c| m.hfield_size[4 * k + c]);
            m.geom_size[g] = hfield_size(size);
            m.geom_rbound[g] = hfield_rbound(size);
            put(&mut m.geom_aabb, g, &center_size(hfield_bounds(size)));
        }
        GeomType::Mesh | GeomType::Sdf => {}
        _ => {
            m.geom_rbound[g] = rbound(kind, m.geom_size[g]);
            let corners = shape_bounds(kind, m.geom_size[g]);
            put(&mut m.geom_aabb, g, &center_size(corners));
        }
    }
    if m.geom_fluid[12 * g] > 0.0 {
        let coef = [1, 2, 3, 4, 5].map(|k| m.geom_fluid[12 * g + k]);
        let row = fluid::coefficients(kind, m.geom_size[g], coef);
        put(&mut m.geom_fluid, g, &row);
    }
}
