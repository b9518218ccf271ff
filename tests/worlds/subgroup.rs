//! Kernels whose workgroup is one subgroup: they give the results of those that exchange workgroup memory.

use crate::common::backends::on;
use manyworlds::batch::Backend;
use manyworlds::gpu::device::{Device, Request};
use manyworlds::gpu::run::step_walk;
use manyworlds::gpu::{Config, Gpu, Unroll, Values};
use manyworlds::types::Solver;
use manyworlds::{Batch, Model};

const NWORLD: usize = 5;
const STEPS: usize = 4;

/// What is compared: reals to rounding, integers exactly.
const REALS: [&str; 3] = ["qpos", "qvel", "qacc"];
const INTS: [&str; 3] = ["ncon", "nefc", "solver_niter"];

fn device() -> Device {
    Device::open(&Request::any())
        .expect("these tests need an adapter; mesa-vulkan-drivers has a software one")
}

// a state in which the quadruped stands
fn standing(m: &Model) -> Vec<f32> {
    let mut batch = Batch::with(m, 1, on(Backend::Cpu)).unwrap();
    batch.set("qpos", &m.key_qpos[..m.nq]).unwrap();
    batch.step(300).unwrap();
    let qpos = batch.reals("qpos").unwrap();
    qpos.iter().map(|&x| x as f32).collect()
}

// worlds that begin in the same state, each at another speed
fn step(device: &Device, m: &Model, qpos: &[f32], config: Config, worlds: &[usize]) -> Gpu {
    let config = Config {
        nworld: worlds.len(),
        checked: false,
        unroll: Unroll::Never,
        ..config
    };
    let mut gpu = Gpu::new(device, m, &config).unwrap();
    let qpos = qpos.repeat(worlds.len());
    let speed = |w: usize| (0..m.nv).map(move |i| 0.3 * ((7 * w + i) as f32).sin());
    let qvel = worlds.iter().flat_map(|&w| speed(w)).collect();
    gpu.write("qpos", &Values::Real(qpos)).unwrap();
    gpu.write("qvel", &Values::Real(qvel)).unwrap();
    let walk = step_walk(m);
    for _ in 0..STEPS {
        gpu.run_stages(&walk).unwrap();
    }
    gpu
}

fn ints(gpu: &mut Gpu, name: &str) -> Vec<i32> {
    match gpu.read(name).unwrap() {
        Values::Int(x) => x,
        Values::Real(_) => panic!("{name} holds integers"),
    }
}

#[test]
fn a_subgroup_gives_the_results_of_workgroup_memory() {
    let device = device();
    let size = device
        .subgroups()
        .expect("the software adapter has subgroups of one size");
    let all: Vec<usize> = (0..NWORLD).collect();
    let teams = [(size, 1), (size / 2, 2)];
    for (solver, teams) in [(Solver::Newton, &teams[..]), (Solver::Pgs, &teams[1..])] {
        let mut m = Model::from_xml_path("models/quadruped.xml").unwrap();
        m.edit(|m| m.opt.solver = solver as i32).unwrap();
        let qpos = standing(&m);
        for &(lanes, worlds) in teams {
            let config = |subgroups: bool| Config {
                lanes,
                worlds,
                tile: worlds,
                subgroups,
                ..Config::default()
            };
            let mut have = step(&device, &m, &qpos, config(true), &all);
            let mut want = step(&device, &m, &qpos, config(false), &all);
            assert!(have.team().subgroup && !want.team().subgroup);
            for name in INTS {
                let [have, want] = [&mut have, &mut want].map(|gpu| ints(gpu, name));
                assert_eq!(have, want, "{name}, {solver:?}, {lanes} lanes");
            }
            let rows = ints(&mut have, "nefc");
            assert!(
                rows.iter().all(|&n| n > 0) && rows.iter().any(|&n| n > 30),
                "{rows:?}"
            );
            for name in REALS {
                let [x, y] = [&mut have, &mut want].map(|gpu| gpu.read_real(name).unwrap());
                let size = y.iter().fold(1.0, |most: f32, y| most.max(y.abs()));
                for (k, (x, y)) in x.iter().zip(&y).enumerate() {
                    let e = (x - y).abs() / size;
                    assert!(e < 2e-4, "{name}[{k}], {solver:?}: {x}, without {y}");
                }
            }

            // a world is the same bits alone
            let mut alone = step(&device, &m, &qpos, config(true), &all[3..4]);
            for name in REALS {
                let [all, one] = [&mut have, &mut alone].map(|gpu| gpu.read_real(name).unwrap());
                assert_eq!(all[3 * one.len()..][..one.len()], one, "{name}");
            }
        }
    }
}

#[test]
fn subgroups_are_used_where_a_workgroup_is_one() {
    let device = device();
    let size = device.subgroups().unwrap();
    let m = Model::from_xml_path("models/cartpole.xml").unwrap();
    let uses = |device: &Device, lanes: u32, worlds: u32| {
        let config = Config {
            lanes,
            worlds,
            ..Config::default()
        };
        Gpu::new(device, &m, &config).unwrap().team().subgroup
    };
    assert!(uses(&device, size, 1) && uses(&device, 2, size / 2));
    assert!(!uses(&device, size, 2) && !uses(&device, 1, size));
    // a portable device has no features beyond WebGPU's first version
    let request = Request {
        portable: true,
        ..Request::any()
    };
    let portable = Device::open(&request).unwrap();
    assert!(portable.subgroups().is_none() && !uses(&portable, size, 1));
}
