//! Islands and every solver for worlds side by side: against the reference, with any neighbours.

use crate::common::error;
use crate::common::tile::{lane, lanes};
use manyworlds::batch::{Backend, Settings};
use manyworlds::fields::field;
use manyworlds::real::Counted;
use manyworlds::simd::{Lanes, Rows, copy_lane, read_islands};
use manyworlds::types::{Cone, ENBL_SOLVERSTAT, Solver};
use manyworlds::{Batch, Data, Model, cpu, stages};

/// Models of several trees that rows couple differently in every world; a single tree, and cones.
const MODELS: &[&str] = &[
    "tests/golden/solver/islands.xml",
    "models/boxes.xml",
    "models/elliptic.xml",
    "models/quadruped.xml",
];

const WORLDS: usize = 11;

// solver, and iterations of the one for hard friction
const SOLVERS: &[(Solver, i32)] = &[
    (Solver::Newton, 0),
    (Solver::Cg, 0),
    (Solver::Pgs, 0),
    (Solver::Newton, 4),
    (Solver::Pgs, 4),
];

fn open(path: &str) -> Model {
    let mut m = Model::from_xml_path(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    m.edit(|m| (m.nconmax, m.njmax) = (200, 800)).unwrap();
    m
}

fn choose(m: &Model, (solver, noslip): (Solver, i32)) -> Model {
    let mut m = m.clone();
    m.edit(|m| (m.opt.solver, m.opt.noslip_iterations) = (solver as i32, noslip))
        .unwrap();
    m
}

// worlds in motion, each thrown in another direction; states are representable in single precision
fn worlds(m: &Model) -> Vec<Data> {
    let mut bits = 0x9e37_79b9_u32;
    let mut random = || {
        bits ^= bits << 13;
        bits ^= bits >> 17;
        bits ^= bits << 5;
        f64::from(bits) / f64::from(u32::MAX) - 0.5
    };
    let world = |w: usize| {
        let mut d = Data::new(m);
        d.qvel.iter_mut().for_each(|v| *v = 2.0 * random());
        for _ in 0..40 * (w % 4) {
            cpu::step(m, &mut d);
        }
        for x in [&mut d.qpos, &mut d.qvel, &mut d.qacc_warmstart] {
            x.iter_mut().for_each(|x| *x = f64::from(*x as f32));
        }
        d
    };
    (0..WORLDS).map(world).collect()
}

fn ints(world: &Data, name: &str) -> Vec<f64> {
    crate::common::reals(world, name)
}

// the islands of a lane do not depend on those of its neighbours
#[test]
fn islands_are_those_of_the_reference() {
    let mut met = std::collections::BTreeSet::new();
    for path in MODELS {
        let m = open(path);
        let worlds = worlds(&m);
        for chunk in worlds.chunks(<Lanes as manyworlds::real::Real>::WIDTH) {
            let mut tile = lanes::<Lanes>(&m, chunk);
            let mut rows = Rows::new(&m);
            stages::forward(&m, &mut |stage| (stage.simd)(&m, &mut tile, &mut rows));
            for (k, world) in chunk.iter().enumerate() {
                let mut world = world.clone();
                cpu::forward(&m, &mut world);
                let [nefc, nisland] = [world.nefc[0], world.nisland[0]].map(|n| n as usize);
                met.insert(nisland);
                let at = format!("{path} world {k}");
                assert_eq!(lane(&tile, "nefc", k), ints(&world, "nefc"), "{at}");
                if nefc == 0 {
                    assert_eq!(lane(&tile, "nisland", k), [0.0], "{at}");
                    continue;
                }
                for (name, num) in [("nisland", 1), ("tree_island", m.ntree)] {
                    assert_eq!(
                        lane(&tile, name, k),
                        ints(&world, name)[..num],
                        "{at}: {name}"
                    );
                }
                for (name, num) in [
                    ("island_nv", nisland),
                    ("island_idofadr", nisland),
                    ("island_nefc", nisland),
                    ("island_iefcadr", nisland),
                    ("map_idof2dof", m.nv),
                    ("map_dof2idof", m.nv),
                    ("map_iefc2efc", nefc),
                ] {
                    let mut have = Vec::new();
                    read_islands(&m, &tile, k, field(name).unwrap(), &mut have);
                    let have: Vec<f64> = have[..num].iter().map(|&x| f64::from(x)).collect();
                    assert_eq!(have, ints(&world, name)[..num], "{at}: {name}");
                }
            }
        }
    }
    assert!(met.len() > 3, "islands: {met:?}");
}

// in double precision every solver takes the same iterations on every island, and gives the same results
#[test]
fn double_precision_takes_the_same_iterations() {
    for path in MODELS {
        let own = open(path);
        let worlds = worlds(&own);
        let mut total = 0.0;
        for &solver in SOLVERS {
            let mut m = choose(&own, solver);
            m.edit(|m| m.opt.enableflags |= ENBL_SOLVERSTAT).unwrap();
            for (k, start) in worlds.iter().enumerate() {
                let (mut world, mut d) = (Data::new(&m), Data::<Counted>::new(&m));
                copy_lane(&mut world, start, 0, 0);
                copy_lane(&mut d, start, 0, 0);
                let mut rows = Rows::new(&m);
                stages::forward(&m, &mut |stage| (stage.counted)(&m, &mut d, &mut rows));
                cpu::forward(&m, &mut world);
                let at = format!("{path} world {k} {solver:?}");
                let nisland = world.nisland[0] as usize;
                let niter = &lane(&d, "island_niter", 0)[..nisland];
                assert_eq!(niter, &ints(&world, "island_niter")[..nisland], "{at}");
                assert_eq!(
                    lane(&d, "solver_niter", 0),
                    ints(&world, "solver_niter"),
                    "{at}"
                );
                total += lane(&d, "solver_niter", 0)[0];
                let nefc = world.nefc[0] as usize;
                for name in ["qacc", "qfrc_constraint"] {
                    let e = error(&lane(&d, name, 0), &crate::common::reals(&world, name));
                    assert!(e < 1e-7, "{at}: {name} is off by {e:e}");
                }
                let states = &lane(&d, "efc_state", 0)[..nefc];
                assert_eq!(states, &ints(&world, "efc_state")[..nefc], "{at}: states");
                for name in
                    ["nactive", "nchange", "neval", "nupdate"].map(|x| format!("solver_{x}"))
                {
                    assert_eq!(lane(&d, &name, 0), ints(&world, &name), "{at}: {name}");
                }
                for name in ["solver_improvement", "solver_gradient", "solver_lineslope"] {
                    let e = error(&lane(&d, name, 0), &crate::common::reals(&world, name));
                    assert!(e < 1e-7, "{at}: {name} is off by {e:e}");
                }
            }
        }
        assert!(total > 0.0, "{path}: nothing to iterate on");
    }
}

// sweeps in another order, or over other rows, would give other results
#[test]
fn sweeps_end_where_those_of_the_reference_do() {
    for path in MODELS {
        let own = open(path);
        let worlds = worlds(&own);
        for &solver in &SOLVERS[2..] {
            let m = choose(&own, solver);
            for chunk in worlds.chunks(<Lanes as manyworlds::real::Real>::WIDTH) {
                let mut tile = lanes::<Lanes>(&m, chunk);
                let mut rows = Rows::new(&m);
                stages::forward(&m, &mut |stage| (stage.simd)(&m, &mut tile, &mut rows));
                for (k, world) in chunk.iter().enumerate() {
                    let mut world = world.clone();
                    cpu::forward(&m, &mut world);
                    let e = error(&lane(&tile, "qacc", k), &world.qacc);
                    assert!(e < 2e-3, "{path} world {k} {solver:?}: {e:e}");
                }
            }
        }
    }
}

// the bits of a world do not depend on its neighbours or its lane
#[test]
fn neighbours_do_not_matter_to_any_solver() {
    for path in MODELS {
        let own = open(path);
        let worlds = worlds(&own);
        for &solver in SOLVERS {
            let m = choose(&own, solver);
            let run = |worlds: &[Data]| {
                let mut tile = lanes::<Lanes>(&m, worlds);
                let mut rows = Rows::new(&m);
                for _ in 0..5 {
                    stages::step(&m, &mut |stage| (stage.simd)(&m, &mut tile, &mut rows));
                }
                tile
            };
            let few = &worlds[..7];
            let together = run(few);
            for (k, world) in few.iter().enumerate() {
                let alone = run(std::slice::from_ref(world));
                let nisland = lane(&alone, "nisland", 3)[0] as usize;
                for (name, num) in [
                    ("qpos", m.nq),
                    ("qvel", m.nv),
                    ("qacc", m.nv),
                    ("qfrc_constraint", m.nv),
                    ("solver_niter", 1),
                    ("nisland", 1),
                    ("island_niter", nisland),
                ] {
                    assert_eq!(
                        lane(&together, name, k)[..num],
                        lane(&alone, name, 3)[..num],
                        "{path} world {k} {solver:?}: {name}"
                    );
                }
            }
        }
    }
}

/// A box pressed into the floor: stiff, with little friction, in any orientation.
fn pressed(cone: Cone) -> (Model, Vec<f64>, Vec<f64>) {
    let xml = "<mujoco><option timestep='0.002'/><default><geom solref='0.004 1' friction='0.3 0.005 0.0001'/></default>
        <worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/><geom type='box' size='0.1 0.06 0.04'/>
        </body></worldbody></mujoco>";
    let mut m = Model::from_xml_str(xml).unwrap();
    m.edit(|m| m.opt.cone = cone as i32).unwrap();
    let (mut qpos, mut qvel) = (vec![], vec![]);
    for w in 0..64 {
        let x = |k: usize| (1.7 * (w * 7 + k * 3) as f64).sin();
        qpos.extend([0.0, 0.0, 0.05 + 0.02 * x(0), 1.0, x(1), x(2), x(3)]);
        qvel.extend([x(4), x(5), -2.0, 5.0 * x(6), 5.0 * x(7), 5.0 * x(8)]);
    }
    let single = |x: Vec<f64>| x.into_iter().map(|x| f64::from(x as f32)).collect();
    (m, single(qpos), single(qvel))
}

// from cold, deep, stiff states single precision reaches the optimum, in about as many iterations
#[test]
fn hard_states_take_about_as_many_iterations() {
    for cone in [Cone::Pyramidal, Cone::Elliptic] {
        let (m, qpos, qvel) = pressed(cone);
        let mut met: Vec<(Backend, i32, Vec<f64>)> = vec![];
        for (backend, nworld) in [(Backend::Cpu, 64), (Backend::Simd, 64), (Backend::Gpu, 8)] {
            let settings = Settings::default().backend(backend);
            let mut batch = Batch::with(&m, nworld, settings).unwrap();
            batch.set("qpos", &qpos[..m.nq * nworld]).unwrap();
            batch.set("qvel", &qvel[..m.nv * nworld]).unwrap();
            batch.forward().unwrap();
            let niter = batch.ints("solver_niter").unwrap()[..8].iter().sum();
            let qacc = batch.reals("qacc").unwrap().to_vec();
            assert!(niter > 8, "{backend:?} {cone:?}: {niter} iterations");
            met.push((backend, niter, qacc));
        }
        let (_, most, ref best) = met[0];
        for (backend, niter, qacc) in &met {
            println!("{cone:?} {backend:?}: {niter} iterations of 8 worlds");
            assert!(
                *niter <= most + most / 2,
                "{cone:?} {backend:?}: {niter} iterations, the reference takes {most}"
            );
            if *backend == Backend::Simd {
                for (w, (have, want)) in qacc.chunks(m.nv).zip(best.chunks(m.nv)).enumerate() {
                    let e = error(have, want);
                    assert!(e < 1e-3, "{cone:?} world {w}: {e:e}");
                }
            }
        }
    }
}
