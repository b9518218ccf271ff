//! The step of models with the flag `ipc` and flexes of dim 2, whose contacts never let surfaces pass through each other (`mj_ipc`).
//!
//! M. Li and others, arXiv:2512.12151: an augmented Lagrangian instead of a barrier. Each iteration makes the gaps of the active pairs linear
//! where the surfaces are known to be apart, solves for the step with a row for each pair, updates the pairs' multipliers, and moves on
//! towards the solution as far as no surface meets another on the way.

mod active;
mod candidates;
mod inner;
mod near;
mod pair;
pub(crate) mod parts;
mod way;

use active::Active;
pub(crate) use near::is_wall;

use inner::Inner;
use pair::BAND;
use parts::Parts;
use way::Way;

use crate::cpu::lib::hessian::Sparse;
use crate::cpu::lib::primal::{Island, System, update_constraint};
use crate::cpu::lib::rows::patterns;
use crate::cpu::lib::warning::tell;
use crate::fields::{Arrays, Data, Model};
use crate::types::*;

/// Whether the contacts of a model's flexes are resolved by the step itself.
pub fn resolves(m: &Arrays) -> bool {
    m.opt.enabled(ENBL_IPC) && m.opt.is_discrete() && m.flex_dim.contains(&2)
}

/// Largest number of iterations of a step.
const MOST: usize = 1024;
/// Iterations that may follow each other without moving on.
const STUCK: usize = 64;
/// Part of the way below which it does not lead on.
const NO_WAY: f64 = 1e-6;
/// Change of the velocities (m/s) below which a solution is taken as it is.
const STILL: f64 = 0.05;
/// Halvings of a step that raises the cost.
const HALVINGS: usize = 8;
/// Rounding of residuals (m) and of costs.
const OF_RESIDUALS: f64 = 1e-8;
const OF_COSTS: f64 = 1e-12;

/// The step of models with the flag `ipc` and flexes of dim 2 (`mj_ipc`): the acceleration over the timestep, and the constraint forces.
pub fn ipc(m: &Model, d: &mut Data) {
    let parts = Parts::new(m, d);
    let mut step = Step::new(m, d, &parts);
    let complete = step.iterate(m, d);
    let Step { wfree, inner, .. } = step;
    let h = d.own.timestep(m);
    for i in 0..m.nv {
        d.qacc[i] = (wfree[i] - d.qvel[i]) / h;
    }
    write_forces(m, d, &inner.force_of_pairs());
    tell(d, OVERFLOW_IPC, !complete);
}

// forces of the rows at the acceleration over the timestep; the pairs' forces count to those of the constraints
fn write_forces(m: &Model, d: &mut Data, of_pairs: &[f64]) {
    let rows: Vec<i32> = (0..d.nefc[0]).collect();
    let dofs: Vec<i32> = (0..m.nv as i32).collect();
    let system = Sparse::default();
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    Sparse::mul_vec(jacobian, &rows, &d.qacc, &mut d.solver_Jaref);
    for &r in &rows {
        d.solver_Jaref[r as usize] -= d.efc_aref[r as usize];
    }
    let island = Island {
        dofs: &dofs,
        rows: &rows,
        ne: d.ne[0] as usize,
        nf: d.nf[0] as usize,
        scale: 1.0,
        lanes: true,
        number: 0,
    };
    update_constraint(m, d, &system, &island);
    d.qfrc_constraint.copy_from_slice(of_pairs);
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    Sparse::add_mul_t_vec(jacobian, &rows, &d.efc_force, &mut d.qfrc_constraint);
}

/// A step on its way. Its unknowns are the velocities at its end, of all dofs; positions follow from them.
struct Step<'a> {
    parts: &'a Parts,
    inner: Inner,
    h: f64,
    active: Vec<Active>,
    // velocities that the last solve led to, and the vertices' positions
    w: Vec<f64>,
    x: Vec<[f64; 3]>,
    // the same on the way on which no surfaces meet
    wfree: Vec<f64>,
    xfree: Vec<[f64; 3]>,
    // positions without constraints
    unheld: Vec<[f64; 3]>,
}

/// How an iteration ended.
struct Progress {
    /// Part of the way to the solution that led on.
    advance: f64,
    /// The solution was taken as it is.
    whole: bool,
}

impl<'a> Step<'a> {
    fn new(m: &Model, d: &Data, parts: &'a Parts) -> Self {
        let h = d.own.timestep(m);
        let free = |i: usize| d.qvel[i] + h * d.qacc_smooth[i];
        let unheld: Vec<f64> = (0..m.nv).map(free).collect();
        let mut step = Self {
            parts,
            inner: Inner::new(m, d),
            h,
            active: Vec::new(),
            w: vec![0.0; m.nv],
            x: parts.start.clone(),
            wfree: vec![0.0; m.nv],
            xfree: parts.start.clone(),
            unheld: parts.places(h, &unheld),
        };
        let way = Way {
            m,
            d,
            parts,
            from: &parts.start,
            to: &step.unheld,
        };
        let candidates = way.candidates(BAND);
        step.active = active::begin(d, parts, &candidates);

        // vertices that meet nothing begin where they would be without constraints
        if candidates.is_empty() {
            for i in (0..m.nv).filter(|&i| parts.of_vertex[i]) {
                step.w[i] = unheld[i];
            }
            step.x = parts.places(h, &step.w);
        }
        step
    }

    // true if the whole way was gone
    fn iterate(&mut self, m: &Model, d: &mut Data) -> bool {
        d.solver_niter[0] = 0;
        let (mut gone, mut stuck) = (0.0, 0);
        for _ in 0..MOST {
            let Progress { advance, whole } = self.improve(m, d);
            gone += (1.0 - gone) * advance;
            if gone >= 1.0 - 1e-6 && whole {
                break;
            }
            stuck = if advance > NO_WAY { 0 } else { stuck + 1 };
            if stuck >= STUCK || self.w.iter().any(|w| !w.is_finite()) {
                break;
            }
        }
        gone >= 1.0 - 1e-6
    }

    fn improve(&mut self, m: &Model, d: &mut Data) -> Progress {
        for active in &mut self.active {
            active.linearize(m, d, self.parts, &self.xfree);
        }
        let found = self.solve(d);
        let whole = self.search(d, &found);
        active::update(d, self.parts, &mut self.active, &self.x, &self.xfree);
        let way = Way {
            m,
            d,
            parts: self.parts,
            from: &self.xfree,
            to: &self.x,
        };
        let mut candidates = way.candidates(3.0 * BAND);
        let advance = way.advance(&mut candidates);
        active::merge(d, self.parts, &mut self.active, &candidates);
        for (i, free) in self.wfree.iter_mut().enumerate() {
            if !self.parts.held_up[i] {
                *free = self.w[i];
            } else if advance > NO_WAY {
                *free += advance * (self.w[i] - *free);
            }
        }
        self.xfree = self.parts.places(self.h, &self.wfree);
        Progress { advance, whole }
    }

    // the velocities that the rows and the active pairs lead to. Pairs that do not push get no row
    fn solve(&mut self, d: &mut Data) -> Vec<f64> {
        let inside = |active: &Active, x: &[[f64; 3]]| active.residual(x, &self.xfree);
        let pushes =
            |active: &Active| inside(active, &self.unheld) < 0.0 || inside(active, &self.x) < 0.0;
        let mut has_row: Vec<bool> = self.active.iter().map(pushes).collect();
        let mut warm = d.qacc_warmstart.clone();
        loop {
            let pairs = self.active.iter().zip(&has_row);
            let pairs = pairs.filter(|(_, has_row)| **has_row).map(|(pair, _)| pair);
            let niter = self.inner.solve(self.parts, pairs, &self.xfree, &warm);
            d.solver_niter[0] += niter as i32;
            warm.copy_from_slice(self.inner.qacc());
            let speed = |(v, a): (&f64, &f64)| v + self.h * a;
            let found: Vec<f64> = d.qvel.iter().zip(&warm).map(speed).collect();

            // pairs without a row that would push there get one, and all is solved again
            let x = self.parts.places(self.h, &found);
            let mut more = false;
            for (active, has_row) in self.active.iter().zip(&mut has_row) {
                if !*has_row && active.residual(&x, &self.xfree) < -OF_RESIDUALS {
                    *has_row = true;
                    more = true;
                }
            }
            if !more {
                return found;
            }
        }
    }

    // goes towards the solution until the cost does not rise; true if all the way, or if it is near
    fn search(&mut self, d: &Data, found: &[f64]) -> bool {
        let change: Vec<f64> = found
            .iter()
            .zip(&self.w)
            .map(|(to, from)| to - from)
            .collect();
        let near = change.iter().all(|x| x.abs() <= STILL);
        let before = match near {
            true => f64::INFINITY,
            false => self.cost(d, &self.w, &self.x),
        };
        let mut part = 1.0;
        for k in 0..HALVINGS {
            let trial = |(from, change): (&f64, &f64)| from + part * change;
            let w: Vec<f64> = self.w.iter().zip(&change).map(trial).collect();
            let x = self.parts.places(self.h, &w);
            if near || self.cost(d, &w, &x) <= before + OF_COSTS || k + 1 == HALVINGS {
                (self.w, self.x) = (w, x);
                break;
            }
            part *= 0.5;
        }
        near || part == 1.0
    }

    // what the solve minimises, in units of positions
    fn cost(&self, d: &Data, w: &[f64], x: &[[f64; 3]]) -> f64 {
        let over_step = |(w, v): (&f64, &f64)| (w - v) / self.h;
        let qacc: Vec<f64> = w.iter().zip(&d.qvel).map(over_step).collect();
        let of_pairs = self.active.iter().map(|active| {
            let inside = active.residual(x, &self.xfree).min(0.0);
            0.5 * active.softened * inside * inside
        });
        let of_pairs: f64 = of_pairs.sum();
        self.h * self.h * self.inner.cost(&qacc) + of_pairs
    }
}
