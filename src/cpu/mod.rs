//! The CPU pipeline: one twin a stage, `f64`, one world; the reference that every shader is held against.

pub mod lib;
