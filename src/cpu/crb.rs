//! Composite inertia and M (`mj_makeM`: `mj_crb`, `mj_tendonArmature`).

use crate::cpu::lib::math::nonzero;
use crate::cpu::lib::spatial::{dot6, mul_inert_vec};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Composite inertia and M (`mj_makeM`: `mj_crb`, `mj_tendonArmature`).
pub fn crb<R: Real>(m: &Model, d: &mut Data<R>) {
    // inertia of subtrees, children before parents; the world body collects none
    match d.still.any() {
        true => (0..m.nbody)
            .filter(|&i| !d.still.body(i))
            .for_each(|i| d.crb[i] = d.cinert[i]),
        false => d.crb.copy_from_slice(&d.cinert),
    }
    for i in (1..m.nbody).rev() {
        let p = m.body_parentid[i] as usize;
        if p > 0 && !d.still.body(i) {
            let child = d.crb[i];
            for (sum, x) in d.crb[p].iter_mut().zip(child) {
                *sum += x;
            }
        }
    }

    // a row for every dof: force that moves the subtree along the dof, projected on the dof and its ancestors
    for i in 0..m.nv {
        if d.still.dof(i) {
            continue;
        }
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize);
        // constant inertia of simple bodies
        if m.dof_simplenum[i] > 0 {
            d.M[adr] = d.own.dof_M0(m, i);
            continue;
        }
        let force = mul_inert_vec(d.crb[m.dof_bodyid[i] as usize], d.cdof[i]);
        let row = &mut d.M[adr..adr + num];
        for (x, &j) in row.iter_mut().zip(&m.M_colind[adr..adr + num]) {
            *x = dot6(d.cdof[j as usize], force);
        }
        row[num - 1] += d.own.dof_armature_all(m, i);
    }

    // inertia of tendons, among dofs of one chain
    for t in 0..m.ntendon {
        if nonzero(d.own.tendon_armature_all(m, t)).any() {
            tendon_armature(m, d, t);
        }
    }
}

#[inline(always)]
fn tendon_armature<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
    let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
    let colind = &m.ten_J_colind[adr..adr + num];
    for a in 0..num {
        let i = colind[a] as usize;
        if d.still.dof(i) {
            continue;
        }
        let scale = d.own.tendon_armature_all(m, t) * d.ten_J[adr + a];
        let (row, rownnz) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize);
        let mut b = 0;
        // both index lists ascend: advance them together
        for k in row..row + rownnz {
            while b < num && colind[b] < m.M_colind[k] {
                b += 1;
            }
            if b < num && colind[b] == m.M_colind[k] {
                d.M[k] += scale * d.ten_J[adr + b];
            }
        }
    }
}
