//! Constraint rows with spring and damper evaluated at the end of the timestep.
//!
//! A row's reference is `-B vel - K I (pos - margin)`. With the velocity and the position after the timestep at acceleration a, the
//! reference is `-B vel - K I (pos - margin + h vel) - (h B + h² K I) a`. So the row gets another reference, and its regularization is
//! divided by `1 + h B + h² K I`.

use crate::cpu::lib::adhesion::adhesion_share;
use crate::cpu::make_constraint::set_regularization;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Stiffness and damping of the stiffest row that a timestep resolves without a rebound, with the damping ratio of a standard `solref`.
pub fn resolved<R: Real>(timestep: R, impedance: R, ratio: R) -> [R; 2] {
    let stiffness = R::one() / (impedance * timestep * timestep);
    [stiffness, R::splat(2.0) * ratio * stiffness.sqrt()]
}

/// Evaluates the first `num` rows at the end of the timestep. `share` is the factor by which a row's real response is smaller
/// than its diagonal of A.
pub fn soften<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    contact: &[i32],
    num: usize,
    share: impl Fn(&Data<R>, usize) -> R,
) {
    let mut r = 0;
    while r < num {
        // a contact's rows are treated together, at its first row
        let condim = |d: &Data<R>| {
            let k = contact[R::int_lane(d.efc_id[r], 0) as usize] as usize;
            m.collision_condim[k] as usize
        };
        let nrow = match ConstraintType::from_i32(R::int_lane(d.efc_type[r], 0)) {
            Some(ConstraintType::ContactPyramidal) => 2 * (condim(d) - 1),
            Some(ConstraintType::ContactElliptic) => condim(d),
            _ => 1,
        };
        let less = share(d, r);
        let scales: [R; 10] = std::array::from_fn(|k| match k < nrow {
            true => postpone(m, d, r + k),
            false => R::one(),
        });

        // keep the impedance below 1: at most `MAXIMP`
        let imp = d.efc_KBIP[4 * r + 2];
        let least = R::splat((1.0 - MAXIMP) / MAXIMP) * imp / (R::one() - imp);
        let factor = less * (R::one() / scales[0]).max(least);
        for k in r..r + nrow {
            let reg = (d.efc_R[k] * factor).max(R::splat(MINVAL));
            let present = R::zero().lt(d.efc_D[k]);
            set_regularization(d, k, reg, present);
            // a sticking contact rests where it would without adhesion
            if m.nadhesion > 0 {
                let share = adhesion_share(m, d, contact, k);
                d.efc_aref[k] += d.efc_R[k] * share;
            }
        }
        r += nrow;
    }
}

// sets the reference of a row at the end of the timestep; returns the divisor of its regularization
fn postpone<R: Real>(m: &Model, d: &mut Data<R>, r: usize) -> R {
    let h = d.own.timestep(m);
    let [k, b, imp] = [0, 1, 2].map(|n| d.efc_KBIP[4 * r + n]);
    let spring = h * k * imp;
    let scale = R::one() + h * b + h * spring;
    d.efc_aref[r] = (d.efc_aref[r] - spring * d.efc_vel[r]) / scale;
    scale
}
