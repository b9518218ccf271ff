//! The executor: worlds on the device, and walks over the stages.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::fields::{Data, Elem, Field, Model, ViewMut, field};
use crate::gpu::arena::{Layout, Memory};
use crate::gpu::device::Device;
use crate::gpu::transfer::{Span, Transfer, Worlds, staging_words};
use crate::gpu::wgsl::{Build, Module, Team};
use crate::stages::{self, Stage};

/// How the worlds are laid out and run.
#[derive(Clone, Debug)]
pub struct Config {
    /// Number of worlds.
    pub nworld: usize,
    /// Lanes of a team, a power of two; 0: chosen from model and adapter.
    pub lanes: u32,
    /// Worlds of a workgroup, a power of two; 0: chosen.
    pub worlds: u32,
    /// Worlds whose words are interleaved, a power of two; 0: chosen.
    pub tile: u32,
    /// Bounds-checked accessors, and wgpu's own checks.
    pub checked: bool,
    /// Largest number of stages in one kernel.
    pub fuse: usize,
    /// Fields of the model that may differ from world to world.
    pub varies: Vec<String>,
    /// Memory that may be used (bytes).
    pub memory: Option<u64>,
    /// Largest number of worlds of a chunk, for tests; none: what the device's limits allow.
    pub chunk: Option<u64>,
    /// Dispatches of one submission, so that none keeps the device too long.
    pub dispatches: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            nworld: 1,
            lanes: 0,
            worlds: 0,
            tile: 0,
            checked: cfg!(debug_assertions),
            fuse: 0,
            varies: Vec::new(),
            memory: None,
            chunk: None,
            dispatches: 256,
        }
    }
}

/// The numbers of an array, of several worlds one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Integers.
    Int(Vec<i32>),
    /// Reals.
    Real(Vec<f32>),
}

impl Values {
    fn words(&self) -> Vec<u32> {
        match self {
            Values::Int(x) => x.iter().map(|&x| x as u32).collect(),
            Values::Real(x) => x.iter().map(|x| x.to_bits()).collect(),
        }
    }

    fn from_words(elem: Elem, words: &[u32]) -> Self {
        match elem {
            Elem::Int => Values::Int(words.iter().map(|&x| x as i32).collect()),
            _ => Values::Real(words.iter().map(|&x| f32::from_bits(x)).collect()),
        }
    }
}

/// A number of worlds in one buffer.
#[derive(Debug)]
struct Chunk {
    // worlds of the batch
    worlds: Range<u64>,
    groups: u32,
    data: wgpu::Buffer,
    bind: wgpu::BindGroup,
}

#[derive(Debug)]
struct Kernel {
    label: String,
    pipeline: wgpu::ComputePipeline,
}

/// A walk, made ready: its kernels in order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    kernels: Vec<usize>,
}

/// Worlds on a device.
#[derive(Debug)]
pub struct Gpu {
    device: Device,
    m: Model,
    layout: Layout,
    team: Team,
    config: Config,
    chunks: Vec<Chunk>,
    transfer: Transfer,
    pipeline_layout: wgpu::PipelineLayout,
    kernels: Vec<Kernel>,
    by_stages: BTreeMap<Vec<&'static str>, usize>,
    step: Option<Plan>,
}

/// The layout of the bindings, one for all stages: the model, the worlds.
pub(crate) fn bind_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
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

// powers of two within the limits on a workgroup
fn choose_team(config: &Config, m: &Model, device: &Device) -> Result<(Team, u32)> {
    let most = device
        .limits()
        .max_compute_invocations_per_workgroup
        .min(256);
    let software = device.adapter.software;
    let lanes = match config.lanes {
        0 if software => 1,
        0 => (m.nv.max(1) as u32).next_power_of_two().min(32),
        lanes => lanes,
    };
    let worlds = match config.worlds {
        0 => (64 / lanes).clamp(1, 32),
        worlds => worlds,
    };
    let tile = match config.tile {
        0 if lanes >= 8 => 1,
        0 => 32 / lanes,
        tile => tile,
    };
    for (what, n) in [
        ("lanes of a team", lanes),
        ("worlds of a workgroup", worlds),
        ("worlds of a tile", tile),
    ] {
        if !n.is_power_of_two() {
            return Err(Error::Input(format!(
                "{what}: a power of two is needed, found {n}"
            )));
        }
    }
    if lanes * worlds > most {
        return Err(Error::Size {
            what: "invocations of a workgroup (lanes × worlds)".to_owned(),
            need: u64::from(lanes * worlds),
            have: u64::from(most),
        });
    }
    Ok((Team { lanes, worlds }, tile))
}

impl Gpu {
    /// Puts `config.nworld` worlds of a model at `qpos0` on a device.
    ///
    /// Fails with [`Error::Size`] where they do not fit, naming the largest number that does; nothing is allocated then.
    pub fn new(device: &Device, m: &Model, config: &Config) -> Result<Self> {
        let (team, tile) = choose_team(config, m, device)?;
        let varies: Vec<&str> = config.varies.iter().map(String::as_str).collect();
        let layout = Layout::new(m, tile, &varies)?;
        let limits = device.limits();

        // what does not fit is refused before anything is allocated
        let nworld = config.nworld as u64;
        let staging = 2 * staging_words(layout.world_words, &limits);
        let need = layout.memory(nworld, staging).total();
        if let Some(have) = config.memory.filter(|&have| need > have) {
            let fit = layout.worlds_within(have, staging);
            return Err(Error::Size {
                what: format!("bytes for {nworld} worlds ({fit} worlds fit)"),
                need,
                have,
            });
        }
        let unit = u64::from(tile.max(team.worlds));
        let most = layout
            .chunk_worlds(&limits, team.worlds)
            .min(config.chunk.unwrap_or(u64::MAX))
            / unit
            * unit;
        if most == 0 {
            return Err(Error::Size {
                what: "bytes that a binding of the device holds".to_owned(),
                need: unit * u64::from(layout.world_words) * 4,
                have: limits.max_storage_buffer_binding_size,
            });
        }

        let scope = device
            .device
            .push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let bind_layout = bind_layout(&device.device);
        use wgpu::BufferUsages as Use;
        let model = device.buffer(
            "model",
            layout.model_words.into(),
            Use::STORAGE | Use::COPY_DST,
        );
        let chunk = |first: u64| {
            let worlds = first..(first + most).min(nworld);
            let padded = (worlds.end - worlds.start).next_multiple_of(unit);
            let data = device.buffer(
                "worlds",
                padded * u64::from(layout.world_words),
                Use::STORAGE,
            );
            let bind = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("stages"),
                layout: &bind_layout,
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: model.as_entire_binding(),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: data.as_entire_binding(),
                    },
                ],
            });
            Chunk {
                worlds,
                groups: (padded / u64::from(team.worlds)) as u32,
                data,
                bind,
            }
        };
        let chunks: Vec<Chunk> = (0..nworld).step_by(most as usize).map(chunk).collect();
        let transfer = Transfer::new(device, tile, layout.world_words)?;
        if let Some(e) = pollster::block_on(scope.pop()) {
            return Err(Error::Device(format!(
                "no memory for {nworld} worlds ({need} bytes): {e}"
            )));
        }
        let pipeline_layout =
            device
                .device
                .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                    label: Some("stages"),
                    bind_group_layouts: &[Some(&bind_layout)],
                    immediate_size: 0,
                });
        device
            .queue
            .write_buffer(&model, 0, bytemuck::cast_slice(&layout.model_image(m)));
        let gpu = Self {
            device: device.clone(),
            m: m.clone(),
            layout,
            team,
            config: config.clone(),
            chunks,
            transfer,
            pipeline_layout,
            kernels: Vec::new(),
            by_stages: BTreeMap::new(),
            step: None,
        };
        gpu.fill()?;
        device.check()?;
        Ok(gpu)
    }

    // every world, the padding too, begins as the same image
    fn fill(&self) -> Result<()> {
        let image = self.layout.world_image(&self.m, &Data::new(&self.m));
        let span = Span {
            offset: 0,
            words: self.layout.world_words,
        };
        for chunk in &self.chunks {
            let worlds = Worlds::All(chunk.groups * self.team.worlds);
            self.transfer
                .write(&self.device, &chunk.data, worlds, span, &image)?;
        }
        Ok(())
    }

    /// The model that the worlds are of.
    pub fn model(&self) -> &Model {
        &self.m
    }

    /// The device that the worlds are on.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Number of worlds.
    pub fn nworld(&self) -> usize {
        self.config.nworld
    }

    /// The team that works on a world.
    pub fn team(&self) -> Team {
        self.team
    }

    /// What the worlds take on the device.
    pub fn memory(&self) -> Memory {
        let staging = 2 * staging_words(self.layout.world_words, &self.device.limits());
        self.layout.memory(self.nworld() as u64, staging)
    }

    // ---- arrays -------------------------------------------------------------------------------------------------

    fn span(&self, name: &str) -> Result<(&'static Field, Span)> {
        let field = field(name).ok_or_else(|| Error::Input(format!("no field is named {name}")))?;
        let slot = self.layout.slot(field);
        if !slot.per_world {
            return Err(Error::Input(format!(
                "{name} is the same for all worlds: name it in `varies` when the worlds are made"
            )));
        }
        Ok((
            field,
            Span {
                offset: slot.offset,
                words: slot.words,
            },
        ))
    }

    /// An array of every world: worlds one after the other, each flat and row-major.
    pub fn read(&self, name: &str) -> Result<Values> {
        let (field, span) = self.span(name)?;
        Ok(Values::from_words(field.elem, &self.read_words(span)?))
    }

    /// An array of reals of every world.
    pub fn read_real(&self, name: &str) -> Result<Vec<f32>> {
        match self.read(name)? {
            Values::Real(x) => Ok(x),
            Values::Int(_) => Err(Error::Input(format!("{name} is an array of integers"))),
        }
    }

    /// An array of integers of every world.
    pub fn read_int(&self, name: &str) -> Result<Vec<i32>> {
        match self.read(name)? {
            Values::Int(x) => Ok(x),
            Values::Real(_) => Err(Error::Input(format!("{name} is an array of reals"))),
        }
    }

    fn read_words(&self, span: Span) -> Result<Vec<u32>> {
        let mut words = Vec::with_capacity(span.words as usize * self.nworld());
        for chunk in &self.chunks {
            let worlds = Worlds::All((chunk.worlds.end - chunk.worlds.start) as u32);
            self.transfer
                .read(&self.device, &chunk.data, worlds, span, &mut words)?;
        }
        Ok(words)
    }

    /// Writes an array of every world: its numbers for each world, or those of one world for all.
    pub fn write(&mut self, name: &str, values: &Values) -> Result<()> {
        let (field, span) = self.span(name)?;
        self.same_kind(field, values)?;
        self.write_words(None, span, &values.words())
    }

    /// Writes an array of some worlds, in the order in which they are named: its numbers for each, or those of one for all.
    pub fn write_worlds(&mut self, name: &str, worlds: &[usize], values: &Values) -> Result<()> {
        let (field, span) = self.span(name)?;
        self.same_kind(field, values)?;
        self.write_words(Some(worlds), span, &values.words())
    }

    fn same_kind(&self, field: &Field, values: &Values) -> Result<()> {
        match (field.elem, values) {
            (Elem::Int, Values::Int(_)) => Ok(()),
            (Elem::Int, _) => Err(Error::Input(format!(
                "{} is an array of integers",
                field.name
            ))),
            (_, Values::Real(_)) => Ok(()),
            _ => Err(Error::Input(format!("{} is an array of reals", field.name))),
        }
    }

    fn write_words(&self, worlds: Option<&[usize]>, span: Span, words: &[u32]) -> Result<()> {
        let (n, each) = (
            worlds.map_or(self.nworld(), <[usize]>::len),
            span.words as usize,
        );
        let same = words.len() == each;
        if !same && words.len() != each * n {
            return Err(Error::Size {
                what: format!("numbers for {n} worlds"),
                need: (each * n) as u64,
                have: words.len() as u64,
            });
        }
        if let Some(w) = worlds.unwrap_or(&[]).iter().find(|&&w| w >= self.nworld()) {
            return Err(Error::Input(format!(
                "no world {w}: there are {}",
                self.nworld()
            )));
        }
        for chunk in &self.chunks {
            match worlds {
                None => {
                    let count = (chunk.worlds.end - chunk.worlds.start) as usize;
                    let first = chunk.worlds.start as usize;
                    let part = if same {
                        words
                    } else {
                        &words[first * each..(first + count) * each]
                    };
                    self.transfer.write(
                        &self.device,
                        &chunk.data,
                        Worlds::All(count as u32),
                        span,
                        part,
                    )?;
                }
                Some(list) => {
                    // those of the list that live in this chunk, and their words
                    let here: Vec<usize> = (0..n)
                        .filter(|&k| chunk.worlds.contains(&(list[k] as u64)))
                        .collect();
                    let index: Vec<u32> = here
                        .iter()
                        .map(|&k| (list[k] as u64 - chunk.worlds.start) as u32)
                        .collect();
                    let part: Vec<u32> = match same {
                        true => words.to_vec(),
                        false => here
                            .iter()
                            .flat_map(|&k| &words[k * each..(k + 1) * each])
                            .copied()
                            .collect(),
                    };
                    if !index.is_empty() {
                        self.transfer.write(
                            &self.device,
                            &chunk.data,
                            Worlds::Listed(&index),
                            span,
                            &part,
                        )?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Puts worlds back to `qpos0` at rest (`mj_resetData`): all, or those named. Fields that vary keep their values.
    pub fn reset(&mut self, worlds: Option<&[usize]>) -> Result<()> {
        let mut image = self.layout.world_image(&self.m, &Data::new(&self.m));
        image.truncate(self.layout.state_words as usize);
        self.write_words(
            worlds,
            Span {
                offset: 0,
                words: self.layout.state_words,
            },
            &image,
        )
    }

    /// Puts whole worlds on the device, one [`Data`] for each.
    pub fn set_data(&mut self, worlds: &[Data]) -> Result<()> {
        let span = Span {
            offset: 0,
            words: self.layout.state_words,
        };
        let image = |d| {
            let mut image = self.layout.world_image(&self.m, d);
            image.truncate(span.words as usize);
            image
        };
        let words: Vec<u32> = worlds.iter().flat_map(image).collect();
        self.write_words(None, span, &words)
    }

    /// Every world as a [`Data`].
    pub fn data(&self) -> Result<Vec<Data>> {
        let words = self.read_words(Span {
            offset: 0,
            words: self.layout.state_words,
        })?;
        Ok(words
            .chunks(self.layout.state_words as usize)
            .map(|image| self.unpack(image))
            .collect())
    }

    fn unpack(&self, image: &[u32]) -> Data {
        let mut d = Data::zeroed(&self.m);
        for (field, slot) in self.layout.slots() {
            let Some(to) = d.field_mut(field.name) else {
                continue;
            };
            let from = &image[slot.offset as usize..(slot.offset + slot.words) as usize];
            match to {
                ViewMut::Int(to) => to.iter_mut().zip(from).for_each(|(to, &x)| *to = x as i32),
                ViewMut::Real(to) => to
                    .iter_mut()
                    .zip(from)
                    .for_each(|(to, &x)| *to = f64::from(f32::from_bits(x))),
            }
        }
        d
    }

    // ---- walks --------------------------------------------------------------------------------------------------

    /// Makes a walk ready: groups its stages into kernels and compiles those that are not there yet.
    pub fn plan(&mut self, walk: &[&'static Stage]) -> Result<Plan> {
        let groups = group(walk, self.config.fuse);
        let mut missing: Vec<&Vec<&'static Stage>> = Vec::new();
        for stages in &groups {
            if !self.by_stages.contains_key(&names(stages))
                && !missing.iter().any(|m| names(m) == names(stages))
            {
                missing.push(stages);
            }
        }
        let made: Vec<Kernel> = missing
            .par_iter()
            .map(|stages| self.compile(stages))
            .collect::<Result<_>>()?;
        for (stages, kernel) in missing.iter().zip(made) {
            self.by_stages.insert(names(stages), self.kernels.len());
            self.kernels.push(kernel);
        }
        Ok(Plan {
            kernels: groups
                .iter()
                .map(|stages| self.by_stages[&names(stages)])
                .collect(),
        })
    }

    fn compile(&self, stages: &[&'static Stage]) -> Result<Kernel> {
        let varies = Build {
            m: &self.m,
            layout: &self.layout,
            team: self.team,
            checked: self.config.checked,
            chip: &[],
        };
        let module = varies.module(stages);
        let label = module.label();
        let have = self.device.limits().max_compute_workgroup_storage_size;
        if module.workgroup_memory > have {
            return Err(Error::Size {
                what: format!("bytes of workgroup memory of {label}"),
                need: module.workgroup_memory.into(),
                have: have.into(),
            });
        }
        let device = &self.device.device;
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let shader = if self.config.checked {
            device.create_shader_module(descriptor(&module))
        } else {
            trusted(device, &module)
        };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&label),
            layout: Some(&self.pipeline_layout),
            module: &shader,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[],
                zero_initialize_workgroup_memory: self.config.checked,
            },
            cache: None,
        });
        if let Some(e) = pollster::block_on(scope.pop()) {
            // said again with the file's own lines, if naga is who complains
            module.validate()?;
            return Err(Error::Shader {
                stage: label,
                msg: e.to_string(),
            });
        }
        self.device.check()?;
        Ok(Kernel { label, pipeline })
    }

    /// Walks every world through a plan, `times` times. Returns when the work is submitted, not when it is done.
    pub fn run(&mut self, plan: &Plan, times: usize) -> Result<()> {
        let each = (self.config.dispatches / plan.kernels.len().max(1)).max(1);
        for chunk in &self.chunks {
            let mut left = times;
            while left > 0 {
                let now = left.min(each);
                left -= now;
                let mut encoder =
                    self.device
                        .device
                        .create_command_encoder(&wgpu::CommandEncoderDescriptor {
                            label: Some("walk"),
                        });
                {
                    let mut pass =
                        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    pass.set_bind_group(0, &chunk.bind, &[]);
                    for &kernel in (0..now).flat_map(|_| &plan.kernels) {
                        pass.set_pipeline(&self.kernels[kernel].pipeline);
                        pass.dispatch_workgroups(chunk.groups, 1, 1);
                    }
                }
                self.device.queue.submit([encoder.finish()]);
            }
        }
        self.device.check()
    }

    /// Runs stages, each of all worlds, and waits for them.
    pub fn run_stages(&mut self, walk: &[&'static Stage]) -> Result<()> {
        let plan = self.plan(walk)?;
        self.run(&plan, 1)?;
        self.wait()
    }

    /// Steps every world `n` times (`mj_step`). Returns when the work is submitted; [`Gpu::wait`] or a read waits for it.
    pub fn step(&mut self, n: usize) -> Result<()> {
        let plan = match self.step.take() {
            Some(plan) => plan,
            None => self.plan(&step_walk(&self.m))?,
        };
        let done = self.run(&plan, n);
        self.step = Some(plan);
        done
    }

    /// Waits until everything submitted is done.
    pub fn wait(&self) -> Result<()> {
        self.device.wait()
    }

    /// Runs a plan once and says how long each of its kernels took on the device (s), in order; empty where the device cannot tell.
    pub fn time(&mut self, plan: &Plan) -> Result<Vec<(String, f64)>> {
        if !self.device.timestamps {
            self.run(plan, 1)?;
            self.wait()?;
            return Ok(Vec::new());
        }
        let it = &self.device.device;
        let mut times = vec![0.0; plan.kernels.len()];
        let count = 2 * plan.kernels.len() as u32;
        use wgpu::BufferUsages as Use;
        let set = it.create_query_set(&wgpu::QuerySetDescriptor {
            label: None,
            ty: wgpu::QueryType::Timestamp,
            count,
        });
        let resolve = self.device.buffer(
            "times",
            u64::from(count) * 2,
            Use::QUERY_RESOLVE | Use::COPY_SRC,
        );
        let back = self.device.buffer(
            "times back",
            u64::from(count) * 2,
            Use::MAP_READ | Use::COPY_DST,
        );
        for chunk in &self.chunks {
            let mut encoder = it.create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("timed walk"),
            });
            for (k, &kernel) in plan.kernels.iter().enumerate() {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: None,
                    timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                        query_set: &set,
                        beginning_of_pass_write_index: Some(2 * k as u32),
                        end_of_pass_write_index: Some(2 * k as u32 + 1),
                    }),
                });
                pass.set_bind_group(0, &chunk.bind, &[]);
                pass.set_pipeline(&self.kernels[kernel].pipeline);
                pass.dispatch_workgroups(chunk.groups, 1, 1);
            }
            encoder.resolve_query_set(&set, 0..count, &resolve, 0);
            encoder.copy_buffer_to_buffer(&resolve, 0, &back, 0, u64::from(count) * 8);
            self.device.queue.submit([encoder.finish()]);
            back.map_async(wgpu::MapMode::Read, .., |_| {});
            self.device.wait()?;
            {
                let view = back
                    .get_mapped_range(..)
                    .map_err(|e| Error::Device(e.to_string()))?;
                let ticks: &[u64] = bytemuck::cast_slice(&view);
                let period = f64::from(self.device.queue.get_timestamp_period()) * 1e-9;
                for (k, time) in times.iter_mut().enumerate() {
                    *time += ticks[2 * k + 1].saturating_sub(ticks[2 * k]) as f64 * period;
                }
            }
            back.unmap();
        }
        let labels = plan
            .kernels
            .iter()
            .map(|&kernel| self.kernels[kernel].label.clone());
        Ok(labels.zip(times).collect())
    }
}

/// The stages of one step of a model, in order (`mj_step`).
pub fn step_walk(m: &Model) -> Vec<&'static Stage> {
    let mut list = Vec::new();
    stages::step(m, &mut |stage| list.push(stage));
    list
}

/// The stages of forward dynamics of a model, in order (`mj_forward`).
pub fn forward_walk(m: &Model) -> Vec<&'static Stage> {
    let mut list = Vec::new();
    stages::forward(m, &mut |stage| list.push(stage));
    list
}

fn names(stages: &[&'static Stage]) -> Vec<&'static str> {
    stages.iter().map(|stage| stage.name).collect()
}

// stages that are long or diverge stay alone; the rest goes together, as many as allowed
const ALONE: &[&str] = &["collision", "make_constraint", "solve_newton"];

fn group(walk: &[&'static Stage], fuse: usize) -> Vec<Vec<&'static Stage>> {
    let mut groups: Vec<Vec<&'static Stage>> = Vec::new();
    for &stage in walk {
        let joins = |group: &&mut Vec<&'static Stage>| {
            group.len() < fuse && !ALONE.contains(&stage.name) && !ALONE.contains(&group[0].name)
        };
        match groups.last_mut().filter(joins) {
            Some(group) => group.push(stage),
            None => groups.push(vec![stage]),
        }
    }
    groups
}

fn descriptor(module: &Module) -> wgpu::ShaderModuleDescriptor<'_> {
    wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(module.text.as_str().into()),
    }
}

#[expect(
    unsafe_code,
    reason = "the only texts that come here are rows of STAGES, which nobody outside this crate can add to: `compile` takes them by name; \
              each array's bounds are the table's and are checked by the same tests in the checked build, every loop ends at a size, \
              nothing is divided by an integer that is not a constant, and Vulkan's robust access stays on"
)]
fn trusted(device: &wgpu::Device, module: &Module) -> wgpu::ShaderModule {
    // SAFETY: see the reason above
    unsafe {
        device.create_shader_module_trusted(
            descriptor(module),
            wgpu::ShaderRuntimeChecks::unchecked(),
        )
    }
}
