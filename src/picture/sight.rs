//! Where a picture is taken from.

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::types::Projection;
use glam::Vec3;
use manyworlds_view::Camera;

/// Where pictures are taken from.
#[derive(Clone, Debug, PartialEq)]
pub enum Sight {
    /// From around the worlds: azimuth about z and elevation of what the camera looks along (deg), as MuJoCo's free camera, and
    /// how far away (m); as far as shows all worlds if not given.
    Around {
        /// About z, 90: from the south (deg).
        azimuth: f64,
        /// Above the horizon (deg); below 0 the camera looks down.
        elevation: f64,
        /// From the middle of the worlds (m).
        distance: Option<f64>,
    },
    /// A camera of the first world, by its name or number.
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
    /// From azimuth and elevation (deg), and a distance (m) if there is a third number; `None` of any other number of them.
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

    /// Fails with [`Error::Input`] on a camera that the model does not have.
    pub(super) fn check(&self, m: &Model) -> Result<()> {
        match self {
            Self::Named(name) => number(m, name).map(|_| ()),
            Self::Around { .. } => Ok(()),
        }
    }

    /// The camera that shows worlds in a ball.
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
                let near = 1.35 * radius + 0.5 * m.stat.extent as f32;
                let distance = distance.map_or(near, |x| x as f32);
                Ok(Camera::around(center, distance, azimuth, elevation))
            }
            Self::Named(name) => named(m, batch, number(m, name)?),
        }
    }
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

// it looks along its -z axis, y is up
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
