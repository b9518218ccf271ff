//! Models in archives: `.mjz`, as MuJoCo packs them, and zip files of other programs.

use std::io::Write as _;
use std::path::Path;

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use manyworlds::Model;
use manyworlds::compile::compile;
use manyworlds::mjcf::{Files, Spec};

const TETRAHEDRON: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

const MODEL: &str = r#"<mujoco model="packed"><asset><mesh file="meshes/t.obj"/></asset><include file="parts/ball.xml"/>
<worldbody><geom type="mesh" mesh="t"/></worldbody></mujoco>"#;
const BALL: &str = r#"<mujoco><worldbody><geom name="ball" size="1"/></worldbody></mujoco>"#;

/// A zip file of some files, every other one compressed.
fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (k, (name, text)) in files.iter().enumerate() {
        let mut crc = Crc::new();
        crc.update(text.as_bytes());
        let (method, packed) = match k % 2 {
            0 => (8u16, {
                let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
                packer.write_all(text.as_bytes()).unwrap();
                packer.finish().unwrap()
            }),
            _ => (0, text.as_bytes().to_vec()),
        };
        let at = out.len() as u32;
        let mut about = Vec::new();
        for word in [20, 0, method, 0, 0] {
            about.extend(word.to_le_bytes());
        }
        for word in [crc.sum(), packed.len() as u32, text.len() as u32] {
            about.extend(word.to_le_bytes());
        }
        about.extend((name.len() as u16).to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&about);
        out.extend([0, 0]);
        out.extend(name.as_bytes());
        out.extend(packed);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&about);
        directory.extend([0; 12]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = out.len() as u32;
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    let count = (files.len() as u16).to_le_bytes();
    out.extend([count, count].concat());
    out.extend((directory.len() as u32).to_le_bytes());
    out.extend(at.to_le_bytes());
    out.extend(b"\x07\0comment");
    out
}

/// An archive with a model at a path.
fn packed(place: &str) -> Vec<u8> {
    let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
    let in_folder = |name: &str| {
        format!("{folder}/{name}")
            .trim_start_matches('/')
            .to_owned()
    };
    let (mesh, ball) = (in_folder("meshes/t.obj"), in_folder("parts/ball.xml"));
    zip(&[
        ("meshes/", ""),
        (place, MODEL),
        (&mesh, TETRAHEDRON),
        (&ball, BALL),
    ])
}

#[test]
fn the_model_is_found_where_mujoco_looks() {
    let places = ["model.xml", "arm.xml", "arm/arm.xml", "arm/model.xml"];
    for (name, place) in ["robots/arm.mjz", "arm.zip"]
        .into_iter()
        .flat_map(|name| places.map(|place| (name, place)))
    {
        let files = Files::memory([(name, packed(place))]);
        let spec = Spec::from_vfs(files, name).unwrap();
        let m = compile(&spec).unwrap();
        assert_eq!((m.names.model.as_str(), m.nmesh), ("packed", 1), "{name}");
        assert_eq!(m.names.geom, ["ball", ""], "{place}");
    }
    let other = Files::memory([("arm.mjz", packed("robot.xml"))]);
    let e = Spec::from_vfs(other, "arm.mjz").unwrap_err().to_string();
    assert!(
        e.contains("has no model; it is looked for at model.xml, arm.xml"),
        "{e}"
    );
}

#[test]
fn an_archive_on_disk_is_a_model_and_a_part_of_one() -> std::io::Result<()> {
    let tmp = tempfile::tempdir()?;
    let path = |name: &str| tmp.path().join(name);
    std::fs::write(path("arm.mjz"), packed("model.xml"))?;
    let m = Model::from_xml_path(path("arm.mjz")).unwrap();
    assert_eq!(m.nmesh, 1);
    let world = r#"<mujoco><asset><model name="m" file="arm.mjz"/></asset>
        <worldbody><attach model="m" prefix="x_"/></worldbody></mujoco>"#;
    std::fs::write(path("world.xml"), world)?;
    let m = Model::from_xml_path(path("world.xml")).unwrap();
    assert_eq!(
        (m.names.mesh[0].as_str(), m.names.geom[0].as_str()),
        ("x_t", "x_ball")
    );
    // error messages name the file in the archive
    std::fs::write(
        path("bad.mjz"),
        zip(&[("model.xml", "<mujoco>\n<geom/></mujoco>")]),
    )?;
    let e = Model::from_xml_path(path("bad.mjz"))
        .unwrap_err()
        .to_string();
    assert!(e.contains("bad.mjz/model.xml:2:1 <geom>"), "{e}");
    Ok(())
}

#[test]
fn mujocos_own_archive_is_read() {
    let m = Model::from_xml_path(Path::new("tests/golden/archive.mjz")).unwrap();
    assert_eq!((m.names.model.as_str(), m.nbody, m.nmesh), ("packed", 2, 1));
    assert_eq!(m.names.mesh, ["t"]);
}

#[test]
fn damaged_archives_are_refused_by_name() {
    let model = |bytes: Vec<u8>, max: u64| {
        let files = Files::memory([("a.mjz", bytes)]);
        files.read("a.mjz/model.xml", max)
    };
    let whole = packed("model.xml");
    assert_eq!(model(whole.clone(), 1000).as_deref(), Ok(MODEL.as_bytes()));
    let why = |bytes, max| model(bytes, max).unwrap_err();
    assert!(why(whole.clone(), 10).contains("no more than 10 are allowed"));
    assert!(why(b"PK".to_vec(), 1000).contains("no zip archive"));
    assert!(why(zip(&[("other.xml", "")]), 1000).contains("no file \"model.xml\""));
    // a changed byte is detected, or has no effect
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        match model(bytes, 1000) {
            Ok(text) => assert_eq!(text, MODEL.as_bytes(), "byte {at}"),
            Err(why) => assert!(why.starts_with("\"a.mjz\": "), "{why}"),
        }
    }
    // a truncated archive is refused
    for end in 0..whole.len() - 7 {
        let why = why(whole[..end].to_vec(), 1000);
        assert!(why.starts_with("\"a.mjz\": "), "{why}");
    }
}
