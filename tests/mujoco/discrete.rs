//! Discrete steps (`integrator="discrete"`), on every backend that takes them, against MuJoCo 4.0.0 (`tests/golden/make_discrete.py`).

use crate::common::backends::{by_precision, on, on_every_backend};
use crate::common::{error, numbers};
use manyworlds::batch::Backend;
use manyworlds::compile::missing;
use manyworlds::types::ENBL_FWDINV;
use manyworlds::{Batch, Model};
use serde_json::Value;

on_every_backend!(
    accelerations_rows_and_steps_are_mujocos,
    forward_and_inverse_differ_as_in_mujoco,
    inverse_dynamics_are_mujocos
);

// the second of three worlds is the case's; the others are at rest, so that their rows differ
const WORLDS: usize = 3;

// a software adapter compiles the kernels of a case for half a minute: there much at once
const ON_A_DEVICE: &[&str] = &[
    "contacts pyramidal PGS",
    "contacts elliptic by the exact diagonal",
    "sticky pyramidal 3",
    "springs, servos, muscles and motors in a medium",
    "cloth on a ball elliptic Newton",
    "ipc elliptic Newton",
];

fn cases(backend: Backend) -> Vec<Value> {
    let text = std::fs::read_to_string("tests/golden/discrete.json").unwrap();
    let all: Vec<Value> = serde_json::from_str(&text).unwrap();
    let taken = |case: &Value| {
        let name = case["name"].as_str().unwrap();
        backend != Backend::Gpu || ON_A_DEVICE.contains(&name)
    };
    let taken: Vec<Value> = all.into_iter().filter(taken).collect();
    assert!(taken.len() >= ON_A_DEVICE.len());
    taken
}

// what MuJoCo refuses, and what is not built
#[test]
fn what_no_backend_has_is_told() {
    let cases = cases(Backend::Cpu);
    for (name, from, to, what) in [
        ("cloth both Newton", "Newton", "PGS", "the solver \"PGS\""),
        (
            "cloth both Newton",
            "tolerance",
            "noslip_iterations=\"2\" tolerance",
            "the no-slip solver",
        ),
        (
            "cloth both Newton",
            "<elasticity",
            "<edge damping=\"1\"/><elasticity",
            "dampers of the edges",
        ),
        (
            "ipc elliptic CG",
            "\"CG\"",
            "\"PGS\"",
            "\"ipc\" with the solver",
        ),
        (
            "ipc elliptic CG",
            "ipc=",
            "fwdinv=\"enable\" ipc=",
            "\"ipc\" with the flag \"fwdinv\"",
        ),
        (
            "ipc elliptic CG",
            "ipc=",
            "sleep=\"enable\" ipc=",
            "\"ipc\" with the flag \"sleep\"",
        ),
        (
            "ipc elliptic CG",
            "\"discrete\"",
            "\"Euler\"",
            "\"ipc\" with another integrator",
        ),
    ] {
        let case = cases.iter().find(|case| case["name"] == name).unwrap();
        let xml = case["xml"].as_str().unwrap().replace(from, to);
        let told = missing(&Model::from_xml_str(&xml).unwrap());
        assert!(
            told.len() == 1 && told[0].contains(what),
            "{name}: {told:?}"
        );
    }
}

// springs between trees of each world's own strength, and a spring where the model that worlds share has none
#[test]
fn springs_between_trees_may_differ_from_world_to_world() {
    let cases = cases(Backend::Cpu);
    let case = |name: &str| cases.iter().find(|case| case["name"] == name).unwrap();
    let case = case("trees elliptic Newton");
    let m = Model::from_xml_str(case["xml"].as_str().unwrap()).unwrap();
    for backend in [Backend::Cpu, Backend::Simd] {
        let qacc = |m: &Model, own: Option<&[f64]>| {
            let mut batch = begin_with(m, case, backend);
            if let Some(own) = own {
                batch.expand(&["tendon_stiffness"]).unwrap();
                batch.set("tendon_stiffness", own).unwrap();
                batch.set_const().unwrap();
            }
            batch.forward().unwrap();
            of_case(&mut batch, "qacc", m.nv)
        };
        let mut other = m.clone();
        other
            .edit(|m| m.tendon_stiffness = vec![900.0, 50.0])
            .unwrap();
        let own = [300.0, 2000.0, 900.0, 50.0, 0.0, 0.0];
        let e = error(&qacc(&m, Some(&own)), &qacc(&other, None));
        assert!(e < by_precision(backend, 1e-12, 1e-5), "{backend:?}: {e:e}");
    }

    // the metric of the shared model has no room for the spring of one world
    let text = r#"<mujoco><option integrator="discrete"/><worldbody>
        <body><joint name="a"/><geom size=".1"/></body><body pos="1 0 0"><joint name="b"/><geom size=".1"/></body></worldbody>
        <tendon><fixed><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon></mujoco>"#;
    let m = Model::from_xml_str(text).unwrap();
    let mut batch = Batch::with(&m, WORLDS, on(Backend::Cpu)).unwrap();
    batch.expand(&["tendon_stiffness"]).unwrap();
    batch.set("tendon_stiffness", &[0.0, 5.0, 0.0]).unwrap();
    let refused = batch.set_const().unwrap_err().to_string();
    assert!(refused.contains("shared model does not"), "{refused}");
}

// iterations that suffice where MuJoCo was allowed so many that nothing changed any more
const ENOUGH: i32 = 400;

// worlds in the state of a case
fn begin(case: &Value, backend: Backend) -> Batch {
    let mut m = Model::from_xml_str(case["xml"].as_str().unwrap())
        .unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
    m.edit(|m| m.opt.iterations = m.opt.iterations.min(ENOUGH))
        .unwrap();
    begin_with(&m, case, backend)
}

fn begin_with(m: &Model, case: &Value, backend: Backend) -> Batch {
    let mut batch = Batch::with(m, WORLDS, on(backend)).unwrap();
    for (name, x) in numbers(&case["state"]) {
        let mut all = batch.reals(name).unwrap().to_vec();
        all[x.len()..2 * x.len()].copy_from_slice(&x);
        batch.set(name, &all).unwrap();
    }
    batch
}

// an array of the case's world, truncated to the length of MuJoCo's
fn of_case(batch: &mut Batch, name: &str, len: usize) -> Vec<f64> {
    let all = batch.reals(name).unwrap();
    all[all.len() / WORLDS..][..len].to_vec()
}

fn told(wrong: &mut String, case: &Value, name: &str, have: &[f64], want: &[f64], tolerance: f64) {
    let e = error(have, want);
    if e.is_nan() || e > tolerance {
        *wrong += &format!(
            "{}: {name} is off by {e:.1e}: {have:.6?}, MuJoCo has {want:.6?}\n",
            case["name"]
        );
    }
}

fn accelerations_rows_and_steps_are_mujocos(backend: Backend) {
    let mut wrong = String::new();
    for case in &cases(backend) {
        let mut batch = begin(case, backend);
        batch.forward().unwrap();
        for (name, want) in numbers(&case["said"]) {
            let have = of_case(&mut batch, name, want.len());
            told(
                &mut wrong,
                case,
                name,
                &have,
                &want,
                by_precision(backend, 1e-8, 2e-4),
            );
        }
        batch.step(20).unwrap();
        for (name, want) in numbers(&case["later"]) {
            let have = of_case(&mut batch, name, want.len());
            told(
                &mut wrong,
                case,
                &format!("{name} 20 steps later"),
                &have,
                &want,
                by_precision(backend, 1e-6, 1e-2),
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

// the inverse doubles the kernels of a step: on a device every third of its cases
fn inverted(backend: Backend) -> usize {
    if backend == Backend::Gpu { 3 } else { 1 }
}

fn inverse_dynamics_are_mujocos(backend: Backend) {
    // in single precision the forces of stiff rows are differences of accelerations that nearly cancel
    let mut wrong = String::new();
    for case in cases(backend).iter().step_by(inverted(backend)) {
        let mut batch = begin(case, backend);
        batch.forward().unwrap();
        let said = numbers(&case["inverse"]);
        let mut qacc = batch.reals("qacc").unwrap().to_vec();
        let nv = said["qacc"].len();
        qacc[nv..2 * nv].copy_from_slice(&said["qacc"]);
        batch.set("qacc", &qacc).unwrap();
        batch.inverse().unwrap();
        let want = &said["qfrc_inverse"];
        let have = of_case(&mut batch, "qfrc_inverse", nv);
        told(
            &mut wrong,
            case,
            "qfrc_inverse",
            &have,
            want,
            by_precision(backend, 1e-8, 2e-3),
        );
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn forward_and_inverse_differ_as_in_mujoco(backend: Backend) {
    let mut wrong = String::new();
    for case in cases(backend).iter().step_by(inverted(backend)) {
        let want: Vec<f64> = serde_json::from_value(case["fwdinv"].clone()).unwrap();
        // MuJoCo does not support it with the flag ipc
        if want.is_empty() {
            continue;
        }
        let mut m = Model::from_xml_str(case["xml"].as_str().unwrap()).unwrap();
        m.edit(|m| {
            m.opt.iterations = case["stops"].as_i64().unwrap() as i32;
            m.opt.enableflags |= ENBL_FWDINV;
        })
        .unwrap();
        let mut batch = begin_with(&m, case, backend);
        batch.step(1).unwrap();
        let have = of_case(&mut batch, "solver_fwdinv", 2);
        let tolerance = by_precision(backend, 1e-6, 2e-2);
        told(&mut wrong, case, "solver_fwdinv", &have, &want, tolerance);
    }
    assert!(wrong.is_empty(), "{wrong}");
}
