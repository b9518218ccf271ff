//! Plastic springs, moving surfaces and sticking contacts, against MuJoCo 4.0.0, on every backend.

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

// one step from every state of a golden; states with unrealistically fast spins are left out
fn step_is_mujocos(backend: Backend, name: &str, fields: &[&str]) {
    let golden = Golden::open(&format!("tests/golden/{name}.npz"));
    let mut m = golden.model();
    Golden::tighten(&mut m);
    let mut batch = worlds(&m, golden.nstate(), backend);
    for (name, (_, values)) in &golden.arrays {
        if let Some(name) = name.strip_prefix("in/")
            && !values.is_empty()
        {
            batch.set(name, values).unwrap();
        }
    }
    batch.step(1).unwrap();
    let tame = |k: usize| golden.state("in/qvel", k).iter().all(|v| v.abs() < 100.0);
    for field in fields {
        let have = read(&mut batch, field);
        let n = have.len() / golden.nstate();
        for k in (0..golden.nstate()).filter(|&k| tame(k)) {
            let want = golden.state(&format!("step1/{field}"), k);
            let e = error(&have[k * n..(k + 1) * n], want);
            let tolerance = by_precision(backend, 1e-8, 2e-4);
            assert!(
                e < tolerance,
                "{name}: {field} of state {k} is off by {e:.1e}"
            );
        }
    }
}

fn springs_yield(backend: Backend) {
    for name in ["plastic", "plastic_rk4"] {
        step_is_mujocos(backend, name, &["plastic", "qpos", "qvel"]);
    }
}

fn surfaces_carry(backend: Backend) {
    for name in ["surfaces", "surfaces_elliptic"] {
        step_is_mujocos(backend, name, &["qpos", "qvel"]);
    }
}

fn contacts_stick(backend: Backend) {
    for name in ["sticky", "sticky_elliptic"] {
        step_is_mujocos(backend, name, &["qpos", "qvel"]);
    }
}

// one world's ball lies on the floor, another's is in the gap: both are pulled, by a contact with or without friction
fn what_sticks_is_pulled_on_the_floor_and_above_it(backend: Backend) {
    for condim in [1, 3, 6] {
        let text = format!(
            r#"<mujoco><worldbody><geom type="plane" size="1 1 1" adhesion="2" gap=".1"/>
            <body pos="0 0 .099"><freejoint/><geom size=".1" mass=".5" condim="{condim}"/></body></worldbody></mujoco>"#
        );
        let m = Model::from_xml_str(&text).unwrap();
        let mut batch = worlds(&m, 3, backend);
        let qpos = [0.099, 0.15, 0.25].map(|z| [0.0, 0.0, z, 1.0, 0.0, 0.0, 0.0]);
        batch.set("qpos", qpos.as_flattened()).unwrap();
        batch.forward().unwrap();
        let force = read(&mut batch, "qfrc_adhesion");
        for (world, want) in [-2.0, -2.0, 0.0].into_iter().enumerate() {
            assert!(
                (force[6 * world + 2] - want).abs() < 1e-6,
                "{condim}: {force:?}"
            );
        }
        let net = batch.contact_force().unwrap();
        assert!(net.force[0] > 1.0, "{net:?}");
        assert!((net.force[6 * net.nconmax] + 2.0).abs() < 1e-6, "{net:?}");
    }
}

// a ball hangs on a ceiling whose adhesion exceeds its weight, and falls off one with less; its contact force is
// its weight, as a pull
fn what_sticks_hangs(backend: Backend) {
    let hang = |adhesion: f64| {
        let text = format!(
            r#"<mujoco><worldbody><geom type="box" size="1 1 .1" pos="0 0 1" adhesion="{adhesion}" gap=".05"/>
            <body pos="0 0 .8"><freejoint/><geom size=".1" mass=".5"/></body></worldbody></mujoco>"#
        );
        let m = Model::from_xml_str(&text).unwrap();
        let mut batch = worlds(&m, 2, backend);
        batch.step(1000).unwrap();
        batch
    };
    let mut held = hang(6.0);
    let qpos = read(&mut held, "qpos");
    assert!((qpos[2] - 0.8).abs() < 0.01, "{qpos:?}");
    let forces = held.contact_force().unwrap();
    assert_eq!(forces.ncon, [1, 1]);
    let weight = 0.5 * 9.81;
    assert!((forces.force[0] + weight).abs() < 1e-2, "{forces:?}");
    let qpos = read(&mut hang(4.0), "qpos");
    assert!(qpos[2] < 0.0, "{qpos:?}");
}

// a crate on a belt soon reaches the speed of the belt
fn a_crate_on_a_belt_moves_with_it(backend: Backend) {
    let m = Model::from_xml_path("models/surfaces.xml").unwrap();
    let mut batch = worlds(&m, 2, backend);
    batch.step(500).unwrap();
    let qvel = read(&mut batch, "qvel");
    for (have, want) in qvel.iter().zip([0.6, 0.1, 0.0]) {
        assert!((have - want).abs() < 0.01, "{qvel:?}");
    }
}

// rest positions of plastic springs are part of the state: in resets, keyframes, saved states
fn rests_are_state(backend: Backend) {
    let m = Model::from_xml_path("models/plastic.xml").unwrap();
    let mut batch = worlds(&m, 2, backend);
    let n = m.nplastic;
    let close = |have: &[f64], want: &[f64]| error(have, want) < 1e-6;
    assert!(close(&read(&mut batch, "plastic")[..n], &m.plastic0));
    batch.reset_where(&[false, true], To::Key(0)).unwrap();
    let key = read(&mut batch, "plastic");
    assert!(close(&key[..n], &m.plastic0));
    assert!(close(&key[n..], &m.key_plastic));
    let saved = batch.save().unwrap();
    batch.step(20).unwrap();
    assert!(!close(&read(&mut batch, "plastic")[n..], &m.key_plastic));
    batch.restore(&saved).unwrap();
    assert_eq!(read(&mut batch, "plastic"), key);
}

on_every_backend!(
    springs_yield,
    surfaces_carry,
    contacts_stick,
    what_sticks_hangs,
    what_sticks_is_pulled_on_the_floor_and_above_it,
    a_crate_on_a_belt_moves_with_it,
    rests_are_state
);
