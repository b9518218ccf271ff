//! Set inputs, step and read outputs in one call, in the precision of the caller.
//!
//! ```text
//! control([("ctrl", u)], n, [("qpos", q)])      a tile:  save state ▸ ctrl ▸ n steps      then, tile by tile:  q
//! ```

use super::slices::{Columns, In, Out};
use super::{Batch, Mask, What, field};
use crate::error::{Error, Result};

impl Batch {
    /// Sets inputs of all worlds, advances every world by `n` steps and reads fields of all worlds, tile by tile on all threads.
    ///
    /// An input is N × shape, world after world, or one row for all; its names are those of [`Batch::set`]. An output is
    /// N × shape; its names are those of [`Batch::read`], and an integer field may be read into a buffer of reals. The result equals
    /// [`Batch::set`], [`Batch::step`] and [`Batch::read`] one after the other, to the bit. After the first call nothing is
    /// allocated on the CPU, but for outputs of contacts, constraint rows and islands.
    ///
    /// ```
    /// use manyworlds::batch::{In, Out};
    /// use manyworlds::{Batch, Model};
    ///
    /// # fn main() -> manyworlds::Result<()> {
    /// let model = Model::from_xml_path("models/humanoid.xml")?;
    /// let mut batch = Batch::new(&model, 16)?;
    /// let u = vec![0.1f32; 16 * model.nu];
    /// let mut qpos = vec![0f32; 16 * model.nq];
    /// batch.control(&[("ctrl", In::F32(&u))], 5, &mut [("qpos", Out::F32(&mut qpos))])?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fails with [`Error::Input`] on a name or a number of values that does not fit, and then no world has changed; with
    /// [`Error::Overflow`] like [`Batch::step`], and then the outputs are filled all the same.
    pub fn control(
        &mut self,
        inputs: &[(&str, In<'_>)],
        n: usize,
        outputs: &mut [(&str, Out<'_>)],
    ) -> Result<()> {
        for (name, out) in &*outputs {
            let field = field(name)?;
            out.check(field, self.nworld * field.words(&self.model))?;
        }
        let mut bound = std::mem::take(&mut self.bound);
        bound.clear();
        for (name, values) in inputs {
            bound.push(self.input(name, values.len())?);
        }
        let done = self.attempt(What::Step(n), &bound, inputs);
        self.bound = bound;
        if matches!(done, Ok(()) | Err(Error::Overflow { .. })) {
            for (name, out) in outputs {
                self.read_into(name, out.again())?;
            }
        }
        done
    }

    /// Reads a field of all worlds into a buffer of the caller, N × shape, world after world, in the precision of the caller.
    ///
    /// An integer field may be read into a buffer of reals. Fails with [`Error::Input`] on a name that is no array of a world, on a buffer
    /// of another length, and on a real field with a buffer of integers.
    pub fn read_into<'a>(&mut self, name: &str, out: impl Into<Out<'a>>) -> Result<()> {
        self.read_some(name, None, out.into())
    }

    /// [`Batch::read_into`] for the worlds whose mask is true: other rows of the buffer stay as they are.
    ///
    /// Fails like it, and with [`Error::Input`] on a mask of another length than N.
    pub fn read_into_where<'a>(
        &mut self,
        name: &str,
        mask: &[bool],
        out: impl Into<Out<'a>>,
    ) -> Result<()> {
        self.check_mask(mask)?;
        self.read_some(name, Some(mask), out.into())
    }

    fn read_some(&mut self, name: &str, mask: Mask<'_>, out: Out<'_>) -> Result<()> {
        let field = field(name)?;
        let words = field.words(&self.model);
        out.check(field, self.nworld * words)?;
        self.worlds
            .read_into(&self.model, field, mask, Columns::all(words), out)
    }

    /// Copies world `from` to the worlds `to`: state, inputs, warnings and overflows, all fields that the future depends on.
    /// Fields computed from the state follow with the next call.
    ///
    /// Fails with [`Error::Input`] on an index that is not below the number of worlds.
    pub fn copy(&mut self, from: usize, to: &[usize]) -> Result<()> {
        let have = self.nworld;
        if let Some(w) = to.iter().chain([&from]).find(|&&w| w >= have) {
            return Err(Error::Input(format!(
                "there is no world {w}: the batch has {have}, counted from 0"
            )));
        }
        self.known = false;
        self.worlds.copy(&self.model, from, to)
    }
}
