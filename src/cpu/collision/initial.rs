//! The first polytope around the origin, from a simplex that holds it.
//!
//! ```text
//! tetrahedron ──▶ its four faces
//!      │ origin on a face
//!      ▼
//! triangle ─────▶ two pyramids base to base, or a tetrahedron of an edge and the support points on either side
//!      │ origin on an edge          ▲ origin on a face
//!      ▼                            │
//! segment ──────▶ two pyramids base to base, of its ends and three support points around it
//! ```

use super::gjk::{Found, Two};
use super::polytope::{Polytope, support};
use super::simplex::*;
use crate::cpu::lib::math::*;
use crate::types::*;

impl Polytope {
    /// Builds the first polytope from a simplex that holds the origin; false if that fails.
    pub fn start(&mut self, two: &mut Two, s: &mut Found) -> bool {
        match s.num {
            2 => self.begin_at_segment(two, s),
            3 => self.begin_at_triangle(two, s, true),
            _ => self.begin_at_tetrahedron(two, s),
        }
    }

    // adds the first faces between some corners up to one whose plane contains the origin; returns its number, if there is one
    fn attach_all(&mut self, faces: &[First], all: &[usize]) -> Option<usize> {
        let mut faces = faces.iter();
        faces.position(|face| {
            let corner = face.corner.map(|i| all[i] as u32);
            self.attach(corner, face.neighbor.map(|k| k as u32)) < MINVAL * MINVAL
        })
    }

    fn list_all(&mut self) {
        for k in 0..self.face.len() {
            self.enlist(k);
        }
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
        self.clear();
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
        if let Some(face) = self.attach_all(&PYRAMIDS, &[v3, v4, v5, v1, v2]) {
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
        let points = all.map(|corner| corner.map(|i| self.point(i)));
        let flat = points.map(|[a, b, c]| {
            let normal = cross(sub3(b, a), sub3(c, a));
            dot3(normal, normal) < MINVAL
        });
        let dist2 = points.map(|[a, b, c]| {
            let near = combine(&on_triangle(a, b, c), &[a, b, c]);
            dot3(near, near)
        });
        match flat {
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
        let (first, all) = self.first_faces([v1, v2, v3, v4, v5]);
        if self.attach_all(first, &all).is_some() {
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
            let side = [a, b, c, face.inside].map(|i| self.point(all[i]));
            same_side(side) || self.face[k].dist2 < self.most2
        };
        if !first.iter().enumerate().all(holds) {
            return false;
        }
        self.list_all();
        true
    }

    // the first faces around a triangle and a support point on either side of it, the last two of five corners, and the corners in the
    // order in which the faces count them; sets the center
    fn first_faces(&mut self, all: [usize; 5]) -> (&'static [First], [usize; 5]) {
        let [a, b, c, above, below] = all.map(|i| self.point(i));
        let volume = volumes(above, below, [a, b, c]);
        let order = match pierces(volume, 0.0) {
            true => Some([0, 1, 2, 3, 4]),
            false => turned(volume),
        };
        let Some(order) = order else {
            let edge = least_of(volume);
            let order = [edge, (edge + 1) % 3, 3, 4, (edge + 2) % 3];
            let all = order.map(|k| all[k]);
            self.center_on(&all[..4]);
            return (&TETRAHEDRON, all);
        };
        let all = order.map(|k| all[k]);
        self.center_on(&all);
        (&PYRAMIDS, all)
    }

    fn begin_at_tetrahedron(&mut self, two: &mut Two, s: &mut Found) -> bool {
        let [v1, v2, v3, v4] = s.simplex.map(|vertex| self.insert(vertex));
        self.center_on(&[v1, v2, v3, v4]);
        if let Some(face) = self.attach_all(&TETRAHEDRON, &[v1, v2, v3, v4]) {
            let corner = TETRAHEDRON[face].corner.map(|i| [v1, v2, v3, v4][i]);
            self.restart(s, corner);
            return self.begin_at_triangle(two, s, true);
        }
        if !holds_origin([v1, v2, v3, v4].map(|i| self.point(i))) {
            return false;
        }
        self.list_all();
        true
    }
}

// a first face: its corners, its neighbors across the edges 01, 12 and 20, and a corner on its inner side
struct First {
    corner: [usize; 3],
    neighbor: [usize; 3],
    inside: usize,
}

const fn first(corner: [usize; 3], neighbor: [usize; 3], inside: usize) -> First {
    First {
        corner,
        neighbor,
        inside,
    }
}

// two pyramids base to base: the corners of the base, and the two tips
const PYRAMIDS: [First; 6] = [
    first([3, 0, 1], [1, 3, 2], 2),
    first([3, 2, 0], [2, 4, 0], 1),
    first([3, 1, 2], [0, 5, 1], 0),
    first([4, 1, 0], [5, 0, 4], 2),
    first([4, 0, 2], [3, 1, 5], 1),
    first([4, 2, 1], [4, 2, 3], 0),
];

const TETRAHEDRON: [First; 4] = [
    first([0, 1, 2], [1, 3, 2], 3),
    first([0, 3, 1], [2, 3, 0], 2),
    first([0, 2, 3], [0, 3, 1], 1),
    first([3, 2, 1], [2, 0, 1], 0),
];

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
