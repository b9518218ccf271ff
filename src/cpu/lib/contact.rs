//! Contacts before they get a slot: inputs and outputs of the collision functions, for one world or for worlds side by side.

use super::math::*;
use crate::fields::Model;
use crate::real::{Mask, Real};
use crate::types::*;

/// Distance that marks a contact as absent in a lane: beyond any margin.
pub const ABSENT: f64 = 1e10;

/// Value of `contact_efc_address`, before rows are made, of a contact that gets rows although its distance is beyond its margin:
/// its geoms touch before the timestep ends.
pub const SOON: i32 = -2;

/// Whether the contype of one side and the conaffinity of the other have a bit in common.
pub fn bits_match([type1, touches1]: [i32; 2], [type2, touches2]: [i32; 2]) -> bool {
    type1 & touches2 != 0 || type2 & touches1 != 0
}

/// The bodies of the two geoms of a pair.
pub fn bodies_of_pair(m: &Model, k: usize) -> [usize; 2] {
    [m.collision_geom1[k], m.collision_geom2[k]].map(|geom| m.geom_bodyid[geom as usize] as usize)
}

/// A geom at its pose: position, orientation, size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape<R = f64> {
    /// Cartesian position (m).
    pub pos: [R; 3],
    /// Cartesian orientation.
    pub mat: [R; 9],
    /// Sizes by geom type, as in MJCF (m).
    pub size: [R; 3],
}

impl<R: Real> Shape<R> {
    /// The z axis.
    #[inline(always)]
    pub fn axis(&self) -> [R; 3] {
        column(self.mat, 2)
    }

    /// The shape rotated about a point.
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

    /// Sets the geom of one lane.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, from: &Shape) {
        let set = |to: &mut [R], from: &[f64]| {
            let both = to.iter_mut().zip(from);
            both.for_each(|(to, &x)| to.set_lane(lane, x));
        };
        set(&mut self.pos, &from.pos);
        set(&mut self.mat, &from.mat);
        set(&mut self.size, &from.size);
    }
}

/// One contact of a pair (`mjPreContact`); in a lane without the contact its distance is [`ABSENT`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point<R = f64> {
    /// Distance, negative in penetration (m).
    pub dist: R,
    /// Midway between the surfaces (m).
    pub pos: [R; 3],
    /// Unit normal from the first geom to the second.
    pub normal: [R; 3],
    /// Preferred direction of the first tangent; zero: none.
    pub tangent: [R; 3],
}

impl<R: Real> Point<R> {
    /// A contact that is absent in all lanes.
    pub fn none() -> Self {
        Self {
            dist: R::splat(ABSENT),
            ..Self::default()
        }
    }

    /// The lanes where it is present.
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

/// The contacts of one pair. In every lane the present contacts come first.
#[derive(Clone, Debug)]
pub struct Contacts<R = f64> {
    /// Number of contacts; with several lanes, the largest number of any lane.
    pub num: usize,
    /// Contacts; the first `num` are valid.
    pub point: [Point<R>; MAXCONPAIR],
}

impl<R: Real> Contacts<R> {
    /// Empty.
    pub fn new() -> Self {
        Self {
            num: 0,
            point: [Point::default(); MAXCONPAIR],
        }
    }

    /// Adds a contact, unless the pair has the maximum number already.
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

    /// Adds a contact in some lanes, behind the contacts of each lane.
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
            // lanes with a free place here take the new contact
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

    /// Sets the contacts of some lanes, which have none yet, by those of as many worlds side by side.
    pub fn put_lanes<S: Real>(&mut self, lanes: &[usize], own: &Contacts<S>) {
        for (j, point) in own.point[..own.num].iter().enumerate() {
            if j == self.num {
                self.push(&Point::none());
            }
            let (to, present) = (&mut self.point[j], point.present().bits());
            for (k, &lane) in lanes.iter().enumerate() {
                if present >> k & 1 == 0 {
                    continue;
                }
                to.dist.set_lane(lane, point.dist.lane(k));
                for i in 0..3 {
                    to.pos[i].set_lane(lane, point.pos[i].lane(k));
                    to.normal[i].set_lane(lane, point.normal[i].lane(k));
                    to.tangent[i].set_lane(lane, point.tangent[i].lane(k));
                }
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

/// Selects vectors by lane.
#[inline(always)]
pub fn select3<R: Real>(mask: R::Mask, yes: [R; 3], no: [R; 3]) -> [R; 3] {
    let pick = |k: usize| R::select(mask, yes[k], no[k]);
    [pick(0), pick(1), pick(2)]
}

/// Frame of a contact: the normal, then two tangents, the first in the preferred direction if there is one (`mju_makeFrame`).
pub fn make_frame<R: Real>(normal: [R; 3], tangent: [R; 3]) -> [R; 9] {
    let (x, _) = normalize3(normal);

    // no preferred direction: y, or z where the normal is near y
    let half = R::splat(0.5);
    let wished = !norm3(tangent).lt(half);
    let across = x[1].lt(half) & (-half).lt(x[1]);
    let y = [
        R::select(wished, tangent[0], R::zero()),
        R::select(wished, tangent[1], R::select(across, R::one(), R::zero())),
        R::select(wished, tangent[2], R::select(across, R::zero(), R::one())),
    ];

    // orthogonalize against the normal
    let (y, _) = normalize3(add_scl3(y, x, -dot3(x, y)));
    let z = cross(x, y);
    [x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]]
}
