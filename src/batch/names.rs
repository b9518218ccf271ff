//! Backend, fields and inputs of a batch, by name.

use super::{Backend, Batch, own};
use crate::error::{Error, Result};
use crate::fields::{FIELDS, Field, INPUTS, Room};
use crate::mjcf::nearest::nearest;

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

/// The row of an array of a world, by its name.
pub(crate) fn field(name: &str) -> Result<&'static Field> {
    match crate::fields::field(name) {
        Some(field) if field.room == Room::Data => return Ok(field),
        _ => {}
    }
    if own::is_of_model(name) {
        return Err(Error::Input(format!(
            "{name} is a field of the model, which all worlds share: after Batch::expand, Batch::set, set_where and read accept it"
        )));
    }
    let names = FIELDS.iter().filter(|field| field.room == Room::Data);
    let hint = match nearest(name, names.map(|field| field.name)) {
        Some(near) => format!("; did you mean {near}?"),
        None => String::new(),
    };
    Err(Error::Input(format!("{name} is no array of a world{hint}")))
}
