//! Shells between nodes: stiffness of the outer faces of a grid's cells, and of the edges between them.

use super::cage::Cage;
use super::hooke::{Material, whole};
use crate::asset::fill::Fill;
use crate::cpu::lib::shell::{BEND, Face, face_num, side_of};
use crate::mjcf::schema::Flex;

impl Cage {
    /// Stiffness matrix of each face: that of a membrane, in its plane.
    pub fn membranes(&self, young: f64, poisson: f64, thickness: f64) -> Vec<f64> {
        let material = Material::of_membrane(young, poisson, thickness);
        let size = self.cell_size();
        let of_face = |face| {
            let face = Face::new(self.order, self.cells, face);
            membrane(&face, size, material)
        };
        (0..face_num(self.cells)).flat_map(of_face).collect()
    }

    /// Number of edges between faces, and the coefficients of each.
    pub fn bends(&self, said: &Flex) -> Vec<f64> {
        let (young, nu) = (said.elasticity.young(), said.elasticity.poisson());
        let rigidity = young * said.elasticity.thickness().powi(3) / (12.0 * (1.0 - nu * nu));
        let edges = edges(self.cells);
        let mut out = vec![edges.len() as f64];
        for edge in edges {
            out.extend(self.bend(&edge, rigidity));
        }
        out
    }

    // the normals of faces point along the axes, whatever side they are on
    fn bend(&self, edge: &Edge, rigidity: f64) -> [f64; BEND] {
        let size = self.cell_size();
        let (mut along, mut across) = (0.0, 0.0);
        let mut jump = [0.0; 3];
        for (k, sign) in [1.0, -1.0].into_iter().enumerate() {
            let face = Face::new(self.order, self.cells, edge.face[k]);
            let lengths = face.axes.map(|axis| size[axis]);
            let crossed = usize::from(edge.at[k][0] == 0.5);
            across += lengths[crossed] / 2.0;
            along += lengths[1 - crossed] / 2.0;
            jump[face.normal] += sign;
        }
        let [[a0, a1], [b0, b1]] = edge.at;
        let [first, second] = edge.face.map(|face| face as f64);
        let stiffness = rigidity * along / across.max(1e-12);
        let [x, y, z] = jump;
        [first, second, a0, a1, b0, b1, stiffness, x, y, z]
    }
}

/// An edge between two faces, and the places of its middle in them.
struct Edge {
    face: [usize; 2],
    at: [[f64; 2]; 2],
}

// each edge once, from the face of the lower number
fn edges(cells: [usize; 3]) -> Vec<Edge> {
    let first_of = |side: usize| {
        let before = (0..side).map(|s| cells[(s / 2 + 1) % 3] * cells[(s / 2 + 2) % 3]);
        before.sum::<usize>()
    };
    let mut out = Vec::new();
    for face in 0..face_num(cells) {
        let (side, place) = side_of(cells, face);
        let normal = side / 2;
        let axes = [(normal + 1) % 3, (normal + 2) % 3];
        for dir in 0..2 {
            for upper in [false, true] {
                let end = if upper { 1.0 } else { 0.0 };
                let mut at = [[0.5; 2]; 2];
                at[0][dir] = end;
                let last = if upper { cells[axes[dir]] - 1 } else { 0 };
                let other = if place[dir] != last {
                    at[1][dir] = 1.0 - end;
                    let mut next = place;
                    next[dir] = if upper {
                        place[dir] + 1
                    } else {
                        place[dir] - 1
                    };
                    first_of(side) + next[0] * cells[axes[1]] + next[1]
                } else {
                    // around the corner
                    let across = 2 * axes[dir] + usize::from(upper);
                    let border = if side % 2 == 1 { cells[normal] - 1 } else { 0 };
                    let here = if side % 2 == 1 { 1.0 } else { 0.0 };
                    at[1][1 - dir] = here;
                    let width = cells[(axes[dir] + 2) % 3];
                    let [first, second] = match dir {
                        0 => [place[1], border],
                        _ => [border, place[0]],
                    };
                    first_of(across) + first * width + second
                };
                if face < other {
                    out.push(Edge {
                        face: [face, other],
                        at,
                    });
                }
            }
        }
    }
    out
}

// in the rows and columns of a face's own axes
fn membrane(face: &Face, size: [f64; 3], of: Material) -> Vec<f64> {
    let flat = whole(face.order, face.axes.map(|axis| size[axis]), of);
    let (width, num) = (3 * face.num, 2 * face.num);
    let place = |k: usize| 3 * (k / 2) + face.axes[k % 2];
    let mut out = vec![0.0; width * width];
    for (k, x) in flat.into_iter().enumerate() {
        out[place(k / num) * width + place(k % num)] = x;
    }
    out
}

/// The mode in which a face warps out of its plane, of unit length, and its stiffness.
pub(super) fn warp(
    cage: &Cage,
    face: usize,
    young: f64,
    nu: f64,
    thickness: f64,
) -> (Vec<f64>, f64) {
    let face = Face::new(cage.order, cage.cells, face);
    let side = face.order + 1;
    let mut mode = vec![0.0; 3 * face.num];
    for n in 0..face.num {
        let [s, t] = [n / side, n % side].map(|k| 1.0 - 2.0 * k as f64 / face.order as f64);
        mode[3 * n + face.normal] = s * t;
    }
    let norm = mode.iter().map(|x| x * x).sum::<f64>().sqrt();
    mode.iter_mut().for_each(|x| *x /= norm);
    let size = cage.cell_size();
    let rigidity = young * thickness.powi(3) / (12.0 * (1.0 - nu * nu));
    let area = size[face.axes[0]] * size[face.axes[1]];
    (mode, rigidity * (1.0 - nu) * 4.0 / area)
}

/// Coefficients of stretching of a flex between nodes: of its cells where it fills them, or of the faces of a shell; as modes of strain
/// where an equality holds them.
pub(super) fn coefficients(
    cage: &Cage,
    said: &Flex,
    fill: Option<&Fill>,
    strain: bool,
) -> Vec<f64> {
    let thickness = said.elasticity.thickness();
    if strain {
        return super::strain::modes(cage, fill, thickness);
    }
    let (young, poisson) = (said.elasticity.young(), said.elasticity.poisson());
    match fill {
        None => cage.membranes(young, poisson, thickness),
        Some(fill) => cage.stiffness(young, poisson, fill),
    }
}
