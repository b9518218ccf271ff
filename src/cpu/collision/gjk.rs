//! Distance of two convex solids: the point of their Minkowski difference nearest to the origin (Gilbert, Johnson and Keerthi).
//! The difference is never built; its farthest point in a direction is the farthest point of the first solid minus that of the
//! second in the opposite direction.

use super::polytope::MAXSTEP;
use super::simplex::*;
use super::support::{Solid, support_both};
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::types::*;

/// A vertex of the Minkowski difference, the points of both solids whose difference it is, and their vertex numbers.
#[derive(Clone, Copy, Default)]
pub struct Vertex {
    pub diff: [f64; 3],
    pub on1: [f64; 3],
    pub on2: [f64; 3],
    /// Unit direction in which it is the support point.
    pub dir: [f64; 3],
    pub id1: i32,
    pub id2: i32,
}

/// Two solids and the settings of their search.
pub struct Two<'a> {
    pub first: Solid<'a>,
    pub second: Solid<'a>,
    pub tolerance: f64,
    pub maxstep: usize,
    /// Distance beyond which the search stops; 0: only whether the solids touch.
    pub cutoff: f64,
    /// `cutoff` of the solids with their margins and radii.
    pub beyond: f64,
}

impl<'a> Two<'a> {
    pub fn new(m: &Model, first: Solid<'a>, second: Solid<'a>) -> Self {
        Self {
            first,
            second,
            tolerance: m.opt.ccd_tolerance,
            maxstep: (m.opt.ccd_iterations.max(0) as usize).min(MAXSTEP),
            cutoff: 0.0,
            beyond: 0.0,
        }
    }

    /// True if both are polyhedra without margin, or the points and segments of bare spheres and capsules: a search then ends after
    /// finitely many steps.
    pub fn discrete(&self) -> bool {
        let discrete = |solid: &Solid| {
            let kinds = [GeomType::Mesh, GeomType::Box, GeomType::Hfield];
            solid.margin == 0.0 && (kinds.contains(&solid.kind) || solid.bare && solid.is_round())
        };
        discrete(&self.first) && discrete(&self.second)
    }

    /// Support point of the difference in a unit direction.
    #[inline]
    pub fn vertex(&mut self, dir: [f64; 3]) -> Vertex {
        let back = scl3(dir, -1.0);
        let [mut on1, mut on2] = support_both(&mut self.first, &mut self.second, dir);
        if self.first.margin > 0.0 {
            on1 = add_scl3(on1, dir, 0.5 * self.first.margin);
        }
        if self.second.margin > 0.0 {
            on2 = add_scl3(on2, back, 0.5 * self.second.margin);
        }
        Vertex {
            diff: sub3(on1, on2),
            on1,
            on2,
            dir,
            id1: self.first.vertex,
            id2: self.second.vertex,
        }
    }
}

/// Result of a search.
#[derive(Clone, Copy, Default)]
pub struct Found {
    pub simplex: [Vertex; 4],
    pub num: usize,
    /// Distance; 0 where the solids touch, `FAR` where they are farther apart than `cutoff`.
    pub dist: f64,
    pub point1: [f64; 3],
    pub point2: [f64; 3],
    /// True if a separating plane is known.
    pub separated: bool,
    /// Unit normal of the last plane that was tried, toward the first solid. It separates solids that are apart, or nearly.
    pub normal: [f64; 3],
}

impl Found {
    /// Point midway between the two witness points.
    pub fn middle(&self) -> [f64; 3] {
        scl3(add3(self.point1, self.point2), 0.5)
    }

    /// Unit direction from the second point to the first: the contact normal of solids that penetrate.
    pub fn toward(&self) -> [f64; 3] {
        normalize3(sub3(self.point1, self.point2)).0
    }
}

impl Found {
    // of each vertex one point: the vertices themselves are large
    #[inline(always)]
    fn corners(&self, point: impl Fn(&Vertex) -> [f64; 3]) -> [[f64; 3]; 4] {
        let [a, b, c, d] = &self.simplex;
        [point(a), point(b), point(c), point(d)]
    }

    // drops the vertices with zero weight
    fn keep(&mut self, weights: &mut [f64; 4]) {
        self.num = 0;
        for i in 0..4 {
            if weights[i] != 0.0 {
                // a vertex that stays where it is is not stored: the next step reads it at once
                if self.num != i {
                    self.simplex[self.num] = self.simplex[i];
                    weights[self.num] = weights[i];
                }
                self.num += 1;
            }
        }
    }

    // the point nearest to the origin: its projection on the plane or line of the vertices, which are those next to it
    fn near_origin(&self, weights: &[f64; 4]) -> [f64; 3] {
        let p = self.corners(|v| v.diff);
        let projected = match self.num {
            2 => origin_on_line(p[0], p[1]),
            3 => origin_on_plane(p[0], p[1], p[2]),
            _ => None,
        };
        projected.unwrap_or_else(|| combine(&weights[..self.num], &p[..self.num]))
    }

    fn apart(&mut self) {
        self.separated = true;
        self.num = 0;
        self.dist = FAR;
    }
}

/// Distance of two solids, or the simplex from which EPA starts where they touch.
pub fn gjk(two: &mut Two, s: &mut Found) {
    let discrete = two.discrete();
    let epsilon = match discrete {
        true => 0.0,
        false => 0.5 * two.tolerance * two.tolerance,
    };
    let least = match discrete || two.cutoff > 0.0 {
        true => MINVAL,
        false => two.tolerance,
    };
    s.separated = false;
    s.num = 0;
    let mut x = sub3(s.point1, s.point2);
    let mut norm = norm3(x);
    let mut weights = [0.0; 4];

    // the difference of the centers only gives a first direction: it need not be a vertex of the Minkowski difference. Solids
    // with the same center start along x
    if norm < MINVAL {
        (x, norm) = ([1.0, 0.0, 0.0], 1.0);
    }
    for step in 0..two.maxstep {
        s.normal = scl3(x, 1.0 / norm);
        let vertex = two.vertex(scl3(s.normal, -1.0));
        let height = dot3(x, vertex.diff);

        // a plane separates them, or by more than the cutoff
        if height > 0.0 {
            if height >= two.cutoff * norm {
                s.apart();
                return;
            }
            s.separated = true;
        }
        if step > 0 && dot3(x, sub3(x, vertex.diff)) < epsilon {
            break;
        }

        // nearest point of the simplex
        s.simplex[s.num] = vertex;
        weights = nearest(s.corners(|v| v.diff), s.num + 1);
        s.keep(&mut weights);
        if s.num == 0 {
            s.apart();
            return;
        }
        if s.num == 4 {
            if !s.separated {
                norm = 0.0;
            }
            break;
        }
        let next = s.near_origin(&weights);
        let dist = norm3(next);
        let enough = dist < if s.num == 1 { MINVAL } else { least };
        let stuck = step > 0 && (dist - norm).abs() < MINVAL;
        (x, norm) = (next, dist);
        if enough || stuck {
            break;
        }
    }

    // witness points, and whether the plane across x separates the solids
    if s.num > 0 {
        s.point1 = combine(&weights[..s.num], &s.corners(|v| v.on1)[..s.num]);
        s.point2 = combine(&weights[..s.num], &s.corners(|v| v.on2)[..s.num]);
    }
    if s.num < 4 && !s.separated && norm >= MINVAL {
        s.separated = dot3(x, two.vertex(scl3(x, -(1.0 / norm))).diff) > 0.0;
    }
    s.dist = norm;
}

// weights of the point nearest to the origin of the simplex of the first points
fn nearest(p: [[f64; 3]; 4], num: usize) -> [f64; 4] {
    let mut weights = [0.0; 4];
    match num {
        1 => weights[0] = 1.0,
        2 => weights[..2].copy_from_slice(&on_segment(p[0], p[1])),
        3 => weights[..3].copy_from_slice(&on_triangle(p[0], p[1], p[2])),
        _ => weights = on_tetrahedron(p),
    }
    weights
}
