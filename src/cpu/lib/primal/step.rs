//! The best step along a search direction.

use super::{Island, System, runs};
use crate::cpu::lib::cone::{PATH, is_elliptic};
use crate::cpu::lib::coupling::add_couplings;
use crate::cpu::lib::linesearch::Line;
use crate::cpu::lib::rows::patterns;
use crate::cpu::lib::sparse::mul_m_of;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// A step along the search direction.
#[derive(Clone, Copy)]
pub struct Step<R> {
    /// Step length.
    pub alpha: R,
    /// Decrease of the cost.
    pub improvement: R,
    /// Number of points evaluated in the line search.
    pub neval: R,
    /// The slope at the step, scaled like a gradient; 0 if it is not asked for.
    pub slope: R,
}

impl<R: Real> Step<R> {
    // no step
    fn none() -> Self {
        let zero = R::zero();
        Self {
            alpha: zero,
            improvement: zero,
            neval: zero,
            slope: zero,
        }
    }
}

/// The best step along the search direction in the `live` lanes, and the decrease of the cost (PrimalSearch).
pub fn line_search<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    island: &Island<'_, R>,
    live: R::Mask,
) -> Step<R> {
    let norm = length(&d.solver_search, island.dofs);
    let live = live & !norm.lt(R::splat(MINVAL));
    if !live.any() {
        return Step::none();
    }
    products(m, d, system, island);

    // the parts that are quadratic everywhere: inertia and equalities
    let smooth = smooth_along(d, island);

    // the other rows: friction losses, one-sided rows, elliptic contacts
    let parts = gather_parts(m, d, system, island, live);
    let line = parts.line(d, island, smooth);
    let gtol = d.own.tolerance(m) * d.own.ls_tolerance(m) * norm / island.scale;
    let found = line.search(gtol, live, m.opt.ls_iterations);
    Step {
        alpha: found.alpha,
        improvement: found.gain,
        neval: found.neval,
        slope: match m.nsolver {
            0 => R::zero(),
            _ => line.eval(found.alpha).deriv[0].abs() * island.scale / norm,
        },
    }
}

// length of a vector of an island's dofs
#[inline(always)]
fn length<R: Real>(x: &[R], dofs: &[i32]) -> R {
    let squares = dofs.iter().fold(R::zero(), |sum, &i| {
        let x = x[i as usize];
        x.mul_add(x, sum)
    });
    squares.sqrt()
}

// M and J times the search direction
#[inline(always)]
fn products<R: Real, S: System<R>>(m: &Model, d: &mut Data<R>, system: &S, island: &Island<'_, R>) {
    let search = &d.solver_search;
    let dofs = || island.dofs.iter().map(|&i| i as usize);
    mul_m_of(m, &d.M, &mut d.solver_Mv, search, dofs());
    add_couplings(m, &d.efm_K_val, &mut d.solver_Mv, search, dofs());
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    S::mul_vec(jacobian, island.rows, search, &mut d.solver_Jv);
}

// linear and quadratic coefficients of the cost of inertia and equalities
#[inline(always)]
fn smooth_along<R: Real>(d: &Data<R>, island: &Island<'_, R>) -> [R; 2] {
    let (half, mut smooth) = (R::splat(0.5), [R::zero(); 2]);
    for &i in island.dofs {
        let (i, v) = (i as usize, d.solver_search[i as usize]);
        smooth[0] = v.mul_add(d.solver_Ma[i], smooth[0]);
        smooth[1] = (half * v).mul_add(d.solver_Mv[i], smooth[1]);
    }
    for &r in &island.rows[..island.ne] {
        let r = r as usize;
        let dv = d.efc_D[r] * d.solver_Jv[r];
        smooth[0] = dv.mul_add(d.solver_Jaref[r], smooth[0]);
        smooth[1] = (half * dv).mul_add(d.solver_Jv[r], smooth[1]);
    }
    smooth
}

// numbers of rows whose data for the line search are in `solver_quad`, one kind after the other
struct Parts {
    friction: usize,
    // none: the one-sided rows are consecutive and stay where they are
    one_sided: Option<usize>,
    cones: usize,
}

#[inline(always)]
fn gather_parts<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    island: &Island<'_, R>,
    live: R::Mask,
) -> Parts {
    let (friction, rest) = island.rows[island.ne..].split_at(island.nf);
    let (quads, _) = d.solver_quad.as_chunks_mut::<5>();
    for (quad, &r) in quads.iter_mut().zip(friction) {
        let r = r as usize;
        let loss = d.efc_frictionloss[r];
        let bound = loss * d.efc_R[r];
        *quad = [d.solver_Jaref[r], d.solver_Jv[r], d.efc_D[r], loss, bound];
    }
    let at = 5 * friction.len();
    let packed = system.pack(m, d, rest, live, at);
    let stay = packed.is_none() && is_contiguous(rest) && m.opt.cone == Cone::Pyramidal;
    let [num, cones] = match stay {
        true => [0, 0],
        false => packed.unwrap_or_else(|| gather(m, d, system, rest, at)),
    };
    Parts {
        friction: friction.len(),
        one_sided: (!stay).then_some(num),
        cones,
    }
}

impl Parts {
    #[inline(always)]
    fn line<'a, R: Real>(
        &self,
        d: &'a Data<R>,
        island: &Island<'_, R>,
        smooth: [R; 2],
    ) -> Line<'a, R> {
        let (friction, rows) = d.solver_quad.split_at(5 * self.friction);
        let (one_sided, cones) = rows.split_at(3 * self.one_sided.unwrap_or(0));
        let one_sided = match self.one_sided {
            Some(num) => [0, 1, 2].map(|k| &one_sided[k * num..(k + 1) * num]),
            None => {
                let rest = &island.rows[island.ne + island.nf..];
                let first = rest.first().map_or(0, |&r| r as usize);
                let range = first..first + rest.len();
                [&d.solver_Jaref, &d.solver_Jv, &d.efc_D].map(|x| &x[range.clone()])
            }
        };
        Line {
            smooth,
            friction: friction.as_chunks::<5>().0,
            one_sided,
            cones: cones[..PATH * self.cones].as_chunks::<PATH>().0,
        }
    }
}

// true if the row numbers are consecutive
fn is_contiguous(rows: &[i32]) -> bool {
    match rows {
        [first, .., last] => (last - first) as usize + 1 == rows.len(),
        _ => true,
    }
}

// collects the line search data of rows from an entry of solver_quad on: residuals, their changes and D of one-sided rows, then
// elliptic contacts; returns the number of both
fn gather<R: Real, S: System<R>>(
    m: &Model,
    d: &mut Data<R>,
    system: &S,
    rows: &[i32],
    at: usize,
) -> [usize; 2] {
    if m.opt.cone == Cone::Pyramidal {
        gather_one_sided(d, rows, at);
        return [rows.len(), 0];
    }
    let one_sided = |&&r: &&i32| !is_elliptic(m, d, r as usize);
    let num = rows.iter().filter(one_sided).count();
    let mut n = at;
    let mut ncone = 0;
    let mut k = 0;
    while k < rows.len() {
        let r = rows[k] as usize;
        if is_elliptic(m, d, r) {
            let contact = system.contact(m, d, r);
            let path = contact.path(&d.efc_D[r..], &d.solver_Jaref[r..], &d.solver_Jv[r..]);
            let at = at + 3 * num + PATH * ncone;
            d.solver_quad[at..at + PATH].copy_from_slice(&path);
            k += contact.dim;
            ncone += 1;
        } else {
            d.solver_quad[n] = d.solver_Jaref[r];
            d.solver_quad[n + num] = d.solver_Jv[r];
            d.solver_quad[n + 2 * num] = d.efc_D[r];
            k += 1;
            n += 1;
        }
    }
    [num, ncone]
}

// residuals, their changes and D of one-sided rows
fn gather_one_sided<R: Real>(d: &mut Data<R>, rows: &[i32], at: usize) {
    let quad = &mut d.solver_quad[at..at + 3 * rows.len()];
    let from = [&d.solver_Jaref, &d.solver_Jv, &d.efc_D];
    for (mut to, from) in quad.chunks_exact_mut(rows.len().max(1)).zip(from) {
        for rows in runs(rows) {
            let (here, rest) = to.split_at_mut(rows.len());
            here.copy_from_slice(&from[rows]);
            to = rest;
        }
    }
}

/// Moves along the search direction.
pub fn take_step<R: Real>(d: &mut Data<R>, island: &Island<'_, R>, alpha: R) {
    for &i in island.dofs {
        let i = i as usize;
        d.qacc[i] = alpha.mul_add(d.solver_search[i], d.qacc[i]);
        d.solver_Ma[i] = alpha.mul_add(d.solver_Mv[i], d.solver_Ma[i]);
    }
    for rows in runs(island.rows) {
        let moves = &d.solver_Jv[rows.clone()];
        for (x, &v) in d.solver_Jaref[rows].iter_mut().zip(moves) {
            *x = alpha.mul_add(v, *x);
        }
    }
}
