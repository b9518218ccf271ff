//! Parity of `solve_newton`: shader and twin find the same optimum.
//!
//! They go different ways: the twin takes island by island and has more digits to stop by. So the answers are compared,
//! relative to the largest of each array, and not the steps that led there.

use manyworlds::fields::{FIELDS, Room, View};
use manyworlds::gpu::run::step_walk;
use manyworlds::gpu::{Config, Gpu};
use manyworlds::{Data, Model, stages};

use manyworlds::gpu::verify::{round_data, round_model};

use super::body::{NWORLD, TEAMS, device, goldens, worlds};

/// Answers, and how far they may be off: f32 sums of terms that cancel to what is left.
const ANSWERS: [(&str, f64); 3] = [
    ("qacc", 2e-3),
    ("qfrc_constraint", 2e-3),
    ("efc_force", 5e-3),
];

fn reals(d: &Data, name: &str) -> Vec<f64> {
    match d.field(name).unwrap() {
        View::Real(x) => x.to_vec(),
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
    }
}

// worlds as they come to the solver, in numbers that an f32 can hold
fn inputs(m: &Model, mut worlds: Vec<Data>) -> Vec<Data> {
    for d in &mut worlds {
        for stage in step_walk(m)
            .into_iter()
            .take_while(|s| s.name != "solve_newton")
        {
            (stage.twin)(m, d);
        }
        round_data(d);
        d.qacc.fill(f64::INFINITY);
        d.qfrc_constraint.fill(f64::INFINITY);
    }
    worlds
}

#[test]
fn shader_and_twin_agree() {
    let stage = &stages::solve_newton;
    let written = manyworlds::gpu::wgsl::dataflow(&[stage]).writes;
    let mut faults = Vec::new();
    let mut rows = 0;
    for (file, golden) in goldens("solve_newton") {
        let mut m = golden.model();
        round_model(&mut m);
        if !step_walk(&m).iter().any(|s| s.name == "solve_newton") {
            continue;
        }
        let before = inputs(&m, worlds(&golden, &m, NWORLD));
        let mut want = before.clone();
        want.iter_mut().for_each(|d| (stage.twin)(&m, d));
        for (lanes, worlds, tile, checked) in TEAMS {
            // a software adapter ends the loops of an invocation after 65,535 turns in all: large models need many lanes
            if (m.nv * m.nv) as u32 > 200 * lanes {
                continue;
            }
            let config = Config {
                nworld: before.len(),
                lanes,
                worlds,
                tile,
                checked,
                fuse: 1,
                ..Config::default()
            };
            let mut gpu = Gpu::new(device(), &m, &config).unwrap();
            gpu.set_data(&before).unwrap();
            gpu.run_stages(&[stage]).unwrap();
            let have = gpu.data().unwrap();
            for w in 0..before.len() {
                let nefc = want[w].nefc[0] as usize;
                rows += nefc;
                for (name, tolerance) in ANSWERS {
                    let n = if name == "efc_force" { nefc } else { m.nv };
                    let (a, b) = (reals(&have[w], name), reals(&want[w], name));
                    let size = b[..n].iter().fold(1.0f64, |s, x| s.max(x.abs()));
                    let off = a[..n].iter().zip(&b[..n]).fold(0.0, |e, (a, b)| {
                        let e2 = (a - b).abs() / size;
                        if e2.is_nan() {
                            f64::INFINITY
                        } else {
                            f64::max(e, e2)
                        }
                    });
                    if off > tolerance {
                        faults.push(format!(
                            "{file}, {lanes} lanes, world {w}: {name} is off by {off:.1e}"
                        ));
                    }
                }
                // nothing else is touched
                for field in FIELDS
                    .iter()
                    .filter(|f| f.room == Room::Data && !written.contains(&f.name))
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
    assert!(rows > 1000, "{rows} rows met");
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults[..faults.len().min(30)].join("\n")
    );
}
