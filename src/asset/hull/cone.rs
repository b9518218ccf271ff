//! The facets that a point sees are replaced by a cone of new ones, from the edges around them (the horizon) to the point.

use super::build::Build;
use super::store::{NONE, Stop, TAIL, put, take};

impl Build<'_> {
    /// Moves the facets that a point sees to the end of the list, and marks facets around them that are nearly coplanar with it.
    pub fn find_horizon(&mut self, point: u32, facet: u32) -> Result<(), Stop> {
        let p = self.point(point);
        let (visible, coplanar) = (self.round.visible, -self.round.visible);
        self.see(facet);
        self.s.visible_list = facet;
        self.s.num_visible = 1;
        self.s.visit += 1;
        let visit = self.s.visit;
        let mut horizon = false;
        let mut f = facet;
        while f != TAIL {
            self.s.facet_mut(f).visit = visit;
            for i in 0..self.s.facet(f).neighbors.len() {
                let g = self.s.facet(f).neighbors[i];
                if self.s.facet(g).visit == visit {
                    continue;
                }
                self.s.facet_mut(g).visit = visit;
                let dist = self.dist(p, g);
                if dist > visible {
                    self.see(g);
                    self.s.num_visible += 1;
                    continue;
                }
                horizon = true;
                let neighbor = self.s.facet_mut(g);
                neighbor.coplanarhorizon = dist >= coplanar;
                if neighbor.coplanarhorizon && dist > 0.0 {
                    neighbor.maxoutside = neighbor.maxoutside.max(dist);
                    self.max_outside = self.max_outside.max(dist);
                }
            }
            f = self.s.facet(f).next;
        }
        if horizon { Ok(()) } else { Err(Stop::Tangled) }
    }

    fn see(&mut self, f: u32) {
        self.s.move_to_end(f);
        let facet = self.s.facet_mut(f);
        (facet.visible, facet.replace) = (true, NONE);
    }

    /// Makes the new facets, with planes and neighbours.
    pub fn make_cone(&mut self, point: u32) -> Result<(), Stop> {
        self.s.newfacet_list = TAIL;
        self.s.newvertex_list = TAIL;
        let apex = self.s.new_vertex(point);
        self.s.append_vertex(apex);
        self.make_new_facets(apex)?;
        self.match_new_facets()?;
        let mut f = self.s.newfacet_list;
        while f != TAIL {
            if !self.s.facet(f).mergehorizon {
                self.set_plane(f);
            }
            f = self.s.facet(f).next;
        }
        self.update_vertices();
        Ok(())
    }

    fn make_new_facets(&mut self, apex: u32) -> Result<(), Stop> {
        self.s.visit += 1;
        let visit = self.s.visit;
        // a visible facet without new facets is replaced by those of an earlier one
        let (mut last, mut last_ridged) = (NONE, NONE);
        let mut f = self.s.visible_list;
        while f != TAIL && self.s.facet(f).visible {
            for i in 0..self.s.facet(f).neighbors.len() {
                let g = self.s.facet(f).neighbors[i];
                self.s.facet_mut(g).seen = false;
            }
            if self.s.facet(f).ridged {
                self.s.facet_mut(f).visit = visit;
                last_ridged = self.new_facets_by_ridges(f, apex)?;
            }
            if self.s.facet(f).simplicial {
                last = self.new_facets_by_neighbors(f, apex)?;
            }
            if last_ridged != NONE {
                last = last_ridged;
            }
            let facet = self.s.facet_mut(f);
            if last != NONE {
                facet.replace = last;
            }
            facet.ridges.clear();
            facet.neighbors.clear();
            f = facet.next;
        }
        Ok(())
    }

    /// A new facet, the newest vertex first, on an edge of the horizon.
    fn new_facet_on(&mut self, vertices: [u32; 3], toporient: bool, horizon: u32) -> u32 {
        self.s.renew_vertices(&vertices);
        let f = self.new_facet();
        let facet = self.s.facet_mut(f);
        facet.vertices.extend(vertices);
        facet.toporient = toporient;
        facet.neighbors.push(horizon);
        self.s.append_facet(f);
        f
    }

    /// New facets on the edges of a visible facet that has ridges; the last of them, if any.
    pub fn new_facets_by_ridges(&mut self, f: u32, apex: u32) -> Result<u32, Stop> {
        let mut new = NONE;
        let visit = self.s.visit;
        let mut i = 0;
        while i < self.s.facet(f).ridges.len() {
            let r = self.s.facet(f).ridges[i];
            i += 1;
            let ridge = *self.s.ridge(r);
            let g = ridge.other(f);
            if self.s.facet(g).visible {
                if self.s.facet(g).visit == visit {
                    self.s.drop_ridge(r);
                }
            } else {
                let toporient = ridge.top == f;
                let [u, v] = ridge.vertices;
                new = self.new_facet_on([apex, u, v], toporient, g);
                let horizon = self.s.facet_mut(g);
                if horizon.coplanarhorizon {
                    if horizon.seen {
                        return Err(Stop::Tangled);
                    }
                    self.s.facet_mut(new).mergehorizon = true;
                }
                let horizon = self.s.facet_mut(g);
                if horizon.seen {
                    if horizon.simplicial {
                        return Err(Stop::Tangled);
                    }
                    horizon.neighbors.push(new);
                } else {
                    put(&mut horizon.neighbors, f, new)?;
                }
                if horizon.simplicial {
                    take(&mut horizon.ridges, r);
                    self.s.drop_ridge(r);
                } else {
                    self.s.add_ridge(new, r);
                    let ridge = self.s.ridge_mut(r);
                    if toporient {
                        ridge.top = new;
                    } else {
                        ridge.bottom = new;
                    }
                }
            }
            self.s.facet_mut(g).seen = true;
        }
        Ok(new)
    }

    /// New facets on the edges between a visible facet and others with three corners; the last of them, if any.
    fn new_facets_by_neighbors(&mut self, f: u32, apex: u32) -> Result<u32, Stop> {
        let mut new = NONE;
        for i in 0..self.s.facet(f).neighbors.len() {
            let g = self.s.facet(f).neighbors[i];
            let horizon = self.s.facet(g);
            if horizon.seen || horizon.visible {
                continue;
            }
            let across = horizon.neighbors.iter().position(|&h| h == f);
            let across = across.filter(|&k| k < 3).ok_or(Stop::Tangled)?;
            let [a, b, c] = horizon.vertices[..] else {
                return Err(Stop::Tangled);
            };
            let [u, v] = [[b, c], [a, c], [a, b]][across];
            let toporient = horizon.toporient == (across % 2 == 1);
            let coplanar = horizon.coplanarhorizon;
            new = self.new_facet_on([apex, u, v], toporient, g);
            self.s.facet_mut(new).mergehorizon = coplanar;
            self.s.facet_mut(g).neighbors[across] = new;
        }
        Ok(new)
    }

    /// Makes new facets neighbours of each other where they share an edge.
    pub fn match_new_facets(&mut self) -> Result<(), Stop> {
        let mut waiting = 0;
        let mut f = self.s.newfacet_list;
        while f != TAIL {
            let facet = self.s.facet_mut(f);
            facet.neighbors.truncate(1);
            facet.neighbors.extend([NONE; 2]);
            for skip in [1, 2] {
                let v = self.s.facet(f).vertices[3 - skip];
                let (g, other) = self.s.vertex(v).waits;
                if g == NONE {
                    self.s.vertex_mut(v).waits = (f, skip as u32);
                    waiting += 1;
                    continue;
                }
                let same = skip as u32 == other;
                let (a, b) = (self.s.facet(f), self.s.facet(g));
                if same != (a.toporient != b.toporient) {
                    return Err(Stop::Tangled);
                }
                self.s.facet_mut(f).neighbors[skip] = g;
                self.s.facet_mut(g).neighbors[other as usize] = f;
                self.s.vertex_mut(v).waits = (NONE, 0);
                waiting -= 1;
            }
            f = self.s.facet(f).next;
        }
        if waiting == 0 {
            Ok(())
        } else {
            Err(Stop::Tangled)
        }
    }

    /// Adds the new facets to the neighbours of their vertices, and finds the vertices that are inside now.
    fn update_vertices(&mut self) {
        if self.s.vertexneighbors {
            let mut v = self.s.newvertex_list;
            while v != TAIL {
                let mut neighbors = std::mem::take(&mut self.s.vertex_mut(v).neighbors);
                let mut i = 0;
                while i < neighbors.len() {
                    if self.s.facet(neighbors[i]).visible {
                        neighbors.swap_remove(i);
                    } else {
                        i += 1;
                    }
                }
                self.s.vertex_mut(v).neighbors = neighbors;
                v = self.s.vertex(v).next;
            }
            self.tell_vertices();
        }
        let mut f = self.s.visible_list;
        while f != TAIL && self.s.facet(f).visible {
            for i in 0..self.s.facet(f).vertices.len() {
                let v = self.s.facet(f).vertices[i];
                let vertex = self.s.vertex(v);
                if vertex.newfacet || vertex.deleted {
                    continue;
                }
                let mut around = vertex.neighbors.iter();
                let stays = around.any(|&g| !self.s.facet(g).visible);
                let stays = stays && self.s.vertexneighbors;
                let vertex = self.s.vertex_mut(v);
                if stays {
                    take(&mut vertex.neighbors, f);
                } else {
                    vertex.deleted = true;
                    self.deleted.push(v);
                }
            }
            f = self.s.facet(f).next;
        }
    }

    /// Adds the new facets to the neighbours of their vertices.
    pub fn tell_vertices(&mut self) {
        let mut f = self.s.newfacet_list;
        while f != TAIL {
            for i in 0..self.s.facet(f).vertices.len() {
                let v = self.s.facet(f).vertices[i];
                self.s.vertex_mut(v).neighbors.push(f);
            }
            f = self.s.facet(f).next;
        }
    }
}
