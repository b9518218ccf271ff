//! Fast access on every backend: `control` combines set, step and read; states are MuJoCo's vectors; worlds can be copied.

use crate::common::backends::{on, on_every_backend, worlds};
use manyworlds::batch::{Backend, In, Out, Overflow, Skip, State};
use manyworlds::types::*;
use manyworlds::{Batch, Error, Model};

on_every_backend!(
    control_is_set_step_and_read,
    control_makes_room_and_begins_again,
    control_tells_of_an_overflow_and_fills_its_outputs,
    what_does_not_fit_is_refused_before_anything_happens,
    fields_are_read_in_the_precision_of_the_caller,
    some_worlds_are_computed_and_read,
    computing_some_worlds_makes_room,
    states_are_the_vectors_of_mujoco,
    states_come_back_from_bytes,
    a_copied_world_goes_on_as_the_first,
);

// more worlds than a tile has lanes
const NWORLD: usize = 19;

/// A model whose state has every component: activation, mocap, equalities, user data.
const MIXED: &str = r#"<mujoco><size nuserdata="2"/><worldbody><geom type="plane" size="1 1 1"/>
  <body name="m" mocap="true" pos=".5 .5 1"/>
  <body name="a" pos="0 0 1"><joint name="h" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
  <body name="b" pos="0 1 1"><freejoint/><geom size=".1"/></body></worldbody>
  <equality><connect body1="a" anchor="0 0 0" active="false"/><weld body1="m" body2="b"/></equality>
  <actuator><general joint="h" dyntype="filter" dynprm=".1" gainprm="3"/></actuator></mujoco>"#;

fn mixed() -> Model {
    Model::from_xml_str(MIXED).unwrap_or_else(|e| panic!("{e}"))
}

fn cartpole() -> Model {
    Model::from_xml_path("models/cartpole.xml").unwrap_or_else(|e| panic!("{e}"))
}

// numbers representable in single precision, different for every world
fn numbers(n: usize) -> Vec<f64> {
    (0..n)
        .map(|k| ((k * 37) % 64) as f64 / 64.0 - 0.5)
        .collect()
}

fn single(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&x| x as f32).collect()
}

fn control_is_set_step_and_read(backend: Backend) {
    let m = cartpole();
    let (u, v) = (numbers(NWORLD * m.nu), numbers(m.nv));
    let mut by_hand = worlds(&m, NWORLD, backend);
    let mut fused = worlds(&m, NWORLD, backend);
    let (mut qpos, mut qvel) = (vec![0.0; NWORLD * m.nq], vec![0f32; NWORLD * m.nv]);
    let mut warning = vec![-1; NWORLD * 7];
    for turn in 0..3 {
        by_hand.set("ctrl", &u).unwrap();
        by_hand.set("qvel", &v).unwrap();
        by_hand.step(3).unwrap();
        let single = single(&u);
        let ctrl = match turn {
            0 => In::F64(&u),
            _ => In::F32(&single),
        };
        // one row for all worlds
        let inputs = [("ctrl", ctrl), ("qvel", In::F64(&v))];
        let mut outputs = [
            ("qpos", Out::F64(&mut qpos)),
            ("qvel", Out::F32(&mut qvel)),
            ("warning", Out::I32(&mut warning)),
        ];
        fused.control(&inputs, 3, &mut outputs).unwrap();
        assert_eq!(qpos, by_hand.reals("qpos").unwrap(), "{backend:?}");
        let want = by_hand.reals("qvel").unwrap().iter().map(|&x| x as f32);
        assert_eq!(qvel, want.collect::<Vec<_>>(), "{backend:?}");
        assert_eq!(warning, by_hand.ints("warning").unwrap(), "{backend:?}");
    }
}

/// Balls in a row that may be heaped up.
fn balls() -> (Model, Vec<f64>) {
    let ball = |k: usize| {
        let x = 0.25 * k as f64;
        format!(
            r#"<body pos="{x} 0 0.1"><joint type="slide" axis="1 0 0"/><geom size="0.1"/></body>"#
        )
    };
    let balls: String = (0..5).map(ball).collect();
    let xml =
        format!(r#"<mujoco><option gravity="0 0 0"/><worldbody>{balls}</worldbody></mujoco>"#);
    let heap = (0..5).map(|k| -0.24 * f64::from(k)).collect();
    (
        Model::from_xml_str(&xml).unwrap_or_else(|e| panic!("{e}")),
        heap,
    )
}

fn with_room(m: &Model, backend: Backend, overflow: Overflow, nconmax: usize) -> Batch {
    let settings = on(backend)
        .overflow(overflow)
        .nconmax(nconmax)
        .njmax(4 * nconmax);
    Batch::with(m, 3, settings).unwrap_or_else(|e| panic!("{backend:?}: {e}"))
}

fn refused(done: manyworlds::Result<()>, words: &str) {
    let text = done.expect_err(words).to_string();
    assert!(text.contains(words), "{text}");
}

fn control_makes_room_and_begins_again(backend: Backend) {
    let (m, heap) = balls();
    let control = |batch: &mut Batch| {
        let mut qpos = vec![0.0; 3 * m.nq];
        let inputs = [("qpos", In::F64(&heap))];
        let outputs = &mut [("qpos", Out::F64(&mut qpos))];
        batch.control(&inputs, 2, outputs).unwrap();
        (qpos, batch.reals("time").unwrap().to_vec())
    };
    let mut grows = with_room(&m, backend, Overflow::Grow, 2);
    let have = control(&mut grows);
    let room = grows.model().nconmax;
    assert!(room >= 10, "{backend:?}: {room} contacts");
    assert!(grows.flags().unwrap().is_empty(), "{backend:?}");
    let mut ample = with_room(&m, backend, Overflow::Error, room);
    let want = control(&mut ample);
    assert_eq!(have.1, want.1, "{backend:?}");
    for (have, want) in have.0.iter().zip(&want.0) {
        assert!((have - want).abs() < 1e-5, "{backend:?}: {have}, {want}");
    }
}

fn control_tells_of_an_overflow_and_fills_its_outputs(backend: Backend) {
    let (m, heap) = balls();
    let mut batch = with_room(&m, backend, Overflow::Error, 2);
    let mut time = vec![0f32; 3];
    let inputs = [("qpos", In::F64(&heap))];
    let done = batch.control(&inputs, 2, &mut [("time", Out::F32(&mut time))]);
    assert!(matches!(done, Err(Error::Overflow { worlds: 3, .. })));
    assert_eq!(time, [0.004; 3], "{backend:?}");
}

fn what_does_not_fit_is_refused_before_anything_happens(backend: Backend) {
    let m = cartpole();
    let mut batch = worlds(&m, NWORLD, backend);
    let mut qpos = vec![0f32; NWORLD * m.nq];
    let few = In::F32(&[0.0; 3]);
    refused(batch.control(&[("ctrl", few)], 1, &mut []), "ctrl: ");
    refused(batch.control(&[("xpos", few)], 1, &mut []), "is computed");
    let mut out = [("qpsa", Out::F32(&mut qpos))];
    refused(batch.control(&[], 1, &mut out), "did you mean qpos?");
    let mut out = [("qpos", Out::F32(&mut qpos[1..]))];
    refused(batch.control(&[], 1, &mut out), "room for 38 numbers");
    let mut ints = vec![0; NWORLD * m.nq];
    let mut out = [("qpos", Out::I32(&mut ints))];
    refused(batch.control(&[], 1, &mut out), "holds reals");
    assert_eq!(batch.reals("time").unwrap(), [0.0; NWORLD], "{backend:?}");
}

fn fields_are_read_in_the_precision_of_the_caller(backend: Backend) {
    let m = mixed();
    let mut batch = worlds(&m, NWORLD, backend);
    batch.set("qpos", &lifted(&m)).unwrap();
    batch.step(2).unwrap();
    for name in ["qpos", "xpos", "contact_dist", "efc_force", "efc_J"] {
        let want = batch.reals(name).unwrap().to_vec();
        let (mut double, mut float) = (vec![0.0; want.len()], vec![0f32; want.len()]);
        batch.read_into(name, &mut double).unwrap();
        batch.read_into(name, &mut float).unwrap();
        assert_eq!(double, want, "{backend:?}: {name}");
        assert_eq!(float, single(&want), "{backend:?}: {name}");
    }
    for name in ["eq_active", "ncon", "efc_type"] {
        let want = batch.ints(name).unwrap().to_vec();
        let (mut ints, mut float) = (vec![-1; want.len()], vec![0f32; want.len()]);
        batch.read_into(name, &mut ints).unwrap();
        batch.read_into(name, &mut float).unwrap();
        assert_eq!(ints, want, "{backend:?}: {name}");
        let want: Vec<f32> = want.iter().map(|&x| x as f32).collect();
        assert_eq!(float, want, "{backend:?}: {name}");
    }
}

// bodies lifted by another height in every world, some of them out of touch
fn lifted(m: &Model) -> Vec<f64> {
    let row = |x: f64| {
        let mut qpos = m.qpos0.clone();
        qpos[3] = 0.6 + x;
        qpos
    };
    numbers(NWORLD).into_iter().flat_map(row).collect()
}

fn some_worlds_are_computed_and_read(backend: Backend) {
    let m = mixed();
    let mut all = worlds(&m, NWORLD, backend);
    all.set("qpos", &lifted(&m)).unwrap();
    all.forward().unwrap();
    let mut some = worlds(&m, NWORLD, backend);
    some.set("qpos", &lifted(&m)).unwrap();
    let mask: Vec<bool> = (0..NWORLD).map(|w| w == 3 || w == 17).collect();
    some.forward_where(&mask).unwrap();
    for name in ["xpos", "qacc", "sensordata", "contact_dist", "efc_force"] {
        let want = all.reals(name).unwrap().to_vec();
        let mut have = vec![0.25; want.len()];
        some.read_into_where(name, &mask, &mut have).unwrap();
        for w in 0..NWORLD {
            let row = w * want.len() / NWORLD..(w + 1) * want.len() / NWORLD;
            let have = &have[row.clone()];
            match mask[w] {
                true => assert_eq!(have, &want[row], "{backend:?}: {name} of world {w}"),
                false => assert!(have.iter().all(|&x| x == 0.25), "{backend:?}: {name}"),
            }
        }
    }
    // results of the others are not known, so no stage may be skipped
    refused(
        some.forward_skip(Skip::Vel, true),
        "nothing is computed yet",
    );
    refused(some.forward_where(&[true]), "19");
    refused(
        some.read_into_where("xpos", &[true], [0f64].as_mut_slice()),
        "19",
    );
}

fn computing_some_worlds_makes_room(backend: Backend) {
    let (m, heap) = balls();
    let mut batch = with_room(&m, backend, Overflow::Grow, 2);
    // the balls of the world in the middle are in a heap
    let qpos = [vec![0.0; m.nq], heap, vec![0.0; m.nq]].concat();
    batch.set("qpos", &qpos).unwrap();
    batch.forward_where(&[false, true, false]).unwrap();
    assert_eq!(batch.ints("ncon").unwrap()[1], 10, "{backend:?}");
    assert!(batch.model().nconmax >= 10, "{backend:?}");
    let state = batch.reals("qpos").unwrap();
    assert_eq!(single(state), single(&qpos), "{backend:?}");
}

// sizes and layout are those that MuJoCo 4.0's mj_stateSize and mj_getState give for MIXED, after mj_setState put the numbers
// 0, 1/8, 2/8 … into it with mjSTATE_INTEGRATION
fn states_are_the_vectors_of_mujoco(backend: Backend) {
    let mut batch = worlds(&mixed(), NWORLD, backend);
    const SIZES: [usize; NSTATE] = [1, 8, 7, 1, 0, 7, 1, 7, 24, 2, 3, 4, 2, 0, 0];
    for (k, size) in SIZES.into_iter().enumerate() {
        assert_eq!(batch.state_size(1 << k).unwrap(), size, "element {k}");
    }
    assert_eq!(batch.state_size(STATE_INTEGRATION).unwrap(), 67);
    assert!(batch.state_size(1 << NSTATE).is_err());

    let mut all: Vec<f64> = (0..67).map(|k| f64::from(k) / 8.0).collect();
    // MuJoCo stores eq_active as 0 or 1
    const EQ_ACTIVE: usize = 56;
    all[EQ_ACTIVE..EQ_ACTIVE + 2].copy_from_slice(&[0.0, 1.0]);
    batch.set_state(STATE_INTEGRATION, &all).unwrap();
    let physics: Vec<f64> = (1..17).map(|k| f64::from(k) / 8.0).collect();
    let user: Vec<f64> = all[24..].to_vec();
    for (sig, row) in [
        (STATE_PHYSICS, &physics),
        (STATE_USER, &user),
        (STATE_INTEGRATION, &all),
    ] {
        let mut have = vec![0.0; NWORLD * row.len()];
        batch.get_state(sig, &mut have).unwrap();
        for (w, have) in have.chunks(row.len()).enumerate() {
            assert_eq!(have, row, "{backend:?}: world {w}, {sig:#x}");
        }
    }

    // a row for every world, in single precision
    let size = batch.state_size(STATE_PHYSICS).unwrap();
    let rows = single(&numbers(NWORLD * size));
    batch.set_state(STATE_PHYSICS, &rows).unwrap();
    let mut have = vec![0f32; rows.len()];
    batch.get_state(STATE_PHYSICS, &mut have).unwrap();
    assert_eq!(have, rows, "{backend:?}");
    assert_eq!(batch.reals("qpos").unwrap()[8], f64::from(rows[size]));
    assert!(batch.set_state(STATE_PHYSICS, &rows[1..]).is_err());
    assert!(batch.get_state(STATE_TIME, &mut have).is_err());
}

fn states_come_back_from_bytes(backend: Backend) {
    let m = cartpole();
    let mut batch = worlds(&m, NWORLD, backend);
    batch.set("qvel", &numbers(NWORLD * m.nv)).unwrap();
    batch.step(3).unwrap();
    let state = batch.save().unwrap();
    let bytes = state.to_bytes();
    let back = State::from_bytes(&bytes).unwrap();
    assert_eq!(back, state);
    batch.step(3).unwrap();
    batch.restore(&back).unwrap();
    assert_eq!(batch.save().unwrap(), state, "{backend:?}");
    for cut in [0, 7, 30, bytes.len() - 8, bytes.len() - 1] {
        assert!(State::from_bytes(&bytes[..cut]).is_err(), "{cut} bytes");
    }
    assert!(State::from_bytes(&[&bytes[..], &[0; 8]].concat()).is_err());
    // a length that exceeds the worlds
    let mut longer = bytes.clone();
    longer[24] += 1;
    let longer = State::from_bytes(&[&longer[..], &[0; 8]].concat());
    assert!(longer.is_err() || batch.restore(&longer.unwrap()).is_err());
}

fn a_copied_world_goes_on_as_the_first(backend: Backend) {
    let m = mixed();
    let mut batch = worlds(&m, NWORLD, backend);
    let size = NWORLD * m.nv;
    batch.set("qvel", &numbers(size)).unwrap();
    batch.set("ctrl", &numbers(NWORLD)).unwrap();
    batch.step(2).unwrap();
    let kept = batch.reals("qpos").unwrap()[..m.nq].to_vec();
    batch.copy(4, &[2, 18]).unwrap();
    assert_eq!(batch.reals("qpos").unwrap()[..m.nq], kept, "{backend:?}");
    batch.step(2).unwrap();
    let qpos: Vec<&[f64]> = batch.reals("qpos").unwrap().chunks(m.nq).collect();
    assert_eq!(qpos[2], qpos[4], "{backend:?}");
    assert_eq!(qpos[18], qpos[4], "{backend:?}");
    assert_ne!(qpos[3], qpos[4], "{backend:?}");
    assert!(batch.copy(4, &[NWORLD]).is_err());
    assert!(batch.copy(NWORLD, &[0]).is_err());
}

// a batch is Send and Sync, as language bindings need
#[test]
fn a_batch_can_be_sent_and_shared() {
    fn is<T: Send + Sync>() {}
    is::<Batch>();
}
