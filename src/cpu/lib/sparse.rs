//! The inertia matrix and its factor: symmetric, in the rows of the tree (`M_rownnz M_rowadr M_colind`), each row
//! holding a dof's ancestors in ascending order and the dof itself last.

use crate::fields::Model;
use crate::real::Real;
use crate::types::MINVAL;

/// The warning of a factorization: true where a pivot was too small.
pub type Clamped<R> = Option<<R as Real>::Mask>;

/// Turns a matrix M into L and D of LᵀDL in place, and 1/diag(D) beside it; a pivot below `MINVAL` becomes `MINVAL`
/// (`mj_factorI`). Returns where that happened.
#[inline]
pub fn factor_i<R: Real>(m: &Model, mat: &mut [R], diaginv: &mut [R]) -> Clamped<R> {
    let minval = R::splat(MINVAL);
    let mut clamped: Clamped<R> = None;
    for k in (0..m.nv).rev() {
        let start = m.M_rowadr[k] as usize;
        let num = m.M_rownnz[k] as usize - 1;
        let (above, row) = mat.split_at_mut(start);
        let row = &mut row[..num + 1];

        // pivot
        let small = row[num].lt(minval);
        row[num] = R::select(small, minval, row[num]);
        clamped = Some(clamped.map_or(small, |mask| mask | small));
        let inv = R::one() / row[num];
        diaginv[k] = inv;

        // rows of the ancestors
        let colind = &m.M_colind[start..start + num];
        for (a, &i) in colind.iter().enumerate().rev() {
            let adr = m.M_rowadr[i as usize] as usize;
            let scale = row[a] * inv;
            for (to, from) in above[adr..adr + a + 1].iter_mut().zip(&row[..a + 1]) {
                *to -= *from * scale;
            }
        }

        // this row becomes L
        for x in &mut row[..num] {
            *x *= inv;
        }
    }
    clamped
}

/// Solves LᵀDL x = b in place (`mj_solveLD`).
#[inline]
#[expect(non_snake_case, reason = "the names are MuJoCo's, letter for letter")]
pub fn solve_ld<R: Real>(m: &Model, qLD: &[R], qLDiagInv: &[R], x: &mut [R]) {
    // Lᵀ, from the leaves
    for i in (1..m.nv).rev() {
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
        let xi = x[i];
        for (l, &j) in qLD[adr..adr + num].iter().zip(&m.M_colind[adr..adr + num]) {
            x[j as usize] -= *l * xi;
        }
    }

    // D
    for (x, inv) in x.iter_mut().zip(qLDiagInv) {
        *x *= *inv;
    }

    // L, from the root
    for i in 1..m.nv {
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
    for i in 0..m.nv {
        let (adr, num) = (m.M_rowadr[i] as usize, m.M_rownnz[i] as usize - 1);
        let xi = x[i];
        let mut sum = M[adr + num] * xi;
        // the row, and the column that is its mirror image
        for (a, &j) in M[adr..adr + num].iter().zip(&m.M_colind[adr..adr + num]) {
            sum += *a * x[j as usize];
            res[j as usize] += *a * xi;
        }
        res[i] = sum;
    }
}
