//! A polytope of triangles around the origin that grows towards the surface of the Minkowski difference.

use super::gjk::{Found, Two, Vertex};
use super::simplex::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Largest number of steps of growth; `ccd_iterations` beyond it have no effect.
pub const MAXSTEP: usize = 1000;

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
    center: [f64; 3],
    // faces beyond the horizon and their edges on it
    horizon: Vec<(usize, usize)>,
}

impl Polytope {
    pub fn new(maxstep: usize) -> Self {
        let maxface = 6 * maxstep;
        Self {
            vertex: Vec::with_capacity(maxstep + 5),
            face: Vec::with_capacity(maxface),
            list: Vec::with_capacity(maxface),
            maxface,
            center: [0.0; 3],
            horizon: Vec::new(),
        }
    }

    /// Builds the first polytope from a simplex that holds the origin; false if that fails.
    pub fn start(&mut self, two: &mut Two, s: &mut Found) -> bool {
        match s.num {
            2 => self.begin_at_segment(two, s),
            3 => self.begin_at_triangle(two, s),
            _ => self.begin_at_tetrahedron(two, s),
        }
    }

    fn insert(&mut self, vertex: Vertex) -> usize {
        self.vertex.push(vertex);
        self.vertex.len() - 1
    }

    /// Inserts the support point of the difference in a direction of a given length.
    pub fn support(&mut self, two: &mut Two, dir: [f64; 3], norm: f64) -> usize {
        let unit = match norm > MINVAL {
            true => [dir[0] / norm, dir[1] / norm, dir[2] / norm],
            false => [1.0, 0.0, 0.0],
        };
        let vertex = two.vertex(unit);
        self.insert(vertex)
    }

    // adds a face; returns its squared distance from the origin, 0 if it is degenerate
    fn attach(&mut self, corner: [usize; 3], neighbor: [usize; 3]) -> f64 {
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

    // adds the first faces; returns the corners of a face that contains the origin, if there is one
    fn attach_all(&mut self, faces: &[([usize; 3], [usize; 3])]) -> Option<[usize; 3]> {
        faces
            .iter()
            .find(|(corner, neighbor)| self.attach(*corner, *neighbor) < MINVAL * MINVAL)
            .map(|face| face.0)
    }

    fn list_all(&mut self) {
        for k in 0..self.face.len() {
            self.enlist(k);
        }
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

    // starts anew from three of the vertices
    fn begin_at_face(&mut self, two: &mut Two, s: &mut Found, corner: [usize; 3]) -> bool {
        s.num = 3;
        for (k, i) in corner.into_iter().enumerate() {
            s.simplex[k] = self.vertex[i];
        }
        self.face.clear();
        self.vertex.clear();
        self.list.clear();
        self.begin_at_triangle(two, s)
    }

    // two pyramids base to base: the ends of the segment, and three support points around it
    fn begin_at_segment(&mut self, two: &mut Two, s: &mut Found) -> bool {
        let (a, b) = (s.simplex[0].diff, s.simplex[1].diff);
        self.center = scl3(add3(a, b), 0.5);
        let axis = sub3(b, a);
        let mut least = 0;
        for k in 1..3 {
            if axis[k].abs() < axis[least].abs() {
                least = k;
            }
        }
        let mut unit = [0.0; 3];
        unit[least] = 1.0;
        let out1 = cross(unit, axis);
        let turn = third_turn(axis);
        let out2 = mul_mat_vec3(turn, out1);
        let out3 = mul_mat_vec3(turn, out2);
        let v1 = self.insert(s.simplex[0]);
        let v2 = self.insert(s.simplex[1]);
        let v3 = self.support(two, out1, norm3(out1));
        let v4 = self.support(two, out2, norm3(out2));
        let v5 = self.support(two, out3, norm3(out3));
        let faces = [
            ([v1, v3, v4], [1, 3, 2]),
            ([v1, v5, v3], [2, 4, 0]),
            ([v1, v4, v5], [0, 5, 1]),
            ([v2, v4, v3], [5, 0, 4]),
            ([v2, v3, v5], [3, 1, 5]),
            ([v2, v5, v4], [4, 2, 3]),
        ];
        if let Some(corner) = self.attach_all(&faces) {
            return self.begin_at_face(two, s, corner);
        }
        let base = [v3, v4, v5].map(|i| self.vertex[i].diff);
        if !pierces(a, b, base) {
            return false;
        }
        self.list_all();
        true
    }

    // two pyramids base to base: the triangle, and a support point on either side of it
    fn begin_at_triangle(&mut self, two: &mut Two, s: &mut Found) -> bool {
        let [a, b, c] = [0, 1, 2].map(|k| s.simplex[k].diff);
        self.center = scl3(add3(add3(a, b), c), 1.0 / 3.0);
        let normal = cross(sub3(b, a), sub3(c, a));
        let norm = norm3(normal);
        if norm < MINVAL {
            return false;
        }
        let v1 = self.insert(s.simplex[0]);
        let v2 = self.insert(s.simplex[1]);
        let v3 = self.insert(s.simplex[2]);
        let v5 = self.support(two, scl3(normal, -1.0), norm);
        let v4 = self.support(two, normal, norm);
        let (above, below) = (self.vertex[v4].diff, self.vertex[v5].diff);
        if on_face(a, b, c, above) || on_face(a, b, c, below) {
            return false;
        }
        let holds = s.dist <= 10.0 * MINVAL
            || holds_origin([a, b, c, above])
            || holds_origin([a, b, c, below]);
        let faces = [
            ([v4, v1, v2], [1, 3, 2]),
            ([v4, v3, v1], [2, 4, 0]),
            ([v4, v2, v3], [0, 5, 1]),
            ([v5, v2, v1], [5, 0, 4]),
            ([v5, v1, v3], [3, 1, 5]),
            ([v5, v3, v2], [4, 2, 3]),
        ];
        if !holds || self.attach_all(&faces).is_some() {
            return false;
        }
        self.list_all();
        true
    }

    fn begin_at_tetrahedron(&mut self, two: &mut Two, s: &mut Found) -> bool {
        let [v1, v2, v3, v4] = s.simplex.map(|vertex| self.insert(vertex));
        let p = s.simplex.map(|vertex| vertex.diff);
        self.center = scl3(add3(add3(add3(p[0], p[1]), p[2]), p[3]), 0.25);
        let faces = [
            ([v1, v2, v3], [1, 3, 2]),
            ([v1, v4, v2], [2, 3, 0]),
            ([v1, v3, v4], [0, 3, 1]),
            ([v4, v3, v2], [2, 0, 1]),
        ];
        if let Some(corner) = self.attach_all(&faces) {
            return self.begin_at_face(two, s, corner);
        }
        if !holds_origin(p) {
            return false;
        }
        self.list_all();
        true
    }

    /// Deletes the faces that are visible from a point and fills the hole with faces to that point; `face` is the first visible
    /// one. New faces become candidates if their squared distance is between the two bounds. False if that fails.
    pub fn grow(&mut self, face: usize, to: usize, least2: f64, most2: f64) -> Grown {
        self.horizon.clear();
        self.see(face, self.vertex[to].diff);
        let num = self.horizon.len();
        if num < 3 {
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
                return Grown::Failed;
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
            if dot3(there.near, point) - there.dist2 > MINVAL {
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
    Done,
    Failed,
    Full,
}

// rotation matrix of a third of a turn about an axis
fn third_turn(axis: [f64; 3]) -> [f64; 9] {
    let [x, y, z] = scl3(axis, 1.0 / norm3(axis));
    let (sin, cos) = (0.86602540378, -0.5);
    let rest = 1.0 - cos;
    [
        cos + x * x * rest,
        x * y * rest - z * sin,
        x * z * rest + y * sin,
        y * x * rest + z * sin,
        cos + y * y * rest,
        y * z * rest - x * sin,
        x * z * rest - y * sin,
        y * z * rest + x * sin,
        cos + z * z * rest,
    ]
}

// true if the line from a to b goes through a triangle
fn pierces(a: [f64; 3], b: [f64; 3], triangle: [[f64; 3]; 3]) -> bool {
    let along = sub3(b, a);
    let [p, q, r] = triangle.map(|corner| sub3(corner, a));
    let volumes = [det3(p, q, along), det3(q, r, along), det3(r, p, along)];
    volumes.iter().all(|&v| v >= 0.0) || volumes.iter().all(|&v| v <= 0.0)
}

// true if a point lies in a triangle
fn on_face(a: [f64; 3], b: [f64; 3], c: [f64; 3], p: [f64; 3]) -> bool {
    let (part, whole) = areas(a, b, c, p);
    let weights = part.map(|part| part / whole);
    let there = combine(&weights, &[a, b, c]);
    weights.iter().all(|&w| w >= 0.0) && norm3(sub3(there, p)) < MINVAL
}

// true if the origin is inside a tetrahedron
fn holds_origin(p: [[f64; 3]; 4]) -> bool {
    let same_side = |a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]| {
        let normal = cross(sub3(b, a), sub3(c, a));
        let there = dot3(normal, sub3(d, a));
        let origin = dot3(normal, scl3(a, -1.0));
        (there > 0.0 && origin > 0.0) || (there < 0.0 && origin < 0.0)
    };
    let [a, b, c, d] = p;
    same_side(a, b, c, d) && same_side(b, c, d, a) && same_side(c, d, a, b) && same_side(d, a, b, c)
}
