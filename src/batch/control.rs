//! Fast hands: numbers in, steps, numbers out, in one call and in the precision of the caller.
//!
//! ```text
//! control([("ctrl", u)], n, [("qpos", q)])      a tile:  keep aside ▸ ctrl ▸ n steps      then, tile by tile:  q
//! ```

use super::slices::{Columns, In, Out};
use super::{Batch, What, field};
use crate::error::{Error, Result};

impl Batch {
    /// Sets inputs of all worlds, takes every world `n` steps on and reads fields of all worlds, tile by tile on all threads.
    ///
    /// An input is N × shape, world after world, or one row for all; its names are those of [`Batch::set`]. An output is
    /// N × shape; its names are those of [`Batch::read`], and integers may go into room for reals. The result is that of
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
    /// Fails with [`Error::Input`] on a name or a number of values that does not fit, and then nothing has happened; with
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

    /// Reads a field of all worlds into room of the caller, N × shape, world after world, in the precision of the caller.
    ///
    /// Integers may go into room for reals. Fails with [`Error::Input`] on a name that is no array of a world, on room for
    /// another number of values, and on reals for which there is room for integers.
    pub fn read_into<'a>(&mut self, name: &str, out: impl Into<Out<'a>>) -> Result<()> {
        let (field, out) = (field(name)?, out.into());
        let words = field.words(&self.model);
        out.check(field, self.nworld * words)?;
        self.worlds
            .read_into(&self.model, field, Columns::all(words), out)
    }

    /// Gives worlds the state of another: inputs, warnings and overflows, all that the future depends on. What is computed of
    /// the state follows with the next call.
    ///
    /// Fails with [`Error::Input`] on a number that is no world's.
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
