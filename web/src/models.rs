//! Models included in the page.

use crate::folder::Folder;
use wasm_bindgen::prelude::wasm_bindgen;

macro_rules! models {
    ($($name:literal)+) => {
        const MODELS: &[(&str, &str)] = &[$((concat!($name, ".xml"), include_str!(concat!("../../models/", $name, ".xml")))),+];
    };
}

models! {
    "humanoid" "quadruped" "hand" "boxes" "cartpole" "pendula" "primitives" "free_bodies" "spatial_tendons" "equalities" "adhesion" "fluid"
}

/// Policies included in the page; each file is named after its model.
const POLICIES: &[(&str, &[u8])] = &[(
    "quadruped_walk.npz",
    include_bytes!("../../models/quadruped_walk.npz"),
)];

/// A folder with the included models and policies.
#[wasm_bindgen]
pub fn models() -> Folder {
    let mut folder = Folder::new();
    for (path, text) in MODELS {
        folder.add((*path).to_owned(), text.as_bytes().to_vec());
    }
    for (path, bytes) in POLICIES {
        folder.add((*path).to_owned(), bytes.to_vec());
    }
    folder
}

/// Paths of the included models, in the order of a menu.
#[wasm_bindgen]
pub fn names() -> Vec<String> {
    MODELS.iter().map(|(path, _)| (*path).to_owned()).collect()
}
