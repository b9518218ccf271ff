//! Bounding boxes of geoms: they spare the convex collider most pairs whose bounding spheres overlap (`mj_collideOBB`).
//!
//! Only face normals are tried as separating axes, so boxes that lie edge to edge may be said to meet.

use crate::cpu::lib::contact::{Shape, column};
use crate::cpu::lib::math::*;
use crate::fields::{Model, Own};
use crate::real::Real;

/// Slack of the separation tests, as a fraction of the sizes of both shapes: single precision rounds positions of some metres to
/// less than this, and the convex collider treats solids within its tolerance as touching.
pub const SLACK: f64 = 1e-4;

/// Lanes where the bounding boxes of two geoms are no farther apart than `detect` (m).
pub fn bounds_meet<R: Real>(
    m: &Model,
    own: &Own<R>,
    geoms: [usize; 2],
    shapes: &[Shape<R>; 2],
    detect: R,
) -> R::Mask {
    let first = bounding_box(m, own, geoms[0], &shapes[0]);
    let second = bounding_box(m, own, geoms[1], &shapes[1]);
    boxes_meet(&first, &second, detect)
}

/// Lanes where the bounding box of a geom is no farther than `detect` (m) above a plane.
pub fn bound_meets_plane<R: Real>(
    m: &Model,
    own: &Own<R>,
    geom: usize,
    plane: &Shape<R>,
    shape: &Shape<R>,
    detect: R,
) -> R::Mask {
    let bound = bounding_box(m, own, geom, shape);
    let normal = mul_mat_t_vec3(bound.mat, plane.axis());
    let height = dot3(sub3(bound.pos, plane.pos), plane.axis());
    let [sizex, sizey, sizez] = bound.size;
    let slack = detect + R::splat(SLACK) * (sizex + sizey + sizez);
    let reach = [0, 1, 2].map(|i| normal[i].abs() * bound.size[i]);
    height.le(reach[0] + reach[1] + reach[2] + slack)
}

/// The bounding box `geom_aabb` of a geom at its pose.
#[inline(always)]
pub fn bounding_box<R: Real>(m: &Model, own: &Own<R>, geom: usize, shape: &Shape<R>) -> Shape<R> {
    let [x, y, z, sizex, sizey, sizez] = std::array::from_fn(|i| own.geom_aabb(m, 6 * geom + i));
    let center = mul_mat_vec3(shape.mat, [x, y, z]);
    Shape {
        pos: add3(shape.pos, center),
        mat: shape.mat,
        size: [sizex, sizey, sizez],
    }
}

/// Lanes where no face normal of two boxes separates them by more than `detect` (m).
pub fn boxes_meet<R: Real>(first: &Shape<R>, second: &Shape<R>, detect: R) -> R::Mask {
    // axes of the second in the frame of the first
    let rot = [0, 1, 2].map(|j| mul_mat_t_vec3(first.mat, column(second.mat, j)));
    let dif = sub3(second.pos, first.pos);
    let pos21 = mul_mat_t_vec3(first.mat, dif);
    let pos12 = mul_mat_t_vec3(second.mat, dif);
    let (size1, size2) = (first.size, second.size);
    let sizes = add3(first.size, second.size);
    let slack = detect + R::splat(SLACK) * (sizes[0] + sizes[1] + sizes[2]);
    let mut meet = R::zero().le(R::zero());
    for i in 0..3 {
        let reach = [0, 1, 2].map(|j| rot[j][i].abs() * size2[j]);
        let reach = size1[i] + reach[0] + reach[1] + reach[2];
        meet = meet & pos21[i].abs().le(reach + slack);
        let reach = [0, 1, 2].map(|j| rot[i][j].abs() * size1[j]);
        let reach = size2[i] + reach[0] + reach[1] + reach[2];
        meet = meet & pos12[i].abs().le(reach + slack);
    }
    meet
}
