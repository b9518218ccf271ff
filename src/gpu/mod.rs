//! The device: every world at once, in `f32`.
//!
//! * [`device`] finds an adapter and opens it;
//! * [`arena`] assigns an address to each word of each array;
//! * [`wgsl`] assembles a module for a sequence of stages, and documents how to write a stage; [`library`], [`lex`], `generic` and
//!   `accessor` are its parts, [`facts`] says which code a model's module can leave out, `own` adds user texts, [`module`] is
//!   the result; [`unroll`] rewrites it for one model alone;
//! * [`dataflow`] finds the arrays that stages read and write;
//! * [`tune`] stores the fastest settings that were measured;
//! * `worlds` holds the worlds, [`config`] their settings, `transfer` moves arrays between them and the host, `asked` does so where the host
//!   cannot wait, `lot` gives the worlds' places to other shaders, `exchange` copies arrays to and from buffers of others;
//! * `barrier` makes one barrier of several, `subgroup` finds out whether a workgroup is one subgroup;
//! * [`run`] runs the stages on the worlds, `hosted` those without a kernel, [`verify`] compares the stages with their twins.

pub(crate) mod accessor;
pub mod arena;
pub(crate) mod asked;
mod barrier;
mod chunk;
pub mod config;
pub mod dataflow;
pub mod device;
mod exchange;
pub mod facts;
pub(crate) mod generic;
mod hosted;
pub mod lex;
pub mod library;
#[cfg(feature = "scene")]
pub(crate) mod lot;
pub mod module;
pub(crate) mod own;
mod pipelines;
pub mod run;
pub(crate) mod sdf;
pub(crate) mod solids;
mod subgroup;
pub mod ties;
pub(crate) mod transfer;
pub mod tune;
pub mod unroll;
pub mod verify;
pub mod wgsl;
pub(crate) mod worlds;

pub use asked::Asked;
pub use config::{Config, Unroll, Values};
pub use device::Device;
pub use worlds::Gpu;
