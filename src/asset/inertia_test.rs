//! Primitives and principal axes against MuJoCo 4.0.0.

use super::super::golden;
use super::*;

fn shape(name: &str) -> Primitive {
    match name {
        "sphere" => Primitive::Sphere,
        "capsule" => Primitive::Capsule,
        "cylinder" => Primitive::Cylinder,
        "ellipsoid" => Primitive::Ellipsoid,
        _ => Primitive::Box,
    }
}

#[test]
fn primitives_have_mujocos_mass_and_inertia() {
    let g = golden::load();
    let rows = g["primitives"].as_array().unwrap();
    assert_eq!(rows.len(), 30);
    for row in rows {
        let s = shape(row["kind"].as_str().unwrap());
        let shell = row["shell"].as_bool().unwrap();
        let size = golden::array(&row["size"]);
        let mass = volume(s, size, shell);
        assert_eq!(mass, row["mass"].as_f64().unwrap());
        let diag: [f64; 3] = golden::array(&row["inertia"]);
        assert_eq!(inertia(s, size, shell, mass), diag);
    }
}

#[test]
fn eig3_takes_mujocos_rotations() {
    let g = golden::load();
    for row in g["eig3"].as_array().unwrap() {
        let e = eig3(&golden::array(&row["mat"]));
        assert_eq!(e.iter as u64, row["iter"].as_u64().unwrap(), "{row}");
        let eigval: [f64; 3] = golden::array(&row["eigval"]);
        let quat: [f64; 4] = golden::array(&row["quat"]);
        let size = eigval.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        for (x, y) in e.eigval.into_iter().zip(eigval) {
            assert!((x - y).abs() <= 1e-14 * size, "{row} {e:?}");
        }
        for (x, y) in e.quat.into_iter().zip(quat) {
            assert!((x - y).abs() <= 1e-14, "{row} {e:?}");
        }
    }
}

#[test]
fn eig3_ends_on_any_numbers() {
    for bad in [f64::NAN, f64::INFINITY, f64::MAX] {
        for i in 0..9 {
            let mut m = [1.0, 0.5, 0.0, 0.5, 2.0, 0.0, 0.0, 0.0, 3.0];
            m[i] = bad;
            assert!(eig3(&m).iter <= 500);
        }
    }
}

#[test]
fn eig3_undoes_globalinertia() {
    let norm = 14.25_f64.sqrt();
    let quat = [1.0, 2.0, -3.0, 0.5].map(|x| x / norm);
    let diag = [3.0, 2.0, 1.5];
    let [xx, yy, zz, xy, xz, yz] = globalinertia(diag, quat);
    let e = eig3(&[xx, xy, xz, xy, yy, yz, xz, yz, zz]);
    let (q, d) = (e.quat, e.eigval);
    let full = globalinertia(d, q);
    for (x, y) in full.into_iter().zip(globalinertia(diag, quat)) {
        golden::close(x, y, 1e-14);
    }
    for (x, y) in d.into_iter().zip(diag) {
        golden::close(x, y, 1e-14);
    }
}

#[test]
fn offcenter_is_a_point_masses_inertia() {
    assert_eq!(
        offcenter(2.0, [1.0, 2.0, 3.0]),
        [26.0, 20.0, 10.0, -4.0, -6.0, -12.0]
    );
}
