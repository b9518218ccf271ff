//! Forces and states of the rows from their residuals, and the gradient.

use std::ops::Range;

use super::{Island, System, runs};
use crate::cpu::lib::cone::is_elliptic;
use crate::cpu::lib::rows::patterns;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// How an update changed the rows' part of the Hessian.
#[derive(Clone, Copy)]
pub struct Change<R: Real> {
    /// A row became quadratic or is no longer quadratic.
    pub quadratic: R::Mask,
    /// A contact slides: its part of the Hessian changes with every step.
    pub cone: R::Mask,
}

/// Kind of a row by the range in which its cost is quadratic: everywhere, inside a bound, or on one side.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// An equality.
    Equality,
    /// A friction loss.
    Friction,
    /// A limit or contact.
    OneSided,
}

/// Force and state of a row from its residual; rows of an elliptic contact are computed together: [`Contact::force`] sets them.
/// The last value is true where the cost is quadratic.
#[inline(always)]
pub fn row_force<R: Real>(d: &Data<R>, sort: Sort, r: usize, x: R) -> (R, R::Int, R::Mask) {
    let zero = R::zero();
    let int = |state: ConstraintState| R::int(state as i32);
    let quadratic = int(ConstraintState::Quadratic);
    let force = -d.efc_D[r] * x;
    match sort {
        Sort::Equality => (force, quadratic, zero.le(zero)),
        Sort::Friction => {
            let loss = d.efc_frictionloss[r];
            let bound = d.efc_R[r] * loss;
            let (below, above) = (x.le(-bound), bound.le(x));
            let state = R::select_int(above, int(ConstraintState::LinearPos), quadratic);
            (
                R::select(below, loss, R::select(above, -loss, force)),
                R::select_int(below, int(ConstraintState::LinearNeg), state),
                !(below | above),
            )
        }
        // limit or contact
        Sort::OneSided => one_sided_force(d.efc_D[r], x),
    }
}

// the same of a limit or contact, from its D and its residual
#[inline(always)]
fn one_sided_force<R: Real>(inertia: R, x: R) -> (R, R::Int, R::Mask) {
    let zero = R::zero();
    let int = |state: ConstraintState| R::int(state as i32);
    let [quadratic, satisfied] = [ConstraintState::Quadratic, ConstraintState::Satisfied].map(int);
    // inactive
    let free = zero.le(x);
    let state = R::select_int(free, satisfied, quadratic);
    (R::select(free, zero, -inertia * x), state, !free)
}

/// Force and state of every row from its residual (`mj_constraintUpdate`).
pub fn update_constraint<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    island: &Island<'_, R>,
) -> Change<R> {
    let none = R::zero().lt(R::zero());
    let (mut quadratic, mut cone) = (none, none);
    let (equality, rest) = island.rows.split_at(island.ne);
    let (friction, rest) = rest.split_at(island.nf);
    for &r in equality {
        quadratic = quadratic | update_row(d, Sort::Equality, r as usize);
    }
    for &r in friction {
        quadratic = quadratic | update_row(d, Sort::Friction, r as usize);
    }
    if m.opt.cone == Cone::Pyramidal {
        for rows in runs(rest) {
            quadratic = quadratic | update_one_sided(d, rows);
        }
        return Change { quadratic, cone };
    }
    let mut k = 0;
    while k < rest.len() {
        let r = rest[k] as usize;
        if !is_elliptic(m, d, r) {
            quadratic = quadratic | update_row(d, Sort::OneSided, r);
            k += 1;
            continue;
        }
        let contact = system.contact(m, d, r);
        let (inertia, x) = (&d.efc_D[r..], &d.solver_Jaref[r..]);
        let zone = contact.force(inertia, x, &mut d.efc_force[r..]);
        let present = R::zero().lt(d.efc_D[r]);
        quadratic = quadratic | (present & (is_quadratic(d, r) ^ zone.bottom));
        cone = cone | (present & zone.middle);
        d.efc_state[r..r + contact.dim].fill(zone.state());
        k += contact.dim;
    }
    Change { quadratic, cone }
}

// limits and contacts: as [`update_row`] of each
fn update_one_sided<R: Real>(d: &mut Data<R>, rows: Range<usize>) -> R::Mask {
    let zero = R::zero();
    let mut changed = zero.lt(zero);
    let (inertia, x) = (&d.efc_D[rows.clone()], &d.solver_Jaref[rows.clone()]);
    let force = &mut d.efc_force[rows.clone()];
    let state = &mut d.efc_state[rows];
    for (((force, state), &inertia), &x) in force.iter_mut().zip(state).zip(inertia).zip(x) {
        let was = R::int_is(*state, ConstraintState::Quadratic as i32);
        let quadratic;
        (*force, *state, quadratic) = one_sided_force(inertia, x);
        changed = changed | (zero.lt(inertia) & (was ^ quadratic));
    }
    changed
}

// sets force and state of a row; true if it became quadratic or is no longer, in the lanes that have it (the others have D = 0)
#[inline(always)]
fn update_row<R: Real>(d: &mut Data<R>, sort: Sort, r: usize) -> R::Mask {
    let (force, state, quadratic) = row_force(d, sort, r, d.solver_Jaref[r]);
    let was = is_quadratic(d, r);
    d.efc_force[r] = force;
    d.efc_state[r] = state;
    R::zero().lt(d.efc_D[r]) & (was ^ quadratic)
}

#[inline(always)]
fn is_quadratic<R: Real>(d: &Data<R>, r: usize) -> R::Mask {
    R::int_is(d.efc_state[r], ConstraintState::Quadratic as i32)
}

/// Grad = M qacc - qfrc_smooth - J' force; returns its norm.
pub fn update_gradient<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    island: &Island<'_, R>,
) -> R {
    let qfrc = &mut d.qfrc_constraint;
    for &i in island.dofs {
        qfrc[i as usize] = R::zero();
    }
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    S::add_mul_t_vec(jacobian, island.rows, &d.efc_force, qfrc);
    let mut sum = R::zero();
    for &i in island.dofs {
        let i = i as usize;
        let grad = d.solver_Ma[i] - d.qfrc_constraint[i];
        d.solver_grad[i] = grad;
        sum = grad.mul_add(grad, sum);
    }
    sum.sqrt()
}
