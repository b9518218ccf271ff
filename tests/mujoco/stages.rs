//! The twins against MuJoCo 4.0.0, stage by stage, on the goldens of `models/`.
//!
//! `MANYWORLDS_GOLDENS=folder` takes the goldens of that folder instead; `-- --nocapture` prints the largest error of
//! every stage.

use std::path::PathBuf;

use crate::common::{Golden, error, reals};
use manyworlds::fields::{View, ViewMut};
use manyworlds::stages;
use manyworlds::types::{DSBL_AUTORESET, DSBL_CONSTRAINT, Integrator, MAXVAL, Warning};
use manyworlds::{Data, Model};

/// Stages in the order of a step, with tolerances and the fields that they write. Stages that are not listed have separate tests.
const TABLE: &[(&str, f64, &[&str])] = &[
    // the same operations in the same order: bit for bit, if sines are those of MuJoCo's C library
    (
        "kinematics",
        1e-15,
        &[
            "xpos",
            "xquat",
            "xmat",
            "xipos",
            "ximat",
            "xanchor",
            "xaxis",
            "geom_xpos",
            "geom_xmat",
            "site_xpos",
            "site_xmat",
        ],
    ),
    ("com_pos", 1e-14, &["subtree_com", "cinert", "cdof"]),
    (
        "camlight",
        1e-12,
        &["cam_xpos", "cam_xmat", "light_xpos", "light_xdir"],
    ),
    (
        "flex",
        1e-12,
        &["flexvert_xpos", "flexedge_length", "flexedge_J"],
    ),
    (
        "tendon",
        1e-12,
        &[
            "ten_length",
            "ten_J",
            "ten_wrapadr",
            "ten_wrapnum",
            "wrap_xpos",
        ],
    ),
    ("crb", 1e-12, &["crb", "M"]),
    ("factor_m", 1e-10, &["qLD", "qLDiagInv"]),
    // these stages have separate tests, and run because later stages need their results
    ("collision", 0.0, &[]),
    ("make_constraint", 0.0, &[]),
    (
        "transmission",
        1e-12,
        &["actuator_length", "actuator_moment_dense"],
    ),
    (
        "fwd_velocity",
        1e-12,
        &["flexedge_velocity", "ten_velocity", "actuator_velocity"],
    ),
    ("com_vel", 1e-12, &["cvel", "cdof_dot"]),
    ("fluid", 1e-10, &["qfrc_fluid"]),
    ("adhesion", 1e-12, &["qfrc_adhesion"]),
    (
        "passive",
        1e-12,
        &[
            "qfrc_spring",
            "qfrc_damper",
            "qfrc_gravcomp",
            "qfrc_fluid",
            "qfrc_passive",
        ],
    ),
    ("rne", 1e-10, &["qfrc_bias"]),
    ("energy", 1e-12, &["energy"]),
    // its outputs do not exist in MuJoCo
    ("read_ctrl", 0.0, &[]),
    (
        "fwd_actuation",
        1e-12,
        &["act_dot", "actuator_force", "qfrc_actuator"],
    ),
    ("fwd_acceleration", 1e-10, &["qfrc_smooth", "qacc_smooth"]),
];

/// The goldens of all models.
fn goldens() -> Vec<PathBuf> {
    let (folder, ext) = match std::env::var("MANYWORLDS_GOLDENS") {
        Ok(folder) => (folder, "npz"),
        Err(_) => ("models".into(), "xml"),
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == ext))
        .collect();
    paths.sort();
    // every model must have a golden of its name
    for path in paths.iter_mut().filter(|_| ext == "xml") {
        let name = path.with_extension("npz");
        *path = PathBuf::from("tests/golden").join(name.file_name().unwrap());
    }
    paths
}

/// A field, converted to the form of the golden.
fn comparable(m: &Model, d: &Data, name: &str) -> Vec<f64> {
    if name != "actuator_moment_dense" {
        return reals(d, name);
    }
    let mut dense = vec![0.0; m.nout * m.nv];
    let Some(View::Real(moment)) = d.field("actuator_moment") else {
        unreachable!("it is a field of reals")
    };
    for r in 0..m.nout {
        let adr = m.moment_rowadr[r] as usize;
        for k in adr..adr + m.moment_rownnz[r] as usize {
            dense[r * m.nv + m.moment_colind[k] as usize] = moment[k];
        }
    }
    dense
}

/// The stages of a step that a model needs, in order.
fn walk(m: &Model) -> Vec<&'static stages::Stage> {
    let mut walk = Vec::new();
    stages::forward(m, &mut |stage: &'static stages::Stage| walk.push(stage));
    walk
}

/// Largest error of every stage, and the arrays that exceed their tolerance.
#[derive(Default)]
struct Report {
    worst: Vec<(&'static str, f64, String)>,
    wrong: Vec<String>,
}

impl Report {
    fn compare(
        &mut self,
        stage: &'static str,
        tol: f64,
        place: String,
        have: &[f64],
        want: &[f64],
    ) {
        let e = error(have, want);
        if e > tol {
            self.wrong.push(format!("{stage}: {place}: {e:.1e}"));
        }
        match self.worst.iter_mut().find(|row| row.0 == stage) {
            Some(row) if row.1 >= e => {}
            Some(row) => (row.1, row.2) = (e, place),
            None => self.worst.push((stage, e, place)),
        }
    }

    fn finish(self) {
        for (stage, e, place) in &self.worst {
            println!("{stage:20} {e:8.1e}  {place}");
        }
        let (count, wrong) = (self.wrong.len(), self.wrong.join("\n"));
        assert!(count == 0, "{count} wrong:\n{wrong}");
    }
}

#[test]
fn every_stage_agrees() {
    let mut report = Report::default();
    for path in goldens() {
        let golden = Golden::open(path.to_str().unwrap());
        let m = golden.model();
        let walk = walk(&m);
        for k in 0..golden.nstate() {
            let mut d = golden.world(&m, k);
            for &(name, tol, fields) in TABLE {
                let Some(stage) = walk.iter().find(|stage| stage.name == name) else {
                    continue;
                };
                (stage.twin)(&m, &mut d);
                for field in fields {
                    let place = format!("{} state {k} {field}", path.display());
                    let have = comparable(&m, &d, field);
                    // goldens of models without flexes may lack the newer flex fields
                    if have.is_empty() {
                        continue;
                    }
                    let want = golden.state(&format!("out/{field}"), k);
                    report.compare(name, tol, place, &have, want);
                }
            }
        }
    }
    report.finish();
}

/// Integrates one timestep from MuJoCo's own accelerations and constraint forces.
fn step_agrees(integrators: &[Integrator], walk: &[&'static stages::Stage], fields: &[&str]) {
    let mut report = Report::default();
    for path in goldens() {
        let golden = Golden::open(path.to_str().unwrap());
        let m = golden.model();
        if !integrators.iter().any(|one| m.opt.integrator == *one) {
            continue;
        }
        for k in 0..golden.nstate() {
            let mut d = golden.world(&m, k);
            stages::forward(&m, &mut |stage| (stage.twin)(&m, &mut d));
            for name in ["qacc", "qfrc_constraint"] {
                set(&mut d, name, golden.state(&format!("out/{name}"), k));
            }
            for stage in walk {
                (stage.twin)(&m, &mut d);
            }
            for field in ["qpos", "qvel", "act", "time", "qacc_warmstart"]
                .iter()
                .chain(fields)
            {
                let place = format!("{} state {k} {field}", path.display());
                let want = golden.state(&format!("step1/{field}"), k);
                // an entry of qDeriv is a difference of large numbers
                let tol = if **field == *"qDeriv" { 1e-9 } else { 1e-10 };
                report.compare(walk[0].name, tol, place, &reals(&d, field), want);
            }
        }
    }
    assert!(!report.worst.is_empty(), "no model with {integrators:?}");
    report.finish();
}

#[test]
fn euler_agrees() {
    step_agrees(
        &[Integrator::Euler],
        &[&stages::euler],
        &["qH", "qHDiagInv"],
    );
}

#[test]
fn implicit_agrees() {
    let walk = [&stages::smooth_vel, &stages::implicit];
    step_agrees(&[Integrator::Implicit], &walk, &["qDeriv"]);
}

#[test]
fn implicitfast_agrees() {
    let walk = [&stages::smooth_vel, &stages::implicit];
    let fields = ["qDeriv", "qH", "qHDiagInv"];
    step_agrees(&[Integrator::ImplicitFast], &walk, &fields);
}

fn set(d: &mut Data, name: &str, from: &[f64]) {
    match d.field_mut(name) {
        Some(ViewMut::Real(to)) => to.copy_from_slice(from),
        _ => panic!("no field {name} of reals"),
    }
}

/// Steps without constraints by the twins alone.
#[test]
fn steps_agree() {
    let mut report = Report::default();
    for path in goldens() {
        let golden = Golden::open(path.to_str().unwrap());
        let m = golden.model();
        if !m.opt.disabled(DSBL_CONSTRAINT) {
            continue;
        }
        for k in 0..golden.nstate() {
            let mut d = golden.world(&m, k);
            for (count, after) in [(1, "step1"), (4, "step5")] {
                for _ in 0..count {
                    step_freely(&m, &mut d);
                }
                for field in ["qpos", "qvel", "act", "time"] {
                    let place = format!("{} state {k} {field}", path.display());
                    let want = golden.state(&format!("{after}/{field}"), k);
                    report.compare(after, 1e-10, place, &reals(&d, field), want);
                }
            }
        }
    }
    report.finish();
}

// without constraints there is nothing to solve
fn step_freely(m: &Model, d: &mut Data) {
    stages::step(m, &mut |stage| match stage.name {
        "solve_newton" => d.qacc.copy_from_slice(&d.qacc_smooth),
        _ => (stage.twin)(m, d),
    });
}

/// NaN or too large numbers reset a world and count as a warning, as in MuJoCo; the count is 1 after the reset.
#[test]
fn bad_states_are_reset() {
    let golden = Golden::open("tests/golden/actuators.npz");
    let mut m = golden.model();
    let fresh = Data::new(&m);
    let cases = [
        (&stages::check_pos, "qpos", Warning::BadQpos),
        (&stages::check_vel, "qvel", Warning::BadQvel),
        (&stages::check_acc, "qacc", Warning::BadQacc),
    ];
    for (stage, field, warning) in cases {
        for bad in [f64::NAN, f64::INFINITY, -1.1e10] {
            let mut d = golden.world(&m, 3);
            let mut values = reals(&d, field);
            values[2] = bad;
            set(&mut d, field, &values);
            d.warning[0] = 5;

            // with automatic reset
            m.edit(|m| m.opt.disableflags &= !DSBL_AUTORESET).unwrap();
            let mut reset = d.clone();
            (stage.twin)(&m, &mut reset);
            for state in ["qpos", "qvel", "act", "ctrl", "qfrc_applied", "time"] {
                let (have, want) = (reals(&reset, state), reals(&fresh, state));
                assert_eq!(have, want, "{field} {bad} {state}");
            }
            let mut count = [0; 7];
            count[warning as usize] = 1;
            assert_eq!(reset.warning, count, "{field} {bad}");

            // without automatic reset
            m.edit(|m| m.opt.disableflags |= DSBL_AUTORESET).unwrap();
            (stage.twin)(&m, &mut d);
            assert_eq!(reals(&d, "ctrl"), golden.state("in/ctrl", 3));
            assert_eq!(d.warning[0], 5);
            assert_eq!(d.warning[warning as usize], 1);
        }

        // the largest number that does not count as bad
        let mut d = golden.world(&m, 3);
        let largest = vec![MAXVAL; reals(&d, field).len()];
        set(&mut d, field, &largest);
        (stage.twin)(&m, &mut d);
        assert_eq!(d.warning, [0; 7]);
    }
}

/// One bad control makes all controls zero; an infinite control that is clamped to its range is not bad.
#[test]
fn bad_controls_count_as_zero() {
    let golden = Golden::open("tests/golden/actuators.npz");
    let m = golden.model();
    let forces = |ctrl: &dyn Fn(&mut Data)| {
        let mut d = golden.world(&m, 3);
        ctrl(&mut d);
        stages::forward(&m, &mut |stage| (stage.twin)(&m, &mut d));
        (
            d.actuator_force.clone(),
            d.warning[Warning::BadCtrl as usize],
        )
    };
    let (zero, none) = forces(&|d| d.ctrl.fill(0.0));
    let (nan, counted) = forces(&|d| d.ctrl[6] = f64::NAN);
    assert_eq!((zero, none), (nan, 0));
    assert_eq!(counted, 1);
    assert!(m.actuator_ctrllimited[2] != 0);
    let (limit, _) = forces(&|d| d.ctrl[2] = 1.0);
    let (infinite, none) = forces(&|d| d.ctrl[2] = f64::INFINITY);
    assert_eq!((limit, 0), (infinite, none));
}
