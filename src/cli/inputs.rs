//! Initial states and controls of worlds: files, keyframes, random numbers.

use super::say::remark;
use super::{Fault, array, npz};
use crate::mjcf::nearest::nearest;
use manyworlds::batch::To;
use manyworlds::fields::{INPUTS, field};
use manyworlds::policy::Policy;
use manyworlds::{Batch, Model};
use std::ops::Range;
use std::path::Path;

/// The id of a keyframe, given by name or number.
pub fn key(m: &Model, said: &str) -> Result<usize, Fault> {
    let named = m.names.key.iter().position(|name| name == said);
    let number = said.parse().ok().filter(|&k| k < m.nkey);
    named.or(number).ok_or_else(|| {
        let names: Vec<_> = m
            .names
            .key
            .iter()
            .filter(|n| !n.is_empty())
            .cloned()
            .collect();
        Fault::usage(match m.nkey {
            0 => format!("no keyframe {said}: the model has none"),
            n if names.is_empty() => {
                format!("no keyframe {said}: the model has {n} without names, counted from 0")
            }
            n => format!(
                "no keyframe {said}: the model has {n}, counted from 0 ({})",
                names.join(", ")
            ),
        })
    })
}

/// Sets the inputs in a file. Each array has the name of a field and the shape (row), (K, row) where world `w` gets row
/// `w mod K`, or (frames, K, row) where the last frame is used, as in a trajectory. Other arrays are not read; those that are not
/// arrays of a trajectory are reported.
pub fn state_file(batch: &mut Batch, path: &Path) -> Result<(), Fault> {
    let mut file = npz::Reader::open(path)?;
    let names = file.names();
    let is_input = |name: &String| INPUTS.contains(&name.as_str());
    for name in names.iter().filter(|name| !is_input(name)) {
        if name == "meta" || field(name).is_some() {
            continue;
        }
        if let Some(meant) = nearest(name, INPUTS.iter().copied()) {
            return Err(file.bad(format!("{name} is no input; did you mean {meant}?")));
        }
        remark!("{}: {name} is no input and is ignored", path.display());
    }
    let mut known = false;
    for name in names.iter().filter(|name| is_input(name)) {
        let Some(field) = field(name) else { continue };
        known = true;
        let own = array::shape(batch.model(), field);
        let words = field.words(batch.model());
        let nworld = batch.nworld();
        let wanted = |shape: &[usize]| rows(name, shape, &own, words, nworld);
        let Some(values) = file.read(name, wanted)?.filter(|x| !x.is_empty()) else {
            continue;
        };
        let each = values.chunks_exact(words).cycle().take(nworld);
        let all: Vec<f64> = each.flatten().copied().collect();
        batch.set(name, &all)?;
    }
    match known {
        true => Ok(()),
        false => Err(file.bad(format!("holds none of {}", INPUTS.join(" ")))),
    }
}

// the range of the last frame's rows in an array of this shape; an error if there are more rows than worlds
fn rows(
    name: &str,
    shape: &[usize],
    own: &[usize],
    words: usize,
    nworld: usize,
) -> Result<Range<usize>, String> {
    // a time is one number, and has no axis of its own
    let lead = match name {
        "time" => Some(shape),
        _ => shape.strip_suffix(own).or(shape.strip_suffix(&[words])),
    };
    let (frames, rows) = match lead {
        Some([]) => (1, 1),
        Some(&[k]) => (1, k),
        Some(&[t, k]) => (t, k),
        _ => (0, 0),
    };
    if words == 0 && shape.contains(&0) {
        return Ok(0..0);
    }
    if frames * rows * words == 0 {
        return Err(format!(
            "has shape {shape:?}; {own:?} is needed, or rows of that shape"
        ));
    }
    if rows > nworld {
        return Err(format!(
            "has rows for {rows} worlds, and there are {nworld}: give --worlds {rows}, or a file with fewer rows"
        ));
    }
    let end = frames * rows * words;
    Ok(end - rows * words..end)
}

/// Sets all worlds to the initial state of a rollout.
pub fn start(batch: &mut Batch, keyframe: Option<&str>, state: Option<&Path>) -> Result<(), Fault> {
    if let Some(said) = keyframe {
        let key = key(batch.model(), said)?;
        batch.reset(To::Key(key))?;
    }
    if let Some(path) = state {
        state_file(batch, path)?;
    }
    Ok(())
}

/// The source of controls.
#[derive(Debug)]
pub enum Control {
    /// The values of the keyframe or state file, or zero.
    Held,
    /// Uniform in the range of each control, `[-1, 1]` where there is none.
    Random(u64),
    /// Rows from a file: one for all worlds, or one for each.
    File {
        /// Rows of time.
        rows: usize,
        /// Values, row after row.
        values: Vec<f64>,
    },
    /// Computed by a policy from the worlds' observations.
    Policy(Policy),
}

impl Control {
    /// Parses `zero`, `random`, or a file with rows or a policy; of rows, at most `changes` are read.
    pub fn parse(
        said: &str,
        m: &Model,
        nworld: usize,
        seed: u64,
        changes: u64,
    ) -> Result<Self, Fault> {
        const WORDS: &[&str] = &["zero", "random"];
        match said {
            "zero" => return Ok(Self::Held),
            "random" => return Ok(Self::Random(seed)),
            _ => {}
        }
        let path = Path::new(said);
        if !path.exists() {
            let hint = match nearest(said, WORDS.iter().copied()) {
                Some(word) => format!("did you mean {word}?"),
                None => "it is zero, random, or the name of an npz file".to_owned(),
            };
            return Err(Fault::usage(format!(
                "--ctrl {said}: there is no such file; {hint}"
            )));
        }
        let nu = m.nu;
        let changes = usize::try_from(changes).unwrap_or(usize::MAX);
        let mut rows = 0;
        let mut file = npz::Reader::open(path)?;
        if file.names().iter().any(|name| name == "weight0") {
            return Ok(Self::Policy(Policy::open(path, m)?));
        }
        let values = file.read("ctrl", |shape| {
            let row = match *shape {
                [t, u] if u == nu => {
                    rows = t;
                    nu
                }
                [t, n, u] if u == nu && n == nworld => {
                    rows = t;
                    n * nu
                }
                [u] if u == nu => {
                    rows = 1;
                    nu
                }
                _ => {
                    let forms = format!("({nu}), (T, {nu}) or (T, {nworld}, {nu})");
                    return Err(format!("has shape {shape:?}; {forms} is needed"));
                }
            };
            let used = rows.min(changes.max(1));
            if used < rows {
                remark!("{said}: the file has {rows} rows of control, the first {used} are used");
            }
            rows = used;
            Ok(0..used * row)
        })?;
        let values = values.ok_or_else(|| file.bad("holds neither an array ctrl nor a policy"))?;
        if rows == 0 {
            return Err(file.bad("ctrl has no rows"));
        }
        Ok(Self::File { rows, values })
    }

    /// Number of rows of control; `None` if the control never ends.
    pub fn rows(&self) -> Option<usize> {
        match self {
            Self::File { rows, .. } => Some(*rows),
            _ => None,
        }
    }

    /// Steps for which a control is held, if the policy defines it.
    pub fn hold(&self) -> Option<u64> {
        match self {
            Self::Policy(policy) => Some(policy.nstep() as u64),
            _ => None,
        }
    }

    /// Sets the control of time row `k`.
    pub fn apply(&self, batch: &mut Batch, k: usize) -> Result<(), Fault> {
        match self {
            Self::Held => {}
            Self::Random(seed) => batch.shake(*seed, k, 1.0)?,
            Self::File { rows, values } => {
                let row = values.len() / rows;
                batch.set("ctrl", &values[k.min(rows - 1) * row..][..row])?;
            }
            Self::Policy(policy) => policy.act(batch)?,
        }
        Ok(())
    }
}
