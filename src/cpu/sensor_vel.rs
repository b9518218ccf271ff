//! Sensors of velocity (`mj_sensorVel`).

use crate::cpu::lib::history::hold_back;
use crate::cpu::lib::sensor::*;
use crate::cpu::lib::sleep::{keep_reading, sensor_awake, sleeps};
use crate::cpu::lib::spatial::*;
use crate::cpu::lib::tactile::feel;
use crate::cpu::lib::touch::contact_report;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;
use crate::user::read_sensors;

/// Sensors of velocity (`mj_sensorVel`).
pub fn sensor_vel(m: &Model, d: &mut Data) {
    let slots = Slots::of(d);
    sense(m, d, slots);
}

/// The stage for worlds side by side.
pub fn sense<R: Real>(m: &Model, d: &mut Data<R>, slots: Slots) {
    for i in of_stage(m, NeedStage::Vel) {
        if !sleeps(m) || sensor_awake(m, d, i).any() {
            read(m, d, i, slots);
            cutoff(m, d, i);
        }
        if sleeps(m) {
            keep_reading(m, d, i);
        }
        if m.nfresh > 0 {
            hold_back(m, d, i);
        }
    }
    read_sensors(m, d, NeedStage::Vel);
}

fn read<R: Real>(m: &Model, d: &mut Data<R>, i: usize, slots: Slots) {
    let id = m.sensor_objid[i].max(0) as usize;
    let adr = m.sensor_adr[i] as usize;
    let dim = m.sensor_dim[i] as usize;
    match SensorType::from_i32(m.sensor_type[i]) {
        Some(SensorType::Velocimeter) => give(d, adr, lin(site_velocity(m, d, id))),
        Some(SensorType::Gyro) => give(d, adr, rot(site_velocity(m, d, id))),
        Some(SensorType::JointVel) => give(d, adr, [d.qvel[m.jnt_dofadr[id] as usize]]),
        Some(SensorType::TendonVel) => give(d, adr, [d.ten_velocity[id]]),
        Some(SensorType::ActuatorVel) => {
            let out = m.actuator_outadr[id] as usize;
            for k in 0..dim {
                d.sensordata[adr + k] = d.actuator_velocity[out + k];
            }
        }
        Some(SensorType::BallAngVel) => {
            let dof = m.jnt_dofadr[id] as usize;
            give(d, adr, [0, 1, 2].map(|k| d.qvel[dof + k]));
        }
        Some(SensorType::JointLimitVel) => {
            let x = limit_vel(d, slots, ConstraintType::LimitJoint, id);
            give(d, adr, [x]);
        }
        Some(SensorType::TendonLimitVel) => {
            let x = limit_vel(d, slots, ConstraintType::LimitTendon, id);
            give(d, adr, [x]);
        }
        Some(SensorType::FrameLinVel) => give(d, adr, lin(frame_velocity(m, d, i))),
        Some(SensorType::FrameAngVel) => give(d, adr, rot(frame_velocity(m, d, i))),
        Some(SensorType::Contact) => {
            contact_report(m, d, i, slots);
        }
        Some(SensorType::Tactile) => {
            (0..R::WIDTH).for_each(|lane| feel(m, d, lane, i, slots));
        }
        Some(SensorType::SubtreeLinVel) => give(d, adr, d.subtree_linvel[id]),
        Some(SensorType::SubtreeAngMom) => give(d, adr, d.subtree_angmom[id]),
        // all other types read zero
        _ => d.sensordata[adr..adr + dim].fill(R::zero()),
    }
}

#[inline(always)]
fn limit_vel<R: Real>(d: &Data<R>, slots: Slots, kind: ConstraintType, id: usize) -> R {
    of_limit(d, slots.rows, kind, id as i32, |r| d.efc_vel[r])
}

// velocity of a site along the site's axes
#[inline(always)]
fn site_velocity<R: Real>(m: &Model, d: &Data<R>, site: usize) -> [R; 6] {
    along(
        d.site_xmat[site],
        object_velocity(m, d, ObjType::Site as i32, site),
    )
}

// velocity of an object, relative to the reference object if there is one
#[inline(always)]
fn frame_velocity<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [R; 6] {
    let object = (m.sensor_objtype[i], m.sensor_objid[i] as usize);
    match usize::try_from(m.sensor_refid[i]) {
        Ok(refid) => relative_velocity(m, d, object, (m.sensor_reftype[i], refid)),
        Err(_) => object_velocity(m, d, object.0, object.1),
    }
}
