//! Free and rigid bodies in a discrete step: those that no row holds feel their gyroscopic force as it is at the end of the timestep.

use crate::cpu::lib::rows::patterns;
use crate::cpu::lib::slope::rigid;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Which dofs some row moves: more than 0. Known where a body is free and rigid.
pub fn hold_dofs<R: Real>(m: &Model, d: &mut Data<R>, num: usize) {
    if !(0..m.nv).any(|i| rigid(m, i)) {
        return;
    }
    d.efm_held.fill(R::zero());
    for r in 0..num {
        for &i in patterns!(m, d).dofs(R::int_lane(d.efc_Jpat[r], 0)) {
            d.efm_held[i as usize] += d.efc_D[r];
        }
    }
    // springs, dampers and servos that couple its dofs hold a body as well
    for (held, &bound) in d.efm_held.iter_mut().zip(&d.efm_bound) {
        *held += bound;
    }
}

/// True for the first dof of a body that is free and rigid.
pub fn begins_free(m: &Model, i: usize) -> bool {
    rigid(m, i) && m.jnt_dofadr[m.dof_jntid[i] as usize] as usize == i
}

/// True where no row moves the body of this first dof.
pub fn is_free<R: Real>(d: &Data<R>, first: usize) -> R::Mask {
    let held = (first..first + 6).fold(R::zero(), |sum, i| sum + d.efm_held[i]);
    held.le(R::zero())
}
