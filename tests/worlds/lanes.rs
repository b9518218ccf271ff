//! Worlds side by side against the reference, world by world.

use crate::common::tile::{lane, lanes};
use crate::common::{Golden, error};
use manyworlds::real::{Counted, F32x8, F32x16, F64x8, Real};
use manyworlds::simd::{self, Rows, copy_lane};
use manyworlds::stages::{self, Stage};
use manyworlds::types::{ENBL_RNEPOST, NeedStage, SensorType, Solver};
use manyworlds::{Data, Model, cpu};

const MODELS: &[&str] = &[
    "boxes",
    "cartpole",
    "hand",
    "humanoid",
    "quadruped",
    "limits",
    "cones",
    "elliptic",
    "equalities",
];

/// Models with sensors of every kind.
const SENSED: &[&str] = &[
    "sensors",
    "touch",
    "touch_elliptic",
    "rays",
    "distances",
    "lands",
    "tactile",
];

fn models() -> impl Iterator<Item = (&'static str, Golden, Model)> {
    open(MODELS)
}

fn open(names: &[&'static str]) -> impl Iterator<Item = (&'static str, Golden, Model)> {
    names.iter().map(|name| {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        m.edit(|m| (m.nconmax, m.njmax) = (200, 800)).unwrap();
        (*name, golden, m)
    })
}

// forward dynamics of the goldens' states
fn forward_agrees<R: Real>(
    run: impl Fn(&'static Stage, &Model, &mut Data<R>, &mut Rows<R>),
    tolerance: f64,
) {
    for (name, golden, mut m) in models() {
        m.edit(|m| m.opt.enableflags |= ENBL_RNEPOST).unwrap();
        let mut worlds: Vec<Data> = (0..golden.nstate()).map(|k| golden.world(&m, k)).collect();
        let mut tile = lanes::<R>(&m, &worlds);
        let mut rows = Rows::new(&m);
        stages::forward(&m, &mut |stage| run(stage, &m, &mut tile, &mut rows));
        for (k, world) in worlds.iter_mut().enumerate() {
            // at a spin of 10⁴ rad/s single precision cannot resolve a torque
            if world.qvel.iter().any(|v| v.abs() > 100.0) {
                continue;
            }
            cpu::forward(&m, world);
            for (field, scale) in [
                ("xpos", 1e-2),
                ("qfrc_bias", 1e-1),
                ("qacc_smooth", 1.0),
                ("qacc", 1.0),
                ("qfrc_constraint", 1.0),
                ("cacc", 1.0),
                ("cfrc_ext", 1.0),
                // a difference of contact forces and inertia
                ("cfrc_int", 5.0),
            ] {
                let want = crate::common::reals(world, field);
                let e = error(&lane(&tile, field, k), &want);
                assert!(
                    e < tolerance * scale,
                    "{name} world {k}: {field} is off by {e:e}"
                );
            }
            // compares nefc and not ncon: in single precision a contact exactly at its gap may be missing, but it has no rows
            assert_eq!(
                lane(&tile, "nefc", k),
                crate::common::reals(world, "nefc"),
                "{name} world {k}: nefc"
            );
        }
    }
}

#[test]
fn single_precision_is_near_the_reference() {
    forward_agrees::<simd::Lanes>(|stage, m, d, rows| (stage.simd)(m, d, rows), 2e-3);
}

// the same algorithms in double precision, with one world per tile, reach the same optimum
#[test]
fn double_precision_is_nearer() {
    for (name, golden, mut m) in models() {
        m.edit(|m| m.opt.tolerance = 1e-14).unwrap();
        for solver in [Solver::Newton, Solver::Cg] {
            m.edit(|m| {
                m.opt.solver = solver as i32;
                m.opt.iterations = if solver == Solver::Cg { 1000 } else { 100 };
            })
            .unwrap();
            double_precision(name, &golden, &m);
        }
    }
}

fn double_precision(name: &str, golden: &Golden, m: &Model) {
    for k in 0..golden.nstate() {
        let mut world = golden.world(m, k);
        let mut d = Data::<Counted>::new(m);
        copy_lane(&mut d, &world, 0, 0);
        let mut rows = Rows::new(m);
        stages::forward(m, &mut |stage| (stage.counted)(m, &mut d, &mut rows));
        cpu::forward(m, &mut world);
        let e = error(&lane(&d, "qacc", 0), &crate::common::reals(&world, "qacc"));
        assert!(e < 1e-6, "{name} world {k}, solver {}: {e:e}", m.opt.solver);
    }
}

// sensor readings of tiles in double precision, and side by side in single precision, agree with the reference
#[test]
fn sensors_say_the_same() {
    for (name, golden, mut m) in open(SENSED) {
        m.edit(|m| m.opt.tolerance = 1e-14).unwrap();
        let worlds: Vec<Data> = (0..golden.nstate()).map(|k| golden.world(&m, k)).collect();
        let mut tile = lanes::<simd::Lanes>(&m, &worlds);
        let mut rows = Rows::new(&m);
        stages::forward(&m, &mut |stage| (stage.simd)(&m, &mut tile, &mut rows));
        for (k, world) in worlds.into_iter().enumerate() {
            let mut alone = Data::<Counted>::new(&m);
            copy_lane(&mut alone, &world, 0, 0);
            let mut rows = Rows::new(&m);
            stages::forward(&m, &mut |stage| (stage.counted)(&m, &mut alone, &mut rows));
            let mut world = world;
            cpu::forward(&m, &mut world);
            let (double, single) = (lane(&alone, "sensordata", 0), lane(&tile, "sensordata", k));
            for i in 0..m.nsensor {
                let adr = m.sensor_adr[i] as usize;
                let at = adr..adr + m.sensor_dim[i] as usize;
                let want = &world.sensordata[at.clone()];
                let e = [&double, &single].map(|have| error(&have[at.clone()], want));
                let forces = m.sensor_needstage[i] == NeedStage::Acc;
                let tolerance = [1e-6, if forces { 1e-2 } else { 1e-4 }];
                let kind = SensorType::from_i32(m.sensor_type[i]);
                assert!(
                    e[0] < tolerance[0] && e[1] < tolerance[1],
                    "{name} world {k} sensor {i}, {kind:?}: {e:?}"
                );
            }
        }
    }
}

// conjugate gradients stop before the optimum, and at another point if the islands of a world are solved together: both
// `simd` and the reference are compared with Newton
#[test]
fn conjugate_gradients_come_as_near_as_those_of_the_reference() {
    for (name, golden, newton) in models() {
        let mut m = newton.clone();
        m.edit(|m| m.opt.solver = Solver::Cg as i32).unwrap();
        let worlds: Vec<Data> = (0..golden.nstate()).map(|k| golden.world(&m, k)).collect();
        let mut tile = lanes::<simd::Lanes>(&m, &worlds);
        let mut rows = Rows::new(&m);
        stages::forward(&m, &mut |stage| (stage.simd)(&m, &mut tile, &mut rows));
        for (k, world) in worlds.iter().enumerate() {
            if world.qvel.iter().any(|v| v.abs() > 100.0) {
                continue;
            }
            let qacc = |m: &Model| {
                let mut world = world.clone();
                cpu::forward(m, &mut world);
                world.qacc
            };
            let best = qacc(&newton);
            let reference = error(&qacc(&m), &best);
            let e = error(&lane(&tile, "qacc", k), &best);
            // on a cone, the search in single precision ends a little earlier
            let tolerance = if name == "elliptic" { 2e-2 } else { 1e-3 };
            assert!(
                e < tolerance + 2.0 * reference,
                "{name} world {k}: {e:e}, {reference:e}"
            );
        }
    }
}

// the bits of a world do not depend on its neighbours or its lane
#[test]
fn neighbours_do_not_matter() {
    for (name, golden, m) in models().chain(open(SENSED)) {
        let worlds: Vec<Data> = (0..golden.nstate()).map(|k| golden.world(&m, k)).collect();
        let run = |worlds: &[Data]| {
            let mut tile = lanes::<simd::Lanes>(&m, worlds);
            let mut rows = Rows::new(&m);
            for _ in 0..20 {
                stages::step(&m, &mut |stage| (stage.simd)(&m, &mut tile, &mut rows));
            }
            tile
        };
        let together = run(&worlds);
        for (k, world) in worlds.iter().enumerate() {
            let alone = run(std::slice::from_ref(world));
            for field in ["qpos", "qvel", "qacc", "solver_niter", "sensordata"] {
                assert_eq!(
                    lane(&together, field, k),
                    lane(&alone, field, 3),
                    "{name} world {k}: {field}"
                );
            }
        }
    }
}

// tiles of every width give the same results
#[test]
fn widths_agree() {
    let golden = Golden::open("tests/golden/humanoid.npz");
    let m = golden.model();
    let world = [golden.world(&m, 3)];
    fn kinematics<R: Real>(m: &Model, world: &[Data]) -> Vec<f64> {
        let mut tile = lanes::<R>(m, world);
        cpu::kinematics::kinematics(m, &mut tile);
        lane(&tile, "xpos", R::WIDTH - 1)
    }
    assert_eq!(
        kinematics::<F32x8>(&m, &world),
        kinematics::<F32x16>(&m, &world)
    );
    assert!(
        error(
            &kinematics::<F64x8>(&m, &world),
            &kinematics::<f64>(&m, &world)
        ) < 1e-14
    );
}
