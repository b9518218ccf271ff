//! Appearance of a model that its arrays do not hold: textures, materials, lights. Pixels are not read here.

use super::asset::Assets;
use super::tree::Tree;
use crate::mjcf::files::Files;
use crate::mjcf::schema::{Flex, Headlight, Light, Material, Texture};

/// Appearance of a model beside its arrays; lists are in the order of ids.
#[derive(Debug)]
pub(crate) struct Appearance {
    /// Textures.
    pub textures: Vec<Texture>,
    /// Materials.
    pub materials: Vec<Material>,
    /// Lights.
    pub lights: Vec<Light>,
    /// The light at the camera.
    pub headlight: Headlight,
    /// Texture coordinates at the corners of each face of each mesh; empty for a mesh without them.
    pub corners: Vec<Vec<[[f32; 2]; 3]>>,
    /// Texture coordinates at each vertex of each flex; empty for a flex without them.
    pub sheets: Vec<Vec<[f32; 2]>>,
    /// Where the files of textures are.
    pub files: Files,
}

impl Appearance {
    /// The appearance of a model.
    pub(super) fn of(tree: &Tree, assets: &Assets) -> Self {
        let spec = tree.spec;
        let sheets = spec.flexes.iter().map(sheet);
        let mut appearance = Self {
            textures: spec.textures.clone(),
            materials: spec.materials.clone(),
            lights: tree.lights.iter().map(|part| part.said.clone()).collect(),
            headlight: spec.visual.headlight.clone(),
            corners: Vec::new(),
            sheets: Vec::new(),
            files: spec.sources.store.clone(),
        };
        // without textures nothing reads the coordinates
        if !appearance.textures.is_empty() {
            appearance.corners = assets.corners();
            appearance.sheets = sheets.collect();
        }
        appearance
    }
}

// texture coordinates of the corners of elements are not kept
fn sheet(said: &Flex) -> Vec<[f32; 2]> {
    let numbers = match &said.elemtexcoord {
        None => said.texcoord.as_deref().unwrap_or_default(),
        Some(_) => &[],
    };
    let (points, _) = numbers.as_chunks::<2>();
    points.iter().map(|uv| uv.map(|x| x as f32)).collect()
}
