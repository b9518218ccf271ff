//! A way of all vertices, and how far it leads before surfaces meet (conservative advancement).

use super::near::FAR;
use super::pair::{BAND, Pair};
use super::parts::Parts;
use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};

/// Part of a gap that is left where parts stop. A way that leaves more of it needs no search.
const LEFT: f64 = 0.2;
/// Steps of the search for the time at which a pair stops.
const STEPS: usize = 32;

/// A way of the vertices, along straight lines.
pub struct Way<'a> {
    pub m: &'a Model,
    pub d: &'a Data,
    pub parts: &'a Parts,
    /// Positions at its beginning.
    pub from: &'a [[f64; 3]],
    /// Positions at its end.
    pub to: &'a [[f64; 3]],
}

/// A pair that may touch, its gap at the beginning of the way, and the part of the way after which it stops; none if it need not stop.
#[derive(Clone, Copy, Debug)]
pub struct Candidate {
    pub pair: Pair,
    pub gap: f64,
    pub stops: Option<f64>,
}

impl Way<'_> {
    /// How far a vertex moves.
    pub fn moved(&self, v: usize) -> [f64; 3] {
        sub3(self.to[v], self.from[v])
    }

    /// Length of a vertex's way.
    pub fn length(&self, v: usize) -> f64 {
        norm3(self.moved(v))
    }

    /// Finds for each pair how far the way leads before it stops; returns the shortest such part of the way, at most all of it. A pair stops
    /// where a fifth of its gap is left.
    pub fn advance(&self, candidates: &mut [Candidate]) -> f64 {
        let mut least = 1.0;
        for candidate in candidates {
            candidate.stops = self.stop(&candidate.pair, candidate.gap);
            least = candidate.stops.unwrap_or(1.0).min(least);
        }
        least
    }

    // conservative advancement: no point of either part comes nearer by more than `most` over the whole way
    fn stop(&self, pair: &Pair, gap: f64) -> Option<f64> {
        let most = self.approach(pair);
        if most < 1e-12 || gap <= 0.0 || most <= (1.0 - LEFT) * gap {
            return None;
        }
        let (from, to) = (pair.places(self.from), pair.places(self.to));
        let mut t = 0.0;
        for _ in 0..STEPS {
            let x = std::array::from_fn(|q| add_scl3(from[q], sub3(to[q], from[q]), t));
            let room = pair.gap(self.m, self.d, self.parts, x, FAR).dist - LEFT * gap;
            if room <= 1e-9 * gap {
                break;
            }
            t += room / most;
            if t >= 1.0 {
                return Some(1.0);
            }
        }
        Some(t)
    }

    // bound of how much nearer the parts come; parts of one flex may move together
    fn approach(&self, pair: &Pair) -> f64 {
        let vertices = pair.vertices();
        let sides = pair.sides();
        let flex = |side: &[usize]| side.first().map(|&v| self.parts.flex[v]);
        let mut mean = [0.0; 3];
        if flex(sides[0]) == flex(sides[1]) {
            let sum = vertices
                .iter()
                .fold([0.0; 3], |sum, &v| add3(sum, self.moved(v)));
            mean = scl3(sum, 1.0 / vertices.len() as f64);
        }
        let own = |v: &usize| norm3(sub3(self.moved(*v), mean));
        let longest = |side: &[usize]| side.iter().map(own).fold(0.0, f64::max);
        longest(sides[0]) + longest(sides[1])
    }
}

/// The distance of a pair's surfaces within which it acts: not more than the radius of the thinner flex.
pub fn band(parts: &Parts, pair: &Pair) -> f64 {
    let radius = |&v: &usize| parts.radius[v];
    pair.vertices().iter().map(radius).fold(BAND, f64::min)
}
