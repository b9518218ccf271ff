//! Poses gathered on the device from the words of worlds there: only a box around each world is read to the host.

use crate::draw::buffer;
use crate::error::Error;
use crate::scene::POSE;
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Invocations per workgroup.
const GROUP: u32 = 64;
/// Largest number of workgroups in a row of a dispatch.
const ROW: u32 = 32768;

/// Worlds in a storage buffer: word e of world t of a tile is at e x tile + t behind the words of the preceding tiles.
#[derive(Clone, Debug)]
pub struct Source {
    /// The words of the worlds.
    pub words: wgpu::Buffer,
    /// The indices of the worlds.
    pub worlds: Range<usize>,
    /// Worlds per tile.
    pub tile: u32,
    /// Words per world.
    pub world_words: u32,
}

/// The words of a part's pose within a world.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct Spot {
    /// First of three words of the position (m).
    pub pos: u32,
    /// First of nine words of the orientation, a matrix row by row.
    pub mat: u32,
    /// 1 if the part counts for the box of its world.
    pub counts: u32,
}

/// Poses of a layer on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Live {
    pub(crate) poses: wgpu::Buffer,
    /// The box around the part positions of each world (m), least and greatest corner, in the frame of the world; if no part counts, the least is
    /// above the greatest. Empty where the host cannot wait for the device and the boxes have not arrived yet.
    pub boxes: Vec<[Vec3; 2]>,
}

/// Gathers poses of layers on a device, from buffers of that device.
#[derive(Debug)]
pub struct Gather {
    device: wgpu::Device,
    queue: wgpu::Queue,
    layout: wgpu::BindGroupLayout,
    gather: wgpu::ComputePipeline,
    surround: wgpu::ComputePipeline,
    // by the index of the layer
    kept: Mutex<Vec<Option<Kept>>>,
}

// the buffers of a layer, kept from picture to picture
#[derive(Debug)]
struct Kept {
    poses: wgpu::Buffer,
    boxes: wgpu::Buffer,
    back: wgpu::Buffer,
    // set while boxes are in transfer to the host; true once they have arrived
    asked: Option<Arc<AtomicBool>>,
    known: Vec<[Vec3; 2]>,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct GpuSource {
    nworld: u32,
    first: u32,
    tile: u32,
    world_words: u32,
    nparts: u32,
    row: u32,
    reach: f32,
    pad: u32,
}

impl Gather {
    /// Creates the pipelines on a device.
    pub fn new(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("live.wgsl"),
            source: wgpu::ShaderSource::Wgsl(include_str!("../live.wgsl").into()),
        });
        let layout = layout(device);
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("live"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = |entry| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&pipeline_layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        };
        Self {
            gather: pipeline("gather"),
            surround: pipeline("surround"),
            device: device.clone(),
            queue: queue.clone(),
            layout,
            kept: Mutex::new(Vec::new()),
        }
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.device
    }

    /// Gathers the poses of the first `nworld` worlds of a layer, which replace the layer's earlier ones; layers are numbered. A part farther than
    /// `reach` (m) from the origin of its world is not in its box. Fails with [`Error::Room`] where the adapter's buffers are too small.
    pub fn poses(
        &self,
        layer: usize,
        sources: &[Source],
        spots: &[Spot],
        nworld: usize,
        reach: f32,
    ) -> Result<Live, Error> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() <= layer {
            kept.resize_with(layer + 1, || None);
        }
        let (poses, boxes) = ((nworld * spots.len() * POSE) as u64, 6 * nworld as u64);
        let fits = |kept: &mut Kept| kept.has_room_for(4 * poses, 4 * boxes);
        let kept = match kept[layer].take_if(fits) {
            Some(fitting) => kept[layer].insert(fitting),
            None => kept[layer].insert(Kept::new(&self.device, 4 * poses, 4 * boxes)?),
        };
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let shown = |it: &&Source| it.worlds.start < nworld && !spots.is_empty();
        for source in sources.iter().filter(shown) {
            self.encode(&mut encoder, kept, source, spots, nworld, reach)?;
        }
        let asks = kept.asked.is_none();
        if asks {
            encoder.copy_buffer_to_buffer(&kept.boxes, 0, &kept.back, 0, 4 * boxes);
        }
        self.queue.submit([encoder.finish()]);
        kept.hear(&self.device, asks)?;
        Ok(Live {
            poses: kept.poses.clone(),
            boxes: kept.known.iter().take(nworld).copied().collect(),
        })
    }

    // encodes the passes for the worlds of a buffer
    fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        kept: &Kept,
        source: &Source,
        spots: &[Spot],
        nworld: usize,
        reach: f32,
    ) -> Result<(), Error> {
        let shown = (source.worlds.end.min(nworld) - source.worlds.start) as u32;
        for (pipeline, total) in [
            (&self.gather, shown * spots.len() as u32),
            (&self.surround, shown),
        ] {
            let columns = total.div_ceil(GROUP).clamp(1, ROW);
            let said = GpuSource {
                nworld: shown,
                first: source.worlds.start as u32,
                tile: source.tile,
                world_words: source.world_words,
                nparts: spots.len() as u32,
                row: columns * GROUP,
                reach,
                pad: 0,
            };
            let (device, queue) = (&self.device, &self.queue);
            let (said, spots) = (bytemuck::bytes_of(&said), bytemuck::cast_slice(spots));
            let said = buffer(device, queue, "source", said, wgpu::BufferUsages::UNIFORM)?;
            let spots = buffer(device, queue, "spots", spots, wgpu::BufferUsages::STORAGE)?;
            let bound = [&said, &source.words, &spots, &kept.poses, &kept.boxes];
            let entries: [_; 5] = std::array::from_fn(|k| wgpu::BindGroupEntry {
                binding: k as u32,
                resource: bound[k].as_entire_binding(),
            });
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("live"),
                layout: &self.layout,
                entries: &entries,
            });
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(columns, total.div_ceil(columns * GROUP), 1);
        }
        Ok(())
    }
}

impl Kept {
    fn new(device: &wgpu::Device, poses: u64, boxes: u64) -> Result<Self, Error> {
        let limits = device.limits();
        let most = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        if poses > most {
            return Err(Error::Room(poses, most));
        }
        use wgpu::BufferUsages as Use;
        let made = |size: u64, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("live"),
                size: size.max(48),
                usage,
                mapped_at_creation: false,
            })
        };
        Ok(Self {
            poses: made(poses, Use::STORAGE | Use::COPY_SRC),
            boxes: made(boxes, Use::STORAGE | Use::COPY_SRC),
            back: made(boxes, Use::MAP_READ | Use::COPY_DST),
            asked: None,
            known: Vec::new(),
        })
    }

    fn has_room_for(&self, poses: u64, boxes: u64) -> bool {
        self.poses.size() >= poses && self.boxes.size() >= boxes
    }

    // takes the boxes if they have arrived: at once where the host can wait for the device
    fn hear(&mut self, device: &wgpu::Device, asks: bool) -> Result<(), Error> {
        let failed = |e: &dyn std::fmt::Display| Error::Device(e.to_string());
        if asks {
            let here = Arc::new(AtomicBool::new(false));
            self.asked = Some(here.clone());
            let told = move |mapped: Result<(), _>| here.store(mapped.is_ok(), Ordering::Release);
            self.back.map_async(wgpu::MapMode::Read, .., told);
        }
        device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|e| failed(&e))?;
        let is_here = |here: &mut Arc<AtomicBool>| here.load(Ordering::Acquire);
        if self.asked.take_if(is_here).is_none() {
            return Ok(());
        }
        let mapped = self.back.get_mapped_range(..).map_err(|e| failed(&e))?;
        let (corners, _) = bytemuck::cast_slice::<u8, f32>(&mapped).as_chunks::<6>();
        let corner = |x: &[f32]| Vec3::from_slice(x);
        self.known = corners
            .iter()
            .map(|x| [corner(&x[..3]), corner(&x[3..])])
            .collect();
        drop(mapped);
        self.back.unmap();
        Ok(())
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let storage = |read_only| wgpu::BufferBindingType::Storage { read_only };
    let types = [
        wgpu::BufferBindingType::Uniform,
        storage(true),
        storage(true),
        storage(false),
        storage(false),
    ];
    let entries: [_; 5] = std::array::from_fn(|k| wgpu::BindGroupLayoutEntry {
        binding: k as u32,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: types[k],
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    });
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("live"),
        entries: &entries,
    })
}

impl Live {
    /// The poses, worlds x parts x [`POSE`] numbers, as gathered by the device, for tests.
    #[doc(hidden)]
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.poses
    }

    // depth of a world's nearest point along a direction, and depth of its middle
    pub(crate) fn depths(&self, world: usize, from: Vec3, along: Vec3) -> [f32; 2] {
        let Some([low, high]) = self.boxes.get(world).filter(|[low, high]| low.x <= high.x) else {
            let depth = -from.dot(along);
            return [depth, depth];
        };
        let middle = (0.5 * (*low + *high) - from).dot(along);
        [middle - 0.5 * (*high - *low).dot(along.abs()), middle]
    }
}
