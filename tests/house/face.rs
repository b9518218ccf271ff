//! The public interface of the crate: few modules and names, all linked from its front page, and types of other libraries in one module only.

use std::path::{Path, PathBuf};

/// Modules that are documented.
const MODULES: &[&str] = &[
    "batch",
    "compile",
    "fields",
    "level",
    "mjcf",
    "model",
    "picture",
    "policy",
    "types",
    "user",
    "wgpu_interop",
];

/// Modules for this project's tests, benchmarks and program, which are free to change.
const HIDDEN: &[&str] = &["cli", "cpu", "gpu", "real", "simd", "stages"];

/// Names at the root of the crate.
const NAMES: &[&str] = &[
    "Backend", "Batch", "Data", "Error", "Excerpt", "Model", "Overflow", "Result", "Settings",
    "Spec", "State", "To",
];

/// Files whose public items have types of wgpu or naga, and the reason.
const FOREIGN: &[(&str, &str)] = &[
    ("src/wgpu_interop.rs", "it is there for that"),
    (
        "src/gpu/module.rs",
        "hidden: tests write the parsed kernels in other languages",
    ),
];

fn text(path: impl AsRef<Path>) -> String {
    let path = path.as_ref();
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

// public modules of the crate, and whether each is hidden, in order
fn modules(lib: &str) -> Vec<(&str, bool)> {
    let mut hidden = false;
    let mut found = Vec::new();
    for line in lib.lines() {
        if let Some(name) = line.strip_prefix("pub mod ") {
            found.push((name.trim_end_matches(';'), hidden));
        }
        // attributes are right above their item
        hidden = line == "#[doc(hidden)]" || hidden && line.starts_with("#[");
    }
    found
}

#[test]
fn the_face_is_small() {
    let lib = text("src/lib.rs");
    let of = |want: bool| -> Vec<&str> {
        let all = modules(&lib).into_iter();
        let some = all.filter(|(_, hidden)| *hidden == want);
        some.map(|(name, _)| name).collect()
    };
    assert_eq!(of(false), MODULES);
    assert_eq!(of(true), HIDDEN);

    let uses = lib.lines().filter_map(|line| line.strip_prefix("pub use "));
    let names = uses.flat_map(|path| {
        let path = path.trim_end_matches(';');
        let names = path.rsplit_once("::").map_or(path, |(_, name)| name);
        let names = path.split_once('{').map_or(names, |(_, names)| names);
        let names = names.trim_end_matches('}').split(',');
        names.map(str::trim).collect::<Vec<_>>()
    });
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    assert_eq!(names, NAMES);
}

#[test]
fn the_front_page_leads_to_all_of_it() {
    let lib = text("src/lib.rs");
    let page: Vec<&str> = lib.lines().filter(|line| line.starts_with("//!")).collect();
    let page = page.join("\n");
    for name in MODULES.iter().chain(NAMES) {
        assert!(page.contains(&format!("[`{name}`]")), "no link to {name}");
    }
    for name in HIDDEN {
        assert!(!page.contains(&format!("[`{name}`]")), "a link to {name}");
    }
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => sources(&path, out),
            false if path.extension().is_some_and(|end| end == "rs") => out.push(path),
            false => {}
        }
    }
}

// public functions without their bodies, fields, aliases and re-exports
fn public_items(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let starts = (0..lines.len()).filter(|&i| lines[i].starts_with("pub "));
    let items = starts.map(|i| {
        let ends: &[char] = match lines[i].contains("fn ") {
            true => &['{', ';', '}'],
            false => &['{', ';', '}', ','],
        };
        let end = lines[i..].iter().position(|line| line.ends_with(ends));
        lines[i..=i + end.unwrap_or(0)].join(" ")
    });
    items.collect()
}

#[test]
fn types_of_wgpu_and_naga_are_seen_in_one_place() {
    let mut files = Vec::new();
    sources(Path::new("src"), &mut files);
    files.sort();
    // private modules, and the program
    let inner = ["src/cli", "src/gpu/unroll/"];
    for file in files {
        let path = file.to_str().unwrap().replace('\\', "/");
        if inner.iter().any(|inner| path.starts_with(inner)) {
            continue;
        }
        let items = public_items(&text(&file));
        let foreign = |item: &&String| {
            ["wgpu::", "naga::", "use wgpu"]
                .iter()
                .any(|x| item.contains(x))
        };
        let found: Vec<&String> = items.iter().filter(foreign).collect();
        let meant = FOREIGN.iter().any(|(meant, _)| *meant == path);
        assert_eq!(!found.is_empty(), meant, "{path}: {found:#?}");
    }
}
