//! The metric in which a discrete step is solved for, `M + h D + h² K`: inertia, with what dampers D and springs K add to it in a timestep h
//! (MuJoCo documentation, Computation, "Integrators", `discrete`; `mj_effBuild`, `mj_effShift`, `mj_effActuation`).
//!
//! While the solver works, the metric and its factor stand in the places of M, qLD and qLDiagInv, and qfrc_smooth holds what springs lose as they
//! move. `settle` puts everything back where it was.

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

/// The metric in which a discrete step is solved for, in the place of M; rows and unconstrained acceleration in it.
pub(crate) fn metric(m: &Model, d: &mut Data) {
    with_rows(m, d, enter);
}

// the pairs of one world's contacts, and how many rows it has
fn with_rows(m: &Model, d: &mut Data, run: impl FnOnce(&Model, &mut Data, &[i32], usize)) {
    let (ncon, num) = (d.ncon[0] as usize, d.nefc[0] as usize);
    let contact = std::mem::take(&mut d.contact_collision);
    run(m, d, &contact[..ncon], num);
    d.contact_collision = contact;
}

/// The same for the first `num` rows of worlds side by side; `contact` gives the pair of each contact slot.
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

/// The metric in the place of M while inverse dynamics runs, and rows in it.
pub(crate) fn inverse_metric(m: &Model, d: &mut Data) {
    with_rows(m, d, enter_inverse);
}

/// What the metric adds to the force that an acceleration takes; M and its factor in their places.
pub(crate) fn inverse_settle(m: &Model, d: &mut Data) {
    leave_inverse(m, d, d.nefc[0] as usize);
}

/// The same for worlds side by side that have `num` rows.
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

/// The metric and its factor in the places of M and its own, and the first `num` rows of worlds side by side in it.
pub(crate) fn enter_inverse<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    // inertia, springs, dampers and drag; its factor
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

    // rows end their timestep as springs and dampers do
    if m.opt.enabled(ENBL_DIAGEXACT) {
        exchange(d);
        exact(m, d, contact, num);
        soften(m, d, contact, num, |_, _| R::one());
    } else {
        soften(m, d, contact, num, |d, r| lighter(m, d, r));
        exchange(d);
    }
}

/// Ends the solve of a discrete step: M, its factor and qfrc_smooth are what they were; free bodies that no row holds feel their gyroscopic
/// force as it is at the end of the timestep.
pub(crate) fn settle(m: &Model, d: &mut Data) {
    leave(m, d, d.nefc[0] as usize);
}

/// The same for worlds side by side that have `num` rows.
pub(crate) fn leave<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    hold(m, d, num);
    for first in (0..m.nv).filter(|&i| begins_free(m, i)) {
        spin(m, d, first);
    }
    d.qfrc_smooth.copy_from_slice(&d.efm_qfrc);
    exchange(d);
}

/// The metric in the place of M once more; rows are in it already.
pub(crate) fn again<R: Real>(_: &Model, d: &mut Data<R>) {
    exchange(d);
}

// the metric for M, or M for the metric; their factors likewise
fn exchange<R: Real>(d: &mut Data<R>) {
    std::mem::swap(&mut d.M, &mut d.efm_M);
    std::mem::swap(&mut d.qLD, &mut d.qH);
    std::mem::swap(&mut d.qLDiagInv, &mut d.qHDiagInv);
}

fn diagonal(m: &Model, i: usize) -> usize {
    (m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize
}

// springs and dampers of joints: each its own dofs
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

    // three coordinates alike: the distance counts
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

// a spring of one dof
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

// a spring and a damper along what moves these dofs so, at this velocity
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

// how an actuator's force grows with its length
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

    // gain, times the control or the last activation
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

// adds to the entry of two dofs one of which is the other's ancestor; other couplings are refused when a model is loaded
fn couple<R: Real>(m: &Model, d: &mut Data<R>, i: i32, j: i32, x: R) {
    let (low, high) = (i.min(j) as usize, i.max(j) as usize);
    if ancestor(m, low, high)
        && let Some(k) = m_address(m, low, high)
    {
        d.efm_M[k] += x;
    }
}

// how much less a row moves in the metric than by inertia, by the diagonals of both
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

// which dofs some row moves, by lanes: more than 0; known where a body is free and rigid
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

// the first dof of a body that is free and rigid
fn begins_free(m: &Model, i: usize) -> bool {
    rigid(m, i) && m.jnt_dofadr[m.dof_jntid[i] as usize] as usize == i
}

// where no row moves the body of this first dof
fn is_free<R: Real>(d: &Data<R>, first: usize) -> R::Mask {
    let held = (first..first + 6).fold(R::zero(), |sum, i| sum + d.efm_held[i]);
    held.le(R::zero())
}

// acceleration of a free and rigid body, its first dof given, with the slope of its bias force
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

// x = inv(mat) x; the symmetric part of the matrix is positive definite: no pivot is sought
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

/// Advances by the accelerations over the timestep, which the solver found (`mj_discrete`).
pub(crate) fn discrete<R: Real>(m: &Model, d: &mut Data<R>) {
    d.euler_qacc.copy_from_slice(&d.qacc);
    take_step(m, d);
}
