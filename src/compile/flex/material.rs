//! Stiffness of elements against stretching, and of hinges between triangles against bending.

use super::Part;
use super::topology::{EDGES, Topology};
use crate::compile::pose::V3;
use crate::cpu::lib::elastic::{BENDING, TETRAHEDRON, TRIANGLE};
use crate::mjcf::schema::{Elastic2d, Flex};
use glam::{DMat3, DVec3};

/// Six times the volume of a tetrahedron, positive if its first face turns left when seen from outside.
pub(super) fn volume(xpos: &[V3], of: &[i32]) -> f64 {
    let [a, b, c, d] = [0, 1, 2, 3].map(|i| DVec3::from(xpos[of[i] as usize]));
    (b - a).cross(c - a).dot(d - a)
}

/// For every element the upper triangle of the matrix K of its edges: with s the squared length of an edge less that at rest, the energy
/// is s' K s / 4, that of Saint Venant and Kirchhoff.
pub(super) fn stretching(said: &Flex, part: &Part) -> Vec<f64> {
    let stride = if part.dim == 3 { TETRAHEDRON } else { TRIANGLE };
    let stretched = match said.elasticity.elastic2d() {
        Elastic2d::Stretch | Elastic2d::Both => true,
        _ => part.dim == 3,
    };
    let nelem = part.element.len() / (part.dim + 1);
    let mut out = vec![0.0; stride * nelem];
    if !stretched {
        return out;
    }
    for (of, to) in part
        .element
        .chunks_exact(part.dim + 1)
        .zip(out.chunks_exact_mut(stride))
    {
        let x: Vec<DVec3> = of.iter().map(|&v| part.xpos[v as usize].into()).collect();
        metric(said, &x, to);
    }
    out
}

fn metric(said: &Flex, x: &[DVec3], to: &mut [f64]) {
    let (young, nu) = (said.elasticity.young(), said.elasticity.poisson());
    let mu = young / (2.0 * (1.0 + nu));
    // a sheet gets thinner where it is stretched
    let (basis, size, lambda) = match x.len() {
        3 => {
            let plane = young * nu / (1.0 - nu * nu);
            let (basis, area) = triangle(x);
            (basis, area * said.elasticity.thickness(), plane)
        }
        _ => {
            let solid = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
            let (basis, volume) = tetrahedron(x);
            (basis, volume, solid)
        }
    };
    let (mu, lambda) = (mu * size, lambda * size / 2.0);
    let trace = |a: &DMat3| a.x_axis.x + a.y_axis.y + a.z_axis.z;
    let mut k = 0;
    for (i, a) in basis.iter().enumerate() {
        for b in &basis[i..] {
            to[k] = mu * trace(&(*a * *b)) + lambda * trace(a) * trace(b);
            k += 1;
        }
    }
}

// the symmetric product of two vectors, twice
fn product(a: DVec3, b: DVec3) -> DMat3 {
    let outer = |a: DVec3, b: DVec3| DMat3::from_cols(a * b.x, a * b.y, a * b.z);
    outer(a, b) + outer(b, a)
}

// for every edge the strain that its squared length makes: the product of the normals of the other two edges in the plane
fn triangle(x: &[DVec3]) -> (Vec<DMat3>, f64) {
    let normal = (x[1] - x[0]).cross(x[2] - x[0]);
    let area = normal.length() / 2.0;
    let normal = normal.normalize_or_zero();
    let across = |k: usize| normal.cross(x[(k + 2) % 3] - x[(k + 1) % 3]);
    let basis = (0..3)
        .map(|k| {
            // edge k is across vertex k
            let (a, b) = (across((k + 1) % 3), across((k + 2) % 3));
            product(a, b) * (-1.0 / (8.0 * area * area))
        })
        .collect();
    (basis, area)
}

// the same with the normals of the two faces that do not have the edge
fn tetrahedron(x: &[DVec3]) -> (Vec<DMat3>, f64) {
    let volume = (x[1] - x[0]).cross(x[2] - x[0]).dot(x[3] - x[0]) / 6.0;
    // normals outward, or all inward, of the faces across the vertices
    let face = |k: usize| {
        let [a, b, c] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]][k].map(|i| x[i]);
        (b - a).cross(c - a)
    };
    let basis = EDGES[2]
        .iter()
        .map(|&[a, b]| product(face(a), face(b)) * (-1.0 / (72.0 * volume * volume)))
        .collect();
    (basis, volume.abs())
}

/// For every edge that two triangles share, else zeros: the 4 × 4 matrix of the bending energy of the two ends and the two vertices across,
/// and the coefficient of its cubic part.
pub(super) fn bending(said: &Flex, part: &Part, shape: &Topology) -> Vec<f64> {
    let (young, nu) = (said.elasticity.young(), said.elasticity.poisson());
    let rigidity = young * said.elasticity.thickness().powi(3) / (12.0 * (1.0 - nu * nu));
    let mut out = vec![0.0; BENDING * shape.edges.len()];
    for ((edge, flap), to) in shape
        .edges
        .iter()
        .zip(&shape.flaps)
        .zip(out.chunks_exact_mut(BENDING))
    {
        if flap[1] >= 0 {
            let v = [edge[0], edge[1], flap[0], flap[1]];
            hinge(v.map(|v| part.xpos[v as usize].into()), rigidity, to);
        }
    }
    out
}

// the cotangent of the angle at `a`
fn cotangent(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    let (p, q) = (b - a, c - a);
    p.dot(q) / p.cross(q).length()
}

// Wardetzky's quadratic curvature, and a cubic term where the rest shape is bent: without it the rest shape would be no equilibrium
fn hinge(x: [DVec3; 4], rigidity: f64, to: &mut [f64]) {
    let at0 = [cotangent(x[0], x[1], x[2]), cotangent(x[0], x[3], x[1])];
    let at1 = [cotangent(x[1], x[2], x[0]), cotangent(x[1], x[0], x[3])];
    let c = [
        at1[0] + at1[1],
        at0[0] + at0[1],
        -(at0[0] + at1[0]),
        -(at0[1] + at1[1]),
    ];
    let area = |k: usize| (x[1] - x[0]).cross(x[k] - x[0]).length() / 2.0;
    let stiffness = rigidity / (area(2) + area(3));
    let edge = x[1] - x[0];
    // from the vertices across to the edge
    let to_edge = |k: usize| -((x[k] - x[0]) * at1[k - 2] + (x[k] - x[1]) * at0[k - 2]);
    let square = edge.length_squared();
    let cosine = -to_edge(2).dot(to_edge(3)) / square;
    for i in 0..4 {
        for j in 0..4 {
            to[4 * i + j] = c[i] * c[j] * cosine * stiffness;
        }
    }
    let normal = edge.cross(x[2] - x[0]);
    // the heights of the triangles over the edge, one over their product
    let heights = c[2] * c[3] / square;
    to[16] = -normal.dot(x[3] - x[0]) * heights * heights * stiffness;
}
