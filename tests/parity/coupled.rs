//! Parity of the stages of a discrete step whose metric has couplings beyond M's sparsity: elastic flexes, and springs and servos between
//! trees.

use manyworlds::fields::ViewMut;
use manyworlds::gpu::verify::{compare, round_data, round_model, up_to};
use manyworlds::{Data, Model, stages};
use serde_json::Value;

use super::body::{Random, TEAMS, Tried, device};
use super::solver::{Way, parity_of};

/// Worlds of a case: that of the golden, and some near it.
const WORLDS: usize = 5;

/// Cases of `tests/golden/discrete.json`: every kind of element.
const METRICS: &[&str] = &[
    "cloth both Newton",
    "a solid Newton",
    "cells on the ground",
    "cloth on an arm Newton",
    "a rod with a section",
    "a bent rod",
    "a shell between nodes stretch",
    "a free body by a spring",
];

/// Cases with passive contacts: of vertices and elements, of nodes, and with a rod whose edges twist.
const PASSIVE: &[&str] = &[
    "two cloths give way",
    "cells give way",
    "a rope gives no way",
];

/// Cases whose worlds have rows.
const SOLVED: &[&str] = &[
    "cloth on a ball elliptic Newton",
    "trees pyramidal Newton",
    "servos between trees",
];

fn cases(names: &[&str]) -> impl Iterator<Item = (String, Model, Vec<Data>)> {
    let text = std::fs::read_to_string("tests/golden/discrete.json").unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let find = |name: &str| {
        all.iter()
            .find(|case| case["name"] == name)
            .unwrap()
            .clone()
    };
    let taken: Vec<Value> = names.iter().map(|name| find(name)).collect();
    taken.into_iter().map(|case| {
        let name = case["name"].as_str().unwrap().to_owned();
        let mut m = Model::from_xml_str(case["xml"].as_str().unwrap()).unwrap();
        round_model(&mut m);
        assert!(m.nefmK > 0, "{name}");
        let worlds = near(&m, &case["state"]);
        (name, m, worlds)
    })
}

fn near(m: &Model, state: &Value) -> Vec<Data> {
    let mut random = Random::new(11);
    let mut world = Data::new(m);
    for (name, x) in state.as_object().unwrap() {
        let x: Vec<f64> = serde_json::from_value(x.clone()).unwrap();
        match world.field_mut(name) {
            Some(ViewMut::Real(to)) => to.copy_from_slice(&x),
            _ => panic!("{name}"),
        }
    }
    let mut worlds = vec![world; WORLDS];
    for d in &mut worlds[1..] {
        d.qpos
            .iter_mut()
            .for_each(|x| *x += 1e-3 * random.uniform());
        d.qvel.iter_mut().for_each(|x| *x += 0.1 * random.uniform());
    }
    worlds.iter_mut().for_each(round_data);
    worlds
}

#[test]
fn metrics_of_shader_and_twin_agree() {
    agree("metric", METRICS, &TEAMS, 2e-4);
}

#[test]
fn passive_contacts_of_shader_and_twin_agree() {
    // a software adapter ends the long loops of one lane
    let teams = &TEAMS[1..];
    agree("passive", PASSIVE, teams, 2e-4);
    agree("metric", PASSIVE, teams, 2e-4);
    agree("make_constraint", &PASSIVE[..1], teams, 2e-4);
}

// compares a stage of these cases, with each of the teams in turn. Accelerations are compared relative to the largest one, to 2e-3: where
// contacts are stiff, f32 resolves no more
fn agree(stage: &str, names: &[&str], teams: &[Tried], tolerance: f64) {
    let stage = stages::stage(stage).unwrap();
    let mut faults = Vec::new();
    for (k, (name, m, mut worlds)) in cases(names).enumerate() {
        up_to(&m, stage, 0, &mut worlds);
        let team = &teams[k % teams.len()];
        let report = compare(device(), &m, stage, &worlds, &team.config()).unwrap();
        faults.extend(report.touched.iter().map(|x| format!("{name}: {x}")));
        let mut most = 0.0f64;
        for d in &mut worlds {
            (stage.twin)(&m, d);
            most = d.qacc_smooth.iter().fold(most, |most, x| most.max(x.abs()));
        }
        for (field, worst) in report.worst {
            let off = match field {
                "qacc_smooth" => (worst.twin - worst.shader).abs() > 2e-3 * (1.0 + most),
                _ => worst.error > tolerance,
            };
            if off {
                faults.push(format!("{name} {team:?} {field}: {worst:?}, most {most}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn newton_of_shader_and_twin_agree() {
    parity_of("solve_newton", Way::Whole(&[16]), cases(SOLVED));
}

#[test]
fn conjugate_gradients_of_shader_and_twin_agree() {
    let cases = cases(&["cloth on a ball pyramidal CG"]);
    parity_of("solve_cg", Way::Whole(&[16]), cases);
}
