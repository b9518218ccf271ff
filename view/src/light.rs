//! Lights of a model.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Most lights of a picture; the others are left out.
pub const LIGHTS: usize = 8;

/// A light, in the sense of OpenGL: what it adds to a surface is multiplied by the surface's colour, as a screen shows both.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it is (m); nowhere: it comes from one direction.
    pub pos: Option<Vec3>,
    /// Unit vector along which it shines.
    pub dir: Vec3,
    /// Cosine of the angle from there at which a spot ends; -1: it shines to all sides.
    pub cutoff: f32,
    /// How much of a spot is in its middle.
    pub exponent: f32,
    /// The divisor of its light at a distance of d: a + b d + c d², of these a, b (1/m), c (1/m²).
    pub attenuation: [f32; 3],
    /// What it adds everywhere.
    pub ambient: [f32; 3],
    /// What it adds where it falls straight on a surface.
    pub diffuse: [f32; 3],
    /// What its reflection adds.
    pub specular: [f32; 3],
    /// It is the sun ([`Place::sun`](crate::Place::sun)), and throws shadows.
    pub shadow: bool,
}

#[repr(C)]
#[derive(Clone, Copy, Default, Pod, Zeroable)]
pub struct GpuLight {
    pos: [f32; 3],
    has_place: f32,
    dir: [f32; 3],
    cutoff: f32,
    attenuation: [f32; 3],
    exponent: f32,
    ambient: [f32; 3],
    shadow: f32,
    diffuse: [f32; 3],
    pad: f32,
    specular: [f32; 3],
    pad2: f32,
}

impl GpuLight {
    /// The first lights of a list, and how many there are.
    pub fn all(lights: &[Light]) -> ([Self; LIGHTS], u32) {
        let num = lights.len().min(LIGHTS);
        let all = std::array::from_fn(|k| lights.get(k).map_or(Self::default(), Self::of));
        (all, num as u32)
    }

    fn of(light: &Light) -> Self {
        Self {
            pos: light.pos.unwrap_or_default().to_array(),
            has_place: f32::from(light.pos.is_some()),
            dir: light.dir.to_array(),
            cutoff: light.cutoff,
            attenuation: light.attenuation,
            exponent: light.exponent,
            ambient: light.ambient,
            shadow: f32::from(light.shadow),
            diffuse: light.diffuse,
            specular: light.specular,
            ..Self::default()
        }
    }
}
