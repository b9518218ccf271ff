//! The inertia matrix and its factor: symmetric, in sparse rows (`M_rownnz M_rowadr M_colind`), each row holding a dof's
//! ancestors in ascending order and the dof itself last.

use crate::cpu::lib::slope::rigid;
use crate::fields::{Arrays, Model, Still};
use crate::real::Real;
use crate::types::MINVAL;

/// Warning of a factorization: the mask of lanes where a pivot was too small.
pub type Clamped<R> = Option<<R as Real>::Mask>;

/// Copies a matrix but for the rows of trees that are still.
#[inline]
pub(crate) fn copy_rows<R: Real>(m: &Model, still: &Still, from: &[R], to: &mut [R]) {
    if !still.any() {
        return to.copy_from_slice(from);
    }
    for i in (0..m.nv).filter(|&i| !still.dof(i)) {
        let adr = m.M_rowadr[i] as usize;
        let row = adr..adr + m.M_rownnz[i] as usize;
        to[row.clone()].copy_from_slice(&from[row]);
    }
}

/// Turns a matrix M into L and D of LᵀDL in place, and 1/diag(D) beside it; a pivot below `MINVAL` becomes `MINVAL`
/// (`mj_factorI`). Rows of trees that are `still` stay as they are. Returns where any did.
#[inline]
pub fn factor_i<R: Real>(
    m: &Model,
    mat: &mut [R],
    diaginv: &mut [R],
    still: impl Fn(usize) -> bool,
) -> Clamped<R> {
    let mut clamped: Clamped<R> = None;
    let mut end = m.nv;
    while end > 0 {
        let k = end - 1;
        if still(k) {
            end = k;
            continue;
        }
        // dofs in a line share what they read of the rows of their ancestors
        let is_next = |k: usize| {
            m.M_rownnz[k] > 1
                && m.dof_parentid[k] == k as i32 - 1
                && m.M_rownnz[k] == m.M_rownnz[k - 1] + 1
        };
        let (num, small) = if is_next(k) && is_next(k - 1) && is_next(k - 2) {
            (4, factor_rows::<R, 4>(m, mat, diaginv, k - 3))
        } else if is_next(k) {
            (2, factor_rows::<R, 2>(m, mat, diaginv, k - 1))
        } else {
            (1, factor_rows::<R, 1>(m, mat, diaginv, k))
        };
        clamped = Some(clamped.map_or(small, |mask| mask | small));
        end -= num;
    }
    clamped
}

// the rows of N dofs from the k-th on, each the parent of the next: row n has n entries more than the first. Returns where a pivot was
// too small
#[inline(always)]
fn factor_rows<R: Real, const N: usize>(
    m: &Model,
    mat: &mut [R],
    diaginv: &mut [R],
    k: usize,
) -> R::Mask {
    let minval = R::splat(MINVAL);
    let start = m.M_rowadr[k] as usize;
    let num = m.M_rownnz[k] as usize - 1;
    let (above, rows) = mat.split_at_mut(start);
    let mut rest = rows;
    let mut rows: [&mut [R]; N] = std::array::from_fn(|n| {
        let (row, after) = std::mem::take(&mut rest).split_at_mut(num + n + 1);
        rest = after;
        row
    });

    let mut clamped = minval.lt(minval);
    let mut inv = [R::zero(); N];
    for n in (0..N).rev() {
        let (earlier, later) = rows.split_at_mut(n);
        let row = &mut *later[0];

        // pivot
        let small = row[num + n].lt(minval);
        row[num + n] = R::select(small, minval, row[num + n]);
        clamped = clamped | small;
        inv[n] = R::one() / row[num + n];
        diaginv[k + n] = inv[n];

        // rows of those before it
        for (a, to) in earlier.iter_mut().enumerate() {
            let scale = row[num + a] * inv[n];
            for (to, from) in to.iter_mut().zip(&*row) {
                *to -= *from * scale;
            }
        }
    }

    // rows of the ancestors of all of them
    let colind = &m.M_colind[start..start + num];
    for (a, &i) in colind.iter().enumerate().rev() {
        let adr = m.M_rowadr[i as usize] as usize;
        let to = &mut above[adr..adr + a + 1];
        let from: [&[R]; N] = std::array::from_fn(|n| &rows[n][..a + 1]);
        let scale: [R; N] = std::array::from_fn(|n| from[n][a] * inv[n]);
        for (b, to) in to.iter_mut().enumerate() {
            let mut x = *to;
            for n in (0..N).rev() {
                x -= from[n][b] * scale[n];
            }
            *to = x;
        }
    }

    // these rows become L
    for (n, row) in rows.iter_mut().enumerate() {
        for x in &mut row[..num + n] {
            *x *= inv[n];
        }
    }
    clamped
}

/// Solves LᵀDL x = b in place (`mj_solveLD`).
#[inline]
#[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
pub fn solve_ld<R: Real>(m: &Arrays, qLD: &[R], qLDiagInv: &[R], x: &mut [R]) {
    solve_ld_of(m, qLD, qLDiagInv, x, |_| false);
}

/// Solves it for the dofs of trees that are not `still`; the others stay as they are.
#[inline]
#[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
pub(crate) fn solve_ld_of<R: Real>(
    m: &Arrays,
    qLD: &[R],
    qLDiagInv: &[R],
    x: &mut [R],
    still: impl Fn(usize) -> bool,
) {
    // Lᵀ, from the leaves
    for i in (1..m.nv).rev() {
        if still(i) {
            continue;
        }
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
        let xi = x[i];
        for (l, &j) in qLD[adr..adr + num].iter().zip(&m.M_colind[adr..adr + num]) {
            x[j as usize] -= *l * xi;
        }
    }

    // D
    for (i, (x, inv)) in x.iter_mut().zip(qLDiagInv).enumerate() {
        if !still(i) {
            *x *= *inv;
        }
    }

    // L, from the root
    for i in 1..m.nv {
        if still(i) {
            continue;
        }
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
        let mut sum = R::zero();
        for (l, &j) in qLD[adr..adr + num].iter().zip(&m.M_colind[adr..adr + num]) {
            sum += *l * x[j as usize];
        }
        x[i] -= sum;
    }
}

/// `res` = M `x` (`mj_mulM`).
#[inline]
#[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
pub fn mul_m<R: Real>(m: &Model, M: &[R], res: &mut [R], x: &[R]) {
    mul_m_of(m, M, res, x, 0..m.nv);
}

/// `res` = M `x` for these dofs alone, which are ascending; they are coupled to no others.
#[inline(always)]
#[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
pub(crate) fn mul_m_of<R: Real>(
    m: &Model,
    M: &[R],
    res: &mut [R],
    x: &[R],
    dofs: impl Iterator<Item = usize>,
) {
    for i in dofs {
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
        let xi = x[i];
        let mut sum = M[adr + num] * xi;
        // the row, and the mirrored column
        for (a, &j) in M[adr..adr + num].iter().zip(&m.M_colind[adr..adr + num]) {
            sum += *a * x[j as usize];
            res[j as usize] += *a * xi;
        }
        res[i] = sum;
    }
}

/// Address of M(i, j) in its row; none if there is none: a simple dof is coupled to no other.
#[inline(always)]
pub fn m_address(m: &Model, i: usize, j: usize) -> Option<usize> {
    let (low, high) = (i.min(j), i.max(j));
    let adr = m.M_rowadr[high] as usize;
    match m.dof_simplenum[high] {
        0 => Some(adr + m.D_diag[low] as usize),
        _ => (low == high).then_some(adr),
    }
}

/// True if dof `low` is dof `high` or one of its ancestors.
#[inline(always)]
pub fn ancestor(m: &Arrays, low: usize, high: usize) -> bool {
    let [place, depth] = [low, high].map(|i| m.D_diag[i] as usize);
    place <= depth && m.D_colind[m.D_rowadr[high] as usize + place] == low as i32
}

/// Address of the entry (i, j) of a full matrix in its rows (`D_rowadr D_diag`), if one of the dofs is an ancestor of the other.
/// The descendants of a dof are those that follow it.
#[inline(always)]
pub fn d_address(m: &Model, i: usize, j: usize) -> usize {
    let start = (m.D_rowadr[i] + m.D_diag[j.min(i)]) as usize;
    start + j.saturating_sub(i)
}

/// A row of a full matrix times `x`.
#[inline(always)]
pub fn mul_d_row<R: Real>(m: &Model, mat: &[R], i: usize, x: &[R]) -> R {
    let adr = m.D_rowadr[i] as usize;
    let mut sum = R::zero();
    for k in adr..adr + m.D_rownnz[i] as usize {
        sum += mat[k] * x[m.D_colind[k] as usize];
    }
    sum
}

/// Factors an unsymmetric matrix in place, all rows or those of free rigid bodies only: A = U L, with ones on the diagonal of U,
/// without fill-in, since the leaves go first (`mju_factorLUSparse`). A pivot below `MINVAL` becomes `MINVAL`; returns where any
/// did.
#[inline]
pub fn factor_lu<R: Real>(m: &Model, mat: &mut [R], rigid_only: bool) -> Clamped<R> {
    let minval = R::splat(MINVAL);
    let mut clamped: Clamped<R> = None;
    for k in (0..m.nv).rev() {
        if rigid_only && !rigid(m, k) {
            continue;
        }
        let start = m.D_rowadr[k] as usize;
        let num = m.D_diag[k] as usize;

        // pivot
        let small = mat[start + num].abs().lt(minval);
        let pivot = R::select(small, minval, mat[start + num]);
        mat[start + num] = pivot;
        clamped = Some(clamped.map_or(small, |mask| mask | small));

        // rows of the ancestors
        for a in 0..num {
            let i = m.D_colind[start + a] as usize;
            let above = d_address(m, i, k);
            let scale = mat[above] / pivot;
            mat[above] = scale;
            for b in 0..num {
                let j = m.D_colind[start + b] as usize;
                let from = mat[start + b];
                mat[d_address(m, i, j)] -= from * scale;
            }
        }
    }
    clamped
}

/// Solves U L x = b over the dofs of the factor in place (`mju_solveLUSparse`).
#[inline]
pub fn solve_lu<R: Real>(m: &Model, mat: &[R], rigid_only: bool, x: &mut [R]) {
    // U, from the leaves
    let taken = |k: usize| !rigid_only || rigid(m, k);
    for k in (0..m.nv).rev().filter(|&k| taken(k)) {
        let (adr, num) = (m.D_rowadr[k] as usize, m.D_diag[k] as usize);
        let xk = x[k];
        for &i in &m.D_colind[adr..adr + num] {
            x[i as usize] -= mat[d_address(m, i as usize, k)] * xk;
        }
    }

    // L, from the root: each dof is subtracted from its descendants
    for k in (0..m.nv).filter(|&k| taken(k)) {
        let depth = m.D_diag[k] as usize;
        x[k] /= mat[m.D_rowadr[k] as usize + depth];
        let xk = x[k];
        for j in k + 1..k + m.D_rownnz[k] as usize - depth {
            x[j] -= mat[m.D_rowadr[j] as usize + depth] * xk;
        }
    }
}
