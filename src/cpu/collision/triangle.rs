//! Sphere, box and capsule against a triangle inflated by `radius`: the geom comes first.

use super::nearest::nearest_point;
use super::plane::Ball;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::types::MINVAL;

/// A sphere (`mjraw_SphereTriangle`).
pub fn sphere_triangle(
    ball: Ball<f64>,
    triangle: [[f64; 3]; 3],
    radius: f64,
    margin: f64,
    out: &mut Contacts,
) {
    let nearest = nearest_point(&triangle, ball.center);
    let (normal, apart) = normalize3(sub3(nearest, ball.center));
    let dist = apart - ball.radius - radius;
    if dist <= margin {
        let pos = add_scl3(ball.center, normal, ball.radius + 0.5 * dist);
        out.add(dist, pos, normal);
    }
}

/// A box: corners of the triangle against the face of least depth, then corners of the box (`mjraw_BoxTriangle`).
pub fn box_triangle(
    cube: &Shape,
    triangle: [[f64; 3]; 3],
    radius: f64,
    margin: f64,
    out: &mut Contacts,
) {
    for corner in triangle {
        let local = mul_mat_t_vec3(cube.mat, sub3(corner, cube.pos));
        let over = [0, 1, 2].map(|i| local[i].abs() - cube.size[i]);
        if over.iter().any(|x| *x > margin + radius) {
            continue;
        }
        let mut axis = 0;
        for i in 1..3 {
            if over[i] > over[axis] {
                axis = i;
            }
        }
        let side = if local[axis] > 0.0 { 1.0 } else { -1.0 };
        let normal = scl3(column(cube.mat, axis), side);
        let dist = over[axis] - radius;
        out.add(dist, add_scl3(corner, normal, -radius - 0.5 * dist), normal);
    }
    for i in 0..8 {
        let along = |k: usize| {
            if i >> k & 1 != 0 {
                cube.size[k]
            } else {
                -cube.size[k]
            }
        };
        let corner = mul_mat_vec3(cube.mat, [along(0), along(1), along(2)]);
        let ball = Ball {
            center: add3(cube.pos, corner),
            radius: 0.0,
        };
        sphere_triangle(ball, triangle, radius, margin, out);
    }
}

/// A capsule: its ends, then corners of the triangle beside its segment (`mjraw_CapsuleTriangle`).
pub fn capsule_triangle(
    capsule: &Shape,
    triangle: [[f64; 3]; 3],
    radius: f64,
    margin: f64,
    out: &mut Contacts,
) {
    let half = capsule.size[1];
    let axis = capsule.axis();
    for side in [-half, half] {
        let ball = Ball::of(capsule, add_scl3(capsule.pos, axis, side));
        sphere_triangle(ball, triangle, radius, margin, out);
    }
    for corner in triangle {
        // between the ends only
        let along = dot3(sub3(corner, capsule.pos), axis);
        let share = 0.5 * (along / half + 1.0);
        if share <= MINVAL || share >= 1.0 - MINVAL {
            continue;
        }
        let nearest = add_scl3(capsule.pos, axis, along);
        let (normal, apart) = normalize3(sub3(corner, nearest));
        let dist = apart - capsule.size[0] - radius;
        if dist <= margin {
            let pos = add_scl3(nearest, normal, capsule.size[0] + 0.5 * dist);
            out.add(dist, pos, normal);
        }
    }
}
