//! `rollout`: steps many worlds and keeps arrays of each frame.

use super::drive::Drive;
use super::inputs::Control;
use super::interrupt::Interrupt;
use super::say::{data, remark};
use super::trajectory::Trajectory;
use super::{CHECK, Engine, Fault, ModelArg, load, progress};
use clap::Args;
use manyworlds::Batch;
use manyworlds::batch::Flag;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest step call: longer ones are shortened, so that signals are noticed in time.
const LONG: Duration = Duration::from_millis(200);

/// Step many worlds and keep their trajectories.
///
/// The file holds each kept array as (frames, worlds, …) in f64, the first frame before the first step, the last one after the
/// last, and `meta`, JSON as bytes. Rows of contacts and constraints that lack room for later frames end in zeros. Whatever ends
/// the rollout – an error, a full disk, the signals INT, TERM and HUP – the frames until then are in the file; a second signal ends
/// it at once.
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
    #[command(flatten)]
    drive: Drive,
    /// File for the trajectory; nothing is saved if not given. Only an older npz is overwritten; a pipe gets the complete file
    /// at the end
    #[arg(long, value_name = "FILE.npz")]
    out: Option<PathBuf>,
    /// Steps from one saved frame to the next
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    every: u64,
    /// Arrays to save
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
        let m = load(&self.model)?;
        let n = usize::try_from(self.worlds).map_err(Fault::usage)?;
        let control = self.drive.control(&m, n, self.steps)?;
        let mut batch = Batch::with(&m, n, self.engine.settings())?;
        // a reader of the next message may send signals
        let interrupt = Interrupt::watch()?;
        remark!("{n} worlds on {}", batch.device());
        self.drive.start(&mut batch)?;
        let mut kept = match &self.out {
            Some(path) => {
                let inputs = self.inputs();
                Some(Trajectory::create(path, &mut batch, &self.keep, &inputs)?)
            }
            None => None,
        };

        // after an error, too, the kept frames are written
        let start = Instant::now();
        let mut done = 0;
        let walked = self.walk(&mut batch, &control, kept.as_mut(), &mut done, &interrupt);
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
            "frames": kept.as_ref().map_or(0, Trajectory::nframe),
            "every": self.every,
            "timestep": m.opt.timestep,
            "seed": self.drive.seed,
            "seconds": seconds,
            "steps_per_s": rate,
            "nconmax": batch.model().nconmax,
            "njmax": batch.model().njmax,
            "diverged": diverged,
            "overflowed": overflowed,
            "full": batch.full(),
            "flags": flags.iter().take(100).map(|flag| flag.to_string()).collect::<Vec<_>>(),
        });
        let to_stdout = kept.as_ref().is_some_and(|kept| kept.output().is_stdout());
        if let (Some(kept), Some(path)) = (kept, &self.out) {
            let frames = kept.nframe();
            let finished = kept.finish(&summary.to_string());
            // the error that ended the rollout is reported first
            if let (Err(late), Err(early)) = (&finished, &walked) {
                let text = format!("{}{}", early.text, late.text);
                return Err(Fault { text, ..*early });
            }
            finished?;
            remark!("{frames} frames in {}", path.display());
        }
        remark_on(&flags, batch.full());
        let said = match self.json {
            true => summary.to_string(),
            false => format!(
                "{n} worlds × {done} steps in {seconds:.2} s: {}, {:.0} × real time; {diverged} diverged, {overflowed} overflowed",
                progress::rate(rate, "steps/s"),
                rate * m.opt.timestep,
            ),
        };
        match to_stdout {
            true => remark!("{said}"),
            false => data!("{said}")?,
        }
        walked?;
        match overflowed {
            0 => Ok(()),
            _ => Err(Fault {
                code: CHECK,
                text: format!(
                    "error: {overflowed} worlds continued without contacts that did not fit\n"
                ),
            }),
        }
    }

    // files that must not be overwritten
    fn inputs(&self) -> Vec<&Path> {
        [self.model.path.as_path()]
            .into_iter()
            .chain(self.drive.files())
            .collect()
    }

    fn walk(
        &self,
        batch: &mut Batch,
        control: &Control,
        mut kept: Option<&mut Trajectory>,
        done: &mut u64,
        interrupt: &Interrupt,
    ) -> Result<(), Fault> {
        if let Some(kept) = &mut kept {
            kept.frame(batch)?;
        }
        let bar = progress::bar(self.steps);
        let start = Instant::now();
        let (mut most, mut framed) = (u64::MAX, 0);
        while *done < self.steps {
            if let Err(fault) = interrupt.check() {
                // the last state is kept, too
                if let Some(kept) = kept.filter(|_| framed < *done) {
                    kept.frame(batch)?;
                }
                return Err(fault);
            }
            // steps to the next change of control or frame
            let hold = self.drive.apply(control, batch, *done)?;
            let mut n = hold.min(self.steps - *done).min(most);
            if kept.is_some() {
                n = n.min(self.every - *done % self.every);
            }
            let began = Instant::now();
            batch.step(n as usize)?;
            most = match began.elapsed() > LONG {
                true => (n / 2).max(1),
                false => most.saturating_mul(2),
            };
            *done += n;
            let due = done.is_multiple_of(self.every) || *done == self.steps;
            if let Some(kept) = kept.as_mut().filter(|_| due) {
                framed = *done;
                kept.frame(batch)?;
            }
            let rate = *done as f64 * batch.nworld() as f64 / start.elapsed().as_secs_f64();
            bar.set_message(progress::rate(rate, "steps/s"));
            bar.set_position(*done);
        }
        bar.finish_and_clear();
        Ok(())
    }
}

// tells the first flags of worlds, and whether the room for contacts or rows is full
fn remark_on(flags: &[Flag], full: Option<&str>) {
    for flag in flags.iter().take(10) {
        remark!("{flag}");
    }
    if flags.len() > 10 {
        remark!("… and {} worlds more", flags.len() - 10);
    }
    if let Some(full) = full {
        remark!("{full} (--growth)");
    }
}
