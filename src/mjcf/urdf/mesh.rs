//! Meshes: one for each file at each scale, named after the file.

use std::collections::{BTreeMap, BTreeSet};

use crate::mjcf::files;
use crate::mjcf::read::Reader;
use crate::mjcf::schema::Mesh;
use crate::mjcf::schema::urdf::MeshFile;
use crate::mjcf::xml::Node;

/// The meshes of a robot so far.
#[derive(Default)]
pub(super) struct Meshes {
    /// Names by file and the bits of the scale.
    names: BTreeMap<(String, [u64; 3]), String>,
    /// Number of meshes whose files have the same name without folder and extension.
    stems: BTreeMap<String, usize>,
    /// Names in use.
    used: BTreeSet<String>,
}

impl Meshes {
    /// A name that is not in use: the stem of the file, with the number of earlier meshes of this stem.
    fn name(&mut self, stem: &str) -> String {
        let n = self.stems.entry(stem.to_owned()).or_default();
        let wanted = match *n {
            0 => stem.to_owned(),
            n => format!("{stem}{n}"),
        };
        *n += 1;
        let mut name = wanted.clone();
        let mut k = 0;
        while !self.used.insert(name.clone()) {
            k += 1;
            name = format!("{wanted}_{k}");
        }
        name
    }
}

impl Reader<'_> {
    /// The name of the mesh for a file at a scale.
    pub(super) fn robot_mesh(
        &mut self,
        node: &Node,
        said: &MeshFile,
        meshes: &mut Meshes,
    ) -> Option<String> {
        let said_file = said.filename.as_ref()?;
        let file = match self.compiler().strippath() {
            true => files::name_of(said_file),
            false => said_file.as_str(),
        };
        if file.is_empty() {
            let msg = "filename may not be empty: give the file of the mesh";
            self.log.mistake(node.origin, Some("filename"), msg);
            return None;
        }
        // zeros of both signs are the same scale
        let key = (file.to_owned(), said.scale().map(|s| (s + 0.0).to_bits()));
        if let Some(name) = meshes.names.get(&key) {
            return Some(name.clone());
        }
        let name = meshes.name(files::stem_of(file));
        let dir = self.compiler().meshdir.clone();
        let path = self.asset_path(node, "filename", file, dir.as_ref());
        self.spec.meshes.push(Mesh {
            name: Some(name.clone()),
            file: Some(path),
            scale: said.scale,
            origin: node.origin,
            ..Mesh::default()
        });
        meshes.names.insert(key, name.clone());
        Some(name)
    }
}
