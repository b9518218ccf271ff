//! The fuzz targets on their seeds, on regressions that fuzzing found, and on random changes of both.

use std::path::Path;

use proptest::prelude::*;

/// A target returns whether the bytes gave a model.
type Target = fn(&[u8]) -> bool;

/// The targets by name.
const TARGETS: [(&str, Target); 7] = [
    ("model", crate::targets::model),
    ("stl", crate::targets::stl),
    ("obj", crate::targets::obj),
    ("msh", crate::targets::msh),
    ("png", crate::targets::png),
    ("hfield", crate::targets::hfield),
    ("mwb", crate::targets::mwb),
];

/// The files in a folder under `fuzz`, in the order of their names.
fn files(folder: &str, target: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz")
        .join(folder)
        .join(target);
    let Ok(entries) = std::fs::read_dir(path) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
    paths.sort();
    paths.iter().filter_map(|p| std::fs::read(p).ok()).collect()
}

#[test]
fn seeds_and_what_fuzzing_found() {
    for (name, target) in TARGETS {
        let seeds = files("seeds", name);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        for (i, bytes) in seeds.iter().enumerate() {
            assert!(target(bytes), "seed {i} of {name} makes no model");
        }
        for bytes in &files("regressions", name) {
            target(bytes);
        }
    }
}

/// A random change: the position, the number of removed bytes, and the inserted bytes.
fn change() -> impl Strategy<Value = (prop::sample::Index, usize, Vec<u8>)> {
    // limits of the formats' counters find more than random bytes
    let edge = prop::sample::select(vec![
        vec![0; 4],
        vec![255; 4],
        vec![255, 255, 255, 127],
        vec![0, 0, 128, 127],
        vec![0, 0, 192, 127],
        vec![1, 0, 0, 0],
        b"-1 ".to_vec(),
        b"1e39 ".to_vec(),
        b"\n".to_vec(),
    ]);
    let some = prop::collection::vec(any::<u8>(), 0..6);
    (
        any::<prop::sample::Index>(),
        0..8usize,
        prop_oneof![edge, some],
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_seeds(target in 0..TARGETS.len(), seed in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 1..4)) {
        let (name, run) = TARGETS[target];
        let mut bytes = seed.get(&files("seeds", name)).clone();
        for (at, len, with) in &changes {
            let at = at.index(bytes.len() + 1);
            let end = (at + len).min(bytes.len());
            bytes.splice(at..end, with.iter().copied());
        }
        run(&bytes);
    }
}
