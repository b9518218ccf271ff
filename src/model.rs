//! A compiled model, which is read freely and written by [`Model::edit`] alone, and its parts beside the arrays: options,
//! statistics, names.

#[cfg(feature = "scene")]
use crate::compile::appearance::Appearance;
use crate::cpu::collision::broad::Broad;
use crate::cpu::collision::hull::Hulls;
use crate::cpu::collision::reach::Reaches;
pub use crate::fields::Arrays;
use crate::own::Own;
use crate::real::Real;
use crate::types::*;
use crate::user::Users;
use std::sync::{Arc, OnceLock};

/// A compiled model: [`Arrays`] whose every index is in range and whose derived fields follow from the rest.
///
/// Every field is read as that of a plain struct, `m.nv` or `m.body_mass[1]`. Writing goes through [`Model::edit`].
#[derive(Clone, Debug)]
pub struct Model {
    arrays: Arrays,
    // extents of mesh hulls: they follow from the arrays of meshes alone, which nothing changes; computed at the first use
    reaches: Arc<OnceLock<Reaches>>,
    hulls: Arc<OnceLock<Hulls>>,
    // the list of pairs, to be searched; computed at the first use
    broad: Arc<OnceLock<Broad>>,
    users: Users,
    // appearance that the arrays do not hold; none for a model that was not compiled from a text
    #[cfg(feature = "scene")]
    appearance: Option<Arc<Appearance>>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.arrays == other.arrays
    }
}

impl std::ops::Deref for Model {
    type Target = Arrays;

    #[inline(always)]
    fn deref(&self) -> &Arrays {
        &self.arrays
    }
}

impl Model {
    /// The arrays, to be changed and turned into a model again by [`Model::from_arrays`]. Functions of your own
    /// ([`crate::user`]), textures and lights are dropped.
    pub fn into_arrays(mut self) -> Arrays {
        // unbinding a contact filter removes pairs and adds none: this does not fail
        drop(self.unbind());
        self.arrays
    }

    /// A model of arrays that were not checked; the caller guarantees that they are valid.
    pub(crate) fn unchecked(arrays: Arrays) -> Self {
        Self {
            arrays,
            reaches: Arc::default(),
            hulls: Arc::default(),
            broad: Arc::default(),
            users: Users::default(),
            #[cfg(feature = "scene")]
            appearance: None,
        }
    }

    /// A model of other arrays, with the meshes, functions and appearance of this model.
    pub(crate) fn with_arrays(&self, arrays: Arrays) -> Self {
        Self {
            arrays,
            reaches: Arc::clone(&self.reaches),
            hulls: Arc::clone(&self.hulls),
            broad: Arc::default(),
            users: self.users.clone(),
            #[cfg(feature = "scene")]
            appearance: self.appearance.clone(),
        }
    }

    /// The model with another appearance.
    #[cfg(feature = "scene")]
    pub(crate) fn looking(self, appearance: Appearance) -> Self {
        Self {
            appearance: Some(Arc::new(appearance)),
            ..self
        }
    }

    /// The model's appearance beside its arrays.
    #[cfg(feature = "scene")]
    pub(crate) fn appearance(&self) -> Option<&Appearance> {
        self.appearance.as_deref()
    }

    /// Extents of the hulls of the model's meshes.
    #[inline(always)]
    pub(crate) fn reaches(&self) -> &Reaches {
        self.reaches.get_or_init(|| Reaches::new(self))
    }

    /// The hulls of its meshes, to be climbed.
    #[inline(always)]
    pub(crate) fn hulls(&self) -> &Hulls {
        self.hulls.get_or_init(|| Hulls::new(self))
    }

    /// Its pairs of geoms, to be searched.
    pub(crate) fn broad(&self) -> &Broad {
        self.broad.get_or_init(|| Broad::new(self))
    }

    /// Functions that the user bound to the model.
    #[inline(always)]
    pub(crate) fn users(&self) -> &Users {
        &self.users
    }

    pub(crate) fn users_mut(&mut self) -> &mut Users {
        &mut self.users
    }

    /// The arrays, to be written by the compiler.
    pub(crate) fn arrays_mut(&mut self) -> &mut Arrays {
        self.broad = Arc::default();
        &mut self.arrays
    }
}

/// Declares the options once: the struct, and access by name for overrides and the device.
macro_rules! options {
    ($($(#[doc = $doc:literal])+ $name:ident: $ty:ty = $default:expr,)+) => {
        /// Options of the simulation, with MuJoCo's names and defaults (`mjOption`).
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct Opt { $($(#[doc = $doc])+ pub $name: $ty,)+ }

        impl Default for Opt {
            fn default() -> Self { Self { $($name: $default,)+ } }
        }

        /// Options that the worlds of a tile have for themselves; for `None` the model's option holds.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub(crate) struct OwnOpt<R: Real> { $(pub $name: Option<<$ty as OptValue>::Of<R>>,)+ }

        impl<R: Real> OwnOpt<R> {
            /// Sets an option of one lane by its name; false if there is none of that name or the number of values differs.
            pub fn set_lane(&mut self, opt: &Opt, name: &str, lane: usize, values: &[f64]) -> bool {
                match name {
                    $(stringify!($name) => {
                        let mut one = opt.$name;
                        let fits = OptValue::assign(&mut one, values);
                        if fits {
                            let all = self.$name.get_or_insert_with(|| opt.$name.splat::<R>());
                            <$ty as OptValue>::set_lane::<R>(all, lane, one);
                        }
                        fits
                    })+
                    _ => false,
                }
            }

            /// The options of one lane, for the twin of one world.
            pub fn lane(&self, lane: usize) -> OwnOpt<f64> {
                OwnOpt { $($name: self.$name.map(|all| <$ty as OptValue>::lane::<R>(all, lane).splat::<f64>()),)+ }
            }
        }

        /// Options of the worlds of a tile: their own, or the model's.
        impl<R: Real> Own<R> {
            $(
                $(#[doc = $doc])+
                #[inline(always)]
                pub fn $name(&self, m: &Arrays) -> <$ty as OptValue>::Of<R> {
                    match self.arrays().and_then(|own| own.opt.$name) {
                        Some(x) => x,
                        None => m.opt.$name.splat::<R>(),
                    }
                }
            )+
        }

        impl Opt {
            /// Every option: name and doc.
            pub const NAMES: &[(&str, &str)] = &[$((stringify!($name), concat!($($doc),+)),)+];

            /// The type of every option, in the same order: `f64`, `i32` or `[f64; N]`.
            pub const TYPES: &[&str] = &[$(stringify!($ty)),+];

            /// The name of an option that holds reals, if it is one.
            pub(crate) fn real(name: &str) -> Option<&'static str> {
                let reals = Self::NAMES.iter().zip(Self::TYPES).filter(|(_, t)| **t != "i32");
                reals.map(|((real, _), _)| *real).find(|real| *real == name)
            }

            /// The numbers of an option, by its name.
            pub fn get(&self, name: &str) -> Option<Vec<f64>> {
                match name { $(stringify!($name) => Some(OptValue::numbers(&self.$name)),)+ _ => None }
            }

            /// Sets an option by its name; false if there is none of that name, the number of values differs, or
            /// an integer is needed and the value is none.
            pub fn set(&mut self, name: &str, values: &[f64]) -> bool {
                match name { $(stringify!($name) => OptValue::assign(&mut self.$name, values),)+ _ => false }
            }
        }
    };
}

/// The value of an option: one number or several.
pub trait OptValue: Copy {
    /// The value's type with one value a lane.
    type Of<R: Real>: Copy + Clone + std::fmt::Debug + PartialEq;
    /// Its numbers.
    fn numbers(&self) -> Vec<f64>;
    /// Assigns other numbers; false if there are more or fewer, or one is not of its kind.
    fn assign(&mut self, values: &[f64]) -> bool;
    /// The value, the same in every lane.
    fn splat<R: Real>(self) -> Self::Of<R>;
    /// Sets one lane.
    fn set_lane<R: Real>(all: &mut Self::Of<R>, lane: usize, value: Self);
    /// The value of one lane.
    fn lane<R: Real>(all: Self::Of<R>, lane: usize) -> Self;
}

impl OptValue for f64 {
    type Of<R: Real> = R;

    #[inline(always)]
    fn splat<R: Real>(self) -> R {
        R::splat(self)
    }
    fn set_lane<R: Real>(all: &mut R, lane: usize, value: f64) {
        all.set_lane(lane, value);
    }
    fn lane<R: Real>(all: R, lane: usize) -> f64 {
        all.lane(lane)
    }
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
    fn assign(&mut self, values: &[f64]) -> bool {
        let [x] = values else { return false };
        *self = *x;
        true
    }
}

impl OptValue for i32 {
    type Of<R: Real> = R::Int;

    #[inline(always)]
    fn splat<R: Real>(self) -> R::Int {
        R::int(self)
    }
    fn set_lane<R: Real>(all: &mut R::Int, lane: usize, value: i32) {
        R::set_int_lane(all, lane, value);
    }
    fn lane<R: Real>(all: R::Int, lane: usize) -> i32 {
        R::int_lane(all, lane)
    }
    fn numbers(&self) -> Vec<f64> {
        vec![f64::from(*self)]
    }
    fn assign(&mut self, values: &[f64]) -> bool {
        let [x] = values else { return false };
        let whole = x.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(x);
        if whole {
            *self = *x as i32;
        }
        whole
    }
}

impl<const N: usize> OptValue for [f64; N] {
    type Of<R: Real> = [R; N];

    #[inline(always)]
    fn splat<R: Real>(self) -> [R; N] {
        self.map(R::splat)
    }
    fn set_lane<R: Real>(all: &mut [R; N], lane: usize, value: [f64; N]) {
        all.iter_mut()
            .zip(value)
            .for_each(|(all, x)| all.set_lane(lane, x));
    }
    fn lane<R: Real>(all: [R; N], lane: usize) -> [f64; N] {
        all.map(|x| x.lane(lane))
    }
    fn numbers(&self) -> Vec<f64> {
        self.to_vec()
    }
    fn assign(&mut self, values: &[f64]) -> bool {
        let Ok(x) = values.try_into() else {
            return false;
        };
        *self = x;
        true
    }
}

options! {
    /// timestep (s)
    timestep: f64 = 0.002,
    /// ratio of friction-to-normal contact impedance
    impratio: f64 = 1.0,
    /// main solver tolerance
    tolerance: f64 = 1e-8,
    /// CG/Newton line search tolerance
    ls_tolerance: f64 = 0.01,
    /// noslip solver tolerance
    noslip_tolerance: f64 = 1e-6,
    /// convex collision solver tolerance
    ccd_tolerance: f64 = 1e-6,
    /// sleep velocity tolerance
    sleep_tolerance: f64 = 1e-3,
    /// gravitational acceleration (m/s²)
    gravity: [f64; 3] = [0.0, 0.0, -9.81],
    /// wind (m/s)
    wind: [f64; 3] = [0.0; 3],
    /// global magnetic flux
    magnetic: [f64; 3] = [0.0, -0.5, 0.0],
    /// density of medium (kg/m³)
    density: f64 = 0.0,
    /// viscosity of medium (Pa s)
    viscosity: f64 = 0.0,
    /// contact override: margin
    o_margin: f64 = 0.0,
    /// contact override: solref
    o_solref: [f64; 2] = [0.02, 1.0],
    /// contact override: solimp
    o_solimp: [f64; 5] = [0.9, 0.95, 0.001, 0.5, 2.0],
    /// contact override: friction
    o_friction: [f64; 5] = [1.0, 1.0, 0.005, 0.0001, 0.0001],
    /// integration mode ([`Integrator`])
    integrator: i32 = Integrator::Euler as i32,
    /// friction cone ([`Cone`])
    cone: i32 = Cone::Pyramidal as i32,
    /// type of Jacobian ([`Jacobian`])
    jacobian: i32 = Jacobian::Auto as i32,
    /// solver algorithm ([`Solver`])
    solver: i32 = Solver::Newton as i32,
    /// maximum number of main solver iterations
    iterations: i32 = 100,
    /// maximum number of CG/Newton line search iterations
    ls_iterations: i32 = 50,
    /// maximum number of noslip solver iterations
    noslip_iterations: i32 = 0,
    /// maximum number of convex collision solver iterations
    ccd_iterations: i32 = 35,
    /// bit flags for disabling standard features (`DSBL_*`)
    disableflags: i32 = 0,
    /// bit flags for enabling optional features (`ENBL_*`)
    enableflags: i32 = 0,
    /// bit flags for disabling actuators by group id
    disableactuator: i32 = 0,
    /// number of starting points for gradient descent on signed distance fields
    sdf_initpoints: i32 = 40,
    /// maximum number of iterations for gradient descent on signed distance fields
    sdf_iterations: i32 = 10,
}

impl Opt {
    /// True if a standard feature is disabled.
    pub fn disabled(&self, bit: i32) -> bool {
        self.disableflags & bit != 0
    }

    /// True if an optional feature is enabled.
    pub fn enabled(&self, bit: i32) -> bool {
        self.enableflags & bit != 0
    }

    /// True if MuJoCo keeps the Jacobian of the rows dense in a model of `nv` dofs; it then leaves out rows of zeros.
    pub fn has_dense_jacobian(&self, nv: usize) -> bool {
        match Jacobian::from_i32(self.jacobian) {
            Some(Jacobian::Sparse) => false,
            Some(Jacobian::Dense) => true,
            _ => nv < 60,
        }
    }

    /// True if `qacc` of inverse dynamics is the acceleration over a timestep (m/s², rad/s²), not that of an instant; Runge-Kutta
    /// does not support it.
    pub fn inverts_steps(&self) -> bool {
        let integrator = Integrator::from_i32(self.integrator);
        let alone = matches!(integrator, Some(Integrator::Rk4 | Integrator::Discrete));
        self.enabled(ENBL_INVDISCRETE) && !alone
    }

    /// True if the integrator is implicit in the velocity.
    pub fn is_implicit(&self) -> bool {
        self.integrator == Integrator::Implicit as i32
            || self.integrator == Integrator::ImplicitFast as i32
    }

    /// True if constraints and the step are solved for as one (`integrator="discrete"`).
    pub fn is_discrete(&self) -> bool {
        self.integrator == Integrator::Discrete as i32
    }

    /// True if bodies move in a medium.
    pub fn has_medium(&self) -> bool {
        self.density > 0.0 || self.viscosity > 0.0
    }
}

/// Statistics of the model (`mjStatistic`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistic {
    /// mean diagonal inertia
    pub meaninertia: f64,
    /// mean body mass (kg)
    pub meanmass: f64,
    /// mean body size (m)
    pub meansize: f64,
    /// spatial extent (m)
    pub extent: f64,
    /// center of the model (m)
    pub center: [f64; 3],
}

/// Declares the lists of names once: the struct, and access by the name of the list.
macro_rules! names {
    ($($(#[doc = $doc:literal])+ $list:ident: $size:ident,)+) => {
        /// Names of the elements in order of their ids, empty where there is none.
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct Names {
            /// name of the model
            pub model: String,
            $($(#[doc = $doc])+ pub $list: Vec<String>,)+
            /// text fields: name and text
            pub text: Vec<(String, String)>,
            /// features of the model that some backend lacks ([`crate::compile::missing`]), each with its place in the model's
            /// text (`file:line:column`)
            pub place: Vec<(String, String)>,
        }

        impl Names {
            /// Every list of names of elements: its name, and the size that counts the elements.
            pub const LISTS: &[(&str, &str)] = &[$((stringify!($list), stringify!($size)),)+];

            /// Names of elements, by the name of their list.
            pub fn list(&self, name: &str) -> Option<&[String]> {
                match name { $(stringify!($list) => Some(&self.$list),)+ _ => None }
            }

            /// Names of elements, to be written.
            pub fn list_mut(&mut self, name: &str) -> Option<&mut Vec<String>> {
                match name { $(stringify!($list) => Some(&mut self.$list),)+ _ => None }
            }
        }
    };
}

names! {
    /// bodies
    body: nbody,
    /// joints
    joint: njnt,
    /// geoms
    geom: ngeom,
    /// sites
    site: nsite,
    /// cameras
    camera: ncam,
    /// lights
    light: nlight,
    /// meshes
    mesh: nmesh,
    /// flexes
    flex: nflex,
    /// height fields
    hfield: nhfield,
    /// predefined pairs
    pair: npair,
    /// excluded pairs
    exclude: nexclude,
    /// equalities
    equality: neq,
    /// tendons
    tendon: ntendon,
    /// actuators
    actuator: nactuator,
    /// sensors
    sensor: nsensor,
    /// numeric fields
    numeric: nnumeric,
    /// plugin instances
    plugin: nplugin,
    /// keyframes
    key: nkey,
}
