//! The Hessian of the primal problem, M + J' D J over the quadratic rows and the cones, for worlds side by side; its factor,
//! and Newton's direction. Dofs are numbered from the island's first on.
//!
//! On purpose there are three Hessians. The twin, for one world in f64, keeps the Hessian of an island, adds the rows that became
//! active and subtracts the rows that left. Worlds side by side make the whole Hessian, of an island or a union of the lanes'
//! islands, with its rows from the diagonal to the last dof that is coupled in any lane. Kernels make the whole triangle of an
//! island. In f32 removed rows leave rounding errors behind, which may be as large as the inertia.

use super::rows::Rows;
use crate::cpu::lib::cone::is_elliptic;
use crate::cpu::lib::coupling::{couplings_of, is_coupled};
use crate::cpu::lib::primal::{Island, System};
use crate::cpu::lib::rows::{dofs_of, for_rows, patterns};
use crate::cpu::lib::skyline;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::ConstraintState;

/// Storage of the rows of the Hessian; see [`skyline`].
#[derive(Clone)]
pub(super) struct Shape {
    // first dof
    first: usize,
    // last dof coupled to each dof
    end: Vec<i32>,
    // address of each dof's row, minus the dof's number
    adr: Vec<i32>,
    // number of dofs from the first to the last, and number of entries
    num: usize,
    nh: usize,
}

impl Shape {
    pub(super) fn new(m: &Model) -> Self {
        Self {
            first: 0,
            end: vec![0; m.nv],
            adr: vec![0; m.nv],
            num: 0,
            nh: 0,
        }
    }
}

impl<R: Real> Rows<R> {
    // sparsity of the Hessian, the union over all lanes: the row of every dof ends at the last dof coupled to it
    pub(super) fn find_shape(&mut self, m: &Model, d: &Data<R>, island: &Island<'_, R>) {
        let (Some(&first), Some(&last)) = (island.dofs.first(), island.dofs.last()) else {
            return;
        };
        let shape = &mut self.shape;
        shape.first = first as usize;
        shape.num = (last - first) as usize + 1;
        let end = &mut shape.end[..shape.num];
        for (k, end) in end.iter_mut().enumerate() {
            *end = k as i32;
        }

        // coupling by inertia
        for &i in island.dofs {
            let adr = m.M_rowadr[i as usize] as usize;
            for &j in &m.M_colind[adr..adr + m.M_rownnz[i as usize] as usize] {
                end[(j - first) as usize] = i - first;
            }
            // and by springs and dampers of a discrete step
            if is_coupled(m) {
                for &j in couplings_of(m, i as usize).1 {
                    end[(j - first) as usize] = i - first;
                }
            }
        }

        // coupling by constraint rows
        let mut last_pattern = -1;
        for &r in island.rows {
            let pattern = self.pattern[r as usize];
            if pattern == last_pattern {
                continue;
            }
            last_pattern = pattern;
            let dofs = dofs_of(m, d, pattern);
            let Some(&last) = dofs.last() else { continue };
            for &i in dofs {
                let end = &mut end[(i - first) as usize];
                *end = (last - first).max(*end);
            }
        }

        // rows of the Hessian are stored one after the other
        let mut adr = 0;
        for k in 0..shape.num {
            shape.adr[k] = adr - k as i32;
            adr += shape.end[k] + 1 - k as i32;
        }
        shape.nh = adr as usize;
    }

    // H = M + J' D J over the quadratic rows and the cones, and its factor
    pub(super) fn make_and_factor(&self, m: &Model, d: &mut Data<R>, island: &Island<'_, R>) {
        let shape = &self.shape;
        let mut h = std::mem::take(&mut d.solver_U);
        h[..shape.nh].fill(R::zero());
        for &i in island.dofs {
            let adr = m.M_rowadr[i as usize] as usize;
            for k in adr..adr + m.M_rownnz[i as usize] as usize {
                let j = m.M_colind[k] as usize - shape.first;
                h[(shape.adr[j] + i) as usize - shape.first] = d.M[k];
            }
            if is_coupled(m) {
                let (adr, coupled) = couplings_of(m, i as usize);
                for (k, &j) in coupled.iter().enumerate() {
                    let j = j as usize - shape.first;
                    h[(shape.adr[j] + i) as usize - shape.first] += d.efm_K_val[adr + k];
                }
            }
        }
        if self.cones.is_empty() {
            self.add_list(m, d, island.rows, &mut h);
        } else {
            self.add_lists(m, d, island.rows, &mut h);
        }
        // rows only add to the diagonal of the inertia matrix, also where rounding errors would reduce it
        let inertia = match is_coupled(m) {
            // the couplings of lines may take back what the lines add to M's diagonal: only inertia itself is a bound
            true => &d.qHDiagInv[shape.first..],
            false => &d.qLDiagInv[shape.first..],
        };
        let positive = R::splat(f64::from(f32::MIN_POSITIVE));
        skyline::factor(
            &mut h[..shape.nh],
            &mut d.solver_dinv[..shape.num],
            &shape.adr[..shape.num],
            &shape.end[..shape.num],
            |j| positive.max(R::one() / inertia[j]),
        );
        d.solver_U = h;
    }

    // elliptic contacts that slide in some lane are added as a whole, other rows one by one
    fn add_lists(&self, m: &Model, d: &Data<R>, list: &[i32], h: &mut [R]) {
        let slides = |r: usize| R::int_is(d.efc_state[r], ConstraintState::Cone as i32).any();
        let (mut from, mut k) = (0, 0);
        while k < list.len() {
            let r = list[k] as usize;
            if !is_elliptic(m, d, r) {
                k += 1;
                continue;
            }
            let dim = self.contact(m, d, r).dim;
            if slides(r) {
                self.add_list(m, d, &list[from..k], h);
                match dim {
                    3 => self.add_cone::<3>(m, d, r, h),
                    4 => self.add_cone::<4>(m, d, r, h),
                    _ => self.add_cone::<6>(m, d, r, h),
                }
                from = k + dim;
            }
            k += dim;
        }
        self.add_list(m, d, &list[from..], h);
    }

    // H += J' D J over the quadratic rows of a list
    fn add_list(&self, m: &Model, d: &Data<R>, list: &[i32], h: &mut [R]) {
        let jacobian = self.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
        for_rows!(jacobian, list, |r, entries, dofs| {
            let weight = r.map(|r| quadratic(d, r));
            if weight.iter().any(|w| R::zero().lt(*w).any()) {
                add_rows(&self.shape, entries, dofs, weight, h);
            }
        });
    }

    // H += J' W J for the rows of an elliptic contact
    fn add_cone<const N: usize>(&self, m: &Model, d: &Data<R>, r: usize, h: &mut [R]) {
        let contact = self.contact(m, d, r);
        let mut weight = contact.hessian::<N>(&d.efc_D[r..], &d.solver_Jaref[r..]);
        for n in 0..N {
            weight[n][n] += quadratic(d, r + n);
        }
        let jacobian = self.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
        let dofs = jacobian.dofs(r as i32);
        let entries = std::array::from_fn(|n| jacobian.row(r + n, dofs.len()));
        add_block::<R, N>(&self.shape, entries, dofs, &weight, h);
    }

    // search = - inv(H) grad; returns the gain of a full step, 1/2 grad' inv(H) grad
    pub(super) fn newton_direction(&self, d: &mut Data<R>, island: &Island<'_, R>) -> R {
        let Shape { first, num, .. } = self.shape;
        let x = &mut d.solver_Mgrad[..num];
        if island.dofs.len() < num {
            x.fill(R::zero());
        }
        for &i in island.dofs {
            x[i as usize - first] = d.solver_grad[i as usize];
        }
        let (dinv, adr) = (&d.solver_dinv[..num], &self.shape.adr[..num]);
        skyline::solve(x, &d.solver_U, dinv, adr, &self.shape.end[..num]);
        let mut sum = R::zero();
        for &i in island.dofs {
            let i = i as usize;
            let x = x[i - first];
            d.solver_search[i] = -x;
            sum = x.mul_add(d.solver_grad[i], sum);
        }
        R::splat(0.5) * sum
    }
}

// D of a row in the lanes where its cost is quadratic
#[inline(always)]
fn quadratic<R: Real>(d: &Data<R>, r: usize) -> R {
    let quadratic = R::int_is(d.efc_state[r], ConstraintState::Quadratic as i32);
    R::select(quadratic, d.efc_D[r], R::zero())
}

// H += J' weight J for N rows that touch the same dofs
#[inline(always)]
fn add_rows<R: Real, const N: usize>(
    shape: &Shape,
    entries: [&[R]; N],
    dofs: &[i32],
    weight: [R; N],
    h: &mut [R],
) {
    let entries: [&[R]; N] = entries.map(|row| &row[..dofs.len()]);
    let times = |a: usize| std::array::from_fn(|n| weight[n] * entries[n][a]);
    add_products(shape, entries, dofs, times, h);
}

// H += J' weight J for N coupled rows with the same dofs
#[inline(always)]
fn add_block<R: Real, const N: usize>(
    shape: &Shape,
    entries: [&[R]; N],
    dofs: &[i32],
    weight: &[[R; N]; N],
    h: &mut [R],
) {
    let entries: [&[R]; N] = entries.map(|row| &row[..dofs.len()]);
    let times = |a: usize| {
        let sum = |sum: R, n: usize, k: usize| weight[n][k].mul_add(entries[k][a], sum);
        std::array::from_fn(|n| (0..N).fold(R::zero(), |s, k| sum(s, n, k)))
    };
    add_products(shape, entries, dofs, times, h);
}

// H += `times`(a column of J) times the other columns; two rows of H at a time share the entries that they load
#[inline(always)]
fn add_products<R: Real, const N: usize>(
    shape: &Shape,
    entries: [&[R]; N],
    dofs: &[i32],
    times: impl Fn(usize) -> [R; N],
    h: &mut [R],
) {
    let num = dofs.len();
    let row = |dof: i32| shape.adr[dof as usize - shape.first] - shape.first as i32;
    let add = |h: &mut R, t: &[R; N], b: usize| {
        let mut sum = *h;
        for n in 0..N {
            sum = t[n].mul_add(entries[n][b], sum);
        }
        *h = sum;
    };
    let mut a = 0;
    while a + 1 < num {
        let (t0, t1) = (times(a), times(a + 1));
        let (adr0, adr1) = (row(dofs[a]), row(dofs[a + 1]));
        add(&mut h[(adr0 + dofs[a]) as usize], &t0, a);
        for b in a + 1..num {
            let j = dofs[b];
            add(&mut h[(adr0 + j) as usize], &t0, b);
            add(&mut h[(adr1 + j) as usize], &t1, b);
        }
        a += 2;
    }
    if a < num {
        let adr = row(dofs[a]);
        add(&mut h[(adr + dofs[a]) as usize], &times(a), a);
    }
}
