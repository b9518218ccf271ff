//! The cost of worlds that differ: `cargo bench --bench differ -- [MODEL.xml [WORLDS [cpu|simd]]]`.
//!
//! Control steps of five steps, with `simd` or `cpu`, one thread, in turn: all worlds with one model; ten fields expanded, every world
//! with its own values; the same, with new values for 5 % of the worlds before each control step; and that with the five fields that training
//! randomises most often (masses with their inertias, friction, damping, gains). Times are processor time, the median of the repetitions.

use manyworlds::batch::{Backend, Settings, clock};
use manyworlds::{Batch, Model, Result};

const FIELDS: [&str; 10] = [
    "body_mass",
    "body_inertia",
    "geom_friction",
    "geom_solref",
    "dof_damping",
    "dof_armature",
    "jnt_stiffness",
    "actuator_gainprm",
    "actuator_gear",
    "qpos_spring",
];

// values for every world, each up to a tenth off the model's
fn noisy(row: &[f64], nworld: usize, turn: usize) -> Vec<f64> {
    let noise = |k: usize| 0.9 + 0.2 * (((k + turn) * 7919) % 1000) as f64 / 1000.0;
    let row = row.iter().cycle().take(nworld * row.len()).enumerate();
    row.map(|(k, x)| x * noise(k)).collect()
}

const FEWER: [&str; 5] = [
    "body_mass",
    "body_inertia",
    "geom_friction",
    "dof_damping",
    "actuator_gainprm",
];

// worlds with their own values in some fields
struct Differ {
    batch: Batch,
    fields: &'static [&'static str],
    rows: Vec<Vec<f64>>,
}

impl Differ {
    fn new(mut batch: Batch, fields: &'static [&'static str]) -> Result<Self> {
        batch.expand(fields)?;
        let nworld = batch.nworld();
        let row = |name: &&str| {
            let all = batch.reals(name)?;
            Ok(all[..all.len() / nworld].to_vec())
        };
        let rows = fields.iter().map(row).collect::<Result<Vec<_>>>()?;
        let mut it = Differ {
            batch,
            fields,
            rows,
        };
        it.set(&vec![true; nworld], &it.fresh(0))?;
        Ok(it)
    }

    fn fresh(&self, turn: usize) -> Vec<Vec<f64>> {
        let nworld = self.batch.nworld();
        let rows = self.rows.iter();
        rows.map(|row| noisy(row, nworld, turn)).collect()
    }

    fn set(&mut self, mask: &[bool], fresh: &[Vec<f64>]) -> Result<()> {
        for (name, values) in self.fields.iter().zip(fresh) {
            self.batch.set_where(name, mask, values)?;
        }
        self.batch.set_const_where(mask)
    }
}

fn main() -> Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&String> = given.iter().filter(|arg| *arg != "--bench").collect();
    let path = given.first().map_or("models/humanoid.xml", |x| x.as_str());
    let nworld = given.get(1).map_or(512, |x| x.parse().unwrap_or(512));
    let backend = match given.get(2).map(|x| x.as_str()) {
        Some("cpu") => Backend::Cpu,
        _ => Backend::Simd,
    };
    let m = Model::from_xml_path(path)?;
    let batch = || {
        let settings = Settings::default().backend(backend).threads(1);
        Batch::with(&m, nworld, settings)
    };
    let mut alike = batch()?;
    let mut ten = Differ::new(batch()?, &FIELDS)?;
    let mut fewer = Differ::new(batch()?, &FEWER)?;
    // every world has another initial state
    let spread: Vec<f64> = noisy(&vec![1.0; m.nv], nworld, 0);
    let spread: Vec<f64> = spread.iter().map(|x| 5.0 * (x - 1.0)).collect();
    alike.set("qvel", &spread)?;
    alike.step(200)?;
    let start = alike.save()?;
    let mut times = [const { Vec::new() }; 5];
    for turn in 1..16 {
        let mut time = |k: usize, run: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let begin = clock::process_seconds();
            run()?;
            times[k].push(clock::process_seconds() - begin);
            Ok(())
        };
        alike.restore(&start)?;
        time(0, &mut || alike.step(5))?;
        let mask: Vec<bool> = (0..nworld).map(|w| w % 20 == turn % 20).collect();
        for (k, worlds) in [(1, &mut ten), (3, &mut fewer)] {
            worlds.batch.restore(&start)?;
            time(k, &mut || worlds.batch.step(5))?;
            worlds.batch.restore(&start)?;
            let fresh = worlds.fresh(turn);
            time(k + 1, &mut || {
                worlds.set(&mask, &fresh)?;
                worlds.batch.step(5)
            })?;
        }
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        1e3 * times[times.len() / 2]
    };
    let [alike, rest @ ..] = times.each_mut().map(median);
    println!("{path}, {nworld} worlds, {backend:?}, 5 steps: {alike:.2} ms");
    let what = [
        "ten fields expanded",
        "5 % of the worlds anew",
        "five fields expanded",
        "5 % of the worlds anew",
    ];
    for (what, time) in what.iter().zip(rest) {
        let more = 100.0 * (time / alike - 1.0);
        println!("{what}: {time:.2} ms (+{more:.1} %)");
    }
    Ok(())
}
