//! The GPU kernels over all worlds.

mod own;

use std::sync::OnceLock;

use super::asked::Unseen;
use super::own::{Models, News};
use super::slices::{Columns, In, Out};
use super::state::kept;
use super::{Backend, Mask, Memory, Pass, Settings, What, Worlds, memory};
use crate::error::{Error, Result};
use crate::fields::{Elem, Field, Model, View};
use crate::gpu::arena::{Layout, chip_words};
use crate::gpu::config::hardware_team;
use crate::gpu::device::{self, Choice, Device, block_on};
use crate::gpu::run::{Plan, step_walk};
use crate::gpu::tune::{self, Tuned};
use crate::gpu::{Asked, Config, Gpu, Values};
use crate::stages::{self, Part, Stage};
use crate::types::{ENBL_INVERSE, OVERFLOW_TURNS};

// largest number of lanes to which a world is widened when its lanes were too few
const MOST_LANES: u32 = 64;

/// The reason why [`super::Backend::Auto`] takes the CPU where [`hardware`] finds nothing.
pub(super) const NO_HARDWARE: &str = "no hardware GPU";

/// Name of the best hardware adapter.
pub(super) fn hardware() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let best = || {
        // on a machine without a graphics device no driver is loaded
        let adapters = device::may_have_hardware().then(device::adapters);
        let adapters = adapters.unwrap_or_default().into_iter();
        let name = |adapter: device::Adapter| (!adapter.software).then_some(adapter.name);
        adapters.filter_map(name).next()
    };
    FOUND.get_or_init(best).as_deref()
}

/// Plans of walks other than a step, each made when it is first run.
type Plans = Vec<(Walk, Plan)>;

/// A walk other than a full step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Walk {
    Forward(Part),
    Step1,
    // a step without the stage `control`, which user code runs
    Step2,
    Inverse(Part),
}

impl Walk {
    // stages of the walk, in order
    fn stages(self, m: &Model) -> Vec<&'static Stage> {
        let mut list = Vec::new();
        let run = &mut |stage| list.push(stage);
        match self {
            Self::Forward(part) => stages::forward_part(m, part, run),
            Self::Step1 => stages::step1(m, run),
            Self::Step2 => stages::step(m, &mut |stage| {
                if !std::ptr::eq(stage, &stages::control) {
                    run(stage);
                }
            }),
            Self::Inverse(part) => stages::inverse_part(m, part, run),
        }
        list
    }
}

#[derive(Debug)]
struct Kernels {
    gpu: Gpu,
    plans: Plans,
    // true if the settings do not fix the number of lanes: it is doubled if the adapter ends loops early
    widens: bool,
    // whether the caller gave the device
    given: bool,
    // arrays on the host, where the device cannot be waited for
    unseen: Option<Unseen>,
    // one model per world, where worlds differ
    own: Models,
    // the values of the last read
    reals: Vec<f64>,
    ints: Vec<i32>,
}

pub(super) fn open(m: &Model, nworld: usize, settings: &Settings) -> Result<Box<dyn Worlds>> {
    let choice = match &settings.adapter {
        Some(letters) => Choice::Named(letters.clone()),
        None => Choice::Any,
    };
    open_on(choice, m, nworld, settings)
}

/// The kernels on the best hardware adapter.
pub(super) fn open_hardware(
    m: &Model,
    nworld: usize,
    settings: &Settings,
) -> Result<Box<dyn Worlds>> {
    open_on(Choice::Hardware, m, nworld, settings)
}

fn open_on(
    choice: Choice,
    m: &Model,
    nworld: usize,
    settings: &Settings,
) -> Result<Box<dyn Worlds>> {
    let device = Device::shared(&choice)?;
    block_on(on(&device, m, nworld, settings, false))
}

/// The kernels on an open device; `given`: the caller gave the device.
pub(super) async fn on(
    device: &Device,
    m: &Model,
    nworld: usize,
    settings: &Settings,
    given: bool,
) -> Result<Box<dyn Worlds>> {
    if settings.rne_post {
        let why = "only the backends cpu and simd compute forces between bodies after the last step (rne_post): take one of \
                   them; a device computes these forces at the beginning of a step, if the model has the flag ENBL_RNEPOST \
                   or sensors of force";
        return Err(Error::Input(why.to_owned()));
    }
    let config = Config {
        nworld,
        lanes: settings.lanes.unwrap_or(0),
        unroll: settings.unroll,
        tuned: (!settings.no_cache).then(tune::folder).flatten(),
        // a software adapter shares the machine's memory; a GPU refuses an allocation by itself
        memory: device.adapter.software.then(memory::available),
        ..Config::default()
    };
    let config = match settings.tuning {
        Some(choice) => choice.put(&config),
        None => config,
    };
    let mut gpu = Gpu::make(device, m, &config).await?;
    // kernels of a step are compiled before the first step
    gpu.ready().await?;
    let mut plans = Plans::default();
    // other walks are compiled now where the host cannot wait later; they share nearly all kernels with a step
    if !device.waits() {
        for walk in [Walk::Forward(Part::ALL), Walk::Step1] {
            plans.push((walk, gpu.build(&walk.stages(m)).await?));
        }
    }
    Ok(Box::new(Kernels {
        gpu,
        plans,
        widens: settings.lanes.is_none(),
        given,
        unseen: (!device.waits()).then(Unseen::default),
        own: Models::default(),
        reals: Vec::new(),
        ints: Vec::new(),
    }))
}

/// Memory layout of a model on a hardware GPU with default settings.
fn layout(m: &Model) -> Result<Layout> {
    let (team, tile) = hardware_team(m);
    Layout::new(m, tile, &[], chip_words(team))
}

/// Size of each array of a world (bytes), the largest first; `true` for an array on chip, `false` for one in the arena.
pub(super) fn arrays(m: &Model) -> Result<Vec<(&'static str, u64, bool)>> {
    let layout = layout(m)?;
    let mine = layout.slots().filter(|(_, slot)| slot.per_world);
    let mut arrays: Vec<_> = mine
        .filter(|(_, slot)| slot.words > 0)
        .map(|(field, slot)| (field.name, 4 * u64::from(slot.words), slot.chip))
        .collect();
    arrays.sort_by_key(|array| std::cmp::Reverse(array.1));
    Ok(arrays)
}

/// Memory of one world on a device.
pub(super) fn world(m: &Model) -> Result<Memory> {
    let memory = layout(m)?.memory(1, 0);
    Ok(Memory {
        model: memory.model,
        world: memory.world,
        total: memory.total(),
    })
}

// indices of the worlds of a mask, ascending
fn listed(mask: Mask<'_>) -> Option<Vec<u32>> {
    let chosen = (0u32..).zip(mask?).filter(|(_, chosen)| **chosen);
    Some(chosen.map(|(w, _)| w).collect())
}

// one field cut from `values`: the rows of the listed worlds, of all worlds, or the one shared row
fn rows<S: Copy, T>(
    m: &Model,
    field: &Field,
    list: &Option<Vec<u32>>,
    at: Columns,
    values: &[S],
    word: impl Fn(S) -> T,
) -> Vec<T> {
    let words = field.words(m);
    let row = |w: usize| &values[w * at.of + at.first..][..words];
    let rows: Vec<&[S]> = match list {
        Some(list) if values.len() != at.of => list.iter().map(|&w| row(w as usize)).collect(),
        _ => (0..values.len() / at.of).map(row).collect(),
    };
    rows.into_iter().flatten().map(|&x| word(x)).collect()
}

// copies a field into its columns of the rows of the caller, for some worlds
fn put<S: Copy, T>(mask: Mask<'_>, at: Columns, to: &mut [T], from: &[S], word: impl Fn(S) -> T) {
    let words = from.len() / (to.len() / at.of);
    let rows = to.chunks_exact_mut(at.of).zip(from.chunks_exact(words));
    for (w, (to, from)) in rows.enumerate() {
        if mask.is_none_or(|mask| mask[w]) {
            let to = to[at.first..].iter_mut().zip(from);
            to.for_each(|(to, &x)| *to = word(x));
        }
    }
}

impl Kernels {
    // a software adapter may end long loops early: then the pass is repeated with twice as many lanes, whose loops are half as long
    fn attempt(
        &mut self,
        m: &Model,
        pass: &Pass<'_>,
        go: impl Fn(&mut Self) -> Result<()>,
    ) -> Result<()> {
        self.change();
        let ends = self.gpu.device().adapter.ends_loops();
        loop {
            // a change of lanes keeps nothing but the state
            let may_widen = self.widens && !pass.what.goes_on();
            let widens = ends && may_widen && self.gpu.team().lanes < MOST_LANES;
            if pass.keep || widens {
                self.gpu.hold()?;
            }
            go(self)?;
            if !ends {
                return Ok(());
            }
            let ended = self.gpu.read_int("overflow")?;
            let ended = ended.iter().filter(|&bits| bits & OVERFLOW_TURNS != 0);
            let (ended, lanes) = (ended.count(), self.gpu.team().lanes);
            if ended == 0 {
                return Ok(());
            }
            if !widens {
                return Err(Error::Device(format!(
                    "the software adapter ended the loops of {ended} worlds early: more than {lanes} lanes a world make them shorter"
                )));
            }
            self.gpu.back()?;
            self.widen(&self.state(m)?)?;
        }
    }

    // all fields that the future of the worlds depends on
    fn state(&self, m: &Model) -> Result<Vec<(&'static str, Values)>> {
        let held = kept().iter().filter(|field| field.words(m) > 0);
        held.map(|field| Ok((field.name, self.gpu.read(field.name)?)))
            .collect()
    }

    // reopens the worlds with room for the arrays of inverse dynamics; no value is lost
    fn have_room_for_inverse(&mut self) -> Result<()> {
        if self.gpu.model().opt.enabled(ENBL_INVERSE) {
            return Ok(());
        }
        let mut m = self.gpu.model().clone();
        m.edit(|m| m.opt.enableflags |= ENBL_INVERSE)?;
        let mut gpu = Gpu::new(self.gpu.device(), &m, self.gpu.config())?;
        self.carry_over(&mut gpu)?;
        own::write_own(&self.own, &mut gpu)?;
        gpu.prepare()?;
        (self.gpu, self.plans) = (gpu, Plans::default());
        Ok(())
    }

    // runs a walk once, by its cached plan
    fn walk(&mut self, m: &Model, walk: Walk) -> Result<()> {
        let known = self.plans.iter().position(|(of, _)| *of == walk);
        let k = match known {
            Some(k) => k,
            None => {
                let plan = self.gpu.plan(&walk.stages(m))?;
                self.plans.push((walk, plan));
                self.plans.len() - 1
            }
        };
        self.gpu.run(&self.plans[k].1, 1)
    }

    fn inverse(&mut self, m: &Model, pass: &Pass<'_>, part: Part) -> Result<()> {
        self.have_room_for_inverse()?;
        // where loops may end early, the given `qacc` may be lost in an attempt
        let ends = self.gpu.device().adapter.ends_loops();
        let given = ends.then(|| self.gpu.read("qacc")).transpose()?;
        self.attempt(m, pass, |kernels| {
            if let Some(given) = &given {
                kernels.gpu.write("qacc", given)?;
            }
            kernels.walk(m, Walk::Inverse(part))
        })
    }

    // the worlds change: the arrays on the host are out of date
    fn change(&mut self) {
        if let Some(unseen) = &mut self.unseen {
            unseen.change();
        }
    }

    // an array of all worlds
    fn values(&mut self, field: &'static Field) -> Result<Values> {
        match &mut self.unseen {
            Some(unseen) if self.gpu.has(field) && self.gpu.keeps(field) => unseen.read(field),
            _ => self.gpu.read(field.name),
        }
    }

    fn widen(&mut self, state: &[(&'static str, Values)]) -> Result<()> {
        let config = Config {
            lanes: 2 * self.gpu.team().lanes,
            ..self.gpu.config().clone()
        };
        let mut gpu = Gpu::new(self.gpu.device(), self.gpu.model(), &config)?;
        gpu.prepare()?;
        for (name, values) in state {
            gpu.write(name, values)?;
        }
        own::write_own(&self.own, &mut gpu)?;
        gpu.hold()?;
        (self.gpu, self.plans) = (gpu, Plans::default());
        Ok(())
    }
}

impl Worlds for Kernels {
    fn backend(&self) -> Backend {
        Backend::Gpu
    }

    fn device(&self) -> String {
        let team = self.gpu.team();
        let plural = if team.lanes == 1 { "" } else { "s" };
        let tuned = match self.gpu.tuned() {
            Tuned::No => String::new(),
            Tuned::Yes => ", tuned".to_owned(),
            Tuned::Ignored(why) => format!(", not tuned (ignored {why})"),
        };
        let host: String = self
            .gpu
            .on_host()
            .map(|stage| format!(", {} on the host", stage.name))
            .collect();
        format!(
            "{}, {} lane{plural} a world, {} dispatches a step, f32{host}{tuned}",
            self.gpu.device().adapter,
            team.lanes,
            self.gpu.dispatches().unwrap_or(0)
        )
    }

    fn run(&mut self, m: &Model, pass: &Pass<'_>) -> Result<()> {
        match pass.what {
            What::Step(_) | What::Step2 => self.attempt(m, pass, |kernels| {
                for (field, values) in pass.inputs() {
                    let at = Columns::all(field.words(m));
                    kernels.write(m, field, None, at, values)?;
                }
                match pass.what {
                    What::Step2 if m.users().controls() => kernels.walk(m, Walk::Step2),
                    what => kernels.gpu.step(what.steps()),
                }
            }),
            What::Forward(part) => {
                self.attempt(m, pass, |kernels| kernels.walk(m, Walk::Forward(part)))
            }
            What::Step1 => self.attempt(m, pass, |kernels| kernels.walk(m, Walk::Step1)),
            What::Inverse(part) => self.inverse(m, pass, part),
        }
    }

    fn read(&mut self, _m: &Model, field: &'static Field) -> Result<View<'_>> {
        Ok(match self.values(field)? {
            Values::Int(x) => {
                self.ints = x;
                View::Int(&self.ints)
            }
            Values::Real(x) => {
                self.reals.clear();
                self.reals.extend(x.into_iter().map(f64::from));
                View::Real(&self.reals)
            }
        })
    }

    fn read_into(
        &mut self,
        m: &Model,
        field: &'static Field,
        mask: Mask<'_>,
        at: Columns,
        out: Out<'_>,
    ) -> Result<()> {
        if field.words(m) == 0 {
            return Ok(());
        }
        let values = self.values(field)?;
        match (&values, out) {
            (Values::Real(x), Out::F32(to)) => put(mask, at, to, x, |x| x),
            (Values::Real(x), Out::F64(to)) => put(mask, at, to, x, f64::from),
            (Values::Int(x), Out::F32(to)) => put(mask, at, to, x, |x| x as f32),
            (Values::Int(x), Out::F64(to)) => put(mask, at, to, x, f64::from),
            (Values::Int(x), Out::I32(to)) => put(mask, at, to, x, |x| x),
            (Values::Real(x), Out::I32(to)) => put(mask, at, to, x, |x| x as i32),
        }
        Ok(())
    }

    fn write(
        &mut self,
        m: &Model,
        field: &'static Field,
        mask: Mask<'_>,
        at: Columns,
        values: In<'_>,
    ) -> Result<()> {
        let list = listed(mask);
        if field.words(m) == 0 || list.as_ref().is_some_and(Vec::is_empty) {
            return Ok(());
        }
        let values = match (field.elem, values) {
            (Elem::Int, In::F32(x)) => Values::Int(rows(m, field, &list, at, x, |x| x as i32)),
            (Elem::Int, In::F64(x)) => Values::Int(rows(m, field, &list, at, x, |x| x as i32)),
            (Elem::Int, In::I32(x)) => Values::Int(rows(m, field, &list, at, x, |x| x)),
            (_, In::F32(x)) => Values::Real(rows(m, field, &list, at, x, |x| x)),
            (_, In::F64(x)) => Values::Real(rows(m, field, &list, at, x, |x| x as f32)),
            (_, In::I32(x)) => Values::Real(rows(m, field, &list, at, x, |x| x as f32)),
        };
        self.change();
        match &list {
            Some(list) => self.gpu.write_worlds(field.name, list, &values),
            None => self.gpu.write(field.name, &values),
        }
    }

    fn reset(&mut self, _m: &Model, mask: Mask<'_>) -> Result<()> {
        self.change();
        match listed(mask) {
            Some(list) if list.is_empty() => Ok(()),
            list => {
                self.gpu.reset(list.as_deref())?;
                self.start_own(list.as_deref())
            }
        }
    }

    fn differ(
        &mut self,
        _: &Model,
        models: &Models,
        _: &[&'static str],
        news: &[News],
    ) -> Result<()> {
        self.change();
        self.give(models, news)
    }

    fn let_go(&mut self) {
        self.own = Models::default();
    }

    fn keeps(&self, field: &'static Field) -> bool {
        self.gpu.keeps(field)
    }

    fn copy(&mut self, _m: &Model, from: usize, to: &[usize]) -> Result<()> {
        self.change();
        let to: Vec<u32> = to.iter().map(|&w| w as u32).collect();
        self.gpu.copy(from as u32, &to)
    }

    fn back(&mut self) -> Result<()> {
        self.change();
        self.gpu.back()
    }

    fn beside(
        &self,
        m: &Model,
        nworld: usize,
        settings: &Settings,
    ) -> Result<Option<Box<dyn Worlds>>> {
        let device = self.gpu.device();
        let opened = self
            .given
            .then(|| block_on(on(device, m, nworld, settings, true)));
        opened.transpose()
    }

    fn gpu(&self) -> Option<&Gpu> {
        Some(&self.gpu)
    }

    fn changed(&mut self) {
        self.change();
    }

    fn unseen(&mut self) -> Option<&mut Unseen> {
        self.unseen.as_mut()
    }

    fn ask(&mut self) -> Result<Option<(Asked, u64)>> {
        let gpu = &self.gpu;
        let asked = self.unseen.as_mut().map(|unseen| unseen.ask(gpu));
        asked.transpose()
    }

    fn at_hand(&self) -> u64 {
        // a software adapter shares the machine's memory; a GPU does not tell its free memory, and refuses an allocation by itself
        match self.gpu.device().adapter.software {
            true => memory::available(),
            false => u64::MAX,
        }
    }

    fn memory(&self) -> Memory {
        let memory = self.gpu.memory();
        Memory {
            model: memory.model,
            world: memory.world,
            total: memory.total(),
        }
    }

    fn stage_times(&mut self, m: &Model, n: usize) -> Result<Option<Vec<(String, f64)>>> {
        if !self.gpu.device().timestamps {
            return Ok(None);
        }
        let walk = step_walk(m);
        let plan = self.gpu.plan_fused(&walk, 1)?;
        let mut times: Vec<(String, f64)> = Vec::new();
        for _ in 0..n {
            let stages = self.gpu.stages_of(&plan);
            let stages = stages.into_iter().flatten();
            for (stage, (_, took)) in stages.zip(self.gpu.time(&plan)?) {
                let took = took / n as f64;
                match times.iter_mut().find(|(name, _)| *name == stage.name) {
                    Some((_, sum)) => *sum += took,
                    None => times.push((stage.name.to_owned(), took)),
                }
            }
        }
        Ok(Some(times))
    }
}
