//! Which dofs couple: simple bodies, and the sparsity of matrices over pairs of dofs.

use super::simple::under_heavy_tendons;
use crate::fields::Arrays;

/// Fills `dof_Madr`, `dof_simplenum`, `M_*`, `D_*` and their sizes (`mjCModel::FinalizeSimple`, `mj_makeDofDofSparse`).
pub(super) fn fill(m: &mut Arrays) {
    // inertia of a tendon couples the bodies along its path
    for (i, heavy) in under_heavy_tendons(m).into_iter().enumerate() {
        if heavy {
            m.body_simple[i] = 0;
        }
    }

    // runs of simple dofs, counted from their end
    let mut count = 0;
    for d in (0..m.nv).rev() {
        let simple = m.body_simple[m.dof_bodyid[d] as usize] != 0;
        count = if simple { count + 1 } else { 0 };
        m.dof_simplenum[d] = count;
    }

    let chains: Vec<Vec<i32>> = (0..m.nv).map(|d| chain(m, d)).collect();
    m.nM = 0;
    for (d, chain) in chains.iter().enumerate() {
        m.dof_Madr[d] = m.nM as i32;
        m.nM += chain.len();
    }
    inertia_rows(m, &chains);
    full_rows(m, &chains);
}

// a dof and its ancestors, ascending
fn chain(m: &Arrays, d: usize) -> Vec<i32> {
    let mut chain = Vec::new();
    let mut d = d as i32;
    while d >= 0 {
        chain.push(d);
        d = m.dof_parentid[d as usize];
    }
    chain.reverse();
    chain
}

// lower triangle; a simple dof has its diagonal only
fn inertia_rows(m: &mut Arrays, chains: &[Vec<i32>]) {
    m.M_colind.clear();
    for (d, chain) in chains.iter().enumerate() {
        let row = match m.dof_simplenum[d] {
            0 => chain.as_slice(),
            _ => &[d as i32],
        };
        m.M_rowadr[d] = m.M_colind.len() as i32;
        m.M_rownnz[d] = row.len() as i32;
        m.M_colind.extend(row);
    }
    m.nC = m.M_colind.len();
}

// both triangles
fn full_rows(m: &mut Arrays, chains: &[Vec<i32>]) {
    let mut rows: Vec<Vec<i32>> = chains.to_vec();
    for (d, chain) in chains.iter().enumerate() {
        for &ancestor in &chain[..chain.len() - 1] {
            rows[ancestor as usize].push(d as i32);
        }
    }
    m.D_colind.clear();
    for (d, row) in rows.iter().enumerate() {
        m.D_rowadr[d] = m.D_colind.len() as i32;
        m.D_rownnz[d] = row.len() as i32;
        m.D_diag[d] = chains[d].len() as i32 - 1;
        m.D_colind.extend(row);
    }
    m.nD = m.D_colind.len();
}
