//! Meshes from every source, with every option, against MuJoCo 4.0.0.

use serde_json::Value;

use super::super::golden::{close, list, load, unhex};
use super::super::inertia::Primitive;
use super::super::{fit, read_msh, read_obj, read_stl};
use super::*;

fn rows<const N: usize>(v: &Value) -> Vec<[f64; N]> {
    let flat = list(v);
    assert_eq!(flat.len() % N, 0);
    let rows = flat.chunks_exact(N);
    rows.map(|c| c.try_into().unwrap()).collect()
}

fn nested<const N: usize>(v: &Value) -> Vec<[f64; N]> {
    let items = v.as_array().map_or(&[][..], |a| a);
    items.iter().map(|r| list(r).try_into().unwrap()).collect()
}

fn ints(v: &Value) -> Vec<[i32; 3]> {
    rows::<3>(v).iter().map(|r| r.map(|x| x as i32)).collect()
}

fn source(row: &Value) -> MeshData {
    let Some(file) = row["file"].as_str() else {
        return MeshData {
            vert: nested::<3>(&row["vert"])
                .iter()
                .map(|r| r.map(|x| x as f32))
                .collect(),
            face: nested::<3>(&row["face"])
                .iter()
                .map(|r| r.map(|x| x as i32))
                .collect(),
            ..MeshData::default()
        };
    };
    let bytes = unhex(row["data"].as_str().unwrap());
    match file {
        "a.stl" => read_stl(&bytes),
        "a.obj" => read_obj(&bytes),
        _ => read_msh(&bytes),
    }
    .unwrap()
}

fn options(row: &Value) -> MeshOptions {
    let mut opt = MeshOptions::default();
    if row["scale"].is_array() {
        opt.scale = list(&row["scale"]).try_into().unwrap();
    }
    if row["refpos"].is_array() {
        opt.refpos = list(&row["refpos"]).try_into().unwrap();
        opt.refquat = list(&row["refquat"]).try_into().unwrap();
    }
    opt.inertia = match row["inertia"].as_str() {
        Some("convex") => MeshInertia::Convex,
        Some("exact") => MeshInertia::Exact,
        Some("shell") => MeshInertia::Shell,
        _ => MeshInertia::Legacy,
    };
    opt.smoothnormal = row["smoothnormal"].as_bool().unwrap_or(false);
    opt.maxhullvert = row["maxhullvert"].as_i64().unwrap_or(-1) as i32;
    opt
}

fn same<const N: usize>(a: &[[f32; N]], b: &[[f64; N]], what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    for (x, y) in a.iter().flatten().zip(b.iter().flatten()) {
        assert_eq!(*x, *y as f32, "{what}");
    }
}

fn check_case(row: &Value) {
    let name = row["name"].as_str().unwrap();
    let want = &row["want"];
    let m = compile(source(row), &options(row)).unwrap_or_else(|e| panic!("{name}: {e}"));

    // place and shape, to the last bit
    for (a, b) in m.pos.iter().zip(list(&want["pos"])) {
        assert_eq!(*a, b);
    }
    for (a, b) in m.quat.iter().zip(list(&want["quat"])) {
        assert_eq!(*a, b);
    }
    same(&m.vert, &rows(&want["out_vert"]), name);
    same(&m.texcoord, &rows(&want["texcoord"]), name);
    assert_eq!(m.volume, want["mass"].as_f64().unwrap());
    let aabb = list(&want["aabb"]);
    for k in 0..3 {
        assert_eq!((m.aamm[k] + m.aamm[k + 3]) / 2.0, aabb[k]);
        assert_eq!((m.aamm[k + 3] - m.aamm[k]) / 2.0, aabb[k + 3]);
    }

    assert_eq!(m.face, ints(&want["out_face"]), "{name}");
    if !source(row).face.is_empty() {
        assert_eq!(m.facenormal, ints(&want["facenormal"]), "{name}");
        if !m.texcoord.is_empty() {
            assert_eq!(m.facetexcoord, ints(&want["facetexcoord"]), "{name}");
        }
        same(&m.normal, &rows(&want["normal"]), name);
    }
    check_hull(&m, want, name);
    check_fit(&m, want);
}

fn check_hull(m: &Mesh, want: &Value, name: &str) {
    let whole = |v: &Value| list(v).iter().map(|&x| x as i32).collect::<Vec<i32>>();
    let numvert = m.graph[0] as usize;
    let corners = &m.graph[2 + numvert..2 + 2 * numvert];
    assert_eq!(corners, whole(&want["corners"]), "{name}");
    assert_eq!(m.extrema[..], whole(&want["extrema"]), "{name}");

    // polygons and their normals
    let polynormal = rows::<3>(&want["polynormal"]);
    let polygons = want["poly"].as_array().unwrap();
    assert_eq!(m.polyvertnum.len(), polygons.len(), "{name}");
    for (k, (p, n)) in polygons.iter().zip(polynormal).enumerate() {
        let adr = m.polyvertadr[k] as usize;
        let have = &m.polyvert[adr..adr + m.polyvertnum[k] as usize];
        assert_eq!(have, whole(p), "{name}");
        for &v in have {
            let v = v as usize;
            let (adr, num) = (m.polymapadr[v] as usize, m.polymapnum[v] as usize);
            assert!(m.polymap[adr..adr + num].contains(&(k as i32)));
        }
        let normal = m.polynormal[k].iter().zip(n);
        normal.for_each(|(a, b)| assert_eq!(*a, b));
    }
    assert_eq!(m.polymap.len(), m.polyvert.len());
}

fn check_fit(m: &Mesh, want: &Value) {
    let shapes = [
        ("sphere", Primitive::Sphere),
        ("capsule", Primitive::Capsule),
        ("cylinder", Primitive::Cylinder),
        ("ellipsoid", Primitive::Ellipsoid),
        ("box", Primitive::Box),
    ];
    for (suffix, aabb) in [("", false), (" aabb", true)] {
        let place = &want[format!("fitpos{suffix}").as_str()];
        if place.is_null() {
            continue;
        }
        for (kind, shape) in shapes {
            let f = fit(m, shape, 1.5, aabb);
            for (a, b) in f
                .size
                .iter()
                .zip(list(&want[format!("fit {kind}{suffix}").as_str()]))
            {
                assert_eq!(*a, b);
            }
            for (a, b) in f.pos.iter().chain(&f.quat).zip(list(place)) {
                assert_eq!(*a, b);
            }
        }
    }
}

#[test]
fn meshes_come_out_as_mujocos() {
    let g = load();
    let cases = g["meshes"].as_array().unwrap();
    assert!(cases.len() > 20);
    cases.iter().for_each(check_case);
}

fn pyramid() -> MeshData {
    MeshData {
        vert: vec![
            [0.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [2.0, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.5, 0.25, 1.5],
        ],
        face: vec![
            [0, 3, 2],
            [0, 2, 1],
            [0, 1, 4],
            [1, 2, 4],
            [2, 3, 4],
            [3, 0, 4],
        ],
        ..MeshData::default()
    }
}

fn message(data: MeshData, opt: &MeshOptions) -> String {
    compile(data, opt).unwrap_err().to_string()
}

#[test]
fn bad_meshes_are_refused_with_the_reason() {
    let exact = MeshOptions {
        inertia: MeshInertia::Exact,
        ..MeshOptions::default()
    };
    let with = |f: &dyn Fn(&mut MeshData)| {
        let mut data = pyramid();
        f(&mut data);
        data
    };
    let cases = [
        (with(&|d| d.vert.truncate(3)), "at least 4 vertices"),
        (
            with(&|d| d.vert[1][2] = f32::NAN),
            "vertex coordinate 1 is not finite",
        ),
        (
            with(&|d| d.face[2][1] = 5),
            "in face 2, vertex index 5 does not exist",
        ),
        (
            with(&|d| d.face[2][1] = -1),
            "in face 2, vertex index -1 does not exist",
        ),
        (with(&|d| d.face[2].swap(0, 1)), "inconsistent orientation"),
        (
            with(&|d| d.face.iter_mut().for_each(|f| f.swap(0, 1))),
            "volume is negative",
        ),
        (with(&|d| d.face.truncate(2)), "volume is too small"),
        (
            with(&|d| d.face = vec![[1, 1, 1]]),
            "surface area is too small",
        ),
        (
            with(&|d| d.vert.iter_mut().for_each(|v| v[2] = 0.0)),
            "one plane",
        ),
        (
            with(&|d| d.vert.iter_mut().for_each(|v| *v = [v[0]; 3])),
            "one line",
        ),
        (
            with(&|d| d.normal = vec![[0.0; 3]; 2]),
            "2 normals for 5 vertices",
        ),
        (with(&|d| d.texcoord = vec![[0.0; 2]; 2]), "texcoord"),
        (
            with(&|d| d.facenormal = vec![[0; 3]; 6]),
            "in face 0, normal index 0 does not exist",
        ),
    ];
    for (data, msg) in cases {
        let found = message(data, &exact);
        assert!(found.contains(msg), "'{found}' should say '{msg}'");
    }
    let few = MeshOptions {
        maxhullvert: 3,
        ..MeshOptions::default()
    };
    assert!(message(pyramid(), &few).contains("larger than 3"));
}

#[test]
fn flat_mesh_without_hull_may_have_a_surface() {
    let mut data = pyramid();
    data.vert.truncate(4);
    data.face.truncate(2);
    let opt = MeshOptions {
        needhull: false,
        inertia: MeshInertia::Shell,
        ..MeshOptions::default()
    };
    let m = compile(data, &opt).unwrap();
    close(m.volume, 2.0, 1e-15);
    assert!(m.graph.is_empty() && m.polyvert.is_empty());
}
