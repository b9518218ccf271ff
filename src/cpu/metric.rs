//! The metric of a discrete step, `M + h D + h² K`: inertia plus the effect of dampers D and springs K over a timestep h (MuJoCo
//! documentation, Computation, "Integrators", `discrete`; `mj_effBuild`, `mj_effShift`, `mj_effActuation`).
//!
//! While the solver runs, the metric and its factor replace M, qLD and qLDiagInv, and qfrc_smooth includes the change of the spring forces over
//! the timestep. `settle` restores all of them.

use crate::cpu::euler::take_step;
use crate::cpu::exact_diagonal::exact;
use crate::cpu::lib::actuator::{
    actuator_input, bad_ctrl, control, muscle_bias_stiffness, muscle_gain_stiffness,
};
use crate::cpu::lib::dcmotor::motor_stiffness;
use crate::cpu::lib::force::{acts, damping_slope, joint_rest, poly_force_slope, rest_length};
use crate::cpu::lib::implicit_rows::soften;
use crate::cpu::lib::math::*;
use crate::cpu::lib::rows::dofs_of;
use crate::cpu::lib::slope::{bias_slope, rigid};
use crate::cpu::lib::sparse::{factor_i, m_address, solve_ld};
use crate::cpu::lib::warning::warn;
use crate::cpu::smooth_vel::{ancestor, drag, force_slope, saturated};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Replaces M by the metric of a discrete step; adapts the rows and the unconstrained acceleration.
pub(crate) fn metric(m: &Model, d: &mut Data) {
    with_rows(m, d, enter);
}

// runs with the pairs of one world's contacts and its number of rows
fn with_rows(m: &Model, d: &mut Data, run: impl FnOnce(&Model, &mut Data, &[i32], usize)) {
    let (ncon, num) = (d.ncon[0] as usize, d.nefc[0] as usize);
    let contact = std::mem::take(&mut d.contact_collision);
    run(m, d, &contact[..ncon], num);
    d.contact_collision = contact;
}

/// The stage for the first `num` constraint rows of worlds side by side; `contact` gives the pair of each contact slot.
pub(crate) fn enter<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    enter_inverse(m, d, contact, num);

    // unconstrained acceleration over the timestep
    for i in 0..m.nv {
        d.efm_qfrc[i] = d.qfrc_smooth[i];
        d.qfrc_smooth[i] += d.efm_c[i];
    }
    d.qacc_smooth.copy_from_slice(&d.qfrc_smooth);
    solve_ld(m, &d.qLD, &d.qLDiagInv, &mut d.qacc_smooth);
}

/// Replaces M by the metric for inverse dynamics, and adapts the rows.
pub(crate) fn inverse_metric(m: &Model, d: &mut Data) {
    with_rows(m, d, enter_inverse);
}

/// Adds the metric's part to the force at a given acceleration; restores M and its factor.
pub(crate) fn inverse_settle(m: &Model, d: &mut Data) {
    leave_inverse(m, d, d.nefc[0] as usize);
}

/// The same for worlds side by side with `num` rows.
pub(crate) fn leave_inverse<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    let h = d.own.timestep(m);
    for i in 0..m.nv {
        d.qfrc_inverse[i] -= d.efm_c[i];
    }
    hold(m, d, num);
    for first in (0..m.nv).filter(|&i| begins_free(m, i)) {
        let free = is_free(d, first);
        for i in first..first + 6 {
            let slope = bias_slope(m, d, i);
            let turn = (0..6).fold(R::zero(), |sum, k| sum + slope[k] * d.qacc[first + k]);
            d.qfrc_inverse[i] += R::select(free, h * turn, R::zero());
        }
    }
    exchange(d);
}

/// Replaces M and its factor by the metric and its factor, and adapts the first `num` rows of worlds side by side.
pub(crate) fn enter_inverse<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    // inertia, springs, dampers and drag; factor of the metric
    d.efm_M.copy_from_slice(&d.M);
    d.efm_c.fill(R::zero());
    joints(m, d);
    let h = d.own.timestep(m);
    drag(m, d, |d, k, slope| d.efm_M[k] -= h * slope);
    if m.opt.solver != Solver::Pgs {
        (0..m.ntendon).for_each(|t| tendon(m, d, t));
        actuators(m, d);
    }
    d.qH.copy_from_slice(&d.efm_M);
    let clamped = factor_i(m, &mut d.qH, &mut d.qHDiagInv);
    warn(d, Warning::Inertia, clamped);

    // evaluate the rows at the end of the timestep, like springs and dampers
    if m.opt.enabled(ENBL_DIAGEXACT) {
        exchange(d);
        exact(m, d, contact, num);
        soften(m, d, contact, num, |_, _| R::one());
    } else {
        soften(m, d, contact, num, |d, r| lighter(m, d, r));
        exchange(d);
    }
}

/// Ends the solve of a discrete step: restores M, its factor and qfrc_smooth; free bodies without rows get the gyroscopic force at the end
/// of the timestep.
pub(crate) fn settle(m: &Model, d: &mut Data) {
    leave(m, d, d.nefc[0] as usize);
}

/// The same for worlds side by side with `num` rows.
pub(crate) fn leave<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    hold(m, d, num);
    for first in (0..m.nv).filter(|&i| begins_free(m, i)) {
        spin(m, d, first);
    }
    d.qfrc_smooth.copy_from_slice(&d.efm_qfrc);
    exchange(d);
}

// exchanges M and the metric, and their factors
fn exchange<R: Real>(d: &mut Data<R>) {
    std::mem::swap(&mut d.M, &mut d.efm_M);
    std::mem::swap(&mut d.qLD, &mut d.qH);
    std::mem::swap(&mut d.qLDiagInv, &mut d.qHDiagInv);
}

fn diagonal(m: &Model, i: usize) -> usize {
    (m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize
}

// springs and dampers of joints: each acts on its own dofs
fn joints<R: Real>(m: &Model, d: &mut Data<R>) {
    let h = d.own.timestep(m);
    if !m.opt.disabled(DSBL_SPRING) {
        (0..m.njnt).for_each(|j| joint_spring(m, d, j));
    }
    if !m.opt.disabled(DSBL_DAMPER) {
        for i in 0..m.nv {
            let slope = damping_slope(m, d, i).max(R::zero());
            d.efm_M[diagonal(m, i)] += h * slope;
        }
    }
}

fn joint_spring<R: Real>(m: &Model, d: &mut Data<R>, j: usize) {
    let linear = d.own.jnt_stiffness(m, j);
    let poly = [0, 1].map(|k| d.own.jnt_stiffnesspoly(m, 2 * j + k));
    if !acts(linear, poly) {
        return;
    }
    let (mut padr, mut dadr) = (m.jnt_qposadr[j] as usize, m.jnt_dofadr[j] as usize);
    let stiffness = |x: R| poly_force_slope(linear, poly, x, false).max(R::zero());
    let jnt_type = m.jnt_type[j];
    if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
        let x = d.qpos[padr] - joint_rest(m, d, j, 0);
        stiffen(m, d, dadr, stiffness(x));
        return;
    }

    // three coordinates: the stiffness at their distance from rest
    let mut rest = 0;
    if jnt_type == JointType::Free {
        let x = norm3(std::array::from_fn(|k| {
            d.qpos[padr + k] - joint_rest(m, d, j, k)
        }));
        (0..3).for_each(|k| stiffen(m, d, dadr + k, stiffness(x)));
        (padr, dadr, rest) = (padr + 3, dadr + 3, 3);
    }
    let quat = normalize4(std::array::from_fn(|k| d.qpos[padr + k]));
    let at_rest = std::array::from_fn(|k| joint_rest(m, d, j, rest + k));
    let x = norm3(sub_quat(quat, at_rest));
    (0..3).for_each(|k| stiffen(m, d, dadr + k, stiffness(x)));
}

// adds a spring along one dof
fn stiffen<R: Real>(m: &Model, d: &mut Data<R>, i: usize, stiffness: R) {
    let h = d.own.timestep(m);
    d.efm_M[diagonal(m, i)] += h * h * stiffness;
    d.efm_c[i] -= h * stiffness * d.qvel[i];
}

fn tendon<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
    let zero = R::zero();
    let mut stiffness = zero;
    if !m.opt.disabled(DSBL_SPRING) {
        let linear = d.own.tendon_stiffness(m, t);
        let poly = [0, 1].map(|k| d.own.tendon_stiffnesspoly(m, 2 * t + k));
        let [lower, upper] = rest_length(m, d, t);
        let length = d.ten_length[t];
        let below = R::select(length.lt(lower), length - lower, zero);
        let x = R::select(upper.lt(length), length - upper, below);
        let slope = poly_force_slope(linear, poly, x, false).max(zero);
        stiffness = R::select(nonzero(x), slope, zero);
    }
    let mut damping = zero;
    if !m.opt.disabled(DSBL_DAMPER) {
        let linear = d.own.tendon_damping_all(m, t);
        let poly = [0, 1].map(|k| d.own.tendon_dampingpoly_all(m, 2 * t + k));
        damping = poly_force_slope(linear, poly, d.ten_velocity[t], true).max(zero);
    }
    if !(nonzero(stiffness) | nonzero(damping)).any() {
        return;
    }
    let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
    let dofs = &m.ten_J_colind[adr..adr + num];
    let moves = |d: &Data<R>, k: usize| d.ten_J[adr + k];
    resist(m, d, dofs, moves, d.ten_velocity[t], [stiffness, damping]);
}

// adds a spring and a damper along a coordinate with this Jacobian and this velocity
fn resist<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    dofs: &[i32],
    moves: impl Fn(&Data<R>, usize) -> R,
    velocity: R,
    [stiffness, damping]: [R; 2],
) {
    let h = d.own.timestep(m);
    for (k, &i) in dofs.iter().enumerate() {
        let own = moves(d, k);
        d.efm_c[i as usize] -= h * stiffness * velocity * own;
        for (l, &j) in dofs[..=k].iter().enumerate() {
            let product = own * moves(d, l);
            couple(m, d, i, j, (h * h * stiffness + h * damping) * product);
        }
    }
}

fn actuators<R: Real>(m: &Model, d: &mut Data<R>) {
    if m.nactuator == 0 || m.opt.disabled(DSBL_ACTUATION) {
        return;
    }
    let bad = bad_ctrl(m, d);
    for i in (0..m.nactuator).filter(|&i| !m.actuator_disabled(i)) {
        let free = !saturated(m, d, i);
        let resists = |slope: R| R::select(free, (-slope).max(R::zero()), R::zero());
        let damping = resists(force_slope(m, d, i, bad));
        let stiffness = resists(length_slope(m, d, i, bad));
        let adr = m.actuator_outadr[i] as usize;
        for r in adr..adr + m.actuator_outnum[i] as usize {
            actuator_output(m, d, r, stiffness, damping);
        }
    }
}

// derivative of an actuator's force with respect to its length
fn length_slope<R: Real>(m: &Model, d: &Data<R>, i: usize, bad: R::Mask) -> R {
    let r = m.actuator_outadr[i] as usize;
    let (length, velocity) = (d.actuator_length[r], d.actuator_velocity[r]);
    let lengthrange = || [0, 1].map(|k| d.own.actuator_lengthrange(m, 2 * r + k));
    let mut slope = R::zero();

    // bias
    let (biastype, gaintype) = (m.actuator_biastype[i], m.actuator_gaintype[i]);
    if biastype == BiasType::Affine || biastype == BiasType::So3 {
        slope += d.own.actuator_biasprm(m, 10 * i + 1);
    }
    if biastype == BiasType::DcMotor || gaintype == GainType::DcMotor {
        slope += motor_stiffness(m, d, i, |u| control(m, d, bad, u));
    }
    if biastype == BiasType::Muscle {
        let prm = std::array::from_fn(|k| d.own.actuator_biasprm(m, 10 * i + k));
        slope += muscle_bias_stiffness(length, lengthrange(), d.own.actuator_acc0(m, r), prm);
    }

    // derivative of the gain, times the control or the last activation
    let prm: [R; 10] = std::array::from_fn(|k| d.own.actuator_gainprm(m, 10 * i + k));
    let gain = match GainType::from_i32(gaintype) {
        Some(GainType::Affine) => prm[1],
        Some(GainType::Muscle) => {
            let acc0 = d.own.actuator_acc0(m, r);
            muscle_gain_stiffness(length, velocity, lengthrange(), acc0, prm)
        }
        _ => return slope,
    };
    slope + gain * actuator_input(m, d, i, bad)
}

fn actuator_output<R: Real>(m: &Model, d: &mut Data<R>, r: usize, stiffness: R, damping: R) {
    let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
    let dofs = &m.moment_colind[adr..adr + num];
    let moves = |d: &Data<R>, k: usize| d.actuator_moment[adr + k];
    resist(
        m,
        d,
        dofs,
        moves,
        d.actuator_velocity[r],
        [stiffness, damping],
    );
}

// adds to the entry of two dofs, one of which is the other's ancestor; other couplings are rejected when a model is loaded
fn couple<R: Real>(m: &Model, d: &mut Data<R>, i: i32, j: i32, x: R) {
    let (low, high) = (i.min(j) as usize, i.max(j) as usize);
    if ancestor(m, low, high)
        && let Some(k) = m_address(m, low, high)
    {
        d.efm_M[k] += x;
    }
}

// ratio of a row's response in the metric to its response by inertia, from the diagonals of both
fn lighter<R: Real>(m: &Model, d: &Data<R>, r: usize) -> R {
    let (mut bare, mut firm) = (R::zero(), R::zero());
    let dofs = dofs_of(m, R::int_lane(d.efc_Jpat[r], 0));
    for (&i, &x) in dofs.iter().zip(&d.efc_J[r * m.nJrow..]) {
        let k = diagonal(m, i as usize);
        bare += x * x / d.M[k];
        firm += x * x / d.efm_M[k];
    }
    let moves = R::zero().lt(bare);
    R::select(moves, firm / R::select(moves, bare, R::one()), R::one())
}

// marks the dofs that have rows, by lane: the sum of D, positive if there are any; only for models with free rigid bodies
fn hold<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    if !(0..m.nv).any(|i| rigid(m, i)) {
        return;
    }
    d.efm_held.fill(R::zero());
    for r in 0..num {
        for &i in dofs_of(m, R::int_lane(d.efc_Jpat[r], 0)) {
            d.efm_held[i as usize] += d.efc_D[r];
        }
    }
}

// true for the first dof of a free rigid body
fn begins_free(m: &Model, i: usize) -> bool {
    rigid(m, i) && m.jnt_dofadr[m.dof_jntid[i] as usize] as usize == i
}

// lanes where the body with this first dof has no rows
fn is_free<R: Real>(d: &Data<R>, first: usize) -> R::Mask {
    let held = (first..first + 6).fold(R::zero(), |sum, i| sum + d.efm_held[i]);
    held.le(R::zero())
}

// acceleration of a free rigid body, given by its first dof, with the derivative of its bias force
fn spin<R: Real>(m: &Model, d: &mut Data<R>, first: usize) {
    let h = d.own.timestep(m);
    let mut mat: [[R; 6]; 6] = std::array::from_fn(|a| {
        let slope = bias_slope(m, d, first + a);
        std::array::from_fn(|b| {
            let metric = m_address(m, first + a, first + b).map_or(R::zero(), |k| d.M[k]);
            metric + h * slope[b]
        })
    });
    let mut x: [R; 6] = std::array::from_fn(|a| d.qfrc_smooth[first + a]);
    eliminate(&mut mat, &mut x);
    let free = is_free(d, first);
    for (a, &x) in x.iter().enumerate() {
        d.qacc[first + a] = R::select(free, x, d.qacc[first + a]);
    }
}

// x = inv(mat) x; the symmetric part of the matrix is positive definite, so no pivoting is needed
fn eliminate<R: Real>(mat: &mut [[R; 6]; 6], x: &mut [R; 6]) {
    for k in 0..6 {
        for a in k + 1..6 {
            let factor = mat[a][k] / mat[k][k];
            for b in k..6 {
                let above = mat[k][b];
                mat[a][b] -= factor * above;
            }
            let above = x[k];
            x[a] -= factor * above;
        }
    }
    for k in (0..6).rev() {
        let sum = (k + 1..6).fold(x[k], |sum, b| sum - mat[k][b] * x[b]);
        x[k] = sum / mat[k][k];
    }
}

/// Advances the state by the accelerations over the timestep, as the solver found them (`mj_discrete`).
pub(crate) fn discrete<R: Real>(m: &Model, d: &mut Data<R>) {
    d.euler_qacc.copy_from_slice(&d.qacc);
    take_step(m, d);
}
