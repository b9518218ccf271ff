//! What goes wrong, as Python's exceptions.

use manyworlds::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyKeyError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

create_exception!(
    manyworlds,
    ModelError,
    PyValueError,
    "A mistake in a model: file, line, column, element and remedy."
);
create_exception!(
    manyworlds,
    UnsupportedError,
    ModelError,
    "Something that MuJoCo has and this version has not."
);
create_exception!(
    manyworlds,
    CapacityError,
    PyRuntimeError,
    "Worlds need more contacts or constraint rows than they have room for."
);
create_exception!(
    manyworlds,
    DeviceError,
    PyRuntimeError,
    "A device refused, was lost or does not exist."
);
create_exception!(
    manyworlds,
    FieldError,
    PyKeyError,
    "No array has this name."
);

/// The exception that an error is.
pub fn raised(e: Error) -> PyErr {
    let text = e.to_string();
    match e {
        Error::Mjcf { .. } | Error::Several(_) => ModelError::new_err(text),
        Error::Unsupported { .. } | Error::Missing(_) => UnsupportedError::new_err(text),
        Error::Overflow { .. } => CapacityError::new_err(text),
        Error::Device(_) | Error::Shader { .. } => DeviceError::new_err(text),
        Error::Size { .. } => pyo3::exceptions::PyMemoryError::new_err(text),
        Error::Io { source, .. } => match source.raw_os_error() {
            Some(number) => PyOSError::new_err((number, text)),
            None => PyOSError::new_err(text),
        },
        _ => PyValueError::new_err(text),
    }
}
