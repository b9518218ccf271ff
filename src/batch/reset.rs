//! Resets of worlds, and states that are kept and given back.

use super::slices::{Columns, In};
use super::{Batch, Mask, State, field};
use crate::error::{Error, Result};
use crate::fields::View;

/// The state that a reset gives a world.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum To<'a> {
    /// `qpos0`, at rest.
    Qpos0,
    /// A keyframe of the model, by its number.
    Key(usize),
    /// The same world of a saved state.
    State(&'a State),
}

impl Batch {
    /// Resets all worlds: state, inputs, warnings and overflows. Fails like [`Batch::reset_where`].
    pub fn reset(&mut self, to: To<'_>) -> Result<()> {
        self.reset_some(None, to)
    }

    /// Resets the worlds whose mask is true; the others do not change by a bit.
    ///
    /// Fails with [`Error::Input`] on a mask of another length than N, a keyframe that the model does not have, or a state of
    /// another model or number of worlds.
    pub fn reset_where(&mut self, mask: &[bool], to: To<'_>) -> Result<()> {
        self.check_mask(mask)?;
        let some = mask.contains(&false).then_some(mask);
        self.reset_some(some, to)
    }

    fn reset_some(&mut self, mask: Mask<'_>, to: To<'_>) -> Result<()> {
        self.known = false;
        match to {
            To::Qpos0 => self.worlds.reset(&self.model, mask),
            To::Key(key) => self.reset_key(mask, key),
            To::State(state) => self.restore_some(mask, state),
        }
    }

    fn reset_key(&mut self, mask: Mask<'_>, key: usize) -> Result<()> {
        let m = &self.model;
        if key >= m.nkey {
            let have = m.nkey;
            return Err(Error::Input(format!(
                "keyframe {key}: the model has {have}, counted from 0"
            )));
        }
        self.worlds.reset(m, mask)?;
        let rows = [
            ("time", "key_time"),
            ("qpos", "key_qpos"),
            ("qvel", "key_qvel"),
            ("act", "key_act"),
            ("plastic", "key_plastic"),
            ("ctrl", "key_ctrl"),
            ("mocap_pos", "key_mpos"),
            ("mocap_quat", "key_mquat"),
        ];
        for (name, key_name) in rows {
            let field = field(name)?;
            let words = field.words(m);
            if let (Some(View::Real(x)), 1..) = (m.field(key_name), words) {
                let values = In::F64(&x[key * words..][..words]);
                self.worlds
                    .write(m, field, mask, Columns::all(words), values)?;
            }
        }
        Ok(())
    }

    /// The state of all worlds: everything that the next step depends on.
    pub fn save(&mut self) -> Result<State> {
        State::of(&self.model, self.hash, self.nworld, &mut *self.worlds)
    }

    /// Puts all worlds back to a saved state. Fails with [`Error::Input`] if it is of another model or number of worlds.
    pub fn restore(&mut self, state: &State) -> Result<()> {
        self.restore_some(None, state)
    }

    fn restore_some(&mut self, mask: Mask<'_>, state: &State) -> Result<()> {
        state.check(&self.model, self.hash, self.nworld)?;
        self.known = false;
        self.worlds.reset(&self.model, mask)?;
        state.write(&self.model, mask, &mut *self.worlds)
    }
}
