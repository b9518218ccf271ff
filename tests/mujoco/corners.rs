//! Small cases that no model of `models/` reaches, against MuJoCo 4.0.0 (`tests/golden/make_corners.py`).

use crate::common::backends::{by_precision, on_every_backend, worlds};
use crate::common::{error, numbers, reals};
use manyworlds::batch::Backend;
use manyworlds::fields::ViewMut;
use manyworlds::{Batch, Data, Model};
use serde_json::Value;

fn model(case: &Value) -> Model {
    Model::from_xml_str(case["xml"].as_str().unwrap())
        .unwrap_or_else(|e| panic!("{}: {e}", case["name"]))
}

// the world of a case, after the same pipeline that MuJoCo ran
fn run(case: &Value) -> Data {
    let m = model(case);
    let mut d = Data::new(&m);
    for (name, values) in numbers(&case["state"]) {
        match d.field_mut(name) {
            Some(ViewMut::Real(to)) => to.copy_from_slice(&values),
            _ => panic!("no field {name} of reals"),
        }
    }
    manyworlds::cpu::forward(&m, &mut d);
    d
}

fn cases() -> Vec<Value> {
    let text = std::fs::read_to_string("tests/golden/corners.json").unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_corner_is_mujocos() {
    let cases = cases();
    let mut wrong = String::new();
    for case in &cases {
        let d = run(case);
        let tolerance = case["tolerance"].as_f64().unwrap();
        for (name, want) in numbers(&case["said"]) {
            // the capacities for contacts and rows differ from MuJoCo's
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

// two worlds of a case after `forward`
fn forwarded(case: &Value, backend: Backend) -> Batch {
    let mut batch = worlds(&model(case), 2, backend);
    for (name, values) in numbers(&case["state"]) {
        batch.set(name, &values.repeat(2)).unwrap();
    }
    batch.forward().unwrap();
    batch
}

fn solids_with_one_center_touch(backend: Backend) {
    let mut met = 0;
    for case in cases() {
        let name = case["name"].as_str().unwrap();
        // a software adapter takes half a minute to compile a collider for other shapes
        let among = match backend {
            Backend::Gpu => " in box",
            _ => " in ",
        };
        if !(name.contains(among) && name.ends_with(" at 0 0 0")) {
            continue;
        }
        let mut batch = forwarded(&case, backend);
        assert_eq!(batch.ints("ncon").unwrap(), [1, 1], "{name}");
        let want = case["said"]["contact_dist"][0].as_f64().unwrap();
        let dist = batch.reals("contact_dist").unwrap();
        for have in [dist[0], dist[dist.len() / 2]] {
            let off = (have - want).abs();
            assert!(
                off < by_precision(backend, 1e-6, 1e-4),
                "{name}: {have}, MuJoCo has {want}"
            );
        }
        met += 1;
    }
    assert!(met > 1, "{met}");
}

// axes of capsules that intersect: only rounding distinguishes the two nearest points
fn arms_that_share_an_end_push_across_both(backend: Backend) {
    let mut met = 0;
    for case in cases() {
        let name = case["name"].as_str().unwrap();
        if !name.starts_with("arms that share an end") {
            continue;
        }
        let mut batch = forwarded(&case, backend);
        let said = numbers(&case["said"]);
        let num = said["contact_dist"].len();
        assert_eq!(batch.ints("ncon").unwrap(), [num as i32; 2], "{name}");
        for (field, single) in [("contact_dist", 1e-6), ("contact_frame", 1e-5)] {
            let have = batch.reals(field).unwrap();
            let tolerance = by_precision(backend, 1e-9, single);
            for world in have.chunks_exact(have.len() / 2) {
                let e = error(&world[..said[field].len()], &said[field]);
                assert!(e < tolerance, "{name}: {field} is off by {e:e}");
            }
        }
        met += 1;
    }
    assert_eq!(met, 2);
}

// `cfrc_int` of free joints: their springs, motors and applied forces if contacts of many kN cancel with inertia, else the remaining sum
fn free_joints_transmit_their_own_forces(backend: Backend) {
    let mut met = 0;
    for case in cases() {
        let name = case["name"].as_str().unwrap();
        if !name.contains("forces that cancel") {
            continue;
        }
        let mut batch = forwarded(&case, backend);
        let said = numbers(&case["said"]);
        let largest = |name: &str| said[name].iter().fold(0.0f64, |most, x| most.max(x.abs()));
        assert!(largest("cfrc_ext") > 1e4, "{name}: {}", largest("cfrc_ext"));
        let e = error(
            batch.reals("cfrc_int").unwrap(),
            &said["cfrc_int"].repeat(2),
        );
        // if the solver ended early, the accelerations have its error
        let single = match name.ends_with(" 1 iterations") {
            true => 1e-3,
            false => 1e-5,
        };
        let tolerance = by_precision(backend, 1e-9, single);
        assert!(e < tolerance, "{name}: cfrc_int is off by {e:e}");
        met += 1;
    }
    assert_eq!(met, 2);
}

// a tendon without motion has rows of zeros where MuJoCo's Jacobian is sparse, and none where it is dense
fn tendons_that_nothing_moves_have_mujocos_rows(backend: Backend) {
    let mut met = 0;
    for case in cases() {
        let name = case["name"].as_str().unwrap();
        if !name.contains("nothing moves") {
            continue;
        }
        let mut batch = forwarded(&case, backend);
        let said = numbers(&case["said"]);
        for count in ["ne", "nf", "nl", "nefc"] {
            let want = said[count][0] as i32;
            assert_eq!(batch.ints(count).unwrap(), [want; 2], "{name}: {count}");
        }
        let e = error(batch.reals("qacc").unwrap(), &said["qacc"].repeat(2));
        let tolerance = by_precision(backend, 1e-9, 1e-4);
        assert!(e < tolerance, "{name}: qacc is off by {e:e}");
        met += 1;
    }
    assert_eq!(met, 3);
}

// all that MuJoCo said of so many cases, all of it in reals
fn as_mujoco_says(backend: Backend, about: &str, num: usize) {
    let cases = cases();
    let named = |case: &&Value| case["name"].as_str().unwrap().starts_with(about);
    let cases: Vec<&Value> = cases.iter().filter(named).collect();
    assert_eq!(cases.len(), num, "{about}");
    for case in cases {
        let mut batch = forwarded(case, backend);
        for (field, want) in numbers(&case["said"]) {
            let e = error(batch.reals(field).unwrap(), &want.repeat(2));
            let tolerance = by_precision(backend, 1e-9, 1e-6);
            assert!(e < tolerance, "{about}: {field} is off by {e:e}");
        }
    }
}

fn actuators_of_what_is_static_do_not_sleep(backend: Backend) {
    as_mujoco_says(backend, "actuators of what is static", 1);
}

fn inertia_of_fixed_tendons_couples_slides(backend: Backend) {
    as_mujoco_says(backend, "inertia of a fixed tendon", 2);
}

on_every_backend!(
    actuators_of_what_is_static_do_not_sleep,
    inertia_of_fixed_tendons_couples_slides,
    tendons_that_nothing_moves_have_mujocos_rows,
    arms_that_share_an_end_push_across_both,
    solids_with_one_center_touch,
    free_joints_transmit_their_own_forces
);
