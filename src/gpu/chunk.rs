//! Worlds in buffers that a shader can bind: how many fit, and the buffers.

use std::ops::Range;

use wgpu::{BufferUsages, Limits};

use crate::cpu::lib::sleep::sleeps;
use crate::error::{Error, Result};
use crate::fields::Model;
use crate::gpu::arena::Layout;
use crate::gpu::config::Config;
use crate::gpu::device::Device;
use crate::gpu::transfer::staging_words;
use crate::gpu::wgsl::Team;

/// A range of worlds in one buffer.
#[derive(Debug)]
pub(super) struct Chunk {
    // indices of its worlds in the batch
    pub(super) worlds: Range<u64>,
    // number of worlds with the padding of the last tile and workgroup
    pub(super) padded: u32,
    pub(super) data: wgpu::Buffer,
    pub(super) bind: wgpu::BindGroup,
}

impl Chunk {
    /// A buffer for these worlds, padded to a multiple of `unit` worlds, beside the arena of their model.
    pub(super) fn new(
        device: &Device,
        binds: &wgpu::BindGroupLayout,
        model: &wgpu::Buffer,
        layout: &Layout,
        worlds: Range<u64>,
        unit: u64,
    ) -> Self {
        let padded = (worlds.end - worlds.start).next_multiple_of(unit);
        let words = padded * u64::from(layout.world_words);
        let data = device.buffer("worlds", words, BufferUsages::STORAGE);
        let entry = |binding, resource| wgpu::BindGroupEntry { binding, resource };
        let bind = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("stages"),
            layout: binds,
            entries: &[
                entry(0, model.as_entire_binding()),
                entry(1, data.as_entire_binding()),
            ],
        });
        Self {
            worlds,
            padded: padded as u32,
            data,
            bind,
        }
    }

    /// Of a list of worlds, the positions of those in this chunk, and their numbers in it.
    pub(super) fn listed(&self, worlds: &[u32]) -> (Vec<usize>, Vec<u32>) {
        let here = |w: u32| self.worlds.contains(&u64::from(w));
        let listed = worlds.iter().enumerate().filter(|(_, w)| here(**w));
        let number = |w: u32| (u64::from(w) - self.worlds.start) as u32;
        listed.map(|(k, &w)| (k, number(w))).unzip()
    }
}

/// The bind group layout of all stages: the model's arena, the worlds.
pub(super) fn bind_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, read_only| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        count: None,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("stages"),
        entries: &[entry(0, true), entry(1, false)],
    })
}

/// Memory of the worlds of a batch (bytes). Fails with [`Error::Size`] where that is more than the settings allow, naming the
/// largest number of worlds that fits.
pub(super) fn bytes_for(config: &Config, layout: &Layout, limits: &Limits) -> Result<u64> {
    let nworld = config.nworld as u64;
    let staging = 2 * staging_words(layout.world_words, limits);
    let need = layout.memory(nworld, staging).total();
    match config.memory {
        Some(have) if need > have => {
            let fit = layout.worlds_within(have, staging);
            Err(Error::Size {
                what: format!("bytes for {nworld} worlds ({fit} worlds fit)"),
                need,
                have,
            })
        }
        _ => Ok(need),
    }
}

/// Number of worlds in a chunk, a multiple of `unit`. Fails with [`Error::Size`] where a buffer of the device does not hold a unit.
pub(super) fn worlds_of_chunk(
    m: &Model,
    config: &Config,
    layout: &Layout,
    limits: &Limits,
    team: Team,
    unit: u64,
) -> Result<u64> {
    let group = match sleeps(m) {
        true => team.again().worlds,
        false => team.worlds,
    };
    let most = layout.chunk_worlds(limits, group);
    match most.min(config.chunk.unwrap_or(u64::MAX)) / unit {
        0 => Err(Error::Size {
            what: "bytes that a binding of the device holds".to_owned(),
            need: unit * u64::from(layout.world_words) * 4,
            have: limits.max_storage_buffer_binding_size,
        }),
        units => Ok(units * unit),
    }
}
