//! What is fuzzed: each function takes any bytes, must neither panic nor take long, and says
//! whether the bytes made a model.
//!
//! The targets of `cargo fuzz` call these, and so do the tests of the package, on seeds and on what fuzzing found.
#![allow(dead_code, reason = "each target uses one of them")]

use manyworlds::batch::{Backend, Memory, Overflow, Settings};
use manyworlds::compile::compile;
use manyworlds::mjcf::{Files, Limits, Spec};

/// XML text → spec → model. What is read can be saved, and reads to the same spec.
pub fn model(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    // small, so that a run is fast
    let limits = Limits::default().elements(2000);
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

/// A compiled model that lies: some of its bytes are changed, and its hash is put right.
pub fn mwb(bytes: &[u8]) -> bool {
    static GOOD: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
        let text = include_str!("seeds/model/everything.xml");
        let model = manyworlds::Model::from_xml_str(text).expect("the seed compiles");
        model.to_bytes().expect("and is saved")
    });
    lies(&GOOD, bytes)
}

/// The same of any compiled model: each five bytes of `changes` say where and by what. What loads must step, or say why not.
pub fn lies(good: &[u8], changes: &[u8]) -> bool {
    const HEADER: usize = 36;
    let mut bytes = good.to_vec();
    for change in changes.chunks_exact(5) {
        let at = u32::from_le_bytes([change[0], change[1], change[2], change[3]]) as usize;
        let payload = &mut bytes[HEADER..];
        let at = at % payload.len();
        payload[at] ^= change[4];
    }
    let sum = hash(&bytes[HEADER..]);
    bytes[HEADER - 8..HEADER].copy_from_slice(&sum.to_le_bytes());
    let Ok(model) = manyworlds::Model::from_bytes(&bytes) else {
        return false;
    };
    // as much as a machine has is granted, and others want some of it
    if Memory::cpu(&model, 32, 4).total > 1 << 30 {
        return true;
    }
    for backend in [Backend::Cpu, Backend::Simd] {
        let settings = Settings::default()
            .backend(backend)
            .overflow(Overflow::Continue)
            .nconmax(20)
            .njmax(100)
            .threads(1);
        if let Ok(mut batch) = manyworlds::Batch::with(&model, 2, settings) {
            let _ = batch.step(2);
            let _ = batch.inverse();
        }
    }
    true
}

// that of `src/compile/mwb.rs`
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
