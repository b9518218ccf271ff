//! Inverse weights at `qpos0`: the mean acceleration of a body, dof, tendon or edge per unit of force on it, and the acceleration of
//! all dofs per unit of an actuator's force.

use super::flex;
use super::layout::body_chain;
use crate::cpu::lib::math::*;
use crate::cpu::lib::primal::inverse_square;
use crate::cpu::lib::sparse::solve_ld;
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;
use crate::types::*;
use std::ops::Range;

/// J M⁻¹ Jᵀ of one row, which is overwritten: `dofs` ascend, and hold the dofs of the row and all their ancestors.
pub(super) fn weight<R: Real>(
    m: &Arrays,
    d: &Data<R>,
    row: &mut [R],
    dofs: impl DoubleEndedIterator<Item = usize>,
) -> R {
    inverse_square(m, &d.qLD, &d.qLDiagInv, row, dofs)
}

/// Inverse weights of bodies: in translation, in rotation.
pub(super) fn body_invweight<R: Real>(m: &Model, d: &mut Data<R>) {
    let mut row = vec![R::zero(); m.nv];
    for i in 1..m.nbody {
        let weights = match m.body_simple[i] {
            _ if m.body_weldid[i] == 0 => [R::zero(); 2],
            2 => [inverse_mass(m, d, i), R::zero()],
            _ => {
                let chain = body_chain(m, i);
                let mut mean = |rotation: bool| {
                    let of_axis = |axis| {
                        jacobian_row(m, d, i, axis, rotation, &mut row);
                        weight(m, d, &mut row, chain.iter().map(|&k| k as usize))
                    };
                    let [x, y, z] = [0, 1, 2].map(of_axis);
                    (x + y + z) / R::splat(3.0)
                };
                [mean(false), mean(true)]
            }
        };
        d.own.arrays_mut().body_invweight0[2 * i..2 * i + 2].copy_from_slice(&weights);
    }
}

fn inverse_mass<R: Real>(m: &Arrays, d: &Data<R>, body: usize) -> R {
    R::one() / R::splat(MINVAL).max(d.own.body_mass(m, body))
}

// one row of the Jacobian of a body's centre of mass
fn jacobian_row<R: Real>(
    m: &Arrays,
    d: &Data<R>,
    i: usize,
    axis: usize,
    rotation: bool,
    row: &mut [R],
) {
    row.fill(R::zero());
    let offset = sub3(d.xipos[i], d.subtree_com[m.body_rootid[i] as usize]);
    let mut dof = m.body_lastdof[i];
    while let Ok(k) = usize::try_from(dof) {
        let [a, b, c, x, y, z] = d.cdof[k];
        row[k] = if rotation {
            [a, b, c][axis]
        } else {
            add3([x, y, z], cross([a, b, c], offset))[axis]
        };
        dof = m.dof_parentid[k];
    }
}

/// Inverse weights of dofs.
pub(super) fn dof_invweight<R: Real>(m: &Model, d: &mut Data<R>) {
    let mut row = vec![R::zero(); m.nv];
    for j in 0..m.njnt {
        let adr = m.jnt_dofadr[j] as usize;
        let body = m.jnt_bodyid[j] as usize;
        if m.body_simple[body] == 2 {
            let weight = inverse_mass(m, d, body);
            d.own.arrays_mut().dof_invweight0[adr] = weight;
            continue;
        }
        let groups: &[(usize, usize)] = match JointType::from_i32(m.jnt_type[j]) {
            Some(JointType::Free) => &[(0, 3), (3, 6)],
            Some(JointType::Ball) => &[(0, 3)],
            _ => &[(0, 1)],
        };
        // dofs that turn together share their mean
        let chain = body_chain(m, body);
        for &(from, end) in groups {
            let mut sum = R::zero();
            for dof in adr + from..adr + end {
                row.fill(R::zero());
                row[dof] = R::one();
                sum += weight(m, d, &mut row, chain.iter().map(|&k| k as usize));
            }
            let mean = sum / R::splat((end - from) as f64);
            d.own.arrays_mut().dof_invweight0[adr + from..adr + end].fill(mean);
        }
    }
}

/// Inverse weights of tendons; accelerations that actuators cause.
pub(super) fn row_weights<R: Real>(m: &Model, d: &mut Data<R>) {
    let mut row = vec![R::zero(); m.nv];
    for i in 0..m.ntendon {
        let at = entries(m.ten_J_rowadr[i], m.ten_J_rownnz[i]);
        spread(&mut row, &m.ten_J_colind[at.clone()], &d.ten_J[at]);
        let weight = weight(m, d, &mut row, 0..m.nv);
        d.own.arrays_mut().tendon_invweight0[i] = weight;
    }
    for i in 0..m.nout {
        moment_row(m, d, i, &mut row);
        solve_ld(m, &d.qLD, &d.qLDiagInv, &mut row);
        let square = row.iter().fold(R::zero(), |sum, x| sum + *x * *x);
        d.own.arrays_mut().actuator_acc0[i] = square.sqrt();
    }
}

// entries of a sparse row
fn entries(adr: i32, nnz: i32) -> Range<usize> {
    adr as usize..(adr + nnz) as usize
}

// a sparse row over all dofs
fn spread<R: Real>(row: &mut [R], colind: &[i32], values: &[R]) {
    row.fill(R::zero());
    for (&dof, &x) in colind.iter().zip(values) {
        row[dof as usize] = x;
    }
}

/// Moment of one output over all dofs.
pub(super) fn moment_row<R: Real>(m: &Arrays, d: &Data<R>, out: usize, row: &mut [R]) {
    let at = entries(m.moment_rowadr[out], m.moment_rownnz[out]);
    spread(row, &m.moment_colind[at.clone()], &d.actuator_moment[at]);
}

/// Inverse weights of flex edges; between bodies that slide independently, the mean of their inverse masses.
pub(super) fn edge_weights<R: Real>(m: &Model, d: &mut Data<R>) {
    let mut row = vec![R::zero(); m.nv];
    for f in (0..m.nflex).filter(|&f| m.flex_interp[f] == 0) {
        for e in flex::edges_of(m, f) {
            let weight = edge_weight(m, d, f, e, &mut row);
            d.own.arrays_mut().flexedge_invweight0[e] = weight;
        }
    }
}

fn edge_weight<R: Real>(m: &Arrays, d: &Data<R>, f: usize, e: usize, row: &mut [R]) -> R {
    let bodies = flex::edge_bodies(m, f, e);
    if m.flexedge_rigid[e] != 0 {
        return R::zero();
    }
    if bodies.iter().all(|&b| m.body_simple[b] == 2) {
        let inverse = |b: &usize| R::one() / d.own.body_mass(m, *b);
        let sum = bodies.iter().fold(R::zero(), |sum, b| sum + inverse(b));
        return sum / R::splat(2.0);
    }
    let at = entries(m.flexedge_J_rowadr[e], m.flexedge_J_rownnz[e]);
    spread(row, &m.flexedge_J_colind[at.clone()], &d.flexedge_J[at]);
    weight(m, d, row, 0..m.nv)
}
