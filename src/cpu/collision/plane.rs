//! A plane and a convex shape, in one world or in worlds side by side: `near` is the mask of worlds in which the two are near.

use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::real::{Mask, Real};
use crate::types::*;

/// A ball: center and radius.
#[derive(Clone, Copy, Debug)]
pub struct Ball<R> {
    /// Center (m).
    pub center: [R; 3],
    /// Radius (m).
    pub radius: R,
}

impl<R: Real> Ball<R> {
    /// The ball of radius `size[0]` of a shape, at `center`.
    #[inline(always)]
    pub fn of(shape: &Shape<R>, center: [R; 3]) -> Self {
        Self {
            center,
            radius: shape.size[0],
        }
    }
}

/// Plane and sphere of radius `size[0]` (`mjc_PlaneSphere`).
pub fn plane_sphere<R: Real>(
    plane: &Shape<R>,
    sphere: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let ball = Ball::of(sphere, sphere.pos);
    let (lanes, point) = plane_ball(plane.pos, plane.axis(), ball, margin);
    out.add_where(near & lanes, point);
}

/// A plane and a ball: the mask of lanes where they touch, and the contact, midway between the surfaces.
#[inline(always)]
pub fn plane_ball<R: Real>(
    origin: [R; 3],
    normal: [R; 3],
    ball: Ball<R>,
    margin: R,
) -> (R::Mask, Point<R>) {
    let Ball { center, radius } = ball;
    let height = dot3(sub3(center, origin), normal);
    let dist = height - radius;
    let point = Point {
        dist,
        pos: add_scl3(center, normal, R::splat(-0.5) * dist - radius),
        normal,
        tangent: [R::zero(); 3],
    };
    (height.le(margin + radius), point)
}

/// Plane and capsule: a ball at each end (`mjc_PlaneCapsule`).
pub fn plane_capsule<R: Real>(
    plane: &Shape<R>,
    capsule: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let normal = plane.axis();
    let axis = capsule.axis();
    for side in [1.0, -1.0] {
        let center = add_scl3(capsule.pos, axis, R::splat(side) * capsule.size[1]);
        let (lanes, point) = plane_ball(plane.pos, normal, Ball::of(capsule, center), margin);

        // the first tangent is along the capsule
        let tangent = axis;
        out.add_where(near & lanes, Point { tangent, ..point });
    }
}

/// Plane and ellipsoid: the lowest point (`mjc_PlaneConvex`).
pub fn plane_ellipsoid<R: Real>(
    plane: &Shape<R>,
    ellipsoid: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let normal = plane.axis();
    let size = ellipsoid.size;

    // support of the unit ball, stretched
    let down = scl3(mul_mat_t_vec3(ellipsoid.mat, normal), -R::one());
    let scaled = [down[0] * size[0], down[1] * size[1], down[2] * size[2]];
    let (ball, _) = normalize3(scaled);
    let local = [ball[0] * size[0], ball[1] * size[1], ball[2] * size[2]];
    let center = add3(mul_mat_vec3(ellipsoid.mat, local), ellipsoid.pos);
    let radius = R::zero();
    let (lanes, point) = plane_ball(plane.pos, normal, Ball { center, radius }, margin);
    out.add_where(near & lanes, point);
}

/// Plane and cylinder: two points of the lowest line and two that complete a triangle of the lower disk
/// (`mjc_PlaneCylinder`).
pub fn plane_cylinder<R: Real>(
    plane: &Shape<R>,
    cylinder: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let normal = plane.axis();
    let [radius, half, _] = cylinder.size;

    // the axis points towards the plane
    let axis = cylinder.axis();
    let slope = dot3(normal, axis);
    let axis = select3(R::zero().lt(slope), scl3(axis, -R::one()), axis);
    let slope = -slope.abs();
    let height = dot3(sub3(cylinder.pos, plane.pos), normal);

    // lowest direction of the disk, scaled by the radius; x where the disk is parallel to the plane. In single precision MuJoCo's
    // difference leaves the plane of a disk that is hardly tilted; the double cross product never does
    let across = match is_fine::<R>() {
        true => sub3(scl3(axis, slope), normal),
        false => cross(axis, cross(axis, normal)),
    };
    let len = norm3(across);
    let leans = R::splat(MINVAL).le(len);
    let scale = radius / R::select(leans, len, R::one());
    let own = scl3(column(cylinder.mat, 0), radius);
    let vec = select3(leans, scl3(across, scale), own);
    let down = dot3(vec, normal);
    let axis = scl3(axis, half);
    let slope = slope * half;
    let half = R::splat(0.5);
    let touch = |dist: R, point: [R; 3]| Point {
        dist,
        pos: add_scl3(point, normal, -half * dist),
        normal,
        tangent: [R::zero(); 3],
    };

    // lowest point of the near disk
    let dist = height + slope + down;
    let near = near & dist.le(margin);
    if !near.any() {
        return;
    }
    let point = add3(add3(cylinder.pos, vec), axis);
    out.add_where(near, touch(dist, point));

    // lowest point of the far disk
    let dist = height - slope + down;
    let point = sub3(add3(cylinder.pos, vec), axis);
    out.add_where(near & dist.le(margin), touch(dist, point));

    // the two other corners of an equilateral triangle in the near disk
    let dist = height + slope - half * down;
    let lanes = near & dist.le(margin);
    if lanes.any() {
        let (side, _) = normalize3(cross(vec, axis));
        let side = scl3(side, radius * R::splat(3.0f64.sqrt() / 2.0));
        for sign in [1.0, -1.0] {
            let point = add3(add_scl3(cylinder.pos, side, R::splat(sign)), axis);
            out.add_where(lanes, touch(dist, add_scl3(point, vec, -half)));
        }
    }
}

/// Plane and box: the first four of the lower corners (`mjc_PlaneBox`).
pub fn plane_box<R: Real>(
    plane: &Shape<R>,
    cube: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let normal = plane.axis();
    let height = dot3(sub3(cube.pos, plane.pos), normal);
    let [x, y, z] = [0, 1, 2].map(|j| scl3(column(cube.mat, j), cube.size[j]));
    let below = [x, y, z].map(|edge| dot3(normal, edge));
    let side = |i: usize, bit: usize| R::splat(if i & bit != 0 { 1.0 } else { -1.0 });
    for i in 0..8 {
        if R::WIDTH == 1 && out.num == 4 {
            return;
        }

        // corner relative to the center
        let below = side(i, 1) * below[0] + side(i, 2) * below[1] + side(i, 4) * below[2];
        let dist = height + below;
        let lanes = near & dist.le(margin) & below.le(R::zero());
        if !lanes.any() {
            continue;
        }
        let corner = add_scl3(scl3(x, side(i, 1)), y, side(i, 2));
        let corner = add3(add_scl3(corner, z, side(i, 4)), cube.pos);
        let point = Point {
            dist,
            pos: add_scl3(corner, normal, R::splat(-0.5) * dist),
            normal,
            tangent: [R::zero(); 3],
        };
        out.add_where(lanes, point);
    }
    out.num = out.num.min(4);
}
