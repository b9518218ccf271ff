//! Adhesion forces of contacts (part of `mj_passive`).

use crate::cpu::lib::adhesion::adhesion_share;
use crate::cpu::lib::rows::patterns;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{DSBL_DAMPER, DSBL_SPRING};

/// Adhesion forces of contacts (part of `mj_passive`).
///
/// `qfrc_adhesion` (N, N m) pulls together the two geoms of every contact that has constraint rows, along the contact normal.
pub fn adhesion(m: &Model, d: &mut Data) {
    let (ncon, num) = (d.ncon[0] as usize, d.nefc[0] as usize);
    let contact = std::mem::take(&mut d.contact_collision);
    stick(m, d, &contact[..ncon], num);
    d.contact_collision = contact;
}

/// The stage for the first `num` constraint rows of worlds side by side; `contact` gives the pair of each contact slot.
pub fn stick<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    d.qfrc_adhesion.fill(R::zero());

    // no passive forces if springs and dampers are both disabled
    if m.opt.disabled(DSBL_SPRING) && m.opt.disabled(DSBL_DAMPER) {
        return;
    }
    for r in 0..num {
        // a lane without this constraint row gets no force from it
        let share = adhesion_share(m, d, contact, r);
        let pull = R::select(R::zero().lt(d.efc_D[r]), share, R::zero());
        let dofs = patterns!(m, d).dofs(R::int_lane(d.efc_Jpat[r], 0));
        for (&i, &x) in dofs.iter().zip(&d.efc_J[r * m.nJrow..]) {
            d.qfrc_adhesion[i as usize] -= x * pull;
        }
    }
}
