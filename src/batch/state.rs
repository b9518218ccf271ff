//! The state of all worlds, kept aside.

use super::{Mask, Worlds, field};
use crate::error::{Error, Result};
use crate::fields::{FIELDS, Model, Room, View};

/// What may be set, and all that the future of a world depends on.
pub(super) const INPUTS: &[&str] = &[
    "time",
    "qpos",
    "qvel",
    "act",
    "history",
    "plastic",
    "qacc_warmstart",
    "ctrl",
    "qfrc_applied",
    "xfrc_applied",
    "eq_active",
    "mocap_pos",
    "mocap_quat",
    "userdata",
];

// what befell the worlds belongs to their state too
pub(super) const FLAGS: &[&str] = &["warning", "overflow", "needed"];

/// The state of all worlds of a batch: what [`super::Batch::save`] gives and [`super::Batch::restore`] takes.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    model: u64,
    nworld: usize,
    arrays: Vec<(&'static str, Vec<f64>)>,
}

impl State {
    /// Takes the state anew, into the same memory.
    pub(super) fn renew(&mut self, m: &Model, worlds: &mut dyn Worlds) -> Result<()> {
        for (name, to) in &mut self.arrays {
            to.clear();
            match worlds.read(m, field(name)?)? {
                View::Int(x) => to.extend(x.iter().map(|&x| f64::from(x))),
                View::Real(x) => to.extend_from_slice(x),
            }
        }
        Ok(())
    }

    pub(super) fn of(m: &Model, hash: u64, nworld: usize, worlds: &mut dyn Worlds) -> Result<Self> {
        let mut arrays = Vec::new();
        for &name in INPUTS.iter().chain(FLAGS) {
            let rows = match worlds.read(m, field(name)?)? {
                View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
                View::Real(x) => x.to_vec(),
            };
            arrays.push((name, rows));
        }
        Ok(Self {
            model: hash,
            nworld,
            arrays,
        })
    }

    pub(super) fn check(&self, hash: u64, nworld: usize) -> Result<()> {
        if self.model != hash {
            let msg = "the state is of another model, or the model was changed since";
            return Err(Error::Input(msg.to_owned()));
        }
        if self.nworld != nworld {
            let have = self.nworld;
            return Err(Error::Input(format!(
                "the state is of {have} worlds, the batch has {nworld}"
            )));
        }
        Ok(())
    }

    pub(super) fn write(&self, m: &Model, mask: Mask<'_>, worlds: &mut dyn Worlds) -> Result<()> {
        for (name, rows) in &self.arrays {
            worlds.write(m, field(name)?, mask, rows)?;
        }
        Ok(())
    }
}

/// A number that differs between models that behave differently: of options and arrays, not of capacities or names.
pub(crate) fn hash(m: &Model) -> u64 {
    // fnv-1a over words
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(0x0100_0000_01b3);
    for (name, _) in crate::model::Opt::NAMES {
        let values = m.opt.get(name).unwrap_or_default();
        values.iter().for_each(|x| add(x.to_bits()));
    }
    for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
        add(field.len(m) as u64);
        match m.field(field.name) {
            Some(View::Int(x)) => x.iter().for_each(|&x| add(x as u64)),
            Some(View::Real(x)) => x.iter().for_each(|&x| add(x.to_bits())),
            None => {}
        }
    }
    hash
}
