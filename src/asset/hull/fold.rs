//! Merging of two facets: their vertices, neighbours and ridges are united.

use super::build::{Build, Kind};
use super::plane::larger;
use super::store::{Ridge, Stop, put, take, take_in_order};

impl Build<'_> {
    /// Merges `f` into `g`. `range` is the lowest and the highest height of vertices of `f` over the plane of `g`, which stays.
    pub fn merge_facets(
        &mut self,
        f: u32,
        g: u32,
        kind: Kind,
        range: Option<(f64, f64)>,
    ) -> Result<(), Stop> {
        self.merges += 1;
        let (a, b) = (self.s.facet(f), self.s.facet(g));
        if f == g || a.visible || b.visible || self.s.num_facets - self.s.num_visible <= 4 {
            return Err(Stop::Tangled);
        }
        if let Some((low, high)) = range {
            let wide = larger(100.0 * self.round.onemerge, a.maxoutside);
            let wide = larger(wide, b.maxoutside);
            if high > wide || -low > wide {
                return Err(Stop::Tangled);
            }
        }
        self.s.know_vertex_neighbors();
        self.make_ridges(f);
        self.make_ridges(g);
        if let Some((low, high)) = range {
            self.max_outside = larger(self.max_outside, high);
            let wide = self.round.wide;
            let facet = self.s.facet_mut(g);
            facet.maxoutside = larger(facet.maxoutside, high);
            facet.keepcentrum |= high > wide || low < -wide;
        }
        self.s.facet_mut(g).newmerge = true;
        self.untest(f, g);
        if self.s.facet(f).vertices.len() == 3 {
            self.fold_triangle(f, g, kind == Kind::CoplanarHorizon)?;
        } else {
            self.fold(f, g)?;
        }
        self.s.move_to_end(g);
        let facet = self.s.facet_mut(g);
        (facet.newfacet, facet.tested) = (true, false);
        if kind != Kind::CoplanarHorizon {
            self.find_redundant_neighbors(g)?;
            self.find_degenerate_neighbors(f);
            self.find_redundant(g);
        }
        self.s.will_delete(f, g);
        Ok(())
    }

    /// Marks the edges of both facets to be tested again; the centre is computed anew, unless there are many vertices.
    fn untest(&mut self, f: u32, g: u32) {
        self.s.facet_mut(g).tested = false;
        for &r in &self.s.facets[f as usize].ridges {
            self.s.ridges[r as usize].tested = false;
        }
        let facet = self.s.facet_mut(g);
        if facet.center.is_none() {
            return;
        }
        let size = facet.vertices.len();
        if !facet.keepcentrum {
            facet.keepcentrum = size > 8;
        } else if size == 3 {
            facet.keepcentrum = false;
        }
        if !facet.keepcentrum {
            facet.center = None;
            for &r in &self.s.facets[g as usize].ridges {
                self.s.ridges[r as usize].tested = false;
            }
        }
    }

    /// Gives a facet with three corners ridges to all its neighbours, so that it can have more.
    pub fn make_ridges(&mut self, f: u32) {
        if !self.s.facet(f).simplicial {
            return;
        }
        self.s.facet_mut(f).simplicial = false;
        for i in 0..self.s.facet(f).neighbors.len() {
            let g = self.s.facet(f).neighbors[i];
            self.s.facet_mut(g).seen = false;
        }
        for i in 0..self.s.facet(f).ridges.len() {
            let g = self.s.ridge(self.s.facet(f).ridges[i]).other(f);
            self.s.facet_mut(g).seen = true;
        }
        for i in 0..self.s.facet(f).neighbors.len() {
            let facet = self.s.facet(f);
            let g = facet.neighbors[i];
            if self.s.facet(g).seen {
                continue;
            }
            let v = &facet.vertices;
            let vertices = match i {
                0 => [v[1], v[2]],
                1 => [v[0], v[2]],
                _ => [v[0], v[1]],
            };
            let (top, bottom) = if facet.toporient != (i % 2 == 1) {
                (f, g)
            } else {
                (g, f)
            };
            let r = self.s.new_ridge(Ridge {
                vertices,
                top,
                bottom,
                tested: facet.tested,
                nonconvex: false,
            });
            self.s.add_ridge(f, r);
            self.s.add_ridge(g, r);
        }
    }

    /// Removes a ridge between two facets.
    pub fn delete_ridge(&mut self, r: u32) {
        if self.s.ridge(r).nonconvex {
            self.copy_nonconvex(r);
        }
        let ridge = *self.s.ridge(r);
        for v in ridge.vertices {
            self.s.vertex_mut(v).delridge = true;
        }
        take(&mut self.s.facet_mut(ridge.top).ridges, r);
        take(&mut self.s.facet_mut(ridge.bottom).ridges, r);
        self.s.drop_ridge(r);
    }

    /// Marks another ridge between the same facets as not convex.
    pub fn copy_nonconvex(&mut self, r: u32) {
        let Ridge { top, bottom, .. } = *self.s.ridge(r);
        self.s.ridge_mut(r).nonconvex = false;
        let joins = |&&q: &&u32| {
            let ridge = self.s.ridge(q);
            q != r && (ridge.top == bottom || ridge.bottom == bottom)
        };
        if let Some(&q) = self.s.facet(top).ridges.iter().find(joins) {
            self.s.ridge_mut(q).nonconvex = true;
        }
    }

    /// Merges a facet with three corners; with `apex` its first vertex is the newest of the hull.
    fn fold_triangle(&mut self, f: u32, g: u32, apex: bool) -> Result<(), Stop> {
        let (opposite, is_new) = if apex {
            let v = self.s.facet(f).vertices[0];
            if !self.s.facet(g).newfacet {
                self.renew_vertices_of(g);
            }
            let first = self.s.facet(g).vertices.first() != Some(&v);
            if first {
                self.s.facet_mut(g).vertices.insert(0, v);
            }
            (v, first)
        } else {
            let v = self.opposite(f, g).ok_or(Stop::Tangled)?;
            let is_new = self.add_vertex(g, v);
            if !self.s.facet(g).newfacet {
                self.renew_vertices_of(g);
            } else {
                self.s.renew_vertices(&[v]);
            }
            (v, is_new)
        };
        for i in 0..self.s.facet(f).vertices.len() {
            let v = self.s.facet(f).vertices[i];
            if v == opposite && is_new {
                put(&mut self.s.vertex_mut(v).neighbors, f, g)?;
            } else {
                self.leave(v, f, g);
            }
        }
        self.fold_edges(f, g)
    }

    /// The vertex of a facet that is not on its ridge with another; those on it lose a ridge.
    fn opposite(&mut self, f: u32, g: u32) -> Option<u32> {
        let facet = self.s.facet(f);
        let mut ridges = facet.ridges.iter().map(|&r| *self.s.ridge(r));
        let between = ridges.find(|r| r.other(f) == g);
        let ends = between.map(|r| r.vertices);
        for v in ends.into_iter().flatten() {
            self.s.vertex_mut(v).delridge = true;
        }
        let on = |v: &u32| ends.is_some_and(|e| e.contains(v));
        let mut vertices = self.s.facet(f).vertices.iter().copied();
        vertices.find(|v| !on(v))
    }

    /// Ridges of a merged facet with three corners become those of the other.
    fn fold_edges(&mut self, f: u32, g: u32) -> Result<(), Stop> {
        self.s.visit += 1;
        let visit = self.s.visit;
        for i in 0..self.s.facet(g).neighbors.len() {
            let h = self.s.facet(g).neighbors[i];
            self.s.facet_mut(h).visit = visit;
        }
        let mut i = 0;
        while i < self.s.facet(f).ridges.len() {
            let r = self.s.facet(f).ridges[i];
            let h = self.s.ridge(r).other(f);
            if h == g {
                self.delete_ridge(r);
                take(&mut self.s.facet_mut(g).neighbors, f);
                continue;
            }
            i += 1;
            self.s.add_ridge(g, r);
            if self.s.facet(h).visit != visit {
                self.s.facet_mut(g).neighbors.push(h);
                put(&mut self.s.facet_mut(h).neighbors, f, g)?;
                self.s.facet_mut(h).visit = visit;
            } else {
                self.make_ridges(h);
                self.share_neighbor(h, f, g)?;
            }
            self.change_side(r, f, g);
        }
        Ok(())
    }

    /// Replaces both facets by the merged one in the list of a neighbour, once.
    fn share_neighbor(&mut self, h: u32, f: u32, g: u32) -> Result<(), Stop> {
        let neighbors = &mut self.s.facet_mut(h).neighbors;
        if neighbors.first() == Some(&f) {
            take(neighbors, g);
            put(neighbors, f, g)
        } else {
            take(neighbors, f);
            Ok(())
        }
    }

    fn change_side(&mut self, r: u32, f: u32, g: u32) {
        let ridge = self.s.ridge_mut(r);
        if ridge.top == f {
            ridge.top = g;
        } else {
            ridge.bottom = g;
        }
    }

    /// Merges a facet with more than three corners.
    fn fold(&mut self, f: u32, g: u32) -> Result<(), Stop> {
        self.s.vertex_visit += 1;
        let shared = self.s.vertex_visit;
        for &v in &self.s.facets[g as usize].vertices {
            self.s.vertices[v as usize].visit = shared;
        }
        self.fold_neighbors(f, g)?;
        self.fold_vertices(f, g);
        self.fold_ridges(f, g);
        for i in 0..self.s.facet(f).vertices.len() {
            let v = self.s.facet(f).vertices[i];
            if self.s.vertex(v).visit == shared {
                self.leave(v, f, g);
            } else {
                put(&mut self.s.vertex_mut(v).neighbors, f, g)?;
            }
        }
        if !self.s.facet(g).newfacet {
            self.renew_vertices_of(g);
        }
        Ok(())
    }

    fn fold_neighbors(&mut self, f: u32, g: u32) -> Result<(), Stop> {
        self.s.visit += 1;
        let visit = self.s.visit;
        for i in 0..self.s.facet(g).neighbors.len() {
            let h = self.s.facet(g).neighbors[i];
            self.s.facet_mut(h).visit = visit;
        }
        for i in 0..self.s.facet(f).neighbors.len() {
            let h = self.s.facet(f).neighbors[i];
            if self.s.facet(h).visit == visit {
                self.make_ridges(h);
                self.share_neighbor(h, f, g)?;
            } else if h != g {
                self.s.facet_mut(g).neighbors.push(h);
                put(&mut self.s.facet_mut(h).neighbors, f, g)?;
            }
        }
        take(&mut self.s.facet_mut(f).neighbors, g);
        take(&mut self.s.facet_mut(g).neighbors, f);
        Ok(())
    }

    /// The vertices of both, newest first.
    fn fold_vertices(&mut self, f: u32, g: u32) {
        let mine = std::mem::take(&mut self.s.facet_mut(g).vertices);
        let others = &self.s.facet(f).vertices;
        let mut all = Vec::with_capacity(mine.len() + others.len());
        let mut rest = mine.iter().copied().peekable();
        for &v in others {
            while let Some(w) = rest.next_if(|&w| w >= v) {
                all.push(w);
            }
            if all.last() != Some(&v) {
                all.push(v);
            }
        }
        all.extend(rest);
        self.s.facet_mut(g).vertices = all;
    }

    fn fold_ridges(&mut self, f: u32, g: u32) {
        let mut i = 0;
        while i < self.s.facet(g).ridges.len() {
            let r = self.s.facet(g).ridges[i];
            if self.s.ridge(r).other(g) == f {
                self.delete_ridge(r);
            } else {
                i += 1;
            }
        }
        for i in 0..self.s.facet(f).ridges.len() {
            let r = self.s.facet(f).ridges[i];
            self.change_side(r, f, g);
            self.s.add_ridge(g, r);
        }
    }

    /// Removes a merged facet from a vertex that the other facet has too; a vertex with a single facet is inside that facet.
    fn leave(&mut self, v: u32, f: u32, g: u32) {
        let neighbors = &mut self.s.vertex_mut(v).neighbors;
        take(neighbors, f);
        if neighbors.len() < 2 {
            take_in_order(&mut self.s.facet_mut(g).vertices, v);
            self.delete_vertex(v);
        }
    }

    /// Adds a vertex to a facet at its place, newest first, unless the facet has it already.
    fn add_vertex(&mut self, f: u32, v: u32) -> bool {
        let vertices = &mut self.s.facet_mut(f).vertices;
        let at = vertices.partition_point(|&w| w > v);
        let is_new = vertices.get(at) != Some(&v);
        if is_new {
            vertices.insert(at, v);
        }
        is_new
    }

    fn renew_vertices_of(&mut self, f: u32) {
        let vertices = std::mem::take(&mut self.s.facet_mut(f).vertices);
        self.s.renew_vertices(&vertices);
        self.s.facet_mut(f).vertices = vertices;
    }

    /// Notes a facet whose vertices a neighbour has all, or that has fewer than three neighbours.
    pub fn find_redundant(&mut self, f: u32) {
        let facet = self.s.facet(f);
        if facet.flipped {
            return;
        }
        let covers = |&&g: &&u32| {
            let other = self.s.facet(g);
            !other.flipped && facet.vertices.iter().all(|v| other.vertices.contains(v))
        };
        if let Some(&g) = facet.neighbors.iter().find(covers) {
            self.note(f, g, Kind::Redundant, 0.0);
        } else if facet.neighbors.len() < 3 {
            self.note(f, f, Kind::Degenerate, 0.0);
        }
    }

    /// Notes neighbours all of whose vertices a facet has.
    pub fn find_redundant_neighbors(&mut self, f: u32) -> Result<(), Stop> {
        if self.s.facet(f).neighbors.len() < 3 {
            self.note(f, f, Kind::Degenerate, 0.0);
            return Ok(());
        }
        self.s.vertex_visit += 1;
        let visit = self.s.vertex_visit;
        for &v in &self.s.facets[f as usize].vertices {
            self.s.vertices[v as usize].visit = visit;
        }
        for i in 0..self.s.facet(f).neighbors.len() {
            let g = self.s.facet(f).neighbors[i];
            let (facet, other) = (self.s.facet(f), self.s.facet(g));
            if other.visible {
                return Err(Stop::Tangled);
            }
            let leave = other.degenerate || other.redundant;
            if leave || facet.flipped && !other.flipped {
                continue;
            }
            let mut vertices = other.vertices.iter();
            if vertices.all(|&v| self.s.vertex(v).visit == visit) {
                self.note(g, f, Kind::Redundant, 0.0);
            }
        }
        Ok(())
    }

    /// Notes neighbours that have fewer than three neighbours.
    fn find_degenerate_neighbors(&mut self, f: u32) {
        for i in 0..self.s.facet(f).neighbors.len() {
            let g = self.s.facet(f).neighbors[i];
            let other = self.s.facet(g);
            if !other.degenerate && !other.redundant && other.neighbors.len() < 3 {
                self.note(g, g, Kind::Degenerate, 0.0);
            }
        }
    }
}
