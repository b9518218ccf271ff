//! The description of a model: the input of the compiler.

pub use super::schema::{Body, Frame};
use super::schema::{
    Camera, Compiler, Equality, Exclude, Extension, Flex, Geom, Hfield, Instance, Joint, Key,
    Light, Material, Mesh, Numeric, Options, Pair, PluginUse, Sensor, Site, Size, Skin, Statistic,
    Tendon, Text, Texture, Tri, Tuple, Visual,
};
use super::source::{Origin, Sources};
use crate::types::{BiasType, DynType, GainType, Interp, TrnType};

/// Index into [`Body::frames`]: of a body's own frames for its elements, of its parent's for the body itself.
pub type FrameId = usize;

/// The description of a model.
///
/// Elements are complete: an attribute has the value that the element or else its default class gave, and `None` where neither
/// did; the method of the same name then gives MuJoCo's built-in value (`geom.friction()`). Poses, angles and names are as in the
/// text. The tree is expanded: includes, replicates and attachments are resolved; frames are in [`Body::frames`], and elements of
/// a frame refer to it. Lists are in MuJoCo's order, so index is id, except for meshes and other elements that the compiler
/// reorders.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Spec {
    /// Name of the model; `"MuJoCo Model"` if it has none.
    pub name: String,
    /// Settings of the compiler. The units of everything in the spec are those of the first; the others are of attached
    /// models and matter for the bodies that point to them ([`Body::compiler`]).
    pub compilers: Vec<Compiler>,
    /// Options of the simulation.
    pub option: Options,
    /// Sizes of buffers.
    pub size: Size,
    /// Statistics that replace the computed ones.
    pub statistic: Statistic,
    /// Plugins that the model needs.
    pub extensions: Vec<Extension>,
    /// Instances of plugins that elements use by name.
    pub plugins: Vec<Instance>,
    /// Settings of the visualizer.
    pub visual: Visual,
    /// The world body.
    pub world: Body,
    /// Meshes; `file` is resolved (see [`Spec::read_file`]).
    pub meshes: Vec<Mesh>,
    /// Height fields.
    pub hfields: Vec<Hfield>,
    /// Skins.
    pub skins: Vec<Skin>,
    /// Textures.
    pub textures: Vec<Texture>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Soft bodies; a `flexcomp` is one of them, with bodies in the tree.
    pub flexes: Vec<Flex>,
    /// Contact pairs.
    pub pairs: Vec<Pair>,
    /// Pairs of bodies that never touch.
    pub excludes: Vec<Exclude>,
    /// Equality constraints.
    pub equalities: Vec<Equality>,
    /// Tendons.
    pub tendons: Vec<Tendon>,
    /// Actuators.
    pub actuators: Vec<Actuator>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Numbers by name.
    pub numerics: Vec<Numeric>,
    /// Texts by name.
    pub texts: Vec<Text>,
    /// Lists of objects by name.
    pub tuples: Vec<Tuple>,
    /// Keyframes.
    pub keys: Vec<Key>,
    /// The texts the model was read from.
    pub sources: Sources,
}

/// An actuator in the attributes of `<general>`; a shortcut is translated into these (MuJoCo's `mjs_setTo…`).
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Name.
    pub name: Option<String>,
    /// Group for drawing and switching off.
    pub group: i32,
    /// Samples in the history buffer.
    pub nsample: i32,
    /// Interpolation of the history between samples.
    pub interp: Interp,
    /// Delay of the control (s).
    pub delay: f64,
    /// Kind of the target.
    pub trntype: TrnType,
    /// Name of the joint, tendon, site, crank site or body.
    pub target: Option<String>,
    /// Site of the slider.
    pub slidersite: Option<String>,
    /// Site that the action is relative to.
    pub refsite: Option<String>,
    /// Length of the connecting rod (m).
    pub cranklength: f64,
    /// Scale of the length and direction of the force.
    pub gear: [f64; 6],
    /// Range of feasible lengths, `[0, 0]` if none was given.
    pub lengthrange: [f64; 2],
    /// Damper polynomial added to the target.
    pub damping: [f64; 3],
    /// Inertia added to the target.
    pub armature: f64,
    /// Whether `ctrlrange` is enforced.
    pub ctrllimited: Tri,
    /// Limits of the control.
    pub ctrlrange: [f64; 2],
    /// Limits of the velocity setpoint.
    pub velrange: [f64; 2],
    /// Limits of the feed-forward input.
    pub ffrange: [f64; 2],
    /// Whether `forcerange` is enforced.
    pub forcelimited: Tri,
    /// Limits of the force.
    pub forcerange: [f64; 2],
    /// Whether `actrange` is enforced.
    pub actlimited: Tri,
    /// Limits of the activation.
    pub actrange: [f64; 2],
    /// If positive, the range is set from the target's, scaled by this.
    pub inheritrange: f64,
    /// Number of activations; -1: determined by the dynamics.
    pub actdim: i32,
    /// Force uses the next activation.
    pub actearly: bool,
    /// Activation dynamics.
    pub dyntype: DynType,
    /// Parameters of the dynamics.
    pub dynprm: [f64; 10],
    /// Gain.
    pub gaintype: GainType,
    /// Parameters of the gain.
    pub gainprm: [f64; 10],
    /// Bias.
    pub biastype: BiasType,
    /// Parameters of the bias; a positive third one of a position servo is a damping ratio.
    pub biasprm: [f64; 10],
    /// The plugin that computes its force.
    pub plugin: Option<PluginUse>,
    /// The signature of the controls: bits of `CtrlInput` or a `CtrlChart`; 0: determined by the gain.
    pub ctrlspec: i32,
    /// User numbers.
    pub user: Vec<f64>,
    /// The attachment that it came with, while the model is read; then 0.
    pub part: u32,
    /// Its place in the text.
    pub origin: Origin,
}

// Without recursion: a tree may be deeper than a stack.
impl Clone for Body {
    fn clone(&self) -> Self {
        // parents before children, each with the number of its parent
        let mut copies = vec![(self.alone(), 0)];
        let mut stack: Vec<_> = self.bodies.iter().rev().map(|child| (child, 0)).collect();
        while let Some((body, parent)) = stack.pop() {
            let number = copies.len();
            copies.push((body.alone(), parent));
            stack.extend(body.bodies.iter().rev().map(|child| (child, number)));
        }

        // the last child comes first
        while let Some((mut body, parent)) = copies.pop() {
            body.bodies.reverse();
            match copies.get_mut(parent) {
                Some((parent, _)) => parent.bodies.push(body),
                None => return body,
            }
        }
        unreachable!("the first copy has no parent before it")
    }
}

impl Body {
    /// The bodies of the tree from this one down, parents before children, in the order of MuJoCo's ids.
    pub fn walk<'a>(&'a self, f: &mut dyn FnMut(&'a Body)) {
        // the depth is bounded by the reader, but models made in code are not: no recursion
        let mut stack = vec![self];
        while let Some(body) = stack.pop() {
            f(body);
            stack.extend(body.bodies.iter().rev());
        }
    }
}

impl Spec {
    /// Adds a plugin that the model needs, unless it is there already.
    pub(crate) fn need_plugin(&mut self, extension: Extension) {
        let known = |e: &Extension| e.plugin == extension.plugin;
        if !self.extensions.iter().any(known) {
            self.extensions.push(extension);
        }
    }

    /// Settings of the compiler of the model itself: the units of everything in the spec.
    pub fn compiler(&self) -> &Compiler {
        static BUILTIN: std::sync::LazyLock<Compiler> = std::sync::LazyLock::new(Compiler::default);
        self.compilers.first().unwrap_or(&BUILTIN)
    }

    /// Every element of a kind in the tree, with the number of its body, in MuJoCo's order of ids.
    pub fn each_joint<'a>(&'a self, f: &mut dyn FnMut(usize, &'a Joint)) {
        self.each_body(&mut |i, body| body.joints.iter().for_each(|x| f(i, x)));
    }

    /// Every geom with the number of its body, in MuJoCo's order of ids.
    pub fn each_geom<'a>(&'a self, f: &mut dyn FnMut(usize, &'a Geom)) {
        self.each_body(&mut |i, body| body.geoms.iter().for_each(|x| f(i, x)));
    }

    /// Every site with the number of its body, in MuJoCo's order of ids.
    pub fn each_site<'a>(&'a self, f: &mut dyn FnMut(usize, &'a Site)) {
        self.each_body(&mut |i, body| body.sites.iter().for_each(|x| f(i, x)));
    }

    /// Every camera with the number of its body, in MuJoCo's order of ids.
    pub fn each_camera<'a>(&'a self, f: &mut dyn FnMut(usize, &'a Camera)) {
        self.each_body(&mut |i, body| body.cameras.iter().for_each(|x| f(i, x)));
    }

    /// Every light with the number of its body, in MuJoCo's order of ids.
    pub fn each_light<'a>(&'a self, f: &mut dyn FnMut(usize, &'a Light)) {
        self.each_body(&mut |i, body| body.lights.iter().for_each(|x| f(i, x)));
    }

    /// Every body with its number, the world first.
    pub fn each_body<'a>(&'a self, f: &mut dyn FnMut(usize, &'a Body)) {
        let mut i = 0;
        self.world.walk(&mut |body| {
            f(i, body);
            i += 1;
        });
    }
}
