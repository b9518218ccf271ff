//! The device: every world at once, in `f32`.
//!
//! * [`device`] finds an adapter and opens it;
//! * [`arena`] says where each word of each array lies;
//! * [`wgsl`] assembles a module for a run of stages: how to write a stage is told there; [`lex`], [`generic`] and
//!   [`accessor`] are its parts, [`module`] is what comes out; [`unroll`] writes it once more for one model alone;
//! * [`tune`] remembers what was found fastest;
//! * [`worlds`] holds the worlds, [`config`] says how, [`transfer`] moves arrays between them and the host, [`asked`] where nothing can
//!   be waited for;
//! * [`run`] walks them through the stages, [`verify`] holds the stages against their twins.

#[doc(hidden)]
pub mod accessor;
pub mod arena;
pub mod asked;
pub mod config;
pub mod device;
#[doc(hidden)]
pub mod generic;
#[doc(hidden)]
pub mod lex;
#[doc(hidden)]
pub mod module;
pub mod run;
#[doc(hidden)]
pub mod solids;
#[doc(hidden)]
pub mod ties;
#[doc(hidden)]
pub mod transfer;
pub mod tune;
#[doc(hidden)]
pub mod unroll;
pub mod verify;
pub mod wgsl;
pub mod worlds;

pub use asked::Asked;
pub use config::{Config, Unroll, Values};
pub use device::Device;
/// The library that devices are of, for those that are opened elsewhere.
pub use wgpu;
pub use worlds::Gpu;
