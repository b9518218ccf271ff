//! Contacts of worlds side by side. Twin of `cpu/collision.rs`.
//!
//! Bounding spheres, then shapes are tried for all lanes at once ([`super::narrow`]). Slots are the union of the lanes'
//! contacts: a lane that lacks one has [`ABSENT`] as its distance. Convex pairs without a closed form are collided lane by
//! lane by the reference, in f64.

use super::narrow::{Shapes, Spots, wide};
use super::rows::Rows;
use crate::cpu::lib::contact::make_frame;
use crate::cpu::lib::math::{dot3, sub3};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

pub use crate::cpu::lib::touch::ABSENT;

/// Contacts (`mj_collision`).
pub fn collision<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    rows.contact.clear();
    d.ncon[0] = R::Int::default();
    if m.opt.disabled(DSBL_CONSTRAINT) || m.opt.disabled(DSBL_CONTACT) {
        return;
    }
    let Rows { contact, spots, .. } = rows;
    let mut ncon = R::zero();
    for k in 0..m.ncollision {
        let near = near(m, d, k);
        if near.any() {
            collide(m, d, contact, k, near, spots, &mut ncon);
        }
    }
    for lane in 0..R::WIDTH {
        R::set_int_lane(&mut d.ncon[0], lane, ncon.lane(lane) as i32);
    }
}

// bounding spheres, or a bounding sphere and a plane
fn near<R: Real>(m: &Model, d: &Data<R>, k: usize) -> R::Mask {
    let (geom1, geom2) = (m.collision_geom1[k] as usize, m.collision_geom2[k] as usize);
    let (bound1, bound2) = (m.geom_rbound[geom1], m.geom_rbound[geom2]);
    let dif = sub3(d.geom_xpos[geom2], d.geom_xpos[geom1]);
    let detect = m.collision_detect[k];
    if bound1 > 0.0 && bound2 > 0.0 {
        let bound = bound1 + bound2 + detect;
        return dot3(dif, dif).le(R::splat(bound * bound));
    }
    if m.geom_type[geom1] == GeomType::Plane && bound2 > 0.0 {
        let mat = &d.geom_xmat[geom1];
        return dot3(dif, [mat[2], mat[5], mat[8]]).le(R::splat(detect + bound2));
    }
    R::zero().le(R::zero())
}

fn shapes<R: Real>(m: &Model, d: &Data<R>, geom: usize) -> Shapes<R> {
    Shapes {
        pos: d.geom_xpos[geom],
        mat: d.geom_xmat[geom],
        size: m.geom_size[geom],
    }
}

// contacts of one pair in the lanes where it is near
fn collide<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &mut Vec<i32>,
    k: usize,
    near: R::Mask,
    out: &mut Spots<R>,
    ncon: &mut R,
) {
    let (geom1, geom2) = (m.collision_geom1[k] as usize, m.collision_geom2[k] as usize);
    out.spot.clear();
    let (first, second) = (shapes(m, d, geom1), shapes(m, d, geom2));
    let detect = m.collision_detect[k];
    match wide(m.geom_type[geom1], m.geom_type[geom2]) {
        Some(wide) => wide(&first, &second, detect, near, out),
        None => {
            let unsure = out.convex(m, [geom1, geom2], near, [first, second], detect);
            for lane in (0..R::WIDTH).filter(|&lane| unsure.lane(lane) != 0.0) {
                let bits = R::int_lane(d.overflow[0], lane) | OVERFLOW_CCD;
                R::set_int_lane(&mut d.overflow[0], lane, bits);
            }
        }
    }
    for spot in &out.spot {
        let c = contact.len();
        add_slot(d, contact, c, k);
        let present = spot.present();
        let zero = R::zero();
        let frame = make_frame(spot.normal, spot.tangent);
        d.contact_dist[c] = spot.dist;
        d.contact_pos[c] = spot.pos.map(|x| R::select(present, x, zero));
        d.contact_frame[c] = frame.map(|x| R::select(present, x, zero));
        *ncon += R::select(present, R::one(), zero);
    }
}

// a slot that no lane has yet; room is made when the union outgrows it, which ends when all worlds have been seen to touch
fn add_slot<R: Real>(d: &mut Data<R>, contact: &mut Vec<i32>, c: usize, k: usize) {
    if c == d.contact_dist.len() {
        let room = (2 * c).max(8);
        d.contact_collision.resize(room, R::Int::default());
        d.contact_dist.resize(room, R::zero());
        d.contact_pos.resize(room, [R::zero(); 3]);
        d.contact_frame.resize(room, [R::zero(); 9]);
        d.contact_efc_address.resize(room, R::Int::default());
    }
    contact.push(k as i32);
    d.contact_collision[c] = R::int(k as i32);
}
