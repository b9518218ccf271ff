//! The Hessian of the primal problem, M + J' D J over the quadratic rows and the cones of one island; its factor, and Newton's
//! direction. Dofs are numbered by their index in the island.
//!
//! On purpose there are three Hessians. The twin, for one world in f64, keeps the Hessian of an island, adds the rows that became
//! active and subtracts the rows that left. Worlds side by side make the whole Hessian, of an island or a union of the lanes'
//! islands, with its rows from the diagonal to the last dof that is coupled in any lane. Kernels make the whole triangle of an
//! island. In f32 removed rows leave rounding errors behind, which may be as large as the inertia.

use wide::f64x4;

use super::chains;
use super::cone::{Contact, is_elliptic};
use super::coupling::{couplings_of, is_coupled};
use super::primal::{Island, System};
use super::rows::{Rows, follow, for_rows, load, store};
use crate::fields::{Data, Model};
use crate::types::*;

/// One world in f64: vector operations take four numbers at a time; the Hessian of an island is kept between iterations.
pub struct Sparse;

impl System<f64> for Sparse {
    #[inline(always)]
    fn jacobian<'a>(
        &'a self,
        m: &'a Model,
        patterns: &'a [i32],
        entries: &'a [f64],
    ) -> Rows<'a, f64> {
        let pat = patterns;
        Rows { m, pat, entries }
    }
    fn mul_vec(rows: Rows<'_, f64>, list: &[i32], v: &[f64], out: &mut [f64]) {
        rows.mul_vec(list, v, out);
    }
    fn add_mul_t_vec(rows: Rows<'_, f64>, list: &[i32], f: &[f64], out: &mut [f64]) {
        rows.add_mul_t_vec(list, f, out);
    }
    #[inline(always)]
    fn contact(&self, m: &Model, d: &Data, r: usize) -> Contact<f64> {
        Contact::of(m, d, r)
    }
    fn symbolic(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        symbolic(m, d, island);
    }
    fn make_hessian(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        make_hessian(m, d, island);
    }
    fn update_hessian(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        update_hessian(m, d, island);
    }
    fn factor(&mut self, m: &Model, d: &mut Data, island: &Island<'_, f64>) {
        factor(m, d, island);
    }
    fn direction(&mut self, _m: &Model, d: &mut Data, island: &Island<'_, f64>) -> f64 {
        direction(d, island)
    }
}

// the Jacobian of a world whose other fields are borrowed as well
macro_rules! jacobian {
    ($m:expr, $d:expr) => {
        Sparse.jacobian($m, &$d.efc_Jpat, &$d.efc_J)
    };
}

// storage of the rows of an island's Hessian
macro_rules! shape {
    ($d:expr, $nv:expr) => {
        chains::Shape {
            adr: &$d.solver_adr[..$nv],
            end: &$d.solver_end[..$nv],
            first: &$d.solver_first[..$nv],
            parent: &$d.solver_parent[..$nv],
            group: &$d.solver_group[..$nv],
        }
    };
}

// Sparsity of the island's Hessian: the row of every dof ends at the last dof coupled to it.
fn symbolic(m: &Model, d: &mut Data, island: &Island<'_, f64>) {
    let dofs = island.dofs;
    let end = &mut d.solver_end;

    // coupling by inertia
    for (k, &i) in dofs.iter().enumerate() {
        end[k] = k as i32;
        let adr = m.M_rowadr[i as usize] as usize;
        for &j in &m.M_colind[adr..adr + m.M_rownnz[i as usize] as usize] {
            end[d.map_dof2idof[j as usize] as usize] = k as i32;
        }
        // and by springs and dampers of a discrete step
        if is_coupled(m) {
            for &j in couplings_of(m, i as usize).1 {
                end[d.map_dof2idof[j as usize] as usize] = k as i32;
            }
        }
    }

    // coupling by constraint rows
    let mut last_pattern = -1;
    for &r in island.rows {
        let pattern = d.efc_Jpat[r as usize];
        if pattern == last_pattern {
            continue;
        }
        last_pattern = pattern;
        let pattern_dofs = jacobian!(m, d).dofs(r);
        let Some(&last) = pattern_dofs.last() else {
            continue;
        };
        let last = d.map_dof2idof[last as usize];
        for &i in pattern_dofs {
            let k = d.map_dof2idof[i as usize] as usize;
            end[k] = end[k].max(last);
        }
    }

    // rows of the Hessian are stored one after the other
    let num = dofs.len();
    chains::groups(&mut d.solver_group, &end[..num]);
    chains::reach(&mut d.solver_first, &mut d.solver_parent, &end[..num]);
    let mut adr = 0;
    for k in 0..dofs.len() {
        d.solver_adr[k] = adr - k as i32;
        adr += end[k] + 1 - k as i32;
    }
}

// H = M + J' D J over the quadratic rows.
fn make_hessian(m: &Model, d: &mut Data, island: &Island<'_, f64>) {
    let dofs = island.dofs;
    let nv = dofs.len();
    let nh = d.solver_adr[nv - 1] as usize + nv;
    d.solver_H[..nh].fill(0.0);
    for (k, &i) in dofs.iter().enumerate() {
        let adr = m.M_rowadr[i as usize] as usize;
        for k_m in adr..adr + m.M_rownnz[i as usize] as usize {
            let j = d.map_dof2idof[m.M_colind[k_m] as usize] as usize;
            d.solver_H[d.solver_adr[j] as usize + k] = d.M[k_m];
        }
        if is_coupled(m) {
            let (adr, coupled) = couplings_of(m, i as usize);
            for (n, &j) in coupled.iter().enumerate() {
                let j = d.map_dof2idof[j as usize] as usize;
                d.solver_H[d.solver_adr[j] as usize + k] += d.efm_K_val[adr + n];
            }
        }
    }
    for &r in island.rows {
        d.solver_inH[r as usize] = 0;
    }
    update_hessian(m, d, island);
}

// Adds rows that became quadratic to H and subtracts those that are no longer.
fn update_hessian(m: &Model, d: &mut Data, island: &Island<'_, f64>) {
    let rows = island.rows;
    let (h, adr, place) = (&mut d.solver_H, &d.solver_adr, &d.map_dof2idof);
    for_rows!(jacobian!(m, d), rows, |r, entries, dof| {
        let weight = changes(&mut d.solver_inH, &d.efc_state, &d.efc_D, r);
        if weight.iter().any(|&weight| weight != 0.0) {
            add_rows(h, adr, place, entries, dof, |x| {
                std::array::from_fn(|n| weight[n] * x[n])
            });
        }
    });
}

// adds the cones of sliding contacts to a copy of H
fn add_cones(m: &Model, d: &mut Data, island: &Island<'_, f64>) {
    let mut row = island.ne + island.nf;
    while row < island.rows.len() {
        let r = island.rows[row] as usize;
        if !is_elliptic(m, d, r) {
            row += 1;
            continue;
        }
        let contact = Contact::of(m, d, r);
        row += contact.dim;
        if d.efc_state[r] != ConstraintState::Cone {
            continue;
        }
        match contact.dim {
            3 => add_cone::<3>(m, d, r, &contact),
            4 => add_cone::<4>(m, d, r, &contact),
            _ => add_cone::<6>(m, d, r, &contact),
        }
    }
}

fn add_cone<const N: usize>(m: &Model, d: &mut Data, r: usize, contact: &Contact<f64>) {
    let w = contact.hessian::<N>(&d.efc_D[r..], &d.solver_Jaref[r..]);
    let jacobian = jacobian!(m, d);
    let dof = jacobian.dofs(r as i32);
    let rows = std::array::from_fn(|n| jacobian.row(r + n, dof.len()));
    let (u, adr, place) = (&mut d.solver_U, &d.solver_adr, &d.map_dof2idof);
    add_rows::<N>(u, adr, place, rows, dof, |x| {
        std::array::from_fn(|i| (0..N).map(|j| w[i][j] * x[j]).sum())
    });
}

// change of the rows' D in the Hessian: rows to add or to subtract
#[inline(always)]
fn changes<const N: usize>(
    in_h: &mut [i32],
    state: &[i32],
    inertia: &[f64],
    r: [usize; N],
) -> [f64; N] {
    let mut weight = [0.0; N];
    for n in 0..N {
        let quadratic = i32::from(state[r[n]] == ConstraintState::Quadratic);
        weight[n] = f64::from(quadratic - in_h[r[n]]) * inertia[r[n]];
        in_h[r[n]] = quadratic;
    }
    weight
}

// H += J' W J for rows with the same dofs; `weighted` is W times a column of J
#[inline(always)]
fn add_rows<const N: usize>(
    h: &mut [f64],
    adr: &[i32],
    place: &[i32],
    rows: [&[f64]; N],
    dof: &[i32],
    weighted: impl Fn(&[f64; N]) -> [f64; N],
) {
    for a in 0..dof.len() {
        let row = adr[place[dof[a] as usize] as usize];
        let t = weighted(&std::array::from_fn(|n| rows[n][a]));
        let t4 = t.map(f64x4::splat);
        let mut b = a;
        while b < dof.len() {
            if let Some(first) = follow(dof, b) {
                let at = (row + place[first]) as usize;
                let mut sum = load(h, at);
                for n in 0..N {
                    sum += t4[n] * load(rows[n], b);
                }
                store(h, at, sum);
                b += 4;
            } else {
                let mut sum = 0.0;
                for n in 0..N {
                    sum += t[n] * rows[n][b];
                }
                h[(row + place[dof[b] as usize]) as usize] += sum;
                b += 1;
            }
        }
    }
}

// Factors H; H is recomputed if additions and subtractions left it indefinite.
fn factor(m: &Model, d: &mut Data, island: &Island<'_, f64>) {
    for anew in [false, true] {
        if anew {
            make_hessian(m, d, island);
        }
        let nv = island.dofs.len();
        let nh = d.solver_adr[nv - 1] as usize + nv;
        d.solver_U[..nh].copy_from_slice(&d.solver_H[..nh]);
        if m.opt.cone == Cone::Elliptic {
            add_cones(m, d, island);
        }
        let full_rank = chains::factor(
            &mut d.solver_U,
            &mut d.solver_dinv[..nv],
            &mut d.solver_column,
            &mut d.solver_list,
            shape!(d, nv),
            MINVAL,
        );
        if full_rank {
            break;
        }
    }
}

// Search = - inv(H) grad; returns the gain of a full step, 1/2 grad' inv(H) grad.
fn direction(d: &mut Data, island: &Island<'_, f64>) -> f64 {
    let dofs = island.dofs;
    let nv = dofs.len();
    let x = &mut d.solver_Mgrad;
    for (x, &i) in x.iter_mut().zip(dofs) {
        *x = d.solver_grad[i as usize];
    }
    // numbers are processed four at a time: the numbers behind the last are multiplied by zero, and must not be NaN
    let end = x.len().min(nv + 3);
    x[nv..end].fill(0.0);
    chains::solve(x, &d.solver_U, &d.solver_dinv[..nv], shape!(d, nv));
    let mut sum = 0.0;
    for (x, &i) in x.iter().zip(dofs) {
        d.solver_search[i as usize] = -x;
        sum += x * d.solver_grad[i as usize];
    }
    0.5 * sum
}
