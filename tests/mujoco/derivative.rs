//! The linearised step, against MuJoCo's, on every backend, and with bad worlds.

use crate::common::backends::{by_precision, on, on_every_backend, worlds};
use crate::common::{Golden, error};
use manyworlds::batch::{Backend, Differences, InverseSlopes, Overflow, Transition};
use manyworlds::{Batch, Error, Model};

on_every_backend!(
    slopes_of_a_step_are_those_of_mujoco,
    slopes_of_inverse_dynamics_are_those_of_mujoco,
    fourth_order_steps_have_slopes_too,
    what_cannot_be_told_is_said,
    more_worlds_than_are_perturbed_at_a_time_are_each_as_alone,
);

/// States of the goldens that tests/golden/make_derivative.py uses.
const STATES: [usize; 3] = [0, 1, 4];
const CENTERED: Differences = Differences {
    centered: true,
    ..Differences::F64
};

fn model(name: &str) -> Model {
    let mut m =
        Model::from_xml_path(format!("models/{name}.xml")).unwrap_or_else(|e| panic!("{e}"));
    Golden::tighten(&mut m);
    m
}

/// Worlds at the states of a model's golden.
fn batch(m: &Model, name: &str, backend: Backend) -> Batch {
    let settings = on(backend).overflow(Overflow::Grow);
    let golden = Golden::open(&format!("tests/golden/{name}.npz"));
    let mut batch = Batch::with(m, STATES.len(), settings).unwrap();
    for field in golden
        .arrays
        .keys()
        .filter_map(|name| name.strip_prefix("in/"))
    {
        let rows: Vec<f64> = STATES
            .iter()
            .flat_map(|&k| golden.state(&format!("in/{field}"), k))
            .copied()
            .collect();
        batch.set(field, &rows).unwrap();
    }
    batch
}

fn state(batch: &mut Batch) -> [Vec<f64>; 2] {
    ["qpos", "qvel"].map(|name| batch.reals(name).unwrap().to_vec())
}

fn matrices(t: &Transition) -> [(&'static str, &[f64]); 4] {
    [("A", &t.A), ("B", &t.B), ("C", &t.C), ("D", &t.D)]
}

fn slopes_of_a_step_are_those_of_mujoco(backend: Backend) {
    let golden = Golden::open("tests/golden/derivative.npz");
    match backend {
        Backend::Cpu => {
            let names = [
                "humanoid",
                "actuators",
                "free_bodies",
                "implicit",
                "sensors",
                "elliptic",
            ];
            names
                .iter()
                .for_each(|name| slopes_by_small_steps(&golden, name));
        }
        // models that are smooth at the scale of the larger differences that f32 needs
        Backend::Simd => ["pendula", "implicitfast"]
            .iter()
            .for_each(|name| slopes_by_large_steps(name, backend)),
        _ => slopes_by_large_steps("pendula", backend),
    }
}

// against MuJoCo's finite differences
fn slopes_by_small_steps(golden: &Golden, name: &str) {
    let mut far = Vec::new();
    let m = model(name);
    let mut batch = batch(&m, name, Backend::Cpu);
    let before = state(&mut batch);
    for (way, by) in [("", CENTERED), ("one_way/", Differences::F64)] {
        if !by.centered {
            // controls at the end of their range are perturbed inwards
            let rows = batch.reals("ctrl").unwrap().to_vec();
            let at_end = |(i, ctrl): (usize, f64)| match m.actuator_ctrllimited[i % m.nu] {
                0 => ctrl,
                _ => m.actuator_ctrlrange[2 * (i % m.nu) + 1],
            };
            let rows: Vec<f64> = rows.into_iter().enumerate().map(at_end).collect();
            batch.set("ctrl", &rows).unwrap();
        }
        let found = batch.transition(Some(by)).unwrap();
        assert!(found.bad.is_empty(), "{name}");
        for (field, have) in matrices(&found) {
            let want = golden.get(&format!("{name}/{way}{field}")).unwrap();
            let n = have.len() / STATES.len();
            for k in (0..STATES.len()).filter(|_| n > 0) {
                let e = error(&have[k * n..][..n], &want[k * n..][..n]);
                if e > 1e-6 {
                    let state = STATES[k];
                    far.push(format!(
                        "{name}: {way}{field} of state {state} is off by {e:.1e}"
                    ));
                }
            }
        }
    }
    // the states of the worlds are unchanged
    assert_eq!(before, state(&mut batch), "{name}");
    assert!(far.is_empty(), "{}", far.join("\n"));
}

// against the reference, which is compared with MuJoCo above
fn slopes_by_large_steps(name: &str, backend: Backend) {
    let m = model(name);
    let near = batch(&m, name, backend).transition(None).unwrap();
    let by = Differences {
        eps: Differences::F32.eps,
        ..CENTERED
    };
    let want = batch(&m, name, Backend::Cpu).transition(Some(by)).unwrap();
    for ((field, have), (_, want)) in matrices(&near).into_iter().zip(matrices(&want)) {
        let e = error(have, want);
        assert!(e < 1e-3, "{name}: {field} is off by {e:.1e}");
    }
}

fn inverse_matrices(s: &InverseSlopes) -> [(&'static str, &[f64]); 7] {
    [
        ("DfDq", &s.DfDq),
        ("DfDv", &s.DfDv),
        ("DfDa", &s.DfDa),
        ("DsDq", &s.DsDq),
        ("DsDv", &s.DsDv),
        ("DsDa", &s.DsDa),
        ("DmDq", &s.DmDq),
    ]
}

// the worlds of a golden, with the accelerations of its inverse dynamics
fn accelerated(m: &Model, name: &str, backend: Backend) -> Batch {
    let mut batch = batch(m, name, backend);
    let of_state = |k: usize| (0..m.nv).map(move |i| 3.0 * ((i + k) as f64).sin());
    let qacc: Vec<f64> = STATES.into_iter().flat_map(of_state).collect();
    batch.set("qacc", &qacc).unwrap();
    batch
}

fn slopes_of_inverse_dynamics_are_those_of_mujoco(backend: Backend) {
    if backend != Backend::Cpu {
        return inverse_slopes_by_large_steps(backend);
    }
    let golden = Golden::open("tests/golden/derivative.npz");
    for name in [
        "actuators",
        "free_bodies",
        "implicit",
        "sensors",
        "elliptic",
    ] {
        let m = model(name);
        let mut batch = accelerated(&m, name, backend);
        let before = batch.reals("qacc").unwrap().to_vec();
        for (way, actuation) in [("inverse", false), ("actuated", true)] {
            let found = batch.inverse_slopes(None, actuation).unwrap();
            assert!(found.bad.is_empty(), "{name}");
            for (field, have) in inverse_matrices(&found) {
                let want = golden.get(&format!("{name}/{way}/{field}")).unwrap();
                let e = error(have, want);
                assert!(e < 1e-6, "{name}: {way} {field} is off by {e:.1e}");
            }
        }
        assert_eq!(batch.reals("qacc").unwrap(), before, "{name}");
    }
}

// against the reference, which is compared with MuJoCo above
fn inverse_slopes_by_large_steps(backend: Backend) {
    let name = "pendula";
    let m = model(name);
    let by = Some(Differences::F32);
    let near = accelerated(&m, name, backend)
        .inverse_slopes(None, true)
        .unwrap();
    let want = accelerated(&m, name, Backend::Cpu)
        .inverse_slopes(by, true)
        .unwrap();
    assert!(want.DfDa.iter().any(|x| x.abs() > 0.1));
    for ((field, have), (_, want)) in inverse_matrices(&near)
        .into_iter()
        .zip(inverse_matrices(&want))
    {
        let e = error(have, want);
        assert!(e < 1e-3, "{name}: {field} is off by {e:.1e}");
    }
}

fn fourth_order_steps_have_slopes_too(backend: Backend) {
    // a slide without force: x' = x + h v, v' = v
    let xml = r#"<mujoco><option integrator="RK4" timestep="0.01" gravity="0 0 0"/>
        <worldbody><body><joint name="x" type="slide"/><geom size="0.1" mass="2"/></body></worldbody>
        <actuator><motor joint="x"/></actuator></mujoco>"#;
    let m = Model::from_xml_str(xml).unwrap();
    let found = worlds(&m, 1, backend).transition(None).unwrap();
    let off = error(&found.A, &[1.0, 0.01, 0.0, 1.0])
        .max(error(&found.B, &[0.5 * 1e-4 / 2.0, 0.01 / 2.0]));
    let tolerance = by_precision(backend, 1e-9, 1e-4);
    assert!(off < tolerance, "{found:?}");
}

fn what_cannot_be_told_is_said(backend: Backend) {
    let m = model("pendula");
    let mut batch = batch(&m, "pendula", backend);
    let eps = |eps| Differences { eps, ..CENTERED };
    for bad in [0.0, -1e-6, f64::NAN, f64::INFINITY] {
        let e = batch.transition(Some(eps(bad))).unwrap_err();
        assert!(
            matches!(&e, Error::Input(msg) if msg.contains("positive")),
            "{e}"
        );
    }
    // one world of three is bad; the derivatives of the others do not change by it
    let good = batch.transition(None).unwrap();
    let mask = [false, true, false];
    batch
        .set_where("qvel", &mask, &vec![f64::NAN; m.nv])
        .unwrap();
    let found = batch.transition(None).unwrap();
    assert_eq!(found.bad, [1]);
    let n = found.ndx * found.ndx;
    assert_eq!(found.A[..n], good.A[..n]);
    assert_eq!(found.A[2 * n..], good.A[2 * n..]);
}

fn more_worlds_than_are_perturbed_at_a_time_are_each_as_alone(backend: Backend) {
    let xml = r#"<mujoco><worldbody><body><joint name="h" type="hinge" axis="0 1 0"/><geom size="0.1" pos="0 0 -0.5"/></body></worldbody>
        <actuator><motor joint="h"/></actuator></mujoco>"#;
    let m = Model::from_xml_str(xml).unwrap();
    // four perturbed worlds each, in two chunks, the second of them not full
    let n = 5000;
    let qpos: Vec<f64> = (0..n).map(|w| 0.001 * f64::from(w)).collect();
    let mut batch = worlds(&m, n as usize, backend);
    batch.set("qpos", &qpos).unwrap();
    let all = batch.transition(None).unwrap();
    assert_eq!(all.A.len(), 4 * n as usize);
    for w in [0, 4095, 4096, 4999] {
        let mut alone = worlds(&m, 1, backend);
        alone.set("qpos", &qpos[w..=w]).unwrap();
        let alone = alone.transition(None).unwrap();
        assert_eq!(all.A[4 * w..][..4], alone.A[..], "world {w}");
        assert_eq!(all.B[2 * w..][..2], alone.B[..], "world {w}");
    }
}
