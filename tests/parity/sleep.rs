//! Parity of `sleep`, and of other stages where trees sleep, fall asleep or wake.

use manyworlds::fields::ViewMut;
use manyworlds::gpu::run::step_walk;
use manyworlds::gpu::verify::{compare, round_data, round_model, up_to};
use manyworlds::{Data, Model, cpu, stages};

use super::body::{TEAMS, device};

/// Models of `tests/golden/sleep.txt` by their names, each with one of the teams.
pub const MODELS: &[&str] = &["mocap", "driven", "init", "fourth", "sheet"];
/// Largest number of worlds of a model.
const MOST: usize = 6;

// stages whose kernels have a part for sleeping trees, and the accuracy of their reals
const CHANGED: &[(&str, f64)] = &[
    ("check_pos", 1e-5),
    ("kinematics", 1e-5),
    ("tendon", 1e-5),
    ("collision", 1e-4),
    ("make_constraint", 1e-4),
    ("sensor_pos", 1e-4),
    ("fwd_actuation", 1e-5),
    ("fwd_acceleration", 1e-3),
    ("euler", 1e-3),
    ("rk4", 1e-3),
];

#[test]
fn shader_and_twin_agree() {
    // a software adapter compiles all stages that run again
    of_sleepers(&["driven", "init", "sheet"], &["sleep"], 1e-3);
}

#[test]
fn other_stages_of_sleeping_trees_agree() {
    for (stage, tolerance) in CHANGED {
        of_sleepers(MODELS, &[stage], *tolerance);
    }
}

/// Compares the kernels of some stages with their twins, in worlds whose trees sleep, fall asleep or wake.
pub fn of_sleepers(models: &[&str], names: &[&str], tolerance: f64) {
    let text = include_str!("../golden/sleep.txt");
    let (mut faults, mut met, mut changed) = (Vec::new(), 0, 0);
    for part in text.split("=== ").skip(1) {
        let (head, xml) = part.split_once('\n').unwrap();
        let mut events = head.split('|').map(str::trim);
        let name = events.next().unwrap().split(' ').next().unwrap();
        let Some(k) = models.iter().position(|model| *model == name) else {
            continue;
        };
        let mut m = Model::from_xml_str(xml).unwrap();
        round_model(&mut m);
        let worlds = eventful(&m, events);
        for name in names {
            let stage = stages::stage(name).unwrap();
            // in the fourth and the fifth call trees fall asleep
            let nths: &[usize] = match *name {
                "rk4" => &[2, 3, 4],
                _ => &[0],
            };
            if !step_walk(&m).iter().any(|other| other.name == stage.name) {
                continue;
            }
            for &nth in nths {
                let mut before = worlds.clone();
                up_to(&m, stage, nth, &mut before);
                if *name == "check_pos" {
                    before[1].qpos[0] = f64::NAN;
                }
                met += before.len();
                let mut after = before.clone();
                after.iter_mut().for_each(|d| (stage.twin)(&m, d));
                let differs = |(a, b): &(&Data, &Data)| a.tree_asleep != b.tree_asleep;
                changed += before.iter().zip(&after).filter(differs).count();
                let team = &TEAMS[(k + nth) % TEAMS.len()];
                let report = compare(device(), &m, stage, &before, &team.config())
                    .unwrap_or_else(|e| panic!("{e}"));
                let place = format!("{name} {head}, {} lanes", team.lanes);
                faults.extend(report.touched.iter().map(|what| format!("{place}: {what}")));
                for (field, worst) in report.worst {
                    // the twin also notes what sensors of awake trees read before the reset, which nothing reads
                    if *name == "check_pos" && field == "latent" {
                        continue;
                    }
                    if worst.error > tolerance {
                        faults.push(format!("{place}: {field}: {worst:?}"));
                    }
                }
            }
        }
    }
    println!("{names:?}: {met} worlds, in {changed} trees change");
    assert!(met > 0);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// the states before steps in which trees fall asleep or wake
fn eventful<'a>(m: &Model, events: impl Iterator<Item = &'a str>) -> Vec<Data> {
    let mut d = Data::new(m);
    let mut out = Vec::new();
    for event in events {
        let words: Vec<&str> = event.split_whitespace().collect();
        if words[0] != "step" {
            let value: f64 = words[2].parse().unwrap();
            let k: usize = words[1].parse().unwrap();
            match d.field_mut(words[0]).unwrap() {
                ViewMut::Real(x) => x[k] = value,
                ViewMut::Int(x) => x[k] = value as i32,
            }
            out.push(d.clone());
        } else {
            for _ in 0..words[1].parse::<usize>().unwrap() {
                let before = d.clone();
                cpu::step(m, &mut d);
                let asleep = |d: &Data| d.tree_asleep.iter().map(|t| *t >= 0).collect::<Vec<_>>();
                if asleep(&before) != asleep(&d) {
                    out.push(before);
                }
            }
            out.push(d.clone());
        }
    }
    out.truncate(MOST);
    // a flex at rest that nothing holds together
    if let Some(last) = out.last_mut().filter(|_| m.nflex > 0) {
        last.eq_active.fill(0);
    }
    out.iter_mut().for_each(round_data);
    out
}
