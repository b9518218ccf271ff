//! A polytope of triangles around the origin that grows towards the surface of the Minkowski difference.

use super::gjk::{Two, Vertex};
use super::simplex::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Largest number of steps of growth; `ccd_iterations` beyond it have no effect.
pub const MAXSTEP: usize = 1000;

/// The horizon has room for one edge per step, of at least so many steps, less some (MuJoCo's numbers).
const LEAST_EDGES: usize = 35;
const OTHER_EDGES: usize = 11;

const DELETED: i32 = -2;
const UNLISTED: i32 = -1;

/// A triangle: its corners, counterclockwise seen from outside, and its neighbors across the edges 01, 12 and 20.
#[derive(Clone, Copy, Default)]
pub struct Face {
    pub corner: [usize; 3],
    pub neighbor: [usize; 3],
    /// The projection of the origin on its plane.
    pub near: [f64; 3],
    pub dist2: f64,
    /// Index in the list of candidates, `UNLISTED` or `DELETED`.
    listed: i32,
}

impl Face {
    // the index of the edge that begins at a corner
    fn edge(&self, corner: usize) -> usize {
        match self.corner {
            [a, _, _] if a == corner => 0,
            [_, b, _] if b == corner => 1,
            _ => 2,
        }
    }
}

/// Vertices and faces; `list` has the candidates for the face nearest to the origin.
pub struct Polytope {
    pub vertex: Vec<Vertex>,
    pub face: Vec<Face>,
    pub list: Vec<usize>,
    maxface: usize,
    maxedge: usize,
    /// Largest depth of the origin outside of the first faces (m), squared.
    pub(super) most2: f64,
    /// A point inside (m).
    pub(super) center: [f64; 3],
    // faces beyond the horizon and their edges on it
    horizon: Vec<(usize, usize)>,
}

impl Polytope {
    /// No faces yet; room for those of `maxstep` steps. First faces may leave the origin outside by less than `tolerance` (m).
    pub fn new(maxstep: usize, tolerance: f64) -> Self {
        let maxface = 6 * maxstep;
        Self {
            vertex: Vec::with_capacity(maxstep + 5),
            face: Vec::with_capacity(maxface),
            list: Vec::with_capacity(maxface),
            maxface,
            maxedge: maxstep.max(LEAST_EDGES) - OTHER_EDGES,
            most2: tolerance * tolerance,
            center: [0.0; 3],
            horizon: Vec::new(),
        }
    }

    /// Adds a vertex; returns its number.
    pub(super) fn insert(&mut self, vertex: Vertex) -> usize {
        self.vertex.push(vertex);
        self.vertex.len() - 1
    }

    /// Inserts the support point of the difference in a direction of a given length.
    pub fn support(&mut self, two: &mut Two, dir: [f64; 3], norm: f64) -> usize {
        let vertex = support(two, dir, norm);
        self.insert(vertex)
    }

    /// Adds a face; returns its squared distance from the origin, 0 if it is degenerate
    pub(super) fn attach(&mut self, corner: [usize; 3], neighbor: [usize; 3]) -> f64 {
        let [a, b, c] = corner.map(|i| self.vertex[i].diff);
        let near = origin_on_plane(c, b, a);
        let mut face = Face {
            corner,
            neighbor,
            near: near.unwrap_or_default(),
            dist2: 0.0,
            listed: UNLISTED,
        };
        if dot3(face.near, sub3(a, self.center)) < 0.0 {
            face.near = scl3(face.near, -1.0);
        }
        face.dist2 = dot3(face.near, face.near);
        self.face.push(face);
        face.dist2
    }

    /// Makes a face a candidate.
    pub fn enlist(&mut self, face: usize) {
        self.face[face].listed = self.list.len() as i32;
        self.list.push(face);
    }

    fn delete(&mut self, face: usize) {
        let place = self.face[face].listed;
        if place >= 0 {
            self.list.swap_remove(place as usize);
            if let Some(&last) = self.list.get(place as usize) {
                self.face[last].listed = place;
            }
        }
        self.face[face].listed = DELETED;
    }

    /// Deletes the faces that are visible from a point and fills the hole with faces to that point; `face` is the first visible
    /// one. New faces become candidates if their squared distance is between the two bounds.
    pub fn grow(&mut self, face: usize, to: usize, least2: f64, most2: f64) -> Grown {
        self.horizon.clear();
        self.see(face, self.vertex[to].diff);
        let num = self.horizon.len();
        if num < 3 || num > self.maxedge {
            return Grown::Failed;
        }
        let first = self.face.len();
        if first + num > self.maxface {
            return Grown::Full;
        }
        for k in 0..num {
            let (beyond, edge) = self.horizon[k];
            let corner = self.face[beyond].corner;
            let (a, b) = (corner[edge], corner[(edge + 1) % 3]);
            let before = first + if k == 0 { num - 1 } else { k - 1 };
            let after = first + (k + 1) % num;
            self.face[beyond].neighbor[edge] = first + k;
            let dist2 = self.attach([to, b, a], [before, beyond, after]);
            if dist2 == 0.0 {
                return Grown::Flat;
            }
            if dist2 >= least2 && dist2 <= most2 {
                self.enlist(first + k);
            }
        }
        Grown::Done
    }

    // deletes the faces visible from the point, depth first; edges to faces that are not visible make up the horizon
    fn see(&mut self, face: usize, point: [f64; 3]) {
        // stack of the search: face, the edge by which it was entered, number of its edges done
        let mut way = vec![(face, 2, 0)];
        self.delete(face);
        while let Some((at, entered, done)) = way.pop() {
            let edges = if way.is_empty() { 3 } else { 2 };
            if done == edges {
                continue;
            }
            way.push((at, entered, done + 1));
            let edge = (entered + 1 + done) % 3;
            let next = self.face[at].neighbor[edge];
            if self.face[next].listed == DELETED {
                continue;
            }
            let back = self.face[next].edge(self.face[at].corner[(edge + 1) % 3]);
            let there = &self.face[next];
            if dot3(there.near, point) - there.dist2 > MINVAL * there.dist2.sqrt().max(1.0) {
                self.delete(next);
                way.push((next, back, 0));
            } else {
                self.horizon.push((next, back));
            }
        }
    }
}

/// Whether a polytope has grown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Grown {
    /// It has grown.
    Done,
    /// Too few or too many edges are on the horizon.
    Failed,
    /// A new face has its plane through the origin.
    Flat,
    /// There is no room for the new faces.
    Full,
}

/// Support point of the difference in a direction of a given length
pub(super) fn support(two: &mut Two, dir: [f64; 3], norm: f64) -> Vertex {
    let unit = match norm > MINVAL {
        true => [dir[0] / norm, dir[1] / norm, dir[2] / norm],
        false => [1.0, 0.0, 0.0],
    };
    two.vertex(unit)
}
