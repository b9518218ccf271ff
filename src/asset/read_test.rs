//! Readers and generators of meshes: inputs that they accept, inputs that they refuse, and that no bytes make them panic.

use proptest::prelude::*;

use super::golden::{list, load, unhex};
use super::*;

type Reader = fn(&[u8]) -> Result<MeshData, AssetError>;
const READERS: [Reader; 3] = [read_stl, read_obj, read_msh];

fn refused(reader: Reader, bytes: &[u8], msg: &str) {
    let found = reader(bytes).unwrap_err().to_string();
    assert!(found.contains(msg), "'{found}' should say '{msg}'");
}

fn stl(faces: i32, triangles: usize) -> Vec<u8> {
    let mut b = vec![0; 80];
    b.extend(faces.to_le_bytes());
    b.resize(84 + 50 * triangles, 0);
    b
}

#[test]
fn stl_must_be_binary_and_of_the_right_size() {
    refused(read_stl, b"", "empty");
    refused(read_stl, &[0; 83], "header");
    refused(read_stl, &stl(0, 0), "between 1 and 200000");
    refused(read_stl, &stl(-1, 0), "between 1 and 200000");
    refused(read_stl, &stl(200_001, 0), "between 1 and 200000");
    refused(read_stl, &stl(2, 1), "wrong size");
    let ascii = b"solid x\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n";
    refused(read_stl, ascii, "ASCII");
    let mut far = stl(1, 1);
    far[84 + 12..84 + 16].copy_from_slice(&2e9f32.to_le_bytes());
    refused(read_stl, &far, "maximum bounds");
}

#[test]
fn stl_joins_corners_by_their_bits() {
    // two triangles that share an edge, once with a negative zero
    let corners = [
        [0.0f32, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [-0.0, 1.0, 0.0],
    ];
    let mut b = vec![0; 80];
    b.extend(2i32.to_le_bytes());
    for t in corners.chunks(3) {
        b.extend([0; 12]);
        b.extend(t.iter().flatten().flat_map(|x| x.to_le_bytes()));
        b.extend([0; 2]);
    }
    let m = read_stl(&b).unwrap();
    assert_eq!(m.vert.len(), 5);
    assert_eq!(m.face, [[0, 1, 2], [1, 3, 4]]);
}

#[test]
fn obj_takes_the_first_shape_with_faces() {
    let text = b"o empty\nv 0 0 0\nv 1 0 0\ng a\nv 0 1 0\nv 0 0 1e0 0.5\nf 1 2 3\n\
        f 1//1 2//1 4//1\ng b\nf 4 3 2\nvn 0 0 1\n";
    let m = read_obj(text).unwrap();
    assert_eq!(m.vert.len(), 4);
    assert_eq!(m.face, [[0, 1, 2], [0, 1, 3]]);
    assert_eq!(m.facenormal, [[-1; 3], [0; 3]]);
    assert!(m.facetexcoord.is_empty());
}

// found by asking MuJoCo 4.0.0: a face of a hundred corners is cut, a face with one more is left out
#[test]
fn obj_faces_of_very_many_corners_are_left_out() {
    let read = |corners: usize| {
        let angle = |i: usize| i as f64 * std::f64::consts::TAU / corners as f64;
        let circle = (0..corners).map(|i| format!("v {} {} 0\n", angle(i).cos(), angle(i).sin()));
        let numbers = (1..=corners).map(|i| format!(" {i}"));
        let text = format!(
            "{}v 0 0 1\nf{}\nf 1 2 -1\n",
            circle.collect::<String>(),
            numbers.collect::<String>()
        );
        read_obj(text.as_bytes()).unwrap()
    };
    assert_eq!(read(100).face.len(), 98 + 1);
    assert_eq!(read(101).face, [[0, 1, 101]]);
    assert_eq!(read(2000).face, [[0, 1, 2000]]);
}

#[test]
fn obj_errors_name_the_line() {
    refused(read_obj, b"v 0 0 0\nv 1 0\n", "line 2: 3 numbers needed");
    refused(read_obj, b"v 0 0 zero\n", "line 1: bad number 'zero'");
    refused(read_obj, b"v 0 0 nan\n", "bad number 'nan'");
    refused(read_obj, b"v 0 0 1e99\n", "bad number '1e99'");
    refused(read_obj, b"v 0 0 0\n\nf 1 0 1\n", "line 3: bad index '0'");
    refused(read_obj, b"v 0 0 0\nf 1 -2 1\n", "bad index '-2'");
    refused(read_obj, b"v 0 0 0\nf 1/2/3/4 1 1\n", "bad index");
    refused(read_obj, b"v 0 0 0\nf 1 99999999999 1\n", "bad index");
}

#[test]
fn msh_counts_must_fit_the_size() {
    let head = |n: [i32; 4], rest: usize| {
        let mut b: Vec<u8> = n.iter().flat_map(|x| x.to_le_bytes()).collect();
        b.resize(16 + rest, 0);
        b
    };
    refused(read_msh, b"", "empty");
    refused(read_msh, &[0; 15], "header");
    refused(read_msh, &head([3, 0, 0, 0], 36), "invalid sizes");
    refused(read_msh, &head([4, 3, 0, 0], 84), "invalid sizes");
    refused(read_msh, &head([4, 0, 0, -1], 48), "invalid sizes");
    refused(read_msh, &head([i32::MAX; 4], 0), "unexpected file size");
    refused(
        read_msh,
        &head([4, 0, 0, 1], 48),
        "76 bytes announced, 64 found",
    );
    refused(read_msh, b"$MeshFormat\n2.2 0 8\n", "GMSH");
    assert_eq!(read_msh(&head([4, 0, 0, 1], 60)).unwrap().face, [[0; 3]]);
}

#[test]
fn builtin_shapes_are_mujocos() {
    let g = load();
    let rows = g["builtin"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    for row in rows {
        let kind = row["builtin"].as_str().unwrap();
        let (m, inertia) = builtin(kind, &list(&row["params"]), MeshInertia::Legacy).unwrap();
        assert_eq!(inertia as i64, row["inertia"].as_i64().unwrap(), "{kind}");
        let same = |a: &[[f32; 3]], b: &serde_json::Value| {
            let b: Vec<f32> = list(b).iter().map(|&x| x as f32).collect();
            assert_eq!(a.as_flattened().len(), b.len(), "{kind}");
            for (x, y) in a.as_flattened().iter().zip(b) {
                assert!((x - y).abs() <= 1.2e-7, "{kind}: {x} is not {y}");
            }
        };
        same(&m.vert, &row["vert"]);
        same(&m.normal, &row["normal"]);
        let face: Vec<i32> = list(&row["face"]).iter().map(|&x| x as i32).collect();
        assert_eq!(m.face.as_flattened(), face, "{kind}");
    }
}

#[test]
fn builtin_parameters_out_of_range_are_refused() {
    for (kind, params, msg) in [
        ("sphere", &[5.0][..], "subdivision"),
        ("sphere", &[1.0, 2.0], "needs 1 numbers, found 2"),
        ("sphere", &[f64::NAN], "finite"),
        ("cone", &[2.0, 0.5], "at least 3"),
        ("cone", &[3.0, 1.5], "radius"),
        ("cone", &[1e300, 0.5], "too many"),
        ("supersphere", &[1e9, 1.0, 1.0], "too many"),
        ("supertorus", &[5.0, 0.5, 0.0, 1.0], "'s'"),
        ("wedge", &[2.0, 2.0, 181.0, 20.0, 0.0], "horizontal"),
        ("plate", &[0.0, 1.0], "positive"),
        ("grid", &[2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 2.0], "must be 1"),
        ("grid", &[1e9, 1e9, 1e9, 1.0, 1.0, 1.0], "too many"),
        ("box", &[1.0, 2.0, 2.0, 1.0, 1.0, 1.0], "at least 2"),
        ("square", &[1.0, 2.0, 1.0, 1.0, 1.0, 1.0], "at least 2"),
        ("prism", &[3.0], "cone"),
        ("cube", &[3.0], "no such shape"),
    ] {
        let found = builtin(kind, params, MeshInertia::Legacy);
        let found = found.unwrap_err().to_string();
        assert!(found.contains(msg), "'{found}' should say '{msg}'");
    }
}

/// Text that looks like an OBJ file.
fn objish() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("v".to_string()),
        Just("f".into()),
        Just("vn".into()),
        Just("vt".into()),
        Just("g".into()),
        Just("o".into()),
        Just("l".into()),
        Just("\n".into()),
        Just("\nf".into()),
        Just("\nv".into()),
        (-9i64..9).prop_map(|i| i.to_string()),
        (-2.0f64..2.0).prop_map(|x| x.to_string()),
        (1i64..9, -9i64..9, 0i64..9).prop_map(|(a, b, c)| format!("{a}/{b}/{c}")),
        "[-+0-9./e#\\\\ naif\t\r]{0,6}",
    ];
    prop::collection::vec(word, 0..120).prop_map(|w| w.join(" "))
}

proptest! {
    #[test]
    fn any_bytes_are_a_mesh_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        for reader in READERS {
            if let Ok(data) = reader(&bytes) {
                let _ = compile(data, &MeshOptions::default());
            }
        }
    }

    #[test]
    fn any_text_is_an_obj_or_an_error(text in objish()) {
        if let Ok(data) = read_obj(text.as_bytes()) {
            let _ = compile(data, &MeshOptions::default());
        }
    }

    #[test]
    fn any_damage_to_a_file_is_an_error_or_a_mesh(
        which in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        bits in 1u8..,
        cut in any::<bool>(),
    ) {
        let g = load();
        let files: Vec<&str> = g["meshes"].as_array().unwrap().iter().filter_map(|r| r["data"].as_str()).collect();
        let mut bytes = unhex(files[which.index(files.len())]);
        let i = at.index(bytes.len());
        bytes[i] ^= bits;
        if cut {
            bytes.truncate(i);
        }
        for reader in READERS {
            if let Ok(data) = reader(&bytes) {
                let _ = compile(data, &MeshOptions::default());
            }
        }
    }

    #[test]
    fn any_parameters_are_a_shape_or_an_error(
        kind in prop::sample::select(vec!["sphere", "hemisphere", "cone", "supersphere", "supertorus", "wedge", "plate",
            "grid", "box", "cylinder", "ellipsoid", "square", "disc"]),
        params in prop::collection::vec(prop_oneof![-3.0f64..12.0, (0i32..9).prop_map(f64::from), Just(1e300), Just(-0.0)], 1..8),
    ) {
        if let Ok((data, inertia)) = builtin(kind, &params, MeshInertia::Legacy) {
            let opt = MeshOptions { inertia, ..MeshOptions::default() };
            let _ = compile(data, &opt);
        }
    }
}
