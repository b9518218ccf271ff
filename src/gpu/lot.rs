//! Where worlds lie on the device, for what reads them there.

use crate::gpu::worlds::Gpu;
use std::ops::Range;

/// Worlds that lie in one buffer.
#[derive(Clone, Debug)]
pub(crate) struct Lot {
    /// Their words.
    pub(crate) words: wgpu::Buffer,
    /// Their numbers.
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

    /// Worlds whose words are interleaved, and words of a world: word e of world t of a tile lies at e x tile + t behind the tiles before it.
    pub(crate) fn tiles(&self) -> [u32; 2] {
        [self.layout.tile, self.layout.world_words]
    }

    /// First word of an array in a world; none of one that is not kept there.
    pub(crate) fn first_word(&self, name: &str) -> Option<u32> {
        let (_, span) = self.span(name).ok()?;
        (span.words > 0).then_some(span.offset)
    }
}
