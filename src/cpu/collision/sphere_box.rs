//! Sphere and box.

use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Sphere and box: the nearest point of the box, or the nearest face for a center inside (`mjc_SphereBox`).
pub fn sphere_box(sphere: &Shape, cube: &Shape, margin: f64, out: &mut Contacts) {
    let center = mul_mat_t_vec3(cube.mat, sub3(sphere.pos, cube.pos));
    ball_box(center, sphere.size[0], cube, margin, out);
}

/// A ball, its center in the frame of the box.
pub fn ball_box(center: [f64; 3], radius: f64, cube: &Shape, margin: f64, out: &mut Contacts) {
    let size = cube.size;
    let clamp = |i: usize| match size[i] > 0.0 {
        true => clip(center[i], -size[i], size[i]),
        false => center[i],
    };
    let clamped = [clamp(0), clamp(1), clamp(2)];
    let (inward, dist) = normalize3(sub3(clamped, center));
    if dist - radius > margin {
        return;
    }

    // center inside: leave by the nearest face
    if dist <= MINVAL {
        let mut closest = 2.0 * (size[0] + size[1] + size[2]);
        let mut nearest = [0.0; 3];
        for i in 0..6 {
            let side = if i % 2 == 1 { 1.0 } else { -1.0 };
            let depth = (side * size[i / 2] - center[i / 2]).abs();
            if closest > depth {
                closest = depth;
                nearest = [0.0; 3];
                nearest[i / 2] = -side;
            }
        }
        let pos = add_scl3(center, nearest, 0.5 * (radius - closest));
        place(pos, nearest, -closest - radius, cube, out);
        return;
    }

    // center outside: between the nearest point of the box and the deepest of the ball
    let deepest = add_scl3(center, inward, radius);
    let pos = add3(scl3(clamped, 0.5), scl3(deepest, 0.5));
    place(pos, inward, dist - radius, cube, out);
}

// from the frame of the box to the world
fn place(pos: [f64; 3], normal: [f64; 3], dist: f64, cube: &Shape, out: &mut Contacts) {
    let pos = add3(mul_mat_vec3(cube.mat, pos), cube.pos);
    out.add(dist, pos, mul_mat_vec3(cube.mat, normal));
}
