//! What a picture shows: parts that look the same in every world, and where they are in each.

use crate::camera::Camera;
use crate::light::Light;
use crate::live::Live;
use crate::mesh::Mesh;
use glam::Vec3;

/// The solid that a part is, before it is stretched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The square from -1 to 1 of the plane z = 0.
    Plane,
    /// The cube from -1 to 1.
    Box,
    /// The unit ball.
    Ball,
    /// Two halves of the unit ball, the half length of the part above and below.
    Capsule,
    /// The cylinder of radius 1 from z = -1 to 1.
    Cylinder,
    /// The cone from its base of radius 1 at z = -1 to its point at z = 1.
    Cone,
    /// A mesh of the painter's, by its number.
    Mesh(usize),
    /// A mesh of the layer's, by its number.
    Surface(usize),
}

/// How a texture of the painter's lies on a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cover {
    /// Its number.
    pub texture: usize,
    /// Which point of it lies where.
    pub map: Map,
}

/// Which point of a texture lies where on a part. A texture repeats itself beyond its edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Map {
    /// Where the mesh has it ([`Vertex::uv`](crate::Vertex::uv)), so many times along its width and height.
    Corners([f32; 2]),
    /// Seen along z, the origin in the middle: so many textures lie on two metres along x and y.
    Along([f32; 2]),
    /// Seen from the origin, on the six sides of a cube; axes are stretched by this first.
    Around([f32; 3]),
}

/// A part of every world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub form: Form,
    /// What its axes are stretched by (m).
    pub scale: [f32; 3],
    /// Half the length of a capsule without its caps (m).
    pub half_length: f32,
    /// Red, green, blue and opacity, 0 to 1, as a screen shows them.
    pub color: [f32; 4],
    /// A floor, which fades into the horizon: squares in two shades unless a texture lies on it.
    pub floor: bool,
    /// Brightness of the sun's reflection, 0 to 1.
    pub shininess: f32,
    /// The texture that lies on it, by which its colour is multiplied.
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

/// Numbers of a pose: position (m), then the orientation as a matrix, row by row.
pub const POSE: usize = 12;

/// How a world is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct World {
    /// Where it lies in the picture (m).
    pub offset: [f32; 3],
    /// How opaque it is, 0 to 1.
    pub alpha: f32,
    /// A colour that it is tinted with, and how much of it, 0 to 1.
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

/// Worlds of the same parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// What every world has.
    pub parts: Vec<Part>,
    /// The worlds.
    pub worlds: Vec<World>,
    /// Worlds x parts x [`POSE`] numbers; none where they are on the device.
    pub poses: Vec<f32>,
    /// Poses on the painter's device.
    pub live: Option<Live>,
    /// Meshes that are otherwise in every picture.
    pub surfaces: Vec<Mesh>,
    /// It throws shadows.
    pub shadow: bool,
}

impl Layer {
    // how far in front of the camera a part is, for its detail and for its turn; of its world, where the host does not know its pose
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

/// What the light and the floor need to know of the place.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Middle of what throws shadows (m).
    pub center: Vec3,
    /// Radius of the ball around it that holds all of it (m).
    pub radius: f32,
    /// Unit vector to the sun, which throws shadows.
    pub sun: Vec3,
    /// The lights, eight at most; none: the sun, the sky, and a little from the camera.
    pub lights: Vec<Light>,
    /// Side of a square of the floor (m).
    pub square: f32,
}
