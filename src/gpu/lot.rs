//! The places of worlds on the device, for other shaders that read them.

use crate::gpu::worlds::Gpu;
use std::ops::Range;

/// Worlds in one buffer.
#[derive(Clone, Debug)]
pub(crate) struct Lot {
    /// The words of the worlds.
    pub(crate) words: wgpu::Buffer,
    /// The indices of the worlds.
    pub(crate) worlds: Range<usize>,
}

impl Gpu {
    /// The worlds, buffer by buffer.
    pub(crate) fn lots(&self) -> impl Iterator<Item = Lot> {
        self.chunks.iter().map(|chunk| Lot {
            words: chunk.data.clone(),
            worlds: chunk.worlds.start as usize..chunk.worlds.end as usize,
        })
    }

    /// Worlds per tile, and words per world. Word e of world t of a tile is at e x tile + t behind the preceding tiles.
    pub(crate) fn tiles(&self) -> [u32; 2] {
        [self.layout.tile, self.layout.world_words]
    }

    /// First word of an array in a world; none for an array that is not kept there.
    pub(crate) fn first_word(&self, name: &str) -> Option<u32> {
        let (_, span) = self.span(name).ok()?;
        (span.words > 0).then_some(span.offset)
    }
}
