//! Symmetric positive definite matrices in skyline storage: rows that end early. H = U D U', U unit upper triangular.
//!
//! Dofs are numbered parents first, so a dof's subtree follows it, and its row of the inertia matrix is full from the diagonal to
//! the subtree's last dof. Elimination from the last dof to the first keeps the ends of the rows: no fill-in.
//!
//! ```text
//!        0 1 2 3 4 5 6
//!   0  [ * * * * * * * ]   root           row j holds H[j][j..=end[j]],
//!   1  [   * * *       ]   left limb      at adr[j] + j .. = adr[j] + end[j]
//!   2  [     * *       ]
//!   3  [       *       ]
//!   4  [         * * * ]   right limb     a row that couples 2 and 5 moves the
//!   5  [           * * ]                  ends of 2 and of all earlier dofs in the
//!   6  [             * ]                  row's pattern to 5
//! ```

use crate::real::Real;

/// Sum of products.
#[inline(always)]
pub fn dot<R: Real>(a: &[R], b: &[R]) -> R {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sum = [R::zero(); 4];
    let (head, tail) = a.as_chunks::<4>();
    let (bhead, btail) = b.as_chunks::<4>();
    for (a, b) in head.iter().zip(bhead) {
        for k in 0..4 {
            sum[k] = a[k].mul_add(b[k], sum[k]);
        }
    }
    for (k, (&a, &b)) in tail.iter().zip(btail).enumerate() {
        sum[k] = a.mul_add(b, sum[k]);
    }
    (sum[0] + sum[1]) + (sum[2] + sum[3])
}

/// Factors H = U D U' in place: `a` holds H before and U after; `dinv` is 1 / D. False where a pivot was below `mindiag`, which
/// then replaces it.
pub fn factor<R: Real>(
    a: &mut [R],
    dinv: &mut [R],
    adr: &[i32],
    end: &[i32],
    mindiag: R,
) -> R::Mask {
    let n = end.len();
    let mut full_rank = R::zero().le(R::zero());
    for j in (0..n).rev() {
        let last = end[j] as usize;
        let start = (adr[j] + j as i32) as usize;
        let (row, below) = a[start..].split_at_mut(last - j + 1);

        // row of U times D, starting at its end
        for k in (j + 1..last).rev() {
            let stop = last.min(end[k] as usize);
            let u = (adr[k] as usize + k) - start - row.len();
            let sum = dot(&row[k + 1 - j..=stop - j], &below[u + 1..=u + stop - k]);
            row[k - j] -= sum;
        }

        // pivot, and row of U
        let mut pivot = row[0];
        for (x, &dinv) in row[1..].iter_mut().zip(&dinv[j + 1..]) {
            let u = *x * dinv;
            pivot -= *x * u;
            *x = u;
        }
        full_rank = full_rank & !pivot.lt(mindiag);
        pivot = pivot.max(mindiag);
        row[0] = pivot;
        dinv[j] = R::one() / pivot;
    }
    full_rank
}

/// Solves U D U' x = b in place.
pub fn solve<R: Real>(x: &mut [R], u: &[R], dinv: &[R], adr: &[i32], end: &[i32]) {
    let n = end.len();

    // x = inv(U) b
    for j in (0..n).rev() {
        let last = end[j] as usize;
        let start = (adr[j] + j as i32) as usize;
        let sum = dot(&u[start + 1..=start + last - j], &x[j + 1..=last]);
        x[j] -= sum;
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
