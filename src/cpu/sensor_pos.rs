//! Sensors of position (`mj_sensorPos`).

use crate::cpu::lib::math::*;
use crate::cpu::lib::sensor::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Sensors of position (`mj_sensorPos`).
pub fn sensor_pos(m: &Model, d: &mut Data) {
    let slots = Slots::of(d);
    sense(m, d, slots);
}

/// The same for worlds side by side.
pub fn sense<R: Real>(m: &Model, d: &mut Data<R>, slots: Slots) {
    for i in of_stage(m, NeedStage::Pos) {
        read(m, d, i, slots);
        cutoff(m, d, i);
    }
}

fn read<R: Real>(m: &Model, d: &mut Data<R>, i: usize, slots: Slots) {
    let (kind, id) = (m.sensor_objtype[i], m.sensor_objid[i]);
    let object = (kind, id.max(0) as usize);
    let other = (m.sensor_reftype[i], m.sensor_refid[i]);
    let id = object.1;
    let adr = m.sensor_adr[i] as usize;
    let dim = m.sensor_dim[i] as usize;
    let sensor = SensorType::from_i32(m.sensor_type[i]);
    match sensor {
        Some(SensorType::Magnetometer) => {
            let field = m.opt.magnetic.map(R::splat);
            give(d, adr, mul_mat_t_vec3(d.site_xmat[id], field));
        }
        Some(SensorType::CamProjection) => give(d, adr, cam_project(m, d, id, other.1 as usize)),
        Some(SensorType::JointPos) => give(d, adr, [d.qpos[m.jnt_qposadr[id] as usize]]),
        Some(SensorType::TendonPos) => give(d, adr, [d.ten_length[id]]),
        Some(SensorType::ActuatorPos) => {
            let out = m.actuator_outadr[id] as usize;
            for k in 0..dim {
                d.sensordata[adr + k] = d.actuator_length[out + k];
            }
        }
        Some(SensorType::BallQuat) => {
            let qadr = m.jnt_qposadr[id] as usize;
            give(d, adr, normalize4([0, 1, 2, 3].map(|k| d.qpos[qadr + k])));
        }
        Some(SensorType::JointLimitPos) => {
            let x = limit_pos(d, slots, ConstraintType::LimitJoint, id);
            give(d, adr, [x]);
        }
        Some(SensorType::TendonLimitPos) => {
            let x = limit_pos(d, slots, ConstraintType::LimitTendon, id);
            give(d, adr, [x]);
        }
        Some(SensorType::FramePos) => {
            let (pos, _) = frame_of(d, object.0, id);
            let x = match usize::try_from(other.1) {
                Ok(refid) => {
                    let (origin, mat) = frame_of(d, other.0, refid);
                    mul_mat_t_vec3(mat, sub3(pos, origin))
                }
                Err(_) => pos,
            };
            give(d, adr, x);
        }
        Some(SensorType::FrameXAxis | SensorType::FrameYAxis | SensorType::FrameZAxis) => {
            let column = (m.sensor_type[i] - SensorType::FrameXAxis as i32) as usize;
            let (_, mat) = frame_of(d, object.0, id);
            let axis = [0, 3, 6].map(|k| mat[k + column]);
            let x = match usize::try_from(other.1) {
                Ok(refid) => mul_mat_t_vec3(frame_of(d, other.0, refid).1, axis),
                Err(_) => axis,
            };
            give(d, adr, x);
        }
        Some(SensorType::FrameQuat) => {
            let quat = quat_of(m, d, object.0, id);
            let x = match usize::try_from(other.1) {
                Ok(refid) => mul_quat(neg_quat(quat_of(m, d, other.0, refid)), quat),
                Err(_) => quat,
            };
            give(d, adr, x);
        }
        Some(SensorType::SubtreeCom) => give(d, adr, d.subtree_com[id]),
        Some(SensorType::InsideSite) => {
            let (pos, _) = frame_of(d, object.0, id);
            let site = other.1 as usize;
            let place = (d.site_xpos[site], d.site_xmat[site]);
            let x = inside_geom(place, m.site_size[site], m.site_type[site], pos);
            give(d, adr, [x]);
        }
        Some(SensorType::EPotential) => give(d, adr, [d.energy[0]]),
        Some(SensorType::EKinetic) => give(d, adr, [d.energy[1]]),
        Some(SensorType::Clock) => give(d, adr, [d.time[0]]),
        // nobody fills these
        _ => d.sensordata[adr..adr + dim].fill(R::zero()),
    }
}

#[inline(always)]
fn limit_pos<R: Real>(d: &Data<R>, slots: Slots, kind: ConstraintType, id: usize) -> R {
    let value = |r: usize| d.efc_pos[r] - d.efc_margin[r];
    of_limit(d, slots.rows, kind, id as i32, value)
}

// pixel of the image in which a camera sees a site
fn cam_project<R: Real>(m: &Model, d: &Data<R>, site: usize, cam: usize) -> [R; 2] {
    let size = [2 * cam, 2 * cam + 1].map(|k| f64::from(m.cam_resolution[k]));
    let sensor = [m.cam_sensorsize[2 * cam], m.cam_sensorsize[2 * cam + 1]];
    let focal = match sensor[0] != 0.0 && sensor[1] != 0.0 {
        // MuJoCo keeps these in single precision
        true => [0, 1].map(|k| {
            let ratio = m.cam_intrinsic[4 * cam + k] as f32 / sensor[k] as f32;
            f64::from(ratio * size[k] as f32)
        }),
        false => [0.5 / (m.cam_fovy[cam] * std::f64::consts::PI / 360.0).tan() * size[1]; 2],
    };

    // a camera looks along its negative z axis; what lies in its plane is kept away from a division by zero
    let offset = sub3(d.site_xpos[site], d.cam_xpos[cam]);
    let local = mul_mat_t_vec3(d.cam_xmat[cam], offset);
    let least = R::splat(MINVAL);
    let ahead = local[2].max(least);
    let behind = local[2].min(-least);
    let depth = R::select(local[2].lt(R::zero()), behind, ahead);
    let [fx, fy] = focal.map(R::splat);
    let [w, h] = size.map(|n| R::splat(0.5 * n));
    [
        (w * local[2] - fx * local[0]) / depth,
        (h * local[2] + fy * local[1]) / depth,
    ]
}
