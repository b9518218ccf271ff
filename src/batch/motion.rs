//! Velocities and accelerations of objects, and the generalized force of a force on a body.

use super::Batch;
use super::look::{Sight, check_id, vec3_of};
use crate::cpu::lib::force::apply_ft;
use crate::cpu::lib::sensor::{frame_of, object_velocity};
use crate::cpu::lib::spatial::along;
use crate::cpu::sensor_acc::object_acceleration;
use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::stages::needs_rne_post;
use crate::types::ObjType;

const CHAINS: Sight = Sight::of_poses(&["subtree_com", "cdof"]);

// arrays of the pose and the motion of a kind of object
macro_rules! sights {
    ($kind:expr, $of:ident $($motion:literal)*) => {
        match $kind {
            ObjType::XBody => Sight::$of(&["subtree_com", "cvel", "xpos", "xmat" $(, $motion)*]),
            ObjType::Geom => Sight::$of(&["subtree_com", "cvel", "geom_xpos", "geom_xmat" $(, $motion)*]),
            ObjType::Site => Sight::$of(&["subtree_com", "cvel", "site_xpos", "site_xmat" $(, $motion)*]),
            ObjType::Camera => Sight::$of(&["subtree_com", "cvel", "cam_xpos", "cam_xmat" $(, $motion)*]),
            _ => Sight::$of(&["subtree_com", "cvel", "xipos", "ximat" $(, $motion)*]),
        }
    };
}

impl Batch {
    /// Generalized force of a force (N) and a torque (N m) on a body at a point, N × nv (`mj_applyFT`).
    ///
    /// `force`, `torque` and `point` (m) are in the world's frame, N × 3 or one row for all worlds. Poses are those that
    /// [`Batch::look`] chooses. The batch does not change: nothing is added to `qfrc_applied`.
    ///
    /// Fails with [`Error::Input`] on another number of values and on a body that the model does not have.
    pub fn apply_ft(
        &mut self,
        force: &[f64],
        torque: &[f64],
        point: &[f64],
        body: usize,
    ) -> Result<Vec<f64>> {
        for (name, rows) in [("force", force), ("torque", torque), ("point", point)] {
            self.check_rows(name, 3, rows.len())?;
        }
        check_id("body", body, self.model.nbody)?;
        self.find(CHAINS, self.model.nv, &|m, d, w, qfrc| {
            let [force, torque, point] = [force, torque, point].map(|rows| vec3_of(rows, w));
            apply_ft(m, d, qfrc, body, point, force, torque);
        })
    }

    /// Velocity of an object at its position, N × 6, angular (rad/s) before linear (m/s) (`mj_objectVelocity`): along the world's
    /// axes, or along the object's own if `local`.
    ///
    /// Objects are bodies (`Body`: the inertial frame, `XBody`: the body's own), geoms, sites and cameras. Poses and velocities
    /// are those that [`Batch::look`] chooses; the batch does not change.
    ///
    /// Fails with [`Error::Input`] on another kind of object and on one that the model does not have.
    pub fn object_velocity(&mut self, kind: ObjType, id: usize, local: bool) -> Result<Vec<f64>> {
        check_object(&self.model, kind, id)?;
        let sight = sights!(kind, of_motion);
        self.find(sight, 6, &|m, d, _, row| {
            let vel = object_velocity(m, d, kind as i32, id);
            row.copy_from_slice(&seen(d, kind, id, local, vel));
        })
    }

    /// Acceleration of an object at its position minus gravity, as an accelerometer measures it, N × 6, angular (rad/s²)
    /// before linear (m/s²) (`mj_objectAcceleration`): along the world's axes, or along the object's own if `local`.
    ///
    /// Objects are those of [`Batch::object_velocity`]. Accelerations of bodies (`cacc`) are always those of the last call that
    /// computed them, as `mj_rnePostConstraint` does: any call where a sensor needs them or the model's flag `ENBL_RNEPOST` asks for
    /// them, else a step of a batch with [`super::Settings::rne_post`].
    ///
    /// Fails with [`Error::Input`] where no call computes `cacc`, on another kind of object and on one that the model does not have.
    pub fn object_acceleration(
        &mut self,
        kind: ObjType,
        id: usize,
        local: bool,
    ) -> Result<Vec<f64>> {
        check_object(&self.model, kind, id)?;
        if !needs_rne_post(&self.model) && !self.settings.rne_post {
            let msg = "accelerations of bodies are not computed: set the flag ENBL_RNEPOST of the model, or Settings::rne_post";
            return Err(Error::Input(msg.to_owned()));
        }
        let sight = sights!(kind, of_last_call "cacc");
        self.find(sight, 6, &|m, d, _, row| {
            let acc = object_acceleration(m, d, kind as i32, id);
            row.copy_from_slice(&seen(d, kind, id, local, acc));
        })
    }
}

// a spatial vector along the axes of the object if `local`, else along the world's
fn seen(d: &Data, kind: ObjType, id: usize, local: bool, motion: [f64; 6]) -> [f64; 6] {
    match local {
        true => along(frame_of(d, kind as i32, id).1, motion),
        false => motion,
    }
}

fn check_object(m: &Model, kind: ObjType, id: usize) -> Result<()> {
    match kind {
        ObjType::Body | ObjType::XBody => check_id("body", id, m.nbody),
        ObjType::Geom => check_id("geom", id, m.ngeom),
        ObjType::Site => check_id("site", id, m.nsite),
        ObjType::Camera => check_id("camera", id, m.ncam),
        _ => Err(Error::Input(format!(
            "{kind:?}: an object that moves is a Body, XBody, Geom, Site or Camera"
        ))),
    }
}
