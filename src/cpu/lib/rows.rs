//! Products with the constraint Jacobian. Rows of one contact follow each other and touch the same dofs, so they are
//! taken up to four at a time: what a dof gives is read once.

use crate::fields::Model;

/// The constraint Jacobian: the sparsity pattern of every row, and its entries in the pattern's order.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    /// Model, for the patterns.
    pub m: &'a Model,
    /// Pattern of every row (`efc_Jpat`).
    pub pat: &'a [i32],
    /// Entries, `nJrow` slots a row (`efc_J`).
    pub entries: &'a [f64],
}

/// Calls a function with rows that share a pattern: numbers of up to four rows, their entries, and their dofs.
macro_rules! for_rows {
    ($rows:expr, $list:expr, |$r:ident, $entries:ident, $dof:ident| $body:expr) => {{
        let mut list: &[i32] = $list;
        while let Some(&first) = list.first() {
            let $dof = $rows.dofs(first);
            let pattern = $rows.pat[first as usize];
            let same = |n: usize| list.len() > n && $rows.pat[list[n] as usize] == pattern;
            if same(1) && same(2) && same(3) {
                let $r: [usize; 4] = std::array::from_fn(|i| list[i] as usize);
                let $entries = $r.map(|r| $rows.row(r, $dof.len()));
                list = &list[4..];
                $body
            } else {
                let $r = [first as usize];
                let $entries = $r.map(|r| $rows.row(r, $dof.len()));
                list = &list[1..];
                $body
            }
        }
    }};
}
pub(crate) use for_rows;

impl<'a> Rows<'a> {
    /// Dofs that a row touches.
    #[inline(always)]
    pub fn dofs(&self, r: i32) -> &'a [i32] {
        let pattern = self.pat[r as usize] as usize;
        let adr = self.m.Jpat_adr[pattern] as usize;
        &self.m.Jpat_dof[adr..adr + self.m.Jpat_num[pattern] as usize]
    }

    /// Entries of a row that touches `num` dofs.
    #[inline(always)]
    pub fn row(&self, r: usize, num: usize) -> &'a [f64] {
        &self.entries[r * self.m.nJrow..][..num]
    }

    /// `out = J v` for the rows of a list.
    pub fn mul_vec(&self, list: &[i32], v: &[f64], out: &mut [f64]) {
        for_rows!(self, list, |r, rows, dof| {
            let sum = dot_rows(rows, dof, v);
            for (r, sum) in r.into_iter().zip(sum) {
                out[r] = sum;
            }
        });
    }

    /// `out -= J' f` for the rows of a list.
    pub fn sub_mul_t_vec(&self, list: &[i32], f: &[f64], out: &mut [f64]) {
        for_rows!(self, list, |r, rows, dof| sub_rows(
            rows,
            dof,
            r.map(|r| f[r]),
            out
        ));
    }
}

#[inline(always)]
fn dot_rows<const N: usize>(rows: [&[f64]; N], dof: &[i32], v: &[f64]) -> [f64; N] {
    let rows = rows.map(|row| &row[..dof.len()]);
    let mut sum = [0.0; N];
    for (k, &dof) in dof.iter().enumerate() {
        let x = v[dof as usize];
        for i in 0..N {
            sum[i] += rows[i][k] * x;
        }
    }
    sum
}

#[inline(always)]
fn sub_rows<const N: usize>(rows: [&[f64]; N], dof: &[i32], f: [f64; N], out: &mut [f64]) {
    if f == [0.0; N] {
        return;
    }
    let rows = rows.map(|row| &row[..dof.len()]);
    for (k, &dof) in dof.iter().enumerate() {
        let mut sum = 0.0;
        for i in 0..N {
            sum += rows[i][k] * f[i];
        }
        out[dof as usize] -= sum;
    }
}
