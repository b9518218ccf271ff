//! Spheres, capsules, and a sphere with a cylinder.

use super::plane::plane_point;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Two spheres of radius `size[0]` (`mjc_SphereSphere`).
pub fn sphere_sphere(first: &Shape, second: &Shape, margin: f64, out: &mut Contacts) {
    let (pos1, pos2) = (first.pos, second.pos);
    balls(
        first,
        pos1,
        first.size[0],
        second,
        pos2,
        second.size[0],
        margin,
        out,
    );
}

/// Balls of two shapes, each with its own center and radius.
#[inline(always)]
#[expect(clippy::too_many_arguments, reason = "two balls and whose they are")]
fn balls(
    first: &Shape,
    pos1: [f64; 3],
    radius1: f64,
    second: &Shape,
    pos2: [f64; 3],
    radius2: f64,
    margin: f64,
    out: &mut Contacts,
) {
    let dif = sub3(pos2, pos1);
    let reach = margin + radius1 + radius2;
    let dist2 = dot3(dif, dif);
    if dist2 > reach * reach {
        return;
    }
    let dist = dist2.sqrt() - radius1 - radius2;

    // same center: across both z axes, or along x
    let (mut normal, len) = normalize3(dif);
    if len < MINVAL {
        (normal, _) = normalize3(cross(first.axis(), second.axis()));
    }
    out.add(dist, add_scl3(pos1, normal, radius1 + 0.5 * dist), normal);
}

/// Sphere and capsule: the nearest ball of the capsule (`mjc_SphereCapsule`).
pub fn sphere_capsule(sphere: &Shape, capsule: &Shape, margin: f64, out: &mut Contacts) {
    let axis = capsule.axis();
    let half = capsule.size[1];
    let x = clip(dot3(axis, sub3(sphere.pos, capsule.pos)), -half, half);
    let nearest = add_scl3(capsule.pos, axis, x);
    let (radius1, radius2) = (sphere.size[0], capsule.size[0]);
    balls(
        sphere, sphere.pos, radius1, capsule, nearest, radius2, margin, out,
    );
}

/// Sphere and cylinder: its side, its cap or its rim (`mjc_SphereCylinder`).
pub fn sphere_cylinder(sphere: &Shape, cylinder: &Shape, margin: f64, out: &mut Contacts) {
    let (radius, half) = (cylinder.size[0], cylinder.size[1]);
    let axis = cylinder.axis();
    let vec = sub3(sphere.pos, cylinder.pos);
    let x = dot3(axis, vec);
    let along = scl3(axis, x);
    let across = sub3(vec, along);
    let across2 = dot3(across, across);

    // a center inside the cylinder leaves by the nearer of side and cap
    let mut side = x.abs() < half;
    let mut cap = across2 < radius * radius;
    if side && cap {
        cap = half - x.abs() < radius - across2.sqrt();
        side = !cap;
    }
    let top = if x > 0.0 { 1.0 } else { -1.0 };

    // side
    if side {
        let nearest = add3(along, cylinder.pos);
        balls(
            sphere,
            sphere.pos,
            sphere.size[0],
            cylinder,
            nearest,
            radius,
            margin,
            out,
        );
        return;
    }

    // cap: a plane, with the normal turned since the sphere comes first
    if cap {
        let origin = add_scl3(cylinder.pos, axis, top * half);
        let num = out.num;
        plane_point(
            origin,
            scl3(axis, top),
            sphere.pos,
            sphere.size[0],
            margin,
            out,
        );
        if out.num > num {
            out.point[num].normal = scl3(out.point[num].normal, -1.0);
        }
        return;
    }

    // rim
    let rim = add_scl3(scl3(axis, top * half), across, radius / across2.sqrt());
    let nearest = add3(rim, cylinder.pos);
    balls(
        sphere,
        sphere.pos,
        sphere.size[0],
        cylinder,
        nearest,
        0.0,
        margin,
        out,
    );
}

/// Squared sine of the angle up to which the axes of two capsules count as parallel.
const PARALLEL: f64 = 1e-8;

/// Two capsules: one contact of the nearest points, or two where the axes are parallel (`mjc_CapsuleCapsule`).
pub fn capsule_capsule(first: &Shape, second: &Shape, margin: f64, out: &mut Contacts) {
    let axis1 = scl3(first.axis(), first.size[1]);
    let axis2 = scl3(second.axis(), second.size[1]);
    let across = cross(axis1, axis2);
    let det = dot3(across, across);
    let ma = dot3(axis1, axis1);
    let mc = dot3(axis2, axis2);
    if det <= PARALLEL * ma * mc {
        parallel(first, second, margin, out);
        return;
    }

    // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v
    let dif = sub3(second.pos, first.pos);
    let mb = -dot3(axis1, axis2);
    let u = dot3(axis1, dif);
    let v = -dot3(axis2, dif);
    let mut x1 = dot3(cross(dif, axis2), across) / det;
    let mut x2 = dot3(cross(dif, axis1), across) / det;

    // clipped to the segments
    if x1 > 1.0 {
        x1 = 1.0;
        x2 = (v - mb) / mc;
    } else if x1 < -1.0 {
        x1 = -1.0;
        x2 = (v + mb) / mc;
    }
    if x2 > 1.0 {
        x2 = 1.0;
        x1 = clip((u - mb) / ma, -1.0, 1.0);
    } else if x2 < -1.0 {
        x2 = -1.0;
        x1 = clip((u + mb) / ma, -1.0, 1.0);
    }
    let pos1 = add_scl3(first.pos, axis1, x1);
    let pos2 = add_scl3(second.pos, axis2, x2);
    balls(
        first,
        pos1,
        first.size[0],
        second,
        pos2,
        second.size[0],
        margin,
        out,
    );
}

// parallel axes: a contact at each end of the overlap, twice the same where there is none
fn parallel(first: &Shape, second: &Shape, margin: f64, out: &mut Contacts) {
    let (axis1, axis2) = (first.axis(), second.axis());
    let (half1, half2) = (first.size[1], second.size[1]);
    let sign = if dot3(axis1, axis2) >= 0.0 { 1.0 } else { -1.0 };
    let low2 = add_scl3(second.pos, axis2, -sign * half2);
    let high2 = add_scl3(second.pos, axis2, sign * half2);
    let low = dot3(axis1, sub3(low2, first.pos));
    let high = dot3(axis1, sub3(high2, first.pos));
    let disjoint = low > half1 || high < -half1;
    for side in [-1.0, 1.0] {
        // disjoint: the facing ends; else the end that comes first, and its neighbor on the other axis
        let lower = if disjoint { low > half1 } else { side < 0.0 };
        let (end2, x2) = if lower { (low2, low) } else { (high2, high) };
        let own = match disjoint {
            true => clip(x2, -half1, half1),
            false => side * half1,
        };
        let pos1 = add_scl3(first.pos, axis1, own);
        let x = clip(dot3(axis2, sub3(pos1, second.pos)), -half2, half2);
        let first_ends = !disjoint && side * x2 >= half1;
        let (pos1, pos2) = match first_ends {
            true => (pos1, add_scl3(second.pos, axis2, x)),
            false => (add_scl3(first.pos, axis1, clip(x2, -half1, half1)), end2),
        };
        balls(
            first,
            pos1,
            first.size[0],
            second,
            pos2,
            second.size[0],
            margin,
            out,
        );
    }
}
