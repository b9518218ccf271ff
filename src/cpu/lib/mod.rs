//! Functions that several twins use; `shaders/lib` holds the same ones under the same names.

pub mod actuator;
pub mod contact;
pub mod force;
pub mod impedance;
pub mod integrate;
pub mod jac;
pub mod math;
pub mod pose;
pub mod sparse;
pub mod spatial;
pub mod warning;
pub mod wrap;
