//! Constraint forces that an acceleration takes (`mj_invConstraint`).

use crate::cpu::lib::cone::{MAXDIM, is_elliptic};
use crate::cpu::lib::hessian::Sparse;
use crate::cpu::lib::primal::{Sort, System, row_force};
use crate::cpu::lib::rows::Rows;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Constraint forces that an acceleration takes (`mj_invConstraint`).
///
/// The force of a row depends on its own residual `J qacc - aref` alone, those of an elliptic contact on theirs: nothing has to
/// be solved (MuJoCo documentation, Computation, Inverse dynamics).
pub fn inv_constraint(m: &Model, d: &mut Data) {
    let counts = [d.ne[0], d.nf[0], d.nefc[0]].map(|n| n as usize);
    invert(m, d, &Sparse, counts);
}

/// The same for so many equalities, friction losses, and rows in all.
pub fn invert<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    [ne, nf, num]: [usize; 3],
) {
    // force and state of every row, from how far the acceleration is from its reference
    let mut r = 0;
    while r < num {
        let rows = system.jacobian(m, &d.efc_Jpat, &d.efc_J);
        if is_elliptic(m, d, r) {
            let contact = system.contact(m, d, r);
            let mut x = [R::zero(); MAXDIM];
            (0..contact.dim).for_each(|k| x[k] = residual(d, rows, r + k));
            let zone = contact.force(&d.efc_D[r..], &x, &mut d.efc_force[r..]);
            d.efc_state[r..r + contact.dim].fill(zone.state());
            r += contact.dim;
        } else {
            let sort = match r {
                _ if r < ne => Sort::Equality,
                _ if r < ne + nf => Sort::Friction,
                _ => Sort::OneSided,
            };
            let (force, state, _) = row_force(d, sort, r, residual(d, rows, r));
            (d.efc_force[r], d.efc_state[r]) = (force, state);
            r += 1;
        }
    }

    // as the dofs feel it
    d.qfrc_constraint.fill(R::zero());
    for r in 0..num {
        let rows = system.jacobian(m, &d.efc_Jpat, &d.efc_J);
        let dofs = rows.dofs(r as i32);
        let force = d.efc_force[r];
        for (&dof, &entry) in dofs.iter().zip(rows.row(r, dofs.len())) {
            d.qfrc_constraint[dof as usize] += entry * force;
        }
    }
}

// how far the acceleration of a row is from its reference
fn residual<R: Real>(d: &Data<R>, rows: Rows<'_, R>, r: usize) -> R {
    let dofs = rows.dofs(r as i32);
    let mut acc = R::zero();
    for (&dof, &entry) in dofs.iter().zip(rows.row(r, dofs.len())) {
        acc += entry * d.qacc[dof as usize];
    }
    acc - d.efc_aref[r]
}
