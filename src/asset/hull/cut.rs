//! Facets with more than three corners are cut into triangles from their newest corner, and the hull is listed.

use super::build::Build;
use super::store::{NONE, Stop, TAIL, put};

/// A hull as qhull would list it.
#[derive(Debug)]
pub(super) struct Listed {
    /// Points at the corners, in the order of the list of vertices.
    pub corner: Vec<u32>,
    /// For each corner its neighbours, as points, in the order of the facets around it; each list ends with `NONE`.
    pub around: Vec<u32>,
    /// Triangles, counter-clockwise from outside, in the order of the list of facets.
    pub face: Vec<[u32; 3]>,
}

impl Build<'_> {
    /// Cuts the facets into triangles.
    pub fn triangulate(&mut self) -> Result<(), Stop> {
        self.s.visit += 1;
        self.s.newvertex_list = TAIL;
        let (mut first, mut first_vertex) = (NONE, NONE);
        let mut f = self.s.facet_list;
        while f != TAIL {
            let next = self.s.facet(f).next;
            if !self.s.facet(f).visible && !self.s.facet(f).simplicial {
                if first == NONE {
                    first = f;
                }
                self.cut(f)?;
                if first_vertex == NONE {
                    first_vertex = self.s.newvertex_list;
                }
                self.s.newvertex_list = NONE;
                self.s.visible_list = NONE;
                self.tell_vertices();
                self.s.reset_lists(false);
            }
            f = next;
        }
        if first != NONE {
            self.drop_folded(first)?;
            self.forget_cut(first_vertex);
        }
        Ok(())
    }

    /// Triangles from the newest corner to each ridge. Those to the two ridges at the corner itself have no area.
    fn cut(&mut self, f: u32) -> Result<(), Stop> {
        for i in 0..self.s.facet(f).neighbors.len() {
            let g = self.s.facet(f).neighbors[i];
            let facet = self.s.facet_mut(g);
            (facet.seen, facet.coplanarhorizon) = (false, false);
        }
        self.s.visible_list = TAIL;
        self.s.newfacet_list = TAIL;
        self.s.facet_mut(f).visit = self.s.visit;
        let apex = self.s.facet(f).vertices[0];
        self.new_facets_by_ridges(f, apex)?;
        self.s.will_delete(f, NONE);
        self.match_new_facets()
    }

    /// Removes the triangles without area: their neighbours become neighbours of each other.
    fn drop_folded(&mut self, first: u32) -> Result<(), Stop> {
        let mut f = first;
        while f != TAIL {
            let facet = self.s.facet(f);
            let next = facet.next;
            if !facet.visible && facet.vertices[0] == facet.vertices[1] {
                let (a, b) = (facet.neighbors[0], facet.neighbors[1]);
                if self.s.facet(a).neighbors.contains(&b) || self.s.facet(b).neighbors.contains(&a)
                {
                    return Err(Stop::Tangled);
                }
                put(&mut self.s.facet_mut(b).neighbors, f, a)?;
                put(&mut self.s.facet_mut(a).neighbors, f, b)?;
                self.s.will_delete(f, NONE);
            }
            f = next;
        }
        Ok(())
    }

    /// Removes the facets that were cut and the triangles without area from the neighbours of vertices.
    fn forget_cut(&mut self, first: u32) {
        let mut v = first;
        while v != NONE && v != TAIL {
            let mut neighbors = std::mem::take(&mut self.s.vertex_mut(v).neighbors);
            neighbors.retain(|&f| !self.s.facet(f).visible);
            self.s.vertex_mut(v).neighbors = neighbors;
            v = self.s.vertex(v).next;
        }
    }

    /// The hull in the order of the lists.
    pub fn list(&mut self) -> Result<Listed, Stop> {
        self.s.know_vertex_neighbors();
        let s = &self.s;
        let point = |v: u32| s.vertex(v).point;
        let (numvert, numface) = (s.num_vertices, s.num_facets);
        let mut listed = Listed {
            corner: Vec::with_capacity(numvert),
            around: Vec::with_capacity(numvert + 3 * numface),
            face: Vec::with_capacity(numface),
        };
        // the corner around which each vertex was listed last
        let mut seen = vec![NONE; s.vertices.len()];
        for v in s.vertices_from(s.vertex_list) {
            listed.corner.push(point(v));
            seen[v as usize] = v;
            for &f in &s.vertex(v).neighbors {
                for &w in &s.facet(f).vertices {
                    if seen[w as usize] != v {
                        seen[w as usize] = v;
                        listed.around.push(point(w));
                    }
                }
            }
            listed.around.push(NONE);
        }
        for f in s.facets_from(s.facet_list) {
            let facet = s.facet(f);
            if facet.visible {
                continue;
            }
            let [a, b, c] = facet.vertices[..] else {
                return Err(Stop::Tangled);
            };
            let face = [a, b, c].map(point);
            let [a, b, c] = face;
            listed
                .face
                .push(if facet.toporient { [b, a, c] } else { face });
        }
        if listed.around.len() != listed.corner.len() + 3 * listed.face.len() {
            return Err(Stop::Tangled);
        }
        Ok(listed)
    }
}
