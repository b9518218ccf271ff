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
    pub corner: [u32; 3],
    pub neighbor: [u32; 3],
    /// The projection of the origin on its plane.
    pub near: [f64; 3],
    pub dist2: f64,
    /// Index in the list of candidates, `UNLISTED` or `DELETED`.
    listed: i32,
}

impl Face {
    // the index of the edge that begins at a corner
    fn edge(&self, corner: u32) -> usize {
        match self.corner {
            [a, _, _] if a == corner => 0,
            [_, b, _] if b == corner => 1,
            _ => 2,
        }
    }
}

/// A face that may be the nearest to the origin, and its squared distance.
#[derive(Clone, Copy)]
pub struct Candidate {
    pub face: usize,
    pub dist2: f64,
}

/// Vertices and faces; `list` has the candidates for the face nearest to the origin.
#[derive(Default)]
pub struct Polytope {
    pub vertex: Vec<Vertex>,
    pub face: Vec<Face>,
    pub list: Vec<Candidate>,
    maxface: usize,
    maxedge: usize,
    /// Largest depth of the origin outside of the first faces (m), squared.
    pub(super) most2: f64,
    /// A point inside (m).
    pub(super) center: [f64; 3],
    // faces beyond the horizon and their edges on it
    horizon: Vec<(u32, usize)>,
    // stack of the search for the horizon
    way: Vec<Visit>,
}

// a visible face, the next of its edges to look across, and the number of those left: all of the first face, of others not that by which
// they were entered
#[derive(Clone, Copy)]
struct Visit {
    face: u32,
    edge: usize,
    left: usize,
}

impl Polytope {
    /// Becomes one without faces, with room for those of `maxstep` steps. First faces may leave the origin outside by less than
    /// `tolerance` (m).
    pub fn begin(&mut self, maxstep: usize, tolerance: f64) {
        self.clear();
        self.maxface = 6 * maxstep;
        self.maxedge = maxstep.max(LEAST_EDGES) - OTHER_EDGES;
        self.most2 = tolerance * tolerance;
        self.center = [0.0; 3];
    }

    /// Removes all vertices and faces.
    pub(super) fn clear(&mut self) {
        self.vertex.clear();
        self.face.clear();
        self.list.clear();
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
    #[inline(always)]
    pub(super) fn attach(&mut self, corner: [u32; 3], neighbor: [u32; 3]) -> f64 {
        let [a, b, c] = self.corners(corner);
        let near = origin_on_clear_plane(c, b, a).unwrap_or_else(|| self.near_on(corner));
        let near = match dot3(near, sub3(a, self.center)) < 0.0 {
            true => scl3(near, -1.0),
            false => near,
        };
        let dist2 = dot3(near, near);
        self.face.push(Face {
            corner,
            neighbor,
            near,
            dist2,
            listed: UNLISTED,
        });
        dist2
    }

    #[inline(always)]
    fn corners(&self, corner: [u32; 3]) -> [[f64; 3]; 3] {
        let [a, b, c] = corner.map(|i| i as usize);
        [
            self.vertex[a].diff,
            self.vertex[b].diff,
            self.vertex[c].diff,
        ]
    }

    // the projection of the origin on the plane of some corners; zero if they are on a line
    #[inline(never)]
    fn near_on(&self, corner: [u32; 3]) -> [f64; 3] {
        let [a, b, c] = self.corners(corner);
        origin_on_plane(c, b, a).unwrap_or_default()
    }

    /// Makes a face a candidate.
    pub fn enlist(&mut self, face: usize) {
        let dist2 = self.face[face].dist2;
        self.face[face].listed = self.list.len() as i32;
        self.list.push(Candidate { face, dist2 });
    }

    fn delete(&mut self, face: usize) {
        let place = self.face[face].listed;
        if place >= 0 {
            self.list.swap_remove(place as usize);
            if let Some(&last) = self.list.get(place as usize) {
                self.face[last.face].listed = place;
            }
        }
        self.face[face].listed = DELETED;
    }

    /// Deletes the faces that are visible from a new vertex and fills the hole with faces to it; `face` is the first visible
    /// one. New faces become candidates if their squared distance is between the two bounds.
    pub fn grow(&mut self, face: usize, new: Vertex, least2: f64, most2: f64) -> Grown {
        self.horizon.clear();
        self.see(face, new.diff);
        let to = self.insert(new) as u32;
        let num = self.horizon.len();
        if num < 3 || num > self.maxedge {
            return Grown::Failed;
        }
        let first = self.face.len();
        if first + num > self.maxface {
            return Grown::Full;
        }
        let number = |k: usize| (first + k) as u32;
        for k in 0..num {
            let (beyond, edge) = self.horizon[k];
            let there = &mut self.face[beyond as usize];
            there.neighbor[edge] = number(k);
            let (a, b) = (there.corner[edge], there.corner[next_edge(edge)]);
            let before = number(if k == 0 { num - 1 } else { k - 1 });
            let after = number(if k + 1 == num { 0 } else { k + 1 });
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
        self.way.clear();
        self.way.push(Visit {
            face: face as u32,
            edge: 0,
            left: 3,
        });
        self.delete(face);
        while let Some(at) = self.way.last_mut() {
            if at.left == 0 {
                self.way.pop();
                continue;
            }
            let edge = at.edge;
            at.edge = next_edge(edge);
            at.left -= 1;
            let here = &self.face[at.face as usize];
            let (next, corner) = (here.neighbor[edge], here.corner[next_edge(edge)]);
            let there = &self.face[next as usize];
            if there.listed == DELETED {
                continue;
            }
            let back = there.edge(corner);
            if dot3(there.near, point) - there.dist2 > MINVAL * there.dist2.sqrt().max(1.0) {
                self.delete(next as usize);
                self.way.push(Visit {
                    face: next,
                    edge: next_edge(back),
                    left: 2,
                });
            } else {
                self.horizon.push((next, back));
            }
        }
    }
}

// the edge of a triangle after another
#[inline(always)]
fn next_edge(edge: usize) -> usize {
    if edge == 2 { 0 } else { edge + 1 }
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
