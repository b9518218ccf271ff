//! Starting a world again that went wrong (`mj_resetData` by `mj_checkPos` and its kin).

use crate::fields::{Data, Model};
use crate::stages;
use crate::types::*;

/// Puts a world back to `qpos0`, at rest: state, inputs and flags. What is derived is made anew by the stages that follow.
pub fn restart(m: &Model, d: &mut Data) {
    // state
    d.time[0] = 0.0;
    d.qpos.copy_from_slice(&m.qpos0);
    d.qvel.fill(0.0);
    d.act.fill(0.0);
    d.history.copy_from_slice(&m.history0);
    d.plastic.fill(0.0);
    d.qacc_warmstart.fill(0.0);
    d.rk_stage[0] = 0;

    // inputs
    d.ctrl.copy_from_slice(&m.ctrl0);
    d.qfrc_applied.fill(0.0);
    d.xfrc_applied.fill([0.0; 6]);
    d.eq_active.copy_from_slice(&m.eq_active0);
    for i in 0..m.nbody {
        if let Ok(mocap) = usize::try_from(m.body_mocapid[i]) {
            d.mocap_pos[mocap] = m.body_pos[i];
            d.mocap_quat[mocap] = m.body_quat[i];
        }
    }
    d.userdata.fill(0.0);

    // flags
    d.warning.fill(0);
    d.overflow[0] = 0;
    d.needed.fill(0);
}

/// What a check does with a bad world: starts it again, warnings included, unless that is disabled; then counts this one.
pub fn bad_world(m: &Model, d: &mut Data, warning: Warning) {
    if !m.opt.disabled(DSBL_AUTORESET) {
        restart(m, d);
    }
    d.warning[warning as usize] += 1;
}

/// Forward dynamics of a world that was reset, from which the step goes on (`mj_forward` by `mj_checkAcc`).
pub fn begin_anew(m: &Model, d: &mut Data) {
    stages::forward(m, &mut |stage| (stage.twin)(m, d));
}
