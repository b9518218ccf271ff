//! DC motors: controller, winding, friction (technical note `dcmotor.pdf` of MuJoCo).

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Addresses of a motor's states in `act`; its parameters decide which states it has.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// First input, limited by the slew rate.
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

fn gainprm<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [R; 10] {
    std::array::from_fn(|k| d.own.actuator_gainprm(m, 10 * i + k))
}

fn dynprm<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [R; 10] {
    std::array::from_fn(|k| d.own.actuator_dynprm(m, 10 * i + k))
}

// resistance of the winding at its temperature
fn resistance<R: Real>(m: &Model, d: &Data<R>, i: usize, slots: &Slots) -> R {
    let prm = gainprm(m, d, i);
    let nominal = prm[0];
    let Some(k) = slots.temperature else {
        return nominal.max(R::splat(MINVAL));
    };
    let above = d.act[k] + (d.own.actuator_dynprm(m, 10 * i + 4) - prm[3]);
    (nominal * (R::one() + prm[2] * above)).max(R::splat(MINVAL))
}

// first input, limited by the slew rate
fn first_input<R: Real>(m: &Model, d: &Data<R>, slots: &Slots, i: usize, ctrl: R) -> R {
    let Some(k) = slots.slew else { return ctrl };
    let step = d.own.actuator_dynprm(m, 10 * i + 7) * d.own.timestep(m);
    clip(ctrl, d.act[k] - step, d.act[k] + step)
}

// voltage at the terminals: the controller's, which compensates back-EMF, plus the raw input; and whether the controller's
// voltage is within its limit
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

    // desired torque
    let prm = gainprm(m, d, i);
    let [k, kp, ki, kd, vmax] = [1, 4, 5, 6, 7].map(|n| prm[n]);
    let (length, velocity) = (d.actuator_length[r], d.actuator_velocity[r]);
    let sum = slots.integral.map_or(R::zero(), |k| d.act[k]);
    let torque = kp * (pos - length) + kd * (vel - velocity) + ki * sum + ff;
    let drive = prm[0] / k.max(R::splat(MINVAL)) * torque + k * velocity;
    let free = vmax.le(R::zero());
    Voltage {
        sum: R::select(free, drive, clip(drive, -vmax, vmax)) + raw,
        within: free | drive.abs().lt(vmax),
    }
}

// steady-state friction force at a constant velocity (Stribeck)
fn stribeck<R: Real>(m: &Model, d: &Data<R>, i: usize, velocity: R) -> R {
    let [slow, fast, scale] = [3, 4, 5].map(|k| d.own.actuator_biasprm(m, 10 * i + k));
    let ratio = velocity / scale.max(R::splat(MINVAL));
    let g = slow + (fast - slow) * (-ratio * ratio).exp();
    g.max(R::splat(MINVAL))
}

// relaxation rate of the bristles
fn relaxation<R: Real>(m: &Model, d: &Data<R>, i: usize, velocity: R) -> R {
    -d.own.actuator_dynprm(m, 10 * i + 5) * velocity.abs() / stribeck(m, d, i, velocity)
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
    let dynprm = dynprm(m, d, i);
    let k = d.own.actuator_gainprm(m, 10 * i + 1);
    let velocity = d.actuator_velocity[r];
    let ohm = resistance(m, d, i, &slots);
    let volt = voltage(m, d, i, |u| ctrl(d, u)).sum;
    let first = match m.actuator_ctrlnum[i] {
        0 => R::zero(),
        _ => first_input(m, d, &slots, i, ctrl(d, m.actuator_ctrladr[i] as usize)),
    };

    // rate of the setpoint
    if let Some(k) = slots.slew {
        d.act_dot[k] = (first - d.act[k]) / d.own.timestep(m);
    }

    // rate of the integral, which stops at its limit (anti-windup)
    if let Some(k) = slots.integral {
        let rate = first - d.actuator_length[r];
        d.act_dot[k] = unwound(rate, d.act[k], dynprm[8]);
    }

    // rate of the temperature: loss in the winding minus dissipated heat
    let drawn = (volt - k * velocity) / ohm;
    let flowing = slots.current.map_or(drawn, |c| d.act[c]);
    if let Some(k) = slots.temperature {
        let loss = ohm * flowing * flowing - d.act[k] / dynprm[2];
        d.act_dot[k] = loss / dynprm[3];
    }

    // rate of the bristle deflection
    if let Some(k) = slots.bristle {
        d.act_dot[k] = relaxation(m, d, i, velocity) * d.act[k] + velocity;
    }

    // rate of the current
    if let Some(k) = slots.current {
        let rate = (drawn - d.act[k]) / dynprm[0];
        d.act_dot[k] = limited(rate, dynprm[1]);
    }
}

// clamps to ± a limit; 0: no limit
fn limited<R: Real>(x: R, limit: R) -> R {
    R::select(R::zero().lt(limit), clip(x, -limit, limit), x)
}

/// A rate, set to zero if it would take its integral further beyond a limit; 0: no limit.
#[inline]
pub fn unwound<R: Real>(rate: R, sum: R, limit: R) -> R {
    let zero = R::zero();
    let held = R::select(limit.le(sum), R::select(rate.lt(zero), rate, zero), rate);
    let held = R::select(sum.le(-limit), R::select(zero.lt(held), held, zero), held);
    R::select(zero.lt(limit), held, rate)
}

/// Derivative of a motor's torque with respect to the velocity: of the current's torque, and of the damping of the bristles.
#[inline]
pub fn motor_slope<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> R {
    let slots = slots(m, i);
    let (prm, dynprm) = (gainprm(m, d, i), dynprm(m, d, i));
    let k = prm[1];
    let mut slope = R::zero();
    if m.actuator_gaintype[i] == GainType::DcMotor {
        // controller's reaction to back-EMF and velocity, while its voltage is within its limit
        let volt = voltage(m, d, i, ctrl);
        let by_velocity = -prm[0] / k.max(R::splat(MINVAL)) * prm[6] + k;
        let by_velocity = R::select(volt.within, by_velocity, R::zero());
        slope = of_current(m, d, i, volt.sum, by_velocity - k);
    }
    if m.actuator_biastype[i] == BiasType::DcMotor && slots.bristle.is_some() {
        slope -= dynprm[6];
    }
    slope
}

// derivative of the torque of the current, for a terminal voltage `sum` with derivative `slope`
fn of_current<R: Real>(m: &Model, d: &Data<R>, i: usize, sum: R, slope: R) -> R {
    let slots = slots(m, i);
    let dynprm = dynprm(m, d, i);
    let k = d.own.actuator_gainprm(m, 10 * i + 1);
    let ohm = resistance(m, d, i, &slots);
    let drawn = slope / ohm;
    match slots.current {
        None => k * drawn,
        Some(_) if m.actuator_actearly[i] == 0 => R::zero(),
        Some(c) => {
            let (tau, limit) = (dynprm[0].max(R::splat(MINVAL)), dynprm[1]);
            let velocity = d.actuator_velocity[m.actuator_outadr[i] as usize];
            let flowing = (sum - k * velocity) / ohm;
            let rate = (flowing - d.act[c]) / dynprm[0];
            let free = rate.abs().lt(limit) | limit.le(R::zero());
            let part = R::one() - (-d.own.timestep(m) / tau).exp();
            R::select(free, k * drawn * part, R::zero())
        }
    }
}

/// Derivative of a motor's torque with respect to the length: of the controller's reaction to the position, and of cogging.
#[inline]
pub fn motor_stiffness<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> R {
    let mut slope = R::zero();
    if m.actuator_gaintype[i] == GainType::DcMotor {
        let prm = gainprm(m, d, i);
        let volt = voltage(m, d, i, ctrl);
        let by_length = -prm[0] / prm[1].max(R::splat(MINVAL)) * prm[4];
        let by_length = R::select(volt.within, by_length, R::zero());
        slope = of_current(m, d, i, volt.sum, by_length);
    }
    if m.actuator_biastype[i] == BiasType::DcMotor {
        let [cogging, poles, phase] = [0, 1, 2].map(|n| d.own.actuator_biasprm(m, 10 * i + n));
        let length = d.actuator_length[m.actuator_outadr[i] as usize];
        let (_, cos) = (poles * length + phase).sin_cos();
        slope += cogging * poles * cos;
    }
    slope
}

/// Torque of a motor due to its current.
#[inline]
pub fn motor_force<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> R {
    let slots = slots(m, i);
    let k = d.own.actuator_gainprm(m, 10 * i + 1);
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

/// Torque of a motor not due to its current: cogging and friction.
#[inline]
pub fn motor_friction<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let [cogging, poles, phase] = [0, 1, 2].map(|n| d.own.actuator_biasprm(m, 10 * i + n));
    let mut force = R::zero();
    if nonzero(cogging).any() {
        let length = d.actuator_length[m.actuator_outadr[i] as usize];
        let (sin, _) = (poles * length + phase).sin_cos();
        force += cogging * sin;
    }
    if let Some(k) = slots(m, i).bristle {
        let [stiffness, damping] = [5, 6].map(|n| d.own.actuator_dynprm(m, 10 * i + n));
        force -= stiffness * d.act[k] + damping * d.act_dot[k];
    }
    force
}

/// State `k` of a motor after the next timestep.
#[inline]
pub fn next_state<R: Real>(m: &Model, d: &Data<R>, i: usize, k: usize, rate: R) -> R {
    let slots = slots(m, i);
    let (h, act) = (d.own.timestep(m), d.act[k]);
    let dynprm = dynprm(m, d, i);
    if slots.current == Some(k) {
        let tau = dynprm[0].max(R::splat(MINVAL));
        return act + rate * (tau * (R::one() - (-h / tau).exp()));
    }
    if slots.bristle == Some(k) {
        // exact solution for a constant velocity
        let velocity = d.actuator_velocity[m.actuator_outadr[i] as usize];
        let a = relaxation(m, d, i, velocity);
        let decay = (a * h).exp();
        let moving = R::splat(MINVAL).lt(a.abs());
        let gain = (decay - R::one()) / R::select(moving, a, R::one());
        return decay * act + R::select(moving, gain, h) * velocity;
    }
    let act = act + rate * h;
    match slots.integral == Some(k) {
        true => limited(act, dynprm[8]),
        false => act,
    }
}
