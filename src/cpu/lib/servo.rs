//! Servos with several inputs: PID controllers, and servos of an orientation.

use crate::cpu::lib::actuator::{next_activation, turn_period, wrap_setpoint};
use crate::cpu::lib::dcmotor::unwound;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

// setpoints and feedforward of a PID controller, and its integral gain; missing inputs are zero
struct Pid<R> {
    target: R,
    speed: R,
    feedforward: R,
    ki: R,
}

// the position setpoint follows its input with limited rate
fn pid<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> Pid<R> {
    let mut u = m.actuator_ctrladr[i] as usize;
    let mut input = |bit: CtrlInput| {
        if m.actuator_ctrlspec[i] & bit as i32 == 0 {
            return R::zero();
        }
        u += 1;
        ctrl(u - 1)
    };
    let target = input(CtrlInput::Pos);
    let speed = input(CtrlInput::Vel);
    let feedforward = input(CtrlInput::Ff);
    let dynamic = m.actuator_dyntype[i] == DynType::Pid;
    let target = if dynamic && m.actuator_dynprm[10 * i + 1] > 0.0 {
        let now = d.act[m.actuator_actadr[i] as usize];
        let step = d.own.actuator_dynprm(m, 10 * i + 1) * d.own.timestep(m);
        let target = wrap_setpoint(target, now, turn_period(m, d, i));
        clip(target, now - step, now + step)
    } else {
        target
    };
    Pid {
        target,
        speed,
        feedforward,
        ki: d.own.actuator_gainprm(m, 10 * i),
    }
}

/// Rates of a PID controller's setpoint and integral; each is a state only if the controller has it.
#[inline]
pub fn pid_rate<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> [R; 2] {
    let adr = m.actuator_actadr[i] as usize;
    let last = adr + m.actuator_actnum[i] as usize - 1;
    let pid = pid(m, d, i, ctrl);
    let slew = (pid.target - d.act[adr]) / d.own.timestep(m);

    let length = d.actuator_length[m.actuator_outadr[i] as usize];
    let rate = wrap_setpoint(pid.target, length, turn_period(m, d, i)) - length;
    let rate = unwound(rate, d.act[last], d.own.actuator_dynprm(m, 10 * i));
    [slew, rate]
}

/// Force of a PID controller without its bias, `-kp length - kv velocity`.
#[inline]
pub fn pid_force<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> R {
    let pid = pid(m, d, i, ctrl);
    let [kp, kv] = [1, 2].map(|k| -d.own.actuator_biasprm(m, 10 * i + k));
    let length = d.actuator_length[m.actuator_outadr[i] as usize];
    let target = wrap_setpoint(pid.target, length, turn_period(m, d, i));
    let force = kp * target + kv * pid.speed + pid.feedforward;
    if m.actuator_gainprm[10 * i] == 0.0 {
        return force;
    }
    let last = (m.actuator_actadr[i] + m.actuator_actnum[i] - 1) as usize;
    let sum = if m.actuator_actearly[i] != 0 {
        next_activation(m, d, i, last, d.act_dot[last])
    } else {
        d.act[last]
    };
    force + pid.ki * sum
}

// quaternion of a rotation vector
#[inline(always)]
fn expmap2quat<R: Real>(v: [R; 3]) -> [R; 4] {
    let (axis, angle) = normalize3(v);
    axis_angle2quat(axis, angle)
}

/// Torque of a servo of an orientation: towards the target along the shortest rotation, and damping.
#[inline]
pub fn so3_force<R: Real>(m: &Model, d: &Data<R>, i: usize, ctrl: impl Fn(usize) -> R) -> [R; 3] {
    let (u, r) = (
        m.actuator_ctrladr[i] as usize,
        m.actuator_outadr[i] as usize,
    );
    let early = m.actuator_actearly[i] != 0;
    let target = if m.actuator_ctrlspec[i] == CtrlChart::Quat as i32 {
        normalize4(std::array::from_fn(|k| ctrl(u + k)))
    } else {
        expmap2quat(std::array::from_fn(|k| match m.actuator_actadr[i] {
            adr if m.actuator_dyntype[i] != DynType::None => {
                let k = adr as usize + k;
                if early {
                    next_activation(m, d, i, k, d.act_dot[k])
                } else {
                    d.act[k]
                }
            }
            _ => ctrl(u + k),
        }))
    };
    let current = expmap2quat(std::array::from_fn(|k| d.actuator_length[r + k]));
    let apart = sub_quat(target, current);
    let gain = d.own.actuator_gainprm(m, 10 * i);
    let [bias, _, damping] = [0, 1, 2].map(|k| d.own.actuator_biasprm(m, 10 * i + k));
    std::array::from_fn(|k| gain * apart[k] + bias + damping * d.actuator_velocity[r + k])
}

/// Limits the norm of a servo's torque.
#[inline]
pub fn limit_norm<R: Real>(torque: &mut [R], limit: R) {
    let norm = norm3([torque[0], torque[1], torque[2]]);
    let over = limit.lt(norm);
    let scale = R::select(over, limit / R::select(over, norm, R::one()), R::one());
    for x in torque {
        *x *= scale;
    }
}

/// Keeps a rotation vector within half a turn.
#[inline]
pub fn wrap_rotation<R: Real>(v: &mut [R]) {
    let turn = R::splat(2.0 * std::f64::consts::PI);
    let angle = norm3([v[0], v[1], v[2]]);
    let over = R::splat(std::f64::consts::PI).lt(angle);
    let angle = R::select(over, angle, R::one());
    let scale = (angle - turn * round(angle / turn)) / angle;
    for x in v {
        *x *= R::select(over, scale, R::one());
    }
}
