//! Small cases that no model of `models/` comes to, against MuJoCo 4.0.0 (`tests/golden/make_corners.py`).

mod common;

use std::collections::BTreeMap;

use common::{error, reals};
use manyworlds::fields::ViewMut;
use manyworlds::{Data, Model, cpu};
use serde_json::Value;

fn numbers(values: &Value) -> BTreeMap<&str, Vec<f64>> {
    let row = |values: &Value| {
        values
            .as_array()
            .unwrap()
            .iter()
            .map(|x| x.as_f64().unwrap())
            .collect()
    };
    values
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, values)| (name.as_str(), row(values)))
        .collect()
}

// the model and the world of a case, behind the walk that MuJoCo took
fn run(case: &Value) -> Data {
    let m = Model::from_xml_str(case["xml"].as_str().unwrap())
        .unwrap_or_else(|e| panic!("{}: {e}", case["name"]));
    let mut d = Data::new(&m);
    for (name, values) in numbers(&case["state"]) {
        match d.field_mut(name) {
            Some(ViewMut::Real(to)) => to.copy_from_slice(&values),
            _ => panic!("no field {name} of reals"),
        }
    }
    cpu::forward(&m, &mut d);
    d
}

#[test]
fn every_corner_is_mujocos() {
    let text = std::fs::read_to_string("tests/golden/corners.json").unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let mut wrong = String::new();
    for case in &cases {
        let d = run(case);
        let tolerance = case["tolerance"].as_f64().unwrap();
        for (name, want) in numbers(&case["said"]) {
            // room for contacts and rows is chosen otherwise here
            let have = &reals(&d, name)[..want.len()];
            let e = error(have, &want);
            if e > tolerance {
                wrong += &format!(
                    "{}: {name} is off by {e:.1e}: {have:?}, MuJoCo has {want:?}\n",
                    case["name"]
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
