//! `view`: a window in which worlds run.

mod chosen;
mod gfx;
mod panel;
mod plot;
mod window;

use super::say::remark;
use super::{DEVICE, Engine, Fault, ModelArg, load};
use clap::Args;
use manyworlds::batch::Settings;
use manyworlds::picture::{Options, Show};
use manyworlds::{Error, Model};
use std::path::Path;
use window::App;
use winit::event_loop::EventLoop;

/// A window in which worlds run: play, pause, step, pick a world, pull it, move its joints, see its contacts and forces.
///
/// Drag a body to pull it and to pick its world. Drag beside it to go around, with the right button to move, turn the wheel to come
/// nearer. Space pauses, `.` makes a step, `r` begins again. Another model can be dropped into the window.
#[derive(Args, Debug)]
pub struct View {
    #[command(flatten)]
    model: ModelArg,
    /// Number of worlds
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u64).range(1..))]
    worlds: u64,
    /// Share of their range in which controls are random, 0 to 1
    #[arg(long, default_value_t = 0.0, value_parser = share, value_name = "SHARE")]
    noise: f64,
    /// Worlds that are shown, the first ones
    #[arg(long, default_value_t = 4096, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    show: u64,
    /// From one world to the next (m), the extent of the model if not given; 0: one over the other, like glass
    #[arg(long, value_parser = super::size, value_name = "M")]
    spacing: Option<f64>,
    /// Show contacts and their normal forces
    #[arg(long)]
    contacts: bool,
    /// Close the window after so many pictures
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
        let show = self.open(&m)?;
        let closed = |e: &dyn std::fmt::Display| {
            let text = format!("error: no window: {e}; `render` draws without one\n");
            Fault { code: DEVICE, text }
        };
        let events = EventLoop::new().map_err(|e| closed(&e))?;
        remark!("{} worlds on {}", self.worlds, show.batch().device());
        let mut app = App::new(self, show);
        events.run_app(&mut app).map_err(|e| closed(&e))?;
        app.end()
    }

    /// The worlds of a model, as the arguments say.
    fn open(&self, m: &Model) -> Result<Show, Error> {
        let n = |n: u64| usize::try_from(n).map_err(|e| Error::Input(e.to_string()));
        let options = Options {
            worlds: n(self.show)?,
            spacing: self.spacing,
            contacts: self.contacts,
            ..Options::default()
        };
        let settings: Settings = self.engine.settings();
        let mut show = Show::new(m, n(self.worlds)?, settings, &options)?;
        show.set_noise(self.noise)?;
        Ok(show)
    }

    /// The worlds of another model, from a file.
    fn open_file(&self, path: &Path) -> Result<Show, Error> {
        self.open(&Model::from_xml_path_with(path, &self.model.limits())?)
    }
}
