//! Pairs of parts that may touch, and their gaps.

use super::near::{FAR, of_geom, on_segments, on_triangle};
use super::parts::Parts;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::types::MINVAL;

/// Largest rest distance of surfaces (m); thinner flexes rest at their radius.
pub const REST: f64 = 0.001;
/// Distance within which pairs are looked for (m).
pub const BAND: f64 = 3.0 * REST;

/// Which parts a pair has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A vertex and a triangle.
    VertexTriangle,
    /// Two edges.
    Edges,
    /// A vertex and a geom.
    VertexGeom,
    /// A corner of a geom and a triangle.
    CornerTriangle,
    /// An edge of a geom and an edge.
    GeomEdge,
}

/// Two parts that may touch: their vertices, behind the number of the geom's corner or edge if there is one; and the geom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    pub kind: Kind,
    pub idx: [usize; 4],
    pub geom: Option<usize>,
}

/// A gap between two parts, and how it changes with the positions of the pair's vertices: each moves it by its weight along the normal.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gap {
    pub dist: f64,
    pub normal: [f64; 3],
    pub weight: [f64; 4],
}

impl Pair {
    /// Its vertices.
    pub fn vertices(&self) -> &[usize] {
        match self.kind {
            Kind::VertexTriangle | Kind::Edges => &self.idx,
            Kind::VertexGeom => &self.idx[..1],
            Kind::CornerTriangle => &self.idx[1..],
            Kind::GeomEdge => &self.idx[1..3],
        }
    }

    /// Whether both parts are of flexes.
    pub fn is_soft(&self) -> bool {
        self.geom.is_none()
    }

    /// The vertices of the first and of the second part; none of a geom's.
    pub fn sides(&self) -> [&[usize]; 2] {
        let vertices = self.vertices();
        let (first, second) = match self.kind {
            Kind::VertexTriangle => vertices.split_at(1),
            Kind::Edges => vertices.split_at(2),
            _ => vertices.split_at(vertices.len()),
        };
        [first, second]
    }

    /// Positions of its vertices.
    pub fn places(&self, x: &[[f64; 3]]) -> [[f64; 3]; 4] {
        let mut out = [[0.0; 3]; 4];
        for (to, &v) in out.iter_mut().zip(self.vertices()) {
            *to = x[v];
        }
        out
    }

    /// The gap where its vertices are at `x`; [`FAR`] of some geoms that are farther away than `most`.
    pub fn gap(&self, m: &Model, d: &Data, parts: &Parts, x: [[f64; 3]; 4], most: f64) -> Gap {
        let [a, b, c, e] = x;
        match self.kind {
            Kind::VertexTriangle => {
                let [wb, wc, we] = on_triangle(a, [b, c, e]);
                between(
                    a,
                    weighted([wb, wc, we], [b, c, e]),
                    0.0,
                    [1.0, -wb, -wc, -we],
                )
            }
            Kind::Edges => {
                let [s, t] = on_segments([a, b], [c, e]);
                let (on1, on2) = (along(a, b, s), along(c, e, t));
                between(on1, on2, 0.0, [1.0 - s, s, t - 1.0, -t])
            }
            Kind::CornerTriangle => {
                let (corner, radius) = parts.corner(self.idx[0]);
                let w = on_triangle(corner, [a, b, c]);
                let there = weighted(w, [a, b, c]);
                between(corner, there, radius, [-w[0], -w[1], -w[2], 0.0])
            }
            Kind::GeomEdge => {
                let (edge, radius) = parts.edge(self.idx[0]);
                let [s, t] = on_segments(edge, [a, b]);
                let (on1, on2) = (along(edge[0], edge[1], s), along(a, b, t));
                between(on1, on2, radius, [t - 1.0, -t, 0.0, 0.0])
            }
            Kind::VertexGeom => {
                let (dist, normal) = match self.geom {
                    Some(geom) => of_geom(m, d, geom, a, most),
                    None => (FAR, [0.0; 3]),
                };
                let weight = [1.0, 0.0, 0.0, 0.0];
                Gap {
                    dist,
                    normal,
                    weight,
                }
            }
        }
    }
}

fn along(a: [f64; 3], b: [f64; 3], t: f64) -> [f64; 3] {
    add_scl3(a, sub3(b, a), t)
}

fn weighted(w: [f64; 3], x: [[f64; 3]; 3]) -> [f64; 3] {
    std::array::from_fn(|k| w[0] * x[0][k] + w[1] * x[1][k] + w[2] * x[2][k])
}

// parts that coincide have no normal, and do not push
fn between(on1: [f64; 3], on2: [f64; 3], radius: f64, weight: [f64; 4]) -> Gap {
    let away = sub3(on1, on2);
    let dist = norm3(away);
    let normal = match dist < MINVAL {
        true => [0.0; 3],
        false => scl3(away, 1.0 / dist),
    };
    Gap {
        dist: dist - radius,
        normal,
        weight,
    }
}
