//! Comparison of shaders with twins: both get the same input; written arrays are compared, all others must keep their bits.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::fields::{Data, FIELDS, Model, Room, View, ViewMut};
use crate::gpu::dataflow::dataflow_in;
use crate::gpu::run::{again_walk, step_walk};
use crate::gpu::ties::{Ties, settle, settle_distances};
use crate::gpu::{Config, Device, Gpu};
use crate::model::Opt;
use crate::stages::Stage;
use crate::types::OVERFLOW_TURNS;

/// The element of an array at which shader and twin differ most.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Index of the world.
    pub world: usize,
    /// Index in the array.
    pub index: usize,
    /// The twin's value.
    pub twin: f64,
    /// The shader's value.
    pub shader: f64,
    /// |shader − twin| / (1 + s), where s is |twin|; for solvers the largest element of the array; for `cfrc_int` at least the largest element of
    /// `cfrc_ext`, since `cfrc_int` may be the remainder of forces that cancel. Infinite where only one of the two values is a number.
    pub error: f64,
}

/// Result of a comparison of one stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The largest difference in every array that the stage writes.
    pub worst: BTreeMap<&'static str, Difference>,
    /// Arrays that the shader or the twin changed although its dataflow does not include the write.
    pub touched: Vec<String>,
    /// Worlds in whose workgroup the adapter ended loops early (`OVERFLOW_TURNS`); they are not compared further.
    pub ended: usize,
    /// Pairs of shapes with contacts, and how many were left out because the last bits decide.
    pub ties: Ties,
}

/// Rounds every number of a model to `f32`, so that twin and shader get the same values.
pub fn round_model(model: &mut Model) {
    let m = model.arrays_mut();
    let round = |x: &mut f64| *x = f64::from(*x as f32);
    for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
        if let Some(ViewMut::Real(x)) = m.view_mut(field.row) {
            x.iter_mut().for_each(round);
        }
    }
    for (name, _) in Opt::NAMES {
        let mut values = m.opt.get(name).unwrap_or_default();
        values.iter_mut().for_each(round);
        m.opt.set(name, &values);
    }
    round(&mut m.stat.meaninertia);
}

/// Rounds every number of a world to `f32`.
pub fn round_data(d: &mut Data) {
    for field in FIELDS.iter() {
        if let Some(ViewMut::Real(x)) = d.view_mut(field.row) {
            x.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        }
    }
}

/// Runs the twins on worlds up to the `nth` run of a stage in a step, from 0, and rounds the results to `f32`:
/// these are the inputs of the stage.
pub fn up_to(m: &Model, stage: &Stage, nth: usize, worlds: &mut [Data]) {
    let walk = step_walk(m);
    let places: Vec<usize> = (0..walk.len())
        .filter(|&k| walk[k].name == stage.name)
        .collect();
    let end = places.get(nth).copied().unwrap_or(walk.len());
    for d in worlds {
        for before in &walk[..end] {
            (before.twin)(m, d);
        }
        round_data(d);
    }
}

fn numbers(d: &Data, name: &str) -> Vec<f64> {
    match d.field(name) {
        Some(View::Int(x)) => x.iter().map(|&x| f64::from(x)).collect(),
        Some(View::Real(x)) => x.to_vec(),
        None => Vec::new(),
    }
}

/// Runs one stage on worlds by shader and by twin, and compares. `config.nworld` is ignored.
///
/// Fails where the device or the shader does.
pub fn compare(
    device: &Device,
    m: &Model,
    stage: &'static Stage,
    before: &[Data],
    config: &Config,
) -> Result<Report> {
    let config = Config {
        nworld: before.len(),
        fuse: 1,
        ..config.clone()
    };
    compare_on(&mut Gpu::new(device, m, &config)?, stage, before)
}

// compares on worlds that are allocated already
fn compare_on(gpu: &mut Gpu, stage: &'static Stage, before: &[Data]) -> Result<Report> {
    let m = &gpu.model().clone();
    gpu.set_data(before)?;
    gpu.run_stages(&[stage])?;
    let shader = gpu.data()?;
    let answers = answers(stage);
    let mut all = vec![stage];
    all.extend(again_walk(m, stage));
    let written = match answers {
        Some(answers) => answers.to_vec(),
        None => dataflow_in(m, &all).writes,
    };
    let mut report = Report::default();
    let ended: Vec<usize> = (0..shader.len())
        .filter(|&w| shader[w].overflow[0] & OVERFLOW_TURNS != 0)
        .map(|w| w / gpu.team().worlds as usize)
        .collect();
    for (world, (before, shader)) in before.iter().zip(&shader).enumerate() {
        // worlds of a workgroup wait for each other at barriers, so an early end of one affects all
        let group = world / gpu.team().worlds as usize;
        if ended.contains(&group) {
            let msg = "the adapter ended the loops of world";
            report.touched.push(format!("{msg} {world} early"));
            report.ended += 1;
            continue;
        }
        let mut twin = before.clone();
        (stage.twin)(m, &mut twin);
        let mut shader = shader.clone();
        let ties = match stage.name {
            "collision" | "wake_collision" => settle(m, before, &twin, &mut shader),
            "sensor_pos" => settle_distances(m, before, &twin, &mut shader),
            _ => Ties::default(),
        };
        report.ties.met += ties.met;
        report.ties.ties += ties.ties;
        let shader = &shader;
        let forces = largest(&numbers(&twin, "cfrc_ext"));
        for field in FIELDS.iter().filter(|field| field.room != Room::Model) {
            let slot = gpu.layout.slot(field);
            if slot.chip || slot.words == 0 {
                continue;
            }
            // gravity is in the sums of the twin, and added to those of the shader at the end
            if stage.name == "rne" && slot.transient {
                continue;
            }
            let [was, twin, shader] = [before, &twin, shader].map(|d| numbers(d, field.name));
            if written.contains(&field.name) {
                // behind the last row are values of earlier steps
                let n = match field.dims {
                    ["njmax"] if answers.is_some() => before.nefc[0] as usize,
                    _ => twin.len(),
                };
                let least = match field.name {
                    _ if answers.is_some() => largest(&twin[..n]),
                    "cfrc_int" => forces,
                    _ => 0.0,
                };
                report.numbers(field.name, world, &twin[..n], &shader[..n], least);
                continue;
            }
            // solvers may write any scratch, and every stage its own scratch
            if answers.is_some() || slot.transient {
                continue;
            }
            for (who, x) in [("twin", &twin), ("shader", &shader)] {
                if x.iter()
                    .zip(&was)
                    .any(|(x, was)| x.to_bits() != was.to_bits())
                {
                    report
                        .touched
                        .push(format!("the {who} changes {} of world {world}", field.name));
                }
            }
        }
    }
    Ok(report)
}

/// The arrays of a solver that are compared: shader and twin find the same optimum by different steps. Where trees fall asleep solvers run
/// again. `None` for other stages, of which all written arrays are compared.
fn answers(stage: &Stage) -> Option<&'static [&'static str]> {
    if stage.name == "sleep" {
        return Some(ASLEEP);
    }
    let solver = stage.name.starts_with("solve_");
    solver.then_some(&["qacc", "qfrc_constraint", "efc_force"])
}

// what a stage leaves that puts trees to sleep
const ASLEEP: &[&str] = &[
    "tree_asleep",
    "sleep_changed",
    "qpos",
    "qvel",
    "latent",
    "qfrc_smooth",
    "qacc",
    "qfrc_constraint",
    "sensordata",
];

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |size, x| size.max(x.abs()))
}

impl Report {
    // relative to each number, or to `least` where that is larger
    fn numbers(
        &mut self,
        field: &'static str,
        world: usize,
        twin: &[f64],
        shader: &[f64],
        least: f64,
    ) {
        for (index, (&twin, &shader)) in twin.iter().zip(shader).enumerate() {
            // equality also covers elements that neither writes
            let error = if twin == shader {
                0.0
            } else {
                (shader - twin).abs() / (1.0 + twin.abs().max(least))
            };
            let error = if error.is_nan() { f64::INFINITY } else { error };
            let new = Difference {
                world,
                index,
                twin,
                shader,
                error,
            };
            let worst = self.worst.entry(field).or_insert_with(|| new.clone());
            if error > worst.error {
                *worst = new;
            }
        }
    }
}

/// Compares every stage of a step with its twin, each on the results of the preceding twins.
///
/// The worlds and the model are rounded to `f32` first. `begins` is called with each stage before its comparison, the first time after all
/// kernels are compiled. Fails where the device or a shader does.
pub fn verify(
    device: &Device,
    m: &Model,
    worlds: &[Data],
    config: &Config,
    mut begins: impl FnMut(&'static Stage),
) -> Result<Vec<(&'static Stage, Report)>> {
    let mut m = m.clone();
    round_model(&mut m);
    let mut done: Vec<(&'static Stage, Report)> = Vec::new();
    let config = Config {
        nworld: worlds.len(),
        fuse: 1,
        ..config.clone()
    };
    let mut gpu = Gpu::new(device, &m, &config)?;
    gpu.plan(&step_walk(&m))?;
    for stage in step_walk(&m) {
        if done.iter().any(|(other, _)| other.name == stage.name) {
            continue;
        }
        begins(stage);
        let mut before = worlds.to_vec();
        before.iter_mut().for_each(round_data);
        up_to(&m, stage, 0, &mut before);
        done.push((stage, compare_on(&mut gpu, stage, &before)?));
    }
    Ok(done)
}
