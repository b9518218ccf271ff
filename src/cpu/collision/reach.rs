//! Planes between convex solids: they separate most pairs before the convex collider is run. The first is that of the last look
//! ([`crate::parted`]). Beside each mesh there is a table of the support heights of its hull, which spares climbs over it.
//!
//! The height of the farthest vertex, h(d) = max d·v, is a convex function of the direction d and grows with its length. The
//! table has h at the nodes of a grid on each face of the cube around the origin. Bilinear interpolation between nodes is never
//! less than h, so solids that the table separates are apart.

use super::bounds::SLACK;
use super::support::Solid;
use crate::cpu::lib::contact::{Shape, select3};
use crate::cpu::lib::math::*;
use crate::fields::{Model, Own};
use crate::parted::known;
use crate::real::{Mask, Real};
use crate::types::*;

/// Cells along a side of each face of the cube.
const CELLS: usize = 16;
const NODES: usize = CELLS + 1;
/// Number of planes tried between two solids, beside a known one. The first is perpendicular to the line of their centers.
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
    fn farthest<R: Real>(&self, dir: [R; 3]) -> [R; 3] {
        let (zero, one) = (R::zero(), R::one());
        let [x, y, z] = dir;
        let size = dir.map(R::abs);
        let is_x = size[1].le(size[0]) & size[2].le(size[0]);
        let is_y = size[2].le(size[1]);
        let pick = |[x, y, z]: [R; 3]| R::select(is_x, x, R::select(is_y, y, z));

        // the direction along the axis of its face, and along both sides of the face
        let (axis, u, v) = (pick(dir), pick([y, z, x]), pick([z, x, y]));
        let (down, length) = (axis.lt(zero), axis.abs());
        let face = pick([0.0, 2.0, 4.0].map(R::splat)) + R::select(down, one, zero);
        let half = R::splat(0.5 * CELLS as f64);
        let place = |k: R| {
            let x = (k / length + one) * half;
            let cell = R::select(zero.lt(x), x, zero);
            let cell = cell.min(R::splat((CELLS - 1) as f64)).to_int();
            (R::of_int(cell), x - R::of_int(cell))
        };
        let ((i, s), (j, t)) = (place(u), place(v));
        let nodes = R::splat(NODES as f64);
        let [h00, h01, h10, h11] = self.corners::<R>(((face * nodes + i) * nodes + j).to_int());

        // slopes of the interpolation along u and v, and the rest of its height along the axis
        let (low, high) = (h00 + t * (h01 - h00), h10 + t * (h11 - h10));
        let slope_u = half * (high - low);
        let slope_v = half * ((h01 - h00) + s * ((h11 - h10) - (h01 - h00)));
        let rest = low + s * (high - low) - (u * slope_u + v * slope_v) / length;
        let rest = R::select(down, -rest, rest);
        [
            pick([rest, slope_v, slope_u]),
            pick([slope_u, rest, slope_v]),
            pick([slope_v, slope_u, rest]),
        ]
    }

    // heights at the four nodes of a cell, by the number of its first node
    #[inline(always)]
    fn corners<R: Real>(&self, first: R::Int) -> [R; 4] {
        let mut heights = [R::zero(); 4];
        for lane in 0..R::WIDTH {
            let at = R::int_lane(first, lane) as usize;
            for (height, k) in heights.iter_mut().zip([0, 1, NODES, NODES + 1]) {
                height.set_lane(lane, f64::from(self.0[at + k]));
            }
        }
        heights
    }
}

// a geom at its pose, with the table of its hull if it has one
struct Bound<'a, R> {
    m: &'a Model,
    geom: usize,
    shape: &'a Shape<R>,
    reach: Option<&'a Reach>,
}

impl<R: Real> Bound<'_, R> {
    // where the farthest point is, relative to the geom's center
    #[inline(always)]
    fn farthest(&self, dir: [R; 3]) -> [R; 3] {
        let local = mul_mat_t_vec3(self.shape.mat, dir);
        let point = match self.reach {
            Some(reach) => reach.farthest(local),
            None => self.local(local),
        };
        mul_mat_vec3(self.shape.mat, point)
    }

    // the farthest point of a solid without a table, in its frame
    fn local(&self, dir: [R; 3]) -> [R; 3] {
        let (zero, size) = (R::zero(), self.shape.size);
        let side = |k: usize, size: R| R::select(dir[k].lt(zero), -size, size);
        let least = R::splat(MINVAL);
        match GeomType::from_i32(self.m.geom_type[self.geom]) {
            Some(GeomType::Sphere) => scl3(dir, size[0]),
            Some(GeomType::Capsule) => {
                let [x, y, z] = scl3(dir, size[0]);
                [x, y, z + side(2, size[1])]
            }
            Some(GeomType::Ellipsoid) => {
                let scaled = [0, 1, 2].map(|k| dir[k] * size[k]);
                let scaled = scl3(scaled, R::one() / norm3(scaled).max(least));
                [0, 1, 2].map(|k| scaled[k] * size[k])
            }
            Some(GeomType::Cylinder) => {
                let across = (dir[0] * dir[0] + dir[1] * dir[1]).sqrt();
                let out = size[0] / across.max(least);
                [out * dir[0], out * dir[1], side(2, size[1])]
            }
            Some(GeomType::Box) => [0, 1, 2].map(|k| side(k, size[k])),
            _ => self.vertex(dir),
        }
    }

    // the farthest vertex of a mesh
    fn vertex(&self, dir: [R; 3]) -> [R; 3] {
        let m = self.m;
        let mesh = m.geom_dataid[self.geom].max(0) as usize;
        let first = m.mesh_vertadr[mesh] as usize;
        let mut best = [R::zero(); 3];
        let mut most = R::splat(-MAXVAL);
        for vertex in &m.mesh_vert[first..first + m.mesh_vertnum[mesh] as usize] {
            let vertex = vertex.map(R::splat);
            let height = dot3(dir, vertex);
            let higher = most.lt(height);
            most = R::select(higher, height, most);
            best = select3(higher, vertex, best);
        }
        best
    }
}

// the farthest point of the solids' difference against a unit direction
#[inline(always)]
fn lowest<R: Real>([first, second]: &[Bound<'_, R>; 2], dir: [R; 3]) -> [R; 3] {
    let between = sub3(first.shape.pos, second.shape.pos);
    let on1 = first.farthest(scl3(dir, -R::one()));
    add3(between, sub3(on1, second.farthest(dir)))
}

// the lanes in `meet` where no plane is found that separates two solids by more than a distance. The first is `plane`, where it is known;
// each of the others is perpendicular to the point nearest to the origin on a segment of the solids' difference. One that separates them
// becomes `plane`
fn together<R: Real>(
    bounds: &[Bound<'_, R>; 2],
    beyond: R,
    meet: R::Mask,
    plane: &mut [R; 3],
) -> R::Mask {
    let [first, second] = bounds.each_ref().map(|bound| bound.shape);
    let (zero, one) = (R::zero(), R::one());
    let known = meet & known(plane);
    let mut parted = zero.lt(zero);
    if known.any() {
        let dir = mul_mat_vec3(first.mat, *plane);
        parted = known & beyond.lt(dot3(dir, lowest(bounds, dir)));
    }
    let mut x = sub3(first.pos, second.pos);
    for _ in 0..PLANES {
        let norm = norm3(x);
        let open = meet & !parted & !norm.lt(R::splat(MINVAL));
        if !open.any() {
            break;
        }
        let dir = scl3(x, one / R::select(open, norm, one));
        let to = lowest(bounds, dir);
        let now = open & beyond.lt(dot3(dir, to));
        *plane = select3(now, mul_mat_t_vec3(first.mat, dir), *plane);
        parted = parted | now;
        let along = sub3(to, x);
        let share = -dot3(x, along) / dot3(along, along).max(R::splat(MINVAL));
        x = add_scl3(x, along, share.clamp(zero, one));
    }
    meet & !parted
}

fn size_of<R: Real>(m: &Model, own: &Own<R>, geom: usize) -> R {
    (3..6).fold(R::zero(), |sum, k| sum + own.geom_aabb(m, 6 * geom + k))
}

/// The lanes in `meet` where no plane is found that separates two geoms by more than `detect` (m); `plane` is the one found last. All of
/// them for one world if neither geom is a mesh with a table: the convex collider is as fast.
pub fn reaches_meet<R: Real>(
    m: &Model,
    own: &Own<R>,
    geoms: [usize; 2],
    shapes: &[Shape<R>; 2],
    detect: R,
    meet: R::Mask,
    plane: &mut [R; 3],
) -> R::Mask {
    let reach = geoms.map(|geom| m.reaches().of(m, geom));
    if R::WIDTH == 1 && reach.iter().all(Option::is_none) {
        return meet;
    }
    let sizes = size_of(m, own, geoms[0]) + size_of(m, own, geoms[1]);
    let slack = R::splat(SLACK) * sizes + R::splat(m.opt.ccd_tolerance);
    if !meet.any() {
        return meet;
    }
    let bounds = [0, 1].map(|k| Bound {
        m,
        geom: geoms[k],
        shape: &shapes[k],
        reach: reach[k],
    });
    together(&bounds, detect + slack, meet, plane)
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
    if !meet.any() {
        return meet;
    }
    let slack = detect + R::splat(SLACK) * size_of(m, own, geom);
    let down = scl3(plane.axis(), -R::one());
    let local = mul_mat_t_vec3(shape.mat, down);
    let height = dot3(sub3(plane.pos, shape.pos), down);
    meet & (height - dot3(local, reach.farthest(local))).le(slack)
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

    // solids without a table reach as far as the convex collider's own support points
    #[test]
    fn solids_reach_as_far_as_their_support_points() {
        let geoms = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"].map(|kind| {
            let mesh = if kind == "mesh" {
                r#" mesh="wedge""#
            } else {
                ""
            };
            format!(r#"<geom type="{kind}"{mesh} size=".3 .2 .1" euler="20 30 40"/>"#)
        });
        let xml = format!(
            r#"<mujoco><asset><mesh name="wedge" vertex="0 0 0 .4 0 0 0 .3 0 0 0 .2 .1 .1 .3"/></asset><worldbody>{}</worldbody></mujoco>"#,
            geoms.concat()
        );
        let m = Model::from_xml_str(&xml).unwrap();
        for geom in 0..m.ngeom {
            let shape = Shape {
                pos: [0.0; 3],
                mat: quat2mat(m.geom_quat[geom]),
                size: m.geom_size[geom],
            };
            let reach = m.reaches().of(&m, geom);
            assert!(reach.is_none());
            let bound = Bound {
                m: &m,
                geom,
                shape: &shape,
                reach,
            };
            let mut solid = Solid::new(&m, geom, shape, 0.0);
            for dir in directions() {
                let (dir, _) = normalize3(dir);
                let [want, told] = [solid.support(dir), bound.farthest(dir)].map(|x| dot3(dir, x));
                assert!(
                    (want - told).abs() < 1e-12,
                    "{geom} {dir:?}: {told} for {want}"
                );
            }
        }
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
