//! Lights of a model.

use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// Largest number of lights of a picture; further ones are ignored.
pub const LIGHTS: usize = 8;

/// A light, in the sense of OpenGL: its contribution is multiplied by the surface's colour, both gamma-encoded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Position (m); none for a directional light.
    pub pos: Option<Vec3>,
    /// Unit vector along which it shines.
    pub dir: Vec3,
    /// Cosine of the cutoff angle of a spot about `dir`; -1: it shines in all directions.
    pub cutoff: f32,
    /// Exponent of a spot's falloff from its axis.
    pub exponent: f32,
    /// Coefficients a, b (1/m), c (1/m²) of the divisor a + b d + c d² of its light at a distance d.
    pub attenuation: [f32; 3],
    /// Ambient colour.
    pub ambient: [f32; 3],
    /// Diffuse colour, at perpendicular incidence.
    pub diffuse: [f32; 3],
    /// Specular colour.
    pub specular: [f32; 3],
    /// Whether it is the sun ([`Place::sun`](crate::Place::sun)), and casts shadows.
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
    /// The first lights of a list, and their number.
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
