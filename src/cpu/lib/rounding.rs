//! Where single precision ends: the imbalance of forces that is the rounding of their terms, and the force of a hard row that such a
//! rounding hides.

use super::linesearch::TOLD;
use super::math::is_fine;
use super::primal::{Island, System};
use super::rows::patterns;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Where the gradient may be rounding in every dof, or so small that it does not count.
pub(crate) fn within_rounding<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    island: &Island<'_, R>,
) -> R::Mask {
    let zero = R::zero();
    add_up_terms(m, d, system, island);
    let tolerance = d.own.tolerance(m);
    island.dofs.iter().fold(zero.le(zero), |all, &i| {
        let i = i as usize;
        let small = (island.scale * d.solver_grad[i].abs()).lt(tolerance);
        all & (small | is_rounding(d, i))
    })
}

/// Gives dofs whose constraint force is lost in rounding the one that balances the acceleration. A row moves its dof with D times its
/// residual: if D is large, the rounding of the residual is a large force.
pub(crate) fn balance<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    island: &Island<'_, R>,
) {
    let zero = R::zero();
    let none = zero.lt(zero);
    if is_fine::<R>() {
        return;
    }
    let dofs = island.dofs.iter();
    let off = dofs.fold(none, |off, &i| off | is_off(d, i as usize));
    if !(island.lanes & off).any() {
        return;
    }
    // only rows as hard as no usual body needs have such a rounding
    let hard = R::splat(HARD);
    if !island
        .rows
        .iter()
        .any(|&r| hard.lt(d.efc_D[r as usize]).any())
    {
        return;
    }
    add_up_terms(m, d, system, island);
    for &i in island.dofs {
        let i = i as usize;
        let lost = island.lanes & is_off(d, i) & is_rounding(d, i);
        d.qfrc_constraint[i] = R::select(lost, d.solver_Ma[i], d.qfrc_constraint[i]);
    }
}

// D from which on the rounding of a residual is looked at
const HARD: f64 = 1e9;

// imbalance relative to the other forces of a dof that their rounding does not explain
const OFF: f64 = 1e-4;

// where the imbalance of a dof is more than the rounding of the inertial and smooth forces
fn is_off<R: Real>(d: &Data<R>, i: usize) -> R::Mask {
    let size = d.solver_Ma[i].abs() + d.qfrc_smooth[i].abs();
    (R::splat(OFF) * size).lt(d.solver_grad[i].abs())
}

// where the gradient of a dof is within the rounding of the terms that were added up
fn is_rounding<R: Real>(d: &Data<R>, i: usize) -> R::Mask {
    let rounding = R::splat(TOLD * R::ROUNDING);
    d.solver_grad[i].abs().le(rounding * d.solver_Mgrad[i])
}

// sizes of the terms of the gradient, and of the terms of the residuals of rows that push, which are accelerations of dofs
fn add_up_terms<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    island: &Island<'_, R>,
) {
    let zero = R::zero();
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    let size = &mut d.solver_Mgrad;
    for &i in island.dofs {
        size[i as usize] = d.solver_Ma[i as usize].abs();
    }
    for &r in island.rows {
        let dofs = jacobian.dofs(r);
        let r = r as usize;
        let entries = || (dofs.iter().map(|&i| i as usize)).zip(jacobian.row(r, dofs.len()));
        let residual = entries().fold(d.efc_aref[r].abs(), |sum, (i, entry)| {
            (*entry * d.qacc[i]).abs() + sum
        });
        let force = d.efc_force[r].abs();
        let force = force + R::select(zero.lt(force), d.efc_D[r] * residual, zero);
        for (i, entry) in entries() {
            size[i] = entry.abs().mul_add(force, size[i]);
        }
    }
}
