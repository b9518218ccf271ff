//! Spheres, capsules, and a sphere with a cylinder, in one world or in worlds side by side: `near` is the mask of worlds in which
//! the two are near.

use super::plane::{Ball, plane_ball};
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::real::{Mask, Real};

/// Two spheres of radius `size[0]` (`mjc_SphereSphere`).
pub fn sphere_sphere<R: Real>(
    first: &Shape<R>,
    second: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let balls = [first, second].map(|sphere| Ball::of(sphere, sphere.pos));
    touch(balls, [first, second], margin, near, out);
}

/// Balls of two shapes.
#[inline(always)]
fn touch<R: Real>(
    balls: [Ball<R>; 2],
    of: [&Shape<R>; 2],
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let [first, second] = balls;
    let dif = sub3(second.center, first.center);
    let reach = margin + first.radius + second.radius;
    let lanes = near & dot3(dif, dif).le(reach * reach);
    if !lanes.any() {
        return;
    }
    let (normal, len) = normalize3(dif);
    let dist = len - first.radius - second.radius;

    // same center, up to rounding: the normal is across both z axes, or along x
    let same = len.lt(nothing(of[0].size[0] + of[1].size[0]));
    let normal = match (same & lanes).any() {
        true => select3(same, normal_across([of[0].axis(), of[1].axis()]), normal),
        false => normal,
    };
    let along = first.radius + R::splat(0.5) * dist;
    let point = Point {
        dist,
        pos: add_scl3(first.center, normal, along),
        normal,
        tangent: [R::zero(); 3],
    };
    out.add_where(lanes, point);
}

// the normalized cross product of two unit vectors; x where they are parallel
#[inline(never)]
fn normal_across<R: Real>(axes: [[R; 3]; 2]) -> [R; 3] {
    let (across, sine) = normalize3(cross(axes[0], axes[1]));
    let parallel = sine.lt(nothing(R::one()));
    select3(parallel, [R::one(), R::zero(), R::zero()], across)
}

/// Sphere and capsule: the sphere against the nearest ball of the capsule (`mjc_SphereCapsule`).
pub fn sphere_capsule<R: Real>(
    sphere: &Shape<R>,
    capsule: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let axis = capsule.axis();
    let half = capsule.size[1];
    let x = clip(dot3(axis, sub3(sphere.pos, capsule.pos)), -half, half);
    let nearest = add_scl3(capsule.pos, axis, x);
    let balls = [Ball::of(sphere, sphere.pos), Ball::of(capsule, nearest)];
    touch(balls, [sphere, capsule], margin, near, out);
}

/// Sphere and cylinder: contact with its side, its cap or its rim (`mjc_SphereCylinder`).
pub fn sphere_cylinder<R: Real>(
    sphere: &Shape<R>,
    cylinder: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let [radius, half, _] = cylinder.size;
    let axis = cylinder.axis();
    let vec = sub3(sphere.pos, cylinder.pos);
    let x = dot3(axis, vec);
    let along = scl3(axis, x);
    let across = sub3(vec, along);
    let across2 = dot3(across, across);

    // a center inside the cylinder is pushed out by the nearer of side and cap
    let side = x.abs().lt(half);
    let cap = across2.lt(radius * radius);
    let by_cap = (half - x.abs()).lt(radius - across2.sqrt());
    let (side, cap) = (side & !(cap & by_cap), cap & (!side | by_cap));
    let top = R::select(R::zero().lt(x), R::one(), -R::one());

    // side, or rim
    let ball = Ball::of(sphere, sphere.pos);
    let rim = scl3(axis, top * half);
    let rim = add_scl3(
        rim,
        across,
        radius / R::select(cap, R::one(), across2.sqrt()),
    );
    let nearest = Ball {
        center: add3(select3(side, along, rim), cylinder.pos),
        radius: R::select(side, radius, R::zero()),
    };
    touch(
        [ball, nearest],
        [sphere, cylinder],
        margin,
        near & !cap,
        out,
    );

    // cap: a plane, with the normal reversed since the sphere comes first
    let origin = add_scl3(cylinder.pos, axis, top * half);
    let (lanes, point) = plane_ball(origin, scl3(axis, top), ball, margin);
    let normal = scl3(point.normal, -R::one());
    out.add_where(near & cap & lanes, Point { normal, ..point });
}

/// Squared sine of the angle up to which the axes of two capsules count as parallel.
const PARALLEL: f64 = 1e-8;

/// Two capsules: one contact of the nearest points, or two where the axes are parallel (`mjc_CapsuleCapsule`).
pub fn capsule_capsule<R: Real>(
    first: &Shape<R>,
    second: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let one = R::one();
    let axis1 = scl3(first.axis(), first.size[1]);
    let axis2 = scl3(second.axis(), second.size[1]);
    let across = cross(axis1, axis2);
    let det = dot3(across, across);
    let ma = dot3(axis1, axis1);
    let mc = dot3(axis2, axis2);
    let aligned = det.le(R::splat(PARALLEL) * ma * mc);
    if (near & aligned).any() {
        parallel(first, second, margin, near & aligned, out);
    }
    let near = near & !aligned;
    if !near.any() {
        return;
    }

    // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v; the second is the nearest to the first, so where the lines
    // are nearly parallel, an error of x1 leaves the two near each other
    let dif = sub3(second.pos, first.pos);
    let mb = -dot3(axis1, axis2);
    let u = dot3(axis1, dif);
    let v = -dot3(axis2, dif);
    let x1 = dot3(cross(dif, axis2), across) / det;

    // clipped to the segments
    let x1 = clip(x1, -one, one);
    let x2 = (v - mb * x1) / mc;
    let over2 = one.lt(x2.abs());
    let x2 = clip(x2, -one, one);
    let x1 = R::select(over2, clip((u - mb * x2) / ma, -one, one), x1);
    let balls = [
        Ball::of(first, add_scl3(first.pos, axis1, x1)),
        Ball::of(second, add_scl3(second.pos, axis2, x2)),
    ];
    touch(balls, [first, second], margin, near, out);
}

// parallel axes: a contact at each end of the overlap, the same contact twice where there is none
#[inline(never)]
fn parallel<R: Real>(
    first: &Shape<R>,
    second: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let (axis1, axis2) = (first.axis(), second.axis());
    let [half1, half2] = [first, second].map(|shape| shape.size[1]);
    let turned = dot3(axis1, axis2).lt(R::zero());
    let end2 = R::select(turned, -half2, half2);
    let low2 = add_scl3(second.pos, axis2, -end2);
    let high2 = add_scl3(second.pos, axis2, end2);
    let low = dot3(axis1, sub3(low2, first.pos));
    let high = dot3(axis1, sub3(high2, first.pos));
    let above = half1.lt(low);
    let disjoint = above | high.lt(-half1);
    for side in [-R::one(), R::one()] {
        // disjoint: the facing ends; else the end that comes first, and its neighbor on the other axis
        let lower = (disjoint & above) | (!disjoint & side.lt(R::zero()));
        let end2 = select3(lower, low2, high2);
        let x2 = R::select(lower, low, high);
        let facing = clip(x2, -half1, half1);
        let own = add_scl3(first.pos, axis1, side * half1);
        let x = clip(dot3(axis2, sub3(own, second.pos)), -half2, half2);
        let first_ends = !disjoint & half1.le(side * x2);
        let pos1 = select3(first_ends, own, add_scl3(first.pos, axis1, facing));
        let pos2 = select3(first_ends, add_scl3(second.pos, axis2, x), end2);
        let balls = [Ball::of(first, pos1), Ball::of(second, pos2)];
        touch(balls, [first, second], margin, near, out);
    }
}
