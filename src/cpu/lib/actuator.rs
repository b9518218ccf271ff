//! Parts of actuators: activation, angle setpoints, muscles.

use crate::cpu::lib::dcmotor::next_state;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

impl Model {
    /// True if an actuator's group is disabled (`mj_actuatorDisabled`).
    #[inline(always)]
    pub fn actuator_disabled(&self, i: usize) -> bool {
        let group = self.actuator_group[i];
        (0..31).contains(&group) && self.opt.disableactuator & (1 << group) != 0
    }
}

/// A control clamped to its range.
#[inline(always)]
pub fn clamped_ctrl<R: Real>(m: &Model, d: &Data<R>, u: usize) -> R {
    let ctrl = told_ctrl(m, d, u);
    if m.actuator_ctrllimited[u] == 0 || m.opt.disabled(DSBL_CLAMPCTRL) {
        return ctrl;
    }
    let lo = d.own.actuator_ctrlrange(m, 2 * u);
    let hi = d.own.actuator_ctrlrange(m, 2 * u + 1);
    clip(ctrl, lo, hi)
}

/// A control after the actuator's delay.
#[inline(always)]
pub fn told_ctrl<R: Real>(m: &Model, d: &Data<R>, u: usize) -> R {
    match m.nlate {
        0 => d.ctrl[u],
        _ => d.ctrl_late[u],
    }
}

/// True where any control is bad (NaN or too large): then all controls count as zero.
#[inline(always)]
pub fn bad_ctrl<R: Real>(m: &Model, d: &Data<R>) -> R::Mask {
    let mut bad = R::one().lt(R::zero());
    for u in 0..m.nu {
        bad = bad | is_bad(clamped_ctrl(m, d, u));
    }
    bad
}

/// A control as the actuator uses it: clamped, or zero if any control is bad.
#[inline(always)]
pub fn control<R: Real>(m: &Model, d: &Data<R>, bad: R::Mask, u: usize) -> R {
    R::select(bad, R::zero(), clamped_ctrl(m, d, u))
}

/// The factor that a gain multiplies: the control, or the last activation, possibly that of the next timestep.
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

/// Activation `k` of actuator `i` after the next timestep, within its range (`mj_nextActivation`).
#[inline(always)]
pub fn next_activation<R: Real>(m: &Model, d: &Data<R>, i: usize, k: usize, act_dot: R) -> R {
    if m.actuator_dyntype[i] == DynType::DcMotor {
        return next_state(m, d, i, k, act_dot);
    }
    let h = d.own.timestep(m);
    let act = if m.actuator_dyntype[i] == DynType::FilterExact {
        let tau = d.own.actuator_dynprm(m, 10 * i).max(R::splat(MINVAL));
        d.act[k] + act_dot * (tau * (R::one() - (-h / tau).exp()))
    } else {
        d.act[k] + act_dot * h
    };
    if m.actuator_actlimited[i] == 0 {
        return act;
    }
    let [lo, hi] = [
        d.own.actuator_actrange(m, 2 * i),
        d.own.actuator_actrange(m, 2 * i + 1),
    ];
    clip(act, lo, hi)
}

/// Actuator length of a whole turn (2π times the gear) of a transmission that only rotates: a ball joint, or a site relative to another
/// without gear along an axis; zero for all others.
#[inline(always)]
pub fn turn_period<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let adr = 6 * m.actuator_outadr[i] as usize;
    let axis = |from: usize| [0, 1, 2].map(|k| d.own.actuator_gear(m, adr + from + k));
    let turn = |axis: [R; 3]| R::splat(2.0 * std::f64::consts::PI) * norm3(axis);
    let [id, refid] = [m.actuator_trnid[2 * i], m.actuator_trnid[2 * i + 1]];
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Site) if refid >= 0 => {
            let still = dot3(axis(0), axis(0)).le(R::zero());
            R::select(still, turn(axis(3)), R::zero())
        }
        Some(TrnType::Joint | TrnType::JointInParent)
            if m.jnt_type[id as usize] == JointType::Ball =>
        {
            turn(axis(0))
        }
        _ => R::zero(),
    }
}

/// [`turn_period`] of position servos; zero for all other actuators.
#[inline(always)]
pub fn wrap_period<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    // a position servo: fixed gain, affine bias of the same stiffness, setpoint as input
    use DynType as T;
    let dyntype = m.actuator_dyntype[i];
    let follows = [T::None, T::Integrator, T::Filter, T::FilterExact];
    if m.actuator_gaintype[i] != GainType::Fixed
        || m.actuator_biastype[i] != BiasType::Affine
        || !follows.iter().any(|kind| dyntype == *kind)
    {
        return R::zero();
    }
    let stiffness = d.own.actuator_gainprm(m, 10 * i) + d.own.actuator_biasprm(m, 10 * i + 1);
    R::select(nonzero(stiffness), R::zero(), turn_period(m, d, i))
}

/// The setpoint nearest to a length among those that differ from the given one by whole periods; without a period, the given setpoint.
#[inline(always)]
pub fn wrap_setpoint<R: Real>(setpoint: R, length: R, period: R) -> R {
    let wraps = R::zero().lt(period);
    if !wraps.any() {
        return setpoint;
    }
    let turn = R::select(wraps, period, R::one());
    let nearest = setpoint - turn * round((setpoint - length) / turn);
    R::select(wraps, nearest, setpoint)
}

/// Rate of a muscle's activation (`mju_muscleDynamics`).
#[inline]
pub fn muscle_dynamics<R: Real>(ctrl: R, act: R, prm: [R; 10]) -> R {
    let (zero, one) = (R::zero(), R::one());
    let excess = clip(ctrl, zero, one) - act;
    let clipped = clip(act, zero, one);

    // time constants at the present activation (Millard et al. 2013)
    let slow = R::splat(0.5) + R::splat(1.5) * clipped;
    let (tau_act, tau_deact) = (prm[0] * slow, prm[1] / slow);
    let width = prm[2];
    let hard = width.lt(R::splat(MINVAL));
    let mut tau = R::select(zero.lt(excess), tau_act, tau_deact);
    if !hard.all() {
        // quintic blend of the two time constants
        let x = excess / R::select(hard, one, width) + R::splat(0.5);
        let x = clip(x, zero, one);
        let quintic =
            x * x * x * (R::splat(3.0) * x * (R::splat(2.0) * x - R::splat(5.0)) + R::splat(10.0));
        let soft = tau_deact + (tau_act - tau_deact) * quintic;
        tau = R::select(hard, tau, soft);
    }
    excess / tau.max(R::splat(MINVAL))
}

// largest force, and length of the muscle at which it is largest
#[inline(always)]
fn muscle_scale<R: Real>(lengthrange: [R; 2], acc0: R, prm: [R; 10]) -> (R, R) {
    let least = R::splat(MINVAL);
    let force = R::select(prm[2].lt(R::zero()), prm[3] / acc0.max(least), prm[2]);
    let optimal = (lengthrange[1] - lengthrange[0]) / (prm[1] - prm[0]).max(least);
    (force, optimal)
}

// isometric force relative to the largest, as a function of the length in units of the optimal length: four parabolas
// (`mju_muscleGainLength`)
#[inline(always)]
fn muscle_by_length<R: Real>(l: R, lmin: R, lmax: R) -> R {
    let (zero, one, half) = (R::zero(), R::one(), R::splat(0.5));
    let (a, b) = (half * (lmin + one), half * (one + lmax));
    let part = |from: R, to: R| {
        let span = (to - from).abs().max(R::splat(MINVAL));
        let x = (l - from) / R::select(to.lt(from), -span, span);
        half * x * x
    };
    let rising = R::select(l.le(a), part(lmin, a), one - part(one, a));
    let falling = R::select(l.le(b), one - part(one, b), part(lmax, b));
    let fl = R::select(l.le(one), rising, falling);
    let outside = l.lt(lmin) | lmax.lt(l);
    R::select(outside, zero, fl)
}

// its derivative with respect to the length
#[inline(always)]
fn muscle_by_length_slope<R: Real>(l: R, lmin: R, lmax: R) -> R {
    let (zero, one, half) = (R::zero(), R::one(), R::splat(0.5));
    let (a, b) = (half * (lmin + one), half * (one + lmax));
    let part = |from: R, to: R| {
        let span = (to - from).abs().max(R::splat(MINVAL));
        (l - from) / (span * span)
    };
    let rising = R::select(l.le(a), part(lmin, a), -part(one, a));
    let falling = R::select(l.le(b), -part(one, b), part(lmax, b));
    let slope = R::select(l.le(one), rising, falling);
    let outside = l.lt(lmin) | lmax.lt(l);
    R::select(outside, zero, slope)
}

// force of a muscle relative to the isometric force, as a function of the velocity in units of the largest
#[inline(always)]
fn muscle_by_velocity<R: Real>(v: R, fvmax: R) -> R {
    let (zero, one) = (R::zero(), R::one());
    let y = fvmax - one;
    let shortening = (v + one) * (v + one);
    let x = y - v;
    let lengthening = fvmax - x * x / y.max(R::splat(MINVAL));
    let fv = R::select(v.le(zero), shortening, lengthening);
    let fv = R::select(v.le(-one), zero, fv);
    R::select(y.lt(v) & zero.lt(v), fvmax, fv)
}

/// Active force of a muscle at full activation: force-length-velocity curve (`mju_muscleGain`).
#[inline]
pub fn muscle_gain<R: Real>(length: R, vel: R, lengthrange: [R; 2], acc0: R, prm: [R; 10]) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let [lmin, lmax, vmax, fvmax] = [prm[4], prm[5], prm[6], prm[8]];

    // in units of the optimal length
    let l = prm[0] + (length - lengthrange[0]) / optimal.max(R::splat(MINVAL));
    let v = vel / (optimal * vmax).max(R::splat(MINVAL));
    let fl = muscle_by_length(l, lmin, lmax);

    // two parabolas in the velocity
    -force * fl * muscle_by_velocity(v, fvmax)
}

/// Derivative of [`muscle_gain`] with respect to the length.
#[inline]
pub fn muscle_gain_stiffness<R: Real>(
    length: R,
    vel: R,
    lengthrange: [R; 2],
    acc0: R,
    prm: [R; 10],
) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let [lmin, lmax, vmax, fvmax] = [prm[4], prm[5], prm[6], prm[8]];
    let unit = optimal.max(R::splat(MINVAL));
    let l = prm[0] + (length - lengthrange[0]) / unit;
    let v = vel / (optimal * vmax).max(R::splat(MINVAL));
    let fl = muscle_by_length_slope(l, lmin, lmax);
    -force * fl * muscle_by_velocity(v, fvmax) / unit
}

/// Derivative of [`muscle_gain`] with respect to the velocity (`mjd_muscleGain_vel`).
#[inline]
pub fn muscle_gain_slope<R: Real>(
    length: R,
    vel: R,
    lengthrange: [R; 2],
    acc0: R,
    prm: [R; 10],
) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let (zero, one, two) = (R::zero(), R::one(), R::splat(2.0));
    let [lmin, lmax, vmax, fvmax] = [prm[4], prm[5], prm[6], prm[8]];

    // in units of the optimal length
    let l = prm[0] + (length - lengthrange[0]) / optimal.max(R::splat(MINVAL));
    let fastest = (optimal * vmax).max(R::splat(MINVAL));
    let v = vel / fastest;
    let fl = muscle_by_length(l, lmin, lmax);

    // two lines in the velocity
    let y = fvmax - R::one();
    let lengthening = two * (y - v) / y.max(R::splat(MINVAL));
    let slope = R::select(v.le(zero), two * (v + one), lengthening);
    let flat = v.le(-one) | (y.lt(v) & zero.lt(v));
    -force * fl * R::select(flat, zero, slope) / fastest
}

/// Passive force of a muscle (`mju_muscleBias`).
#[inline]
pub fn muscle_bias<R: Real>(length: R, lengthrange: [R; 2], acc0: R, prm: [R; 10]) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let (lmax, fpmax) = (prm[5], prm[7]);
    let (one, half) = (R::one(), R::splat(0.5));
    let l = prm[0] + (length - lengthrange[0]) / optimal.max(R::splat(MINVAL));

    // zero, a parabola, a line
    let b = half * (one + lmax);
    let span = (b - one).max(R::splat(MINVAL));
    let x = (l - one) / span;
    let line = half + (l - b) / span;
    let fp = R::select(l.le(b), half * x * x, line);
    let fp = R::select(l.le(one), R::zero(), fp);
    -(force * fpmax) * fp
}

/// Derivative of [`muscle_bias`] with respect to the length.
#[inline]
pub fn muscle_bias_stiffness<R: Real>(length: R, lengthrange: [R; 2], acc0: R, prm: [R; 10]) -> R {
    let (force, optimal) = muscle_scale(lengthrange, acc0, prm);
    let (lmax, fpmax) = (prm[5], prm[7]);
    let one = R::one();
    let unit = optimal.max(R::splat(MINVAL));
    let l = prm[0] + (length - lengthrange[0]) / unit;

    // zero, a line, a constant
    let b = R::splat(0.5) * (one + lmax);
    let span = (b - one).max(R::splat(MINVAL));
    let slope = R::select(l.le(b), (l - one) / (span * span), one / span);
    let slope = R::select(l.le(one), R::zero(), slope);
    -(force * fpmax) * slope / unit
}
