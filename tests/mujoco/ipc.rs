//! Steps with the flag `ipc` and flexes of dim 2, against MuJoCo 4.0.0 (`tests/golden/make_ipc.py`), on every backend.

use crate::common::backends::{by_precision, on, on_every_backend};
use crate::common::{error, numbers};
use manyworlds::batch::Backend;
use manyworlds::compile::missing;
use manyworlds::types::OVERFLOW_IPC;
use manyworlds::{Batch, Model};
use serde_json::Value;

on_every_backend!(
    steps_are_mujocos,
    surfaces_stay_apart,
    a_copied_world_goes_on_as_the_first,
    a_world_with_numbers_of_its_own_is_that_of_their_model
);

const WORLDS: usize = 2;

fn cases() -> Vec<Value> {
    let text = std::fs::read_to_string("tests/golden/ipc.json").unwrap();
    serde_json::from_str(&text).unwrap()
}

fn model(case: &Value) -> Model {
    Model::from_xml_str(case["xml"].as_str().unwrap())
        .unwrap_or_else(|e| panic!("{}: {e}", case["name"]))
}

fn begin(m: &Model, backend: Backend) -> Batch {
    Batch::with(m, WORLDS, on(backend)).unwrap()
}

fn steps_are_mujocos(backend: Backend) {
    let mut wrong = String::new();
    for case in cases() {
        let m = model(&case);
        let mut batch = begin(&m, backend);
        let later = case["later"].as_object().unwrap();
        let mut later: Vec<(usize, &Value)> =
            later.iter().map(|(k, x)| (k.parse().unwrap(), x)).collect();
        later.sort_by_key(|(k, _)| *k);
        let mut done = 0;
        for (steps, said) in later {
            batch.step(steps - done).unwrap();
            done = steps;
            for (name, want) in numbers(said) {
                let have = match batch.read(name).unwrap() {
                    manyworlds::fields::View::Real(x) => x.to_vec(),
                    manyworlds::fields::View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
                };
                // in single precision a touch may begin a step earlier, and a rounding of the position is much of a force
                let rough = matches!(
                    name,
                    "qacc"
                        | "qfrc_constraint"
                        | "sensordata"
                        | "flexvert_lambda"
                        | "flexvert_conage"
                );
                if backend != Backend::Cpu && rough {
                    continue;
                }
                let tolerance = by_precision(backend, 1e-6, 2e-3);
                let e = error(&have[..want.len()], &want);
                if e.is_nan() || e > tolerance {
                    wrong += &format!(
                        "{}: {name} after {steps} steps is off by {e:.1e}\n",
                        case["name"]
                    );
                }
            }
            let flags = batch.flags().unwrap();
            assert!(
                flags.iter().all(|flag| flag.overflow & OVERFLOW_IPC == 0),
                "{flags:?}"
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

// a cloth that is thrown at a floor and a thin plate moves by several of its thicknesses a step
fn surfaces_stay_apart(backend: Backend) {
    let cloth = r#"<flexcomp name="cloth" type="grid" dim="2" count="4 4 1" spacing=".03 .03 .03" pos="0 0 .06" euler="20 10 0"
        radius=".002" mass=".05"><edge equality="true"/></flexcomp>"#;
    let text = format!(
        r#"<mujoco><option integrator="discrete" timestep="0.004"><flag ipc="enable"/></option><worldbody>
        <geom type="plane" size="1 1 .1"/><geom type="box" size=".02 .02 .0005" pos="0 0 .02"/>{cloth}</worldbody></mujoco>"#
    );
    let m = Model::from_xml_str(&text).unwrap();
    let mut batch = begin(&m, backend);
    let mut qvel = vec![0.0; WORLDS * m.nv];
    qvel.iter_mut().skip(2).step_by(3).for_each(|v| *v = -20.0);
    batch.set("qvel", &qvel).unwrap();
    for _ in 0..10 {
        batch.step(1).unwrap();
        let vertices = batch.reals("flexvert_xpos").unwrap();
        let (vertices, _) = vertices.as_chunks::<3>();
        let inside =
            |[x, y, z]: &&[f64; 3]| *z < 0.0 || x.abs() < 0.02 && y.abs() < 0.02 && *z < 0.0195;
        assert_eq!(vertices.iter().find(inside), None);
    }
}

// multipliers and ages of contacts are copied with a world
fn a_copied_world_goes_on_as_the_first(backend: Backend) {
    let cases = cases();
    let case = cases.iter().find(|case| case["name"] == "folded").unwrap();
    let m = model(case);
    let mut batch = begin(&m, backend);
    batch.step(25).unwrap();
    let mut qvel = batch.reals("qvel").unwrap().to_vec();
    qvel[m.nv..].iter_mut().for_each(|v| *v *= 1.5);
    batch.set("qvel", &qvel).unwrap();
    batch.step(10).unwrap();
    let lambda = batch.reals("flexvert_lambda").unwrap();
    assert!(lambda[..m.nflexvert].iter().any(|x| *x > 0.0));
    batch.copy(0, &[1]).unwrap();
    for name in ["qpos", "flexvert_lambda"] {
        let x = batch.reals(name).unwrap();
        assert_eq!(x[..x.len() / 2], x[x.len() / 2..], "{name}");
    }
    batch.step(10).unwrap();
    for name in ["qpos", "qvel", "flexvert_lambda"] {
        let x = batch.reals(name).unwrap();
        assert_eq!(x[..x.len() / 2], x[x.len() / 2..], "{name} later");
    }
}

fn a_world_with_numbers_of_its_own_is_that_of_their_model(backend: Backend) {
    let cases = cases();
    let case = cases.iter().find(|case| case["name"] == "ball").unwrap();
    let m = model(case);
    let (radius, timestep) = (1.5 * m.flex_radius[0], 0.5 * m.opt.timestep);
    let mut batch = begin(&m, backend);
    batch.expand(&["flex_radius", "timestep"]).unwrap();
    let second = [false, true];
    batch.set_where("flex_radius", &second, &[radius]).unwrap();
    batch.set_where("timestep", &second, &[timestep]).unwrap();
    batch.set_const().unwrap();
    batch.step(40).unwrap();
    let mut own = m.clone();
    own.edit(|m| {
        m.flex_radius[0] = radius;
        m.opt.timestep = timestep;
    })
    .unwrap();
    for (world, m) in [&m, &own].into_iter().enumerate() {
        let mut alone = begin(m, backend);
        alone.step(40).unwrap();
        let want = alone.reals("qpos").unwrap();
        let have = &batch.reals("qpos").unwrap()[world * m.nq..][..m.nq];
        let e = error(have, &want[..m.nq]);
        assert!(
            e < by_precision(backend, 1e-12, 1e-5),
            "world {world}: {e:e}"
        );
        let lambda = batch.reals("flexvert_lambda").unwrap();
        let lambda = &lambda[world * m.nflexvert..][..m.nflexvert];
        assert!(
            lambda.iter().any(|x| *x > 0.0),
            "world {world} touches nothing"
        );
    }
}

// MuJoCo refuses the same
#[test]
fn what_no_backend_has_is_told() {
    let flex = |more: &str| {
        format!(
            r#"<flexcomp name="cloth" type="grid" dim="2" count="3 3 1" spacing=".03 .03 .03" pos="0 0 .1" radius=".002" mass=".05"
            {more}"#
        )
    };
    let pinned = flex(r#"><pin id="0 1 2 3 4 5 6 7 8"/></flexcomp>"#);
    for (bodies, what) in [
        (
            format!(
                r#"<body name="car"><joint type="slide"/><geom size=".01"/>{}</body>"#,
                flex(r#"><pin id="0"/></flexcomp>"#)
            ),
            "free vertices under a body that moves",
        ),
        (
            format!(r#"<body name="car"><joint/><geom size=".01"/>{pinned}</body>"#),
            "pinned to a body which turns",
        ),
    ] {
        let text = format!(
            r#"<mujoco><option integrator="discrete"><flag ipc="enable"/></option><worldbody>{bodies}</worldbody></mujoco>"#
        );
        let told = missing(&Model::from_xml_str(&text).unwrap());
        assert!(told.len() == 1 && told[0].contains(what), "{told:?}");
    }
}
