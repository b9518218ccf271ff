//! `bench`: how fast many worlds step.

mod clock;
mod init;

use super::{Engine, Fault, ModelArg, load, progress};
use anstream::eprintln;
use clap::Args;
use clock::cpu_seconds;
use comfy_table::{Table, presets};
use init::Init;
use manyworlds::batch::Overflow;
use manyworlds::{Batch, Model};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Instant;

/// Steps of the untimed pass that counts contacts, rows and iterations, and the most worlds that it looks at.
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
    /// Steps that a control is held
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    hold: u32,
    /// Folder with states and controls: meta.json, qpos.f64, qvel.f64, act.f64, warmstart.f64, ctrl.f64
    #[arg(long, value_name = "DIR")]
    init: Option<PathBuf>,
    /// Repeat until so many seconds are measured
    #[arg(long, default_value_t = 2.0)]
    min_s: f64,
    /// Leave out the time of each stage and the statistics
    #[arg(long)]
    quick: bool,
    /// Print a JSON object a line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: Engine,
}

impl Bench {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let start = Instant::now();
        let m = load(&self.model.path)?;
        let load_s = start.elapsed().as_secs_f64();
        let mut results = Vec::new();
        for &n in &self.worlds {
            let mut result = self.one(&m, n as usize)?;
            result["load_s"] = json!(load_s);
            if self.json {
                println!("{result}");
            }
            results.push(result);
        }
        if !self.json {
            print_tables(&results);
        }
        Ok(())
    }

    fn one(&self, m: &Model, n: usize) -> Result<Value, Fault> {
        let mut settings = self.engine.settings();
        let init = match &self.init {
            Some(dir) => Init::read(dir, m, n)?,
            None => Init::make(m, n, self.steps as usize, self.hold as usize, &settings)?,
        };
        let (hold, nchunk) = (
            self.hold as usize,
            init.nchunk(self.steps.div_ceil(self.hold) as usize)?,
        );

        // make it, and find how much room the whole run needs
        let start = Instant::now();
        settings.overflow = Overflow::Grow;
        let mut batch = Batch::with(m, n, settings.clone())?;
        let put_s = start.elapsed().as_secs_f64();
        eprintln!("{n} worlds on {}", batch.device());
        let start = Instant::now();
        init.put(&mut batch, 0)?;
        batch.step(1)?;
        let first_s = start.elapsed().as_secs_f64();
        let room = (batch.model().nconmax, batch.model().njmax);
        let mut stats = Value::Null;
        if !self.quick {
            stats = self.stats(m, &init, n, &mut settings, room)?;
            (settings.nconmax, settings.njmax) = (
                stats["room"][0].as_u64().map(|n| n as usize),
                stats["room"][1].as_u64().map(|n| n as usize),
            );
        } else {
            (settings.nconmax, settings.njmax) = (Some(room.0), Some(room.1));
        }

        // the clock runs without looking at the worlds
        settings.overflow = Overflow::Continue;
        drop(batch);
        let mut batch = Batch::with(m, n, settings)?;
        init.put(&mut batch, 0)?;
        batch.step(hold)?;
        batch.ints("ncon")?;
        let mut reps = Vec::new();
        let mut total = 0.0;
        while total < self.min_s || reps.is_empty() {
            init.put(&mut batch, 0)?;
            batch.ints("ncon")?;
            let (wall, cpu) = (Instant::now(), cpu_seconds());
            for c in 0..nchunk {
                init.control(&mut batch, c)?;
                batch.step(hold)?;
            }
            // wait for the last of them
            batch.ints("ncon")?;
            let seconds = wall.elapsed().as_secs_f64();
            reps.push((seconds, cpu_seconds() - cpu));
            total += seconds;
        }
        let flags = batch.flags()?;
        let stage_times = match self.quick {
            true => Vec::new(),
            false => {
                init.put(&mut batch, 0)?;
                batch.stage_times(10)?
            }
        };
        let memory = batch.memory();
        let steps = (nchunk * hold) as f64;
        let worlds = n as f64;
        let mut walls: Vec<f64> = reps.iter().map(|rep| rep.0 / steps).collect();
        walls.sort_by(f64::total_cmp);
        let (best, median) = (walls[0], walls[walls.len() / 2]);
        // the clock of the processors is coarse: all repeats together
        let cpu = reps.iter().map(|rep| rep.1).sum::<f64>();
        let steps_per_cpu = worlds * steps * reps.len() as f64 / cpu.max(0.005);
        let ns = |(name, s): &(String, f64)| (name.clone(), json!(s * 1e9 / worlds));
        Ok(json!({
            "worlds": n,
            "device": batch.device(),
            "steps_per_s": worlds / best,
            "steps_per_s_med": worlds / median,
            "ns_per_step": 1e9 * best / worlds,
            "ms_per_batch_step": 1e3 * best,
            "steps_per_cpu_s": steps_per_cpu,
            "reps": reps.len(),
            "steps_run": nchunk * hold,
            "wall_s": total,
            "cpu_s": cpu,
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
            "stage_ns": stage_times.iter().map(ns).collect::<serde_json::Map<_, _>>(),
        }))
    }

    // contacts, rows and iterations of some worlds over some steps, and the room that all steps need
    fn stats(
        &self,
        m: &Model,
        init: &Init,
        n: usize,
        settings: &mut manyworlds::batch::Settings,
        room: (usize, usize),
    ) -> Result<Value, Fault> {
        (settings.nconmax, settings.njmax) = (Some(room.0), Some(room.1));
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
        Ok(json!({
            "ncon": summary(&seen[0]), "nefc": summary(&seen[1]), "niter": summary(&seen[2]),
            "room": [m.nconmax, m.njmax],
        }))
    }
}

fn print_tables(results: &[Value]) {
    let number = |x: &Value| x.as_f64().unwrap_or(f64::NAN);
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "worlds",
        "steps/s",
        "median",
        "ns a step",
        "steps/s of a core",
        "contacts",
        "rows",
        "iterations",
        "KiB a world",
        "first step",
    ]);
    for r in results {
        let mean = |name: &str| match r[name][0].as_f64() {
            Some(x) => format!("{x:.2}"),
            None => "–".to_owned(),
        };
        table.add_row([
            r["worlds"].to_string(),
            progress::rate(number(&r["steps_per_s"])),
            progress::rate(number(&r["steps_per_s_med"])),
            format!("{:.0}", number(&r["ns_per_step"])),
            progress::rate(number(&r["steps_per_cpu_s"])),
            mean("ncon"),
            mean("nefc"),
            mean("niter"),
            format!("{:.1}", number(&r["mem_world_bytes"]) / 1024.0),
            format!("{:.2} s", number(&r["first_s"])),
        ]);
    }
    println!("{table}");

    // stages of the largest batch, the dearest first
    let Some(stages) = results.last().and_then(|r| r["stage_ns"].as_object()) else {
        return;
    };
    let mut stages: Vec<(&String, f64)> =
        stages.iter().map(|(name, x)| (name, number(x))).collect();
    stages.sort_by(|a, b| b.1.total_cmp(&a.1));
    let all: f64 = stages.iter().map(|(_, ns)| ns).sum();
    if all == 0.0 {
        return;
    }
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["stage", "ns of a thread", "share"]);
    for (name, ns) in stages {
        table.add_row([
            name.clone(),
            format!("{ns:.0}"),
            format!("{:.0} %", 100.0 * ns / all),
        ]);
    }
    println!("{table}");
}
