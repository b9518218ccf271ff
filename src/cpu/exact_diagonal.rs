//! The exact diagonal of A and the regularization that follows from it (`diagexact`, part of `mj_makeConstraint`).

use crate::cpu::lib::diagonal::exact_rows;
use crate::fields::{Data, Model};

/// The exact diagonal of A and the regularization that follows from it (`diagexact`, part of `mj_makeConstraint`).
pub fn exact_diagonal(m: &Model, d: &mut Data) {
    let (ncon, num) = (d.ncon[0] as usize, d.nefc[0] as usize);
    let contact = std::mem::take(&mut d.contact_collision);
    exact_rows(m, d, &contact[..ncon], num);
    d.contact_collision = contact;
}
