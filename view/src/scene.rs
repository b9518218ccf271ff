//! What a picture shows: parts that look the same in every world, and where they are in each.

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
    /// A floor: squares in two shades that fade into the horizon.
    pub floor: bool,
    /// Brightness of the sun's reflection, 0 to 1.
    pub shininess: f32,
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
    /// Worlds x parts x [`POSE`] numbers.
    pub poses: Vec<f32>,
    /// It throws shadows.
    pub shadow: bool,
}

impl Layer {
    // where a part is in the picture
    pub(crate) fn position(&self, world: usize, part: usize) -> Vec3 {
        let at = POSE * (world * self.parts.len() + part);
        Vec3::from_slice(&self.poses[at..at + 3]) + Vec3::from(self.worlds[world].offset)
    }
}

/// What the light and the floor need to know of the place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Middle of what throws shadows (m).
    pub center: Vec3,
    /// Radius of the ball around it that holds all of it (m).
    pub radius: f32,
    /// Unit vector to the sun.
    pub sun: Vec3,
    /// Side of a square of the floor (m).
    pub square: f32,
}
