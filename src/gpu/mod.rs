//! The device: every world at once, in `f32`.
//!
//! * [`device`] finds an adapter and opens it;
//! * [`arena`] says where each word of each array lies;
//! * [`wgsl`] assembles a module for a run of stages: how to write a stage is told there;
//! * [`run`] holds the worlds and walks them through the stages;
//! * [`transfer`] moves arrays between the host and the worlds.

pub mod arena;
pub mod device;
pub mod generic;
pub mod lex;
pub mod run;
pub mod transfer;
pub mod wgsl;
