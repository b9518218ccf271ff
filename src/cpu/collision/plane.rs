//! A plane and a convex shape.

use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Plane and sphere of radius `size[0]` (`mjc_PlaneSphere`).
pub fn plane_sphere(plane: &Shape, sphere: &Shape, margin: f64, out: &mut Contacts) {
    let normal = plane.axis();
    plane_point(plane.pos, normal, sphere.pos, sphere.size[0], margin, out);
}

/// A plane and a ball round a point; the contact is midway between the surfaces.
#[inline(always)]
pub fn plane_point(
    origin: [f64; 3],
    normal: [f64; 3],
    center: [f64; 3],
    radius: f64,
    margin: f64,
    out: &mut Contacts,
) {
    let height = dot3(sub3(center, origin), normal);
    if height > margin + radius {
        return;
    }
    let dist = height - radius;
    let pos = add_scl3(center, normal, -0.5 * dist - radius);
    out.add(dist, pos, normal);
}

/// Plane and capsule: a ball at each end (`mjc_PlaneCapsule`).
pub fn plane_capsule(plane: &Shape, capsule: &Shape, margin: f64, out: &mut Contacts) {
    let normal = plane.axis();
    let axis = capsule.axis();
    let radius = capsule.size[0];
    for side in [1.0, -1.0] {
        let center = add_scl3(capsule.pos, axis, side * capsule.size[1]);
        plane_point(plane.pos, normal, center, radius, margin, out);
    }

    // the first tangent is along the capsule
    for point in &mut out.point[..out.num] {
        point.tangent = axis;
    }
}

/// Plane and ellipsoid: the lowest point (`mjc_PlaneConvex`).
pub fn plane_ellipsoid(plane: &Shape, ellipsoid: &Shape, margin: f64, out: &mut Contacts) {
    let normal = plane.axis();
    let size = ellipsoid.size;

    // support of the unit ball, stretched
    let down = scl3(mul_mat_t_vec3(ellipsoid.mat, normal), -1.0);
    let scaled = [down[0] * size[0], down[1] * size[1], down[2] * size[2]];
    let (ball, _) = normalize3(scaled);
    let local = [ball[0] * size[0], ball[1] * size[1], ball[2] * size[2]];
    let point = add3(mul_mat_vec3(ellipsoid.mat, local), ellipsoid.pos);
    plane_point(plane.pos, normal, point, 0.0, margin, out);
}

/// Plane and cylinder: two points of the lowest line and two that complete a triangle of the lower disk
/// (`mjc_PlaneCylinder`).
pub fn plane_cylinder(plane: &Shape, cylinder: &Shape, margin: f64, out: &mut Contacts) {
    let normal = plane.axis();
    let (radius, half) = (cylinder.size[0], cylinder.size[1]);

    // the axis points towards the plane
    let mut axis = cylinder.axis();
    let mut slope = dot3(normal, axis);
    if slope > 0.0 {
        axis = scl3(axis, -1.0);
        slope = -slope;
    }
    let height = dot3(sub3(cylinder.pos, plane.pos), normal);

    // lowest direction of the disk, scaled by the radius; x where the disk is parallel to the plane
    let across = sub3(scl3(axis, slope), normal);
    let len = norm3(across);
    let vec = match len >= MINVAL {
        true => scl3(across, radius / len),
        false => scl3(column(cylinder.mat, 0), radius),
    };
    let down = dot3(vec, normal);
    let axis = scl3(axis, half);
    let slope = slope * half;

    // lowest point of the near disk
    let dist = height + slope + down;
    if dist > margin {
        return;
    }
    let point = add3(add3(cylinder.pos, vec), axis);
    out.add(dist, add_scl3(point, normal, -0.5 * dist), normal);

    // lowest point of the far disk
    let dist = height - slope + down;
    if dist <= margin {
        let point = sub3(add3(cylinder.pos, vec), axis);
        out.add(dist, add_scl3(point, normal, -0.5 * dist), normal);
    }

    // the two other corners of an equilateral triangle in the near disk
    let dist = height + slope - 0.5 * down;
    if dist <= margin {
        let (side, _) = normalize3(cross(vec, axis));
        let side = scl3(side, radius * 3.0f64.sqrt() / 2.0);
        for sign in [1.0, -1.0] {
            let point = add3(add_scl3(cylinder.pos, side, sign), axis);
            let point = add_scl3(point, vec, -0.5);
            out.add(dist, add_scl3(point, normal, -0.5 * dist), normal);
        }
    }
}

/// Plane and box: the first four of the lower corners (`mjc_PlaneBox`).
pub fn plane_box(plane: &Shape, cube: &Shape, margin: f64, out: &mut Contacts) {
    let normal = plane.axis();
    let height = dot3(sub3(cube.pos, plane.pos), normal);
    for i in 0..8 {
        if out.num == 4 {
            return;
        }

        // corner relative to the center
        let sign = |bit: i32| if i & bit != 0 { 1.0 } else { -1.0 };
        let local = [
            sign(1) * cube.size[0],
            sign(2) * cube.size[1],
            sign(4) * cube.size[2],
        ];
        let corner = mul_mat_vec3(cube.mat, local);
        let below = dot3(normal, corner);
        let dist = height + below;
        if dist <= margin && below <= 0.0 {
            let point = add3(corner, cube.pos);
            out.add(dist, add_scl3(point, normal, -0.5 * dist), normal);
        }
    }
}
