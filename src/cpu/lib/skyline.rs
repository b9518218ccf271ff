//! Symmetric positive definite matrices whose rows end early: H = U D U', U unit upper triangular.
//!
//! Dofs are numbered parents first, so a dof's subtree follows it and its row of the inertia is full from the diagonal to
//! the subtree's last dof. Elimination from the last dof to the first leaves these ends where they are: no fill-in.
//!
//! ```text
//!        0 1 2 3 4 5 6
//!   0  [ * * * * * * * ]   root           row j holds H[j][j..=end[j]],
//!   1  [   * * *       ]   left limb      at adr[j] + j .. = adr[j] + end[j]
//!   2  [     * *       ]
//!   3  [       *       ]
//!   4  [         * * * ]   right limb     a row that ties 2 to 5 moves the ends
//!   5  [           * * ]                  of 2 and of all that precede it in the
//!   6  [             * ]                  row's pattern to 5
//! ```

use crate::real::Real;

/// The rows that come before each column's own and reach it.
#[derive(Clone, Debug, Default)]
pub struct Above {
    // of all columns, one behind the other, ascending; where those of a column begin, and where its next one goes
    rows: Vec<i32>,
    first: Vec<usize>,
    next: Vec<usize>,
}

impl Above {
    /// Finds them: a row reaches the columns up to its end.
    pub fn find(&mut self, end: &[i32]) {
        let reached = |i: usize| i + 1..end[i] as usize + 1;
        self.next.clear();
        self.next.resize(end.len() + 1, 0);
        for j in (0..end.len()).flat_map(reached) {
            self.next[j] += 1;
        }
        self.first.clear();
        let mut sum = 0;
        for next in &mut self.next {
            self.first.push(sum);
            sum += std::mem::replace(next, sum);
        }
        self.rows.clear();
        self.rows.resize(sum, 0);
        for i in 0..end.len() {
            for next in &mut self.next[reached(i)] {
                self.rows[*next] = i as i32;
                *next += 1;
            }
        }
    }

    #[inline(always)]
    fn of(&self, column: usize) -> &[i32] {
        &self.rows[self.first[column]..self.first[column + 1]]
    }
}

/// Factors H = U D U' in place: `a` holds H before and U after; `dinv` is 1 / D. False where a pivot was below `mindiag`
/// (and taken as `mindiag`).
pub fn factor<R: Real>(
    a: &mut [R],
    dinv: &mut [R],
    adr: &[i32],
    above: &Above,
    mindiag: R,
) -> R::Mask {
    let mut full_rank = R::zero().le(R::zero());
    for j in (0..dinv.len()).rev() {
        let at = adr[j] as usize + j;
        full_rank = full_rank & !a[at].lt(mindiag);
        let pivot = a[at].max(mindiag);
        a[at] = pivot;
        dinv[j] = R::one() / pivot;

        // the column, times itself, is taken off what is above it; four rows at a time share the entries that they load
        let mut rows = above.of(j);
        while let [first, second, third, fourth, ..] = *rows {
            let four = [first, second, third, fourth];
            eliminate(a, adr, j, dinv[j], four, &rows[4..]);
            rows = &rows[4..];
        }
        while let [row, rest @ ..] = rows {
            eliminate(a, adr, j, dinv[j], [*row], rest);
            rows = rest;
        }
    }
    full_rank
}

// takes the column times itself off some rows, which then have their entries of U; `rest` are the rows between them and it
#[inline(always)]
fn eliminate<R: Real, const N: usize>(
    a: &mut [R],
    adr: &[i32],
    column: usize,
    dinv: R,
    rows: [i32; N],
    rest: &[i32],
) {
    let at = rows.map(|i| adr[i as usize] as usize);
    let x: [R; N] = std::array::from_fn(|n| a[at[n] + column]);
    let u: [R; N] = std::array::from_fn(|n| x[n] * dinv);
    let less = |a: &mut R, n: usize, x: R| *a = (-u[n]).mul_add(x, *a);
    for k in 0..N {
        for n in 0..=k {
            less(&mut a[at[n] + rows[k] as usize], n, x[k]);
        }
    }
    for &k in rest {
        let k = k as usize;
        let x = a[adr[k] as usize + column];
        for n in 0..N {
            less(&mut a[at[n] + k], n, x);
        }
    }
    for n in 0..N {
        a[at[n] + column] = u[n];
    }
}

/// Solves U D U' x = b in place.
pub fn solve<R: Real>(x: &mut [R], u: &[R], dinv: &[R], adr: &[i32], end: &[i32], above: &Above) {
    let n = end.len();

    // x = inv(U) b
    for j in (0..n).rev() {
        let xj = -x[j];
        for &i in above.of(j) {
            let i = i as usize;
            x[i] = xj.mul_add(u[adr[i] as usize + j], x[i]);
        }
    }

    // x = inv(U') inv(D) x
    for (x, &dinv) in x.iter_mut().zip(dinv) {
        *x *= dinv;
    }
    for j in 0..n {
        let last = end[j] as usize;
        let start = (adr[j] + j as i32) as usize;
        let xj = x[j];
        for (x, u) in x[j + 1..=last]
            .iter_mut()
            .zip(&u[start + 1..=start + last - j])
        {
            *x -= *u * xj;
        }
    }
}
