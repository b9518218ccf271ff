//! User functions as texts in WGSL, which a device runs in place of the closures that the CPU calls.

use super::{UserPart, Users};
#[cfg(feature = "gpu")]
use crate::cpu::lib::sleep::sleeps;
use crate::fields::Model;
#[cfg(feature = "gpu")]
use crate::types::SleepPolicy;
use crate::types::{GeomType, NeedStage};
use std::sync::Arc;

/// The place of a user function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hook {
    /// Controls.
    Control,
    /// Passive forces.
    Passive,
    /// Contact filter.
    Filter,
    /// Contacts of two types of geoms, the lower first.
    Collision([i32; 2]),
    /// Signed distances of a mesh, by the mesh's id.
    Sdf(usize),
    /// A sensor's reading, by the sensor's id.
    Sensor(usize),
    /// A part of an actuator, by the actuator's id.
    Actuator(usize, UserPart),
}

impl Hook {
    /// The function's role as part of a sentence: "for controls", "of the sensor \"s\"".
    pub(crate) fn told(self, m: &Model) -> String {
        match self {
            Self::Control => "for controls".to_owned(),
            Self::Passive => "for passive forces".to_owned(),
            Self::Filter => "that filters contacts".to_owned(),
            Self::Collision(types) => {
                let [low, high] =
                    types.map(|kind| GeomType::from_i32(kind).unwrap_or(GeomType::None));
                format!("for contacts of {low:?} and {high:?}")
            }
            Self::Sdf(mesh) => format!("for distances of the mesh {:?}", m.names.mesh[mesh]),
            Self::Sensor(i) => format!("of the sensor {:?}", m.names.sensor[i]),
            Self::Actuator(i, part) => {
                let part = match part {
                    UserPart::Gain => "gain",
                    UserPart::Bias => "bias",
                    UserPart::Dyn => "rates",
                };
                format!("of the {part} of the actuator {:?}", m.names.actuator[i])
            }
        }
    }

    // name of the method that binds a closure to this hook; the one for a text ends with `_wgsl`
    fn binder(self) -> &'static str {
        match self {
            Self::Control => "bind_control",
            Self::Passive => "bind_passive",
            Self::Filter => "bind_contact_filter",
            Self::Collision(_) => "bind_collision",
            Self::Sdf(_) => "bind_sdf",
            Self::Sensor(_) => "bind_sensor",
            Self::Actuator(..) => "bind_user",
        }
    }
}

/// A text and its hook.
pub(super) type Text = (Hook, Arc<str>);

impl Users {
    /// The texts and their hooks.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (Hook, &str)> {
        self.texts.iter().map(|(hook, text)| (*hook, &**text))
    }

    /// The text of a hook.
    pub(super) fn text(&self, hook: Hook) -> Option<&str> {
        self.texts()
            .find_map(|(of, text)| (of == hook).then_some(text))
    }

    /// Whether a text reads a sensor of a stage.
    pub(super) fn text_senses(&self, m: &Model, stage: NeedStage) -> bool {
        self.texts()
            .any(|(hook, _)| matches!(hook, Hook::Sensor(i) if m.sensor_needstage[i] == stage))
    }

    // hooks of all closures
    fn closures(&self) -> Vec<Hook> {
        let actuators = self.actuators.iter();
        let actuators = actuators.map(|x| Hook::Actuator(x.actuator, x.part));
        let alone = [
            self.control.is_some().then_some(Hook::Control),
            self.passive.is_some().then_some(Hook::Passive),
            self.filter.is_some().then_some(Hook::Filter),
        ];
        let sensors = self.sensors.iter().map(|(i, _)| Hook::Sensor(*i));
        let collisions = self.collisions.iter();
        let collisions = collisions.map(|(types, _)| Hook::Collision(*types));
        let all = actuators.chain(alone.into_iter().flatten());
        let all = all.chain(self.own_sdfs().map(Hook::Sdf));
        all.chain(collisions).chain(sensors).collect()
    }
}

/// Closures of a model that have no text for a device, each as a short phrase.
#[cfg(feature = "gpu")]
pub(crate) fn on_a_device(m: &Model) -> Vec<String> {
    let users = m.users();
    let lacking = |hook: &Hook| users.text(*hook).is_none();
    let told = |hook: Hook| {
        format!(
            "functions of your own ({}) on a device: give a WGSL text by Model::{}_wgsl, take the backend simd or cpu, or \
             remove the functions by Model::unbind",
            hook.told(m),
            hook.binder()
        )
    };
    let closures = users.closures();
    let mut out: Vec<String> = closures.iter().copied().filter(lacking).map(told).collect();
    // which trees begin asleep is found on the cores, where texts do not run
    let begins = |policy: &i32| *policy == SleepPolicy::Init;
    let mut texts = users.texts().map(|(hook, _)| hook);
    if sleeps(m)
        && m.tree_sleep_policy.iter().any(begins)
        && let Some(hook) = texts.find(|hook| !closures.contains(hook))
    {
        out.push(format!(
            "trees that sleep from the start (sleep=\"init\") with texts of your own ({}) on a device: give a closure too, by \
             Model::{}",
            hook.told(m),
            hook.binder()
        ));
    }
    out
}

/// Texts of a model that have no closure for the CPU, each as a short phrase.
pub(crate) fn on_the_cores(m: &Model) -> Vec<String> {
    let users = m.users();
    let closures = users.closures();
    let told = |hook: Hook| {
        format!(
            "texts of your own ({}) on the CPU: give a closure by Model::{}, take the backend gpu, or remove the texts by \
             Model::unbind",
            hook.told(m),
            hook.binder()
        )
    };
    let texts = users.texts().map(|(hook, _)| hook);
    texts
        .filter(|hook| !closures.contains(hook))
        .map(told)
        .collect()
}

/// User functions on a device. Each is a text in WGSL that replaces the closure of the same hook: it is called at the same
/// place, in `f32`, by one invocation per world. Where both are bound, the CPU calls the closure and a device runs the text.
///
/// The text defines one function with the name and types given at its method, and its own helpers: functions, constants,
/// structs. It reads every array of the world and of the model by its name (`qpos(i)`, `xpos(b).z`, `body_mass(b)`, `time()`),
/// knows sizes (`nv`), options (`opt_timestep`) and MuJoCo's constants, and may call those functions of `shaders/lib` that only
/// read. The arrays that it may set are given at its method. A write out of range poisons the first number with NaN. Loops must end.
/// Full rules: `docs/shaders.md`.
///
/// # Errors
/// Of every method: [`Error::Shader`](crate::Error::Shader) with line and column in the text where it has no such function; then the model
/// is unchanged.
#[cfg(feature = "gpu")]
impl Model {
    /// Binds a text for controls, `fn control()`, in place of an earlier one; its closure is that of [`Model::bind_control`]. It
    /// calls `set_ctrl(u, x)`, `set_qfrc_applied(i, x)`, `set_xfrc_applied_at(body, k, x)` and `set_userdata(k, x)`.
    ///
    /// ```
    /// use manyworlds::Model;
    ///
    /// let mut model = Model::from_xml_path("models/cartpole.xml")?;
    /// model.bind_control(|world, inputs| inputs.ctrl[0] = -world.qpos()[0] - world.qvel()[0]);
    /// model.bind_control_wgsl("fn control() { set_ctrl(0, -qpos(0) - qvel(0)); }")?;
    /// let fault = model.bind_control_wgsl("fn control() {\n    set_ctrl(0, qpso(0));\n}").unwrap_err();
    /// assert!(fault.to_string().contains("text for controls:2:17: "), "{fault}");
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) with line and column in the text.
    pub fn bind_control_wgsl(&mut self, text: &str) -> crate::Result<()> {
        self.bind_text(Hook::Control, text)
    }

    /// Binds a text for passive forces, `fn passive()`, in place of an earlier one; its closure is that of
    /// [`Model::bind_passive`]. It reads `qfrc_passive(i)` and calls `set_qfrc_passive(i, x)`.
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) with line and column in the text.
    pub fn bind_passive_wgsl(&mut self, text: &str) -> crate::Result<()> {
        self.bind_text(Hook::Passive, text)
    }

    /// Binds a text that filters contacts, `fn contact_filter(geom1: i32, geom2: i32) -> bool`, in place of an earlier one; its
    /// closure is that of [`Model::bind_contact_filter`]. It sets nothing.
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) with line and column in the text; those of [`Model::bind_contact_filter`].
    pub fn bind_contact_filter_wgsl(&mut self, text: &str) -> crate::Result<()> {
        self.bind_text(Hook::Filter, text)
    }

    /// Binds a text for contacts of two types of geoms, `fn collide(geom1: i32, geom2: i32, distance: f32)`, in place of an earlier
    /// one; its closure is that of [`Model::bind_collision`]. It calls `add_contact(dist, pos, normal)` for every contact, with
    /// two `vec3f`, and sets nothing else.
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) with line and column in the text; those of [`Model::bind_collision`].
    pub fn bind_collision_wgsl(
        &mut self,
        type1: GeomType,
        type2: GeomType,
        text: &str,
    ) -> crate::Result<()> {
        let types = super::collision::ordered(type1, type2)?;
        self.bind_text(Hook::Collision(types), text)
    }

    /// Binds a text for the signed distance of geoms of type `sdf` with a mesh, `fn distance(point: vec3f) -> vec4f`, in place of an
    /// earlier one; its closure is that of [`Model::bind_sdf`]. It returns the slope of the distance (`xyz`), then the distance (`w`);
    /// it reads no arrays and sets nothing.
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) with line and column in the text; those of [`Model::bind_sdf`].
    pub fn bind_sdf_wgsl(&mut self, mesh: &str, text: &str) -> crate::Result<()> {
        self.bind_text(Hook::Sdf(self.sdf_mesh(mesh)?), text)
    }

    /// Binds a text to a sensor of type `user`, `fn sensor(k: i32) -> f32`, in place of an earlier one; its closure is that of
    /// [`Model::bind_sensor`]. It returns number `k` of the reading, of `sensor_dim` numbers, in any order; it sets nothing.
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) with line and column in the text; those of [`Model::bind_sensor`].
    pub fn bind_sensor_wgsl(&mut self, sensor: &str, text: &str) -> crate::Result<()> {
        self.bind_text(Hook::Sensor(self.user_sensor(sensor)?), text)
    }

    /// Binds a text to a part of an actuator of type `user`, in place of an earlier one; its closure is that of
    /// [`Model::bind_user`]: `fn gain(a: UserActuator) -> f32`, `fn bias(a: UserActuator) -> f32`, or `fn rate(a: UserActuator, k:
    /// i32) -> f32` for the rate of its activation `k`. `a` has `id ctrl length velocity`; other values are read by its id
    /// (`actuator_gainprm(a.id, 0)`, `act(actuator_actadr(a.id))`). It sets nothing.
    ///
    /// # Errors
    /// [`Error::Shader`](crate::Error::Shader) with line and column in the text; those of [`Model::bind_user`].
    pub fn bind_user_wgsl(
        &mut self,
        actuator: &str,
        part: UserPart,
        text: &str,
    ) -> crate::Result<()> {
        let i = self.user_actuator(actuator, part)?;
        self.bind_text(Hook::Actuator(i, part), text)
    }

    fn bind_text(&mut self, hook: Hook, text: &str) -> crate::Result<()> {
        let mut model = self.clone();
        let users = model.users_mut();
        users.texts.retain(|(of, _)| *of != hook);
        users.texts.push((hook, text.into()));
        let before = self.users().pairs();
        if model.users().pairs() != before {
            model.edit(|_| ())?;
        }
        crate::gpu::own::check(&model, hook)?;
        *self = model;
        Ok(())
    }
}
