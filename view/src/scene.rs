//! Content of a picture: parts that look the same in every world, and their poses in each.

use crate::camera::Camera;
use crate::light::Light;
use crate::live::Live;
use crate::mesh::Mesh;
use glam::Vec3;

/// The solid of a part, before it is stretched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The square from -1 to 1 of the plane z = 0.
    Plane,
    /// The cube from -1 to 1.
    Box,
    /// The unit ball.
    Ball,
    /// Two halves of the unit ball, moved up and down by the half length of the part.
    Capsule,
    /// The cylinder of radius 1 from z = -1 to 1.
    Cylinder,
    /// The cone from its base of radius 1 at z = -1 to its apex at z = 1.
    Cone,
    /// A mesh of the painter, by its index.
    Mesh(usize),
    /// A mesh of the layer, by its index.
    Surface(usize),
}

/// A texture of the painter on a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cover {
    /// Index of the texture.
    pub texture: usize,
    /// The mapping of the texture.
    pub map: Map,
}

/// The mapping of a texture onto a part. A texture repeats beyond its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Map {
    /// By the mesh's texture coordinates ([`Vertex::uv`](crate::Vertex::uv)), repeated this often along width and height.
    Corners([f32; 2]),
    /// Projected along z, the origin in the middle: this many repeats per two metres along x and y.
    Along([f32; 2]),
    /// Projected from the origin onto the six sides of a cube, after scaling the axes by these factors.
    Around([f32; 3]),
}

/// A part of every world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The unscaled solid.
    pub form: Form,
    /// Scale of its axes (m).
    pub scale: [f32; 3],
    /// Half the length of a capsule without its caps (m).
    pub half_length: f32,
    /// Red, green, blue and opacity, 0 to 1, gamma-encoded.
    pub color: [f32; 4],
    /// Whether it is a floor, which fades into the horizon: squares in two shades unless it has a texture.
    pub floor: bool,
    /// Brightness of the sun's reflection, 0 to 1.
    pub shininess: f32,
    /// The texture on it, multiplied by its colour.
    pub cover: Option<Cover>,
}

impl Part {
    /// A part of a form and colour, not stretched, dull, without a texture.
    pub fn new(form: Form, color: [f32; 4]) -> Self {
        Self {
            form,
            scale: [1.0; 3],
            half_length: 0.0,
            color,
            floor: false,
            shininess: 0.0,
            cover: None,
        }
    }
}

/// Numbers in a pose: position (m), then the orientation as a matrix, row by row.
pub const POSE: usize = 12;

/// Placement and look of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// Position in the picture (m).
    pub offset: [f32; 3],
    /// Opacity, 0 to 1.
    pub alpha: f32,
    /// Tint: red, green, blue, and its fraction, 0 to 1.
    pub tint: [f32; 4],
}

impl Default for World {
    fn default() -> Self {
        Self {
            offset: [0.0; 3],
            alpha: 1.0,
            tint: [0.0; 4],
        }
    }
}

/// Worlds with the same parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// The parts of every world.
    pub parts: Vec<Part>,
    /// The worlds.
    pub worlds: Vec<World>,
    /// Worlds x parts x [`POSE`] numbers; empty where the poses are on the device.
    pub poses: Vec<f32>,
    /// Poses on the painter's device.
    pub live: Option<Live>,
    /// Meshes that differ from picture to picture.
    pub surfaces: Vec<Mesh>,
    /// Whether it casts shadows.
    pub shadow: bool,
}

impl Layer {
    // depth of a part in front of the camera, for its level of detail and for its order; depth of its world where its pose is on the device
    pub(crate) fn depths(&self, world: usize, part: usize, camera: &Camera) -> [f32; 2] {
        let eye = camera.eye - Vec3::from(self.worlds[world].offset);
        if let Some(live) = &self.live {
            return live.depths(world, eye, camera.forward);
        }
        let at = POSE * (world * self.parts.len() + part);
        let depth = (Vec3::from_slice(&self.poses[at..at + 3]) - eye).dot(camera.forward);
        [depth, depth]
    }
}

/// Light and floor of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Middle of the parts that cast shadows (m).
    pub center: Vec3,
    /// Radius of a ball around the middle that contains these parts (m).
    pub radius: f32,
    /// Unit vector to the sun, which casts shadows.
    pub sun: Vec3,
    /// The lights, eight at most; if empty: sun, sky, and a weak light at the camera.
    pub lights: Vec<Light>,
    /// Side of a square of the floor (m).
    pub square: f32,
}
