//! `verify`: compares every kernel with its twin, on random states of the user's own model.

use super::{CHECK, Fault, ModelArg, load, progress};
use crate::cli::say::{data, remark};
use clap::Args;
use comfy_table::{Table, presets};
use manyworlds::batch::random::uniform;
use manyworlds::batch::{Backend, Settings, To};
use manyworlds::gpu::Config;
use manyworlds::gpu::device::{Choice, Device, Request};
use manyworlds::gpu::ties::Ties;
use manyworlds::gpu::verify::{Report, verify};
use manyworlds::stages::Stage;
use manyworlds::{Batch, Data, Error, Model};
use serde_json::{Value, json};

// relative errors allowed for a stage on any model; tests/parity holds our models to less
const TOLERANCE: f64 = 1e-3;
const TOLERANCES: &[(&str, f64)] = &[
    // slope of the impedance: rounding error of a distance relative to the width of the impedance
    ("make_constraint", 2e-2),
    // sums of forces that cancel
    ("solve_newton", 2e-2),
];

/// Every kernel against its twin, on random states of your model.
///
/// The states are the start and the keyframes, moved at random, some of them after a hundred steps so that contacts are live.
/// Each stage gets the results of the twins of earlier stages, in f32, and its results are compared with those of its twin in f64. Exits
/// with 3 if a stage is off by more than its tolerance. Pairs of shapes are left out where the twin finds other contacts when they
/// move by the last bits, and are counted. A software adapter may end long loops, which is said and is no verdict:
/// such a stage has to pass with another number of lanes.
#[derive(Args, Debug)]
pub struct Verify {
    #[command(flatten)]
    model: ModelArg,
    /// Number of states
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..))]
    states: u32,
    /// Seed of the random states
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// The first adapter whose name contains these letters (see `devices`); the best one if not given
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Lanes that work on one world: 1, 4 and 32 if not given
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "1,4,32",
        value_name = "N,…"
    )]
    lanes: Vec<u32>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Result of one stage at one number of lanes.
#[derive(Clone)]
struct Row {
    lanes: u32,
    stage: &'static Stage,
    report: Report,
}

impl Verify {
    /// Runs the verb.
    pub fn run(&self) -> Result<(), Fault> {
        let m = load(&self.model)?;
        let missing = manyworlds::compile::missing(&m);
        if !missing.is_empty() {
            return Err(Error::Missing(missing).into());
        }
        let choice = match &self.adapter {
            Some(letters) => Choice::Named(letters.clone()),
            None => Choice::Any,
        };
        let device = Device::open(&Request {
            choice,
            portable: false,
        })?;
        let (m, worlds) = self.worlds(&m)?;
        remark!("{} states on {}", worlds.len(), device.adapter);
        let mut rows = Vec::new();
        for &lanes in &self.lanes {
            let config = Config {
                lanes,
                checked: true,
                ..Config::default()
            };
            // takes minutes on a software adapter that compiles for the first time
            let spinner = progress::spinner(format!("lanes {lanes}: compiling"));
            let begins =
                |stage: &Stage| spinner.set_message(format!("lanes {lanes}: {}", stage.name));
            for (stage, report) in verify(&device, &m, &worlds, &config, begins)? {
                rows.push(Row {
                    lanes,
                    stage,
                    report,
                });
            }
            spinner.finish_and_clear();
        }
        // a stage that could not be judged at any number of lanes has not passed
        let judged = |row: &Row| {
            let same = |other: &&Row| other.stage.name == row.stage.name;
            !row.ended() || rows.iter().filter(same).any(Row::passed)
        };
        let failed = rows.iter().filter(|row| row.failed() || !judged(row));
        let failed = failed.count();
        if self.json {
            let rows: Vec<Value> = rows.iter().map(Row::value).collect();
            let adapter = device.adapter.to_string();
            data!(
                "{:#}",
                json!({ "adapter": adapter, "failed": failed, "stages": rows })
            )?;
        } else {
            print(&rows)?;
        }
        match failed {
            0 => Ok(()),
            _ => Err(Fault {
                code: CHECK,
                text: format!(
                    "error: {failed} of {} stages are off by more than their tolerance, or could not be judged\n",
                    rows.len()
                ),
            }),
        }
    }

    // states of the model, and the model with room for all their contacts
    fn worlds(&self, m: &Model) -> Result<(Model, Vec<Data>), Fault> {
        let n = self.states as usize;
        let settings = Settings {
            backend: Backend::Cpu,
            overflow: manyworlds::batch::Overflow::Grow,
            ..Settings::default()
        };
        let mut batch = Batch::with(m, n, settings)?;
        for key in 0..m.nkey {
            let mask: Vec<bool> = (0..n).map(|w| w % (m.nkey + 1) == key + 1).collect();
            batch.reset_where(&mask, To::Key(key))?;
        }
        batch.scatter(self.seed, 0.1)?;
        let random: Vec<f64> = (0..n * m.nu)
            .map(|i| {
                let (w, u) = (i / m.nu, i % m.nu);
                let [lo, hi] = match m.actuator_ctrllimited[u] {
                    0 => [-1.0, 1.0],
                    _ => [m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1]],
                };
                lo + (hi - lo) * uniform(self.seed, w as u64, u as u64)
            })
            .collect();
        batch.set("ctrl", &random)?;
        let mut worlds = {
            batch.forward()?;
            batch.worlds()?
        };
        batch.step(100)?;
        batch.forward()?;
        let settled = batch.worlds()?;
        let m = batch.model().clone();
        // every other world has settled; room may have grown since the early states were copied
        let mut out = Vec::new();
        for (w, late) in settled.into_iter().enumerate() {
            let early = std::mem::take(&mut worlds[w]);
            out.push(if w % 2 == 1 {
                late
            } else {
                resized(&m, &early)
            });
        }
        Ok((m, out))
    }
}

// the inputs of a world in a model with more room
fn resized(m: &Model, from: &Data) -> Data {
    use manyworlds::fields::{View, ViewMut};
    let mut to = Data::new(m);
    for name in "time qpos qvel act ctrl qacc_warmstart mocap_pos mocap_quat".split(' ') {
        if let (Some(ViewMut::Real(to)), Some(View::Real(from))) =
            (to.field_mut(name), from.field(name))
        {
            to.copy_from_slice(from);
        }
    }
    to
}

impl Row {
    fn tolerance(&self) -> f64 {
        let own = TOLERANCES.iter().find(|(name, _)| *name == self.stage.name);
        own.map_or(TOLERANCE, |(_, tolerance)| *tolerance)
    }

    // the array with the largest error
    fn worst(&self) -> Option<(&'static str, f64)> {
        let errors = self.report.worst.iter().map(|(field, x)| (*field, x.error));
        errors.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    fn passed(&self) -> bool {
        let near = self
            .worst()
            .is_none_or(|(_, error)| error <= self.tolerance());
        near && self.report.touched.is_empty()
    }

    // the adapter ended the loops of some worlds, and all other worlds pass
    fn ended(&self) -> bool {
        let others = Report {
            touched: Vec::new(),
            ..self.report.clone()
        };
        let others = Row {
            report: others,
            ..*self
        };
        self.report.ended > 0 && self.report.touched.len() == self.report.ended && others.passed()
    }

    fn failed(&self) -> bool {
        !self.passed() && !self.ended()
    }

    fn word(&self) -> &'static str {
        match self.passed() {
            true => "ok",
            false if self.ended() => "loops ended by the adapter",
            false => "FAIL",
        }
    }

    fn value(&self) -> Value {
        let errors: serde_json::Map<String, Value> = self
            .report
            .worst
            .iter()
            .map(|(field, x)| ((*field).to_owned(), json!(x.error)))
            .collect();
        json!({
            "stage": self.stage.name,
            "lanes": self.lanes,
            "passed": self.passed(),
            "ended": self.report.ended,
            "touching": { "pairs": self.report.ties.met, "ties": self.report.ties.ties },
            "tolerance": self.tolerance(),
            "errors": errors,
            "touched": self.report.touched,
        })
    }
}

fn print(rows: &[Row]) -> Result<(), Fault> {
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header(["stage", "lanes", "worst array", "error", "tolerance", ""]);
    for row in rows {
        let (field, error) = row.worst().unwrap_or(("–", 0.0));
        table.add_row([
            row.stage.name.to_owned(),
            row.lanes.to_string(),
            field.to_owned(),
            format!("{error:.1e}"),
            format!("{:.0e}", row.tolerance()),
            row.word().to_owned(),
        ]);
    }
    data!("{table}")?;
    for row in rows.iter().filter(|row| row.report.ties.ties > 0) {
        let Ties { met, ties } = row.report.ties;
        data!(
            "{} with {} lanes: of {met} pairs that touch, {ties} are at a tie, where the last bits decide, and not compared",
            row.stage.name,
            row.lanes
        )?;
    }
    for row in rows.iter().filter(|row| row.failed()) {
        for (field, x) in &row.report.worst {
            if x.error > row.tolerance() {
                data!(
                    "{}: {field}[{}] of state {} is {}, the twin has {}",
                    row.stage.name,
                    x.index,
                    x.world,
                    x.shader,
                    x.twin
                )?;
            }
        }
        for touched in row.report.touched.iter().take(5) {
            data!("{}: {touched}", row.stage.name)?;
        }
    }
    Ok(())
}
