//! Initial states and controls of every world of a benchmark.

use crate::cli::Fault;

use manyworlds::batch::random::normal;
use manyworlds::batch::{Overflow, Settings, To};
use manyworlds::{Batch, Model};
use serde::Deserialize;
use std::path::Path;

/// Steps for which a world settles, number of settled worlds, and standard deviation of controls as a fraction of half their range.
const SETTLE: usize = 500;
const SEEDS: usize = 64;
const STRAY: f64 = 0.1;

/// States and controls, world after world.
pub struct Init {
    nworld: usize,
    states: Vec<(&'static str, Vec<f64>)>,
    ctrl: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct Meta {
    nworld: usize,
    nq: usize,
    nv: usize,
    na: usize,
    nu: usize,
    nchunk: usize,
}

impl Init {
    /// Reads a folder: `meta.json` and raw little-endian f64 files.
    pub fn read(dir: &Path, m: &Model, nworld: usize) -> Result<Self, Fault> {
        let path = dir.join("meta.json");
        let text = std::fs::read_to_string(&path).map_err(|e| Fault::io(&path, e))?;
        let meta: Meta = serde_json::from_str(&text)
            .map_err(|e| Fault::usage(format!("{}: {e}", path.display())))?;
        let (have, want) = (
            [meta.nworld, meta.nq, meta.nv, meta.na, meta.nu],
            [nworld, m.nq, m.nv, m.na, m.nu],
        );
        if have != want {
            let names = "nworld nq nv na nu";
            let msg = format!(
                "{}: {names} are {have:?} in the file, {want:?} are needed",
                path.display()
            );
            return Err(Fault::usage(msg));
        }
        let file = |name: &str, row: usize| -> Result<Vec<f64>, Fault> {
            let path = dir.join(format!("{name}.f64"));
            // checked before it is read: it may be of any length, or a pipe
            let there = std::fs::metadata(&path).map_err(|e| Fault::io(&path, e))?;
            if !there.is_file() || there.len() != row as u64 * 8 {
                let (path, have, need) = (path.display(), there.len(), row * 8);
                let msg = format!("{path}: the file has {have} bytes, {need} are needed");
                return Err(Fault::usage(msg));
            }
            let bytes = std::fs::read(&path).map_err(|e| Fault::io(&path, e))?;
            let values: Vec<f64> = bytes
                .as_chunks()
                .0
                .iter()
                .map(|x| f64::from_le_bytes(*x))
                .collect();
            match values.iter().position(|x| !x.is_finite()) {
                None => Ok(values),
                Some(at) => Err(Fault::usage(format!(
                    "{}: value {at} (counted from 0) is {}, and must be finite",
                    path.display(),
                    values[at]
                ))),
            }
        };
        let states = vec![
            ("qpos", file("qpos", nworld * m.nq)?),
            ("qvel", file("qvel", nworld * m.nv)?),
            ("act", file("act", nworld * m.na)?),
            ("qacc_warmstart", file("warmstart", nworld * m.nv)?),
        ];
        let ctrl = file("ctrl", meta.nchunk * nworld * m.nu)?;
        let ctrl = match m.nu {
            0 => vec![Vec::new(); meta.nchunk],
            nu => ctrl
                .chunks_exact(nworld * nu)
                .map(<[f64]>::to_vec)
                .collect(),
        };
        Ok(Self {
            nworld,
            states,
            ctrl,
        })
    }

    /// Settles some worlds from the first keyframe, or `qpos0`, under small random controls, and copies them to all.
    pub fn make(
        m: &Model,
        nworld: usize,
        steps: usize,
        hold: usize,
        settings: &Settings,
    ) -> Result<Self, Fault> {
        let some = nworld.min(SEEDS);
        let settings = Settings {
            overflow: Overflow::Grow,
            ..settings.clone()
        };
        let mut batch = Batch::with(m, some, settings)?;
        if m.nkey > 0 {
            batch.reset(To::Key(0))?;
        }
        for chunk in 0..SETTLE.div_ceil(hold) {
            batch.set("ctrl", &stray(m, some, 0, chunk))?;
            batch.step(hold)?;
        }
        let mut states = Vec::new();
        for name in ["qpos", "qvel", "act", "qacc_warmstart"] {
            let settled = batch.reals(name)?;
            let row = settled.len() / some;
            let rows = (0..nworld).map(|w| &settled[w % some * row..][..row]);
            states.push((name, rows.flatten().copied().collect()));
        }
        let ctrl = (0..steps.div_ceil(hold))
            .map(|chunk| stray(m, nworld, 1, chunk))
            .collect();
        Ok(Self {
            nworld,
            states,
            ctrl,
        })
    }

    /// Number of chunks of held control to run; an error if the folder has fewer.
    pub fn nchunk(&self, want: usize) -> Result<usize, Fault> {
        match self.ctrl.len() {
            have if have < want => Err(Fault::usage(format!(
                "{want} chunks of control are needed, the folder has {have}: take fewer --steps, or a longer --hold"
            ))),
            _ => Ok(want),
        }
    }

    /// Resets the worlds of a batch to the initial states of the first worlds, with the controls of a chunk.
    pub fn put(&self, batch: &mut Batch, chunk: usize) -> Result<(), Fault> {
        batch.reset(To::Qpos0)?;
        for (name, rows) in &self.states {
            let row = rows.len() / self.nworld;
            batch.set(name, &rows[..row * batch.nworld()])?;
        }
        self.control(batch, chunk)
    }

    /// Sets the controls of a chunk.
    pub fn control(&self, batch: &mut Batch, chunk: usize) -> Result<(), Fault> {
        let rows = &self.ctrl[chunk];
        let row = rows.len() / self.nworld;
        Ok(batch.set("ctrl", &rows[..row * batch.nworld()])?)
    }
}

// random controls around the middle of each range
fn stray(m: &Model, nworld: usize, seed: u64, chunk: usize) -> Vec<f64> {
    let mut ctrl = Vec::with_capacity(nworld * m.nu);
    for w in 0..nworld {
        for i in 0..m.nu {
            let limited = m.actuator_ctrllimited[i] != 0;
            let [lo, hi] = match limited {
                true => [m.actuator_ctrlrange[2 * i], m.actuator_ctrlrange[2 * i + 1]],
                false => [f64::NEG_INFINITY, f64::INFINITY],
            };
            let (middle, half) = match limited {
                true => (0.5 * (lo + hi), 0.5 * (hi - lo)),
                false => (0.0, 1.0),
            };
            let middle = if m.nkey > 0 { m.key_ctrl[i] } else { middle };
            let x = middle + STRAY * half * normal(seed, w as u64, (chunk * m.nu + i) as u64);
            ctrl.push(x.clamp(lo, hi));
        }
    }
    ctrl
}
