//! Frames that scale by three different factors: contents are stretched along the axes of the frame, and keep their orientation.

use glam::{DMat3, DQuat, DVec3};

use super::{Scale, sizes};
use crate::compile::pose::{Units, z2quat};
use crate::mjcf::schema::{Inertial, Orientation};
use crate::types::GeomType;

/// Sine of the angle up to which an axis counts as one of the frame's; up to this share two factors count as equal.
const ALIGNED: f64 = 0.0349;

/// A linear map of positions, in the coordinates at hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch(DMat3);

impl Stretch {
    /// The same factor in all directions.
    pub fn uniform(factor: f64) -> Stretch {
        Stretch(DMat3::from_diagonal(DVec3::splat(factor)))
    }

    /// A factor for each axis.
    pub fn along(factors: [f64; 3]) -> Stretch {
        Stretch(DMat3::from_diagonal(factors.into()))
    }

    /// The composition of this map and an inner one.
    pub fn around(self, inner: Stretch) -> Stretch {
        Stretch(self.0 * inner.0)
    }

    /// The same map in rotated coordinates.
    pub fn turned(self, units: &Units, said: &Orientation) -> Stretch {
        match units.orientation(said) {
            Ok(Some(quat)) => self.rotated(matrix(quat)),
            // the compiler reports a wrong orientation
            _ => self,
        }
    }

    /// The map in the coordinates of a shape between two points, whose z axis is along them.
    pub fn between(self, ends: [f64; 6]) -> Stretch {
        let [x0, y0, z0, x1, y1, z1] = ends;
        let axis = DVec3::new(x0 - x1, y0 - y1, z0 - z1).normalize_or(DVec3::Z);
        self.rotated(matrix(z2quat(axis.to_array())))
    }

    // the same map in coordinates that are rotated by a matrix
    fn rotated(self, turn: DMat3) -> Stretch {
        Stretch(turn.transpose() * self.0 * turn)
    }

    /// The map in the coordinates of what has these axes, given in the coordinates at hand.
    pub fn seen_from(self, quat: [f64; 4]) -> Stretch {
        self.rotated(matrix(quat).transpose())
    }

    /// Its numbers, row by row.
    pub fn rows(self) -> [f64; 9] {
        self.0.transpose().to_cols_array()
    }

    /// The position that a position is mapped to.
    pub fn place(self, pos: [f64; 3]) -> [f64; 3] {
        (self.0 * DVec3::from(pos)).to_array()
    }

    /// The factor along each axis.
    pub fn factors(self) -> [f64; 3] {
        [0, 1, 2].map(|k| self.0.col(k).length())
    }

    /// The factor along a direction; none if the map changes the direction.
    pub fn along_axis(self, axis: [f64; 3]) -> Option<f64> {
        let axis = DVec3::from(axis).try_normalize()?;
        let to = self.0 * axis;
        let across = to - axis * to.dot(axis);
        let length = to.length();
        (across.length() <= ALIGNED * length).then_some(length)
    }

    /// Whether the map keeps the directions of all axes exactly, as MuJoCo asks before it scales a mesh by three factors.
    pub fn is_straight(self) -> bool {
        let off = |n: usize| n / 3 != n % 3 && self.0.col(n / 3)[n % 3] != 0.0;
        !(0..9).any(off)
    }

    fn aligned(self) -> Option<[f64; 3]> {
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| self.along_axis(axis.to_array()));
        Some([x?, y?, z?])
    }

    /// The factors of a shape's own axes, or an error message.
    pub fn of_shape(self, shape: GeomType) -> Result<[f64; 3], &'static str> {
        let lies = "this shape must be aligned with the axes of the frame that stretches it";
        match shape {
            GeomType::Sphere => {
                Err("a sphere cannot be stretched: make it an ellipsoid, or scale it by one factor")
            }
            GeomType::Capsule | GeomType::Cylinder => {
                let [x, y, z] = self.aligned().ok_or(lies)?;
                match (x - y).abs() <= ALIGNED * x.max(y) {
                    true => Ok([(x * y).sqrt(), (x * y).sqrt(), z]),
                    false => Err("this shape must be stretched equally across its axis"),
                }
            }
            GeomType::Mesh | GeomType::Sdf => Ok(self.factors()),
            _ => self.aligned().ok_or(lies),
        }
    }

    /// The factors of a site's own axes, approximate where it is not aligned.
    pub fn of_site(self, shape: GeomType, mean: f64) -> [f64; 3] {
        let [x, y, z] = self.factors();
        match shape {
            GeomType::Sphere => [mean; 3],
            GeomType::Capsule | GeomType::Cylinder => [(x * y).sqrt(), z, 1.0],
            _ => [x, y, z],
        }
    }

    /// Scales a given inertia, whose mass is multiplied too: second moments are stretched twice.
    pub fn inertia(self, i: &mut Inertial, units: &Units, mass: f64) {
        let own = match (i.fullinertia, i.diaginertia) {
            (Some([xx, yy, zz, xy, xz, yz]), _) => {
                DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
            }
            (None, Some(diagonal)) => DMat3::from_diagonal(diagonal.into()),
            _ => return,
        };
        let turn = match units.orientation(&i.orientation) {
            Ok(Some(quat)) => matrix(quat),
            _ => DMat3::IDENTITY,
        };
        let trace = |m: &DMat3| m.x_axis.x + m.y_axis.y + m.z_axis.z;
        let about = |m: DMat3, half: f64| DMat3::IDENTITY * (half * trace(&m)) - m;
        let moments = about(turn * own * turn.transpose(), 0.5);
        let stretched = self.0 * moments * self.0.transpose() * mass;
        let full = about(stretched, 1.0);
        (i.diaginertia, i.orientation) = (None, Orientation::default());
        let [x, y, z] = [full.x_axis, full.y_axis, full.z_axis];
        i.fullinertia = Some([x.x, y.y, z.z, y.x, z.x, z.y]);
    }
}

// the rotation of a quaternion (wxyz)
fn matrix([w, x, y, z]: [f64; 4]) -> DMat3 {
    DMat3::from_quat(DQuat::from_xyzw(x, y, z, w))
}

impl Scale {
    /// The map in the coordinates of a shape, which is turned or lies between two points.
    pub fn of_own(&self, units: &Units, said: &Orientation, fromto: Option<[f64; 6]>) -> Stretch {
        match (self.stretch, fromto) {
            (None, _) => Stretch::uniform(self.length),
            (Some(stretch), Some(ends)) => stretch.between(ends),
            (Some(stretch), None) => stretch.turned(units, said),
        }
    }

    /// The same scale in rotated coordinates.
    pub fn turned(self, units: &Units, said: &Orientation) -> Scale {
        Scale {
            stretch: self.stretch.map(|s| s.turned(units, said)),
            ..self
        }
    }

    /// The same scale with one factor of lengths.
    pub fn straight(self, length: f64) -> Scale {
        Scale {
            length,
            stretch: None,
            ..self
        }
    }

    /// The position that a position is mapped to.
    pub fn mapped(&self, pos: [f64; 3]) -> [f64; 3] {
        match self.stretch {
            Some(stretch) => stretch.place(pos),
            None => pos.map(|x| x * self.length),
        }
    }

    /// Maps a given position.
    pub fn place(&self, said: &mut Option<[f64; 3]>) {
        *said = said.map(|pos| self.mapped(pos));
    }

    /// Maps the ends of a shape.
    pub fn ends(&self, said: &mut Option<[f64; 6]>) {
        *said = said.map(|[x0, y0, z0, x1, y1, z1]| {
            let [x0, y0, z0] = self.mapped([x0, y0, z0]);
            let [x1, y1, z1] = self.mapped([x1, y1, z1]);
            [x0, y0, z0, x1, y1, z1]
        });
    }

    /// Multiplies the numbers of a size.
    pub fn size(&self, said: &mut Option<Vec<f64>>, shape: GeomType, factors: [f64; 3]) {
        let round = matches!(shape, GeomType::Capsule | GeomType::Cylinder);
        let by = match (self.stretch, shape) {
            (None, _) => [self.length; 3],
            (_, GeomType::Plane) => [factors[0], factors[1], self.length],
            (_, _) if round => [factors[0], factors[2], 1.0],
            _ => factors,
        };
        sizes(said, shape, by);
    }
}
