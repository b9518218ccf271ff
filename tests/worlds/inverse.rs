//! Inverse dynamics of many worlds recovers the forces that forward dynamics was given, on every backend.

use crate::common::backends::{by_precision, on, on_every_backend};
use manyworlds::batch::{Backend, Overflow};
use manyworlds::types::{ENBL_FWDINV, ENBL_INVDISCRETE, Integrator};
use manyworlds::{Batch, Data, Model};

on_every_backend!(
    what_is_applied_is_found_again,
    an_acceleration_can_be_given,
    a_step_is_inverted,
    growth_keeps_what_was_given,
    runge_kutta_has_no_inverse_over_a_timestep,
    comparing_changes_nothing,
    the_inverse_over_a_timestep_is_another,
);

const NWORLD: usize = 5;

fn model(name: &str) -> Model {
    let mut m = Model::from_xml_path(format!("models/{name}.xml")).unwrap();
    m.edit(|m| (m.opt.tolerance, m.opt.iterations) = (1e-14, 100))
        .unwrap();
    m
}

fn batch(m: &Model, backend: Backend) -> Batch {
    Batch::with(m, NWORLD, on(backend)).unwrap()
}

// worlds in different states of motion, with applied forces
fn on_their_way(batch: &mut Batch) {
    let values = |n: usize| (0..n).map(|k| (k as f64 * 1.7).sin()).collect::<Vec<f64>>();
    let m = batch.model().clone();
    batch.set("qfrc_applied", &values(NWORLD * m.nv)).unwrap();
    batch.set("ctrl", &values(NWORLD * m.nu)).unwrap();
    batch
        .set("xfrc_applied", &values(NWORLD * 6 * m.nbody))
        .unwrap();
    batch.step(20).unwrap();
}

fn read(batch: &mut Batch, name: &str) -> Vec<f64> {
    batch.reals(name).unwrap().to_vec()
}

// generalized forces of actuators and applied forces
fn applied(batch: &mut Batch) -> Vec<f64> {
    let [smooth, passive, bias] =
        ["qfrc_smooth", "qfrc_passive", "qfrc_bias"].map(|name| read(batch, name));
    (0..smooth.len())
        .map(|i| smooth[i] - passive[i] + bias[i])
        .collect()
}

fn near(have: &[f64], want: &[f64], size: f64, tolerance: f64, what: &str) {
    assert_eq!(have.len(), want.len());
    for (i, (a, b)) in have.iter().zip(want).enumerate() {
        let off = (a - b).abs() / (1.0 + size);
        assert!(off < tolerance, "{what}: {i}: {a} for {b}");
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |size, x| f64::max(size, x.abs()))
}

fn what_is_applied_is_found_again(backend: Backend) {
    let tolerance = by_precision(backend, 1e-6, 2e-3);
    // fewer models on a device, since the parity tests compare every kernel
    let names: &[&str] = match backend {
        Backend::Gpu => &["humanoid"],
        _ => &["humanoid", "elliptic", "equalities", "tendons"],
    };
    for name in names {
        let m = model(name);
        let mut batch = batch(&m, backend);
        on_their_way(&mut batch);
        batch.forward().unwrap();
        let want = applied(&mut batch);
        let [force, qacc] = ["qfrc_constraint", "qacc"].map(|name| read(&mut batch, name));
        batch.inverse().unwrap();
        let size = largest(&force).max(largest(&read(&mut batch, "qfrc_bias")));
        for (field, want) in [("qfrc_inverse", &want), ("qfrc_constraint", &force)] {
            near(&read(&mut batch, field), want, size, tolerance, name);
        }
        assert_eq!(read(&mut batch, "qacc"), qacc, "{name}: qacc");
    }
}

/// The first call on a device moves the worlds into a larger layout, and their state is kept.
fn an_acceleration_can_be_given(backend: Backend) {
    let m = model("quadruped");
    let mut batch = batch(&m, backend);
    let qvel: Vec<f64> = (0..NWORLD * m.nv).map(|k| (k as f64).cos()).collect();
    batch.set("qvel", &qvel).unwrap();
    batch.set("qacc", &vec![0.5; m.nv]).unwrap();
    batch.inverse().unwrap();
    near(&read(&mut batch, "qvel"), &qvel, 0.0, 1e-6, "qvel");
    assert!(read(&mut batch, "qacc").iter().all(|x| *x == 0.5));
    let have = read(&mut batch, "qfrc_inverse");

    // the worlds can step afterwards
    batch.step(1).unwrap();
    assert!(batch.flags().unwrap().is_empty());

    // compared with the reference, world by world
    for (have, qvel) in have.chunks(m.nv).zip(qvel.chunks(m.nv)) {
        let mut d = Data::new(&m);
        d.qvel.copy_from_slice(qvel);
        d.qacc.fill(0.5);
        manyworlds::cpu::inverse(&m, &mut d);
        let size = largest(&d.qfrc_inverse);
        let tolerance = by_precision(backend, f64::MIN_POSITIVE, 1e-4);
        near(have, &d.qfrc_inverse, size, tolerance, "qfrc_inverse");
    }
}

/// The change of velocity in a step, divided by the timestep, is the acceleration whose inverse dynamics gives the applied force.
fn a_step_is_inverted(backend: Backend) {
    // in f32 the error of a difference of velocities is divided by the timestep
    let tolerance = by_precision(backend, 1e-6, 2e-3);
    let names: &[&str] = match backend {
        Backend::Gpu => &["servos"],
        _ => &["humanoid", "servos", "free_bodies"],
    };
    for integrator in [
        Integrator::Euler,
        Integrator::Implicit,
        Integrator::ImplicitFast,
    ] {
        for name in names {
            let mut m = model(name);
            m.edit(|m| {
                m.opt.integrator = integrator as i32;
                m.opt.enableflags |= ENBL_INVDISCRETE;
            })
            .unwrap();
            let mut batch = batch(&m, backend);
            on_their_way(&mut batch);
            let start = batch.save().unwrap();
            let before = read(&mut batch, "qvel");
            batch.step(1).unwrap();
            let want = applied(&mut batch);
            let after = read(&mut batch, "qvel");
            let rate = |i: usize| (after[i] - before[i]) / m.opt.timestep;
            let qacc: Vec<f64> = (0..before.len()).map(rate).collect();
            // recomputes the actuator forces of the step
            batch.restore(&start).unwrap();
            batch.forward().unwrap();
            batch.set("qacc", &qacc).unwrap();
            batch.inverse().unwrap();
            let size = largest(&read(&mut batch, "qfrc_constraint")).max(largest(&want));
            let have = read(&mut batch, "qfrc_inverse");
            near(
                &have,
                &want,
                size,
                tolerance,
                &format!("{name}, {integrator:?}"),
            );
        }
    }
}

fn growth_keeps_what_was_given(backend: Backend) {
    let m = model("quadruped");
    let mut batch = batch(&m, backend);
    batch.step(300).unwrap();
    let state = read(&mut batch, "qpos");
    let force = |nconmax: usize| {
        let settings = on(backend).overflow(Overflow::Grow).nconmax(nconmax);
        let mut batch = Batch::with(&m, NWORLD, settings).unwrap();
        batch.set("qpos", &state).unwrap();
        batch.set("qacc", &vec![0.25; m.nv]).unwrap();
        batch.inverse().unwrap();
        let grown = batch.model().nconmax > nconmax;
        (read(&mut batch, "qfrc_inverse"), grown)
    };
    let (want, grown) = force(100);
    assert!(!grown);
    assert_eq!(force(1), (want, true));
}

fn runge_kutta_has_no_inverse_over_a_timestep(backend: Backend) {
    let mut m = model("rk4");
    m.edit(|m| m.opt.enableflags |= ENBL_INVDISCRETE).unwrap();
    let error = batch(&m, backend).inverse().unwrap_err();
    assert!(error.to_string().contains("Runge-Kutta"), "{error}");
}

/// With the flag `fwdinv` a step reports the difference of forward and inverse dynamics, and its result is unchanged.
fn comparing_changes_nothing(backend: Backend) {
    let tolerance = by_precision(backend, 1e-5, 1e-2);
    let mut m = model("humanoid");
    let mut plain = batch(&m, backend);
    m.edit(|m| m.opt.enableflags |= ENBL_FWDINV).unwrap();
    let mut comparing = batch(&m, backend);
    on_their_way(&mut plain);
    on_their_way(&mut comparing);
    for name in ["qpos", "qvel", "efc_force", "qfrc_constraint"] {
        let [a, b] = [&mut plain, &mut comparing].map(|batch| read(batch, name));
        assert_eq!(a, b, "{backend:?}: {name}");
    }
    let off = largest(&read(&mut comparing, "solver_fwdinv"));
    let size = largest(&read(&mut comparing, "qfrc_constraint"));
    assert!(
        off > 0.0 && off < tolerance * (1.0 + size),
        "{backend:?}: {off} of {size}"
    );
    assert_eq!(largest(&read(&mut plain, "solver_fwdinv")), 0.0);
}

/// With damped joints the acceleration at an instant differs from the acceleration over a timestep.
fn the_inverse_over_a_timestep_is_another(backend: Backend) {
    let mut m = model("humanoid");
    m.edit(|m| m.opt.enableflags |= ENBL_FWDINV | ENBL_INVDISCRETE)
        .unwrap();
    let mut batch = batch(&m, backend);
    on_their_way(&mut batch);
    let off = read(&mut batch, "solver_fwdinv");
    assert!(off.iter().all(|x| *x > 1.0), "{backend:?}: {off:?}");
}
