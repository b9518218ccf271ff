//! Consistency of the house: tables, shaders, twins, comments, the public face, and kernels in the languages of other platforms. No device is
//! needed.

#[path = "../common/mod.rs"]
mod common;

mod comments;
mod face;
mod portable;
mod tables;
