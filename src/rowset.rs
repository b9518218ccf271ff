//! Sets of arrays of the table: those that changed, those that code reads.

use crate::fields::{FIELDS, Field, Row};

const WORDS: usize = FIELDS.len().div_ceil(64);

/// Some arrays of [`FIELDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RowSet([u64; WORDS]);

impl Default for RowSet {
    fn default() -> Self {
        Self([0; WORDS])
    }
}

impl RowSet {
    /// The set of a list of arrays.
    pub const fn of(rows: &[Row]) -> Self {
        let mut set = [0; WORDS];
        let mut k = 0;
        while k < rows.len() {
            let row = rows[k] as usize;
            set[row / 64] |= 1 << (row % 64);
            k += 1;
        }
        Self(set)
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// Whether the set has an array.
    pub fn has(&self, row: Row) -> bool {
        self.0[row as usize / 64] >> (row as usize % 64) & 1 == 1
    }

    /// Whether two sets have an array in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Adds an array.
    pub fn insert(&mut self, row: Row) {
        *self = self.with(&Self::of(&[row]));
    }

    /// The union of two sets.
    pub fn with(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] | other.0[k]))
    }

    /// The intersection of two sets.
    pub fn and(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|k| self.0[k] & other.0[k]))
    }

    /// The arrays, in the order of the table.
    pub fn fields(self) -> impl Iterator<Item = &'static Field> {
        let bits = |(k, mut word): (usize, u64)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros())?;
                word &= word - 1;
                Some(&FIELDS[64 * k + bit as usize])
            })
        };
        self.0.into_iter().enumerate().flat_map(bits)
    }
}

impl FromIterator<Row> for RowSet {
    fn from_iter<I: IntoIterator<Item = Row>>(rows: I) -> Self {
        let mut set = Self::default();
        rows.into_iter().for_each(|row| set.insert(row));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_gives_its_arrays_in_the_order_of_the_table() {
        let last = FIELDS[FIELDS.len() - 1].row;
        let set = RowSet::of(&[last, Row::body_mass, Row::qpos0]);
        let rows: Vec<Row> = set.fields().map(|field| field.row).collect();
        assert_eq!(rows, [Row::qpos0, Row::body_mass, last]);
        assert!(set.has(last) && !set.has(Row::body_inertia));
        let other = RowSet::of(&[Row::body_inertia, last]);
        assert!(set.meets(&other) && !set.meets(&RowSet::default()));
        assert_eq!(set.and(&other), RowSet::of(&[last]));
        assert_eq!(set.with(&other).fields().count(), 4);
        assert!(RowSet::default().is_empty() && !set.is_empty());
    }
}
