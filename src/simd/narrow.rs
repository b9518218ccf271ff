//! Contacts of two geoms in all lanes of a tile at once.
//!
//! Planes and round shapes have one code for any number of worlds ([`crate::cpu::collision::wide`]). Boxes with capsules and boxes need
//! double precision: eight lanes at a time; a wide test spares them the lanes in which they are apart. Convex solids are left to the
//! reference, lane by lane.

use crate::cpu::collision::bounds::{SLACK, boxes_meet};
use crate::cpu::collision::element_boxes::Boxes;
use crate::cpu::collision::impact::impact;
use crate::cpu::collision::soft::Pair;
use crate::cpu::collision::{
    Function, collide, function, meet, plane_between, soft, touches, wide,
};
use crate::cpu::lib::contact::{ABSENT, Contacts, Point, Shape};
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model, OwnLane};
use crate::real::{F64x8, Mask, Real, lanes};
use crate::types::*;

/// Number of lanes up to which they are computed one by one: eight at a time take as long as about two.
const FEW: usize = 2;

/// Largest number of lanes.
const MOST: usize = 16;

/// The contacts of one pair.
#[derive(Clone, Debug)]
pub struct Spots<R: Real> {
    all: Contacts<R>,
    // contacts of the present lane
    own: Contacts,
    // contacts of the present eight lanes
    eight: Contacts<F64x8>,
}

impl<R: Real> Spots<R> {
    /// Empty.
    pub fn new() -> Self {
        Self {
            all: Contacts::new(),
            own: Contacts::new(),
            eight: Contacts::new(),
        }
    }

    /// The contacts found last. In every lane the present contacts come first.
    pub fn found(&self) -> &[Point<R>] {
        &self.all.point[..self.all.num]
    }

    /// Finds the contacts of pair `k` of geoms in the lanes where they are near. For the convex collider it returns 1 in lanes where
    /// it stopped before it converged.
    pub fn find(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        k: usize,
        shapes: &[Shape<R>; 2],
        near: R::Mask,
    ) -> Option<R> {
        let geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
        let types = geoms.map(|geom| m.geom_type[geom]);
        let (own, detect) = (&d.own, d.own.collision_detect(m, k));
        let size = |i: usize, lane: usize| OwnLane::new(own, lane).geom_size(m, geoms[i]);
        let of_lane = |lane: usize| {
            [0, 1].map(|i| Shape {
                size: size(i, lane),
                ..shapes[i].lane(lane)
            })
        };
        if self.closed(types, shapes, of_lane, detect, near) {
            return None;
        }
        let (mut unsure, mut none) = (R::zero(), [R::zero(); 3]);
        let plane = plane_between(m, &mut d.parted, k).unwrap_or(&mut none);
        let meet = meet(m, own, geoms, shapes, detect, near, plane);
        self.by_lane(meet, |lane, out| {
            let own = OwnLane::new(own, lane);
            let mut parted = plane.each_ref().map(|x| x.lane(lane));
            let (shapes, detect) = (of_lane(lane), detect.lane(lane));
            if !collide(m, own, geoms, &shapes, detect, &mut parted, out) {
                unsure.set_lane(lane, 1.0);
            }
            for (x, parted) in plane.iter_mut().zip(parted) {
                x.set_lane(lane, parted);
            }
        });
        Some(unsure)
    }

    /// Finds the contacts of two geoms by a function of the user's own, in the lanes where they are near.
    pub fn find_own(
        &mut self,
        m: &Model,
        d: &Data<R>,
        geoms: [usize; 2],
        detect: R,
        near: R::Mask,
    ) {
        self.all.num = 0;
        self.by_lane(near, |lane, out| {
            crate::user::meet(m, d, lane, geoms, detect.lane(lane), out);
        });
    }

    /// Finds the contacts of a pair with a flex in the lanes where it is awake; returns 1 in lanes where the convex collider stopped
    /// before it converged.
    pub fn find_soft(
        &mut self,
        m: &Model,
        d: &Data<R>,
        boxes: &Boxes<R>,
        pair: &Pair,
        awake: R::Mask,
    ) -> R {
        self.all.num = 0;
        let mut unsure = R::zero();
        if let Some(v) = soft::vertex(m, pair.k) {
            soft::plane_vertex(m, d, pair.k, v, awake, &mut self.all);
            return unsure;
        }
        let near = soft::near(m, d, boxes, pair) & awake;
        self.by_lane(near, |lane, out| {
            if !soft::touch(m, d, pair, boxes.sides(m, pair, lane), lane, out) {
                unsure.set_lane(lane, 1.0);
            }
        });
        unsure
    }

    /// Finds the contacts of two shapes with a closed form, the lower type first; false if they have none. `of_lane` gives the
    /// shapes of one lane.
    pub fn closed(
        &mut self,
        types: [i32; 2],
        shapes: &[Shape<R>; 2],
        of_lane: impl Fn(usize) -> [Shape; 2],
        detect: R,
        near: R::Mask,
    ) -> bool {
        self.all.num = 0;
        let [first, second] = shapes;
        if let Some(wide) = wide(types[0], types[1]) {
            wide(first, second, detect, near, &mut self.all);
            return true;
        }
        let (Some(one), Some(eight)) = (
            function::<f64>(types[0], types[1]),
            function::<F64x8>(types[0], types[1]),
        ) else {
            return false;
        };
        let meet = match types[0] == GeomType::Box {
            true => boxes_meet(first, second, detect),
            false => capsule_meets(first, second, detect),
        };
        let (mut some, mut num) = ([0; MOST], 0);
        for lane in lanes::<R>(near & meet) {
            some[num] = lane;
            num += 1;
        }
        for some in some[..num].chunks(F64x8::<false>::WIDTH) {
            match some.len() {
                ..=FEW => self.one_by_one(one, some, &of_lane, detect),
                _ => self.together(eight, some, &of_lane, detect),
            }
        }
        true
    }

    fn one_by_one(
        &mut self,
        function: Function,
        some: &[usize],
        of_lane: impl Fn(usize) -> [Shape; 2],
        detect: R,
    ) {
        for &lane in some {
            let [first, second] = of_lane(lane);
            self.own.num = 0;
            function(&first, &second, detect.lane(lane), true, &mut self.own);
            self.all.put_lanes(&[lane], &self.own);
        }
    }

    // up to eight lanes
    fn together(
        &mut self,
        function: Function<F64x8>,
        some: &[usize],
        of_lane: impl Fn(usize) -> [Shape; 2],
        detect: R,
    ) {
        let (zero, one) = (F64x8::zero(), F64x8::one());
        let mut shapes = [Shape {
            pos: [zero; 3],
            mat: [zero; 9],
            size: [zero; 3],
        }; 2];
        let (mut near, mut margin) = (zero, zero);
        for (k, &lane) in some.iter().enumerate() {
            for (to, from) in shapes.iter_mut().zip(of_lane(lane)) {
                to.set_lane(k, &from);
            }
            near.set_lane(k, 1.0);
            margin.set_lane(k, detect.lane(lane));
        }
        let [first, second] = &shapes;
        self.eight.num = 0;
        function(first, second, margin, one.le(near), &mut self.eight);
        self.all.put_lanes(some, &self.eight);
    }

    /// In the `tried` lanes that do not touch yet, replaces the present contacts of a pair by those that it will have within the
    /// timestep; returns the lanes where it did.
    pub fn speculate(&mut self, m: &Model, d: &Data<R>, k: usize, tried: R::Mask) -> R::Mask {
        let mut soon = R::zero();
        for lane in lanes::<R>(tried) {
            let margin = d.own.collision_margin(m, k).lane(lane);
            if touches(&self.all, lane, margin) {
                continue;
            }
            self.own.num = 0;
            impact(m, d, k, lane, &mut self.own);
            if self.own.num > 0 {
                let num = self.all.num;
                let now = self.all.point[..num].iter_mut();
                now.for_each(|p| p.dist.set_lane(lane, ABSENT));
                self.all.put_lanes(&[lane], &self.own);
                soon.set_lane(lane, 1.0);
            }
        }
        R::zero().lt(soon)
    }

    // finds the contacts of some lanes, one lane after the other
    #[inline(always)]
    fn by_lane(&mut self, mask: R::Mask, mut run: impl FnMut(usize, &mut Contacts)) {
        if !mask.any() {
            return;
        }
        for lane in lanes::<R>(mask) {
            self.own.num = 0;
            run(lane, &mut self.own);
            self.all.put_lanes(&[lane], &self.own);
        }
    }
}

impl<R: Real> Default for Spots<R> {
    fn default() -> Self {
        Self::new()
    }
}

// lanes where no face of a box separates it from a capsule
fn capsule_meets<R: Real>(capsule: &Shape<R>, cube: &Shape<R>, detect: R) -> R::Mask {
    let half = capsule.size[1];
    let axis = mul_mat_t_vec3(cube.mat, capsule.axis());
    let center = mul_mat_t_vec3(cube.mat, sub3(capsule.pos, cube.pos));
    let [sizex, sizey, sizez] = cube.size;
    let slack = R::splat(SLACK) * (sizex + sizey + sizez + capsule.size[0] + capsule.size[1]);
    let mut meet = R::zero().le(R::zero());
    for i in 0..3 {
        let reach = cube.size[i] + capsule.size[0] + detect + slack;
        meet = meet & (center[i].abs() - half * axis[i].abs()).le(reach);
    }
    meet
}
