//! Worlds on the device: allocating them, reading and writing their arrays.

use std::collections::BTreeMap;

use crate::cpu::lib::restart::bad_world;
use crate::error::{Error, Result};
use crate::fields::{Data, Elem, Field, Model, Role, Room, View, field};
use crate::gpu::arena::{Layout, Memory, Slot, chip_words, unpack, words};
use crate::gpu::chunk::{Chunk, bind_layout, bytes_for, worlds_of_chunk};
use crate::gpu::config::{Config, Values, choose_team, lockstep, single};
use crate::gpu::device::{Device, block_on};
use crate::gpu::own;
use crate::gpu::run::{GroupKey, Kernel, Plan, forward_walk};
use crate::gpu::transfer::{Place, Span, Transfer, Worlds, staging_words};
use crate::gpu::tune::{self, Tuned};
use crate::gpu::wgsl::Team;
use crate::types::Warning;

/// Counts of a world that bound loops in kernels.
const COUNTS: [&str; 6] = ["ncon", "nefc", "ne", "nf", "nl", "nisland"];

/// Worlds on a device.
#[derive(Debug)]
pub struct Gpu {
    pub(super) device: Device,
    pub(super) m: Model,
    pub(super) layout: Layout,
    pub(super) team: Team,
    // worlds of a workgroup in kernels with one lane per world
    pub(super) single: u32,
    pub(super) config: Config,
    pub(super) chunks: Vec<Chunk>,
    // the model's arena, and the image of a fresh world behind it
    arena: wgpu::Buffer,
    pub(super) transfer: Transfer,
    pub(super) pipeline_layout: wgpu::PipelineLayout,
    pub(super) kernels: Vec<Kernel>,
    pub(super) by_stages: BTreeMap<GroupKey, Vec<usize>>,
    pub(super) step: Option<Plan>,
    tuned: Tuned,
    // the saved state of every chunk
    held: Vec<Vec<wgpu::Buffer>>,
}

// A software adapter works on threads of this process. One that still runs a kernel when the process ends can crash it, so dropping
// worlds waits there for the submitted work. A fault of that work was reported before, or has nobody left to be reported to.
impl Drop for Gpu {
    fn drop(&mut self) {
        if self.device.adapter.software {
            let _ = self.device.wait();
        }
    }
}

impl Gpu {
    /// Allocates `config.nworld` worlds of a model at `qpos0` on a device.
    ///
    /// Fails with [`Error::Size`] where they do not fit, naming the largest number that does; nothing is allocated then.
    pub fn new(device: &Device, m: &Model, config: &Config) -> Result<Self> {
        block_on(Self::make(device, m, config))
    }

    /// Like [`Gpu::new`], for a device that cannot be waited for.
    pub(crate) async fn make(device: &Device, m: &Model, config: &Config) -> Result<Self> {
        // an edit of the model may have changed the objects to which a user text's names refer since it was bound
        for (hook, _) in m.users().texts() {
            own::check(m, hook)?;
        }
        let (config, tuned) = tune::settle(config, m, &device.adapter);
        let config = &config;
        let (team, tile) = choose_team(config, m, device)?;
        let varies: Vec<&str> = config.varies.iter().map(String::as_str).collect();
        let layout = Layout::new(m, tile, &varies, chip_words(team))?;
        let limits = device.limits();

        // a batch that does not fit is refused before anything is allocated
        let nworld = config.nworld as u64;
        let need = bytes_for(config, &layout, &limits)?;
        let single = single(team, tile, lockstep(&device.adapter), nworld);
        let unit = u64::from(tile.max(single));
        let most = worlds_of_chunk(m, config, &layout, &limits, team, unit)?;

        let scope = device
            .device
            .push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let binds = bind_layout(&device.device);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
        let model = device.buffer("model", layout.model_arena_words(), usage);
        let chunk = |first: u64| {
            let worlds = first..(first + most).min(nworld);
            Chunk::new(device, &binds, &model, &layout, worlds, unit)
        };
        let chunks: Vec<Chunk> = (0..nworld).step_by(most as usize).map(chunk).collect();
        let (transfer, caught) = Transfer::new(device, tile, layout.world_words);
        let memory = scope.pop();
        if let Some(e) = caught.await {
            return Err(Error::Shader {
                stage: "transfer".to_owned(),
                msg: e.to_string(),
            });
        }
        if let Some(e) = memory.await {
            return Err(Error::Device(format!(
                "no memory for {nworld} worlds ({need} bytes): {e}"
            )));
        }
        let stages = wgpu::PipelineLayoutDescriptor {
            label: Some("stages"),
            bind_group_layouts: &[Some(&binds)],
            immediate_size: 0,
        };
        let pipeline_layout = device.device.create_pipeline_layout(&stages);
        device
            .queue
            .write_buffer(&model, 0, bytemuck::cast_slice(&layout.model_image(m)));
        let has_texts = m.users().texts().next().is_some();
        if !has_texts {
            device.queue.write_buffer(
                &model,
                u64::from(layout.model_words) * 4,
                bytemuck::cast_slice(&layout.fresh_image(m)),
            );
        }
        let mut gpu = Self {
            device: device.clone(),
            m: m.clone(),
            layout,
            team,
            single,
            config: config.clone(),
            chunks,
            arena: model,
            transfer,
            pipeline_layout,
            kernels: Vec::new(),
            by_stages: BTreeMap::new(),
            step: None,
            tuned,
            held: Vec::new(),
        };
        if has_texts {
            gpu.make_fresh().await?;
        }
        gpu.fill(&Data::new(m))?;
        device.check()?;
        Ok(gpu)
    }

    // user texts run on the device alone: there the fresh world's forward dynamics are computed, as the twin of `check_acc` does on the host
    async fn make_fresh(&mut self) -> Result<()> {
        let mut d = Data::new(&self.m);
        bad_world(&self.m, &mut d, Warning::BadQacc);
        self.fill(&d)?;
        let plan = self.build(&forward_walk(&self.m)).await?;
        self.run(&plan, 1)?;
        let span = Span {
            offset: 0,
            words: self.layout.fresh_words,
        };
        if let Some(chunk) = self.chunks.first() {
            let to = (&self.arena, u64::from(self.layout.model_words) * 4);
            self.transfer.ask(&self.device, &chunk.data, 1, span, to);
        }
        Ok(())
    }

    // fills every world, padding included, with the same image
    fn fill(&self, d: &Data) -> Result<()> {
        let image = self.layout.world_image(&self.m, d);
        let span = Span {
            offset: 0,
            words: self.layout.world_words,
        };
        for chunk in &self.chunks {
            let worlds = Worlds::All(chunk.padded);
            self.transfer
                .write(&self.device, &chunk.data, worlds, span, &image)?;
        }
        Ok(())
    }

    /// The requested layout and run settings of the worlds.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The model of the worlds.
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

    /// The team of invocations of a world.
    pub fn team(&self) -> Team {
        self.team
    }

    /// Whether an earlier measurement of the model on this adapter is used.
    pub fn tuned(&self) -> &Tuned {
        &self.tuned
    }

    /// Memory of the worlds on the device.
    pub fn memory(&self) -> Memory {
        let staging = 2 * staging_words(self.layout.world_words, &self.device.limits());
        let mut memory = self.layout.memory(self.nworld() as u64, staging);
        if !self.held.is_empty() {
            let words: u32 = self.state_spans().iter().map(|span| span.words).sum();
            memory.world += 4 * u64::from(words);
            memory.worlds += 4 * u64::from(words) * self.nworld() as u64;
        }
        memory
    }

    pub(super) fn span(&self, name: &str) -> Result<(&'static Field, Span)> {
        let field = field(name).ok_or_else(|| Error::Input(format!("no field is named {name}")))?;
        let slot = self.layout.slot(field);
        if !slot.per_world {
            return Err(Error::Input(format!(
                "{name} is the same for all worlds: name it in `varies` when the worlds are made"
            )));
        }
        if slot.transient {
            return Err(Error::Input(format!(
                "{name} is a temporary array of a stage and is not kept"
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

    // the words of an array that can be written
    fn room(&self, name: &str) -> Result<(&'static Field, Span)> {
        let (field, span) = self.span(name)?;
        if span.words == 0 && field.words(&self.m) > 0 {
            return Err(Error::Input(format!(
                "{name} is not read by any stage of this model"
            )));
        }
        Ok((field, span))
    }

    /// The values of an array that no stage touches: those after a reset.
    pub(crate) fn untouched(&self, field: &Field) -> Values {
        let start = Data::new(&self.m);
        let row = start.view(field.row).map_or(Vec::new(), words);
        Values::from_words(field.elem, &row.repeat(self.nworld()))
    }

    /// An array of all worlds: worlds one after the other, each flat and row-major.
    pub fn read(&self, name: &str) -> Result<Values> {
        let (field, span) = self.span(name)?;
        match span.words {
            0 => Ok(self.untouched(field)),
            _ => Ok(Values::from_words(
                field.elem,
                &self.read_words(None, span)?,
            )),
        }
    }

    /// A real array of all worlds.
    pub fn read_real(&self, name: &str) -> Result<Vec<f32>> {
        match self.read(name)? {
            Values::Real(x) => Ok(x),
            Values::Int(_) => Err(Error::Input(format!("{name} is an array of integers"))),
        }
    }

    /// An integer array of all worlds.
    pub fn read_int(&self, name: &str) -> Result<Vec<i32>> {
        match self.read(name)? {
            Values::Int(x) => Ok(x),
            Values::Real(_) => Err(Error::Input(format!("{name} is an array of reals"))),
        }
    }

    // of all worlds, or of those listed, which ascend
    pub(super) fn read_words(&self, worlds: Option<&[u32]>, span: Span) -> Result<Vec<u32>> {
        let n = worlds.map_or(self.nworld(), <[u32]>::len);
        let mut words = Vec::with_capacity(span.words as usize * n);
        for chunk in &self.chunks {
            let list: Vec<u32>;
            let here = match worlds {
                None => Worlds::All((chunk.worlds.end - chunk.worlds.start) as u32),
                Some(worlds) => {
                    (_, list) = chunk.listed(worlds);
                    Worlds::Listed(&list)
                }
            };
            self.transfer
                .read(&self.device, &chunk.data, here, span, &mut words)?;
        }
        Ok(words)
    }

    /// Writes an array of all worlds: values for each world, or those of one world for all.
    pub fn write(&mut self, name: &str, values: &Values) -> Result<()> {
        let (field, span) = self.room(name)?;
        self.same_kind(field, values)?;
        self.leads_somewhere(field, values)?;
        self.write_words(None, span, &values.words())
    }

    /// Writes an array of some worlds, in the order of `worlds`: values for each, or those of one for all.
    pub fn write_worlds(&mut self, name: &str, worlds: &[u32], values: &Values) -> Result<()> {
        let (field, span) = self.room(name)?;
        self.same_kind(field, values)?;
        self.leads_somewhere(field, values)?;
        self.write_words(Some(worlds), span, &values.words())
    }

    /// Writes an option of some worlds, in the order of `worlds`.
    pub(crate) fn write_option(
        &mut self,
        name: &str,
        worlds: Option<&[u32]>,
        values: &[f32],
    ) -> Result<()> {
        let mut own = self.layout.options().iter();
        let Some((_, offset)) = own.find(|(own, _)| *own == name) else {
            return Err(Error::Input(format!(
                "{name} is the same for all worlds: name it in `varies` when the worlds are made"
            )));
        };
        let span = Span {
            offset: *offset,
            words: self.m.opt.get(name).map_or(0, |values| values.len() as u32),
        };
        self.write_words(worlds, span, bytemuck::cast_slice(values))
    }

    // checks integers against their bounds: kernels check neither the counts that bound their loops nor the indices of arrays
    fn leads_somewhere(&self, field: &Field, values: &Values) -> Result<()> {
        let Values::Int(x) = values else {
            return Ok(());
        };
        let Some((least, end)) = self.bounds(field)? else {
            return Ok(());
        };
        match x.iter().find(|&&x| x < least || i64::from(x) >= end) {
            None => Ok(()),
            Some(x) => Err(Error::Input(format!(
                "{} cannot be {x}: it must be at least {least} and below {end}",
                field.name
            ))),
        }
    }

    // the least integer allowed in an array, and the exclusive upper bound
    fn bounds(&self, field: &Field) -> Result<Option<(i32, i64)>> {
        let m = &self.m;
        if field.room != Room::Model {
            let most = match field.name {
                "ncon" => m.nconmax,
                "nisland" => m.ntree,
                name if COUNTS.contains(&name) => m.njmax,
                _ => return Ok(None),
            };
            return Ok(Some((i32::MIN, most as i64 + 1)));
        }
        let size = |name: &str| m.size(name).unwrap_or(0) as i64;
        match (field.within, field.role) {
            (Some((least, end)), _) => Ok(Some((least, size(end)))),
            (None, Role::Free) => Ok(None),
            _ => Err(Error::Input(format!(
                "{} cannot be written: compiled fields depend on it",
                field.name
            ))),
        }
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

    pub(super) fn write_words(
        &self,
        worlds: Option<&[u32]>,
        span: Span,
        words: &[u32],
    ) -> Result<()> {
        let (n, each) = (
            worlds.map_or(self.nworld(), <[u32]>::len),
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
        if let Some(w) = worlds
            .unwrap_or(&[])
            .iter()
            .find(|&&w| w as usize >= self.nworld())
        {
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
                    let worlds = Worlds::All(count as u32);
                    self.transfer
                        .write(&self.device, &chunk.data, worlds, span, part)?;
                }
                Some(list) => {
                    // positions in the list of the worlds in this chunk, and their words
                    let (here, index) = chunk.listed(list);
                    let rows = here.iter().map(|&k| &words[k * each..(k + 1) * each]);
                    let part: Vec<u32> = match same {
                        true => words.to_vec(),
                        false => rows.flatten().copied().collect(),
                    };
                    if !index.is_empty() {
                        let worlds = Worlds::Listed(&index);
                        self.transfer
                            .write(&self.device, &chunk.data, worlds, span, &part)?;
                    }
                }
            }
        }
        Ok(())
    }

    // spans of the inputs of a world, of its flags, and of what its stages keep: each is contiguous
    fn state_spans(&self) -> Vec<Span> {
        let ends = [
            ("time", "mocap_quat"),
            ("tree_asleep", "tree_asleep"),
            ("flexvert_lambda", "flexvert_conage"),
            ("warning", "latent"),
        ];
        let span = |(first, last): (&str, &str)| {
            let [first, last] = [first, last].map(|name| {
                let field = field(name).expect("a field is a row of the table");
                self.layout.slot(field)
            });
            Span {
                offset: first.offset,
                words: last.offset + last.words - first.offset,
            }
        };
        let spans = ends.into_iter().map(span);
        spans.filter(|span| span.words > 0).collect()
    }

    fn aside(&self, read: bool) -> Result<()> {
        for (chunk, held) in self.chunks.iter().zip(&self.held) {
            let n = (chunk.worlds.end - chunk.worlds.start) as u32;
            for (span, buffer) in self.state_spans().into_iter().zip(held) {
                let place = Place { buffer, at: 0 };
                self.transfer
                    .aside(&self.device, &chunk.data, place, read, n, span);
            }
        }
        self.device.check()
    }

    /// Saves the state of every world, on the device.
    pub fn hold(&mut self) -> Result<()> {
        if self.held.is_empty() {
            let room = |chunk: &Chunk| {
                let n = chunk.worlds.end - chunk.worlds.start;
                let words = |span: Span| n * u64::from(span.words);
                let buffer = |span| {
                    self.device
                        .buffer("held", words(span), wgpu::BufferUsages::STORAGE)
                };
                self.state_spans().into_iter().map(buffer).collect()
            };
            let held = self.chunks.iter().map(room).collect();
            self.held = held;
        }
        self.aside(true)
    }

    /// Restores the state of every world that [`Gpu::hold`] saved.
    pub fn back(&mut self) -> Result<()> {
        self.aside(false)
    }

    /// Copies the state of world `from` to the worlds `to`: inputs, warnings and overflows.
    pub fn copy(&mut self, from: u32, to: &[u32]) -> Result<()> {
        let have = self.nworld();
        if from as usize >= have {
            return Err(Error::Input(format!("no world {from}: there are {have}")));
        }
        for span in self.state_spans() {
            let words = self.read_words(Some(&[from]), span)?;
            self.write_words(Some(to), span, &words)?;
        }
        Ok(())
    }

    /// Resets worlds to `qpos0` at rest (`mj_resetData`): all, or those listed. Fields that vary keep their values.
    pub fn reset(&mut self, worlds: Option<&[u32]>) -> Result<()> {
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

    /// Writes whole worlds to the device, one [`Data`] each. Fails with [`Error::Input`] where one has more contacts, rows or
    /// islands than a world has room for.
    pub fn set_data(&mut self, worlds: &[Data]) -> Result<()> {
        let span = Span {
            offset: 0,
            words: self.layout.state_words,
        };
        for (name, field) in COUNTS.iter().filter_map(|name| Some((name, field(name)?))) {
            for d in worlds {
                let Some(View::Int(x)) = d.field(name) else {
                    continue;
                };
                self.leads_somewhere(field, &Values::Int(x.to_vec()))?;
            }
        }
        let image = |d| {
            let mut image = self.layout.world_image(&self.m, d);
            image.truncate(span.words as usize);
            image
        };
        let words: Vec<u32> = worlds.iter().flat_map(image).collect();
        self.write_words(None, span, &words)
    }

    /// Reads every world as a [`Data`].
    pub fn data(&self) -> Result<Vec<Data>> {
        let whole = Span {
            offset: 0,
            words: self.layout.state_words,
        };
        let words = self.read_words(None, whole)?;
        let start = Data::new(&self.m);
        Ok(words
            .chunks(self.layout.state_words as usize)
            .map(|image| self.unpack(&start, image))
            .collect())
    }

    /// A world from its image; arrays that have no place in it are those of `start`.
    pub(super) fn unpack(&self, start: &Data, image: &[u32]) -> Data {
        let mut d = start.clone();
        let kept = |slot: &Slot| slot.words > 0 && !slot.chip;
        for (field, slot) in self.layout.slots().filter(|(_, slot)| kept(slot)) {
            let Some(to) = d.view_mut(field.row) else {
                continue;
            };
            unpack(to, &image[slot.offset as usize..][..slot.words as usize]);
        }
        d
    }
}
