//! Compiled models in files: a file reads back unchanged, and other files are refused.

use manyworlds::compile::compile;
use manyworlds::fields::{Arrays, FIELDS, Room, View};
use manyworlds::mjcf::Spec;
use manyworlds::model::Opt;
use manyworlds::{Error, Model};

fn models() -> Vec<Model> {
    let mut paths: Vec<_> = std::fs::read_dir("models")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "xml"))
        .collect();
    paths.push("tests/golden/soft_soft.xml".into());
    paths.sort();
    assert!(paths.len() > 10);
    paths
        .iter()
        .map(|path| Model::from_xml_path(path).unwrap())
        .collect()
}

// compares bits, since equality of floats ignores the sign of zero and fails on NaN
fn bits(m: &Model) -> Vec<u64> {
    let mut out = Vec::new();
    for (name, _) in Opt::NAMES {
        out.extend(m.opt.get(name).unwrap().iter().map(|x| x.to_bits()));
    }
    for field in FIELDS.iter().filter(|field| field.room == Room::Model) {
        match m.field(field.name).unwrap() {
            View::Int(array) => out.extend(array.iter().map(|x| *x as u64)),
            View::Real(array) => out.extend(array.iter().map(|x| x.to_bits())),
        }
    }
    out
}

/// Two thousand files with some wrong numbers and a correct hash: each is refused, or is a model that steps.
#[test]
fn files_that_lie_are_refused_or_harmless() {
    let files: Vec<Vec<u8>> = models().iter().map(|m| m.to_bytes().unwrap()).collect();
    let mut state = 88172645463325252_u64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let (mut loaded, mut refused, mut faults) = (0, 0, Vec::new());
    for k in 0..2000 {
        let file = &files[random(files.len())];
        let changes: Vec<u8> = (0..1 + random(3))
            .flat_map(|_| {
                let [a, b, c, d] = (random(file.len()) as u32).to_le_bytes();
                [a, b, c, d, 1 << random(8)]
            })
            .collect();
        match std::panic::catch_unwind(|| crate::targets::lies(file, &changes)) {
            Ok(true) => loaded += 1,
            Ok(false) => refused += 1,
            Err(_) => faults.push((k, changes)),
        }
    }
    assert!(faults.is_empty(), "{} panic: {faults:?}", faults.len());
    println!("{loaded} loaded, {refused} refused");
    assert!(
        loaded > 100 && refused > 100,
        "{loaded} loaded, {refused} refused"
    );
}

fn refusal(bytes: &[u8]) -> String {
    match Model::from_bytes(bytes) {
        Err(Error::Input(msg)) => msg,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_saved_is_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.mwb");
    for m in models() {
        m.save(&path).unwrap();
        let back = Model::load(&path).unwrap();
        assert!(back == m, "{}", m.names.model);
        assert_eq!(bits(&back), bits(&m), "{}", m.names.model);
        assert_eq!(back.to_bytes().unwrap(), std::fs::read(&path).unwrap());
    }
}

/// Texts of models that compile: those of `models/`, and one for every feature.
fn texts() -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for entry in std::fs::read_dir("models").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ext| ext == "xml") {
            out.push(std::fs::read_to_string(path).unwrap());
        }
    }
    out.sort();
    let cases = include_str!("../golden/compile_cases.txt").lines();
    out.extend(
        cases
            .filter(|line| !line.starts_with("==="))
            .map(str::to_owned),
    );
    out.retain(|xml| Model::from_xml_str(xml).is_ok());
    assert!(out.len() > 250, "{}", out.len());
    out
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    for xml in texts() {
        let [a, b] = [(); 2].map(|()| Model::from_xml_str(&xml).unwrap().to_bytes().unwrap());
        assert!(a == b, "{xml}");
    }
}

#[test]
fn a_spec_saved_as_text_compiles_to_the_same_model() {
    for xml in texts() {
        let spec = Spec::from_str(&xml).unwrap();
        let saved = spec.to_mjcf().unwrap();
        let again = Model::from_xml_str(&saved).unwrap_or_else(|e| panic!("{xml}\n{e}"));
        assert!(
            placeless(&again) == placeless(&compile(&spec).unwrap()),
            "{xml}"
        );
    }
}

// the bytes of a model without the places of its elements in the text
fn placeless(m: &Model) -> Vec<u8> {
    let mut arrays = Arrays::clone(m);
    arrays.names.place.clear();
    Model::from_arrays(arrays).unwrap().to_bytes().unwrap()
}

#[test]
fn a_file_cut_short_is_refused() {
    let bytes = models()[0].to_bytes().unwrap();
    for n in 0..bytes.len() {
        let msg = refusal(&bytes[..n]);
        assert!(
            ["header", "cut short", "bytes after"]
                .iter()
                .any(|word| msg.contains(word)),
            "{n}: {msg}"
        );
    }
    let longer = [bytes.as_slice(), &[0]].concat();
    assert!(refusal(&longer).contains("bytes after its header"));
}

#[test]
fn every_damaged_bit_is_found() {
    let bytes = models()[0].to_bytes().unwrap();
    for i in 0..bytes.len() * 8 {
        // all bits of the header, some of every other byte
        if i < 64 * 8 || i % 11 == 0 {
            let mut damaged = bytes.clone();
            damaged[i / 8] ^= 1 << (i % 8);
            refusal(&damaged);
        }
    }
}

#[test]
fn other_files_are_named() {
    assert!(refusal(b"<mujoco/>").contains("no header"));
    assert!(refusal(b"").contains("no header"));

    let mut bytes = models()[0].to_bytes().unwrap();
    bytes[8] += 1;
    assert!(refusal(&bytes).contains("version 3"));
    bytes[8] -= 1;
    bytes[12] ^= 1;
    assert!(refusal(&bytes).contains("other arrays"));

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("model.mwb");
    std::fs::write(&path, "no model").unwrap();
    let msg = Model::load(&path).unwrap_err().to_string();
    assert!(msg.contains("model.mwb: the compiled model"), "{msg}");
    let gone = dir.path().join("gone.mwb");
    assert!(matches!(Model::load(&gone), Err(Error::Io { .. })));
}

#[test]
fn arrays_that_do_not_fit_the_sizes_are_no_model() {
    let mut m = models().remove(0).into_arrays();
    m.nq += 1;
    let msg = Model::from_arrays(m).unwrap_err().to_string();
    assert!(msg.contains("qpos0"), "{msg}");
}
