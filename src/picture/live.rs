//! Poses that stay on the device, where both the batch and the renderer run.

use super::looks::{Element, Shown};
use crate::error::{Error, Result};
use crate::gpu::{Device, Gpu};
use manyworlds_view::{Gather, Part, Source, Spot};

/// Gathers poses for pictures from batches on the same device.
pub struct Live(Gather);

impl Live {
    /// For pictures that are drawn on this device.
    pub fn on(device: &Device) -> Self {
        Self(Gather::new(&device.device, &device.queue))
    }

    /// Poses of a layer's parts in the first worlds. None where the worlds are on another device, or do not keep an array of poses. Layers
    /// are numbered.
    ///
    /// Fails with [`Error::Device`] where the device has no room for them.
    pub fn poses(
        &self,
        layer: usize,
        gpu: &Gpu,
        shown: &Shown,
        nworld: usize,
        reach: f32,
    ) -> Result<Option<manyworlds_view::Live>> {
        let here = gpu.device().device == *self.0.device();
        let Some(spots) = spots(gpu, shown).filter(|_| here) else {
            return Ok(None);
        };
        let [tile, world_words] = gpu.tiles();
        let sources = gpu.lots().map(|lot| Source {
            words: lot.words,
            worlds: lot.worlds,
            tile,
            world_words,
        });
        let sources: Vec<Source> = sources.collect();
        let poses = self.0.poses(layer, &sources, &spots, nworld, reach);
        poses.map(Some).map_err(|e| Error::Device(e.to_string()))
    }
}

// the words of each part's pose among the words of a world
fn spots(gpu: &Gpu, shown: &Shown) -> Option<Vec<Spot>> {
    let spot = |(part, element): (&Part, &Element)| {
        let [pos, mat] = element.kind.fields().map(|name| gpu.first_word(name));
        let id = element.id as u32;
        Some(Spot {
            pos: pos? + 3 * id,
            mat: mat? + 9 * id,
            counts: u32::from(super::counts(part)),
        })
    };
    shown.parts.iter().zip(&shown.elements).map(spot).collect()
}

#[cfg(test)]
#[path = "live_test.rs"]
mod tests;
