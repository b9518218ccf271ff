//! Bounds on the resources that reading a model may take.

use std::collections::BTreeMap;
use std::path::PathBuf;

settable! {
    /// Bounds on reading; the defaults admit every honest model and stop hostile ones within seconds.
    #[derive(Clone, Debug)]
    pub struct Limits {
        /// Largest file, in bytes.
        pub file: u64,
        /// Deepest nesting of elements. Reading takes place on a thread of its own, which sets 64 KiB of address space aside for
        /// each level.
        pub depth: usize,
        /// Most XML nodes in one file.
        pub nodes: u32,
        /// Most elements after `include`, `replicate` and `attach` are resolved; each takes about a kilobyte.
        pub elements: u64,
        /// Most files that are included or attached.
        pub files: usize,
        /// Most mistakes that are collected before reading stops.
        pub mistakes: usize,
        /// The folder that files of a model on disk must lie in, links resolved. `None` is the repository around the model (the
        /// nearest folder with a `.git` of the same owner, but neither the user's home nor anything above it), else the project
        /// around it (the widest such folder with a licence or a file that marks a package: `pyproject.toml`, `setup.py`, `package.xml`,
        /// `package.json`, `__init__.py`), or the folder above the model's own if that is wider or there is neither.
        pub root: Option<PathBuf>,
        /// Folders of packages by name, which `package://NAME/FILE` means; files in them may be opened wherever they are. A
        /// package that is not among them is looked for in the folders around the model.
        pub packages: BTreeMap<String, PathBuf>,
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            file: 64 << 20,
            depth: 500,
            nodes: 1_000_000,
            elements: 1_000_000,
            files: 1000,
            mistakes: 20,
            root: None,
            packages: BTreeMap::new(),
        }
    }
}

/// Most contacts that a sensor may report: more than any world has.
pub(crate) const MOST_REPORTED: i32 = 100_000;
