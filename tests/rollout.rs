//! Whole steps through the public API: the CPU against MuJoCo's goldens, the kernels against the CPU, worlds that settle.

mod common;

use common::{Golden, error};
use manyworlds::batch::{Backend, Overflow, Settings, To};
use manyworlds::compile::missing;
use manyworlds::types::Integrator;
use manyworlds::{Batch, Model};

fn settings(backend: Backend) -> Settings {
    Settings {
        backend,
        ..Settings::default()
    }
}

// random states may ask for more than a model's own guess
fn growing() -> Settings {
    Settings {
        overflow: Overflow::Grow,
        ..settings(Backend::Cpu)
    }
}

/// The models of `models/` that can be simulated, and their goldens; those of later versions are refused, which is tested elsewhere.
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

#[test]
fn five_steps_from_the_text_of_a_model_are_those_of_mujoco() {
    let mut far = Vec::new();
    for (name, golden) in models() {
        let mut m = model(&name);
        Golden::tighten(&mut m);
        let mut batch = at_states(&m, &golden, growing());
        batch.step(5).unwrap();
        for field in ["qpos", "qvel", "act", "time"] {
            let have = batch.reals(field).unwrap();
            let want = golden.get(&format!("step5/{field}")).unwrap();
            let words = have.len() / golden.nstate();
            for k in 0..golden.nstate() {
                let at = k * words..(k + 1) * words;
                let e = error(&have[at.clone()], &want[at]);
                if e > 1e-6 {
                    far.push(format!("{name}: {field} of state {k} is off by {e:.1e}"));
                }
            }
        }
    }
    assert!(far.is_empty(), "{}", far.join("\n"));
}

#[test]
fn humanoids_fall_and_settle() {
    let m = model("humanoid");
    let mut batch = Batch::with(&m, 6, settings(Backend::Cpu)).unwrap();
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

#[test]
fn a_free_body_falls_as_newton_says() {
    let m = Model::from_xml_str(
        r#"<mujoco><option timestep="0.001"/><worldbody><body pos="0 0 10"><freejoint/><geom size="0.1"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    let mut batch = Batch::with(&m, 2, settings(Backend::Cpu)).unwrap();
    batch.step(100).unwrap();
    // semi-implicit Euler: n (n + 1) / 2 times g dt²
    let fall = 9.81 * 0.001 * 0.001 * 5050.0;
    for qpos in batch.reals("qpos").unwrap().chunks(7) {
        assert!((qpos[2] - (10.0 - fall)).abs() < 1e-12);
    }
    assert!((batch.reals("time").unwrap()[1] - 0.1).abs() < 1e-12);
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

#[test]
fn keyframes_put_worlds_where_they_say() {
    let m = model("humanoid");
    let mut batch = Batch::with(&m, 3, settings(Backend::Cpu)).unwrap();
    batch.step(7).unwrap();
    batch
        .reset_where(&[false, true, false], To::Key(1))
        .unwrap();
    let qpos = batch.reals("qpos").unwrap();
    assert_eq!(qpos[m.nq..2 * m.nq], m.key_qpos[m.nq..2 * m.nq]);
    assert_ne!(qpos[..m.nq], m.key_qpos[m.nq..2 * m.nq]);
    assert_eq!(batch.reals("time").unwrap()[1], m.key_time[1]);
    assert!(batch.reset(To::Key(9)).is_err());
}

#[test]
fn room_grows_until_it_suffices_and_the_result_is_as_if_it_had() {
    let m = model("boxes");
    let run = |settings: Settings| {
        let mut batch = Batch::with(&m, 2, settings).unwrap();
        for _ in 0..4 {
            batch.step(25).unwrap();
        }
        (batch.reals("qpos").unwrap().to_vec(), batch.model().nconmax)
    };
    let (ample, _) = run(Settings {
        backend: Backend::Cpu,
        nconmax: Some(400),
        njmax: Some(1600),
        ..Settings::default()
    });
    let (grown, nconmax) = run(Settings {
        backend: Backend::Cpu,
        overflow: Overflow::Grow,
        nconmax: Some(2),
        njmax: Some(8),
        ..Settings::default()
    });
    assert!(nconmax > 2);
    assert_eq!(ample, grown);
}
