//! Tendon lengths and Jacobian (`mj_tendon`).

use crate::cpu::lib::contact::select3;
use crate::cpu::lib::jac::add_jac;
use crate::cpu::lib::math::*;
use crate::cpu::lib::sleep::{sleeps, wake_tied};
use crate::cpu::lib::wrap::{Obstacle, Touch, wrap};
use crate::fields::{Data, Model};
use crate::real::{self, Mask, Real};
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
    let always = R::zero().le(R::zero());
    let mut divisor = R::one();
    let mut length = R::zero();
    let mut w = start;
    while w + 1 < end {
        // a pulley starts a branch
        if m.wrap_type[w] == WrapType::Pulley {
            divisor = d.own.wrap_prm(m, w);
            push(d, count, [R::zero(); 3], always);
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
        push(d, count, pos[0], always);
        let scale = R::one() / divisor;
        if geom {
            let g = m.wrap_objid[w + 1] as usize;
            let Touch {
                on,
                off,
                length: around,
                held,
            } = wrap(pos[0], pos[1], &obstacle(m, d, w + 1));
            let free = segment(m, d, t, body, pos, scale, !held);
            let mut rest = R::zero();
            if held.any() {
                push(d, count, on, held);
                push(d, count, off, held);
                let geom_body = m.geom_bodyid[g] as usize;
                let before = segment(m, d, t, [body[0], geom_body], [pos[0], on], scale, held);
                let after = segment(m, d, t, [geom_body, body[1]], [off, pos[1]], scale, held);
                rest = before + around + after;
            }
            length += (free + rest) * scale;
        } else {
            length += segment(m, d, t, body, pos, scale, always) * scale;
        }

        // the last site of a branch
        w = next;
        if w + 1 == end || m.wrap_type[w + 1] == WrapType::Pulley {
            push(d, count, pos[1], always);
        }
    }
    d.ten_length[t] = length;
}

// the geom that a path may touch
#[inline(always)]
fn obstacle<R: Real>(m: &Model, d: &Data<R>, w: usize) -> Obstacle<R> {
    let g = m.wrap_objid[w] as usize;
    let site = d.own.wrap_prm(m, w);
    let mut side = [R::zero(); 3];
    for lane in 0..R::WIDTH {
        let site = site.lane(lane).round();
        if site >= 0.0 {
            let pos = d.site_xpos[site as usize];
            side.iter_mut()
                .zip(&pos)
                .for_each(|(to, x)| to.copy_lane(lane, x));
        }
    }
    Obstacle {
        pos: d.geom_xpos[g],
        mat: d.geom_xmat[g],
        radius: d.own.geom_size(m, g)[0],
        kind: m.wrap_type[w],
        sided: R::splat(-0.5).lt(site),
        side,
    }
}

// stores a point of the path in some lanes
#[inline(always)]
fn push<R: Real>(d: &mut Data<R>, count: &mut R::Int, point: [R; 3], lanes: R::Mask) {
    let first = R::int_lane(*count, 0);
    if lanes.all() && R::int_is(*count, first).all() {
        d.wrap_xpos[3 * first as usize..][..3].copy_from_slice(&point);
        *count = R::int(first + 1);
        return;
    }
    for lane in real::lanes::<R>(lanes) {
        let n = R::int_lane(*count, lane);
        for (k, x) in point.iter().enumerate() {
            d.wrap_xpos[3 * n as usize + k].copy_lane(lane, x);
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
    lanes: R::Mask,
) -> R {
    let zero = R::zero();
    if !lanes.any() {
        return zero;
    }
    let (dir, length) = normalize3(sub3(pos[1], pos[0]));
    let dir = select3(lanes, dir, [zero; 3]);
    let length = R::select(lanes, length, zero);

    // rate of the distance of its ends, by dof; roundings of ends that keep their distance would be a lever for forces without bound
    if m.body_weldid[body[0]] != m.body_weldid[body[1]] {
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
