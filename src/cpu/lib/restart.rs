//! Reset of a world after an error (`mj_resetData` by `mj_checkPos` and its kin).

use crate::cpu::lib::sleep::sleeps;
use crate::cpu::sleep::begin;
use crate::fields::{Data, Model};
use crate::stages;
use crate::types::*;

/// Resets a world to `qpos0`, at rest: state, inputs and flags. Derived quantities are computed by the stages that follow.
pub fn restart(m: &Model, d: &mut Data) {
    start_world(m, d);

    // flags
    d.warning.fill(0);
    d.time[0] = 0.0;
    d.rk_stage[0] = 0;
    d.overflow[0] = 0;
    d.needed.fill(0);
}

// state and inputs of a reset world
fn start_world(m: &Model, d: &mut Data) {
    // state
    for (i, q) in d.qpos.iter_mut().enumerate() {
        *q = d.own.qpos0(m, i);
    }
    d.qvel.fill(0.0);
    d.act.fill(0.0);
    for (i, x) in d.history.iter_mut().enumerate() {
        *x = d.own.history0(m, i);
    }
    for (i, x) in d.plastic.iter_mut().enumerate() {
        *x = d.own.plastic0(m, i);
    }
    d.qacc_warmstart.fill(0.0);

    // inputs
    for (i, ctrl) in d.ctrl.iter_mut().enumerate() {
        *ctrl = d.own.ctrl0(m, i);
    }
    d.qfrc_applied.fill(0.0);
    d.xfrc_applied.fill([0.0; 6]);
    d.eq_active.copy_from_slice(&m.eq_active0);
    for i in 0..m.nbody {
        if let Ok(mocap) = usize::try_from(m.body_mocapid[i]) {
            d.mocap_pos[mocap] = d.own.body_pos(m, i);
            d.mocap_quat[mocap] = d.own.body_quat(m, i);
        }
    }
    d.userdata.fill(0.0);
    if sleeps(m) {
        start_sleep(m, d);
    }
}

// the sleeping trees of a reset world, and what was read when they fell asleep
fn start_sleep(m: &Model, d: &mut Data) {
    begin(m, d);
}

/// Reaction of a check to a bad world: resets it, its warnings included, unless that is disabled; then counts this warning.
pub fn bad_world(m: &Model, d: &mut Data, warning: Warning) {
    if !m.opt.disabled(DSBL_AUTORESET) {
        restart(m, d);
    }
    d.warning[warning as usize] += 1;
}

/// Forward dynamics of a reset world, from which the step goes on (`mj_forward` by `mj_checkAcc`).
pub fn begin_anew(m: &Model, d: &mut Data) {
    stages::forward(m, &mut |stage| (stage.twin)(m, d));
}
