//! Worlds that differ: expanded fields of the model, against MuJoCo's models changed the same way
//! (`tests/golden/make_expand.py`) and against `Model::edit`. A field that cannot differ on a backend is refused by name.

use crate::common::backends::{BACKENDS, by_precision, on, worlds};
use crate::common::{Golden, error, start_edited};
use manyworlds::batch::{Backend, Overflow, Settings, To};
use manyworlds::{Batch, Model};

const STEPS: usize = 15;

fn model() -> Model {
    Model::from_xml_path("tests/golden/edit.xml").unwrap_or_else(|e| panic!("{e}"))
}

fn refusal<T: std::fmt::Debug>(done: manyworlds::Result<T>) -> String {
    done.expect_err("refused").to_string()
}

/// The golden, the fields that it sets, and a batch of its worlds.
fn changed(settings: Settings) -> (Golden, Vec<String>, Batch) {
    let (m, golden) = (model(), Golden::open("tests/golden/expand.npz"));
    let set = golden
        .arrays
        .keys()
        .filter_map(|name| name.strip_prefix("set/"));
    let names: Vec<String> = set.map(str::to_owned).collect();
    assert!(names.len() > 25);
    let nworld = golden.arrays["out/qpos"].0[0];
    let mut batch = Batch::with(&m, nworld, settings).unwrap();
    let fields: Vec<&str> = names.iter().map(String::as_str).collect();
    batch.expand(&fields).unwrap();
    for name in &names {
        let values = golden.get(&format!("set/{name}")).unwrap();
        batch.set(name, values).unwrap();
        assert_eq!(batch.reals(name).unwrap(), values, "{name}");
    }
    batch.set_const().unwrap();
    batch.reset(To::Qpos0).unwrap();
    start_edited(&mut batch, &m);
    (golden, names, batch)
}

/// Tolerance of 15 steps against MuJoCo, by backend.
const ALL: [(Backend, f64); 3] = [
    (Backend::Cpu, 1e-7),
    (Backend::Simd, 1e-4),
    (Backend::Gpu, 1e-4),
];

#[test]
fn worlds_with_random_changes_step_as_mujocos_models() {
    for (backend, tolerance) in ALL {
        step_as_mujocos_models(backend, tolerance);
    }
}

fn step_as_mujocos_models(backend: Backend, tolerance: f64) {
    let (golden, _, mut batch) = changed(on(backend));
    batch.step(STEPS).unwrap();
    assert!(batch.flags().unwrap().is_empty());
    for (name, scale) in [("qpos", 1.0), ("qvel", 20.0)] {
        let want = golden.get(&format!("out/{name}")).unwrap();
        let have = batch.reals(name).unwrap();
        let words = have.len() / batch.nworld();
        let rows = batch.reals(name).unwrap().chunks(words);
        for (w, (have, want)) in rows.zip(want.chunks(words)).enumerate() {
            let e = error(have, want);
            assert!(
                e < tolerance * scale,
                "{backend:?}, world {w}: {name} is off by {e:e}"
            );
        }
    }
}

// results do not depend on the number of worlds and threads; to the bit on the reference
#[test]
fn a_world_of_its_own_is_a_batch_of_an_edited_model() {
    for (backend, threads) in [(Backend::Cpu, 1), (Backend::Cpu, 2), (Backend::Simd, 2)] {
        let (golden, names, mut batch) = changed(on(backend).threads(threads));
        batch.step(STEPS).unwrap();
        let nworld = batch.nworld();
        let qpos = batch.reals("qpos").unwrap().to_vec();
        for w in [0, 7, nworld - 1] {
            let mut m = model();
            let edited = m.edit(|m| {
                for name in &names {
                    let values = golden.get(&format!("set/{name}")).unwrap();
                    let words = values.len() / nworld;
                    let row = &values[w * words..][..words];
                    if !m.opt.set(name, row) {
                        let Some(manyworlds::fields::ViewMut::Real(to)) = m.field_mut(name) else {
                            panic!("{name}");
                        };
                        to.copy_from_slice(row);
                    }
                }
            });
            edited.unwrap();
            let mut alone = worlds(&m, 1, backend);
            start_edited(&mut alone, &m);
            alone.step(STEPS).unwrap();
            let (have, want) = (&qpos[w * m.nq..][..m.nq], alone.reals("qpos").unwrap());
            let e = error(have, want);
            let most = by_precision(backend, 0.0, 1e-4);
            assert!(e <= most, "{backend:?}, world {w}: {e:e}");
        }
    }
}

// positions of the worlds after some steps with these fields of the golden expanded
fn stepped(golden: &Golden, names: &[&str], backend: Backend) -> Vec<f64> {
    let nworld = golden.arrays["out/qpos"].0[0];
    let m = model();
    let mut batch = worlds(&m, nworld, backend);
    batch.expand(names).unwrap();
    for name in names {
        let values = golden.get(&format!("set/{name}")).unwrap();
        batch.set(name, values).unwrap();
    }
    batch.set_const().unwrap();
    batch.reset(To::Qpos0).unwrap();
    start_edited(&mut batch, &m);
    batch.step(STEPS).unwrap();
    batch.reals("qpos").unwrap().to_vec()
}

#[test]
fn each_field_by_itself_is_the_references() {
    let (golden, names, _) = changed(on(Backend::Cpu));
    let off = |name: &String| {
        let run = |backend| stepped(&golden, &[name.as_str()], backend);
        let e = error(&run(Backend::Simd), &run(Backend::Cpu));
        (e > 1e-4).then(|| (name.clone(), e))
    };
    let faults: Vec<_> = names.iter().filter_map(off).collect();
    assert!(faults.is_empty(), "{faults:?}");
}

// expanded damping is integrated implicitly or explicitly by the flags
#[test]
fn damping_that_differs_heeds_the_flags() {
    let text = r#"<mujoco><option timestep="0.01"><flag eulerdamp="disable"/></option><worldbody>
      <body><joint damping="1"/><geom size=".1" pos=".3 0 0"/></body></worldbody></mujoco>"#;
    let m = Model::from_xml_str(text).unwrap();
    let damping = [1.0, 5.0, 20.0];
    let alone = damping.map(|x| {
        let mut m = m.clone();
        m.edit(|m| m.dof_damping[0] = x).unwrap();
        let mut batch = worlds(&m, 1, Backend::Cpu);
        batch.set("qvel", &[1.0]).unwrap();
        batch.step(3).unwrap();
        batch.reals("qvel").unwrap()[0]
    });
    for backend in BACKENDS {
        let mut batch = worlds(&m, 3, backend);
        batch.expand(&["dof_damping"]).unwrap();
        batch.set("dof_damping", &damping).unwrap();
        batch.set_const().unwrap();
        batch.set("qvel", &[1.0]).unwrap();
        batch.step(3).unwrap();
        let e = error(batch.reals("qvel").unwrap(), &alone);
        assert!(e < by_precision(backend, 1e-12, 1e-5), "{backend:?}: {e:e}");
    }
}

// expanded fields may switch on a feature that the shared model of the kernels lacks
#[test]
fn gravity_is_compensated_in_some_worlds_on_a_device() {
    let (golden, ..) = changed(on(Backend::Cpu));
    let run = |backend| stepped(&golden, &["body_gravcomp", "dof_damping"], backend);
    let e = error(&run(Backend::Gpu), &run(Backend::Cpu));
    assert!(e < 1e-4, "{e:e}");
}

// a floor that moves and sticks in one world only, and not in the shared model
#[test]
fn floors_move_and_stick_in_some_worlds() {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1" gap=".1"/>
        <body pos="0 0 .14"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"#;
    let m = Model::from_xml_str(text).unwrap();
    for backend in BACKENDS {
        let mut batch = worlds(&m, 3, backend);
        batch.expand(&["geom_surfacevel", "geom_adhesion"]).unwrap();
        let mut surfacevel = vec![0.0; 12];
        surfacevel[1] = 0.5;
        let second = [false, true, false];
        batch
            .set_where("geom_surfacevel", &second, &surfacevel)
            .unwrap();
        batch
            .set_where("geom_adhesion", &second, &[20.0, 0.0])
            .unwrap();
        batch.set_const().unwrap();
        batch.step(1).unwrap();
        let qvel = batch.reals("qvel").unwrap().to_vec();
        let fall = qvel[2];
        assert!((fall + 0.002 * 9.81).abs() < 1e-6, "{backend:?}: {qvel:?}");
        assert!((qvel[14] - fall).abs() < 1e-6, "{backend:?}: {qvel:?}");
        // the sticking floor pulls from a distance
        assert!(qvel[8] < 1.4 * fall, "{backend:?}: {qvel:?}");
        batch.step(500).unwrap();
        let qvel = batch.reals("qvel").unwrap();
        assert!(qvel[7] > 0.1 && qvel[1].abs() < 1e-6 && qvel[13].abs() < 1e-6);
    }
}

// a world's bits do not depend on the values of its neighbours, or on its lane
#[test]
fn a_neighbour_that_differs_changes_nothing() {
    let m = model();
    let run = |nworld: usize, own: usize| {
        let mut batch = worlds(&m, nworld, Backend::Simd);
        batch
            .expand(&["body_mass", "dof_damping", "geom_pos", "density"])
            .unwrap();
        for w in (0..nworld).filter(|w| *w != own) {
            let mask: Vec<bool> = (0..nworld).map(|k| k == w).collect();
            let scaled = |x: &f64| x * (1.0 + 0.1 * w as f64);
            let mass: Vec<f64> = m.body_mass.iter().map(scaled).collect();
            let damping: Vec<f64> = m.dof_damping.iter().map(|x| scaled(x) + 0.1).collect();
            let mut pos = m.geom_pos.as_flattened().to_vec();
            *pos.last_mut().unwrap() += 0.01;
            batch.set_where("body_mass", &mask, &mass).unwrap();
            batch.set_where("dof_damping", &mask, &damping).unwrap();
            batch.set_where("geom_pos", &mask, &pos).unwrap();
            batch.set_where("density", &mask, &[1.2]).unwrap();
        }
        batch.set_const().unwrap();
        start_edited(&mut batch, &m);
        batch.step(STEPS).unwrap();
        batch.reals("qpos").unwrap()[own * m.nq..][..m.nq].to_vec()
    };
    let alone = run(1, 0);
    assert_eq!(alone, run(3, 2));
    assert_eq!(alone, run(20, 17));
}

#[test]
fn lanes_of_a_register_share_what_is_looked_at_pair_by_pair() {
    let mut batch = worlds(&model(), 2, Backend::Simd);
    let text = refusal(batch.expand(&["body_mass", "ccd_tolerance"]));
    assert!(
        text.contains("ccd_tolerance") && text.contains("Backend::Cpu"),
        "{text}"
    );
    let text = refusal(batch.set("body_mass", &[1.0]));
    assert!(text.contains("Batch::expand"), "{text}");
    batch.set_const().unwrap();
    batch.step(1).unwrap();
}

// `simd` and `gpu` agree with the reference in single precision, also after resets and after expanding other fields later
#[test]
fn worlds_differ_side_by_side_and_on_a_device() {
    let m = Model::from_xml_path("models/quadruped.xml").unwrap();
    let run = |backend| {
        let mut batch = worlds(&m, 3, backend);
        batch
            .expand(&["body_mass", "geom_friction", "geom_surfacevel", "qpos0"])
            .unwrap();
        let second = [false, true, false];
        let heavier: Vec<f64> = m.body_mass.iter().map(|x| 1.5 * x).collect();
        batch.set_where("body_mass", &second, &heavier).unwrap();
        // the surfaces rest in the model, and move in one world
        let moving = [0.5, 0.2, 0.0, 0.0, 0.0, 0.3].repeat(m.ngeom);
        batch
            .set_where("geom_surfacevel", &second, &moving)
            .unwrap();
        batch.set_const().unwrap();
        batch.reset(To::Qpos0).unwrap();
        batch.set("qvel", &vec![0.4; m.nv]).unwrap();
        batch.step(5).unwrap();

        // later other fields are expanded, and one world is reset to its own initial state
        batch.expand(&["dof_damping"]).unwrap();
        let damping: Vec<f64> = m.dof_damping.iter().map(|x| x + 0.3).collect();
        let third = [false, false, true];
        batch.set_where("dof_damping", &third, &damping).unwrap();
        let mut qpos0 = m.qpos0.clone();
        qpos0[0] += 0.05;
        batch.set_where("qpos0", &third, &qpos0).unwrap();
        batch.set_const().unwrap();
        batch.step(5).unwrap();
        batch.reset_where(&third, To::Qpos0).unwrap();
        let start = batch.reals("qpos").unwrap()[2 * m.nq..].to_vec();
        assert!((start[0] - qpos0[0]).abs() < 1e-6, "{start:?}");
        batch.step(3).unwrap();
        batch.reals("qpos").unwrap().to_vec()
    };
    let want = run(Backend::Cpu);
    assert!(
        error(&want[..m.nq], &want[m.nq..2 * m.nq]) > 1e-4,
        "worlds differ"
    );
    for backend in [Backend::Simd, Backend::Gpu] {
        let e = error(&run(backend), &want);
        assert!(e < 1e-4, "{backend:?}: {e:e}");
    }
}

// expanded real options; the shared model has no fluid, and one world has
#[test]
fn options_differ() {
    let m = Model::from_xml_path("models/quadruped.xml").unwrap();
    assert!(m.opt.density == 0.0 && m.opt.viscosity == 0.0);
    let run = |backend| {
        let mut batch = worlds(&m, 3, backend);
        batch.expand(&["gravity", "timestep", "impratio"]).unwrap();
        batch
            .set(
                "gravity",
                &[0.0, 0.0, -9.81, 1.0, 0.0, -3.0, 0.0, 0.5, -20.0],
            )
            .unwrap();
        let h = m.opt.timestep;
        batch.set("timestep", &[h, 0.5 * h, 0.8 * h]).unwrap();
        batch.set("impratio", &[1.0, 3.0, 10.0]).unwrap();
        batch.set("qvel", &vec![0.4; m.nv]).unwrap();
        batch.step(10).unwrap();

        // one world gets a fluid later
        batch.expand(&["density", "viscosity", "wind"]).unwrap();
        let second = [false, true, false];
        batch.set_where("density", &second, &[800.0]).unwrap();
        batch.set_where("viscosity", &second, &[0.5]).unwrap();
        batch.set_where("wind", &second, &[3.0, 0.0, 0.0]).unwrap();
        batch.step(10).unwrap();
        let time = batch.reals("time").unwrap().to_vec();
        for (time, h) in time.iter().zip([h, 0.5 * h, 0.8 * h]) {
            assert!((time - 20.0 * h).abs() < 1e-6, "{backend:?}: {time}");
        }
        batch.reals("qpos").unwrap().to_vec()
    };
    let want = run(Backend::Cpu);
    let [a, b] = [&want[..m.nq], &want[m.nq..2 * m.nq]];
    assert!(error(a, b) > 1e-2, "worlds differ");
    for backend in BACKENDS {
        let e = error(&run(backend), &want);
        assert!(e <= by_precision(backend, 0.0, 2e-5), "{backend:?}: {e:e}");
    }
}

// a world that a check resets starts from its own model, not from the shared model
#[test]
fn a_world_that_goes_bad_begins_where_its_own_model_says() {
    let m = Model::from_xml_path("models/quadruped.xml").unwrap();
    let run = |backend| {
        let mut batch = worlds(&m, 3, backend);
        batch.expand(&["qpos0", "body_mass"]).unwrap();
        let second = [false, true, false];
        let mut qpos0 = m.qpos0.clone();
        qpos0[0] += 0.5;
        batch.set_where("qpos0", &second, &qpos0).unwrap();
        batch.set_const().unwrap();
        let mut force = vec![0.0; m.nv];
        force[0] = 1e20;
        batch.set_where("qfrc_applied", &second, &force).unwrap();
        batch.step(1).unwrap();
        assert_eq!(batch.flags().unwrap().len(), 1, "{backend:?}");
        batch.step(1).unwrap();
        batch.reals("qpos").unwrap().to_vec()
    };
    let want = run(Backend::Cpu);
    assert!((want[m.nq] - want[0] - 0.5).abs() < 1e-3, "{want:?}");
    for backend in BACKENDS {
        let e = error(&run(backend), &want);
        assert!(e <= by_precision(backend, 0.0, 2e-5), "{backend:?}: {e:e}");
    }
}

#[test]
fn what_cannot_differ_is_refused_with_the_reason() {
    let mut batch = worlds(&model(), 2, Backend::Cpu);
    for (name, why) in [
        ("body_parentid", "compiled fields depend on it"),
        ("geom_contype", "types, masks and flags"),
        ("jnt_limited", "types, masks and flags"),
        ("dof_invweight0", "Batch::set_const derives it"),
        ("collision_margin", "Batch::set_const derives it"),
        ("disableflags", "for all worlds at once"),
        ("key_qpos", "no stage reads it"),
        ("qvel", "every world already has its own"),
        ("body_mas", "did you mean body_mass?"),
        ("nbody", "it is a size"),
    ] {
        let text = refusal(batch.expand(&["body_mass", name]));
        assert!(text.contains(name) && text.contains(why), "{text}");
    }
    // a refused call changes nothing
    let text = refusal(batch.set("body_mass", &[1.0]));
    assert!(text.contains("Batch::expand"), "{text}");
    batch.expand(&["body_mass"]).unwrap();
    let text = refusal(batch.transition(None));
    assert!(text.contains("Model::edit"), "{text}");
}

#[test]
fn a_stale_world_is_an_error_until_its_constants_are_derived() {
    for (backend, _) in ALL {
        stale_until_derived(backend);
    }
}

fn stale_until_derived(backend: Backend) {
    let m = model();
    let mut batch = worlds(&m, 4, backend);
    let mut plain = worlds(&m, 4, backend);
    batch.expand(&["body_mass", "geom_friction"]).unwrap();
    batch.expand(&["gravity", "body_mass"]).unwrap();
    let heavier: Vec<f64> = m.body_mass.iter().map(|x| 2.0 * x).collect();
    let mask = [false, false, true, false];
    batch.set_where("body_mass", &mask, &heavier).unwrap();
    let text = refusal(batch.step(1));
    assert!(
        text.contains("the first is world 2: call set_const"),
        "{text}"
    );
    assert!(text.contains("body_mass"), "{text}");
    assert_eq!(batch.reals("time").unwrap(), [0.0; 4]);
    // only the world that is left out still lacks its derived constants
    batch.set_const_where(&[true, true, false, true]).unwrap();
    assert!(batch.forward().is_err());
    batch.set_const_where(&mask).unwrap();
    for batch in [&mut batch, &mut plain] {
        start_edited(batch, &m);
        batch.step(STEPS).unwrap();
    }
    let same = |batch: &mut Batch, plain: &mut Batch| {
        let have = batch.reals("qpos").unwrap().chunks(m.nq);
        let want = plain.reals("qpos").unwrap().chunks(m.nq);
        let most = by_precision(backend, 0.0, 1e-5);
        have.zip(want)
            .map(|(a, b)| error(a, b) <= most)
            .collect::<Vec<_>>()
    };
    assert_eq!(same(&mut batch, &mut plain), [true, true, false, true]);

    // no field is derived from this option
    batch
        .set_where("gravity", &[true, false, false, false], &[0.0; 3])
        .unwrap();
    batch.step(1).unwrap();
    plain.step(1).unwrap();
    assert_eq!(same(&mut batch, &mut plain), [false, true, false, true]);

    batch.auto_const(true);
    batch.set("body_mass", &m.body_mass).unwrap();
    batch.set("gravity", &m.opt.gravity).unwrap();
    for batch in [&mut batch, &mut plain] {
        batch.reset(To::Qpos0).unwrap();
        start_edited(batch, &m);
        batch.step(STEPS).unwrap();
    }
    assert_eq!(same(&mut batch, &mut plain), [true; 4]);
}

#[test]
fn a_number_that_no_model_has_names_its_world_and_nothing_happens() {
    for (backend, _) in ALL {
        bad_numbers_change_nothing(backend);
    }
}

fn bad_numbers_change_nothing(backend: Backend) {
    let m = model();
    let mut batch = worlds(&m, 3, backend);
    batch.expand(&["body_mass"]).unwrap();
    let mut mass = m.body_mass.repeat(3);
    mass[2 * m.nbody + 1] = f64::NAN;
    batch.set("body_mass", &mass).unwrap();
    let text = refusal(batch.set_const());
    assert!(text.contains("world 2: body_mass[1]"), "{text}");
    assert!(batch.step(1).is_err());
    let text = refusal(batch.set("body_mass", &mass[1..]));
    assert!(text.contains("for 3 worlds needed"), "{text}");
    batch.set("body_mass", &m.body_mass).unwrap();
    batch.set_const().unwrap();
    batch.step(1).unwrap();
}

#[test]
fn a_reset_and_room_that_grows_keep_what_is_a_worlds_own() {
    for (backend, _) in ALL {
        resets_and_growth(backend);
    }
}

fn resets_and_growth(backend: Backend) {
    let text = r#"<mujoco><worldbody><geom type="plane" size="1 1 1"/><body mocap="true" pos="0 0 5"/>
      <body pos="0 0 .05"><freejoint/><geom type="box" size=".1 .1 .1"/></body></worldbody></mujoco>"#;
    let m = Model::from_xml_str(text).unwrap();
    let settings = |nconmax| {
        on(backend)
            .nconmax(nconmax)
            .njmax(4 * nconmax)
            .overflow(Overflow::Grow)
    };
    let run = |nconmax| {
        let mut batch = Batch::with(&m, 2, settings(nconmax)).unwrap();
        batch.expand(&["qpos0", "body_pos", "body_mass"]).unwrap();
        let second = [false, true];
        let mut qpos0 = m.qpos0.clone();
        qpos0[0] = 0.5;
        batch.set_where("qpos0", &second, &qpos0).unwrap();
        batch
            .set_where("body_pos", &second, &[0., 0., 0., 0., 0., 6., 0., 0., 0.05])
            .unwrap();
        batch
            .set_where("body_mass", &second, &[0.0, 0.0, 3.0])
            .unwrap();
        batch.set_const().unwrap();
        batch.reset(To::Qpos0).unwrap();
        batch.step(3).unwrap();
        let room = batch.model().nconmax;
        let mocap = batch.reals("mocap_pos").unwrap();
        assert_eq!(mocap, [0., 0., 5., 0., 0., 6.]);
        let qpos = batch.reals("qpos").unwrap().to_vec();
        assert!((qpos[7] - 0.5).abs() < 0.1, "{qpos:?}");
        (room, qpos, batch.reals("body_mass").unwrap()[5])
    };
    let (room, qpos, mass) = run(1);
    assert!(room >= 4, "{room}");
    assert_eq!((qpos, mass), (run(room).1, 3.0));
}

// a batch that is expanded on its way and set to nothing else goes on as one that is not; on the cores it also knows what it knew
#[test]
fn expanding_alone_changes_nothing() {
    let m = Model::from_xml_path("models/quadruped.xml").unwrap();
    for backend in BACKENDS {
        let nworld = 19;
        let mut batches = [0, 1].map(|_| {
            let mut batch = worlds(&m, nworld, backend);
            let qvel: Vec<f64> = (0..nworld * m.nv).map(|i| (i as f64).sin()).collect();
            batch.set("qvel", &qvel).unwrap();
            let mut qpos = m.qpos0.clone();
            qpos[2] -= 0.1; // the feet touch
            batch.set("qpos", &qpos).unwrap();
            batch.step(10).unwrap();
            batch
        });
        batches[1]
            .expand(&["body_mass", "geom_friction", "actuator_gainprm"])
            .unwrap();
        let same = |batches: &mut [Batch; 2], names: &[&str]| {
            for name in names {
                let [plain, expanded] = batches;
                let want = plain.reals(name).unwrap();
                assert_eq!(want, expanded.reals(name).unwrap(), "{backend:?}: {name}");
            }
        };
        if backend != Backend::Gpu {
            same(
                &mut batches,
                &["xpos", "cvel", "qfrc_bias", "contact_dist", "efc_force"],
            );
        }
        batches.iter_mut().for_each(|batch| batch.step(10).unwrap());
        let ncon = batches[0].ints("ncon").unwrap();
        assert!(ncon.iter().any(|ncon| *ncon > 0), "{backend:?}: {ncon:?}");
        same(
            &mut batches,
            &["qpos", "qvel", "qacc", "contact_dist", "efc_force"],
        );
    }
}
