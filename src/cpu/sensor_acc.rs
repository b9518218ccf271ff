//! Sensors of acceleration and force (`mj_sensorAcc`).

use crate::cpu::lib::sensor::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Sensors of acceleration and force (`mj_sensorAcc`).
pub fn sensor_acc(m: &Model, d: &mut Data) {
    let slots = Slots::of(d);
    sense(m, d, slots);
}

/// The same for worlds side by side.
pub fn sense<R: Real>(m: &Model, d: &mut Data<R>, slots: Slots) {
    for i in of_stage(m, NeedStage::Acc) {
        read(m, d, i, slots);
        cutoff(m, d, i);
    }
}

fn read<R: Real>(m: &Model, d: &mut Data<R>, i: usize, slots: Slots) {
    let id = m.sensor_objid[i].max(0) as usize;
    let adr = m.sensor_adr[i] as usize;
    let dim = m.sensor_dim[i] as usize;
    match SensorType::from_i32(m.sensor_type[i]) {
        Some(SensorType::ActuatorFrc) => {
            let out = m.actuator_outadr[id] as usize;
            for k in 0..dim {
                d.sensordata[adr + k] = d.actuator_force[out + k];
            }
        }
        Some(SensorType::JointActFrc) => give(d, adr, [d.qfrc_actuator[m.jnt_dofadr[id] as usize]]),
        Some(SensorType::TendonActFrc) => give(d, adr, [tendon_force(m, d, id)]),
        Some(SensorType::JointLimitFrc) => {
            let x = limit_force(d, slots, ConstraintType::LimitJoint, id);
            give(d, adr, [x]);
        }
        Some(SensorType::TendonLimitFrc) => {
            let x = limit_force(d, slots, ConstraintType::LimitTendon, id);
            give(d, adr, [x]);
        }
        // nobody fills these
        _ => d.sensordata[adr..adr + dim].fill(R::zero()),
    }
}

#[inline(always)]
fn limit_force<R: Real>(d: &Data<R>, slots: Slots, kind: ConstraintType, id: usize) -> R {
    of_limit(d, slots.rows, kind, id as i32, |r| d.efc_force[r])
}

// of all actuators that pull at a tendon
#[inline(always)]
fn tendon_force<R: Real>(m: &Model, d: &Data<R>, tendon: usize) -> R {
    let mut sum = R::zero();
    for i in 0..m.nactuator {
        let pulls =
            m.actuator_trntype[i] == TrnType::Tendon && m.actuator_trnid[2 * i] == tendon as i32;
        if pulls {
            sum += d.actuator_force[m.actuator_outadr[i] as usize];
        }
    }
    sum
}
