//! Constraint forces at a given acceleration (`mj_invConstraint`).

use crate::cpu::lib::cone::{MAXDIM, is_elliptic};
use crate::cpu::lib::hessian::Sparse;
use crate::cpu::lib::primal::{Sort, System, row_force};
use crate::cpu::lib::rows::{Rows, patterns};
use crate::fields::{Data, Model};
use crate::real::Real;

/// Constraint forces at a given acceleration (`mj_invConstraint`).
///
/// The force of a row depends on its residual `J qacc - aref` alone, the forces of an elliptic contact on the residuals of its
/// rows: no system has to be solved (MuJoCo documentation, Computation, Inverse dynamics).
pub fn inv_constraint(m: &Model, d: &mut Data) {
    let counts = [d.ne[0], d.nf[0], d.nefc[0]].map(|n| n as usize);
    invert(m, d, &Sparse::default(), counts);
}

/// The constraint forces for given numbers of equality rows, friction loss rows, and all rows.
pub fn invert<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    [ne, nf, num]: [usize; 3],
) {
    // force and state of every row, from its residual
    let mut r = 0;
    while r < num {
        let rows = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
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

    // as generalized forces
    d.qfrc_constraint.fill(R::zero());
    for r in 0..num {
        let rows = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
        let dofs = rows.dofs(r as i32);
        let force = d.efc_force[r];
        for (&dof, &entry) in dofs.iter().zip(rows.row(r, dofs.len())) {
            d.qfrc_constraint[dof as usize] += entry * force;
        }
    }
}

// residual of a row: its acceleration minus its reference acceleration
fn residual<R: Real>(d: &Data<R>, rows: Rows<'_, R>, r: usize) -> R {
    let dofs = rows.dofs(r as i32);
    let mut acc = R::zero();
    for (&dof, &entry) in dofs.iter().zip(rows.row(r, dofs.len())) {
        acc += entry * d.qacc[dof as usize];
    }
    acc - d.efc_aref[r]
}
