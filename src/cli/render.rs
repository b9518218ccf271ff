//! `render`: draws pictures of many worlds, on any adapter, without a window.

use super::drive::Drive;
use super::film::Film;
use super::interrupt::Interrupt;
use super::kept::Kept;
use super::say::remark;
use super::{Engine, Fault, ModelArg, load, progress};
use clap::Args;
use manyworlds::picture::{Options, Overlay, Renderer, Sight};
use manyworlds::{Batch, Model};
use std::path::{Path, PathBuf};

/// Frame rate where `--every` does not set it (1/s).
const RATE: f64 = 30.0;

/// Pictures of many worlds, without a window, on any adapter, a software one too.
///
/// Steps worlds, or shows the trajectory of a rollout, and draws them side by side. A still shows the last state. With `--film` there is
/// a frame for every 1/30 s of the worlds' time, or for every `--every` steps; films run as fast as the worlds do.
#[derive(Args, Debug)]
pub struct Render {
    #[command(flatten)]
    model: ModelArg,
    /// Output: a .png, a video (.mp4, .webm, .gif …, made by ffmpeg), or a folder of frames, which ends in /
    #[arg(long, value_name = "FILE|FOLDER/")]
    out: PathBuf,
    /// Number of worlds
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    worlds: u64,
    /// Number of steps
    #[arg(long, default_value_t = 0)]
    steps: u64,
    /// Draw a film, and not only the last state
    #[arg(long)]
    film: bool,
    /// Steps, or saved frames of a trajectory, from one frame to the next
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// Show a trajectory that `rollout --out` saved, instead of stepping worlds
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["steps", "key", "state", "noise", "ctrl", "worlds"])]
    trajectory: Option<PathBuf>,
    /// Width and height of a picture (pixels)
    #[arg(long, default_value = "1280x720", value_parser = pixels, value_name = "WIDTHxHEIGHT")]
    size: [u32; 2],
    /// A camera of the model, by name or number, or azimuth,elevation[,distance] around the worlds (deg, m)
    #[arg(long, value_name = "NAME|AZ,EL[,DIST]", allow_hyphen_values = true)]
    camera: Option<String>,
    /// Distance from one world to the next (m), the extent of the model if not given; 0: worlds are drawn over each other,
    /// transparent
    #[arg(long, value_parser = super::size, value_name = "M")]
    spacing: Option<f64>,
    /// Number of worlds that are drawn, beginning with the first
    #[arg(long, default_value_t = 4096, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    show: u64,
    /// Groups of geoms, sites and tendons that are shown
    #[arg(
        long,
        default_value = "0,1,2",
        value_delimiter = ',',
        value_name = "N,…"
    )]
    groups: Vec<i32>,
    /// Show sites
    #[arg(long)]
    sites: bool,
    /// Draw contacts and their normal forces: --overlay contacts
    #[arg(long)]
    contacts: bool,
    /// Draw over the worlds: contacts, joints, com (centres of mass), frames (of bodies)
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    overlay: Vec<Overlay>,
    /// Adapter that draws: the first whose name contains these letters; if not given the best one, even if that is a software
    /// adapter
    #[arg(long, value_name = "NAME")]
    painter: Option<String>,
    #[command(flatten)]
    drive: Drive,
    #[command(flatten)]
    engine: Engine,
}

// parses WIDTHxHEIGHT
fn pixels(said: &str) -> Result<[u32; 2], String> {
    let parts = said.split_once('x');
    let parts = parts.and_then(|(w, h)| Some([w.parse().ok()?, h.parse().ok()?]));
    match parts {
        Some([width, height]) if width > 0 && height > 0 => Ok([width, height]),
        _ => Err("two numbers above 0 with an x between them are needed, as 1280x720".to_owned()),
    }
}

impl Render {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let m = load(&self.model)?;
        match &self.trajectory {
            Some(path) => self.replay(&m, path),
            None => self.step(&m),
        }
    }

    // steps worlds and draws frames in between
    fn step(&self, m: &Model) -> Result<(), Fault> {
        let n = usize::try_from(self.worlds).map_err(Fault::usage)?;
        let control = self.drive.control(m, n, self.steps)?;
        let options = self.options()?;
        let mut batch = Batch::with(m, n, self.engine.settings())?;
        let mut renderer = Renderer::new(m, n, &options)?;
        let interrupt = Interrupt::watch()?;
        remark!("{n} worlds on {}", batch.device());
        self.drive.start(&mut batch)?;
        batch.forward()?;
        let every = self.every.unwrap_or_else(|| {
            let steps = (1.0 / (RATE * m.opt.timestep)).round();
            steps.clamp(1.0, 1e9) as u64
        });
        let rate = 1.0 / (every as f64 * m.opt.timestep);
        self.filmed(rate, |film| {
            let bar = progress::bar(self.steps);
            let mut done = 0;
            loop {
                let last = done == self.steps;
                if last || (self.film && done.is_multiple_of(every)) {
                    film.add(&renderer.draw(&mut batch)?)?;
                }
                interrupt.check()?;
                if last {
                    bar.finish_and_clear();
                    return Ok(());
                }
                let mut steps = self.drive.apply(&control, &mut batch, done)?;
                if self.film {
                    steps = steps.min(every - done % every);
                }
                let steps = steps.min(self.steps - done);
                batch.step(steps as usize)?;
                done += steps;
                bar.set_position(done);
            }
        })
    }

    // draws the frames of a trajectory
    fn replay(&self, m: &Model, path: &Path) -> Result<(), Fault> {
        let kept = Kept::open(path, m)?;
        let options = self.options()?;
        let mut batch = Batch::with(m, kept.nworld, self.engine.settings())?;
        let mut renderer = Renderer::new(m, kept.nworld, &options)?;
        let interrupt = Interrupt::watch()?;
        let every = self.every.unwrap_or(1) as usize;
        let rate = kept.rate(every).unwrap_or(RATE);
        let first = if self.film { 0 } else { kept.nframe - 1 };
        self.filmed(rate, |film| {
            let bar = progress::bar(kept.nframe as u64);
            for frame in (first..kept.nframe).step_by(every) {
                kept.put(&mut batch, frame)?;
                film.add(&renderer.draw(&mut batch)?)?;
                bar.set_position(frame as u64 + 1);
                interrupt.check()?;
            }
            bar.finish_and_clear();
            Ok(())
        })
    }

    fn options(&self) -> Result<Options, Fault> {
        Ok(Options {
            size: self.size,
            worlds: usize::try_from(self.show).map_err(Fault::usage)?,
            spacing: self.spacing,
            sight: self.camera.as_deref().map_or_else(Sight::default, sight),
            groups: self.groups.clone(),
            sites: self.sites,
            overlays: super::overlays(&self.overlay, self.contacts),
            adapter: self.painter.clone(),
        })
    }

    // runs `shoot`; after an error, too, the pictures drawn so far are in the film
    fn filmed(
        &self,
        rate: f64,
        shoot: impl FnOnce(&mut Film) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let mut inputs = vec![self.model.path.as_path()];
        inputs.extend(self.trajectory.as_deref());
        inputs.extend(self.drive.files());
        let mut film = Film::create(&self.out, &inputs, self.size, rate, !self.film)?;
        let shot = shoot(&mut film);
        let finished = film.finish(self.size, rate);
        // an error of `shoot` is reported first
        shot.and(finished)?;
        remark!("{}", self.out.display());
        Ok(())
    }
}

// parses azimuth,elevation[,distance], or else the name of a camera
fn sight(said: &str) -> Sight {
    let numbers: Option<Vec<f64>> = said.split(',').map(|x| x.trim().parse().ok()).collect();
    let around = numbers.as_deref().and_then(Sight::around);
    around.unwrap_or_else(|| Sight::Named(said.to_owned()))
}
