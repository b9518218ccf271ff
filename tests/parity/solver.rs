//! The parity test of the solvers: shader and twin find the same optimum.
//!
//! The twin stops at a higher precision, so the results are compared, relative to the largest of each array, and not the
//! iterations.

use std::collections::BTreeMap;

use manyworlds::fields::{FIELDS, Room, View};
use manyworlds::gpu::dataflow::dataflow;
use manyworlds::gpu::run::step_walk;
use manyworlds::gpu::verify::{round_data, round_model};
use manyworlds::gpu::{Config, Gpu};
use manyworlds::model::Arrays;
use manyworlds::{Data, Model, stages};

use super::body::{NWORLD, TEAMS, Tried, device, goldens_of, worlds};

/// Results, and their tolerances: they are f32 sums of terms that nearly cancel.
const ANSWERS: [(&str, f64); 3] = [
    // the acceleration of a dual solver is inv(M) times the force, whose error is 5e-5
    ("qacc", 5e-4),
    ("qfrc_constraint", 2e-4),
    ("efc_force", 2e-4),
];

fn reals(d: &Data, name: &str) -> Vec<f64> {
    match d.field(name).unwrap() {
        View::Real(x) => x.to_vec(),
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
    }
}

// worlds at the input of the solver, representable in f32
fn inputs(m: &Model, name: &str, mut worlds: Vec<Data>) -> Vec<Data> {
    for d in &mut worlds {
        for stage in step_walk(m).into_iter().take_while(|s| s.name != name) {
            (stage.twin)(m, d);
        }
        round_data(d);
        if name != "solve_noslip" {
            d.qacc.fill(f64::INFINITY);
            d.qfrc_constraint.fill(f64::INFINITY);
        }
    }
    worlds
}

// the largest difference, relative to the largest number
fn off(a: &[f64], b: &[f64]) -> f64 {
    let size = b.iter().fold(1.0f64, |s, x| s.max(x.abs()));
    a.iter().zip(b).fold(0.0, |worst, (a, b)| {
        let off = (a - b).abs() / size;
        f64::max(worst, if off.is_nan() { f64::INFINITY } else { off })
    })
}

/// The iterations that a test runs.
pub enum Way {
    /// Iterations until convergence, with teams of these lanes.
    Whole(&'static [u32]),
    /// A fixed number of iterations, with any lanes: a software adapter, which ends the loops of an invocation after 65,535
    /// iterations in all, can run these with one lane.
    First(i32),
}

impl Way {
    fn fits(&self, m: &Model, tried: &Tried) -> bool {
        let asked = match self {
            Way::Whole(teams) => teams.contains(&tried.lanes),
            Way::First(_) => true,
        };
        // large models need many lanes
        asked && largest_tree(m) <= 200 * tried.lanes as usize
    }
}

// the teams of the `k`th model: of the first all, of each other one in turn; `PARITY=all` tries all
fn in_turn<'a>(teams: &[&'a Tried], k: usize) -> Vec<&'a Tried> {
    let all = std::env::var("PARITY").is_ok_and(|x| x == "all");
    match all || k == 0 || teams.is_empty() {
        true => teams.to_vec(),
        false => vec![teams[k % teams.len()]],
    }
}

/// Compares a solver's shader with its twin; `choose` sets the options of the models with these names.
pub fn parity(name: &str, way: Way, models: &[&str], choose: impl Fn(&mut Arrays)) {
    let cases = goldens_of(models).into_iter().map(|(file, golden)| {
        let mut m = golden.model();
        m.edit(&choose).unwrap();
        let worlds = worlds(&golden, &m, NWORLD);
        (file, m, worlds)
    });
    parity_of(name, way, cases);
}

/// The same for models with names, and their worlds.
pub fn parity_of(name: &str, way: Way, cases: impl Iterator<Item = (String, Model, Vec<Data>)>) {
    let stage = stages::stage(name).unwrap();
    let written = dataflow(&[stage]).writes;
    let scale: Option<f64> = std::env::var("TOL_SCALE").ok().and_then(|x| x.parse().ok());
    let mut residuals: BTreeMap<(String, u32, &str), f64> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut rows: BTreeMap<u32, usize> = BTreeMap::new();
    for (k, (file, mut m, worlds)) in cases.enumerate() {
        if let Way::First(iterations) = way {
            m.edit(|m| {
                m.opt.iterations = iterations;
                m.opt.noslip_iterations = m.opt.noslip_iterations.min(iterations);
            })
            .unwrap();
        }
        round_model(&mut m);
        assert!(step_walk(&m).iter().any(|s| s.name == name), "{file}");
        // arrays that no stage of the model accesses have no memory on the device
        let flow = dataflow(&step_walk(&m));
        let held = |name: &str| flow.reads.contains(&name) || flow.writes.contains(&name);
        let before = inputs(&m, name, worlds);
        let mut want = before.clone();
        want.iter_mut().for_each(|d| (stage.twin)(&m, d));
        let fit: Vec<_> = TEAMS.iter().filter(|tried| way.fits(&m, tried)).collect();
        for tried in in_turn(&fit, k) {
            let lanes = tried.lanes;
            let config = Config {
                nworld: before.len(),
                fuse: 1,
                ..tried.config()
            };
            let mut gpu = Gpu::new(device(), &m, &config).unwrap();
            gpu.set_data(&before).unwrap();
            gpu.run_stages(&[stage]).unwrap();
            let have = gpu.data().unwrap();
            for w in 0..before.len() {
                let nefc = want[w].nefc[0] as usize;
                *rows.entry(lanes).or_default() += nefc;
                for (field, tolerance) in ANSWERS {
                    // before convergence rounding errors have grown
                    let tolerance = match way {
                        Way::Whole(_) => tolerance,
                        Way::First(_) => 5.0 * tolerance,
                    };
                    let n = if field == "efc_force" { nefc } else { m.nv };
                    let (a, b) = (reals(&have[w], field), reals(&want[w], field));
                    let off = off(&a[..n], &b[..n]);
                    let worst = residuals.entry((file.clone(), lanes, field)).or_default();
                    *worst = worst.max(off);
                    if off > tolerance * scale.unwrap_or(1.0) {
                        let [a, b] = [&have[w], &want[w]].map(|d| d.solver_niter[0]);
                        faults.push(format!(
                            "{file}, {lanes} lanes, world {w}: {field} is off by {off:.1e} ({nefc} rows, {a} against {b} iterations)"
                        ));
                    }
                }
                // other arrays are unchanged
                for field in FIELDS
                    .iter()
                    .filter(|f| f.room == Room::Data && !written.contains(&f.name) && held(f.name))
                {
                    let same = reals(&before[w], field.name)
                        .iter()
                        .zip(reals(&have[w], field.name))
                        .all(|(a, b)| a.to_bits() == b.to_bits());
                    if !same {
                        faults.push(format!(
                            "{file}, {lanes} lanes, world {w}: the shader touches {}",
                            field.name
                        ));
                    }
                }
            }
        }
    }
    if scale.is_some() {
        for ((file, lanes, field), residual) in &residuals {
            println!("{name:12} {file:16} {lanes:2} {field:16} {residual:.1e}");
        }
    }
    assert!(!rows.is_empty(), "no models");
    for (lanes, met) in rows {
        assert!(met > 100, "{met} rows met with {lanes} lanes");
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults[..faults.len().min(30)].join("\n")
    );
}

// square of the number of dofs of the largest tree
fn largest_tree(m: &Model) -> usize {
    m.tree_dofnum.iter().max().map_or(0, |&n| (n * n) as usize)
}
