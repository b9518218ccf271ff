//! Convex hull of points in space: quickhull with exact signs.
//!
//! ```text
//!      p            faces that p lies above go away,
//!     /|\           the edges around them (the horizon) are joined to p,
//!    / | \          the points above the old faces are shared out among the new ones
//!   ──────── ···
//! ```
//!
//! Whether a point lies above, in or below a face's plane is decided exactly (`robust`). The faces that a point lies above then
//! always make one piece with one edge around it, no horizon edge lies on a line with the point, and the surface is a closed
//! one of triangles with an area. Corners taken early may end up inside a flat face or on an edge; when some have, the hull
//! is made once more from the others, so that every corner is an extreme point.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use super::AssetError;
use super::tetrahedron::{flat, tetrahedron};
use glam::DVec3;

const NONE: u32 = u32::MAX;

/// A closed surface of triangles.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surface {
    /// Triangles, as indices into the points, counter-clockwise from outside.
    pub face: Vec<[i32; 3]>,
    /// Triangles across the edges 01, 12 and 20 of each triangle.
    pub across: Vec<[u32; 3]>,
}

/// The convex hull of `points`.
///
/// At most `maxvert` corners are taken when given (the hull is then one of some of the points, farthest first; the first four
/// are qhull's, the others may differ where several are about as good). The result
/// depends on the points and their order only. Fails on coordinates that are not finite, and on points that all lie in one
/// plane up to rounding, as in MuJoCo.
pub fn convex_hull(points: &[[f32; 3]], maxvert: Option<usize>) -> Result<Surface, AssetError> {
    if points.len() < 4 {
        return Err(AssetError::new("at least 4 vertices required"));
    }
    if points.len() >= i32::MAX as usize {
        return Err(AssetError::new("too many vertices for a convex hull"));
    }
    if let Some(i) = points.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(AssetError::new(format!(
            "vertex coordinate {i} is not finite"
        )));
    }
    let mut hull = build(points, maxvert)?;
    let corners = hull.corners(points);
    if corners.len() < hull.face.len() / 2 + 2 {
        // leave out what is no corner, then number as before
        let kept: Vec<_> = corners.iter().map(|&i| points[i as usize]).collect();
        hull = build(&kept, None)?;
        for f in &mut hull.face {
            *f = f.map(|i| corners[i as usize]);
        }
    }
    Ok(hull)
}

fn build(points: &[[f32; 3]], maxvert: Option<usize>) -> Result<Surface, AssetError> {
    let mut hull = Hull::new(points, maxvert.is_some())?;
    let mut left = maxvert.map_or(usize::MAX, |n| n.saturating_sub(4));
    while left > 0 {
        let Some(f) = hull.next() else { break };
        hull.insert(f)?;
        left -= 1;
    }
    Ok(hull.surface())
}

impl Surface {
    /// The corners at which at least three creases meet; the others lie in a face or on an edge.
    fn corners(&self, points: &[[f32; 3]]) -> Vec<i32> {
        let mut creases = vec![0u8; points.len()];
        for (f, t) in self.face.iter().enumerate() {
            for i in 0..3 {
                // each edge once, from its lower face
                let g = self.across[f][i] as usize;
                let (u, v) = (t[i], t[(i + 1) % 3]);
                if g < f {
                    continue;
                }
                let apex = self.face[g].iter().find(|&&w| w != u && w != v);
                if apex.is_some_and(|&w| side(points, *t, w) != 0) {
                    for end in [u, v] {
                        let n = &mut creases[end as usize];
                        *n = n.saturating_add(1);
                    }
                }
            }
        }
        let corner = |&i: &i32| creases[i as usize] > 2;
        (0..points.len() as i32).filter(corner).collect()
    }
}

struct Face {
    /// corners, counter-clockwise from outside
    v: [u32; 3],
    /// faces across the edges v0v1, v1v2, v2v0
    adj: [u32; 3],
    /// unit normal and offset, rounded
    n: DVec3,
    o: f64,
    /// bound of the rounding in a point's height above the plane
    err: f64,
    /// points above this face: first of a list, and the highest
    head: u32,
    far: u32,
    height: f64,
    /// last insertion that looked at this face, and whether it removed it
    visit: u32,
    dead: bool,
}

// faces by the height of their highest point, ties by number
#[derive(PartialEq)]
struct Entry(f64, u32);

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

struct Hull<'a> {
    points: &'a [[f32; 3]],
    /// the points from their centre, for rounded arithmetic
    local: Vec<DVec3>,
    /// bound of the distances in `local`, and of the rounding in its numbers
    radius: f64,
    blur: f64,
    faces: Vec<Face>,
    /// faces with points above them: the order of their highest points when only some will be taken, else first come, first served
    heap: BinaryHeap<Entry>,
    queue: VecDeque<u32>,
    limited: bool,
    /// next point of the list a point is in
    next: Vec<u32>,
    /// new face whose horizon edge starts at a corner
    start: Vec<u32>,
    count: u32,
    // kept between insertions to spare allocations
    removed: Vec<u32>,
    horizon: Vec<(u32, u32, u32)>,
}

impl<'a> Hull<'a> {
    fn new(points: &'a [[f32; 3]], limited: bool) -> Result<Self, AssetError> {
        // numbers of single precision near each other subtract without rounding; what is rounded is known
        let (lo, hi) = bounds(points);
        let centre = ((lo + hi) * 0.5).as_vec3().as_dvec3();
        let reach = |k: usize| (hi[k] - centre[k]).max(centre[k] - lo[k]);
        let local: Vec<DVec3> = points.iter().map(|p| wide(*p) - centre).collect();
        let mut blur = 0.0;
        for (p, q) in points.iter().zip(&local) {
            for k in 0..3 {
                blur = f64::max(blur, rounded_off(f64::from(p[k]), centre[k], q[k]).abs());
            }
        }
        let largest = lo.abs().max(hi.abs()).max_element();
        let mut hull = Hull {
            points,
            local,
            radius: 2.0 * reach(0).max(reach(1)).max(reach(2)),
            blur,
            faces: Vec::new(),
            heap: BinaryHeap::new(),
            queue: VecDeque::new(),
            limited,
            next: vec![NONE; points.len()],
            start: vec![NONE; points.len()],
            count: 0,
            removed: Vec::new(),
            horizon: Vec::new(),
        };

        // the first tetrahedron, outwards
        let [a, b, c, mut d] = tetrahedron(&hull.local, largest, hull.limited)?;
        if hull.sign([a, b, c], d) == 0 {
            // rounding chose a point of the plane
            let mut others = 0..points.len() as u32;
            let off = others.find(|&i| hull.sign([a, b, c], i) != 0);
            d = off.ok_or_else(flat)?;
        }
        let above = hull.sign([a, b, c], d) > 0;
        let (b, d) = if above { (d, b) } else { (b, d) };
        for (v, adj) in [
            ([a, b, c], [1, 2, 3]),
            ([b, a, d], [0, 3, 2]),
            ([c, b, d], [0, 1, 3]),
            ([a, c, d], [0, 2, 1]),
        ] {
            hull.add_face(v, adj);
        }
        for p in 0..points.len() as u32 {
            hull.place(p, 0);
        }
        (0..4).for_each(|f| hull.enqueue(f));
        Ok(hull)
    }

    fn sign(&self, v: [u32; 3], p: u32) -> i32 {
        side(self.points, v.map(|i| i as i32), p as i32)
    }

    /// Height of a point above a face; 0 exactly for points in its plane.
    fn height(&self, f: u32, p: u32) -> f64 {
        let face = &self.faces[f as usize];
        let h = face.n.dot(self.local[p as usize]) - face.o;
        if h.abs() > face.err {
            return h;
        }
        // too close to call: the sign is exact, the size is not
        f64::from(self.sign(face.v, p)) * h.abs().max(f64::MIN_POSITIVE)
    }

    fn add_face(&mut self, v: [u32; 3], adj: [u32; 3]) -> u32 {
        let [a, b, c] = v.map(|i| self.local[i as usize]);
        let (e, g) = (b - a, c - a);
        let x = e.cross(g);
        let len = x.dot(x).sqrt();
        let n = x * (1.0 / len);
        // slivers have uncertain normals; a NaN or infinity here sends every point to the exact test
        let (le, lg) = (e.dot(e).sqrt(), g.dot(g).sqrt());
        let err = 16.0 * f64::EPSILON * self.radius * (1.0 + le * lg / len)
            + 8.0 * self.blur * (1.0 + self.radius * (le + lg) / len);
        let f = self.faces.len() as u32;
        self.faces.push(Face {
            v,
            adj,
            n,
            o: n.dot(a),
            err: if err.is_finite() { err } else { f64::INFINITY },
            head: NONE,
            far: NONE,
            height: 0.0,
            visit: 0,
            dead: false,
        });
        f
    }

    /// Puts a point into the list of a face, from `first` on, that it lies above, if any: the one it lies highest above when
    /// only some points will be taken, else the first.
    fn place(&mut self, p: u32, first: u32) {
        let mut best = (NONE, 0.0);
        for f in first..self.faces.len() as u32 {
            let h = self.height(f, p);
            if h > best.1 {
                best = (f, h);
                if !self.limited {
                    break;
                }
            }
        }
        let (f, h) = best;
        if f != NONE {
            let face = &mut self.faces[f as usize];
            self.next[p as usize] = face.head;
            face.head = p;
            if face.far == NONE || h > face.height {
                (face.far, face.height) = (p, h);
            }
        }
    }

    fn enqueue(&mut self, f: u32) {
        let face = &self.faces[f as usize];
        if face.head == NONE {
        } else if self.limited {
            self.heap.push(Entry(face.height, f));
        } else {
            self.queue.push_back(f);
        }
    }

    /// The next face with points above it.
    fn next(&mut self) -> Option<u32> {
        loop {
            let f = if self.limited {
                self.heap.pop()?.1
            } else {
                self.queue.pop_front()?
            };
            if !self.faces[f as usize].dead {
                return Some(f);
            }
        }
    }

    /// Joins the highest point of a face to the hull.
    fn insert(&mut self, f: u32) -> Result<(), AssetError> {
        let p = self.faces[f as usize].far;
        self.find_horizon(f, p);

        // one face for each edge of the horizon
        let first = self.faces.len() as u32;
        for k in 0..self.horizon.len() {
            let (u, v, g) = self.horizon[k];
            let new = self.add_face([u, v, p], [g, NONE, NONE]);
            self.start[u as usize] = new;
            let outer = &mut self.faces[g as usize];
            if let Some(i) = (0..3).find(|&i| outer.v[i] == v) {
                outer.adj[i] = new;
            }
        }

        // neighbours around the new corner
        for k in 0..self.horizon.len() {
            let f = first + k as u32;
            let (_, v, _) = self.horizon[k];
            let h = self.start[v as usize];
            if h < first || h == NONE || self.faces[h as usize].adj[2] != NONE {
                return Err(AssetError::new("convex hull: the horizon is not closed"));
            }
            self.faces[f as usize].adj[1] = h;
            self.faces[h as usize].adj[2] = f;
        }

        // share out the points of the faces that went
        for k in 0..self.removed.len() {
            let mut q = self.faces[self.removed[k] as usize].head;
            while q != NONE {
                let next = self.next[q as usize];
                if q != p {
                    self.place(q, first);
                }
                q = next;
            }
        }
        (first..self.faces.len() as u32).for_each(|f| self.enqueue(f));
        Ok(())
    }

    /// Marks the faces that a point lies above as dead and collects the edges around them.
    fn find_horizon(&mut self, f: u32, p: u32) {
        self.count += 1;
        self.removed.clear();
        self.horizon.clear();
        self.removed.push(f);
        self.faces[f as usize].visit = self.count;
        let mut k = 0;
        while k < self.removed.len() {
            let f = self.removed[k];
            k += 1;
            self.faces[f as usize].dead = true;
            for i in 0..3 {
                let face = &self.faces[f as usize];
                let (g, u, v) = (face.adj[i], face.v[i], face.v[(i + 1) % 3]);
                let seen = self.faces[g as usize].visit == self.count;
                if !seen && self.height(g, p) > 0.0 {
                    self.faces[g as usize].visit = self.count;
                    self.removed.push(g);
                } else if !seen {
                    self.horizon.push((u, v, g));
                }
            }
        }
    }

    /// The faces that are left, renumbered.
    fn surface(&self) -> Surface {
        let mut number = vec![0; self.faces.len()];
        let alive = self.faces.iter().enumerate().filter(|(_, f)| !f.dead);
        for (n, (f, _)) in alive.clone().enumerate() {
            number[f] = n as u32;
        }
        Surface {
            face: alive.clone().map(|(_, f)| f.v.map(|i| i as i32)).collect(),
            across: alive
                .map(|(_, f)| f.adj.map(|g| number[g as usize]))
                .collect(),
        }
    }
}

/// +1, 0, −1: the point lies above, in, below the plane of three points, exactly.
fn side(points: &[[f32; 3]], t: [i32; 3], p: i32) -> i32 {
    let at = |i: i32| {
        let DVec3 { x, y, z } = wide(points[i as usize]);
        robust::Coord3D { x, y, z }
    };
    let det = robust::orient3d(at(t[0]), at(t[1]), at(t[2]), at(p));
    (det < 0.0) as i32 - (det > 0.0) as i32
}

/// What rounding took from the difference `x` of `a` and `b`.
fn rounded_off(a: f64, b: f64, x: f64) -> f64 {
    let most = a - x;
    (a - (x + most)) + (most - b)
}

fn wide(p: [f32; 3]) -> DVec3 {
    DVec3::from_array(p.map(f64::from))
}

fn bounds(points: &[[f32; 3]]) -> (DVec3, DVec3) {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    points.iter().fold(none, |(lo, hi), p| {
        let p = wide(*p);
        (lo.min(p), hi.max(p))
    })
}

#[cfg(test)]
#[path = "hull_test.rs"]
mod tests;
