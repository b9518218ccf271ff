//! Text, MJCF or URDF → [`Spec`]: the description of a model, before anything is computed from it.
//!
//! [`schema`] is the table of all elements and attributes. Reading checks a text against it, merges default classes, resolves
//! `include`, `replicate` and `attach`, and translates actuator shortcuts. The result is a [`Spec`], which `compile` turns into a
//! model.

#[macro_use]
#[doc(hidden)]
pub mod table;
mod actuator;
pub(crate) mod archive;
mod assets;
mod attach;
mod attrs;
mod build;
mod checks;
mod copies;
mod defaults;
pub(crate) mod files;
mod finish;
mod flex;
mod flexcage;
mod flexpin;
mod flexrod;
mod flexshape;
pub(crate) mod limits;
mod log;
mod merge;
mod names;
pub(crate) mod nearest;
mod packages;
mod plugin;
mod read;
mod scan;
pub mod schema;
mod sections;
mod settings;
mod shortcut;
#[doc(hidden)]
pub mod source;
#[doc(hidden)]
pub mod spec;
mod tree;
mod units;
mod urdf;
mod write;
mod xml;

pub use files::Files;
pub use limits::Limits;
pub use spec::{Actuator, FrameId, Spec};
pub use table::Keys;
