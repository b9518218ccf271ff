//! Intersection of a ray with a shape: the distance in units of its direction, and the outward normal.

mod bundle;
mod hfield;
mod mesh;
mod primitive;

use super::contact::Shape;
use super::math::*;
use crate::cpu::collision::sdf::Form;
use crate::fields::{Data, Model, OwnLane};
use crate::real::Real;
use crate::types::*;
pub(crate) use bundle::{LANES, Near, ray};
pub use hfield::ray_hfield;
pub use mesh::{MESH_BOXES, ray_mesh};
pub use primitive::*;

/// Intersection of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Distance in units of the direction's length; -1: no intersection.
    pub dist: f64,
    /// Unit outward normal of the surface; zero if nothing is hit.
    pub normal: [f64; 3],
}

/// A ray: its start and its direction.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ray {
    /// Start (m).
    pub pnt: [f64; 3],
    /// Direction, of any length.
    pub vec: [f64; 3],
}

impl Ray {
    /// Point at a distance.
    #[inline(always)]
    fn at(&self, dist: f64) -> [f64; 3] {
        add_scl3(self.pnt, self.vec, dist)
    }
}

/// No intersection.
const MISS: Hit = Hit {
    dist: -1.0,
    normal: [0.0; 3],
};

/// The earlier of two hits, the first if they are equal.
pub fn sooner(a: Hit, b: Hit) -> Hit {
    match b.dist >= 0.0 && (a.dist < 0.0 || b.dist < a.dist) {
        true => b,
        false => a,
    }
}

/// The nearest geom that a ray hits in one lane, without skipped ones; -1 if there is none.
pub fn nearest<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    ray: Ray,
    skip: impl Fn(usize) -> bool,
) -> (Hit, i32) {
    let mut nearest = (MISS, -1);
    let own = OwnLane::new(&d.own, lane);
    let len = norm3(ray.vec);
    for geom in 0..m.ngeom {
        let to = sub3(d.geom_xpos[geom].map(|x| x.lane(lane)), ray.pnt);
        let bound = own.geom_rbound(m, geom);
        if !reaches(to, bound, ray.vec, len, nearest.0.dist) || skip(geom) {
            continue;
        }
        let place = shape_of(m, d, lane, geom);
        let hit = sooner(nearest.0, meet(m, own, geom, &place, ray));
        if hit != nearest.0 {
            nearest = (hit, geom as i32);
        }
    }
    nearest
}

// where a ray of the direction `vec`, of this length, may hit the sphere around a geom, whose center is at `to_center` from its start, not
// behind `dist` if that is not negative; a plane has no sphere (`bound` 0). The sphere is larger by the rounding of the places
#[inline(always)]
fn reaches<R: Real>(to_center: [R; 3], bound: R, vec: [R; 3], len: R, dist: R) -> R::Mask {
    let [x, y, z] = to_center.map(R::abs);
    let size = bound + R::splat(1e-6) * (bound + x + y + z);
    let (along, aside, reach) = (dot3(to_center, vec), cross(to_center, vec), size * len);
    let misses = (reach * reach).lt(dot3(aside, aside));
    let behind = along.lt(-reach);
    let later = R::zero().le(dist) & (dist * len * len).lt(along - reach);
    bound.le(R::zero()) | !(misses | behind | later)
}

/// A geom at its pose in one lane.
pub fn shape_of<R: Real>(m: &Model, d: &Data<R>, lane: usize, geom: usize) -> Shape {
    Shape {
        pos: d.geom_xpos[geom].map(|x| x.lane(lane)),
        mat: d.geom_xmat[geom].map(|x| x.lane(lane)),
        size: OwnLane::new(&d.own, lane).geom_size(m, geom),
    }
}

/// True if a geom is fully transparent.
pub fn unseen<R: Real>(m: &Model, own: OwnLane<'_, R>, geom: usize) -> bool {
    let alpha = match usize::try_from(m.geom_matid[geom]) {
        Ok(material) => own.mat_rgba(m, 4 * material + 3),
        Err(_) => own.geom_rgba(m, 4 * geom + 3),
    };
    alpha == 0.0
}

/// Intersection of a ray with a geom of any type at its pose.
pub fn meet<R: Real>(m: &Model, own: OwnLane<'_, R>, geom: usize, place: &Shape, ray: Ray) -> Hit {
    let local = to_local(place, ray);
    let hit = match GeomType::from_i32(m.geom_type[geom]) {
        Some(GeomType::Mesh) => ray_mesh(m, m.geom_dataid[geom] as usize, local),
        Some(GeomType::Hfield) => ray_hfield(m, own, m.geom_dataid[geom] as usize, local),
        Some(GeomType::Sdf) if ray_box(place.size, local).0.dist < 0.0 => MISS,
        Some(GeomType::Sdf) => {
            let (way, len) = normalize3(local.vec);
            let hit = Form::of(m, geom, place.size).ray(local.pnt, way);
            hit.map_or(MISS, |(dist, normal)| Hit {
                dist: dist / len,
                normal,
            })
        }
        _ => ray_shape(m.geom_type[geom], place.size, local),
    };
    Hit {
        dist: hit.dist,
        normal: mul_mat_vec3(place.mat, hit.normal),
    }
}
