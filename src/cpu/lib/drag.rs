//! Slope of the drag of a medium over the velocity: matrices of bodies, summed over subtrees.

use crate::cpu::lib::medium::box_like;
use crate::cpu::lib::medium_slope::{box_slope, ellipsoid_slope};
use crate::cpu::lib::slope::rigid;
use crate::cpu::lib::spatial::dot6;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Of subtrees, children before parents.
#[inline(always)]
pub fn of_subtrees<R: Real>(m: &Model, d: &mut Data<R>) {
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

/// The matrix of the subtree that a dof moves, by columns.
#[inline(always)]
pub(crate) fn of_subtree<R: Real>(m: &Model, d: &Data<R>, k: usize) -> [[R; 6]; 6] {
    let body = m.dof_bodyid[k] as usize;
    std::array::from_fn(|c| std::array::from_fn(|r| d.slope_force[36 * body + 6 * c + r]))
}

/// Whether there is a medium that resists motions.
pub(crate) fn resists(m: &Model) -> bool {
    m.opt.has_medium() && !(m.opt.disabled(DSBL_SPRING) && m.opt.disabled(DSBL_DAMPER))
}

/// Metric less a timestep of the drag's slope, for each pair of a dof and itself or an ancestor of it.
#[inline(always)]
pub fn less_drag<R: Real>(m: &Model, d: &mut Data<R>) {
    if !resists(m) {
        return;
    }
    let h = d.own.timestep(m);
    d.slope_force.fill(R::zero());
    (1..m.nbody).for_each(|i| slope_resistance(m, d, i));
    of_subtrees(m, d);
    for i in 0..m.nv {
        let axis = d.cdof[i];
        let through = of_subtree(m, d, i).map(|column| dot6(column, axis));
        let adr = m.M_rowadr[i] as usize;
        for k in adr..adr + m.M_rownnz[i] as usize {
            let slope = dot6(through, d.cdof[m.M_colind[k] as usize]);
            d.efm_M[k] -= h * slope;
        }
    }
}

/// Drag on a body: its derivatives for unit motions.
#[inline(always)]
pub fn slope_resistance<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    // integrators with a symmetric factor take the symmetric part; free rigid bodies have a full one
    let last = m.body_lastdof[i];
    let fast =
        m.opt.integrator == Integrator::ImplicitFast && (last < 0 || !rigid(m, last as usize));
    let fast = fast || m.opt.is_discrete();
    if box_like(m, i) {
        let columns = box_slope(m, d, i);
        slope_gather(d, i, columns, fast);
        return;
    }
    let adr = m.body_geomadr[i] as usize;
    for g in adr..adr + m.body_geomnum[i] as usize {
        if m.geom_fluid[12 * g] != 0.0 {
            let columns = ellipsoid_slope(m, d, i, g);
            slope_gather(d, i, columns, fast);
        }
    }
}

// adds six columns, or their symmetric part
#[inline(always)]
fn slope_gather<R: Real>(d: &mut Data<R>, i: usize, columns: [[R; 6]; 6], symmetric: bool) {
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
