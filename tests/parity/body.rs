//! The test that every stage shares.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use manyworlds::fields::{FIELDS, Room, View, ViewMut};
use manyworlds::gpu::device::{Device, Request};
use manyworlds::gpu::run::step_walk;
use manyworlds::gpu::wgsl::dataflow;
use manyworlds::gpu::{Config, Gpu};
use manyworlds::model::Opt;
use manyworlds::stages::{self, Stage};
use manyworlds::{Data, Model};

use crate::common::Golden;

/// Lanes, worlds of a workgroup, worlds of a tile, checked accessors.
type Team = (u32, u32, u32, bool);
const TEAMS: [Team; 3] = [(1, 8, 4, false), (4, 2, 4, true), (32, 1, 1, false)];
/// Not a whole number of tiles.
const NWORLD: usize = 11;
/// What an unwritten integer holds: the bits of ∞.
const POISON: i32 = 0x7f80_0000;

/// The device of this process, with no more than WebGPU's default limits. Without an adapter the tests fail.
pub fn device() -> &'static Device {
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

/// Small random numbers, the same on every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Uniform in [-1, 1).
    pub fn uniform(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// The models of all goldens, by name.
pub fn goldens() -> Vec<(String, Golden)> {
    let mut paths: Vec<_> = std::fs::read_dir("tests/golden")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "npz"))
        .collect();
    paths.sort();
    let name = |path: &std::path::Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    // other goldens are of parts: collisions, meshes
    let whole = |golden: &Golden| golden.get("in/qpos").is_some();
    paths
        .iter()
        .map(|path| (name(path), Golden::open(path.to_str().unwrap())))
        .filter(|(_, golden)| whole(golden))
        .collect()
}

/// Rounds every number of a model to `f32`, so that twin and shader get the same.
pub fn round_model(m: &mut Model) {
    for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
        if let Some(ViewMut::Real(x)) = m.field_mut(field.name) {
            x.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        }
    }
    for (name, _) in Opt::NAMES {
        let values: Vec<f64> = m
            .opt
            .get(name)
            .unwrap()
            .iter()
            .map(|&x| f64::from(x as f32))
            .collect();
        assert!(m.opt.set(name, &values), "{name}");
    }
    m.stat.meaninertia = f64::from(m.stat.meaninertia as f32);
}

fn round_data(d: &mut Data) {
    for field in FIELDS.iter() {
        if let Some(ViewMut::Real(x)) = d.field_mut(field.name) {
            x.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        }
    }
}

/// Worlds of a golden: its states, then random ones near them. A state that spins faster than anything a machine does is left
/// out: there the difference of two numbers is all that an `f32` has.
pub fn worlds(golden: &Golden, m: &Model, n: usize) -> Vec<Data> {
    let tame = |k: &usize| golden.state("in/qvel", *k).iter().all(|v| v.abs() < 100.0);
    let states: Vec<usize> = (0..golden.nstate()).filter(tame).collect();
    let mut random = Random::new(7);
    let world = |k: usize| {
        let mut d = golden.world(m, states[k % states.len()]);
        if k >= states.len() {
            let sizes = [
                ("qpos", 0.02),
                ("qvel", 0.5),
                ("ctrl", 0.5),
                ("act", 0.2),
                ("qfrc_applied", 1.0),
            ];
            for (name, size) in sizes {
                if let Some(ViewMut::Real(x)) = d.field_mut(name) {
                    x.iter_mut().for_each(|x| *x += size * random.uniform());
                }
            }
        }
        round_data(&mut d);
        d
    };
    (0..n).map(world).collect()
}

fn poison(d: &mut Data, names: &[&str]) {
    for name in names {
        match d.field_mut(name).unwrap() {
            ViewMut::Int(x) => x.fill(POISON),
            ViewMut::Real(x) => x.fill(f64::INFINITY),
        }
    }
}

/// Bits of every number of an array, and the numbers.
fn numbers(d: &Data, name: &str) -> Vec<f64> {
    match d.field(name).unwrap() {
        View::Int(x) => x.iter().map(|&x| f64::from(x)).collect(),
        View::Real(x) => x.to_vec(),
    }
}

/// Holds a stage's shader against its twin. `inout` names arrays that it changes rather than makes.
pub fn parity(name: &str, tolerance: f64, inout: &[&str]) {
    let stage = stages::stage(name).unwrap();
    let scale: Option<f64> = std::env::var("TOL_SCALE").ok().and_then(|x| x.parse().ok());
    let mut bench = Bench {
        stage,
        tolerance: tolerance * scale.unwrap_or(1.0),
        written: dataflow(&[stage]).writes,
        residuals: BTreeMap::new(),
        faults: Vec::new(),
    };
    assert!(!bench.written.is_empty(), "{name} writes nothing");
    // in a hurry a model is run with one team only, another for each model
    let quick = std::env::var("PARITY").is_ok_and(|x| x == "quick");
    let mut met = 0;
    for (file, golden) in goldens() {
        let mut m = golden.model();
        round_model(&mut m);
        if !step_walk(&m).iter().any(|s| s.name == name) {
            continue;
        }
        let before = bench.inputs(&m, worlds(&golden, &m, NWORLD), inout);
        let teams = if quick {
            &TEAMS[met % 3..][..1]
        } else {
            &TEAMS[..]
        };
        bench.compare(&file, &m, &before, teams);
        met += 1;
    }
    assert!(met > 0, "no golden has a model that needs {name}");
    if scale.is_some() {
        for (field, residual) in &bench.residuals {
            println!("{name:24} {field:24} {residual:.1e}");
        }
    }
    assert!(
        bench.faults.is_empty(),
        "{} faults:\n{}",
        bench.faults.len(),
        bench.faults[..bench.faults.len().min(20)].join("\n")
    );
}

struct Bench {
    stage: &'static Stage,
    tolerance: f64,
    written: Vec<&'static str>,
    residuals: BTreeMap<&'static str, f64>,
    faults: Vec<String>,
}

impl Bench {
    // the twins up to the stage, in numbers that an f32 can hold
    fn inputs(&self, m: &Model, mut worlds: Vec<Data>, inout: &[&str]) -> Vec<Data> {
        let poisoned: Vec<&str> = self
            .written
            .iter()
            .copied()
            .filter(|name| !inout.contains(name))
            .collect();
        for d in &mut worlds {
            for stage in step_walk(m)
                .into_iter()
                .take_while(|s| s.name != self.stage.name)
            {
                (stage.twin)(m, d);
            }
            round_data(d);
            poison(d, &poisoned);
        }
        worlds
    }

    fn compare(&mut self, file: &str, m: &Model, before: &[Data], teams: &[Team]) {
        let mut want = before.to_vec();
        want.iter_mut().for_each(|d| (self.stage.twin)(m, d));
        for &(lanes, worlds, tile, checked) in teams {
            let config = Config {
                nworld: before.len(),
                lanes,
                worlds,
                tile,
                checked,
                fuse: 1,
                ..Config::default()
            };
            let mut gpu = Gpu::new(device(), m, &config).unwrap();
            gpu.set_data(before).unwrap();
            gpu.run_stages(&[self.stage])
                .unwrap_or_else(|e| panic!("{e}"));
            let have = gpu.data().unwrap();
            for w in 0..before.len() {
                let place = format!("{file}, {lanes} lanes, world {w}");
                self.compare_world(&place, &before[w], &want[w], &have[w]);
            }
        }
    }

    fn compare_world(&mut self, place: &str, before: &Data, want: &Data, have: &Data) {
        for field in FIELDS.iter().filter(|field| field.room != Room::Model) {
            let [was, want, have] = [before, want, have].map(|d| numbers(d, field.name));
            if !self.written.contains(&field.name) {
                let untouched = |x: &[f64]| {
                    x.iter()
                        .zip(&was)
                        .all(|(x, was)| x.to_bits() == was.to_bits())
                };
                for (who, x) in [("the twin", &want), ("the shader", &have)] {
                    if !untouched(x) {
                        self.faults
                            .push(format!("{place}: {who} touches {}", field.name));
                    }
                }
                continue;
            }
            for (k, (&want, &have)) in want.iter().zip(&have).enumerate() {
                // equal covers what neither writes
                let error = if want == have {
                    0.0
                } else {
                    (want - have).abs() / (1.0 + want.abs())
                };
                let error = if error.is_nan() { f64::INFINITY } else { error };
                let residual = self.residuals.entry(field.name).or_default();
                *residual = residual.max(error);
                if error > self.tolerance {
                    self.faults.push(format!(
                        "{place}: {}[{k}] is {have}, the twin says {want} ({error:.1e})",
                        field.name
                    ));
                }
            }
        }
    }
}
