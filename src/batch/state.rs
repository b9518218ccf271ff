//! The saved state of all worlds.

use std::sync::OnceLock;

use super::slices::{Columns, In};
use super::{Mask, Worlds, field};
use crate::error::{Error, Result};
use crate::fields::{FIELDS, Field, Model, Role, Room, View, of_role};
use crate::types::ENBL_SOLVERSTAT;

// first bytes of a serialised state
const MARK: &[u8] = b"mwstate1";

/// The fields of a state, in the order of its bytes: inputs, warnings and overflows, and sleep data.
pub(super) fn kept() -> &'static [&'static Field] {
    static KEPT: OnceLock<Vec<&'static Field>> = OnceLock::new();
    KEPT.get_or_init(|| {
        let roles = [Role::Input, Role::Flag, Role::Kept];
        roles.into_iter().flat_map(of_role).collect()
    })
}

/// The state of all worlds of a batch, as [`super::Batch::save`] returns it and [`super::Batch::restore`] takes it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    model: u64,
    nworld: usize,
    arrays: Vec<(&'static str, Vec<f64>)>,
}

impl State {
    pub(super) fn of(m: &Model, hash: u64, nworld: usize, worlds: &mut dyn Worlds) -> Result<Self> {
        let mut arrays = Vec::new();
        for field in kept() {
            let rows = match worlds.read(m, field)? {
                View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
                View::Real(x) => x.to_vec(),
            };
            arrays.push((field.name, rows));
        }
        Ok(Self {
            model: hash,
            nworld,
            arrays,
        })
    }

    /// The state as bytes, the same on every machine: for a file, or for another process.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        let mut add = |word: u64| bytes.extend(word.to_le_bytes());
        add(self.model);
        add(self.nworld as u64);
        for (_, values) in &self.arrays {
            add(values.len() as u64);
            values.iter().for_each(|x| add(x.to_bits()));
        }
        bytes
    }

    /// The state whose [`State::to_bytes`] are these bytes. Fails with [`Error::Input`] on bytes that are not a whole state.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let none = || {
            Error::Input(
                "the bytes are not a complete state: give the bytes of State::to_bytes".to_owned(),
            )
        };
        let body = bytes.strip_prefix(MARK).ok_or_else(none)?;
        let (words, rest) = body.as_chunks::<8>();
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().ok_or_else(none);
        let (model, nworld) = (next()?, next()? as usize);
        let mut arrays = Vec::new();
        for field in kept() {
            let num = next()?;
            let values = (0..num).map(|_| Ok(f64::from_bits(next()?)));
            arrays.push((field.name, values.collect::<Result<Vec<f64>>>()?));
        }
        match next().is_err() && rest.is_empty() {
            true => Ok(Self {
                model,
                nworld,
                arrays,
            }),
            false => Err(none()),
        }
    }

    pub(super) fn check(&self, m: &Model, hash: u64, nworld: usize) -> Result<()> {
        if self.model != hash {
            let msg = "the state is of another model, or the model was changed since: save it again with this model";
            return Err(Error::Input(msg.to_owned()));
        }
        if self.nworld != nworld {
            let have = self.nworld;
            return Err(Error::Input(format!(
                "the state is of {have} worlds, the batch has {nworld}"
            )));
        }
        for (name, values) in &self.arrays {
            let (need, have) = (nworld * field(name)?.words(m), values.len());
            if need != have {
                return Err(Error::Input(format!(
                    "the state has {have} numbers of {name}, the worlds have {need}"
                )));
            }
        }
        Ok(())
    }

    pub(super) fn write(&self, m: &Model, mask: Mask<'_>, worlds: &mut dyn Worlds) -> Result<()> {
        for (name, rows) in &self.arrays {
            let field = field(name)?;
            let at = Columns::all(field.words(m));
            worlds.write(m, field, mask, at, In::F64(rows))?;
        }
        Ok(())
    }
}

/// A hash that differs between models that behave differently: over options and arrays, not over capacities or names.
pub(crate) fn hash(m: &Model) -> u64 {
    // fnv-1a over words
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
    for (name, _) in crate::model::Opt::NAMES {
        let values = match *name {
            // solver statistics are not part of a state
            "enableflags" => vec![f64::from(m.opt.enableflags & !ENBL_SOLVERSTAT)],
            _ => m.opt.get(name).unwrap_or_default(),
        };
        values.iter().for_each(|x| add(x.to_bits()));
    }
    for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
        add(field.len(m) as u64);
        match m.view(field.row) {
            Some(View::Int(x)) => x.iter().for_each(|&x| add(x as u64)),
            Some(View::Real(x)) => x.iter().for_each(|&x| add(x.to_bits())),
            None => {}
        }
    }
    hash
}
