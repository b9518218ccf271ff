//! Controllers of actuators with a plugin (`mujoco.pid`).
//!
//! They use the control as it was set: delays, the clamping flag, bad controls and disabled groups do not affect them. Order of
//! their activations: the integral, if they have one, then the setpoint of the last step, then the activations of the actuator's
//! dynamics.

use crate::cpu::lib::actuator::next_activation;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

// parameter `k` of an actuator's plugin instance
#[inline(always)]
fn plugin_number<R: Real>(m: &Model, d: &Data<R>, i: usize, k: usize) -> R {
    d.own.plugin_prm(m, 6 * m.actuator_plugin[i] as usize + k)
}

// true if the controller has an integral, and a setpoint with limited rate
#[inline(always)]
fn plugin_states(m: &Model, i: usize) -> [bool; 2] {
    let adr = 6 * m.actuator_plugin[i] as usize;
    [m.plugin_prm[adr + 1] != 0.0, m.plugin_prm[adr + 4] >= 0.0]
}

// setpoint: the control, or the activation of the dynamics, now or after the next timestep
#[inline]
fn plugin_setpoint<R: Real>(m: &Model, d: &Data<R>, i: usize, early: bool) -> R {
    let mut goal = if m.actuator_dyntype[i] == DynType::None {
        let u = m.actuator_ctrladr[i] as usize;
        match m.actuator_ctrllimited[u] {
            0 => d.ctrl[u],
            _ => clip(
                d.ctrl[u],
                d.own.actuator_ctrlrange(m, 2 * u),
                d.own.actuator_ctrlrange(m, 2 * u + 1),
            ),
        }
    } else {
        let last = (m.actuator_actadr[i] + m.actuator_actnum[i] - 1) as usize;
        match early {
            true => next_activation(m, d, i, last, d.act_dot[last]),
            false => d.act[last],
        }
    };

    // limit the rate of the setpoint, except in the first step
    let [integral, slews] = plugin_states(m, i);
    if slews {
        let before = d.act[m.actuator_actadr[i] as usize + usize::from(integral)];
        let step = plugin_number(m, d, i, 4) * d.own.timestep(m);
        let near = clip(goal, before - step, before + step);
        goal = R::select(R::zero().lt(d.time[0]), near, goal);
    }
    goal
}

// the integral of the error after the next timestep, within its limit
#[inline]
fn plugin_integral<R: Real>(m: &Model, d: &Data<R>, i: usize, error: R) -> R {
    let sum = d.act[m.actuator_actadr[i] as usize] + error * d.own.timestep(m);
    let most = plugin_number(m, d, i, 3);
    let limited = R::zero().le(most);
    R::select(limited, clip(sum, -most, most), sum)
}

/// Sets the rates of a controller's integral and setpoint that lead to their next values.
#[inline]
pub fn plugin_rate<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let goal = plugin_setpoint(m, d, i, false);
    let h = d.own.timestep(m);
    let mut k = m.actuator_actadr[i].max(0) as usize;
    let [integral, slews] = plugin_states(m, i);
    if integral {
        let error = goal - d.actuator_length[m.actuator_outadr[i] as usize];
        let next = plugin_integral(m, d, i, error);
        d.act_dot[k] = (next - d.act[k]) / h;
        k += 1;
    }
    if slews {
        d.act_dot[k] = (goal - d.act[k]) / h;
    }
}

/// Force of a controller, with the integral after the next timestep.
#[inline]
pub fn plugin_force<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let r = m.actuator_outadr[i] as usize;
    let goal = plugin_setpoint(m, d, i, m.actuator_actearly[i] != 0);
    let error = goal - d.actuator_length[r];
    let speed = if m.actuator_dyntype[i] == DynType::None {
        R::zero()
    } else {
        d.act_dot[(m.actuator_actadr[i] + m.actuator_actnum[i] - 1) as usize]
    };
    let [kp, ki, kd] = [0, 1, 2].map(|k| plugin_number(m, d, i, k));
    let mut force = kp * error + kd * (speed - d.actuator_velocity[r]);
    if plugin_states(m, i)[0] {
        force += ki * plugin_integral(m, d, i, error);
    }
    force
}
