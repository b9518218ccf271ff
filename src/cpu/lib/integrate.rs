//! Integration of rates to the next state.

use crate::cpu::lib::actuator::{next_activation, wrap_period, wrap_setpoint};
use crate::cpu::lib::math::*;
use crate::cpu::lib::plastic::yield_springs;
use crate::cpu::lib::rod::keep_rods;
use crate::cpu::lib::servo::wrap_rotation;
use crate::cpu::lib::sleep::{sleeps, stay_asleep};
use crate::cpu::lib::yielding::yield_flexes;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{DSBL_ACTUATION, DynType, ENBL_IPC, GainType, JointType};

/// Adds a velocity times a time to positions (`mj_integratePos`).
#[inline]
pub fn integrate_pos<R: Real>(m: &Model, qpos: &mut [R], qvel: &[R], time: R) {
    integrate_pos_of(m, qpos, qvel, time, |_| false);
}

// the same for the joints of bodies that are not `still`
#[inline]
fn integrate_pos_of<R: Real>(
    m: &Model,
    qpos: &mut [R],
    qvel: &[R],
    time: R,
    still: impl Fn(usize) -> bool,
) {
    for j in 0..m.njnt {
        if still(m.jnt_bodyid[j] as usize) {
            continue;
        }
        let (mut padr, mut vadr) = (m.jnt_qposadr[j] as usize, m.jnt_dofadr[j] as usize);
        let jnt_type = m.jnt_type[j];
        if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
            qpos[padr] += time * qvel[vadr];
            continue;
        }
        if jnt_type == JointType::Free {
            for k in 0..3 {
                qpos[padr + k] += time * qvel[vadr + k];
            }
            padr += 3;
            vadr += 3;
        }
        let quat = std::array::from_fn(|k| qpos[padr + k]);
        let vel = std::array::from_fn(|k| qvel[vadr + k]);
        qpos[padr..padr + 4].copy_from_slice(&quat_integrate(quat, vel, time));
    }
}

/// Advances activation, velocity, position and time by one timestep and keeps the acceleration for the next solve;
/// positions move with `qvel` if given, else with the new velocity (`mj_advance`).
#[inline]
pub fn advance<R: Real>(m: &Model, d: &mut Data<R>, act_dot: &[R], qacc: &[R], qvel: Option<&[R]>) {
    // activation
    if m.na > 0 && !m.opt.disabled(DSBL_ACTUATION) {
        for i in 0..m.nactuator {
            advance_act(m, d, i, act_dot);
        }
    }

    // velocity
    let h = d.own.timestep(m);
    for (i, (v, a)) in d.qvel.iter_mut().zip(qacc).enumerate() {
        if !d.still.dof(i) {
            *v += *a * h;
        }
    }

    // position
    let still = |i| d.still.body(i);
    integrate_pos_of(m, &mut d.qpos, qvel.unwrap_or(&d.qvel), h, still);
    if sleeps(m) {
        stay_asleep(m, d);
    }

    // move the rest positions of plastic springs that were stretched too far; with RK4 flexes have yielded before
    if m.nplastic > 0 {
        yield_springs(m, d, qvel);
        if qvel.is_none() {
            yield_flexes(m, d);
        }
        keep_rods(m, d);
    }

    // time
    d.time[0] += h;

    // warm start of the next solve; with the flag `ipc` it stays as it was, as in MuJoCo
    if !m.opt.enabled(ENBL_IPC) {
        d.qacc_warmstart.copy_from_slice(&d.qacc);
    }
}

#[inline(always)]
fn advance_act<R: Real>(m: &Model, d: &mut Data<R>, i: usize, act_dot: &[R]) {
    let Ok(adr) = usize::try_from(m.actuator_actadr[i]) else {
        return;
    };
    let num = m.actuator_actnum[i] as usize;
    for (k, rate) in (adr..).zip(&act_dot[adr..adr + num]) {
        // activations of a disabled actuator stay constant
        let rate = if m.actuator_disabled(i) {
            R::zero()
        } else {
            *rate
        };
        d.act[k] = next_activation(m, d, i, k, rate);
    }

    // an angle setpoint is kept within half a turn of the length
    let length = d.actuator_length[m.actuator_outadr[i] as usize];
    let last = adr + num - 1;
    d.act[last] = wrap_setpoint(d.act[last], length, wrap_period(m, d, i));

    // likewise an orientation setpoint
    if m.actuator_dyntype[i] == DynType::Integrator && m.actuator_gaintype[i] == GainType::So3 {
        wrap_rotation(&mut d.act[adr..adr + 3]);
    }
}
