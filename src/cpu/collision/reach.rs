//! Support heights of mesh hulls: a table beside each mesh that separates most pairs before the convex collider climbs over their
//! hulls.
//!
//! The height of the farthest vertex, h(d) = max d·v, is a convex function of the direction d and grows with its length. The
//! table has h at the nodes of a grid on each face of the cube around the origin. Bilinear interpolation between nodes is never
//! less than h, so solids that the table separates are apart.

use super::bounds::SLACK;
use super::support::Solid;
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::math::*;
use crate::fields::{Model, Own};
use crate::real::{Mask, Real, lanes};
use crate::types::*;

/// Cells along a side of each face of the cube.
const CELLS: usize = 16;
const NODES: usize = CELLS + 1;
/// Number of planes tried between two solids. The first is perpendicular to the line of their centers.
const PLANES: usize = 4;

/// Support heights of a hull at the nodes (m), face after face: those of x, y, z, each positive and negative.
#[derive(Debug)]
struct Reach(Box<[f32]>);

/// The tables of a model's meshes; a mesh whose hull is not climbed has none.
#[derive(Debug)]
pub(crate) struct Reaches(Vec<Option<Reach>>);

impl Reaches {
    /// Climbs every hull once for each node.
    pub(crate) fn new(m: &Model) -> Self {
        Self((0..m.nmesh).map(|mesh| Reach::new(m, mesh)).collect())
    }

    fn of(&self, m: &Model, geom: usize) -> Option<&Reach> {
        let mesh = usize::try_from(m.geom_dataid[geom]).ok()?;
        match m.geom_type[geom] == GeomType::Mesh {
            true => self.0[mesh].as_ref(),
            false => None,
        }
    }
}

impl Reach {
    fn new(m: &Model, mesh: usize) -> Option<Self> {
        let mut solid = Solid::of_mesh(m, mesh);
        if !solid.climbs() {
            return None;
        }
        let along = |k: usize| k as f64 * (2.0 / CELLS as f64) - 1.0;
        let height = |node: usize| {
            let (face, u, v) = (node / NODES / NODES, node / NODES % NODES, node % NODES);
            let mut dir = [0.0; 3];
            dir[face / 2] = if face % 2 == 0 { 1.0 } else { -1.0 };
            dir[(face / 2 + 1) % 3] = along(u);
            dir[(face / 2 + 2) % 3] = along(v);
            dot3(dir, solid.support(dir)) as f32
        };
        Some(Self((0..6 * NODES * NODES).map(height).collect()))
    }

    // a point whose height along `dir` is the table's: no vertex of the hull is higher. It lies near the farthest vertex
    fn farthest(&self, dir: [f64; 3]) -> [f64; 3] {
        let size = dir.map(f64::abs);
        let axis = match size {
            [x, y, z] if x >= y && x >= z => 0,
            [_, y, z] if y >= z => 1,
            _ => 2,
        };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let face = 2 * axis + usize::from(dir[axis] < 0.0);
        let half = 0.5 * CELLS as f64;
        let place = |k: usize| {
            let x = (dir[k] / size[axis] + 1.0) * half;
            let cell = (x as usize).min(CELLS - 1);
            (cell, x - cell as f64)
        };
        let ((i, s), (j, t)) = (place(u), place(v));
        let at = (face * NODES + i) * NODES + j;
        let [h00, h01, h10, h11] =
            [at, at + 1, at + NODES, at + NODES + 1].map(|k| f64::from(self.0[k]));

        // slopes of the interpolation along u and v, and the rest of its height along the axis
        let (low, high) = (h00 + t * (h01 - h00), h10 + t * (h11 - h10));
        let slope_u = half * (high - low);
        let slope_v = half * ((h01 - h00) + s * ((h11 - h10) - (h01 - h00)));
        let rest = low + s * (high - low) - (dir[u] * slope_u + dir[v] * slope_v) / size[axis];
        let mut point = [0.0; 3];
        point[axis] = if dir[axis] < 0.0 { -rest } else { rest };
        (point[u], point[v]) = (slope_u, slope_v);
        point
    }
}

// a geom at its pose, with the table of its hull if it has one
struct Bound<'a> {
    m: &'a Model,
    geom: usize,
    shape: Shape,
    reach: Option<&'a Reach>,
}

impl Bound<'_> {
    #[inline(always)]
    fn farthest(&self, dir: [f64; 3]) -> [f64; 3] {
        let Some(reach) = self.reach else {
            return Solid::new(self.m, self.geom, self.shape, 0.0).support(dir);
        };
        let Shape { pos, mat, .. } = self.shape;
        let point = reach.farthest(mul_mat_t_vec3(mat, dir));
        add3(pos, mul_mat_vec3(mat, point))
    }
}

// true if a plane is found that separates two solids by more than a distance; each plane is perpendicular to the point nearest to
// the origin on a segment of the solids' difference
fn apart(first: &Bound, second: &Bound, beyond: f64) -> bool {
    let mut x = sub3(first.shape.pos, second.shape.pos);
    for _ in 0..PLANES {
        let norm = norm3(x);
        if norm < MINVAL {
            return false;
        }
        let dir = scl3(x, 1.0 / norm);
        let on1 = first.farthest(scl3(dir, -1.0));
        let to = sub3(on1, second.farthest(dir));
        if dot3(dir, to) > beyond {
            return true;
        }
        let along = sub3(to, x);
        let share = -dot3(x, along) / dot3(along, along).max(MINVAL);
        x = add_scl3(x, along, share.clamp(0.0, 1.0));
    }
    false
}

fn size_of<R: Real>(m: &Model, own: &Own<R>, geom: usize) -> R {
    (3..6).fold(R::zero(), |sum, k| sum + own.geom_aabb(m, 6 * geom + k))
}

/// The lanes in `meet` where no plane is found that separates two geoms by more than `detect` (m). All of them if neither geom is
/// a mesh with a table: the convex collider is as fast.
pub fn reaches_meet<R: Real>(
    m: &Model,
    own: &Own<R>,
    geoms: [usize; 2],
    shapes: &[Shape<R>; 2],
    detect: R,
    meet: R::Mask,
) -> R::Mask {
    let reach = geoms.map(|geom| m.reaches().of(m, geom));
    if reach.iter().all(Option::is_none) {
        return meet;
    }
    let sizes = size_of(m, own, geoms[0]) + size_of(m, own, geoms[1]);
    let slack = R::splat(SLACK) * sizes + R::splat(m.opt.ccd_tolerance);
    let beyond = detect + slack;
    by_lane::<R>(meet, |lane| {
        let bound = |k: usize| Bound {
            m,
            geom: geoms[k],
            shape: shapes[k].lane(lane),
            reach: reach[k],
        };
        !apart(&bound(0), &bound(1), beyond.lane(lane))
    })
}

/// The lanes in `meet` where a hull may reach down to `detect` (m) above a plane.
pub fn reach_meets_plane<R: Real>(
    m: &Model,
    own: &Own<R>,
    geom: usize,
    plane: &Shape<R>,
    shape: &Shape<R>,
    detect: R,
    meet: R::Mask,
) -> R::Mask {
    let Some(reach) = m.reaches().of(m, geom) else {
        return meet;
    };
    let slack = detect + R::splat(SLACK) * size_of(m, own, geom);
    by_lane::<R>(meet, |lane| {
        let (plane, shape) = (plane.lane(lane), shape.lane(lane));
        let down = scl3(plane.axis(), -1.0);
        let local = mul_mat_t_vec3(shape.mat, down);
        let height = dot3(sub3(plane.pos, shape.pos), down);
        height - dot3(local, reach.farthest(local)) <= slack.lane(lane)
    })
}

// the lanes of a mask in which a condition holds
#[inline(always)]
fn by_lane<R: Real>(mask: R::Mask, mut holds: impl FnMut(usize) -> bool) -> R::Mask {
    if !mask.any() {
        return mask;
    }
    let mut here = R::select(mask, R::one(), R::zero());
    for lane in lanes::<R>(mask).filter(|&lane| !holds(lane)) {
        here.set_lane(lane, 0.0);
    }
    R::zero().lt(here)
}

#[cfg(test)]
mod tests {
    use super::*;

    // directions spread over the sphere, some of them along axes and edges of the cube
    fn directions() -> impl Iterator<Item = [f64; 3]> {
        let wander = (0..4000).map(|k| {
            let k = f64::from(k);
            [(0.7 * k).sin(), (1.1 * k).cos(), (1.7 * k + 0.3).sin()]
        });
        let signs = (0..27).map(|k| [k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1].map(f64::from));
        wander.chain(signs.filter(|d| norm3(*d) > 0.0))
    }

    // no vertex is farther than the table says, and the farthest is not much nearer
    #[test]
    fn table_bounds_the_hull() {
        let m = Model::from_xml_path("models/meshes.xml").unwrap();
        let mut tables = 0;
        for (mesh, reach) in m.reaches().0.iter().enumerate() {
            let Some(reach) = reach else { continue };
            tables += 1;
            let first = m.mesh_vertadr[mesh] as usize;
            let verts = &m.mesh_vert[first..first + m.mesh_vertnum[mesh] as usize];
            let size = verts.iter().map(|v| norm3(*v)).fold(0.0, f64::max);
            for dir in directions() {
                let length = norm3(dir);
                let most = verts.iter().map(|v| dot3(dir, *v) / length);
                let most = most.fold(f64::NEG_INFINITY, f64::max);
                let told = dot3(dir, reach.farthest(dir)) / length;
                assert!(told > most - 1e-6 * size, "mesh {mesh}, {dir:?}");
                assert!(told < most + 0.07 * size, "mesh {mesh}, {dir:?}");
            }
        }
        assert!(tables > 0);
    }
}
