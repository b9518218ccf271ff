//! The kept frames of a rollout, read from its file.

use super::{Fault, npz};
use manyworlds::fields::{INPUTS, field};
use manyworlds::{Batch, Model};
use std::path::Path;

/// Inputs of all worlds, as `rollout --out` kept them.
pub struct Kept {
    /// Number of frames, 1 or more.
    pub nframe: usize,
    /// Number of worlds.
    pub nworld: usize,
    // name, and values of all frames
    inputs: Vec<(&'static str, Vec<f64>)>,
    // times of the first world (s); empty if the file has none
    time: Vec<f64>,
}

impl Kept {
    /// Reads a file. It must hold positions; times and other inputs are optional.
    pub fn open(path: &Path, m: &Model) -> Result<Self, Fault> {
        let mut file = npz::Reader::open(path)?;
        let (nq, mut nframe, mut nworld) = (m.nq, 0, 0);
        let qpos = file.read("qpos", |shape| match *shape {
            [frames, worlds, row] if row == nq && frames > 0 && worlds > 0 => {
                (nframe, nworld) = (frames, worlds);
                Ok(0..frames * worlds * row)
            }
            _ => Err(format!(
                "has shape {shape:?}; (frames, worlds, {nq}) is needed"
            )),
        })?;
        let qpos = qpos.ok_or_else(|| file.bad("holds no array qpos"))?;
        let time = file.read("time", |shape| match *shape {
            [frames, ..] if frames == nframe => Ok(0..shape.iter().product()),
            _ => Ok(0..0),
        })?;
        let time = time.unwrap_or_default();
        let each = (time.len() / nframe).max(1);
        let mut inputs = vec![("qpos", qpos)];
        let others = INPUTS
            .iter()
            .filter(|name| !["qpos", "time"].contains(name));
        for name in others {
            let words = field(name).map_or(0, |field| field.words(m));
            let all = nframe * nworld * words;
            let values = file.read(name, |shape| match shape.iter().product::<usize>() == all {
                true => Ok(0..all),
                false => Err(format!(
                    "has shape {shape:?}; {nframe} frames of {nworld} worlds with {words} numbers each are needed"
                )),
            })?;
            inputs.extend(values.filter(|x| !x.is_empty()).map(|x| (*name, x)));
        }
        Ok(Self {
            nframe,
            nworld,
            inputs,
            time: time.into_iter().step_by(each).collect(),
        })
    }

    /// Time of a frame (s), if the file has times.
    pub fn time(&self, frame: usize) -> Option<f64> {
        self.time.get(frame).copied()
    }

    /// Frame rate (1/s) if every `every`-th frame is shown; none without times.
    pub fn rate(&self, every: usize) -> Option<f64> {
        let seconds = self.time(every.min(self.nframe - 1))? - self.time(0)?;
        (seconds > 0.0).then(|| 1.0 / seconds)
    }

    /// Sets the inputs of all worlds to those of a frame, and runs forward dynamics.
    pub fn put(&self, batch: &mut Batch, frame: usize) -> manyworlds::Result<()> {
        for (name, values) in &self.inputs {
            let each = values.len() / self.nframe;
            batch.set(name, &values[frame * each..(frame + 1) * each])?;
        }
        batch.forward()
    }
}
