//! Functions of your own for actuators of type `user`: their gain, their bias, the rate of their activations
//! (`mjcb_act_gain`, `mjcb_act_bias`, `mjcb_act_dyn`).
//!
//! They are part of a [`Model`] in memory and are bound by the name of the actuator; files of models know nothing of them. What
//! nobody bound is as in MuJoCo without callbacks: the gain is 1, the bias and the rates are 0.

use crate::cpu::lib::actuator::control;
use crate::error::{Error, Result};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{BiasType, DynType, GainType};
use std::fmt;
use std::sync::Arc;

/// What a function computes of an actuator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserPart {
    /// What multiplies the input: one number (`gaintype="user"`).
    Gain,
    /// What is added: one number, a force (`biastype="user"`).
    Bias,
    /// Rates of the activations, as many as there are (1/s; `dyntype="user"`).
    Dyn,
}

/// An actuator as a function of your own sees it, in one world.
#[derive(Clone, Debug, PartialEq)]
pub struct UserActuator<'a> {
    /// Number of the actuator.
    pub id: usize,
    /// Time (s).
    pub time: f64,
    /// Its control within its range; 0 if it has none.
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

/// The functions that a model was given.
#[derive(Clone, Default)]
pub(crate) struct Users(Vec<Arc<Bound>>);

impl fmt::Debug for Users {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.iter().map(|bound| (bound.actuator, bound.part));
        f.debug_list().entries(all).finish()
    }
}

impl Users {
    fn find(&self, actuator: usize, part: UserPart) -> Option<&Function> {
        let mut all = self.0.iter();
        let bound = all.find(|bound| (bound.actuator, bound.part) == (actuator, part))?;
        Some(&*bound.function)
    }

    /// The first actuator that something is bound to.
    #[cfg(feature = "gpu")]
    pub(crate) fn first(&self) -> Option<usize> {
        self.0.first().map(|bound| bound.actuator)
    }
}

impl Model {
    /// Binds a function to a part of an actuator of type `user`, in the place of an earlier one. It is given the actuator in one world and
    /// writes its numbers, which are 1 (gain) or 0 before. Worlds call it from several threads, in no order; the same input has to
    /// give the same numbers. Side by side it is called for the worlds that fill up the last tile too, which are as after a reset. Batches that were made before know nothing of it. A device cannot call it: [`crate::Batch::with`]
    /// refuses such a model on [`crate::batch::Backend::Gpu`].
    ///
    /// # Errors
    /// [`Error::Input`] if there is no actuator of that name, or this part of it is not of type `user`.
    pub fn bind_user(
        &mut self,
        actuator: &str,
        part: UserPart,
        function: impl Fn(&UserActuator<'_>, &mut [f64]) + Send + Sync + 'static,
    ) -> Result<()> {
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
        let users = self.users_mut();
        users
            .0
            .retain(|bound| (bound.actuator, bound.part) != (i, part));
        users.0.push(Arc::new(Bound {
            actuator: i,
            part,
            function: Arc::new(function),
        }));
        Ok(())
    }
}

/// What a part of an actuator of type `user` is, number by number: that of its function, or what it is without one.
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

/// What of a model's functions a device lacks, in a few words.
#[cfg(feature = "gpu")]
pub(crate) fn on_a_device(m: &Model) -> Option<String> {
    let name = &m.names.actuator[m.users().first()?];
    Some(format!(
        "functions of your own (of the actuator {name:?}) on a device"
    ))
}
