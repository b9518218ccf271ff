//! Spec → Model: the compiler.

pub mod layout;
