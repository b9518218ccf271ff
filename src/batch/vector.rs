//! The state as MuJoCo's vectors: the elements selected by a bit mask, one after the other.
//!
//! ```text
//! STATE_QPOS | STATE_CTRL      [ w0: qpos ctrl ][ w1: qpos ctrl ] …      nworld × size
//! ```

use super::slices::{Columns, In, Out};
use super::{Batch, field};
use crate::error::{Error, Result};
use crate::fields::Field;
use crate::types::*;

/// The bit and the array of every element, in order of bits; the element of plugins has no array.
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
    /// Length of one world's state vector with the elements whose bits are set in `sig` (`mj_stateSize`): `STATE_*` of [`crate::types`].
    ///
    /// Fails with [`Error::Input`] on a bit that belongs to no element.
    pub fn state_size(&self, sig: i32) -> Result<usize> {
        if !(0..1 << NSTATE).contains(&sig) {
            return Err(Error::Input(format!(
                "the state has elements 0 to {}, and sig {sig:#x} has other bits: combine the constants STATE_*",
                NSTATE - 1
            )));
        }
        Ok(chosen(sig).map(|field| field.words(&self.model)).sum())
    }

    /// The state vectors of all worlds, N × [`Batch::state_size`], each row as in `mj_getState`. Fails like
    /// [`Batch::state_size`], and with [`Error::Input`] on a buffer of another length or of integers.
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
                self.worlds
                    .read_into(&self.model, field, None, at, out.again())?;
            }
            at.first += words;
        }
        Ok(())
    }

    /// Sets the state of all worlds from N × [`Batch::state_size`] numbers or one row for all, each row as in `mj_setState`. Fails
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

// the arrays of the elements in the mask
fn chosen(sig: i32) -> impl Iterator<Item = &'static Field> {
    let named = ELEMENTS.iter().filter(move |(bit, _)| sig & bit != 0);
    named.filter_map(|(_, name)| field(name).ok())
}
