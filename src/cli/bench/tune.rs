//! `bench --tune`: finds the fastest settings of the kernels for a model on this adapter, and stores them.

use super::init::Init;
use crate::cli::Fault;
use crate::cli::say::{data, remark};
use comfy_table::{Table, presets};
use manyworlds::batch::clock::process_seconds;
use manyworlds::batch::{Backend, Overflow, Settings, Unroll};
use manyworlds::gpu::device::{Adapter, Choice as Which, Device, Request};
use manyworlds::gpu::tune::{self, Choice};
use manyworlds::{Batch, Model};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// A trial is faster only if its time is below this fraction of the best: less is noise.
const CLEAR: f64 = 0.98;

/// Settings of the measurement.
pub struct Tune<'a> {
    pub m: &'a Model,
    pub nworld: usize,
    pub hold: usize,
    /// Seconds for each trial.
    pub min_s: f64,
    pub json: bool,
    pub settings: Settings,
}

/// A trial: time of a step of all worlds, and time from the start until the first step was done (s), or the reason why it failed.
struct Trial {
    choice: Choice,
    outcome: Result<(f64, f64), Fault>,
}

/// The choices to try next, given the best so far.
type Round = fn(Choice, &Adapter) -> Vec<Choice>;

/// One setting is varied after the other, each with the best of the previous rounds.
const ROUNDS: &[Round] = &[
    |best, _| {
        let all = [0, 1, 2, 4, 8, 16, 32, 64];
        all.map(|lanes| Choice { lanes, ..best }).to_vec()
    },
    |best, _| {
        let never = Choice {
            unroll: Unroll::Never,
            ..best
        };
        // unrolled kernels always have one lane, and run best with interleaved worlds
        let always = [0, 32].map(|tile| Choice {
            tile,
            unroll: Unroll::Always,
            ..best
        });
        vec![never, always[0], always[1]]
    },
    |best, _| {
        let all = [1, 8, 32];
        all.map(|tile| Choice { tile, ..best }).to_vec()
    },
    |best, _| {
        let all = [1, 2, 4, 8, 32];
        all.map(|worlds| Choice { worlds, ..best }).to_vec()
    },
    |best, adapter| {
        // the compiler of a software adapter takes minutes for many stages in one kernel
        let all: &[usize] = if adapter.software {
            &[1, 2, 3]
        } else {
            &[1, 2, 4, 8, 64]
        };
        all.iter().map(|&fuse| Choice { fuse, ..best }).collect()
    },
];

impl Tune<'_> {
    /// Runs the trials, reports them, and stores the fastest.
    pub fn run(mut self, init: Option<&PathBuf>) -> Result<(), Fault> {
        let Some(folder) = tune::folder() else {
            return Err(Fault::usage(
                "the system names no folder for caches: set XDG_CACHE_HOME",
            ));
        };
        let choice = match &self.settings.adapter {
            Some(name) => Which::Named(name.clone()),
            None => Which::Any,
        };
        let adapter = Device::open(&Request {
            choice,
            ..Request::default()
        })?
        .adapter;
        remark!("{} worlds on {adapter}", self.nworld);

        // initial states, and room for all contacts and rows, computed by the twins
        self.settings.overflow = Overflow::Grow;
        self.settings.backend = Backend::Cpu;
        let init = match init {
            Some(dir) => Init::read(dir, self.m, self.nworld)?,
            None => Init::make(self.m, self.nworld, self.hold, self.hold, &self.settings)?,
        };
        init.nchunk(1)?;
        let mut batch = Batch::with(self.m, self.nworld, self.settings.clone())?;
        init.put(&mut batch, 0)?;
        batch.step(self.hold)?;
        self.settings.nconmax = Some(batch.model().nconmax);
        self.settings.njmax = Some(batch.model().njmax);
        self.settings.overflow = Overflow::Continue;
        self.settings.backend = Backend::Gpu;
        drop(batch);

        let mut trials: Vec<Trial> = Vec::new();
        let (mut best, mut least) = (Choice::OPEN, f64::INFINITY);
        for round in ROUNDS {
            for choice in round(best, &adapter) {
                if trials.iter().any(|trial| trial.choice == choice) {
                    continue;
                }
                let outcome = self.time(&init, choice, &adapter);
                if let Ok((seconds, _)) = outcome
                    && seconds < least * CLEAR
                {
                    (best, least) = (choice, seconds);
                }
                trials.push(Trial { choice, outcome });
                self.tell(&trials[trials.len() - 1])?;
            }
        }
        if least.is_infinite() {
            let last = trials.into_iter().find_map(|trial| trial.outcome.err());
            return Err(last
                .unwrap_or_else(|| Fault::usage("no way of running the kernels could be tried")));
        }
        if !self.json {
            self.table(&trials)?;
        }
        let path = tune::write(&folder, &adapter, self.m, best)?;
        remark!("fastest: {best}\nsaved in {}", path.display());
        Ok(())
    }

    // seconds per step of all worlds (processor time on a software adapter), and until the first step was done
    fn time(&self, init: &Init, choice: Choice, adapter: &Adapter) -> Result<(f64, f64), Fault> {
        let settings = Settings {
            tuning: Some(choice),
            no_cache: true,
            ..self.settings.clone()
        };
        let start = Instant::now();
        let mut batch = Batch::with(self.m, self.nworld, settings)?;
        init.put(&mut batch, 0)?;
        batch.step(1)?;
        batch.ints("ncon")?;
        let ready = start.elapsed().as_secs_f64();
        let (mut walls, mut cpu) = (Vec::new(), 0.0);
        while walls.is_empty() || walls.iter().sum::<f64>() < self.min_s {
            init.put(&mut batch, 0)?;
            batch.ints("ncon")?;
            let (wall, before) = (Instant::now(), process_seconds());
            batch.step(self.hold)?;
            batch.ints("ncon")?;
            walls.push(wall.elapsed().as_secs_f64());
            cpu += process_seconds() - before;
        }
        walls.sort_by(f64::total_cmp);
        let median = walls[walls.len() / 2];
        // other programs may use the processors too; where the system does not tell processor time, the wall clock is used
        let seconds = match adapter.software && cpu > 0.0 {
            true => cpu / walls.len() as f64,
            false => median,
        };
        Ok((seconds / self.hold as f64, ready))
    }

    fn ns(&self, seconds: f64) -> f64 {
        seconds * 1e9 / self.nworld as f64
    }

    fn tell(&self, trial: &Trial) -> Result<(), Fault> {
        let choice = trial.choice;
        match (&trial.outcome, self.json) {
            (Ok((seconds, ready)), true) => data!(
                "{}",
                json!({ "choice": choice, "ns_per_step": self.ns(*seconds), "ready_s": ready })
            )?,
            (Err(fault), true) => {
                data!(
                    "{}",
                    json!({ "choice": choice, "refused": fault.text.trim() })
                )?;
            }
            (Ok((seconds, _)), false) => remark!("{choice}: {:.0} ns", self.ns(*seconds)),
            (Err(fault), false) => remark!("{choice}: {}", fault.text.trim()),
        }
        Ok(())
    }

    // all trials, the fastest first
    fn table(&self, trials: &[Trial]) -> Result<(), Fault> {
        let mut done: Vec<(Choice, f64, f64)> = trials
            .iter()
            .filter_map(|t| {
                let (seconds, ready) = *t.outcome.as_ref().ok()?;
                Some((t.choice, seconds, ready))
            })
            .collect();
        done.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut table = Table::new();
        table.load_style(presets::ASCII_MARKDOWN);
        table.set_header(["choice", "ns a world and step", "ready after"]);
        for (choice, seconds, ready) in done {
            table.add_row([
                choice.to_string(),
                format!("{:.0}", self.ns(seconds)),
                format!("{ready:.1} s"),
            ]);
        }
        data!("{table}")
    }
}
