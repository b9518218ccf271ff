//! The camera of a picture.

use glam::{Mat4, Vec3, Vec4};

/// A camera: position, direction and field of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position (m).
    pub eye: Vec3,
    /// Unit vector of the viewing direction.
    pub forward: Vec3,
    /// Unit vector that is up in the picture.
    pub up: Vec3,
    /// Angle from the lower to the upper edge of the picture (rad).
    pub fovy: f32,
    /// Nearest distance that is drawn (m).
    pub near: f32,
}

impl Camera {
    /// Looks at a point from a distance (m), as MuJoCo's free camera: azimuth about z and elevation above the horizon of the viewing
    /// direction (deg).
    pub fn around(lookat: Vec3, distance: f32, azimuth: f32, elevation: f32) -> Self {
        let (sin_a, cos_a) = azimuth.to_radians().sin_cos();
        let (sin_e, cos_e) = elevation.clamp(-89.9, 89.9).to_radians().sin_cos();
        let forward = Vec3::new(cos_e * cos_a, cos_e * sin_a, sin_e);
        let up = Vec3::new(-sin_e * cos_a, -sin_e * sin_a, cos_e);
        Self {
            eye: lookat - distance * forward,
            forward,
            up,
            fovy: 45f32.to_radians(),
            near: (0.01 * distance).max(1e-4),
        }
    }

    /// Unit vector from the camera through a point of the picture: x from -1 at the left edge to 1, y from -1 at the lower edge to 1;
    /// `aspect` is the picture's width over its height.
    pub fn toward(&self, x: f32, y: f32, aspect: f32) -> Vec3 {
        let right = self.forward.cross(self.up).normalize_or(Vec3::X);
        let up = right.cross(self.forward);
        let half = (0.5 * self.fovy).tan();
        (self.forward + half * (x * aspect * right + y * up)).normalize()
    }

    /// Transforms world to clip coordinates: depth 1 at the nearest distance, 0 at infinity.
    pub fn to_clip(&self, aspect: f32) -> Mat4 {
        let right = self.forward.cross(self.up).normalize_or(Vec3::X);
        let up = right.cross(self.forward);
        let view = Mat4::from_cols(
            Vec4::new(right.x, up.x, -self.forward.x, 0.0),
            Vec4::new(right.y, up.y, -self.forward.y, 0.0),
            Vec4::new(right.z, up.z, -self.forward.z, 0.0),
            Vec4::new(
                -right.dot(self.eye),
                -up.dot(self.eye),
                self.forward.dot(self.eye),
                1.0,
            ),
        );
        let scale = 1.0 / (0.5 * self.fovy).tan();
        let projection = Mat4::from_cols(
            Vec4::new(scale / aspect, 0.0, 0.0, 0.0),
            Vec4::new(0.0, scale, 0.0, 0.0),
            Vec4::new(0.0, 0.0, 0.0, -1.0),
            Vec4::new(0.0, 0.0, self.near, 0.0),
        );
        projection * view
    }
}

/// Transforms world coordinates to those of the shadow map of a sun in this direction over a ball: x and y from -1 to 1, depth
/// from 0, nearest to the sun, to 1.
pub(crate) fn sun_to_clip(sun: Vec3, center: Vec3, radius: f32) -> Mat4 {
    let right = sun.cross(Vec3::Y).normalize_or(Vec3::X);
    let up = right.cross(-sun);
    let row = |axis: Vec3, scale: f32, shift: f32| {
        let axis = scale * axis;
        Vec4::new(axis.x, axis.y, axis.z, shift - axis.dot(center))
    };
    Mat4::from_cols(
        row(right, 1.0 / radius, 0.0),
        row(up, 1.0 / radius, 0.0),
        row(-sun, 0.5 / radius, 0.5),
        Vec4::W,
    )
    .transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_looks_at_is_in_the_middle() {
        let at = Vec3::new(1.0, 2.0, 3.0);
        let camera = Camera::around(at, 5.0, 30.0, -20.0);
        assert!((camera.eye.distance(at) - 5.0).abs() < 1e-5);
        let clip = camera.to_clip(1.5) * at.extend(1.0);
        assert!(clip.x.abs() < 1e-5 && clip.y.abs() < 1e-5, "{clip}");
        assert!((clip.z / clip.w - camera.near / 5.0).abs() < 1e-5);
        // z is up, and a nearer point has the greater depth
        let above = camera.to_clip(1.5) * (at + 0.1 * Vec3::Z).extend(1.0);
        assert!(above.y > 0.0);
        let nearer = camera.to_clip(1.5) * (at - camera.forward).extend(1.0);
        assert!(nearer.z / nearer.w > clip.z / clip.w);
    }

    #[test]
    fn a_point_of_the_picture_is_seen_where_it_is() {
        let camera = Camera::around(Vec3::new(1.0, 2.0, 3.0), 5.0, 30.0, -20.0);
        let (x, y, aspect) = (0.4, -0.7, 1.6);
        let at = camera.eye + 3.0 * camera.toward(x, y, aspect);
        let clip = camera.to_clip(aspect) * at.extend(1.0);
        assert!((clip.x / clip.w - x).abs() < 1e-5 && (clip.y / clip.w - y).abs() < 1e-5);
    }

    #[test]
    fn from_the_south_east_is_right() {
        let camera = Camera::around(Vec3::ZERO, 3.0, 90.0, 0.0);
        assert!(camera.eye.distance(Vec3::new(0.0, -3.0, 0.0)) < 1e-5);
        let clip = camera.to_clip(1.0) * Vec3::X.extend(1.0);
        assert!(clip.x > 0.1);
    }

    #[test]
    fn the_sun_sees_the_ball() {
        let sun = Vec3::new(0.3, -0.4, 0.8).normalize();
        let center = Vec3::new(1.0, 2.0, 0.5);
        let to_sun = sun_to_clip(sun, center, 2.0);
        let clip = to_sun * center.extend(1.0);
        assert!(
            (clip - Vec4::new(0.0, 0.0, 0.5, 1.0)).length() < 1e-5,
            "{clip}"
        );
        let near = to_sun * (center + 2.0 * sun).extend(1.0);
        assert!(near.z.abs() < 1e-5, "{near}");
    }
}
