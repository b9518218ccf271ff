//! Search for the facet that a point lies highest above.
//!
//! A search starts at a nearby facet and goes uphill from neighbour to neighbour, then over all facets that are nearly as high.

use super::build::Build;
use super::plane::larger;
use super::store::{NONE, TAIL};

/// Result of a search: a facet, and the point's height above it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub facet: u32,
    pub dist: f64,
    /// Whether the point lies outside.
    pub outside: bool,
}

impl Build<'_> {
    /// Searches uphill from `start`, with `new` among new facets only. Finds the best facet of all with `best`, else the first
    /// one that is high enough.
    pub fn find_best(&mut self, point: u32, start: u32, best: bool, new: bool) -> Found {
        let p = self.point(point);
        self.s.visit += 1;
        let visit = self.s.visit;
        let mut found = Found {
            facet: NONE,
            dist: -f64::MAX / 2.0,
            outside: true,
        };
        if !self.s.facet(start).flipped {
            let dist = self.dist(p, start);
            (found.facet, found.dist) = (start, dist);
            if !best && dist >= self.round.outside {
                return found;
            }
        }
        self.s.facet_mut(start).visit = visit;
        let mut at = start;
        let mut last = NONE;
        while at != NONE {
            last = at;
            at = NONE;
            for i in 0..self.s.facet(last).neighbors.len() {
                let g = self.s.facet(last).neighbors[i];
                let facet = self.s.facet_mut(g);
                if !facet.newfacet && new || facet.visit == visit {
                    continue;
                }
                facet.visit = visit;
                if facet.flipped {
                    continue;
                }
                let dist = self.dist(p, g);
                if dist > found.dist {
                    (found.facet, found.dist) = (g, dist);
                    if !best && dist >= self.round.outside {
                        return found;
                    }
                    at = g;
                    break;
                }
            }
        }
        self.widen(point, found, last, best, new)
    }

    /// Ends a search uphill: over all new facets where these meet sharply, over facets nearly as high.
    fn widen(&mut self, point: u32, mut found: Found, last: u32, best: bool, new: bool) -> Found {
        if new {
            if found.facet == NONE {
                return self.find_best_new(point, self.s.newfacet_list, best);
            }
            if !self.find_not_sharp && found.dist < -self.round.dist {
                if self.sharp_new_facets() {
                    let found = self.find_best_new(point, found.facet, best);
                    self.find_among_new = true;
                    return found;
                }
                self.find_not_sharp = true;
            }
        }
        if found.facet == NONE {
            found = self.find_any(point, last);
        }
        found = self.find_nearby(point, found);
        found.outside = found.dist >= self.round.outside;
        found
    }

    /// Searches all new facets, from `start` on.
    pub fn find_best_new(&mut self, point: u32, start: u32, best: bool) -> Found {
        let p = self.point(point);
        self.s.visit += 1;
        let visit = self.s.visit;
        let enough = if best {
            f64::INFINITY
        } else {
            self.dist_outside()
        };
        let mut found = Found {
            facet: NONE,
            dist: -f64::MAX / 2.0,
            outside: true,
        };
        for round in 0..2 {
            let first = if round == 0 {
                start
            } else {
                self.s.newfacet_list
            };
            let mut next = Some(first).filter(|&f| f != NONE && f != TAIL);
            while let Some(f) = next {
                if f == start && round == 1 {
                    break;
                }
                self.s.facet_mut(f).visit = visit;
                if !self.s.facet(f).flipped {
                    let dist = self.dist(p, f);
                    if dist > found.dist {
                        (found.facet, found.dist) = (f, dist);
                        if dist >= enough {
                            return found;
                        }
                    }
                }
                next = self.s.after(f);
            }
        }
        if found.facet == NONE {
            found.facet = start;
        }
        found = self.find_nearby(point, found);
        found.outside = found.dist >= self.round.outside;
        found
    }

    /// Goes on from the best facet so far over facets that are nearly as high.
    fn find_nearby(&mut self, point: u32, mut found: Found) -> Found {
        let p = self.point(point);
        self.s.visit += 1;
        let visit = self.s.visit;
        let r = &self.round;
        let more = if self.many_merges() { 2.0 } else { 1.0 };
        let reach = more * (self.max_outside + 2.0 * r.dist + r.visible);
        let mut least = found.dist - reach;
        let mut at = found.facet;
        self.s.facet_mut(at).visit = visit;
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        loop {
            // the last neighbour found comes first, then those before it
            let mut next = NONE;
            for i in 0..self.s.facet(at).neighbors.len() {
                let g = self.s.facet(at).neighbors[i];
                let facet = self.s.facet_mut(g);
                if facet.visit == visit {
                    continue;
                }
                facet.visit = visit;
                if !facet.flipped {
                    let dist = self.dist(p, g);
                    if dist > found.dist {
                        least = dist - reach;
                        if dist > found.dist + reach {
                            // facets that were nearly as high no longer are
                            stack.clear();
                        }
                        (found.facet, found.dist) = (g, dist);
                    } else if dist < least {
                        continue;
                    }
                }
                if next != NONE {
                    stack.push(next);
                }
                next = g;
            }
            at = if next == NONE {
                match stack.pop() {
                    Some(f) => f,
                    None => break,
                }
            } else {
                next
            };
        }
        self.stack = stack;
        found
    }

    /// The highest facet that is not flipped, where only flipped ones were met: around one of them, or any.
    fn find_any(&mut self, point: u32, around: u32) -> Found {
        let p = self.point(point);
        let mut found = Found {
            facet: NONE,
            dist: -f64::MAX / 2.0,
            outside: false,
        };
        let mut look = |f: u32| {
            let dist = self.dist(p, f);
            if !self.s.facet(f).flipped && dist > found.dist {
                (found.facet, found.dist) = (f, dist);
            }
        };
        self.s.facet(around).neighbors.iter().for_each(|&f| look(f));
        if found.facet == NONE {
            let mut all = self.s.facets_from(self.s.facet_list);
            let up = all.find(|&f| !self.s.facet(f).flipped);
            found.facet = up.unwrap_or(around);
            found.dist = self.dist(p, found.facet);
        }
        found
    }

    /// Height from which a point is assigned to the first facet that it is so high above.
    pub fn dist_outside(&self) -> f64 {
        let more = if self.many_merges() { 2.0 } else { 1.0 };
        more * larger(2.0 * self.round.outside, self.max_outside)
    }

    /// Whether the normals of the new facets lie in different octants.
    fn sharp_new_facets(&self) -> bool {
        let octant = |f: u32| self.s.facet(f).normal.map(|x| x > 0.0);
        let mut new = self.s.facets_from(self.s.newfacet_list).map(octant);
        let first = new.next();
        new.any(|o| Some(o) != first)
    }
}
