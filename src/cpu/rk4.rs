//! One of the four stages of Runge-Kutta (`mj_RungeKutta`).
//!
//! Called after each of the four evaluations of a step: the first three calls move the state to the point of the next evaluation,
//! the last takes the step. Orientations follow Munthe-Kaas: the method is applied to the rotation vector from the orientation at
//! the start, so that it keeps its order.

use crate::cpu::lib::integrate::{advance, integrate_pos};
use crate::cpu::lib::math::rotation_vector_rate;
use crate::cpu::lib::sleep::{note_places, sleeps, stay_asleep};
use crate::cpu::lib::yielding::{model_yields, yield_flexes};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::JointType;

/// Times of the evaluations, in units of a timestep, and their weights.
const A: [f64; 4] = [0.0, 0.5, 0.5, 1.0];
const B: [f64; 4] = [1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0];

const LAST: usize = 4;

/// One of the four stages of Runge-Kutta (`mj_RungeKutta`).
///
/// Where trees may sleep, they fall asleep by their state at the start of the step, and flexes yield by their places there: then a fifth
/// call takes the step, and the fourth only goes back to the start.
pub fn rk4<R: Real>(m: &Model, d: &mut Data<R>) {
    let stage = R::int_lane(d.rk_stage[0], 0) as usize;
    let h = d.own.timestep(m);
    if stage == LAST {
        return take(m, d);
    }

    if stage == 0 {
        keep_start(m, d);
    }
    find_rates(m, d, R::splat(A[stage]) * h);

    // weighted sums
    let weight = R::splat(B[stage]);
    for i in 0..m.nv {
        d.rk_dqpos[i] += d.rk_vel[i] * weight;
        d.rk_dqvel[i] += d.qacc[i] * weight;
    }
    for k in 0..m.na {
        d.rk_dact[k] += d.act_dot[k] * weight;
    }

    if sleeps(m) && stage == 3 {
        note_places(m, d);
    }
    return_to_start(m, d);

    if stage < 3 {
        // state for the next evaluation
        let next = R::splat(A[stage + 1]) * h;
        integrate_pos(m, &mut d.qpos, &d.rk_vel, next);
        for i in 0..m.nv {
            d.qvel[i] += d.qacc[i] * next;
        }
        for k in 0..m.na {
            d.act[k] += d.act_dot[k] * next;
        }
        d.time[0] += next;
        if sleeps(m) {
            stay_asleep(m, d);
        }
    } else if !goes_back(m) {
        return take(m, d);
    } else if model_yields(m) {
        // the velocity of the positions, by which flexes yield
        d.qvel.copy_from_slice(&d.rk_dqpos);
    }
    set_stage(d, stage + 1);
}

// keeps the start of the step
fn keep_start<R: Real>(m: &Model, d: &mut Data<R>) {
    d.rk_qpos.copy_from_slice(&d.qpos);
    d.rk_qvel.copy_from_slice(&d.qvel);
    d.rk_act.copy_from_slice(&d.act);
    if m.ntendonrk > 0 {
        d.rk_ten_length.copy_from_slice(&d.ten_length);
        d.rk_ten_J.copy_from_slice(&d.ten_J);
    }
    if m.nrodrk > 0 {
        d.rk_rod_plastic.copy_from_slice(&d.rod_plastic);
    }
    d.rk_time[0] = d.time[0];
    d.rk_vel.fill(R::zero());
    d.rk_dqpos.fill(R::zero());
    d.rk_dqvel.fill(R::zero());
    d.rk_dact.fill(R::zero());
}

// rates at this evaluation, `here` seconds into the step; rk_vel still holds the velocities of the previous one
fn find_rates<R: Real>(m: &Model, d: &mut Data<R>, here: R) {
    for j in 0..m.njnt {
        let adr = m.jnt_dofadr[j] as usize;
        let jnt_type = m.jnt_type[j];
        if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
            d.rk_vel[adr] = d.qvel[adr];
            continue;
        }
        let adr = if jnt_type == JointType::Free {
            d.rk_vel[adr..adr + 3].copy_from_slice(&d.qvel[adr..adr + 3]);
            adr + 3
        } else {
            adr
        };
        let turned = std::array::from_fn(|k| d.rk_vel[adr + k] * here);
        let rate = rotation_vector_rate(turned, std::array::from_fn(|k| d.qvel[adr + k]));
        d.rk_vel[adr..adr + 3].copy_from_slice(&rate);
    }
}

// back to the start of the step; plastic tendons yield by their lengths and Jacobians there
fn return_to_start<R: Real>(m: &Model, d: &mut Data<R>) {
    if m.ntendonrk > 0 {
        d.ten_length.copy_from_slice(&d.rk_ten_length);
        d.ten_J.copy_from_slice(&d.rk_ten_J);
    }
    if m.nrodrk > 0 {
        d.rod_plastic.copy_from_slice(&d.rk_rod_plastic);
    }
    d.qpos.copy_from_slice(&d.rk_qpos);
    d.qvel.copy_from_slice(&d.rk_qvel);
    d.act.copy_from_slice(&d.rk_act);
    d.time[0] = d.rk_time[0];
}

/// True if the fourth call goes back to the start of the step, and a fifth takes the step: flexes yield by their places there. Trees
/// that may sleep fall asleep by them too.
pub fn goes_back(m: &Model) -> bool {
    sleeps(m) || model_yields(m)
}

fn take<R: Real>(m: &Model, d: &mut Data<R>) {
    if model_yields(m) {
        yield_flexes(m, d);
        d.qvel.copy_from_slice(&d.rk_qvel);
    }

    // the step
    let act_dot = std::mem::take(&mut d.rk_dact);
    let qacc = std::mem::take(&mut d.rk_dqvel);
    let qvel = std::mem::take(&mut d.rk_dqpos);
    advance(m, d, &act_dot, &qacc, Some(&qvel));
    // the acceleration of the whole step, for those who read it
    d.qacc.copy_from_slice(&qacc);
    d.rk_dact = act_dot;
    d.rk_dqvel = qacc;
    d.rk_dqpos = qvel;
    set_stage(d, 0);
}

fn set_stage<R: Real>(d: &mut Data<R>, stage: usize) {
    for lane in 0..R::WIDTH {
        R::set_int_lane(&mut d.rk_stage[0], lane, stage as i32);
    }
}
