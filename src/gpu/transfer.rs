//! Transfer of arrays between the host and the worlds of a chunk.
//!
//! On the device the words of a tile of worlds are interleaved; on the host worlds lie one after the other. A small kernel converts
//! between the two, for all worlds or for a list of worlds, through one staging buffer that is allocated once.

use std::pin::Pin;

use bytemuck::{Pod, Zeroable};

use crate::error::{Error, Result};
use crate::gpu::device::{Device, block_on};

const SHADER: &str = include_str!("../../shaders/device/transfer.wgsl");
const GROUP: u32 = 64;
/// Largest number of listed worlds per dispatch.
const LIST: usize = 1 << 16;

/// Parameters of one transfer, as in the shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
struct Move {
    offset: u32,
    words: u32,
    count: u32,
    first: u32,
    listed: u32,
    same: u32,
    tile: u32,
    world_words: u32,
    row: u32,
    start: u32,
    pad: [u32; 2],
}

/// A selection of worlds of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Worlds<'a> {
    /// The first worlds, this many.
    All(u32),
    /// Listed worlds, by their index in the chunk.
    Listed(&'a [u32]),
}

/// Part of the image of a world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// First word.
    pub offset: u32,
    /// Number of words.
    pub words: u32,
}

/// A place in a buffer on the device: rows of worlds begin there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) buffer: &'a wgpu::Buffer,
    /// The first byte, a multiple of 4.
    pub(crate) at: u64,
}

/// The kernels and buffers of transfers.
#[derive(Debug)]
pub(crate) struct Transfer {
    layout: wgpu::BindGroupLayout,
    gather: wgpu::ComputePipeline,
    scatter: wgpu::ComputePipeline,
    params: wgpu::Buffer,
    staging: wgpu::Buffer,
    back: wgpu::Buffer,
    list: wgpu::Buffer,
    staging_words: u32,
    tile: u32,
    world_words: u32,
}

/// Words of the staging buffer for world images of `world_words` words.
pub(crate) fn staging_words(world_words: u32, limits: &wgpu::Limits) -> u64 {
    let most = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size)
        / 4;
    u64::from(world_words.max(1 << 20)).min(most)
}

/// The pending error of an error scope.
pub(crate) type Caught = Pin<Box<dyn Future<Output = Option<wgpu::Error>> + Send>>;

impl Transfer {
    /// Creates the kernels and buffers; also returns the device's pending error about them.
    pub(crate) fn new(device: &Device, tile: u32, world_words: u32) -> (Self, Caught) {
        let words = staging_words(world_words, &device.limits());
        let it = &device.device;
        let buffer = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            count: None,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: None,
            },
        };
        let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
        let layout = it.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("transfer"),
            entries: &[
                buffer(0, wgpu::BufferBindingType::Uniform),
                buffer(1, storage(false)),
                buffer(2, storage(false)),
                buffer(3, storage(true)),
            ],
        });
        let scope = it.push_error_scope(wgpu::ErrorFilter::Validation);
        let module = it.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("transfer"),
            source: wgpu::ShaderSource::Wgsl(SHADER.into()),
        });
        let pipeline_layout = it.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("transfer"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = |entry: &str| {
            it.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        let (gather, scatter) = (pipeline("gather"), pipeline("scatter"));
        let caught: Caught = Box::pin(scope.pop());
        use wgpu::BufferUsages as Use;
        let transfer = Self {
            gather,
            scatter,
            params: device.buffer(
                "params",
                (size_of::<Move>() / 4) as u64,
                Use::UNIFORM | Use::COPY_DST,
            ),
            staging: device.buffer(
                "staging",
                words,
                Use::STORAGE | Use::COPY_SRC | Use::COPY_DST,
            ),
            back: device.buffer("back", words, Use::MAP_READ | Use::COPY_DST),
            list: device.buffer("list", LIST as u64, Use::STORAGE | Use::COPY_DST),
            staging_words: words as u32,
            tile,
            world_words,
            layout,
        };
        (transfer, caught)
    }

    // splits a transfer into moves of at most `most` worlds, each with its list of worlds
    fn batches<'a>(&self, worlds: Worlds<'a>, span: Span) -> Vec<(Move, &'a [u32])> {
        let most = (self.staging_words / span.words.max(1)).max(1);
        let base = Move {
            offset: span.offset,
            words: span.words,
            tile: self.tile,
            world_words: self.world_words,
            ..Move::default()
        };
        match worlds {
            Worlds::All(n) => (0..n)
                .step_by(most as usize)
                .map(|first| {
                    (
                        Move {
                            first,
                            count: most.min(n - first),
                            ..base
                        },
                        &[][..],
                    )
                })
                .collect(),
            Worlds::Listed(list) => list
                .chunks(LIST.min(most as usize))
                .map(|part| {
                    (
                        Move {
                            listed: 1,
                            count: part.len() as u32,
                            ..base
                        },
                        part,
                    )
                })
                .collect(),
        }
    }

    // submits a move from staging into the worlds, or from the worlds into a buffer at a byte offset
    fn submit(
        &self,
        device: &Device,
        data: &wgpu::Buffer,
        batch: (Move, &[u32]),
        out: Option<(&wgpu::Buffer, u64)>,
    ) {
        let total = batch.0.words * batch.0.count;
        let mut encoder = device
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("transfer"),
            });
        let read = out.is_some();
        let staging = self.staging.as_entire_buffer_binding();
        self.encode(device, &mut encoder, data, staging, read, batch);
        if let Some((to, at)) = out {
            encoder.copy_buffer_to_buffer(&self.staging, 0, to, at, u64::from(total) * 4);
        }
        device.queue.submit([encoder.finish()]);
    }

    /// Copies a span of each of `n` worlds into a buffer on the device (`read`), or from there back into the worlds.
    pub(crate) fn aside(
        &self,
        device: &Device,
        data: &wgpu::Buffer,
        place: Place<'_>,
        read: bool,
        n: u32,
        span: Span,
    ) {
        // a binding begins at a multiple of the device's alignment; the words before the row are left alone
        let align = u64::from(device.limits().min_storage_buffer_offset_alignment);
        let first = place.at / align * align;
        let bytes = place.at - first + 4 * u64::from(n) * u64::from(span.words);
        let binding = wgpu::BufferBinding {
            buffer: place.buffer,
            offset: first,
            size: std::num::NonZeroU64::new(bytes),
        };
        let all = Move {
            offset: span.offset,
            words: span.words,
            tile: self.tile,
            world_words: self.world_words,
            count: n,
            start: ((place.at - first) / 4) as u32,
            ..Move::default()
        };
        let mut encoder = device
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("aside"),
            });
        self.encode(device, &mut encoder, data, binding, read, (all, &[]));
        device.queue.submit([encoder.finish()]);
    }

    fn encode(
        &self,
        device: &Device,
        encoder: &mut wgpu::CommandEncoder,
        data: &wgpu::Buffer,
        host: wgpu::BufferBinding<'_>,
        read: bool,
        (mut step, list): (Move, &[u32]),
    ) {
        // dispatch width and height keep within the limit on workgroups
        let total = step.words * step.count;
        let columns = total.div_ceil(GROUP).clamp(1, 32768);
        step.row = columns * GROUP;
        device
            .queue
            .write_buffer(&self.params, 0, bytemuck::bytes_of(&step));
        if !list.is_empty() {
            device
                .queue
                .write_buffer(&self.list, 0, bytemuck::cast_slice(list));
        }
        let bind = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("transfer"),
            layout: &self.layout,
            entries: &[
                wgpu::BindGroupEntry {
                    binding: 0,
                    resource: self.params.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 1,
                    resource: data.as_entire_binding(),
                },
                wgpu::BindGroupEntry {
                    binding: 2,
                    resource: wgpu::BindingResource::Buffer(host),
                },
                wgpu::BindGroupEntry {
                    binding: 3,
                    resource: self.list.as_entire_binding(),
                },
            ],
        });
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(if read { &self.gather } else { &self.scatter });
            pass.set_bind_group(0, &bind, &[]);
            pass.dispatch_workgroups(columns, total.div_ceil(step.row), 1);
        }
    }

    /// Appends a span of each world to `out`, worlds one after the other.
    pub(crate) fn read(
        &self,
        device: &Device,
        data: &wgpu::Buffer,
        worlds: Worlds,
        span: Span,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        if span.words == 0 {
            return Ok(());
        }
        for batch in self.batches(worlds, span) {
            let words = u64::from(batch.0.words * batch.0.count);
            self.submit(device, data, batch, Some((&self.back, 0)));
            block_on(device.words_of(&self.back, words, out))?;
        }
        device.check()
    }

    /// Copies a span of each of `n` worlds into a mappable buffer, from a byte offset on.
    pub(crate) fn ask(
        &self,
        device: &Device,
        data: &wgpu::Buffer,
        n: u32,
        span: Span,
        (to, mut at): (&wgpu::Buffer, u64),
    ) {
        for batch in self.batches(Worlds::All(n), span) {
            let bytes = 4 * u64::from(batch.0.words * batch.0.count);
            self.submit(device, data, batch, Some((to, at)));
            at += bytes;
        }
    }

    /// Writes a span of each world; `words` has one row per world, or one row for all.
    pub(crate) fn write(
        &self,
        device: &Device,
        data: &wgpu::Buffer,
        worlds: Worlds,
        span: Span,
        words: &[u32],
    ) -> Result<()> {
        if span.words == 0 {
            return Ok(());
        }
        let n = match worlds {
            Worlds::All(n) => n as usize,
            Worlds::Listed(list) => list.len(),
        };
        let (each, have) = (span.words as usize, words.len());
        let same = have == each && n != 1;
        if !same && have != each * n {
            return Err(Error::Size {
                what: format!("words of {n} worlds"),
                need: (each * n) as u64,
                have: have as u64,
            });
        }
        let mut at = 0;
        for (mut step, list) in self.batches(worlds, span) {
            step.same = u32::from(same);
            let take = if same {
                each
            } else {
                each * step.count as usize
            };
            device.queue.write_buffer(
                &self.staging,
                0,
                bytemuck::cast_slice(&words[at..at + take]),
            );
            at += if same { 0 } else { take };
            self.submit(device, data, (step, list), None);
        }
        device.check()
    }
}
