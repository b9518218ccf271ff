//! Delays, intervals and histories of actuators and sensors, against MuJoCo 4.0.0, on every backend.

use crate::common::backends::{by_precision, on_every_backend, worlds};
use crate::common::{Golden, error};
use manyworlds::batch::{Backend, To};
use manyworlds::fields::View;
use manyworlds::{Batch, Model};

fn read(batch: &mut Batch, name: &str) -> Vec<f64> {
    match batch.read(name).unwrap() {
        View::Real(x) => x.to_vec(),
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
    }
}

// the worlds of a golden's states
fn begin(golden: &Golden, m: &Model, backend: Backend) -> Batch {
    let mut batch = worlds(m, golden.nstate(), backend);
    for (name, (_, values)) in &golden.arrays {
        if let Some(name) = name.strip_prefix("in/")
            && !values.is_empty()
        {
            batch.set(name, values).unwrap();
        }
    }
    batch
}

fn same(batch: &mut Batch, golden: &Golden, at: &str, names: &[&str], tolerance: f64) {
    for name in names {
        let have = read(batch, name);
        let n = have.len() / golden.nstate();
        for k in 0..golden.nstate() {
            let want = golden.state(&format!("{at}/{name}"), k);
            let e = error(&have[k * n..(k + 1) * n], want);
            assert!(
                e < tolerance,
                "{at}: {name} of state {k} is off by {e:.1e}\n{:?}\n{want:?}",
                &have[k * n..(k + 1) * n]
            );
        }
    }
}

// delayed readings, written histories, and the state five steps later; the timesteps are binary fractions, so that all
// precisions agree on which samples are due
fn late_things_are_mujocos(backend: Backend) {
    for name in ["delays", "delays_rk4", "delays_off"] {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        Golden::tighten(&mut m);
        let tolerance = by_precision(backend, 1e-7, 3e-3);
        let mut batch = begin(&golden, &m, backend);
        batch.forward().unwrap();
        same(
            &mut batch,
            &golden,
            "out",
            &["actuator_force", "act_dot", "sensordata"],
            tolerance,
        );
        let state = ["qvel", "qpos", "act", "time", "history", "sensordata"];
        let mut batch = begin(&golden, &m, backend);
        batch.step(1).unwrap();
        same(&mut batch, &golden, "step1", &state, tolerance);
        batch.step(4).unwrap();
        same(&mut batch, &golden, "step5", &state, 10.0 * tolerance);
    }
}

const LATE: &str = r#"<mujoco><option timestep="0.002"/><worldbody><body>
    <joint name="j" type="slide"/><geom size=".1"/></body></worldbody>
    <actuator><motor joint="j" nsample="10" delay="0.02"/></actuator>
    <sensor><actuatorfrc actuator="a" nsample="10" delay="0.02"/><clock nsample="2" interval="0.01"/></sensor></mujoco>"#;

// a delay of ten steps stays ten steps, however long the clock has run and rounded
fn sums_of_timesteps_are_told_apart(backend: Backend) {
    let m = Model::from_xml_str(&LATE.replace("<motor ", "<motor name='a' ")).unwrap();
    let mut batch = worlds(&m, 1, backend);
    for step in 0..25 {
        if step == 0 && backend != Backend::Cpu {
            // single precision keeps 13 bits of a timestep there
            batch.set("time", &[20.0]).unwrap();
        }
        batch.set("ctrl", &[f64::from(step + 1)]).unwrap();
        batch.step(1).unwrap();
        let force = read(&mut batch, "actuator_force")[0];
        assert_eq!(force, f64::from((step - 9).max(0)), "step {step}");
    }
}

// after any kind of reset the samples are those of a new world
fn a_reset_forgets(backend: Backend) {
    let m = Model::from_xml_path("models/delays.xml").unwrap();
    let mut batch = worlds(&m, 3, backend);
    let fresh = read(&mut batch, "history");
    assert!(fresh.iter().any(|x| *x != 0.0));
    batch.set("ctrl", &vec![0.3; m.nu]).unwrap();
    batch.step(3).unwrap();
    let later = read(&mut batch, "history");
    assert_ne!(later, fresh);
    let saved = batch.save().unwrap();
    batch.reset_where(&[true, false, true], To::Qpos0).unwrap();
    let n = m.nhistory;
    let now = read(&mut batch, "history");
    assert_eq!(now[..n], fresh[..n]);
    assert_eq!(now[n..2 * n], later[n..2 * n]);
    batch.restore(&saved).unwrap();
    assert_eq!(read(&mut batch, "history"), later);

    // and after a reset by a bad number
    let mut qvel = vec![0.0; 3 * m.nv];
    qvel[m.nv] = 1e12;
    batch.set("qvel", &qvel).unwrap();
    batch.step(1).unwrap();
    let mut other = worlds(&m, 3, backend);
    other.set("ctrl", &vec![0.0; m.nu]).unwrap();
    other.step(1).unwrap();
    let (now, want) = (read(&mut batch, "history"), read(&mut other, "history"));
    let e = error(&now[n..2 * n], &want[..n]);
    assert!(e < by_precision(backend, 1e-12, 1e-4), "off by {e:.1e}");
}

on_every_backend!(
    late_things_are_mujocos,
    sums_of_timesteps_are_told_apart,
    a_reset_forgets
);

// times of samples before the start of a world, as `mj_resetData` writes them
#[test]
fn a_history_begins_as_mujocos() {
    for (interval, times) in [
        ("0 0", [-0.01, 2.0, -0.03, -0.02, -0.01]),
        ("0.025 0", [-0.025, 2.0, -0.07, -0.05, -0.02]),
        ("0.025 -0.015", [-0.015, 2.0, -0.06, -0.04, -0.01]),
        ("0.03 0", [-0.03, 2.0, -0.09, -0.06, -0.03]),
        ("0.004 0", [-0.004, 2.0, -0.03, -0.02, -0.01]),
        ("0.004 -0.003", [-0.003, 2.0, -0.02, -0.01, 0.0]),
    ] {
        let m = Model::from_xml_str(&format!(
            r#"<mujoco><option timestep="0.01"/><sensor><clock nsample="3" interval="{interval}"/></sensor></mujoco>"#
        ))
        .unwrap();
        let e = error(&m.history0[..5], &times);
        assert!(e < 1e-13, "{interval}: {:?}", m.history0);
    }
}

// a history of an actuator holds all of its controls
#[test]
fn an_actuator_of_three_controls_keeps_three() {
    let m = Model::from_xml_path("models/delays.xml").unwrap();
    let of = |i: usize| m.actuator_historyadr[i + 1] - m.actuator_historyadr[i];
    assert_eq!(m.actuator_ctrlnum[3], 3);
    assert_eq!(of(3), 2 + 5 * (1 + 3));
}
