//! Whole steps through the public API on every backend: against MuJoCo's goldens, and worlds that settle.

use crate::common::backends::{by_precision, on, on_every_backend, worlds};
use crate::common::{Golden, error};
use manyworlds::batch::{Backend, Overflow, Settings, To};
use manyworlds::compile::missing;
use manyworlds::fields::View;
use manyworlds::types::Integrator;
use manyworlds::{Batch, Model};

on_every_backend!(
    five_steps_from_the_text_of_a_model_are_those_of_mujoco,
    humanoids_fall_and_settle,
    a_free_body_falls_as_newton_says,
    keyframes_put_worlds_where_they_say,
    room_grows_until_it_suffices_and_the_result_is_as_if_it_had,
    what_rests_falls_asleep_and_is_woken_as_in_mujoco,
    a_step_of_fourth_order_leaves_the_mean_acceleration,
);

/// The models of `models/` that can be simulated, and their goldens; refusals of unsupported models are tested elsewhere.
fn models() -> Vec<(String, Golden)> {
    let mut names: Vec<String> = std::fs::read_dir("models")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "xml"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    let golden = |name: &String| Golden::open(&format!("tests/golden/{name}.npz"));
    assert!(names.len() > 10);
    names
        .iter()
        .filter(|name| missing(&model(name)).is_empty())
        .map(|name| (name.clone(), golden(name)))
        .collect()
}

fn model(name: &str) -> Model {
    let path = format!("models/{name}.xml");
    Model::from_xml_path(&path).unwrap_or_else(|e| panic!("{e}"))
}

/// A batch whose worlds are the states of a golden.
fn at_states(m: &Model, golden: &Golden, settings: Settings) -> Batch {
    let mut batch = Batch::with(m, golden.nstate(), settings).unwrap();
    for name in golden
        .arrays
        .keys()
        .filter_map(|name| name.strip_prefix("in/"))
    {
        batch
            .set(name, golden.get(&format!("in/{name}")).unwrap())
            .unwrap();
    }
    batch
}

/// Models whose kernels a software adapter compiles in a second or two.
const SMALL: &[&str] = &[
    "actuators",
    "cartpole",
    "pendula",
    "servos",
    "turns",
    "controllers",
    "tendons",
    "quadruped",
];

/// States in which two shapes touch by 1e-17 m, so that single precision may or may not find their contact.
const TOUCHING: &[(&str, usize)] = &[("pairs", 0)];

fn five_steps_from_the_text_of_a_model_are_those_of_mujoco(backend: Backend) {
    // f32 makes one step: over more steps a contact that just opens or closes changes the result
    let (steps, prefix) = by_precision(backend, (5, "step5"), (1, "step1"));
    let tolerance = by_precision(backend, 1e-6, 1e-3);
    let mut far = Vec::new();
    let models = models().into_iter();
    for (name, golden) in
        models.filter(|(name, _)| backend != Backend::Gpu || SMALL.contains(&name.as_str()))
    {
        let mut m = model(&name);
        Golden::tighten(&mut m);
        let mut batch = at_states(&m, &golden, on(backend));
        batch.step(steps).unwrap();
        for field in ["qpos", "qvel", "act", "time"] {
            let have = batch.reals(field).unwrap();
            let want = golden.get(&format!("{prefix}/{field}")).unwrap();
            let words = have.len() / golden.nstate();
            let told =
                |k: &usize| backend == Backend::Cpu || !TOUCHING.contains(&(name.as_str(), *k));
            for k in (0..golden.nstate()).filter(told) {
                let at = k * words..(k + 1) * words;
                let e = error(&have[at.clone()], &want[at]);
                if e > tolerance {
                    far.push(format!("{name}: {field} of state {k} is off by {e:.1e}"));
                }
            }
        }
    }
    assert!(far.is_empty(), "{}", far.join("\n"));
}

fn humanoids_fall_and_settle(backend: Backend) {
    let m = model("humanoid");
    let mut batch = worlds(&m, 6, backend);
    let qpos: Vec<f64> = (0..6)
        .flat_map(|w| {
            let mut qpos = m.qpos0.clone();
            qpos[8] += 0.05 * w as f64;
            qpos
        })
        .collect();
    batch.set("qpos", &qpos).unwrap();
    batch.step(1200).unwrap();
    assert_eq!(batch.flags().unwrap(), []);
    let fastest = batch
        .reals("qvel")
        .unwrap()
        .iter()
        .fold(0.0f64, |v, x| v.max(x.abs()));
    assert!(fastest < 1.0, "one still moves at {fastest}");
    for (w, qpos) in batch.reals("qpos").unwrap().chunks(m.nq).enumerate() {
        assert!(
            qpos[2] > 0.02 && qpos[2] < 0.6,
            "world {w} is at height {}",
            qpos[2]
        );
    }
    for (w, ncon) in batch.ints("ncon").unwrap().iter().enumerate() {
        assert!(*ncon >= 3, "world {w} lies on {ncon} contacts");
    }
}

fn a_free_body_falls_as_newton_says(backend: Backend) {
    let m = Model::from_xml_str(
        r#"<mujoco><option timestep="0.001"/><worldbody><body pos="0 0 10"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    let mut batch = worlds(&m, 2, backend);
    batch.step(100).unwrap();
    let tolerance = by_precision(backend, 1e-12, 2e-5);
    // semi-implicit Euler: n (n + 1) / 2 times g dt²
    let fall = 9.81 * 0.001 * 0.001 * 5050.0;
    for qpos in batch.reals("qpos").unwrap().chunks(7) {
        assert!((qpos[2] - (10.0 - fall)).abs() < tolerance);
    }
    assert!((batch.reals("time").unwrap()[1] - 0.1).abs() < tolerance);
}

#[test]
fn every_integrator_is_met() {
    let met: Vec<i32> = models()
        .iter()
        .map(|(name, _)| model(name).opt.integrator)
        .collect();
    assert!(met.contains(&(Integrator::Euler as i32)));
    assert!(met.contains(&(Integrator::Rk4 as i32)));
    assert!(met.contains(&(Integrator::Implicit as i32)));
    assert!(met.contains(&(Integrator::ImplicitFast as i32)));
}

fn keyframes_put_worlds_where_they_say(backend: Backend) {
    let m = model("humanoid");
    let mut batch = worlds(&m, 3, backend);
    batch.step(7).unwrap();
    batch
        .reset_where(&[false, true, false], To::Key(1))
        .unwrap();
    let held = |x: &f64| by_precision(backend, *x, f64::from(*x as f32));
    let key: Vec<f64> = m.key_qpos[m.nq..2 * m.nq].iter().map(held).collect();
    let qpos = batch.reals("qpos").unwrap();
    assert_eq!(qpos[m.nq..2 * m.nq], key);
    assert_ne!(qpos[..m.nq], key);
    assert_eq!(batch.reals("time").unwrap()[1], held(&m.key_time[1]));
    assert!(batch.reset(To::Key(9)).is_err());
}

fn room_grows_until_it_suffices_and_the_result_is_as_if_it_had(backend: Backend) {
    // a device recompiles its kernels whenever the capacity grows, so it gets a single box
    let box_on_the_floor =
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .11'><freejoint/>
        <geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>";
    let m = match backend {
        Backend::Gpu => Model::from_xml_str(box_on_the_floor).unwrap(),
        _ => model("boxes"),
    };
    let run = |settings: Settings| {
        let mut batch = Batch::with(&m, 2, settings).unwrap();
        for _ in 0..4 {
            batch.step(25).unwrap();
        }
        (batch.reals("qpos").unwrap().to_vec(), batch.model().nconmax)
    };
    let (ample, _) = run(on(backend).nconmax(400).njmax(1600));
    let (grown, nconmax) = run(on(backend).overflow(Overflow::Grow).nconmax(2).njmax(8));
    assert!(nconmax > 2);
    assert_eq!(ample, grown);
}

/// The models of `tests/golden/sleep.txt`: name, events, compiled model.
fn sleepers() -> Vec<(String, Vec<Vec<String>>, Model)> {
    let words = |event: &str| event.split_whitespace().map(str::to_owned).collect();
    let text = include_str!("../golden/sleep.txt");
    let parts = text.split("=== ").skip(1);
    let sleeper = |part: &str| {
        let (head, xml) = part.split_once('\n').unwrap();
        let mut events: Vec<Vec<String>> = head.split('|').map(words).collect();
        let name = events.remove(0).swap_remove(0);
        (name, events, Model::from_xml_str(xml).unwrap())
    };
    parts.map(sleeper).collect()
}

// applies the events to a world, and calls `show` after every step, with true before the next event; the other worlds get no
// events
fn live(batch: &mut Batch, events: &[Vec<String>], mut show: impl FnMut(&mut Batch, bool)) {
    batch.forward().unwrap();
    show(batch, false);
    for event in events {
        if event[0] == "step" {
            let steps: usize = event[1].parse().unwrap();
            for k in 1..=steps {
                batch.step(1).unwrap();
                show(batch, k == steps);
            }
            continue;
        }
        let mut values = match batch.read(&event[0]).unwrap() {
            View::Real(x) => x.to_vec(),
            View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        };
        values[event[1].parse::<usize>().unwrap()] = event[2].parse().unwrap();
        batch.set(&event[0], &values).unwrap();
    }
}

/// The sleepers that a software adapter is asked for, which takes long to compile.
const ON_A_DEVICE: &[&str] = &["driven", "init"];

fn what_rests_falls_asleep_and_is_woken_as_in_mujoco(backend: Backend) {
    let golden = Golden::open("tests/golden/sleep.npz");
    for (name, events, m) in sleepers() {
        if backend == Backend::Gpu && !ON_A_DEVICE.contains(&name.as_str()) {
            continue;
        }
        // the second world gets no events
        let mut batch = worlds(&m, 2, backend);
        let mut alone = worlds(&m, 1, backend);
        let (mut row, mut far) = (0, Vec::new());
        let prefix = format!("{name}/");
        let names: Vec<&str> = golden
            .arrays
            .keys()
            .filter_map(|n| n.strip_prefix(&prefix))
            .collect();
        assert!(names.contains(&"tree_asleep") && names.contains(&"qpos"));
        live(&mut batch, &events, |batch, last| {
            for &field in &names {
                // single precision may need a step more to come to rest
                let told =
                    backend == Backend::Cpu || last && ["qpos", "tree_awake"].contains(&field);
                let want = golden.get(&format!("{name}/{field}")).unwrap();
                let words = golden.arrays[&format!("{name}/{field}")].0[1];
                let want = &want[row * words..(row + 1) * words];
                let have = match batch.read(field).unwrap() {
                    View::Real(x) => x[..words].to_vec(),
                    View::Int(x) => x[..words].iter().map(|&x| f64::from(x)).collect(),
                };
                let e = error(&have, want);
                if told && e > by_precision(backend, 1e-8, 1e-3) {
                    far.push(format!("{name}: {field} after {row} steps is off by {e:.1e}: {have:?}, not {want:?}"));
                }
            }
            match row {
                0 => alone.forward().unwrap(),
                _ => alone.step(1).unwrap(),
            }
            for field in ["qpos", "sensordata"] {
                let words = batch.reals(field).unwrap().len() / 2;
                assert_eq!(
                    batch.reals(field).unwrap()[words..],
                    *alone.reals(field).unwrap(),
                    "{name}: {field} after {row} steps"
                );
            }
            row += 1;
        });
        assert!(far.is_empty(), "{}", far[..far.len().min(12)].join("\n"));

        // the sleeping trees and their `latent` values are part of the state
        let mut other = worlds(&m, 2, backend);
        other.restore(&batch.save().unwrap()).unwrap();
        for batch in [&mut batch, &mut other] {
            batch.step(3).unwrap();
        }
        for field in ["qpos", "qvel", "qacc", "sensordata"] {
            assert_eq!(
                batch.reals(field).unwrap(),
                other.reals(field).unwrap(),
                "{name}: {field}"
            );
        }
        let told = batch.transition(None).unwrap_err().to_string();
        assert!(told.contains("disable the flag \"sleep\""), "{told}");
    }
}

// the numbers are those of mj_step: qacc is the mean by which the velocity changed, qacc_warmstart that of the last evaluation
fn a_step_of_fourth_order_leaves_the_mean_acceleration(backend: Backend) {
    let capsule = r#"<geom type="capsule" size=".05" fromto="0 0 0 .5 0 0"/>"#;
    let xml = format!(
        r#"<mujoco><option integrator="RK4" timestep=".01"/><worldbody><body><joint axis="0 1 0" damping=".3"/>{capsule}
        <body pos=".5 0 0"><joint axis="0 1 0"/>{capsule}</body></body></worldbody></mujoco>"#
    );
    let mut batch = worlds(&Model::from_xml_str(&xml).unwrap(), 2, backend);
    batch.set("qvel", &[1.0, 2.0]).unwrap();
    batch.step(1).unwrap();
    let tolerance = by_precision(backend, 1e-12, 1e-5);
    for (name, want) in [
        ("qacc", [23.36995480013755, -28.597569443133835]),
        ("qacc_warmstart", [23.39804033572402, -28.69058291363541]),
    ] {
        let have = batch.reals(name).unwrap();
        for world in have.chunks(2) {
            let e = error(world, &want);
            assert!(
                e < tolerance,
                "{backend:?}: {name} is off by {e:.1e}: {world:?}"
            );
        }
    }
}
