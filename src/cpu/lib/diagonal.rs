//! The diagonal of A as it is, J inv(M) J' of each row, in the place of an estimate.

use crate::cpu::lib::primal::inverse_square;
use crate::cpu::lib::rows::dofs_of;
use crate::cpu::make_constraint::set_regularization;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{ConstraintType, MINVAL};

/// The diagonal of A as it is, and the regularization that follows from it: of the first `num` rows of worlds side by side; `contact` gives the
/// pair of each contact slot.
pub fn exact_rows<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    let mut r = 0;
    while r < num {
        // diagonal of A, and R from it and the impedance
        let diag = unit_response(m, d, r);
        let imp = d.efc_KBIP[4 * r + 2];
        let reg = ((R::one() - imp) * diag / imp).max(R::splat(MINVAL));

        // a contact's rows are treated together, at its first row
        r += match ConstraintType::from_i32(R::int_lane(d.efc_type[r], 0)) {
            Some(ConstraintType::ContactPyramidal) => regularize_pyramid(m, d, contact, r, reg),
            Some(ConstraintType::ContactElliptic) => regularize_cone(m, d, contact, r, reg),
            _ => {
                regularize(d, r, reg);
                1
            }
        };
    }
}

// all edges of a pyramid get the R that gives the friction impedance of the elliptic cone; returns their number
fn regularize_pyramid<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &[i32],
    first: usize,
    reg: R,
) -> usize {
    let k = contact[R::int_lane(d.efc_id[first], 0) as usize] as usize;
    let slide = d.own.collision_friction(m, 5 * k);
    let nrow = 2 * (m.collision_condim[k] as usize - 1);
    let impratio = d.own.impratio(m).max(R::splat(MINVAL));
    let share = R::splat(2.0) * (slide * slide / impratio);
    for r in first..first + nrow {
        regularize(d, r, reg * share);
    }
    nrow
}

// R of the normal row, and of each friction row from its friction coefficient; returns the number of rows
fn regularize_cone<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &[i32],
    first: usize,
    reg: R,
) -> usize {
    let k = contact[R::int_lane(d.efc_id[first], 0) as usize] as usize;
    let impratio = d.own.impratio(m).max(R::splat(MINVAL));
    let slide = d.own.collision_friction(m, 5 * k);
    let nrow = m.collision_condim[k] as usize;
    regularize(d, first, reg);
    for e in 1..nrow {
        let ratio = slide / d.own.collision_friction(m, 5 * k + e - 1);
        regularize(d, first + e, reg / impratio * (ratio * ratio));
    }
    nrow
}

// sets R, its inverse D, and the corresponding diagonal of A; a lane without the row keeps its values
fn regularize<R: Real>(d: &mut Data<R>, r: usize, reg: R) {
    let present = R::zero().lt(d.efc_D[r]);
    set_regularization(d, r, reg, present);
}

// acceleration of a row per unit of its force, J inv(M) J': the squared norm of a half solve
fn unit_response<R: Real>(m: &Model, d: &mut Data<R>, r: usize) -> R {
    let mut x = std::mem::take(&mut d.half_solve);
    x.fill(R::zero());
    let dofs = dofs_of(m, d, R::int_lane(d.efc_Jpat[r], 0));
    for (&i, &entry) in dofs.iter().zip(&d.efc_J[r * m.nJrow..]) {
        x[i as usize] = entry;
    }
    let square = inverse_square(m, &d.qLD, &d.qLDiagInv, &mut x, 0..m.nv);
    d.half_solve = x;
    square
}
