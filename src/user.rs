//! Functions of your own: controls, passive forces, filters of contacts, contacts themselves, readings of sensors of type `user`
//! (`mjcb_control`, `mjcb_passive`, `mjcb_contactfilter`, `mjCOLLISIONFUNC`, `mjcb_sensor`), signed distances of shapes, and of
//! actuators of type `user` the gain, the bias and the rate of the activations (`mjcb_act_gain`, `mjcb_act_bias`, `mjcb_act_dyn`).
//!
//! They are part of a [`Model`] in memory, and are bound by `Model::bind_control` and its likes; model files do not hold them.
//! Without a bound function the values are those of MuJoCo without callbacks: an actuator of type `user` has gain 1, bias 0 and
//! rates 0, and a sensor of type `user` reads 0.
//!
//! A function is called for one world at a time, by several threads in no order, and again where a step evaluates it twice: its
//! result must depend on its arguments alone. Side by side it is also called for the worlds that pad the last tile, which are as
//! after a reset. A function takes effect only in batches made after it was bound.
//!
//! A device cannot call functions. It runs WGSL texts in their place: each `bind` has a method of its name with `_wgsl` behind it
//! (`Model::bind_control_wgsl`). The cores call functions and a device runs texts, so that a model that has both runs everywhere;
//! where one is missing, [`crate::Batch::with`] refuses the model by the name of the function.
//!
//! If a function panics, so does the call of the [`crate::Batch`] that led to it. Its worlds are then left at different points
//! within a step; they can be read, but the batch refuses to compute on until all of them are reset or restored.

mod collision;
mod hooks;
mod sdf;
mod text;
mod world;

pub use collision::Touch;
pub(crate) use collision::meet;
pub use hooks::Inputs;
pub(crate) use hooks::{add_passive, let_through, read_sensors, set_controls, set_controls_of};
pub(crate) use sdf::OwnSdf;
pub use sdf::surface;
pub(crate) use text::on_the_cores;
#[cfg(feature = "gpu")]
pub(crate) use text::{Hook, on_a_device};
pub use world::World;
pub(crate) use world::at_tile;

use crate::cpu::lib::actuator::control;
use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{BiasType, DynType, GainType};
use std::fmt;
use std::sync::Arc;

/// The part of an actuator that a function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UserPart {
    /// The factor of the input: one number (`gaintype="user"`).
    Gain,
    /// The summand: one number, a force (`biastype="user"`).
    Bias,
    /// Rates of the activations, as many as there are (1/s; `dyntype="user"`).
    Dyn,
}

/// An actuator as a function of your own sees it, in one world.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct UserActuator<'a> {
    /// Number of the actuator.
    pub id: usize,
    /// Number of the world in its batch, as [`World::number`] tells it.
    pub world: usize,
    /// Time (s).
    pub time: f64,
    /// Its control, clamped to its range; 0 if it has none.
    pub ctrl: f64,
    /// Its activations.
    pub act: &'a [f64],
    /// Its length (m, or rad).
    pub length: f64,
    /// Its velocity (m/s, or rad/s).
    pub velocity: f64,
    /// The model's `gainprm`, `biasprm` or `dynprm`, as the part has it.
    pub prm: [f64; 10],
}

type Function = dyn Fn(&UserActuator<'_>, &mut [f64]) + Send + Sync;

struct Bound {
    actuator: usize,
    part: UserPart,
    function: Arc<Function>,
}

/// The functions that are bound to a model.
#[derive(Clone, Default)]
pub(crate) struct Users {
    actuators: Vec<Arc<Bound>>,
    control: Option<Arc<hooks::Control>>,
    passive: Option<Arc<hooks::Passive>>,
    filter: Option<Arc<hooks::Filter>>,
    // with the types of the two geoms, the lower first
    collisions: Vec<([i32; 2], Arc<collision::Collision>)>,
    // with the number of the mesh
    sdfs: Vec<(usize, Arc<sdf::Distance>)>,
    // with the number of the sensor
    sensors: Vec<(usize, Arc<hooks::Sensor>)>,
    texts: Vec<text::Text>,
}

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actuators = self.actuators.iter();
        let actuators: Vec<_> = actuators.map(|x| (x.actuator, x.part)).collect();
        let sensors: Vec<_> = self.sensors.iter().map(|(i, _)| i).collect();
        let collisions: Vec<_> = self.collisions.iter().map(|(types, _)| types).collect();
        f.debug_struct("Users")
            .field("actuators", &actuators)
            .field("control", &self.control.is_some())
            .field("passive", &self.passive.is_some())
            .field("filter", &self.filter.is_some())
            .field("collisions", &collisions)
            .field("sdfs", &self.own_sdfs().collect::<Vec<_>>())
            .field("sensors", &sensors)
            .field("texts", &self.texts)
            .finish()
    }
}

impl Users {
    /// True if any function is bound that the cores call.
    pub(crate) fn any(&self) -> bool {
        let lists = [
            self.actuators.is_empty(),
            self.collisions.is_empty(),
            self.sdfs.is_empty(),
            self.sensors.is_empty(),
        ];
        let hooks = self.control.is_some() || self.passive.is_some() || self.filter.is_some();
        hooks || lists.contains(&false)
    }

    fn find(&self, actuator: usize, part: UserPart) -> Option<&Function> {
        let mut all = self.actuators.iter();
        let bound = all.find(|bound| (bound.actuator, bound.part) == (actuator, part))?;
        Some(&*bound.function)
    }
}

impl Model {
    /// Binds a function to a part of an actuator of type `user`, in the place of an earlier one. The function gets the actuator
    /// in one world and writes the numbers of the part, which are preset to 1 (gain) or 0. How it is called, and the effect of a
    /// panic: [`crate::user`].
    ///
    /// # Errors
    /// [`Error::Input`] if there is no actuator of that name, or this part of it is not of type `user`.
    pub fn bind_user(
        &mut self,
        actuator: &str,
        part: UserPart,
        function: impl Fn(&UserActuator<'_>, &mut [f64]) + Send + Sync + 'static,
    ) -> Result<()> {
        let i = self.user_actuator(actuator, part)?;
        let users = self.users_mut();
        users
            .actuators
            .retain(|bound| (bound.actuator, bound.part) != (i, part));
        users.actuators.push(Arc::new(Bound {
            actuator: i,
            part,
            function: Arc::new(function),
        }));
        Ok(())
    }

    /// Number of the actuator of this name, one part of which must be of type `user`.
    fn user_actuator(&self, actuator: &str, part: UserPart) -> Result<usize> {
        let Some(i) = self.names.actuator.iter().position(|name| name == actuator) else {
            let msg = format!("actuator {actuator:?}: the model has none of that name");
            return Err(Error::Input(msg));
        };
        let (is_user, attr) = match part {
            UserPart::Gain => (self.actuator_gaintype[i] == GainType::User, "gaintype"),
            UserPart::Bias => (self.actuator_biastype[i] == BiasType::User, "biastype"),
            UserPart::Dyn => (self.actuator_dyntype[i] == DynType::User, "dyntype"),
        };
        if !is_user {
            let msg = format!("actuator {actuator:?}: its {attr} is not \"user\"");
            return Err(Error::Input(msg));
        }
        Ok(i)
    }
}

/// Numbers of a part of an actuator of type `user`: the result of its function, or the default without one.
#[inline]
pub(crate) fn of_user<R: Real>(
    m: &Model,
    d: &Data<R>,
    i: usize,
    part: UserPart,
    bad: R::Mask,
    out: &mut [R],
) {
    out.fill(match part {
        UserPart::Gain => R::one(),
        UserPart::Bias | UserPart::Dyn => R::zero(),
    });
    let Some(function) = m.users().find(i, part) else {
        return;
    };
    let ctrl = match m.actuator_ctrlnum[i] {
        0 => R::zero(),
        _ => control(m, d, bad, m.actuator_ctrladr[i] as usize),
    };
    let acts = m.actuator_actadr[i].max(0) as usize..;
    let acts = acts.take(m.actuator_actnum[i].max(0) as usize);
    let prm = |k: usize| match part {
        UserPart::Gain => d.own.actuator_gainprm(m, 10 * i + k),
        UserPart::Bias => d.own.actuator_biasprm(m, 10 * i + k),
        UserPart::Dyn => d.own.actuator_dynprm(m, 10 * i + k),
    };
    let r = m.actuator_outadr[i] as usize;
    for lane in 0..R::WIDTH {
        let act: Vec<f64> = acts.clone().map(|k| d.act[k].lane(lane)).collect();
        let mut own: Vec<f64> = out.iter().map(|x| x.lane(lane)).collect();
        let seen = UserActuator {
            id: i,
            world: world::number(lane),
            time: d.time[0].lane(lane),
            ctrl: ctrl.lane(lane),
            act: &act,
            length: d.actuator_length[r].lane(lane),
            velocity: d.actuator_velocity[r].lane(lane),
            prm: std::array::from_fn(|k| prm(k).lane(lane)),
        };
        function(&seen, &mut own);
        for (x, own) in out.iter_mut().zip(own) {
            x.set_lane(lane, own);
        }
    }
}
