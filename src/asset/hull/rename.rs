//! Removal of vertices that no edge needs after merges: at least three facets must meet at a corner.

use super::build::Build;
use super::store::{Stop, TAIL, take, take_in_order};

impl Build<'_> {
    /// Removes vertices without ridges, and those between two facets; true if facets were merged for that.
    pub fn reduce_vertices(&mut self) -> Result<bool, Stop> {
        let mut merged = self.merge_degenerate()?;
        'restart: loop {
            let mut f = self.s.newfacet_list;
            while f != TAIL {
                if self.s.facet(f).newmerge && self.drop_vertices(f) {
                    self.find_redundant(f);
                    if self.merge_degenerate()? {
                        merged = true;
                        continue 'restart;
                    }
                }
                f = self.s.facet(f).next;
            }
            let mut f = self.s.newfacet_list;
            while f != TAIL {
                if std::mem::take(&mut self.s.facet_mut(f).newmerge) {
                    let mut i = 0;
                    while i < self.s.facet(f).vertices.len() {
                        let v = self.s.facet(f).vertices[i];
                        if !self.s.vertex(v).delridge || !self.rename_shared(v, f)? {
                            i += 1;
                        } else if self.merge_degenerate()? {
                            merged = true;
                            continue 'restart;
                        }
                    }
                }
                f = self.s.facet(f).next;
            }
            let mut v = self.s.newvertex_list;
            while v != TAIL {
                let vertex = self.s.vertex_mut(v);
                if !vertex.deleted {
                    vertex.delridge = false;
                }
                v = vertex.next;
            }
            return Ok(merged);
        }
    }

    /// Removes the vertices of a facet that are on none of its ridges.
    fn drop_vertices(&mut self, f: u32) -> bool {
        if self.s.facet(f).simplicial {
            return false;
        }
        for &v in &self.s.facets[f as usize].vertices {
            self.s.vertices[v as usize].seen = false;
        }
        for &r in &self.s.facets[f as usize].ridges {
            for v in self.s.ridges[r as usize].vertices {
                self.s.vertices[v as usize].seen = true;
            }
        }
        let vertices = &self.s.facet(f).vertices;
        let lost = vertices.iter().copied().filter(|&v| !self.s.vertex(v).seen);
        let lost: Vec<u32> = lost.collect();
        for &v in &lost {
            take_in_order(&mut self.s.facet_mut(f).vertices, v);
            take(&mut self.s.vertex_mut(v).neighbors, f);
            if self.s.vertex(v).neighbors.is_empty() {
                self.delete_vertex(v);
            }
        }
        !lost.is_empty()
    }

    /// Renames a vertex that only two facets share: it lies between two others on a straight edge, and its ridges go to one of these.
    fn rename_shared(&mut self, v: u32, f: u32) -> Result<bool, Stop> {
        let [a, b] = self.s.vertex(v).neighbors[..] else {
            return Ok(false);
        };
        let g = if a == f { b } else { a };
        self.s.visit += 1;
        let visit = self.s.visit;
        self.s.facet_mut(g).visit = visit;
        let mut ridges = Vec::new();
        self.ridges_of(v, f, visit, &mut ridges);
        let other = &self.s.facet(g).vertices;
        let shared = self.s.facet(f).vertices.iter().copied();
        let mut shared: Vec<u32> = shared.filter(|v| other.contains(v)).collect();
        take(&mut shared, v);
        let Some(w) = self.find_new_vertex(v, shared, &ridges) else {
            return Ok(false);
        };
        for &r in &ridges {
            if self.rename_in_ridge(r, v, w) && self.is_double(r, w) {
                return Err(Stop::Tangled);
            }
        }
        let around = self.s.vertex(v).neighbors.clone();
        if around.len() != 2 {
            return Err(Stop::Tangled);
        }
        for g in around {
            take_in_order(&mut self.s.facet_mut(g).vertices, v);
            self.find_redundant(g);
        }
        self.delete_vertex(v);
        self.find_redundant(f);
        Ok(true)
    }

    /// Collects the ridges at a vertex between a facet and others that are marked by this visit.
    fn ridges_of(&mut self, v: u32, f: u32, visit: u32, found: &mut Vec<u32>) {
        for &r in &self.s.facet(f).ridges {
            let ridge = self.s.ridge(r);
            let g = ridge.other(f);
            if self.s.facet(g).visit == visit && ridge.vertices.contains(&v) {
                found.push(r);
            }
        }
        self.s.facet_mut(f).visit = visit - 1;
    }

    /// The vertex that can take over a vertex's ridges without duplicating one; those on fewest of the ridges first.
    fn find_new_vertex(&mut self, old: u32, shared: Vec<u32>, ridges: &[u32]) -> Option<u32> {
        let ends = ridges.iter().flat_map(|&r| self.s.ridge(r).vertices);
        let ends: Vec<u32> = ends.collect();
        let uses = |v: u32| ends.iter().filter(|&&w| w == v).count();
        let mut vertices = shared;
        let mut i = 0;
        while i < vertices.len() {
            if uses(vertices[i]) == 0 {
                vertices.swap_remove(i);
            } else {
                i += 1;
            }
        }
        vertices.sort_by_key(|&v| uses(v));
        vertices.into_iter().find(|&v| {
            let mut others = self.ridges_around(v).into_iter();
            !others.any(|q| {
                let far = self.s.ridge(q).far(v);
                let mut mine = ridges.iter().filter(|&&r| r != q);
                mine.any(|&r| self.s.ridge(r).far(old) == far)
            })
        })
    }

    /// The ridges at a vertex.
    fn ridges_around(&mut self, v: u32) -> Vec<u32> {
        self.s.visit += 2;
        let visit = self.s.visit;
        let neighbors = self.s.vertex(v).neighbors.clone();
        for &f in &neighbors {
            self.s.facet_mut(f).visit = visit;
        }
        let mut ridges = Vec::new();
        if let Some((_, rest)) = neighbors.split_last() {
            for &f in rest {
                self.ridges_of(v, f, visit, &mut ridges);
            }
        }
        ridges
    }

    /// Replaces a vertex at the end of a ridge; a ridge that already has the other one is deleted.
    fn rename_in_ridge(&mut self, r: u32, old: u32, new: u32) -> bool {
        let ridge = *self.s.ridge(r);
        let far = ridge.far(old);
        if far == new {
            self.delete_ridge(r);
            return false;
        }
        let before = usize::from(ridge.vertices[1] == old);
        let after = usize::from(far > new);
        let ridge = self.s.ridge_mut(r);
        ridge.vertices = if after == 0 { [new, far] } else { [far, new] };
        if before != after {
            std::mem::swap(&mut ridge.top, &mut ridge.bottom);
        }
        true
    }

    /// Whether one of the facets of a ridge has another with the same ends.
    fn is_double(&self, r: u32, new: u32) -> bool {
        let ridge = self.s.ridge(r);
        let sides = [ridge.top, ridge.bottom];
        let vanishing = |f: u32| {
            let facet = self.s.facet(f);
            let size = facet.vertices.len();
            size < 3 || size == 3 && !facet.simplicial && facet.vertices.contains(&new)
        };
        if sides.into_iter().any(vanishing) {
            return false;
        }
        sides.into_iter().any(|f| {
            let mut ridges = self.s.facet(f).ridges.iter();
            ridges.any(|&q| q != r && self.s.ridge(q).vertices == ridge.vertices)
        })
    }
}
