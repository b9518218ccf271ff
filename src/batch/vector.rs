//! The state as MuJoCo's vectors: the elements that a bit mask names, one after the other.
//!
//! ```text
//! STATE_QPOS | STATE_CTRL      [ w0: qpos ctrl ][ w1: qpos ctrl ] …      nworld × size
//! ```

use super::slices::{Columns, In, Out};
use super::{Batch, field};
use crate::error::{Error, Result};
use crate::fields::Field;
use crate::types::*;

/// Every element in order of its bit, and the array that it is; plugins have none.
const ELEMENTS: [(i32, &str); NSTATE - 1] = [
    (STATE_TIME, "time"),
    (STATE_QPOS, "qpos"),
    (STATE_QVEL, "qvel"),
    (STATE_ACT, "act"),
    (STATE_HISTORY, "history"),
    (STATE_WARMSTART, "qacc_warmstart"),
    (STATE_CTRL, "ctrl"),
    (STATE_QFRC_APPLIED, "qfrc_applied"),
    (STATE_XFRC_APPLIED, "xfrc_applied"),
    (STATE_EQ_ACTIVE, "eq_active"),
    (STATE_MOCAP_POS, "mocap_pos"),
    (STATE_MOCAP_QUAT, "mocap_quat"),
    (STATE_USERDATA, "userdata"),
    (STATE_PLASTIC, "plastic"),
];

impl Batch {
    /// Numbers of one world's state, of the elements whose bits `sig` has (`mj_stateSize`): `STATE_*` of [`crate::types`].
    ///
    /// Fails with [`Error::Input`] on a bit that is no element's.
    pub fn state_size(&self, sig: i32) -> Result<usize> {
        if !(0..1 << NSTATE).contains(&sig) {
            return Err(Error::Input(format!(
                "the state has elements 0 to {}, the bits {sig:#x} name others",
                NSTATE - 1
            )));
        }
        Ok(chosen(sig).map(|field| field.words(&self.model)).sum())
    }

    /// The state of all worlds, N × [`Batch::state_size`], each row as `mj_getState` makes it. Fails like
    /// [`Batch::state_size`], and with [`Error::Input`] on room for another number of values or for integers.
    pub fn get_state<'a>(&mut self, sig: i32, out: impl Into<Out<'a>>) -> Result<()> {
        let (size, mut out) = (self.state_size(sig)?, out.into());
        let need = self.nworld * size;
        if out.len() != need || matches!(out, Out::I32(_)) {
            return Err(Error::Input(format!(
                "the state needs room for {need} reals ({} worlds × {size}), {} given",
                self.nworld,
                out.len()
            )));
        }
        let mut at = Columns::all(size);
        for field in chosen(sig) {
            let words = field.words(&self.model);
            if words > 0 {
                self.worlds.read_into(&self.model, field, at, out.again())?;
            }
            at.first += words;
        }
        Ok(())
    }

    /// Sets the state of all worlds, N × [`Batch::state_size`] or one row for all, each row as `mj_setState` takes it. Fails
    /// like [`Batch::state_size`], and with [`Error::Input`] on another number of values.
    pub fn set_state<'a>(&mut self, sig: i32, values: impl Into<In<'a>>) -> Result<()> {
        let (size, values) = (self.state_size(sig)?, values.into());
        let (need, have) = (self.nworld * size, values.len());
        if have != size && have != need {
            return Err(Error::Input(format!(
                "the state needs {size} numbers for all worlds or {need} for {}, {have} given",
                self.nworld
            )));
        }
        let mut at = Columns::all(size);
        for field in chosen(sig) {
            let words = field.words(&self.model);
            if words > 0 {
                self.worlds.write(&self.model, field, None, at, values)?;
            }
            at.first += words;
        }
        Ok(())
    }
}

// the arrays of the elements that are named
fn chosen(sig: i32) -> impl Iterator<Item = &'static Field> {
    let named = ELEMENTS.iter().filter(move |(bit, _)| sig & bit != 0);
    named.filter_map(|(_, name)| field(name).ok())
}
