//! Rays against meshes, on every backend.

use std::fmt::Write;

use crate::common::backends::{by_precision, on_every_backend, worlds};
use manyworlds::Model;
use manyworlds::batch::Backend;

on_every_backend!(a_ray_finds_the_nearest_face_of_a_mesh);

type Vec3 = [f64; 3];

// a hilly ground of triangles
const SIDE: usize = 12;

fn ground() -> (Vec<Vec3>, Vec<[usize; 3]>) {
    let place = |k: usize| {
        let (x, y) = ((k % SIDE) as f64, (k / SIDE) as f64);
        [x - 5.5, y - 5.5, (1.3 * x).sin() * (0.9 * y).cos()]
    };
    let mut faces = Vec::new();
    for k in (0..SIDE * (SIDE - 1)).filter(|k| k % SIDE + 1 < SIDE) {
        faces.push([k, k + 1, k + SIDE]);
        faces.push([k + 1, k + SIDE + 1, k + SIDE]);
    }
    ((0..SIDE * SIDE).map(place).collect(), faces)
}

// starts above, below and beside the ground; directions along the axes and across
fn rays() -> Vec<[Vec3; 2]> {
    let mut all = Vec::new();
    for way in [
        [0.0, 0.0, -1.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 0.0],
        [0.0, -1.0, 0.0],
    ] {
        all.push([[0.3, -0.4, 3.0], way]);
        all.push([[0.3, -0.4, 0.05], way]);
        all.push([[0.3, -0.4, -2.0], way]);
    }
    for k in 0..40 {
        let (turn, down) = (0.9 * f64::from(k), -0.4 - 0.04 * f64::from(k));
        let from = [4.0 * turn.cos(), 4.0 * turn.sin(), 1.5];
        all.push([from, [turn.sin(), -0.7 * turn.cos(), 0.6 * down]]);
    }
    all
}

fn scene(vertices: &[Vec3], faces: &[[usize; 3]], rays: &[[Vec3; 2]]) -> Model {
    let (mut vertex, mut face) = (String::new(), String::new());
    for [x, y, z] in vertices {
        write!(vertex, "{x} {y} {z} ").unwrap();
    }
    for [a, b, c] in faces {
        write!(face, "{a} {b} {c} ").unwrap();
    }
    let (mut sites, mut sensors) = (String::new(), String::new());
    for (k, [[x, y, z], [a, b, c]]) in rays.iter().enumerate() {
        write!(
            sites,
            r#"<site name="{k}" pos="{x} {y} {z}" zaxis="{a} {b} {c}"/>"#
        )
        .unwrap();
        write!(sensors, r#"<rangefinder site="{k}"/>"#).unwrap();
    }
    let xml = format!(
        r#"<mujoco>
          <asset><mesh name="ground" inertia="shell" vertex="{vertex}" face="{face}"/></asset>
          <worldbody><geom type="mesh" mesh="ground"/><body><joint/><geom size="1" rgba="0 0 0 0"/>{sites}</body></worldbody>
          <sensor>{sensors}</sensor>
        </mujoco>"#
    );
    Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("{e}"))
}

// where a ray meets a triangle (Möller and Trumbore); infinity: it does not
fn meets([from, way]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> f64 {
    let sub = |u: Vec3, v: Vec3| [u[0] - v[0], u[1] - v[1], u[2] - v[2]];
    let dot = |u: Vec3, v: Vec3| u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
    let cross = |u: Vec3, v: Vec3| {
        [
            u[1] * v[2] - u[2] * v[1],
            u[2] * v[0] - u[0] * v[2],
            u[0] * v[1] - u[1] * v[0],
        ]
    };
    let (ab, ac, start) = (sub(b, a), sub(c, a), sub(from, a));
    let (across, side) = (cross(way, ac), cross(start, ab));
    let volume = dot(ab, across);
    let (u, v, dist) = (
        dot(start, across) / volume,
        dot(way, side) / volume,
        dot(ac, side) / volume,
    );
    match u >= 0.0 && v >= 0.0 && u + v <= 1.0 && dist >= 0.0 {
        true => dist,
        false => f64::INFINITY,
    }
}

fn a_ray_finds_the_nearest_face_of_a_mesh(backend: Backend) {
    let (vertices, faces) = ground();
    let rays = rays();
    let mut batch = worlds(&scene(&vertices, &faces, &rays), 2, backend);
    batch.forward().unwrap();
    let found = batch.reals("sensordata").unwrap().to_vec();
    let most = by_precision(backend, 1e-6, 1e-5);
    let mut hits = 0;
    for (k, &[from, way]) in rays.iter().enumerate() {
        let len = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        let all = faces
            .iter()
            .map(|face| meets([from, way.map(|x| x / len)], face.map(|v| vertices[v])));
        let nearest = all.fold(f64::INFINITY, f64::min);
        hits += usize::from(nearest.is_finite());
        let want = if nearest.is_finite() { nearest } else { -1.0 };
        for have in [found[k], found[rays.len() + k]] {
            assert!(
                (have - want).abs() < most * want.abs(),
                "{backend:?} {k}: {have}, {want}"
            );
        }
    }
    assert!(hits > rays.len() / 2, "{hits} of {}", rays.len());
}
