//! The pairs that a step keeps apart: each has a multiplier, the force with which it pushes, found over the iterations of steps (augmented
//! Lagrangian). Multipliers and ages are kept for vertices from step to step.

use super::pair::{BAND, Gap, Pair, REST};
use super::parts::Parts;
use super::way::{Candidate, band};
use crate::cpu::lib::math::*;
use crate::cpu::lib::penalty::STIFFNESS;
use crate::fields::{Data, Model};

/// Factor of the stiffness for each iteration in which a pair did not push.
const DECAY: f64 = 0.9;
/// Iterations without a push after which a pair that never pushed is dropped, and one that did.
const NEVER: i32 = 25;
const NO_MORE: i32 = 44;
/// Iterations without a push for which the stiffness stays, once a pair has pushed.
const PATIENCE: i32 = 6;
/// Mass for the stiffness where no vertex of a pair moves (kg).
const LIGHT: f64 = 1e-9;

/// A pair with its multiplier.
#[derive(Clone, Debug)]
pub struct Active {
    pub pair: Pair,
    /// Force with which the parts push (N).
    pub lambda: f64,
    /// Iterations without a push: not negative if the pair never pushed; else negative.
    pub age: i32,
    /// Stiffness (N/m).
    pub stiffness: f64,
    /// Stiffness of its cost in an iteration (N/m), which falls while it does not push.
    pub softened: f64,
    /// Rest distance (m).
    pub rest: f64,
    /// The gap at the committed positions, which makes it linear in the positions.
    pub gap: Gap,
}

impl Active {
    /// Begins with the multiplier and the age of its vertices.
    fn new(d: &Data, parts: &Parts, pair: Pair) -> Self {
        let vertices = pair.vertices();
        let lambda = vertices.iter().map(|&v| d.flexvert_lambda[v]);
        let age = vertices.iter().map(|&v| d.flexvert_conage[v]);
        let mass = vertices
            .iter()
            .map(|&v| parts.mass[v])
            .filter(|&mass| mass > 0.0);
        let mass = mass.fold(f64::INFINITY, f64::min);
        Self {
            pair,
            lambda: lambda.fold(0.0, f64::max),
            age: age.min().unwrap_or(0),
            stiffness: STIFFNESS * if mass.is_finite() { mass } else { LIGHT },
            softened: 0.0,
            rest: band(parts, &pair).min(REST),
            gap: Gap::default(),
        }
    }

    /// Begins an iteration: makes the gap linear at these positions.
    pub fn linearize(&mut self, m: &Model, d: &Data, parts: &Parts, x: &[[f64; 3]]) {
        self.softened = self.soften();
        self.gap = self.pair.gap(m, d, parts, self.pair.places(x), BAND);
    }

    /// The linear gap beyond the rest distance, where `x` is relative to the positions at which it was made linear.
    fn beyond(&self, x: &[[f64; 3]], at: &[[f64; 3]]) -> f64 {
        let vertices = self.pair.vertices().iter().zip(self.gap.weight);
        let change =
            |(&v, weight): (&usize, f64)| weight * dot3(self.gap.normal, sub3(x[v], at[v]));
        self.gap.dist - self.rest + vertices.map(change).sum::<f64>()
    }

    /// The distance at which it does not push: negative inside of the wall that its force holds back.
    pub fn residual(&self, x: &[[f64; 3]], at: &[[f64; 3]]) -> f64 {
        self.beyond(x, at) - self.wall()
    }

    /// Distance of the wall from the rest distance (m).
    pub fn wall(&self) -> f64 {
        self.lambda / self.stiffness
    }

    // the stiffness of its cost at its age
    fn soften(&self) -> f64 {
        let quiet = match self.age {
            0.. => self.age,
            _ => (-self.age - PATIENCE).max(0),
        };
        (0..quiet).fold(self.stiffness, |x, _| x * DECAY)
    }

    // the multiplier at positions, and the age
    fn update(&mut self, x: &[[f64; 3]], at: &[[f64; 3]]) {
        let beyond = self.beyond(x, at);
        let pushes = beyond - self.wall() <= 0.0;
        self.lambda = match pushes {
            true => self.lambda - beyond * self.stiffness,
            false => 0.0,
        };
        self.age = older(self.age, pushes);
    }

    fn is_done(&self) -> bool {
        self.lambda <= 0.0 && self.age < -NO_MORE || self.age > NEVER
    }
}

fn older(age: i32, pushes: bool) -> i32 {
    match (pushes, age) {
        (true, 0 | 6..) => 0,
        (true, _) => -1,
        (false, 0..) => age + 1,
        (false, _) => age - 1,
    }
}

/// All candidates of the way to where nothing would push.
pub fn begin(d: &Data, parts: &Parts, candidates: &[Candidate]) -> Vec<Active> {
    let active = |candidate: &Candidate| Active::new(d, parts, candidate.pair);
    candidates.iter().map(active).collect()
}

/// Updates the multipliers and ages of pairs and vertices at positions `x`; the gaps were made linear at `at`.
pub fn update(d: &mut Data, parts: &Parts, active: &mut [Active], x: &[[f64; 3]], at: &[[f64; 3]]) {
    d.flexvert_lambda.fill(0.0);
    for active in active {
        active.update(x, at);
        for &v in active.pair.vertices() {
            d.flexvert_lambda[v] = active.lambda.max(d.flexvert_lambda[v]);
        }
    }
    for (v, _) in parts
        .flex
        .iter()
        .enumerate()
        .filter(|(_, flex)| flex.is_some())
    {
        d.flexvert_conage[v] = older(d.flexvert_conage[v], d.flexvert_lambda[v] > 0.0);
    }
}

/// Drops pairs that are done, and adds candidates that touch, or stop one of their vertices before any other does.
pub fn merge(d: &Data, parts: &Parts, active: &mut Vec<Active>, candidates: &[Candidate]) {
    let mut first = vec![f64::INFINITY; parts.flex.len()];
    for candidate in candidates {
        if let Some(stops) = candidate.stops {
            for &v in candidate.pair.vertices() {
                first[v] = first[v].min(stops);
            }
        }
    }
    active.retain(|active| !active.is_done());
    let mut known: Vec<Pair> = active.iter().map(|active| active.pair).collect();
    known.sort_unstable();
    for Candidate { pair, gap, stops } in candidates {
        let is_first = |&stops: &f64| pair.vertices().iter().any(|&v| stops <= first[v] + 1e-12);
        let admitted = *gap <= 0.0 || stops.as_ref().is_some_and(is_first);
        if admitted && known.binary_search(pair).is_err() {
            active.push(Active::new(d, parts, *pair));
        }
    }
}
