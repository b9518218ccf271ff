//! Callbacks for controls, passive forces, contact filtering and sensors, against MuJoCo 4.0.0's callbacks
//! (`tests/golden/make_hooks.py` has the same functions). The CPU backends call closures, a device runs WGSL texts in their place.

use crate::common::Golden;
use crate::common::backends::{by_precision, on, on_every_backend};
use manyworlds::batch::{Backend, Differences, In, Settings, To};
use manyworlds::types::*;
use manyworlds::user::{Inputs, World};
use manyworlds::{Batch, Error, Model};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const PATH: &str = "tests/golden/hooks.xml";

fn control(world: &World, inputs: &mut Inputs) {
    let (qpos, qvel, time) = (world.qpos(), world.qvel(), world.time());
    let afloat = world.model().opt.gravity[2] == 0.0;
    inputs.ctrl[0] = 2.0 * (5.0 * time).sin() - 3.0 * qpos[21];
    inputs.ctrl[1] = world.reals("xpos").unwrap()[3 * 4 + 2] - 0.5 * qvel[19];
    inputs.ctrl[2] = if afloat { 0.1 } else { inputs.ctrl[2] + 0.1 };
    inputs.qfrc_applied[19] = 0.2 * qvel[18];
    inputs.xfrc_applied[6 * 3] = if afloat { 0.0 } else { 0.3 * time.cos() };
    inputs.userdata[0] += qpos[21];
}

fn passive(world: &World, force: &mut [f64]) {
    let x = world.reals("xpos").unwrap()[3 * 5];
    for (force, v) in force.iter_mut().zip(world.qvel()).skip(18) {
        *force += 0.1 * *force - 0.3 * v * v.abs() + 0.05 * x;
    }
}

fn leaves_out(world: &World, geoms: [usize; 2]) -> bool {
    match geoms {
        [0, 1] => world.time() < 0.05,
        [1, 4] => {
            let pos = world.reals("geom_xpos").unwrap();
            pos[3 * 4] > pos[3] + 0.02
        }
        // a predefined pair, which is never filtered
        [_, 7] => true,
        _ => false,
    }
}

fn sense_pos(world: &World, out: &mut [f64]) {
    let ncon = f64::from(world.ints("ncon").unwrap()[0]);
    out.copy_from_slice(&[10.0 * world.reals("xpos").unwrap()[3 * 5 + 2], ncon - 1.0]);
}

fn sense_vel(world: &World, out: &mut [f64]) {
    let sensors = world.reals("sensordata").unwrap();
    out[0] = world.reals("subtree_linvel").unwrap()[3 * 4 + 2] + sensors[9];
}

fn sense_acc(world: &World, out: &mut [f64]) {
    out[0] = world.reals("cacc").unwrap()[6 * 5 + 5];
    out[1] = world.reals("sensordata").unwrap()[6] * world.time();
    out[2] = world.reals("actuator_force").unwrap()[0];
}

// the same functions for a device
const TEXTS: [&str; 3] = [
    "fn control() {
        let afloat = opt_gravity.z == 0.0;
        set_ctrl(0, 2.0 * sin(5.0 * time()) - 3.0 * qpos(21));
        set_ctrl(1, xpos(4).z - 0.5 * qvel(19));
        set_ctrl(2, select(ctrl(2) + 0.1, 0.1, afloat));
        set_qfrc_applied(19, 0.2 * qvel(18));
        set_xfrc_applied_at(3, 0, select(0.3 * cos(time()), 0.0, afloat));
        set_userdata(0, userdata(0) + qpos(21));
    }",
    "fn passive() {
        for (var i = 18; i < nv; i++) {
            let more = 0.1 * qfrc_passive(i) - 0.3 * qvel(i) * abs(qvel(i)) + 0.05 * xpos(5).x;
            set_qfrc_passive(i, qfrc_passive(i) + more);
        }
    }",
    "fn contact_filter(geom1: i32, geom2: i32) -> bool {
        if (geom1 == 0 && geom2 == 1) {
            return time() < 0.05;
        }
        if (geom1 == 1 && geom2 == 4) {
            return geom_xpos(4).x > geom_xpos(1).x + 0.02;
        }
        // predefined: nobody asks
        return geom2 == 7;
    }",
];

const SENSOR_TEXTS: [(&str, &str); 3] = [
    (
        "pos",
        "fn sensor(k: i32) -> f32 { return select(f32(ncon() - 1), 10.0 * xpos(5).z, k == 0); }",
    ),
    (
        "vel",
        "fn sensor(k: i32) -> f32 { return subtree_linvel(4).z + sensordata(9); }",
    ),
    (
        "acc",
        "fn sensor(k: i32) -> f32 {
            if (k == 0) { return cacc(5).lin.z; }
            return select(actuator_force(0), sensordata(6) * time(), k == 1);
        }",
    ),
];

fn plain() -> Model {
    Model::from_xml_path(PATH).unwrap()
}

fn bound() -> Model {
    let mut m = plain();
    m.bind_control(control);
    m.bind_passive(passive);
    m.bind_contact_filter(leaves_out).unwrap();
    m.bind_sensor("pos", sense_pos).unwrap();
    m.bind_sensor("vel", sense_vel).unwrap();
    m.bind_sensor("acc", sense_acc).unwrap();
    let [control, passive, filter] = TEXTS;
    m.bind_control_wgsl(control).unwrap();
    m.bind_passive_wgsl(passive).unwrap();
    m.bind_contact_filter_wgsl(filter).unwrap();
    for (name, text) in SENSOR_TEXTS {
        m.bind_sensor_wgsl(name, text).unwrap();
    }
    m
}

// a batch of a model with functions; none, after a check of the refusal, if a device would have to call closures
fn batch_of(m: &Model, n: usize, settings: Settings) -> Option<Batch> {
    let is_gpu = settings.backend == Backend::Gpu;
    match Batch::with(m, n, settings) {
        Err(Error::Missing(told)) if is_gpu => {
            let told = told.join("\n");
            for words in [
                "functions of your own (",
                ") on a device: give a WGSL text by Model::bind_",
                "_wgsl, take the backend simd or cpu, or remove the functions by Model::unbind",
            ] {
                assert!(told.contains(words), "{told}");
            }
            None
        }
        made => Some(made.unwrap()),
    }
}

fn edited(case: &str) -> (Model, usize) {
    let mut m = bound();
    let mut steps = 10;
    m.edit(|m| match case {
        "euler" => steps = 40,
        "rk4" => (m.opt.integrator, steps) = (Integrator::Rk4 as i32, 20),
        "implicitfast" => (m.opt.integrator, steps) = (Integrator::ImplicitFast as i32, 20),
        "still" => m.opt.disableflags |= DSBL_SPRING | DSBL_DAMPER,
        "slack" => m.opt.disableflags |= DSBL_ACTUATION,
        "blind" => m.opt.disableflags |= DSBL_SENSOR | DSBL_MIDPHASE,
        _ => {
            m.opt.enableflags |= ENBL_SLEEP;
            m.opt.gravity = [0.0; 3];
            steps = 60;
        }
    })
    .unwrap();
    (m, steps)
}

// sets the initial states
fn start(batch: &mut Batch, n: usize) {
    let (mut qpos, mut qvel, mut ctrl) = (Vec::new(), Vec::new(), Vec::new());
    for w in 0..n {
        let w = w as f64;
        let mut q = batch.model().qpos0.clone();
        (q[21], q[22]) = (0.2 * w, -0.3);
        q[16] += 0.0001 + 0.02 * w;
        let mut v = vec![0.0; batch.model().nv];
        (v[18], v[19], v[0]) = (1.0, -0.5 * w, 0.1 * w);
        qpos.extend(q);
        qvel.extend(v);
        ctrl.extend([0.01 * w; 3]);
    }
    batch.set("qpos", &qpos).unwrap();
    batch.set("qvel", &qvel).unwrap();
    batch.set("ctrl", &ctrl).unwrap();
}

fn numbers(batch: &mut Batch, name: &str) -> Vec<f64> {
    match batch.read(name).unwrap() {
        manyworlds::fields::View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        manyworlds::fields::View::Real(x) => x.to_vec(),
    }
}

fn near(what: &str, have: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(have.len(), want.len(), "{what}");
    for (i, (x, y)) in have.iter().zip(want).enumerate() {
        let off = (x - y).abs() / (1.0 + y.abs());
        assert!(off < tolerance, "{what}[{i}]: {x}, not {y} ({off:e})");
    }
}

const CASES: [&str; 7] = [
    "euler",
    "rk4",
    "implicitfast",
    "still",
    "slack",
    "blind",
    "sleep",
];

fn steps_are_those_of_mujoco_with_callbacks(backend: Backend) {
    let golden = Golden::open("tests/golden/hooks.npz");
    for case in CASES {
        let (m, mut steps) = edited(case);
        if backend == Backend::Gpu {
            // a software adapter takes long to compile and to step
            match case {
                "euler" => steps = 15,
                "rk4" => steps = 3,
                "still" | "slack" => {}
                _ => continue,
            }
        }
        let mut batch = batch_of(&m, 3, on(backend)).unwrap();
        if case != "sleep" {
            start(&mut batch, 3);
        }
        for k in 0..steps {
            batch.step(1).unwrap();
            for (name, loose) in [
                ("ncon", 1.0),
                ("tree_asleep", 1.0),
                ("qpos", 1.0),
                ("qvel", 30.0),
                ("ctrl", 1.0),
                ("qfrc_applied", 1.0),
                ("xfrc_applied", 1.0),
                ("userdata", 10.0),
                ("qfrc_passive", 30.0),
                ("qacc", 3000.0),
                ("sensordata", 3000.0),
            ] {
                // RK4 leaves the acceleration of another of its four evaluations
                let skips = [("tree_asleep", case != "sleep"), ("qacc", case == "rk4")];
                if skips.contains(&(name, true)) {
                    continue;
                }
                let have = numbers(&mut batch, name);
                let words = have.len() / 3;
                for w in 0..3 {
                    let of_world = golden.state(&format!("{case}/{name}"), w);
                    let want = &of_world[k * words..][..words];
                    let tolerance = loose * by_precision(backend, 1e-11, 2e-5);
                    let what = format!("{backend:?} {case} step {k} world {w} {name}");
                    near(&what, &have[w * words..][..words], want, tolerance);
                }
            }
        }
        // derivatives at the last state of the golden
        if backend == Backend::Gpu && case != "slack" {
            continue;
        }
        batch.forward().unwrap();
        batch.inverse().unwrap();
        let want = golden.get(&format!("{case}/inverse")).unwrap();
        let have = numbers(&mut batch, "qfrc_inverse");
        let what = format!("{backend:?} {case} qfrc_inverse");
        near(&what, &have, want, by_precision(backend, 1e-8, 5e-2));
    }
}

fn slopes_of_a_step_are_those_of_mujoco_with_callbacks(backend: Backend) {
    let golden = Golden::open("tests/golden/hooks.npz");
    let (m, steps) = edited("euler");
    let mut batch = batch_of(&m, 3, on(backend)).unwrap();
    start(&mut batch, 3);
    batch.step(steps).unwrap();
    batch.forward().unwrap();
    let by = (backend == Backend::Cpu).then_some(Differences {
        eps: 1e-6,
        centered: true,
    });
    let slopes = batch.transition(by).unwrap();
    let (ndx, nu, ns) = (slopes.ndx, m.nu, m.nsensordata);
    for (name, all, words) in [
        ("A", &slopes.A, ndx * ndx),
        ("B", &slopes.B, ndx * nu),
        ("C", &slopes.C, ns * ndx),
        ("D", &slopes.D, ns * nu),
    ] {
        // in single precision only the rows of the arm and the hand, since contacts are stiff
        let want = golden.get(&format!("slopes/{name}")).unwrap();
        let have = &all[words..][..words];
        let smooth = |i: usize| {
            backend == Backend::Cpu
                || name == "A" && {
                    let of_arm = |k: usize| (18..20).contains(&(k % m.nv));
                    of_arm(i / ndx) && of_arm(i % ndx)
                }
        };
        for i in (0..words).filter(|&i| smooth(i)) {
            let what = format!("{backend:?} {name}[{i}]");
            near(
                &what,
                &[have[i]],
                &[want[i]],
                by_precision(backend, 1e-4, 1e-2),
            );
        }
    }
}

// binds functions that count their calls for a single world
fn counted(m: &mut Model) -> Arc<[AtomicUsize; 3]> {
    let counts: Arc<[AtomicUsize; 3]> = Arc::default();
    let (a, b, c) = (counts.clone(), counts.clone(), counts.clone());
    m.bind_passive(move |world, force| {
        a[0].fetch_add(1, Ordering::Relaxed);
        passive(world, force);
    });
    m.bind_control(move |world, inputs| {
        b[1].fetch_add(1, Ordering::Relaxed);
        control(world, inputs);
    });
    for (name, sense) in [
        ("pos", sense_pos as fn(&World, &mut [f64])),
        ("vel", sense_vel),
        ("acc", sense_acc),
    ] {
        let c = c.clone();
        m.bind_sensor(name, move |world, out| {
            c[2].fetch_add(1, Ordering::Relaxed);
            sense(world, out);
        })
        .unwrap();
    }
    counts
}

#[test]
fn functions_are_called_as_often_as_callbacks_of_mujoco() {
    let golden = Golden::open("tests/golden/hooks.npz");
    for case in CASES {
        let (mut m, steps) = edited(case);
        let counts = counted(&mut m);
        let mut d = manyworlds::Data::new(&m);
        if case != "sleep" {
            let mut batch = Batch::with(&m, 3, on(Backend::Cpu)).unwrap();
            start(&mut batch, 3);
            d = batch.worlds().unwrap().remove(2);
        }
        (0..steps).for_each(|_| manyworlds::cpu::step(&m, &mut d));
        let have = counts.each_ref().map(|x| x.load(Ordering::Relaxed) as f64);
        assert_eq!(
            have,
            golden.get(&format!("{case}/calls")).unwrap(),
            "{case}"
        );
    }
}

#[test]
fn halves_of_a_step_call_for_controls_once() {
    let mut m = bound();
    let counts = counted(&mut m);
    let calls = || counts[1].load(Ordering::Relaxed);
    let mut batch = Batch::with(&m, 1, on(Backend::Cpu)).unwrap();
    let mut whole = Batch::with(&m, 1, on(Backend::Cpu)).unwrap();
    start(&mut batch, 1);
    start(&mut whole, 1);
    batch.step1().unwrap();
    assert_eq!(calls(), 1);
    assert_ne!(batch.reals("ctrl").unwrap()[1], 0.0);
    batch.step2().unwrap();
    assert_eq!(calls(), 1);
    whole.step(1).unwrap();
    assert_eq!(batch.worlds().unwrap(), whole.worlds().unwrap());

    // inputs set between the halves are used
    batch.step1().unwrap();
    batch.set("ctrl", &[0.25; 3]).unwrap();
    batch.step2().unwrap();
    assert_eq!(batch.reals("ctrl").unwrap(), [0.25; 3]);
    assert_eq!(batch.reals("actuator_force").unwrap()[0], 0.25);
}

fn worlds_have_the_same_bits_whatever_their_number(backend: Backend) {
    let m = bound();
    let run = |n: usize, threads: usize| {
        let settings = on(backend).threads(threads);
        let mut batch = batch_of(&m, n, settings).unwrap();
        start(&mut batch, n);
        batch.step(30).unwrap();
        ["qpos", "qvel", "ctrl", "userdata", "sensordata"].map(|name| {
            let x = numbers(&mut batch, name);
            let words = x.len() / n;
            let first = x.iter().take(words);
            first.map(|x| x.to_bits()).collect::<Vec<_>>()
        })
    };
    let one = run(1, 1);
    // a device has no CPU threads
    let others: &[(usize, usize)] = match backend {
        Backend::Gpu => &[(64, 1)],
        _ => &[(7, 1), (64, 2), (64, 1)],
    };
    for &(n, threads) in others {
        assert_eq!(run(n, threads), one, "{n} worlds, {threads} threads");
    }
}

// a bad world is reset, without effect on its neighbours
fn a_bad_world_does_not_call_for_its_neighbours(backend: Backend) {
    let m = bound();
    let run = |force: f64| {
        let mut batch = batch_of(&m, 3, on(backend)).unwrap();
        start(&mut batch, 3);
        let mut forces = vec![0.0; 3 * m.nv];
        forces[m.nv] = force;
        batch.set("qfrc_applied", &forces).unwrap();
        batch.step(1).unwrap();
        [numbers(&mut batch, "userdata"), numbers(&mut batch, "ctrl")].map(|x| {
            let words = x.len() / 3;
            [x[..words].to_vec(), x[2 * words..].to_vec()]
        })
    };
    assert_eq!(run(0.0), run(1e30));
}

fn a_panic_comes_through_and_the_batch_says_where_it_is(backend: Backend) {
    let mut m = plain();
    m.bind_passive(|world, _| assert!(world.time() < 0.01, "no farther"));
    let Some(mut batch) = batch_of(&m, 20, on(backend)) else {
        return;
    };
    batch.step(2).unwrap();
    let run = std::panic::AssertUnwindSafe(|| batch.step(5));
    let panic = std::panic::catch_unwind(run).unwrap_err();
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or(panic.downcast_ref::<String>().map(String::as_str));
    assert_eq!(text, Some("no farther"));

    // the worlds stand within a step, and calls fail until all are reset
    assert!(batch.reals("time").unwrap().iter().all(|&t| t < 0.017));
    let some: Vec<bool> = (0..20).map(|w| w < 19).collect();
    batch.reset_where(&some, To::Qpos0).unwrap();
    let error = batch.step(1).unwrap_err().to_string();
    assert!(error.contains("a function of your own panicked"), "{error}");
    // inputs may be set, and a mask of all worlds may reset them
    batch
        .control(&[("ctrl", In::F64(&[0.5; 3]))], 0, &mut [])
        .unwrap();
    batch.reset_where(&[true; 20], To::Qpos0).unwrap();
    batch.step(2).unwrap();
    let mut fresh = batch_of(&m, 20, on(backend)).unwrap();
    fresh.step(2).unwrap();
    assert_eq!(batch.worlds().unwrap(), fresh.worlds().unwrap());
}

// worlds have the right numbers on any thread and for any number of steps
fn worlds_say_which_they_are(backend: Backend) {
    let mut m = plain();
    m.bind_control(|world, inputs| inputs.userdata[0] = world.number() as f64);
    let Some(mut batch) = batch_of(&m, 37, on(backend)) else {
        return;
    };
    batch.step(2).unwrap();
    let words = m.nuserdata;
    let have = batch.reals("userdata").unwrap().iter().step_by(words);
    assert!(have.copied().eq((0..37).map(f64::from)));
}

// a function may step another batch; while it waits for the threads, its own thread may compute other worlds, also of the outer batch
fn a_function_may_compute_worlds_of_its_own(backend: Backend) {
    let cartpole = Model::from_xml_path("models/cartpole.xml").unwrap();
    let mut m = plain();
    m.bind_control(move |world, inputs| {
        let mut ahead = Batch::with(&cartpole, 64, on(Backend::Cpu)).unwrap();
        ahead.set("qpos", &[0.1 * world.time(), 0.2]).unwrap();
        ahead.step(3).unwrap();
        inputs.ctrl[0] = ahead.reals("qpos").unwrap()[1];
        inputs.userdata[0] = world.number() as f64;
    });
    let Some(mut batch) = batch_of(&m, 37, on(backend)) else {
        return;
    };
    batch.step(5).unwrap();
    let words = m.nuserdata;
    let have = batch.reals("userdata").unwrap().iter().step_by(words);
    assert!(have.copied().eq((0..37).map(f64::from)));
    let alone = on(backend).threads(1);
    let mut one = batch_of(&m, 37, alone).unwrap();
    one.step(5).unwrap();
    assert_eq!(batch.worlds().unwrap(), one.worlds().unwrap());
}

// functions read the world's own values of expanded fields
fn functions_see_the_numbers_of_their_world(backend: Backend) {
    let mut m = plain();
    m.bind_passive(|world, force| force[20] = world.reals("body_mass").unwrap()[6]);
    m.bind_passive_wgsl("fn passive() { set_qfrc_passive(20, body_mass(6)); }")
        .unwrap();
    let mut batch = batch_of(&m, 3, on(backend)).unwrap();
    let mass = |w: usize| 2.0 + w as f64;
    batch.expand(&["body_mass"]).unwrap();
    let rows = (0..3).flat_map(|w| (0..m.nbody).map(move |_| mass(w)));
    batch.set("body_mass", &rows.collect::<Vec<_>>()).unwrap();
    batch.set_const().unwrap();
    batch.forward().unwrap();
    let passive = numbers(&mut batch, "qfrc_passive");
    (0..3).for_each(|w| assert_eq!(passive[w * m.nv + 20], mass(w)));
}

on_every_backend!(
    steps_are_those_of_mujoco_with_callbacks,
    slopes_of_a_step_are_those_of_mujoco_with_callbacks,
    worlds_have_the_same_bits_whatever_their_number,
    a_bad_world_does_not_call_for_its_neighbours,
    a_panic_comes_through_and_the_batch_says_where_it_is,
    functions_see_the_numbers_of_their_world,
    worlds_say_which_they_are,
    a_function_may_compute_worlds_of_its_own,
);

#[test]
fn a_filter_is_asked_about_more_pairs_than_masks_allow() {
    let m = plain();
    let mut filtered = m.clone();
    filtered.bind_contact_filter(|_, _| false).unwrap();
    let lists = |m: &Model, second: i32| {
        let pairs = m.collision_geom1.iter().zip(&m.collision_geom2);
        pairs.filter(|pair| pair == &(&0, &second)).count()
    };
    assert_eq!((lists(&m, 3), lists(&filtered, 3)), (0, 1));

    // an edit keeps the filter; files, models from arrays and unbound models do not have it
    filtered.edit(|m| m.opt.timestep = 0.002).unwrap();
    filtered.edit(|m| m.opt.timestep = 0.004).unwrap();
    assert_eq!(lists(&filtered, 3), 1);
    let bytes = filtered.to_bytes().unwrap();
    assert!(Model::from_bytes(&bytes).unwrap() == m);
    let arrays = filtered.clone().into_arrays();
    assert!(Model::from_arrays(arrays).unwrap() == m);
    filtered.unbind().unwrap();
    assert!(filtered == m);
}

#[test]
fn a_later_function_takes_the_place_of_an_earlier_one() {
    let mut m = plain();
    for x in [1.0, 2.0] {
        m.bind_control(move |_, inputs| inputs.ctrl.fill(x));
        m.bind_passive(move |_, force| force.fill(x));
        m.bind_contact_filter(move |_, _| x == 2.0).unwrap();
        m.bind_sensor("vel", move |_, out| out[0] = x).unwrap();
    }
    let mut batch = Batch::with(&m, 1, on(Backend::Cpu)).unwrap();
    batch.forward().unwrap();
    assert_eq!(batch.reals("ctrl").unwrap(), [2.0; 3]);
    assert_eq!(batch.reals("qfrc_passive").unwrap()[20], 2.0);
    assert_eq!(batch.reals("sensordata").unwrap()[5], 2.0);
    // the contact of the predefined pair
    assert_eq!(batch.ints("ncon").unwrap(), [1]);
}

#[test]
fn what_cannot_be_bound_or_read_is_told() {
    let mut m = plain();
    let position = m.names.sensor.len() - 1;
    m.edit(|m| m.names.sensor[position] = "tip".to_owned())
        .unwrap();
    for (name, told) in [
        ("psi", "sensor \"psi\": the model has none of that name"),
        ("tip", "sensor \"tip\": it is not of type \"user\""),
    ] {
        let error = m.bind_sensor(name, |_, _| {}).unwrap_err();
        assert_eq!(error.to_string(), told);
    }
    m.bind_control(|world, _| {
        for (name, told) in [
            ("qpso", "qpso is no array of a world; did you mean qpos?"),
            ("ncon", "ncon holds integers: read it with ints"),
        ] {
            assert_eq!(world.reals(name).unwrap_err().to_string(), told);
        }
        let error = world.ints("qpos").unwrap_err().to_string();
        assert_eq!(error, "qpos holds reals: read it with reals");
        assert_eq!(
            world.reals("contact_dist").unwrap().len(),
            world.model().nconmax
        );
        assert_eq!(
            world.ints("body_parentid").unwrap().len(),
            world.model().nbody
        );
    });
    let mut batch = Batch::with(&m, 1, on(Backend::Cpu)).unwrap();
    batch.forward().unwrap();
}
