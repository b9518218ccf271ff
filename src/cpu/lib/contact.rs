//! Contacts before they have a slot: what the collision functions take and give.

use super::math::*;
use crate::real::Real;
use crate::types::*;

/// A geom in its place: position, orientation, size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Cartesian position (m).
    pub pos: [f64; 3],
    /// Cartesian orientation.
    pub mat: [f64; 9],
    /// Sizes by type, as in MJCF (m).
    pub size: [f64; 3],
}

impl Shape {
    /// The z axis.
    #[inline(always)]
    pub fn axis(&self) -> [f64; 3] {
        column(self.mat, 2)
    }
}

/// One contact of a pair (`mjPreContact`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Distance, negative in penetration (m).
    pub dist: f64,
    /// Midway between the surfaces (m).
    pub pos: [f64; 3],
    /// Unit normal from the first geom to the second.
    pub normal: [f64; 3],
    /// Wished direction of the first tangent, or zero.
    pub tangent: [f64; 3],
}

/// The contacts of one pair.
#[derive(Clone, Debug)]
pub struct Contacts {
    /// How many there are.
    pub num: usize,
    /// The first `num` of these.
    pub point: [Point; MAXCONPAIR],
}

impl Contacts {
    /// None yet.
    pub fn new() -> Self {
        Self {
            num: 0,
            point: [Point::default(); MAXCONPAIR],
        }
    }

    /// One more, unless there are as many as one pair may make.
    #[inline(always)]
    pub fn add(&mut self, dist: f64, pos: [f64; 3], normal: [f64; 3]) {
        if self.num < MAXCONPAIR {
            self.point[self.num] = Point {
                dist,
                pos,
                normal,
                tangent: [0.0; 3],
            };
            self.num += 1;
        }
    }
}

impl Default for Contacts {
    fn default() -> Self {
        Self::new()
    }
}

/// A column of a matrix.
#[inline(always)]
pub fn column(mat: [f64; 9], j: usize) -> [f64; 3] {
    [mat[j], mat[3 + j], mat[6 + j]]
}

/// Frame of a contact: the normal, then tangents, the first in the wished direction if there is one (`mju_makeFrame`).
pub fn make_frame<R: Real>(normal: [R; 3], tangent: [R; 3]) -> [R; 9] {
    let (x, _) = normalize3(normal);

    // no wish: y, or z where the normal is near y
    let half = R::splat(0.5);
    let wished = !norm3(tangent).lt(half);
    let across = x[1].lt(half) & (-half).lt(x[1]);
    let y = [
        R::select(wished, tangent[0], R::zero()),
        R::select(wished, tangent[1], R::select(across, R::one(), R::zero())),
        R::select(wished, tangent[2], R::select(across, R::zero(), R::one())),
    ];

    // orthogonal to the normal
    let (y, _) = normalize3(add_scl3(y, x, -dot3(x, y)));
    let z = cross(x, y);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}
