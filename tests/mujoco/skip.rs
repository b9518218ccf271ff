//! Computations that skip stages with known results, on every backend, as MuJoCo 4.0.0's `mj_forwardSkip` and `mj_inverseSkip`
//! (`tests/golden/make_skip.py` makes the same calls).

use crate::common::backends::{by_precision, on, on_every_backend, worlds};
use crate::common::{Golden, error};
use manyworlds::batch::{Backend, In, Overflow, Skip, To};
use manyworlds::{Batch, Model};

on_every_backend!(
    calls_find_what_mujoco_finds,
    what_is_left_out_is_not_touched,
    worlds_that_begin_know_nothing,
    all_is_what_forward_computes,
    no_steps_leave_what_is_known,
);

const STATE: [&str; 6] = ["time", "qpos", "qvel", "act", "ctrl", "qacc_warmstart"];
const OUT: [&str; 6] = [
    "xpos",
    "cvel",
    "qfrc_passive",
    "qacc",
    "sensordata",
    "qfrc_inverse",
];
const WORLDS: usize = 3;

// fewer models on a software adapter, which is slow
fn models(backend: Backend) -> &'static [&'static str] {
    match backend {
        Backend::Gpu => &["cartpole"],
        _ => &["humanoid", "cartpole", "sensors"],
    }
}

// true for forward and false for inverse dynamics, the skipped stages, whether sensors are computed
type Call = (bool, Skip, bool);
const CALLS: [Call; 6] = [
    (true, Skip::Pos, false),
    (true, Skip::Vel, true),
    (false, Skip::Vel, false),
    (false, Skip::Pos, true),
    (true, Skip::None, false),
    (false, Skip::None, false),
];

fn call(batch: &mut Batch, (forward, skip, sensors): Call) {
    match forward {
        true => batch.forward_skip(skip, sensors),
        false => batch.inverse_skip(skip, sensors),
    }
    .unwrap();
}

fn model(name: &str) -> Model {
    let mut m = Model::from_xml_path(format!("models/{name}.xml")).unwrap();
    m.edit(|m| (m.opt.tolerance, m.opt.iterations) = (1e-14, 100))
        .unwrap();
    m
}

fn read(batch: &mut Batch, name: &str) -> Vec<f64> {
    batch.reals(name).unwrap().to_vec()
}

// worlds in motion, with all arrays computed
fn started(golden: &Golden, name: &str, backend: Backend) -> Batch {
    let mut batch = worlds(&model(name), WORLDS, backend);
    for field in STATE {
        let values = golden.get(&format!("{name}/in/{field}")).unwrap();
        batch.set(field, values).unwrap();
    }
    batch.forward().unwrap();
    batch
}

fn calls_find_what_mujoco_finds(backend: Backend) {
    let golden = Golden::open("tests/golden/skip.npz");
    for &name in models(backend) {
        let mut batch = started(&golden, name, backend);
        let check = |batch: &mut Batch, at: String| {
            for field in OUT {
                let want = golden.get(&format!("{at}/{field}")).unwrap();
                let e = error(&read(batch, field), want);
                // the force of a stiff row amplifies a small difference
                let single = if field == "qfrc_inverse" { 0.2 } else { 5e-3 };
                let tolerance = by_precision(backend, 1e-8, single);
                assert!(e < tolerance, "{backend:?} {at} {field}: {e:e}");
            }
        };
        if backend != Backend::Gpu {
            // before the first inverse dynamics the arrays are zero, as in MuJoCo; a device has no memory for some of them yet
            check(&mut batch, name.to_owned());
        }
        for (k, what) in CALLS.into_iter().enumerate() {
            let at = format!("{name}/{k}");
            let before = format!("{at}/set/");
            let given = golden.arrays.iter();
            for (field, (_, values)) in
                given.filter_map(|(name, x)| Some((name.strip_prefix(&before)?, x)))
            {
                batch.set(field, values).unwrap();
            }
            call(&mut batch, what);
            check(&mut batch, at);
        }
    }
}

fn what_is_left_out_is_not_touched(backend: Backend) {
    let golden = Golden::open("tests/golden/skip.npz");
    let name = *models(backend).last().unwrap();
    let mut batch = started(&golden, name, backend);
    let of_pos = ["xpos", "cdof", "M", "qLD", "actuator_length", "ten_length"];
    let of_vel = ["cvel", "qfrc_bias", "qfrc_passive", "actuator_velocity"];
    let m = batch.model().clone();
    let moved: Vec<f64> = (0..m.nv).map(|i| 0.1 * (i as f64).cos()).collect();
    let mut qpos = read(&mut batch, "qpos");
    batch
        .integrate_pos(&mut qpos, &moved.repeat(WORLDS), 1.0)
        .unwrap();
    batch.set("qpos", &qpos).unwrap();
    batch.set("qvel", &moved).unwrap();
    for (skip, kept) in [
        (Skip::Vel, [&of_pos[..], &of_vel].concat()),
        (Skip::Pos, of_pos.to_vec()),
    ] {
        for forward in [true, false] {
            let all = [&kept[..], &["sensordata"]].concat();
            let before: Vec<_> = all.iter().map(|name| read(&mut batch, name)).collect();
            call(&mut batch, (forward, skip, false));
            for (name, before) in all.iter().zip(&before) {
                assert_eq!(&read(&mut batch, name), before, "{skip:?} {name}");
            }
        }
    }
    // arrays of stages that are not skipped are written
    let before = read(&mut batch, "xpos");
    batch.forward_skip(Skip::None, true).unwrap();
    assert_ne!(read(&mut batch, "xpos"), before);
}

fn worlds_that_begin_know_nothing(backend: Backend) {
    let mut batch = worlds(&model("cartpole"), 2, backend);
    let refused = |batch: &mut Batch| {
        for done in [
            batch.forward_skip(Skip::Pos, true),
            batch.inverse_skip(Skip::Vel, true),
        ] {
            let error = done.unwrap_err().to_string();
            assert!(error.contains("nothing is computed yet"), "{error}");
        }
        batch.forward_skip(Skip::None, true).unwrap();
        batch.forward_skip(Skip::Vel, true).unwrap();
    };
    refused(&mut batch);
    batch.reset_where(&[true, false], To::Qpos0).unwrap();
    refused(&mut batch);
    batch.copy(0, &[1]).unwrap();
    refused(&mut batch);
    let state = batch.save().unwrap();
    batch.restore(&state).unwrap();
    refused(&mut batch);
}

// with `Skip::None` everything is computed; many worlds with different contacts find these again
fn all_is_what_forward_computes(backend: Backend) {
    let (name, n, steps) = match backend {
        Backend::Gpu => ("cartpole", 2, 8),
        _ => ("boxes", 11, 20),
    };
    let m = model(name);
    let run = |n: usize, skip: Option<Skip>| {
        let settings = on(backend).overflow(Overflow::Continue);
        let mut batch = Batch::with(&m, n, settings).unwrap();
        let qvel: Vec<f64> = (0..n * m.nv).map(|i| 0.3 * (i as f64).sin()).collect();
        batch.set("qvel", &qvel).unwrap();
        batch.step(steps).unwrap();
        batch.forward().unwrap();
        let force: Vec<f64> = (0..m.nv).map(|i| (0.7 * i as f64).cos()).collect();
        batch.set("qfrc_applied", &force).unwrap();
        match skip {
            Some(skip) => batch.forward_skip(skip, true).unwrap(),
            None => batch.forward().unwrap(),
        }
        ["qacc", "efc_force", "qfrc_constraint", "cvel"].map(|name| read(&mut batch, name))
    };
    let want = run(n, None);
    assert_eq!(want[1].iter().any(|f| *f > 0.0), name == "boxes");
    for skip in [Skip::None, Skip::Pos, Skip::Vel] {
        assert_eq!(run(n, Some(skip)), want, "{skip:?}");
    }
}

// many worlds, in several tiles per thread, which touch the floor at different times
fn no_steps_leave_what_is_known(backend: Backend) {
    let name = *models(backend).first().unwrap();
    let m = model(name);
    let n = by_precision(backend, 5, 40);
    let begin = || {
        let mut batch = worlds(&m, n, backend);
        let qpos = (0..n).flat_map(|w| {
            let mut qpos = m.qpos0.clone();
            qpos[m.nq.min(3) - 1] -= 0.05 * w as f64;
            qpos
        });
        batch.set("qpos", &qpos.collect::<Vec<_>>()).unwrap();
        batch
    };
    let mut none = begin();
    none.step(0).unwrap();
    let error = none.forward_skip(Skip::Vel, false).unwrap_err();
    assert!(
        error.to_string().contains("nothing is computed yet"),
        "{error}"
    );

    let (mut one, mut two) = (begin(), begin());
    for batch in [&mut one, &mut two] {
        batch.forward().unwrap();
    }
    let ctrl = vec![0.3; m.nu];
    one.set("ctrl", &ctrl).unwrap();
    two.control(&[("ctrl", In::F64(&ctrl))], 0, &mut [])
        .unwrap();
    for batch in [&mut one, &mut two] {
        batch.forward_skip(Skip::Vel, true).unwrap();
    }
    assert_eq!(one.worlds().unwrap(), two.worlds().unwrap());
}
