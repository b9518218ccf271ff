//! Inverse dynamics against MuJoCo 4.0.0: from its own contacts, on every golden.

use crate::common::{Golden, error, put_contacts, reals};
use manyworlds::stages::{self, Stage};
use manyworlds::types::{ENBL_FWDINV, ENBL_INVDISCRETE, Integrator};
use manyworlds::{Data, Model};

fn goldens() -> impl Iterator<Item = (String, Golden, Model)> {
    let mut names: Vec<String> = std::fs::read_dir("models")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "xml"))
        .map(|path| path.file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names.into_iter().map(|name| {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        let mut m = golden.model();
        m.edit(|m| (m.nconmax, m.njmax) = (200, 800)).unwrap();
        (name, golden, m)
    })
}

// a world in a state of the golden, after the forces and before the solver
fn before_the_solver(golden: &Golden, m: &Model, k: usize) -> Data {
    let mut d = golden.world(m, k);
    stages::forward(m, &mut |stage| match stage.name {
        "collision" => put_contacts(golden, m, &mut d, k),
        name if name.starts_with("solve_") => {}
        _ => (stage.twin)(m, &mut d),
    });
    d
}

// MuJoCo's contacts stay
fn inverse(m: &Model, d: &mut Data) {
    stages::inverse(m, &mut |stage: &Stage| {
        if stage.name != "collision" {
            (stage.twin)(m, d);
        }
    });
}

/// Inverse dynamics of three accelerations: the solver's, another, and the acceleration over a timestep.
#[test]
fn forces_of_an_acceleration_are_mujocos() {
    let mut worst = 0.0f64;
    let mut rows = 0;
    for (name, golden, mut m) in goldens() {
        let plain = m.opt.enableflags;
        for k in 0..golden.nstate() {
            for way in ["", "other_", "discrete_"] {
                let discrete = way == "discrete_";
                if discrete && m.opt.integrator == Integrator::Rk4 {
                    continue;
                }
                m.edit(|m| m.opt.enableflags = plain | if discrete { ENBL_INVDISCRETE } else { 0 })
                    .unwrap();
                let given = match way {
                    "" => golden.state("out/qacc", k),
                    _ => golden.state("inverse/other_qacc", k),
                };
                let mut d = before_the_solver(&golden, &m, k);
                d.qacc.copy_from_slice(given);
                inverse(&m, &mut d);
                assert_eq!(d.qacc, given, "{name} state {k}: {way}qacc");
                for field in ["qfrc_inverse", "qfrc_constraint", "efc_force", "efc_state"] {
                    let want = golden.state(&format!("inverse/{way}{field}"), k);
                    let num = match field.starts_with("efc") {
                        true => d.nefc[0] as usize,
                        false => want.len(),
                    };
                    let e = error(&reals(&d, field)[..num], &want[..num]);
                    assert!(e < 1e-9, "{name} state {k}: {way}{field} is off by {e:e}");
                    worst = worst.max(e);
                }
                rows += d.nefc[0];
            }
        }
    }
    assert!(rows > 1000, "{rows} rows met");
    println!("largest error {worst:e}");
}

/// Difference of forward and inverse dynamics at an acceleration other than the solver's; the step continues with the solver's.
#[test]
fn differences_of_forward_and_inverse_are_mujocos() {
    for (name, golden, mut m) in goldens() {
        m.edit(|m| m.opt.enableflags |= ENBL_FWDINV).unwrap();
        for k in 0..golden.nstate() {
            let mut d = before_the_solver(&golden, &m, k);
            let num = d.nefc[0] as usize;
            d.qacc
                .copy_from_slice(golden.state("inverse/other_qacc", k));
            d.qfrc_constraint
                .copy_from_slice(golden.state("out/qfrc_constraint", k));
            d.efc_force[..num].copy_from_slice(&golden.state("out/efc_force", k)[..num]);
            let before = d.clone();
            let mut comparing = false;
            stages::step(&m, &mut |stage| {
                comparing |= stage.name == "compare_fwd_inv";
                let steps = ["euler", "rk4", "smooth_vel", "implicit"].contains(&stage.name);
                comparing &= !steps;
                if comparing {
                    (stage.twin)(&m, &mut d);
                }
            });
            let want = golden.state("inverse/solver_fwdinv", k);
            let e = error(&d.solver_fwdinv, want);
            assert!(e < 1e-9, "{name} state {k}: solver_fwdinv is off by {e:e}");
            assert_eq!(d.qacc, before.qacc, "{name} state {k}");
            assert_eq!(d.efc_force, before.efc_force, "{name} state {k}");
            assert_eq!(
                d.qfrc_constraint, before.qfrc_constraint,
                "{name} state {k}"
            );
        }
    }
}
