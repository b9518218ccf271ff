//! The Hessian of the primal problem, M + J' D J over the quadratic rows and the cones, for worlds side by side; its factor,
//! and Newton's direction. Twin of `cpu/lib/hessian.rs`.

use super::cone::MAXDIM;
use super::rows::{Rows, pattern};
use crate::cpu::lib::skyline;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Which dofs are coupled in any lane: every dof's row of the Hessian ends at the last of them
pub fn symbolic<R: Real>(m: &Model, rows: &mut Rows<R>) {
    // by inertia
    for i in 0..m.nv {
        rows.end[i] = i as i32;
        let adr = m.M_rowadr[i] as usize;
        for &j in &m.M_colind[adr..adr + m.M_rownnz[i] as usize] {
            rows.end[j as usize] = i as i32;
        }
    }

    // by rows
    for r in 0..rows.num {
        let dofs = pattern(m, rows.pattern[r]);
        let Some(&last) = dofs.last() else { continue };
        for &i in dofs {
            let end = &mut rows.end[i as usize];
            *end = last.max(*end);
        }
    }

    // rows of the Hessian follow each other
    let mut adr = 0;
    for i in 0..m.nv {
        rows.adr[i] = adr - i as i32;
        adr += rows.end[i] + 1 - i as i32;
    }
    rows.nh = adr as usize;
}

// H = M + J' D J over the quadratic rows, and its factor
pub fn factor<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
    let h = &mut d.solver_U[..rows.nh];
    h.fill(R::zero());
    for i in 0..m.nv {
        let adr = m.M_rowadr[i] as usize;
        for k in adr..adr + m.M_rownnz[i] as usize {
            let j = m.M_colind[k] as usize;
            h[(rows.adr[j] + i as i32) as usize] = d.M[k];
        }
    }
    rows.by_pattern(|r, n| match n {
        4 => add_rows::<R, 4>(m, rows, &d.efc_J, r, h),
        2 => add_rows::<R, 2>(m, rows, &d.efc_J, r, h),
        _ => add_rows::<R, 1>(m, rows, &d.efc_J, r, h),
    });
    for (contact, weight) in rows.cones.iter().zip(&rows.cone_weight) {
        match contact.dim {
            3 => add_cone::<R, 3>(m, rows, &d.efc_J, contact.first, weight, h),
            4 => add_cone::<R, 4>(m, rows, &d.efc_J, contact.first, weight, h),
            _ => add_cone::<R, 6>(m, rows, &d.efc_J, contact.first, weight, h),
        }
    }
    skyline::factor(
        h,
        &mut d.solver_dinv,
        &rows.adr,
        &rows.end,
        R::splat(f64::from(f32::MIN_POSITIVE)),
    );
}

// H += J' weight J for N rows that touch the same dofs; two rows of H at a time share the entries that they load
fn add_rows<R: Real, const N: usize>(
    m: &Model,
    rows: &Rows<R>,
    entries: &[R],
    r: usize,
    h: &mut [R],
) {
    let weight: [R; N] = std::array::from_fn(|n| rows.weight[r + n]);
    if weight.iter().all(|w| w.le(R::zero()).all()) {
        return;
    }
    let (dofs, entries) = rows.some::<N>(m, entries, r);
    let num = dofs.len();
    let entries: [&[R]; N] = entries.map(|row| &row[..num]);
    let times = |a: usize| -> [R; N] { std::array::from_fn(|n| weight[n] * entries[n][a]) };
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
        let adr0 = rows.adr[dofs[a] as usize];
        let adr1 = rows.adr[dofs[a + 1] as usize];
        add(&mut h[(adr0 + dofs[a]) as usize], &t0, a);
        for b in a + 1..num {
            let j = dofs[b];
            add(&mut h[(adr0 + j) as usize], &t0, b);
            add(&mut h[(adr1 + j) as usize], &t1, b);
        }
        a += 2;
    }
    if a < num {
        let adr = rows.adr[dofs[a] as usize];
        add(&mut h[(adr + dofs[a]) as usize], &times(a), a);
    }
}

// H += J' W J for the rows of an elliptic contact
fn add_cone<R: Real, const N: usize>(
    m: &Model,
    rows: &Rows<R>,
    entries: &[R],
    r: usize,
    weight: &[[R; MAXDIM]; MAXDIM],
    h: &mut [R],
) {
    let (dofs, entries) = rows.some::<N>(m, entries, r);
    for (a, &i) in dofs.iter().enumerate() {
        let mut t = [R::zero(); N];
        for n in 0..N {
            for k in 0..N {
                t[n] = weight[n][k].mul_add(entries[k][a], t[n]);
            }
        }
        let adr = rows.adr[i as usize];
        for (b, &j) in dofs.iter().enumerate().skip(a) {
            let h = &mut h[(adr + j) as usize];
            for n in 0..N {
                *h = t[n].mul_add(entries[n][b], *h);
            }
        }
    }
}

/// Search = - inv(H) grad; what a full step would gain, 1/2 grad' inv(H) grad
pub fn direction<R: Real>(m: &Model, d: &mut Data<R>, rows: &Rows<R>) -> R {
    d.solver_Mgrad[..m.nv].copy_from_slice(&d.solver_grad);
    skyline::solve(
        &mut d.solver_Mgrad,
        &d.solver_U,
        &d.solver_dinv,
        &rows.adr,
        &rows.end,
    );
    let mut sum = R::zero();
    for i in 0..m.nv {
        let x = d.solver_Mgrad[i];
        d.solver_search[i] = -x;
        sum = x.mul_add(d.solver_grad[i], sum);
    }
    R::splat(0.5) * sum
}
