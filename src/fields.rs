//! TABLE: every array of the model and of a world's state – name, element, shape, unit, frame, role, room, doc – in the order of
//! MuJoCo's `mjxmacro.h` (4.0.0), ours at the end of each room. Everything that must know the arrays reads this
//! table: the structs, the device layout, the WGSL accessors, upload and readback, parity, reads by name.
//!
//! Elements: `int`, `real`, `vec3`, `quat` (w x y z), `mat3` (row-major), `spatial` (rotation, then translation),
//! `inert` (Ixx Iyy Izz Ixy Ixz Iyz, m·dx m·dy m·dz, m); `slot`: an integer of a contact that all worlds of a tile share.
//!
//! A row reads `name: element[shape](range) {unit @frame} role`. Integers have a range, reals a unit ([`Unit`]). Quaternions, matrices
//! and inertias have fixed units; several units share the columns in order. Arrays with coordinates have a [`Frame`].

mod kind;

pub use crate::model::Model;
#[doc(hidden)]
pub use crate::own::{Own, OwnLane};
pub use crate::parted::Parted;
use crate::real::Real;
pub use crate::still::Still;
use kind::{copy, resize, zeros};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Elem {
    /// 32-bit integer.
    Int,
    /// One real number.
    Real,
    /// Three reals.
    Vec3,
    /// Quaternion w x y z.
    Quat,
    /// 3 × 3 matrix, row-major.
    Mat3,
    /// Rotation then translation, 6 reals.
    Spatial,
    /// Inertia 6, mass times offset 3, mass 1.
    Inert,
}

impl Elem {
    /// Number of words of one element.
    pub const fn width(self) -> usize {
        match self {
            Elem::Int | Elem::Real => 1,
            Elem::Vec3 => 3,
            Elem::Quat => 4,
            Elem::Spatial => 6,
            Elem::Mat3 => 9,
            Elem::Inert => 10,
        }
    }
}

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Compiled once, shared by all worlds.
    Model,
    /// One world's state and the arrays derived from it.
    Data,
    /// A stage's working memory of one world: no other code reads it after the stage.
    Scratch,
}

macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $word:ident $Role:ident,)+) => {
        /// Source of the values of an array.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Role { $($(#[doc = $doc])+ $Role,)+ }

        impl Role {
            /// The role's word in the table.
            pub const fn word(self) -> &'static str {
                match self { $(Role::$Role => stringify!($word),)+ }
            }
        }

        // the role of a row; without one, that of its room
        macro_rules! role {
            $(($room:ident $word) => { Role::$Role };)+
            (model) => { Role::Free };
            (world) => { Role::Derived };
        }
    };
}

roles! {
    /// Set by an edit of the model.
    free Free,
    /// Set by the text of the model alone: the rest of the compiled model depends on it.
    fixed Fixed,
    /// Derived from other arrays and the options.
    derived Derived,
    /// A part of a world's state that the caller may set.
    input Input,
    /// A part of a world's state that the caller cannot set: warnings and overflows.
    flag Flag,
    /// A part of a world's state that the caller cannot set, and stages keep: data of sleeping trees, multipliers of contacts (flag `ipc`).
    kept Kept,
}

macro_rules! frames {
    ($($(#[doc = $doc:literal])+ $word:ident $Frame:ident $text:literal,)+) => {
        /// Frame of coordinates: the axes, and for positions the origin.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Frame {
            /// No coordinates.
            None,
            $($(#[doc = $doc])+ $Frame,)+
        }

        impl Frame {
            /// Its name; empty where there are no coordinates.
            pub const fn word(self) -> &'static str {
                match self {
                    Frame::None => "",
                    $(Frame::$Frame => $text,)+
                }
            }
        }

        macro_rules! frame {
            () => { Frame::None };
            $(($word) => { Frame::$Frame };)+
        }

        macro_rules! frame_text {
            () => { "" };
            $(($word) => { concat!(", frame: ", $text) };)+
        }
    };
}

frames! {
    /// The world's frame.
    world World "world",
    /// The frame of the body's parent.
    parent Parent "parent body",
    /// The body's frame.
    body Body "body",
    /// At the body's centre of mass, along its principal axes of inertia (`body_ipos`, `body_iquat`).
    inertia Inertia "inertia",
    /// The geom's frame.
    geom Geom "geom",
    /// The site's frame.
    site Site "site",
    /// The mesh's frame: at its centre of mass, along its principal axes.
    mesh Mesh "mesh",
    /// The frame of the file that the mesh was read from.
    asset Asset "asset",
    /// The world's axes, at the centre of mass of the tree (`subtree_com` of `body_rootid`).
    com Com "tree's com",
}

macro_rules! units {
    ($($(#[doc = $doc:literal])* $unit:ident $symbol:literal,)+) => {
        /// Unit of a real number, in SI units.
        ///
        /// `A or B` is the unit of a quantity of one coordinate: A where the coordinate is a length (a slide, a spatial tendon),
        /// B where it is an angle (a hinge, a ball). A quantity of two coordinates may have a unit between: `A, B or C`.
        #[expect(non_camel_case_types, reason = "they are the words of the table, and SI's symbols tell small letters from capitals")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Unit { $(#[doc = concat!($symbol, ".")] $(#[doc = $doc])* $unit,)+ }

        impl Unit {
            /// Its symbol.
            pub const fn symbol(self) -> &'static str {
                match self { $(Unit::$unit => $symbol,)+ }
            }
        }

        macro_rules! symbol {
            $(($unit) => { $symbol };)+
        }
    };
}

units! {
    /// A ratio, a direction, a colour.
    one "1",
    /// The unit depends on the element's type or on the place in the array, or slides and hinges are summed up.
    varies "varies",
    m "m",
    m3 "m³",
    m5 "m⁵",
    s "s",
    per_s "1/s",
    per_s2 "1/s²",
    m_s "m/s",
    m_s2 "m/s²",
    rad_s "rad/s",
    rad_s2 "rad/s²",
    kg "kg",
    kg_m "kg m",
    kg_m2 "kg m²",
    kg_m2_s "kg m²/s",
    per_kg "1/kg",
    per_kg_m2 "1/(kg m²)",
    N "N",
    N_m "N m",
    J "J",
    stiffness "N/m",
    damping "N s/m",
    /// Degrees in perspective, metres in orthographic projection.
    fov "° or m",
    /// A time constant; less than zero, a stiffness over a mass.
    ref_time "s or -1/s²",
    /// A damping ratio; less than zero, a damping over a mass.
    ref_damp "1 or -1/s",
    /// A coordinate.
    q "m or rad",
    /// Coordinates, and quaternions.
    place "m, rad or 1",
    q_s "m/s or rad/s",
    q_s2 "m/s² or rad/s²",
    per_q "1/m or 1/rad",
    f "N or N m",
    f_q "N/m or N m/rad",
    f_q2 "N/m² or N m/rad²",
    f_q3 "N/m³ or N m/rad³",
    fs_q "N s/m or N m s/rad",
    fs2_q2 "N s²/m² or N m s²/rad²",
    fs3_q3 "N s³/m³ or N m s³/rad³",
    mass "kg or kg m²",
    per_mass "1/kg or 1/(kg m²)",
    /// Rotation along a coordinate: rad over its unit.
    rad_q "1/m or 1",
    /// Distance along a coordinate: m over its unit.
    m_q "1 or m",
    rad_q_s "1/(m s) or 1/s",
    m_q_s "1/s or m/s",
    kg_m_q "kg or kg m",
    kg_m2_q "kg m or kg m²",
    Ns_q "N s/m or N s",
    Nms_q "N s or N m s",
    /// Ratio of one coordinate to another.
    q_q "1, m or 1/m",
    fs_qq "N s/m, N s or N m s",
    inertia "kg, kg m or kg m²",
    per_inertia "1/kg, 1/(kg m) or 1/(kg m²)",
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.symbol())
    }
}

impl std::fmt::Display for Frame {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

impl std::fmt::Display for Role {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

// units of an element; some elements have fixed units
macro_rules! units_of {
    (int) => {
        &[]
    };
    (slot) => {
        &[]
    };
    (quat) => {
        &[Unit::one]
    };
    (mat3) => {
        &[Unit::one]
    };
    (inert) => {
        &[Unit::kg_m2, Unit::kg_m, Unit::kg]
    };
    ($elem:ident $($unit:ident)+) => {
        &[$(Unit::$unit),+]
    };
}

macro_rules! units_text {
    (int) => {
        ""
    };
    (slot) => {
        ""
    };
    (quat) => {
        ", unit: 1"
    };
    (mat3) => {
        ", unit: 1"
    };
    (inert) => {
        ", unit: kg m²; kg m; kg"
    };
    ($elem:ident $first:ident $($unit:ident)*) => {
        concat!(", unit: ", symbol!($first) $(, "; ", symbol!($unit))*)
    };
}

// element, units and frame of a row, as a paragraph of its doc
macro_rules! line {
    ($elem:ident[$($dim:tt),+] [$($unit:ident)*] [$($frame:ident)?]) => {
        concat!(
            "\n`", stringify!($elem), stringify!([$($dim),+]), "`",
            units_text!($elem $($unit)*), frame_text!($($frame)?)
        )
    };
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field {
    /// MuJoCo's name.
    pub name: &'static str,
    /// The row's place in [`FIELDS`].
    pub row: Row,
    /// The room that the array is in.
    pub room: Room,
    /// Element.
    pub elem: Elem,
    /// Names (or numbers) of its dimensions; the number of elements is their product.
    pub dims: &'static [&'static str],
    /// Range of an integer: the least value, and the name (or number) of the exclusive upper bound; none where the range depends on more.
    pub within: Option<(i32, &'static str)>,
    /// Source of the array's values.
    pub role: Role,
    /// Units of its reals: one for all columns, or several that share them ([`Field::unit`]); none for integers.
    pub units: &'static [Unit],
    /// Frame of its coordinates.
    pub frame: Frame,
    /// Description of the array.
    pub doc: &'static str,
}

/// A read-only view of one array: integers or reals, flat and row-major.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View<'a, R = f64> {
    /// Integers.
    Int(&'a [i32]),
    /// Reals, `Elem::width` of them for each element.
    Real(&'a [R]),
}

/// A view of one array that can be written.
#[derive(Debug)]
pub enum ViewMut<'a, R = f64> {
    /// Integers.
    Int(&'a mut [i32]),
    /// Reals, `Elem::width` of them for each element.
    Real(&'a mut [R]),
}

macro_rules! elem {
    (int) => {
        Elem::Int
    };
    (slot) => {
        Elem::Int
    };
    (real) => {
        Elem::Real
    };
    (vec3) => {
        Elem::Vec3
    };
    (quat) => {
        Elem::Quat
    };
    (mat3) => {
        Elem::Mat3
    };
    (spatial) => {
        Elem::Spatial
    };
    (inert) => {
        Elem::Inert
    };
}

macro_rules! within {
    () => {
        None
    };
    ($lo:literal, $hi:tt) => {
        Some(($lo, stringify!($hi)))
    };
}

macro_rules! dim {
    ($m:ident, $dim:ident) => {
        $m.$dim
    };
    ($m:ident, $dim:literal) => {
        $dim
    };
}

macro_rules! fields {
    (
        sizes { $($(#[doc = $sdoc:literal])+ $size:ident,)* }
        Model {
            $(
                $(#[doc = $mdoc:literal])+
                $mname:ident: $melem:ident[$($mdim:tt),+] $(($lo:literal .. $hi:tt))? $({$($munit:ident),* $(@$mframe:ident)?})? $($mrole:ident)?,
            )*
        }
        Data {
            $(
                $(#[doc = $ddoc:literal])+
                $dname:ident: $delem:ident[$($ddim:tt),+] $({$($dunit:ident),* $(@$dframe:ident)?})? $($drole:ident)?,
            )*
        }
        Scratch {
            $(
                $(#[doc = $cdoc:literal])+
                $cname:ident: $celem:ident[$($cdim:tt),+] $({$($cunit:ident),* $(@$cframe:ident)?})?,
            )*
        }
    ) => {
        /// The table: every array, in order.
        pub const FIELDS: &[Field] = &[
            $(Field {
                name: stringify!($mname), row: Row::$mname, room: Room::Model, elem: elem!($melem), dims: &[$(stringify!($mdim)),+],
                within: within!($($lo, $hi)?), role: role!(model $($mrole)?), units: units_of!($melem $($($munit)*)?),
                frame: frame!($($($mframe)?)?), doc: concat!($($mdoc),+),
            },)*
            $(Field {
                name: stringify!($dname), row: Row::$dname, room: Room::Data, elem: elem!($delem), dims: &[$(stringify!($ddim)),+],
                within: None, role: role!(world $($drole)?), units: units_of!($delem $($($dunit)*)?), frame: frame!($($($dframe)?)?),
                doc: concat!($($ddoc),+),
            },)*
            $(Field {
                name: stringify!($cname), row: Row::$cname, room: Room::Scratch, elem: elem!($celem), dims: &[$(stringify!($cdim)),+],
                within: None, role: role!(world), units: units_of!($celem $($($cunit)*)?), frame: frame!($($($cframe)?)?),
                doc: concat!($($cdoc),+),
            },)*
        ];

        /// The place of an array in [`FIELDS`], under the array's name: finds the array without comparing names.
        #[expect(non_camel_case_types, missing_docs, reason = "the names are MuJoCo's, letter for letter; the table says what they are")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Row { $($mname,)* $($dname,)* $($cname,)* }

        /// Every size, with a description of what it counts.
        pub const SIZES: &[(&str, &str)] = &[$((stringify!($size), concat!($($sdoc),+)),)*];

        /// A compiled model as plain data: sizes, options, statistics, names and every array of the room `Model`.
        ///
        /// Any code can make one and write into it. Only [`Model::from_arrays`] makes a [`Model`] from it, and only
        /// [`Model::edit`] changes the arrays of a [`Model`].
        #[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
        #[derive(Debug, PartialEq)]
        pub struct Arrays {
            $($(#[doc = $sdoc])+ pub $size: usize,)*
            /// Options of the simulation.
            pub opt: crate::model::Opt,
            /// Statistics of the model.
            pub stat: crate::model::Statistic,
            /// Names of the elements.
            pub names: crate::model::Names,
            $(
                $(#[doc = $mdoc])+
                #[doc = line!($melem[$($mdim),+] [$($($munit)*)?] [$($($mframe)?)?])]
                pub $mname: Vec<<kind::$melem as kind::Kind<f64>>::T>,
            )*
        }

        impl Default for Arrays {
            fn default() -> Self {
                Self {
                    $($size: 0,)*
                    opt: crate::model::Opt::default(),
                    stat: crate::model::Statistic::default(),
                    names: crate::model::Names::default(),
                    $($mname: Vec::new(),)*
                }
            }
        }

        impl Clone for Arrays {
            fn clone(&self) -> Self {
                let mut out = Self {
                    $($size: self.$size,)*
                    opt: self.opt.clone(),
                    stat: self.stat.clone(),
                    names: self.names.clone(),
                    ..Self::default()
                };
                $(copy(&mut out.$mname, &self.$mname);)*
                out
            }
        }

        impl Arrays {
            /// The value of a size by its name, or the number itself for a literal dimension.
            pub fn size(&self, name: &str) -> Option<usize> {
                match name { $(stringify!($size) => Some(self.$size),)* number => number.parse().ok() }
            }

            /// Sets a size by its name; false if there is none of that name.
            pub fn set_size(&mut self, name: &str, value: usize) -> bool {
                match name { $(stringify!($size) => self.$size = value,)* _ => return false }
                true
            }

            /// Gives every array of the room `Model` its size, filled with zeros.
            pub fn allocate(&mut self) {
                $(let num = [$(dim!(self, $mdim)),+].iter().product();
                self.$mname = zeros(num);)*
            }

            /// An array of the model by its place in the table; none for an array of a world.
            pub fn view(&self, row: Row) -> Option<View<'_>> {
                match row { $(Row::$mname => Some(<kind::$melem as kind::Kind<f64>>::view(&self.$mname)),)* _ => None }
            }

            /// An array of the model by its place in the table, to be written; none for an array of a world.
            pub fn view_mut(&mut self, row: Row) -> Option<ViewMut<'_>> {
                match row { $(Row::$mname => Some(<kind::$melem as kind::Kind<f64>>::view_mut(&mut self.$mname)),)* _ => None }
            }

            /// An array of the model by its name.
            pub fn field(&self, name: &str) -> Option<View<'_>> {
                self.view(field(name)?.row)
            }

            /// An array of the model by its name, to be written.
            pub fn field_mut(&mut self, name: &str) -> Option<ViewMut<'_>> {
                self.view_mut(field(name)?.row)
            }
        }

        /// Arrays of the model that the worlds of a tile have for themselves; an empty one stands for the model's array.
        #[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
        #[derive(Debug, PartialEq)]
        pub(crate) struct OwnArrays<R: Real> {
            pub opt: crate::model::OwnOpt<R>,
            $(pub $mname: Vec<<kind::$melem as kind::Kind<R>>::T>,)*
        }

        impl<R: Real> Default for OwnArrays<R> {
            fn default() -> Self {
                Self { opt: crate::model::OwnOpt::default(), $($mname: Vec::new(),)* }
            }
        }

        impl<R: Real> Clone for OwnArrays<R> {
            fn clone(&self) -> Self {
                let mut out = Self { opt: self.opt.clone(), ..Self::default() };
                $(copy(&mut out.$mname, &self.$mname);)*
                out
            }
        }

        impl<R: Real> OwnArrays<R> {
            /// An array by its place in the table, to be written, of its full length; none for an array of a world.
            pub fn view_mut(&mut self, m: &Arrays, row: Row) -> Option<ViewMut<'_, R>> {
                match row {
                    $(Row::$mname => {
                        <kind::$melem as kind::Kind<R>>::fill(&mut self.$mname, &m.$mname);
                        Some(<kind::$melem as kind::Kind<R>>::view_mut(&mut self.$mname))
                    })*
                    _ => None,
                }
            }

            /// An array by its place in the table; empty if it is the model's; none for an array of a world.
            pub fn view(&self, row: Row) -> Option<View<'_, R>> {
                match row {
                    $(Row::$mname => Some(<kind::$melem as kind::Kind<R>>::view(&self.$mname)),)*
                    _ => None,
                }
            }
        }

        /// Elements of the model for the worlds of a tile: their own, or the model's.
        #[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
        impl<R: Real> Own<R> {
            $(
                $(#[doc = $mdoc])+
                #[inline(always)]
                pub fn $mname(&self, m: &Arrays, i: usize) -> <kind::$melem as kind::Kind<R>>::T {
                    match self.arrays().and_then(|own| own.$mname.get(i)) {
                        Some(x) => *x,
                        None => <kind::$melem as kind::Kind<R>>::splat(m.$mname[i]),
                    }
                }
            )*
        }

        /// One world: every array of the rooms `Data` and `Scratch`.
        #[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
        #[derive(Debug, PartialEq)]
        #[non_exhaustive]
        pub struct Data<R: Real = f64> {
            /// Values of the model that the worlds of a tile have for themselves.
            #[doc(hidden)]
            pub own: Own<R>,
            /// Trees whose arrays are already those of their state.
            #[doc(hidden)]
            pub still: Still,
            /// Planes that separated pairs when they were last looked at.
            #[doc(hidden)]
            pub parted: Parted<R>,
            $(
                $(#[doc = $ddoc])+
                #[doc = line!($delem[$($ddim),+] [$($($dunit)*)?] [$($($dframe)?)?])]
                pub $dname: Vec<<kind::$delem as kind::Kind<R>>::T>,
            )*
            $(
                $(#[doc = $cdoc])+
                #[doc = line!($celem[$($cdim),+] [$($($cunit)*)?] [$($($cframe)?)?])]
                pub $cname: Vec<<kind::$celem as kind::Kind<R>>::T>,
            )*
        }

        impl<R: Real> Default for Data<R> {
            fn default() -> Self {
                Self { own: Own::default(), still: Still::default(), parted: Parted::default(), $($dname: Vec::new(),)* $($cname: Vec::new(),)* }
            }
        }

        impl<R: Real> Clone for Data<R> {
            fn clone(&self) -> Self {
                let mut out = Self { own: self.own.clone(), ..Self::default() };
                $(copy(&mut out.$dname, &self.$dname);)*
                $(copy(&mut out.$cname, &self.$cname);)*
                out
            }

            // into the memory that is there
            fn clone_from(&mut self, from: &Self) {
                self.own.clone_from(&from.own);
                self.still.clone_from(&from.still);
                $(self.$dname.clone_from(&from.$dname);)*
                $(self.$cname.clone_from(&from.$cname);)*
            }
        }

        impl<R: Real> Data<R> {
            /// The same worlds in a number type of the same layout, without values of their own. No array is copied.
            pub(crate) fn retyped<S: Real>(self) -> Data<S> {
                Data {
                    own: Own::default(),
                    still: Still::default(),
                    parted: Parted::default(),
                    $($dname: bytemuck::cast_vec(self.$dname),)*
                    $($cname: bytemuck::cast_vec(self.$cname),)*
                }
            }

            /// A world with every array of its size, filled with zeros; [`Data::new`] also puts it at `qpos0`.
            pub fn zeroed(m: &Arrays) -> Self {
                let mut out = Self::default();
                $(let num = [$(dim!(m, $ddim)),+].iter().product();
                out.$dname = zeros(num);)*
                $(let num = [$(dim!(m, $cdim)),+].iter().product();
                out.$cname = zeros(num);)*
                out
            }

            /// Resizes every array that has a dimension of this name to `count`; new elements are zero.
            pub fn resize(&mut self, m: &Model, dim: &str, count: usize) {
                let size = |name: &str, size: usize| if name == dim { count } else { size };
                $(if [$(stringify!($ddim)),+].contains(&dim) {
                    let num = [$(size(stringify!($ddim), dim!(m, $ddim))),+].iter().product();
                    resize(&mut self.$dname, num);
                })*
                $(if [$(stringify!($cdim)),+].contains(&dim) {
                    let num = [$(size(stringify!($cdim), dim!(m, $cdim))),+].iter().product();
                    resize(&mut self.$cname, num);
                })*
            }

            /// An array of this world by its name.
            pub fn field(&self, name: &str) -> Option<View<'_, R>> {
                self.view(field(name)?.row)
            }

            /// An array of this world by its place in the table; none for an array of the model.
            pub fn view(&self, row: Row) -> Option<View<'_, R>> {
                match row {
                    $(Row::$dname => Some(<kind::$delem as kind::Kind<R>>::view(&self.$dname)),)*
                    $(Row::$cname => Some(<kind::$celem as kind::Kind<R>>::view(&self.$cname)),)*
                    _ => None,
                }
            }

            /// An array of this world by its place in the table, to be written; none for an array of the model.
            pub fn view_mut(&mut self, row: Row) -> Option<ViewMut<'_, R>> {
                match row {
                    $(Row::$dname => Some(<kind::$delem as kind::Kind<R>>::view_mut(&mut self.$dname)),)*
                    $(Row::$cname => Some(<kind::$celem as kind::Kind<R>>::view_mut(&mut self.$cname)),)*
                    _ => None,
                }
            }

            /// An array of this world by its name, to be written.
            pub fn field_mut(&mut self, name: &str) -> Option<ViewMut<'_, R>> {
                self.view_mut(field(name)?.row)
            }
        }
    };
}

/// The rows of a role, in order.
pub fn of_role(role: Role) -> impl Iterator<Item = &'static Field> {
    FIELDS.iter().filter(move |field| field.role == role)
}

/// Names of the arrays of a world that may be set, in order: the state without its flags and the data of sleeping trees.
pub static INPUTS: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| of_role(Role::Input).map(|field| field.name).collect());

impl Field {
    /// Its units in words, in the order of the columns; empty for integers.
    pub fn unit(&self) -> String {
        let units: Vec<&str> = self.units.iter().map(|unit| unit.symbol()).collect();
        units.join("; ")
    }

    /// The unit of a column: several units share the columns equally, but those of [`Elem::Inert`] (6, 3, 1); none for integers.
    pub fn unit_of(&self, column: usize) -> Option<Unit> {
        let columns = self.columns();
        let part = match self.elem {
            Elem::Inert => usize::from(column >= 6) + usize::from(column >= 9),
            _ => column * self.units.len() / columns,
        };
        self.units.get(part).copied().filter(|_| column < columns)
    }

    /// Number of words of a row: words of an element, times the literal dimensions behind the first.
    pub fn columns(&self) -> usize {
        let plain = self
            .dims
            .iter()
            .skip(1)
            .filter_map(|dim| dim.parse::<usize>().ok());
        self.elem.width() * plain.product::<usize>()
    }

    /// Number of elements of this array in a model.
    pub fn len(&self, m: &Arrays) -> usize {
        self.dims
            .iter()
            .map(|dim| m.size(dim).unwrap_or(0))
            .product()
    }

    /// Number of 32-bit words of this array in a model.
    pub fn words(&self, m: &Arrays) -> usize {
        self.len(m) * self.elem.width()
    }

    /// Number of 32-bit words, or `None` if it overflows.
    pub fn checked_words(&self, m: &Arrays) -> Option<usize> {
        let mut dims = self.dims.iter().map(|dim| m.size(dim).unwrap_or(0));
        dims.try_fold(self.elem.width(), |n, dim| n.checked_mul(dim))
    }
}

/// The row of an array, by its name.
pub fn field(name: &str) -> Option<&'static Field> {
    static BY_NAME: LazyLock<HashMap<&str, &Field>> =
        LazyLock::new(|| FIELDS.iter().map(|field| (field.name, field)).collect());
    BY_NAME.get(name).copied()
}

fields! {
    sizes {
        /// number of generalized coordinates = dim(qpos)
        nq,
        /// number of degrees of freedom = dim(qvel)
        nv,
        /// number of scalar controls = dim(ctrl)
        nu,
        /// number of actuators
        nactuator,
        /// number of force outputs, derived from transmission type
        nout,
        /// number of activation states = dim(act)
        na,
        /// number of bodies
        nbody,
        /// number of boxes around triangles, in all meshes that may meet a signed distance field
        nbvh,
        /// number of total octree cells in all meshes
        noct,
        /// number of joints
        njnt,
        /// number of kinematic trees under world body
        ntree,
        /// number of non-zeros in sparse inertia matrix
        nM,
        /// number of non-zeros in sparse reduced dof-dof matrix
        nC,
        /// number of non-zeros in sparse dof-dof matrix
        nD,
        /// number of geoms
        ngeom,
        /// number of sites
        nsite,
        /// number of cameras
        ncam,
        /// number of lights
        nlight,
        /// number of flexes
        nflex,
        /// number of nodes in all flexes
        nflexnode,
        /// number of vertices in all flexes
        nflexvert,
        /// number of edges in all flexes
        nflexedge,
        /// number of elements in all flexes
        nflexelem,
        /// number of element vertex ids in all flexes
        nflexelemdata,
        /// number of stiffness parameters in all flexes
        nflexstiffness,
        /// number of bending parameters in all flexes
        nflexbending,
        /// number of element edge ids in all flexes
        nflexelemedge,
        /// number of shell fragment vertex ids in all flexes
        nflexshelldata,
        /// number of non-zeros in sparse flexedge Jacobian matrix
        nJfe,
        /// number of meshes
        nmesh,
        /// number of vertices in all meshes
        nmeshvert,
        /// number of normals in all meshes
        nmeshnormal,
        /// number of triangular faces in all meshes
        nmeshface,
        /// number of ints in mesh auxiliary data
        nmeshgraph,
        /// number of polygons in all meshes
        nmeshpoly,
        /// number of vertices in all polygons
        nmeshpolyvert,
        /// number of polygons in vertex map
        nmeshpolymap,
        /// number of heightfields
        nhfield,
        /// number of data points in all heightfields
        nhfielddata,
        /// number of materials
        nmat,
        /// number of predefined geom pairs
        npair,
        /// number of excluded geom pairs
        nexclude,
        /// number of equality constraints
        neq,
        /// number of tendons
        ntendon,
        /// number of non-zeros in sparse ten_J matrix
        nJten,
        /// number of wrap objects in all tendon paths
        nwrap,
        /// number of sensors
        nsensor,
        /// number of numeric custom fields
        nnumeric,
        /// number of mjtNums in all numeric fields
        nnumericdata,
        /// number of keyframes
        nkey,
        /// number of mocap bodies
        nmocap,
        /// number of plugin instances
        nplugin,
        /// number of chars in all plugin config attributes
        npluginattr,
        /// number of mjtNums in plastic state vector
        nplastic,
        /// number of non-zeros in sparse actuator_moment matrix
        nJmom,
        /// number of bodies with nonzero gravcomp
        ngravcomp,
        /// number of geoms whose surface moves (ours)
        nsurfacevel,
        /// number of geom pairs whose contacts stick (ours)
        nadhesion,
        /// number of available rows in constraint Jacobian (legacy)
        njmax,
        /// number of potential contacts in contact list (legacy)
        nconmax,
        /// maximum number of vertices in a mesh polygon
        npolygonmax,
        /// maximum number of edges adjacent to a mesh vertex
        nmeshdegmax,
        /// number of mjtNums in mjData.userdata
        nuserdata,
        /// number of mjtNums in sensor data vector
        nsensordata,
        /// number of mjtNums in plugin state vector: none of MuJoCo's plugins has any
        npluginstate,
        /// number of mjtNums in history buffer
        nhistory,
        /// number of pairs that may collide after static filtering: of geoms, of a geom and an element or vertex of a flex, and blocks (ours)
        ncollision,
        /// ncollision if flexes may collide, else 0 (ours)
        ncollisionflex,
        /// number of blocks: pairs of the list that stand for all pairs of elements of two flexes, or of one (ours)
        nblock,
        /// number of elements in the lists of the sides of all blocks (ours)
        nblockelem,
        /// number of runs of `BLOCK_RUN` elements in the second sides of all blocks (ours)
        nblockrun,
        /// nflexelem if there is a block, else 0 (ours)
        nelemblock,
        /// nflexelem if a flex between nodes touches itself, else 0 (ours)
        nelemcell,
        /// nconmax if there is a block, else 0 (ours)
        nconelem,
        /// largest number of dofs that move the elements of a pair of a block (ours)
        nJelem,
        /// number of sparsity patterns of constraint rows (ours)
        nJpat,
        /// number of dofs in all sparsity patterns (ours)
        nJpatdof,
        /// number of words of Jpat_mask: one for each pattern and 32 dofs; 0 where that is more than a million (ours)
        nJpatword,
        /// largest number of dofs that one constraint row touches (ours)
        nJrow,
        /// number of levels of the kinematic tree, the world's included (ours)
        nlevel,
        /// nq if the integrator is RK4, else 0 (ours)
        nqrk,
        /// nv if the integrator is RK4, else 0 (ours)
        nvrk,
        /// na if the integrator is RK4, else 0 (ours)
        nark,
        /// ntendon if the integrator is RK4 and a tendon's spring is plastic, else 0 (ours)
        ntendonrk,
        /// nJten likewise, else 0 (ours)
        nJtenrk,
        /// nu if an actuator has a history, else 0 (ours)
        nlate,
        /// nsensordata if a sensor has a history, else 0 (ours)
        nfresh,
        /// nv if the integrator is implicit or implicitfast, else 0 (ours)
        nvimp,
        /// nD if the integrator is implicit or implicitfast, else 0 (ours)
        nDimp,
        /// nv if the integrator is discrete, else 0 (ours)
        nvefm,
        /// nC if the integrator is discrete, else 0 (ours)
        nCefm,
        /// number of entries of the metric's couplings beyond inertia; 0 where M's sparsity holds the whole metric (ours)
        nefmK,
        /// nJrow if contacts may be passive, else 0 (ours)
        npenalty,
        /// nflexvert if the step resolves contacts of flexes (flag ipc), else 0 (ours)
        nflexvertipc,
        /// number of couplings of the metric beyond inertia, those of two dofs twice (ours)
        nefmS,
        /// number of entries of the factor of a metric with such couplings, else 0 (ours)
        nefmL,
        /// number of numbers of elastic rods at rest (ours)
        nflexrod,
        /// nplastic if an elastic rod has hinges that twist its edges, else 0 (ours)
        nrod,
        /// nrod if the integrator is RK4, else 0 (ours)
        nrodrk,
        /// nv if the metric has such couplings, else 0 (ours)
        nvefmK,
        /// ntree if the metric has such couplings, else 0 (ours)
        ntreeefm,
        /// ntree if the model has flexes, else 0 (ours)
        ntreeflex,
        /// ntree if trees may sleep, else 0 (ours)
        ntreesleep,
        /// nbody if trees may sleep, else 0 (ours)
        nbodysleep,
        /// nq + nv + na + nsensordata if trees may sleep, else 0 (ours)
        nlatent,
        /// number of solver iterations whose statistics are kept (ours)
        nsolver,
        /// ntree if statistics of the solver's iterations are kept, else 0 (ours)
        ntreestat,
        /// nv if the diagonal of A is to be exact, else 0 (ours)
        nvexact,
        /// nv if forces on bodies have a slope over the velocity (implicit, or a medium with implicitfast), else 0 (ours)
        nvslope,
        /// nbody likewise, else 0 (ours)
        nbodyslope,
        /// number of entries of a triangle of nv rows, the diagonal included, and a margin (ours)
        ntri,
        /// number of quads: four consecutive dofs, of which the last quad may lack some (ours)
        nquad,
        /// four rows for each two quads of a triangle, the diagonal included (ours)
        ntile,
        /// nv and a margin (ours)
        nvpad,
        /// njmax if the dual problem is to be solved (PGS, noslip), else 0 (ours)
        njdual,
    }
    Model {
        /// qpos values at default pose
        qpos0: real[nq] {place},
        /// reference pose for springs
        qpos_spring: real[nq] {place},
        /// id of body's parent
        body_parentid: int[nbody](0..nbody) fixed,
        /// ancestor that is direct child of world
        body_rootid: int[nbody](0..nbody) fixed,
        /// top dof-less ancestor; mocap: own root
        body_weldid: int[nbody](0..nbody) fixed,
        /// id of mocap data; -1: none
        body_mocapid: int[nbody](-1..nmocap) fixed,
        /// number of joints for this body
        body_jntnum: int[nbody] fixed,
        /// start addr of joints; -1: no joints
        body_jntadr: int[nbody] fixed,
        /// number of motion degrees of freedom
        body_dofnum: int[nbody] fixed,
        /// start addr of dofs; -1: no dofs
        body_dofadr: int[nbody] fixed,
        /// id of body's kinematic tree; -1: static
        body_treeid: int[nbody](-1..ntree) derived,
        /// number of geoms
        body_geomnum: int[nbody] fixed,
        /// start addr of geoms; -1: no geoms
        body_geomadr: int[nbody] fixed,
        /// 1: diag M; 2: diag M, sliders only
        body_simple: int[nbody](0..3) fixed,
        /// same frame as inertia (mjtSameframe)
        body_sameframe: int[nbody](0..5) derived,
        /// position offset rel. to parent body
        body_pos: vec3[nbody] {m @parent},
        /// orientation offset rel. to parent body
        body_quat: quat[nbody] {@parent},
        /// local position of center of mass
        body_ipos: vec3[nbody] {m @body},
        /// local orientation of inertia ellipsoid
        body_iquat: quat[nbody] {@body},
        /// mass
        body_mass: real[nbody] {kg},
        /// mass of subtree starting at this body
        body_subtreemass: real[nbody] {kg} derived,
        /// diagonal inertia in ipos/iquat frame
        body_inertia: vec3[nbody] {kg_m2 @inertia},
        /// mean inv inert in qpos0 (trn, rot)
        body_invweight0: real[nbody, 2] {per_kg, per_kg_m2} derived,
        /// antigravity force, units of body weight
        body_gravcomp: real[nbody] {one},
        /// MAX over all geom margins+gaps
        body_margin: real[nbody] {m} derived,
        /// plugin instance id; -1: not in use
        body_plugin: int[nbody](-1..nplugin) fixed,
        /// OR over all geom contypes
        body_contype: int[nbody] derived,
        /// OR over all geom conaffinities
        body_conaffinity: int[nbody] derived,
        /// parts of a box, by number within the mesh's tree; -1: none
        bvh_child: int[nbvh, 2](-1..nbvh) fixed,
        /// triangle of a box without parts, by number within the mesh; -1: none
        bvh_nodeid: int[nbvh](-1..nmeshface) fixed,
        /// bounding box of triangles (center, size)
        bvh_aabb: real[nbvh, 6] {m @mesh} fixed,
        /// depth in the octree
        oct_depth: int[noct] fixed,
        /// children of octree node, by number within the octree; -1: none
        oct_child: int[noct, 8](-1..noct) fixed,
        /// octree node bounding box (center, size)
        oct_aabb: real[noct, 6] {m @mesh} fixed,
        /// octree interpolation coefficients
        oct_coeff: real[noct, 8] {m} fixed,
        /// type of joint (mjtJoint)
        jnt_type: int[njnt](0..4) fixed,
        /// start addr in 'qpos' for joint's data
        jnt_qposadr: int[njnt](0..nq) fixed,
        /// start addr in 'qvel' for joint's data
        jnt_dofadr: int[njnt](0..nv) fixed,
        /// id of joint's body
        jnt_bodyid: int[njnt](0..nbody) fixed,
        /// actuator contributing damping / armature
        jnt_actuatorid: int[njnt](-2..nactuator) derived,
        /// group for visibility
        jnt_group: int[njnt],
        /// start addr in plastic state (-1: none)
        jnt_plasticadr: int[njnt](-1..nplastic) fixed,
        /// does joint have limits
        jnt_limited: int[njnt](0..2),
        /// does joint have actuator force limits
        jnt_actfrclimited: int[njnt](0..2),
        /// is gravcomp force applied via actuators
        jnt_actgravcomp: int[njnt](0..2),
        /// constraint solver reference: limit
        jnt_solref: real[njnt, 2] {ref_time, ref_damp},
        /// constraint solver impedance: limit
        jnt_solimp: real[njnt, 5] {one, one, q, one, one},
        /// local anchor position
        jnt_pos: vec3[njnt] {m @body},
        /// local joint axis
        jnt_axis: vec3[njnt] {one @body},
        /// linear stiffness coefficient
        jnt_stiffness: real[njnt] {f_q},
        /// high-order stiffness coefficients
        jnt_stiffnesspoly: real[njnt, 2] {f_q2, f_q3},
        /// plastic yield threshold
        jnt_springyield: real[njnt] {q} fixed,
        /// joint limits
        jnt_range: real[njnt, 2] {q},
        /// range of total actuator force
        jnt_actfrcrange: real[njnt, 2] {f},
        /// min distance for limit detection
        jnt_margin: real[njnt] {q},
        /// id of dof's body
        dof_bodyid: int[nv](0..nbody) fixed,
        /// id of dof's joint
        dof_jntid: int[nv](0..njnt) fixed,
        /// id of dof's parent; -1: none
        dof_parentid: int[nv](-1..nv) fixed,
        /// id of dof's kinematic tree
        dof_treeid: int[nv](0..ntree) fixed,
        /// dof address in M-diagonal
        dof_Madr: int[nv] derived,
        /// number of consecutive simple dofs
        dof_simplenum: int[nv] derived,
        /// constraint solver reference:frictionloss
        dof_solref: real[nv, 2] {ref_time, ref_damp},
        /// constraint solver impedance:frictionloss
        dof_solimp: real[nv, 5] {one, one, q, one, one},
        /// dof friction loss
        dof_frictionloss: real[nv] {f},
        /// dof armature inertia/mass
        dof_armature: real[nv] {mass},
        /// linear damping coefficient
        dof_damping: real[nv] {fs_q},
        /// high-order damping coefficients
        dof_dampingpoly: real[nv, 2] {fs2_q2, fs3_q3},
        /// diag. inverse inertia in qpos0
        dof_invweight0: real[nv] {per_mass} derived,
        /// diag. inertia in qpos0
        dof_M0: real[nv] {mass} derived,
        /// linear: 1; angular: approx. length scale
        dof_length: real[nv] {m_q} derived,
        /// start addr of bodies
        tree_bodyadr: int[ntree] derived,
        /// number of bodies in tree
        tree_bodynum: int[ntree] derived,
        /// start addr of dofs
        tree_dofadr: int[ntree] derived,
        /// number of dofs in tree
        tree_dofnum: int[ntree] derived,
        /// sleep policy (mjtSleepPolicy)
        tree_sleep_policy: int[ntree](0..6),
        /// geometric type (mjtGeom)
        geom_type: int[ngeom](0..9) fixed,
        /// geom contact type
        geom_contype: int[ngeom],
        /// geom contact affinity
        geom_conaffinity: int[ngeom],
        /// contact dimensionality (1, 3, 4, 6)
        geom_condim: int[ngeom](1..7),
        /// id of geom's body
        geom_bodyid: int[ngeom](0..nbody) fixed,
        /// id of geom's mesh/hfield; -1: none
        geom_dataid: int[ngeom] fixed,
        /// material id for rendering; -1: none
        geom_matid: int[ngeom](-1..nmat),
        /// group for visibility
        geom_group: int[ngeom],
        /// geom contact priority
        geom_priority: int[ngeom],
        /// plugin instance id; -1: not in use
        geom_plugin: int[ngeom](-1..nplugin) fixed,
        /// same frame as body (mjtSameframe)
        geom_sameframe: int[ngeom](0..5) derived,
        /// mixing coef for solref/imp in geom pair
        geom_solmix: real[ngeom] {one},
        /// constraint solver reference: contact
        geom_solref: real[ngeom, 2] {ref_time, ref_damp},
        /// constraint solver impedance: contact
        geom_solimp: real[ngeom, 5] {one, one, m, one, one},
        /// geom-specific size parameters
        geom_size: vec3[ngeom] {m @geom},
        /// bounding box, (center, size)
        geom_aabb: real[ngeom, 6] {m @geom} derived,
        /// radius of bounding sphere
        geom_rbound: real[ngeom] {m} derived,
        /// local position offset rel. to body
        geom_pos: vec3[ngeom] {m @body},
        /// local orientation offset rel. to body
        geom_quat: quat[ngeom] {@body},
        /// friction for (slide, spin, roll)
        geom_friction: vec3[ngeom] {one, m, m},
        /// geometric inflation for contact
        geom_margin: real[ngeom] {m},
        /// additional contact detection buffer
        geom_gap: real[ngeom] {m},
        /// surface velocity in local frame: lin,ang
        geom_surfacevel: real[ngeom, 6] {m_s, rad_s @geom},
        /// adhesive force of contacts
        geom_adhesion: real[ngeom] {N},
        /// fluid interaction parameters
        geom_fluid: real[ngeom, 12] {one, one, m3, m5},
        /// rgba when material is omitted
        geom_rgba: real[ngeom, 4] {one},
        /// geom type for rendering (mjtGeom)
        site_type: int[nsite] fixed,
        /// id of site's body
        site_bodyid: int[nsite](0..nbody) fixed,
        /// id of site's mesh; -1: none
        site_dataid: int[nsite](-1..nmesh) fixed,
        /// material id for rendering; -1: none
        site_matid: int[nsite](-1..nmat),
        /// group for visibility
        site_group: int[nsite],
        /// same frame as body (mjtSameframe)
        site_sameframe: int[nsite](0..5) derived,
        /// geom size for rendering
        site_size: vec3[nsite] {m @site},
        /// local position offset rel. to body
        site_pos: vec3[nsite] {m @body},
        /// local orientation offset rel. to body
        site_quat: quat[nsite] {@body},
        /// rgba when material is omitted
        site_rgba: real[nsite, 4] {one},
        /// camera tracking mode (mjtCamLight)
        cam_mode: int[ncam](0..5),
        /// id of camera's body
        cam_bodyid: int[ncam](0..nbody) fixed,
        /// id of targeted body; -1: none
        cam_targetbodyid: int[ncam](-1..nbody),
        /// position rel. to body frame
        cam_pos: vec3[ncam] {m @body},
        /// orientation rel. to body frame
        cam_quat: quat[ncam] {@body},
        /// global position rel. to sub-com in qpos0
        cam_poscom0: vec3[ncam] {m @world} derived,
        /// global position rel. to body in qpos0
        cam_pos0: vec3[ncam] {m @world} derived,
        /// global orientation in qpos0
        cam_mat0: mat3[ncam] {@world} derived,
        /// projection type (mjtProjection)
        cam_projection: int[ncam](0..2),
        /// y field-of-view (ortho ? len : deg)
        cam_fovy: real[ncam] {fov},
        /// resolution: pixels [width, height]
        cam_resolution: int[ncam, 2] fixed,
        /// output images (bits of mjtCamOutBit)
        cam_output: int[ncam],
        /// sensor size: length [width, height]
        cam_sensorsize: real[ncam, 2] {m},
        /// [focal length; principal point]
        cam_intrinsic: real[ncam, 4] {m},
        /// light tracking mode (mjtCamLight)
        light_mode: int[nlight](0..5),
        /// id of light's body
        light_bodyid: int[nlight](0..nbody) fixed,
        /// id of targeted body; -1: none
        light_targetbodyid: int[nlight](-1..nbody),
        /// spot, directional, etc. (mjtLightType)
        light_type: int[nlight](0..4),
        /// is light on
        light_active: int[nlight](0..2),
        /// position rel. to body frame
        light_pos: vec3[nlight] {m @body},
        /// direction rel. to body frame
        light_dir: vec3[nlight] {one @body},
        /// global position rel. to sub-com in qpos0
        light_poscom0: vec3[nlight] {m @world} derived,
        /// global position rel. to body in qpos0
        light_pos0: vec3[nlight] {m @world} derived,
        /// global direction in qpos0
        light_dir0: vec3[nlight] {one @world} derived,
        /// flex contact type
        flex_contype: int[nflex],
        /// flex contact affinity
        flex_conaffinity: int[nflex],
        /// contact dimensionality (1, 3, 4, 6)
        flex_condim: int[nflex](1..7),
        /// flex contact priority
        flex_priority: int[nflex],
        /// mix coef for solref/imp in contact pair
        flex_solmix: real[nflex] {one},
        /// constraint solver reference: contact
        flex_solref: real[nflex, 2] {ref_time, ref_damp},
        /// constraint solver impedance: contact
        flex_solimp: real[nflex, 5] {one, one, m, one, one},
        /// friction for (slide, spin, roll)
        flex_friction: real[nflex, 3] {one, m, m},
        /// geometric inflation for contact
        flex_margin: real[nflex] {m},
        /// additional contact detection buffer
        flex_gap: real[nflex] {m},
        /// self collision mode (mjtFlexSelf)
        flex_selfcollide: int[nflex](0..5),
        /// number of active element layers, 3D only
        flex_activelayers: int[nflex],
        /// passive collisions enabled
        flex_passive: int[nflex](0..2),
        /// 1: lines, 2: triangles, 3: tetrahedra
        flex_dim: int[nflex](1..4) fixed,
        /// material id for rendering
        flex_matid: int[nflexelem](-1..nmat),
        /// group for visibility
        flex_group: int[nflex],
        /// order of interpolation (0: vertices move by themselves, 1, 2; of a shell negative)
        flex_interp: int[nflex](-2..3) fixed,
        /// finite cell num per dimension
        flex_cellnum: int[nflex, 3] fixed,
        /// first node address
        flex_nodeadr: int[nflex] fixed,
        /// number of nodes
        flex_nodenum: int[nflex] fixed,
        /// first vertex address
        flex_vertadr: int[nflex] fixed,
        /// number of vertices
        flex_vertnum: int[nflex] fixed,
        /// first edge address
        flex_edgeadr: int[nflex] fixed,
        /// number of edges
        flex_edgenum: int[nflex] fixed,
        /// first element address
        flex_elemadr: int[nflex] fixed,
        /// number of elements
        flex_elemnum: int[nflex] fixed,
        /// first element vertex id address
        flex_elemdataadr: int[nflex] fixed,
        /// stiffness matrix address
        flex_stiffnessadr: int[nflex] fixed,
        /// first element edge id address
        flex_elemedgeadr: int[nflex] fixed,
        /// first bending data address
        flex_bendingadr: int[nflex] fixed,
        /// plastic state address; -1: elastic
        flex_plasticadr: int[nflex](-1..nplastic) fixed,
        /// plastic state bits; 1: bend, 2: stretch
        flex_plasticmode: int[nflex](0..4) fixed,
        /// number of shells
        flex_shellnum: int[nflex] fixed,
        /// first shell data address
        flex_shelldataadr: int[nflex] fixed,
        /// node body ids
        flex_nodebodyid: int[nflexnode](0..nbody) fixed,
        /// vertex body ids; -1: between nodes
        flex_vertbodyid: int[nflexvert](-1..nbody) fixed,
        /// finite cell index for vertex; -1: none
        flex_vertcell: int[nflexvert] fixed,
        /// edge vertex ids (2 per edge)
        flex_edge: int[nflexedge, 2](0..nflexvert) fixed,
        /// adjacent vertex ids (dim=2 only)
        flex_edgeflap: int[nflexedge, 2](-1..nflexvert) fixed,
        /// element vertex ids (dim+1 per elem)
        flex_elem: int[nflexelemdata](0..nflexvert) fixed,
        /// element edge ids
        flex_elemedge: int[nflexelemedge](0..nflexedge) fixed,
        /// element distance from surface, 3D only
        flex_elemlayer: int[nflexelem] fixed,
        /// shell fragment vertex ids (dim per frag)
        flex_shell: int[nflexshelldata](0..nflexvert) fixed,
        /// vertex positions in local body frames
        flex_vert: vec3[nflexvert] {m @body} fixed,
        /// vertex positions in qpos0 on [0, 1]^d
        flex_vert0: vec3[nflexvert] {one @world} fixed,
        /// node positions in local body frames
        flex_node: vec3[nflexnode] {m @body} fixed,
        /// Cartesian node positions in qpos0
        flex_node0: vec3[nflexnode] {m @world} fixed,
        /// edge lengths in qpos0
        flexedge_length0: real[nflexedge] {m} derived,
        /// edge inv. weight in qpos0
        flexedge_invweight0: real[nflexedge] {per_kg} derived,
        /// radius around primitive element
        flex_radius: real[nflex] {m},
        /// vertex bounding box half sizes in qpos0
        flex_size: vec3[nflex] {m @world} fixed,
        /// finite element stiffness matrix (N/m³; between nodes N/m)
        flex_stiffness: real[nflexstiffness] {varies},
        /// bending stiffness: matrix of a hinge (N/m), and coefficient of its bend at rest (N/m²)
        flex_bending: real[nflexbending] {varies},
        /// Rayleigh's damping coefficient
        flex_damping: real[nflex] {s},
        /// yield strain (stretch, bend); 0: elastic
        flex_yield: real[nflex, 2] {one},
        /// edge stiffness
        flex_edgestiffness: real[nflex] {stiffness},
        /// edge damping
        flex_edgedamping: real[nflex] {damping},
        /// 0:none, 1:edges, 3:strain
        flex_edgeequality: int[nflex](0..4) fixed,
        /// are all vertices in the same body
        flex_rigid: int[nflex](0..2) fixed,
        /// are both edge vertices in same body
        flexedge_rigid: int[nflexedge](0..2) fixed,
        /// are all vertex coordinates (0,0,0)
        flex_centered: int[nflex](0..2) fixed,
        /// render flex skin with flat shading
        flex_flatskin: int[nflex](0..2),
        /// number of non-zeros in Jacobian row
        flexedge_J_rownnz: int[nflexedge] derived,
        /// row start address in colind array
        flexedge_J_rowadr: int[nflexedge] derived,
        /// column indices in sparse Jacobian
        flexedge_J_colind: int[nJfe](0..nv) derived,
        /// rgba when material is omitted
        flex_rgba: real[nflex, 4] {one},
        /// first vertex address
        mesh_vertadr: int[nmesh] fixed,
        /// number of vertices
        mesh_vertnum: int[nmesh] fixed,
        /// first face address
        mesh_faceadr: int[nmesh] fixed,
        /// number of faces
        mesh_facenum: int[nmesh] fixed,
        /// first box around triangles; -1: none
        mesh_bvhadr: int[nmesh](-1..nbvh) fixed,
        /// number of boxes around triangles
        mesh_bvhnum: int[nmesh] fixed,
        /// address of octree root; -1: none
        mesh_octadr: int[nmesh](-1..noct) fixed,
        /// number of octree nodes
        mesh_octnum: int[nmesh] fixed,
        /// first normal address
        mesh_normaladr: int[nmesh] fixed,
        /// number of normals; 0 unless a tactile sensor uses the mesh
        mesh_normalnum: int[nmesh] fixed,
        /// graph data address; -1: no graph
        mesh_graphadr: int[nmesh](-1..nmeshgraph) fixed,
        /// extremum vertices in 3x3x3 directions
        mesh_extrema: int[nmesh, 27] fixed,
        /// vertex positions for all meshes
        mesh_vert: vec3[nmeshvert] {m @mesh} fixed,
        /// normals of the meshes that tactile sensors use
        mesh_normal: vec3[nmeshnormal] {one @mesh} fixed,
        /// vertex face data
        mesh_face: int[nmeshface, 3] fixed,
        /// convex graph data
        mesh_graph: int[nmeshgraph] fixed,
        /// scaling applied to asset vertices
        mesh_scale: vec3[nmesh] {one @asset} fixed,
        /// translation applied to asset vertices
        mesh_pos: vec3[nmesh] {m @asset} fixed,
        /// rotation applied to asset vertices
        mesh_quat: quat[nmesh] {@asset} fixed,
        /// number of polygons per mesh
        mesh_polynum: int[nmesh] fixed,
        /// first polygon address per mesh
        mesh_polyadr: int[nmesh] fixed,
        /// all polygon normals
        mesh_polynormal: vec3[nmeshpoly] {one @mesh} fixed,
        /// polygon vertex start address
        mesh_polyvertadr: int[nmeshpoly] fixed,
        /// number of vertices per polygon
        mesh_polyvertnum: int[nmeshpoly] fixed,
        /// all polygon vertices
        mesh_polyvert: int[nmeshpolyvert] fixed,
        /// first polygon address per vertex
        mesh_polymapadr: int[nmeshvert] fixed,
        /// number of polygons per vertex
        mesh_polymapnum: int[nmeshvert] fixed,
        /// vertex to polygon map
        mesh_polymap: int[nmeshpolymap] fixed,
        /// (x, y, z_top, z_bottom)
        hfield_size: real[nhfield, 4] {m @geom},
        /// number of rows in grid
        hfield_nrow: int[nhfield] fixed,
        /// number of columns in grid
        hfield_ncol: int[nhfield] fixed,
        /// address in hfield_data
        hfield_adr: int[nhfield] fixed,
        /// elevation data
        hfield_data: real[nhfielddata] {one},
        /// rgba
        mat_rgba: real[nmat, 4] {one},
        /// contact dimensionality
        pair_dim: int[npair](1..7),
        /// id of geom1
        pair_geom1: int[npair](0..ngeom) fixed,
        /// id of geom2
        pair_geom2: int[npair](0..ngeom) fixed,
        /// body1 << 16 + body2
        pair_signature: int[npair] fixed,
        /// solver reference: contact normal
        pair_solref: real[npair, 2] {ref_time, ref_damp},
        /// solver reference: contact friction
        pair_solreffriction: real[npair, 2] {ref_time, ref_damp},
        /// solver impedance: contact
        pair_solimp: real[npair, 5] {one, one, m, one, one},
        /// geometric inflation for contact
        pair_margin: real[npair] {m},
        /// additional contact detection buffer
        pair_gap: real[npair] {m},
        /// adhesive force of contacts
        pair_adhesion: real[npair] {N},
        /// tangent1, 2, spin, roll1, 2
        pair_friction: real[npair, 5] {one, one, m, m, m},
        /// body1 << 16 + body2
        exclude_signature: int[nexclude],
        /// constraint type (mjtEq)
        eq_type: int[neq](0..8) fixed,
        /// id of object 1
        eq_obj1id: int[neq] fixed,
        /// id of object 2
        eq_obj2id: int[neq] fixed,
        /// type of both objects (mjtObj)
        eq_objtype: int[neq] fixed,
        /// initial enable/disable constraint state
        eq_active0: int[neq](0..2),
        /// constraint solver reference
        eq_solref: real[neq, 2] {ref_time, ref_damp},
        /// constraint solver impedance
        eq_solimp: real[neq, 5] {one, one, q, one, one},
        /// numeric data for constraint, by its type
        eq_data: real[neq, 12] {varies},
        /// type of tendon (mjtTendon)
        tendon_type: int[ntendon](0..2) fixed,
        /// address of first object in tendon's path
        tendon_adr: int[ntendon] fixed,
        /// number of objects in tendon's path
        tendon_num: int[ntendon] fixed,
        /// material id for rendering
        tendon_matid: int[ntendon](-1..nmat),
        /// actuator contributing damping / armature
        tendon_actuatorid: int[ntendon](-2..nactuator) derived,
        /// group for visibility
        tendon_group: int[ntendon],
        /// start addr in plastic state (-1: none)
        tendon_plasticadr: int[ntendon](-1..nplastic) fixed,
        /// number of trees along tendon's path
        tendon_treenum: int[ntendon] derived,
        /// first two trees along tendon's path
        tendon_treeid: int[ntendon, 2](-1..ntree) derived,
        /// number of non-zeros in Jacobian row
        ten_J_rownnz: int[ntendon] derived,
        /// row start address in colind array
        ten_J_rowadr: int[ntendon] derived,
        /// column indices in sparse Jacobian
        ten_J_colind: int[nJten](0..nv) derived,
        /// does tendon have length limits
        tendon_limited: int[ntendon](0..2),
        /// does tendon have actuator force limits
        tendon_actfrclimited: int[ntendon](0..2),
        /// width for rendering
        tendon_width: real[ntendon] {m},
        /// constraint solver reference: limit
        tendon_solref_lim: real[ntendon, 2] {ref_time, ref_damp},
        /// constraint solver impedance: limit
        tendon_solimp_lim: real[ntendon, 5] {one, one, q, one, one},
        /// constraint solver reference: friction
        tendon_solref_fri: real[ntendon, 2] {ref_time, ref_damp},
        /// constraint solver impedance: friction
        tendon_solimp_fri: real[ntendon, 5] {one, one, q, one, one},
        /// tendon length limits
        tendon_range: real[ntendon, 2] {q},
        /// range of total actuator force
        tendon_actfrcrange: real[ntendon, 2] {f},
        /// min distance for limit detection
        tendon_margin: real[ntendon] {q},
        /// linear stiffness coefficient
        tendon_stiffness: real[ntendon] {f_q},
        /// high-order stiffness coefficients
        tendon_stiffnesspoly: real[ntendon, 2] {f_q2, f_q3},
        /// linear damping coefficient
        tendon_damping: real[ntendon] {fs_q},
        /// high-order damping coefficients
        tendon_dampingpoly: real[ntendon, 2] {fs2_q2, fs3_q3},
        /// inertia associated with tendon velocity
        tendon_armature: real[ntendon] {mass},
        /// loss due to friction
        tendon_frictionloss: real[ntendon] {f},
        /// spring resting length range
        tendon_lengthspring: real[ntendon, 2] {q},
        /// plastic yield threshold
        tendon_springyield: real[ntendon] {q} fixed,
        /// tendon length in qpos0
        tendon_length0: real[ntendon] {q} derived,
        /// inv. weight in qpos0
        tendon_invweight0: real[ntendon] {per_mass} derived,
        /// rgba when material is omitted
        tendon_rgba: real[ntendon, 4] {one},
        /// wrap object type (mjtWrap)
        wrap_type: int[nwrap](0..6) fixed,
        /// object id: geom, site, joint
        wrap_objid: int[nwrap] fixed,
        /// divisor, joint coef, or site id
        wrap_prm: real[nwrap] {varies},
        /// transmission type (mjtTrn)
        actuator_trntype: int[nactuator](0..7) fixed,
        /// dynamics type (mjtDyn)
        actuator_dyntype: int[nactuator](0..8) fixed,
        /// gain type (mjtGain)
        actuator_gaintype: int[nactuator](0..7) fixed,
        /// bias type (mjtBias)
        actuator_biastype: int[nactuator](0..6) fixed,
        /// address of first control
        actuator_ctrladr: int[nactuator] fixed,
        /// number of controls
        actuator_ctrlnum: int[nactuator] fixed,
        /// input signature, scoped by gaintype
        actuator_ctrlspec: int[nactuator] fixed,
        /// address of first force output
        actuator_outadr: int[nactuator] fixed,
        /// number of force outputs, from trntype
        actuator_outnum: int[nactuator] fixed,
        /// first activation address; -1: stateless
        actuator_actadr: int[nactuator] fixed,
        /// number of activation variables
        actuator_actnum: int[nactuator] fixed,
        /// transmission id: joint, tendon, site
        actuator_trnid: int[nactuator, 2] fixed,
        /// crank length for slider-crank
        actuator_cranklength: real[nactuator] {m},
        /// dynamics parameters, by the type
        actuator_dynprm: real[nactuator, 10] {varies},
        /// gain parameters, by the type
        actuator_gainprm: real[nactuator, 10] {varies},
        /// bias parameters, by the type
        actuator_biasprm: real[nactuator, 10] {varies},
        /// is activation limited
        actuator_actlimited: int[nactuator](0..2),
        /// range of activations
        actuator_actrange: real[nactuator, 2] {varies},
        /// step activation before force
        actuator_actearly: int[nactuator](0..2),
        /// history buffer: [nsample, interp]
        actuator_history: int[nactuator, 2] fixed,
        /// address in history buffer; -1: none
        actuator_historyadr: int[nactuator](-1..nhistory) fixed,
        /// delay time; 0: no delay
        actuator_delay: real[nactuator] {s},
        /// linear damping coefficient
        actuator_damping: real[nactuator] {fs_q},
        /// high-order damping coefficients
        actuator_dampingpoly: real[nactuator, 2] {fs2_q2, fs3_q3},
        /// armature added to target (joint, tendon)
        actuator_armature: real[nactuator] {mass},
        /// group for visibility
        actuator_group: int[nactuator],
        /// plugin instance id; -1: not a plugin
        actuator_plugin: int[nactuator](-1..nplugin) fixed,
        /// is force limited
        actuator_forcelimited: int[nactuator](0..2),
        /// range of forces
        actuator_forcerange: real[nactuator, 2] {f},
        /// is control limited
        actuator_ctrllimited: int[nu](0..2),
        /// range of controls
        actuator_ctrlrange: real[nu, 2] {varies},
        /// scale length and transmitted force
        actuator_gear: real[nout, 6] {one},
        /// acceleration from unit force in qpos0: norm over all dofs, slides and hinges together
        actuator_acc0: real[nout] {varies} derived,
        /// actuator length in qpos0
        actuator_length0: real[nout] {q} derived,
        /// feasible actuator length range
        actuator_lengthrange: real[nout, 2] {q},
        /// sensor type (mjtSensor)
        sensor_type: int[nsensor](0..49) fixed,
        /// numeric data type (mjtDataType)
        sensor_datatype: int[nsensor](0..4) fixed,
        /// required compute stage (mjtStage)
        sensor_needstage: int[nsensor](0..4) fixed,
        /// type of sensorized object (mjtObj)
        sensor_objtype: int[nsensor] fixed,
        /// id of sensorized object
        sensor_objid: int[nsensor] fixed,
        /// type of reference frame (mjtObj)
        sensor_reftype: int[nsensor] fixed,
        /// id of reference frame; -1: global frame
        sensor_refid: int[nsensor] fixed,
        /// sensor parameters
        sensor_intprm: int[nsensor, 3] fixed,
        /// number of scalar outputs
        sensor_dim: int[nsensor] fixed,
        /// address in sensor array
        sensor_adr: int[nsensor] fixed,
        /// cutoff for real and positive; 0: ignore
        sensor_cutoff: real[nsensor] {varies},
        /// noise standard deviation
        sensor_noise: real[nsensor] {varies},
        /// history buffer: [nsample, interp]
        sensor_history: int[nsensor, 2] fixed,
        /// address in history buffer; -1: none
        sensor_historyadr: int[nsensor](-1..nhistory) fixed,
        /// delay time; 0: no delay
        sensor_delay: real[nsensor] {s},
        /// interval: [period, phase]
        sensor_interval: real[nsensor, 2] {s} fixed,
        /// plugin instance id; -1: not a plugin
        sensor_plugin: int[nsensor](-1..nplugin) fixed,
        /// globally registered plugin slot
        plugin: int[nplugin](0..7) fixed,
        /// address in the plugin state array
        plugin_stateadr: int[nplugin] fixed,
        /// number of states in the plugin instance
        plugin_statenum: int[nplugin] fixed,
        /// config attributes of plugin instances
        plugin_attr: int[npluginattr](0..256) fixed,
        /// address to each instance's config attrib
        plugin_attradr: int[nplugin] fixed,
        /// address of field in numeric_data
        numeric_adr: int[nnumeric] fixed,
        /// size of numeric field
        numeric_size: int[nnumeric] fixed,
        /// array of all numeric fields
        numeric_data: real[nnumericdata] {varies},
        /// key time
        key_time: real[nkey] {s},
        /// key position
        key_qpos: real[nkey, nq] {place},
        /// key velocity
        key_qvel: real[nkey, nv] {q_s},
        /// key activation
        key_act: real[nkey, na] {varies},
        /// key mocap position
        key_mpos: vec3[nkey, nmocap] {m @world},
        /// key mocap quaternion
        key_mquat: quat[nkey, nmocap] {@world},
        /// key control
        key_ctrl: real[nkey, nu] {varies},
        /// key plastic state
        key_plastic: real[nkey, nplastic] {place},
        /// reduced inertia: non-zeros in each row
        M_rownnz: int[nv] derived,
        /// reduced inertia: row addresses
        M_rowadr: int[nv] derived,
        /// reduced inertia: column indices
        M_colind: int[nC](0..nv) derived,
        /// full inertia: non-zeros in each row
        D_rownnz: int[nv] derived,
        /// full inertia: row addresses
        D_rowadr: int[nv] derived,
        /// full inertia: index of diagonal element
        D_diag: int[nv] derived,
        /// full inertia: column indices
        D_colind: int[nD](0..nv) derived,
        /// number of dofs that a row of actuator_moment touches (ours: a constant of the model)
        moment_rownnz: int[nout] derived,
        /// address of a row of actuator_moment (ours)
        moment_rowadr: int[nout] derived,
        /// dofs of actuator_moment (ours)
        moment_colind: int[nJmom](0..nv) derived,
        /// config attributes as numbers; their count and meaning depend on the plugin (ours)
        plugin_prm: real[nplugin, 6] {varies} derived,
        /// control after a reset: 0, or the identity quaternion where a quaternion is the input (ours)
        ctrl0: real[nu] {varies} derived,
        /// depth of a body in the tree; 0 for the world (ours)
        body_level: int[nbody](0..nlevel) derived,
        /// first entry of a level in level_body (ours)
        level_adr: int[nlevel] derived,
        /// number of bodies of a level (ours)
        level_num: int[nlevel] derived,
        /// bodies in order of their level (ours)
        level_body: int[nbody](0..nbody) derived,
        /// last dof that moves a body, its ancestors' included; -1: none (ours)
        body_lastdof: int[nbody](-1..nv) derived,
        /// armature of a dof with that of its joint's actuators (ours)
        dof_armature_all: real[nv] {mass} derived,
        /// linear damping of a dof with that of its joint's actuators (ours)
        dof_damping_all: real[nv] {fs_q} derived,
        /// high-order damping of a dof with that of its joint's actuators (ours)
        dof_dampingpoly_all: real[nv, 2] {fs2_q2, fs3_q3} derived,
        /// armature of a tendon with that of its actuators (ours)
        tendon_armature_all: real[ntendon] {mass} derived,
        /// linear damping of a tendon with that of its actuators (ours)
        tendon_damping_all: real[ntendon] {fs_q} derived,
        /// high-order damping of a tendon with that of its actuators (ours)
        tendon_dampingpoly_all: real[ntendon, 2] {fs2_q2, fs3_q3} derived,
        /// number of children of a body (ours)
        body_childnum: int[nbody] derived,
        /// first entry of a body's children in child_body (ours)
        body_childadr: int[nbody] derived,
        /// children of all bodies, descending in each; the last entry, the world's place, is unused (ours)
        child_body: int[nbody](0..nbody) derived,
        /// first geom of a pair that may collide, that of the lower type; -1: of a flex (ours)
        collision_geom1: int[ncollision](-1..ngeom) derived,
        /// second geom of a pair that may collide; -1: of a flex (ours)
        collision_geom2: int[ncollision](-1..ngeom) derived,
        /// flexes of a pair that may collide; -1: a geom (ours)
        collision_flex: int[ncollisionflex, 2](-1..nflex) derived,
        /// elements of the flexes of a pair that may collide; -1: a geom, a vertex, or all of a block (ours)
        collision_elem: int[ncollisionflex, 2](-1..nflexelem) derived,
        /// vertices of the flexes of a pair that may collide; -1: a geom or an element (ours)
        collision_vert: int[ncollisionflex, 2](-1..nflexvert) derived,
        /// place of a block in the list of pairs (ours)
        block_collision: int[nblock](0..ncollision) derived,
        /// first entry of the elements of each side of a block in block_elem (ours)
        block_adr: int[nblock, 2] derived,
        /// number of elements of each side of a block (ours)
        block_num: int[nblock, 2] derived,
        /// elements of the sides of blocks, counted from the flex's first, in the order in which they meet (ours)
        block_elem: int[nblockelem](0..nflexelem) derived,
        /// first run of elements of the second side of a block (ours)
        block_runadr: int[nblock] derived,
        /// sparsity pattern of an element: dofs that move its corners; -1: it is in no block (ours)
        flexelem_Jpat: int[nelemblock](-1..nJpat) derived,
        /// first and last cell along each axis that an element between nodes reaches, -1 where it is in no block (ours)
        flexelem_cell: int[nelemcell, 6] derived,
        /// id of the predefined pair; -1: dynamic (ours)
        collision_pairid: int[ncollision](-1..npair) derived,
        /// sparsity pattern of the rows of the pair's contacts; -1: a block, whose contacts have patterns of their own (ours)
        collision_Jpat: int[ncollision](-1..nJpat) derived,
        /// contact dimension of the pair, mixed (ours)
        collision_condim: int[ncollision](1..7) derived,
        /// distance below which a contact is detected: margin + gap (ours)
        collision_detect: real[ncollision] {m} derived,
        /// distance below which a contact makes force (ours)
        collision_margin: real[ncollision] {m} derived,
        /// friction of the pair, mixed: slide, slide, spin, roll, roll (ours)
        collision_friction: real[ncollision, 5] {one, one, m, m, m} derived,
        /// solref of the pair, mixed (ours)
        collision_solref: real[ncollision, 2] {ref_time, ref_damp} derived,
        /// solref of the pair's friction rows (ours)
        collision_solreffriction: real[ncollision, 2] {ref_time, ref_damp} derived,
        /// solimp of the pair, mixed (ours)
        collision_solimp: real[ncollision, 5] {one, one, m, one, one} derived,
        /// force with which the pair's contacts stick, mixed (ours)
        collision_adhesion: real[ncollision] {N} derived,
        /// history buffer after a reset (ours)
        history0: real[nhistory] {varies} derived,
        /// plastic state after a reset (ours)
        plastic0: real[nplastic] {place} derived,
        /// address of a sparsity pattern (ours)
        Jpat_adr: int[nJpat] derived,
        /// number of dofs of a sparsity pattern (ours)
        Jpat_num: int[nJpat] derived,
        /// dofs of all sparsity patterns, ascending in each (ours)
        Jpat_dof: int[nJpatdof](0..nv) derived,
        /// bits of the dofs of a pattern, 32 a word, the lowest first (ours)
        Jpat_mask: int[nJpatword] derived,
        /// place in its pattern of the first dof in a word of Jpat_mask (ours)
        Jpat_rank: int[nJpatword] derived,
        /// which of two bodies a dof of a pattern moves: -1 the first, 1 the second, 0 both; of the bodies of an element 1 some, 0 all (ours)
        Jpat_side: int[nJpatdof](-1..2) derived,
        /// sparsity pattern of a dof's friction or limit row (ours)
        dof_Jpat: int[nv](0..nJpat) derived,
        /// sparsity pattern of a ball joint's limit row; that of the first dof otherwise (ours)
        jnt_Jpat: int[njnt](0..nJpat) derived,
        /// sparsity pattern of a tendon's rows (ours)
        tendon_Jpat: int[ntendon](-1..nJpat) derived,
        /// sparsity pattern of an equality's rows (ours)
        eq_Jpat: int[neq](-1..nJpat) derived,
        /// cell or face of a flex whose strains an equality holds; -1: none (ours)
        eq_patch: int[neq] derived,
        /// number of strains that an equality holds (ours)
        eq_modenum: int[neq] derived,
        /// number of edges of a flex whose length depends on a dof, if a stage uses the edges (ours)
        flex_rownum: int[nflex] derived,
        /// address in flex_rod; -1: no elastic rod whose edges twist (ours)
        flex_rodadr: int[nflex](-1..nflexrod) derived,
        /// a rod at rest: direction and frame of its first edge, frames of its ends in their bodies, curvatures in the frames (ours)
        flex_rod: real[nflexrod] {one} derived,
        /// sparsity pattern of the row of a flex edge; -1: it makes none (ours)
        flexedge_Jpat: int[nflexedge](-1..nJpat) derived,
        /// number of couplings of a dof with itself and earlier dofs in efm_K_val (ours)
        efm_K_rownnz: int[nvefmK] derived,
        /// address of a dof's couplings in efm_K_val (ours)
        efm_K_rowadr: int[nvefmK] derived,
        /// dofs of the couplings, ascending in each row (ours)
        efm_K_colind: int[nefmK](0..nv) derived,
        /// number of dofs that a dof is coupled with, later ones too (ours)
        efm_S_rownnz: int[nvefmK] derived,
        /// address of the list of these dofs (ours)
        efm_S_rowadr: int[nvefmK] derived,
        /// dofs that each dof is coupled with, ascending (ours)
        efm_S_colind: int[nefmS](0..nv) derived,
        /// address of each of these couplings in efm_K_val (ours)
        efm_S_adr: int[nefmS](0..nefmK) derived,
        /// address of a dof's row in efm_L, less the dof's number (ours)
        efm_L_adr: int[nvefmK] derived,
        /// last dof of a dof's row in efm_L (ours)
        efm_L_end: int[nvefmK](0..nv) derived,
        /// first of the trees that the metric couples with a tree (ours)
        efm_tree: int[ntreeefm](0..ntree) derived,
        /// the same without passive contacts: trees that fall asleep together (ours)
        tree_tied: int[ntreeefm](0..ntree) derived,
        /// equality that holds the flex of a tree together, without which it stays awake; -1: needs none, -2: always awake (ours)
        tree_flexeq: int[ntreeflex](-2..neq) derived,
        /// a body of a flex, one of a tree if there is one (ours)
        flex_bodyid: int[nflex](0..nbody) derived,
    }
    Data {
        /// simulation time
        time: real[1] {s} input,
        /// position
        qpos: real[nq] {place} input,
        /// velocity
        qvel: real[nv] {q_s} input,
        /// actuator activation
        act: real[na] {varies} input,
        /// history buffer
        history: real[nhistory] {varies} input,
        /// plastic state
        plastic: real[nplastic] {place} input,
        /// acceleration used for warmstart
        qacc_warmstart: real[nv] {q_s2} input,
        /// control
        ctrl: real[nu] {varies} input,
        /// applied generalized force
        qfrc_applied: real[nv] {f} input,
        /// applied Cartesian force/torque
        xfrc_applied: spatial[nbody] {N, N_m @world} input,
        /// enable/disable constraints
        eq_active: int[neq] input,
        /// positions of mocap bodies
        mocap_pos: vec3[nmocap] {m @world} input,
        /// orientations of mocap bodies
        mocap_quat: quat[nmocap] {@world} input,
        /// acceleration
        qacc: real[nv] {q_s2},
        /// time-derivative of actuator activation
        act_dot: real[na] {varies},
        /// user data, not touched by the engine but for resets
        userdata: real[nuserdata] {varies} input,
        /// sensor data array
        sensordata: real[nsensordata] {varies},
        /// <0: awake; >=0: index cycle of sleeping trees
        tree_asleep: int[ntreesleep] kept,
        /// Cartesian position of body frame
        xpos: vec3[nbody] {m @world},
        /// Cartesian orientation of body frame
        xquat: quat[nbody] {@world},
        /// Cartesian orientation of body frame
        xmat: mat3[nbody] {@world},
        /// Cartesian position of body com
        xipos: vec3[nbody] {m @world},
        /// Cartesian orientation of body inertia
        ximat: mat3[nbody] {@world},
        /// Cartesian position of joint anchor
        xanchor: vec3[njnt] {m @world},
        /// Cartesian joint axis
        xaxis: vec3[njnt] {one @world},
        /// Cartesian geom position
        geom_xpos: vec3[ngeom] {m @world},
        /// Cartesian geom orientation
        geom_xmat: mat3[ngeom] {@world},
        /// Cartesian site position
        site_xpos: vec3[nsite] {m @world},
        /// Cartesian site orientation
        site_xmat: mat3[nsite] {@world},
        /// Cartesian camera position
        cam_xpos: vec3[ncam] {m @world},
        /// Cartesian camera orientation
        cam_xmat: mat3[ncam] {@world},
        /// Cartesian light position
        light_xpos: vec3[nlight] {m @world},
        /// Cartesian light direction
        light_xdir: vec3[nlight] {one @world},
        /// center of mass of each subtree
        subtree_com: vec3[nbody] {m @world},
        /// com-based motion axis of each dof (rot:lin)
        cdof: spatial[nv] {rad_q, m_q @com},
        /// com-based body inertia and mass
        cinert: inert[nbody] {@com},
        /// Cartesian flex vertex positions
        flexvert_xpos: vec3[nflexvert] {m @world},
        /// flex edge Jacobian
        flexedge_J: real[nJfe] {m_q},
        /// flex edge lengths
        flexedge_length: real[nflexedge] {m},
        /// flex contact multiplier: the largest force of a vertex's contacts (flag ipc)
        flexvert_lambda: real[nflexvertipc] {N} kept,
        /// flex contact age: <0 loaded, >0 steps since (flag ipc)
        flexvert_conage: int[nflexvertipc] kept,
        /// start address of tendon's path
        ten_wrapadr: int[ntendon],
        /// number of wrap points in path
        ten_wrapnum: int[ntendon],
        /// tendon Jacobian
        ten_J: real[nJten] {q_q},
        /// tendon lengths
        ten_length: real[ntendon] {q},
        /// Cartesian 3D points in all paths
        wrap_xpos: real[nwrap, 6] {m @world},
        /// actuator lengths, one per force output
        actuator_length: real[nout] {q},
        /// actuator moments
        actuator_moment: real[nJmom] {q_q},
        /// com-based composite inertia and mass
        crb: inert[nbody] {@com},
        /// inertia (sparse)
        M: real[nC] {inertia},
        /// L'*D*L factorization of M (sparse)
        qLD: real[nC] {varies},
        /// 1/diag(D)
        qLDiagInv: real[nv] {per_mass},
        /// is tree awake; 0: asleep; 1: awake
        tree_awake: int[ntreesleep],
        /// body sleep state: -1 static, 0 asleep, 1 awake
        body_awake: int[nbodysleep],
        /// flex edge velocities
        flexedge_velocity: real[nflexedge] {m_s},
        /// tendon velocities
        ten_velocity: real[ntendon] {q_s},
        /// actuator velocities, one per force output
        actuator_velocity: real[nout] {q_s},
        /// com-based velocity (rot:lin)
        cvel: spatial[nbody] {rad_s, m_s @com},
        /// time-derivative of cdof (rot:lin)
        cdof_dot: spatial[nv] {rad_q_s, m_q_s @com},
        /// C(qpos,qvel)
        qfrc_bias: real[nv] {f},
        /// passive spring force
        qfrc_spring: real[nv] {f},
        /// passive damper force
        qfrc_damper: real[nv] {f},
        /// passive gravity compensation force
        qfrc_gravcomp: real[nv] {f},
        /// passive fluid force
        qfrc_fluid: real[nv] {f},
        /// passive contact adhesion force
        qfrc_adhesion: real[nv] {f},
        /// total passive force
        qfrc_passive: real[nv] {f},
        /// linear velocity of subtree com
        subtree_linvel: vec3[nbody] {m_s @world},
        /// angular momentum about subtree com
        subtree_angmom: vec3[nbody] {kg_m2_s @world},
        /// L'*D*L factorization of modified M
        qH: real[nC] {varies},
        /// 1/diag(D) of modified M
        qHDiagInv: real[nv] {per_mass},
        /// d (passive + actuator - bias) / d qvel
        qDeriv: real[nDimp] {fs_qq},
        /// sparse LU of (M - dt*qDeriv)
        qLU: real[nDimp] {varies},
        /// actuator force in actuation space
        actuator_force: real[nout] {f},
        /// actuator force in joint space
        qfrc_actuator: real[nv] {f},
        /// net unconstrained force
        qfrc_smooth: real[nv] {f},
        /// unconstrained acceleration
        qacc_smooth: real[nv] {q_s2},
        /// constraint force (flag ipc: incl. flex contact)
        qfrc_constraint: real[nv] {f},
        /// net external force; should equal qfrc_applied + J'*xfrc_applied + qfrc_actuator
        qfrc_inverse: real[nv] {f},
        /// com-based acceleration
        cacc: spatial[nbody] {rad_s2, m_s2 @com},
        /// com-based interaction force with parent
        cfrc_int: spatial[nbody] {N_m, N @com},
        /// com-based external force on body
        cfrc_ext: spatial[nbody] {N_m, N @com},
        /// distance of the nearest points, negative in penetration
        contact_dist: real[nconmax] {m},
        /// position of a contact, midway between the geoms
        contact_pos: vec3[nconmax] {m @world},
        /// frame of a contact: normal from geom1 to geom2, tangents; left-handed, and in all rows the opposite of MuJoCo's, where MuJoCo has
        /// the two elements of a flex in the other order
        contact_frame: mat3[nconmax] {@world},
        /// first row of a contact; -1: none
        contact_efc_address: int[nconmax],
        /// constraint type (mjtConstraint)
        efc_type: int[njmax],
        /// id of object of specified type
        efc_id: int[njmax],
        /// constraint Jacobian: the entries of a row's sparsity pattern, in its order (ours: nJrow slots a row)
        efc_J: real[njmax, nJrow] {q_q},
        /// constraint position (equality, contact)
        efc_pos: real[njmax] {q},
        /// inclusion margin (contact)
        efc_margin: real[njmax] {q},
        /// frictionloss (friction)
        efc_frictionloss: real[njmax] {f},
        /// diagonal of A matrix, approximate or exact
        efc_diagA: real[njmax] {per_mass},
        /// stiffness, damping, impedance, imp'
        efc_KBIP: real[njmax, 4] {per_s2, per_s, one, per_q},
        /// constraint mass
        efc_D: real[njmax] {mass},
        /// inverse constraint mass
        efc_R: real[njmax] {per_mass},
        /// velocity in constraint space: J*qvel
        efc_vel: real[njmax] {q_s},
        /// reference pseudo-acceleration
        efc_aref: real[njmax] {q_s2},
        /// linear cost term: J*qacc_smooth - aref
        efc_b: real[njmax] {q_s2},
        /// constraint state (mjtConstraintState)
        efc_state: int[njmax],
        /// constraint force in constraint space
        efc_force: real[njmax] {f},
        /// island of a tree; -1: no row touches it
        tree_island: int[ntree],
        /// number of dofs of an island
        island_nv: int[ntree],
        /// first entry of an island in map_idof2dof
        island_idofadr: int[ntree],
        /// place of a dof in its island (ours: counted from the island's first); -1: no island
        map_dof2idof: int[nv],
        /// dofs by island, ascending in each
        map_idof2dof: int[nv],
        /// number of rows of an island
        island_nefc: int[ntree],
        /// first entry of an island in map_iefc2efc
        island_iefcadr: int[ntree],
        /// rows by island, ascending in each
        map_iefc2efc: int[njmax],
        /// number of contacts found
        ncon: int[1],
        /// number of equality rows
        ne: int[1],
        /// number of friction loss rows
        nf: int[1],
        /// number of limit rows
        nl: int[1],
        /// number of rows
        nefc: int[1],
        /// number of constraint islands
        nisland: int[1],
        /// potential and kinetic energy
        energy: real[2] {J},
        /// norms of the differences between forward and inverse dynamics: constraint forces, applied forces in joint space
        solver_fwdinv: real[2] {varies},
        /// control as actuators receive it, delayed where they have a delay (ours)
        ctrl_late: real[nlate] {varies},
        /// readings of sensors before a delay or an interval holds them back (ours)
        sensor_fresh: real[nfresh] {varies},
        /// sparsity pattern of a row: one of the model, or from nJpat on that of the contact counted from there (ours)
        efc_Jpat: int[njmax],
        /// place of a contact's pair in the collision list (ours)
        contact_collision: int[nconmax],
        /// elements of the sides of a contact, counted from their flex's first; -1: a geom or a vertex (ours)
        contact_elem: slot[nconelem, 2],
        /// number of dofs that move the elements of a contact of a block; 0 for other contacts (ours)
        contact_dofnum: slot[nconelem],
        /// dofs that move the elements of a contact of a block, ascending (ours)
        contact_dof: slot[nconelem, nJelem],
        /// iterations that the solver took on an island (ours)
        island_niter: int[ntree],
        /// iterations that the solver took, the sum of the islands
        solver_niter: int[1],
        /// decrease of an island's cost in a solver iteration, over the trace of the island's inertia (`ENBL_SOLVERSTAT`)
        solver_improvement: real[ntree, nsolver] {varies},
        /// norm of the gradient after a solver iteration, over the trace of the island's inertia; 0 in PGS (`ENBL_SOLVERSTAT`)
        solver_gradient: real[ntree, nsolver] {varies},
        /// slope after the line search of a solver iteration, scaled like the gradient; 0 in PGS (`ENBL_SOLVERSTAT`)
        solver_lineslope: real[ntree, nsolver] {varies},
        /// rows with a force after an iteration (`ENBL_SOLVERSTAT`)
        solver_nactive: int[ntree, nsolver],
        /// rows whose state an iteration changed (`ENBL_SOLVERSTAT`)
        solver_nchange: int[ntree, nsolver],
        /// evaluations of the cost in the line search of an iteration; 0 in PGS (`ENBL_SOLVERSTAT`)
        solver_neval: int[ntree, nsolver],
        /// rows that entered or left the Hessian in an iteration, and rows of sliding contacts; 0 but in Newton (`ENBL_SOLVERSTAT`)
        solver_nupdate: int[ntree, nsolver],
        /// number of warnings of each kind since the last reset (`mjtWarning`)
        warning: int[7] flag,
        /// overflows (`OVERFLOW_*` bits) since the last reset (ours)
        overflow: int[1] flag,
        /// largest number of contacts and of rows asked for since the last reset (ours)
        needed: int[2] flag,
        /// data of sleeping trees: qpos, qfrc_smooth, act_dot, sensordata (ours)
        latent: real[nlatent] {varies} kept,
        /// 1 if the last stage that puts trees to sleep, or wakes trees that are touched, did so (ours)
        sleep_changed: int[1],
    }
    Scratch {
        /// center and half sizes of the boxes around elements of flexes, with the flex radius; only kernels need them (ours)
        flexelem_aabb: vec3[nelemblock, 2] {m @world},
        /// center and half sizes of the boxes around runs of elements of the second sides of blocks; only kernels need them (ours)
        block_aabb: vec3[nblockrun, 2] {m @world},
        /// first and last place in the second side of a block of the elements near one of the first; 0 and -1: none; only kernels need them (ours)
        block_near: int[nblockelem, 2],
        /// velocities of the vertices of soft bodies (ours)
        flexvert_vel: vec3[nflexvert] {m_s @world},
        /// forces of the springs of the material on the vertices of soft bodies (ours)
        flexvert_spring: vec3[nflexvert] {N @world},
        /// forces of the dampers of the material on the vertices of soft bodies (ours)
        flexvert_damper: vec3[nflexvert] {N @world},
        /// plastic state of elastic rods at the present positions: frames of the edges, twists between them (ours)
        rod_plastic: real[nrod] {varies},
        /// forces of the springs of the material on nodes of soft bodies (ours)
        flexnode_spring: vec3[nflexnode] {N @world},
        /// forces of the dampers of the material on nodes of soft bodies (ours)
        flexnode_damper: vec3[nflexnode] {N @world},
        /// acceleration of bodies in the recursion for qfrc_bias (ours)
        rne_cacc: spatial[nbody] {rad_s2, m_s2 @com},
        /// force on bodies in the recursion for qfrc_bias (ours)
        rne_cfrc: spatial[nbody] {N_m, N @com},
        /// acceleration that the velocity is integrated with (ours)
        euler_qacc: real[nv] {q_s2},
        /// slope of the force on a body and its descendants over the body's velocity: 6 x 6, by columns (ours)
        slope_force: real[nbodyslope, 36] {varies},
        /// slope of the acceleration over a dof's velocity, from the turning of its axis and of its descendants' axes (ours)
        slope_turn: spatial[nvslope] {rad_q_s, m_q_s @com},
        /// slope_force times a dof's axis, less the inertia of the descendants times slope_turn (ours)
        slope_own: spatial[nvslope] {Nms_q, Ns_q @com},
        /// slope_force transposed, times a dof's axis (ours)
        slope_axis: spatial[nvslope] {Nms_q, Ns_q @com},
        /// momentum of the descendants at a unit velocity along a dof's axis (ours)
        slope_momentum: spatial[nvslope] {kg_m2_q, kg_m_q @com},
        /// row of the Jacobian, half solved by M; kernels keep it elsewhere (ours)
        half_solve: real[nvexact] {varies},
        /// total force, from which the acceleration follows (ours)
        implicit_qfrc: real[nvimp] {f},
        /// acceleration that the velocity is integrated with (ours)
        implicit_qacc: real[nvimp] {q_s2},
        /// metric of a discrete step, in M's sparsity; holds M while the metric is in M's place (ours)
        efm_M: real[nCefm] {varies},
        /// change of the spring forces over a discrete step by the velocity, -h K qvel
        efm_c: real[nvefm] {f},
        /// qfrc_smooth, while efm_c is added to it (ours)
        efm_qfrc: real[nvefm] {f},
        /// sum of D over the rows that move a dof; 0 where none does (ours)
        efm_held: real[nvefm] {varies},
        /// couplings of the metric beyond inertia: of lines along several dofs, and of soft bodies (ours)
        efm_K_val: real[nefmK] {varies},
        /// factor U D U' of the whole metric: rows of U from the diagonal to efm_L_end, D on the diagonal (ours)
        efm_L: real[nefmL] {varies},
        /// 1 / D of this factor (ours)
        efm_LDiagInv: real[nvefmK] {per_mass},
        /// how the distance of a passive contact changes with each dof of its pattern (ours)
        penalty_J: real[npenalty] {q_q},
        /// sum of the stiffness that tendons and actuators have along a dof in the metric; 0 where none acts (ours)
        efm_bound: real[nvefmK] {varies},
        /// number of iterations of an island whose statistics a kernel has written (ours)
        solver_noted: int[ntreestat],
        /// acceleration that discrete-time inverse dynamics was given (ours)
        inv_qacc: real[nv] {q_s2},
        /// constraint force of the forward pass while the inverse runs (ours)
        fwdinv_qfrc: real[nv] {f},
        /// forces of rows of the forward pass while the inverse runs (ours)
        fwdinv_force: real[njmax] {f},
        /// 1 while the inverse runs that is compared with the forward pass (ours)
        fwdinv_stage: int[1],
        /// Hessian of an island's primal problem: for every dof its row from the diagonal to solver_end (ours)
        solver_H: real[ntri] {inertia},
        /// factor U D U' of the Hessian: rows of U as in solver_H, D on the diagonal (ours)
        solver_U: real[ntri] {varies},
        /// the Hessian of kernels and its factor: for each two quads of dofs four rows of four entries (ours)
        solver_tile: quat[ntile] {varies},
        /// entries of four rows of J, for each dof of an island by its quad and place there (ours)
        solver_rows: quat[nquad, 4] {varies},
        /// 1 / D of the factor (ours)
        solver_dinv: real[nv] {per_mass},
        /// last dof that a dof of the island is coupled to by rows or inertia (ours)
        solver_end: int[nv],
        /// address of a dof's row in solver_H, less the dof's number (ours)
        solver_adr: int[nv],
        /// last dof before a dof whose row reaches it; -1: none (ours)
        solver_parent: int[nv],
        /// number of dofs of the group that begins or ends here: dofs whose rows reach each other (ours)
        solver_group: int[nv],
        /// first dof whose row reaches a dof (ours)
        solver_first: int[nv],
        /// dofs whose rows reach the columns that are being eliminated (ours)
        solver_list: int[nv],
        /// columns that are being eliminated; zero between uses (ours)
        solver_column: real[3, nvpad] {inertia},
        /// residual of each row, J qacc - aref (ours)
        solver_Jaref: real[njmax] {q_s2},
        /// J times search direction (ours)
        solver_Jv: real[njmax] {q_s2},
        /// where a row's cost is: 1 in the Hessian, 2 in its factor, 3 in both (ours)
        solver_inH: int[njmax],
        /// acceleration by a unit force of a row, J inv(M) (ours)
        solver_JMinv: real[njdual, nv] {per_inertia},
        /// J inv(M) J' of a block: rows that are set together (ours)
        solver_block: real[njdual, 6] {per_inertia},
        /// first rows of the blocks, in the order of a sweep (ours)
        solver_order: int[njdual],
        /// cost of rows along the search direction: residual, its slope, three coefficients; elliptic contacts last (ours)
        solver_quad: real[njmax, 5] {varies},
        /// M times qacc, less qfrc_smooth (ours)
        solver_Ma: real[nv] {f},
        /// M times search direction (ours)
        solver_Mv: real[nv] {f},
        /// gradient of the primal problem (ours)
        solver_grad: real[nv] {f},
        /// search direction (ours)
        solver_search: real[nv] {q_s2},
        /// gradient solved by H or M, in the island's order (ours)
        solver_Mgrad: real[nvpad] {q_s2},
        /// state at the start of an RK4 step (ours)
        rk_qpos: real[nqrk] {place},
        /// velocity at the start of an RK4 step (ours)
        rk_qvel: real[nvrk] {q_s},
        /// activation at the start of an RK4 step (ours)
        rk_act: real[nark] {varies},
        /// tendon lengths at the start of an RK4 step (ours)
        rk_ten_length: real[ntendonrk] {q},
        /// tendon Jacobian at the start of an RK4 step (ours)
        rk_ten_J: real[nJtenrk] {q_q},
        /// plastic state of elastic rods at the start of an RK4 step (ours)
        rk_rod_plastic: real[nrodrk] {varies},
        /// time at the start of an RK4 step (ours)
        rk_time: real[1] {s},
        /// stage of an RK4 step (ours)
        rk_stage: int[1],
        /// velocity of the last stage of RK4; for balls and free joints the rate of their rotation vector (ours)
        rk_vel: real[nvrk] {q_s},
        /// weighted sum of the velocities of RK4's stages (ours)
        rk_dqpos: real[nvrk] {q_s},
        /// weighted sum of the accelerations of RK4's stages (ours)
        rk_dqvel: real[nvrk] {q_s2},
        /// weighted sum of the derivatives of the activation at RK4's stages (ours)
        rk_dact: real[nark] {varies},
    }
}
