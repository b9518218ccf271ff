//! Arguments shared by verbs: initial states and controls of worlds.

use super::Fault;
use super::inputs::{self, Control};
use clap::Args;
use manyworlds::{Batch, Model};
use std::path::{Path, PathBuf};

/// Initial states and controls of worlds.
#[derive(Args, Debug)]
pub struct Drive {
    /// What drives the actuators: zero, random, a file with an array ctrl of shape (nu), (T, nu) or (T, worlds, nu), or a policy
    #[arg(long, default_value = "zero", value_name = "zero|random|FILE.npz")]
    ctrl: String,
    /// Steps for which a control is held; a policy file contains its own number
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
    #[arg(long, default_value_t = 0.0, value_parser = super::size)]
    noise: f64,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
}

impl Drive {
    /// The control of `nworld` worlds for `steps` steps; fails where a file of controls ends before them.
    pub fn control(&self, m: &Model, nworld: usize, steps: u64) -> Result<Control, Fault> {
        let changes = steps.div_ceil(self.hold);
        let control = Control::parse(&self.ctrl, m, nworld, self.seed, changes)?;
        match control.rows() {
            Some(rows) if rows > 1 && (rows as u64) < changes => {
                let (ctrl, hold) = (&self.ctrl, self.hold);
                let msg = format!(
                    "{ctrl}: {rows} rows of control, {steps} steps held {hold} each need {changes}"
                );
                Err(Fault::usage(msg))
            }
            _ => Ok(control),
        }
    }

    /// Sets all worlds to their initial states.
    pub fn start(&self, batch: &mut Batch) -> Result<(), Fault> {
        inputs::start(batch, self.key.as_deref(), self.state.as_deref())?;
        if self.noise != 0.0 {
            batch.scatter(self.seed, self.noise)?;
        }
        Ok(())
    }

    /// Sets the control if it changes after `done` steps; returns the steps until it changes again.
    pub fn apply(&self, control: &Control, batch: &mut Batch, done: u64) -> Result<u64, Fault> {
        let hold = control.hold().unwrap_or(self.hold);
        if done.is_multiple_of(hold) {
            control.apply(batch, (done / hold) as usize)?;
        }
        Ok(hold - done % hold)
    }

    /// Files that are read.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.state
            .as_deref()
            .into_iter()
            .chain([Path::new(&self.ctrl)])
    }
}
