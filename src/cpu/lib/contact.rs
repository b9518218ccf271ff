//! Contacts before they have a slot: what the collision functions take and give, for one world or for worlds side by side.

use super::math::*;
use crate::fields::Model;
use crate::real::{Mask, Real};
use crate::types::*;

/// Distance of a contact that a lane does not have: beyond any margin.
pub const ABSENT: f64 = 1e10;

/// What `contact_efc_address` says before there are rows, of a contact that has them though its distance is beyond its margin:
/// its geoms touch before the timestep ends.
pub const SOON: i32 = -2;

/// The bodies of the geoms of a pair.
pub fn bodies_of_pair(m: &Model, k: usize) -> [usize; 2] {
    [m.collision_geom1[k], m.collision_geom2[k]].map(|geom| m.geom_bodyid[geom as usize] as usize)
}

/// A geom in its place: position, orientation, size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape<R = f64> {
    /// Cartesian position (m).
    pub pos: [R; 3],
    /// Cartesian orientation.
    pub mat: [R; 9],
    /// Sizes by type, as in MJCF (m).
    pub size: [R; 3],
}

impl<R: Real> Shape<R> {
    /// The z axis.
    #[inline(always)]
    pub fn axis(&self) -> [R; 3] {
        column(self.mat, 2)
    }

    /// Turned about a point.
    #[inline(always)]
    pub fn turned(self, center: [R; 3], turn: [R; 9]) -> Self {
        let [x, y, z] = [0, 1, 2].map(|j| mul_mat_vec3(turn, column(self.mat, j)));
        Self {
            pos: add3(center, mul_mat_vec3(turn, sub3(self.pos, center))),
            mat: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
            ..self
        }
    }

    /// The geom of one lane.
    pub fn lane(&self, lane: usize) -> Shape {
        Shape {
            pos: std::array::from_fn(|k| self.pos[k].lane(lane)),
            mat: std::array::from_fn(|k| self.mat[k].lane(lane)),
            size: std::array::from_fn(|k| self.size[k].lane(lane)),
        }
    }
}

/// One contact of a pair (`mjPreContact`); a lane that lacks it has [`ABSENT`] as its distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point<R = f64> {
    /// Distance, negative in penetration (m).
    pub dist: R,
    /// Midway between the surfaces (m).
    pub pos: [R; 3],
    /// Unit normal from the first geom to the second.
    pub normal: [R; 3],
    /// Wished direction of the first tangent, or zero.
    pub tangent: [R; 3],
}

impl<R: Real> Point<R> {
    /// One that no lane has.
    pub fn none() -> Self {
        Self {
            dist: R::splat(ABSENT),
            ..Self::default()
        }
    }

    /// The lanes that have it.
    #[inline(always)]
    pub fn present(&self) -> R::Mask {
        self.dist.lt(R::splat(ABSENT))
    }

    #[inline(always)]
    fn select(mask: R::Mask, yes: &Self, no: &Self) -> Self {
        Self {
            dist: R::select(mask, yes.dist, no.dist),
            pos: select3(mask, yes.pos, no.pos),
            normal: select3(mask, yes.normal, no.normal),
            tangent: select3(mask, yes.tangent, no.tangent),
        }
    }
}

/// The contacts of one pair. In every lane those that it has come first.
#[derive(Clone, Debug)]
pub struct Contacts<R = f64> {
    /// How many there are; of lanes, the most that one has.
    pub num: usize,
    /// The first `num` of these.
    pub point: [Point<R>; MAXCONPAIR],
}

impl<R: Real> Contacts<R> {
    /// None yet.
    pub fn new() -> Self {
        Self {
            num: 0,
            point: [Point::default(); MAXCONPAIR],
        }
    }

    /// One more, unless there are as many as one pair may make.
    #[inline(always)]
    pub fn add(&mut self, dist: R, pos: [R; 3], normal: [R; 3]) {
        let point = Point {
            dist,
            pos,
            normal,
            tangent: [R::zero(); 3],
        };
        self.push(&point);
    }

    /// One more in some lanes, behind those that each of them has.
    #[inline(always)]
    pub fn add_where(&mut self, lanes: R::Mask, point: Point<R>) {
        if !lanes.any() {
            return;
        }
        if R::WIDTH == 1 {
            self.push(&point);
            return;
        }
        let mut new = point;
        new.dist = R::select(lanes, new.dist, R::splat(ABSENT));
        for at in &mut self.point[..self.num] {
            // where a lane has nothing here, the new one moves up
            let free = !at.present();
            *at = Point::select(free, &new, at);
            new.dist = R::select(free, R::splat(ABSENT), new.dist);
            if !new.present().any() {
                return;
            }
        }
        self.push(&new);
    }

    #[inline(always)]
    fn push(&mut self, point: &Point<R>) {
        if self.num < MAXCONPAIR {
            self.point[self.num] = *point;
            self.num += 1;
        }
    }

    /// The contacts of one lane, which has none yet.
    pub fn put_lane(&mut self, lane: usize, own: &Contacts) {
        for (j, point) in own.point[..own.num].iter().enumerate() {
            if j == self.num {
                self.push(&Point::none());
            }
            let to = &mut self.point[j];
            to.dist.set_lane(lane, point.dist);
            for i in 0..3 {
                to.pos[i].set_lane(lane, point.pos[i]);
                to.normal[i].set_lane(lane, point.normal[i]);
                to.tangent[i].set_lane(lane, point.tangent[i]);
            }
        }
    }
}

impl<R: Real> Default for Contacts<R> {
    fn default() -> Self {
        Self::new()
    }
}

/// A column of a matrix.
#[inline(always)]
pub fn column<R: Real>(mat: [R; 9], j: usize) -> [R; 3] {
    [mat[j], mat[3 + j], mat[6 + j]]
}

/// A vector by lanes.
#[inline(always)]
pub fn select3<R: Real>(mask: R::Mask, yes: [R; 3], no: [R; 3]) -> [R; 3] {
    let pick = |k: usize| R::select(mask, yes[k], no[k]);
    [pick(0), pick(1), pick(2)]
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
