//! Triangle meshes: unit solids that parts stretch, and meshes of a model.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use std::f32::consts::{PI, TAU};

/// A vertex of a triangle.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Vertex {
    /// Position in the frame of the part, before it is stretched.
    pub pos: [f32; 3],
    /// Outward normal of the surface.
    pub normal: [f32; 3],
    /// -1 or 1 on the caps of a capsule, which its half length moves apart; else 0.
    pub end: f32,
    /// Texture coordinates: from the left edge in widths, from the upper edge in heights.
    pub uv: [f32; 2],
}

/// Triangles, counterclockwise seen from outside.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Vertices.
    pub vertices: Vec<Vertex>,
    /// Indices of vertices, three per triangle.
    pub indices: Vec<u32>,
}

/// Cosine of the largest angle between the normals of two faces that meet without an edge.
const CREASE: f32 = 0.8;

impl Mesh {
    /// Triangles over given positions: smooth where faces meet at less than 37 degrees, else with an edge. `corners` has the texture
    /// coordinates of each corner of each face, or is empty.
    pub fn new(places: &[[f32; 3]], faces: &[[u32; 3]], corners: &[[[f32; 2]; 3]]) -> Self {
        let place = |k: u32| Vec3::from(places[k as usize]);
        // normal times twice the area
        let normals: Vec<Vec3> = faces
            .iter()
            .map(|&[a, b, c]| (place(b) - place(a)).cross(place(c) - place(a)))
            .collect();
        let mut around = vec![Vec::new(); places.len()];
        for (k, face) in faces.iter().enumerate() {
            for &corner in face {
                around[corner as usize].push(k);
            }
        }
        let mut mesh = Self::default();
        for (f, (face, &own)) in faces.iter().zip(&normals).enumerate() {
            for (k, &corner) in face.iter().enumerate() {
                let unit = own.normalize_or_zero();
                let smooth = around[corner as usize]
                    .iter()
                    .map(|&k| normals[k])
                    .filter(|n| n.normalize_or_zero().dot(unit) > CREASE);
                let normal = smooth.sum::<Vec3>().normalize_or(Vec3::Z);
                let uv = corners.get(f).map_or([0.0; 2], |uv| uv[k]);
                mesh.push(place(corner), normal, 0.0, uv);
            }
        }
        mesh.indices = (0..mesh.vertices.len() as u32).collect();
        mesh
    }

    /// A smooth sheet of triangles over given positions, one vertex each. `uv` has texture coordinates of each position, or is empty.
    pub fn sheet(places: &[[f32; 3]], faces: &[[u32; 3]], uv: &[[f32; 2]]) -> Self {
        let mut normals = vec![Vec3::ZERO; places.len()];
        for face in faces {
            let [a, b, c] = face.map(|k| Vec3::from(places[k as usize]));
            let normal = (b - a).cross(c - a);
            for k in face {
                normals[*k as usize] += normal;
            }
        }
        let mut mesh = Self::default();
        for (k, (&place, normal)) in places.iter().zip(normals).enumerate() {
            let uv = uv.get(k).copied().unwrap_or_default();
            mesh.push(Vec3::from(place), normal.normalize_or(Vec3::Z), 0.0, uv);
        }
        mesh.indices = faces.as_flattened().to_vec();
        mesh
    }

    fn push(&mut self, pos: Vec3, normal: Vec3, end: f32, uv: [f32; 2]) {
        let (pos, normal) = (pos.to_array(), normal.to_array());
        self.vertices.push(Vertex {
            pos,
            normal,
            end,
            uv,
        });
    }

    // joins two rings of `around` segments each, whose first vertices are `low` and `high`
    fn join(&mut self, low: u32, high: u32, around: u32) {
        for k in 0..around {
            let (a, b) = (low + k, high + k);
            self.indices.extend([a, a + 1, b + 1, a, b + 1, b]);
        }
    }

    /// The square from -1 to 1 of the plane z = 0, seen from above.
    pub fn plane() -> Self {
        let mut mesh = Self::default();
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let uv = [0.5 + 0.5 * x, 0.5 - 0.5 * y];
            mesh.push(Vec3::new(x, y, 0.0), Vec3::Z, 0.0, uv);
        }
        mesh.indices.extend([0, 1, 2, 0, 2, 3]);
        mesh
    }

    /// The cube from -1 to 1.
    pub fn cube() -> Self {
        let mut mesh = Self::default();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let mut normal = Vec3::ZERO;
                normal[axis] = side;
                let first = mesh.vertices.len() as u32;
                for (u, v) in [(-1.0, -1.0), (side, -side), (1.0, 1.0), (-side, side)] {
                    let mut pos = normal;
                    pos[(axis + 1) % 3] = u;
                    pos[(axis + 2) % 3] = v;
                    // components along the texture's width and height
                    let [across, down] = [[1, 2], [0, 2], [0, 1]][axis];
                    let uv = [0.5 + 0.5 * pos[across], 0.5 - 0.5 * pos[down]];
                    mesh.push(pos, normal, 0.0, uv);
                }
                mesh.indices
                    .extend([0, 1, 2, 0, 2, 3].map(|k: u32| first + k));
            }
        }
        mesh
    }

    /// The unit ball with `around` vertices in a ring; with `capsule` its halves are separated and joined by a cylinder.
    pub fn ball(around: u32, capsule: bool) -> Self {
        let mut mesh = Self::default();
        let rings = around / 2;
        let part = |k: u32, of: u32| k as f32 / of as f32;
        if !capsule {
            let all = (0..=rings).map(|k| (k, 0.0, 1.0 - part(k, rings)));
            mesh.strip(around, rings, all);
            return mesh;
        }
        // a texture covers each cap once, and the cylinder between them once
        let half = rings / 2;
        let low = (0..=half).map(|k| (k, -1.0, 1.0 - part(k, half)));
        mesh.strip(around, rings, low);
        mesh.strip(around, rings, [(half, -1.0, 1.0), (half, 1.0, 0.0)]);
        let high = (0..=half).map(|k| (half + k, 1.0, 1.0 - part(k, half)));
        mesh.strip(around, rings, high);
        mesh
    }

    // adds circles of a ball with `rings` rings, each joined to the previous one: ring number from below, `end` of its vertices, and
    // vertical texture coordinate
    fn strip(
        &mut self,
        around: u32,
        rings: u32,
        circles: impl IntoIterator<Item = (u32, f32, f32)>,
    ) {
        let mut last = None;
        for (k, end, down) in circles {
            let first = self.vertices.len() as u32;
            let (z, radius) = (PI * (k as f32 / rings as f32 - 0.5)).sin_cos();
            for j in 0..=around {
                let turn = j as f32 / around as f32;
                let (sin, cos) = (TAU * turn).sin_cos();
                let pos = Vec3::new(radius * cos, radius * sin, z);
                self.push(pos, pos, end, [turn, down]);
            }
            if let Some(last) = last {
                self.join(last, first, around);
            }
            last = Some(first);
        }
    }

    /// The cylinder of radius 1 from z = -1 to 1 with `around` segments, or the cone with its apex at z = 1.
    pub fn cylinder(around: u32, cone: bool) -> Self {
        let mut mesh = Self::default();
        let top = if cone { 0.0 } else { 1.0 };
        let circle = |j: u32| {
            let (sin, cos) = (TAU * j as f32 / around as f32).sin_cos();
            Vec3::new(cos, sin, 0.0)
        };
        let slope = if cone { 0.5 } else { 0.0 };
        for (z, radius) in [(-1.0, 1.0), (1.0, top)] {
            for j in 0..=around {
                let out = circle(j);
                let normal = (out + slope * Vec3::Z).normalize();
                let uv = [j as f32 / around as f32, 0.5 - 0.5 * z];
                mesh.push(radius * out + z * Vec3::Z, normal, 0.0, uv);
            }
        }
        mesh.join(0, around + 1, around);
        for side in [-1.0, 1.0] {
            if cone && side > 0.0 {
                continue;
            }
            let center = mesh.vertices.len() as u32;
            let mut push = |at: Vec3| {
                let uv = [0.5 + 0.5 * at.x, 0.5 + 0.5 * at.y];
                mesh.push(at + side * Vec3::Z, side * Vec3::Z, 0.0, uv);
            };
            push(Vec3::ZERO);
            (0..=around).for_each(|j| push(circle(j)));
            for j in 1..=around {
                let (a, b) = (center + j, center + j + 1);
                let face = if side > 0.0 { [a, b] } else { [b, a] };
                mesh.indices.extend([center, face[0], face[1]]);
            }
        }
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outward(mesh: &Mesh) {
        for face in mesh.indices.chunks(3) {
            let [a, b, c] = [0, 1, 2].map(|i| &mesh.vertices[face[i] as usize]);
            let [pa, pb, pc] = [a, b, c].map(|v| Vec3::from(v.pos) + v.end * Vec3::Z);
            let normal = (pb - pa).cross(pc - pa);
            let said = Vec3::from(a.normal) + Vec3::from(b.normal) + Vec3::from(c.normal);
            assert!(
                normal.length() < 1e-6 || normal.dot(said) > 0.0,
                "{pa} {pb} {pc}"
            );
        }
    }

    #[test]
    fn faces_look_outward() {
        outward(&Mesh::plane());
        outward(&Mesh::cube());
        for capsule in [false, true] {
            outward(&Mesh::ball(12, capsule));
            outward(&Mesh::cylinder(12, capsule));
        }
    }

    #[test]
    fn edges_of_a_cube_are_sharp_and_a_fine_ball_is_smooth() {
        let cube = Mesh::cube();
        let places: Vec<[f32; 3]> = (0..8)
            .map(|k| [k & 1, k >> 1 & 1, k >> 2 & 1].map(|x| x as f32))
            .collect();
        let corner = |v: &Vertex| {
            let bit = |i: usize| u32::from(v.pos[i] > 0.0) << i;
            bit(0) | bit(1) | bit(2)
        };
        let faces: Vec<[u32; 3]> = cube
            .indices
            .chunks(3)
            .map(|f| [0, 1, 2].map(|i| corner(&cube.vertices[f[i] as usize])))
            .collect();
        for v in &Mesh::new(&places, &faces, &[]).vertices {
            let largest = v.normal.iter().fold(0.0, |a: f32, x| a.max(x.abs()));
            assert_eq!(largest, 1.0);
        }
        let ball = Mesh::ball(32, false);
        let places: Vec<_> = ball.vertices.iter().map(|v| v.pos).collect();
        let faces: Vec<_> = ball.indices.chunks(3).map(|f| [f[0], f[1], f[2]]).collect();
        let ball = Mesh::new(&places, &faces, &[]);
        let off = |v: &Vertex| Vec3::from(v.normal).dot(Vec3::from(v.pos)) < 0.98;
        let equator = |v: &&Vertex| v.pos[2].abs() < 0.9;
        assert_eq!(
            ball.vertices
                .iter()
                .filter(equator)
                .filter(|v| off(v))
                .count(),
            0
        );
    }
}
