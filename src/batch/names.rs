//! Backend, fields and inputs of a batch, by name.

use super::{Backend, Batch, field};
use crate::error::Result;
use crate::fields::{Field, INPUTS};

impl Batch {
    /// The backend that runs the worlds.
    pub fn backend(&self) -> Backend {
        self.worlds.backend()
    }

    /// The table row of an array that [`Batch::read`] knows.
    ///
    /// # Errors
    /// [`crate::Error::Input`] on a name that is no array of a world, with the nearest name of one.
    pub fn field(name: &str) -> Result<&'static Field> {
        field(name)
    }

    /// True for the arrays that [`Batch::set`] takes.
    pub fn is_input(name: &str) -> bool {
        INPUTS.contains(&name) || name == "qacc"
    }
}
