//! Potential and kinetic energy (`mj_energyPos`, `mj_energyVel`).

use crate::cpu::lib::force::{acts, joint_rest, rest_length, spring_energy};
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{DSBL_GRAVITY, DSBL_SPRING, JointType};

/// Potential and kinetic energy (`mj_energyPos`, `mj_energyVel`).
pub fn energy<R: Real>(m: &Model, d: &mut Data<R>) {
    let mut potential = R::zero();

    // gravity
    if !m.opt.disabled(DSBL_GRAVITY) {
        let gravity = d.own.gravity(m);
        for i in 1..m.nbody {
            potential -= d.own.body_mass(m, i) * dot3(gravity, d.xipos[i]);
        }
    }

    // springs of joints, of tendons and of flex edges
    if !m.opt.disabled(DSBL_SPRING) {
        for j in 0..m.njnt {
            potential += joint_energy(m, d, j);
        }
        for t in 0..m.ntendon {
            potential += tendon_energy(m, d, t);
        }
        for f in 0..m.nflex {
            potential += edge_energy(m, d, f);
        }
    }
    d.energy[0] = potential;

    // half of qvel' M qvel: off-diagonal entries of a row count twice
    let mut kinetic = R::zero();
    for i in 0..m.nv {
        let adr = m.M_rowadr[i] as usize;
        let diag = adr + m.M_rownnz[i] as usize - 1;
        let mut momentum = R::splat(0.5) * d.M[diag] * d.qvel[i];
        for k in adr..diag {
            momentum += d.M[k] * d.qvel[m.M_colind[k] as usize];
        }
        kinetic += momentum * d.qvel[i];
    }
    d.energy[1] = kinetic;
}

#[inline(always)]
fn joint_energy<R: Real>(m: &Model, d: &Data<R>, j: usize) -> R {
    let linear = d.own.jnt_stiffness(m, j);
    let poly = [
        d.own.jnt_stiffnesspoly(m, 2 * j),
        d.own.jnt_stiffnesspoly(m, 2 * j + 1),
    ];
    if !acts(linear, poly) {
        return R::zero();
    }
    let mut adr = m.jnt_qposadr[j] as usize;
    let jnt_type = m.jnt_type[j];

    // one coordinate
    if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
        let x = d.qpos[adr] - joint_rest(m, d, j, 0);
        return spring_energy(linear, poly, x);
    }

    // three coordinates: the distance from rest counts
    let mut sum = R::zero();
    if jnt_type == JointType::Free {
        let x = std::array::from_fn(|k| d.qpos[adr + k] - joint_rest(m, d, j, k));
        sum += spring_energy(linear, poly, norm3(x));
        adr += 3;
    }

    // an orientation: the angle from rest counts
    let quat = normalize4(std::array::from_fn(|k| d.qpos[adr + k]));
    let first = adr - m.jnt_qposadr[j] as usize;
    let rest = std::array::from_fn(|k| joint_rest(m, d, j, first + k));
    sum + spring_energy(linear, poly, norm3(sub_quat(quat, rest)))
}

#[inline(always)]
fn tendon_energy<R: Real>(m: &Model, d: &Data<R>, t: usize) -> R {
    let linear = d.own.tendon_stiffness(m, t);
    let poly = [
        d.own.tendon_stiffnesspoly(m, 2 * t),
        d.own.tendon_stiffnesspoly(m, 2 * t + 1),
    ];
    if !acts(linear, poly) {
        return R::zero();
    }

    // a spring acts outside its range of slack lengths
    let length = d.ten_length[t];
    let [lower, upper] = rest_length(m, d, t);
    let below = R::select(length.lt(lower), length - lower, R::zero());
    spring_energy(
        linear,
        poly,
        R::select(upper.lt(length), length - upper, below),
    )
}

#[inline(always)]
fn edge_energy<R: Real>(m: &Model, d: &Data<R>, f: usize) -> R {
    let mut sum = R::zero();
    if m.flex_rigid[f] != 0 {
        return sum;
    }
    let half = R::splat(0.5) * d.own.flex_edgestiffness(m, f);
    let adr = m.flex_edgeadr[f] as usize;
    for e in adr..adr + m.flex_edgenum[f] as usize {
        let x = d.flexedge_length[e] - d.own.flexedge_length0(m, e);
        sum += half * x * x;
    }
    sum
}
