//! Unconstrained acceleration (`mj_fwdAcceleration`).

use crate::cpu::lib::force::apply_ft;
use crate::cpu::lib::math::nonzero;
use crate::cpu::lib::sleep::{keep_forces, sleeps};
use crate::cpu::lib::sparse::solve_ld_of;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Unconstrained acceleration (`mj_fwdAcceleration`).
pub fn fwd_acceleration<R: Real>(m: &Model, d: &mut Data<R>) {
    // sum of all forces except constraint forces
    for i in 0..m.nv {
        if d.still.dof(i) {
            continue;
        }
        d.qfrc_smooth[i] =
            d.qfrc_passive[i] - d.qfrc_bias[i] + d.qfrc_applied[i] + d.qfrc_actuator[i];
    }

    // external forces on bodies at their centres of mass, where they are not zero
    let mut qfrc = std::mem::take(&mut d.qfrc_smooth);
    for i in 1..m.nbody {
        if d.still.body(i) {
            continue;
        }
        let [fx, fy, fz, tx, ty, tz] = d.xfrc_applied[i];
        let force = nonzero(fx) | nonzero(fy) | nonzero(fz);
        let torque = nonzero(tx) | nonzero(ty) | nonzero(tz);
        if (force | torque).any() {
            apply_ft(m, d, &mut qfrc, i, d.xipos[i], [fx, fy, fz], [tx, ty, tz]);
        }
    }
    d.qfrc_smooth = qfrc;
    if sleeps(m) {
        keep_forces(m, d);
    }

    // M qacc = qfrc
    for i in (0..m.nv).filter(|&i| !d.still.dof(i)) {
        d.qacc_smooth[i] = d.qfrc_smooth[i];
    }
    let still = |i| d.still.dof(i);
    solve_ld_of(m, &d.qLD, &d.qLDiagInv, &mut d.qacc_smooth, still);
}
