//! What is fuzzed: each function takes any bytes, must neither panic nor take long, and says
//! whether the bytes made a model.
//!
//! The targets of `cargo fuzz` call these, and so do the tests of the package, on seeds and on what fuzzing found.
#![allow(dead_code, reason = "each target uses one of them")]

use manyworlds::Model;
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

/// A compiled model in a file. The bytes are changes of a good one, four to a change: where (two), what, and how; its header is
/// then put right, so that what is behind the header is looked at.
pub fn mwb(bytes: &[u8]) -> bool {
    let _ = Model::from_bytes(bytes);
    let good = Model::from_xml_str(include_str!("seeds/model/small.xml"));
    let Some(mut file) = good.ok().and_then(|m| m.to_bytes().ok()) else {
        return false;
    };
    let mut payload = file.split_off(36);
    for change in bytes.chunks_exact(4) {
        if payload.is_empty() {
            break;
        }
        let at = usize::from(change[0]) << 8 | usize::from(change[1]);
        let at = at % payload.len();
        match change[3] {
            0 => payload.truncate(at),
            1 => payload.insert(at, change[2]),
            _ => payload[at] = change[2],
        }
    }
    file.truncate(20);
    file.extend((payload.len() as u64).to_le_bytes());
    file.extend(hash(&payload).to_le_bytes());
    file.extend(&payload);
    match Model::from_bytes(&file) {
        // whole numbers are kept as reals and come back whole: once read, a model stays as it is
        Ok(m) => {
            let bytes = m.to_bytes().unwrap_or_default();
            let again = Model::from_bytes(&bytes).and_then(|m| m.to_bytes());
            assert!(again.is_ok_and(|again| again == bytes));
            true
        }
        Err(_) => false,
    }
}

// as `src/compile/mwb.rs` computes it
fn hash(bytes: &[u8]) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325_u64 ^ bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    for chunk in chunks.iter().chain([&last]) {
        h = (h ^ u64::from_le_bytes(*chunk)).wrapping_mul(0x0000_0100_0000_01b3);
        h ^= h >> 29;
    }
    h
}
