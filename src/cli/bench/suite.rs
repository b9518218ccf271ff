//! `bench --suite`: all measurements of a device, in one run, as markdown.

use super::init::Init;
use super::roofline::{self, Work};
use crate::cli::Fault;
use crate::cli::say::{data, remark};
use comfy_table::{Table, presets};
use manyworlds::batch::{Backend, Settings};
use manyworlds::fields::{FIELDS, Room};
use manyworlds::gpu::dataflow::dataflow;
use manyworlds::gpu::device::{Choice, Request};
use manyworlds::gpu::run::{groups, step_walk};
use manyworlds::gpu::{Config, Device, Gpu, Values};
use manyworlds::stages::Stage;
use manyworlds::types::OVERFLOW_TURNS;
use manyworlds::{Batch, Model};
use std::collections::BTreeMap;
use std::time::Instant;

/// Range of the measurements: numbers of worlds, lanes of a team, seconds for each figure.
struct Scale {
    worlds: &'static [usize],
    lanes: &'static [u32],
    seconds: f64,
}

const HARDWARE: Scale = Scale {
    worlds: &[1024, 8192, 32768, 131_072],
    lanes: &[1, 8, 16, 32, 64],
    seconds: 1.0,
};
const QUICK: Scale = Scale {
    worlds: &[64, 256],
    lanes: &[1, 8],
    seconds: 0.2,
};

/// Settled worlds of which all others are copies, and their statistics.
struct Start {
    arrays: Vec<(&'static str, Vec<f32>)>,
    ncon: f64,
    nefc: f64,
    niter: f64,
    // work of each stage of a step, counted
    work: BTreeMap<&'static str, Work>,
}

/// One measurement.
struct Figure {
    worlds: usize,
    lanes: u32,
    fused: bool,
    dispatches: usize,
    // of one step of all worlds (s)
    seconds: f64,
    bytes: f64,
    ended: bool,
}

/// Measures a model on the device: start-up time, every number of worlds and lanes, fused and not, and the time of each stage.
pub fn run(m: &Model, load: (f64, f64), adapter: Option<&str>, quick: bool) -> Result<(), Fault> {
    let start = Instant::now();
    let choice = match adapter {
        Some(letters) => Choice::Named(letters.to_owned()),
        None => Choice::Any,
    };
    let device = Device::open(&Request {
        choice,
        portable: false,
    })?;
    let open_s = start.elapsed().as_secs_f64();
    let scale = match quick || device.adapter.software {
        true => &QUICK,
        false => &HARDWARE,
    };
    data!("## {} on {}\n", m.names.model, device.adapter)?;
    let (m, states) = settle(m)?;
    start_up(&device, &m, &states, load, open_s)?;

    let mut figures = Vec::new();
    for &worlds in scale.worlds {
        for &lanes in scale.lanes {
            match measure(&device, &m, &states, worlds, lanes, scale.seconds) {
                Ok(found) => figures.extend(found),
                Err(e) => remark!("{worlds} worlds, {lanes} lanes: {}", e.text.trim()),
            }
        }
    }
    print(&m, &states, &figures)?;
    let best = figures.iter().filter(|figure| !figure.ended);
    let best = best.min_by(|a, b| {
        let of = |figure: &Figure| figure.seconds / figure.worlds as f64;
        of(a).total_cmp(&of(b))
    });
    match best {
        Some(best) => stages(&device, &m, &states, best),
        None => Ok(()),
    }
}

// worlds that have settled on the CPU, and the model with the room that they need
fn settle(m: &Model) -> Result<(Model, Start), Fault> {
    let settings = Settings {
        backend: Backend::Cpu,
        ..Settings::default()
    };
    let init = Init::make(m, 64, 10, 10, &settings)?;
    let mut batch = Batch::with(m, 64, settings)?;
    init.put(&mut batch, 0)?;
    batch.step(1)?;
    let mean = |x: &[i32]| x.iter().map(|&x| f64::from(x)).sum::<f64>() / x.len() as f64;
    let [ncon, nefc, niter] =
        ["ncon", "nefc", "solver_niter"].map(|name| batch.ints(name).map(mean));
    let (ncon, nefc, niter) = (ncon?, nefc?, niter?);
    let mut arrays = Vec::new();
    for name in ["qpos", "qvel", "act", "qacc_warmstart", "ctrl"] {
        let x = batch.reals(name)?.iter().map(|&x| x as f32).collect();
        arrays.push((name, x));
    }
    let start = Start {
        arrays,
        ncon,
        nefc,
        niter,
        work: roofline::work(&mut batch)?,
    };
    Ok((batch.model().clone(), start))
}

impl Start {
    fn put(&self, gpu: &mut Gpu) -> Result<(), Fault> {
        gpu.reset(None)?;
        for (name, x) in self.arrays.iter().filter(|(_, x)| !x.is_empty()) {
            let row = x.len() / 64;
            let rows = (0..gpu.nworld()).map(|w| &x[w % 64 * row..][..row]);
            gpu.write(name, &Values::Real(rows.flatten().copied().collect()))?;
        }
        Ok(gpu.wait()?)
    }
}

fn start_up(
    device: &Device,
    m: &Model,
    states: &Start,
    load: (f64, f64),
    open_s: f64,
) -> Result<(), Fault> {
    let mut rows = vec![
        ("parse the model", load.0),
        ("compile it", load.1),
        ("open the device", open_s),
    ];
    let mut clock = Instant::now();
    let mut lap = |what| {
        rows.push((what, clock.elapsed().as_secs_f64()));
        clock = Instant::now();
    };
    let config = Config {
        nworld: 64,
        checked: false,
        ..Config::default()
    };
    let mut gpu = Gpu::new(device, m, &config)?;
    lap("lay out 64 worlds");
    gpu.prepare()?;
    lap("pipelines");
    states.put(&mut gpu)?;
    lap("write the states");
    for what in ["first step", "second step"] {
        gpu.step(1)?;
        gpu.wait()?;
        lap(what);
    }
    let mut table = markdown(&["start-up", "s"]);
    for (what, s) in rows {
        table.add_row([what.to_owned(), format!("{s:.3}")]);
    }
    data!("{table}\n")?;
    Ok(())
}

// measures the same worlds with fused and with single-stage kernels
fn measure(
    device: &Device,
    m: &Model,
    states: &Start,
    worlds: usize,
    lanes: u32,
    seconds: f64,
) -> Result<Vec<Figure>, Fault> {
    let config = Config {
        nworld: worlds,
        lanes,
        checked: false,
        ..Config::default()
    };
    let mut gpu = Gpu::new(device, m, &config)?;
    let mut found = Vec::new();
    // a software adapter takes minutes to compile a fused step
    let fuses: &[usize] = if device.adapter.software {
        &[1]
    } else {
        &[1, usize::MAX]
    };
    for &fuse in fuses {
        let plan = gpu.plan_fused(&step_walk(m), fuse)?;
        states.put(&mut gpu)?;
        gpu.run(&plan, 2)?;
        gpu.wait()?;
        // as many steps as the time allows, ten at a time
        states.put(&mut gpu)?;
        let (clock, mut steps) = (Instant::now(), 0);
        while steps == 0 || clock.elapsed().as_secs_f64() < seconds {
            gpu.run(&plan, 10)?;
            gpu.wait()?;
            steps += 10;
        }
        let took = clock.elapsed().as_secs_f64() / f64::from(steps);
        let ended = gpu.read_int("overflow")?;
        let figure = Figure {
            worlds,
            lanes,
            fused: fuse != 1,
            dispatches: plan.dispatches(),
            seconds: took,
            bytes: step_bytes(&gpu, m, fuse, states),
            ended: ended.iter().any(|bits| bits & OVERFLOW_TURNS != 0),
        };
        remark!(
            "{worlds} worlds, {lanes} lanes, {} dispatches: {:.3} ms a step",
            figure.dispatches,
            1e3 * took
        );
        found.push(figure);
    }
    Ok(found)
}

// bytes that the kernels of a step read and write per world: each array once per kernel, rows and contacts as many as there are. Kernels
// that run only where trees fall asleep or wake are not counted
fn step_bytes(gpu: &Gpu, m: &Model, fuse: usize, states: &Start) -> f64 {
    let kernels = groups(m, &step_walk(m), fuse);
    kernels
        .iter()
        .filter(|kernel| !kernel.again)
        .map(|kernel| bytes(gpu, m, &kernel.stages, states))
        .sum()
}

fn bytes(gpu: &Gpu, m: &Model, kernel: &[&Stage], states: &Start) -> f64 {
    let flow = dataflow(kernel);
    let share = |dims: &[&str]| match dims.first() {
        Some(&"njmax") => states.nefc / m.njmax.max(1) as f64,
        Some(&"nconmax") => states.ncon / m.nconmax.max(1) as f64,
        _ => 1.0,
    };
    let moved = |name: &&str| {
        let field = FIELDS.iter().find(|field| field.name == *name);
        let field = field.filter(|field| field.room != Room::Model && !gpu.on_chip(field));
        field.map_or(0.0, |field| 4.0 * field.words(m) as f64 * share(field.dims))
    };
    flow.reads.iter().chain(&flow.writes).map(moved).sum()
}

// operations of a step of one world
fn flop(m: &Model, states: &Start) -> f64 {
    let of = |stage: &&'static Stage| states.work.get(stage.name).map_or(0.0, |work| work.flop);
    let mut once: Vec<&'static Stage> = step_walk(m);
    once.sort_by_key(|stage| stage.name);
    once.dedup_by_key(|stage| stage.name);
    once.iter().map(of).sum()
}

fn print(m: &Model, states: &Start, figures: &[Figure]) -> Result<(), Fault> {
    data!(
        "{:.1} contacts, {:.1} rows, {:.1} iterations a step; {:.0} kFLOP a step counted\n",
        states.ncon,
        states.nefc,
        states.niter,
        1e-3 * flop(m, states)
    )?;
    let mut table = markdown(&[
        "worlds",
        "lanes",
        "kernels",
        "dispatches a step",
        "ms a step",
        "ns a world-step",
        "M steps/s",
        "kB a world-step",
        "GB/s",
        "GFLOP/s",
    ]);
    for figure in figures {
        let rate = figure.worlds as f64 / figure.seconds;
        let note = if figure.ended {
            " (the adapter ended loops: no figure)"
        } else {
            ""
        };
        table.add_row([
            figure.worlds.to_string(),
            figure.lanes.to_string(),
            format!(
                "{}{note}",
                if figure.fused { "fused" } else { "one a stage" }
            ),
            figure.dispatches.to_string(),
            format!("{:.3}", 1e3 * figure.seconds),
            format!("{:.1}", 1e9 / rate),
            format!("{:.3}", 1e-6 * rate),
            format!("{:.1}", 1e-3 * figure.bytes),
            format!("{:.1}", 1e-9 * figure.bytes * rate),
            format!("{:.1}", 1e-9 * flop(m, states) * rate),
        ]);
    }
    data!("{table}\n")
}

// time of each stage by the device's timestamps, with the settings of the best figure
fn stages(device: &Device, m: &Model, states: &Start, best: &Figure) -> Result<(), Fault> {
    let config = Config {
        nworld: best.worlds,
        lanes: best.lanes,
        checked: false,
        ..Config::default()
    };
    let mut gpu = Gpu::new(device, m, &config)?;
    let walk = step_walk(m);
    let plan = gpu.plan_fused(&walk, 1)?;
    states.put(&mut gpu)?;
    gpu.run(&plan, 1)?;
    gpu.wait()?;
    let times = gpu.time(&plan)?;
    if times.is_empty() {
        return data!("the device has no clock for its kernels");
    }
    let memory = gpu.memory();
    data!(
        "{} worlds, {} lanes; {:.1} KiB a world\n",
        best.worlds,
        best.lanes,
        memory.world as f64 / 1024.0
    )?;
    let all: f64 = times.iter().map(|(_, s)| s).sum();
    let mut table = markdown(&[
        "stage",
        "µs",
        "share",
        "ns a world-step",
        "kB a world",
        "GB/s",
    ]);
    for (kernel, (name, s)) in groups(m, &walk, 1).iter().zip(&times) {
        let bytes = match kernel.again {
            true => 0.0,
            false => bytes(&gpu, m, &kernel.stages, states),
        };
        let worlds = best.worlds as f64;
        table.add_row([
            name.clone(),
            format!("{:.1}", 1e6 * s),
            format!("{:.0} %", 100.0 * s / all),
            format!("{:.1}", 1e9 * s / worlds),
            format!("{:.2}", 1e-3 * bytes),
            format!("{:.1}", 1e-9 * bytes * worlds / s.max(1e-9)),
        ]);
    }
    data!("{table}")?;
    Ok(())
}

fn markdown(header: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(header.to_vec());
    table
}
