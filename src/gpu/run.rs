//! The executor: runs walks of stages over all worlds.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::fields::{Field, Model, field};
use crate::gpu::device::{Device, block_on};
use crate::gpu::module::Module;
use crate::gpu::own::has_text;
use crate::gpu::pipelines::Key;
use crate::gpu::transfer::Caught;
use crate::gpu::unroll::{Formed, Why};
use crate::gpu::wgsl::Build;
use crate::gpu::worlds::Gpu;
use crate::stages::{self, Stage};

#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) label: String,
    stages: Vec<&'static Stage>,
    pipeline: wgpu::ComputePipeline,
    // worlds per workgroup
    worlds: u32,
    // why it is not unrolled; none if it is
    pub(super) plain: Option<Why>,
}

/// A kernel, and the pending result of its compilation.
struct Begun {
    kernel: Kernel,
    // none where the pipeline came from the cache
    made: Option<Made>,
}

/// The source of a new pipeline, and the device's pending error about it.
struct Made {
    key: Key,
    module: Module,
    caught: Caught,
}

impl Begun {
    async fn done(self, device: &Device) -> Result<Kernel> {
        let Some(made) = self.made else {
            return Ok(self.kernel);
        };
        let Some(e) = made.caught.await else {
            device.pipelines.keep(made.key, &self.kernel.pipeline);
            return Ok(self.kernel);
        };
        // naga's error is repeated with line numbers of the source file
        made.module.validate()?;
        Err(Error::Shader {
            stage: self.kernel.label,
            msg: e.to_string(),
        })
    }
}

/// A compiled walk, in order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    stretches: Vec<Stretch>,
}

/// Kernels, and the stage after them that has none.
#[derive(Clone, Debug, Default)]
struct Stretch {
    kernels: Vec<usize>,
    hosted: Option<&'static Stage>,
}

impl Plan {
    /// Number of dispatches for one run over a chunk of worlds.
    pub fn dispatches(&self) -> usize {
        let kernels = self.stretches.iter().map(|stretch| stretch.kernels.len());
        kernels.sum()
    }
}

impl Gpu {
    /// The stages of each kernel of a plan, and each stage that has none, in order.
    pub fn stages_of<'a>(&'a self, plan: &'a Plan) -> Vec<&'a [&'static Stage]> {
        let stages = |&kernel: &usize| self.kernels[kernel].stages.as_slice();
        let of = |stretch: &'a Stretch| {
            let kernels = stretch.kernels.iter().map(stages);
            kernels.chain(stretch.hosted.as_ref().map(std::slice::from_ref))
        };
        plan.stretches.iter().flat_map(of).collect()
    }

    /// Number of dispatches of a step for each chunk of worlds, once the step is compiled.
    pub fn dispatches(&self) -> Option<usize> {
        self.step.as_ref().map(Plan::dispatches)
    }

    /// The stages of a step that run on the host, once the step is compiled.
    pub(crate) fn on_host(&self) -> impl Iterator<Item = &'static Stage> {
        let stretches = self.step.iter().flat_map(|plan| &plan.stretches);
        stretches.filter_map(|stretch| stretch.hosted)
    }

    /// True if an array is on chip.
    pub fn on_chip(&self, field: &Field) -> bool {
        self.layout.slot(field).chip
    }

    /// True if an array has memory.
    pub fn has(&self, field: &Field) -> bool {
        self.layout.slot(field).words > 0
    }

    /// False for scratch of one stage, which is lost when the stage is done.
    pub fn keeps(&self, field: &Field) -> bool {
        !self.layout.slot(field).transient
    }

    /// Compiles a walk: groups its stages into kernels and compiles those that are not cached.
    pub fn plan(&mut self, walk: &[&'static Stage]) -> Result<Plan> {
        block_on(self.build(walk))
    }

    /// Like [`Gpu::plan`], for a device that cannot be waited for.
    pub(crate) async fn build(&mut self, walk: &[&'static Stage]) -> Result<Plan> {
        let fuse = match self.config.fuse {
            0 if self.device.adapter.compiles_slowly() => 1,
            0 => usize::MAX,
            n => n,
        };
        self.build_fused(walk, fuse).await
    }

    /// Like [`Gpu::plan`] with at most `fuse` stages in a kernel. Fails with [`Error::Missing`] if a kernel lacks a feature that the model
    /// needs.
    pub fn plan_fused(&mut self, walk: &[&'static Stage], fuse: usize) -> Result<Plan> {
        block_on(self.build_fused(walk, fuse))
    }

    async fn build_fused(&mut self, walk: &[&'static Stage], fuse: usize) -> Result<Plan> {
        let lacking = ["collision", "sensor_pos", "fwd_actuation"];
        if walk.iter().any(|stage| lacking.contains(&stage.name)) {
            let missing = crate::user::on_a_device(&self.m);
            if !missing.is_empty() {
                return Err(Error::Missing(missing));
            }
        }
        let hosted = walk.iter().find(|stage| stage.hosted.is_some());
        if let Some(stage) = hosted.filter(|_| !self.device.waits()) {
            return Err(Error::Missing(vec![format!(
                "the stage {} on a device that cannot be waited for: take the backend cpu or simd",
                stage.name
            )]));
        }
        let groups = groups(&self.m, walk, fuse);
        let mut missing: Vec<&Group> = Vec::new();
        for group in groups.iter().filter(|group| group.hosted().is_none()) {
            if !self.by_stages.contains_key(&group.key())
                && !missing.iter().any(|m| m.key() == group.key())
            {
                missing.push(group);
            }
        }
        // no kernel is kept if any is refused
        let mut made = Vec::with_capacity(missing.len());
        // where the host cannot wait, kernels compile one after the other, so that a page can run between two of them
        let at_once = if self.device.waits() {
            missing.len()
        } else {
            1
        };
        for some in missing.chunks(at_once.max(1)) {
            let begun = some.par_iter().map(|group| {
                let formed = self.formed(group).into_par_iter();
                formed.map(|formed| self.compile(formed)).collect()
            });
            for begun in begun.collect::<Result<Vec<Vec<Begun>>>>()? {
                let mut kernels = Vec::with_capacity(begun.len());
                for begun in begun {
                    kernels.push(begun.done(&self.device).await?);
                }
                made.push(kernels);
            }
        }
        self.device.check()?;
        for (group, kernels) in missing.iter().zip(made) {
            let first = self.kernels.len();
            self.kernels.extend(kernels);
            self.by_stages
                .insert(group.key(), (first..self.kernels.len()).collect());
        }
        let mut stretches = vec![Stretch::default()];
        for group in &groups {
            let last = stretches.last_mut();
            let last = last.expect("there is a first one, and none is removed");
            match group.hosted() {
                None => last.kernels.extend(&self.by_stages[&group.key()]),
                stage => {
                    last.hosted = stage;
                    stretches.push(Stretch::default());
                }
            }
        }
        Ok(Plan { stretches })
    }

    fn compile(&self, formed: Formed) -> Result<Begun> {
        let Formed {
            group,
            module,
            team,
            why,
        } = formed;
        let label = module.label();
        self.has_room(&module)?;
        let have = self.device.limits().max_compute_workgroup_storage_size;
        if module.workgroup_memory > have {
            return Err(Error::Size {
                what: format!("bytes of workgroup memory of {label}"),
                need: module.workgroup_memory.into(),
                have: have.into(),
            });
        }
        let key = Key::of(&module, self.config.checked);
        let found = self.device.pipelines.get(&key);
        let (pipeline, caught) = match found {
            Some(pipeline) => (pipeline, None),
            None => {
                let (pipeline, caught) = self.pipeline(&module, &label);
                (pipeline, Some(caught))
            }
        };
        let kernel = Kernel {
            label,
            stages: group.stages,
            pipeline,
            worlds: team.worlds,
            plain: why,
        };
        let made = caught.map(|caught| Made {
            key,
            module,
            caught,
        });
        Ok(Begun { kernel, made })
    }

    // a pipeline, and the device's pending error about it
    fn pipeline(&self, module: &Module, label: &str) -> (wgpu::ComputePipeline, Caught) {
        let device = &self.device.device;
        let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
        let shader = if self.config.checked {
            device.create_shader_module(descriptor(module))
        } else {
            trusted(device, module, self.device.adapter.keeps_within())
        };
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(label),
            layout: Some(&self.pipeline_layout),
            module: &shader,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &[],
                zero_initialize_workgroup_memory: self.config.checked || !module.own.is_empty(),
            },
            cache: None,
        });
        (pipeline, Box::pin(scope.pop()))
    }

    // an error if the kernel uses an array without memory: only arrays that the model's walks touch have memory
    fn has_room(&self, module: &Module) -> Result<()> {
        let mut named = module.reads.iter().chain(&module.writes);
        let lost = named.find(|name| {
            let field = field(name).filter(|field| field.words(&self.m) > 0);
            field.is_some_and(|field| self.layout.slot(field).words == 0)
        });
        match lost {
            None => Ok(()),
            Some(name) => Err(Error::Input(format!(
                "{}: no step of this model runs it, and {name} has no room",
                module.label()
            ))),
        }
    }

    /// Runs a plan `times` times over every world. Returns when the work is submitted, not when it is done; stages that have no kernel are
    /// waited for.
    pub fn run(&self, plan: &Plan, times: usize) -> Result<()> {
        if let [stretch] = plan.stretches.as_slice() {
            return self.submit(&stretch.kernels, times);
        }
        for stretch in (0..times).flat_map(|_| &plan.stretches) {
            self.submit(&stretch.kernels, 1)?;
            self.host_after(stretch)?;
        }
        Ok(())
    }

    // runs the stage after some kernels that has none
    fn host_after(&self, stretch: &Stretch) -> Result<()> {
        let hosted = |stage: &'static Stage| Some((stage, stage.hosted.as_ref()?));
        match stretch.hosted.and_then(hosted) {
            Some((stage, hosted)) => self.host(stage, hosted),
            None => Ok(()),
        }
    }

    // runs kernels `times` times over every world
    fn submit(&self, kernels: &[usize], times: usize) -> Result<()> {
        let each = (self.config.dispatches / kernels.len().max(1)).max(1);
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
                    for &kernel in (0..now).flat_map(|_| kernels) {
                        let kernel = &self.kernels[kernel];
                        pass.set_pipeline(&kernel.pipeline);
                        pass.dispatch_workgroups(chunk.padded / kernel.worlds, 1, 1);
                    }
                }
                self.device.queue.submit([encoder.finish()]);
            }
        }
        self.device.check()
    }

    /// Runs stages over all worlds, and waits for the result.
    pub fn run_stages(&mut self, walk: &[&'static Stage]) -> Result<()> {
        let plan = self.plan(walk)?;
        self.run(&plan, 1)?;
        self.wait()
    }

    /// Compiles the kernels of a step, so that the first step is not slower than the rest.
    pub fn prepare(&mut self) -> Result<()> {
        block_on(self.ready())
    }

    /// Like [`Gpu::prepare`], for a device that cannot be waited for.
    pub(crate) async fn ready(&mut self) -> Result<()> {
        if self.step.is_none() {
            self.step = Some(self.build(&step_walk(&self.m)).await?);
        }
        Ok(())
    }

    /// Steps every world `n` times (`mj_step`). Returns when the work is submitted; [`Gpu::wait`] or a read waits for it.
    pub fn step(&mut self, n: usize) -> Result<()> {
        self.prepare()?;
        match &self.step {
            Some(plan) => self.run(plan, n),
            None => Ok(()),
        }
    }

    /// Waits until all submitted work is done.
    pub fn wait(&self) -> Result<()> {
        self.device.wait()
    }

    /// Runs a plan once and returns the device time of each kernel (s), in order, and that of the host for a stage that has none; empty
    /// where the device has no timestamps.
    pub fn time(&self, plan: &Plan) -> Result<Vec<(String, f64)>> {
        if !self.device.timestamps {
            self.run(plan, 1)?;
            self.wait()?;
            return Ok(Vec::new());
        }
        let mut times = Vec::new();
        for stretch in &plan.stretches {
            if !stretch.kernels.is_empty() {
                times.extend(self.time_kernels(&stretch.kernels)?);
            }
            if let Some(stage) = stretch.hosted {
                let clock = std::time::Instant::now();
                self.host_after(stretch)?;
                times.push((stage.name.to_owned(), clock.elapsed().as_secs_f64()));
            }
        }
        Ok(times)
    }

    // runs kernels once and returns the device time of each (s)
    fn time_kernels(&self, kernels: &[usize]) -> Result<Vec<(String, f64)>> {
        let it = &self.device.device;
        let mut times = vec![0.0; kernels.len()];
        let count = 2 * kernels.len() as u32;
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
            for (k, &kernel) in kernels.iter().enumerate() {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: None,
                    timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                        query_set: &set,
                        beginning_of_pass_write_index: Some(2 * k as u32),
                        end_of_pass_write_index: Some(2 * k as u32 + 1),
                    }),
                });
                pass.set_bind_group(0, &chunk.bind, &[]);
                let kernel = &self.kernels[kernel];
                pass.set_pipeline(&kernel.pipeline);
                pass.dispatch_workgroups(chunk.padded / kernel.worlds, 1, 1);
            }
            encoder.resolve_query_set(&set, 0..count, &resolve, 0);
            encoder.copy_buffer_to_buffer(&resolve, 0, &back, 0, u64::from(count) * 8);
            self.device.queue.submit([encoder.finish()]);
            let mut words = Vec::new();
            block_on(
                self.device
                    .words_of(&back, 2 * u64::from(count), &mut words),
            )?;
            let (ticks, _) = words.as_chunks::<2>();
            let tick = |k: usize| u64::from(ticks[k][0]) | u64::from(ticks[k][1]) << 32;
            let period = f64::from(self.device.queue.get_timestamp_period()) * 1e-9;
            for (k, time) in times.iter_mut().enumerate() {
                *time += tick(2 * k + 1).saturating_sub(tick(2 * k)) as f64 * period;
            }
        }
        let labels = kernels.iter().map(|&k| self.kernels[k].label.clone());
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

/// The stages of inverse dynamics of a model, in order (`mj_inverse`).
pub fn inverse_walk(m: &Model) -> Vec<&'static Stage> {
    let mut list = Vec::new();
    stages::inverse(m, &mut |stage| list.push(stage));
    list
}

/// What tells a kernel from others: the names of its stages, and whether it runs in some worlds only.
pub(super) type GroupKey = (Vec<&'static str>, bool);

/// The stages of one kernel.
#[derive(Clone, Debug)]
pub struct Group {
    /// The stages, in order.
    pub stages: Vec<&'static Stage>,
    /// It runs only in the worlds where trees fell asleep or were woken (`stages::again`).
    pub again: bool,
}

impl Group {
    fn key(&self) -> GroupKey {
        let names = self.stages.iter().map(|stage| stage.name);
        (names.collect(), self.again)
    }

    /// The stage, if it has no kernel.
    pub fn hosted(&self) -> Option<&'static Stage> {
        self.stages
            .iter()
            .copied()
            .find(|stage| stage.hosted.is_some())
    }

    /// The module of the kernel.
    pub fn module(&self, build: &Build<'_>) -> Module {
        match self.again {
            true => build.module_again(&self.stages),
            false => build.module(&self.stages),
        }
    }
}

/// The stages that a stage has run again in some worlds (`stages::again`), in order.
pub fn again_walk(m: &Model, stage: &Stage) -> Vec<&'static Stage> {
    let mut list = Vec::new();
    stages::again(m, stage, &mut |stage| list.push(stage));
    list
}

/// The kernels of a walk: its stages, each followed by those that run again in some worlds, at most `fuse` in a kernel.
pub fn groups(m: &Model, walk: &[&'static Stage], fuse: usize) -> Vec<Group> {
    let mut out = Vec::new();
    let mut add = |walk: &[&'static Stage], again: bool| {
        let groups = group(m, walk, fuse).into_iter();
        out.extend(groups.map(|stages| Group { stages, again }));
    };
    let mut first = 0;
    for (k, stage) in walk.iter().enumerate() {
        let more = again_walk(m, stage);
        if !more.is_empty() {
            add(&walk[first..=k], false);
            add(&more, true);
            first = k + 1;
        }
    }
    add(&walk[first..], false);
    out
}

/// Stages that are long or divergent, each a kernel of its own.
pub(crate) const ALONE: &[&str] = &["collision", "make_constraint", "solve_newton"];

/// The stages of a walk grouped into kernels, at most `fuse` in each. A stage with a user text is a kernel of its own, since
/// it is compiled with checks; a stage without a kernel is a group of its own.
pub fn group(m: &Model, walk: &[&'static Stage], fuse: usize) -> Vec<Vec<&'static Stage>> {
    let alone =
        |stage: &Stage| ALONE.contains(&stage.name) || has_text(m, stage) || stage.hosted.is_some();
    let mut groups: Vec<Vec<&'static Stage>> = Vec::new();
    for &stage in walk {
        let joins = |group: &&mut Vec<&'static Stage>| {
            group.len() < fuse && !alone(stage) && !alone(group[0])
        };
        match groups.last_mut().filter(joins) {
            Some(group) => group.push(stage),
            None => groups.push(vec![stage]),
        }
    }
    groups
}

// barriers that follow each other become one; a browser takes texts alone
fn source(module: &Module) -> wgpu::ShaderModuleDescriptor<'_> {
    #[cfg(not(target_arch = "wasm32"))]
    if let Ok(merged) = module.for_drivers() {
        return wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Naga(std::borrow::Cow::Owned(merged)),
        };
    }
    descriptor(module)
}

fn descriptor(module: &Module) -> wgpu::ShaderModuleDescriptor<'_> {
    wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(module.text.as_str().into()),
    }
}

#[expect(
    unsafe_code,
    reason = "the texts are ours and their numbers were looked at, as is proved step by step below"
)]
fn trusted(device: &wgpu::Device, module: &Module, robust: bool) -> wgpu::ShaderModule {
    // 1. every check of WebGPU's holds for a text of one's own, and for all that is in its module
    if !module.own.is_empty() {
        return device.create_shader_module(descriptor(module));
    }
    let checks = wgpu::ShaderRuntimeChecks {
        bounds_checks: !robust,
        ..wgpu::ShaderRuntimeChecks::unchecked()
    };
    // SAFETY:
    // 1. The text is ours. `compile` is private and gets what `formed` makes of `&'static Stage`s; a `Stage` has a private field, so that
    //    the only ones are the rows of `STAGES` and those beside it in its file, whose shaders are of this crate. A text of somebody else's, which
    //    `gpu::own` adds to one, is named in `own`: such a module was made above, with checks.
    // 2. The values that it is specialised to are sound. Sizes, options and the tree come from a `Model`, and there is no `Model` whose indices
    //    `compile::check` did not look at; `Gpu::write` refuses integers of the model that lead nowhere and counts beyond the room.
    // 3. Loops end: each at a size of the model, at one of those counts, or at a number of iterations of the options.
    // 4. Arrays of a kernel's own (private and workgroup memory) are indexed by those loops, by the model, and by values that the kernel itself
    //    put there. The same texts run with checks in the tests that ask for it, and give the same bits.
    // 5. Buffers are indexed by the same, and by integers of a world (`contact_collision`, `efc_id` …). Where safe code wrote others than
    //    a stage does, robust access keeps reads and writes within the binding, which holds this model and these worlds alone; it
    //    is always on in wgpu's Vulkan. On other platforms bounds are checked.
    //    A text of somebody else's writes no more than safe code does: `own::check` lets it name no buffer and no variable of ours and
    //    none of our functions that write, its definitions get names of their own, and the arrays that it sets are reals, by no number of
    //    which memory is indexed without a clamp (`ctrl qfrc_applied xfrc_applied userdata`, which `Gpu::write` sets as well, and
    //    `qfrc_passive`); their accessors look at every index (`own__set_ctrl`).
    // 6. Nothing is divided by an integer that is not a constant or a size above 0; there are no ray queries and no mesh shaders.
    unsafe { device.create_shader_module_trusted(source(module), checks) }
}
