//! Comparison of contacts of shader and twin where the last bits decide.
//!
//! Two shapes that just touch have a contact or none, and a search of convex solids goes by which of several vertices or faces is
//! nearest. Where two are equally near, the choice between contacts of the same depth, and their order, is not an error. Such ties are found
//! by the twin alone: it is run again with the shapes moved by the last bits of an `f32`. If it then finds another
//! number of contacts, or, for convex solids, contacts that differ by more than a tolerance, the pair is at a tie and its contacts are not
//! compared. The number of ties is reported.
//!
//! Where a solid is round, the distance is the minimum of a smooth function: if the distance has some accuracy, the
//! point and the normal have its square root only. Their errors are therefore squared before they are compared, and so are those of
//! the distances where an edge or a face lies along such a normal in several contacts. The same holds for distance sensors.
//!
//! A descent into a signed distance field takes many decisions, so that a displacement by the last bits often changes its end, while its
//! roundings in `f32` are smaller and seldom do. So only a pair whose contacts differ is asked whether it is at a tie. The same holds for the
//! older convex collider, whose depth jumps with the end of its search.

mod distances;

pub use distances::settle_distances;

use std::ops::Range;

use crate::cpu::collision::element_boxes::Boxes;
use crate::cpu::collision::portal::{Random, Rounding};
use crate::cpu::collision::soft::Pair;
use crate::cpu::collision::support::Solid;
use crate::cpu::collision::sweep::speculates;
use crate::cpu::collision::{Kind, collide, kind, of_geoms, older, soft};
use crate::cpu::lib::contact::{Contacts, Point, SOON, Shape, make_frame};
use crate::cpu::lib::math::{norm3, sub3};
use crate::fields::{Data, Model, OwnLane, Parted};
use crate::gpu::solids;
use crate::types::*;

/// Displacement of the shapes, relative to their size.
const MOVE: f64 = 1e-6;
/// Number of displacements.
const TRIALS: usize = 12;
/// Change of the result above which it is at a tie; the second value is for round solids, whose errors are squared.
const TIE: [f64; 2] = [3e-5, 3e-3];

/// Difference of two contacts of a descent up to which they are the same.
const ALIKE: f64 = 1e-4;

/// Counts of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ties {
    /// Pairs with contacts, or distance sensors.
    pub met: usize,
    /// How many are at a tie.
    pub ties: usize,
}

/// Makes a shader's contacts of one world comparable with the twin's, index by index. Contacts of a pair that differ in order only
/// get the twin's order, pairs at a tie get the twin's contacts, errors of round solids are squared. `before` is the common
/// input world.
pub fn settle(m: &Model, before: &Data, twin: &Data, shader: &mut Data) -> Ties {
    let mut out = Ties::default();
    // where contacts are missing for lack of room, pairs cannot be compared
    let full = |d: &Data| d.overflow[0] & OVERFLOW_CONTACT != 0;
    if full(twin) || full(shader) {
        return out;
    }
    let mut list = Vec::new();
    for pair in pairs(m, [twin, shader]) {
        let k = pair.k;
        let (of_twin, of_shader) = (Row::all(m, twin, &pair), Row::all(m, shader, &pair));
        if of_twin.is_empty() && of_shader.is_empty() {
            continue;
        }
        out.met += 1;
        let flexible = soft::is_soft(m, k);
        let kind = if flexible { None } else { kind(types(m, k)) };
        let field = flexible && soft::is_field(m, k);
        let element = flexible && !field;
        // an impact within the timestep is found by searches, whatever the shapes
        let mut both = of_twin.iter().chain(&of_shader);
        let soon = both.any(|row| row.efc_address == SOON);
        let convex = element || soon || matches!(kind, Some(Kind::Convex | Kind::Hfield));
        let descends = field || matches!(kind, Some(Kind::Sdf | Kind::MeshSdf));
        // elements of flexes have a radius
        let round = element || (convex && is_round(m, types(m, k)));
        let most = match convex || descends {
            true => TIE[usize::from(round)],
            false => f64::INFINITY,
        };
        let alike = descends && are_alike(&of_twin, &of_shader);
        let ends = convex && !have_one_depth(&of_twin, &of_shader);
        if !alike && tie(m, before, &pair, most) || ends && tie_of_portals(m, before, &pair) {
            out.ties += 1;
            list.extend(of_twin);
        } else if convex && of_twin.len() == of_shader.len() {
            list.extend(in_order(&of_twin, of_shader, round));
        } else {
            list.extend(of_shader);
        }
    }
    if out.ties > 0 {
        // adjust the values that depend on the number of contacts, too
        shader.overflow[0] &= !OVERFLOW_CCD;
        shader.overflow[0] |= twin.overflow[0] & OVERFLOW_CCD;
        let was = before.needed[0];
        if shader.needed[0] == was.max(shader.ncon[0]) {
            shader.needed[0] = was.max(list.len() as i32);
        }
    }
    // contacts that gave way to others of their flexes stay behind the last
    let end = match super::solids::crowds(m) {
        true => m.nconmax,
        false => shader.ncon[0] as usize,
    };
    for slot in list.len()..end {
        Row::of(m, before, slot).put(m, shader, slot);
    }
    for (slot, row) in list.iter().enumerate().take(m.nconmax) {
        row.put(m, shader, slot);
    }
    shader.ncon[0] = list.len().min(m.nconmax) as i32;
    out
}

// the pairs of contacts of a world and of another: of blocks those that have contacts
fn pairs(m: &Model, worlds: [&Data; 2]) -> Vec<Pair> {
    let mut out = Vec::new();
    for k in 0..m.ncollision {
        if !soft::is_block(m, k) {
            out.push(match soft::is_soft(m, k) {
                true => Pair::listed(m, k),
                false => Pair { k, elem: [-1; 2] },
            });
            continue;
        }
        let first = out.len();
        for d in worlds {
            for c in contacts(d).filter(|&c| d.contact_collision[c] == k as i32) {
                let pair = Pair::of_contact(m, d, c, k);
                if !out[first..].contains(&pair) {
                    out.push(pair);
                }
            }
        }
    }
    out
}

fn contacts(d: &Data) -> Range<usize> {
    0..(d.ncon[0].max(0) as usize).min(d.contact_dist.len())
}

fn types(m: &Model, k: usize) -> [i32; 2] {
    geoms(m, k).map(|geom| m.geom_type[geom])
}

fn geoms(m: &Model, k: usize) -> [usize; 2] {
    [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize]
}

// whether a geom of these types is curved; a sphere and a capsule are so for the older collider only, since the newer one replaces
// them by a point and a segment
fn is_round(m: &Model, types: [i32; 2]) -> bool {
    let replaced = |t: i32| t == GeomType::Sphere || t == GeomType::Capsule;
    let curved = |t: i32| t == GeomType::Ellipsoid || t == GeomType::Cylinder;
    let older = m.opt.disabled(DSBL_NATIVECCD);
    types.into_iter().any(|t| curved(t) || older && replaced(t))
}

// places of a contact in contact_elem, contact_dofnum and contact_dof
fn numbers_of_elements(m: &Model, c: usize) -> [Range<usize>; 3] {
    let some = usize::from(m.nblock > 0);
    [2, 1, m.nJelem].map(|width| some * c * width..some * (c + 1) * width)
}

/// The arrays of one contact.
#[derive(Clone)]
struct Row {
    collision: i32,
    efc_address: i32,
    dist: f64,
    pos: [f64; 3],
    frame: [f64; 9],
    // elements of the sides, number of the dofs that move them, and these dofs; empty in a model without blocks
    elements: [Vec<i32>; 3],
}

impl Row {
    fn of(m: &Model, d: &Data, c: usize) -> Self {
        Self {
            elements: {
                let [elem, num, dofs] = numbers_of_elements(m, c);
                [
                    d.contact_elem[elem].to_vec(),
                    d.contact_dofnum[num].to_vec(),
                    d.contact_dof[dofs].to_vec(),
                ]
            },
            collision: d.contact_collision[c],
            efc_address: d.contact_efc_address[c],
            dist: d.contact_dist[c],
            pos: d.contact_pos[c],
            frame: d.contact_frame[c],
        }
    }

    // contacts of a pair
    fn all(m: &Model, d: &Data, pair: &Pair) -> Vec<Self> {
        let is_elem = |c: usize| {
            !soft::is_block(m, pair.k) || Pair::of_contact(m, d, c, pair.k).elem == pair.elem
        };
        let rows = contacts(d).filter(|&c| d.contact_collision[c] == pair.k as i32);
        let of_pair = rows.filter(|&c| is_elem(c));
        of_pair.map(|c| Self::of(m, d, c)).collect()
    }

    fn put(&self, m: &Model, d: &mut Data, c: usize) {
        let rows = [
            &mut d.contact_elem,
            &mut d.contact_dofnum,
            &mut d.contact_dof,
        ];
        let places = numbers_of_elements(m, c).into_iter().zip(&self.elements);
        for (row, (at, own)) in rows.into_iter().zip(places) {
            row[at].copy_from_slice(own);
        }
        d.contact_collision[c] = self.collision;
        d.contact_efc_address[c] = self.efc_address;
        d.contact_dist[c] = self.dist;
        d.contact_pos[c] = self.pos;
        d.contact_frame[c] = self.frame;
    }

    // distance to another contact, in position, normal and depth
    fn away(&self, other: &Self) -> f64 {
        let far =
            |i: usize| (self.pos[i] - other.pos[i]).abs() + (self.frame[i] - other.frame[i]).abs();
        (0..3).map(far).sum::<f64>() + (self.dist - other.dist).abs()
    }

    // squares the errors of position and frame; of the distance too, if the pair has several contacts
    fn squared(&mut self, twin: &Self, several: bool) {
        (0..3).for_each(|i| square(&mut self.pos[i], twin.pos[i]));
        (0..9).for_each(|i| square(&mut self.frame[i], twin.frame[i]));
        if several {
            square(&mut self.dist, twin.dist);
        }
    }
}

// replaces a number's error by its square
fn square(x: &mut f64, twin: f64) {
    let error = *x - twin;
    *x = twin + error * error.abs().min(1.0);
}

// whether contacts are the same ones, in the same order
fn are_alike(twin: &[Row], shader: &[Row]) -> bool {
    let mut both = twin.iter().zip(shader);
    twin.len() == shader.len() && both.all(|(twin, shader)| shader.away(twin) <= ALIKE)
}

// whether contacts of the same place in both lists are equally deep
fn have_one_depth(twin: &[Row], shader: &[Row]) -> bool {
    let mut both = twin.iter().zip(shader);
    both.all(|(twin, shader)| (twin.dist - shader.dist).abs() <= TIE[0])
}

// a pair's contacts in the twin's order: each twin contact gets the nearest
fn in_order(twin: &[Row], mut shader: Vec<Row>, round: bool) -> Vec<Row> {
    let mut out = Vec::new();
    for want in twin {
        let away = shader.iter().map(|row| row.away(want));
        let nearest = away.enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let mut row = shader.swap_remove(nearest.map_or(0, |(k, _)| k));
        if round {
            row.squared(want, twin.len() > 1);
        }
        out.push(row);
    }
    out
}

// whether the twin's contacts of a pair jump when its shapes, or the vertices of its flexes, move by the last bits
fn tie(m: &Model, d: &Data, pair: &Pair, most: f64) -> bool {
    let k = pair.k;
    match soft::is_soft(m, k) {
        true => tie_of_flexes(m, d, pair, most),
        false if speculates(m) => tie_of_impacts(m, d, k, most),
        false => tie_of_geoms(m, d, k, most),
    }
}

// whether the result of a search jumps in one of the trials; a search that ran out of iterations has an arbitrary result
fn jumps(
    base: (bool, Contacts),
    mut again: impl FnMut(&mut Random) -> (bool, Contacts),
    most: f64,
) -> bool {
    let (sure, base) = base;
    let mut random = Random::default();
    !sure
        || (0..TRIALS).any(|_| {
            let (sure, moved) = again(&mut random);
            !sure || moved.num != base.num || spread(&base, &moved) > most
        })
}

fn tie_of_flexes(m: &Model, d: &Data, pair: &Pair, most: f64) -> bool {
    if soft::vertex(m, pair.k).is_some() {
        return false;
    }
    let search = |d: &Data| {
        let mut out = Contacts::new();
        let sides = Boxes::new(m, d).sides(m, pair, 0);
        let sure = soft::touch(m, d, pair, sides, 0, &mut out);
        (sure, out)
    };
    let mut moved = d.clone();
    let again = |random: &mut Random| {
        let places = d.flexvert_xpos.iter().flatten();
        for (x, place) in moved.flexvert_xpos.iter_mut().flatten().zip(places) {
            *x = place + MOVE * random.next();
        }
        // the frames of rods turn with them
        for (x, kept) in moved.rod_plastic.iter_mut().zip(&d.rod_plastic) {
            *x = kept + MOVE * random.next();
        }
        search(&moved)
    };
    jumps(search(d), again, most)
}

fn tie_of_impacts(m: &Model, d: &Data, k: usize, most: f64) -> bool {
    let search = |d: &Data| {
        let mut out = Contacts::new();
        let sure = of_geoms(m, d, k, &mut Parted::default(), &mut out).sure;
        (sure, out)
    };
    let mut moved = d.clone();
    let again = |random: &mut Random| {
        for geom in geoms(m, k) {
            let shape = nudge(shape_of(m, d, geom), far(m, k), random);
            (moved.geom_xpos[geom], moved.geom_xmat[geom]) = (shape.pos, shape.mat);
        }
        search(&moved)
    };
    jumps(search(d), again, most)
}

// displacement of the shapes of a pair in a trial (m)
fn far(m: &Model, k: usize) -> f64 {
    let [bound1, bound2] = geoms(m, k).map(|geom| m.geom_rbound[geom]);
    MOVE * (bound1 + bound2)
}

fn shape_of(m: &Model, d: &Data, geom: usize) -> Shape {
    Shape {
        pos: d.geom_xpos[geom],
        mat: d.geom_xmat[geom],
        size: m.geom_size[geom],
    }
}

fn tie_of_geoms(m: &Model, d: &Data, k: usize, most: f64) -> bool {
    let geoms = geoms(m, k);
    let shapes = geoms.map(|geom| shape_of(m, d, geom));
    let search = |shapes: [Shape; 2]| {
        let mut out = Contacts::new();
        let own = OwnLane::new(&d.own, 0);
        let sure = collide(
            m,
            own,
            geoms,
            &shapes,
            m.collision_detect[k],
            &mut [0.0; 3],
            &mut out,
        );
        (sure, out)
    };
    let far = far(m, k);
    let again = |random: &mut Random| search(shapes.map(|shape| nudge(shape, far, random)));
    jumps(search(shapes), again, most)
}

// whether the depth that the older collider finds jumps when the points of its search are rounded, each by itself: its last portal need not
// contain the point nearest to the origin, and which portal is the last depends on roundings
fn tie_of_portals(m: &Model, d: &Data, pair: &Pair) -> bool {
    let k = pair.k;
    if !m.opt.disabled(DSBL_NATIVECCD) {
        return false;
    }
    match soft::is_soft(m, k) {
        true if of_hfield(m, k) => {
            let far = MOVE * m.geom_rbound[m.collision_geom1[k] as usize];
            ends_elsewhere(far, |rounding| {
                let found = soft::older_over_field(m, d, pair, rounding);
                Some(
                    found.point[..found.num]
                        .iter()
                        .map(|point| point.dist)
                        .sum(),
                )
            })
        }
        true if solids::is_searched(m, k) => {
            let sides = Boxes::new(m, d).sides(m, pair, 0);
            ends_elsewhere(far_of_solids(m, d, pair, sides), |rounding| {
                let [mut first, mut second] = soft::solids(m, d, pair, sides, 0);
                let found = older::depth(m, &mut first, &mut second, Some(rounding))?;
                Some(-found.depth)
            })
        }
        false if kind(types(m, k)) == Some(Kind::Convex) => {
            let (geoms, own) = (geoms(m, k), OwnLane::new(&d.own, 0));
            let shapes = geoms.map(|geom| shape_of(m, d, geom));
            let bound = |k: usize| own.geom_rbound(m, geoms[k]);
            let (bound, detect) = (bound(0).min(bound(1)), m.collision_detect[k]);
            ends_elsewhere(far(m, k), |rounding| {
                let mut out = Contacts::new();
                older::convex(m, geoms, shapes, detect, bound, Some(rounding), &mut out);
                // all contacts have the first one's
                (out.num > 0).then_some(out.point[0].dist)
            })
        }
        _ => false,
    }
}

fn of_hfield(m: &Model, k: usize) -> bool {
    usize::try_from(m.collision_geom1[k]).is_ok_and(|geom| m.geom_type[geom] == GeomType::Hfield)
}

// displacement of the points of a search with an element (m)
fn far_of_solids(m: &Model, d: &Data, pair: &Pair, sides: [usize; 2]) -> f64 {
    let size = |solid: &mut Solid<'_>| norm3(sub3(solid.support([1.0, 0.0, 0.0]), solid.center()));
    MOVE * soft::solids(m, d, pair, sides, 0)
        .iter_mut()
        .map(size)
        .sum::<f64>()
}

// whether a distance jumps in one of the trials with roundings of this size
fn ends_elsewhere(far: f64, mut dist: impl FnMut(&mut Rounding) -> Option<f64>) -> bool {
    let mut random = Random::default();
    let mut trial = |size: f64| {
        let mut rounding = Rounding { size, random };
        let found = dist(&mut rounding);
        random = rounding.random;
        found
    };
    let base = trial(0.0);
    (0..TRIALS).any(|_| match (base, trial(far)) {
        (Some(base), Some(moved)) => (base - moved).abs() > TIE[0],
        (base, moved) => base.is_some() != moved.is_some(),
    })
}

// a shape slightly moved, turned and sheared, so that symmetric corners, as on a cylinder's cap, are no longer equally far
fn nudge(mut shape: Shape, far: f64, random: &mut Random) -> Shape {
    shape.pos = shape.pos.map(|x| x + far * random.next());
    shape.mat = shape.mat.map(|x| x + MOVE * random.next());
    shape
}

// largest distance of a contact to the nearest one of another search, whatever their order
fn spread(base: &Contacts, moved: &Contacts) -> f64 {
    let apart = |a: &Point, b: &Point| {
        let frames = [a, b].map(|p| make_frame(p.normal, p.tangent));
        let place = (0..3).map(|i| (a.pos[i] - b.pos[i]).abs());
        let frame = (0..9).map(|i| (frames[0][i] - frames[1][i]).abs());
        place.chain(frame).fold((a.dist - b.dist).abs(), f64::max)
    };
    let nearest = |a: &Point| {
        let all = moved.point[..moved.num].iter();
        all.map(|b| apart(a, b)).fold(f64::INFINITY, f64::min)
    };
    let points = base.point[..base.num].iter();
    points.map(nearest).fold(0.0, f64::max)
}
