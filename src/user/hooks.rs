//! Functions that are called at a place of the step: for controls, passive forces, pairs of geoms, sensors.

use super::Users;
use super::text::Hook;
use super::world::{World, put, row};
use crate::cpu::lib::history::hold_back;
use crate::cpu::lib::sensor::{cutoff, of_stage};
use crate::cpu::lib::sleep::{keep_reading, sensor_awake, sleeps};
use crate::error::{Error, Result};
use crate::fields::{Data, Model, Row};
use crate::real::{Mask, Real, lanes};
use crate::types::{NeedStage, SensorType};
use std::sync::Arc;

/// Sets inputs.
pub(super) type Control = dyn Fn(&World<'_>, &mut Inputs<'_>) + Send + Sync;
/// Adds to `qfrc_passive`.
pub(super) type Passive = dyn Fn(&World<'_>, &mut [f64]) + Send + Sync;
/// True for two geoms that do not touch.
pub(super) type Filter = dyn Fn(&World<'_>, [usize; 2]) -> bool + Send + Sync;
/// Writes a reading.
pub(super) type Sensor = dyn Fn(&World<'_>, &mut [f64]) + Send + Sync;

/// What a function for controls may set in a world. What it leaves alone stays as it was; what it sets stays until it is changed.
#[derive(Debug)]
#[non_exhaustive]
pub struct Inputs<'a> {
    /// Controls, `nu`, of the actuators' units; they are limited to their ranges later.
    pub ctrl: &'a mut [f64],
    /// Forces on dofs, `nv` (N, N m).
    pub qfrc_applied: &'a mut [f64],
    /// Force (N) and torque (N m) at the centre of mass of each body along the world's axes, `nbody` × 6.
    pub xfrc_applied: &'a mut [f64],
    /// Numbers of your own, `nuserdata`: what a controller remembers. They are part of the state.
    pub userdata: &'a mut [f64],
}

const INPUTS: [Row; 4] = [
    Row::ctrl,
    Row::qfrc_applied,
    Row::xfrc_applied,
    Row::userdata,
];

impl Model {
    /// Binds a function for controls (`mjcb_control`), in the place of an earlier one. It is given one world and what it may set.
    ///
    /// It is called where forward dynamics knows all that depends on positions and velocities, before actuators act: once in
    /// [`crate::Batch::forward`], in [`crate::Batch::step`] and in the first half of a step, four times in a step of Runge-Kutta, once
    /// more where trees fall asleep (the step is made by what it says then) or a world that went wrong is reset; never in inverse dynamics, nor with the flag `actuation` disabled. Contact
    /// forces and accelerations are those of the step before. How it is called, and what if it panics: [`crate::user`].
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

    /// Binds a function for passive forces (`mjcb_passive`), in the place of an earlier one. It is given one world and its
    /// `qfrc_passive`, `nv` (N, N m): the sum of springs, dampers, compensated gravity, media and adhesion, to which it adds.
    ///
    /// It is called in every evaluation of what depends on velocity, in inverse dynamics too, unless the flags disable both springs and
    /// dampers. The implicit integrators know no slope of it, as in MuJoCo. Forces on trees that sleep do not wake them. How it is
    /// called, and what if it panics: [`crate::user`].
    pub fn bind_passive(
        &mut self,
        function: impl Fn(&World<'_>, &mut [f64]) + Send + Sync + 'static,
    ) {
        self.users_mut().passive = Some(Arc::new(function));
    }

    /// Binds a function that filters contacts (`mjcb_contactfilter`), in the place of an earlier one. It is given one world and the
    /// numbers of two geoms, the lower first; where it says true, they do not touch in this step.
    ///
    /// As in MuJoCo it takes the place of the masks of geoms (`contype`, `conaffinity`): geoms whose masks do not match are asked about
    /// too, if those of their bodies taken together do, and neither has no mask at all. Not asked about are geoms of one body, of bodies
    /// welded together, of parent and child, of excluded bodies, predefined pairs and flexes; nor, and this is a matter of cost alone,
    /// pairs that are far apart or asleep. Poses are those of this step, velocities those of the step before. How it is called, and what if it
    /// panics: [`crate::user`].
    ///
    /// # Errors
    /// [`Error::Size`] if there are too many pairs, or their contacts have no room; the model is as it was then.
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

    /// Binds a function to a sensor of type `user` (`mjcb_sensor`), in the place of an earlier one. It is given one world and the numbers
    /// of the reading, `sensor_dim` of them, which are 0 before.
    ///
    /// It is called behind the other sensors of its stage (`needstage`), in inverse dynamics too: what depends on positions is there for
    /// `pos`, on velocities for `vel` (`subtree_linvel` too), and all of the step for `acc` (`cacc`, `cfrc_int` too). The cutoff of the
    /// sensor comes after it. How it is called, and what if it panics: [`crate::user`].
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

    /// Number of a sensor of type `user`, by its name.
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

    /// Leaves out every function of your own, texts too: the model is what files say of it.
    ///
    /// # Errors
    /// Those of [`Model::edit`]; the model is as it was then.
    pub fn unbind(&mut self) -> Result<()> {
        let filters = self.users().filters();
        let users = std::mem::take(self.users_mut());
        let plain = match filters {
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
    /// Whether some function sets controls.
    pub(crate) fn controls(&self) -> bool {
        self.control.is_some() || self.text(Hook::Control).is_some()
    }

    /// Whether some function filters contacts.
    #[inline(always)]
    pub(crate) fn filters(&self) -> bool {
        self.filter.is_some() || self.text(Hook::Filter).is_some()
    }

    /// Whether some function reads a sensor of a stage.
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

/// Controls of all worlds by their function.
pub(crate) fn set_controls<R: Real>(m: &Model, d: &mut Data<R>) {
    set_controls_of(m, d, R::zero().le(R::zero()));
}

/// Controls of some worlds by their function.
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

/// Passive forces by their function, behind all others.
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

/// Where, among the worlds that ask, a pair of geoms may touch.
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

/// Sensors of a stage by their functions, behind all others.
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
