//! Computations that leave out what is known (`mj_forwardSkip`, `mj_inverseSkip`).

use super::{Batch, Pass, What};
use crate::error::{Error, Result};
use crate::stages::{Part, Skip};

impl Batch {
    /// Forward dynamics but for what is known from the last call, and without sensors if they are not asked for (`mj_forwardSkip`):
    /// what depends on positions is left as it is, or what depends on positions and velocities.
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
    /// What was set since of positions, or of velocities too, is not looked at where it is left out, but by the potential energy, which comes
    /// with the kinetic one. A step leaves arrays of where it began.
    ///
    /// Fails like [`Batch::forward`], and with [`Error::Input`] where something is to be left out and nothing is known: before the first
    /// call, and since a world was reset, restored or copied.
    pub fn forward_skip(&mut self, skip: Skip, sensors: bool) -> Result<()> {
        self.in_part(What::Forward(Part { skip, sensors }))
    }

    /// Inverse dynamics but for what is known from the last call, and without sensors if they are not asked for (`mj_inverseSkip`). See
    /// [`Batch::forward_skip`]; fails like it and like [`Batch::inverse`].
    pub fn inverse_skip(&mut self, skip: Skip, sensors: bool) -> Result<()> {
        self.check_inverse()?;
        self.in_part(What::Inverse(Part { skip, sensors }))
    }

    fn in_part(&mut self, what: What) -> Result<()> {
        // a discrete step has changed its rows
        if !what.goes_on() || self.model.opt.is_discrete() {
            return self.attempt(what, &[], &[]);
        }
        if !self.known {
            let msg =
                "nothing is known of worlds that begin: call forward before stages are left out";
            return Err(Error::Input(msg.to_owned()));
        }
        // contacts and rows are there: none can be too many
        self.settle_own()?;
        let pass = Pass {
            what,
            keep: false,
            fields: &[],
            given: &[],
        };
        self.worlds.run(&self.model, &pass)
    }
}
