//! Sphere and box, in one world or in worlds side by side: `near` is the mask of worlds in which the two are near.

use super::plane::Ball;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::real::{Mask, Real};
use crate::types::*;

/// Sphere and box: the nearest point of the box, or the nearest face for a center inside (`mjc_SphereBox`).
pub fn sphere_box<R: Real>(
    sphere: &Shape<R>,
    cube: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let center = mul_mat_t_vec3(cube.mat, sub3(sphere.pos, cube.pos));
    ball_box(Ball::of(sphere, center), cube, margin, near, out);
}

/// Ball with its center in the frame of the box: contact with the nearest point of the box, or with the nearest face if the
/// center is inside.
#[inline(always)]
pub fn ball_box<R: Real>(
    ball: Ball<R>,
    cube: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let Ball { center, radius } = ball;
    let size = cube.size;
    let clamp = |i: usize| {
        let solid = R::zero().lt(size[i]);
        R::select(solid, clip(center[i], -size[i], size[i]), center[i])
    };
    let clamped = [clamp(0), clamp(1), clamp(2)];
    let (inward, dist) = normalize3(sub3(clamped, center));
    let lanes = near & (dist - radius).le(margin);
    if !lanes.any() {
        return;
    }

    // center inside: pushed out by the nearest face
    let inside = dist.le(R::splat(MINVAL));
    if (lanes & inside).any() {
        let (face, depth) = nearest_face(center, size);
        let pos = add_scl3(center, face, R::splat(0.5) * (radius - depth));
        out.add_where(lanes & inside, place(pos, face, -depth - radius, cube));
    }

    // center outside: midway between the nearest point of the box and the deepest point of the ball
    let half = R::splat(0.5);
    let deepest = add_scl3(center, inward, radius);
    let pos = add3(scl3(clamped, half), scl3(deepest, half));
    out.add_where(lanes & !inside, place(pos, inward, dist - radius, cube));
}

// the face of a box nearest to a point inside: its inward normal, and its distance
#[inline(never)]
fn nearest_face<R: Real>(center: [R; 3], size: [R; 3]) -> ([R; 3], R) {
    let mut closest = R::splat(2.0) * (size[0] + size[1] + size[2]);
    let mut nearest = [R::zero(); 3];
    for i in 0..6 {
        let side = R::splat(if i % 2 == 1 { 1.0 } else { -1.0 });
        let depth = (side * size[i / 2] - center[i / 2]).abs();
        let nearer = depth.lt(closest);
        closest = R::select(nearer, depth, closest);
        let mut normal = [R::zero(); 3];
        normal[i / 2] = -side;
        nearest = select3(nearer, normal, nearest);
    }
    (nearest, closest)
}

// transforms a contact from the frame of the box to the world
#[inline(always)]
fn place<R: Real>(pos: [R; 3], normal: [R; 3], dist: R, cube: &Shape<R>) -> Point<R> {
    Point {
        dist,
        pos: add3(mul_mat_vec3(cube.mat, pos), cube.pos),
        normal: mul_mat_vec3(cube.mat, normal),
        tangent: [R::zero(); 3],
    }
}
