//! Poses of cameras and lights (`mj_camlight`).

use crate::cpu::lib::math::*;
use crate::cpu::lib::pose::local2global;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{CamLight, SameFrame};

/// Poses of cameras and lights (`mj_camlight`).
pub fn camlight<R: Real>(m: &Model, d: &mut Data<R>) {
    // cameras
    for i in 0..m.ncam {
        let body = m.cam_bodyid[i] as usize;
        let mode = m.cam_mode[i];
        let none = SameFrame::None as i32;
        let (mut pos, mut mat) =
            local2global(d, body, none, d.own.cam_pos(m, i), d.own.cam_quat(m, i));
        if mode == CamLight::Track || mode == CamLight::TrackCom {
            // track modes: the orientation stays, the position follows
            mat = d.own.cam_mat0(m, i);
            pos = if mode == CamLight::Track {
                add3(d.xpos[body], d.own.cam_pos0(m, i))
            } else {
                add3(d.subtree_com[body], d.own.cam_poscom0(m, i))
            };
        } else if let Some(target) = target(d, mode, m.cam_targetbodyid[i]) {
            // target modes: -z of the camera points at the target, its x axis is level
            let (z, _) = normalize3(sub3(pos, target));
            let (x, _) = normalize3(cross([R::zero(), R::zero(), R::one()], z));
            let (y, _) = normalize3(cross(z, x));
            mat = [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]];
        }
        d.cam_xpos[i] = pos;
        d.cam_xmat[i] = mat;
    }

    // lights
    for i in 0..m.nlight {
        let body = m.light_bodyid[i] as usize;
        let mode = m.light_mode[i];
        let local_pos = d.own.light_pos(m, i);
        let mut pos = add3(d.xpos[body], mul_mat_vec3(d.xmat[body], local_pos));
        let mut dir = rot_vec_quat(d.own.light_dir(m, i), d.xquat[body]);
        if mode == CamLight::Track || mode == CamLight::TrackCom {
            // track modes: the direction stays, the position follows
            dir = d.own.light_dir0(m, i);
            pos = if mode == CamLight::Track {
                add3(d.xpos[body], d.own.light_pos0(m, i))
            } else {
                add3(d.subtree_com[body], d.own.light_poscom0(m, i))
            };
        } else if let Some(target) = target(d, mode, m.light_targetbodyid[i]) {
            // target modes: the light shines at the target
            dir = sub3(target, pos);
        }
        d.light_xpos[i] = pos;
        d.light_xdir[i] = normalize3(dir).0;
    }
}

// position of the target of a camera or light; none in modes without a target
#[inline(always)]
fn target<R: Real>(d: &Data<R>, mode: i32, body: i32) -> Option<[R; 3]> {
    let body = usize::try_from(body).ok()?;
    if mode == CamLight::TargetBody {
        Some(d.xpos[body])
    } else if mode == CamLight::TargetBodyCom {
        Some(d.subtree_com[body])
    } else {
        None
    }
}
