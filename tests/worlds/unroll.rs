//! Unrolled kernels give the results of the plain kernels.

use std::sync::OnceLock;

use manyworlds::fields::{FIELDS, Room, View};
use manyworlds::gpu::arena::{Layout, chip_words};
use manyworlds::gpu::config::{hardware_team, single};
use manyworlds::gpu::device::{Device, Request};
use manyworlds::gpu::run::{groups, step_walk};
use manyworlds::gpu::unroll::{Budget, Formed, Forms, MOST, Why, unroll};
use manyworlds::gpu::wgsl::{Build, Team};
use manyworlds::gpu::{Config, Gpu, Unroll, Values};
use manyworlds::stages::{Stage, stage};
use manyworlds::{Data, Model};

const NWORLD: usize = 13;
/// Stages whose loop bounds are all constants of the model.
const SMOOTH: &[&str] = &[
    "check_pos",
    "check_vel",
    "kinematics",
    "com_pos",
    "camlight",
    "tendon",
    "crb",
    "factor_m",
    "transmission",
    "fwd_velocity",
    "com_vel",
    "passive",
    "rne",
    "fwd_actuation",
    "fwd_acceleration",
    "euler",
];

fn device() -> &'static Device {
    static DEVICE: OnceLock<Device> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let request = Request {
            portable: true,
            ..Request::any()
        };
        Device::open(&request)
            .expect("these tests need an adapter; mesa-vulkan-drivers has a software one")
    })
}

fn model(name: &str) -> Model {
    Model::from_xml_path(format!("models/{name}.xml")).unwrap()
}

fn text(m: &Model, stage: &'static Stage) -> Result<String, Why> {
    let layout = Layout::new(m, 8, &[], 0).unwrap();
    let team = Team::new(1, 8);
    let build = Build::new(m, &layout, team);
    let module = unroll(&build.module(&[stage]), &layout.model_image(m), MOST)?;
    module.validate().unwrap_or_else(|e| panic!("{e}"));
    Ok(module.text)
}

// worlds in different states, with controls
fn worlds(m: &Model) -> Vec<Data> {
    let mut seed = 1u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (seed >> 40) as f64 / (1 << 23) as f64 - 1.0
    };
    let world = |_| {
        let mut d = Data::new(m);
        d.qpos.iter_mut().for_each(|x| *x += 0.1 * random());
        d.qvel.iter_mut().for_each(|x| *x += random());
        d.ctrl.iter_mut().for_each(|x| *x = 0.5 * random());
        for stage in step_walk(m) {
            (stage.twin)(m, &mut d);
        }
        d
    };
    (0..NWORLD).map(world).collect()
}

#[test]
fn smooth_stages_have_no_loops_left() {
    for name in ["cartpole", "quadruped", "humanoid"] {
        let m = model(name);
        let walk = step_walk(&m);
        for stage in walk.into_iter().filter(|s| SMOOTH.contains(&s.name)) {
            let text = text(&m, stage).unwrap_or_else(|e| panic!("{name}, {}: {e}", stage.name));
            for word in ["for (", "while (", "loop {", "model_words["] {
                assert!(!text.contains(word), "{name}, {}: {word}", stage.name);
            }
        }
    }
}

#[test]
fn what_is_too_large_stays() {
    let m = model("cartpole");
    let layout = Layout::new(&m, 8, &[], 0).unwrap();
    let team = Team::new(1, 8);
    let build = Build::new(&m, &layout, team);
    let module = build.module(&[stage("kinematics").unwrap()]);
    let image = layout.model_image(&m);
    for most in [
        Budget {
            statements: 1,
            ..MOST
        },
        Budget {
            statements: 100,
            ..MOST
        },
        Budget { words: 50, ..MOST },
    ] {
        assert_eq!(unroll(&module, &image, most).unwrap_err(), Why::Large);
    }
}

#[test]
fn loops_that_the_state_ends_stay() {
    let m = model("humanoid");
    let solver = stage("solve_newton").unwrap();
    assert_eq!(text(&m, solver), Err(Why::Unbounded));
}

#[test]
fn unrolled_and_plain_kernels_agree() {
    for name in ["cartpole", "quadruped", "tendons"] {
        let m = model(name);
        let before = worlds(&m);
        let run = |unroll, checked| {
            let config = Config {
                nworld: NWORLD,
                lanes: 1,
                worlds: 4,
                tile: 4,
                checked,
                unroll,
                ..Config::default()
            };
            let mut gpu = Gpu::new(device(), &m, &config).unwrap();
            let mut out = Vec::new();
            for stage in step_walk(&m) {
                if SMOOTH.contains(&stage.name) {
                    gpu.set_data(&before).unwrap();
                    gpu.run_stages(&[stage]).unwrap();
                    out.push((stage.name, gpu.data().unwrap()));
                }
            }
            let all = gpu.forms().iter().all(|(_, why)| why.is_none());
            assert_eq!(all, unroll == Unroll::Always, "{name}: {:?}", gpu.forms());
            out
        };
        let plain = run(Unroll::Never, false);
        let short = run(Unroll::Always, false);
        if name == "cartpole" {
            let checked = run(Unroll::Always, true);
            assert_eq!(short, checked, "{name}: checked kernels make the same bits");
        }
        for ((stage, plain), (_, short)) in plain.iter().zip(&short) {
            for (world, (plain, short)) in plain.iter().zip(short).enumerate() {
                for field in FIELDS.iter().filter(|field| field.room != Room::Model) {
                    let place = format!("{name}, {stage}, world {world}, {}", field.name);
                    match (plain.field(field.name), short.field(field.name)) {
                        (Some(View::Real(a)), Some(View::Real(b))) => {
                            let far = |(a, b): (&f64, &f64)| (a - b).abs() > 2e-5 * (1.0 + a.abs());
                            assert!(!a.iter().zip(b).any(far), "{place}");
                        }
                        (a, b) => assert!(a == b, "{place}"),
                    }
                }
            }
        }
    }
}

// the kernels of a step on a hardware GPU
fn on_hardware(m: &Model) -> Vec<Formed> {
    let (team, tile) = hardware_team(m);
    let layout = Layout::new(m, tile, &[], chip_words(team)).unwrap();
    let forms = Forms {
        plain: Build::new(m, &layout, team),
        unroll: Unroll::Auto,
        worlds: single(team, tile, 32, 4096),
        software: false,
        asked: false,
    };
    let groups = groups(m, &step_walk(m), usize::MAX);
    groups.iter().flat_map(|group| forms.of(group)).collect()
}

#[test]
fn on_hardware_smooth_stages_are_unrolled_in_few_kernels() {
    for (name, most) in [("cartpole", 26), ("quadruped", 9), ("humanoid", 10)] {
        let m = model(name);
        let kernels = on_hardware(&m);
        let stages = kernels.iter().flat_map(|k| k.module.stages.iter().copied());
        let walk: Vec<&str> = step_walk(&m).iter().map(|stage| stage.name).collect();
        assert_eq!(stages.collect::<Vec<_>>(), walk, "{name}");
        assert!(kernels.len() <= most, "{name}: {} kernels", kernels.len());
        for kernel in &kernels {
            let label = kernel.module.label();
            kernel
                .module
                .validate()
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            let smooth = kernel
                .module
                .stages
                .iter()
                .all(|s| SMOOTH.contains(s) || *s == "rk4");
            assert_eq!(kernel.why.is_none(), smooth, "{name}, {label}");
            let lanes = if smooth { 1 } else { hardware_team(&m).0.lanes };
            assert_eq!(kernel.team.lanes, lanes, "{name}, {label}");
        }
    }
}

#[test]
fn unrolled_kernels_run_beside_those_with_several_lanes() {
    let m = model("cartpole");
    let before = worlds(&m);
    let run = |unroll, fuse| {
        let config = Config {
            nworld: NWORLD,
            lanes: 8,
            worlds: 4,
            tile: 4,
            fuse,
            unroll,
            ..Config::default()
        };
        let mut gpu = Gpu::new(device(), &m, &config).unwrap();
        gpu.set_data(&before).unwrap();
        gpu.step(3).unwrap();
        let some = gpu.forms().iter().any(|(_, why)| why.is_none());
        assert_eq!(some, unroll == Unroll::Always, "{:?}", gpu.forms());
        let read = |name| gpu.read_real(name).unwrap();
        [read("qpos"), read("qvel"), read("qacc")].concat()
    };
    let plain = run(Unroll::Never, 1);
    for fuse in [1, usize::MAX] {
        for (k, (a, b)) in plain.iter().zip(run(Unroll::Always, fuse)).enumerate() {
            assert!((a - b).abs() <= 2e-5 * (1.0 + a.abs()), "{k}: {a}, {b}");
        }
    }
}

#[test]
fn what_varies_is_read() {
    let m = model("cartpole");
    let mut config = Config {
        nworld: NWORLD,
        unroll: Unroll::Always,
        ..Config::default()
    };
    config.varies.push("body_mass".to_owned());
    let mut gpu = Gpu::new(device(), &m, &config).unwrap();
    // every world has its own masses
    let masses = |w: usize| {
        m.body_mass
            .iter()
            .map(move |&x| x as f32 * (1.0 + w as f32))
    };
    let all: Vec<f32> = (0..NWORLD).flat_map(masses).collect();
    gpu.write("body_mass", &Values::Real(all)).unwrap();
    let walk = ["kinematics", "com_pos"].map(|name| stage(name).unwrap());
    gpu.run_stages(&walk).unwrap();
    assert!(gpu.forms().iter().all(|(_, why)| why.is_none()));
    let cinert = gpu.read_real("cinert").unwrap();
    for (w, world) in cinert.chunks(10 * m.nbody).enumerate() {
        for (i, inert) in world.chunks(10).enumerate().skip(1) {
            assert_eq!(inert[9], m.body_mass[i] as f32 * (1.0 + w as f32));
        }
    }
}

#[test]
fn a_bad_state_is_still_found() {
    let m = model("humanoid");
    let run = |unroll, bad: f64| {
        let config = Config {
            nworld: 2,
            unroll,
            ..Config::default()
        };
        let mut gpu = Gpu::new(device(), &m, &config).unwrap();
        let mut worlds = vec![Data::new(&m); 2];
        worlds[1].qvel[7] = bad;
        worlds[1].qpos[9] = bad;
        gpu.set_data(&worlds).unwrap();
        gpu.run_stages(&["check_pos", "check_vel"].map(|name| stage(name).unwrap()))
            .unwrap();
        gpu.data().unwrap()
    };
    for bad in [f64::NAN, f64::INFINITY, -1e30] {
        let (plain, short) = (run(Unroll::Never, bad), run(Unroll::Always, bad));
        assert!(short[1].warning.iter().sum::<i32>() > 0, "{bad}");
        assert_eq!(plain, short, "{bad}");
    }
}
