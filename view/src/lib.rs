//! The renderer of `manyworlds`: solids of many worlds, with light and shadow, on any wgpu adapter, hardware or
//! software.
//!
//! A [`Layer`] holds the [`Part`]s that all its worlds have and the pose of each part in each world. A [`Painter`] draws layers
//! from a [`Camera`] into a [`Picture`]: every mesh is one instanced draw, and one shader serves all of them (`view.wgsl`).
//! Meshes of balls and cylinders are coarser where they are small in the picture. Poses in a buffer of the painter's device are not
//! read to the host ([`Gather`]).
//!
//! Colours are gamma-encoded (2.2), as a screen shows them; lengths are metres, z is up.

mod camera;
mod draw;
mod error;
mod light;
mod live;
mod mesh;
mod painter;
mod pipelines;
mod scene;
mod texture;

pub use camera::Camera;
pub use error::Error;
pub use light::Light;
pub use live::{Gather, Live, Source, Spot};
pub use mesh::{Mesh, Vertex};
pub use painter::{Assets, Identity, Painter, Picture};
pub use scene::{Cover, Form, Layer, Map, POSE, Part, Place, World};
pub use texture::Texture;
