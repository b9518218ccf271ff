//! Contacts of two geoms in all lanes of a tile at once.
//!
//! Planes and round shapes have one text for any number of worlds ([`crate::cpu::collision::wide`]). What branches much (faces
//! of boxes that meet, convex solids) is left to the reference, lane by lane in double precision; a wide test spares it the lanes
//! in which boxes are apart.

use crate::cpu::collision::bounds::{SLACK, boxes_meet};
use crate::cpu::collision::{collide, function, meet, wide};
use crate::cpu::lib::contact::{Contacts, Point, Shape};
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::real::{Mask, Real, lanes};
use crate::types::*;

/// The contacts of one pair.
#[derive(Clone, Debug)]
pub struct Spots<R: Real> {
    all: Contacts<R>,
    // those of the lane at hand
    own: Contacts,
}

impl<R: Real> Spots<R> {
    /// None yet.
    pub fn new() -> Self {
        Self {
            all: Contacts::new(),
            own: Contacts::new(),
        }
    }

    /// The contacts found last. In every lane those that it has come first.
    pub fn found(&self) -> &[Point<R>] {
        &self.all.point[..self.all.num]
    }

    /// Finds the contacts of two geoms in the lanes where they are near. The convex collider also says in which lanes it ended
    /// before it was sure: they are 1.
    pub fn find(
        &mut self,
        m: &Model,
        geoms: [usize; 2],
        shapes: &[Shape<R>; 2],
        detect: f64,
        near: R::Mask,
    ) -> Option<R> {
        let types = geoms.map(|geom| m.geom_type[geom]);
        if self.closed(types, shapes, detect, near) {
            return None;
        }
        let mut unsure = R::zero();
        let meet = meet(m, geoms, shapes, detect, near);
        self.by_lane(shapes, meet, |lane, shapes, out| {
            if !collide(m, geoms, shapes, detect, out) {
                unsure.set_lane(lane, 1.0);
            }
        });
        Some(unsure)
    }

    /// The same of two shapes with a closed form, of which the first has the lower type; false if they have none.
    pub fn closed(
        &mut self,
        types: [i32; 2],
        shapes: &[Shape<R>; 2],
        detect: f64,
        near: R::Mask,
    ) -> bool {
        self.all.num = 0;
        let [first, second] = shapes;
        if let Some(wide) = wide(types[0], types[1]) {
            wide(first, second, detect, near, &mut self.all);
            return true;
        }
        let Some(function) = function(types[0], types[1]) else {
            return false;
        };
        let meet = match types[0] == GeomType::Box {
            true => boxes_meet(first, second, detect),
            false => capsule_meets(first, second, detect),
        };
        self.by_lane(shapes, near & meet, |_, [first, second], out| {
            function(&first, &second, detect, true, out);
        });
        true
    }

    // by the reference in some lanes
    #[inline(always)]
    fn by_lane(
        &mut self,
        shapes: &[Shape<R>; 2],
        mask: R::Mask,
        mut run: impl FnMut(usize, [Shape; 2], &mut Contacts),
    ) {
        if !mask.any() {
            return;
        }
        for lane in lanes::<R>(mask) {
            self.own.num = 0;
            let shapes = [shapes[0].lane(lane), shapes[1].lane(lane)];
            run(lane, shapes, &mut self.own);
            self.all.put_lane(lane, &self.own);
        }
    }
}

impl<R: Real> Default for Spots<R> {
    fn default() -> Self {
        Self::new()
    }
}

// where no face of a box separates it from a capsule
fn capsule_meets<R: Real>(capsule: &Shape<R>, cube: &Shape<R>, detect: f64) -> R::Mask {
    let half = R::splat(capsule.size[1]);
    let axis = mul_mat_t_vec3(cube.mat, capsule.axis());
    let center = mul_mat_t_vec3(cube.mat, sub3(capsule.pos, cube.pos));
    let [sizex, sizey, sizez] = cube.size;
    let slack = SLACK * (sizex + sizey + sizez + capsule.size[0] + capsule.size[1]);
    let mut meet = R::zero().le(R::zero());
    for i in 0..3 {
        let reach = R::splat(cube.size[i] + capsule.size[0] + detect + slack);
        meet = meet & (center[i].abs() - half * axis[i].abs()).le(reach);
    }
    meet
}
