//! Which numbers of a model changed, and the old numbers, to be put back where a change is refused.

use super::layout;
use crate::fields::{Arrays, Model, Row, View, ViewMut};
use crate::model::Opt;
use crate::rowset::RowSet;

/// Sizes that count nonzero entries, and the fields that they count: a stage is skipped if its count is 0, and no array has such a size.
pub(crate) const COUNTS: &[(&str, &[&str])] = &[
    ("ngravcomp", &["body_gravcomp"]),
    ("nsurfacevel", &["geom_surfacevel"]),
    ("nadhesion", &["geom_adhesion", "pair_adhesion"]),
];

/// Changes of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    /// Arrays.
    pub rows: RowSet,
    /// Options that are reals, some of them.
    pub options: bool,
}

impl Changed {
    /// True if nothing changed.
    pub fn is_nothing(&self) -> bool {
        self.rows.is_empty() && !self.options
    }
}

/// Old numbers of a model, to be put back.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    rows: RowSet,
    // arrays, and where each begins in its list
    starts: Vec<(Row, usize)>,
    reals: Vec<f64>,
    ints: Vec<i32>,
    counts: Vec<usize>,
    opt: Option<Opt>,
}

impl Kept {
    /// Keeps the arrays that are going to be written.
    pub(super) fn of(m: &Arrays, asked: &Changed) -> Self {
        let mut kept = Self {
            counts: COUNTS.iter().filter_map(|(size, _)| m.size(size)).collect(),
            opt: asked.options.then(|| m.opt.clone()),
            ..Self::default()
        };
        let fields = asked.rows.fields();
        fields.for_each(|field| kept.keep(m, field.row));
        kept
    }

    /// Keeps an array, unless it is kept already.
    pub(super) fn keep(&mut self, m: &Arrays, row: Row) {
        if self.rows.has(row) {
            return;
        }
        let start = match m.view(row) {
            Some(View::Real(x)) => {
                self.reals.extend_from_slice(x);
                self.reals.len() - x.len()
            }
            Some(View::Int(x)) => {
                self.ints.extend_from_slice(x);
                self.ints.len() - x.len()
            }
            None => return,
        };
        self.rows.insert(row);
        self.starts.push((row, start));
    }

    /// The kept arrays among `of` that have changed.
    pub(super) fn others(&self, m: &Arrays, of: RowSet) -> RowSet {
        let starts = self.starts.iter().filter(|(row, _)| of.has(*row));
        let other = |(row, start): &(Row, usize)| match m.view(*row) {
            Some(View::Real(x)) => bits(x) != bits(&self.reals[*start..][..x.len()]),
            Some(View::Int(x)) => *x != self.ints[*start..][..x.len()],
            None => false,
        };
        let others = starts.copied().filter(other);
        others.map(|(row, _)| row).collect()
    }

    /// Puts the old numbers back into the model.
    pub fn put_back(self, model: &mut Model) {
        let m = model.arrays_mut();
        if let Some(opt) = self.opt {
            m.opt = opt;
            layout::option_sizes(m);
        }
        for ((size, _), count) in COUNTS.iter().zip(self.counts) {
            m.set_size(size, count);
        }
        for (row, start) in self.starts {
            match m.view_mut(row) {
                Some(ViewMut::Real(to)) => to.copy_from_slice(&self.reals[start..][..to.len()]),
                Some(ViewMut::Int(to)) => to.copy_from_slice(&self.ints[start..][..to.len()]),
                None => {}
            }
        }
    }
}

// compared by bits: zeros of either sign differ, and so do NaNs
fn bits(x: &[f64]) -> &[u64] {
    bytemuck::cast_slice(x)
}
