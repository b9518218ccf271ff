//! Bias force (`mj_rne` without acceleration, `mj_tendonBias`).

use crate::cpu::lib::jac::tendon_acceleration;
use crate::cpu::lib::math::{dot3, is_fine, nonzero, sub3};
use crate::cpu::lib::spatial::{
    add_scl6, dot6, gyroscopic_force, lin, mul_inert_vec, seen_from, world_acceleration,
};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::TendonType;

/// Bias force (`mj_rne` without acceleration, `mj_tendonBias`).
pub fn rne<R: Real>(m: &Model, d: &mut Data<R>) {
    // accelerations at qacc = 0, and the forces for them without gravity, parents first
    d.rne_cacc[0] = in_sums(world_acceleration(m, d));
    for i in 1..m.nbody {
        if d.still.body(i) {
            continue;
        }
        let mut cacc = d.rne_cacc[m.body_parentid[i] as usize];
        let num = m.body_dofnum[i];
        for k in m.body_dofadr[i]..m.body_dofadr[i] + num {
            cacc = add_scl6(cacc, d.cdof_dot[k as usize], d.qvel[k as usize]);
        }
        d.rne_cacc[i] = cacc;
        let inertial = mul_inert_vec(d.cinert[i], cacc);
        d.rne_cfrc[i] = add_scl6(inertial, gyroscopic_force(d.cinert[i], d.cvel[i]), R::one());
    }

    // force on subtrees, children before parents; the world body collects none
    for i in (1..m.nbody).rev() {
        let p = m.body_parentid[i] as usize;
        if p > 0 && !d.still.body(i) {
            let child = d.rne_cfrc[i];
            for (sum, x) in d.rne_cfrc[p].iter_mut().zip(child) {
                *sum += x;
            }
        }
    }

    // as generalized forces
    let known = |d: &Data<R>, i: usize| m.ntendon == 0 && d.still.dof(i);
    for i in 0..m.nv {
        if known(d, i) {
            continue;
        }
        d.qfrc_bias[i] = dot6(d.cdof[i], d.rne_cfrc[m.dof_bodyid[i] as usize]) + weight(m, d, i);
    }

    // armature of spatial tendons
    for t in 0..m.ntendon {
        let heavy = nonzero(d.own.tendon_armature_all(m, t)).any();
        if heavy && m.tendon_type[t] == TendonType::Spatial {
            tendon_bias(m, d, t);
        }
    }
}

// gravity in the accelerations of bodies: in double precision, where the operations are MuJoCo's
#[inline(always)]
fn in_sums<R: Real>(gravity: [R; 6]) -> [R; 6] {
    match is_fine::<R>() {
        true => gravity,
        false => [R::zero(); 6],
    }
}

// a dof's share of the weight of its subtree: how fast it lifts the centre of mass; a sum over the bodies would round each lever
#[inline(always)]
fn weight<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    if is_fine::<R>() {
        return R::zero();
    }
    let body = m.dof_bodyid[i] as usize;
    let center = d.subtree_com[m.body_rootid[body] as usize];
    let lifted = seen_from(d.cdof[i], sub3(d.subtree_com[body], center));
    dot3(lin(lifted), lin(world_acceleration(m, d))) * d.own.body_subtreemass(m, body)
}

// bias force of a tendon's armature: its force at the tendon's acceleration for qacc = 0
#[inline(always)]
fn tendon_bias<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
    let acc = tendon_acceleration(m, d, &d.rne_cacc, t);

    // as generalized forces
    let force = acc * d.own.tendon_armature_all(m, t);
    let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
    for k in adr..adr + num {
        d.qfrc_bias[m.ten_J_colind[k] as usize] += d.ten_J[k] * force;
    }
}
