//! The static list of geom pairs that may collide, in the order in which MuJoCo emits their contacts, with the contact
//! parameters of each mixed once (`mj_collision`, `mj_contactParam`; chapter Computation, "Collision detection").
//!
//! Everything that does not depend on the state is decided here: welded and unmovable bodies, parent and child, bit masks,
//! excluded body pairs, predefined pairs, pairs of shapes that never collide. A step tests bounding spheres and pairs alone. The
//! list depends on options (`DSBL_FILTERPARENT`, `DSBL_MIDPHASE`, `ENBL_OVERRIDE`, `o_*`): an edit of the model makes it again.

pub mod parameters;
pub(super) mod soft;

use std::collections::{BTreeSet, HashSet};

use crate::cpu::collision::block::Block;
use crate::cpu::lib::contact::bits_match;
use crate::error::{Error, Result};
use crate::fields::Arrays;
use crate::types::*;

use soft::Soft;
pub(super) use soft::bodies;

/// Largest number of pairs that the list may hold: beyond it, a model should restrict collisions by masks or exclusions.
pub const MAXCOLLISION: usize = 10_000_000;

/// Which pairs of geoms the list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masks {
    /// Pairs of geoms whose masks match.
    OfGeoms,
    /// Pairs of geoms of two bodies with some matching masks: a function of the user's own chooses among them (`mjcb_contactfilter`).
    OfBodies,
}

/// The pairs that the list shall hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    /// Which masks have to match.
    pub masks: Masks,
    /// Types of geoms, the lower first, that functions of the user's own collide (`mjCOLLISIONFUNC`), beside those that have a collider.
    pub also: BTreeSet<[i32; 2]>,
}

impl Default for Pairs {
    /// Those of a model without functions of the user's own.
    fn default() -> Self {
        Self {
            masks: Masks::OfGeoms,
            also: BTreeSet::new(),
        }
    }
}

impl Pairs {
    fn collide(&self, type1: i32, type2: i32) -> bool {
        let types = [type1.min(type2), type1.max(type2)];
        collides(type1, type2) || self.also.contains(&types)
    }
}

/// Fills the list of pairs, `collision_geom1` and its likes. Fails if there are more than [`MAXCOLLISION`] pairs.
pub fn pairs(m: &mut Arrays, wanted: &Pairs) -> Result<()> {
    let mut list = list(m, wanted)?;
    write(m, &list);
    // blocks without two elements that may touch
    let idle = |block: &usize| Block::new(m, *block).number(1) == 0;
    let idle: Vec<i32> = (0..m.nblock)
        .filter(idle)
        .map(|block| m.block_collision[block])
        .collect();
    if !idle.is_empty() {
        let mut k = 0..;
        list.retain(|_| k.next().is_none_or(|k| idle.binary_search(&k).is_err()));
        write(m, &list);
    }
    Ok(())
}

fn write(m: &mut Arrays, list: &[Pair]) {
    m.ncollision = list.len();
    m.collision_geom1 = list.iter().map(|pair| pair.geom1).collect();
    m.collision_geom2 = list.iter().map(|pair| pair.geom2).collect();
    m.collision_pairid = list.iter().map(|pair| pair.pairid).collect();
    soft::write(m, list);
    soft::blocks(m);
}

struct Pair {
    // -1: soft
    geom1: i32,
    geom2: i32,
    pairid: i32,
    soft: [Soft; 2],
}

// the geom of the lower type comes first
fn ordered(m: &Arrays, geom1: usize, geom2: usize, pairid: i32) -> Pair {
    let swap = m.geom_type[geom1] > m.geom_type[geom2];
    let (geom1, geom2) = if swap { (geom2, geom1) } else { (geom1, geom2) };
    Pair {
        geom1: geom1 as i32,
        geom2: geom2 as i32,
        pairid,
        soft: [Soft::NONE; 2],
    }
}

/// True if two shapes have a collision function.
pub fn collides(type1: i32, type2: i32) -> bool {
    let (low, high) = (type1.min(type2), type1.max(type2));
    let unbounded = |t: i32| t == GeomType::Plane || t == GeomType::Hfield;
    let field = high == GeomType::Sdf && low != GeomType::Hfield;
    (field || high < GeomType::Sdf as i32) && !(unbounded(low) && unbounded(high))
}

// body pairs ascend by signature, flexes behind all bodies; predefined pairs go before the dynamic ones of their signature; pairs
// of a flex with itself come last
fn list(m: &Arrays, wanted: &Pairs) -> Result<Vec<Pair>> {
    let mut list = Vec::new();
    let predefined = Predefined::new(m);
    let exclude: HashSet<i32> = m.exclude_signature.iter().copied().collect();
    let bodies: Vec<usize> = (0..m.nbody).filter(|&i| can_collide(m, i)).collect();
    let flexes: Vec<usize> = (0..m.nflex).filter(|&f| soft::can_collide(m, f)).collect();
    let mut next = 0;
    for (k, &body1) in bodies.iter().enumerate() {
        for &body2 in &bodies[k + 1..] {
            if !bodies_collide(m, body1, body2) {
                continue;
            }
            let signature = ((body1 << 16) + body2) as i32;
            next = predefined.emit(m, wanted, next, Some(signature), &mut list);
            if !exclude.contains(&signature) {
                dynamic(m, wanted, [body1, body2], &predefined, &mut list);
            }
            fits(&list)?;
        }
        for &f in &flexes {
            let signature = ((body1 << 16) + m.nbody + f) as i32;
            next = predefined.emit(m, wanted, next, Some(signature), &mut list);
            soft::with_body(m, body1, f, &mut list)?;
        }
    }
    for (k, &f1) in flexes.iter().enumerate() {
        for &f2 in &flexes[k + 1..] {
            soft::with_flex(m, f1, f2, &mut list);
        }
    }
    predefined.emit(m, wanted, next, None, &mut list);
    for &f in &flexes {
        soft::with_itself(m, f, &mut list);
    }
    Ok(list)
}

fn fits(list: &[Pair]) -> Result<()> {
    match list.len() > MAXCOLLISION {
        true => Err(Error::Size {
            what: "pairs of geoms, and of geoms and elements of flexes, that may collide (exclude pairs by contype, conaffinity or \
                   <exclude>)"
                .into(),
            need: list.len() as u64,
            have: MAXCOLLISION as u64,
        }),
        false => Ok(()),
    }
}

fn can_collide(m: &Arrays, body: usize) -> bool {
    geoms(m, body).any(|g| has_masks(m, g))
}

fn has_masks(m: &Arrays, geom: usize) -> bool {
    m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0
}

fn geoms(m: &Arrays, body: usize) -> std::ops::Range<usize> {
    let adr = m.body_geomadr[body].max(0) as usize;
    adr..adr + m.body_geomnum[body] as usize
}

// bodies welded together do not collide, nor do two that forces cannot move (the world, mocap bodies, bodies welded to either),
// nor parent and child unless the parent is static
fn bodies_collide(m: &Arrays, body1: usize, body2: usize) -> bool {
    let weld = |i: usize| m.body_weldid[i] as usize;
    let (weld1, weld2) = (weld(body1), weld(body2));
    if weld1 == weld2 || (is_static(m, body1) && is_static(m, body2)) {
        return false;
    }
    let parent = |i: usize| weld(m.body_parentid[i] as usize);
    let filterparent = !m.opt.disabled(DSBL_FILTERPARENT) && weld1 != 0 && weld2 != 0;
    !(filterparent && (weld1 == parent(weld2) || weld2 == parent(weld1)))
}

// whether forces cannot move a body
fn is_static(m: &Arrays, body: usize) -> bool {
    m.body_dofnum[m.body_weldid[body] as usize] == 0
}

fn masks_match(m: &Arrays, geom1: usize, geom2: usize) -> bool {
    let masks = |g: usize| [m.geom_contype[g], m.geom_conaffinity[g]];
    bits_match(masks(geom1), masks(geom2))
}

// whether masks of two bodies match, each the union of its geoms' masks
fn masks_of_bodies_match(m: &Arrays, [body1, body2]: [usize; 2]) -> bool {
    let all = |masks: &[i32], body: usize| geoms(m, body).fold(0, |all, g| all | masks[g]);
    let masks = |body: usize| [all(&m.geom_contype, body), all(&m.geom_conaffinity, body)];
    bits_match(masks(body1), masks(body2))
}

// the dynamic pairs of two bodies; the mid phase leaves out geoms without masks
fn dynamic(
    m: &Arrays,
    wanted: &Pairs,
    [body1, body2]: [usize; 2],
    predefined: &Predefined,
    list: &mut Vec<Pair>,
) {
    let masks = wanted.masks;
    if masks == Masks::OfBodies && !masks_of_bodies_match(m, [body1, body2]) {
        return;
    }
    let single = m.body_geomnum[body1] == 1 && m.body_geomnum[body2] == 1;
    let midphase = !single && !m.opt.disabled(DSBL_MIDPHASE);
    let is_tried = |geom1: usize, geom2: usize| match masks {
        Masks::OfGeoms => masks_match(m, geom1, geom2),
        Masks::OfBodies => !midphase || has_masks(m, geom1) && has_masks(m, geom2),
    };
    let start = list.len();
    for geom1 in geoms(m, body1) {
        for geom2 in geoms(m, body2) {
            if is_tried(geom1, geom2)
                && wanted.collide(m.geom_type[geom1], m.geom_type[geom2])
                && !predefined.has(geom1, geom2)
            {
                list.push(ordered(m, geom1, geom2, -1));
            }
        }
    }

    // the mid phase sorts contacts by the geoms as they stand in the contact, lower type first
    if midphase {
        list[start..].sort_by_key(|pair| (pair.geom1, pair.geom2));
    }
}

// predefined pairs in order of their signature
struct Predefined {
    order: Vec<usize>,
    pairs: HashSet<(i32, i32)>,
}

impl Predefined {
    fn new(m: &Arrays) -> Self {
        let mut order: Vec<usize> = (0..m.npair).collect();
        order.sort_by_key(|&k| m.pair_signature[k]);
        let pairs = (0..m.npair)
            .map(|k| sorted(m.pair_geom1[k], m.pair_geom2[k]))
            .collect();
        Self { order, pairs }
    }

    fn has(&self, geom1: usize, geom2: usize) -> bool {
        !self.pairs.is_empty() && self.pairs.contains(&sorted(geom1 as i32, geom2 as i32))
    }

    // emits the predefined pairs up to a signature, from `next` on; returns the new `next`
    fn emit(
        &self,
        m: &Arrays,
        wanted: &Pairs,
        next: usize,
        until: Option<i32>,
        list: &mut Vec<Pair>,
    ) -> usize {
        let rest = &self.order[next..];
        let num = rest
            .iter()
            .take_while(|&&k| until.is_none_or(|signature| m.pair_signature[k] <= signature))
            .count();
        for &k in &rest[..num] {
            let (geom1, geom2) = (m.pair_geom1[k] as usize, m.pair_geom2[k] as usize);
            if wanted.collide(m.geom_type[geom1], m.geom_type[geom2]) {
                list.push(ordered(m, geom1, geom2, k as i32));
            }
        }
        next + num
    }
}

fn sorted(a: i32, b: i32) -> (i32, i32) {
    (a.min(b), a.max(b))
}

/// Number of pairs that an entry of the list stands for; not more than so many are counted.
pub fn number(m: &Arrays, pair: usize, most: usize) -> usize {
    Block::of_pair(m, pair).map_or(1, |block| block.number(most))
}

/// Largest number of contacts that two shapes can make (`mj_maxContact`).
pub fn max_contact(m: &Arrays, pair: usize) -> usize {
    use GeomType as T;
    let geoms = [m.collision_geom1[pair], m.collision_geom2[pair]];
    if geoms[1] < 0 {
        return soft::max_contact(m, pair);
    }
    let [low, high] = geoms.map(|g| T::from_i32(m.geom_type[g as usize]));
    let (Some(low), Some(high)) = (low, high) else {
        return 0;
    };
    let multiccd = !m.opt.disabled(DSBL_MULTICCD);
    match (low, high) {
        (T::Hfield, _) => MAXCONPAIR,
        (T::Plane, T::Sdf) => 4,
        (T::Mesh, T::Sdf) => MAXCONPAIR,
        (_, T::Sdf) => usize::try_from(m.opt.sdf_initpoints).map_or(0, |n| n.min(MAXCONPAIR)),
        (T::Sphere | T::Ellipsoid, _) | (_, T::Sphere | T::Ellipsoid) => 1,
        (T::Box, T::Box) => 8,
        (T::Capsule, T::Capsule) | (T::Plane, T::Capsule) => 2,
        (T::Capsule, T::Box) | (T::Plane, T::Cylinder | T::Box | T::Mesh) => 4,
        _ if !multiccd => 1,
        _ => 5,
    }
}

/// Rows that one contact of a pair makes.
pub fn contact_rows(m: &Arrays, pair: usize) -> usize {
    let condim = m.collision_condim[pair] as usize;
    match condim {
        1 => 1,
        _ if m.opt.cone == Cone::Elliptic => condim,
        _ => 2 * (condim - 1),
    }
}
