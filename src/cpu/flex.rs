//! Vertices of flexes, frames of rods, lengths of edges and their Jacobians (`mj_flex`).

use crate::cpu::lib::cage::place_vertices;
use crate::cpu::lib::jac::add_jac;
use crate::cpu::lib::math::*;
use crate::cpu::lib::rod::carry_rods;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Vertices of flexes, frames of rods, lengths of edges and their Jacobians (`mj_flex`).
pub fn flex<R: Real>(m: &Model, d: &mut Data<R>) {
    // vertices
    for v in 0..m.nflexvert {
        let Ok(body) = usize::try_from(m.flex_vertbodyid[v]) else {
            continue;
        };
        let arm = mul_mat_vec3(d.xmat[body], d.own.flex_vert(m, v));
        d.flexvert_xpos[v] = add3(d.xpos[body], arm);
    }
    for f in (0..m.nflex).filter(|&f| m.flex_interp[f] != 0) {
        place_vertices(m, d, f);
    }

    // frames of elastic rods
    if m.nrod > 0 {
        carry_rods(m, d);
    }

    // edges, except those of rigid or interpolated flexes
    for f in 0..m.nflex {
        if m.flex_rigid[f] != 0 || m.flex_interp[f] != 0 {
            continue;
        }
        let adr = m.flex_edgeadr[f] as usize;
        for e in adr..adr + m.flex_edgenum[f] as usize {
            edge(m, d, m.flex_vertadr[f], e);
        }
    }
}

#[inline(always)]
fn edge<R: Real>(m: &Model, d: &mut Data<R>, vertadr: i32, e: usize) {
    let v0 = (vertadr + m.flex_edge[2 * e]) as usize;
    let v1 = (vertadr + m.flex_edge[2 * e + 1]) as usize;
    let points = [d.flexvert_xpos[v0], d.flexvert_xpos[v1]];
    let (dir, length) = normalize3(sub3(points[1], points[0]));
    d.flexedge_length[e] = length;
    let (adr, num) = (
        m.flexedge_J_rowadr[e] as usize,
        m.flexedge_J_rownnz[e] as usize,
    );
    if num == 0 {
        return;
    }

    // the second vertex minus the first
    let colind = &m.flexedge_J_colind[adr..adr + num];
    let mut row = std::mem::take(&mut d.flexedge_J);
    row[adr..adr + num].fill(R::zero());
    for (point, v, dir) in [(points[1], v1, dir), (points[0], v0, dir.map(|x| -x))] {
        let body = m.flex_vertbodyid[v] as usize;
        let to = &mut row[adr..adr + num];
        add_jac(m, d, to, colind, body, point, dir, [R::zero(); 3]);
    }
    d.flexedge_J = row;
}
