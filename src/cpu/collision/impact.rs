//! Time and place of the impact of two separate geoms within the timestep (`speculative`).
//!
//! Conservative advancement: a bound limits the speed at which points of two convex shapes approach along the line of their
//! distance. So both shapes can be advanced by the time that the distance takes at this speed, repeatedly, until little distance
//! is left.

use super::clip::{corners, few};
use super::convex::{faces_of, is_flat, penetration, several};
use super::gjk::{Found, Two, Vertex};
use super::manifold::{Meeting, Part, Polygon, resting};
use super::support::Solid;
use super::sweep::Sweep;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::impedance::{Solver, arrest, solver};
use crate::cpu::lib::math::*;
use crate::cpu::lib::ray::{Ray, meet, shape_of};
use crate::fields::{Data, Model, OwnLane};
use crate::real::Real;
use crate::types::*;

/// Share of the first distance that is left after an advancement.
const TARGET: f64 = 0.02;
/// Share of the first distance at which the advancement ends.
const ENOUGH: f64 = 0.03;
/// Maximum number of steps of the advancement. A shape that turns fast has a bound far above its speed: the rest of the way is then
/// taken at the present speed of the nearest points.
const STEPS: usize = 16;

/// Two geoms, and their motion in a timestep.
pub struct Approach<'a> {
    pub m: &'a Model,
    pub geoms: [usize; 2],
    pub shapes: [Shape; 2],
    pub sweeps: [Sweep; 2],
    /// Distance at which they touch (m).
    pub margin: f64,
}

/// Nearest points of two geoms.
struct Nearest {
    /// Distance of the shapes (m), their nearest points, and the unit normal from the first to the second.
    dist: f64,
    points: [[f64; 3]; 2],
    normal: [f64; 3],
}

/// An impact: the fraction of the timestep at which it happens, that of the last search, and how much nearer the shapes would come in
/// the whole timestep (m).
struct Impact {
    time: f64,
    seen: f64,
    way: f64,
    at: Nearest,
}

/// Contacts of a pair in one lane that touches within the timestep, at the present positions of the contact points; none if it
/// does not touch, or another geom stands between.
pub fn impact<R: Real>(m: &Model, d: &Data<R>, k: usize, lane: usize, out: &mut Contacts) {
    let geoms = [m.collision_geom1[k] as usize, m.collision_geom2[k] as usize];
    let approach = Approach {
        m,
        geoms,
        shapes: geoms.map(|geom| shape_of(m, d, lane, geom)),
        sweeps: geoms.map(|geom| Sweep::new(m, d, geom).lane(lane)),
        margin: d.own.collision_margin(m, k).lane(lane),
    };
    let Some(found) = approach.impact() else {
        return;
    };
    let timestep = d.own.timestep(m).lane(lane);
    let soft = soft(m, d, k, lane, timestep);
    let depth = arrest(m, timestep, &soft, found.time, found.way);
    for [later1, later2] in approach.points(&found) {
        let points =
            [(0, later1), (1, later2)].map(|(i, point)| approach.now(i, point, found.seen));
        let [reach1, reach2] = approach.sweeps.map(|sweep| sweep.reach());

        // line of sight from each point to the impact point on the slower geom
        let hit = if reach1 < reach2 { later1 } else { later2 };
        let hidden = |i: usize| hides(m, d, lane, geoms, i, points[i], hit);
        if hidden(0) || hidden(1) {
            continue;
        }
        let share = reach1 / (reach1 + reach2);
        let pos = add3(scl3(points[0], share), scl3(points[1], 1.0 - share));
        out.add(approach.margin - depth, pos, found.at.normal);
    }
}

fn soft<R: Real>(m: &Model, d: &Data<R>, k: usize, lane: usize, timestep: f64) -> Solver<f64> {
    let solref = std::array::from_fn(|n| d.own.collision_solref(m, 2 * k + n).lane(lane));
    let solimp = std::array::from_fn(|n| d.own.collision_solimp(m, 5 * k + n).lane(lane));
    solver(m, timestep, solref, solimp)
}

impl Approach<'_> {
    // advances the geoms until little distance is left; none if they do not touch within the timestep
    fn impact(&self) -> Option<Impact> {
        let first = self.nearest(0.0)?;
        let room = first.dist - self.margin;
        let start = first.dist;
        let mut at = first;
        let mut seen = 0.0;
        let far = |at: &Nearest| at.dist > self.margin + ENOUGH * room;
        let left = |at: &Nearest| at.dist - self.margin - TARGET * room;
        let mut time = 0.0;
        for step in 0..=STEPS {
            let bound = self.closing(at.normal);
            let late = |speed: f64| speed <= 0.0 || seen + (at.dist - self.margin) / speed >= 1.0;
            if late(bound) {
                return None;
            }
            time = seen;
            if !far(&at) {
                break;
            }
            if step == STEPS {
                let speed = self.speed(seen, &at);
                if late(speed) {
                    return None;
                }
                time += left(&at) / speed;
                break;
            }
            seen += left(&at) / bound;
            at = self.nearest(seen)?;
        }
        let way = ((start - at.dist) / seen).max(self.speed(seen, &at));
        (seen > 0.0).then_some(Impact {
            time,
            seen,
            way,
            at,
        })
    }

    // approach speed of the nearest points (m in a timestep)
    fn speed(&self, time: f64, at: &Nearest) -> f64 {
        let places = self.places(time);
        let [first, second] = [0, 1].map(|i| {
            let arm = sub3(at.points[i], places[i].pos);
            add3(self.sweeps[i].lin, cross(self.sweeps[i].rot, arm))
        });
        dot3(at.normal, sub3(first, second))
    }

    // upper bound of the approach speed of any two points along a unit normal (m in a timestep)
    fn closing(&self, normal: [f64; 3]) -> f64 {
        let [first, second] = &self.sweeps;
        dot3(normal, sub3(first.lin, second.lin)) + first.turned() + second.turned()
    }

    fn places(&self, time: f64) -> [Shape; 2] {
        [0, 1].map(|i| self.sweeps[i].place(&self.shapes[i], time))
    }

    fn is_plane(&self) -> bool {
        self.m.geom_type[self.geoms[0]] == GeomType::Plane
    }

    // nearest points of the geoms at a time; none if they are too far apart to touch from there
    fn nearest(&self, time: f64) -> Option<Nearest> {
        let shapes = self.places(time);
        if self.is_plane() {
            let normal = shapes[0].axis();
            let mut solid = Solid::new(self.m, self.geoms[1], shapes[1], 0.0);
            let point = solid.support(scl3(normal, -1.0));
            let dist = dot3(sub3(point, shapes[0].pos), normal);
            let foot = add_scl3(point, normal, -dist);
            let points = [foot, point];
            return Some(Nearest {
                dist,
                points,
                normal,
            });
        }
        let [first, second] = [0, 1].map(|i| Solid::new(self.m, self.geoms[i], shapes[i], 0.0));
        let mut two = Two::new(self.m, first, second);
        let [first, second] = &self.sweeps;
        let most = norm3(sub3(first.lin, second.lin)) + first.turned() + second.turned();
        two.beyond = (most + self.margin) / (1.0 - ENOUGH);
        let mut s = Found::default();
        penetration(&mut two, &mut s);
        if s.dist <= 0.0 || s.dist > two.beyond {
            return None;
        }
        Some(Nearest {
            dist: s.dist,
            points: [s.point1, s.point2],
            normal: normalize3(sub3(s.point2, s.point1)).0,
        })
    }

    // present position of a point of a geom that is given at a time
    fn now(&self, i: usize, point: [f64; 3], time: f64) -> [f64; 3] {
        let later = self.sweeps[i].place(&self.shapes[i], time);
        let local = mul_mat_t_vec3(later.mat, sub3(point, later.pos));
        add3(self.shapes[i].pos, mul_mat_vec3(self.shapes[i].mat, local))
    }

    // points on both shapes at the time of impact: where faces or edges meet, or only the nearest points
    fn points(&self, found: &Impact) -> Vec<[[f64; 3]; 2]> {
        let shapes = self.places(found.seen);
        // corners that come as near in the rest of the timestep count as well
        let rest = found.way * (1.0 - found.time);
        let margin = 2.0 * found.at.dist + rest + self.m.opt.ccd_tolerance;
        let meeting = match self.is_plane() {
            true => self.resting(&shapes, margin, found),
            false if several(self.m, self.geoms) => faces_of(self.m, self.geoms, shapes, margin)
                .map(|meeting| {
                    let left = corners(&meeting, margin, 4);
                    (meeting, left)
                }),
            false => None,
        };
        let Some((meeting, left)) = meeting.filter(|(_, left)| left.len() > 1) else {
            return vec![found.at.points];
        };
        // each solid has half of the margin: it was added along the normal of the other's face, and is taken off along the
        // contact normal
        let half = 0.5 * margin;
        let out = match meeting.turned {
            true => scl3(found.at.normal, -half),
            false => scl3(found.at.normal, half),
        };
        let ends = |corner: [f64; 3]| {
            let height = meeting.height(corner);
            let foot = add_scl3(corner, meeting.normal, -height);
            let dist = -height * dot3(meeting.dir, meeting.normal);
            let faced = sub3(add_scl3(foot, meeting.dir, -half), out);
            let other = add3(add_scl3(foot, meeting.dir, half - dist), out);
            match meeting.turned {
                true => [other, faced],
                false => [faced, other],
            }
        };
        left.into_iter().map(ends).collect()
    }

    // the face of a solid that is most opposed to a plane, or an edge that lies in the plane, and its corners
    fn resting(
        &self,
        shapes: &[Shape; 2],
        margin: f64,
        found: &Impact,
    ) -> Option<(Meeting, Polygon)> {
        if !is_flat(self.m, self.geoms[1]) {
            return None;
        }
        let normal = found.at.normal;
        let back = scl3(normal, -1.0);
        let mut solid = Solid::new(self.m, self.geoms[1], shapes[1], margin);
        let on2 = add_scl3(solid.support(back), back, 0.5 * margin);
        let vertex = Vertex {
            on2,
            dir: normal,
            id2: solid.vertex,
            ..Vertex::default()
        };
        let part = Part::new(&solid, [vertex; 3], false, on2, false);
        let meeting = resting(&part, normal, found.at.points[0])?;
        let left = few(&meeting, meeting.other.clone(), margin, 4);
        Some((meeting, left))
    }
}

// true if the segment between two points enters a geom that the `i`-th geom of a pair may touch and that belongs to neither body
fn hides<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    geoms: [usize; 2],
    i: usize,
    from: [f64; 3],
    to: [f64; 3],
) -> bool {
    let ray = Ray {
        pnt: from,
        vec: sub3(to, from),
    };
    let weld = |geom: usize| m.body_weldid[m.geom_bodyid[geom] as usize];
    let own = |geom: usize| weld(geom) != 0 && geoms.iter().any(|&g| weld(g) == weld(geom));
    let enters = |geom: usize| {
        let hit = meet(
            m,
            OwnLane::new(&d.own, lane),
            geom,
            &shape_of(m, d, lane, geom),
            ray,
        );
        (0.0..1.0).contains(&hit.dist) && dot3(hit.normal, ray.vec) < 0.0
    };
    if norm3(ray.vec) < MINVAL {
        return false;
    }
    let pairs = m.collision_geom1.iter().zip(&m.collision_geom2);
    pairs
        .filter(|(_, geom2)| **geom2 >= 0)
        .filter_map(|(&a, &b)| match geoms[i] as i32 {
            g if g == a => Some(b as usize),
            g if g == b => Some(a as usize),
            _ => None,
        })
        .any(|geom| {
            let kind = m.geom_type[geom];
            let solid = kind != GeomType::Hfield && kind != GeomType::Sdf;
            !geoms.contains(&geom) && solid && !own(geom) && enters(geom)
        })
}
