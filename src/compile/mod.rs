//! Spec → Model: the compiler.

pub mod capacity;
pub mod layout;
pub mod pair;
pub mod pattern;
