//! MuJoCo's physics for thousands of worlds at once.

pub(crate) mod asset;
pub mod batch;
pub mod compile;
pub mod cpu;
pub mod data;
pub mod error;
pub mod fields;
pub mod gpu;
pub mod mjcf;
pub mod model;
pub mod real;
pub mod simd;
pub mod stages;
pub mod types;

pub use batch::Batch;
pub use data::Data;
pub use error::{Error, Result};
pub use model::Model;
