//! The kernels over all worlds.

use super::{Settings, Worlds};
use crate::error::{Error, Result};
use crate::fields::Model;

/// True if there is an adapter that is no software.
pub(super) fn hardware() -> bool {
    false
}

pub(super) fn open(_m: &Model, _nworld: usize, _settings: &Settings) -> Result<Box<dyn Worlds>> {
    Err(Error::Device(
        "the kernels are not yet part of this version".to_owned(),
    ))
}
