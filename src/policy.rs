//! Policies, read from files: functions that choose the controls of worlds from observations.
//!
//! ```no_run
//! use manyworlds::policy::Policy;
//! use manyworlds::{Batch, Model};
//!
//! # fn main() -> manyworlds::Result<()> {
//! let model = Model::from_xml_path("models/quadruped.xml")?;
//! let policy = Policy::open("models/quadruped_walk.npz", &model)?;
//! let mut batch = Batch::new(&model, 64)?;
//! for _ in 0..100 {
//!     policy.act(&mut batch)?;
//!     batch.step(policy.nstep())?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A file is an npz archive with these arrays, as `python/examples/ppo.py --save` writes it (Python: `manyworlds.policy`):
//!
//! | array | content |
//! |---|---|
//! | `observe` | text in bytes: the observed fields of a world, or parts of them, one after the other: `qpos[2:] qvel` |
//! | `mean`, `deviation` | of an observation x; the input of the first layer is (x - mean) / deviation, clipped to -10 … 10 |
//! | `weight0`, `bias0`, `weight1`, … | layers, (inputs, outputs) and (outputs): x weight + bias; tanh between them |
//! | `low`, `high` | the least and the greatest of each control (nu) |
//! | `nstep` | steps for which controls are held |

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::fields::Field;
use crate::mjcf::archive;
use crate::model::Model;
use crate::npy;
use rayon::prelude::*;
use std::io::Cursor;
use std::ops::Range;
use std::path::Path;

/// Most bytes of an array.
const ROOM: u64 = 1 << 26;
/// Bound to which normalized observations are clipped (standard deviations).
const CUT: f32 = 10.0;
/// Most steps for which controls are held.
const LONGEST: f64 = 1e6;

/// A policy: a perceptron from the observation of a world to its controls.
#[derive(Clone, Debug)]
pub struct Policy {
    seen: Vec<Seen>,
    mean: Vec<f32>,
    deviation: Vec<f32>,
    layers: Vec<Layer>,
    low: Vec<f32>,
    high: Vec<f32>,
    nstep: usize,
}

// observed columns of a field
#[derive(Clone, Debug)]
struct Seen {
    field: &'static Field,
    columns: Range<usize>,
}

// weight: inputs x outputs
#[derive(Clone, Debug)]
struct Layer {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

impl Policy {
    /// Reads the file of a policy for a model.
    ///
    /// Fails with [`Error::Io`] where the file cannot be read, and else like [`Policy::read`].
    pub fn open(path: impl AsRef<Path>, m: &Model) -> Result<Self> {
        let path = path.as_ref();
        let failed = |source| Error::Io {
            path: path.display().to_string(),
            source,
        };
        // reading a pipe would block
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            let msg = format!("{}: is not a regular file", path.display());
            return Err(Error::Input(msg));
        }
        let bytes = std::fs::read(path).map_err(failed)?;
        Self::read(&bytes, &path.display().to_string(), m)
    }

    /// The policy for a model in the bytes of a file; messages call the file `name`.
    ///
    /// Fails with [`Error::Input`] on bytes of no such file, and on a policy whose observations or controls do not fit the model.
    pub fn read(bytes: &[u8], name: &str, m: &Model) -> Result<Self> {
        let policy = File(bytes).policy(m);
        policy.map_err(|what| Error::Input(format!("{name}: {what}")))
    }

    /// Steps for which controls are held.
    pub fn nstep(&self) -> usize {
        self.nstep
    }

    /// Sets the controls of all worlds from their observations.
    ///
    /// Fails like [`Batch::read_into`] and [`Batch::set`].
    pub fn act(&self, batch: &mut Batch) -> Result<()> {
        let (nworld, width) = (batch.nworld(), self.mean.len());
        let mut seen = vec![0f32; nworld * width];
        let (mut field, mut start) = (Vec::new(), 0);
        for part in &self.seen {
            let words = part.field.words(batch.model());
            field.resize(nworld * words, 0f32);
            batch.read_into(part.field.name, field.as_mut_slice())?;
            for (row, words) in seen.chunks_exact_mut(width).zip(field.chunks_exact(words)) {
                row[start..start + part.columns.len()]
                    .copy_from_slice(&words[part.columns.clone()]);
            }
            start += part.columns.len();
        }
        let mut ctrl = vec![0f64; nworld * self.low.len()];
        let rows = ctrl.par_chunks_exact_mut(self.low.len());
        rows.zip(seen.par_chunks_exact(width))
            .for_each(|(ctrl, seen)| self.choose(seen, ctrl));
        batch.set("ctrl", &ctrl)
    }

    // controls for the observation of one world
    fn choose(&self, seen: &[f32], ctrl: &mut [f64]) {
        let scales = self.mean.iter().zip(&self.deviation);
        let scaled = seen.iter().zip(scales);
        let mut x: Vec<f32> = scaled
            .map(|(x, (mean, deviation))| ((x - mean) / deviation).clamp(-CUT, CUT))
            .collect();
        for (k, layer) in self.layers.iter().enumerate() {
            let mut y = layer.bias.clone();
            for (x, weights) in x.iter().zip(layer.weight.chunks_exact(y.len())) {
                for (y, weight) in y.iter_mut().zip(weights) {
                    *y += x * weight;
                }
            }
            if k + 1 < self.layers.len() {
                y.iter_mut().for_each(|y| *y = y.tanh());
            }
            x = y;
        }
        for (k, ctrl) in ctrl.iter_mut().enumerate() {
            *ctrl = f64::from(x[k].clamp(self.low[k], self.high[k]));
        }
    }
}

type Told<T> = std::result::Result<T, String>;

// the bytes of a file; its errors are sentences
struct File<'a>(&'a [u8]);

impl File<'_> {
    fn policy(&self, m: &Model) -> Told<Policy> {
        let observe = self.numbers("observe", |shape| shape.len() == 1)?;
        let observe: Vec<u8> = observe.iter().map(|&x| x as u8).collect();
        let observe = String::from_utf8_lossy(&observe);
        let parts = observe.split_whitespace().map(|part| seen(part, m));
        let parts = parts.collect::<Told<Vec<_>>>();
        let parts = parts.map_err(|what| format!("observe: {what}"))?;
        let width = parts.iter().map(|part| part.columns.len()).sum();
        let (low, high) = (self.row("low", m.nu)?, self.row("high", m.nu)?);
        if low.iter().zip(&high).any(|(low, high)| low > high) {
            return Err("low: is above high".to_owned());
        }
        let deviation = self.row("deviation", width)?;
        if deviation.iter().any(|&x| x <= 0.0) {
            return Err("deviation: is not above 0".to_owned());
        }
        let nstep = self.numbers("nstep", |shape| shape.iter().product::<usize>() == 1)?;
        if !(1.0..=LONGEST).contains(&nstep[0]) {
            return Err(format!("nstep: is {}; 1 to {LONGEST} is needed", nstep[0]));
        }
        Ok(Policy {
            seen: parts,
            mean: self.row("mean", width)?,
            deviation,
            layers: self.layers(width, m.nu)?,
            low,
            high,
            nstep: nstep[0] as usize,
        })
    }

    // layers from `width` inputs to `nu` outputs
    fn layers(&self, width: usize, nu: usize) -> Told<Vec<Layer>> {
        let mut layers: Vec<Layer> = Vec::new();
        let mut inputs = width;
        while layers.is_empty() || self.holds(&format!("weight{}", layers.len())) {
            let k = layers.len();
            let bias = self.singles(&format!("bias{k}"), |shape| shape.len() == 1)?;
            let weight = format!("weight{k}");
            layers.push(Layer {
                weight: self.singles(&weight, |shape| shape == [inputs, bias.len()])?,
                bias,
            });
            inputs = layers[k].bias.len();
        }
        match inputs == nu {
            true => Ok(layers),
            false => Err(format!(
                "the last layer has {inputs} outputs, and the model {nu} controls"
            )),
        }
    }

    fn holds(&self, name: &str) -> bool {
        archive::look(&mut Cursor::new(self.0), &format!("{name}.npy")).is_ok()
    }

    fn row(&self, name: &str, len: usize) -> Told<Vec<f32>> {
        self.singles(name, |shape| shape == [len])
    }

    fn singles(&self, name: &str, fits: impl Fn(&[usize]) -> bool) -> Told<Vec<f32>> {
        let numbers = self.numbers(name, fits)?;
        Ok(numbers.into_iter().map(|x| x as f32).collect())
    }

    // an array of a shape that fits
    fn numbers(&self, name: &str, fits: impl Fn(&[usize]) -> bool) -> Told<Vec<f64>> {
        let entry = archive::read(&mut Cursor::new(self.0), &format!("{name}.npy"), ROOM)?;
        let all = npy::read(entry.as_slice(), |shape| match fits(shape) {
            true => Ok(0..shape.iter().product()),
            false => Err(format!(
                "has shape {shape:?}, which does not fit the other arrays and the model"
            )),
        });
        all.map_err(|what| format!("{name}: {what}"))
    }
}

// "qvel", "qpos[2:]", "xpos[3:6]"
fn seen(part: &str, m: &Model) -> Told<Seen> {
    let unknown = || {
        format!(
            "{part:?} is not a field or a part of one; write it like qvel, qpos[2:] or xpos[3:6]"
        )
    };
    let (name, range) = match part.split_once('[') {
        None => (part, None),
        Some((name, rest)) => (name, Some(rest.strip_suffix(']').ok_or_else(unknown)?)),
    };
    let field = Batch::field(name).map_err(|e| e.to_string())?;
    let words = field.words(m);
    let (first, last) = range.map_or(Ok(("", "")), |range| {
        range.split_once(':').ok_or_else(unknown)
    })?;
    let at = |text: &str, default| match text {
        "" => Ok(default),
        _ => text.parse::<usize>().map_err(|_| unknown()),
    };
    let columns = at(first, 0)?..at(last, words)?;
    match columns.start < columns.end && columns.end <= words {
        true => Ok(Seen { field, columns }),
        false => Err(format!(
            "{part:?}: {name} has {words} numbers in this model, choose a range within them"
        )),
    }
}
