//! Hulls to climb: beside each vertex its neighbors, eight of which are looked at at once, and for each direction a vertex that the
//! climb is known to come by.
//!
//! A climb begins at the extreme vertex of the side that the direction leans to, and always goes to the highest neighbor. Of
//! directions in a small cone the first steps are the same: the difference of two heights is linear in the direction, so who is
//! higher along each edge of the cone is higher within it. The table has, for each cone, the last vertex before climbs of its
//! directions may part. A climb that begins there ends where one from the extreme vertex ends.

use std::sync::OnceLock;

use wide::{f64x4, f64x8};

use super::support::LEAN;
use crate::cpu::lib::math::*;
use crate::fields::Model;

/// Neighbors that are looked at at once.
const RING: usize = 8;
/// Cones along a side of each face of the cube around the origin.
const CONES: usize = 16;
/// By how much a neighbor is to be higher along the edges of a cone, times the size of the hull: far more than roundings of heights
/// and of the direction's place among the cones.
const CLEAR: f64 = 1e-12;

/// Neighbors of a vertex; where there are fewer, the first of them again.
#[repr(align(64))]
#[derive(Clone, Debug)]
struct Ring {
    x: [f32; RING],
    y: [f32; RING],
    z: [f32; RING],
    /// Their places in the hull; the last is the ring of further ones, told by its complement, if there are more.
    vertex: [i32; RING],
}

/// A hull; its coordinates are those of the mesh, which single precision holds.
#[derive(Debug)]
pub struct Hull {
    // where each vertex is (m), and its number in the mesh
    vert: Vec<[f32; 3]>,
    id: Vec<i32>,
    // that of each vertex, then those of further neighbors
    ring: Vec<Ring>,
    // the extreme vertex of each side
    extrema: [i32; 27],
    // for each cone the side that climbs of its middle begin at, and the vertex that they come by
    begin: Vec<[i32; 2]>,
}

// the side that a direction leans to
#[inline(always)]
fn side(dir: [f64; 3]) -> usize {
    let lean = |x: f64| 1 + usize::from(x > LEAN) - usize::from(x < -LEAN);
    9 * lean(dir[0]) + 3 * lean(dir[1]) + lean(dir[2])
}

// the cone of a direction
#[inline(always)]
fn cone(dir: [f64; 3]) -> usize {
    let size = dir.map(f64::abs);
    let (axis, u, v) = match size {
        [x, y, z] if x >= y && x >= z => (0, 1, 2),
        [_, y, z] if y >= z => (1, 2, 0),
        _ => (2, 0, 1),
    };
    let face = 2 * axis + usize::from(dir[axis] < 0.0);
    let half = 0.5 * CONES as f64;
    let scale = half / size[axis];
    let place = |k: usize| ((dir[k] * scale + half) as usize).min(CONES - 1);
    (face * CONES + place(u)) * CONES + place(v)
}

// a direction on a face of the cube, by how far it is along both sides, counted in cones
fn on_face(face: usize, u: f64, v: f64) -> [f64; 3] {
    let axis = face / 2;
    let along = |k: f64| k * (2.0 / CONES as f64) - 1.0;
    let mut dir = [0.0; 3];
    dir[axis] = if face.is_multiple_of(2) { 1.0 } else { -1.0 };
    dir[(axis + 1) % 3] = along(u);
    dir[(axis + 2) % 3] = along(v);
    dir
}

impl Hull {
    /// The hull of a mesh; none if it has none, or if single precision does not hold its vertices.
    pub fn new(m: &Model, mesh: usize) -> Option<Self> {
        let adr = usize::try_from(m.mesh_graphadr[mesh]).ok()?;
        let graph = &m.mesh_graph[adr..];
        let num = graph[0] as usize;
        let (edgeadr, rest) = graph[2..].split_at(num);
        let (id, edge) = rest.split_at(num);
        let first = m.mesh_vertadr[mesh] as usize;
        let place = |id: i32| m.mesh_vert[first + id as usize];
        let vert: Vec<[f32; 3]> = id.iter().map(|&id| place(id).map(|x| x as f32)).collect();
        let same = |(&id, vert): (&i32, &[f32; 3])| place(id) == vert.map(f64::from);
        if !id.iter().zip(&vert).all(same) {
            return None;
        }
        let mut hull = Self {
            vert,
            id: id.to_vec(),
            ring: Vec::new(),
            extrema: std::array::from_fn(|k| m.mesh_extrema[27 * mesh + k]),
            begin: Vec::new(),
        };
        let around = |k: usize| {
            let edge = &edge[edgeadr[k] as usize..];
            &edge[..edge.iter().position(|&k| k < 0).unwrap_or(edge.len())]
        };
        hull.ring = hull.rings(around);
        hull.begin = hull.begins(around);
        Some(hull)
    }

    // neighbors of a vertex, which itself stands where there are fewer: it is no higher than itself
    fn ring(&self, vertex: usize, neighbors: &[i32]) -> Ring {
        let at = |k: usize| neighbors.get(k).copied().unwrap_or(vertex as i32);
        let along = |k: usize, axis: usize| self.vert[at(k) as usize][axis];
        Ring {
            x: std::array::from_fn(|k| along(k, 0)),
            y: std::array::from_fn(|k| along(k, 1)),
            z: std::array::from_fn(|k| along(k, 2)),
            vertex: std::array::from_fn(at),
        }
    }

    fn rings<'a>(&self, around: impl Fn(usize) -> &'a [i32]) -> Vec<Ring> {
        let num = self.vert.len();
        let mut rings: Vec<Ring> = (0..num).map(|k| self.ring(k, &[])).collect();
        for k in 0..num {
            let (mut at, mut rest) = (k, around(k));
            while rest.len() > RING {
                let (some, further) = rest.split_at(RING - 1);
                rings[at] = self.ring(k, some);
                rings[at].vertex[RING - 1] = !(rings.len() as i32);
                (at, rest) = (rings.len(), further);
                rings.push(self.ring(k, &[]));
            }
            rings[at] = self.ring(k, rest);
        }
        rings
    }

    // where climbs of the directions of each cone begin, and the last vertex before they may part
    fn begins<'a>(&self, around: impl Fn(usize) -> &'a [i32]) -> Vec<[i32; 2]> {
        let lengths = self.vert.iter().map(|v| norm3(v.map(f64::from)));
        let clear = CLEAR * lengths.fold(0.0, f64::max);
        let begin = |cone: usize| {
            let face = cone / CONES / CONES;
            let [u, v] = [cone / CONES % CONES, cone % CONES].map(|k| k as f64);
            let (middle, _) = normalize3(on_face(face, u + 0.5, v + 0.5));
            let edges = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)];
            let edges = edges.map(|(s, t)| on_face(face, u + s, v + t));
            let side = side(middle);
            let mut at = self.extrema[side];
            while let Some(next) = self.same_step(at, around(at as usize), edges, clear) {
                at = next;
            }
            [side as i32, at]
        };
        (0..6 * CONES * CONES).map(begin).collect()
    }

    // the neighbor that is higher than a vertex and all its other neighbors along every edge of a cone
    fn same_step(
        &self,
        from: i32,
        neighbors: &[i32],
        edges: [[f64; 3]; 4],
        clear: f64,
    ) -> Option<i32> {
        let height = |dir: [f64; 3], k: i32| dot3(dir, self.place(k));
        let higher = |a: &&i32, b: &&i32| height(edges[0], **a).total_cmp(&height(edges[0], **b));
        let &best = neighbors.iter().max_by(higher)?;
        let others = neighbors.iter().chain([&from]).filter(|&&k| k != best);
        let clearly = |&other: &i32| {
            let over = |&dir: &[f64; 3]| height(dir, best) > height(dir, other) + clear;
            edges.iter().all(over)
        };
        others.into_iter().all(clearly).then_some(best)
    }

    fn place(&self, vertex: i32) -> [f64; 3] {
        self.vert[vertex as usize].map(f64::from)
    }

    /// Climbs from where the last climb ended, if that is as high, else from the extreme vertex of the direction; where it ends.
    pub fn climb(&self, dir: [f64; 3], climbed: i32) -> i32 {
        let mut climb = self.way(dir, climbed);
        while !climb.ended {
            climb.look();
        }
        climb.best
    }

    /// Climbs over two hulls, in turn ring by ring: while one waits for its ring from memory, the other goes on.
    pub fn climb_both(hulls: [&Self; 2], dir: [[f64; 3]; 2], climbed: [i32; 2]) -> [i32; 2] {
        let [mut first, mut second] = [0, 1].map(|k| hulls[k].way(dir[k], climbed[k]));
        while !(first.ended & second.ended) {
            first.look();
            second.look();
        }
        [first.best, second.best]
    }

    // where a climb begins
    #[inline(always)]
    fn way(&self, dir: [f64; 3], climbed: i32) -> Climb<'_> {
        let side = side(dir);
        let extreme = self.extrema[side];
        let height = |k: i32| dot3(dir, self.place(k));
        if climbed >= 0 {
            let there = height(climbed);
            if height(extreme) <= there {
                return Climb::new(self, dir, climbed, there);
            }
        }
        let [same_side, by] = self.begin[cone(dir)];
        let begin = match same_side == side as i32 {
            true => by,
            false => extreme,
        };
        Climb::new(self, dir, begin, height(begin))
    }

    /// Number in the mesh of a vertex, and where it is (m).
    #[inline(always)]
    pub fn vertex(&self, k: i32) -> (i32, [f64; 3]) {
        (self.id[k as usize], self.place(k))
    }
}

/// A climb to the highest neighbor again and again, until none is higher.
struct Climb<'a> {
    hull: &'a Hull,
    along: [f64x8; 3],
    best: i32,
    most: f64,
    // the ring that is looked at next, and whether one before it around the same vertex had a higher neighbor
    at: i32,
    higher: bool,
    ended: bool,
}

impl<'a> Climb<'a> {
    #[inline(always)]
    fn new(hull: &'a Hull, dir: [f64; 3], begin: i32, height: f64) -> Self {
        Self {
            hull,
            along: dir.map(f64x8::splat),
            best: begin,
            most: height,
            at: begin,
            higher: false,
            ended: false,
        }
    }

    // looks at one ring; nothing changes any more once the climb has ended
    #[inline(always)]
    fn look(&mut self) {
        let ring = &self.hull.ring[self.at as usize];
        let [x, y, z] = [ring.x, ring.y, ring.z].map(|x| f64x8::from(x.map(f64::from)));
        let heights = self.along[0] * x + self.along[1] * y + self.along[2] * z;
        if heights.simd_gt(f64x8::splat(self.most)).any() {
            self.most = highest(heights);
            let which = heights.simd_eq(f64x8::splat(self.most)).to_bitmask();
            self.best = ring.vertex[which.trailing_zeros() as usize % RING];
            self.higher = true;
        }
        let further = !ring.vertex[RING - 1];
        if further >= 0 {
            self.at = further;
            return;
        }
        self.ended |= !self.higher;
        self.higher = false;
        self.at = self.best;
    }
}

#[inline(always)]
fn highest(heights: f64x8) -> f64 {
    let [low, high]: [f64x4; 2] = bytemuck::cast(heights);
    let [a, b, c, d] = low.fast_max(high).to_array();
    let larger = |a: f64, b: f64| if a > b { a } else { b };
    larger(larger(a, c), larger(b, d))
}

/// The hulls of a model's meshes, each made when it is first climbed.
#[derive(Debug)]
pub(crate) struct Hulls(Vec<OnceLock<Option<Hull>>>);

impl Hulls {
    /// None made yet.
    pub(crate) fn new(m: &Model) -> Self {
        Self((0..m.nmesh).map(|_| OnceLock::new()).collect())
    }

    /// That of a mesh.
    #[inline(always)]
    pub(crate) fn of(&self, m: &Model, mesh: usize) -> Option<&Hull> {
        let hull = self.0.get(mesh)?;
        hull.get_or_init(|| Hull::new(m, mesh)).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::support::Solid;

    // directions that wander over the sphere, some of them along axes, edges of the cube, edges of cones
    fn directions() -> impl Iterator<Item = [f64; 3]> {
        let wander = (0..6000).map(|k| {
            let k = f64::from(k);
            [(0.7 * k).sin(), (1.1 * k).cos(), (1.7 * k + 0.3).sin()]
        });
        let grid = (0..6 * 17 * 17).map(|k| {
            let [u, v] = [k / 17 % 17, k % 17].map(|k| k as f64);
            on_face(k / 17 / 17, u, v)
        });
        wander.chain(grid).map(|dir| normalize3(dir).0)
    }

    // climbs end where they do without rings and cones, whether or not another one was before
    #[test]
    fn climbs_end_where_they_do_vertex_by_vertex() {
        let m = Model::from_xml_path("models/meshes.xml").unwrap();
        let mut hulls = 0;
        let mut shorter = 0;
        for mesh in 0..m.nmesh {
            let Some(hull) = Hull::new(&m, mesh) else {
                continue;
            };
            hulls += 1;
            shorter += hull
                .begin
                .iter()
                .filter(|[side, by]| *by != hull.extrema[*side as usize])
                .count();
            let mut plain = Solid::of_mesh(&m, mesh);
            let mut climbed = -1;
            for (k, dir) in directions().enumerate() {
                if k % 3 == 0 {
                    (climbed, plain.climbed) = (-1, -1);
                }
                climbed = hull.climb(dir, climbed);
                assert_eq!(
                    plain.climb(dir),
                    hull.vertex(climbed).0,
                    "mesh {mesh}, {dir:?}"
                );
                assert_eq!(plain.climbed, climbed);
                assert_eq!(
                    plain.mesh_vertex(hull.vertex(climbed).0),
                    hull.vertex(climbed).1
                );
            }
        }
        assert!(hulls > 0 && shorter > 0);
    }
}
