//! The extension module `manyworlds._core`: models and batches for Python. What is friendly about them is written in Python
//! (`python/manyworlds`); here is what needs Rust.

mod array;
mod batch;
mod error;
mod model;

use pyo3::prelude::*;

/// Runs the program `manyworlds` with its arguments, the first of which is its name; its exit code.
#[pyfunction]
fn program(py: Python<'_>, args: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| manyworlds::cli::program(args.into_iter()))
}

/// Models and batches.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::batch::{Batch, Saved};
    #[pymodule_export]
    use super::error::{CapacityError, DeviceError, FieldError, ModelError, UnsupportedError};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::program;
}
