//! Functions that several twins use; `shaders/lib` holds the same ones under the same names.

pub mod actuator;
pub mod chains;
pub mod cone;
pub mod contact;
pub mod dcmotor;
pub mod dual;
pub mod equality;
pub mod force;
pub mod hessian;
pub mod impedance;
pub mod integrate;
pub mod jac;
pub mod linesearch;
pub mod math;
pub mod medium;
pub mod pose;
pub mod primal;
pub mod restart;
pub mod rows;
pub mod servo;
pub mod skyline;
pub mod slope;
pub mod sparse;
pub mod spatial;
pub mod warning;
pub mod wrap;
