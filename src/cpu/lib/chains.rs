//! The matrices of [`super::skyline`] for one world: consecutive dofs of a chain are eliminated together, and rows are processed
//! four numbers at a time.

use wide::f64x4;

use super::rows::sum_of;

/// Storage of a matrix's rows: row `i` holds the columns `i ..= end[i]` at `adr[i] + i ..= adr[i] + end[i]`.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// Address of a row, minus its row number.
    pub adr: &'a [i32],
    /// Last column of a row.
    pub end: &'a [i32],
    /// First row that has an entry in a column.
    pub first: &'a [i32],
    /// Last row above the diagonal that has an entry in this column; -1: none.
    pub parent: &'a [i32],
    /// Number of rows, at most three, of the group that begins or ends here: consecutive rows that have entries in each other's
    /// columns.
    pub group: &'a [i32],
}

/// Groups of rows, see [`Shape`]. No row ends inside a group's columns, so a row above has entries in all of its columns or in none.
pub fn groups(group: &mut [i32], end: &[i32]) {
    // mark the ends of rows
    let num = end.len();
    group[..num].fill(0);
    for &end in end {
        group[end as usize] = 1;
    }
    let mut i = num;
    while i > 0 {
        let mut size = 1;
        while size < 3 && size < i && group[i - size - 1] == 0 {
            size += 1;
        }
        group[i - 1] = size as i32;
        i -= size;
        group[i] = size as i32;
    }
}

/// For every column the first row that has an entry in it, and the last one before the diagonal (-1: none). The rows with entries
/// in a column are among those found by following the latter: in a tree, a dof's ancestors.
pub fn reach(first: &mut [i32], parent: &mut [i32], end: &[i32]) {
    let mut covered = 0;
    for i in 0..end.len() {
        // rows that end before this column have no entry in a later one either
        let mut k = i as i32 - 1;
        while k >= 0 && (end[k as usize] as usize) < i {
            k = parent[k as usize];
        }
        parent[i] = k;
        let next = end[i] as usize + 1;
        if next > covered {
            first[covered..next].fill(i as i32);
            covered = next;
        }
    }
}

/// How many numbers [`factor`] may access beyond the end of its arrays.
pub const MARGIN: usize = 3;

/// Number of working columns of [`factor`].
pub const COLUMNS: usize = 3;

/// Factors H = U D U' in place: `a` holds H before and U after, with D on the diagonal; `dinv` is 1 / D. Working memory: [`COLUMNS`]
/// columns, zero before and after, and a list of rows. Arrays have [`MARGIN`] spare numbers at the end. False if a pivot was below
/// `mindiag`, which then replaces it.
pub fn factor(
    a: &mut [f64],
    dinv: &mut [f64],
    columns: &mut [f64],
    list: &mut [i32],
    shape: Shape<'_>,
    mindiag: f64,
) -> bool {
    let mut columns = columns.chunks_exact_mut(columns.len() / COLUMNS);
    let columns: [&mut [f64]; COLUMNS] =
        std::array::from_fn(|_| columns.next().unwrap_or_default());
    let [c0, c1, c2] = columns;
    let mut lowest = mindiag;
    let mut i = shape.end.len();
    while i > 0 {
        // rows of a group are eliminated together
        let num = shape.group[i - 1] as usize;
        i -= num;
        let pivot = match num {
            3 => eliminate(a, dinv, [c0, c1, c2], list, shape, i, mindiag),
            2 => eliminate(a, dinv, [c0, c1], list, shape, i, mindiag),
            _ => eliminate(a, dinv, [c0], list, shape, i, mindiag),
        };
        lowest = lowest.min(pivot);
    }
    lowest >= mindiag
}

// eliminates the columns i .. i + N from the rows above; returns the smallest pivot
#[inline(always)]
fn eliminate<const N: usize>(
    a: &mut [f64],
    dinv: &mut [f64],
    mut columns: [&mut [f64]; N],
    list: &mut [i32],
    shape: Shape<'_>,
    i: usize,
    mindiag: f64,
) -> f64 {
    // the diagonal block, from its last column
    let at = |n: usize| shape.adr[i + n] as usize + i;
    let mut lowest = f64::INFINITY;
    let mut u = [[0.0; N]; N];
    let mut inv = [0.0; N];
    for n in (0..N).rev() {
        let pivot = a[at(n) + n];
        lowest = lowest.min(pivot);
        let pivot = pivot.max(mindiag);
        a[at(n) + n] = pivot;
        inv[n] = 1.0 / pivot;
        dinv[i + n] = inv[n];
        for k in 0..n {
            u[k][n] = a[at(k) + n] * inv[n];
            for j in k..n {
                a[at(k) + j] -= u[k][n] * a[at(j) + n];
            }
        }
        for k in 0..n {
            a[at(k) + n] = u[k][n];
        }
    }

    // rows above with entries in these columns, and these entries
    let mut num = 0;
    let mut next = shape.parent[i];
    while next >= shape.first[i] {
        let k = next as usize;
        if shape.end[k] as usize >= i {
            let start = shape.adr[k] as usize + i;
            let mut row: [f64; N] = std::array::from_fn(|n| a[start + n]);
            for n in (0..N).rev() {
                for j in n + 1..N {
                    row[n] -= u[n][j] * row[j];
                }
                columns[n][k] = row[n];
            }
            list[num] = next;
            num += 1;
        }
        next = shape.parent[k];
    }

    // subtract the columns' multiples from those rows; entries behind the columns' end are zero
    let from: [&[f64]; N] = std::array::from_fn(|n| &*columns[n]);
    for &k in &list[..num] {
        let k = k as usize;
        let start = shape.adr[k] as usize;
        let scl: [f64; N] = std::array::from_fn(|n| from[n][k] * inv[n]);
        sub_columns(&mut a[start + k..], from.map(|c| &c[k..]), scl, i - k);
        a[start + i..start + i + N].copy_from_slice(&scl);
    }
    for &k in &list[..num] {
        for column in &mut columns {
            column[k as usize] = 0.0;
        }
    }
    lowest
}

// to -= columns * scl for num numbers and up to MARGIN more
#[inline(always)]
fn sub_columns<const N: usize>(to: &mut [f64], columns: [&[f64]; N], scl: [f64; N], num: usize) {
    let chunks = num.div_ceil(4);
    let to = &mut to.as_chunks_mut::<4>().0[..chunks];
    let columns = columns.map(|c| &c.as_chunks::<4>().0[..chunks]);
    let scl = scl.map(f64x4::splat);
    for (chunk, to) in to.iter_mut().enumerate() {
        let mut x = f64x4::from(*to);
        for n in 0..N {
            x -= f64x4::from(columns[n][chunk]) * scl[n];
        }
        *to = x.to_array();
    }
}

/// The least share of a pivot that [`update`] may leave.
const SHARE: f64 = 1e-3;

/// Changes the factor of H to that of H + `weight` w w' (Gill, Golub, Murray and Saunders, "Methods for modifying matrix
/// factorizations", 1974). `w` has no entry after `last`, and its entries up to there lie in rows that have entries in each other's
/// columns; it is zero afterwards. False, with the factor spoilt, if a pivot would lose nearly all of its digits.
pub fn update(
    a: &mut [f64],
    dinv: &mut [f64],
    w: &mut [f64],
    mut weight: f64,
    last: usize,
    shape: Shape<'_>,
) -> bool {
    let mut fine = true;
    let mut next = last as i32;
    while next >= 0 {
        let i = next as usize;
        next = shape.parent[i];
        let p = std::mem::take(&mut w[i]);
        if p == 0.0 || !fine {
            continue;
        }
        let at = shape.adr[i] as usize + i;
        let pivot = a[at];
        let new = pivot + weight * p * p;
        fine = new > SHARE * pivot;
        let inv = 1.0 / new;
        let change = weight * p * inv;
        weight *= pivot * inv;
        a[at] = new;
        dinv[i] = inv;

        // rows above with entries in this column
        let mut row = next;
        while row >= shape.first[i] {
            let k = row as usize;
            if shape.end[k] as usize >= i {
                let u = &mut a[shape.adr[k] as usize + i];
                let rest = w[k] - p * *u;
                w[k] = rest;
                *u += change * rest;
            }
            row = shape.parent[k];
        }
    }
    fine
}

/// Solves U D U' x = b in place. Arrays have [`MARGIN`] spare numbers at the end.
pub fn solve(x: &mut [f64], u: &[f64], dinv: &[f64], shape: Shape<'_>) {
    let n = shape.end.len();

    // x = inv(U) b, rows of a group together
    let mut i = n;
    while i > 0 {
        let num = shape.group[i - 1] as usize;
        i -= num;
        match num {
            3 => back::<3>(x, u, shape, i),
            2 => back::<2>(x, u, shape, i),
            _ => back::<1>(x, u, shape, i),
        }
    }

    // x = inv(U') inv(D) x
    for (x, dinv) in x.iter_mut().zip(dinv) {
        *x *= dinv;
    }
    let mut i = 0;
    while i < n {
        let num = shape.group[i] as usize;
        match num {
            3 => forth::<3>(x, u, shape, i),
            2 => forth::<2>(x, u, shape, i),
            _ => forth::<1>(x, u, shape, i),
        }
        i += num;
    }
}

// the first `num` of four numbers, then zeros
#[inline(always)]
fn first(num: usize, x: f64x4) -> f64x4 {
    let keep = |k: usize| f64::from_bits(if k < num { u64::MAX } else { 0 });
    x & f64x4::from([keep(0), keep(1), keep(2), keep(3)])
}

#[inline(always)]
fn load(x: &[f64], k: usize) -> f64x4 {
    match x.get(k..).and_then(|x| x.first_chunk::<4>()) {
        Some(x) => f64x4::from(*x),
        None => f64x4::ZERO,
    }
}

#[inline(always)]
fn store(x: &mut [f64], k: usize, value: f64x4) {
    if let Some(x) = x.get_mut(k..).and_then(|x| x.first_chunk_mut::<4>()) {
        *x = value.to_array();
    }
}

// x[i .. i + N] -= U times the later entries
#[inline(always)]
fn back<const N: usize>(x: &mut [f64], u: &[f64], shape: Shape<'_>, i: usize) {
    let row: [usize; N] = std::array::from_fn(|n| shape.adr[i + n] as usize);
    let end: [usize; N] = std::array::from_fn(|n| shape.end[i + n] as usize + 1);
    let mut sum = [f64x4::ZERO; N];

    let last = end.into_iter().max().unwrap_or(0);
    let mut k = i + N;
    while k < last {
        let x4 = load(x, k);
        for n in 0..N {
            if k < end[n] {
                sum[n] += first(end[n] - k, load(u, row[n] + k)) * x4;
            }
        }
        k += 4;
    }
    for n in (0..N).rev() {
        let mut y = x[i + n] - sum_of(sum[n]);
        for j in n + 1..N {
            y -= u[row[n] + i + j] * x[i + j];
        }
        x[i + n] = y;
    }
}

// later entries -= U' times x[i .. i + N]
#[inline(always)]
fn forth<const N: usize>(x: &mut [f64], u: &[f64], shape: Shape<'_>, i: usize) {
    let row: [usize; N] = std::array::from_fn(|n| shape.adr[i + n] as usize);
    let end: [usize; N] = std::array::from_fn(|n| shape.end[i + n] as usize + 1);
    for n in 0..N {
        for j in n + 1..N {
            x[i + j] -= u[row[n] + i + j] * x[i + n];
        }
    }
    let xi: [f64x4; N] = std::array::from_fn(|n| f64x4::splat(x[i + n]));
    let last = end.into_iter().max().unwrap_or(0);
    let mut k = i + N;
    while k < last {
        let mut x4 = load(x, k);
        for n in 0..N {
            if k < end[n] {
                x4 -= first(end[n] - k, load(u, row[n] + k)) * xi[n];
            }
        }
        store(x, k, x4);
        k += 4;
    }
}
