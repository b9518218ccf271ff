//! The files of a dropped model.

use manyworlds::Model;
use manyworlds::compile::compile;
use manyworlds::mjcf::{Files, Spec};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::wasm_bindgen;

/// Files in memory, by path.
#[wasm_bindgen]
#[derive(Default)]
pub struct Folder(BTreeMap<String, Vec<u8>>);

#[wasm_bindgen]
impl Folder {
    /// A folder without files.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file.
    pub fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.0.insert(path, bytes);
    }

    /// Paths of the files that may be models: files that no other file includes first, then by name.
    pub fn models(&self) -> Vec<String> {
        let ends = |path: &str, ends: &[&str]| {
            let path = path.to_lowercase();
            ends.iter().any(|end| path.ends_with(end))
        };
        let texts = self
            .0
            .iter()
            .filter(|(path, _)| ends(path, &[".xml", ".urdf"]));
        let texts = texts.map(|(path, bytes)| (path, String::from_utf8_lossy(bytes)));
        let texts: Vec<_> = texts
            .filter(|(_, text)| text.contains("<mujoco") || text.contains("<robot"))
            .collect();
        let used = |path: &String| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let mut others = texts.iter().filter(|(other, _)| *other != path);
            others.any(|(_, text)| text.contains("<include") && text.contains(name))
        };
        let archives = self.0.keys().filter(|path| ends(path, &[".mjz", ".zip"]));
        let models = texts.iter().map(|(path, _)| *path).chain(archives);
        let mut paths: Vec<String> = models.cloned().collect();
        paths.sort_by_key(|path| (used(path), path.clone()));
        paths
    }
}

#[wasm_bindgen]
impl Folder {
    /// Paths of the files that may be policies, by name.
    pub fn policies(&self) -> Vec<String> {
        let paths = self.0.keys();
        let policies = paths.filter(|path| path.to_lowercase().ends_with(".npz"));
        policies.cloned().collect()
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &str) -> Result<Vec<u8>, String> {
        let bytes = self.0.get(path).cloned();
        bytes.ok_or_else(|| format!("there is no file {path}"))
    }
}

impl Folder {
    /// Compiles one of the files.
    pub fn compile(&self, path: &str) -> manyworlds::Result<Model> {
        let files = self
            .0
            .iter()
            .map(|(path, bytes)| (path.as_str(), &bytes[..]));
        compile(&Spec::from_vfs(Files::memory(files), path)?)
    }
}
