//! Exchange of arrays with buffers of others on the same device: nothing passes through the host.

use crate::error::{Error, Result};
use crate::fields::{Elem, Field};
use crate::gpu::transfer::{Place, Span};
use crate::gpu::worlds::Gpu;

impl Gpu {
    /// Copies an array of all worlds into a buffer, worlds one after the other.
    pub(crate) fn copy_to(&self, field: &Field, to: Place<'_>) -> Result<()> {
        self.exchange(field, to, true)
    }

    /// Copies an array of all worlds out of a buffer. Integers are refused: kernels do not check the bounds that they must keep.
    pub(crate) fn copy_from(&self, field: &Field, from: Place<'_>) -> Result<()> {
        if field.elem == Elem::Int {
            return Err(Error::Input(format!(
                "{} is an array of integers: set it from the host, where they are checked",
                field.name
            )));
        }
        self.exchange(field, from, false)
    }

    fn exchange(&self, field: &Field, place: Place<'_>, read: bool) -> Result<()> {
        let (_, span) = self.span(field.name)?;
        if field.words(self.model()) == 0 {
            return Ok(());
        }
        if span.words == 0 {
            return Err(Error::Input(format!(
                "{} is not kept on the device: no stage of this model uses it",
                field.name
            )));
        }
        self.fits(field.name, place, span)?;
        for chunk in &self.chunks {
            let n = (chunk.worlds.end - chunk.worlds.start) as u32;
            let at = place.at + 4 * chunk.worlds.start * u64::from(span.words);
            let part = Place { at, ..place };
            self.transfer
                .aside(&self.device, &chunk.data, part, read, n, span);
        }
        self.device.check()
    }

    // checks that a buffer has room for the rows of all worlds, and may be bound
    fn fits(&self, name: &str, place: Place<'_>, span: Span) -> Result<()> {
        let bytes = 4 * self.nworld() as u64 * u64::from(span.words);
        let need = place.at.saturating_add(bytes);
        let have = place.buffer.size();
        if need > have {
            return Err(Error::Size {
                what: format!("bytes of a buffer for {name} of all worlds"),
                need,
                have,
            });
        }
        if !place.at.is_multiple_of(4) {
            let at = place.at;
            return Err(Error::Input(format!(
                "byte {at} of a buffer is not the first of a word: give a multiple of 4"
            )));
        }
        match place.buffer.usage().contains(wgpu::BufferUsages::STORAGE) {
            true => Ok(()),
            false => Err(Error::Input(
                "a buffer without the usage STORAGE cannot be bound to kernels".to_owned(),
            )),
        }
    }
}
