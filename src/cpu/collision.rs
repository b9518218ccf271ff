//! Contacts (`mj_collision`).
//!
//! The list of pairs that may collide is a constant of the model; of many pairs, a sweep finds those that are near. Each pair is
//! tried by its bounding spheres, where its collider is expensive also by its bounding boxes, then by the function of its shapes;
//! contacts get their slots in the order of the list.

pub(crate) mod block;
pub(crate) mod bounds;
mod box_box;
pub(crate) mod broad;
mod capsule_box;
mod clip;
mod convex;
pub(crate) mod distance;
mod element;
pub(crate) mod element_boxes;
pub mod enclosure;
mod epa;
pub(crate) mod gjk;
mod grid;
mod hfield;
pub(crate) mod hull;
pub(crate) mod impact;
mod initial;
mod manifold;
pub(crate) mod mesh_sdf;
mod nearest;
pub(crate) mod octree;
pub(crate) mod older;
mod plane;
mod plane_mesh;
mod polytope;
pub(crate) mod portal;
pub(crate) mod reach;
mod round;
pub(crate) mod sdf;
mod simplex;
pub mod soft;
mod sphere_box;
pub(crate) mod support;
pub(crate) mod sweep;
mod tetrahedron;
mod triangle;

use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::cpu::lib::sleep::{pair_awake, sleeps};
use crate::fields::{Data, Model, Own, OwnLane, Parted};
use crate::real::Real;
use crate::types::*;
use crate::user::let_through;
use std::cell::Cell;

use block::{pairs_of, write_pair};
use bounds::{bound_meets_plane, bounds_meet};
use box_box::box_box;
use broad::{candidates, of_the_awake};
use capsule_box::capsule_box;
use convex::convex;
use element_boxes::Boxes;
use hfield::hfield_convex;
use impact::impact;
use mesh_sdf::mesh_sdf;
use plane::*;
use plane_mesh::plane_mesh;
use reach::{reach_meets_plane, reaches_meet};
use round::*;
use sdf::shape_sdf;
use soft::Pair;
use sphere_box::sphere_box;
use sweep::{speculates, tried};

/// Contacts (`mj_collision`).
pub fn collision(m: &Model, d: &mut Data) {
    d.ncon[0] = 0;
    if m.opt.disabled(DSBL_CONSTRAINT) || m.opt.disabled(DSBL_CONTACT) {
        return;
    }
    let boxes = Boxes::new(m, d);
    let some = of_the_awake(m, d).or_else(|| candidates(m, d, &boxes));
    let parted = std::mem::take(&mut d.parted);
    let mut search = Search {
        m,
        d,
        boxes,
        parted,
        out: OUT.take().unwrap_or_default(),
        end: 0,
        pairs: Vec::new(),
        found: 0,
    };
    match some {
        Some(some) => some.into_iter().for_each(|k| search.visit(k as usize)),
        None => search.visit_all(),
    }

    // flag an overflow
    let found = search.found;
    search.d.parted = search.parted;
    OUT.set(Some(search.out));
    d.needed[0] = d.needed[0].max(found);
    if found > m.nconmax as i32 {
        d.overflow[0] |= OVERFLOW_CONTACT;
    }
}

thread_local! {
    // contacts of one pair, kept by this thread, since filling them with zeros takes as long as trying many pairs
    static OUT: Cell<Option<Box<Contacts>>> = const { Cell::new(None) };
}

// the search of one step
struct Search<'a> {
    m: &'a Model,
    d: &'a mut Data,
    boxes: Boxes<f64>,
    parted: Parted<f64>,
    // contacts of the current pair
    out: Box<Contacts>,
    // end of the block of pairs with flexes that was tried last, and its pairs
    end: usize,
    pairs: Vec<Pair>,
    found: i32,
}

impl Search<'_> {
    // where only contacts of near geoms count, most pairs are passed over by one short test
    fn visit_all(&mut self) {
        let m = self.m;
        let all = sleeps(m) || speculates(m) || m.nflex > 0 || !self.d.own.is_shared();
        let reach = m.collision_detect.iter();
        let geoms = m.collision_geom1.iter().zip(&m.collision_geom2);
        for (k, ((&geom1, &geom2), &reach)) in geoms.zip(reach).enumerate() {
            if all || !apart(m, self.d, [geom1, geom2], reach) {
                self.visit(k);
            }
        }
    }

    #[inline(never)]
    fn visit(&mut self, k: usize) {
        let Self {
            m, d, parted, out, ..
        } = self;
        out.num = 0;
        if sleeps(m) && !pair_awake(m, d, k) {
            return;
        }
        if soft::is_soft(m, k) {
            if k >= self.end {
                self.end = soft::crowd(m, k);
                pairs_of(m, d, &self.boxes, (k, self.end), 1, &mut self.pairs);
                self.found += of_flex(m, d, &self.boxes, &self.pairs, out);
            }
            return;
        }
        let ended = of_geoms(m, d, k, parted, out);
        if !ended.sure {
            d.overflow[0] |= OVERFLOW_CCD;
        }
        for point in &out.point[..out.num] {
            let frame = make_frame(point.normal, point.tangent);
            store(m, d, &Pair { k, elem: [-1; 2] }, point, frame, ended.soon);
        }
        self.found += out.num as i32;
    }
}

/// How the search for contacts of a pair ended.
pub(crate) struct Ended {
    /// It converged.
    pub sure: bool,
    /// The contacts are those of an impact within the timestep.
    pub soon: bool,
}

/// Contacts of a pair of geoms.
pub(crate) fn of_geoms(
    m: &Model,
    d: &Data,
    k: usize,
    parted: &mut Parted<f64>,
    out: &mut Contacts,
) -> Ended {
    let mut ended = Ended {
        sure: true,
        soon: false,
    };
    let tried = speculates(m) && tried(m, d, k);
    let near = near(m, d, k);
    if !near && !tried || !let_through(m, d, k, true) {
        return ended;
    }
    let geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    let detect = d.own.collision_detect(m, k);
    if m.users().collides(geoms.map(|geom| m.geom_type[geom])) {
        if near {
            crate::user::meet(m, d, 0, geoms, detect, out);
        }
        return ended;
    }
    let shapes = [shape(m, d, geoms[0]), shape(m, d, geoms[1])];
    let mut none = [0.0; 3];
    let plane = plane_between(m, parted, k).unwrap_or(&mut none);
    if meet(m, &d.own, geoms, &shapes, detect, near, plane) {
        let own = OwnLane::new(&d.own, 0);
        ended.sure = collide(m, own, geoms, &shapes, detect, plane, out);
    }
    let untouched = tried && !touches(out, 0, d.own.collision_margin(m, k));
    ended.soon = untouched && speculate(m, d, k, 0, out);
    ended
}

/// True if some contact of a pair is nearer than its margin, in one lane.
pub(crate) fn touches<R: Real>(found: &Contacts<R>, lane: usize, margin: f64) -> bool {
    let mut found = found.point[..found.num].iter();
    found.any(|p| p.dist.lane(lane) < margin)
}

/// Replaces the contacts of a pair within the gap, in one lane, by those that it will have within the timestep; false if it will
/// have none.
pub(crate) fn speculate<R: Real>(
    m: &Model,
    d: &Data<R>,
    k: usize,
    lane: usize,
    out: &mut Contacts,
) -> bool {
    let mut soon = Contacts::new();
    impact(m, d, k, lane, &mut soon);
    let any = soon.num > 0;
    if any {
        *out = soon;
    }
    any
}

// adds the contacts of some pairs with flexes, which may share one limit; returns their number
fn of_flex(m: &Model, d: &mut Data, boxes: &Boxes<f64>, pairs: &[Pair], out: &mut Contacts) -> i32 {
    let mut all = Vec::new();
    for pair in pairs {
        out.num = 0;
        if let Some(v) = soft::vertex(m, pair.k) {
            soft::plane_vertex(m, d, pair.k, v, true, out);
        } else if soft::near(m, d, boxes, pair) {
            let sides = boxes.sides(m, pair, 0);
            if !soft::touch(m, d, pair, sides, 0, out) {
                d.overflow[0] |= OVERFLOW_CCD;
            }
        }
        all.extend(out.point[..out.num].iter().map(|point| (pair, *point)));
    }
    if soft::reduces(m, pairs, all.len()) {
        let spots: Vec<_> = all.iter().map(|(_, x)| (x.dist, x.pos)).collect();
        let mut stays = soft::stay(m, pairs[0].k, &spots).into_iter();
        all.retain(|_| stays.next() == Some(true));
    }
    for (pair, point) in &all {
        let frame = make_frame(point.normal, point.tangent);
        let frame = match boxes.reversed(m, pair, 0) {
            true => frame.map(|x| -x),
            false => frame,
        };
        store(m, d, pair, point, frame, false);
    }
    all.len() as i32
}

/// Lanes where the geoms of a pair are near: by their bounding spheres, or by a bounding sphere and a plane.
#[inline(always)]
pub fn near<R: Real>(m: &Model, d: &Data<R>, k: usize) -> R::Mask {
    let (geom1, geom2) = (m.collision_geom1[k] as usize, m.collision_geom2[k] as usize);
    let dif = sub3(d.geom_xpos[geom2], d.geom_xpos[geom1]);
    let bounded = [geom1, geom2].map(|geom| m.geom_rbound[geom] > 0.0);
    if bounded == [true; 2] {
        return dot3(dif, dif).le(squared_reach(m, &d.own, k));
    }
    if m.geom_type[geom1] == GeomType::Plane && bounded[1] {
        let height = dot3(dif, column(d.geom_xmat[geom1], 2));
        let reach = d.own.collision_detect(m, k) + d.own.geom_rbound(m, geom2);
        return height.le(reach);
    }
    R::zero().le(R::zero())
}

// true if the bounding spheres of two geoms are farther from each other than `reach`; else [`near`] decides
#[inline(always)]
fn apart(m: &Model, d: &Data, geoms: [i32; 2], reach: f64) -> bool {
    let geoms = geoms.map(|geom| geom as usize);
    let [pos1, pos2] = geoms.map(|geom| d.geom_xpos[geom]);
    let [bound1, bound2] = geoms.map(|geom| m.geom_rbound[geom]);
    let (dif, reach) = (sub3(pos2, pos1), bound1 + bound2 + reach);
    bound1 > 0.0 && bound2 > 0.0 && reach * reach < dot3(dif, dif)
}

// square of the distance of the two centers up to which a pair is near: computed once for all lanes where they share it
#[inline(always)]
fn squared_reach<R: Real>(m: &Model, own: &Own<R>, k: usize) -> R {
    let [geom1, geom2] = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    if own.is_shared() {
        let bound = m.geom_rbound[geom1] + m.geom_rbound[geom2] + m.collision_detect[k];
        return R::splat(bound * bound);
    }
    let bound = own.geom_rbound(m, geom1) + own.geom_rbound(m, geom2) + own.collision_detect(m, k);
    bound * bound
}

/// Lanes where the bounding boxes of two near geoms meet, or the bounding box of a mesh meets a plane, and the support tables of
/// their hulls do not separate them; all lanes if the contacts cost less than this test. `plane` is the one that separated them last.
pub(crate) fn meet<R: Real>(
    m: &Model,
    own: &Own<R>,
    geoms: [usize; 2],
    shapes: &[Shape<R>; 2],
    detect: R,
    near: R::Mask,
    plane: &mut [R; 3],
) -> R::Mask {
    match kind(geoms.map(|geom| m.geom_type[geom])) {
        Some(Kind::Convex) => {
            let meet = near & bounds_meet(m, own, geoms, shapes, detect);
            reaches_meet(m, own, geoms, shapes, detect, meet, plane)
        }
        Some(Kind::PlaneMesh) => {
            let [plane, mesh] = shapes;
            let meet = near & bound_meets_plane(m, own, geoms[1], plane, mesh, detect);
            reach_meets_plane(m, own, geoms[1], plane, mesh, detect, meet)
        }
        _ => near,
    }
}

/// A geom at its pose.
#[inline(always)]
pub fn shape<R: Real>(m: &Model, d: &Data<R>, geom: usize) -> Shape<R> {
    Shape {
        pos: d.geom_xpos[geom],
        mat: d.geom_xmat[geom],
        size: d.own.geom_size(m, geom),
    }
}

/// Function that finds the contacts of two shapes nearer than a distance, in the lanes where they are near.
pub type Function<R = f64> = fn(&Shape<R>, &Shape<R>, R, <R as Real>::Mask, &mut Contacts<R>);

/// The contact function of two geom types, the lower type first; in double precision.
pub fn function<R: Real>(type1: i32, type2: i32) -> Option<Function<R>> {
    use GeomType as T;
    Some(match (T::from_i32(type1)?, T::from_i32(type2)?) {
        (T::Capsule, T::Box) => capsule_box,
        (T::Box, T::Box) => box_box,
        _ => return wide(type1, type2),
    })
}

/// The contact function of two geom types in any precision.
pub fn wide<R: Real>(type1: i32, type2: i32) -> Option<Function<R>> {
    use GeomType as T;
    Some(match (T::from_i32(type1)?, T::from_i32(type2)?) {
        (T::Plane, T::Sphere) => plane_sphere,
        (T::Plane, T::Capsule) => plane_capsule,
        (T::Plane, T::Ellipsoid) => plane_ellipsoid,
        (T::Plane, T::Cylinder) => plane_cylinder,
        (T::Plane, T::Box) => plane_box,
        (T::Sphere, T::Sphere) => sphere_sphere,
        (T::Sphere, T::Capsule) => sphere_capsule,
        (T::Sphere, T::Cylinder) => sphere_cylinder,
        (T::Sphere, T::Box) => sphere_box,
        (T::Capsule, T::Capsule) => capsule_capsule,
        _ => return None,
    })
}

/// Collider of two geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A closed-form function of the two shapes.
    Closed,
    /// The collider of a plane and a mesh.
    PlaneMesh,
    /// The convex collider.
    Convex,
    /// The convex collider, run for each prism of a height field.
    Hfield,
    /// Descent to where two signed distance fields overlap.
    Sdf,
    /// A descent on the triangles of a mesh into a signed distance field.
    MeshSdf,
}

/// Collider of two geom types, the lower type first; none if they cannot collide.
pub fn kind(types: [i32; 2]) -> Option<Kind> {
    use GeomType as T;
    if function::<f64>(types[0], types[1]).is_some() {
        return Some(Kind::Closed);
    }
    let solid = |t: GeomType| (T::Sphere..=T::Mesh).contains(&t);
    match [T::from_i32(types[0])?, T::from_i32(types[1])?] {
        [T::Plane, T::Mesh | T::Sdf] => Some(Kind::PlaneMesh),
        // MuJoCo warns of height fields, and finds no contacts
        [T::Hfield, T::Sdf] => None,
        [T::Mesh, T::Sdf] => Some(Kind::MeshSdf),
        [_, T::Sdf] => Some(Kind::Sdf),
        [T::Hfield, other] if solid(other) => Some(Kind::Hfield),
        [one, other] if solid(one) && solid(other) => Some(Kind::Convex),
        _ => None,
    }
}

/// The plane that last separated the solids of a pair, as its normal in each lane; none for pairs of which the convex collider is not run.
pub(crate) fn plane_between<'a, R: Real>(
    m: &Model,
    parted: &'a mut Parted<R>,
    k: usize,
) -> Option<&'a mut [R; 3]> {
    let types = [m.collision_geom1[k], m.collision_geom2[k]].map(|geom| m.geom_type[geom as usize]);
    (kind(types) == Some(Kind::Convex)).then(|| parted.of(m.ncollision, k))
}

/// Contacts of two geoms at their poses, the lower type first; false if the convex collider stopped before it converged. `own`
/// holds the world's own values of model fields, `plane` the plane that last separated two convex solids.
pub(crate) fn collide<R: Real>(
    m: &Model,
    own: OwnLane<'_, R>,
    geoms: [usize; 2],
    shapes: &[Shape; 2],
    detect: f64,
    plane: &mut [f64; 3],
    out: &mut Contacts,
) -> bool {
    let types = geoms.map(|geom| m.geom_type[geom]);
    if let Some(function) = function(types[0], types[1]) {
        function(&shapes[0], &shapes[1], detect, true, out);
        return true;
    }
    match kind(types) {
        Some(Kind::PlaneMesh) => {
            plane_mesh(m, geoms[1], &shapes[0], shapes[1], detect, out);
            true
        }
        Some(Kind::Hfield) => hfield_convex(m, own, geoms, *shapes, detect, out),
        Some(Kind::Sdf) => {
            shape_sdf(m, own, geoms, *shapes, out);
            true
        }
        Some(Kind::MeshSdf) => {
            mesh_sdf(m, own, geoms, *shapes, out);
            true
        }
        Some(Kind::Convex) if m.opt.disabled(DSBL_NATIVECCD) => {
            let bound = |k: usize| own.geom_rbound(m, geoms[k]);
            older::convex(m, geoms, *shapes, detect, bound(0).min(bound(1)), None, out);
            true
        }
        Some(Kind::Convex) => convex(m, geoms, *shapes, detect, plane, out),
        Some(Kind::Closed) | None => true,
    }
}

// stores a contact in the next slot; if all are taken, the shallowest contact gives way to a deeper one. The remaining contacts
// keep the order of the list
fn store(m: &Model, d: &mut Data, pair: &Pair, point: &Point, frame: [f64; 9], soon: bool) {
    let mut slot = d.ncon[0] as usize;
    if slot == m.nconmax {
        let Some(shallowest) = shallowest(&d.contact_dist[..slot]) else {
            return;
        };
        if point.dist >= d.contact_dist[shallowest] {
            return;
        }
        remove(m, d, shallowest, slot);
        slot -= 1;
    }
    d.contact_collision[slot] = pair.k as i32;
    write_pair(m, d, slot, pair);
    d.contact_dist[slot] = point.dist;
    d.contact_pos[slot] = point.pos;
    d.contact_frame[slot] = frame;
    d.contact_efc_address[slot] = if soon { SOON } else { -1 };
    d.ncon[0] = slot as i32 + 1;
}

// the later one of equally shallow contacts
fn shallowest(dist: &[f64]) -> Option<usize> {
    let mut slot = None;
    let mut most = f64::NEG_INFINITY;
    for (c, &dist) in dist.iter().enumerate() {
        if dist >= most {
            most = dist;
            slot = Some(c);
        }
    }
    slot
}

fn remove(m: &Model, d: &mut Data, slot: usize, num: usize) {
    if m.nblock > 0 {
        let rows = |width: usize| (slot + 1) * width..num * width;
        d.contact_elem.copy_within(rows(2), 2 * slot);
        d.contact_dofnum.copy_within(rows(1), slot);
        d.contact_dof.copy_within(rows(m.nJelem), m.nJelem * slot);
    }
    d.contact_collision.copy_within(slot + 1..num, slot);
    d.contact_dist.copy_within(slot + 1..num, slot);
    d.contact_pos.copy_within(slot + 1..num, slot);
    d.contact_frame.copy_within(slot + 1..num, slot);
    d.contact_efc_address.copy_within(slot + 1..num, slot);
}
