//! `bench`: step rate of many worlds.

mod init;
#[cfg(all(feature = "count", feature = "gpu"))]
mod roofline;
#[cfg(all(feature = "count", feature = "gpu"))]
mod suite;
mod tables;
#[cfg(feature = "gpu")]
mod tune;

use super::{Engine, Fault, ModelArg};
use crate::cli::say::{data, remark};
use clap::Args;
use init::Init;
use manyworlds::batch::Overflow;
use manyworlds::batch::clock::process_seconds;
use manyworlds::mjcf::Spec;
use manyworlds::{Batch, Model, compile};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Steps of the untimed pass that counts contacts, rows and iterations, and its largest number of worlds.
const STATS_STEPS: usize = 50;
const STATS_WORLDS: usize = 16;

/// How fast many worlds step.
///
/// The worlds start from settled states (or those of --init) and are driven by small random controls, held for some steps.
/// One repeat is all steps from the same start; the best and the median are told. Room for contacts and rows is found before
/// the clock starts.
#[derive(Args, Debug)]
pub struct Bench {
    #[command(flatten)]
    model: ModelArg,
    /// Numbers of worlds
    #[arg(long, value_delimiter = ',', default_value = "1024", value_name = "N,…", value_parser = clap::value_parser!(u32).range(1..))]
    worlds: Vec<u32>,
    /// Steps of a repeat
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Steps for which a control is held
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    hold: u32,
    /// Folder with states and controls: meta.json, qpos.f64, qvel.f64, act.f64, warmstart.f64, ctrl.f64
    #[arg(long, value_name = "DIR")]
    init: Option<PathBuf>,
    /// Repeat until this many seconds are measured
    #[arg(long, default_value_t = 2.0, value_parser = super::size)]
    min_s: f64,
    /// Skip the time of each stage and the statistics; in a suite, skip most numbers of worlds
    #[arg(long)]
    quick: bool,
    /// Measure everything that is of interest on a GPU, and print markdown: start-up, many numbers of worlds and lanes, kernels
    /// fused and not, the time of each stage
    #[cfg(all(feature = "count", feature = "gpu"))]
    #[arg(long, conflicts_with_all = ["init", "json", "worlds", "steps"])]
    suite: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
    /// Try ways of running the kernels, each for the seconds of --min-s, and save the fastest for this adapter and model in a
    /// file in the user's cache folder
    #[cfg(feature = "gpu")]
    #[arg(long)]
    tune: bool,
    #[command(flatten)]
    engine: Engine,
}

impl Bench {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let bad = |e: manyworlds::Error| Fault {
            code: super::MODEL,
            ..e.into()
        };
        let start = Instant::now();
        let spec = Spec::from_file_with(&self.model.path, &self.model.limits()).map_err(bad)?;
        let parse_s = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let m = compile::compile(&spec).map_err(bad)?;
        let compile_s = start.elapsed().as_secs_f64();
        #[cfg(feature = "gpu")]
        if self.tune {
            let tune = tune::Tune {
                m: &m,
                nworld: self.worlds[0] as usize,
                hold: self.hold as usize,
                min_s: self.min_s,
                json: self.json,
                settings: self.engine.settings(),
            };
            return tune.run(self.init.as_ref());
        }
        #[cfg(all(feature = "count", feature = "gpu"))]
        if self.suite {
            let settings = self.engine.settings();
            let load = (parse_s, compile_s);
            return suite::run(&m, load, settings.adapter.as_deref(), self.quick);
        }
        let start_up = self.start_up(&m, parse_s, compile_s)?;
        let mut results = Vec::new();
        for &n in &self.worlds {
            let mut result = self.one(&m, n as usize)?;
            result["load_s"] = json!(parse_s + compile_s);
            result["start_up"] = start_up.clone();
            if self.json {
                data!("{result}")?;
            }
            results.push(result);
        }
        if !self.json {
            tables::print(&results)?;
        }
        Ok(())
    }

    // time of the process's first batch, of one world, until its first step is done
    fn start_up(&self, m: &Model, parse_s: f64, compile_s: f64) -> Result<Value, Fault> {
        let start = Instant::now();
        let mut batch = Batch::with(m, 1, self.engine.settings())?;
        let open_s = start.elapsed().as_secs_f64();
        let start = Instant::now();
        batch.step(1)?;
        batch.ints("ncon")?;
        let first_s = start.elapsed().as_secs_f64();
        Ok(json!({
            "parse_s": parse_s,
            "compile_s": compile_s,
            "open_s": open_s,
            "first_s": first_s,
            "cpu_s": process_seconds(),
        }))
    }

    // measures one number of worlds
    fn one(&self, m: &Model, n: usize) -> Result<Value, Fault> {
        let mut settings = self.engine.settings();
        let hold = self.hold as usize;
        let init = match &self.init {
            Some(dir) => Init::read(dir, m, n)?,
            None => Init::make(m, n, self.steps as usize, hold, &settings)?,
        };
        let nchunk = init.nchunk(self.steps.div_ceil(self.hold) as usize)?;

        // make the batch, and find the room that the whole run needs
        let start = Instant::now();
        settings.overflow = Overflow::Grow;
        let mut batch = Batch::with(m, n, settings.clone())?;
        let put_s = start.elapsed().as_secs_f64();
        remark!("{n} worlds on {}", batch.device());
        let start = Instant::now();
        init.put(&mut batch, 0)?;
        batch.step(1)?;
        let first_s = start.elapsed().as_secs_f64();
        let mut room = (batch.model().nconmax, batch.model().njmax);
        drop(batch);
        let mut stats = Value::Null;
        if !self.quick {
            (settings.nconmax, settings.njmax) = (Some(room.0), Some(room.1));
            (stats, room) = self.stats(m, &init, n, &settings)?;
        }
        (settings.nconmax, settings.njmax) = (Some(room.0), Some(room.1));

        // the timed run does not check for overflows
        settings.overflow = Overflow::Continue;
        let mut batch = Batch::with(m, n, settings)?;
        init.put(&mut batch, 0)?;
        batch.step(hold)?;
        let reps = self.repeats(&mut batch, &init, nchunk)?;
        let flags = batch.flags()?;
        let (mut stage_ns, mut counted) = (serde_json::Map::new(), Value::Null);
        if !self.quick {
            init.put(&mut batch, 0)?;
            let ns = |(name, s): &(String, f64)| (name.clone(), json!(s * 1e9 / n as f64));
            stage_ns = batch.stage_times(10)?.iter().map(ns).collect();
            counted = work(&mut batch)?;
        }
        let memory = batch.memory();
        let mut result = json!({
            "worlds": n,
            "device": batch.device(),
            "built_for": manyworlds::level::Level::built().to_string(),
            "put_s": put_s,
            "first_s": first_s,
            "nconmax": batch.model().nconmax,
            "njmax": batch.model().njmax,
            "overflow_worlds": flags.iter().filter(|flag| flag.overflowed()).count(),
            "nan_worlds": flags.iter().filter(|flag| flag.diverged()).count(),
            "ncon": stats["ncon"],
            "nefc": stats["nefc"],
            "niter": stats["niter"],
            "mem_world_bytes": memory.world,
            "mem_model_bytes": memory.model,
            "stage_ns": stage_ns,
            "work": counted,
        });
        for (name, rate) in rates(&reps, n as f64, (nchunk * hold) as f64) {
            result[name] = rate;
        }
        Ok(result)
    }

    // wall and processor seconds of each repeat
    fn repeats(
        &self,
        batch: &mut Batch,
        init: &Init,
        nchunk: usize,
    ) -> Result<Vec<(f64, f64)>, Fault> {
        let mut reps: Vec<(f64, f64)> = Vec::new();
        let mut total = 0.0;
        while total < self.min_s || reps.is_empty() {
            init.put(batch, 0)?;
            batch.ints("ncon")?;
            let (wall, cpu) = (Instant::now(), process_seconds());
            for c in 0..nchunk {
                init.control(batch, c)?;
                batch.step(self.hold as usize)?;
            }
            // wait for the last step
            batch.ints("ncon")?;
            let seconds = wall.elapsed().as_secs_f64();
            reps.push((seconds, process_seconds() - cpu));
            total += seconds;
        }
        Ok(reps)
    }

    // contacts, rows and iterations of some worlds over some steps, and the room that these steps need
    fn stats(
        &self,
        m: &Model,
        init: &Init,
        n: usize,
        settings: &manyworlds::batch::Settings,
    ) -> Result<(Value, (usize, usize)), Fault> {
        let some = n.min(STATS_WORLDS);
        let mut batch = Batch::with(m, some, settings.clone())?;
        init.put(&mut batch, 0)?;
        let names = ["ncon", "nefc", "solver_niter"];
        let mut seen: [Vec<f64>; 3] = Default::default();
        for k in 0..STATS_STEPS.min(self.steps as usize) {
            if k % self.hold as usize == 0 {
                init.control(&mut batch, k / self.hold as usize)?;
            }
            batch.step(1)?;
            for (name, seen) in names.iter().zip(&mut seen) {
                seen.extend(batch.ints(name)?.iter().map(|&x| f64::from(x)));
            }
        }
        let summary = |x: &[f64]| {
            let mean = x.iter().sum::<f64>() / x.len().max(1) as f64;
            json!([mean, x.iter().copied().fold(0.0, f64::max)])
        };
        let m = batch.model();
        let told = json!({ "ncon": summary(&seen[0]), "nefc": summary(&seen[1]), "niter": summary(&seen[2]) });
        Ok((told, (m.nconmax, m.njmax)))
    }
}

// rates of the best repeat and of the median, from wall and processor seconds of each
fn rates(reps: &[(f64, f64)], worlds: f64, steps: f64) -> [(&'static str, Value); 10] {
    let sorted = |of: fn(&(f64, f64)) -> f64| {
        let mut seconds: Vec<f64> = reps.iter().map(|rep| of(rep) / steps).collect();
        seconds.sort_by(f64::total_cmp);
        seconds
    };
    let (walls, cpus) = (sorted(|rep| rep.0), sorted(|rep| rep.1));
    let (best, median) = (walls[0], walls.len() / 2);
    [
        ("steps_per_s", json!(worlds / best)),
        ("steps_per_s_med", json!(worlds / walls[median])),
        ("ns_per_step", json!(1e9 * best / worlds)),
        ("ms_per_batch_step", json!(1e3 * best)),
        ("steps_per_cpu_s", json!(worlds / cpus[0])),
        ("steps_per_cpu_s_med", json!(worlds / cpus[median])),
        ("reps", json!(reps.len())),
        ("steps_run", json!(steps as u64)),
        ("wall_s", json!(reps.iter().map(|rep| rep.0).sum::<f64>())),
        ("cpu_s", json!(reps.iter().map(|rep| rep.1).sum::<f64>())),
    ]
}

// without the features `count` and `gpu`, operations and bytes of a stage are not known
#[cfg(not(all(feature = "count", feature = "gpu")))]
fn work(_batch: &mut Batch) -> Result<Value, Fault> {
    Ok(Value::Null)
}

// work of each stage on the present states of some worlds, and the limits of a core
#[cfg(all(feature = "count", feature = "gpu"))]
fn work(batch: &mut Batch) -> Result<Value, Fault> {
    let mut reference = roofline::reference(batch, STATS_WORLDS)?;
    let work = roofline::work(&mut reference)?;
    let limit = roofline::limit();
    let stage = |(name, work): (&str, roofline::Work)| {
        (
            name.to_owned(),
            json!({ "flop": work.flop, "bytes": work.bytes }),
        )
    };
    let stages: serde_json::Map<_, _> = work.into_iter().map(stage).collect();
    Ok(json!({
        "core_flops": limit.flops,
        "core_bytes_per_s": limit.bytes,
        "stages": stages,
    }))
}
