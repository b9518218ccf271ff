//! What worlds that differ cost: `cargo bench --bench differ -- [MODEL.xml [WORLDS [cpu|simd]]]`.
//!
//! Control steps of five steps, side by side or on the reference, one thread, in turn: all worlds with one model; ten fields expanded, every world
//! with numbers of its own; the same, and 5 % of the worlds get new numbers before each control step. Times are those of the
//! processor, the median of the turns.

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

// numbers of every world, each up to a tenth off
fn noisy(row: &[f64], nworld: usize, turn: usize) -> Vec<f64> {
    let noise = |k: usize| 0.9 + 0.2 * (((k + turn) * 7919) % 1000) as f64 / 1000.0;
    let row = row.iter().cycle().take(nworld * row.len()).enumerate();
    row.map(|(k, x)| x * noise(k)).collect()
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
    let [mut alike, mut differ] = [batch()?, batch()?];
    differ.expand(&FIELDS)?;
    let rows: Vec<Vec<f64>> = FIELDS
        .iter()
        .map(|name| {
            let all = differ.reals(name)?;
            Ok(all[..all.len() / nworld].to_vec())
        })
        .collect::<Result<_>>()?;
    for (name, row) in FIELDS.iter().zip(&rows) {
        differ.set(name, &noisy(row, nworld, 0))?;
    }
    differ.set_const()?;
    alike.step(200)?;
    let start = alike.save()?;
    let mut times = [const { Vec::new() }; 3];
    for turn in 1..16 {
        let mut time = |k: usize, run: &mut dyn FnMut() -> Result<()>| -> Result<()> {
            let begin = clock::process_seconds();
            run()?;
            times[k].push(clock::process_seconds() - begin);
            Ok(())
        };
        alike.restore(&start)?;
        differ.restore(&start)?;
        time(0, &mut || alike.step(5))?;
        time(1, &mut || differ.step(5))?;
        differ.restore(&start)?;
        let mask: Vec<bool> = (0..nworld).map(|w| w % 20 == turn % 20).collect();
        let fresh: Vec<_> = rows.iter().map(|row| noisy(row, nworld, turn)).collect();
        time(2, &mut || {
            for (name, values) in FIELDS.iter().zip(&fresh) {
                differ.set_where(name, &mask, values)?;
            }
            differ.set_const_where(&mask)?;
            differ.step(5)
        })?;
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        1e3 * times[times.len() / 2]
    };
    let [alike, differ, anew] = times.each_mut().map(median);
    let more = |x: f64| 100.0 * (x / alike - 1.0);
    println!("{path}, {nworld} worlds, {backend:?}, 5 steps: {alike:.2} ms");
    println!(
        "ten fields expanded: {differ:.2} ms (+{:.1} %)",
        more(differ)
    );
    println!(
        "5 % of the worlds anew: {anew:.2} ms (+{:.1} %)",
        more(anew)
    );
    Ok(())
}
