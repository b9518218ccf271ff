//! The extension module `manyworlds._core`: models and batches for Python. The user interface is written in Python
//! (`python/manyworlds`); this module has the parts that need Rust.

mod array;
mod batch;
mod calls;
mod draws;
mod error;
mod functions;
mod model;
#[cfg(feature = "view")]
mod render;
mod texts;

use manyworlds::level::{self, Level};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Runs the program `manyworlds` with its arguments (the first is its name); returns its exit code.
#[pyfunction]
fn program(py: Python<'_>, args: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| manyworlds::cli::program(args.into_iter()))
}

/// The processor level of the build to load, among this build and the `wider` ones: the highest that the machine can run, or
/// the requested one.
#[pyfunction]
fn choose_level(wider: Vec<String>, asked: Option<&str>) -> PyResult<&'static str> {
    let known = [Level::V2, Level::V3, Level::V4];
    let named = known
        .into_iter()
        .filter(|level| wider.iter().any(|name| name == level.short()));
    let builds: Vec<Level> = std::iter::once(Level::built()).chain(named).collect();
    let chosen = level::choose(&builds, Level::machine(), asked).map_err(PyValueError::new_err)?;
    Ok(chosen.short())
}

/// Models and batches.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use super::batch::{Batch, Saved};
    #[pymodule_export]
    use super::calls::{
        Tape, apply_ft, contact_force, differentiate_pos, full_m, geom_distance, integrate_pos,
        inverse_slopes, jac, jac_of, jac_subtree_com, mul_m, object_acceleration, object_velocity,
        ray, record, recover, solve_m, transition,
    };
    #[pymodule_export]
    use super::draws::{draw, draw_keys};
    #[pymodule_export]
    use super::error::{CapacityError, DeviceError, FieldError, ModelError, UnsupportedError};
    #[pymodule_export]
    use super::functions::{Actuator, World};
    #[pymodule_export]
    use super::model::Model;
    #[cfg(feature = "view")]
    #[pymodule_export]
    use super::render::Renderer;
    #[pymodule_export]
    use super::{choose_level, program};
}
