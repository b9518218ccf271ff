//! Rollouts that are linearised on the way, and gradients of what they end with.

use super::{Gradient, Transition};
use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::fields::Model;

/// The steps of a rollout, linearised on the way: [`Batch::record`] adds steps, [`Tape::pull_back`] takes gradients back through them. T
/// steps of N worlds.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Tape {
    /// Positions before the first step and after every step, (T + 1) × N × nq.
    pub qpos: Vec<f64>,
    /// Velocities, (T + 1) × N × nv.
    pub qvel: Vec<f64>,
    /// Activations, (T + 1) × N × na.
    pub act: Vec<f64>,
    /// What the sensors read during each step, at the state before it, T × N × nsensordata.
    pub sensordata: Vec<f64>,
    /// The linearised steps.
    pub steps: Vec<Transition>,
    nworld: usize,
}

impl Batch {
    /// Sets the controls of all worlds, N × nu or one row for all, advances them by a step and adds it, linearised
    /// ([`Batch::transition`] with the backend's default differences), to a tape.
    ///
    /// Fails like [`Batch::transition`] and [`Batch::set`], and with [`Error::Input`] if the tape's last step did not end where these worlds
    /// are. A step that fails is not added.
    pub fn record(&mut self, tape: &mut Tape, ctrl: &[f64]) -> Result<()> {
        self.set("ctrl", ctrl)?;
        if tape.steps.is_empty() {
            *tape = Tape::default();
            tape.nworld = self.nworld;
            self.note(tape)?;
        } else if !tape.qpos.ends_with(self.reals("qpos")?)
            || !tape.qvel.ends_with(self.reals("qvel")?)
        {
            return Err(Error::Input(
                "record: the worlds are not where the tape ends: begin a new tape after a reset"
                    .to_owned(),
            ));
        }
        let step = self.transition(None)?;
        self.step(1)?;
        tape.steps.push(step);
        self.note(tape)?;
        tape.sensordata.extend(self.reals("sensordata")?);
        Ok(())
    }

    fn note(&mut self, tape: &mut Tape) -> Result<()> {
        tape.qpos.extend(self.reals("qpos")?);
        tape.qvel.extend(self.reals("qvel")?);
        tape.act.extend(self.reals("act")?);
        Ok(())
    }
}

impl Tape {
    /// The steps and worlds whose slopes cannot be trusted ([`Transition::bad`]), as pairs.
    pub fn bad(&self) -> Vec<[usize; 2]> {
        let steps = self.steps.iter().enumerate();
        steps
            .flat_map(|(t, step)| step.bad.iter().map(move |&w| [t, w]))
            .collect()
    }

    /// Pulls gradients back through all steps. `gradient` has T × N rows: by the states after every step and by what the sensors read
    /// during it; an empty array is zero. Returns N rows by the state before the first step, and T × N rows by the controls.
    ///
    /// A gradient ends at a step whose slopes cannot be trusted: what comes before it gets zero.
    ///
    /// ```
    /// use manyworlds::batch::{Backend, Gradient, Settings, Tape};
    /// use manyworlds::{Batch, Model};
    ///
    /// # fn main() -> manyworlds::Result<()> {
    /// let model = Model::from_xml_path("models/cartpole.xml")?;
    /// let mut batch = Batch::with(&model, 1, Settings::default().backend(Backend::Cpu))?;
    /// let mut tape = Tape::default();
    /// for _ in 0..50 {
    ///     batch.record(&mut tape, &[0.1])?;
    /// }
    /// // how the cart's place at the end depends on each force
    /// let mut qpos = vec![0.0; 50 * 2];
    /// qpos[49 * 2] = 1.0;
    /// let by = tape.pull_back(&model, &Gradient { qpos, ..Gradient::default() });
    /// assert!(by.ctrl[0] > 10.0 * by.ctrl[48]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If the model is another one, or a number of values does not fit it.
    pub fn pull_back(&self, m: &Model, gradient: &Gradient) -> Gradient {
        let worlds = (0..self.nworld).map(|w| self.pull_back_one(m, w, gradient));
        let mut out = Gradient {
            ctrl: vec![0.0; self.steps.len() * self.nworld * m.nu],
            ..Gradient::default()
        };
        for (w, by) in worlds.enumerate() {
            out.qpos.extend(by.qpos);
            out.qvel.extend(by.qvel);
            out.act.extend(by.act);
            for (t, row) in by.ctrl.chunks_exact(m.nu.max(1)).enumerate() {
                out.ctrl[(t * self.nworld + w) * m.nu..][..m.nu].copy_from_slice(row);
            }
        }
        out
    }

    // one world: rows by its state before the first step and by all its controls
    fn pull_back_one(&self, m: &Model, w: usize, gradient: &Gradient) -> Gradient {
        let zero = || Gradient {
            qpos: vec![0.0; m.nq],
            qvel: vec![0.0; m.nv],
            act: vec![0.0; m.na],
            ..Gradient::default()
        };
        let (mut now, mut ctrl) = (zero(), vec![0.0; self.steps.len() * m.nu]);
        for (t, step) in self.steps.iter().enumerate().rev() {
            let row = t * self.nworld + w;
            add(&mut now.qpos, &gradient.qpos, row);
            add(&mut now.qvel, &gradient.qvel, row);
            add(&mut now.act, &gradient.act, row);
            now.sensordata = vec![0.0; m.nsensordata];
            add(&mut now.sensordata, &gradient.sensordata, row);
            if step.bad.contains(&w) {
                now = zero();
                continue;
            }
            let [before, after] =
                [row, row + self.nworld].map(|row| &self.qpos[row * m.nq..][..m.nq]);
            now = step.pull_back(m, w, before, after, &now);
            ctrl[t * m.nu..][..m.nu].copy_from_slice(&now.ctrl);
        }
        now.ctrl = ctrl;
        now
    }
}

// adds a row of an array, unless that is empty
fn add(to: &mut [f64], rows: &[f64], row: usize) {
    if !rows.is_empty() {
        let row = &rows[row * to.len()..][..to.len()];
        to.iter_mut().zip(row).for_each(|(to, x)| *to += x);
    }
}
