//! `forward`: everything that one forward pass and some steps make of given states.

use super::array::{Array, Nums};
use super::dump::{self, Arrays};
use super::{Engine, Fault, ModelArg, load, npz};
use anstream::eprintln;
use clap::Args;
use manyworlds::batch::To;
use manyworlds::fields::field;
use manyworlds::types::{ENBL_ENERGY, ENBL_INVDISCRETE, ENBL_INVERSE, ENBL_RNEPOST};
use manyworlds::{Batch, Error, Model};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const INPUTS: &[&str] = &[
    "time",
    "qpos",
    "qvel",
    "act",
    "ctrl",
    "mocap_pos",
    "mocap_quat",
    "qfrc_applied",
    "xfrc_applied",
    "eq_active",
    "qacc_warmstart",
];

/// Everything that one forward pass and some steps make of given states.
///
/// For each state: reset, set, forward, dump; then set again, step with the inputs held, and dump the state after 1, 10 and
/// 100 steps. Without --states, the model's start alone. Of a model that cannot run yet, the compiled arrays are written.
#[derive(Args, Debug)]
pub struct Forward {
    #[command(flatten)]
    model: ModelArg,
    /// The states, and options that replace the model's
    #[arg(long, value_name = "FILE.json")]
    states: Option<PathBuf>,
    /// Where to write the dump; the ending says how
    #[arg(long, value_name = "FILE.npz|FILE.json")]
    out: PathBuf,
    /// After how many steps the state is dumped
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,10,100",
        value_name = "N,…"
    )]
    steps: Vec<usize>,
    #[command(flatten)]
    engine: Engine,
}

/// The file of states.
#[derive(Default, Deserialize)]
struct States {
    #[serde(default)]
    opt_override: BTreeMap<String, Value>,
    states: Vec<Map<String, Value>>,
}

impl Forward {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let mut m = load(&self.model.path)?;
        let authored = m.opt.clone();
        let asked = match &self.states {
            Some(path) => read(path)?,
            None => States {
                states: vec![Map::new()],
                ..States::default()
            },
        };
        let bad = |what: String| match &self.states {
            Some(path) => Fault::usage(format!("{}: {what}", path.display())),
            None => Fault::usage(what),
        };
        for (name, value) in &asked.opt_override {
            let x = numbers(value).map_err(|e| bad(format!("opt_override {name}: {e}")))?;
            if !m.edit(|m| m.opt.set(name, &x))? {
                return Err(bad(format!(
                    "opt_override {name}: no such option, or another number of values"
                )));
            }
        }
        if asked.states.is_empty() {
            return Err(bad("holds no states".to_owned()));
        }

        let mut out: Arrays = dump::model(&m, &authored);
        // the dump has energies and forces, whether the model asks for them or not
        m.edit(|m| m.opt.enableflags |= ENBL_ENERGY | ENBL_RNEPOST | ENBL_INVERSE)?;
        let mut batch = match Batch::with(&m, asked.states.len(), self.engine.settings()) {
            // what is compiled can be had, though it cannot move yet
            Err(e @ Error::Missing(_)) => {
                let meta = self.meta(&m, &asked, "compiler", &[]);
                write(&self.out, &meta, &out)?;
                eprintln!("only the compiled model is in {}", self.out.display());
                return Err(e.into());
            }
            batch => batch?,
        };
        eprintln!("{} states on {}", asked.states.len(), batch.device());
        set(&mut batch, &asked.states).map_err(&bad)?;
        batch.forward()?;
        let worlds = batch.worlds()?;
        let inverse = inverse(&mut batch)?;
        for (k, d) in worlds.iter().enumerate() {
            let m = batch.model();
            let state = [dump::inputs(m, d, INPUTS), dump::forward(m, d)].concat();
            let state = state.into_iter().chain(dump::inverse(m, &inverse, k));
            out.extend(state.map(|(name, x)| (format!("s{k}/{name}"), x)));
        }

        set(&mut batch, &asked.states).map_err(&bad)?;
        let mut steps = self.steps.clone();
        steps.sort_unstable();
        steps.dedup();
        let mut done = 0;
        for &n in &steps {
            batch.step(n - done)?;
            done = n;
            for (k, d) in batch.worlds()?.iter().enumerate() {
                let state = dump::step(batch.model(), d, n);
                out.extend(
                    state
                        .into_iter()
                        .map(|(name, x)| (format!("s{k}/{name}"), x)),
                );
            }
        }
        for flag in batch.flags()? {
            eprintln!("{flag}");
        }

        let meta = self.meta(batch.model(), &asked, &batch.device(), &steps);
        write(&self.out, &meta, &out)
    }

    fn meta(&self, m: &Model, asked: &States, device: &str, steps: &[usize]) -> Value {
        let kind =
            |state: &Map<String, Value>| state.get("kind").cloned().unwrap_or("qpos0".into());
        json!({
            "schema": 1,
            "producer": format!("manyworlds {} ({device})", env!("CARGO_PKG_VERSION")),
            "model": self.model.path.display().to_string(),
            "names": dump::names(&m.names),
            "states": asked.states.iter().map(kind).collect::<Vec<_>>(),
            "steps": steps,
            "opt_override": asked.opt_override,
        })
    }
}

fn read(path: &Path) -> Result<States, Fault> {
    let text = std::fs::read_to_string(path).map_err(|e| Fault::io(path, e))?;
    serde_json::from_str(&text).map_err(|e| Fault::usage(format!("{}: {e}", path.display())))
}

// numbers however deep they are nested
fn numbers(value: &Value) -> Result<Vec<f64>, String> {
    match value {
        Value::Array(values) => {
            let parts: Result<Vec<_>, _> = values.iter().map(numbers).collect();
            Ok(parts?.concat())
        }
        Value::Bool(x) => Ok(vec![f64::from(*x)]),
        _ => match value.as_f64() {
            Some(x) => Ok(vec![x]),
            None => Err(format!("{value} is not a number")),
        },
    }
}

// force that the accelerations found take, world after world; none where there is no such thing
fn inverse(batch: &mut Batch) -> Result<Vec<f64>, Fault> {
    let opt = &batch.model().opt;
    if opt.enabled(ENBL_INVDISCRETE) && !opt.inverts_steps() {
        return Ok(Vec::new());
    }
    batch.inverse()?;
    Ok(batch.reals("qfrc_inverse")?.to_vec())
}

// what a state does not say is as after a reset
fn set(batch: &mut Batch, states: &[Map<String, Value>]) -> Result<(), String> {
    batch.reset(To::Qpos0).map_err(|e| e.to_string())?;
    for name in INPUTS {
        let words = field(name).map_or(0, |field| field.words(batch.model()));
        let mut rows = batch.read(name).map_err(|e| e.to_string()).map(reals)?;
        for (k, state) in states.iter().enumerate() {
            let Some(value) = state.get(*name) else {
                continue;
            };
            let x = numbers(value).map_err(|e| format!("state {k}: {name}: {e}"))?;
            if x.len() != words {
                return Err(format!(
                    "state {k}: {name} has {} numbers, {words} are needed",
                    x.len()
                ));
            }
            rows[k * words..][..words].copy_from_slice(&x);
        }
        batch.set(name, &rows).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn reals(view: manyworlds::fields::View<'_>) -> Vec<f64> {
    match view {
        manyworlds::fields::View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        manyworlds::fields::View::Real(x) => x.to_vec(),
    }
}

fn write(path: &Path, meta: &Value, arrays: &Arrays) -> Result<(), Fault> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("npz") => {
            let mut out = npz::Writer::create(path)?;
            out.add_text("meta", &meta.to_string())?;
            for (name, array) in arrays {
                out.add(name, array)?;
            }
            out.finish()
        }
        Some("json") => {
            let arrays: Map<String, Value> = arrays
                .iter()
                .map(|(name, x)| (name.clone(), value(x)))
                .collect();
            let text = json!({ "meta": meta, "arrays": arrays }).to_string();
            let part = npz::part(path, "json");
            std::fs::write(&part, text).map_err(|e| Fault::io(&part, e))?;
            std::fs::rename(&part, path).map_err(|e| Fault::io(path, e))
        }
        _ => Err(Fault::usage(format!(
            "{}: a dump ends in .npz or .json",
            path.display()
        ))),
    }
}

fn value(array: &Array) -> Value {
    // json has no infinities
    let number = |x: f64| match x {
        x if x.is_finite() => json!(x),
        x if x.is_nan() => json!("NaN"),
        x if x > 0.0 => json!("Infinity"),
        _ => json!("-Infinity"),
    };
    let data: Vec<Value> = match &array.nums {
        Nums::Int(x) => x.iter().map(|&x| json!(x)).collect(),
        Nums::Real(x) => x.iter().map(|&x| number(x)).collect(),
    };
    let shape: &[usize] = &array.shape;
    json!({ "shape": shape, "data": data })
}
