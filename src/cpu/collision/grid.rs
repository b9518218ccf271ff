//! Pairs of boxes that overlap, found by a grid.
//!
//! The cells of the grid lie over the two axes along which the boxes are spread the most. A box is in the cell in which it begins. No box
//! is longer than a cell, but for some large ones: so a box overlaps only those of its own cell and of the eight around it, half of which
//! are looked at, the others being looked at from there. The large ones are compared with all.

use super::broad::{Box3, Ends, overlap, spreads};

/// Length of a cell, in mean lengths of the boxes.
const CELL: f64 = 2.0;
/// Part of a cell beyond which a box is large; the rest is for rounding of the number of a cell.
const FULL: f64 = 0.999;

/// An axis of a grid: cells from `low` on.
struct Axis {
    axis: usize,
    low: f64,
    length: f64,
    num: usize,
}

impl Axis {
    fn new(all: &[Ends], axis: usize) -> Self {
        let starts = || all.iter().map(|(_, ends)| ends[axis][0]);
        let (low, high) = starts().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        let lengths = all.iter().map(|(_, ends)| ends[axis][1] - ends[axis][0]);
        let mean = lengths.sum::<f64>() / all.len() as f64;
        // not many more cells than boxes
        let most = (2.0 * (all.len() as f64).sqrt()).ceil();
        let length = (CELL * mean).max((high - low) / most);
        Self {
            axis,
            low,
            length,
            num: 1 + ((high - low) / length).min(most) as usize,
        }
    }

    // number of the cell in which a box begins
    fn cell(&self, ends: &Box3) -> usize {
        (((ends[self.axis][0] - self.low) / self.length) as usize).min(self.num - 1)
    }

    fn is_large(&self, ends: &Box3) -> bool {
        ends[self.axis][1] - ends[self.axis][0] > FULL * self.length
    }
}

/// Calls a function for each pair of boxes that overlap, in any order. Boxes that are not finite may be left out.
pub(super) fn overlapping(all: &[Ends], mut each: impl FnMut(u32, u32)) {
    let spread = spreads(all);
    let least = (0..3).fold(
        0,
        |least, k| if spread[k] < spread[least] { k } else { least },
    );
    let [x, y] = [(least + 1) % 3, (least + 2) % 3].map(|axis| Axis::new(all, axis));
    let (large, small): (Vec<&Ends>, Vec<&Ends>) =
        (all.iter()).partition(|(_, ends)| x.is_large(ends) || y.is_large(ends));

    // by their cells, one row after the other
    let cell = |ends: &Box3| y.cell(ends) * x.num + x.cell(ends);
    let mut first = vec![0; x.num * y.num + 1];
    for (_, ends) in &small {
        first[cell(ends) + 1] += 1;
    }
    for k in 1..first.len() {
        first[k] += first[k - 1];
    }
    let mut next = first.clone();
    let mut sorted = vec![(0, [[0.0; 2]; 3]); small.len()];
    for &&(place, ends) in &small {
        let to = &mut next[cell(&ends)];
        sorted[*to] = (place, ends);
        *to += 1;
    }
    let mut compare = |a: &Ends, others: &[Ends]| {
        for b in others.iter().filter(|b| overlap(&a.1, &b.1)) {
            each(a.0, b.0);
        }
    };
    for row in 0..y.num {
        for column in 0..x.num {
            let at = row * x.num + column;
            // the cell after this one, and the three beside these in the next row
            let after = first[at + if column + 1 < x.num { 2 } else { 1 }];
            let beside = match row + 1 < y.num {
                true => {
                    let from = at + x.num - usize::from(column > 0);
                    let to = at + x.num + usize::from(column + 1 < x.num);
                    first[from]..first[to + 1]
                }
                false => 0..0,
            };
            for k in first[at]..first[at + 1] {
                compare(&sorted[k], &sorted[k + 1..after]);
                compare(&sorted[k], &sorted[beside.clone()]);
            }
        }
    }
    for (k, a) in large.iter().enumerate() {
        compare(a, &sorted);
        large[k + 1..]
            .iter()
            .for_each(|b| compare(a, std::slice::from_ref(*b)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::broad::tests::numbers;

    #[test]
    fn every_pair_that_overlaps_is_found_once() {
        let mut next = numbers();
        // flat, long, some large, far apart, all at one place, one or none
        for (num, spread, size, large) in [
            (300, [10.0, 7.0, 0.1], 0.3, 0.0),
            (300, [0.1, 0.1, 50.0], 0.5, 0.0),
            (200, [5.0, 5.0, 5.0], 0.4, 0.1),
            (100, [1e6, 1.0, 1e-6], 0.1, 0.0),
            (50, [0.0; 3], 0.0, 0.0),
            (1, [1.0; 3], 1.0, 0.0),
            (0, [1.0; 3], 1.0, 0.0),
        ] {
            let all: Vec<Ends> = (0..num)
                .map(|place| {
                    let times = if next() < large { 20.0 } else { 1.0 };
                    let ends = std::array::from_fn(|k| {
                        let start = spread[k] * next();
                        [start, start + size * times * next()]
                    });
                    (place, ends)
                })
                .collect();
            let mut want = Vec::new();
            for (k, a) in all.iter().enumerate() {
                let others = all[k + 1..].iter().filter(|b| overlap(&a.1, &b.1));
                want.extend(others.map(|b| (a.0, b.0)));
            }
            let mut found = Vec::new();
            overlapping(&all, |a, b| found.push((a.min(b), a.max(b))));
            found.sort_unstable();
            assert_eq!(found, want, "{num} {spread:?}");
        }
    }
}
