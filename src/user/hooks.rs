//! User callbacks in the step: controls, passive forces, contact filter, sensors.

use super::Users;
use super::text::Hook;
use super::world::{World, put, row};
use crate::compile::pair::{Masks, Pairs};
use crate::cpu::lib::history::hold_back;
use crate::cpu::lib::sensor::{cutoff, of_stage};
use crate::cpu::lib::sleep::{keep_reading, sensor_awake, sleeps};
use crate::error::{Error, Result};
use crate::fields::{Data, Model, Row};
use crate::real::{Mask, Real, lanes};
use crate::types::{NeedStage, SensorType};
use std::sync::Arc;

/// A callback that sets inputs.
pub(super) type Control = dyn Fn(&World<'_>, &mut Inputs<'_>) + Send + Sync;
/// A callback that adds to `qfrc_passive`.
pub(super) type Passive = dyn Fn(&World<'_>, &mut [f64]) + Send + Sync;
/// A callback that is true for two geoms that do not touch.
pub(super) type Filter = dyn Fn(&World<'_>, [usize; 2]) -> bool + Send + Sync;
/// A callback that writes a sensor reading.
pub(super) type Sensor = dyn Fn(&World<'_>, &mut [f64]) + Send + Sync;

/// The inputs that a control callback may set in a world. Inputs that it leaves alone keep their values; values that it sets stay until changed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inputs<'a> {
    /// Controls, `nu`, in the actuators' units; they are clamped to their ranges later.
    pub ctrl: &'a mut [f64],
    /// Forces on dofs, `nv` (N, N m).
    pub qfrc_applied: &'a mut [f64],
    /// Force (N) and torque (N m) at the centre of mass of each body along the world's axes, `nbody` × 6.
    pub xfrc_applied: &'a mut [f64],
    /// User data, `nuserdata`, such as a controller's memory. They are part of the state.
    pub userdata: &'a mut [f64],
}

const INPUTS: [Row; 4] = [
    Row::ctrl,
    Row::qfrc_applied,
    Row::xfrc_applied,
    Row::userdata,
];

impl Model {
    /// Binds a callback for controls (`mjcb_control`), in place of an earlier one. It gets one world and the inputs that it may set.
    ///
    /// It is called in forward dynamics after all stages that depend on positions and velocities, before actuation: once in
    /// [`crate::Batch::forward`], in [`crate::Batch::step`] and in the first half of a step, four times in a step of Runge-Kutta, once
    /// more where trees fall asleep (the step then uses the second call's controls) or a bad world is reset. It is not called in inverse
    /// dynamics, nor with the flag `actuation` disabled. Contact
    /// forces and accelerations are those of the previous step. For threads and panics see [`crate::user`].
    ///
    /// ```
    /// use manyworlds::{Batch, Model};
    ///
    /// let mut model = Model::from_xml_path("models/cartpole.xml")?;
    /// model.bind_control(|world, inputs| inputs.ctrl[0] = -world.qpos()[0] - world.qvel()[0]);
    /// let mut batch = Batch::new(&model, 64)?;
    /// batch.step(100)?;
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    pub fn bind_control(
        &mut self,
        function: impl Fn(&World<'_>, &mut Inputs<'_>) + Send + Sync + 'static,
    ) {
        self.users_mut().control = Some(Arc::new(function));
    }

    /// Binds a callback for passive forces (`mjcb_passive`), in place of an earlier one. It gets one world and its
    /// `qfrc_passive`, `nv` (N, N m): the sum of spring, damper, gravity compensation, fluid and adhesion forces, to which it adds.
    ///
    /// It is called in every evaluation of velocity-dependent stages, in inverse dynamics too, unless the flags disable both springs and
    /// dampers. The implicit integrators ignore its derivative, as in MuJoCo. Forces on sleeping trees do not wake them. For
    /// threads and panics see [`crate::user`].
    pub fn bind_passive(
        &mut self,
        function: impl Fn(&World<'_>, &mut [f64]) + Send + Sync + 'static,
    ) {
        self.users_mut().passive = Some(Arc::new(function));
    }

    /// Binds a callback that filters contacts (`mjcb_contactfilter`), in place of an earlier one. It gets one world and the
    /// ids of two geoms, the lower first; if it returns true, they do not touch in this step.
    ///
    /// As in MuJoCo it replaces the masks of geoms (`contype`, `conaffinity`): it is also asked about geoms whose masks do not match,
    /// if the combined masks of their bodies match, and each geom has a non-zero mask. It is not asked about geoms of one body, of bodies
    /// welded together, of parent and child, of excluded bodies, predefined pairs and flexes; nor, only to save time, about
    /// pairs that are far apart or asleep. Poses are those of this step, velocities those of the previous step. For threads and panics
    /// see [`crate::user`].
    ///
    /// # Errors
    /// [`Error::Size`] if there are too many pairs, or no room for their contacts; then the model is unchanged.
    pub fn bind_contact_filter(
        &mut self,
        function: impl Fn(&World<'_>, [usize; 2]) -> bool + Send + Sync + 'static,
    ) -> Result<()> {
        let mut model = self.clone();
        model.users_mut().filter = Some(Arc::new(function));
        if !self.users().filters() {
            model.edit(|_| ())?;
        }
        *self = model;
        Ok(())
    }

    /// Binds a callback to a sensor of type `user` (`mjcb_sensor`), in place of an earlier one. It gets one world and the numbers
    /// of the reading, `sensor_dim` of them, initially 0.
    ///
    /// It is called after the other sensors of its stage (`needstage`), in inverse dynamics too. For `pos`, results that depend on positions are
    /// available, for `vel` those that depend on velocities (`subtree_linvel` too), for `acc` all of the step (`cacc`, `cfrc_int` too). The
    /// sensor's cutoff is applied afterwards. For threads and panics see [`crate::user`].
    ///
    /// # Errors
    /// [`Error::Input`] if there is no sensor of that name, or it is not of type `user`.
    pub fn bind_sensor(
        &mut self,
        sensor: &str,
        function: impl Fn(&World<'_>, &mut [f64]) + Send + Sync + 'static,
    ) -> Result<()> {
        let i = self.user_sensor(sensor)?;
        let users = self.users_mut();
        users.sensors.retain(|(of, _)| *of != i);
        users.sensors.push((i, Arc::new(function)));
        Ok(())
    }

    /// Id of a sensor of type `user`, by its name.
    pub(super) fn user_sensor(&self, sensor: &str) -> Result<usize> {
        let Some(i) = self.names.sensor.iter().position(|name| name == sensor) else {
            let msg = format!("sensor {sensor:?}: the model has none of that name");
            return Err(Error::Input(msg));
        };
        if self.sensor_type[i] != SensorType::User {
            let msg = format!("sensor {sensor:?}: it is not of type \"user\"");
            return Err(Error::Input(msg));
        }
        Ok(i)
    }

    /// Removes every user callback and text: the model is as compiled from its files.
    ///
    /// # Errors
    /// Those of [`Model::edit`]; then the model is unchanged.
    pub fn unbind(&mut self) -> Result<()> {
        let changed = self.users().pairs() != Pairs::default();
        let users = std::mem::take(self.users_mut());
        let plain = match changed {
            true => self.edit(|_| ()),
            false => Ok(()),
        };
        if plain.is_err() {
            *self.users_mut() = users;
        }
        plain
    }
}

impl Users {
    /// Whether a callback or text sets controls.
    pub(crate) fn controls(&self) -> bool {
        self.control.is_some() || self.text(Hook::Control).is_some()
    }

    /// Whether a callback or text filters contacts.
    #[inline(always)]
    pub(crate) fn filters(&self) -> bool {
        self.filter.is_some() || self.text(Hook::Filter).is_some()
    }

    /// The pairs of geoms that functions and texts want to see.
    pub(crate) fn pairs(&self) -> Pairs {
        Pairs {
            masks: match self.filters() {
                true => Masks::OfBodies,
                false => Masks::OfGeoms,
            },
            also: self.meetings().collect(),
        }
    }

    /// Whether a callback or text reads a sensor of a stage.
    pub(crate) fn senses(&self, m: &Model, stage: NeedStage) -> bool {
        let mut sensors = self.sensors.iter();
        sensors.any(|(i, _)| m.sensor_needstage[*i] == stage) || self.text_senses(m, stage)
    }

    fn sensor(&self, i: usize) -> Option<&Sensor> {
        let mut sensors = self.sensors.iter();
        let (_, function) = sensors.find(|(of, _)| *of == i)?;
        Some(&**function)
    }
}

/// Calls the control callback for all worlds.
pub(crate) fn set_controls<R: Real>(m: &Model, d: &mut Data<R>) {
    set_controls_of(m, d, R::zero().le(R::zero()));
}

/// Calls the control callback for some worlds.
pub(crate) fn set_controls_of<R: Real>(m: &Model, d: &mut Data<R>, who: R::Mask) {
    let Some(function) = &m.users().control else {
        return;
    };
    for lane in lanes::<R>(who) {
        let mut rows = INPUTS.map(|of| row(d, of, lane));
        let [ctrl, qfrc_applied, xfrc_applied, userdata] = &mut rows;
        let mut inputs = Inputs {
            ctrl,
            qfrc_applied,
            xfrc_applied,
            userdata,
        };
        function(&World::new(m, d, lane), &mut inputs);
        for (of, values) in INPUTS.into_iter().zip(&rows) {
            put(d, of, lane, values);
        }
    }
}

/// Calls the passive callback, after all other passive forces.
#[inline(always)]
pub(crate) fn add_passive<R: Real>(m: &Model, d: &mut Data<R>) {
    let Some(function) = &m.users().passive else {
        return;
    };
    for lane in 0..R::WIDTH {
        let mut force = row(d, Row::qfrc_passive, lane);
        function(&World::new(m, d, lane), &mut force);
        put(d, Row::qfrc_passive, lane, &force);
    }
}

/// The lanes, among those asked, in which the filter lets a pair of geoms touch.
#[inline(always)]
pub(crate) fn let_through<R: Real>(m: &Model, d: &Data<R>, k: usize, asked: R::Mask) -> R::Mask {
    match &m.users().filter {
        Some(function) if m.collision_pairid[k] < 0 => stays(m, d, k, asked, &**function),
        _ => asked,
    }
}

fn stays<R: Real>(m: &Model, d: &Data<R>, k: usize, asked: R::Mask, function: &Filter) -> R::Mask {
    let mut geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    geoms.sort_unstable();
    let mut stays = R::zero();
    for lane in lanes::<R>(asked) {
        if !function(&World::new(m, d, lane), geoms) {
            stays.set_lane(lane, 1.0);
        }
    }
    R::zero().lt(stays)
}

/// Calls the sensor callbacks of a stage, after its other sensors.
#[inline(always)]
pub(crate) fn read_sensors<R: Real>(m: &Model, d: &mut Data<R>, stage: NeedStage) {
    if m.users().senses(m, stage) {
        of_stage(m, stage).for_each(|i| read_sensor(m, d, i));
    }
}

fn read_sensor<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let Some(function) = m.users().sensor(i) else {
        return;
    };
    if !sleeps(m) || sensor_awake(m, d, i).any() {
        let adr = m.sensor_adr[i] as usize;
        let mut reading = vec![0.0; m.sensor_dim[i] as usize];
        for lane in 0..R::WIDTH {
            reading.fill(0.0);
            function(&World::new(m, d, lane), &mut reading);
            let data = d.sensordata[adr..].iter_mut();
            data.zip(&reading).for_each(|(to, x)| to.set_lane(lane, *x));
        }
        cutoff(m, d, i);
    }
    if sleeps(m) {
        keep_reading(m, d, i);
    }
    if m.nfresh > 0 {
        hold_back(m, d, i);
    }
}
