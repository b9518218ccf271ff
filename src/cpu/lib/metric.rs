//! The metric of a discrete step, `M + h D + h² K`: inertia plus the effect of dampers D and springs K over a timestep h (MuJoCo
//! documentation, Computation, "Integrators", `discrete`; `mj_effBuild`, `mj_effShift`, `mj_effActuation`).
//!
//! While the solver runs, the metric and its factor replace M, qLD and qLDiagInv, and qfrc_smooth includes the change of the spring forces over
//! the timestep. `settle` restores all of them.

use crate::cpu::lib::actuator::bad_ctrl;
use crate::cpu::lib::actuator_slope::{force_slope, length_slope, saturated};
use crate::cpu::lib::coupling::{add_own_couplings, coupling, factor_metric, is_coupled};
use crate::cpu::lib::diagonal::exact_rows;
use crate::cpu::lib::drag::less_drag;
use crate::cpu::lib::force::{acts, damping_slope, joint_rest, poly_force_slope, rest_length};
use crate::cpu::lib::implicit_rows::soften;
use crate::cpu::lib::math::*;
use crate::cpu::lib::penalty::{has_penalties, stiffen_contacts};
use crate::cpu::lib::rows::dofs_of;
use crate::cpu::lib::soft_metric::stiffen_flexes;
use crate::cpu::lib::sparse::{ancestor, factor_i, m_address};
use crate::cpu::lib::warning::warn;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Replaces M and its factor by the metric and its factor, and adapts the first `num` rows of worlds side by side.
pub fn build_metric<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    // inertia, springs, dampers and drag; factor of the metric
    d.efm_M.copy_from_slice(&d.M);
    d.efm_c.fill(R::zero());
    d.efm_K_val.fill(R::zero());
    d.efm_bound.fill(R::zero());
    stiffen_joints(m, d);
    less_drag(m, d);
    if m.opt.solver != Solver::Pgs {
        (0..m.ntendon).for_each(|t| stiffen_tendon(m, d, t));
        stiffen_actuators(m, d);
    }
    if is_coupled(m) {
        stiffen_flexes(m, d);
        if has_penalties(m) {
            stiffen_contacts(m, d, contact);
        }
    }
    d.qH.copy_from_slice(&d.efm_M);
    if is_coupled(m) {
        add_own_couplings(m, d);
    }
    let clamped = factor_i(m, &mut d.qH, &mut d.qHDiagInv, |_| false);
    warn(d, Warning::Inertia, clamped);
    if is_coupled(m) {
        factor_metric(m, d);
    }

    // evaluate the rows at the end of the timestep, like springs and dampers
    if m.opt.enabled(ENBL_DIAGEXACT) {
        exchange_metric(d);
        exact_rows(m, d, contact, num);
        soften(m, d, contact, num, |_, _| R::one());
    } else {
        soften(m, d, contact, num, |d, r| lighter(m, d, r));
        exchange_metric(d);
    }
}

/// Exchanges M and the metric, and their factors.
pub fn exchange_metric<R: Real>(d: &mut Data<R>) {
    std::mem::swap(&mut d.M, &mut d.efm_M);
    std::mem::swap(&mut d.qLD, &mut d.qH);
    std::mem::swap(&mut d.qLDiagInv, &mut d.qHDiagInv);
}

/// Runs with the pairs of one world's contacts and the number of its rows.
pub(crate) fn with_rows(
    m: &Model,
    d: &mut Data,
    run: impl FnOnce(&Model, &mut Data, &[i32], usize),
) {
    let (ncon, num) = (d.ncon[0] as usize, d.nefc[0] as usize);
    let contact = std::mem::take(&mut d.contact_collision);
    run(m, d, &contact[..ncon], num);
    d.contact_collision = contact;
}

pub fn on_diagonal(m: &Model, i: usize) -> usize {
    (m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize
}

// springs and dampers of joints: each acts on its own dofs
fn stiffen_joints<R: Real>(m: &Model, d: &mut Data<R>) {
    let h = d.own.timestep(m);
    if !m.opt.disabled(DSBL_SPRING) {
        (0..m.njnt).for_each(|j| stiffen_joint(m, d, j));
    }
    if !m.opt.disabled(DSBL_DAMPER) {
        for i in 0..m.nv {
            let slope = damping_slope(m, d, i).max(R::zero());
            d.efm_M[on_diagonal(m, i)] += h * slope;
        }
    }
}

fn stiffen_joint<R: Real>(m: &Model, d: &mut Data<R>, j: usize) {
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

// a spring of one dof
fn stiffen<R: Real>(m: &Model, d: &mut Data<R>, i: usize, stiffness: R) {
    let h = d.own.timestep(m);
    d.efm_M[on_diagonal(m, i)] += h * h * stiffness;
    d.efm_c[i] -= h * stiffness * d.qvel[i];
}

fn stiffen_tendon<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
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
    resist_along(m, d, dofs, moves, d.ten_velocity[t], [stiffness, damping]);
}

// adds a spring and a damper along a coordinate with this Jacobian and this velocity
fn resist_along<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    dofs: &[i32],
    moves: impl Fn(&Data<R>, usize) -> R,
    velocity: R,
    [stiffness, damping]: [R; 2],
) {
    let h = d.own.timestep(m);
    let weight = h * h * stiffness + h * damping;
    for (k, &i) in dofs.iter().enumerate() {
        let own = moves(d, k);
        d.efm_c[i as usize] -= h * stiffness * velocity * own;
        if let Some(bound) = d.efm_bound.get_mut(i as usize) {
            *bound += weight;
        }
        for (l, &j) in dofs[..=k].iter().enumerate() {
            let product = own * moves(d, l);
            couple(m, d, i, j, weight * product);
        }
    }
}

fn stiffen_actuators<R: Real>(m: &Model, d: &mut Data<R>) {
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
            stiffen_output(m, d, r, stiffness, damping);
        }
    }
}

fn stiffen_output<R: Real>(m: &Model, d: &mut Data<R>, r: usize, stiffness: R, damping: R) {
    let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
    let dofs = &m.moment_colind[adr..adr + num];
    let moves = |d: &Data<R>, k: usize| d.actuator_moment[adr + k];
    resist_along(
        m,
        d,
        dofs,
        moves,
        d.actuator_velocity[r],
        [stiffness, damping],
    );
}

// adds to the entry of two dofs. Where the metric has couplings beyond M's sparsity, all that lines couple is there, since M's
// sparsity then holds only what the solvers of the dual problem and the exact diagonal take
fn couple<R: Real>(m: &Model, d: &mut Data<R>, i: i32, j: i32, x: R) {
    let (low, high) = (i.min(j) as usize, i.max(j) as usize);
    if is_coupled(m) && low != high {
        if let Some(k) = coupling(m, low, high) {
            d.efm_K_val[k] += x;
        }
        return;
    }
    if ancestor(m, low, high)
        && let Some(k) = m_address(m, low, high)
    {
        d.efm_M[k] += x;
    }
}

// ratio of a row's response in the metric to its response by inertia, from the diagonals of both
fn lighter<R: Real>(m: &Model, d: &Data<R>, r: usize) -> R {
    let (mut bare, mut firm) = (R::zero(), R::zero());
    let dofs = dofs_of(m, d, R::int_lane(d.efc_Jpat[r], 0));
    for (&i, &x) in dofs.iter().zip(&d.efc_J[r * m.nJrow..]) {
        let k = on_diagonal(m, i as usize);
        bare += x * x / d.M[k];
        firm += x * x / d.efm_M[k];
    }
    let moves = R::zero().lt(bare);
    R::select(moves, firm / R::select(moves, bare, R::one()), R::one())
}
