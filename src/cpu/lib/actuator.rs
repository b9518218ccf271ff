//! Parts of actuators: activation, setpoints of angles, muscles.

use crate::cpu::lib::dcmotor::next_state;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

impl Model {
    /// True if an actuator's group is disabled (`mj_actuatorDisabled`).
    #[inline(always)]
    pub fn actuator_disabled(&self, i: usize) -> bool {
        let group = self.actuator_group[i];
        (0..31).contains(&group) && self.opt.disableactuator & (1 << group) != 0
    }
}

/// A control within its range.
#[inline(always)]
pub fn clamped_ctrl<R: Real>(m: &Model, d: &Data<R>, u: usize) -> R {
    let ctrl = told_ctrl(m, d, u);
    if m.actuator_ctrllimited[u] == 0 || m.opt.disabled(DSBL_CLAMPCTRL) {
        return ctrl;
    }
    let lo = R::splat(m.actuator_ctrlrange[2 * u]);
    let hi = R::splat(m.actuator_ctrlrange[2 * u + 1]);
    clip(ctrl, lo, hi)
}

/// A control as the actuator gets it.
#[inline(always)]
pub fn told_ctrl<R: Real>(m: &Model, d: &Data<R>, u: usize) -> R {
    match m.nlate {
        0 => d.ctrl[u],
        _ => d.ctrl_late[u],
    }
}

/// True if any control is no number to work with: then all count as zero.
#[inline(always)]
pub fn bad_ctrl<R: Real>(m: &Model, d: &Data<R>) -> R::Mask {
    let mut bad = R::one().lt(R::zero());
    for u in 0..m.nu {
        bad = bad | is_bad(clamped_ctrl(m, d, u));
    }
    bad
}

/// What an actuator is told.
#[inline(always)]
pub fn control<R: Real>(m: &Model, d: &Data<R>, bad: R::Mask, u: usize) -> R {
    R::select(bad, R::zero(), clamped_ctrl(m, d, u))
}

/// What a gain multiplies: the control, or the last activation, possibly that of the next step.
#[inline(always)]
pub fn actuator_input<R: Real>(m: &Model, d: &Data<R>, i: usize, bad: R::Mask) -> R {
    match m.actuator_actnum[i] {
        0 if m.actuator_ctrlnum[i] == 0 => R::zero(),
        0 => control(m, d, bad, m.actuator_ctrladr[i] as usize),
        num => {
            let last = (m.actuator_actadr[i] + num - 1) as usize;
            if m.actuator_actearly[i] != 0 {
                next_activation(m, d, i, last, d.act_dot[last])
            } else {
                d.act[last]
            }
        }
    }
}

/// Activation `k` of actuator `i` one timestep on, within its range (`mj_nextActivation`).
#[inline(always)]
pub fn next_activation<R: Real>(m: &Model, d: &Data<R>, i: usize, k: usize, act_dot: R) -> R {
    if m.actuator_dyntype[i] == DynType::DcMotor {
        return next_state(m, d, i, k, act_dot);
    }
    let h = m.opt.timestep;
    let act = if m.actuator_dyntype[i] == DynType::FilterExact {
        let tau = m.actuator_dynprm[10 * i].max(MINVAL);
        d.act[k] + act_dot * R::splat(tau * (1.0 - (-h / tau).exp()))
    } else {
        d.act[k] + act_dot * R::splat(h)
    };
    if m.actuator_actlimited[i] == 0 {
        return act;
    }
    let [lo, hi] = [m.actuator_actrange[2 * i], m.actuator_actrange[2 * i + 1]];
    clip(act, R::splat(lo), R::splat(hi))
}

/// Length of a whole turn, for servos of an orientation; zero for all others.
#[inline(always)]
pub fn wrap_period(m: &Model, i: usize) -> f64 {
    // a servo: fixed gain, affine bias of the same stiffness, fed by a setpoint
    let dyntype = m.actuator_dyntype[i];
    if m.actuator_gaintype[i] != GainType::Fixed
        || m.actuator_biastype[i] != BiasType::Affine
        || m.actuator_gainprm[10 * i] != -m.actuator_biasprm[10 * i + 1]
        || (dyntype != DynType::None && dyntype != DynType::Integrator)
    {
        return 0.0;
    }
    let adr = 6 * m.actuator_outadr[i] as usize;
    let gear = &m.actuator_gear[adr..adr + 6];
    let turn =
        |axis: &[f64]| 2.0 * std::f64::consts::PI * axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [id, refid] = [m.actuator_trnid[2 * i], m.actuator_trnid[2 * i + 1]];
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Site) if refid >= 0 && gear[..3] == [0.0; 3] => turn(&gear[3..]),
        Some(TrnType::Joint | TrnType::JointInParent)
            if m.jnt_type[id as usize] == JointType::Ball =>
        {
            turn(&gear[..3])
        }
        _ => 0.0,
    }
}

/// The setpoint that is nearest to a length among those that are whole turns apart.
#[inline(always)]
pub fn wrap_setpoint<R: Real>(setpoint: R, length: R, period: f64) -> R {
    let period = R::splat(period);
    setpoint - period * round((setpoint - length) / period)
}

/// Rate of a muscle's activation (`mju_muscleDynamics`).
#[inline]
pub fn muscle_dynamics<R: Real>(ctrl: R, act: R, prm: &[f64]) -> R {
    let (zero, one) = (R::zero(), R::one());
    let excess = clip(ctrl, zero, one) - act;
    let clipped = clip(act, zero, one);

    // time constants of a muscle that is partly active (Millard et al. 2013)
    let slow = R::splat(0.5) + R::splat(1.5) * clipped;
    let tau_act = R::splat(prm[0]) * slow;
    let tau_deact = R::splat(prm[1]) / slow;
    let width = prm[2];
    let tau = if width < MINVAL {
        R::select(zero.lt(excess), tau_act, tau_deact)
    } else {
        // from one to the other by a quintic
        let x = clip(excess / R::splat(width) + R::splat(0.5), zero, one);
        let quintic =
            x * x * x * (R::splat(3.0) * x * (R::splat(2.0) * x - R::splat(5.0)) + R::splat(10.0));
        tau_deact + (tau_act - tau_deact) * quintic
    };
    excess / tau.max(R::splat(MINVAL))
}

// largest force, and length of the muscle at which it is largest
#[inline(always)]
fn muscle_scale(lengthrange: &[f64], acc0: f64, prm: &[f64]) -> (f64, f64) {
    let force = if prm[2] < 0.0 {
        prm[3] / acc0.max(MINVAL)
    } else {
        prm[2]
    };
    let optimal = (lengthrange[1] - lengthrange[0]) / (prm[1] - prm[0]).max(MINVAL);
    (force, optimal)
}

// force at rest over the largest, by the length in units of the optimal one: four parabolas (`mju_muscleGainLength`)
#[inline(always)]
fn muscle_by_length<R: Real>(l: R, lmin: f64, lmax: f64) -> R {
    let (zero, one, half) = (R::zero(), R::one(), R::splat(0.5));
    let (a, b) = (0.5 * (lmin + 1.0), 0.5 * (1.0 + lmax));
    let part = |from: f64, to: f64| {
        let x = (l - R::splat(from)) / R::splat((to - from).abs().max(MINVAL).copysign(to - from));
        half * x * x
    };
    let rising = R::select(l.le(R::splat(a)), part(lmin, a), one - part(1.0, a));
    let falling = R::select(l.le(R::splat(b)), one - part(1.0, b), part(lmax, b));
    let fl = R::select(l.le(one), rising, falling);
    let outside = l.lt(R::splat(lmin)) | R::splat(lmax).lt(l);
    R::select(outside, zero, fl)
}

/// Active force of a muscle at full activation: force-length-velocity curve (`mju_muscleGain`).
#[inline]
pub fn muscle_gain<R: Real>(length: R, vel: R, lengthrange: &[f64], acc0: f64, prm: &[f64]) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let (zero, one) = (R::zero(), R::one());
    let [lmin, lmax, vmax, fvmax] = [prm[4], prm[5], prm[6], prm[8]];

    // in units of the optimal length
    let l = R::splat(prm[0]) + (length - R::splat(lengthrange[0])) / R::splat(optimal.max(MINVAL));
    let v = vel / R::splat((optimal * vmax).max(MINVAL));
    let fl = muscle_by_length(l, lmin, lmax);

    // two parabolas of the velocity
    let y = fvmax - 1.0;
    let shortening = (v + one) * (v + one);
    let x = R::splat(y) - v;
    let lengthening = R::splat(fvmax) - x * x / R::splat(y.max(MINVAL));
    let fv = R::select(v.le(zero), shortening, lengthening);
    let fv = R::select(v.le(-one), zero, fv);
    let fv = R::select(R::splat(y).lt(v) & zero.lt(v), R::splat(fvmax), fv);
    -R::splat(force) * fl * fv
}

/// Slope of [`muscle_gain`] over the velocity (`mjd_muscleGain_vel`).
#[inline]
pub fn muscle_gain_slope<R: Real>(
    length: R,
    vel: R,
    lengthrange: &[f64],
    acc0: f64,
    prm: &[f64],
) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let (zero, one, two) = (R::zero(), R::one(), R::splat(2.0));
    let [lmin, lmax, vmax, fvmax] = [prm[4], prm[5], prm[6], prm[8]];

    // in units of the optimal length
    let l = R::splat(prm[0]) + (length - R::splat(lengthrange[0])) / R::splat(optimal.max(MINVAL));
    let fastest = R::splat((optimal * vmax).max(MINVAL));
    let v = vel / fastest;
    let fl = muscle_by_length(l, lmin, lmax);

    // two lines
    let y = fvmax - 1.0;
    let lengthening = two * (R::splat(y) - v) / R::splat(y.max(MINVAL));
    let slope = R::select(v.le(zero), two * (v + one), lengthening);
    let flat = v.le(-one) | (R::splat(y).lt(v) & zero.lt(v));
    -R::splat(force) * fl * R::select(flat, zero, slope) / fastest
}

/// Passive force of a muscle (`mju_muscleBias`).
#[inline]
pub fn muscle_bias<R: Real>(length: R, lengthrange: &[f64], acc0: f64, prm: &[f64]) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let (lmax, fpmax) = (prm[5], prm[7]);
    let (one, half) = (R::one(), R::splat(0.5));
    let l = R::splat(prm[0]) + (length - R::splat(lengthrange[0])) / R::splat(optimal.max(MINVAL));

    // nothing, a parabola, a line
    let b = 0.5 * (1.0 + lmax);
    let span = R::splat((b - 1.0).max(MINVAL));
    let x = (l - one) / span;
    let line = half + (l - R::splat(b)) / span;
    let fp = R::select(l.le(R::splat(b)), half * x * x, line);
    let fp = R::select(l.le(one), R::zero(), fp);
    -R::splat(force * fpmax) * fp
}
