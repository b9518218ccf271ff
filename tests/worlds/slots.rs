//! Contacts and rows of a world do not depend on its neighbours, for any capacity, on every backend.

use crate::common::backends::{BACKENDS, worlds};
use manyworlds::batch::{Backend, Flag, Overflow, Settings, To};
use manyworlds::fields::{FIELDS, Field, Room, View};
use manyworlds::types::{OVERFLOW_CONSTRAINT, OVERFLOW_CONTACT};
use manyworlds::{Batch, Error, Model};

/// Three bodies of several shapes above a plane, one with limits and friction, one connected to a third.
const SCENE: &str = r#"<mujoco>
  <option timestep="0.002"/>
  <default><geom contype="0"/></default>
  <worldbody>
    <geom type="plane" size="1 1 1" contype="1"/>
    <body name="a" pos="0 0 0.1"><freejoint/>
      <geom type="box" size="0.1 0.1 0.1"/><geom type="sphere" size="0.1" pos="0.3 0 0"/></body>
    <body name="b" pos="1 0 0.1"><freejoint/><geom type="capsule" size="0.05 0.2" euler="0 90 0"/></body>
    <body name="c" pos="2 0 0.24"><joint name="h" axis="0 1 0" limited="true" range="-5 5" frictionloss="0.1"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.3 0 -0.2"/></body>
  </worldbody>
  <equality><connect body1="a" body2="b" anchor="0.5 0 0"/></equality>
</mujoco>"#;

const WORLDS: usize = 21;

fn model() -> Model {
    Model::from_xml_str(SCENE).unwrap()
}

/// Worlds with increasing depth of contacts, some of them in the air, with the connect inactive in some.
fn batch(m: &Model, backend: Backend, overflow: Overflow, room: (usize, usize)) -> Batch {
    let settings = Settings::default()
        .backend(backend)
        .overflow(overflow)
        .nconmax(room.0)
        .njmax(room.1);
    let mut batch = Batch::with(m, WORLDS, settings).unwrap();
    let qpos = |w: usize| {
        let mut qpos = m.qpos0.clone();
        qpos[2] += if w % 4 == 3 { 0.5 } else { -0.0021 * w as f64 };
        qpos[3..7].copy_from_slice(&[1.0, 0.003 * w as f64, -0.011, 0.0]);
        qpos[9] += if w % 5 == 1 { 0.7 } else { -0.06 };
        qpos[10..14].copy_from_slice(&[1.0, 0.0, 0.02, 0.0]);
        qpos[14] = 0.013 * w as f64;
        qpos.iter()
            .map(|&x| f64::from(x as f32))
            .collect::<Vec<_>>()
    };
    let all: Vec<f64> = (0..WORLDS).flat_map(qpos).collect();
    batch.set("qpos", &all).unwrap();
    let active: Vec<f64> = (0..WORLDS).map(|w| f64::from(w % 3 != 0)).collect();
    batch.set("eq_active", &active).unwrap();
    batch
}

const AMPLE: (usize, usize) = (64, 256);

fn ints(batch: &mut Batch, name: &str) -> Vec<Vec<i32>> {
    let x = batch.ints(name).unwrap();
    x.chunks(x.len() / WORLDS).map(<[i32]>::to_vec).collect()
}

/// The used part of a list of contacts or rows, world by world.
fn list(batch: &mut Batch, name: &str) -> Vec<Vec<i32>> {
    let count = if name.starts_with("efc") {
        "nefc"
    } else {
        "ncon"
    };
    let counts = ints(batch, count);
    let mut rows = ints(batch, name);
    for (row, n) in rows.iter_mut().zip(counts) {
        row.truncate(n[0] as usize);
    }
    rows
}

const LISTS: [&str; 5] = [
    "contact_collision",
    "contact_efc_address",
    "efc_type",
    "efc_id",
    "efc_Jpat",
];

#[test]
fn with_little_room_the_same_contacts_and_rows_stay_on_every_backend() {
    let m = model();
    let mut ample = batch(&m, Backend::Cpu, Overflow::Error, AMPLE);
    ample.forward().unwrap();
    let most = |batch: &mut Batch, name: &str| {
        ints(batch, name).iter().map(|n| n[0]).max().unwrap() as usize
    };
    let need = (most(&mut ample, "ncon"), most(&mut ample, "nefc"));
    assert!(need.0 >= 6 && need.1 >= 24, "{need:?}");
    // a few capacities on a device, which recompiles its kernels for each
    let some = [(3, 11), (2, AMPLE.1), (AMPLE.0, 9), need];
    for room in some {
        stays(&m, Backend::Gpu, room);
    }
    let rooms = (1..=need.0).map(|n| (n, AMPLE.1));
    for room in rooms.chain((1..=need.1).map(|n| (AMPLE.0, n))).chain(some) {
        stays(&m, Backend::Simd, room);
    }
    let mut enough = batch(&m, Backend::Simd, Overflow::Error, need);
    enough.forward().unwrap();
    assert_eq!(enough.flags().unwrap(), []);
}

// the contacts that a backend keeps, and its flags, equal the reference's
fn stays(m: &Model, backend: Backend, room: (usize, usize)) {
    let [mut have, mut want] = [backend, Backend::Cpu].map(|backend| {
        let mut batch = batch(m, backend, Overflow::Continue, room);
        batch.forward().unwrap();
        batch
    });
    let flags = [&mut have, &mut want].map(|batch| batch.flags().unwrap());
    assert_eq!(flags[0], flags[1], "{room:?} on {backend:?}");
    for name in ["ncon", "ne", "nf", "nl", "nefc", "needed"] {
        let [have, want] = [&mut have, &mut want].map(|batch| ints(batch, name));
        assert_eq!(have, want, "{name}, {room:?} on {backend:?}");
    }
    for name in LISTS {
        let [have, want] = [&mut have, &mut want].map(|batch| list(batch, name));
        assert_eq!(have, want, "{name}, {room:?} on {backend:?}");
    }
    let [x, y] = [&mut have, &mut want].map(|batch| batch.reals("qacc").unwrap().to_vec());
    let scale = 1.0 + y.iter().fold(0.0f64, |s, x| s.max(x.abs()));
    let e = x
        .iter()
        .zip(&y)
        .fold(0.0f64, |e, (x, y)| e.max((x - y).abs()));
    assert!(
        e < 1e-3 * scale,
        "qacc, {room:?} on {backend:?}: {e:e} of {scale:e}"
    );
}

#[test]
fn every_policy_is_kept_on_every_backend() {
    let m = model();
    let read = |batch: &mut Batch| batch.reals("qpos").unwrap().to_vec();
    for backend in BACKENDS {
        let mut ample = batch(&m, backend, Overflow::Error, AMPLE);
        ample.step(20).unwrap();

        // the capacity grows, and the result is as with the larger capacity from the start
        let mut grows = batch(&m, backend, Overflow::Grow, (1, 1));
        grows.step(20).unwrap();
        assert_eq!(read(&mut grows), read(&mut ample), "{backend:?}");
        assert_eq!(grows.flags().unwrap(), []);
        assert!(
            grows.model().nconmax > 4 && grows.model().njmax > 16,
            "{backend:?}"
        );

        // an error with the number needed, until the worlds are reset
        let mut fails = batch(&m, backend, Overflow::Error, (2, AMPLE.1));
        let Err(Error::Overflow {
            worlds, contacts, ..
        }) = fails.step(1)
        else {
            panic!("{backend:?}: nothing overflowed");
        };
        assert!(
            worlds > 5 && contacts.0 > 4 && contacts.1 == 2,
            "{backend:?}: {worlds} {contacts:?}"
        );

        // continues without the contacts that do not fit, flagged
        let mut goes = batch(&m, backend, Overflow::Continue, (2, 9));
        goes.step(20).unwrap();
        let flags = goes.flags().unwrap();
        let has = |bit: i32| {
            flags
                .iter()
                .filter(|flag: &&Flag| flag.overflow & bit != 0)
                .count()
        };
        assert!(
            has(OVERFLOW_CONTACT) > 5 && has(OVERFLOW_CONSTRAINT) > 5,
            "{backend:?}"
        );
        assert!(read(&mut goes).iter().all(|x| x.is_finite()));
    }
}

// the bits of every readable array of every world
fn everything(batch: &mut Batch) -> Vec<(&'static Field, Vec<Vec<u64>>)> {
    let mut out = Vec::new();
    for field in FIELDS.iter().filter(|field| field.room == Room::Data) {
        let bits: Vec<u64> = match batch.read(field.name) {
            Ok(View::Int(x)) => x.iter().map(|&x| x as u64).collect(),
            Ok(View::Real(x)) => x.iter().map(|x| x.to_bits()).collect(),
            Err(_) => continue,
        };
        let words = bits.len() / WORLDS;
        out.push((
            field,
            (0..WORLDS)
                .map(|w| bits[w * words..][..words].to_vec())
                .collect(),
        ));
    }
    assert!(out.len() > 80, "{} arrays", out.len());
    out
}

#[test]
fn a_reset_changes_nothing_of_the_others() {
    let m = model();
    for backend in BACKENDS {
        let mut batch = batch(&m, backend, Overflow::Error, AMPLE);
        batch.step(3).unwrap();
        let before = everything(&mut batch);
        let mask: Vec<bool> = (0..WORLDS).map(|w| w % 8 == 0 || w == 11).collect();
        batch.reset_where(&mask, To::Qpos0).unwrap();
        for ((field, before), (_, after)) in before.iter().zip(everything(&mut batch)) {
            for w in (0..WORLDS).filter(|&w| !mask[w]) {
                assert_eq!(
                    after[w], before[w],
                    "{} of world {w}, {backend:?}",
                    field.name
                );
            }
        }
    }
}

// a single world gives the same arrays as among others, which have contacts and rows that it lacks
#[test]
fn what_is_read_of_a_world_does_not_depend_on_its_neighbours() {
    let m = model();
    for backend in [Backend::Cpu, Backend::Simd] {
        let mut many = batch(&m, backend, Overflow::Error, AMPLE);
        let start = many.save().unwrap();
        many.step(7).unwrap();
        let together = everything(&mut many);
        for own in [0, 5, 11] {
            // the other worlds get the state of this one
            many.restore(&start).unwrap();
            let inputs = ["qpos", "eq_active"].map(|name| {
                let x: Vec<f64> = match many.read(name).unwrap() {
                    View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
                    View::Real(x) => x.to_vec(),
                };
                let words = x.len() / WORLDS;
                (name, x[own * words..][..words].to_vec())
            });
            let mut alike = batch(&m, backend, Overflow::Error, AMPLE);
            for (name, x) in &inputs {
                alike.set(name, x).unwrap();
            }
            alike.step(7).unwrap();
            for ((field, together), (_, alike)) in together.iter().zip(everything(&mut alike)) {
                assert_eq!(
                    alike[own], together[own],
                    "{} of world {own}, {backend:?}",
                    field.name
                );
            }
        }
    }
}

/// A magnet above a plane in one world, a ball with contacts in another: the force of the magnet depends on its own contacts.
#[test]
fn adhesion_counts_the_contacts_of_its_own_world() {
    let m = Model::from_xml_str(
        r#"<mujoco>
             <worldbody>
               <geom type="plane" size="1 1 1"/>
               <body name="ball" pos="1 0 0.1"><freejoint/><geom size="0.1"/></body>
               <body name="magnet" pos="0 0 0.1"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
             </worldbody>
             <actuator><adhesion body="magnet" ctrlrange="0 1" gain="10"/></actuator>
           </mujoco>"#,
    )
    .unwrap();
    let moments = BACKENDS.map(|backend| {
        let mut batch = worlds(&m, 6, backend);
        let qpos = |w: usize| {
            let mut qpos = m.qpos0.clone();
            // in every other world the balls lie on the plane, in the others they are in the air; boxes stand on four corners or on two
            qpos[2] += if w.is_multiple_of(2) { -0.01 } else { 0.5 };
            qpos[9] -= 0.01;
            qpos[11] = if w.is_multiple_of(3) { 0.2 } else { 0.0 };
            qpos
        };
        let qpos: Vec<f64> = (0..6).flat_map(qpos).collect();
        batch.set("qpos", &qpos).unwrap();
        batch.set("ctrl", &[1.0]).unwrap();
        batch.forward().unwrap();
        batch.reals("actuator_moment").unwrap().to_vec()
    });
    assert!(moments[0].iter().any(|x| x.abs() > 0.5));
    for (have, backend) in moments.iter().zip(BACKENDS) {
        for (x, want) in have.iter().zip(&moments[0]) {
            assert!(
                (x - want).abs() < 1e-5,
                "{backend:?}: {have:?}, not {:?}",
                moments[0]
            );
        }
    }
}

/// Compares every array of a world among others, after some steps, with that of the single world; `begin` sets the initial states.
fn as_alone(m: &Model, n: usize, steps: usize, begin: impl Fn(&mut Batch, std::ops::Range<usize>)) {
    for backend in [Backend::Cpu, Backend::Simd] {
        let run = |of: std::ops::Range<usize>| {
            let mut batch = worlds(m, of.len(), backend);
            begin(&mut batch, of);
            batch.step(steps).unwrap();
            let read = |name: &str, batch: &mut Batch| -> Vec<f64> {
                match batch.read(name).unwrap() {
                    View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
                    View::Real(x) => x.to_vec(),
                }
            };
            let names = ["nefc", "ncon", "qpos", "qvel", "qacc", "warning"];
            names.map(|name| (name, read(name, &mut batch)))
        };
        let together = run(0..n);
        for w in 0..n {
            for ((name, all), (_, alone)) in together.iter().zip(run(w..w + 1)) {
                let words = alone.len();
                let of = &all[w * words..(w + 1) * words];
                assert_eq!(of, alone, "{name} of world {w}, {backend:?}");
            }
        }
    }
}

/// A resting box with touching contacts, beside a world with a fast box that has a speculative contact.
#[test]
fn contacts_that_come_are_of_their_own_world() {
    let m = Model::from_xml_str(
        r#"<mujoco><option><flag speculative="enable"/></option><worldbody><geom type="plane" size="1 1 1"/>
           <body><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body></worldbody></mujoco>"#,
    )
    .unwrap();
    let states = [
        ([0.0, 0.0, 0.0999, 1.0, 0.0, 0.0, 0.0], [0.0; 6]),
        (
            [0.0, 0.0, 0.25, 0.88, 0.36, 0.28, 0.1],
            [0.0, 0.0, -60.0, 0.0, 0.0, 0.0],
        ),
    ];
    as_alone(&m, 2, 1, |batch, of| {
        let qpos: Vec<f64> = of.clone().flat_map(|w| states[w].0).collect();
        let qvel: Vec<f64> = of.flat_map(|w| states[w].1).collect();
        batch.set("qpos", &qpos).unwrap();
        batch.set("qvel", &qvel).unwrap();
    });
}

/// A world that diverges, beside one with a warning for a bad control, and one whose sleeping trees are tied together at that time.
#[test]
fn a_world_that_diverges_wakes_nobody_elsewhere() {
    let m = Model::from_xml_str(
        r#"<mujoco><option gravity="0 0 0"><flag sleep="enable"/></option><worldbody>
           <body name="a" sleep="init"><freejoint/><geom size="0.1"/></body>
           <body name="b" sleep="init" pos="0.1 0 0"><freejoint/><geom size="0.1"/></body>
           <body pos="3 0 0"><joint name="j" type="slide"/><geom size="0.1"/></body></worldbody>
           <equality><weld body1="a" body2="b" active="false"/></equality>
           <actuator><motor joint="j"/></actuator></mujoco>"#,
    )
    .unwrap();
    as_alone(&m, 3, 2, |batch, of| {
        // a finite force that gives an infinite acceleration
        let force = |w: usize| f64::from(u8::from(w == 0)) * 1e30;
        let qfrc: Vec<f64> = of
            .clone()
            .flat_map(|w| (0..m.nv).map(move |i| if i == 12 { force(w) } else { 0.0 }))
            .collect();
        batch.set("qfrc_applied", &qfrc).unwrap();
        let ctrl: Vec<f64> = of
            .clone()
            .map(|w| if w == 1 { f64::NAN } else { 0.0 })
            .collect();
        batch.set("ctrl", &ctrl).unwrap();
        let active: Vec<f64> = of.map(|w| f64::from(u8::from(w == 2))).collect();
        batch.set("eq_active", &active).unwrap();
    });
}
