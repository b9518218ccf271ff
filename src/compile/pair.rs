//! The static list of geom pairs that may collide, in the order in which MuJoCo emits their contacts, with the contact
//! parameters of each mixed once (`mj_collision`, `mj_contactParam`; chapter Computation, "Collision detection").
//!
//! Everything that does not depend on the state is decided here: welded and unmovable bodies, parent and child, bit masks, excluded body
//! pairs, predefined pairs, pairs of shapes that never collide. What is left for a step are bounding spheres and the pairs.
//! Options enter (`DSBL_FILTERPARENT`, `DSBL_MIDPHASE`, `ENBL_OVERRIDE`, `o_*`): an edit of the model makes the list again.

mod soft;

use std::collections::HashSet;

use super::emit::put;
use crate::error::{Error, Result};
use crate::fields::Arrays;
use crate::types::*;

use soft::Soft;
pub(super) use soft::bodies;

/// Largest number of pairs that the list may hold: beyond it, a model should say what may collide by masks or exclusions.
pub const MAXCOLLISION: usize = 10_000_000;

/// Which pairs of geoms the list holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masks {
    /// Those whose masks match.
    OfGeoms,
    /// Those of two bodies of which some masks match: a function of the user's own chooses among them (`mjcb_contactfilter`).
    OfBodies,
}

/// Fills the list of pairs, `collision_geom1` and its likes. Fails if there are more than [`MAXCOLLISION`] pairs.
pub fn pairs(m: &mut Arrays, masks: Masks) -> Result<()> {
    let list = list(m, masks)?;
    m.ncollision = list.len();
    m.collision_geom1 = list.iter().map(|pair| pair.geom1).collect();
    m.collision_geom2 = list.iter().map(|pair| pair.geom2).collect();
    m.collision_pairid = list.iter().map(|pair| pair.pairid).collect();
    soft::write(m, &list);
    Ok(())
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

// body pairs ascend by signature, flexes behind all bodies; predefined pairs go before the dynamic ones of their signature; what
// touches itself comes last
fn list(m: &Arrays, masks: Masks) -> Result<Vec<Pair>> {
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
            next = predefined.emit(m, next, Some(signature), &mut list);
            if !exclude.contains(&signature) {
                dynamic(m, masks, [body1, body2], &predefined, &mut list);
            }
            fits(&list)?;
        }
        for &f in &flexes {
            let signature = ((body1 << 16) + m.nbody + f) as i32;
            next = predefined.emit(m, next, Some(signature), &mut list);
            soft::with_body(m, body1, f, &mut list)?;
        }
    }
    for (k, &f1) in flexes.iter().enumerate() {
        for &f2 in &flexes[k + 1..] {
            soft::with_flex(m, f1, f2, &mut list)?;
        }
    }
    predefined.emit(m, next, None, &mut list);
    for &f in &flexes {
        soft::with_itself(m, f, &mut list)?;
    }
    Ok(list)
}

fn fits(list: &[Pair]) -> Result<()> {
    match list.len() > MAXCOLLISION {
        true => Err(too_many(list.len())),
        false => Ok(()),
    }
}

fn too_many(need: usize) -> Error {
    Error::Size {
        what: "pairs of geoms, and of elements of flexes, that may collide (say what may not by contype, conaffinity, <exclude> or \
               selfcollide)"
            .into(),
        need: need as u64,
        have: MAXCOLLISION as u64,
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

// bodies welded together do not collide, nor do two that forces cannot move (the world, mocap bodies, what is welded to
// them), nor parent and child unless the parent is static
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

// the same of all geoms of two bodies together
fn masks_of_bodies_match(m: &Arrays, [body1, body2]: [usize; 2]) -> bool {
    let all = |masks: &[i32], body: usize| geoms(m, body).fold(0, |all, g| all | masks[g]);
    let masks = |body: usize| [all(&m.geom_contype, body), all(&m.geom_conaffinity, body)];
    bits_match(masks(body1), masks(body2))
}

// whether the types of one of two, and what the other touches, have a bit in common
fn bits_match([type1, touches1]: [i32; 2], [type2, touches2]: [i32; 2]) -> bool {
    type1 & touches2 != 0 || type2 & touches1 != 0
}

// the dynamic pairs of two bodies; the mid phase has no geoms without masks
fn dynamic(
    m: &Arrays,
    masks: Masks,
    [body1, body2]: [usize; 2],
    predefined: &Predefined,
    list: &mut Vec<Pair>,
) {
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
                && collides(m.geom_type[geom1], m.geom_type[geom2])
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

    // those up to a signature, from the next on; returns the new next
    fn emit(&self, m: &Arrays, next: usize, until: Option<i32>, list: &mut Vec<Pair>) -> usize {
        let rest = &self.order[next..];
        let num = rest
            .iter()
            .take_while(|&&k| until.is_none_or(|signature| m.pair_signature[k] <= signature))
            .count();
        for &k in &rest[..num] {
            let (geom1, geom2) = (m.pair_geom1[k] as usize, m.pair_geom2[k] as usize);
            if collides(m.geom_type[geom1], m.geom_type[geom2]) {
                list.push(ordered(m, geom1, geom2, k as i32));
            }
        }
        next + num
    }
}

fn sorted(a: i32, b: i32) -> (i32, i32) {
    (a.min(b), a.max(b))
}

/// What a geom or a flex says of its contacts.
struct Matter {
    priority: i32,
    condim: i32,
    solmix: f64,
    margin: f64,
    gap: f64,
    friction: [f64; 3],
    solref: [f64; 2],
    solimp: [f64; 5],
    adhesion: f64,
}

/// Contact parameters of a pair of geoms.
#[derive(Clone, Copy)]
struct Mixed {
    condim: i32,
    margin: f64,
    gap: f64,
    friction: [f64; 5],
    solref: [f64; 2],
    solreffriction: [f64; 2],
    solimp: [f64; 5],
    adhesion: f64,
}

/// Fills the parameters of the contacts of each pair, `collision_friction` and its likes.
pub fn parameters(m: &mut Arrays) {
    let n = m.ncollision;
    m.collision_condim.resize(n, 0);
    for (list, width) in [
        (&mut m.collision_detect, 1),
        (&mut m.collision_margin, 1),
        (&mut m.collision_friction, 5),
        (&mut m.collision_solref, 2),
        (&mut m.collision_solreffriction, 2),
        (&mut m.collision_solimp, 5),
        (&mut m.collision_adhesion, 1),
    ] {
        // lists may be long: none has more room than it needs
        list.reserve_exact((n * width).saturating_sub(list.len()));
        list.resize(n * width, 0.0);
    }
    for k in 0..n {
        let mix = parameters_of(m, k);
        m.collision_condim[k] = mix.condim;
        m.collision_detect[k] = mix.margin + mix.gap;
        m.collision_margin[k] = mix.margin;
        put(&mut m.collision_friction, k, &mix.friction);
        put(&mut m.collision_solref, k, &mix.solref);
        put(&mut m.collision_solreffriction, k, &mix.solreffriction);
        put(&mut m.collision_solimp, k, &mix.solimp);
        m.collision_adhesion[k] = mix.adhesion;
    }
    let sticks = |adhesion: &&f64| **adhesion != 0.0;
    m.nadhesion = m.collision_adhesion.iter().filter(sticks).count();
}

fn parameters_of(m: &Arrays, k: usize) -> Mixed {
    let mut mix = match usize::try_from(m.collision_pairid[k]) {
        Ok(pair) => predefined_parameters(m, pair),
        Err(_) => mix(&matter(m, k, 0), &matter(m, k, 1)),
    };
    if m.opt.enabled(ENBL_OVERRIDE) {
        mix.margin = m.opt.o_margin;
        mix.friction = m.opt.o_friction;
        mix.solref = m.opt.o_solref;
        mix.solreffriction = m.opt.o_solref;
        mix.solimp = m.opt.o_solimp;
    }
    // a flex against itself has neither margin nor gap: elements that are neighbours would always be within it
    if soft::is_itself(m, k) {
        (mix.margin, mix.gap) = (0.0, 0.0);
    }
    mix.friction = mix.friction.map(|mu| mu.max(MINMU));
    mix
}

// what a side of a pair says of its contacts
fn matter(m: &Arrays, k: usize, side: usize) -> Matter {
    let geom = [m.collision_geom1[k], m.collision_geom2[k]][side];
    let Ok(g) = usize::try_from(geom) else {
        return soft::matter(m, m.collision_flex[2 * k + side] as usize);
    };
    Matter {
        priority: m.geom_priority[g],
        condim: m.geom_condim[g],
        solmix: m.geom_solmix[g],
        margin: m.geom_margin[g],
        gap: m.geom_gap[g],
        friction: m.geom_friction[g],
        solref: row(&m.geom_solref, g),
        solimp: row(&m.geom_solimp, g),
        adhesion: m.geom_adhesion[g],
    }
}

fn row<const N: usize>(array: &[f64], i: usize) -> [f64; N] {
    std::array::from_fn(|k| array[i * N + k])
}

fn predefined_parameters(m: &Arrays, k: usize) -> Mixed {
    Mixed {
        condim: m.pair_dim[k],
        margin: m.pair_margin[k],
        gap: m.pair_gap[k],
        friction: row(&m.pair_friction, k),
        solref: row(&m.pair_solref, k),
        solreffriction: row(&m.pair_solreffriction, k),
        solimp: row(&m.pair_solimp, k),
        adhesion: m.pair_adhesion[k],
    }
}

// the one of higher priority decides; of equal ones condim and friction are the larger, solver parameters are mixed, and both
// stick
fn mix(first: &Matter, second: &Matter) -> Mixed {
    let (condim, friction, solref, solimp, adhesion) = if first.priority != second.priority {
        let of = if first.priority < second.priority {
            second
        } else {
            first
        };
        (of.condim, of.friction, of.solref, of.solimp, of.adhesion)
    } else {
        let mix = mix_factor(first.solmix, second.solmix);
        let blend = |a: f64, b: f64| mix * a + (1.0 - mix) * b;
        let standard = first.solref[0] > 0.0 && second.solref[0] > 0.0;
        (
            first.condim.max(second.condim),
            std::array::from_fn(|k| first.friction[k].max(second.friction[k])),
            std::array::from_fn(|k| match standard {
                true => blend(first.solref[k], second.solref[k]),
                false => first.solref[k].min(second.solref[k]),
            }),
            std::array::from_fn(|k| blend(first.solimp[k], second.solimp[k])),
            first.adhesion + second.adhesion,
        )
    };
    let [slide, spin, roll] = friction;
    Mixed {
        condim,
        margin: first.margin + second.margin,
        gap: first.gap + second.gap,
        friction: [slide, slide, spin, roll, roll],
        solref,
        solreffriction: [0.0; 2],
        solimp,
        adhesion,
    }
}

fn mix_factor(solmix1: f64, solmix2: f64) -> f64 {
    match (solmix1 >= MINVAL, solmix2 >= MINVAL) {
        (true, true) => solmix1 / (solmix1 + solmix2),
        (true, false) => 1.0,
        (false, true) => 0.0,
        (false, false) => 0.5,
    }
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
