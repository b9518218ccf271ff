//! Derivative of the smooth forces with respect to velocity (`mjd_smooth_vel`).

mod medium;

use crate::cpu::lib::actuator::*;
use crate::cpu::lib::dcmotor::motor_slope;
use crate::cpu::lib::force::{acts, damping_slope, poly_force_slope};
use crate::cpu::lib::math::norm3;
use crate::cpu::lib::medium::box_like;
use crate::cpu::lib::slope::{axis_turn, gyroscopic, rigid};
use crate::cpu::lib::sparse::d_address;
use crate::cpu::lib::spatial::{dot6, mul_inert_vec};
use crate::fields::{Arrays, Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Derivative of the smooth forces with respect to velocity (`mjd_smooth_vel`).
pub fn smooth_vel<R: Real>(m: &Model, d: &mut Data<R>) {
    // velocity-dependent forces on bodies
    d.qDeriv.fill(R::zero());
    if m.nvslope > 0 {
        bodies(m, d);
    }

    // actuators
    if m.nactuator > 0 && !m.opt.disabled(DSBL_ACTUATION) {
        let bad = bad_ctrl(m, d);
        for i in (0..m.nactuator).filter(|&i| !m.actuator_disabled(i)) {
            actuator(m, d, i, bad);
        }
    }

    // dampers of dofs and tendons
    if m.opt.disabled(DSBL_DAMPER) {
        return;
    }
    for i in 0..m.nv {
        let slope = damping_slope(m, d, i);
        d.qDeriv[d_address(m, i, i)] -= slope;
    }
    for t in 0..m.ntendon {
        let linear = d.own.tendon_damping_all(m, t);
        let poly = [
            d.own.tendon_dampingpoly_all(m, 2 * t),
            d.own.tendon_dampingpoly_all(m, 2 * t + 1),
        ];
        if !acts(linear, poly) {
            continue;
        }
        let slope = poly_force_slope(linear, poly, d.ten_velocity[t], true);
        let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
        for k in adr..adr + num {
            for l in adr..adr + num {
                let product = d.ten_J[k] * d.ten_J[l];
                add(m, d, m.ten_J_colind[k], m.ten_J_colind[l], -slope * product);
            }
        }
    }
}

// adds to an entry, if it exists: there is none for dofs of two branches
#[inline(always)]
fn add<R: Real>(m: &Model, d: &mut Data<R>, i: i32, j: i32, x: R) {
    let (low, high) = (i.min(j) as usize, i.max(j) as usize);
    if ancestor(m, low, high) {
        d.qDeriv[d_address(m, i as usize, j as usize)] += x;
    }
}

/// True if dof `low` is dof `high` or one of its ancestors.
#[inline(always)]
pub fn ancestor(m: &Arrays, low: usize, high: usize) -> bool {
    let [place, depth] = [low, high].map(|i| m.D_diag[i] as usize);
    place <= depth && m.D_colind[m.D_rowadr[high] as usize + place] == low as i32
}

// gyroscopic forces and drag: matrices of bodies, summed over subtrees
#[inline(always)]
fn bodies<R: Real>(m: &Model, d: &mut Data<R>) {
    let bias = m.opt.integrator == Integrator::Implicit;
    let drag = resists(m);

    // matrices of single bodies; the world body has none
    d.slope_force.fill(R::zero());
    for i in 1..m.nbody {
        if bias {
            let slope = gyroscopic(d.cinert[i], d.cvel[i]);
            for (k, x) in slope.as_flattened().iter().enumerate() {
                d.slope_force[36 * i + k] = -*x;
            }
        }
        if drag && !d.own.body_mass(m, i).lt(R::splat(MINVAL)).all() {
            resistance(m, d, i);
        }
    }

    of_subtrees(m, d);

    // vectors of each dof as the deeper one of two dofs, and as the other one
    for k in 0..m.nv {
        let body = m.dof_bodyid[k] as usize;
        let axis = d.cdof[k];
        let columns = of_subtree(m, d, k);
        let mut own: [R; 6] =
            std::array::from_fn(|r| (0..6).fold(R::zero(), |sum, c| sum + columns[c][r] * axis[c]));
        d.slope_axis[k] = columns.map(|column| dot6(column, axis));
        if bias {
            d.slope_turn[k] = axis_turn(m, d, k);
            d.slope_momentum[k] = mul_inert_vec(d.crb[body], axis);
            let turned = mul_inert_vec(d.crb[body], d.slope_turn[k]);
            own = std::array::from_fn(|r| own[r] - turned[r]);
        }
        d.slope_own[k] = own;
    }

    // entries
    for i in 0..m.nv {
        let adr = m.D_rowadr[i] as usize;
        for k in adr..adr + m.D_rownnz[i] as usize {
            let j = m.D_colind[k] as usize;
            d.qDeriv[k] = if j > i {
                dot6(d.cdof[i], d.slope_own[j])
            } else {
                let mut slope = dot6(d.slope_axis[i], d.cdof[j]);
                if bias {
                    slope -= dot6(d.slope_momentum[i], d.slope_turn[j]);
                }
                slope
            };
        }
    }
}

// sums over subtrees, children before parents
#[inline(always)]
fn of_subtrees<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in (1..m.nbody).rev() {
        let p = m.body_parentid[i] as usize;
        if p > 0 {
            for k in 0..36 {
                let child = d.slope_force[36 * i + k];
                d.slope_force[36 * p + k] += child;
            }
        }
    }
}

// the matrix of the subtree that a dof moves, by columns
#[inline(always)]
fn of_subtree<R: Real>(m: &Model, d: &Data<R>, k: usize) -> [[R; 6]; 6] {
    let body = m.dof_bodyid[k] as usize;
    std::array::from_fn(|c| std::array::from_fn(|r| d.slope_force[36 * body + 6 * c + r]))
}

// true if there is a fluid that resists motion
fn resists(m: &Model) -> bool {
    m.opt.has_medium() && !(m.opt.disabled(DSBL_SPRING) && m.opt.disabled(DSBL_DAMPER))
}

/// Calls `add` with the derivative of the drag for each pair of a dof and itself or one of its ancestors: index of the entry of
/// M, derivative.
#[inline(always)]
pub(crate) fn drag<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    mut add: impl FnMut(&mut Data<R>, usize, R),
) {
    if !resists(m) {
        return;
    }
    d.slope_force.fill(R::zero());
    (1..m.nbody).for_each(|i| resistance(m, d, i));
    of_subtrees(m, d);
    for i in 0..m.nv {
        let axis = d.cdof[i];
        let through = of_subtree(m, d, i).map(|column| dot6(column, axis));
        let adr = m.M_rowadr[i] as usize;
        for k in adr..adr + m.M_rownnz[i] as usize {
            let slope = dot6(through, d.cdof[m.M_colind[k] as usize]);
            add(d, k, slope);
        }
    }
}

// drag on a body: its derivatives for unit motions
#[inline(always)]
fn resistance<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    // integrators with a symmetric factor take the symmetric part; free rigid bodies have a full one
    let last = m.body_lastdof[i];
    let fast =
        m.opt.integrator == Integrator::ImplicitFast && (last < 0 || !rigid(m, last as usize));
    let fast = fast || m.opt.is_discrete();
    if box_like(m, i) {
        let columns = medium::box_slope(m, d, i);
        gather(d, i, columns, fast);
        return;
    }
    let adr = m.body_geomadr[i] as usize;
    for g in adr..adr + m.body_geomnum[i] as usize {
        if m.geom_fluid[12 * g] != 0.0 {
            let columns = medium::ellipsoid_slope(m, d, i, g);
            gather(d, i, columns, fast);
        }
    }
}

#[inline(always)]
fn gather<R: Real>(d: &mut Data<R>, i: usize, columns: [[R; 6]; 6], symmetric: bool) {
    for c in 0..6 {
        for r in 0..6 {
            let x = match symmetric {
                true => R::splat(0.5) * (columns[c][r] + columns[r][c]),
                false => columns[c][r],
            };
            d.slope_force[36 * i + 6 * c + r] += x;
        }
    }
}

// derivative of an actuator's force with respect to velocity, added for each output by itself
#[inline(always)]
fn actuator<R: Real>(m: &Model, d: &mut Data<R>, i: usize, bad: R::Mask) {
    let slope = R::select(saturated(m, d, i), R::zero(), force_slope(m, d, i, bad));
    let adr = m.actuator_outadr[i] as usize;
    for r in adr..adr + m.actuator_outnum[i] as usize {
        let (adr, num) = (m.moment_rowadr[r] as usize, m.moment_rownnz[r] as usize);
        for k in adr..adr + num {
            for l in adr..adr + num {
                let product = d.actuator_moment[k] * d.actuator_moment[l];
                add(
                    m,
                    d,
                    m.moment_colind[k],
                    m.moment_colind[l],
                    slope * product,
                );
            }
        }
    }
}

/// True where a limit holds the force, independent of the velocity.
#[inline(always)]
pub(crate) fn saturated<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R::Mask {
    let adr = m.actuator_outadr[i] as usize;
    let mut held = R::one().lt(R::zero());

    // force range of the actuator
    if m.actuator_forcelimited[i] != 0 {
        let [lo, hi] = [0, 1].map(|k| d.own.actuator_forcerange(m, 2 * i + k));
        held = match m.actuator_gaintype[i] == GainType::So3 {
            true => at_limit(
                norm3(std::array::from_fn(|k| d.actuator_force[adr + k])),
                hi,
            ),
            false => d.actuator_force[adr].le(lo) | hi.le(d.actuator_force[adr]),
        };
    }

    // force range of its joint or tendon
    let id = m.actuator_trnid[2 * i].max(0) as usize;
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Joint | TrnType::JointInParent) if m.jnt_actfrclimited[id] != 0 => {
            let force = d.qfrc_actuator[m.jnt_dofadr[id] as usize];
            let [lo, hi] = [0, 1].map(|k| d.own.jnt_actfrcrange(m, 2 * id + k));
            held | force.le(lo) | hi.le(force)
        }
        Some(TrnType::Tendon) if m.tendon_actfrclimited[id] != 0 => {
            let mut sum = R::zero();
            for k in 0..m.nactuator {
                if m.actuator_trntype[k] == TrnType::Tendon
                    && m.actuator_trnid[2 * k] as usize == id
                {
                    sum += d.actuator_force[m.actuator_outadr[k] as usize];
                }
            }
            let [lo, hi] = [0, 1].map(|k| d.own.tendon_actfrcrange(m, 2 * id + k));
            held | at_limit(-sum, -lo) | at_limit(sum, hi)
        }
        _ => held,
    }
}

// true for a force that was scaled down to its limit, which it then meets up to rounding (MuJoCo leaves that to chance)
#[inline(always)]
fn at_limit<R: Real>(x: R, limit: R) -> R::Mask {
    (limit - R::splat(1e-6) * limit.abs()).le(x)
}

/// Derivative of an actuator's force with respect to its velocity.
#[inline(always)]
pub(crate) fn force_slope<R: Real>(m: &Model, d: &Data<R>, i: usize, bad: R::Mask) -> R {
    let r = m.actuator_outadr[i] as usize;
    let mut slope = R::zero();

    // bias
    let biastype = m.actuator_biastype[i];
    if biastype == BiasType::Affine || biastype == BiasType::So3 {
        slope += d.own.actuator_biasprm(m, 10 * i + 2);
    }
    let gaintype = m.actuator_gaintype[i];
    if biastype == BiasType::DcMotor || gaintype == GainType::DcMotor {
        slope += motor_slope(m, d, i, |u| control(m, d, bad, u));
    }

    // derivative of the gain, times the control or the last activation, possibly that of the next timestep
    let prm: [R; 10] = std::array::from_fn(|k| d.own.actuator_gainprm(m, 10 * i + k));
    let gain = match GainType::from_i32(gaintype) {
        Some(GainType::Affine) => prm[2],
        Some(GainType::Muscle) => {
            let lengthrange = [0, 1].map(|k| d.own.actuator_lengthrange(m, 2 * r + k));
            let (length, velocity) = (d.actuator_length[r], d.actuator_velocity[r]);
            muscle_gain_slope(
                length,
                velocity,
                lengthrange,
                d.own.actuator_acc0(m, r),
                prm,
            )
        }
        _ => return slope,
    };
    slope + gain * actuator_input(m, d, i, bad)
}
