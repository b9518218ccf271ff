//! Gradients that are pulled back through the steps of a rollout, against differences, on every backend.

use crate::common::backends::{by_precision, on_every_backend, worlds};
use crate::common::error;
use manyworlds::batch::{Backend, Gradient, Tape};
use manyworlds::{Batch, Model};

on_every_backend!(
    gradients_of_a_rollout_are_those_of_differences,
    a_world_that_diverges_ends_its_own_gradient
);

const STEPS: usize = 4;

// free bodies, a ball joint, hinges that motors turn
const BODIES: &str = r#"<mujoco><option timestep="0.01"/><worldbody>
  <body pos="0 0 1"><freejoint/><geom type="box" size=".1 .2 .3"/></body>
  <body pos="1 0 1"><joint type="ball" damping=".1"/><geom type="capsule" fromto="0 0 0 .3 .1 -.5" size=".05"/>
    <body name="lower" pos=".3 .1 -.5"><joint name="elbow" axis="0 1 0" stiffness="5"/><geom type="capsule" fromto="0 0 0 .2 0 -.3" size=".04"/></body></body>
  </worldbody><actuator><motor name="turn" joint="elbow" gear="3"/><general joint="elbow" dyntype="filter" dynprm=".03" gainprm="2"/></actuator>
  <sensor><framepos objtype="body" objname="lower"/><jointvel joint="elbow"/><actuatorfrc actuator="turn"/></sensor></mujoco>"#;

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
    // one quaternion is not of length one
    for (adr, length) in [(3, 1.0), (7, 1.2)] {
        let size = qpos[adr..adr + 4].iter().map(|x| x * x).sum::<f64>().sqrt();
        qpos[adr..adr + 4]
            .iter_mut()
            .for_each(|x| *x *= length / size);
    }
    Given {
        qpos,
        qvel: wave(m.nv, 0.7),
        act: wave(m.na, 1.1),
        ctrl: wave(m.nu * STEPS, 0.4),
    }
}

// weights of the end's numbers, and of the sensors of every step, in the number whose gradient is asked for
fn weights(m: &Model) -> Gradient {
    let of = |n: usize, shift: f64| (0..n).map(|k| (0.9 * k as f64 + shift).cos()).collect();
    Gradient {
        qpos: of(m.nq, 0.0),
        qvel: of(m.nv, 0.5),
        act: of(m.na, 0.3),
        ctrl: Vec::new(),
        sensordata: of(m.nsensordata, 0.2),
    }
}

// the sum of a field's numbers, each times its weight
fn weighed(batch: &mut Batch, name: &str, by: &[f64]) -> f64 {
    let x = batch.reals(name).unwrap();
    x.iter().zip(by).map(|(x, by)| x * by).sum()
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
    let (by, mut sensed) = (weights(m), 0.0);
    for ctrl in given.ctrl.chunks(m.nu) {
        batch.set("ctrl", ctrl).unwrap();
        batch.step(1).unwrap();
        sensed += weighed(&mut batch, "sensordata", &by.sensordata);
    }
    let end = [("qpos", by.qpos), ("qvel", by.qvel), ("act", by.act)];
    sensed
        + end
            .iter()
            .map(|(name, by)| weighed(&mut batch, name, by))
            .sum::<f64>()
}

// by start and controls, pulled back from the end
fn pulled(m: &Model, given: &Given, backend: Backend) -> Vec<f64> {
    let mut batch = worlds(m, 1, backend);
    set_out(&mut batch, given);
    let mut tape = Tape::default();
    for ctrl in given.ctrl.chunks(m.nu) {
        batch.record(&mut tape, ctrl).unwrap();
    }
    assert!(tape.bad().is_empty());
    assert!(tape.qpos.ends_with(batch.reals("qpos").unwrap()));
    let by = weights(m);
    let last = |x: &[f64]| [&vec![0.0; (STEPS - 1) * x.len()], x].concat();
    let found = tape.pull_back(
        m,
        &Gradient {
            qpos: last(&by.qpos),
            qvel: last(&by.qvel),
            act: last(&by.act),
            ctrl: Vec::new(),
            sensordata: by.sensordata.repeat(STEPS),
        },
    );
    [found.qpos, found.qvel, found.act, found.ctrl].concat()
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

fn a_world_that_diverges_ends_its_own_gradient(backend: Backend) {
    let m = Model::from_xml_str(BODIES).unwrap();
    let mut batch = worlds(&m, 3, backend);
    let mut tape = Tape::default();
    batch.record(&mut tape, &vec![0.1; m.nu]).unwrap();
    // the second world is thrown too fast
    let mut qvel = batch.reals("qvel").unwrap().to_vec();
    qvel[m.nv] = 1e11;
    batch.set("qvel", &qvel).unwrap();
    let text = batch
        .record(&mut tape, &vec![0.1; m.nu])
        .unwrap_err()
        .to_string();
    assert!(text.contains("not where the tape ends"), "{text}");
    assert_eq!(tape.steps.len(), 1);

    let mut tape = Tape::default();
    for _ in 0..2 {
        batch.record(&mut tape, &vec![0.1; m.nu]).unwrap();
    }
    assert_eq!(tape.bad()[0], [0, 1]);
    assert!(tape.bad().iter().all(|place| place[1] == 1));
    let found = tape.pull_back(
        &m,
        &Gradient {
            qvel: vec![1.0; 2 * 3 * m.nv],
            ..Gradient::default()
        },
    );
    for (w, row) in found.qvel.chunks(m.nv).enumerate() {
        assert_eq!(row.iter().all(|x| *x == 0.0), w == 1, "{row:?}");
        assert!(row.iter().all(|x| x.is_finite()));
    }
    // the worlds on either side were alike, and still are
    assert_eq!(found.qvel[..m.nv], found.qvel[2 * m.nv..]);
}
