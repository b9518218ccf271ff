//! The constraint solver against MuJoCo 4.0.0 on states from rollouts: the optimum, and the number of iterations.
//!
//! `MANYWORLDS_SOLVER_GOLDENS=folder` takes the goldens of that folder (made by `tests/golden/make_solver.py`) instead.

use std::path::PathBuf;

use crate::common::{Golden, error, solver};
use manyworlds::cpu;
use manyworlds::cpu::solve_cg::solve_cg;
use manyworlds::cpu::solve_newton::solve_newton;
use manyworlds::cpu::solve_noslip::solve_noslip;
use manyworlds::cpu::solve_pgs::solve_pgs;
use manyworlds::types::{
    Cone, ConstraintState, ConstraintType, DSBL_ISLAND, DSBL_WARMSTART, ENBL_SOLVERSTAT, Solver,
};
use manyworlds::{Data, Model};

fn goldens() -> Vec<(String, Golden)> {
    let folder = std::env::var("MANYWORLDS_SOLVER_GOLDENS");
    goldens_of(&folder.unwrap_or_else(|_| "tests/golden/solver".into()))
}

fn goldens_of(folder: &str) -> Vec<(String, Golden)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{folder}: {e}"))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "npz"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{folder}: no goldens");
    let open = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, Golden::open(path.to_str().unwrap()))
    };
    paths.into_iter().map(open).collect()
}

fn solve(m: &Model, d: &mut Data) {
    match Solver::from_i32(m.opt.solver) {
        Some(Solver::Pgs) => solve_pgs(m, d),
        Some(Solver::Cg) => solve_cg(m, d),
        _ => solve_newton(m, d),
    }
    if m.opt.noslip_iterations > 0 {
        solve_noslip(m, d);
    }
}

// slow convergence has small improvements long before the optimum, so the tolerance is that of rounding
fn tighten(m: &mut Model) {
    Golden::tighten(m);
    if m.opt.solver != Solver::Newton {
        m.edit(|m| m.opt.tolerance = 0.0).unwrap();
    }
}

#[test]
fn the_optimum_is_that_of_mujoco() {
    for (name, golden) in goldens() {
        let mut m = golden.model();
        tighten(&mut m);
        for flags in [0, DSBL_ISLAND, DSBL_WARMSTART] {
            m.edit(|m| m.opt.disableflags |= flags).unwrap();
            let mut rows = 0;
            for k in 0..golden.nstate() {
                let (m, mut d) = solver::world(&golden, &m, k);
                solve(&m, &mut d);
                let nefc = d.nefc[0] as usize;
                rows += nefc;
                for (field, have) in [
                    ("qacc", &d.qacc[..]),
                    ("qfrc_constraint", &d.qfrc_constraint),
                    ("efc_force", &d.efc_force),
                ] {
                    let e = error(have, golden.state(&format!("out/{field}"), k));
                    assert!(e < 1e-8, "{name} state {k} {field}: {e:e}");
                }
                check_states(&d, golden.state("out/efc_state", k), &name, k);
            }
            assert!(rows > 0, "{name} has no rows");
        }
    }
}

// row states agree except for rows at the boundary of their zone
fn check_states(d: &Data, want: &[f64], name: &str, k: usize) {
    for r in 0..d.nefc[0] as usize {
        if f64::from(d.efc_state[r]) != want[r] {
            let bound = d.efc_R[r] * d.efc_frictionloss[r];
            let edge = (d.solver_Jaref[r].abs() - bound).abs();
            assert!(
                edge < 1e-8,
                "{name} state {k} row {r}: {edge:e} from the edge"
            );
        }
    }
}

#[test]
fn iterations_are_not_more_than_mujoco_takes() {
    for (name, golden) in goldens() {
        let own = golden.model();
        for (prefix, flags) in [("own", 0), ("mono", DSBL_ISLAND)] {
            let mut m = own.clone();
            m.edit(|m| m.opt.disableflags |= flags).unwrap();
            let mut total = 0;
            for k in 0..golden.nstate() {
                let (m, mut d) = solver::world(&golden, &m, k);
                solve(&m, &mut d);
                let theirs = golden.state(&format!("{prefix}/niter"), k);
                let islands = golden.state(&format!("{prefix}/nisland"), k)[0];
                if flags == 0 {
                    assert_eq!(
                        f64::from(d.nisland[0]),
                        islands,
                        "{name} state {k}: islands"
                    );
                }
                for island in 0..d.nisland[0] as usize {
                    let ours = f64::from(d.island_niter[island]);
                    let theirs = theirs[island];
                    assert!(
                        ours <= theirs,
                        "{name} {prefix} state {k} island {island}: {ours} > {theirs}"
                    );
                }
                total += d.solver_niter[0];

                // the distance from the optimum is at most MuJoCo's
                let optimum = golden.state("out/qacc", k);
                let [ours, theirs] = [&d.qacc[..], golden.state(&format!("{prefix}/qacc"), k)]
                    .map(|qacc| error(qacc, optimum));
                assert!(
                    ours <= 2.0 * theirs + 1e-7,
                    "{name} {prefix} state {k}: {ours:e} against {theirs:e}"
                );
            }
            assert!(total > 0, "{name}: nothing to iterate on");
        }
    }
}

#[test]
fn sweeps_are_those_of_mujoco() {
    // the solver stops long before the optimum, so that every sweep must be the same
    for (name, golden) in goldens_of("tests/golden/solver/dual") {
        for (prefix, flags) in [("own", 0), ("mono", DSBL_ISLAND)] {
            let mut m = golden.model();
            m.edit(|m| m.opt.disableflags |= flags).unwrap();
            for k in 0..golden.nstate() {
                let (m, mut d) = solver::world(&golden, &m, k);
                solve(&m, &mut d);
                for (field, have) in [
                    ("qacc", &d.qacc[..]),
                    ("qfrc_constraint", &d.qfrc_constraint),
                    ("efc_force", &d.efc_force),
                ] {
                    let e = error(have, golden.state(&format!("{prefix}/{field}"), k));
                    assert!(e < 1e-10, "{name} {prefix} state {k} {field}: {e:e}");
                }
                for (island, &theirs) in golden
                    .state(&format!("{prefix}/niter"), k)
                    .iter()
                    .enumerate()
                {
                    let ours = if island < d.nisland[0] as usize {
                        f64::from(d.island_niter[island])
                    } else {
                        0.0
                    };
                    assert_eq!(ours, theirs, "{name} {prefix} state {k} island {island}");
                }
                assert!(d.solver_niter[0] > 0, "{name} {prefix} state {k}");
                if flags == DSBL_ISLAND && m.opt.cone == Cone::Pyramidal {
                    let want = golden.state("mono/efc_state", k);
                    let have = d.efc_state.iter().map(|&state| f64::from(state));
                    assert!(have.eq(want.iter().copied()), "{name} state {k}: states");
                }
                cones(&m, &d, &format!("{name} {prefix} state {k}"));
            }
        }
    }
}

// the number of iterations with statistics in the goldens, and the number of values of each
const KNOWN: usize = 24;
const NUMBERS: usize = 7;

// statistics of an iteration on an island, in the order of mjSolverStat
fn stat(m: &Model, d: &Data, island: usize, k: usize) -> [f64; NUMBERS] {
    let at = island * m.nsolver + k;
    let counts = [
        &d.solver_nactive,
        &d.solver_nchange,
        &d.solver_neval,
        &d.solver_nupdate,
    ];
    let [nactive, nchange, neval, nupdate] = counts.map(|x| f64::from(x[at]));
    let reals = [
        d.solver_improvement[at],
        d.solver_gradient[at],
        d.solver_lineslope[at],
    ];
    let [improvement, gradient, slope] = reals;
    [
        improvement,
        gradient,
        slope,
        nactive,
        nchange,
        neval,
        nupdate,
    ]
}

#[test]
fn what_iterations_did_is_mujocos() {
    let folders = ["tests/golden/solver", "tests/golden/solver/dual"];
    for (name, golden) in folders.into_iter().flat_map(goldens_of) {
        let (mut met, mut other) = (0, 0);
        for (prefix, flags) in [("own", 0), ("mono", DSBL_ISLAND)] {
            let mut m = golden.model();
            m.edit(|m| {
                m.opt.disableflags |= flags;
                m.opt.enableflags |= ENBL_SOLVERSTAT;
            })
            .unwrap();
            for k in 0..golden.nstate() {
                let (m, mut d) = solver::world(&golden, &m, k);
                solve(&m, &mut d);
                let theirs = golden.state(&format!("{prefix}/stat"), k);
                for island in 0..d.nisland[0] as usize {
                    let niter = d.island_niter[island] as usize;
                    for j in 0..niter.min(KNOWN) {
                        let want = &theirs[NUMBERS * (KNOWN * island + j)..][..NUMBERS];
                        let have = stat(&m, &d, island, j);
                        let at = format!("{name} {prefix} state {k} island {island} step {j}");
                        for (x, y) in have[..3].iter().zip(want) {
                            let off = (x - y).abs() / (1.0 + y.abs());
                            assert!(off < 1e-7, "{at}: {have:?}, not {want:?}");
                        }
                        // MuJoCo's sweeps count elliptic contacts outside of their cone as active, and there are none
                        let elliptic_sweep = m.opt.cone == Cone::Elliptic && want[5] == 0.0;
                        let counts = |x: &[f64]| match elliptic_sweep {
                            true => [0.0; 3],
                            false => [x[3], x[4], x[6]],
                        };
                        assert_eq!(counts(&have), counts(want), "{at}");
                        met += 1;
                        other += usize::from(have[5] != want[5]);
                    }
                    // iterations that were not made have no statistics
                    if niter < m.nsolver {
                        assert_eq!(stat(&m, &d, island, niter), [0.0; NUMBERS], "{name}");
                    }
                }
            }
        }
        // if a line search ends at rounding, the last bits decide the number of its evaluations
        assert!(met > 9, "{name}: {met} iterations");
        assert!(other * 20 <= met, "{name}: {other} of {met} look otherwise");
    }
}

#[test]
fn sweeps_from_nothing_come_to_the_optimum() {
    let golden = Golden::open("tests/golden/solver/dual/humanoid_pgs.npz");
    let mut m = golden.model();
    m.edit(|m| {
        m.opt.disableflags |= DSBL_WARMSTART;
        m.opt.tolerance = 0.0;
        m.opt.iterations = 5000;
    })
    .unwrap();
    for k in 0..golden.nstate() {
        let (m, mut d) = solver::world(&golden, &m, k);
        solve(&m, &mut d);
        let e = error(&d.qacc, golden.state("out/qacc", k));
        assert!(e < 1e-8, "state {k}: {e:e}");
    }
}

#[test]
fn without_rows_the_acceleration_is_the_unconstrained_one() {
    let (_, golden) = goldens().remove(0);
    let (m, mut d) = solver::world(&golden, &golden.model(), 0);
    d.nefc[0] = 0;
    d.qacc.fill(f64::NAN);
    d.qacc_warmstart.fill(f64::NAN);
    d.qfrc_constraint.fill(f64::NAN);
    solve(&m, &mut d);
    assert_eq!(d.qacc, d.qacc_smooth);
    assert_eq!(d.qfrc_constraint, vec![0.0; m.nv]);
    assert_eq!((d.nisland[0], d.solver_niter[0]), (0, 0));
}

#[test]
fn a_bad_last_acceleration_is_not_started_from() {
    for (name, golden) in goldens() {
        let mut m = golden.model();
        tighten(&mut m);
        let (m, mut d) = solver::world(&golden, &m, 0);
        d.qacc_warmstart.fill(f64::NAN);
        solve(&m, &mut d);
        let e = error(&d.qacc, golden.state("out/qacc", 0));
        assert!(e < 1e-8, "{name}: {e:e}");
    }
}

#[test]
fn forces_obey_their_bounds() {
    let mut met = [0; 5];
    for (name, golden) in goldens() {
        let m = golden.model();
        for k in 0..golden.nstate() {
            let (m, mut d) = solver::world(&golden, &m, k);
            solve(&m, &mut d);
            let [ne, nf] = [d.ne[0] as usize, d.nf[0] as usize];
            for r in ne..d.nefc[0] as usize {
                met[d.efc_state[r] as usize] += 1;
                let at = format!("{name} state {k} row {r}");
                if r < ne + nf {
                    assert!(d.efc_force[r].abs() <= d.efc_frictionloss[r], "{at}");
                } else if d.efc_type[r] != ConstraintType::ContactElliptic {
                    assert!(d.efc_force[r] >= 0.0, "{at} pulls");
                }
            }
            cones(&m, &d, &format!("{name} state {k}"));
        }
    }
    for state in ConstraintState::ALL {
        assert!(met[*state as usize] > 0, "no row was {state:?}");
    }
}

// the force of a sliding contact lies on its friction cone, that of a sticking one inside
fn cones(m: &Model, d: &Data, at: &str) {
    let mut r = (d.ne[0] + d.nf[0] + d.nl[0]) as usize;
    while r < d.nefc[0] as usize {
        if d.efc_type[r] != ConstraintType::ContactElliptic {
            r += 1;
            continue;
        }
        let contact = d.efc_id[r] as usize;
        let dim = m.collision_condim[contact] as usize;
        let friction = &m.collision_friction[5 * contact..];
        let normal = d.efc_force[r];
        let tangent: f64 = (1..dim)
            .map(|k| (d.efc_force[r + k] / friction[k - 1]).powi(2))
            .sum();
        let excess = tangent.sqrt() - normal;
        let tolerance = 1e-9 * (1.0 + normal);
        assert!(
            normal >= 0.0 && excess < tolerance,
            "{at} row {r}: {excess:e}"
        );
        if d.efc_state[r] == ConstraintState::Cone {
            assert!(excess > -tolerance, "{at} row {r}: {excess:e}");
        }
        r += dim;
    }
}

#[test]
fn a_step_takes_the_solver_that_the_model_asks_for() {
    for cone in [Cone::Pyramidal, Cone::Elliptic] {
        let mut m = Model::from_xml_path("models/humanoid.xml").unwrap();
        m.edit(|m| m.opt.cone = cone as i32).unwrap();
        let mut d = Data::new(&m);
        for _ in 0..80 {
            cpu::step(&m, &mut d);
        }

        // all solvers reach the same optimum, in different numbers of iterations
        let mut met = vec![];
        for solver in [Solver::Newton, Solver::Cg, Solver::Pgs] {
            m.edit(|m| m.opt.solver = solver as i32).unwrap();
            let mut first = d.clone();
            cpu::forward(&m, &mut first);
            assert!(first.nefc[0] > 0);
            let mut far = m.clone();
            far.edit(|m| (m.opt.tolerance, m.opt.iterations) = (0.0, 3000))
                .unwrap();
            let mut last = d.clone();
            cpu::forward(&far, &mut last);
            met.push((last.qacc, first.solver_niter[0]));
        }
        for (qacc, _) in &met[1..] {
            let e = error(qacc, &met[0].0);
            assert!(e < 1e-5, "{cone:?}: {e:e}");
        }
        assert!(met[0].1 < met[1].1 && met[0].1 < met[2].1 && met[1].1 != met[2].1);

        // the no-slip solver reduces slip
        m.edit(|m| m.opt.solver = Solver::Newton as i32).unwrap();
        let mut slips = vec![];
        for noslip in [0, 50] {
            m.edit(|m| m.opt.noslip_iterations = noslip).unwrap();
            let mut d = d.clone();
            cpu::forward(&m, &mut d);
            slips.push(slip(&m, &d));
        }
        assert!(slips[1] < 0.1 * slips[0], "{cone:?}: {slips:?}");
    }
}

// the sum over sticking contacts of the tangential acceleration's difference from its reference
fn slip(m: &Model, d: &Data) -> f64 {
    let row = |r: usize| -> f64 {
        let pattern = d.efc_Jpat[r] as usize;
        let adr = m.Jpat_adr[pattern] as usize;
        let dofs = &m.Jpat_dof[adr..adr + m.Jpat_num[pattern] as usize];
        let entries = &d.efc_J[r * m.nJrow..];
        let moved: f64 = dofs
            .iter()
            .zip(entries)
            .map(|(&i, x)| x * d.qacc[i as usize])
            .sum();
        moved - d.efc_aref[r]
    };
    let mut slip = 0.0;
    for r in (d.ne[0] + d.nf[0] + d.nl[0]) as usize..d.nefc[0] as usize {
        let force = &d.efc_force[r..];
        if d.efc_type[r] == ConstraintType::ContactElliptic {
            let first = r == d.contact_efc_address[d.efc_id[r] as usize] as usize;
            if !first && d.efc_state[r] == ConstraintState::Quadratic {
                slip += row(r).abs();
            }
        } else if r % 2 == (d.ne[0] + d.nf[0] + d.nl[0]) as usize % 2
            && force[0] > 0.0
            && force[1] > 0.0
        {
            slip += (row(r) - row(r + 1)).abs();
        }
    }
    slip
}
