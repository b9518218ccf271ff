//! Constraint forces that an acceleration takes (`mj_invConstraint`).

use crate::cpu::lib::cone::{Contact, MAXDIM, is_elliptic};
use crate::cpu::lib::primal::{jacobian, row_force};
use crate::fields::{Data, Model};

/// Constraint forces that an acceleration takes (`mj_invConstraint`).
///
/// The force of a row depends on its own residual `J qacc - aref` alone, those of an elliptic contact on theirs: nothing has to
/// be solved (MuJoCo documentation, Computation, Inverse dynamics).
pub fn inv_constraint(m: &Model, d: &mut Data) {
    // force and state of every row, from how far the acceleration is from its reference
    let nefc = d.nefc[0] as usize;
    let mut r = 0;
    while r < nefc {
        let mut num = 1;
        let state = if is_elliptic(m, d, r) {
            let contact = Contact::of(m, d, r);
            num = contact.dim;
            let mut x = [0.0; MAXDIM];
            (0..num).for_each(|k| x[k] = residual(m, d, r + k));
            contact.force(&d.efc_D[r..], &x, &mut d.efc_force[r..])
        } else {
            let (force, state) = row_force(d, r, residual(m, d, r));
            d.efc_force[r] = force;
            state
        };
        d.efc_state[r..r + num].fill(state as i32);
        r += num;
    }

    // as the dofs feel it
    d.qfrc_constraint.fill(0.0);
    for r in 0..nefc {
        let rows = jacobian!(m, d);
        let dofs = rows.dofs(r as i32);
        let force = d.efc_force[r];
        for (&dof, &entry) in dofs.iter().zip(rows.row(r, dofs.len())) {
            d.qfrc_constraint[dof as usize] += entry * force;
        }
    }
}

// how far the acceleration of a row is from its reference
fn residual(m: &Model, d: &Data, r: usize) -> f64 {
    let rows = jacobian!(m, d);
    let dofs = rows.dofs(r as i32);
    let row = dofs.iter().zip(rows.row(r, dofs.len()));
    let acc: f64 = row.map(|(&dof, entry)| entry * d.qacc[dof as usize]).sum();
    acc - d.efc_aref[r]
}
