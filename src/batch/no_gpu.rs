//! Stand-in for the kernels in a build without the feature `gpu`.

use super::{Memory, Settings, Worlds};
use crate::error::{Error, Result};
use crate::fields::Model;

/// The reason why [`super::Backend::Auto`] takes the CPU.
pub(super) const NO_HARDWARE: &str = "built without the feature `gpu`";

fn refused<T>() -> Result<T> {
    let msg = "this is built without the feature `gpu`: build with `--features gpu`, or take the backend simd or cpu";
    Err(Error::Device(msg.to_owned()))
}

pub(super) fn hardware() -> Option<&'static str> {
    None
}

pub(super) fn open(_m: &Model, _nworld: usize, _settings: &Settings) -> Result<Box<dyn Worlds>> {
    refused()
}

pub(super) fn open_hardware(
    m: &Model,
    nworld: usize,
    settings: &Settings,
) -> Result<Box<dyn Worlds>> {
    open(m, nworld, settings)
}

pub(super) fn arrays(_m: &Model) -> Result<Vec<(&'static str, u64, bool)>> {
    refused()
}

pub(super) fn world(_m: &Model) -> Result<Memory> {
    refused()
}
