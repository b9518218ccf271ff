//! What is fuzzed: each function takes any bytes, must neither panic nor take long, and says
//! whether the bytes made a model.
//!
//! The targets of `cargo fuzz` call these, and so do the tests of the package, on seeds and on what fuzzing found.
#![allow(dead_code, reason = "each target uses one of them")]

use manyworlds::compile::compile;
use manyworlds::mjcf::{Files, Limits, Spec};

/// XML text → spec → model. What is read can be saved, and reads to the same spec.
pub fn model(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    // small, so that a run is fast
    let limits = Limits {
        elements: 2000,
        ..Limits::default()
    };
    let Ok(spec) = Spec::from_text(text, Files::None, &limits) else {
        return false;
    };
    if let Ok(xml) = spec.to_mjcf() {
        match Spec::from_text(&xml, Files::None, &limits) {
            Ok(again) => assert!(again == spec, "saved and read again, the model differs"),
            Err(e) => panic!("what was saved cannot be read: {e}"),
        }
    }
    compile(&spec).is_ok()
}

fn asset(name: &str, bytes: &[u8], asset: &str, geom: &str) -> bool {
    let xml = format!(
        "<mujoco><asset><{asset} name=\"a\" file=\"{name}\"/></asset>\
         <worldbody><body><freejoint/><geom size=\"1\"/>{geom}</body></worldbody></mujoco>"
    );
    let files = Files::memory([("m.xml", xml.as_bytes()), (name, bytes)]);
    let Ok(spec) = Spec::from_vfs(files, "m.xml") else {
        return false;
    };
    compile(&spec).is_ok()
}

/// A mesh in STL.
pub fn stl(bytes: &[u8]) -> bool {
    asset("a.stl", bytes, "mesh", "<geom type=\"mesh\" mesh=\"a\"/>")
}

/// A mesh in OBJ.
pub fn obj(bytes: &[u8]) -> bool {
    asset(
        "a.obj",
        bytes,
        "mesh inertia=\"exact\"",
        "<geom type=\"mesh\" mesh=\"a\"/>",
    )
}

/// A mesh in MSH.
pub fn msh(bytes: &[u8]) -> bool {
    asset(
        "a.msh",
        bytes,
        "mesh",
        "<geom type=\"capsule\" mesh=\"a\"/>",
    )
}

/// A height field from a picture.
pub fn png(bytes: &[u8]) -> bool {
    asset("a.png", bytes, "hfield size=\"1 1 1 1\"", "")
}

/// A height field in MuJoCo's binary format.
pub fn hfield(bytes: &[u8]) -> bool {
    asset("a.bin", bytes, "hfield size=\"1 1 1 1\"", "")
}
