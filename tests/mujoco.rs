//! The twins against MuJoCo 4.0.0, stage by stage, on the goldens of `models/`.
//!
//! `MANYWORLDS_GOLDENS=folder` takes the goldens of that folder instead; `-- --nocapture` prints the largest error of
//! every stage.

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;

use common::{Golden, error, reals};
use manyworlds::fields::View;
use manyworlds::stages;
use manyworlds::{Data, Model};

/// What a stage writes, and how well it must agree. Order of a step; what is not listed here has tests of its own.
const TABLE: &[(&str, f64, &[&str])] = &[
    (
        "kinematics",
        1e-12,
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
    ("com_pos", 1e-12, &["subtree_com", "cinert", "cdof"]),
    ("crb", 1e-12, &["crb", "M"]),
    ("factor_m", 1e-10, &["qLD", "qLDiagInv"]),
];

fn goldens() -> Vec<PathBuf> {
    let folder = std::env::var("MANYWORLDS_GOLDENS").unwrap_or("tests/golden".into());
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "npz"))
        .collect();
    paths.sort();
    paths
}

/// A field in the form in which the golden keeps it.
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

/// The stages of a step that a model has need of, in order.
fn walk(m: &Model) -> Vec<&'static stages::Stage> {
    let mut walk = Vec::new();
    stages::forward(m, &mut |stage: &'static stages::Stage| walk.push(stage));
    walk
}

#[test]
fn every_stage_agrees() {
    let mut worst: BTreeMap<&str, (f64, String)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for path in goldens() {
        let golden = Golden::open(path.to_str().unwrap());
        let m = golden.model();
        let walk = walk(&m);
        for k in 0..golden.nstate() {
            let mut d = golden.world(&m, k);
            for (name, tol, fields) in TABLE {
                let Some(stage) = walk.iter().find(|stage| stage.name == *name) else {
                    continue;
                };
                (stage.twin)(&m, &mut d);
                for field in *fields {
                    let want = golden.state(&format!("out/{field}"), k);
                    let e = error(&comparable(&m, &d, field), want);
                    let place = format!("{} state {k} {field}", path.display());
                    if e > *tol {
                        wrong.push(format!("{name}: {place}: {e:.1e}"));
                    }
                    let entry = worst.entry(name).or_default();
                    if e >= entry.0 {
                        *entry = (e, place);
                    }
                }
            }
        }
    }
    for (name, _, _) in TABLE {
        if let Some((e, place)) = worst.get(name) {
            println!("{name:20} {e:8.1e}  {place}");
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
