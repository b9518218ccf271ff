//! The search for pairs that may come to touch on a way.

use super::near::{FAR, is_wall};
use super::pair::{BAND, Kind, Pair};
use super::way::{Candidate, Way, band};
use crate::cpu::lib::contact::bits_match;
use crate::cpu::lib::math::*;
use crate::fields::Arrays;
use crate::types::*;

// a box around positions
#[derive(Clone, Copy)]
struct Bounds {
    low: [f64; 3],
    high: [f64; 3],
}

impl Bounds {
    fn of(points: &[[f64; 3]]) -> Self {
        let fold = |f: fn(f64, f64) -> f64, start: f64| {
            std::array::from_fn(|k| points.iter().fold(start, |x, p| f(x, p[k])))
        };
        Self {
            low: fold(f64::min, FAR),
            high: fold(f64::max, -FAR),
        }
    }

    fn near(&self, other: &Self, reach: f64) -> bool {
        (0..3).all(|k| self.low[k] <= other.high[k] + reach && other.low[k] <= self.high[k] + reach)
    }
}

// a part of a flex with its vertices, and a box around it
struct Piece {
    flex: usize,
    vertex: [usize; 3],
    bounds: Bounds,
}

// pieces of one kind, and their boxes ordered by where they begin along the axis in which all are longest together
struct Sorted {
    piece: Vec<Piece>,
    order: Vec<(Bounds, usize)>,
    axis: usize,
    // largest extent of a piece along the axis
    wide: f64,
}

impl Sorted {
    fn new(piece: Vec<Piece>) -> Self {
        let begins: Vec<[f64; 3]> = piece.iter().map(|p| p.bounds.low).collect();
        let Bounds { low, high } = Bounds::of(&begins);
        let longer = |a: &usize, b: &usize| (high[*a] - low[*a]).total_cmp(&(high[*b] - low[*b]));
        let axis = (0..3).max_by(longer).unwrap_or(0);
        let mut order: Vec<(Bounds, usize)> =
            (0..piece.len()).map(|k| (piece[k].bounds, k)).collect();
        order.sort_unstable_by(|(a, _), (b, _)| a.low[axis].total_cmp(&b.low[axis]));
        let extent = |p: &Piece| p.bounds.high[axis] - p.bounds.low[axis];
        let wide = piece.iter().map(extent).fold(0.0, f64::max);
        Self {
            piece,
            order,
            axis,
            wide,
        }
    }

    // numbers of the pieces from a number on that are within reach of a box, ascending; they are put into `out`
    fn around<'a>(
        &self,
        bounds: &Bounds,
        reach: f64,
        least: usize,
        out: &'a mut Vec<usize>,
    ) -> &'a [usize] {
        let axis = self.axis;
        let begin = bounds.low[axis] - reach - self.wide;
        let end = bounds.high[axis] + reach;
        let first = self.order.partition_point(|(own, _)| own.low[axis] < begin);
        let some = self.order[first..].iter();
        let some = some.take_while(|(own, _)| own.low[axis] <= end);
        let near = some.filter(|(own, k)| *k >= least && own.near(bounds, reach));
        out.clear();
        out.extend(near.map(|&(_, k)| k));
        out.sort_unstable();
        out
    }
}

impl Way<'_> {
    fn flat(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.m.nflex).filter(|&f| self.m.flex_dim[f] == 2)
    }

    fn triangles(&self) -> Vec<Piece> {
        let m = self.m;
        let of_flex = |f: usize| {
            let first = m.flex_vertadr[f];
            let adr = m.flex_elemdataadr[f].max(0) as usize;
            let corners = &m.flex_elem[adr..adr + 3 * m.flex_elemnum[f] as usize];
            corners.as_chunks::<3>().0.iter().map(move |corner| {
                let vertex = corner.map(|v| (first + v) as usize);
                self.piece(f, vertex, 3)
            })
        };
        self.flat().flat_map(of_flex).collect()
    }

    fn edges(&self) -> Vec<Piece> {
        let m = self.m;
        let of_flex = |f: usize| {
            let first = m.flex_vertadr[f];
            let adr = m.flex_edgeadr[f].max(0) as usize;
            (adr..adr + m.flex_edgenum[f] as usize).map(move |e| {
                let [a, b] = [m.flex_edge[2 * e], m.flex_edge[2 * e + 1]];
                let [a, b] = [a, b].map(|v| (first + v) as usize);
                self.piece(f, [a, b, b], 2)
            })
        };
        self.flat().flat_map(of_flex).collect()
    }

    fn piece(&self, flex: usize, vertex: [usize; 3], num: usize) -> Piece {
        let places = vertex.map(|v| self.from[v]);
        Piece {
            flex,
            vertex,
            bounds: Bounds::of(&places[..num]),
        }
    }

    // the longest way of a vertex of each flex
    fn sweeps(&self) -> Vec<f64> {
        let mut out = vec![0.0_f64; self.m.nflex];
        for (v, flex) in self.parts.flex.iter().enumerate() {
            if let Some(f) = *flex {
                out[f] = out[f].max(self.length(v));
            }
        }
        out
    }

    /// All pairs that may come to touch. `of_geoms` is the distance beyond the way within which triangles and edges are looked for around
    /// geoms.
    pub fn candidates(&self, of_geoms: f64) -> Vec<Candidate> {
        let mut out = Vec::new();
        if self.m.opt.disabled(DSBL_CONTACT) || self.m.opt.disabled(DSBL_CONSTRAINT) {
            return out;
        }
        let (triangles, edges) = (Sorted::new(self.triangles()), Sorted::new(self.edges()));
        let sweeps = self.sweeps();
        self.with_geoms(&mut out);
        self.with_corners(&triangles, &sweeps, of_geoms, &mut out);
        self.with_edges(&edges, &sweeps, of_geoms, &mut out);
        self.with_triangles(&triangles, &sweeps, &mut out);
        self.among_edges(&edges, &sweeps, &mut out);
        out
    }

    // a vertex and a geom that does not move
    fn with_geoms(&self, out: &mut Vec<Candidate>) {
        let m = self.m;
        for geom in (0..m.ngeom).filter(|&g| is_wall(m, g)) {
            for (v, flex) in self.parts.flex.iter().enumerate() {
                let moves = !self.parts.moves[v].is_empty();
                if !flex.is_some_and(|f| moves && self.meets_geom(f, geom, &[v])) {
                    continue;
                }
                let pair = Pair {
                    kind: Kind::VertexGeom,
                    idx: [v, 0, 0, 0],
                    geom: Some(geom),
                };
                let radius = self.parts.radius[v];
                let reach = 3.0 * BAND + self.length(v);
                self.add(pair, radius, reach, out);
            }
        }
    }

    fn with_corners(
        &self,
        triangles: &Sorted,
        sweeps: &[f64],
        base: f64,
        out: &mut Vec<Candidate>,
    ) {
        let most = sweeps.iter().copied().fold(0.0, f64::max);
        let mut near = Vec::new();
        for (k, geom) in self.parts.corner_geoms().enumerate() {
            let (corner, round) = self.parts.corner(k);
            let reach = self.widest() + base + most + round;
            for &t in triangles.around(&Bounds::of(&[corner]), reach, 0, &mut near) {
                let Piece { flex, vertex, .. } = triangles.piece[t];
                if self.meets_geom(flex, geom, &vertex) {
                    let pair = Pair {
                        kind: Kind::CornerTriangle,
                        idx: [k, vertex[0], vertex[1], vertex[2]],
                        geom: Some(geom),
                    };
                    self.add(pair, self.parts.radius[vertex[0]], base + sweeps[flex], out);
                }
            }
        }
    }

    fn with_edges(&self, edges: &Sorted, sweeps: &[f64], base: f64, out: &mut Vec<Candidate>) {
        let most = sweeps.iter().copied().fold(0.0, f64::max);
        let mut near = Vec::new();
        for (k, geom) in self.parts.edge_geoms().enumerate() {
            let (ends, round) = self.parts.edge(k);
            let reach = self.widest() + base + most + round;
            for &e in edges.around(&Bounds::of(&ends), reach, 0, &mut near) {
                let Piece { flex, vertex, .. } = edges.piece[e];
                if self.meets_geom(flex, geom, &vertex[..2]) {
                    let pair = Pair {
                        kind: Kind::GeomEdge,
                        idx: [k, vertex[0], vertex[1], 0],
                        geom: Some(geom),
                    };
                    self.add(pair, self.parts.radius[vertex[0]], base + sweeps[flex], out);
                }
            }
        }
    }

    // vertices and triangles, flex by flex of the triangles
    fn with_triangles(&self, triangles: &Sorted, sweeps: &[f64], out: &mut Vec<Candidate>) {
        let most = sweeps.iter().copied().fold(0.0, f64::max);
        let widest = self.widest();
        let (mut near, mut found) = (Vec::new(), Vec::new());
        for (v, flex) in self.parts.flex.iter().enumerate() {
            let Some(f) = *flex else { continue };
            let radius = self.parts.radius[v];
            let reach = radius + widest + 3.0 * BAND.min(radius) + self.length(v) + most;
            let place = Bounds::of(&[self.from[v]]);
            for &t in triangles.around(&place, reach, 0, &mut near) {
                let piece = &triangles.piece[t];
                if self.meet(f, piece.flex) && !piece.vertex.contains(&v) {
                    found.push((piece.flex, v, t));
                }
            }
        }
        found.sort_unstable();
        for (f, v, t) in found {
            let [a, b, c] = triangles.piece[t].vertex;
            let radii = [self.parts.radius[v], self.parts.radius[a]];
            let pair = Pair {
                kind: Kind::VertexTriangle,
                idx: [v, a, b, c],
                geom: None,
            };
            let reach = 3.0 * band(self.parts, &pair) + self.length(v) + sweeps[f];
            self.add(pair, radii[0] + radii[1], reach, out);
        }
    }

    // two edges, of which the second comes later
    fn among_edges(&self, edges: &Sorted, sweeps: &[f64], out: &mut Vec<Candidate>) {
        let widest = self.widest();
        let most = sweeps.iter().copied().fold(0.0, f64::max);
        let mut near = Vec::new();
        for (first, piece) in edges.piece.iter().enumerate() {
            let [a, b, _] = piece.vertex;
            let own = self.length(a).max(self.length(b));
            let radius = self.parts.radius[a];
            let reach = radius + widest + 3.0 * BAND.min(radius) + own + most;
            for &second in edges.around(&piece.bounds, reach, first + 1, &mut near) {
                let other = &edges.piece[second];
                let [c, e, _] = other.vertex;
                let apart = [c, e].iter().all(|v| ![a, b].contains(v));
                if !apart || !self.meet(piece.flex, other.flex) {
                    continue;
                }
                let pair = Pair {
                    kind: Kind::Edges,
                    idx: [a, b, c, e],
                    geom: None,
                };
                let reach = 3.0 * band(self.parts, &pair) + own + sweeps[other.flex];
                self.add(pair, radius + self.parts.radius[c], reach, out);
            }
        }
    }

    // the largest radius of a flex
    fn widest(&self) -> f64 {
        self.parts.radius.iter().copied().fold(0.0, f64::max)
    }

    // adds a pair whose surfaces, at this distance of its middle surfaces, are within reach and may come within the band on the way
    fn add(&self, pair: Pair, surfaces: f64, reach: f64, out: &mut Vec<Candidate>) {
        let places = pair.places(self.from);
        let gap = pair
            .gap(self.m, self.d, self.parts, places, surfaces + reach)
            .dist;
        // parts of flexes that coincide have no normal; in a geom they are pushed out
        if gap >= surfaces + reach || pair.is_soft() && gap <= 0.0 {
            return;
        }
        if gap < surfaces + band(self.parts, &pair) + self.closing(&pair) {
            out.push(Candidate {
                pair,
                gap,
                stops: None,
            });
        }
    }

    // bound of the way by which the parts of a pair come nearer
    fn closing(&self, pair: &Pair) -> f64 {
        let [first, second] = pair.sides();
        let longest = |x: f64, y: f64| x.max(y);
        if second.is_empty() {
            return first.iter().map(|&v| self.length(v)).fold(0.0, longest);
        }
        let relative = |&a: &usize| {
            let apart = |&b: &usize| norm3(sub3(self.moved(a), self.moved(b)));
            second.iter().map(apart).fold(0.0, longest)
        };
        first.iter().map(relative).fold(0.0, longest)
    }

    // whether parts of a flex may touch a geom: by their masks, bodies and exclusions
    fn meets_geom(&self, f: usize, geom: usize, vertices: &[usize]) -> bool {
        let m = self.m;
        let masks = [m.flex_contype[f], m.flex_conaffinity[f]];
        if !bits_match(masks, [m.geom_contype[geom], m.geom_conaffinity[geom]]) {
            return false;
        }
        let body = m.geom_bodyid[geom];
        let apart = |&v: &usize| {
            let own = m.flex_vertbodyid[v];
            let still = m.body_weldid[own as usize] == m.body_weldid[body as usize];
            !still && !excluded(m, own, body)
        };
        vertices.iter().any(apart)
    }

    // whether parts of two flexes may touch, or of one flex
    fn meet(&self, first: usize, second: usize) -> bool {
        let m = self.m;
        let masks = |f: usize| [m.flex_contype[f], m.flex_conaffinity[f]];
        let own = first != second || m.flex_selfcollide[first] != 0;
        own && bits_match(masks(first), masks(second))
    }
}

fn excluded(m: &Arrays, body1: i32, body2: i32) -> bool {
    let signature = (body1.min(body2) << 16) + body1.max(body2);
    m.exclude_signature.contains(&signature)
}
