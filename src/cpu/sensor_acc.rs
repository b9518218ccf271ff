//! Sensors of acceleration and force (`mj_sensorAcc`).

use crate::cpu::lib::grid::grid_report;
use crate::cpu::lib::history::hold_back;
use crate::cpu::lib::math::*;
use crate::cpu::lib::sensor::*;
use crate::cpu::lib::sleep::{keep_reading, sensor_awake, sleeps};
use crate::cpu::lib::spatial::*;
use crate::cpu::lib::touch::*;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;
use crate::user::read_sensors;

/// Sensors of acceleration and force (`mj_sensorAcc`).
pub fn sensor_acc(m: &Model, d: &mut Data) {
    let slots = Slots::of(d);
    sense(m, d, slots);
}

/// The stage for worlds side by side.
pub fn sense<R: Real>(m: &Model, d: &mut Data<R>, slots: Slots) {
    for i in of_stage(m, NeedStage::Acc) {
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
    read_sensors(m, d, NeedStage::Acc);
}

fn read<R: Real>(m: &Model, d: &mut Data<R>, i: usize, slots: Slots) {
    let id = m.sensor_objid[i].max(0) as usize;
    let adr = m.sensor_adr[i] as usize;
    let dim = m.sensor_dim[i] as usize;
    match SensorType::from_i32(m.sensor_type[i]) {
        Some(SensorType::Touch) => {
            d.sensordata[adr] = touch_force(m, d, id, slots);
        }
        Some(SensorType::Contact) => {
            contact_report(m, d, i, slots);
        }
        Some(SensorType::Plugin) => {
            (0..R::WIDTH).for_each(|lane| grid_report(m, d, lane, i, slots))
        }
        Some(SensorType::Accelerometer) => {
            let acc = object_acceleration(m, d, ObjType::Site as i32, id);
            give(d, adr, mul_mat_t_vec3(d.site_xmat[id], lin(acc)));
        }
        Some(SensorType::Force) => give(d, adr, lin(site_force(m, d, id))),
        Some(SensorType::Torque) => give(d, adr, rot(site_force(m, d, id))),
        Some(SensorType::FrameLinAcc) => {
            give(
                d,
                adr,
                lin(object_acceleration(m, d, m.sensor_objtype[i], id)),
            );
        }
        Some(SensorType::FrameAngAcc) => {
            give(
                d,
                adr,
                rot(object_acceleration(m, d, m.sensor_objtype[i], id)),
            );
        }
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
        // all other types read zero
        _ => d.sensordata[adr..adr + dim].fill(R::zero()),
    }
}

#[inline(always)]
fn limit_force<R: Real>(d: &Data<R>, slots: Slots, kind: ConstraintType, id: usize) -> R {
    of_limit(d, slots.rows, kind, id as i32, |r| d.efc_force[r])
}

// sum over all actuators of a tendon
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

/// Acceleration of an object at its position, along the world's axes (`mj_objectAcceleration`).
#[inline(always)]
pub fn object_acceleration<R: Real>(m: &Model, d: &Data<R>, kind: i32, id: usize) -> [R; 6] {
    let body = body_of(m, kind, id);
    let (pos, _) = frame_of(d, kind, id);
    let arm = sub3(pos, d.subtree_com[m.body_rootid[body] as usize]);
    let (acc, vel) = (seen_from(d.cacc[body], arm), seen_from(d.cvel[body], arm));
    // from spatial to linear acceleration of the point
    spatial(rot(acc), add3(lin(acc), cross(rot(vel), lin(vel))))
}

// force and torque between a site's body and its parent, at the site and along its axes
#[inline(always)]
fn site_force<R: Real>(m: &Model, d: &Data<R>, site: usize) -> [R; 6] {
    let body = m.site_bodyid[site] as usize;
    let arm = sub3(
        d.site_xpos[site],
        d.subtree_com[m.body_rootid[body] as usize],
    );
    let force = d.cfrc_int[body];
    let torque = sub3(rot(force), cross(arm, lin(force)));
    along(d.site_xmat[site], spatial(torque, lin(force)))
}
