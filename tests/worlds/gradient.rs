//! Gradients that are pulled back through the steps of a rollout, against differences, on every backend.

use crate::common::backends::{by_precision, on_every_backend, worlds};
use crate::common::error;
use manyworlds::batch::{Backend, Gradient};
use manyworlds::{Batch, Model};

on_every_backend!(gradients_of_a_rollout_are_those_of_differences);

const STEPS: usize = 4;

// free bodies, a ball joint, hinges that motors turn
const BODIES: &str = r#"<mujoco><option timestep="0.01"/><worldbody>
  <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
  <body pos="1 0 1"><joint type="ball" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 .1 -.5" size=".05"/>
    <body pos=".3 .1 -.5"><joint name="elbow" axis="0 1 0" stiffness="5"/><geom type="capsule" fromto="0 0 0 .2 0 -.3" size=".04"/></body></body>
  </worldbody><actuator><motor joint="elbow" gear="3"/><general joint="elbow" dyntype="filter" dynprm=".03" gainprm="2"/></actuator></mujoco>"#;

// the start of a rollout, and the controls of its steps
#[derive(Clone)]
struct Given {
    qpos: Vec<f64>,
    qvel: Vec<f64>,
    act: Vec<f64>,
    ctrl: Vec<f64>,
}

fn given(m: &Model) -> Given {
    let wave = |n: usize, shift: f64| (0..n).map(|k| (1.3 * k as f64 + shift).sin()).collect();
    let mut qpos: Vec<f64> = wave(m.nq, 0.2);
    for adr in [3, 7] {
        let size = qpos[adr..adr + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        qpos[adr..adr + 4].iter_mut().for_each(|x| *x /= size);
    }
    Given {
        qpos,
        qvel: wave(m.nv, 0.7),
        act: wave(m.na, 1.1),
        ctrl: wave(m.nu * STEPS, 0.4),
    }
}

// weights of the end's numbers in the number whose gradient is asked for
fn weights(m: &Model) -> Gradient {
    let of = |n: usize, shift: f64| (0..n).map(|k| (0.9 * k as f64 + shift).cos()).collect();
    Gradient {
        qpos: of(m.nq, 0.0),
        qvel: of(m.nv, 0.5),
        act: of(m.na, 0.3),
        ctrl: Vec::new(),
    }
}

fn set_out(batch: &mut Batch, given: &Given) {
    for (name, x) in [
        ("qpos", &given.qpos),
        ("qvel", &given.qvel),
        ("act", &given.act),
    ] {
        batch.set(name, x).unwrap();
    }
}

fn value(m: &Model, given: &Given) -> f64 {
    let mut batch = worlds(m, 1, Backend::Cpu);
    set_out(&mut batch, given);
    for ctrl in given.ctrl.chunks(m.nu) {
        batch.set("ctrl", ctrl).unwrap();
        batch.step(1).unwrap();
    }
    let by = weights(m);
    [("qpos", by.qpos), ("qvel", by.qvel), ("act", by.act)]
        .iter()
        .flat_map(|(name, by)| {
            let x = batch.reals(name).unwrap().to_vec();
            x.into_iter().zip(by.clone()).map(|(x, by)| x * by)
        })
        .sum()
}

// by start and controls, pulled back from the end
fn pulled(m: &Model, given: &Given, backend: Backend) -> Vec<f64> {
    let mut batch = worlds(m, 1, backend);
    set_out(&mut batch, given);
    let mut steps = Vec::new();
    for ctrl in given.ctrl.chunks(m.nu) {
        batch.set("ctrl", ctrl).unwrap();
        let (before, slopes) = (
            batch.reals("qpos").unwrap().to_vec(),
            batch.transition(None),
        );
        batch.step(1).unwrap();
        steps.push((
            before,
            batch.reals("qpos").unwrap().to_vec(),
            slopes.unwrap(),
        ));
    }
    let (mut gradient, mut ctrl) = (weights(m), Vec::new());
    for (before, after, slopes) in steps.iter().rev() {
        gradient = slopes.pull_back(m, 0, before, after, &gradient);
        ctrl.splice(0..0, gradient.ctrl.iter().copied());
    }
    [gradient.qpos, gradient.qvel, gradient.act, ctrl].concat()
}

fn differences(m: &Model, given: &Given) -> Vec<f64> {
    let parts: [fn(&mut Given) -> &mut Vec<f64>; 4] = [
        |given| &mut given.qpos,
        |given| &mut given.qvel,
        |given| &mut given.act,
        |given| &mut given.ctrl,
    ];
    let mut out = Vec::new();
    for part in parts {
        for k in 0..part(&mut given.clone()).len() {
            let [low, high] = [-1e-6, 1e-6].map(|by| {
                let mut moved = given.clone();
                part(&mut moved)[k] += by;
                value(m, &moved)
            });
            out.push((high - low) / 2e-6);
        }
    }
    out
}

fn gradients_of_a_rollout_are_those_of_differences(backend: Backend) {
    let m = Model::from_xml_str(BODIES).unwrap();
    let given = given(&m);
    let (have, want) = (pulled(&m, &given, backend), differences(&m, &given));
    assert!(want.iter().all(|x| x.abs() > 1e-6), "{want:?}");
    let e = error(&have, &want);
    assert!(
        e < by_precision(backend, 1e-5, 5e-3),
        "{e:e}: {have:?} {want:?}"
    );
}
