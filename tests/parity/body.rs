//! The parity test, for all stages.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use manyworlds::fields::ViewMut;
use manyworlds::gpu::arena::{Layout, chip_words};
use manyworlds::gpu::dataflow::dataflow;
use manyworlds::gpu::device::{Device, Request};
use manyworlds::gpu::run::{inverse_walk, step_walk};
use manyworlds::gpu::ties::Ties;
use manyworlds::gpu::unroll::{MOST, SOFTWARE, unroll};
use manyworlds::gpu::verify::{compare, round_data, round_model, up_to};
use manyworlds::gpu::wgsl::{Build, LaneOrder, Team};
use manyworlds::gpu::{Config, Unroll};
use manyworlds::stages::{self, Stage};
use manyworlds::types::{ENBL_DIAGEXACT, ENBL_FWDINV, ENBL_INVDISCRETE, ENBL_RNEPOST, Integrator};
use manyworlds::{Data, Model};

use crate::common::Golden;

/// A team configuration for testing kernels.
#[derive(Clone, Copy, Debug)]
pub struct Tried {
    pub lanes: u32,
    /// Worlds of a workgroup.
    pub worlds: u32,
    pub tile: u32,
    /// Accessors check their indices.
    pub checked: bool,
    pub order: LaneOrder,
}

/// One lane; and two teams with opposite lane orders, in which of (nearly) any two lanes each comes first once: a missing barrier
/// shows in one of them.
pub const TEAMS: [Tried; 3] = [
    Tried {
        lanes: 1,
        worlds: 8,
        tile: 4,
        checked: false,
        order: LaneOrder::Straight,
    },
    Tried {
        lanes: 16,
        worlds: 2,
        tile: 4,
        checked: true,
        order: LaneOrder::Scattered,
    },
    Tried {
        lanes: 32,
        worlds: 1,
        tile: 1,
        checked: false,
        order: LaneOrder::ScatteredMirrored,
    },
];

impl Tried {
    /// The layout and execution settings of the team.
    pub fn config(&self) -> Config {
        Config {
            lanes: self.lanes,
            worlds: self.worlds,
            tile: self.tile,
            checked: self.checked,
            order: self.order,
            ..Config::default()
        }
    }
}

/// Number of worlds, not a multiple of the tile size.
pub const NWORLD: usize = 11;
/// Value of unwritten integers: the bits of ∞.
const POISON: i32 = 0x7f80_0000;

/// The default models of a stage; `PARITY=all` takes every golden.
const BODIES: &[&str] = &["humanoid", "pendula", "free_bodies", "rk4"];
const MODELS: &[(&str, &[&str])] = &[
    (
        "collision",
        &[
            "primitives",
            "collision",
            "boxes",
            "humanoid",
            "quadruped",
            "hand",
            "meshes",
            "pairs",
            "stones",
            "terrain",
        ],
    ),
    (
        "make_constraint",
        &[
            "equalities",
            "elliptic",
            "cones",
            "limits",
            "tendons",
            "humanoid",
            "sticky",
            "sticky_elliptic",
            "flexes",
        ],
    ),
    (
        "reference_constraint",
        &[
            "equalities",
            "elliptic",
            "cones",
            "tendons",
            "surfaces",
            "surfaces_elliptic",
            "sticky",
            "sticky_elliptic",
        ],
    ),
    ("flex", &["flexes", "cages"]),
    ("tendon", &["tendons", "spatial_tendons"]),
    (
        "transmission",
        &[
            "transmissions",
            "tendons",
            "actuators",
            "humanoid",
            "adhesion",
            "servos",
        ],
    ),
    (
        "fwd_velocity",
        &[
            "transmissions",
            "tendons",
            "spatial_tendons",
            "humanoid",
            "flexes",
        ],
    ),
    (
        "passive",
        &[
            "tendons",
            "humanoid",
            "pendula",
            "fluid",
            "free_bodies",
            "plastic",
            "sticky",
            "flexes",
            "cages",
        ],
    ),
    ("adhesion", &["sticky", "sticky_elliptic"]),
    ("fluid", &["fluid", "rk4"]),
    (
        "fwd_actuation",
        &[
            "actuators",
            "dcmotors",
            "servos",
            "turns",
            "tendons",
            "humanoid",
            "delays",
            "controllers",
        ],
    ),
    (
        "camlight",
        &["humanoid", "cartpole", "quadruped", "pendula"],
    ),
    (
        "rne",
        &["humanoid", "pendula", "free_bodies", "spatial_tendons"],
    ),
    (
        "rne_post",
        &[
            "spatial_tendons",
            "sensors",
            "humanoid",
            "pendula",
            "equalities",
            "cones",
            "elliptic",
            "boxes",
            "sticky",
            "sticky_elliptic",
        ],
    ),
    (
        "discrete_acc",
        &[
            "servos",
            "tendons",
            "implicit",
            "implicitfast",
            "free_bodies",
        ],
    ),
    (
        "metric",
        &[
            "actuators",
            "dcmotors",
            "tendons",
            "fluid",
            "free_bodies",
            "cones",
        ],
    ),
    ("settle", &["free_bodies", "humanoid", "boxes", "elliptic"]),
    ("inverse_metric", &["pendula", "cones", "humanoid"]),
    ("metric_again", &["pendula", "humanoid"]),
    (
        "inverse_settle",
        &["free_bodies", "humanoid", "boxes", "servos"],
    ),
    (
        "discrete",
        &[
            "humanoid",
            "free_bodies",
            "actuators",
            "dcmotors",
            "plastic",
        ],
    ),
    (
        "inv_constraint",
        &[
            "equalities",
            "cones",
            "elliptic",
            "limits",
            "quadruped",
            "humanoid",
        ],
    ),
    ("inverse_skip", &["humanoid", "servos", "implicit"]),
    (
        "compare_fwd_inv",
        &["humanoid", "limits", "elliptic", "rk4"],
    ),
    ("crb", &["humanoid", "pendula", "free_bodies", "tendons"]),
    (
        "euler",
        &[
            "humanoid",
            "free_bodies",
            "actuators",
            "servos",
            "dcmotors",
            "plastic",
            "controllers",
        ],
    ),
    ("rk4", &["rk4", "plastic_rk4"]),
    (
        "energy",
        &["pendula", "free_bodies", "tendons", "plastic", "flexes"],
    ),
    (
        "sensor_pos",
        &[
            "sensors",
            "touch",
            "rays",
            "delays",
            "distances",
            "lands",
            "enclosures",
        ],
    ),
    ("sensor_vel", &["sensors", "touch", "delays", "tactile"]),
    (
        "sensor_acc",
        &[
            "sensors",
            "touch",
            "touch_elliptic",
            "delays",
            "sticky",
            "grid",
        ],
    ),
    (
        "exact_diagonal",
        &["equalities", "elliptic", "cones", "limits", "hand", "boxes"],
    ),
    ("read_ctrl", &["delays", "delays_rk4"]),
    ("write_history", &["delays", "delays_rk4", "delays_off"]),
    ("subtree_vel", &["sensors"]),
    ("smooth_vel", &["implicit", "implicitfast"]),
    ("implicit", &["implicit", "implicitfast"]),
];

/// The device of this process, with WebGPU's default limits. Without an adapter the tests fail.
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

/// Deterministic small random numbers.
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

/// Stages that only discrete steps have.
const OF_DISCRETE_STEPS: &[&str] = &[
    "metric",
    "settle",
    "inverse_metric",
    "metric_again",
    "inverse_settle",
    "discrete",
];

/// Sets the flag of a diagnostic stage that no model enables.
fn ask_for(m: &mut Model, stage: &str) {
    m.edit(|m| {
        m.opt.enableflags |= match stage {
            "rne_post" => ENBL_RNEPOST,
            "exact_diagonal" => ENBL_DIAGEXACT,
            "inv_constraint" | "compare_fwd_inv" => ENBL_FWDINV,
            "discrete_acc" | "inverse_skip" => ENBL_FWDINV | ENBL_INVDISCRETE,
            "inverse_metric" | "metric_again" | "inverse_settle" => ENBL_FWDINV,
            _ => 0,
        };
        if OF_DISCRETE_STEPS.contains(&stage) {
            m.opt.integrator = Integrator::Discrete as i32;
        }
    })
    .unwrap();
}

/// The goldens that a stage is tested with, by name.
pub fn goldens(stage: &str) -> Vec<(String, Golden)> {
    let models = MODELS
        .iter()
        .find(|(name, _)| *name == stage)
        .map_or(BODIES, |(_, models)| models);
    goldens_of(models)
}

/// The goldens with these names.
pub fn goldens_of(models: &[&str]) -> Vec<(String, Golden)> {
    let all = std::env::var("PARITY").is_ok_and(|x| x == "all");
    let only = std::env::var("PARITY_MODEL").ok();
    let mut paths: Vec<_> = std::fs::read_dir("tests/golden")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "npz"))
        .collect();
    paths.sort();
    let name = |path: &std::path::Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    // other goldens hold parts only: collisions, meshes, calls
    let needed = ["in/qpos", "stat/meaninertia"];
    let whole = |golden: &Golden| needed.iter().all(|name| golden.get(name).is_some());
    paths
        .iter()
        .map(|path| (name(path), path))
        .filter(|(name, _)| all || models.contains(&name.as_str()))
        .filter(|(name, _)| only.as_ref().is_none_or(|only| only == name))
        .map(|(name, path)| (name, Golden::open(path.to_str().unwrap())))
        .filter(|(_, golden)| whole(golden))
        .collect()
}

/// Worlds of a golden: its states, then random states near them. States with unrealistically fast spins are left out, where
/// results are differences of large numbers, of which an `f32` keeps little.
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

/// Puts bad numbers of several kinds into some of the worlds, for the stages that check them.
///
/// A kernel takes a free joint's own force if an `f32` cannot distinguish it from the sum; the twin can. Here
/// applied forces push the joints, so that both take the sum (`tests/mujoco/corners.rs` tests the other case).
fn spoil(stage: &str, worlds: &mut [Data]) {
    let name = match stage {
        "rne_post" => {
            worlds.iter_mut().for_each(|d| d.qfrc_applied.fill(1e6));
            return;
        }
        "check_pos" => "qpos",
        "check_vel" => "qvel",
        _ => return,
    };
    for (k, bad) in [(1, f64::NAN), (4, f64::INFINITY), (6, -1e11)] {
        if let Some(ViewMut::Real(x)) = worlds[k].field_mut(name) {
            let last = x.len() - 1;
            x[last] = f64::from(bad as f32);
        }
    }
}

/// Whether a stage can be unrolled for this model and compiled in a second; `PARITY=all` allows more time.
fn unrolls(m: &Model, stage: &'static Stage) -> bool {
    let Tried {
        lanes,
        worlds,
        tile,
        checked,
        order,
    } = TEAMS[0];
    let team = Team::new(lanes, worlds);
    let layout = Layout::new(m, tile, &[], chip_words(team)).unwrap();
    let build = Build {
        m,
        layout: &layout,
        team,
        checked,
        limited: false,
        order,
    };
    let module = build.module(&[stage]);
    let all = std::env::var("PARITY").is_ok_and(|x| x == "all");
    let most = if all { MOST } else { SOFTWARE };
    unroll(&module, &layout.model_image(m), most).is_ok()
}

fn poison(d: &mut Data, names: &[&str]) {
    for name in names {
        match d.field_mut(name).unwrap() {
            // a device accepts no count above its capacity
            ViewMut::Int(x) if x.len() == 1 => x.fill(-1),
            ViewMut::Int(x) => x.fill(POISON),
            ViewMut::Real(x) => x.fill(f64::INFINITY),
        }
    }
}

/// Compares a stage's shader with its twin. `inout` names arrays that the stage reads and changes.
pub fn parity(name: &str, tolerance: f64, inout: &[&str]) {
    parity_but(name, tolerance, inout, &[]);
}

/// The same with tolerances of their own for some arrays, of all models or of one (`model array`).
pub fn parity_but(name: &str, tolerance: f64, inout: &[&str], but: &[(&str, f64)]) {
    parity_at(0, name, tolerance, inout, but);
}

// runs the twins before a stage, of a step or else of inverse dynamics; false if neither has the stage
fn comes_to(m: &Model, stage: &'static Stage, nth: usize, worlds: &mut [Data]) -> bool {
    let has = |walk: &[&'static Stage]| walk.iter().position(|s| s.name == stage.name);
    if has(&step_walk(m)).is_some() {
        up_to(m, stage, nth, worlds);
        return true;
    }
    let walk = inverse_walk(m);
    let Some(end) = has(&walk) else {
        return false;
    };
    for d in worlds {
        walk[..end].iter().for_each(|before| (before.twin)(m, d));
        round_data(d);
    }
    true
}

/// Appends the differences of a stage's shader and twin that are above a tolerance, on worlds of one model; returns its pairs at ties.
pub fn differences(
    file: &str,
    m: &Model,
    stage: &'static Stage,
    before: &[Data],
    teams: &[Tried],
    tolerance: f64,
    faults: &mut Vec<String>,
) -> Ties {
    let mut pairs = Ties::default();
    for team in teams {
        let report = compare(device(), m, stage, before, &team.config()).unwrap();
        pairs.met += report.ties.met;
        pairs.ties += report.ties.ties;
        faults.extend(report.touched.into_iter().map(|x| format!("{file}: {x}")));
        let wrong = report
            .worst
            .into_iter()
            .filter(|(_, x)| x.error > tolerance);
        faults.extend(wrong.map(|(field, x)| format!("{file} {team:?} {field}: {x:?}")));
    }
    pairs
}

/// Compares a stage's shader with its twin on these models, without the features that `flags` (`DSBL_*`) disable.
pub fn parity_without(name: &str, models: &[&str], flags: i32, tolerance: f64) {
    let stage = stages::stage(name).unwrap();
    let (mut faults, mut pairs) = (Vec::new(), Ties::default());
    for (file, golden) in goldens_of(models) {
        let mut m = golden.model();
        m.edit(|m| m.opt.disableflags |= flags).unwrap();
        round_model(&mut m);
        let mut before = worlds(&golden, &m, NWORLD);
        up_to(&m, stage, 0, &mut before);
        let ties = differences(&file, &m, stage, &before, &TEAMS, tolerance, &mut faults);
        pairs.met += ties.met;
        pairs.ties += ties.ties;
    }
    println!("{name} {pairs:?}");
    assert!(pairs.met > 0 && pairs.ties * 3 <= pairs.met, "{pairs:?}");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// the teams of the `k`th model: of the first two models one team of the two with opposite orders each, and one lane or unrolled; of the
// others one team, in turn
fn some<'a>(teams: &[(&'a Tried, Unroll)], k: usize) -> Vec<(&'a Tried, Unroll)> {
    let alone = if k == 0 { 0 } else { teams.len() - 1 };
    match k {
        0 | 1 if alone == 0 || alone > 2 => vec![teams[1 + k], teams[alone]],
        0 | 1 => vec![teams[1 + k]],
        _ => vec![teams[k % teams.len()]],
    }
}

/// The same for the `nth` occurrence of the stage in a step, from 0.
pub fn parity_at(nth: usize, name: &str, tolerance: f64, inout: &[&str], but: &[(&str, f64)]) {
    let stage = stages::stage(name).unwrap();
    let scale: Option<f64> = std::env::var("TOL_SCALE").ok().and_then(|x| x.parse().ok());
    let written = dataflow(&[stage]).writes;
    assert!(!written.is_empty(), "{name} writes nothing");
    let made: Vec<&str> = written
        .into_iter()
        .filter(|name| !inout.contains(name))
        .collect();
    let mut residuals: BTreeMap<&str, f64> = BTreeMap::new();
    let mut pairs = Ties::default();
    let mut faults = Vec::new();

    // a quick test takes one team for each model
    let asked = std::env::var("PARITY").unwrap_or_default();
    let mut met = 0;
    for (file, golden) in goldens(name) {
        let mut m = golden.model();
        ask_for(&mut m, name);
        round_model(&mut m);
        let mut before = worlds(&golden, &m, NWORLD);
        if !comes_to(&m, stage, nth, &mut before) {
            continue;
        }
        spoil(name, &mut before);
        before.iter_mut().for_each(|d| poison(d, &made));
        // one lane once more, unrolled for this model
        let mut teams: Vec<_> = TEAMS.iter().map(|team| (team, Unroll::Never)).collect();
        if unrolls(&m, stage) {
            teams.push((&TEAMS[0], Unroll::Always));
        }
        match asked.as_str() {
            "all" => {}
            "quick" => teams = vec![teams[met % teams.len()]],
            _ => teams = some(&teams, met),
        }
        for (tried, unroll) in teams {
            let config = Config {
                unroll,
                ..tried.config()
            };
            let report =
                compare(device(), &m, stage, &before, &config).unwrap_or_else(|e| panic!("{e}"));
            pairs.met += report.ties.met;
            pairs.ties += report.ties.ties;
            let place = format!("{file}, {} lanes, unroll {unroll:?}", tried.lanes);
            faults.extend(report.touched.iter().map(|what| format!("{place}: {what}")));
            for (field, worst) in report.worst {
                let residual = residuals.entry(field).or_default();
                *residual = residual.max(worst.error);
                let own = but
                    .iter()
                    .find(|(name, _)| *name == field || *name == format!("{file} {field}"))
                    .map_or(tolerance, |(_, own)| *own);
                if worst.error > own * scale.unwrap_or(1.0) {
                    faults.push(format!("{place}: {field}: {worst:?}"));
                }
            }
        }
        met += 1;
    }
    assert!(met > 0, "no golden has a model that needs {name}");
    if scale.is_some() {
        for (field, residual) in &residuals {
            println!("{name:24} {field:24} {residual:.1e}");
        }
        println!("{name:24} {pairs:?}");
    }
    // at most a third of the pairs may be left out as ties
    assert!(pairs.ties * 3 <= pairs.met, "{pairs:?}");
    let told = &faults[..faults.len().min(30)];
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        told.join("\n")
    );
}
