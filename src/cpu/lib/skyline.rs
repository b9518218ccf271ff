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

// sums of products of two rows with the same third one, each with the bits of [`dot`]
#[inline(always)]
fn dot_two<R: Real>(rows: [&[R]; 2], b: &[R]) -> [R; 2] {
    let [first, second] = rows.map(|row| &row[..b.len()]);
    let mut sum = [[R::zero(); 4]; 2];
    let (head, tail) = b.as_chunks::<4>();
    let [(first, first_tail), (second, second_tail)] = [first, second].map(|x| x.as_chunks::<4>());
    for ((first, second), b) in first.iter().zip(second).zip(head) {
        for k in 0..4 {
            sum[0][k] = first[k].mul_add(b[k], sum[0][k]);
            sum[1][k] = second[k].mul_add(b[k], sum[1][k]);
        }
    }
    for (k, ((first, second), &b)) in first_tail.iter().zip(second_tail).zip(tail).enumerate() {
        sum[0][k] = first.mul_add(b, sum[0][k]);
        sum[1][k] = second.mul_add(b, sum[1][k]);
    }
    sum.map(|sum| (sum[0] + sum[1]) + (sum[2] + sum[3]))
}

/// Factors H = U D U' in place: `a` holds H before and U after; `dinv` is 1 / D. False where the pivot of dof j was
/// below `least(j)`, which then replaces it.
pub fn factor<R: Real>(
    a: &mut [R],
    dinv: &mut [R],
    adr: &[i32],
    end: &[i32],
    least: impl Fn(usize) -> R,
) -> R::Mask {
    let mut full_rank = R::zero().le(R::zero());
    let mut j = end.len();
    while j > 0 {
        // two rows with the same end share what they read of the rows below them
        let two = j > 1 && end[j - 1] == end[j - 2];
        j -= if two { 2 } else { 1 };
        let last = end[j] as usize;
        let (row, below) = a[(adr[j] + j as i32) as usize..].split_at_mut(last - j + 1);
        if two {
            let (next, below) = below.split_at_mut(last - j);
            let start = adr[j] as usize + j + row.len() + next.len();
            for k in (j + 2..last).rev() {
                let stop = last.min(end[k] as usize);
                let u = (adr[k] as usize + k) - start;
                let rows = [&row[k + 1 - j..=stop - j], &next[k - j..stop - j]];
                let sum = dot_two(rows, &below[u + 1..=u + stop - k]);
                row[k - j] -= sum[0];
                next[k - j - 1] -= sum[1];
            }
            full_rank = full_rank & divide(next, &mut dinv[j + 1..], least(j + 1));
            if j + 1 < last {
                row[1] -= dot(&row[2..], &next[1..]);
            }
        } else {
            let start = adr[j] as usize + j + row.len();
            for k in (j + 1..last).rev() {
                let stop = last.min(end[k] as usize);
                let u = (adr[k] as usize + k) - start;
                row[k - j] -= dot(&row[k + 1 - j..=stop - j], &below[u + 1..=u + stop - k]);
            }
        }
        full_rank = full_rank & divide(row, &mut dinv[j..], least(j));
    }
    full_rank
}

// makes a row of U of one of U D; its pivot and the inverse of that are stored first. False where the pivot was below `least`
#[inline(always)]
fn divide<R: Real>(row: &mut [R], dinv: &mut [R], least: R) -> R::Mask {
    let mut pivot = row[0];
    for (x, &dinv) in row[1..].iter_mut().zip(&dinv[1..]) {
        let u = *x * dinv;
        pivot -= *x * u;
        *x = u;
    }
    let full_rank = !pivot.lt(least);
    row[0] = pivot.max(least);
    dinv[0] = R::one() / row[0];
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
