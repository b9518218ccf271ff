//! Policies from files: their controls, rollouts with them on every backend, and invalid files.

use crate::common::backends::{by_precision, on_every_backend, worlds};
use crate::common::program::{Named, npz, path, run};
use manyworlds::Model;
use manyworlds::batch::Backend;
use manyworlds::policy::Policy;
use tempfile::TempDir;

const CARTPOLE: &str = "models/cartpole.xml";

// three observed numbers; one hidden layer of two
const SMALL: [Named; 9] = [
    ("mean", &[3], &[0.5, 0.0, 0.0]),
    ("deviation", &[3], &[0.25, 1.0, 1e-6]),
    ("weight0", &[3, 2], &[1.0, 2.0, -0.5, 0.25, 0.1, 0.0]),
    ("bias0", &[2], &[0.125, -0.25]),
    ("weight1", &[2, 1], &[0.5, -0.75]),
    ("bias1", &[1], &[0.0625]),
    ("low", &[1], &[-0.3]),
    ("high", &[1], &[0.3]),
    ("nstep", &[], &[4.0]),
];

// the small policy with the observation `see` and with arrays of `other` replaced; an empty array removes one
fn written(dir: &TempDir, see: &str, other: &[Named]) -> String {
    let file = path(dir, "policy.npz");
    let bytes: Vec<f64> = see.bytes().map(f64::from).collect();
    let shape = [bytes.len() as u64];
    let mut arrays: Vec<Named> = vec![("observe", &shape, &bytes)];
    arrays.extend_from_slice(&SMALL);
    for own in &mut arrays {
        if let Some(other) = other.iter().find(|other| other.0 == own.0) {
            *own = *other;
        }
    }
    arrays.retain(|array| !array.1.contains(&0));
    npz(&file, &arrays);
    file
}

fn a_policy_chooses_what_its_layers_say(backend: Backend) {
    let (dir, m) = (
        TempDir::new().unwrap(),
        Model::from_xml_path(CARTPOLE).unwrap(),
    );
    let policy = Policy::open(written(&dir, "qpos[1:] qvel", &[]), &m).unwrap();
    assert_eq!(policy.nstep(), 4);
    let mut batch = worlds(&m, 3, backend);
    let states = [[0.45, 0.2, 0.0], [0.6, -0.3, 1e-6], [0.9, 4.0, -1.0]];
    let qpos: Vec<f64> = states
        .iter()
        .flat_map(|[angle, ..]| [9.0, *angle])
        .collect();
    let qvel: Vec<f64> = states.iter().flat_map(|[_, rest @ ..]| *rest).collect();
    batch.set("qpos", &qpos).unwrap();
    batch.set("qvel", &qvel).unwrap();
    policy.act(&mut batch).unwrap();
    let want = states.map(|[angle, cart, pole]| {
        let x = [
            (angle - 0.5) / 0.25,
            cart,
            (pole / 1e-6_f64).clamp(-10.0, 10.0),
        ];
        let first = (x[0] - 0.5 * x[1] + 0.1 * x[2] + 0.125).tanh();
        let second = (2.0 * x[0] + 0.25 * x[1] - 0.25).tanh();
        (0.5 * first - 0.75 * second + 0.0625).clamp(-0.3, 0.3)
    });
    let have = batch.reals("ctrl").unwrap();
    for (have, want) in have.iter().zip(want) {
        assert!(
            (have - want).abs() < 1e-6,
            "{backend:?}: {have}, not {want}"
        );
    }
}

// the policy was trained on `simd` by python/examples/walk.py
fn the_quadruped_walks(backend: Backend) {
    let m = Model::from_xml_path("models/quadruped.xml").unwrap();
    let policy = Policy::open("models/quadruped_walk.npz", &m).unwrap();
    let nworld = by_precision(backend, 2, 4);
    let mut batch = worlds(&m, nworld, backend);
    batch.reset(manyworlds::To::Key(0)).unwrap();
    batch.scatter(1, 0.02).unwrap();
    for _ in 0..150 {
        policy.act(&mut batch).unwrap();
        batch.step(policy.nstep()).unwrap();
    }
    // the distance after three seconds at half a metre per second
    for qpos in batch.reals("qpos").unwrap().chunks(m.nq) {
        let [x, y, z] = [qpos[0], qpos[1], qpos[2]];
        let stands = z > 0.2 && y.abs() < 0.5;
        assert!(
            x > 1.0 && x < 2.0 && stands,
            "{backend:?}: {:?}",
            &qpos[..7]
        );
    }
}

on_every_backend!(a_policy_chooses_what_its_layers_say, the_quadruped_walks);

#[test]
fn the_program_follows_a_policy() {
    let dir = TempDir::new().unwrap();
    let wide: [Named; 2] = [("low", &[1], &[-9.0]), ("high", &[1], &[9.0])];
    let (policy, out) = (written(&dir, "qpos[1:] qvel", &wide), path(&dir, "out.npz"));
    let every = [
        "--steps",
        "8",
        "--every",
        "1",
        "--backend",
        "cpu",
        "--noise",
        "0.1",
    ];
    let keeps = ["--keep", "qpos,qvel,ctrl", "--out", &out];
    let (code, _, said) = run(&[
        &["rollout", CARTPOLE, "--ctrl", &policy],
        &every[..],
        &keeps,
    ]
    .concat());
    assert_eq!(code, 0, "{said}");
    let (_, ctrl) = crate::common::program::array(&out, "ctrl");
    let held = |frames: &[f64]| frames.iter().all(|x| *x == frames[0]);
    assert!(held(&ctrl[1..5]) && held(&ctrl[5..9]), "{ctrl:?}");
    assert!(ctrl[1] != ctrl[5] && ctrl[0] == 0.0, "{ctrl:?}");
}

#[test]
fn what_is_no_policy_for_the_model_is_told() {
    let (dir, m) = (
        TempDir::new().unwrap(),
        Model::from_xml_path(CARTPOLE).unwrap(),
    );
    let see = "qpos[1:] qvel";
    let cases: [(&str, &[Named], &str); 12] = [
        (
            "qpos[1:] qvle",
            &[],
            "observe: qvle is no array of a world; did you mean qvel?",
        ),
        (
            "qpos[1:] qvel[",
            &[],
            "\"qvel[\" is not a field or a part of one; write it like qvel, qpos[2:] or xpos[3:6]",
        ),
        (
            "qpos[1:9]",
            &[],
            "\"qpos[1:9]\": qpos has 2 numbers in this model",
        ),
        (
            "qpos[2:] qvel",
            &[],
            "\"qpos[2:]\": qpos has 2 numbers in this model",
        ),
        (
            "qvel",
            &[],
            "deviation: has shape [3], which does not fit the other arrays and the model",
        ),
        (
            see,
            &[("weight0", &[2, 2], &[0.0; 4])],
            "weight0: has shape [2, 2]",
        ),
        (
            see,
            &[("bias1", &[2], &[0.0; 2])],
            "weight1: has shape [2, 1]",
        ),
        (
            see,
            &[("weight1", &[0], &[])],
            "the last layer has 2 outputs, and the model 1 controls",
        ),
        (
            see,
            &[("deviation", &[3], &[1.0, 0.0, 1.0])],
            "deviation: is not above 0",
        ),
        (see, &[("low", &[1], &[2.0])], "low: is above high"),
        (
            see,
            &[("nstep", &[], &[0.5])],
            "nstep: is 0.5; 1 to 1000000 is needed",
        ),
        (
            see,
            &[("mean", &[0], &[])],
            "there is no file \"mean.npy\" in the archive",
        ),
    ];
    for (see, other, want) in cases {
        let file = written(&dir, see, other);
        let said = Policy::open(&file, &m).unwrap_err().to_string();
        assert!(
            said.contains(want) && said.contains("policy.npz"),
            "{said}\nnot {want}"
        );
    }
    let file = path(&dir, "none.npz");
    assert!(
        Policy::open(&file, &m)
            .unwrap_err()
            .to_string()
            .contains("none.npz")
    );
    std::fs::write(&file, "no zip").unwrap();
    assert!(Policy::open(&file, &m).is_err());
    let said = Policy::open(dir.path(), &m).unwrap_err().to_string();
    assert!(said.contains("is not a regular file"), "{said}");
}
