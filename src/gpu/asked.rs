//! Arrays in transfer to a host that cannot wait for them, such as a page.

use crate::error::{Error, Result};
use crate::fields::Field;
use crate::gpu::config::Values;
use crate::gpu::device::Device;
use crate::gpu::transfer::Span;
use crate::gpu::worlds::Gpu;

/// A pending read of arrays of all worlds, with their values at the time of [`Gpu::ask`].
#[derive(Debug)]
pub struct Asked {
    device: Device,
    back: wgpu::Buffer,
    // each with its number of words in all worlds
    fields: Vec<(&'static Field, usize)>,
}

impl Asked {
    /// The arrays, each of all worlds as by [`Gpu::read`]. In a browser the future is ready once the event loop has run; elsewhere this
    /// waits for the arrays. Fails with [`Error::Device`] where the device does.
    pub async fn answer(self) -> Result<Vec<(&'static Field, Values)>> {
        let total: usize = self.fields.iter().map(|(_, words)| words).sum();
        let mut words = Vec::with_capacity(total);
        let answer = self.device.words_of(&self.back, total as u64, &mut words);
        answer.await?;
        let mut rest = &words[..];
        let arrays = self.fields.iter().map(|&(field, num)| {
            let (own, others) = rest.split_at(num);
            rest = others;
            (field, Values::from_words(field.elem, own))
        });
        Ok(arrays.collect())
    }
}

impl Gpu {
    /// Asks the device for arrays of all worlds.
    ///
    /// Fails with [`Error::Input`] on an array that the worlds do not keep, and with [`Error::Size`] where all arrays together are more
    /// than a buffer holds.
    pub fn ask(&self, fields: &[&'static Field]) -> Result<Asked> {
        let spans: Vec<Span> = fields
            .iter()
            .map(|field| Ok(self.span(field.name)?.1))
            .collect::<Result<_>>()?;
        let words = |span: &Span| span.words as usize * self.nworld();
        let bytes = 4 * spans.iter().map(words).sum::<usize>() as u64;
        let most = self.device.limits().max_buffer_size;
        if bytes > most {
            return Err(Error::Size {
                what: "bytes to be read at once".to_owned(),
                need: bytes,
                have: most,
            });
        }
        use wgpu::BufferUsages as Use;
        let back = self
            .device
            .buffer("asked", bytes / 4, Use::MAP_READ | Use::COPY_DST);
        let mut at = 0;
        for &span in &spans {
            for chunk in &self.chunks {
                let n = chunk.worlds.end - chunk.worlds.start;
                self.transfer
                    .ask(&self.device, &chunk.data, n as u32, span, (&back, at));
                at += 4 * n * u64::from(span.words);
            }
        }
        self.device.check()?;
        Ok(Asked {
            device: self.device.clone(),
            back,
            fields: fields
                .iter()
                .copied()
                .zip(spans.iter().map(words))
                .collect(),
        })
    }
}
