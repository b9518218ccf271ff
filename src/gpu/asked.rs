//! Arrays on their way to a host that cannot wait for them, such as a page.

use crate::error::{Error, Result};
use crate::fields::Field;
use crate::gpu::config::Values;
use crate::gpu::device::Device;
use crate::gpu::transfer::Span;
use crate::gpu::worlds::Gpu;

/// Arrays of every world that the device has been asked for, as they were when it was asked.
#[derive(Debug)]
pub struct Asked {
    device: Device,
    back: wgpu::Buffer,
    // each with its number of words over all worlds
    fields: Vec<(&'static Field, usize)>,
}

impl Asked {
    /// The arrays, each of all worlds as by [`Gpu::read`]. In a browser they are there once its loop of events has turned; elsewhere this
    /// waits for them. Fails with [`Error::Device`] where the device does.
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
    /// Asks the device for arrays of every world.
    ///
    /// Fails with [`Error::Input`] on an array that the worlds do not keep, and with [`Error::Size`] where all of them together are more
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
