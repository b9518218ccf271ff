//! Products with the constraint Jacobian. Rows of one contact are consecutive and have the same dofs, so up to four are processed
//! together: a dof's number is read once.

use wide::{f64x2, f64x4};

use crate::fields::{Arrays, Data};
use crate::real::Real;

/// The patterns of worlds whose other fields are borrowed as well.
macro_rules! patterns {
    ($m:expr, $d:expr) => {
        $crate::cpu::lib::rows::Patterns {
            m: $m,
            num: &$d.contact_dofnum,
            dof: &$d.contact_dof,
        }
    };
}
pub(crate) use patterns;

/// Dofs of a sparsity pattern of the model, in the pattern's order.
#[inline(always)]
pub fn listed_dofs(m: &Arrays, pattern: i32) -> &[i32] {
    let adr = m.Jpat_adr[pattern as usize] as usize;
    &m.Jpat_dof[adr..adr + m.Jpat_num[pattern as usize] as usize]
}

/// Dofs of a sparsity pattern of a row, in the pattern's order.
#[inline(always)]
pub fn dofs_of<'a, R: Real>(m: &'a Arrays, d: &'a Data<R>, pattern: i32) -> &'a [i32] {
    patterns!(m, d).dofs(pattern)
}

/// Sparsity patterns of the rows of some worlds: those of the model, then those of the contacts of blocks, in their slots.
#[derive(Clone, Copy)]
pub struct Patterns<'a> {
    /// Model.
    pub m: &'a Arrays,
    /// Number of dofs of a contact of a block (`contact_dofnum`).
    pub num: &'a [i32],
    /// Dofs of contacts of blocks, `nJelem` slots a contact (`contact_dof`).
    pub dof: &'a [i32],
}

impl<'a> Patterns<'a> {
    /// Dofs of a pattern, ascending.
    #[inline(always)]
    pub fn dofs(&self, pattern: i32) -> &'a [i32] {
        match (pattern as usize).checked_sub(self.m.nJpat) {
            None => listed_dofs(self.m, pattern),
            Some(c) => &self.dof[c * self.m.nJelem..][..self.num[c] as usize],
        }
    }
}

/// Pattern of the rows of the contact in slot `c`, of the pair `k`.
#[inline(always)]
pub fn pattern_of(m: &Arrays, c: usize, k: usize) -> i32 {
    match m.collision_Jpat[k] {
        pattern @ 0.. => pattern,
        _ => (m.nJpat + c) as i32,
    }
}

/// The first row of the contact, connect or weld to which the row `r` belongs.
pub fn first_row<R: Real>(d: &Data<R>, r: usize) -> usize {
    let of = |r: usize| [d.efc_type[r], d.efc_id[r]].map(|x| R::int_lane(x, 0));
    let mut first = r;
    while first > 0 && of(first - 1) == of(r) {
        first -= 1;
    }
    first
}

/// The constraint Jacobian: the sparsity pattern of every row, and its entries in the pattern's order.
#[derive(Clone, Copy)]
pub struct Rows<'a, R> {
    /// The patterns.
    pub of: Patterns<'a>,
    /// Pattern of every row (`efc_Jpat`).
    pub pat: &'a [i32],
    /// Entries, `nJrow` slots a row (`efc_J`).
    pub entries: &'a [R],
}

/// Runs a body for rows that share a pattern: four, two or one of their numbers, their entries, and their dofs.
macro_rules! for_rows {
    ($rows:expr, $list:expr, |$r:ident, $entries:ident, $dof:ident| $body:expr) => {{
        let mut list: &[i32] = $list;
        while let Some(&first) = list.first() {
            let $dof = $rows.dofs(first);
            let pattern = $rows.pat[first as usize];
            let same = |n: usize| list.len() > n && $rows.pat[list[n] as usize] == pattern;
            if same(1) && same(2) && same(3) {
                let $r: [usize; 4] = std::array::from_fn(|i| list[i] as usize);
                let $entries: [&[_]; 4] = std::array::from_fn(|i| $rows.row($r[i], $dof.len()));
                list = &list[4..];
                $body
            } else if same(1) {
                let $r: [usize; 2] = std::array::from_fn(|i| list[i] as usize);
                let $entries: [&[_]; 2] = std::array::from_fn(|i| $rows.row($r[i], $dof.len()));
                list = &list[2..];
                $body
            } else {
                let $r = [first as usize];
                let $entries = [$rows.row($r[0], $dof.len())];
                list = &list[1..];
                $body
            }
        }
    }};
}
pub(crate) use for_rows;

impl<'a, R> Rows<'a, R> {
    /// Dofs of a row.
    #[inline(always)]
    pub fn dofs(&self, r: i32) -> &'a [i32] {
        self.of.dofs(self.pat[r as usize])
    }

    /// Entries of a row with `num` dofs.
    #[inline(always)]
    pub fn row(&self, r: usize, num: usize) -> &'a [R] {
        &self.entries[r * self.of.m.nJrow..][..num]
    }
}

impl Rows<'_, f64> {
    /// `out = J v` for the rows of a list.
    pub fn mul_vec(&self, list: &[i32], v: &[f64], out: &mut [f64]) {
        for_rows!(self, list, |r, rows, dof| {
            let sum = dot_rows(rows, dof, v);
            for i in 0..r.len() {
                out[r[i]] = sum[i];
            }
        });
    }

    /// `out += J' f` for the rows of a list.
    pub fn add_mul_t_vec(&self, list: &[i32], f: &[f64], out: &mut [f64]) {
        for_rows!(self, list, |r, rows, dof| add_rows(
            rows,
            dof,
            r.map(|r| f[r]),
            out
        ));
    }
}

// the first of four consecutive dofs from the k-th on; none if they are not consecutive
#[inline(always)]
pub(crate) fn follow(dof: &[i32], k: usize) -> Option<usize> {
    match dof.get(k..k + 4) {
        Some(&[first, _, _, last]) if last - first == 3 => Some(first as usize),
        _ => None,
    }
}

#[inline(always)]
pub(crate) fn load(x: &[f64], k: usize) -> f64x4 {
    match x.get(k..).and_then(|x| x.first_chunk::<4>()) {
        Some(x) => f64x4::from(*x),
        None => f64x4::ZERO,
    }
}

#[inline(always)]
pub(crate) fn store(x: &mut [f64], k: usize, value: f64x4) {
    if let Some(x) = x.get_mut(k..).and_then(|x| x.first_chunk_mut::<4>()) {
        *x = value.to_array();
    }
}

// the same for two
#[inline(always)]
pub(crate) fn follow_two(dof: &[i32], k: usize) -> Option<usize> {
    match dof.get(k..k + 2) {
        Some(&[first, last]) if last - first == 1 => Some(first as usize),
        _ => None,
    }
}

#[inline(always)]
pub(crate) fn load_two(x: &[f64], k: usize) -> f64x2 {
    match x.get(k..).and_then(|x| x.first_chunk::<2>()) {
        Some(x) => f64x2::from(*x),
        None => f64x2::ZERO,
    }
}

#[inline(always)]
pub(crate) fn store_two(x: &mut [f64], k: usize, value: f64x2) {
    if let Some(x) = x.get_mut(k..).and_then(|x| x.first_chunk_mut::<2>()) {
        *x = value.to_array();
    }
}

/// The sum of four numbers, in the same order on every processor: [`f64x4::reduce_add`] has another order without AVX.
#[inline(always)]
pub(crate) fn sum_of(x: f64x4) -> f64 {
    let [a, b, c, d] = x.to_array();
    (a + c) + (b + d)
}

#[inline(always)]
fn dot_rows<const N: usize>(rows: [&[f64]; N], dof: &[i32], v: &[f64]) -> [f64; N] {
    let mut sum = [0.0; N];
    let mut sum2 = [f64x2::ZERO; N];
    let mut sum4 = [f64x4::ZERO; N];
    let mut k = 0;
    while k < dof.len() {
        if let Some(first) = follow(dof, k) {
            let x = load(v, first);
            for i in 0..N {
                sum4[i] += load(rows[i], k) * x;
            }
            k += 4;
        } else if let Some(first) = follow_two(dof, k) {
            let x = load_two(v, first);
            for i in 0..N {
                sum2[i] += load_two(rows[i], k) * x;
            }
            k += 2;
        } else {
            let x = v[dof[k] as usize];
            for i in 0..N {
                sum[i] += rows[i][k] * x;
            }
            k += 1;
        }
    }
    let sums = sums_of(sum4, sum2);
    for i in 0..N {
        sum[i] += sums[i];
    }
    sum
}

// for each row the sum of its four and its two numbers; two rows at a time share the last addition
#[inline(always)]
fn sums_of<const N: usize>(four: [f64x4; N], two: [f64x2; N]) -> [f64; N] {
    let half: [[f64; 2]; N] = std::array::from_fn(|i| {
        let [a, b, c, d] = four[i].to_array();
        let half = f64x2::from([a, b]) + f64x2::from([c, d]);
        (half + two[i]).to_array()
    });
    let mut sum = [0.0; N];
    for i in (0..N).step_by(2) {
        let next = (i + 1).min(N - 1);
        let first = f64x2::from([half[i][0], half[next][0]]);
        let second = f64x2::from([half[i][1], half[next][1]]);
        [sum[i], sum[next]] = (first + second).to_array();
    }
    sum
}

#[inline(always)]
fn add_rows<const N: usize>(rows: [&[f64]; N], dof: &[i32], f: [f64; N], out: &mut [f64]) {
    if f.iter().all(|&f| f == 0.0) {
        return;
    }
    let f4 = f.map(f64x4::splat);
    let f2 = f.map(f64x2::splat);
    let mut k = 0;
    while k < dof.len() {
        if let Some(first) = follow(dof, k) {
            let mut sum = load(rows[0], k) * f4[0];
            for i in 1..N {
                sum += load(rows[i], k) * f4[i];
            }
            store(out, first, load(out, first) + sum);
            k += 4;
        } else if let Some(first) = follow_two(dof, k) {
            let mut sum = load_two(rows[0], k) * f2[0];
            for i in 1..N {
                sum += load_two(rows[i], k) * f2[i];
            }
            store_two(out, first, load_two(out, first) + sum);
            k += 2;
        } else {
            let mut sum = rows[0][k] * f[0];
            for i in 1..N {
                sum += rows[i][k] * f[i];
            }
            out[dof[k] as usize] += sum;
            k += 1;
        }
    }
}
