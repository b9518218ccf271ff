//! Text → [`Spec`]: what a model says, before anything is computed from it.
//!
//! [`schema`] is the table of all that may be said. Reading checks a text against it, merges default classes, resolves
//! `include`, `replicate` and `attach`, and lowers actuator shortcuts; what is left is a [`Spec`], which `compile` turns
//! into a model.

#[macro_use]
pub mod table;
pub(crate) mod nearest;
pub mod schema;
pub mod source;
pub mod spec;

pub use spec::Spec;
