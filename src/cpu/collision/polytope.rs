//! A polytope of triangles around the origin that grows towards the surface of the Minkowski difference.

use super::gjk::{Found, Two, Vertex};
use super::simplex::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Largest number of steps of growth; `ccd_iterations` beyond it have no effect.
pub const MAXSTEP: usize = 1000;

/// Smallest number of steps whose edges on the horizon have room, and the number of these that other things take (MuJoCo's).
const LEAST_EDGES: usize = 35;
const FIRST_CORNERS: usize = 11;

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
    // largest depth of the origin outside of the first faces (m), squared
    most2: f64,
    center: [f64; 3],
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
            maxedge: maxstep.max(LEAST_EDGES) - FIRST_CORNERS,
            most2: tolerance * tolerance,
            center: [0.0; 3],
            horizon: Vec::new(),
        }
    }

    /// Builds the first polytope from a simplex that holds the origin; false if that fails.
    pub fn start(&mut self, two: &mut Two, s: &mut Found) -> bool {
        match s.num {
            2 => self.begin_at_segment(two, s),
            3 => self.begin_at_triangle(two, s, true),
            _ => self.begin_at_tetrahedron(two, s),
        }
    }

    fn insert(&mut self, vertex: Vertex) -> usize {
        self.vertex.push(vertex);
        self.vertex.len() - 1
    }

    /// Inserts the support point of the difference in a direction of a given length.
    pub fn support(&mut self, two: &mut Two, dir: [f64; 3], norm: f64) -> usize {
        let vertex = support(two, dir, norm);
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

    // adds the first faces up to one whose plane contains the origin; returns its number, if there is one
    fn attach_all(&mut self, faces: &[([usize; 3], [usize; 3])]) -> Option<usize> {
        let mut faces = faces.iter();
        faces.position(|(corner, neighbor)| self.attach(*corner, *neighbor) < MINVAL * MINVAL)
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

    fn point(&self, corner: usize) -> [f64; 3] {
        self.vertex[corner].diff
    }

    // starts anew from some of the vertices, as a simplex
    fn restart<const N: usize>(&mut self, s: &mut Found, corner: [usize; N]) {
        s.num = N;
        for (k, i) in corner.into_iter().enumerate() {
            s.simplex[k] = self.vertex[i];
        }
        self.face.clear();
        self.vertex.clear();
        self.list.clear();
    }

    // the middle of some vertices
    fn center_on(&mut self, corner: &[usize]) {
        let sum = corner[1..]
            .iter()
            .fold(self.point(corner[0]), |sum, &i| add3(sum, self.point(i)));
        self.center = scl3(sum, 1.0 / corner.len() as f64);
    }

    // two pyramids base to base: the ends of the segment, and three support points around it
    fn begin_at_segment(&mut self, two: &mut Two, s: &mut Found) -> bool {
        let (a, b) = (s.simplex[0].diff, s.simplex[1].diff);
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
        self.mend_base(two, [v1, v2], [v3, v4, v5]);
        self.center_on(&[v1, v2, v3, v4, v5]);
        let faces = [
            ([v1, v3, v4], [1, 3, 2]),
            ([v1, v5, v3], [2, 4, 0]),
            ([v1, v4, v5], [0, 5, 1]),
            ([v2, v4, v3], [5, 0, 4]),
            ([v2, v3, v5], [3, 1, 5]),
            ([v2, v5, v4], [4, 2, 3]),
        ];
        if let Some(face) = self.attach_all(&faces) {
            // starts anew from the better of the two triangles on an edge of the base
            let edge = [[v3, v4], [v5, v3], [v4, v5]][face % 3];
            let corner = self.better_triangle([v1, v2], edge);
            self.restart(s, corner);
            return self.begin_at_triangle(two, s, false);
        }
        let base = [v3, v4, v5].map(|i| self.point(i));
        if !pierces(volumes(a, b, base), 0.0) {
            return false;
        }
        self.list_all();
        true
    }

    // where the segment misses the base: moves one of the base's corners beyond its edge that the segment is farthest beyond
    fn mend_base(&mut self, two: &mut Two, ends: [usize; 2], base: [usize; 3]) {
        let [start, end] = ends.map(|i| self.point(i));
        let axis = sub3(end, start);
        let axis2 = dot3(axis, axis);
        let least = axis2 * MINVAL * axis2.sqrt();
        let volume = volumes(start, end, base.map(|i| self.point(i)));
        if pierces(volume, least) {
            return;
        }
        let first = least_of(volume);
        let corner = [0, 1, 2].map(|k| base[(first + k) % 3]);
        let [a, b, c] = corner.map(|i| self.point(i));
        let edge = sub3(b, a);
        let along = dot3(axis, sub3(c, start));
        let lean = norm3(edge) * if 0.5 * axis2 <= along { 0.001 } else { -0.001 };
        let out = add_scl3(cross(edge, axis), axis, lean);
        let other = support(two, out, norm3(out));
        for k in 0..3 {
            let mut moved = [a, b, c];
            moved[k] = other.diff;
            if pierces(volumes(start, end, moved), least) {
                self.vertex[corner[k]] = other;
                return;
            }
        }
    }

    // of the triangles of an edge and either of two ends the nearer one; one without area is not taken if the other has some
    fn better_triangle(&self, ends: [usize; 2], edge: [usize; 2]) -> [usize; 3] {
        let all = [[ends[0], edge[0], edge[1]], [ends[1], edge[1], edge[0]]];
        let [flat, dist2] = [0, 1].map(|what| {
            all.map(|corner| {
                let [a, b, c] = corner.map(|i| self.point(i));
                let x = match what {
                    0 => cross(sub3(b, a), sub3(c, a)),
                    _ => combine(&on_triangle(a, b, c), &[a, b, c]),
                };
                dot3(x, x)
            })
        });
        match flat.map(|area2| area2 < MINVAL) {
            [true, false] => all[1],
            [false, true] => all[0],
            _ if dist2[0] > dist2[1] => all[1],
            _ => all[0],
        }
    }

    // two pyramids base to base: the triangle, and a support point on either side of it; or a tetrahedron, if these two and an edge
    // of the triangle hold more. Where the origin is on an edge of the triangle, it may start anew from there
    fn begin_at_triangle(&mut self, two: &mut Two, s: &mut Found, edges: bool) -> bool {
        let [a, b, c] = [0, 1, 2].map(|k| s.simplex[k].diff);
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
        let (above, below) = (self.point(v4), self.point(v5));
        if on_face(a, b, c, above) || on_face(a, b, c, below) {
            return false;
        }
        // a triangle on the surface: the solids only touch
        let height = [dot3(normal, sub3(above, a)), dot3(normal, sub3(a, below))];
        if height.iter().any(|&height| height < norm * MINVAL) {
            return false;
        }
        let first = self.first_faces([v1, v2, v3, v4, v5]);
        let mut flat = false;
        for face in first.iter() {
            flat |= self.attach(face.corner, face.neighbor) < MINVAL * MINVAL;
        }
        if flat {
            let edge = [[v1, v2], [v2, v3], [v3, v1]];
            let on = (edge.into_iter()).find(|edge| origin_on_edge(edge.map(|i| self.point(i))));
            return match on {
                Some(edge) if edges => {
                    self.restart(s, edge);
                    self.begin_at_segment(two, s)
                }
                _ => false,
            };
        }
        let holds = |(k, face): (usize, &First)| {
            let [a, b, c] = face.corner;
            let side = [a, b, c, face.inside].map(|i| self.point(i));
            same_side(side) || self.face[k].dist2 < self.most2
        };
        if !first.iter().enumerate().all(holds) {
            return false;
        }
        self.list_all();
        true
    }

    // the first faces around a triangle and a support point on either side of it, the last two of five corners; sets the center
    fn first_faces(&mut self, all: [usize; 5]) -> Vec<First> {
        let [a, b, c, above, below] = all.map(|i| self.point(i));
        let volume = volumes(above, below, [a, b, c]);
        let order = match pierces(volume, 0.0) {
            true => Some([0, 1, 2, 3, 4]),
            false => turned(volume),
        };
        let face = |corner, neighbor, inside| First {
            corner,
            neighbor,
            inside,
        };
        let Some(order) = order else {
            let edge = least_of(volume);
            let [a, b, c, d] = [all[edge], all[(edge + 1) % 3], all[3], all[4]];
            self.center_on(&[a, b, c, d]);
            return vec![
                face([a, b, c], [1, 3, 2], d),
                face([a, d, b], [2, 3, 0], c),
                face([a, c, d], [0, 3, 1], b),
                face([d, c, b], [2, 0, 1], a),
            ];
        };
        let [a, b, c, d, e] = order.map(|k| all[k]);
        self.center_on(&[a, b, c, d, e]);
        vec![
            face([d, a, b], [1, 3, 2], c),
            face([d, c, a], [2, 4, 0], b),
            face([d, b, c], [0, 5, 1], a),
            face([e, b, a], [5, 0, 4], c),
            face([e, a, c], [3, 1, 5], b),
            face([e, c, b], [4, 2, 3], a),
        ]
    }

    fn begin_at_tetrahedron(&mut self, two: &mut Two, s: &mut Found) -> bool {
        let [v1, v2, v3, v4] = s.simplex.map(|vertex| self.insert(vertex));
        self.center_on(&[v1, v2, v3, v4]);
        let faces = [
            ([v1, v2, v3], [1, 3, 2]),
            ([v1, v4, v2], [2, 3, 0]),
            ([v1, v3, v4], [0, 3, 1]),
            ([v4, v3, v2], [2, 0, 1]),
        ];
        if let Some(face) = self.attach_all(&faces) {
            self.restart(s, faces[face].0);
            return self.begin_at_triangle(two, s, true);
        }
        if !holds_origin([v1, v2, v3, v4].map(|i| self.point(i))) {
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

// a first face, its neighbors across the edges 01, 12 and 20, and a corner on its inner side
struct First {
    corner: [usize; 3],
    neighbor: [usize; 3],
    inside: usize,
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

// support point of the difference in a direction of a given length
fn support(two: &mut Two, dir: [f64; 3], norm: f64) -> Vertex {
    let unit = match norm > MINVAL {
        true => [dir[0] / norm, dir[1] / norm, dir[2] / norm],
        false => [1.0, 0.0, 0.0],
    };
    two.vertex(unit)
}

// rotation matrix of a third of a turn about an axis
fn third_turn(axis: [f64; 3]) -> [f64; 9] {
    let norm = norm3(axis);
    let [x, y, z] = axis.map(|x| x / norm);
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

// six times the volumes of the tetrahedra of a segment and each edge of a triangle; all have one sign where the line goes through it
fn volumes(start: [f64; 3], end: [f64; 3], triangle: [[f64; 3]; 3]) -> [f64; 3] {
    let along = sub3(end, start);
    let [p, q, r] = triangle.map(|corner| sub3(corner, start));
    [det3(p, q, along), det3(q, r, along), det3(r, p, along)]
}

// true if all volumes have one sign, and are not smaller than `least`
fn pierces(volume: [f64; 3], least: f64) -> bool {
    volume.iter().all(|&v| v >= least) || volume.iter().all(|&v| v <= -least)
}

// where the segment between the last two of five corners passes the triangle of the first three across two of its edges: their order in
// which another segment goes through another triangle
fn turned([u, v, w]: [f64; 3]) -> Option<[usize; 5]> {
    if u > 0.0 && v < -MINVAL && w < -MINVAL {
        Some([2, 4, 3, 0, 1])
    } else if v > 0.0 && u < -MINVAL && w < -MINVAL {
        Some([0, 4, 3, 1, 2])
    } else if w > 0.0 && u < -MINVAL && v < -MINVAL {
        Some([1, 4, 3, 2, 0])
    } else {
        None
    }
}

// index of the least of three volumes, the first of equal ones
fn least_of([u, v, w]: [f64; 3]) -> usize {
    if v >= u && w >= u {
        0
    } else if u >= v && w >= v {
        1
    } else {
        2
    }
}

// true if the origin lies on a segment
fn origin_on_edge([a, b]: [[f64; 3]; 2]) -> bool {
    let near = (dot3(a, b) < 0.0).then(|| origin_on_line(a, b)).flatten();
    near.is_some_and(|x| dot3(x, x) < MINVAL * MINVAL)
}

// true if a point lies in a triangle
fn on_face(a: [f64; 3], b: [f64; 3], c: [f64; 3], p: [f64; 3]) -> bool {
    let weights = shares(areas(a, b, c, p).0);
    let there = combine(&weights, &[a, b, c]);
    weights.iter().all(|&w| w >= 0.0) && norm3(sub3(there, p)) < MINVAL
}

// true if the origin and the last of four points are on the same side of the plane of the others
fn same_side([a, b, c, d]: [[f64; 3]; 4]) -> bool {
    let normal = cross(sub3(b, a), sub3(c, a));
    let there = dot3(normal, sub3(d, a));
    let origin = dot3(normal, scl3(a, -1.0));
    (there > 0.0 && origin > 0.0) || (there < 0.0 && origin < 0.0)
}

// true if the origin is inside a tetrahedron
fn holds_origin([a, b, c, d]: [[f64; 3]; 4]) -> bool {
    [[a, b, c, d], [b, c, d, a], [c, d, a, b], [d, a, b, c]]
        .into_iter()
        .all(same_side)
}
