//! Tendon lengths and Jacobian (`mj_tendon`).

use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::TendonType;

/// Tendon lengths and Jacobian (`mj_tendon`).
pub fn tendon<R: Real>(m: &Model, d: &mut Data<R>) {
    for t in 0..m.ntendon {
        if m.tendon_type[t] == TendonType::Fixed {
            fixed(m, d, t);
        }
    }
}

// a linear combination of joint coordinates
#[inline(always)]
fn fixed<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
    let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
    let colind = &m.ten_J_colind[adr..adr + num];
    let wrap = m.tendon_adr[t] as usize;
    let mut length = R::zero();
    for w in wrap..wrap + m.tendon_num[t] as usize {
        let j = m.wrap_objid[w] as usize;
        let coef = R::splat(m.wrap_prm[w]);
        length += coef * d.qpos[m.jnt_qposadr[j] as usize];
        // the row's columns are in order of dofs, the path in that of the author
        for (k, &dof) in colind.iter().enumerate() {
            if dof == m.jnt_dofadr[j] {
                d.ten_J[adr + k] = coef;
            }
        }
    }
    d.ten_length[t] = length;
    d.ten_wrapadr[t] = R::Int::default();
    d.ten_wrapnum[t] = R::Int::default();
}
