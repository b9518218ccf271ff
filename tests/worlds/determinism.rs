//! Results are bitwise reproducible on every backend: on repetition, for any number of threads and worlds, at any index, after any reset.

use crate::common::backends::{on, on_every_backend, worlds};
use manyworlds::batch::{Backend, Settings, State, To};
use manyworlds::{Batch, Model};

on_every_backend!(
    a_world_does_not_know_how_many_there_are,
    a_world_that_touches_nothing_does_not_know_of_those_that_do,
    threads_and_repeats_give_the_same_bits,
    nothing_stale_remains,
    earlier_steps_change_no_contact,
    a_state_of_another_model_is_refused,
);

fn model(name: &str) -> Model {
    Model::from_xml_path(format!("models/{name}.xml")).unwrap_or_else(|e| panic!("{e}"))
}

/// The number of steps: a fifth of `n` on a software adapter.
fn steps(backend: Backend, n: usize) -> usize {
    match backend {
        Backend::Gpu => n / 5,
        _ => n,
    }
}

/// Position, velocity and control.
type Start = (Vec<f64>, Vec<f64>, Vec<f64>);

/// Initial state `k`: deterministic small changes of hinges and velocities.
fn start(m: &Model, k: usize) -> Start {
    let wave = |i: usize| (1.0 + 12.9898 * (k + 1) as f64 * (i + 1) as f64).sin();
    let mut qpos = m.qpos0.clone();
    let first = if m.nq > m.nv { 7 } else { 0 };
    for (i, q) in qpos.iter_mut().enumerate().skip(first) {
        *q += 0.05 * wave(i);
    }
    let qvel = (0..m.nv).map(|i| 0.3 * wave(i + 100)).collect();
    let ctrl = (0..m.nu).map(|i| 0.5 * wave(i + 200)).collect();
    (qpos, qvel, ctrl)
}

/// Worlds of which world `w` starts from initial state `of(w)`.
fn batch(m: &Model, n: usize, settings: Settings, of: impl Fn(usize) -> usize) -> Batch {
    let mut batch = Batch::with(m, n, settings).unwrap();
    let starts: Vec<_> = (0..n).map(|w| start(m, of(w))).collect();
    let all = |part: fn(&Start) -> &Vec<f64>| -> Vec<f64> {
        starts.iter().flat_map(part).copied().collect()
    };
    batch.set("qpos", &all(|s| &s.0)).unwrap();
    batch.set("qvel", &all(|s| &s.1)).unwrap();
    batch.set("ctrl", &all(|s| &s.2)).unwrap();
    batch
}

/// Bits of position and velocity of every world.
fn bits(batch: &mut Batch) -> Vec<Vec<u64>> {
    let n = batch.nworld();
    let mut rows = vec![Vec::new(); n];
    for name in ["qpos", "qvel"] {
        let x = batch.reals(name).unwrap();
        for (row, x) in rows.iter_mut().zip(x.chunks(x.len() / n)) {
            row.extend(x.iter().map(|x| x.to_bits()));
        }
    }
    rows
}

const STARTS: usize = 7;

/// The bits of a single world for each initial state.
fn alone(m: &Model, backend: Backend, steps: usize) -> Vec<Vec<u64>> {
    (0..STARTS)
        .map(|k| {
            let mut one = batch(m, 1, on(backend), |_| k);
            one.step(steps).unwrap();
            bits(&mut one).remove(0)
        })
        .collect()
}

fn a_world_does_not_know_how_many_there_are(backend: Backend) {
    // a software adapter compiles the humanoid's kernels for minutes
    let large = if backend == Backend::Gpu {
        "quadruped"
    } else {
        "humanoid"
    };
    for (name, numbers, long) in [("cartpole", &[7, 64, 1000][..], 500), (large, &[7, 64], 50)] {
        let (m, steps) = (model(name), steps(backend, long));
        let alone = alone(&m, backend, steps);
        for &n in numbers {
            // initial states are not in the order of the worlds
            let of = |w: usize| (w * 5 + 3) % STARTS;
            let mut many = batch(&m, n, on(backend), of);
            many.step(steps).unwrap();
            for (w, row) in bits(&mut many).iter().enumerate() {
                assert_eq!(*row, alone[of(w)], "{name}: world {w} of {n}");
            }
        }
    }
}

/// The acceleration before is almost the present one, so rounding decides which of them would cost less.
fn a_world_that_touches_nothing_does_not_know_of_those_that_do(backend: Backend) {
    let xml = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><body pos="0 0 .5"><joint type="slide" axis="0 0 1"/><joint axis="0 1 0"/>
<geom size=".02" fromto="0 0 0 .2 .03 .05" type="capsule"/><body pos=".2 0 0"><joint axis="1 1 0"/><geom size=".03" pos=".1 .02 .03"/></body></body></worldbody></mujoco>"#;
    let m = Model::from_xml_str(xml).unwrap();
    let run = |n: usize, k: usize| {
        let mut batch = worlds(&m, n, backend);
        let turned = [0.0, 0.01 * k as f64, 0.3];
        let low = [-0.5, 0.0, 0.0];
        let rows = |first: [f64; 3], other: [f64; 3]| -> Vec<f64> {
            let of = |w: usize| if w == 0 { first } else { other };
            (0..n).flat_map(of).collect()
        };
        batch.set("qpos", &rows(turned, low)).unwrap();
        batch.forward().unwrap();
        let free = batch.reals("qacc").unwrap().to_vec();
        let near = [0, 1, 2].map(|i| free[i] * (1.0 + 6e-8 * ((i + k) % 3) as f64));
        batch.set("qacc_warmstart", &rows(near, [0.0; 3])).unwrap();
        batch.forward().unwrap();
        let bits = batch.reals("qacc").unwrap()[..3].to_vec();
        bits.into_iter().map(f64::to_bits).collect::<Vec<_>>()
    };
    for k in 0..if backend == Backend::Gpu { 2 } else { 300 } {
        assert_eq!(run(1, k), run(20, k), "{k}");
    }
}

fn threads_and_repeats_give_the_same_bits(backend: Backend) {
    let m = model("quadruped");
    let steps = steps(backend, 200);
    let run = |threads, chop: usize| {
        let settings = on(backend).threads(threads);
        let mut batch = batch(&m, 33, settings, |w| w);
        for _ in 0..steps / chop {
            batch.step(chop).unwrap();
        }
        bits(&mut batch)
    };
    let first = run(Some(1), steps);
    assert_eq!(first, run(Some(1), 1), "one call or many");
    assert_eq!(first, run(Some(2), steps / 4), "two threads");
    assert_eq!(first, run(Some(5), steps), "five threads");
}

/// After a reset of every other world, or after save and restore, earlier steps have no effect.
fn nothing_stale_remains(backend: Backend) {
    let (before, after) = (steps(backend, 60), steps(backend, 300));
    let m = model("quadruped");
    let n = 6;
    let mask: Vec<bool> = (0..n).map(|w| w % 2 == 1).collect();
    let mut used = batch(&m, n, on(backend), |w| w);
    used.step(before).unwrap();
    let saved: State = used.save().unwrap();
    let undisturbed = {
        let mut on = batch(&m, n, on(backend), |w| w);
        on.step(before).unwrap();
        on.step(after).unwrap();
        bits(&mut on)
    };

    // the worlds that are reset behave as new, the others continue unchanged
    used.reset_where(&mask, To::Qpos0).unwrap();
    used.step(after).unwrap();
    let mut fresh = worlds(&m, 1, backend);
    fresh.step(after).unwrap();
    let fresh = bits(&mut fresh).remove(0);
    for (w, row) in bits(&mut used).iter().enumerate() {
        let want = if mask[w] { &fresh } else { &undisturbed[w] };
        assert_eq!(row, want, "world {w} after the reset");
    }

    // restores the saved state, in this batch and in another
    used.restore(&saved).unwrap();
    used.step(after).unwrap();
    assert_eq!(bits(&mut used), undisturbed, "restored in place");
    let mut other = worlds(&m, n, backend);
    other.step(3).unwrap();
    other.restore(&saved).unwrap();
    other.step(after).unwrap();
    assert_eq!(bits(&mut other), undisturbed, "restored elsewhere");
    other.reset_where(&mask, To::State(&saved)).unwrap();
    assert_ne!(bits(&mut other)[1], undisturbed[1]);
}

fn a_state_of_another_model_is_refused(backend: Backend) {
    let mut m = model("quadruped");
    let saved = worlds(&m, 2, backend).save().unwrap();
    let refuses = |m: &Model, n: usize| {
        let mut batch = worlds(m, n, backend);
        batch.restore(&saved).is_err()
    };
    assert!(!refuses(&m, 2));
    assert!(refuses(&m, 3), "another number of worlds");
    m.edit(|m| m.body_mass[2] *= 1.0 + 1e-12).unwrap();
    assert!(refuses(&m, 2), "another mass");
    assert!(refuses(&model("cartpole"), 2), "another model");
}

/// Solids of every kind that roll over each other: planes that separated them before are tried first.
fn earlier_steps_change_no_contact(backend: Backend) {
    let xml = r#"<mujoco><option gravity="0 0 -20"/>
  <asset><mesh name="wedge" vertex="-.1 -.08 -.05 .1 -.08 -.05 .03 -.08 .08 -.1 .08 -.05 .1 .08 -.05 .03 .08 .08"/>
    <mesh name="gem" builtin="sphere" params="1" scale=".09 .08 .07"/></asset>
  <worldbody><geom type="plane" size="1 1 1" euler="8 0 0"/><geom type="plane" size="1 1 1" pos="0 .3 0" euler="70 0 0"/>
    <body pos="0 0 .15"><freejoint/><geom type="mesh" mesh="wedge"/></body>
    <body pos=".02 -.2 .2"><freejoint/><geom type="mesh" mesh="gem" margin=".01"/></body>
    <body pos="-.05 .1 .35"><freejoint/><geom type="ellipsoid" size=".09 .07 .05"/></body>
    <body pos=".05 -.1 .4"><freejoint/><geom type="cylinder" size=".06 .08" euler="30 20 0"/></body>
    <body pos="0 .05 .55"><freejoint/><geom type="mesh" mesh="gem"/></body>
    <body pos=".03 -.05 .7"><freejoint/><geom type="capsule" size=".05 .07" euler="60 10 0"/></body>
    <body pos="-.03 0 .85"><freejoint/><geom type="box" size=".05 .07 .09" euler="10 40 0"/></body>
  </worldbody></mujoco>"#;
    let m = Model::from_xml_str(xml).unwrap_or_else(|e| panic!("{e}"));
    let mut batch = batch(&m, 3, on(backend), |w| w);
    let mut touched = 0;
    for look in 0..steps(backend, 15) {
        batch.step(20).unwrap();
        let before = batch.save().unwrap();
        batch.step(1).unwrap();
        let mut fresh = worlds(&m, 3, backend);
        fresh.restore(&before).unwrap();
        fresh.step(1).unwrap();
        assert_eq!(bits(&mut batch), bits(&mut fresh), "look {look}");
        let ncon = batch.ints("ncon").unwrap();
        touched = ncon.iter().copied().fold(touched, i32::max);
    }
    assert!(touched > 4, "at most {touched} contacts");
}
