//! The device: every world at once, in `f32`.
//!
//! * [`device`] finds an adapter and opens it;
//! * [`arena`] says where each word of each array lies;
//! * [`wgsl`] assembles a module for a run of stages: how to write a stage is told there; [`library`], [`lex`], `generic` and
//!   `accessor` are its parts, [`facts`] says what a model's module need not have, `own` puts texts of one's own among them, [`module`] is
//!   what comes out; [`unroll`] writes it once more for one model alone;
//! * [`dataflow`] tells which arrays stages read and write;
//! * [`tune`] remembers what was found fastest;
//! * `worlds` holds the worlds, [`config`] says how, `transfer` moves arrays between them and the host, `asked` where nothing can
//!   be waited for, `lot` says where they lie to what reads them there;
//! * [`run`] walks them through the stages, [`verify`] holds the stages against their twins.

pub(crate) mod accessor;
pub mod arena;
pub(crate) mod asked;
pub mod config;
pub mod dataflow;
pub mod device;
pub mod facts;
pub(crate) mod generic;
pub mod lex;
pub mod library;
pub(crate) mod lot;
pub mod module;
pub(crate) mod own;
mod pipelines;
pub mod run;
pub(crate) mod solids;
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
