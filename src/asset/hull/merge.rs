//! Merging of new facets with neighbours that lie in the same plane, or where rounding bent the surface inwards.

use super::build::{Build, Kind, Merge};
use super::plane::larger;
use super::store::{NONE, Stop, TAIL, take};

impl Build<'_> {
    /// Merges new facets until all are clearly convex.
    pub fn merge_new(&mut self) -> Result<(), Stop> {
        if self.clearly_convex() {
            return Ok(());
        }
        let mut merged = self.merge_into_horizon()?;
        merged |= self.merge_flipped()?;
        self.first_merges();
        self.merge_all(merged)
    }

    /// Whether all edges between new facets, and those to the horizon, are convex without a doubt.
    fn clearly_convex(&mut self) -> bool {
        let ready = |f: u32| {
            let facet = self.s.facet(f);
            self.s.facet(facet.neighbors[0]).simplicial && !facet.flipped && facet.flat
        };
        let below = -2.0 * self.round.dist;
        let convex = |f: u32| {
            let facet = self.s.facet(f);
            let mut across = (1..3).map(|i| (facet.vertices[i], facet.neighbors[i]));
            if across.any(|(v, g)| self.dist(self.place(v), g) >= below) {
                return false;
            }
            let horizon = self.s.facet(facet.neighbors[0]);
            let mut corners = horizon.vertices.iter();
            let far = corners.find(|v| !facet.vertices[1..].contains(v));
            far.is_none_or(|&v| self.dist(self.place(v), f) < below)
        };
        let first = self.s.newfacet_list;
        self.s.facets_from(first).all(ready) && self.s.facets_from(first).all(convex)
    }

    /// Merges new facets in the plane of a facet of the horizon into that one.
    fn merge_into_horizon(&mut self) -> Result<bool, Stop> {
        let mut merged = false;
        let mut f = self.s.newfacet_list;
        while f != TAIL {
            let next = self.s.facet(f).next;
            if !self.s.facet(f).flat {
                let facet = self.s.facet(f);
                let horizon = facet.neighbors[0];
                for i in 1..facet.vertices.len() {
                    let v = self.s.facet(f).vertices[i];
                    self.s.vertex_mut(v).delridge = true;
                }
                self.merge_facets(f, horizon, Kind::CoplanarHorizon, None)?;
                merged = true;
            }
            f = next;
        }
        if merged {
            let mut f = self.s.newfacet_list;
            while f != TAIL {
                if self.s.facet(f).coplanarhorizon {
                    self.find_redundant_neighbors(f)?;
                    self.s.facet_mut(f).coplanarhorizon = false;
                }
                f = self.s.facet(f).next;
            }
            self.merge_degenerate()?;
        }
        Ok(merged)
    }

    /// Merges facets that rounding turned inwards.
    fn merge_flipped(&mut self) -> Result<bool, Stop> {
        let mut flipped = Vec::new();
        for f in self.s.facets_from(self.s.newfacet_list) {
            let facet = self.s.facet(f);
            if facet.flipped && !facet.visible && !facet.redundant {
                flipped.push(f);
            }
        }
        let mut merged = false;
        for &f in &flipped {
            if !self.s.facet(f).visible {
                let (g, _, range) = self.nearest_neighbor(f)?;
                self.merge_facets(f, g, Kind::Flip, Some(range))?;
                merged = true;
            }
        }
        if flipped.iter().any(|&f| !self.s.facet(f).visible) {
            return Err(Stop::Tangled);
        }
        self.merge_degenerate()?;
        Ok(merged)
    }

    /// Tests all edges of the new facets.
    fn first_merges(&mut self) {
        self.s.visit += 1;
        let visit = self.s.visit;
        let mut f = self.s.newfacet_list;
        while f != TAIL {
            self.s.facet_mut(f).visit = visit;
            for i in 0..self.s.facet(f).neighbors.len() {
                let g = self.s.facet(f).neighbors[i];
                if self.s.facet(g).visit == visit || !self.test_edge(f, g) {
                    continue;
                }
                let mut ridges = self.s.facet(g).ridges.iter();
                if let Some(&r) = ridges.find(|&&r| self.s.ridge(r).other(g) == f) {
                    self.s.ridge_mut(r).nonconvex = true;
                }
            }
            self.s.facet_mut(f).tested = true;
            for &r in &self.s.facets[f as usize].ridges {
                self.s.ridges[r as usize].tested = true;
            }
            f = self.s.facet(f).next;
        }
        self.sort_merges();
    }

    /// Tests the edges that merges changed.
    fn more_merges(&mut self) {
        self.s.visit += 1;
        let visit = self.s.visit;
        let mut f = self.s.newfacet_list;
        while f != TAIL {
            let next = self.s.facet(f).next;
            if !self.s.facet(f).tested {
                self.test_ridges(f, visit);
                self.s.facet_mut(f).tested = true;
            }
            f = next;
        }
        self.sort_merges();
    }

    fn test_ridges(&mut self, f: u32, visit: u32) {
        self.s.facet_mut(f).visit = visit;
        for i in 0..self.s.facet(f).neighbors.len() {
            let g = self.s.facet(f).neighbors[i];
            self.s.facet_mut(g).seen = false;
        }
        for i in 0..self.s.facet(f).ridges.len() {
            let r = self.s.facet(f).ridges[i];
            let ridge = *self.s.ridge(r);
            if ridge.tested && !ridge.nonconvex {
                continue;
            }
            let g = ridge.other(f);
            if self.s.facet(g).seen {
                let ridge = self.s.ridge_mut(r);
                (ridge.tested, ridge.nonconvex) = (true, false);
            } else if self.s.facet(g).visit != visit {
                self.s.facet_mut(g).seen = true;
                let nonconvex = self.test_edge(f, g);
                let ridge = self.s.ridge_mut(r);
                (ridge.tested, ridge.nonconvex) = (true, nonconvex);
            }
        }
    }

    /// Sorts merges: the least kind comes last, of these the least distance, of equals the last found.
    fn sort_merges(&mut self) {
        self.facet_merges.sort_by(|a, b| {
            let farther = b.dist.total_cmp(&a.dist);
            b.kind.cmp(&a.kind).then(farther)
        });
    }

    /// Notes a merge of two neighbours unless their centres lie clearly below each other's planes.
    fn test_edge(&mut self, f: u32, g: u32) -> bool {
        let r = 2.0 * self.round.dist;
        let a = self.center(f);
        let a = self.dist(a, g);
        let b = self.center(g);
        let b = self.dist(b, f);
        let concave = a > r || b > r;
        let coplanar = [a, b].iter().any(|x| (-r..=r).contains(x));
        if concave && coplanar {
            if a > b {
                self.note(f, g, Kind::ConcaveCoplanar, a);
            } else {
                self.note(g, f, Kind::ConcaveCoplanar, b);
            }
        } else if concave {
            self.note(f, g, Kind::Concave, larger(a, b));
        } else if coplanar {
            let (a, b) = (a.abs(), b.abs());
            self.note(f, g, Kind::Coplanar, if a < b { a } else { b });
        }
        concave || coplanar
    }

    /// Notes a merge, unless one of the two facets will vanish anyway.
    pub fn note(&mut self, facet: u32, other: u32, kind: Kind, dist: f64) {
        let merge = Merge {
            kind,
            facet,
            other,
            dist,
        };
        if self.s.facet(facet).redundant || self.s.facet(other).redundant {
            return;
        }
        let f = self.s.facet_mut(facet);
        match kind {
            Kind::Degenerate if f.degenerate => {}
            Kind::Degenerate => {
                f.degenerate = true;
                let last = self.degen_merges.last();
                if last.is_none_or(|m| m.kind == Kind::Degenerate) {
                    self.degen_merges.push(merge);
                } else {
                    self.degen_merges.insert(0, merge);
                }
            }
            Kind::Redundant => {
                f.redundant = true;
                self.degen_merges.push(merge);
            }
            _ => self.facet_merges.push(merge),
        }
    }

    /// Does all merges, the least first, and those that follow from them.
    fn merge_all(&mut self, mut other: bool) -> Result<(), Stop> {
        loop {
            let mut merged = false;
            while !self.facet_merges.is_empty() || !self.degen_merges.is_empty() {
                if !self.degen_merges.is_empty() {
                    self.merge_degenerate()?;
                    merged = true;
                }
                while let Some(m) = self.facet_merges.pop() {
                    let (a, b) = (self.s.facet(m.facet), self.s.facet(m.other));
                    if a.visible || b.visible {
                        continue;
                    }
                    let changed = !a.tested && a.newfacet || !b.tested && b.newfacet;
                    if m.kind == Kind::Coplanar && changed {
                        continue;
                    }
                    self.merge_pair(m)?;
                    self.merge_degenerate()?;
                    merged = true;
                }
                self.more_merges();
            }
            let reduce = self.s.vertexneighbors && (merged || other);
            other = false;
            if reduce && self.reduce_vertices()? {
                self.more_merges();
                continue;
            }
            return Ok(());
        }
    }

    /// Merges one of two facets into the neighbour nearest to it, choosing the facet that is nearer to its neighbour.
    fn merge_pair(&mut self, m: Merge) -> Result<(), Stop> {
        let (mut f, mut g) = (m.facet, m.other);
        if !self.s.facet(f).newfacet {
            (f, g) = (g, f);
        }
        let (near_f, dist_f, range_f) = self.nearest_neighbor(f)?;
        let (near_g, dist_g, range_g) = self.nearest_neighbor(g)?;
        if dist_f < dist_g {
            self.merge_facets(f, near_f, m.kind, Some(range_f))
        } else {
            self.merge_facets(g, near_g, m.kind, Some(range_g))
        }
    }

    /// The neighbour whose plane a facet's vertices are nearest to, with the largest distance, the lowest and the highest height.
    pub fn nearest_neighbor(&mut self, f: u32) -> Result<(u32, f64, (f64, f64)), Stop> {
        let size = self.s.facet(f).vertices.len();
        let by_center = size > 26;
        if by_center {
            self.center(f);
        }
        let mut best = (NONE, f64::MAX, (0.0, 0.0));
        if size > 18 {
            for i in 0..self.s.facet(f).ridges.len() {
                let ridge = *self.s.ridge(self.s.facet(f).ridges[i]);
                if ridge.nonconvex {
                    self.test_neighbor(f, ridge.other(f), by_center, &mut best);
                }
            }
        }
        if best.0 == NONE {
            for i in 0..self.s.facet(f).neighbors.len() {
                let g = self.s.facet(f).neighbors[i];
                self.test_neighbor(f, g, by_center, &mut best);
            }
        }
        if best.0 == NONE {
            return Err(Stop::Tangled);
        }
        if by_center {
            best.2 = self.distance(f, best.0).1;
        }
        Ok(best)
    }

    fn test_neighbor(
        &mut self,
        f: u32,
        g: u32,
        by_center: bool,
        best: &mut (u32, f64, (f64, f64)),
    ) {
        let flipped = |f: u32| self.s.facet(f).flipped;
        if flipped(f) && flipped(g) && best.0 != NONE && !flipped(best.0) {
            return;
        }
        let (dist, range) = if by_center {
            let center = self.center(f);
            let dist = 3.0 * self.dist(center, g);
            (dist.abs(), (0.0, 0.0))
        } else {
            self.distance(f, g)
        };
        if dist < best.1 {
            *best = (g, dist, range);
        }
    }

    /// Heights of a facet's vertices over the plane of another: the largest distance, the lowest and the highest height.
    fn distance(&mut self, f: u32, g: u32) -> (f64, (f64, f64)) {
        for (f, seen) in [(f, false), (g, true)] {
            for &v in &self.s.facets[f as usize].vertices {
                self.s.vertices[v as usize].seen = seen;
            }
        }
        let (mut low, mut high) = (0.0, 0.0);
        for &v in &self.s.facet(f).vertices {
            if !self.s.vertex(v).seen {
                let dist = self.dist(self.place(v), g);
                if dist < low {
                    low = dist;
                } else if dist > high {
                    high = dist;
                }
            }
        }
        let far = if high > -low { high } else { -low };
        (far, (low, high))
    }

    /// Merges facets all of whose vertices belong to a neighbour, and those with fewer than three neighbours.
    pub fn merge_degenerate(&mut self) -> Result<bool, Stop> {
        let mut merged = false;
        while let Some(m) = self.degen_merges.pop() {
            let f = m.facet;
            if self.s.facet(f).visible {
                continue;
            }
            let facet = self.s.facet_mut(f);
            (facet.degenerate, facet.redundant) = (false, false);
            let size = facet.neighbors.len();
            if m.kind == Kind::Redundant {
                let g = self.s.replacement(m.other).ok_or(Stop::Tangled)?;
                if g == f {
                    continue;
                }
                self.merge_facets(f, g, m.kind, None)?;
                merged = true;
            } else if size == 0 {
                self.s.will_delete(f, NONE);
                for i in 0..self.s.facet(f).vertices.len() {
                    let v = self.s.facet(f).vertices[i];
                    take(&mut self.s.vertex_mut(v).neighbors, f);
                    if self.s.vertex(v).neighbors.is_empty() {
                        self.delete_vertex(v);
                    }
                }
                merged = true;
            } else if size < 3 {
                let (g, _, range) = self.nearest_neighbor(f)?;
                self.merge_facets(f, g, m.kind, Some(range))?;
                merged = true;
            }
        }
        Ok(merged)
    }

    /// Deletes a vertex together with the visible facets.
    pub fn delete_vertex(&mut self, v: u32) {
        self.s.vertex_mut(v).deleted = true;
        self.deleted.push(v);
    }
}
