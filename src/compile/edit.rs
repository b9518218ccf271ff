//! The door through which a model is written: what is changed is derived from again, and looked at, before it is a model.

use super::layout;
use crate::error::{Error, Result};
use crate::fields::{Arrays, FIELDS, Model, Room, View};

impl Model {
    /// Changes a model: `change` writes into its arrays, then everything that follows from them is derived again.
    ///
    /// Returns what `change` returns. Where it fails, the model is as it was.
    ///
    /// # Errors
    /// As [`Model::from_arrays`].
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut Arrays) -> T) -> Result<T> {
        let mut arrays = (**self).clone();
        let out = change(&mut arrays);
        layout::layout(&mut arrays)?;
        *self = Model::from_arrays(arrays)?;
        Ok(out)
    }

    /// A model of arrays that hold everything, what is derived too ([`layout::layout`] derives what is ours).
    ///
    /// # Errors
    /// [`Error::Input`] with the name of an array that has not the length that the sizes say.
    pub fn from_arrays(arrays: Arrays) -> Result<Model> {
        for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
            let have = match arrays.field(field.name) {
                Some(View::Int(x)) => x.len(),
                Some(View::Real(x)) => x.len(),
                None => 0,
            };
            if have != field.words(&arrays) {
                return Err(Error::Input(format!(
                    "{} has {have} numbers, which is not what the sizes {:?} of the model say",
                    field.name, field.dims
                )));
            }
        }
        Ok(Model::unchecked(arrays))
    }
}
