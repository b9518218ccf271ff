//! `ipc` has no shader: where worlds are on a device, its twin gets the arrays that the stage names, and gives back those that it names.

use manyworlds::fields::{FIELDS, Room, View, ViewMut};
use manyworlds::gpu::verify::{compare, round_model, up_to};
use manyworlds::stages::{self, ipc};
use manyworlds::{Data, Model};
use serde_json::Value;

use crate::body::{TEAMS, device};

// models of the goldens, each with worlds before the stage, later and later
fn cases() -> Vec<(String, Model, Vec<Data>)> {
    let text = std::fs::read_to_string("tests/golden/ipc.json").unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    let case = |case: &Value| {
        let mut m = Model::from_xml_str(case["xml"].as_str().unwrap()).unwrap();
        round_model(&mut m);
        let mut d = Data::new(&m);
        let mut worlds = Vec::new();
        for _ in 0..3 {
            for _ in 0..12 {
                stages::step(&m, &mut |stage| (stage.twin)(&m, &mut d));
            }
            worlds.push(d.clone());
        }
        up_to(&m, &ipc, 0, &mut worlds);
        (case["name"].as_str().unwrap().to_owned(), m, worlds)
    };
    cases.iter().map(case).collect()
}

fn bits(d: &Data, name: &str) -> Vec<u64> {
    match d.field(name) {
        Some(View::Int(x)) => x.iter().map(|&x| x as u64).collect(),
        Some(View::Real(x)) => x.iter().map(|x| x.to_bits()).collect(),
        None => Vec::new(),
    }
}

// a fresh world with some arrays of another
fn with_arrays(m: &Model, from: &Data, names: &[&str]) -> Data {
    let mut to = Data::new(m);
    for field in FIELDS.iter().filter(|field| names.contains(&field.name)) {
        match (to.view_mut(field.row), from.view(field.row)) {
            (Some(ViewMut::Int(to)), Some(View::Int(from))) => to.copy_from_slice(from),
            (Some(ViewMut::Real(to)), Some(View::Real(from))) => to.copy_from_slice(from),
            _ => panic!("{} is no array of a world", field.name),
        }
    }
    to
}

#[test]
fn the_twin_reads_and_writes_what_the_stage_names() {
    let hosted = ipc.hosted.as_ref().unwrap();
    let mut pushed = 0;
    for (name, m, worlds) in cases() {
        for before in worlds {
            let mut all = before.clone();
            let mut handed = with_arrays(&m, &before, hosted.reads);
            (ipc.twin)(&m, &mut all);
            (ipc.twin)(&m, &mut handed);
            for array in hosted.writes {
                assert_eq!(bits(&all, array), bits(&handed, array), "{name}: {array}");
            }
            let others = FIELDS.iter().filter(|field| field.room == Room::Data);
            for field in others.filter(|field| !hosted.writes.contains(&field.name)) {
                let of = |d| bits(d, field.name);
                assert_eq!(of(&all), of(&before), "{name}: {} is written", field.name);
            }
            pushed += usize::from(all.flexvert_lambda.iter().any(|x| *x > 0.0));
        }
    }
    assert!(pushed > 5, "contacts push in {pushed} worlds");
}

#[test]
fn a_device_gets_what_the_twin_gives() {
    for ((name, m, worlds), team) in cases().into_iter().zip(TEAMS.into_iter().cycle()) {
        let report = compare(device(), &m, &ipc, &worlds, &team.config()).unwrap();
        assert!(report.touched.is_empty(), "{name}: {:?}", report.touched);
        for (array, worst) in report.worst {
            assert!(worst.error < 1e-6, "{name}: {array} {worst:?}");
        }
    }
}
