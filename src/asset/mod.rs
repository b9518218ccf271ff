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
//! Facts and numbers follow MuJoCo 4.0.0 (`user_mesh.cc`); the code is our own. Nothing here panics on any input.

pub mod inertia;
mod mesh;
pub(crate) mod vec3;

pub use mesh::{Mesh, MeshData, MeshInertia, MeshOptions};

/// Why an asset could not be used. The caller adds file, line and element.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AssetError(String);

impl AssetError {
    pub(crate) fn new(msg: impl Into<String>) -> Self {
        AssetError(msg.into())
    }
}

#[cfg(test)]
pub(crate) mod golden;
