//! Assigns points to facets: each goes to the outside set of a facet that it lies above, or to the coplanar set of one that it
//! lies just below, or is dropped for good.

use super::build::Build;
use super::find::Found;
use super::plane::cosine;
use super::store::{NONE, Stop, append};

impl Build<'_> {
    /// Assigns all points to the facets of the first tetrahedron.
    pub fn share_out_all(&mut self) -> Result<(), Stop> {
        let mut is_vertex = vec![false; self.points.len()];
        for v in &self.s.vertices[1..] {
            is_vertex[v.point as usize] = true;
        }
        let mut left: Vec<u32> = (0..self.points.len() as u32)
            .filter(|&p| !is_vertex[p as usize])
            .collect();
        let enough = self.dist_outside();
        let facets: Vec<u32> = self.s.facets_from(self.s.facet_list).collect();
        for f in facets {
            let mut outside = std::mem::take(&mut self.s.facet_mut(f).outside);
            let mut best: Option<(u32, f64)> = None;
            left.retain(|&p| {
                let dist = self.dist(self.point(p), f);
                if dist < enough {
                    return true;
                }
                match best {
                    Some((q, most)) if dist > most => {
                        outside.push(q);
                        best = Some((p, dist));
                    }
                    Some(_) => outside.push(p),
                    None => best = Some((p, dist)),
                }
                false
            });
            if let Some((p, dist)) = best {
                outside.push(p);
                self.s.facet_mut(f).furthest = dist;
            }
            self.s.facet_mut(f).outside = outside;
        }
        self.find_among_new = true;
        for p in left {
            self.share_out(p, self.s.facet_list)?;
        }
        self.find_among_new = false;
        Ok(())
    }

    /// Assigns the points of the visible facets, and the vertices that are inside now, to the new facets.
    pub fn share_out_visible(&mut self) -> Result<(), Stop> {
        let mut f = self.s.visible_list;
        while f != NONE && self.s.facet(f).visible {
            let next = self.s.facet(f).next;
            let replaced = self.s.replacement(f);
            let start = replaced.unwrap_or(self.s.newfacet_list);
            let outside = std::mem::take(&mut self.s.facet_mut(f).outside);
            for &p in &outside {
                self.share_out(p, start)?;
            }
            self.s.facet_mut(f).outside = outside;
            let coplanar = std::mem::take(&mut self.s.facet_mut(f).coplanar);
            for &p in &coplanar {
                self.share_out_coplanar(p, start, None, self.find_among_new)?;
            }
            self.s.facet_mut(f).coplanar = coplanar;
            f = next;
        }
        for i in 0..self.deleted.len() {
            let v = self.deleted[i];
            if !self.s.vertex(v).partitioned {
                let p = self.s.vertex(v).point;
                self.share_out_coplanar(p, self.s.newfacet_list, None, true)?;
                self.s.vertex_mut(v).partitioned = true;
            }
        }
        Ok(())
    }

    /// Assigns a point to a facet; `start` is a facet near it.
    fn share_out(&mut self, point: u32, start: u32) -> Result<(), Stop> {
        let mut found = if self.find_among_new {
            self.find_best_new(point, start, false)
        } else {
            self.find_best(point, start, false, true)
        };
        if self.s.facet(found.facet).visible {
            return Err(Stop::Tangled);
        }
        let Found { facet: f, dist, .. } = found;
        if self.narrow && dist >= -self.round.inside {
            found.outside = true;
        }
        if found.outside {
            self.put_outside(point, f, dist);
            Ok(())
        } else if dist >= -self.round.inside {
            self.share_out_coplanar(point, f, Some(dist), self.find_among_new)
        } else {
            Ok(())
        }
    }

    /// Puts a point into the outside set of a facet; a facet that had none is queued again.
    fn put_outside(&mut self, point: u32, f: u32, dist: f64) {
        let (narrow, outside) = (self.narrow, self.round.outside);
        let facet = self.s.facet_mut(f);
        let before = facet.furthest;
        let mut first = false;
        if facet.outside.is_empty() {
            facet.outside.push(point);
            facet.furthest = dist;
            first = !narrow || dist > outside;
        } else if before < dist {
            facet.outside.push(point);
            facet.furthest = dist;
            first = narrow && before < outside && dist >= outside;
        } else {
            append(&mut facet.outside, point, false);
        }
        if !first || self.s.facet_next == f {
            return;
        }
        if self.s.facet(f).newfacet {
            if self.s.facet(self.s.facet_next).newfacet {
                self.s.facet_next = self.s.newfacet_list;
            }
        } else {
            self.s.move_to_end(f);
            if self.s.newfacet_list != NONE {
                self.s.facet_mut(f).newfacet = true;
            }
        }
    }

    /// Assigns a point that is nearly in the plane of a facet: keeps it in the coplanar set, or drops it if it is deeper.
    ///
    /// With `dist`, its height, the point is kept with this facet.
    fn share_out_coplanar(
        &mut self,
        point: u32,
        f: u32,
        dist: Option<f64>,
        among_new: bool,
    ) -> Result<(), Stop> {
        let found = match dist {
            Some(dist) => Found {
                facet: f,
                dist,
                outside: false,
            },
            None if among_new => self.find_best_new(point, f, true),
            None => self.find_best(point, f, true, false),
        };
        let Found {
            facet: g, dist: d, ..
        } = found;
        if dist.is_none() && d < -self.round.inside {
            self.again = NONE;
            return Ok(());
        }
        if self.s.facet(g).visible {
            return Err(Stop::Tangled);
        }
        if d > self.max_outside {
            let (a, b) = (self.s.facet(f), self.s.facet(g));
            let mut again = dist.is_none() && f != g && cosine(a.normal, b.normal) < 0.0;
            if !again && d > self.maxoutside_now * 30.0 {
                if f == g {
                    if a.id == self.again {
                        return Err(Stop::Tangled);
                    }
                    self.again = a.id;
                }
                again = true;
            }
            if again {
                let among_new = std::mem::take(&mut self.find_among_new);
                self.share_out(point, g)?;
                self.find_among_new = among_new;
                self.again = NONE;
                return Ok(());
            }
            self.again = NONE;
            self.max_outside = d;
        }
        let last = self.s.facet(g).coplanar.last();
        let highest = last.is_none_or(|&q| self.dist(self.point(q), g) < d);
        append(&mut self.s.facet_mut(g).coplanar, point, highest);
        Ok(())
    }
}
