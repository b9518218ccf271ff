//! From text to model: MJCF, URDF, archives, compiled models, edits, units, and bad input of every kind.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../fuzz/targets.rs"]
mod targets;

mod archive;
mod bad_models;
mod compile;
mod compile_file;
mod edit;
mod fuzz;
mod hull;
mod limits;
mod mjcf;
mod mjcf_fuzz;
mod units;
mod urdf;
