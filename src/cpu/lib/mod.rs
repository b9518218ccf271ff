//! Functions that several twins use; `shaders/lib` holds the same ones under the same names.

pub mod math;
pub mod spatial;
