//! Derivative of the smooth forces with respect to velocity (`mjd_smooth_vel`).

use crate::cpu::lib::actuator::bad_ctrl;
use crate::cpu::lib::actuator_slope::{force_slope, saturated};
use crate::cpu::lib::drag::{of_subtree, of_subtrees, resists, slope_resistance};
use crate::cpu::lib::force::{acts, damping_slope, poly_force_slope};
use crate::cpu::lib::slope::{axis_turn, gyroscopic};
use crate::cpu::lib::sparse::{ancestor, d_address};
use crate::cpu::lib::spatial::{dot6, mul_inert_vec};
use crate::fields::{Data, Model};
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
            slope_resistance(m, d, i);
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
