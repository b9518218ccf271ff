//! Integration and difference of positions, whose orientations are quaternions.

use rayon::prelude::*;

use super::Batch;
use super::look::row_of;
use crate::cpu::lib::integrate::integrate_pos;
use crate::cpu::lib::math::sub_quat;
use crate::error::{Error, Result};
use crate::fields::Model;
use crate::types::JointType;

impl Batch {
    /// Integrates positions with velocities over a time `dt` (s), orientations as quaternions (`mj_integratePos`).
    ///
    /// `qpos` is N × nq and is changed in place, `qvel` N × nv or one row for all. The worlds are neither read nor changed.
    ///
    /// Fails with [`Error::Input`] on another number of values.
    pub fn integrate_pos(&self, qpos: &mut [f64], qvel: &[f64], dt: f64) -> Result<()> {
        let m = &self.model;
        let (need, have) = (self.nworld * m.nq, qpos.len());
        if have != need {
            return Err(Error::Input(format!(
                "qpos: {need} values for {} worlds needed, {have} given",
                self.nworld
            )));
        }
        self.check_rows("qvel", m.nv, qvel.len())?;
        let rows = qpos.par_chunks_mut(m.nq.max(1)).enumerate();
        rows.for_each(|(w, qpos)| integrate_pos(m, qpos, row_of(qvel, m.nv, w), dt));
        Ok(())
    }

    /// The velocities that move one position to another in a time `dt` (s), in the tangent space of the first, N × nv
    /// (`mj_differentiatePos`).
    ///
    /// `qpos1` and `qpos2` are N × nq, or one row for all. The worlds are neither read nor changed.
    ///
    /// Fails with [`Error::Input`] on another number of values and on a `dt` of 0.
    pub fn differentiate_pos(&self, dt: f64, qpos1: &[f64], qpos2: &[f64]) -> Result<Vec<f64>> {
        let m = &self.model;
        self.check_rows("qpos1", m.nq, qpos1.len())?;
        self.check_rows("qpos2", m.nq, qpos2.len())?;
        if dt == 0.0 || dt.is_nan() {
            return Err(Error::Input("dt: a time other than 0 is needed".to_owned()));
        }
        let mut qvel = vec![0.0; self.nworld * m.nv];
        let rows = qvel.par_chunks_mut(m.nv.max(1)).enumerate();
        rows.for_each(|(w, qvel)| {
            let [qpos1, qpos2] = [qpos1, qpos2].map(|qpos| row_of(qpos, m.nq, w));
            differentiate_pos(m, qvel, dt, qpos1, qpos2);
        });
        Ok(qvel)
    }
}

/// The velocity (m/s, rad/s) that moves one position to another in a time (s), in the tangent space of the first (`mj_differentiatePos`).
pub(super) fn differentiate_pos(
    m: &Model,
    qvel: &mut [f64],
    time: f64,
    qpos1: &[f64],
    qpos2: &[f64],
) {
    for j in 0..m.njnt {
        let (mut padr, mut vadr) = (m.jnt_qposadr[j] as usize, m.jnt_dofadr[j] as usize);
        let jnt_type = m.jnt_type[j];
        if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
            qvel[vadr] = (qpos2[padr] - qpos1[padr]) / time;
            continue;
        }
        if jnt_type == JointType::Free {
            for k in 0..3 {
                qvel[vadr + k] = (qpos2[padr + k] - qpos1[padr + k]) / time;
            }
            padr += 3;
            vadr += 3;
        }
        let [quat1, quat2] = [qpos1, qpos2].map(|qpos| std::array::from_fn(|k| qpos[padr + k]));
        let angle = sub_quat(quat2, quat1);
        for k in 0..3 {
            qvel[vadr + k] = angle[k] / time;
        }
    }
}
