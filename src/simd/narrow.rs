//! Contacts of two shapes in all lanes of a tile at once, in the tile's own precision. Twins of `cpu/collision/*.rs`.
//!
//! What is rare or branches much (parallel capsules, a centre inside a box, faces of boxes that meet) is left to the
//! reference, lane by lane; a wide test spares it the lanes that are apart.

mod boxes;
mod round;

use super::collision::ABSENT;
use crate::cpu::collision::{collide, function};
use crate::cpu::lib::contact::{Contacts, Shape};
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::real::{Mask, Real};
use crate::types::*;

/// A geom of every lane in its place.
#[derive(Clone, Copy, Debug)]
pub struct Shapes<R> {
    /// Cartesian position (m).
    pub pos: [R; 3],
    /// Cartesian orientation.
    pub mat: [R; 9],
    /// Sizes by type, as in MJCF (m); the same in all lanes.
    pub size: [f64; 3],
}

impl<R: Real> Shapes<R> {
    /// The z axes.
    #[inline(always)]
    pub fn axis(&self) -> [R; 3] {
        [self.mat[2], self.mat[5], self.mat[8]]
    }

    /// The geom of one lane.
    pub fn lane(&self, lane: usize) -> Shape {
        Shape {
            pos: self.pos.map(|x| x.lane(lane)),
            mat: self.mat.map(|x| x.lane(lane)),
            size: self.size,
        }
    }
}

/// One contact of a pair; a lane that lacks it has [`ABSENT`] as its distance.
#[derive(Clone, Copy, Debug)]
pub struct Spot<R> {
    /// Distance, negative in penetration (m).
    pub dist: R,
    /// Midway between the surfaces (m).
    pub pos: [R; 3],
    /// Unit normal from the first geom to the second.
    pub normal: [R; 3],
    /// Wished direction of the first tangent, or zero.
    pub tangent: [R; 3],
}

impl<R: Real> Spot<R> {
    fn none() -> Self {
        let zero = [R::zero(); 3];
        Self {
            dist: R::splat(ABSENT),
            pos: zero,
            normal: zero,
            tangent: zero,
        }
    }

    /// The lanes that have it.
    #[inline(always)]
    pub fn present(&self) -> R::Mask {
        self.dist.lt(R::splat(ABSENT))
    }

    #[inline(always)]
    fn select(mask: R::Mask, yes: &Self, no: &Self) -> Self {
        let pick = |yes: [R; 3], no: [R; 3]| {
            let pick = |k: usize| R::select(mask, yes[k], no[k]);
            [pick(0), pick(1), pick(2)]
        };
        Self {
            dist: R::select(mask, yes.dist, no.dist),
            pos: pick(yes.pos, no.pos),
            normal: pick(yes.normal, no.normal),
            tangent: pick(yes.tangent, no.tangent),
        }
    }
}

/// The contacts of one pair. In every lane those that it has come first.
#[derive(Clone, Debug)]
pub struct Spots<R> {
    /// The contacts.
    pub spot: Vec<Spot<R>>,
    contacts: Contacts,
}

impl<R: Real> Spots<R> {
    /// None yet.
    pub fn new() -> Self {
        Self {
            spot: Vec::with_capacity(MAXCONPAIR),
            contacts: Contacts::new(),
        }
    }

    // behind the others, in the lanes that have it
    fn add(&mut self, mut new: Spot<R>) {
        for at in &mut self.spot {
            if !new.present().any() {
                return;
            }
            // where a lane has nothing here, the new one moves up
            let free = !at.present();
            *at = Spot::select(free, &new, at);
            new.dist = R::select(free, R::splat(ABSENT), new.dist);
        }
        if new.present().any() {
            self.spot.push(new);
        }
    }

    // by the reference in some lanes, which have nothing yet
    #[inline(never)]
    fn by_lane(
        &mut self,
        types: [GeomType; 2],
        lanes: R::Mask,
        first: &Shapes<R>,
        second: &Shapes<R>,
        detect: f64,
    ) {
        let Some(function) = function(types[0] as i32, types[1] as i32) else {
            return;
        };
        self.each(lanes, |lane, out| {
            function(&first.lane(lane), &second.lane(lane), detect, out);
        });
    }

    /// By the convex collider of the reference in some lanes, which have nothing yet; the lanes in which it ended before it
    /// was sure are 1.
    #[inline(never)]
    pub fn convex(
        &mut self,
        m: &Model,
        geoms: [usize; 2],
        lanes: R::Mask,
        shapes: [Shapes<R>; 2],
        detect: f64,
    ) -> R {
        let mut unsure = R::zero();
        self.each(lanes, |lane, out| {
            let shapes = shapes.map(|shapes| shapes.lane(lane));
            if !collide(m, geoms, shapes, detect, out) {
                unsure.set_lane(lane, 1.0);
            }
        });
        unsure
    }

    // lane by lane
    #[inline(always)]
    fn each(&mut self, lanes: R::Mask, mut collide: impl FnMut(usize, &mut Contacts)) {
        let lanes = R::select(lanes, R::one(), R::zero());
        for lane in (0..R::WIDTH).filter(|&lane| lanes.lane(lane) != 0.0) {
            self.contacts.num = 0;
            let out = &mut self.contacts;
            collide(lane, out);
            for (j, point) in out.point[..out.num].iter().enumerate() {
                if j == self.spot.len() {
                    self.spot.push(Spot::none());
                }
                let spot = &mut self.spot[j];
                spot.dist.set_lane(lane, point.dist);
                for i in 0..3 {
                    spot.pos[i].set_lane(lane, point.pos[i]);
                    spot.normal[i].set_lane(lane, point.normal[i]);
                    spot.tangent[i].set_lane(lane, point.tangent[i]);
                }
            }
        }
    }
}

impl<R: Real> Default for Spots<R> {
    fn default() -> Self {
        Self::new()
    }
}

// a pair of shapes that only the reference knows
macro_rules! by_lane {
    ($first:ident, $second:ident) => {
        |first, second, detect, near, out| {
            let types = [GeomType::$first, GeomType::$second];
            out.by_lane(types, near, first, second, detect);
        }
    };
}
/// What makes the contacts of two shapes below a distance, in the lanes where they are near.
pub type Function<R> = fn(&Shapes<R>, &Shapes<R>, f64, <R as Real>::Mask, &mut Spots<R>);

/// The function of two shapes, of which the first has the lower type.
pub fn wide<R: Real>(type1: i32, type2: i32) -> Option<Function<R>> {
    use GeomType as T;
    Some(match (T::from_i32(type1)?, T::from_i32(type2)?) {
        (T::Plane, T::Sphere) => round::plane_sphere,
        (T::Plane, T::Capsule) => round::plane_capsule,
        (T::Plane, T::Box) => boxes::plane_box,
        (T::Sphere, T::Sphere) => round::sphere_sphere,
        (T::Sphere, T::Capsule) => round::sphere_capsule,
        (T::Sphere, T::Box) => boxes::sphere_box,
        (T::Capsule, T::Capsule) => round::capsule_capsule,
        (T::Capsule, T::Box) => boxes::capsule_box,
        (T::Box, T::Box) => boxes::box_box,
        (T::Plane, T::Ellipsoid) => by_lane!(Plane, Ellipsoid),
        (T::Plane, T::Cylinder) => by_lane!(Plane, Cylinder),
        (T::Sphere, T::Cylinder) => by_lane!(Sphere, Cylinder),
        _ => return None,
    })
}
