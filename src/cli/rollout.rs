//! `rollout`: step many worlds and keep what they did.

use super::inputs::{self, Control};
use super::trajectory::Trajectory;
use super::{CHECK, Engine, Fault, ModelArg, load, progress};
use anstream::eprintln;
use clap::Args;
use manyworlds::Batch;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// Step many worlds and keep what they did.
///
/// The file holds each kept array as (frames, worlds, …) in f64, the first frame before the first step, and `meta`, JSON as
/// bytes. Whatever ends the rollout, the frames until then are in the file.
#[derive(Args, Debug)]
pub struct Rollout {
    #[command(flatten)]
    model: ModelArg,
    /// Number of worlds
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    worlds: u64,
    /// Number of steps
    #[arg(long, default_value_t = 1000)]
    steps: u64,
    /// What drives the actuators: zero, random, or a file with an array ctrl of shape (nu), (T, nu) or (T, worlds, nu)
    #[arg(long, default_value = "zero", value_name = "zero|random|FILE.npz")]
    ctrl: String,
    /// Steps that a control is held
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    hold: u64,
    /// Keyframe to start from, by name or number; qpos0 if not given
    #[arg(long)]
    key: Option<String>,
    /// File with the states to start from: qpos, qvel, … of shape (K, …), world w starts from row w mod K; a trajectory's
    /// last frame
    #[arg(long, value_name = "FILE.npz")]
    state: Option<PathBuf>,
    /// Random offset of hinges, slides and velocities at the start (rad, m, 1/s)
    #[arg(long, default_value_t = 0.0)]
    noise: f64,
    /// Seed of all that is random
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Where to write the trajectory; none is kept if not given
    #[arg(long, value_name = "FILE.npz")]
    out: Option<PathBuf>,
    /// Steps from one kept frame to the next
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Arrays to keep
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "time,qpos,qvel",
        value_name = "NAMES"
    )]
    keep: Vec<String>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: Engine,
}

impl Rollout {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let m = load(&self.model.path)?;
        let n = usize::try_from(self.worlds).map_err(Fault::usage)?;
        let control = Control::parse(&self.ctrl, &m, n, self.seed)?;
        let changes = self.steps.div_ceil(self.hold);
        if let Some(rows) = control
            .rows()
            .filter(|&rows| rows > 1 && (rows as u64) < changes)
        {
            let (steps, hold) = (self.steps, self.hold);
            let msg = format!(
                "{}: {rows} rows of control, {steps} steps held {hold} each need {changes}",
                self.ctrl
            );
            return Err(Fault::usage(msg));
        }
        let mut batch = Batch::with(&m, n, self.engine.settings())?;
        eprintln!("{n} worlds on {}", batch.device());
        inputs::start(&mut batch, self.key.as_deref(), self.state.as_deref())?;
        if self.noise != 0.0 {
            inputs::noise(&mut batch, self.seed, self.noise)?;
        }
        let mut kept = match &self.out {
            Some(path) => Some(Trajectory::create(path, &batch, &self.keep)?),
            None => None,
        };

        // whatever happens on the way, what was kept is written
        let start = Instant::now();
        let mut done = 0;
        let walked = self.walk(&mut batch, &control, kept.as_mut(), &mut done);
        let seconds = start.elapsed().as_secs_f64();
        let flags = batch.flags().unwrap_or_default();
        let overflowed = flags.iter().filter(|flag| flag.overflowed()).count();
        let diverged = flags.iter().filter(|flag| flag.diverged()).count();
        let rate = done as f64 * n as f64 / seconds;
        let summary = json!({
            "producer": concat!("manyworlds ", env!("CARGO_PKG_VERSION")),
            "model": self.model.path.display().to_string(),
            "device": batch.device(),
            "worlds": n,
            "steps": done,
            "steps_asked": self.steps,
            "complete": walked.is_ok(),
            "every": self.every,
            "timestep": m.opt.timestep,
            "seed": self.seed,
            "seconds": seconds,
            "steps_per_s": rate,
            "nconmax": batch.model().nconmax,
            "njmax": batch.model().njmax,
            "diverged": diverged,
            "overflowed": overflowed,
            "flags": flags.iter().take(100).map(|flag| flag.to_string()).collect::<Vec<_>>(),
        });
        if let Some(kept) = kept {
            let frames = kept.nframe();
            kept.finish(&summary.to_string())?;
            if let Some(path) = &self.out {
                eprintln!("{frames} frames in {}", path.display());
            }
        }
        for flag in flags.iter().take(10) {
            eprintln!("{flag}");
        }
        if flags.len() > 10 {
            eprintln!("… and {} worlds more", flags.len() - 10);
        }
        if self.json {
            println!("{summary}");
        } else {
            println!(
                "{n} worlds × {done} steps in {seconds:.2} s: {}steps/s, {:.0} × real time; {diverged} diverged, {overflowed} overflowed",
                progress::rate(rate),
                rate * m.opt.timestep,
            );
        }
        walked?;
        match overflowed {
            0 => Ok(()),
            _ => Err(Fault {
                code: CHECK,
                text: format!(
                    "error: {overflowed} worlds went on without contacts that did not fit\n"
                ),
            }),
        }
    }

    fn walk(
        &self,
        batch: &mut Batch,
        control: &Control,
        mut kept: Option<&mut Trajectory>,
        done: &mut u64,
    ) -> Result<(), Fault> {
        if let Some(kept) = &mut kept {
            kept.frame(batch)?;
        }
        let bar = progress::bar(self.steps);
        let start = Instant::now();
        while *done < self.steps {
            if done.is_multiple_of(self.hold) {
                control.apply(batch, (*done / self.hold) as usize)?;
            }
            // to the next change of control or frame
            let next = |period: u64| period - *done % period;
            let mut n = next(self.hold).min(self.steps - *done);
            if kept.is_some() {
                n = n.min(next(self.every));
            }
            batch.step(n as usize)?;
            *done += n;
            if let Some(kept) = kept.as_mut().filter(|_| done.is_multiple_of(self.every)) {
                kept.frame(batch)?;
            }
            let rate = *done as f64 * batch.nworld() as f64 / start.elapsed().as_secs_f64();
            bar.set_message(format!("{}steps/s", progress::rate(rate)));
            bar.set_position(*done);
        }
        bar.finish_and_clear();
        Ok(())
    }
}
