//! How the force of an actuator grows with its length and its velocity.

use crate::cpu::lib::actuator::*;
use crate::cpu::lib::dcmotor::{motor_slope, motor_stiffness};
use crate::cpu::lib::math::norm3;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// True where a limit holds the force, independent of the velocity.
#[inline(always)]
pub fn saturated<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R::Mask {
    let adr = m.actuator_outadr[i] as usize;
    let mut held = R::one().lt(R::zero());

    // force range of the actuator
    if m.actuator_forcelimited[i] != 0 {
        let [lo, hi] = [0, 1].map(|k| d.own.actuator_forcerange(m, 2 * i + k));
        held = match m.actuator_gaintype[i] == GainType::So3 {
            true => at_limit(
                norm3(std::array::from_fn(|k| d.actuator_force[adr + k])),
                hi,
            ),
            false => d.actuator_force[adr].le(lo) | hi.le(d.actuator_force[adr]),
        };
    }

    // force range of its joint or tendon
    let id = m.actuator_trnid[2 * i].max(0) as usize;
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Joint | TrnType::JointInParent) if m.jnt_actfrclimited[id] != 0 => {
            let force = d.qfrc_actuator[m.jnt_dofadr[id] as usize];
            let [lo, hi] = [0, 1].map(|k| d.own.jnt_actfrcrange(m, 2 * id + k));
            held | force.le(lo) | hi.le(force)
        }
        Some(TrnType::Tendon) if m.tendon_actfrclimited[id] != 0 => {
            let mut sum = R::zero();
            for k in 0..m.nactuator {
                if m.actuator_trntype[k] == TrnType::Tendon
                    && m.actuator_trnid[2 * k] as usize == id
                {
                    sum += d.actuator_force[m.actuator_outadr[k] as usize];
                }
            }
            let [lo, hi] = [0, 1].map(|k| d.own.tendon_actfrcrange(m, 2 * id + k));
            held | at_limit(-sum, -lo) | at_limit(sum, hi)
        }
        _ => held,
    }
}

// true for a force that was scaled down to its limit, which it then meets up to rounding (MuJoCo leaves that to chance)
#[inline(always)]
fn at_limit<R: Real>(x: R, limit: R) -> R::Mask {
    (limit - R::splat(1e-6) * limit.abs()).le(x)
}

/// Derivative of an actuator's force with respect to its velocity.
#[inline(always)]
pub fn force_slope<R: Real>(m: &Model, d: &Data<R>, i: usize, bad: R::Mask) -> R {
    let r = m.actuator_outadr[i] as usize;
    let mut slope = R::zero();

    // bias
    let biastype = m.actuator_biastype[i];
    if biastype == BiasType::Affine || biastype == BiasType::So3 {
        slope += d.own.actuator_biasprm(m, 10 * i + 2);
    }
    let gaintype = m.actuator_gaintype[i];
    if biastype == BiasType::DcMotor || gaintype == GainType::DcMotor {
        slope += motor_slope(m, d, i, |u| control(m, d, bad, u));
    }

    // derivative of the gain, times the control or the last activation, possibly that of the next timestep
    let prm: [R; 10] = std::array::from_fn(|k| d.own.actuator_gainprm(m, 10 * i + k));
    let gain = match GainType::from_i32(gaintype) {
        Some(GainType::Affine) => prm[2],
        Some(GainType::Muscle) => {
            let lengthrange = [0, 1].map(|k| d.own.actuator_lengthrange(m, 2 * r + k));
            let (length, velocity) = (d.actuator_length[r], d.actuator_velocity[r]);
            muscle_gain_slope(
                length,
                velocity,
                lengthrange,
                d.own.actuator_acc0(m, r),
                prm,
            )
        }
        _ => return slope,
    };
    slope + gain * actuator_input(m, d, i, bad)
}

/// Derivative of an actuator's force with respect to its length.
pub fn length_slope<R: Real>(m: &Model, d: &Data<R>, i: usize, bad: R::Mask) -> R {
    let r = m.actuator_outadr[i] as usize;
    let (length, velocity) = (d.actuator_length[r], d.actuator_velocity[r]);
    let lengthrange = || [0, 1].map(|k| d.own.actuator_lengthrange(m, 2 * r + k));
    let mut slope = R::zero();

    // bias
    let (biastype, gaintype) = (m.actuator_biastype[i], m.actuator_gaintype[i]);
    if biastype == BiasType::Affine || biastype == BiasType::So3 {
        slope += d.own.actuator_biasprm(m, 10 * i + 1);
    }
    if biastype == BiasType::DcMotor || gaintype == GainType::DcMotor {
        slope += motor_stiffness(m, d, i, |u| control(m, d, bad, u));
    }
    if biastype == BiasType::Muscle {
        let prm = std::array::from_fn(|k| d.own.actuator_biasprm(m, 10 * i + k));
        slope += muscle_bias_stiffness(length, lengthrange(), d.own.actuator_acc0(m, r), prm);
    }

    // derivative of the gain, times the control or the last activation
    let prm: [R; 10] = std::array::from_fn(|k| d.own.actuator_gainprm(m, 10 * i + k));
    let gain = match GainType::from_i32(gaintype) {
        Some(GainType::Affine) => prm[1],
        Some(GainType::Muscle) => {
            let acc0 = d.own.actuator_acc0(m, r);
            muscle_gain_stiffness(length, velocity, lengthrange(), acc0, prm)
        }
        _ => return slope,
    };
    slope + gain * actuator_input(m, d, i, bad)
}
