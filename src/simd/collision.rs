//! Contacts of worlds side by side. Twin of `cpu/collision.rs`.
//!
//! Bounding spheres, then shapes are tested for all lanes at once ([`super::narrow`]). Slots are the union of the lanes'
//! contacts: a contact that is absent in a lane has the distance [`ABSENT`] there. Convex pairs without a closed form are
//! collided lane by lane by the reference, in f64.

use std::ops::Range;

use super::narrow::Spots;
use super::rows::Rows;
use crate::cpu::collision::block::{pairs_of, write_pair};
use crate::cpu::collision::broad::of_the_awake;
use crate::cpu::collision::element_boxes::Boxes;
use crate::cpu::collision::soft::Pair;
use crate::cpu::collision::sweep::{speculates, tried};
use crate::cpu::collision::{near, shape, soft};
use crate::cpu::lib::contact::{ABSENT, SOON, make_frame};
use crate::cpu::lib::sleep::{pair_awake, sleeps};
use crate::cpu::lib::warning::tell;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;
use crate::user::let_through;

/// Contacts (`mj_collision`).
pub fn collision<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    rows.contact.clear();
    d.ncon[0] = R::Int::default();
    if m.opt.disabled(DSBL_CONSTRAINT) || m.opt.disabled(DSBL_CONTACT) {
        return;
    }
    let Rows {
        contact,
        spots,
        worlds,
        ..
    } = rows;
    let mut found = R::zero();
    let (boxes, mut end) = (Boxes::new(m, d), 0);
    let mut pairs = Vec::new();
    let (sleeps, speculates, filters) = (sleeps(m), speculates(m), m.users().filters());
    let few = of_the_awake(m, d);
    let num = few.as_ref().map_or(m.ncollision, Vec::len);
    for n in 0..num {
        let k = few.as_ref().map_or(n, |few| few[n] as usize);
        let awake = match sleeps {
            true => pair_awake(m, d, k),
            false => R::zero().le(R::zero()),
        };
        if sleeps && !awake.any() {
            continue;
        }
        if soft::is_soft(m, k) {
            if k >= end {
                end = soft::crowd(m, k);
                pairs_of(m, d, &boxes, (k, end), *worlds, &mut pairs);
                of_flex(m, d, &boxes, contact, (&pairs, awake), spots, &mut found);
            }
            continue;
        }
        let near = near(m, d, k) & awake;
        let tried = match speculates {
            true => tried(m, d, k) & awake,
            false => R::zero().lt(R::zero()),
        };
        let [near, tried] = match filters {
            true => {
                let stays = let_through(m, d, k, near | tried);
                [near & stays, tried & stays]
            }
            false => [near, tried],
        };
        if near.any() || tried.any() {
            collide(m, d, contact, k, [near, tried], spots, &mut found);
        }
    }

    // flag an overflow
    let room = R::splat(m.nconmax as f64);
    super::at_least(&mut d.needed[0], found);
    d.ncon[0] = found.min(room).to_int();
    if room.lt(found).any() {
        tell(d, OVERFLOW_CONTACT, room.lt(found));
        for lane in 0..R::WIDTH {
            if found.lane(lane) as usize > m.nconmax {
                keep(d, lane, contact.len(), m.nconmax);
            }
        }
    }
}

// keeps the deepest contacts of a lane, the earlier one of equally deep ones
fn keep<R: Real>(d: &mut Data<R>, lane: usize, slots: usize, room: usize) {
    let dist = |c: usize| d.contact_dist[c].lane(lane);
    let mut own: Vec<usize> = (0..slots).filter(|&c| dist(c) < ABSENT).collect();
    own.sort_by(|&a, &b| dist(a).total_cmp(&dist(b)));
    for &c in &own[room..] {
        drop_contact(d, lane, c);
    }
}

// contacts of some pairs with flexes, which may share one limit, in the lanes where they are awake
fn of_flex<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    boxes: &Boxes<R>,
    contact: &mut Vec<i32>,
    (pairs, awake): (&[Pair], R::Mask),
    spots: &mut Spots<R>,
    found: &mut R,
) {
    let first = contact.len();
    for pair in pairs {
        let unsure = spots.find_soft(m, d, boxes, pair, awake);
        tell(d, OVERFLOW_CCD, R::zero().lt(unsure));
        let now = R::zero().lt(R::zero());
        let before = contact.len();
        put(m, d, contact, pair, spots, now, found);
        turn(m, d, boxes, pair, before..contact.len());
    }
    if soft::reduces(m, pairs, contact.len() - first) {
        for lane in 0..R::WIDTH {
            thin(m, d, pairs, lane, first..contact.len(), found);
        }
    }
}

// reverses the frames of contacts of a pair in lanes where its second side comes first
fn turn<R: Real>(m: &Model, d: &mut Data<R>, boxes: &Boxes<R>, pair: &Pair, slots: Range<usize>) {
    if slots.is_empty() {
        return;
    }
    for lane in (0..R::WIDTH).filter(|&lane| boxes.reversed(m, pair, lane)) {
        for c in slots.clone() {
            for x in &mut d.contact_frame[c] {
                x.set_lane(lane, -x.lane(lane));
            }
        }
    }
}

// drops the contacts of a lane beyond the limit of a rigid flex, or in one place
fn thin<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    pairs: &[Pair],
    lane: usize,
    slots: Range<usize>,
    found: &mut R,
) {
    let dist = |c: usize| d.contact_dist[c].lane(lane);
    let own: Vec<usize> = slots.filter(|&c| dist(c) < ABSENT).collect();
    if !soft::reduces(m, pairs, own.len()) {
        return;
    }
    let pos = |c: usize| d.contact_pos[c].map(|x| x.lane(lane));
    let spots: Vec<_> = own.iter().map(|&c| (dist(c), pos(c))).collect();
    for (c, stays) in own.into_iter().zip(soft::stay(m, pairs[0].k, &spots)) {
        if !stays {
            drop_contact(d, lane, c);
            found.set_lane(lane, found.lane(lane) - 1.0);
        }
    }
}

// makes a contact absent in a lane
fn drop_contact<R: Real>(d: &mut Data<R>, lane: usize, c: usize) {
    d.contact_dist[c].set_lane(lane, ABSENT);
    d.contact_pos[c]
        .iter_mut()
        .for_each(|x| x.set_lane(lane, 0.0));
    d.contact_frame[c]
        .iter_mut()
        .for_each(|x| x.set_lane(lane, 0.0));
}

// contacts of one pair in the lanes where it is near, and in lanes where it may touch within the timestep
fn collide<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &mut Vec<i32>,
    k: usize,
    [near, tried]: [R::Mask; 2],
    spots: &mut Spots<R>,
    found: &mut R,
) {
    let geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    if m.users().collides(geoms.map(|geom| m.geom_type[geom])) {
        spots.find_own(m, d, geoms, d.own.collision_detect(m, k), near);
        let pair = Pair { k, elem: [-1; 2] };
        put(m, d, contact, &pair, spots, R::zero().lt(R::zero()), found);
        return;
    }
    let shapes = [shape(m, d, geoms[0]), shape(m, d, geoms[1])];
    let unsure = spots.find(m, d, k, &shapes, near);
    if let Some(unsure) = unsure {
        tell(d, OVERFLOW_CCD, R::zero().lt(unsure));
    }
    let soon = spots.speculate(m, d, k, tried);
    put(
        m,
        d,
        contact,
        &Pair { k, elem: [-1; 2] },
        spots,
        soon,
        found,
    );
}

// stores the contacts of a pair in new slots
fn put<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &mut Vec<i32>,
    pair: &Pair,
    spots: &Spots<R>,
    soon: R::Mask,
    found: &mut R,
) {
    for point in spots.found() {
        let c = contact.len();
        add_slot(m, d, contact, c, pair);
        let present = point.present();
        let zero = R::zero();
        let frame = make_frame(point.normal, point.tangent);
        d.contact_efc_address[c] = R::select_int(soon, R::int(SOON), R::int(-1));
        d.contact_dist[c] = point.dist;
        d.contact_pos[c] = point.pos.map(|x| R::select(present, x, zero));
        d.contact_frame[c] = frame.map(|x| R::select(present, x, zero));
        *found += R::select(present, R::one(), zero);
    }
}

// adds a slot that no lane has yet; arrays grow with the union of contacts, which stops when all worlds have had their contacts
fn add_slot<R: Real>(m: &Model, d: &mut Data<R>, contact: &mut Vec<i32>, c: usize, pair: &Pair) {
    if c == d.contact_dist.len() {
        let more = (2 * c).max(8);
        d.resize(m, "nconmax", more);
        if m.nblock > 0 {
            d.resize(m, "nconelem", more);
        }
    }
    contact.push(pair.k as i32);
    d.contact_collision[c] = R::int(pair.k as i32);
    write_pair(m, d, c, pair);
}
