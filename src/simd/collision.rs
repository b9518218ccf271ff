//! Contacts of worlds side by side. Twin of `cpu/collision.rs`.
//!
//! Bounding spheres are tried for all lanes at once; what comes near is collided lane by lane by the functions of the
//! reference, in f64. Slots are the union of the lanes' contacts: a lane that lacks one has [`ABSENT`] as its distance.

use super::rows::Rows;
use crate::cpu::collision::function;
use crate::cpu::lib::contact::{Contacts, Shape, make_frame};
use crate::cpu::lib::math::{dot3, sub3};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Distance of a contact that a lane does not have: beyond any margin.
pub const ABSENT: f64 = 1e10;

/// Contacts (`mj_collision`).
pub fn collision<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    rows.contact.clear();
    d.ncon[0] = R::Int::default();
    if m.opt.disabled(DSBL_CONSTRAINT) || m.opt.disabled(DSBL_CONTACT) {
        return;
    }
    let mut out = Contacts::new();
    for k in 0..m.ncollision {
        let near = near(m, d, k);
        if near.any() {
            collide(m, d, rows, k, near, &mut out);
        }
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

// one lane's geom in its place
fn shape<R: Real>(m: &Model, d: &Data<R>, geom: usize, lane: usize) -> Shape {
    Shape {
        pos: d.geom_xpos[geom].map(|x| x.lane(lane)),
        mat: d.geom_xmat[geom].map(|x| x.lane(lane)),
        size: m.geom_size[geom],
    }
}

// contacts of one pair in the lanes where it is near
fn collide<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    rows: &mut Rows<R>,
    k: usize,
    near: R::Mask,
    out: &mut Contacts,
) {
    let (geom1, geom2) = (m.collision_geom1[k] as usize, m.collision_geom2[k] as usize);
    let Some(function) = function(m.geom_type[geom1], m.geom_type[geom2]) else {
        return;
    };
    let base = rows.contact.len();
    let is_near = R::select(near, R::one(), R::zero());
    for lane in 0..R::WIDTH {
        if is_near.lane(lane) == 0.0 {
            continue;
        }
        out.num = 0;
        let (first, second) = (shape(m, d, geom1, lane), shape(m, d, geom2, lane));
        function(&first, &second, m.collision_detect[k], out);
        for (j, point) in out.point[..out.num].iter().enumerate() {
            let c = base + j;
            if c == rows.contact.len() {
                add_slot(d, rows, c, k);
            }
            d.contact_dist[c].set_lane(lane, point.dist);
            let frame = make_frame(point.normal, point.tangent);
            (0..3).for_each(|i| d.contact_pos[c][i].set_lane(lane, point.pos[i]));
            (0..9).for_each(|i| d.contact_frame[c][i].set_lane(lane, frame[i]));
        }
        let ncon = R::int_lane(d.ncon[0], lane) + out.num as i32;
        R::set_int_lane(&mut d.ncon[0], lane, ncon);
    }
}

// a slot that no lane has yet; room is made when the union outgrows it, which ends when all worlds have been seen to touch
fn add_slot<R: Real>(d: &mut Data<R>, rows: &mut Rows<R>, c: usize, k: usize) {
    if c == d.contact_dist.len() {
        let room = (2 * c).max(8);
        d.contact_collision.resize(room, R::Int::default());
        d.contact_dist.resize(room, R::zero());
        d.contact_pos.resize(room, [R::zero(); 3]);
        d.contact_frame.resize(room, [R::zero(); 9]);
        d.contact_efc_address.resize(room, R::Int::default());
    }
    rows.contact.push(k as i32);
    d.contact_dist[c] = R::splat(ABSENT);
    for lane in 0..R::WIDTH {
        R::set_int_lane(&mut d.contact_collision[c], lane, k as i32);
    }
}
