//! Planes, spheres and capsules. Twin of `cpu/collision/plane.rs` and `cpu/collision/round.rs`.

use super::*;

/// Squared sine of the angle up to which the axes of two capsules count as parallel.
const PARALLEL: f64 = 1e-8;

// a ball round a point
#[derive(Clone, Copy)]
struct Ball<R> {
    center: [R; 3],
    radius: f64,
}

/// Plane and sphere of radius `size[0]` (`mjc_PlaneSphere`).
pub fn plane_sphere<R: Real>(
    plane: &Shapes<R>,
    sphere: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let ball = Ball {
        center: sphere.pos,
        radius: sphere.size[0],
    };
    out.add(plane_ball(plane, ball, detect, near));
}

// the contact is midway between the surfaces
#[inline(always)]
fn plane_ball<R: Real>(plane: &Shapes<R>, ball: Ball<R>, detect: f64, near: R::Mask) -> Spot<R> {
    let normal = plane.axis();
    let radius = R::splat(ball.radius);
    let height = dot3(sub3(ball.center, plane.pos), normal);
    let present = near & height.le(R::splat(detect + ball.radius));
    let dist = height - radius;
    Spot {
        dist: R::select(present, dist, R::splat(ABSENT)),
        pos: add_scl3(ball.center, normal, R::splat(-0.5) * dist - radius),
        normal,
        tangent: [R::zero(); 3],
    }
}

/// Plane and capsule: a ball at each end (`mjc_PlaneCapsule`).
pub fn plane_capsule<R: Real>(
    plane: &Shapes<R>,
    capsule: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let axis = capsule.axis();
    for side in [1.0, -1.0] {
        let ball = Ball {
            center: add_scl3(capsule.pos, axis, R::splat(side * capsule.size[1])),
            radius: capsule.size[0],
        };
        let mut spot = plane_ball(plane, ball, detect, near);
        // the first tangent is along the capsule
        spot.tangent = axis;
        out.add(spot);
    }
}

/// Two spheres of radius `size[0]` (`mjc_SphereSphere`).
pub fn sphere_sphere<R: Real>(
    first: &Shapes<R>,
    second: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let ball = |shapes: &Shapes<R>| Ball {
        center: shapes.pos,
        radius: shapes.size[0],
    };
    let axes = [first.axis(), second.axis()];
    out.add(balls(ball(first), ball(second), axes, detect, near));
}

// balls of two shapes, whose z axes say what to do where the centers meet
#[inline(always)]
fn balls<R: Real>(
    first: Ball<R>,
    second: Ball<R>,
    axes: [[R; 3]; 2],
    detect: f64,
    near: R::Mask,
) -> Spot<R> {
    let dif = sub3(second.center, first.center);
    let reach = detect + first.radius + second.radius;
    let present = near & dot3(dif, dif).le(R::splat(reach * reach));
    let (mut normal, len) = normalize3(dif);
    let dist = len - R::splat(first.radius + second.radius);

    // same center: across both z axes, or along x
    let same = len.lt(R::splat(MINVAL));
    if (same & present).any() {
        let (across, _) = normalize3(cross(axes[0], axes[1]));
        (0..3).for_each(|i| normal[i] = R::select(same, across[i], normal[i]));
    }
    let along = R::splat(first.radius) + R::splat(0.5) * dist;
    Spot {
        dist: R::select(present, dist, R::splat(ABSENT)),
        pos: add_scl3(first.center, normal, along),
        normal,
        tangent: [R::zero(); 3],
    }
}

/// Sphere and capsule: the nearest ball of the capsule (`mjc_SphereCapsule`).
pub fn sphere_capsule<R: Real>(
    sphere: &Shapes<R>,
    capsule: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let axis = capsule.axis();
    let half = R::splat(capsule.size[1]);
    let x = clip(dot3(axis, sub3(sphere.pos, capsule.pos)), -half, half);
    let first = Ball {
        center: sphere.pos,
        radius: sphere.size[0],
    };
    let second = Ball {
        center: add_scl3(capsule.pos, axis, x),
        radius: capsule.size[0],
    };
    let axes = [sphere.axis(), axis];
    out.add(balls(first, second, axes, detect, near));
}

/// Two capsules: one contact of the nearest points, or two where the axes are parallel (`mjc_CapsuleCapsule`).
pub fn capsule_capsule<R: Real>(
    first: &Shapes<R>,
    second: &Shapes<R>,
    detect: f64,
    near: R::Mask,
    out: &mut Spots<R>,
) {
    let (one, axes) = (R::one(), [first.axis(), second.axis()]);
    let (half1, half2) = (first.size[1], second.size[1]);
    let axis1 = scl3(axes[0], R::splat(half1));
    let axis2 = scl3(axes[1], R::splat(half2));
    let across = cross(axis1, axis2);
    let det = dot3(across, across);
    let ma = dot3(axis1, axis1);
    let mc = dot3(axis2, axis2);
    let parallel = near & det.le(R::splat(PARALLEL) * ma * mc);
    if parallel.any() {
        let types = [GeomType::Capsule, GeomType::Capsule];
        out.by_lane(types, parallel, first, second, detect);
    }

    // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v
    let dif = sub3(second.pos, first.pos);
    let mb = -dot3(axis1, axis2);
    let u = dot3(axis1, dif);
    let v = -dot3(axis2, dif);
    let x1 = dot3(cross(dif, axis2), across) / det;
    let x2 = dot3(cross(dif, axis1), across) / det;

    // clipped to the segments
    let over1 = one.lt(x1.abs());
    let x1 = clip(x1, -one, one);
    let x2 = R::select(over1, (v - mb * x1) / mc, x2);
    let over2 = one.lt(x2.abs());
    let x2 = clip(x2, -one, one);
    let x1 = R::select(over2, clip((u - mb * x2) / ma, -one, one), x1);
    let ball1 = Ball {
        center: add_scl3(first.pos, axis1, x1),
        radius: first.size[0],
    };
    let ball2 = Ball {
        center: add_scl3(second.pos, axis2, x2),
        radius: second.size[0],
    };
    out.add(balls(ball1, ball2, axes, detect, near & !parallel));
}
