//! The camera of a picture.

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::types::Projection;
use glam::Vec3;
use manyworlds_view::Camera;

/// The camera of a picture.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sight {
    /// Around the worlds: azimuth about z and elevation of the viewing direction (deg), as in MuJoCo's free camera, and
    /// distance (m); without a distance, one that shows all worlds.
    Around {
        /// Angle about z (deg); 90: from the south.
        azimuth: f64,
        /// Angle above the horizon (deg); below 0 the camera looks down.
        elevation: f64,
        /// Distance from the middle of the worlds (m).
        distance: Option<f64>,
    },
    /// Around a fixed point.
    Free {
        /// The point that it looks at, in the picture's coordinates (m).
        lookat: [f64; 3],
        /// Distance from that point (m).
        distance: f64,
        /// Angle about z (deg); 90: from the south.
        azimuth: f64,
        /// Angle above the horizon (deg); below 0 the camera looks down.
        elevation: f64,
    },
    /// A camera of the first world, by its name or id.
    Named(String),
}

impl Default for Sight {
    fn default() -> Self {
        Self::Around {
            azimuth: 120.0,
            elevation: -22.0,
            distance: None,
        }
    }
}

impl Sight {
    /// [`Sight::Around`] with azimuth and elevation (deg), and a distance (m) if there is a third number; `None` for any other count.
    pub fn around(numbers: &[f64]) -> Option<Self> {
        let (azimuth, elevation, distance) = match *numbers {
            [azimuth, elevation] => (azimuth, elevation, None),
            [azimuth, elevation, distance] => (azimuth, elevation, Some(distance)),
            _ => return None,
        };
        Some(Self::Around {
            azimuth,
            elevation,
            distance,
        })
    }

    /// Rotates around the target by these angles (deg). Only [`Sight::Free`] moves.
    pub fn orbit(&mut self, by_azimuth: f64, by_elevation: f64) {
        if let Self::Free {
            azimuth, elevation, ..
        } = self
        {
            *azimuth += by_azimuth;
            *elevation = (*elevation + by_elevation).clamp(-89.0, 89.0);
        }
    }

    /// Multiplies the distance by a factor. Only [`Sight::Free`] moves.
    pub fn zoom(&mut self, times: f64) {
        if let Self::Free { distance, .. } = self {
            *distance *= times;
        }
    }

    /// Moves the target to the right and up, in heights of the picture. Only [`Sight::Free`] moves.
    pub fn pan(&mut self, right: f64, up: f64) {
        let Self::Free {
            lookat,
            distance,
            azimuth,
            elevation,
        } = self
        else {
            return;
        };
        let (d, a, e) = (*distance as f32, *azimuth as f32, *elevation as f32);
        let camera = Camera::around(Vec3::ZERO, d, a, e);
        let height = 2.0 * d * (0.5 * camera.fovy).tan();
        let sideways = camera.forward.cross(camera.up);
        let by = height * (right as f32 * sideways + up as f32 * camera.up);
        for (x, by) in lookat.iter_mut().zip(by.to_array()) {
            *x += f64::from(by);
        }
    }

    /// Fails with [`Error::Input`] on a camera that the model does not have.
    pub(super) fn check(&self, m: &Model) -> Result<()> {
        match self {
            Self::Named(name) => number(m, name).map(|_| ()),
            Self::Around { .. } | Self::Free { .. } => Ok(()),
        }
    }

    /// The camera for worlds in a ball.
    pub(super) fn camera(
        &self,
        m: &Model,
        batch: &mut Batch,
        center: Vec3,
        radius: f32,
    ) -> Result<Camera> {
        match self {
            Self::Around {
                azimuth,
                elevation,
                distance,
            } => {
                let (azimuth, elevation) = (*azimuth as f32, *elevation as f32);
                let distance = distance.map_or_else(|| near(m, radius), |x| x as f32);
                Ok(Camera::around(center, distance, azimuth, elevation))
            }
            Self::Free {
                lookat,
                distance,
                azimuth,
                elevation,
            } => Ok(Camera::around(
                Vec3::from(lookat.map(|x| x as f32)),
                *distance as f32,
                *azimuth as f32,
                *elevation as f32,
            )),
            Self::Named(name) => named(m, batch, number(m, name)?),
        }
    }
}

/// Distance at which all worlds in a ball are seen (m).
pub(super) fn near(m: &Model, radius: f32) -> f32 {
    1.35 * radius + 0.5 * m.stat.extent as f32
}

fn number(m: &Model, said: &str) -> Result<usize> {
    let named = m.names.camera.iter().position(|name| name == said);
    let number = said.parse().ok().filter(|&k| k < m.ncam);
    named.or(number).ok_or_else(|| {
        let names: Vec<_> = m.names.camera.iter().map(String::as_str).collect();
        let there = match names.as_slice() {
            [] => "the model has none".to_owned(),
            names => format!("the model has {}: {}", m.ncam, names.join(", ")),
        };
        Error::Input(format!("no camera {said}: {there}"))
    })
}

// a camera looks along its -z axis, y is up
fn named(m: &Model, batch: &mut Batch, cam: usize) -> Result<Camera> {
    if m.cam_projection[cam] != Projection::Perspective {
        let name = &m.names.camera[cam];
        let msg = format!("camera {name} is orthographic: only perspective ones are drawn");
        return Err(Error::Input(msg));
    }
    let row = |x: &[f64], k: usize| x[k] as f32;
    let eye = batch.reals("cam_xpos")?;
    let eye = Vec3::new(
        row(eye, 3 * cam),
        row(eye, 3 * cam + 1),
        row(eye, 3 * cam + 2),
    );
    let mat = batch.reals("cam_xmat")?;
    let column = |j: usize| Vec3::from([0, 3, 6].map(|i| row(mat, 9 * cam + i + j)));
    Ok(Camera {
        eye,
        forward: -column(2),
        up: column(1),
        fovy: (m.cam_fovy[cam] as f32).to_radians(),
        near: 0.01 * m.stat.extent as f32,
    })
}
