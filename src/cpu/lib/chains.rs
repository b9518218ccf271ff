//! The matrices of [`super::skyline`] for one world: dofs that follow each other in a chain are eliminated together, and
//! rows are taken four numbers at a time.

use wide::f64x4;

/// For every row the last row before it that reaches its column (-1: none), so that all rows that reach a column are found
/// by following these: in a tree, a dof's ancestors. Ends are moved so that a parent's row reaches as far as its children's.
pub fn parents(parent: &mut [i32], end: &mut [i32]) {
    for i in 0..end.len() {
        // rows that ended before this column reach no later one either
        let mut k = i as i32 - 1;
        while k >= 0 && (end[k as usize] as usize) < i {
            k = parent[k as usize];
        }
        parent[i] = k;
    }
    for i in (0..end.len()).rev() {
        if parent[i] >= 0 {
            let k = parent[i] as usize;
            end[k] = end[k].max(end[i]);
        }
    }
}

/// Where a matrix's rows are: a row `i` holds the columns `i ..= end[i]` at `adr[i] + i ..= adr[i] + end[i]`.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    /// Address of a row, less its number.
    pub adr: &'a [i32],
    /// Last column of a row.
    pub end: &'a [i32],
    /// Last row before a row that reaches its column; -1: none.
    pub parent: &'a [i32],
}

/// How far [`factor`] reaches beyond the end of its arrays.
pub const MARGIN: usize = 3;

/// Number of working columns of [`factor`].
pub const COLUMNS: usize = 3;

/// Factors H = U D U' in place: `a` holds H before and U after, with D on the diagonal; `dinv` is 1 / D. Working memory:
/// [`COLUMNS`] columns, zero before and after. Arrays have room for [`MARGIN`] numbers more. False if a pivot was below
/// `mindiag` (and taken as `mindiag`).
pub fn factor(
    a: &mut [f64],
    dinv: &mut [f64],
    columns: &mut [f64],
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
        // dofs that follow each other in a chain go together
        let num = chain(shape, i);
        i -= num;
        let pivot = match num {
            3 => eliminate(a, dinv, [c0, c1, c2], shape, i, mindiag),
            2 => eliminate(a, dinv, [c0, c1], shape, i, mindiag),
            _ => eliminate(a, dinv, [c0], shape, i, mindiag),
        };
        lowest = lowest.min(pivot);
    }
    lowest >= mindiag
}

// eliminates the columns i .. i + N from the rows above; the smallest pivot
#[inline(always)]
fn eliminate<const N: usize>(
    a: &mut [f64],
    dinv: &mut [f64],
    mut columns: [&mut [f64]; N],
    shape: Shape<'_>,
    i: usize,
    mindiag: f64,
) -> f64 {
    // the block on the diagonal, from its last column
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

    // columns of the rows above
    let mut next = shape.parent[i];
    while next >= 0 {
        let k = next as usize;
        let start = shape.adr[k] as usize + i;
        let row = &a[start..start + N];
        for n in (0..N).rev() {
            let mut c = row[n];
            for j in n + 1..N {
                c -= u[n][j] * columns[j][k];
            }
            columns[n][k] = c;
        }
        next = shape.parent[k];
    }

    // rows above, less what the columns explain; behind the columns' end is zero
    let columns_ref: [&[f64]; N] = std::array::from_fn(|n| &*columns[n]);
    let mut next = shape.parent[i];
    while next >= 0 {
        let k = next as usize;
        let start = shape.adr[k] as usize;
        let scl: [f64; N] = std::array::from_fn(|n| columns_ref[n][k] * inv[n]);
        sub_columns(
            &mut a[start + k..],
            columns_ref.map(|c| &c[k..]),
            scl,
            i - k,
        );
        a[start + i..start + i + N].copy_from_slice(&scl);
        next = shape.parent[k];
    }
    let mut next = shape.parent[i];
    while next >= 0 {
        for column in &mut columns {
            column[next as usize] = 0.0;
        }
        next = shape.parent[next as usize];
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

/// Solves U D U' x = b in place. Arrays have room for [`MARGIN`] numbers more.
pub fn solve(x: &mut [f64], u: &[f64], dinv: &[f64], shape: Shape<'_>) {
    let n = shape.end.len();

    // x = inv(U) b, dofs of a chain together
    let mut i = n;
    while i > 0 {
        let num = chain(shape, i);
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
        let follows = |k: usize| k < n && shape.parent[k] == k as i32 - 1;
        let num = match (follows(i + 1), follows(i + 2)) {
            (true, true) => 3,
            (true, false) => 2,
            _ => 1,
        };
        match num {
            3 => forth::<3>(x, u, shape, i),
            2 => forth::<2>(x, u, shape, i),
            _ => forth::<1>(x, u, shape, i),
        }
        i += num;
    }
}

// how many of the dofs before `i`, three at most, follow each other in a chain
#[inline(always)]
fn chain(shape: Shape<'_>, i: usize) -> usize {
    let follows = |k: usize| shape.parent[k] == k as i32 - 1;
    if i >= 2 && follows(i - 1) {
        if i >= 3 && follows(i - 2) { 3 } else { 2 }
    } else {
        1
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

// x[i .. i + N] less what U says of the later ones
#[inline(always)]
fn back<const N: usize>(x: &mut [f64], u: &[f64], shape: Shape<'_>, i: usize) {
    let row: [usize; N] = std::array::from_fn(|n| shape.adr[i + n] as usize);
    let end: [usize; N] = std::array::from_fn(|n| shape.end[i + n] as usize + 1);
    let mut sum = [f64x4::ZERO; N];

    // columns that all rows have, then those of the longer ones
    let mut k = i + N;
    while k < end[0] {
        let x4 = load(x, k);
        for n in 0..N {
            if k < end[n] {
                sum[n] += first(end[n] - k, load(u, row[n] + k)) * x4;
            }
        }
        k += 4;
    }
    for n in (0..N).rev() {
        let mut y = x[i + n] - sum[n].reduce_add();
        for j in n + 1..N {
            y -= u[row[n] + i + j] * x[i + j];
        }
        x[i + n] = y;
    }
}

// later ones less what U' says of x[i .. i + N]
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
    let mut k = i + N;
    while k < end[0] {
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
