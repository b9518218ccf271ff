//! Boxes around the elements of flexes, and which of two elements of one flex comes first (`mj_collideFlexSAP`).
//!
//! MuJoCo sweeps over the elements of a flex that touches itself, along the axis in which the flex is longest. Of two elements the one
//! whose box begins first is the first one of the contact. A pair of the list names them by their place in the flex. Where the sweep
//! meets them the other way, the contact's frame is the opposite of MuJoCo's in all three axes, and so left-handed: rows and forces
//! are the same.

use super::soft::{Pair, elem_vertices, element_of};
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::math::*;
use crate::cpu::lib::rod::{half_sizes, is_boxed};
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;
use crate::types::*;

/// Boxes around the elements of all flexes, along the world axes, with the flex radius; computed once before pairs are tried.
pub struct Boxes<R> {
    element: Vec<Shape<R>>,
    // by flex: the axis of the sweep in each lane, if there is one
    axis: Vec<Vec<usize>>,
}

impl<R: Real> Boxes<R> {
    /// Boxes at the present positions of the vertices; none if no flex may collide.
    pub fn new(m: &Model, d: &Data<R>) -> Self {
        let mut boxes = Self::none();
        if m.ncollisionflex == 0 {
            return boxes;
        }
        boxes.element.reserve(m.nflexelem);
        for f in 0..m.nflex {
            let radius = reach(m, d, f);
            let first = boxes.element.len();
            for e in 0..m.flex_elemnum[f] as usize {
                boxes
                    .element
                    .push(box_of(d, elem_vertices(m, f, e), radius));
            }
            boxes.axis.push(match is_swept(m, f) {
                true => longest(&boxes.element[first..]),
                false => Vec::new(),
            });
        }
        boxes
    }

    /// No boxes.
    pub fn none() -> Self {
        Self {
            element: Vec::new(),
            axis: Vec::new(),
        }
    }

    /// Center and half sizes of the box of an element of all flexes.
    pub fn place(&self, element: usize) -> ([R; 3], [R; 3]) {
        (self.element[element].pos, self.element[element].size)
    }

    /// The box of the element on a side of a pair.
    pub fn of(&self, m: &Model, pair: &Pair, side: usize) -> &Shape<R> {
        &self.element[element_of(m, pair, side)]
    }

    /// Whether the second element of a pair comes before the first in a lane.
    pub fn reversed(&self, m: &Model, pair: &Pair, lane: usize) -> bool {
        let Some(f) = itself(m, pair) else {
            return false;
        };
        let Some(&axis) = self.axis[f].get(lane) else {
            return false;
        };
        let begin = |side: usize| {
            let own = self.of(m, pair, side);
            (own.pos[axis].lane(lane) - own.size[axis].lane(lane)) as f32
        };
        let [first, second] = [begin(0), begin(1)];
        second < first
    }

    /// The sides of a pair in the order in which MuJoCo has them.
    pub fn sides(&self, m: &Model, pair: &Pair, lane: usize) -> [usize; 2] {
        match self.reversed(m, pair, lane) {
            true => [1, 0],
            false => [0, 1],
        }
    }
}

/// Whether MuJoCo sweeps over the elements of a flex that touches itself.
pub fn is_swept(m: &Model, f: usize) -> bool {
    let said = m.flex_selfcollide[f];
    let swept = said == FlexSelf::Sap || said == FlexSelf::Auto && m.flex_dim[f] < 3;
    swept && !m.opt.disabled(DSBL_MIDPHASE)
}

// the flex of a pair of two of its elements
fn itself(m: &Arrays, pair: &Pair) -> Option<usize> {
    let [first, second] = [0, 1].map(|side| pair.flex(m, side));
    usize::try_from(first).ok().filter(|_| first == second)
}

// in each lane the axis along which a box around others is longest
fn longest<R: Real>(boxes: &[Shape<R>]) -> Vec<usize> {
    let size = |lane: usize, k: usize| {
        let end = |sign: f64| {
            let ends = boxes
                .iter()
                .map(move |own| own.pos[k].lane(lane) + sign * own.size[k].lane(lane));
            ends.fold(sign * f64::NEG_INFINITY, |a, b| match sign > 0.0 {
                true => a.max(b),
                false => a.min(b),
            })
        };
        end(1.0) - end(-1.0)
    };
    let axis = |lane: usize| match [0, 1, 2].map(|k| size(lane, k)) {
        [x, y, z] if x > y && x > z => 0,
        [_, y, z] if y > z => 1,
        _ => 2,
    };
    (0..R::WIDTH).map(axis).collect()
}

// largest distance of the surface of a flex from its elements
fn reach<R: Real>(m: &Model, d: &Data<R>, f: usize) -> R {
    if !is_boxed(m, f) {
        return d.own.flex_radius(m, f);
    }
    let [wide, thin] = half_sizes(m, d, f);
    (wide * wide + thin * thin).sqrt()
}

// the box around some vertices, inflated by the radius
fn box_of<R: Real>(d: &Data<R>, vertices: impl Iterator<Item = usize>, radius: R) -> Shape<R> {
    let mut corners = vertices.map(|v| d.flexvert_xpos[v]);
    let first = corners.next().unwrap_or_default();
    let (mut low, mut high) = (first, first);
    for x in corners {
        for i in 0..3 {
            low[i] = low[i].min(x[i]);
            high[i] = high[i].max(x[i]);
        }
    }
    let half = R::splat(0.5);
    let (zero, one) = (R::zero(), R::one());
    Shape {
        pos: scl3(add3(low, high), half),
        mat: [one, zero, zero, zero, one, zero, zero, zero, one],
        size: scl3(sub3(high, low), half).map(|x| x + radius),
    }
}
