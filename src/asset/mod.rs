//! Meshes and height fields: reading, processing, hulls, and inertia.
//!
//! Plain data in, plain data out, independent of the specification and of the model:
//!
//! ```text
//! bytes ─stl/obj/msh─▶ MeshData ┐
//! builtin(params) ───▶ MeshData ┼─compile──▶ Mesh { vert, face, hull, polygons, pos, quat, boxsz … }
//! vertex= face= ─────▶ MeshData ┘
//! bytes ─png/binary──▶ HField
//! primitives ─inertia─▶ volume, inertia, principal axes
//! ```
//!
//! Facts and numbers follow MuJoCo 4.0.0 (`user_mesh.cc`); the code is our own. Nothing here panics on any input; the readers are
//! compiled with panicking indexing denied.

mod bins;
mod builtin;
mod builtin_grid;
mod bvh;
#[deny(clippy::indexing_slicing, clippy::unwrap_used)]
mod bytes;
mod compile;
#[deny(clippy::indexing_slicing, clippy::unwrap_used)]
mod earclip;
pub(crate) mod enclosed;
pub(crate) mod fill;
mod fit;
#[deny(clippy::indexing_slicing, clippy::unwrap_used)]
mod gmsh;
#[deny(clippy::indexing_slicing, clippy::unwrap_used)]
mod gmsh_binary;
mod graph;
pub(crate) mod grid;
mod hfield;
pub mod hull;
pub mod inertia;
mod marching;
mod massprops;
mod mesh;
#[deny(clippy::indexing_slicing, clippy::unwrap_used)]
mod msh;
mod normals;
mod nth;
#[deny(clippy::indexing_slicing, clippy::unwrap_used)]
mod obj;
pub(crate) mod octree;
mod polygon;
pub(crate) mod sdf;
#[deny(clippy::indexing_slicing, clippy::unwrap_used)]
mod stl;
mod surface;
pub(crate) mod vec3;
mod winding;

pub use builtin::builtin;
pub(crate) use builtin::builtin_solid;
pub use bvh::{Bvh, bvh, order};
pub use compile::compile;
pub(crate) use compile::transform;
pub use fit::fit;
pub(crate) use gmsh::{is_gmsh, read_gmsh};
pub use hfield::{HField, hfield, read_hfield, read_hfield_png};
pub use mesh::{Mesh, MeshData, MeshInertia, MeshOptions};
pub use msh::read_msh;
pub use obj::{read_obj, read_obj_lines};
pub use stl::read_stl;

/// Reason why an asset could not be used. The caller adds file, line and element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssetError(String);

impl AssetError {
    pub(crate) fn new(msg: impl Into<String>) -> Self {
        AssetError(msg.into())
    }
}

impl std::fmt::Display for AssetError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AssetError {}

#[cfg(test)]
pub(crate) mod golden;

#[cfg(test)]
mod read_test;
