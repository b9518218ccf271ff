//! What a model says of how it looks and its arrays do not hold. Pixels are not read here.

use super::asset::Assets;
use super::tree::Tree;
use crate::mjcf::files::Files;
use crate::mjcf::schema::{Flex, Headlight, Light, Material, Texture};

/// What a model says of how it looks, beside its arrays; lists are in the order of ids.
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
    /// Which point of a texture lies at the corners of each face of each mesh; empty where a mesh does not say.
    pub corners: Vec<Vec<[[f32; 2]; 3]>>,
    /// Which point of a texture lies at each vertex of each flex; empty where a flex does not say.
    pub sheets: Vec<Vec<[f32; 2]>>,
    /// Where the files of textures are.
    pub files: Files,
}

impl Appearance {
    /// That of a model.
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
        // without a texture nobody asks
        if !appearance.textures.is_empty() {
            appearance.corners = assets.corners();
            appearance.sheets = sheets.collect();
        }
        appearance
    }
}

// coordinates of the corners of its elements are not kept
fn sheet(said: &Flex) -> Vec<[f32; 2]> {
    let numbers = match &said.elemtexcoord {
        None => said.texcoord.as_deref().unwrap_or_default(),
        Some(_) => &[],
    };
    let (points, _) = numbers.as_chunks::<2>();
    points.iter().map(|uv| uv.map(|x| x as f32)).collect()
}
