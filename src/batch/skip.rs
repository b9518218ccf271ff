//! Forward and inverse dynamics that skip stages whose results are known (`mj_forwardSkip`, `mj_inverseSkip`).

use super::{Batch, Pass, What};
use crate::error::{Error, Result};
use crate::stages::{Part, Skip};

impl Batch {
    /// Forward dynamics without the stages whose results are known from the last call, and without sensors if `sensors` is false (`mj_forwardSkip`).
    /// `skip` keeps the results that depend on positions, or on positions and velocities.
    ///
    /// ```
    /// use manyworlds::batch::Skip;
    /// use manyworlds::{Batch, Model};
    ///
    /// let model = Model::from_xml_path("models/cartpole.xml")?;
    /// let mut batch = Batch::new(&model, 2)?;
    /// batch.forward()?;
    /// // the same positions and velocities, another control
    /// batch.set("ctrl", &[0.5])?;
    /// batch.forward_skip(Skip::Vel, false)?;
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    ///
    /// Positions, or velocities too, that were set since the last call have no effect on skipped stages. The exception is the potential energy, which
    /// is computed with the kinetic energy. After a step the arrays belong to the state at its start.
    ///
    /// Fails like [`Batch::forward`], and with [`Error::Input`] where stages are to be skipped and no results are known: before the first
    /// call, and since a world was reset, restored or copied.
    pub fn forward_skip(&mut self, skip: Skip, sensors: bool) -> Result<()> {
        self.in_part(What::Forward(Part { skip, sensors }))
    }

    /// Inverse dynamics without the stages whose results are known from the last call, and without sensors if `sensors` is false
    /// (`mj_inverseSkip`). See [`Batch::forward_skip`]; fails like it and like [`Batch::inverse`].
    pub fn inverse_skip(&mut self, skip: Skip, sensors: bool) -> Result<()> {
        self.check_inverse()?;
        self.in_part(What::Inverse(Part { skip, sensors }))
    }

    fn in_part(&mut self, what: What) -> Result<()> {
        // a discrete step has overwritten its constraint rows
        if !what.goes_on() || self.model.opt.is_discrete() {
            return self.attempt(what, &[], &[]);
        }
        if !self.known {
            let msg = "nothing is computed yet for worlds that were just made or reset: call forward before stages are skipped";
            return Err(Error::Input(msg.to_owned()));
        }
        // contacts and rows exist already, so they cannot overflow
        self.settle_own()?;
        let pass = Pass {
            what,
            mask: None,
            keep: false,
            fields: &[],
            given: &[],
        };
        self.worlds.run(&self.model, &pass)
    }
}
