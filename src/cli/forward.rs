//! `forward`: dumps the results of one forward pass and of some steps on given states.

use super::array::{Array, Nums};
use super::dump;
use super::interrupt::Interrupt;
use super::output::{Kind, Output};
use super::{Engine, Fault, ModelArg, load, npz};
use crate::cli::say::remark;
use crate::mjcf::nearest::nearest;
use clap::Args;
use manyworlds::batch::To;
use manyworlds::fields::{INPUTS, field};
use manyworlds::model::Opt;
use manyworlds::types::{ENBL_ENERGY, ENBL_INVDISCRETE, ENBL_INVERSE, ENBL_RNEPOST, Integrator};
use manyworlds::{Batch, Error, Model};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Names that a file of states may have beside inputs.
const BESIDE: &[&str] = &[
    "opt_override",
    "states",
    "schema",
    "producer",
    "model",
    "model_sha256",
    "profile",
    "opt",
];
const KIND: &str = "kind";

/// Steps between two checks for a signal.
const LOOK: usize = 10;

/// Everything that one forward pass and some steps make of given states.
///
/// For each state: reset, set, forward, dump; then set again, step with the inputs held, and dump the state after 1, 10 and
/// 100 steps. Without --states, the model's start alone. Of a model that cannot run yet, the compiled arrays are written.
#[derive(Args, Debug)]
pub struct Forward {
    #[command(flatten)]
    model: ModelArg,
    /// File with the states, and with options that replace those of the model
    #[arg(long, value_name = "FILE.json")]
    states: Option<PathBuf>,
    /// File for the dump; its ending chooses the format. Only an older dump is overwritten; a pipe gets the complete file at
    /// the end
    #[arg(long, value_name = "FILE.npz|FILE.json")]
    out: PathBuf,
    /// Numbers of steps after which the state is dumped
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
    #[serde(flatten)]
    beside: BTreeMap<String, Value>,
}

/// An unfinished dump. An archive holds no array in memory once it is written.
enum Dump {
    Npz(Box<npz::Writer>),
    Json(Output, Map<String, Value>),
}

impl Forward {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let mut m = load(&self.model)?;
        let authored = m.opt.clone();
        let asked = match &self.states {
            Some(path) => read(path)?,
            None => States {
                states: vec![Map::new()],
                ..States::default()
            },
        };
        self.override_options(&mut m, &asked)?;
        if asked.states.is_empty() {
            return Err(self.bad("holds no states".to_owned()));
        }
        let interrupt = Interrupt::watch()?;
        let mut dump = self.create()?;

        dump.add("", dump::model(&m, &authored))?;
        // the dump has energies and forces, whether or not the model enables them
        m.edit(|m| m.opt.enableflags |= ENBL_ENERGY | ENBL_RNEPOST | ENBL_INVERSE)?;
        let mut batch = match Batch::with(&m, asked.states.len(), self.engine.settings()) {
            // the compiled arrays are dumped even if the model cannot run yet
            Err(e @ Error::Missing(_)) => {
                dump.finish(&self.meta(&m, &asked, "compiler", &[]))?;
                remark!(
                    "{} holds the compiled model alone, because the model cannot run",
                    self.out.display()
                );
                return Err(e.into());
            }
            batch => batch?,
        };
        remark!("{} states on {}", asked.states.len(), batch.device());
        self.put(&mut batch, &asked)?;
        dump_forward(&mut dump, &mut batch)?;
        self.put(&mut batch, &asked)?;
        let mut steps = self.steps.clone();
        steps.sort_unstable();
        steps.dedup();
        dump_steps(&mut dump, &mut batch, &steps, &interrupt)?;
        for flag in batch.flags()? {
            remark!("{flag}");
        }
        if let Some(full) = batch.full() {
            remark!("{full} (--growth)");
        }

        let meta = self.meta(batch.model(), &asked, &batch.device(), &steps);
        interrupt.check()?;
        dump.finish(&meta)
    }

    // a mistake in the file of states
    fn bad(&self, what: String) -> Fault {
        match &self.states {
            Some(path) => Fault::usage(format!("{}: {what}", path.display())),
            None => Fault::usage(what),
        }
    }

    fn override_options(&self, m: &mut Model, asked: &States) -> Result<(), Fault> {
        let mut opt = m.opt.clone();
        for (name, value) in &asked.opt_override {
            let bad = |what: String| self.bad(format!("opt_override {name}: {what}"));
            let x = numbers(value).map_err(&bad)?;
            fits(name, &x, &opt).map_err(&bad)?;
            if !opt.set(name, &x) {
                return Err(bad(
                    "the number of values does not fit, or an integer is needed".to_owned(),
                ));
            }
        }
        m.edit(|m| m.opt = opt)
            .map_err(|e| self.bad(format!("opt_override: {e}")))
    }

    // puts the worlds into the states of the file
    fn put(&self, batch: &mut Batch, asked: &States) -> Result<(), Fault> {
        set(batch, &asked.states).map_err(|what| self.bad(what))
    }

    // checks the path before anything is computed
    fn create(&self) -> Result<Dump, Fault> {
        let inputs = [Some(&self.model.path), self.states.as_ref()];
        let inputs: Vec<&Path> = inputs.into_iter().flatten().map(PathBuf::as_path).collect();
        match self.out.extension().and_then(|e| e.to_str()) {
            Some("npz") => Ok(Dump::Npz(Box::new(npz::Writer::create(
                &self.out, &inputs,
            )?))),
            Some("json") => {
                let out = Output::create(&self.out, Kind::Json, &inputs)?;
                Ok(Dump::Json(out, Map::new()))
            }
            _ => Err(Fault::usage(format!(
                "{}: a dump ends in .npz or .json",
                self.out.display()
            ))),
        }
    }

    fn meta(&self, m: &Model, asked: &States, device: &str, steps: &[usize]) -> Value {
        let kind = |state: &Map<String, Value>| state.get(KIND).cloned().unwrap_or("qpos0".into());
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

// inputs, results of forward dynamics and of inverse dynamics of each state
fn dump_forward(dump: &mut Dump, batch: &mut Batch) -> Result<(), Fault> {
    batch.forward()?;
    let worlds = batch.worlds()?;
    let inverse = inverse(batch)?;
    for (k, d) in worlds.iter().enumerate() {
        let m = batch.model();
        let state = format!("s{k}/");
        dump.add(&state, dump::inputs(m, d, &INPUTS))?;
        dump.add(&state, dump::forward(m, d))?;
        dump.add(&state, dump::inverse(m, &inverse, k))?;
    }
    Ok(())
}

// each state after each of these numbers of steps, which ascend
fn dump_steps(
    dump: &mut Dump,
    batch: &mut Batch,
    steps: &[usize],
    interrupt: &Interrupt,
) -> Result<(), Fault> {
    let mut done = 0;
    for &n in steps {
        while done < n {
            interrupt.check()?;
            let more = LOOK.min(n - done);
            batch.step(more)?;
            done += more;
        }
        for (k, d) in batch.worlds()?.iter().enumerate() {
            dump.add(&format!("s{k}/"), dump::step(batch.model(), d, n))?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<States, Fault> {
    let text = std::fs::read_to_string(path).map_err(|e| Fault::io(path, e))?;
    let bad = |what: String| Fault::usage(format!("{}: {what}", path.display()));
    let states: States = serde_json::from_str(&text).map_err(|e| bad(e.to_string()))?;
    let unknown = |said: &str, known: &[&str]| {
        let hint = match nearest(said, known.iter().copied()) {
            Some(meant) => format!("did you mean {meant}?"),
            None => format!("there are {}", known.join(" ")),
        };
        bad(format!("unknown name \"{said}\"; {hint}"))
    };
    if let Some(said) = states.beside.keys().find(|k| !BESIDE.contains(&k.as_str())) {
        return Err(unknown(said, BESIDE));
    }
    let known = [&INPUTS[..], &[KIND]].concat();
    let mut said = states.states.iter().flat_map(Map::keys);
    match said.find(|key| !known.contains(&key.as_str())) {
        Some(said) => Err(unknown(said, &known)),
        None => Ok(states),
    }
}

// whether a value fits an option: as many numbers as it has, and whole numbers for words and sets of flags
fn fits(name: &str, x: &[f64], opt: &Opt) -> Result<(), String> {
    let Some(at) = Opt::NAMES.iter().position(|(option, _)| *option == name) else {
        let names: Vec<&str> = Opt::NAMES.iter().map(|(option, _)| *option).collect();
        return Err(match nearest(name, names.iter().copied()) {
            Some(meant) => format!("there is no such option; did you mean {meant}?"),
            None => format!("there is no such option; there are {}", names.join(" ")),
        });
    };
    let need = opt.get(name).map_or(1, |x| x.len());
    if x.len() != need {
        return Err(format!("has {} numbers, {need} are needed", x.len()));
    }
    match x
        .iter()
        .find(|x| Opt::TYPES[at] == "i32" && x.fract() != 0.0)
    {
        Some(x) => Err(format!("{x} is no whole number")),
        None => Ok(()),
    }
}

// numbers of arrays nested to any depth
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

// `qfrc_inverse` of the computed accelerations, world after world; empty where inverse dynamics is not possible
fn inverse(batch: &mut Batch) -> Result<Vec<f64>, Fault> {
    let opt = &batch.model().opt;
    if opt.enabled(ENBL_INVDISCRETE) && opt.integrator == Integrator::Rk4 as i32 {
        return Ok(Vec::new());
    }
    batch.inverse()?;
    Ok(batch.reals("qfrc_inverse")?.to_vec())
}

// inputs that a state does not name keep their values after a reset
fn set(batch: &mut Batch, states: &[Map<String, Value>]) -> Result<(), String> {
    batch.reset(To::Qpos0).map_err(|e| e.to_string())?;
    for name in INPUTS.iter() {
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

impl Dump {
    fn add(
        &mut self,
        before: &str,
        arrays: impl IntoIterator<Item = (String, Array)>,
    ) -> Result<(), Fault> {
        for (name, array) in arrays {
            let name = format!("{before}{name}");
            match self {
                Self::Npz(out) => out.add(&name, &array)?,
                Self::Json(_, all) => drop(all.insert(name, value(&array))),
            }
        }
        Ok(())
    }

    fn finish(self, meta: &Value) -> Result<(), Fault> {
        match self {
            Self::Npz(mut out) => {
                out.add_text("meta", &meta.to_string())?;
                out.finish()
            }
            Self::Json(out, arrays) => {
                let text = json!({ "meta": meta, "arrays": arrays }).to_string();
                let done = out.file()?.write_all(text.as_bytes());
                done.map_err(|e| out.fault(&e))?;
                out.finish(text.len() as u64)
            }
        }
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
