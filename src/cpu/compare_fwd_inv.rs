//! Difference of forward and inverse dynamics (`mj_compareFwdInv`).

use crate::fields::{Data, Model};
use crate::real::Real;

/// Difference of forward and inverse dynamics (`mj_compareFwdInv`).
///
/// Called before inverse dynamics and after it. `solver_fwdinv` has the norms (N, N m) of two differences: of the constraint
/// forces, and of the applied forces. Both are zero for a solver that has converged, and in a world without constraint rows.
pub fn compare_fwd_inv<R: Real>(m: &Model, d: &mut Data<R>) {
    let after = R::int_lane(d.fwdinv_stage[0], 0);
    if after == 0 {
        // keep the constraint forces of forward dynamics
        d.fwdinv_qfrc.copy_from_slice(&d.qfrc_constraint);
        d.fwdinv_force.clone_from(&d.efc_force);
    } else {
        // norms of the differences
        let [mut constraint, mut applied] = [R::zero(); 2];
        for i in 0..m.nv {
            let x = d.fwdinv_qfrc[i] - d.qfrc_constraint[i];
            constraint += x * x;
            let force = d.qfrc_smooth[i] - d.qfrc_passive[i] + d.qfrc_bias[i];
            let x = force - d.qfrc_inverse[i];
            applied += x * x;
        }
        let mut rows = R::zero();
        (0..R::WIDTH).for_each(|w| rows.set_lane(w, f64::from(R::int_lane(d.nefc[0], w))));
        let some = R::zero().lt(rows);
        d.solver_fwdinv[0] = R::select(some, constraint.sqrt(), R::zero());
        d.solver_fwdinv[1] = R::select(some, applied.sqrt(), R::zero());

        // restore the constraint forces of forward dynamics
        d.qfrc_constraint.copy_from_slice(&d.fwdinv_qfrc);
        d.efc_force.copy_from_slice(&d.fwdinv_force);
    }
    d.fwdinv_stage[0] = R::int(1 - after);
}
