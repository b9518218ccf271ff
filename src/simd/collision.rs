//! Contacts of worlds side by side. Twin of `cpu/collision.rs`.
//!
//! Bounding spheres, then shapes are tried for all lanes at once ([`super::narrow`]). Slots are the union of the lanes'
//! contacts: a lane that lacks one has [`ABSENT`] as its distance. Convex pairs without a closed form are collided lane by
//! lane by the reference, in f64.

use super::narrow::Spots;
use super::rows::Rows;
use crate::cpu::collision::{near, shape};
use crate::cpu::lib::contact::{ABSENT, make_frame};
use crate::cpu::lib::warning::tell;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Contacts (`mj_collision`).
pub fn collision<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    rows.contact.clear();
    d.ncon[0] = R::Int::default();
    if m.opt.disabled(DSBL_CONSTRAINT) || m.opt.disabled(DSBL_CONTACT) {
        return;
    }
    let Rows { contact, spots, .. } = rows;
    let mut found = R::zero();
    for k in 0..m.ncollision {
        let near = near(m, d, k);
        if near.any() {
            collide(m, d, contact, k, near, spots, &mut found);
        }
    }

    // what did not fit is told
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

// the deepest contacts of a lane stay, of equals the earlier
fn keep<R: Real>(d: &mut Data<R>, lane: usize, slots: usize, room: usize) {
    let dist = |c: usize| d.contact_dist[c].lane(lane);
    let mut own: Vec<usize> = (0..slots).filter(|&c| dist(c) < ABSENT).collect();
    own.sort_by(|&a, &b| dist(a).total_cmp(&dist(b)));
    for &c in &own[room..] {
        d.contact_dist[c].set_lane(lane, ABSENT);
        d.contact_pos[c]
            .iter_mut()
            .for_each(|x| x.set_lane(lane, 0.0));
        d.contact_frame[c]
            .iter_mut()
            .for_each(|x| x.set_lane(lane, 0.0));
    }
}

// contacts of one pair in the lanes where it is near
fn collide<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &mut Vec<i32>,
    k: usize,
    near: R::Mask,
    spots: &mut Spots<R>,
    found: &mut R,
) {
    let geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    let shapes = [shape(m, d, geoms[0]), shape(m, d, geoms[1])];
    let unsure = spots.find(
        m,
        &d.own,
        geoms,
        &shapes,
        d.own.collision_detect(m, k),
        near,
    );
    if let Some(unsure) = unsure {
        tell(d, OVERFLOW_CCD, R::zero().lt(unsure));
    }
    for point in spots.found() {
        let c = contact.len();
        add_slot(m, d, contact, c, k);
        let present = point.present();
        let zero = R::zero();
        let frame = make_frame(point.normal, point.tangent);
        d.contact_dist[c] = point.dist;
        d.contact_pos[c] = point.pos.map(|x| R::select(present, x, zero));
        d.contact_frame[c] = frame.map(|x| R::select(present, x, zero));
        *found += R::select(present, R::one(), zero);
    }
}

// a slot that no lane has yet; room is made when the union outgrows it, which ends when all worlds have been seen to touch
fn add_slot<R: Real>(m: &Model, d: &mut Data<R>, contact: &mut Vec<i32>, c: usize, k: usize) {
    if c == d.contact_dist.len() {
        d.resize(m, "nconmax", (2 * c).max(8));
    }
    contact.push(k as i32);
    d.contact_collision[c] = R::int(k as i32);
}
