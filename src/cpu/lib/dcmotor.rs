//! DC motors: controller, winding, friction (technical note `dcmotor.pdf` of MuJoCo).

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Where the states of a motor are in `act`; which of them it has depends on its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// First input, held back by the slew rate.
    pub slew: Option<usize>,
    /// Integral of the position error.
    pub integral: Option<usize>,
    /// Temperature of the winding above the ambient (K).
    pub temperature: Option<usize>,
    /// Deflection of the bristles of LuGre friction.
    pub bristle: Option<usize>,
    /// Current (A).
    pub current: Option<usize>,
}

/// The states of a motor.
#[inline]
pub fn slots(m: &Model, i: usize) -> Slots {
    let dynprm = &m.actuator_dynprm[10 * i..10 * i + 10];
    let mut next = m.actuator_actadr[i];
    let mut slot = |has: bool| {
        has.then(|| {
            next += 1;
            (next - 1) as usize
        })
    };
    Slots {
        slew: slot(dynprm[7] > 0.0),
        integral: slot(m.actuator_gainprm[10 * i + 5] > 0.0),
        temperature: slot(dynprm[2] > 0.0),
        bristle: slot(dynprm[5] > 0.0),
        current: slot(dynprm[0] > 0.0),
    }
}

// resistance of the winding at its temperature
fn resistance<R: Real>(m: &Model, d: &Data<R>, i: usize, slots: &Slots) -> R {
    let prm = &m.actuator_gainprm[10 * i..10 * i + 10];
    let nominal = R::splat(prm[0]);
    let Some(k) = slots.temperature else {
        return nominal.max(R::splat(MINVAL));
    };
    let above = d.act[k] + R::splat(m.actuator_dynprm[10 * i + 4] - prm[3]);
    (nominal * (R::one() + R::splat(prm[2]) * above)).max(R::splat(MINVAL))
}

// first input, held back by the slew rate
fn first_input<R: Real>(m: &Model, d: &Data<R>, slots: &Slots, i: usize, ctrl: R) -> R {
    let Some(k) = slots.slew else { return ctrl };
    let step = R::splat(m.actuator_dynprm[10 * i + 7] * m.opt.timestep);
    clip(ctrl, d.act[k] - step, d.act[k] + step)
}

// voltage at the terminals: of the controller, which makes up for back-EMF, and the raw one; and whether the controller has
// its way
struct Voltage<R: Real> {
    sum: R,
    within: R::Mask,
}

fn voltage<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> Voltage<R> {
    let slots = slots(m, i);
    let r = m.actuator_outadr[i] as usize;
    let spec = m.actuator_ctrlspec[i];
    let first = m.actuator_ctrladr[i] as usize;
    let mut u = first;
    let mut input = |bit: CtrlInput| {
        if spec & bit as i32 == 0 {
            return R::zero();
        }
        u += 1;
        match u - 1 {
            k if k == first => first_input(m, d, &slots, i, ctrl(k)),
            k => ctrl(k),
        }
    };
    let pos = input(CtrlInput::Pos);
    let vel = input(CtrlInput::Vel);
    let ff = input(CtrlInput::Ff);
    let raw = input(CtrlInput::Voltage);
    let controller = CtrlInput::Pos as i32 | CtrlInput::Vel as i32 | CtrlInput::Ff as i32;
    if spec & controller == 0 {
        let within = R::one().lt(R::zero());
        return Voltage { sum: raw, within };
    }

    // the torque that is asked for
    let prm = &m.actuator_gainprm[10 * i..10 * i + 10];
    let [k, kp, ki, kd, vmax] = [1, 4, 5, 6, 7].map(|n| prm[n]);
    let (length, velocity) = (d.actuator_length[r], d.actuator_velocity[r]);
    let sum = slots.integral.map_or(R::zero(), |k| d.act[k]);
    let torque =
        R::splat(kp) * (pos - length) + R::splat(kd) * (vel - velocity) + R::splat(ki) * sum + ff;
    let drive = R::splat(prm[0] / k.max(MINVAL)) * torque + R::splat(k) * velocity;
    if vmax <= 0.0 {
        let within = R::zero().lt(R::one());
        return Voltage {
            sum: drive + raw,
            within,
        };
    }
    Voltage {
        sum: clip(drive, R::splat(-vmax), R::splat(vmax)) + raw,
        within: drive.abs().lt(R::splat(vmax)),
    }
}

// friction force at a velocity that lasts (Stribeck)
fn stribeck<R: Real>(m: &Model, i: usize, velocity: R) -> R {
    let prm = &m.actuator_biasprm[10 * i..10 * i + 10];
    let ratio = velocity / R::splat(prm[5].max(MINVAL));
    let g = R::splat(prm[3]) + R::splat(prm[4] - prm[3]) * (-ratio * ratio).exp();
    g.max(R::splat(MINVAL))
}

// rate at which the bristles relax
fn relaxation<R: Real>(m: &Model, i: usize, velocity: R) -> R {
    -R::splat(m.actuator_dynprm[10 * i + 5]) * velocity.abs() / stribeck(m, i, velocity)
}

/// Rates of a motor's states.
#[inline]
pub fn motor_rate<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    i: usize,
    ctrl: impl Fn(&Data<R>, usize) -> R,
) {
    let slots = slots(m, i);
    let r = m.actuator_outadr[i] as usize;
    let dynprm = &m.actuator_dynprm[10 * i..10 * i + 10];
    let k = R::splat(m.actuator_gainprm[10 * i + 1]);
    let velocity = d.actuator_velocity[r];
    let ohm = resistance(m, d, i, &slots);
    let volt = voltage(m, d, i, |u| ctrl(d, u)).sum;
    let first = match m.actuator_ctrlnum[i] {
        0 => R::zero(),
        _ => first_input(m, d, &slots, i, ctrl(d, m.actuator_ctrladr[i] as usize)),
    };

    // setpoint
    if let Some(k) = slots.slew {
        d.act_dot[k] = (first - d.act[k]) / R::splat(m.opt.timestep);
    }

    // integral, which does not wind up beyond its limit
    if let Some(k) = slots.integral {
        let rate = first - d.actuator_length[r];
        d.act_dot[k] = unwound(rate, d.act[k], dynprm[8]);
    }

    // temperature: loss in the winding, less what is carried off
    let drawn = (volt - k * velocity) / ohm;
    let flowing = slots.current.map_or(drawn, |c| d.act[c]);
    if let Some(k) = slots.temperature {
        let loss = ohm * flowing * flowing - d.act[k] / R::splat(dynprm[2]);
        d.act_dot[k] = loss / R::splat(dynprm[3]);
    }

    // bristles
    if let Some(k) = slots.bristle {
        d.act_dot[k] = relaxation(m, i, velocity) * d.act[k] + velocity;
    }

    // current
    if let Some(k) = slots.current {
        let rate = (drawn - d.act[k]) / R::splat(dynprm[0]);
        d.act_dot[k] = match dynprm[1] {
            limit if limit > 0.0 => clip(rate, R::splat(-limit), R::splat(limit)),
            _ => rate,
        };
    }
}

/// A rate that does not take its integral further beyond a limit; 0: no limit.
#[inline]
pub fn unwound<R: Real>(rate: R, sum: R, limit: f64) -> R {
    if limit <= 0.0 {
        return rate;
    }
    let (zero, limit) = (R::zero(), R::splat(limit));
    let rate = R::select(limit.le(sum), R::select(rate.lt(zero), rate, zero), rate);
    R::select(sum.le(-limit), R::select(zero.lt(rate), rate, zero), rate)
}

/// Slope of a motor's torque over the velocity: of its current, and of what dampens the bristles.
#[inline]
pub fn motor_slope<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> R {
    let slots = slots(m, i);
    let prm = &m.actuator_gainprm[10 * i..10 * i + 10];
    let dynprm = &m.actuator_dynprm[10 * i..10 * i + 10];
    let k = R::splat(prm[1]);
    let mut slope = R::zero();
    if m.actuator_gaintype[i] == GainType::DcMotor {
        // what a controller does about back-EMF and velocity, while its voltage is within bounds
        let volt = voltage(m, d, i, ctrl);
        let by_velocity = R::splat(-prm[0] / prm[1].max(MINVAL) * prm[6]) + k;
        let by_velocity = R::select(volt.within, by_velocity, R::zero());
        let drawn = (by_velocity - k) / resistance(m, d, i, &slots);
        slope = match slots.current {
            None => k * drawn,
            Some(_) if m.actuator_actearly[i] == 0 => R::zero(),
            Some(c) => {
                let tau = dynprm[0].max(MINVAL);
                let limit = dynprm[1];
                let velocity = d.actuator_velocity[m.actuator_outadr[i] as usize];
                let flowing = (volt.sum - k * velocity) / resistance(m, d, i, &slots);
                let rate = (flowing - d.act[c]) / R::splat(dynprm[0]);
                let free = rate.abs().lt(R::splat(limit)) | R::splat(limit).le(R::zero());
                let part = R::splat(1.0 - (-m.opt.timestep / tau).exp());
                R::select(free, k * drawn * part, R::zero())
            }
        };
    }
    if m.actuator_biastype[i] == BiasType::DcMotor && slots.bristle.is_some() {
        slope -= R::splat(dynprm[6]);
    }
    slope
}

/// Torque of a motor's current.
#[inline]
pub fn motor_force<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> R {
    let slots = slots(m, i);
    let k = R::splat(m.actuator_gainprm[10 * i + 1]);
    if let Some(c) = slots.current {
        return k * match m.actuator_actearly[i] {
            0 => d.act[c],
            _ => next_state(m, d, i, c, d.act_dot[c]),
        };
    }
    let ohm = resistance(m, d, i, &slots);
    let velocity = d.actuator_velocity[m.actuator_outadr[i] as usize];
    k / ohm * (voltage(m, d, i, ctrl).sum - k * velocity)
}

/// Torque of a motor that does not come from its current: cogging and friction.
#[inline]
pub fn motor_friction<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let [cogging, poles, phase] = [0, 1, 2].map(|n| m.actuator_biasprm[10 * i + n]);
    let mut force = R::zero();
    if cogging != 0.0 {
        let length = d.actuator_length[m.actuator_outadr[i] as usize];
        let (sin, _) = (R::splat(poles) * length + R::splat(phase)).sin_cos();
        force += R::splat(cogging) * sin;
    }
    if let Some(k) = slots(m, i).bristle {
        let [stiffness, damping] = [5, 6].map(|n| R::splat(m.actuator_dynprm[10 * i + n]));
        force -= stiffness * d.act[k] + damping * d.act_dot[k];
    }
    force
}

/// A motor's state `k` one timestep on.
#[inline]
pub fn next_state<R: Real>(m: &Model, d: &Data<R>, i: usize, k: usize, rate: R) -> R {
    let slots = slots(m, i);
    let (h, act) = (m.opt.timestep, d.act[k]);
    let dynprm = &m.actuator_dynprm[10 * i..10 * i + 10];
    if slots.current == Some(k) {
        let tau = dynprm[0].max(MINVAL);
        return act + rate * R::splat(tau * (1.0 - (-h / tau).exp()));
    }
    if slots.bristle == Some(k) {
        // exactly, at a constant velocity
        let velocity = d.actuator_velocity[m.actuator_outadr[i] as usize];
        let a = relaxation(m, i, velocity);
        let decay = (a * R::splat(h)).exp();
        let moving = R::splat(MINVAL).lt(a.abs());
        let gain = (decay - R::one()) / R::select(moving, a, R::one());
        return decay * act + R::select(moving, gain, R::splat(h)) * velocity;
    }
    let act = act + rate * R::splat(h);
    match dynprm[8] {
        limit if limit > 0.0 && slots.integral == Some(k) => {
            clip(act, R::splat(-limit), R::splat(limit))
        }
        _ => act,
    }
}
