//! Statistics of each solver iteration, on every backend; `tests/mujoco/solver.rs` compares them with MuJoCo.

use crate::common::backends::{on, on_every_backend};
use manyworlds::batch::{Backend, Settings};
use manyworlds::types::{ConstraintState, Solver};
use manyworlds::{Batch, Model};

on_every_backend!(
    iterations_say_what_they_did,
    nothing_is_kept_where_nobody_asks
);

const WORLDS: usize = 21;

fn model(solver: Solver) -> Model {
    let mut m = Model::from_xml_path("models/humanoid.xml").unwrap();
    m.edit(|m| {
        m.opt.solver = solver as i32;
        m.opt.noslip_iterations = 2;
    })
    .unwrap();
    m
}

fn asked(backend: Backend) -> Settings {
    on(backend).solver_stat(true)
}

// humanoids on the floor in different states, representable in single precision
fn lie(batch: &mut Batch, start: &[Vec<f64>; 3]) {
    for (name, x) in ["qpos", "qvel", "qacc_warmstart"].iter().zip(start) {
        batch.set(name, x).unwrap();
    }
    batch.forward().unwrap();
}

fn lying(m: &Model) -> [Vec<f64>; 3] {
    let mut batch = Batch::with(m, WORLDS, on(Backend::Cpu)).unwrap();
    let qvel: Vec<f64> = (0..WORLDS * m.nv)
        .map(|k| 0.5 * (1.7 * k as f64).sin())
        .collect();
    batch.set("qvel", &qvel).unwrap();
    batch.step(250).unwrap();
    ["qpos", "qvel", "qacc_warmstart"].map(|name| {
        let x = batch.reals(name).unwrap().iter();
        x.map(|x| f64::from(*x as f32)).collect()
    })
}

fn iterations_say_what_they_did(backend: Backend) {
    for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
        let m = model(solver);
        let mut batch = Batch::with(&m, WORLDS, asked(backend)).unwrap();
        let start = lying(&m);
        lie(&mut batch, &start);
        let mut reference = Batch::with(&m, WORLDS, asked(Backend::Cpu)).unwrap();
        lie(&mut reference, &start);

        let room = batch.model().nsolver;
        let ints = |batch: &mut Batch, name: &str| batch.ints(name).unwrap().to_vec();
        let niter = ints(&mut batch, "solver_niter");
        let states = ints(&mut batch, "efc_state");
        let nefc = ints(&mut batch, "nefc");
        let njmax = batch.model().njmax;
        let nactive = ints(&mut batch, "solver_nactive");
        let neval = ints(&mut batch, "solver_neval");
        let gained = batch.reals("solver_improvement").unwrap().to_vec();
        assert_eq!(nactive.len(), WORLDS * m.ntree * room);
        let known = ["solver_nactive", "solver_nchange"].map(|name| ints(&mut reference, name));
        let have = ["solver_nactive", "solver_nchange"].map(|name| ints(&mut batch, name));
        let (mut met, mut other) = (0, 0);
        for (w, &num) in niter.iter().enumerate() {
            let at = format!("{backend:?} {solver:?} world {w}");
            let num = num as usize;
            if nefc[w] == 0 {
                continue;
            }
            met += 1;
            assert!(num > 0, "{at}");
            let row = w * room..(w + 1) * room;
            let (nactive, neval) = (&nactive[row.clone()], &neval[row.clone()]);
            assert!(nactive[num..].iter().all(|n| *n == 0), "{at}: {nactive:?}");
            let free = ConstraintState::Satisfied as i32;
            let states = &states[w * njmax..][..nefc[w] as usize];
            let held = states.iter().filter(|state| **state != free).count();
            assert_eq!(nactive[num - 1], held as i32, "{at}");
            // no-slip has no line search
            let searches = match solver {
                Solver::Pgs => 0,
                _ => neval.iter().filter(|n| **n >= 2).count(),
            };
            assert_eq!(neval.iter().filter(|n| **n > 0).count(), searches, "{at}");
            assert!(gained[row.clone()][..num].iter().any(|x| *x > 0.0), "{at}");
            let first = |x: &[Vec<i32>; 2]| [x[0][row.start], x[1][row.start]];
            other += usize::from(first(&have) != first(&known));
        }
        assert!(met > WORLDS / 2, "{met} worlds have rows");
        // in single precision rows at the boundary of their zone may be on either side
        assert!(other <= 2, "{backend:?} {solver:?}: {other} worlds differ");
    }
}

fn nothing_is_kept_where_nobody_asks(backend: Backend) {
    let m = Model::from_xml_path("models/cartpole.xml").unwrap();
    let mut batch = Batch::with(&m, 2, on(backend)).unwrap();
    batch.step(2).unwrap();
    assert_eq!(batch.model().nsolver, 0);
    assert!(batch.reals("solver_improvement").unwrap().is_empty());
}
