//! Derivatives of the bias force with respect to velocity.
//!
//! With the motion axes S of the dofs, and the velocity v of a body b that dof k moves:
//!
//! ```text
//! ∂ acceleration of b / ∂ qvel k = W_k − v × S_k           W_k: rotation of the axes of k and of its descendants due to k
//! ∂ force of b / ∂ qvel k        = I W_k + G S_k           I: inertia of b
//! G x = v ×* (I x) − I (v × x) + x ×* (I v)                linear in x: a matrix of b alone
//! ```
//!
//! so that I and G of the bodies of a subtree add up (Singh, Russell, Wensing: Efficient analytical derivatives of rigid-body
//! dynamics, 2022). In MuJoCo: `mjd_rne_vel`, `mjd_freeBias_vel`.

use crate::cpu::lib::sparse::{d_address, m_address};
use crate::cpu::lib::spatial::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::JointType;

/// Unit motion along one coordinate.
#[inline(always)]
pub fn unit_motion<R: Real>(c: usize) -> [R; 6] {
    std::array::from_fn(|k| if k == c { R::one() } else { R::zero() })
}

/// The matrix G of an inertia that moves with a velocity, by columns.
#[inline(always)]
pub fn gyroscopic<R: Real>(inertia: [R; 10], vel: [R; 6]) -> [[R; 6]; 6] {
    let momentum = mul_inert_vec(inertia, vel);
    std::array::from_fn(|c| {
        let x = unit_motion(c);
        let moved = cross_force(vel, mul_inert_vec(inertia, x));
        let turned = mul_inert_vec(inertia, cross_motion(vel, x));
        let carried = cross_force(x, momentum);
        std::array::from_fn(|r| moved[r] - turned[r] + carried[r])
    })
}

/// The vector W of a dof.
#[inline(always)]
pub fn axis_turn<R: Real>(m: &Model, d: &Data<R>, k: usize) -> [R; 6] {
    let rate = d.cdof_dot[k];
    let twice = std::array::from_fn(|r| rate[r] + rate[r]);
    let j = m.dof_jntid[k] as usize;
    let jnt_type = m.jnt_type[j];

    // the axes of a ball joint rotate with each other
    let first = match JointType::from_i32(jnt_type) {
        Some(JointType::Ball) => m.jnt_dofadr[j] as usize,
        Some(JointType::Free) if k >= m.jnt_dofadr[j] as usize + 3 => m.jnt_dofadr[j] as usize + 3,
        _ => return twice,
    };
    let mut spin = [R::zero(); 6];
    for l in first..first + 3 {
        spin = add_scl6(spin, d.cdof[l], d.qvel[l]);
    }
    add_scl6(twice, cross_motion(spin, d.cdof[k]), R::one())
}

/// True for a dof of a free joint whose tree has no other dofs: the tree is one rigid body (`mj_isFreeBody`).
#[inline(always)]
pub fn rigid(m: &Model, i: usize) -> bool {
    let tree = m.dof_treeid[i] as usize;
    m.jnt_type[m.dof_jntid[i] as usize] == JointType::Free && m.tree_dofnum[tree] == 6
}

/// Row of a dof in qLU: M - h D, with D the derivative of the forces with respect to velocity.
#[inline(always)]
pub fn less_slope<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let h = d.own.timestep(m);
    let adr = m.D_rowadr[i] as usize;
    for k in adr..adr + m.D_rownnz[i] as usize {
        let inertia = match m_address(m, i, m.D_colind[k] as usize) {
            Some(k) => d.M[k],
            None => R::zero(),
        };
        d.qLU[k] = inertia - h * d.qDeriv[k];
    }
}

/// Row of a dof in qH: M - h D, symmetric since D leaves the bias force out; M alone for a free rigid body.
#[inline(always)]
pub fn less_symmetric_slope<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let h = d.own.timestep(m);
    let bent = !rigid(m, i);
    let adr = m.M_rowadr[i] as usize;
    for k in adr..adr + m.M_rownnz[i] as usize {
        d.qH[k] = d.M[k];
        if bent {
            d.qH[k] -= h * d.qDeriv[d_address(m, i, m.M_colind[k] as usize)];
        }
    }
}

/// Adds the derivative of a free rigid body's bias force to a row of qLU (`mjd_freeMhat`).
#[inline(always)]
pub fn add_bias<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let h = d.own.timestep(m);
    let adr = m.jnt_dofadr[m.dof_jntid[i] as usize] as usize;
    for (k, x) in (adr..adr + 6).zip(bias_slope(m, d, i)) {
        d.qLU[d_address(m, i, k)] += h * x;
    }
}

/// Derivative of a free rigid body's bias force on dof `i` with respect to the velocities of its six dofs (`mjd_freeBias_vel`).
#[inline(always)]
pub fn bias_slope<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [R; 6] {
    let body = m.dof_bodyid[i] as usize;
    let slope = gyroscopic(d.crb[body], d.cvel[body]);
    let axis = d.cdof[i];
    let by_motion = slope.map(|column| dot6(column, axis));
    let momentum = mul_inert_vec(d.crb[body], axis);
    let adr = m.jnt_dofadr[m.dof_jntid[i] as usize] as usize;
    std::array::from_fn(|n| {
        dot6(momentum, axis_turn(m, d, adr + n)) + dot6(by_motion, d.cdof[adr + n])
    })
}
