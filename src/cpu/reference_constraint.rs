//! Velocity and reference acceleration of rows (`mj_referenceConstraint`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Velocity and reference acceleration of rows (`mj_referenceConstraint`).
pub fn reference_constraint(m: &Model, d: &mut Data) {
    let num = d.nefc[0] as usize;
    reference(m, d, num);
}

/// The same for the first `num` rows of worlds side by side.
pub fn reference<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    for r in 0..num {
        // vel = J qvel
        let pattern = R::int_lane(d.efc_Jpat[r], 0) as usize;
        let adr = m.Jpat_adr[pattern] as usize;
        let dofs = &m.Jpat_dof[adr..adr + m.Jpat_num[pattern] as usize];
        let row = &d.efc_J[r * m.nJrow..][..dofs.len()];
        let mut vel = R::zero();
        for (&i, &x) in dofs.iter().zip(row) {
            vel += x * d.qvel[i as usize];
        }
        d.efc_vel[r] = vel;

        // aref = - B vel - K I (pos - margin)
        let kbip = &d.efc_KBIP[4 * r..4 * r + 4];
        d.efc_aref[r] = -kbip[1] * vel - kbip[0] * kbip[2] * (d.efc_pos[r] - d.efc_margin[r]);
    }
}
