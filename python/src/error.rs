//! Errors of the library as Python exceptions.

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
    "A feature of MuJoCo that this version does not have."
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

/// Names in errors of the library, and their names in Python. A name that is a prefix of another comes after it.
const NAMES: &[(&str, &str)] = &[
    ("Model::bind_control_wgsl", "Model.with_wgsl(control=...)"),
    ("Model::bind_passive_wgsl", "Model.with_wgsl(passive=...)"),
    (
        "Model::bind_contact_filter_wgsl",
        "Model.with_wgsl(contact_filter=...)",
    ),
    (
        "Model::bind_collision_wgsl",
        "Model.with_wgsl(collisions=...)",
    ),
    ("Model::bind_sdf_wgsl", "Model.with_wgsl(distances=...)"),
    ("Model::bind_sensor_wgsl", "Model.with_wgsl(sensors=...)"),
    ("Model::bind_user_wgsl", "Model.with_wgsl(actuators=...)"),
    ("Model::bind_control", "Model.with_functions(control=...)"),
    ("Model::bind_passive", "Model.with_functions(passive=...)"),
    (
        "Model::bind_contact_filter",
        "Model.with_functions(contact_filter=...)",
    ),
    (
        "Model::bind_collision",
        "Model.with_functions(collisions=...)",
    ),
    ("Model::bind_sdf", "Model.with_functions(distances=...)"),
    ("Model::bind_sensor", "Model.with_functions(sensors=...)"),
    ("Model::bind_user", "Model.with_functions(actuators=...)"),
    (
        "remove the functions by Model::unbind",
        "use the model without the functions",
    ),
    (
        "remove the texts by Model::unbind",
        "use the model without the texts",
    ),
    ("Model::edit", "Model.edited"),
    (
        "after Batch::expand, Batch::set, set_where and read accept it",
        "Batch.expand lets worlds differ in it, and returns its array",
    ),
    ("Batch::set_const", "Batch.set_const"),
    ("Batch::expand", "Batch.expand"),
    ("Backend::Cpu", "backend=\"cpu\""),
    ("Settings::rne_post", "rne_post=True"),
    // advice about limits that cannot be set from Python is dropped
    ("; raise `Limits::depth`", ""),
    ("; raise `Limits::elements`", ""),
    ("; raise `Limits::files`", ""),
    ("; raise `Limits::nodes`", ""),
    ("`Limits::root` of the library", "`root=` from Python"),
    (
        "`Limits::packages` of the library",
        "`packages=` from Python",
    ),
];

fn in_python(text: &str) -> String {
    let renamed = |text: String, (rust, python): &(&str, &str)| text.replace(rust, python);
    NAMES.iter().fold(text.to_owned(), renamed)
}

// an error of worlds without room, with the first of them as `ids`
fn capacity(text: String, world: usize) -> PyErr {
    let e = CapacityError::new_err(text);
    let set = Python::attach(|py| e.value(py).setattr("ids", [world]));
    set.map_or_else(|failed| failed, |()| e)
}

/// The exception for an error, with Python's names in its text.
pub fn raised(e: Error) -> PyErr {
    let text = in_python(&e.to_string());
    match e {
        Error::Mjcf { .. } | Error::Several(_) => ModelError::new_err(text),
        Error::Missing(_) => UnsupportedError::new_err(text),
        Error::Overflow { world, .. } => capacity(text, world),
        Error::Device(_) | Error::Shader { .. } => DeviceError::new_err(text),
        Error::Size { .. } => pyo3::exceptions::PyMemoryError::new_err(text),
        Error::Io { source, .. } => match source.raw_os_error() {
            Some(number) => PyOSError::new_err((number, text)),
            None => PyOSError::new_err(text),
        },
        _ => PyValueError::new_err(text),
    }
}
