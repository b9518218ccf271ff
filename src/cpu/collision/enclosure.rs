//! How far a convex solid sticks out of another (`mjc_hausdorff`).

use std::ops::Range;

use super::support::Solid;
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::math::*;
use crate::fields::{Arrays, Model};
use crate::types::{MINVAL, ObjType};

/// First step of a climb (rad).
const STEP: f64 = 0.5;

/// Geoms of the object that an enclosure sensor names: a geom, the geoms of a body, or the geoms of a body and its whole subtree.
pub fn geoms_of(m: &Arrays, kind: i32, id: usize) -> Range<usize> {
    if kind == ObjType::Geom {
        return id..id + 1;
    }
    let mut end = id + 1;
    while kind == ObjType::XBody && m.body_parentid.get(end).is_some_and(|p| *p >= id as i32) {
        end += 1;
    }
    let carries = |body: &usize| m.body_geomnum[*body] > 0;
    let (Some(first), Some(last)) = ((id..end).find(carries), (id..end).rev().find(carries)) else {
        return 0..0;
    };
    let [first, end] = [(first, 0), (last, m.body_geomnum[last])]
        .map(|(body, num)| (m.body_geomadr[body] + num) as usize);
    first..end
}

/// How far a geom at its pose sticks out of a site at its pose.
pub fn geom_out_of_site(m: &Model, geom: (usize, Shape), site: (usize, Shape)) -> f64 {
    let mut inner = Solid::new(m, geom.0, geom.1, 0.0);
    juts_out(m, &mut inner, &mut Solid::of_site(m, site.0, site.1))
}

/// How far a site at its pose sticks out of another.
pub fn site_out_of_site(m: &Model, site: (usize, Shape), other: (usize, Shape)) -> f64 {
    let mut inner = Solid::of_site(m, site.0, site.1);
    juts_out(m, &mut inner, &mut Solid::of_site(m, other.0, other.1))
}

// Distance of the farthest point of a convex solid outside of another (m); if negative, the clearance around it.
//
// It is the maximum over all directions of the inner solid's support height minus the outer one's. Gradient climbs from the six
// axis directions of the outer solid search for it, each of `ccd_iterations` steps, to the tolerance `ccd_tolerance`.
fn juts_out(m: &Model, inner: &mut Solid<'_>, outer: &mut Solid<'_>) -> f64 {
    let mat = outer.shape.mat;
    let axis = |k: usize, sign: f64| [0, 1, 2].map(|row| sign * mat[3 * row + k]);
    let start = |n: usize| Climb::new(axis(n / 2, if n.is_multiple_of(2) { 1.0 } else { -1.0 }));
    let mut climbs: [Climb; 6] = std::array::from_fn(start);
    for _ in 0..m.opt.ccd_iterations {
        for climb in climbs.iter_mut().filter(|climb| climb.live) {
            climb.go_on(inner, outer, m.opt.ccd_tolerance);
        }
        if climbs.iter().all(|climb| !climb.live) {
            break;
        }
    }
    climbs.iter().fold(-FAR, |most, climb| most.max(climb.most))
}

/// Magnitude of the result if no step is made.
const FAR: f64 = 1e10;

/// Gradient climb over the sphere of directions.
struct Climb {
    // direction to try next
    dir: [f64; 3],
    // best direction so far, and how far the inner solid sticks out in it
    best: [f64; 3],
    most: f64,
    // direction of the step, a unit tangent
    way: [f64; 3],
    step: f64,
    live: bool,
}

impl Climb {
    fn new(dir: [f64; 3]) -> Self {
        Self {
            dir,
            best: dir,
            most: -FAR,
            way: [0.0; 3],
            step: STEP,
            live: true,
        }
    }

    fn go_on(&mut self, inner: &mut Solid<'_>, outer: &mut Solid<'_>, tolerance: f64) {
        let apart = sub3(inner.support(self.dir), outer.support(self.dir));
        let out = dot3(apart, self.dir);
        let slope = sub3(apart, scl3(self.dir, out));
        let steep = norm3(slope);
        self.live = match out > self.most {
            true => {
                (self.most, self.best) = (out, self.dir);
                self.follow(slope, steep, tolerance)
            }
            false => self.turn(slope, steep, tolerance),
        };
        if self.live {
            self.dir = normalize3(add_scl3(self.best, self.way, self.step)).0;
        }
    }

    // takes the slope as the direction of the next step; false at a maximum
    fn follow(&mut self, slope: [f64; 3], steep: f64, tolerance: f64) -> bool {
        if steep <= MINVAL || steep <= tolerance * self.most.abs() {
            return false;
        }
        self.way = scl3(slope, 1.0 / steep);
        true
    }

    // halves the step from the best direction and turns it to the mean of the last step's direction and the slope; false if the
    // two cancel
    fn turn(&mut self, slope: [f64; 3], steep: f64, tolerance: f64) -> bool {
        self.step *= 0.5;
        if self.step < tolerance {
            return false;
        }
        if steep > MINVAL {
            self.way = add3(scl3(slope, 1.0 / steep), self.way);
        }
        let along = dot3(self.way, self.best);
        self.way = sub3(self.way, scl3(self.best, along));
        let length = norm3(self.way);
        self.way = scl3(self.way, 1.0 / length);
        length > tolerance
    }
}
