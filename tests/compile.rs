//! The compiler against MuJoCo 4.0.0: every field of the models that have goldens.

mod common;

use std::path::Path;

use common::Golden;
use manyworlds::Model;
use manyworlds::fields::{Elem, FIELDS, Room, SIZES, View};

/// Sizes that are chosen differently here: room for contacts and rows, and the pattern of moments.
const OWN_SIZES: [&str; 3] = ["njmax", "nconmax", "nJmom"];

/// Largest difference of a real from MuJoCo's, relative to itself and to the largest of its array.
const RTOL: f64 = 1e-9;

fn differences(m: &Model, golden: &Golden) -> Vec<String> {
    let mut out = Vec::new();
    for (size, _) in SIZES {
        let Some(want) = golden.get(&format!("size/{size}")) else {
            continue;
        };
        let have = m.size(size).unwrap() as f64;
        if !OWN_SIZES.contains(size) && want[0] != have {
            out.push(format!("{size}: {have}, MuJoCo has {}", want[0]));
        }
    }
    for (name, _) in manyworlds::model::Opt::NAMES {
        let want = golden.get(&format!("opt/{name}")).unwrap();
        let have = m.opt.get(name).unwrap();
        if have != want {
            out.push(format!("opt.{name}: {have:?}, MuJoCo has {want:?}"));
        }
    }
    let stat = &m.stat;
    for (name, have) in [
        ("meaninertia", vec![stat.meaninertia]),
        ("meanmass", vec![stat.meanmass]),
        ("meansize", vec![stat.meansize]),
        ("extent", vec![stat.extent]),
        ("center", stat.center.to_vec()),
    ] {
        let want = golden.get(&format!("stat/{name}")).unwrap();
        out.extend(reals(&format!("stat.{name}"), Elem::Real, &have, want));
    }
    for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
        let Some(want) = golden.get(&format!("model/{}", field.name)) else {
            continue;
        };
        match m.field(field.name).unwrap() {
            View::Int(have) => {
                let have: Vec<f64> = have.iter().map(|x| f64::from(*x)).collect();
                if have != want {
                    out.push(format!("{}: {have:?}, MuJoCo has {want:?}", field.name));
                }
            }
            View::Real(have) => out.extend(reals(field.name, field.elem, have, want)),
        }
    }
    out
}

fn reals(name: &str, elem: Elem, have: &[f64], want: &[f64]) -> Option<String> {
    if have.len() != want.len() {
        return Some(format!(
            "{name}: {} numbers, MuJoCo has {}",
            have.len(),
            want.len()
        ));
    }
    let largest = want
        .iter()
        .filter(|x| x.abs() < 1e9)
        .fold(1e-3_f64, |s, x| s.max(x.abs()));
    let near = |a: f64, b: f64| (a - b).abs() <= RTOL * (b.abs() + 0.1 * largest);
    let same = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| near(*a, *b));
    // a quaternion and its negative are the same rotation
    let width = if elem == Elem::Quat { 4 } else { 1 };
    for (k, (a, b)) in have.chunks(width).zip(want.chunks(width)).enumerate() {
        let negative: Vec<f64> = a.iter().map(|x| -x).collect();
        if !same(a, b) && !(elem == Elem::Quat && same(&negative, b)) {
            return Some(format!("{name}[{k}]: {a:?}, MuJoCo has {b:?}"));
        }
    }
    None
}

/// Models with a golden of the same name.
fn models() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir("models")
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let xml = path.extension().is_some_and(|e| e == "xml");
            let name = path.file_stem()?.to_str()?.to_owned();
            let golden = Path::new("tests/golden").join(format!("{name}.npz"));
            (xml && golden.exists()).then_some(name)
        })
        .collect();
    names.sort();
    names
}

#[test]
fn every_field_of_every_model_is_mujocos() {
    let names = models();
    assert!(names.len() >= 5, "{names:?}");
    let mut wrong = Vec::new();
    for name in names {
        let golden = Golden::open(&format!("tests/golden/{name}.npz"));
        match Model::from_xml_path(format!("models/{name}.xml")) {
            Ok(m) => {
                let differences = differences(&m, &golden);
                wrong.extend(differences.iter().map(|d| format!("{name}: {d}")));
            }
            Err(e) => wrong.push(format!("{name}: {e}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn compiling_twice_gives_the_same_model() {
    for name in models() {
        let path = format!("models/{name}.xml");
        let [a, b] = [(); 2].map(|()| Model::from_xml_path(&path).unwrap());
        assert_eq!(a, b, "{name}");
    }
}
