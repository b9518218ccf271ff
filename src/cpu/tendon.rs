//! Tendon lengths and Jacobian (`mj_tendon`).

use crate::cpu::lib::jac::add_jac;
use crate::cpu::lib::math::*;
use crate::cpu::lib::sleep::{sleeps, wake_tied};
use crate::cpu::lib::wrap::{Obstacle, Touch, wrap};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{TendonType, WrapType};

/// Tendon lengths and Jacobian (`mj_tendon`).
pub fn tendon<R: Real>(m: &Model, d: &mut Data<R>) {
    d.ten_J.fill(R::zero());
    let mut count = R::Int::default();
    for t in 0..m.ntendon {
        d.ten_wrapadr[t] = count;
        if m.tendon_type[t] == TendonType::Fixed {
            fixed(m, d, t);
        } else {
            spatial(m, d, t, &mut count);
        }
        for lane in 0..R::WIDTH {
            let num = R::int_lane(count, lane) - R::int_lane(d.ten_wrapadr[t], lane);
            R::set_int_lane(&mut d.ten_wrapnum[t], lane, num);
        }
    }
    if sleeps(m) {
        wake_tied(m, d);
    }
}

// a linear combination of joint coordinates
#[inline(always)]
fn fixed<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
    let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
    let colind = &m.ten_J_colind[adr..adr + num];
    let start = m.tendon_adr[t] as usize;
    let mut length = R::zero();
    for w in start..start + m.tendon_num[t] as usize {
        let j = m.wrap_objid[w] as usize;
        let coef = d.own.wrap_prm(m, w);
        length += coef * d.qpos[m.jnt_qposadr[j] as usize];
        // the row's columns are in the order of dofs, the path in that of the model file
        for (k, &dof) in colind.iter().enumerate() {
            if dof == m.jnt_dofadr[j] {
                d.ten_J[adr + k] = coef;
            }
        }
    }
    d.ten_length[t] = length;
}

// a path from site to site, possibly around geoms, in branches divided by pulleys
#[inline(always)]
fn spatial<R: Real>(m: &Model, d: &mut Data<R>, t: usize, count: &mut R::Int) {
    let start = m.tendon_adr[t] as usize;
    let end = start + m.tendon_num[t] as usize;
    let mut divisor = R::one();
    let mut length = R::zero();
    let mut w = start;
    while w + 1 < end {
        // a pulley starts a branch
        if m.wrap_type[w] == WrapType::Pulley {
            divisor = d.own.wrap_prm(m, w);
            push(d, count, [R::zero(); 3], None);
            w += 1;
            continue;
        }
        if m.wrap_type[w + 1] == WrapType::Pulley {
            w += 1;
            continue;
        }

        // from a site, possibly around a geom, to the next site
        let geom = m.wrap_type[w + 1] != WrapType::Site;
        let next = if geom { w + 2 } else { w + 1 };
        let site = [m.wrap_objid[w] as usize, m.wrap_objid[next] as usize];
        let body = site.map(|s| m.site_bodyid[s] as usize);
        let pos = site.map(|s| d.site_xpos[s]);
        push(d, count, pos[0], None);
        let scale = R::one() / divisor;
        if geom {
            let g = m.wrap_objid[w + 1] as usize;
            let touches = touches(m, d, w + 1, pos);
            let free = segment(m, d, t, body, pos, scale, |lane| touches[lane].is_none());
            let on = gather(&touches, |touch| touch.on);
            let off = gather(&touches, |touch| touch.off);
            push(d, count, on, Some(&touches));
            push(d, count, off, Some(&touches));
            let geom_body = m.geom_bodyid[g] as usize;
            let held = |lane: usize| touches[lane].is_some();
            let before = segment(m, d, t, [body[0], geom_body], [pos[0], on], scale, held);
            let after = segment(m, d, t, [geom_body, body[1]], [off, pos[1]], scale, held);
            let [around, _, _] = gather(&touches, |touch| [touch.length, 0.0, 0.0]);
            length += (free + before + around + after) * scale;
        } else {
            length += segment(m, d, t, body, pos, scale, |_| true) * scale;
        }

        // the last site of a branch
        w = next;
        if w + 1 == end || m.wrap_type[w + 1] == WrapType::Pulley {
            push(d, count, pos[1], None);
        }
    }
    d.ten_length[t] = length;
}

type Touches = [Option<Touch>; 16];

// the points at which each lane's path touches a geom
#[inline(always)]
fn touches<R: Real>(m: &Model, d: &Data<R>, w: usize, pos: [[R; 3]; 2]) -> Touches {
    let g = m.wrap_objid[w] as usize;
    let mut touches = [None; 16];
    for (lane, touch) in touches.iter_mut().enumerate().take(R::WIDTH) {
        let side = d.own.wrap_prm(m, w).lane(lane).round();
        let obstacle = Obstacle {
            pos: d.geom_xpos[g].map(|x| x.lane(lane)),
            mat: d.geom_xmat[g].map(|x| x.lane(lane)),
            radius: d.own.geom_size(m, g)[0].lane(lane),
            kind: m.wrap_type[w],
            side: (side >= 0.0).then(|| d.site_xpos[side as usize].map(|x| x.lane(lane))),
        };
        let [from, to] = pos.map(|p| p.map(|x| x.lane(lane)));
        *touch = wrap(from, to, &obstacle);
    }
    touches
}

// gathers a vector of all lanes' touches, zero where there is none
#[inline(always)]
fn gather<R: Real>(touches: &Touches, f: impl Fn(&Touch) -> [f64; 3]) -> [R; 3] {
    let mut v = [R::zero(); 3];
    for (lane, touch) in touches.iter().enumerate().take(R::WIDTH) {
        let Some(touch) = touch else { continue };
        for (x, value) in v.iter_mut().zip(f(touch)) {
            x.set_lane(lane, value);
        }
    }
    v
}

// stores a point of the path, in all lanes or in those that touch
#[inline(always)]
fn push<R: Real>(d: &mut Data<R>, count: &mut R::Int, point: [R; 3], only: Option<&Touches>) {
    for lane in 0..R::WIDTH {
        if only.is_some_and(|touches| touches[lane].is_none()) {
            continue;
        }
        let n = R::int_lane(*count, lane);
        for (k, x) in point.iter().enumerate() {
            d.wrap_xpos[3 * n as usize + k].set_lane(lane, x.lane(lane));
        }
        R::set_int_lane(count, lane, n + 1);
    }
}

// length of a straight part of the path in the lanes that have it; adds its Jacobian to the tendon's row
#[inline(always)]
fn segment<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    t: usize,
    body: [usize; 2],
    pos: [[R; 3]; 2],
    scale: R,
    taken: impl Fn(usize) -> bool,
) -> R {
    let (mut dir, mut length) = normalize3(sub3(pos[1], pos[0]));
    for lane in 0..R::WIDTH {
        if !taken(lane) {
            length.set_lane(lane, 0.0);
            dir.iter_mut().for_each(|x| x.set_lane(lane, 0.0));
        }
    }

    // rate of the distance of its ends, by dof
    if body[0] != body[1] {
        let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
        let colind = &m.ten_J_colind[adr..adr + num];
        let mut rows = std::mem::take(&mut d.ten_J);
        let (row, still) = (&mut rows[adr..adr + num], [R::zero(); 3]);
        add_jac(m, d, row, colind, body[0], pos[0], scl3(dir, -scale), still);
        add_jac(m, d, row, colind, body[1], pos[1], scl3(dir, scale), still);
        d.ten_J = rows;
    }
    length
}
