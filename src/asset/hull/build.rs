//! The hull as it grows: from a tetrahedron, by the highest point above a facet, one at a time.

use super::super::vec3::V3;
use super::plane::{Roundoff, cosine, height, larger};
use super::store::{NONE, Stop, Store, TAIL};

/// Two facets to be merged, and the reason.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Merge {
    pub kind: Kind,
    pub facet: u32,
    pub other: u32,
    pub dist: f64,
}

/// Kinds of merges; the lesser is done first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Coplanar,
    Concave,
    ConcaveCoplanar,
    Flip,
    Degenerate,
    Redundant,
    CoplanarHorizon,
}

/// A hull under construction.
#[derive(Debug)]
pub(super) struct Build<'a> {
    pub points: &'a [V3],
    pub round: Roundoff,
    pub s: Store,
    /// A point inside the first tetrahedron.
    pub interior: V3,
    /// Height of the highest point that was left out below a facet.
    pub max_outside: f64,
    /// Height above which a point that was left out is checked again.
    pub maxoutside_now: f64,
    /// Whether the first tetrahedron is thin; points just below facets then count as outside.
    pub narrow: bool,
    /// Always process the highest point of all.
    pub pick_furthest: bool,
    pub merges: usize,
    pub facet_merges: Vec<Merge>,
    pub degen_merges: Vec<Merge>,
    pub deleted: Vec<u32>,
    pub find_among_new: bool,
    pub find_not_sharp: bool,
    pub again: u32,
    pub stack: Vec<u32>,
}

impl<'a> Build<'a> {
    /// The hull of all points, or with `maxvert` corners of the points that come first.
    ///
    /// Facets may have more than three corners.
    pub fn run(points: &'a [V3], maxvert: Option<usize>) -> Result<Self, Stop> {
        let round = Roundoff::new(points);
        let mut build = Build {
            points,
            s: Store::new(),
            interior: [0.0; 3],
            max_outside: 0.0,
            maxoutside_now: 0.0,
            narrow: false,
            pick_furthest: maxvert.is_some(),
            merges: 0,
            facet_merges: Vec::new(),
            degen_merges: Vec::new(),
            deleted: Vec::new(),
            find_among_new: false,
            find_not_sharp: false,
            again: NONE,
            stack: Vec::new(),
            round,
        };
        build.detect_max_outside();
        build.first_hull()?;
        build.share_out_all()?;
        build.s.reset_lists(true);
        build.s.facet_next = build.s.facet_list;
        build.furthest_first();
        build.s.facet_next = build.s.facet_list;
        while let Some((point, facet)) = build.next_furthest() {
            if maxvert.is_some_and(|n| build.s.num_vertices >= n.max(4)) {
                break;
            }
            build.add_point(point, facet)?;
        }
        Ok(build)
    }

    pub fn point(&self, p: u32) -> V3 {
        self.points[p as usize]
    }

    pub fn place(&self, v: u32) -> V3 {
        self.point(self.s.vertex(v).point)
    }

    /// Height of a point above a facet.
    pub fn dist(&self, p: V3, f: u32) -> f64 {
        let facet = self.s.facet(f);
        height(p, facet.normal, facet.offset)
    }

    fn detect_max_outside(&mut self) {
        let r = &self.round;
        let least = larger(self.max_outside, r.onemerge + r.dist);
        self.maxoutside_now = larger(least, r.outside);
    }

    /// The first tetrahedron.
    fn first_hull(&mut self) -> Result<(), Stop> {
        let simplex = self.round.simplex(self.points)?;
        let mut vertices: Vec<u32> = simplex.iter().map(|&p| self.s.new_vertex(p)).collect();
        vertices.reverse();
        let mut facets = Vec::new();
        for (i, &v) in vertices.iter().enumerate() {
            let f = self.new_facet();
            let facet = self.s.facet_mut(f);
            facet.vertices.extend(&vertices);
            facet.vertices.remove(i);
            facet.toporient = i % 2 == 0;
            self.s.append_facet(f);
            self.s.append_vertex(v);
            facets.push(f);
        }
        for (i, &f) in facets.iter().enumerate() {
            let neighbors = &mut self.s.facet_mut(f).neighbors;
            neighbors.extend(&facets);
            neighbors.remove(i);
        }
        self.s.reset_lists(true);
        self.s.facet_next = self.s.facet_list;
        self.interior = self.mean(&vertices);
        self.orient(&facets)?;
        self.check_first(&facets)
    }

    /// Planes of the first facets, all facing outwards.
    fn orient(&mut self, facets: &[u32]) -> Result<(), Stop> {
        let first = facets[0];
        self.set_plane(first);
        self.s.facet_mut(first).flipped = false;
        if self.dist(self.interior, first) > self.round.dist {
            for &f in facets {
                self.s.facet_mut(f).toporient ^= true;
            }
            self.set_plane(first);
        }
        for &f in &facets[1..] {
            self.set_plane(f);
        }
        for &f in facets {
            self.s.facet_mut(f).flipped = false;
            if self.dist(self.interior, f) > self.round.dist {
                for &g in facets {
                    let facet = self.s.facet_mut(g);
                    facet.flipped = false;
                    facet.toporient ^= true;
                    self.turn_outwards(g);
                }
                break;
            }
        }
        Ok(())
    }

    /// Refuses a flat tetrahedron, and sets whether it is a thin one.
    fn check_first(&mut self, facets: &[u32]) -> Result<(), Stop> {
        let mut least = f64::MAX;
        for &f in facets {
            if !self.faces_outwards(f) {
                return Err(Stop::Flat);
            }
            let facet = self.s.facet(f);
            for (&g, &v) in facet.neighbors.iter().zip(&facet.vertices) {
                let angle = cosine(facet.normal, self.s.facet(g).normal);
                if least > angle {
                    least = angle;
                }
                if self.dist(self.place(v), g) >= -self.round.dist {
                    return Err(Stop::Flat);
                }
            }
        }
        self.narrow = least < -0.99999999;
        Ok(())
    }

    pub fn new_facet(&mut self) -> u32 {
        let f = self.s.new_facet();
        self.s.facet_mut(f).maxoutside = self.round.dist;
        f
    }

    /// Mean of vertices.
    fn mean(&self, vertices: &[u32]) -> V3 {
        let count = vertices.len() as f64;
        std::array::from_fn(|k| {
            let sum = vertices.iter().fold(0.0, |sum, &v| sum + self.place(v)[k]);
            sum / count
        })
    }

    /// Mean of the vertices of a facet, projected onto its plane; computed once.
    pub fn center(&mut self, f: u32) -> V3 {
        if let Some(center) = self.s.facet(f).center {
            return center;
        }
        let facet = self.s.facet(f);
        let mean = self.mean(&facet.vertices);
        let dist = self.dist(mean, f);
        let n = facet.normal;
        let center = std::array::from_fn(|k| mean[k] - dist * n[k]);
        self.s.facet_mut(f).center = Some(center);
        center
    }

    /// The plane of a facet with three corners.
    pub fn set_plane(&mut self, f: u32) {
        let facet = self.s.facet(f);
        let p: [u32; 3] = std::array::from_fn(|i| self.s.vertex(facet.vertices[i]).point);
        let same = p.map(|q| q == p[0]);
        let at = p.map(|q| self.point(q));
        let (normal, offset, unsure) = self.round.plane(at, same, facet.toporient);
        let facet = self.s.facet_mut(f);
        (facet.normal, facet.offset, facet.flat) = (normal, offset, true);
        if unsure {
            self.turn_outwards(f);
        }
        self.faces_outwards(f);
    }

    fn turn_outwards(&mut self, f: u32) {
        if self.dist(self.interior, f) > 0.0 {
            let facet = self.s.facet_mut(f);
            facet.normal = facet.normal.map(|x| -x);
            facet.offset = -facet.offset;
        }
    }

    /// Whether the interior point lies clearly below a facet; marks the facet if not.
    fn faces_outwards(&mut self, f: u32) -> bool {
        if !self.s.facet(f).flipped && self.dist(self.interior, f) >= -self.round.dist {
            self.s.facet_mut(f).flipped = true;
        }
        !self.s.facet(f).flipped
    }

    /// Moves the facet with the highest point of all to the front of the queue.
    fn furthest_first(&mut self) {
        let mut best = (NONE, -f64::MAX);
        for f in self.s.facets_from(self.s.facet_list) {
            let facet = self.s.facet(f);
            if !facet.outside.is_empty() && facet.furthest > best.1 {
                best = (f, facet.furthest);
            }
        }
        if best.0 != NONE {
            self.s.remove_facet(best.0);
            self.s.prepend_next(best.0);
        }
    }

    /// The next point to be added, and a facet that it is above.
    fn next_furthest(&mut self) -> Option<(u32, u32)> {
        loop {
            let f = self.s.facet_next;
            if f == TAIL {
                return None;
            }
            let facet = self.s.facet(f);
            if facet.outside.is_empty() || self.narrow && facet.furthest < self.round.outside {
                self.s.facet_next = facet.next;
                continue;
            }
            if self.pick_furthest {
                self.furthest_first();
            }
            let f = self.s.facet_next;
            let point = self.s.facet_mut(f).outside.pop()?;
            return Some((point, f));
        }
    }

    /// Adds a point to the hull.
    fn add_point(&mut self, point: u32, facet: u32) -> Result<(), Stop> {
        self.detect_max_outside();
        self.find_horizon(point, facet)?;
        self.make_cone(point)?;
        self.find_among_new = false;
        self.merge_new()?;
        self.find_among_new = self.many_merges() || {
            let mut new = self.s.facets_from(self.s.newfacet_list);
            new.any(|f| !self.s.facet(f).simplicial)
        };
        self.share_out_visible()?;
        self.find_among_new = false;
        self.find_not_sharp = false;
        self.delete_visible();
        self.s.reset_lists(true);
        Ok(())
    }

    /// Whether searches go over all new facets, since merges have made the surface uneven.
    pub fn many_merges(&self) -> bool {
        self.merges > 50
    }

    fn delete_visible(&mut self) {
        let mut f = self.s.visible_list;
        while f != NONE && f != TAIL && self.s.facet(f).visible {
            let next = self.s.facet(f).next;
            self.s.delete_facet(f);
            f = next;
        }
        self.s.num_visible = 0;
        for i in 0..self.deleted.len() {
            self.s.remove_vertex(self.deleted[i]);
        }
        self.deleted.clear();
    }
}
