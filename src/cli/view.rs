//! `view`: runs worlds in a window.

mod chosen;
mod gfx;
mod panel;
mod plot;
mod window;
mod worlds;

use super::kept::Kept;
use super::say::remark;
use super::{DEVICE, Engine, Fault, ModelArg, load};
use clap::Args;
use manyworlds::batch::Settings;
use manyworlds::picture::{Options, Overlay, Show};
use manyworlds::policy::Policy;
use manyworlds::{Error, Model};
use std::path::{Path, PathBuf};
use window::App;
use winit::event_loop::EventLoop;
use worlds::Worlds;

/// A window in which worlds run: play, pause, step, pick a world, pull it, move its joints, see its contacts and forces.
///
/// Drag a body to pull it and to pick its world. Drag beside it to go around, with the right button to move, turn the wheel to come
/// nearer. Space pauses, `.` makes a step, `r` begins again. Another model can be dropped into the window, and a policy.
#[derive(Args, Debug)]
pub struct View {
    #[command(flatten)]
    model: ModelArg,
    /// Number of worlds
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    worlds: u64,
    /// Share of the range of each control in which random controls lie, 0 to 1
    #[arg(long, default_value_t = 0.0, value_parser = share, value_name = "SHARE")]
    noise: f64,
    /// A policy that drives the actuators, as `python/examples/ppo.py --save` writes it
    #[arg(long, value_name = "FILE.npz", conflicts_with = "noise")]
    ctrl: Option<PathBuf>,
    /// Show a trajectory that `rollout --out` saved, with a time line
    #[arg(long, value_name = "FILE.npz", conflicts_with_all = ["worlds", "noise", "ctrl"])]
    trajectory: Option<PathBuf>,
    /// Number of worlds that are drawn, beginning with the first
    #[arg(long, default_value_t = 4096, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    show: u64,
    /// Distance from one world to the next (m), the extent of the model if not given; 0: worlds are drawn over each other,
    /// transparent
    #[arg(long, value_parser = super::size, value_name = "M")]
    spacing: Option<f64>,
    /// Draw contacts and their normal forces: --overlay contacts
    #[arg(long)]
    contacts: bool,
    /// Draw over the worlds: contacts, joints, com (centres of mass), frames (of bodies)
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    overlay: Vec<Overlay>,
    /// Close the window after this many pictures
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    #[command(flatten)]
    engine: Engine,
}

fn share(said: &str) -> Result<f64, String> {
    match said.parse::<f64>() {
        Ok(x) if (0.0..=1.0).contains(&x) => Ok(x),
        _ => Err("a number from 0 to 1 is needed".to_owned()),
    }
}

impl View {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let m = load(&self.model)?;
        let worlds = self.worlds(&m)?;
        let closed = |e: &dyn std::fmt::Display| {
            let text = format!("error: no window: {e}; `render` draws without one\n");
            Fault { code: DEVICE, text }
        };
        let events = EventLoop::new().map_err(|e| closed(&e))?;
        let batch = worlds.show.batch();
        remark!("{} worlds on {}", batch.nworld(), batch.device());
        let mut app = App::new(self, worlds);
        events.run_app(&mut app).map_err(|e| closed(&e))?;
        app.end()
    }

    // the worlds that the arguments ask for
    fn worlds(&self, m: &Model) -> Result<Worlds, Fault> {
        if let Some(path) = &self.trajectory {
            let kept = Kept::open(path, m)?;
            let show = self.open(m, kept.nworld)?;
            return Ok(Worlds::replaying(show, kept)?);
        }
        let n = usize::try_from(self.worlds).map_err(Fault::usage)?;
        let mut show = self.open(m, n)?;
        if let Some(path) = &self.ctrl {
            show.follow(Some(Policy::open(path, m)?))?;
        }
        Ok(Worlds::new(show))
    }

    /// Opens `nworld` worlds of a model.
    fn open(&self, m: &Model, nworld: usize) -> Result<Show, Error> {
        let shown = usize::try_from(self.show).map_err(|e| Error::Input(e.to_string()))?;
        let options = Options {
            worlds: shown,
            spacing: self.spacing,
            overlays: super::overlays(&self.overlay, self.contacts),
            ..Options::default()
        };
        let settings: Settings = self.engine.settings();
        let mut show = Show::new(m, nworld, settings, &options)?;
        show.set_noise(self.noise)?;
        Ok(show)
    }

    /// Opens as many worlds of another model, from a file.
    fn open_file(&self, path: &Path, nworld: usize) -> Result<Worlds, Error> {
        let m = Model::from_xml_path_with(path, &self.model.limits())?;
        Ok(Worlds::new(self.open(&m, nworld)?))
    }
}
