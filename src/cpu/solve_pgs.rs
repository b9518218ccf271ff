//! Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`): one row or contact after the
//! other gets its best force, in a random order for every sweep, with Nesterov's momentum.
//!
//! B. O'Donoghue, E. Candès: Adaptive restart for accelerated gradient schemes, 2015.

use std::cell::RefCell;

use wide::f64x8;

use crate::cpu::island::island;
use crate::cpu::lib::cone::MAXDIM;
use crate::cpu::lib::dual::*;
use crate::cpu::lib::half::Half;
use crate::cpu::lib::hessian::Sparse;
use crate::cpu::lib::primal::*;
use crate::cpu::lib::problem::{LANES, Numbers, Problem, Whose, sum_of};
use crate::cpu::lib::rows::patterns;
use crate::cpu::lib::stat::{self, SweepNotes};
use crate::cpu::lib::turns::{Sweeps, in_turn};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real, ones};
use crate::types::*;

/// Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`).
pub fn solve_pgs(m: &Model, d: &mut Data) {
    island(m, d);
    d.solver_niter[0] = 0;
    stat::clear_notes(d);
    d.qfrc_constraint.fill(0.0);
    d.qacc.copy_from_slice(&d.qacc_smooth);

    // no rows: qacc is the unconstrained acceleration
    if d.nefc[0] == 0 {
        return;
    }
    let maps = Maps::take(d);
    let all = maps.all(d);
    residuals(m, d, &Sparse::default(), all.rows);
    for k in 0..d.nisland[0] as usize {
        update_constraint(m, d, &Sparse::default(), &island_of(m, d, &maps, k));
    }
    start_forces(m, d, &Sparse::default(), all.rows);
    WORK.with_borrow_mut(|work| sweep_islands(m, d, &maps, work));
    finish(m, d, &Sparse::default(), &all);
    maps.put_back(d);
}

thread_local! {
    // work memory of this thread: islands in progress
    static WORK: RefCell<Work> = RefCell::default();
}

/// Islands in progress.
#[derive(Clone, Default)]
pub struct Work {
    /// Sweeps over the rows of the islands.
    pub sweeps: Vec<Pgs>,
    /// Work memory for making their problems.
    pub half: Half,
    /// Orders in which sweeps update the rows.
    pub orders: Orders,
}

fn sweep_islands(m: &Model, d: &mut Data, maps: &Maps, work: &mut Work) {
    d.island_niter.fill(0);
    if m.opt.iterations <= 0 {
        return;
    }
    let mut next = 0;
    in_turn(&mut work.sweeps, &mut work.orders, |sweeps, done| {
        if done {
            let niter = sweeps.give(d, 0);
            d.island_niter[sweeps.island] = niter;
            d.solver_niter[0] += niter;
        }
        if next == d.nisland[0] as usize {
            return false;
        }
        let island = island_of(m, d, maps, next);
        let (system, lane) = (&Sparse::default(), 0);
        let whose = Whose {
            m,
            d,
            system,
            lane,
            island,
            solved: None,
        };
        sweeps.take(&whose, next, &mut work.half);
        next += 1;
        true
    });
}

/// Starts with the forces of the last acceleration, which must be set already, unless zero forces cost less.
pub fn start_forces<R: Real, S: System<R>>(m: &Model, d: &mut Data<R>, system: &S, rows: &[i32]) {
    let mut cold = R::zero().le(R::zero());
    if !m.opt.disabled(DSBL_WARMSTART) {
        cold = !forces_cost(m, d, system, rows).le(R::zero());
    }
    if cold.any() {
        for &r in rows {
            let force = &mut d.efc_force[r as usize];
            *force = R::select(cold, R::zero(), *force);
        }
    }
}

// 1/2 f' (A + R) f + f' b, where f' A f is the squared norm of J' f after half a solve with the factor of M
fn forces_cost<R: Real, S: System<R>>(m: &Model, d: &mut Data<R>, system: &S, rows: &[i32]) -> R {
    let half = R::splat(0.5);
    let mut cost = R::zero();
    for &r in rows {
        let r = r as usize;
        let force = d.efc_force[r];
        cost += force * (d.efc_b[r] + half * d.efc_R[r] * force);
    }
    let x = &mut d.solver_search;
    x.fill(R::zero());
    let jacobian = system.jacobian(patterns!(m, d), &d.efc_Jpat, &d.efc_J);
    S::add_mul_t_vec(jacobian, rows, &d.efc_force, x);
    cost + half * inverse_square(m, &d.qLD, &d.qLDiagInv, x, 0..m.nv)
}

/// Sweeps over an island's rows until a sweep gains little.
#[derive(Clone, Default)]
pub struct Pgs {
    /// Number of the island in its world.
    pub island: usize,
    /// Lane of the world.
    pub lane: usize,
    problem: Problem,
    // the forces before the last extrapolation, and after it
    before: Numbers,
    ahead: Numbers,
    // constants for the update of single rows
    singles: Vec<Single>,
    // first row and number of rows of the sets that are updated together: elliptic contacts, and all sets
    contacts: Vec<[u32; 2]>,
    sets: Vec<[u32; 2]>,
    // numbers of the sets in the order of a sweep
    order: Vec<u32>,
    shuffled: Shuffled,
    notes: SweepNotes,
    steady: i32,
    niter: i32,
    improvement: f64,
    tolerance: f64,
    iterations: i32,
}

// number of sweeps after which the residuals are recomputed
const AFRESH: i32 = 16;

// a single row: its bounds, the inverse of its diagonal entry of A, and half of the entry
#[derive(Clone, Copy)]
struct Single {
    low: f64,
    high: f64,
    inverse: f64,
    half: f64,
}

impl Pgs {
    /// Becomes the sweeps over an island.
    pub fn take<R: Real, S: System<R>>(
        &mut self,
        whose: &Whose<'_, R, S>,
        island: usize,
        half: &mut Half,
    ) {
        (self.island, self.lane) = (island, whose.lane);
        self.tolerance = whose.d.own.tolerance(whose.m).lane(whose.lane);
        self.iterations = whose.m.opt.iterations;
        self.problem.take(whose, true, half);
        self.notes.begin(whose.m, &self.problem);
        let num = self.problem.rows.len();
        self.before.reset(num);
        self.ahead.reset(num);
        (self.steady, self.niter) = (0, 0);
        let problem = &self.problem;
        self.singles.clear();
        self.singles.extend((0..num).map(|r| Single {
            low: problem.low[r],
            high: problem.high[r],
            inverse: 1.0 / problem.diagonal(r),
            half: 0.5 * problem.diagonal(r),
        }));
        self.contacts.clear();
        self.sets.clear();
        let mut r = 0;
        while r < num {
            let dim = problem.dim[r];
            let set = [r as u32, dim as u32];
            self.sets.push(set);
            if dim > 1 {
                self.contacts.push(set);
            }
            r += dim;
        }
    }

    /// Writes the forces to the world; returns the number of sweeps.
    pub fn give<R: Real>(&self, d: &mut Data<R>, lane: usize) -> i32 {
        self.problem.give(d, lane);
        self.notes.give(d, self.island, lane, 0);
        self.niter
    }

    // extrapolates the forces by a multiple of the last change, within their bounds; keeps the forces before and after
    fn extrapolate(&mut self, momentum: f64) {
        let problem = &mut self.problem;
        if self.niter % AFRESH == 0 {
            problem.accelerate();
        }
        if momentum <= 0.0 {
            problem.keep();
            self.before.0.copy_from_slice(&problem.force.0);
            self.ahead.0.copy_from_slice(&problem.force.0);
            return;
        }
        let by = f64x8::splat(momentum);
        problem.go_on(by);
        for k in 0..self.before.0.len() {
            let force = problem.force.0[k];
            let free = force + by * (force - self.before.0[k]);
            self.before.0[k] = force;
            self.ahead.0[k] = free;
            problem.force.0[k] = free.fast_max(problem.low.0[k]).fast_min(problem.high.0[k]);
        }
        for &[r, dim] in &self.contacts {
            let [r, dim] = [r, dim].map(|x| x as usize);
            project(&mut problem.force[r..r + dim], &problem.friction[r]);
        }

        // correct the residuals, which were extrapolated without bounds
        for k in 0..self.before.0.len() {
            let held = problem.force.0[k] - self.ahead.0[k];
            self.ahead.0[k] = problem.force.0[k];
            for r in ones(held.simd_ne(f64x8::ZERO).to_bitmask()) {
                problem.push(LANES * k + r, held.as_array()[r]);
            }
        }
    }

    // sets a row to its best force at the given forces of the other rows; returns the change of the cost
    #[inline(always)]
    fn relax_row(&mut self, r: usize) -> f64 {
        let problem = &mut self.problem;
        let res = problem.residual(r);
        let old = problem.force[r];
        let Single {
            low,
            high,
            inverse,
            half,
        } = self.singles[r];
        let force = old - res * inverse;
        let force = if force < low { low } else { force };
        let force = if force > high { high } else { force };

        // undo a change that raises the cost
        let change = force - old;
        let cost = change * (half * change + res);
        if cost > NOISE {
            return 0.0;
        }
        problem.set_force(r, force);
        cost
    }

    // sets a contact to its best forces; returns the change of the cost
    fn relax(&mut self, r: usize, num: usize) -> f64 {
        let problem = &mut self.problem;
        let a = problem.block(r, num, 0);
        let (mut res, mut old) = ([0.0; MAXDIM], [0.0; MAXDIM]);
        for k in 0..num {
            res[k] = problem.residual(r + k);
            old[k] = problem.force[r + k];
        }
        let mut new = old;
        relax_contact(&problem.friction[r][..num - 1], &a, &res, &mut new);

        // undo a change that raises the cost
        let change: [f64; MAXDIM] = std::array::from_fn(|k| new[k] - old[k]);
        let cost = cost_change(&a, &change[..num], &res);
        if cost > NOISE {
            return 0.0;
        }
        problem.set_forces(r, &new[..num]);
        cost
    }

    // the change by the sweep times the momentum before it
    fn alignment(&self) -> f64 {
        let mut sum = f64x8::ZERO;
        for k in 0..self.ahead.0.len() {
            let ahead = self.ahead.0[k];
            sum += (self.problem.force.0[k] - ahead) * (ahead - self.before.0[k]);
        }
        sum_of(sum)
    }
}

impl Sweeps for Pgs {
    type Shared = Orders;

    fn begin(&mut self, orders: &mut Orders) -> usize {
        // momentum along the last change, larger the more sweeps there were since a restart
        let momentum = match self.niter {
            0 => 0.0,
            _ => f64::from(self.steady - 1) / f64::from(self.steady + 2),
        };
        self.extrapolate(momentum.max(0.0));

        // one sweep in random order
        let (num, sweep) = (self.sets.len(), self.niter as usize);
        let order = orders.of(num, sweep, &mut self.shuffled);
        self.order.clear();
        self.order.extend_from_slice(order);
        self.improvement = 0.0;
        self.order.len()
    }

    #[inline(always)]
    fn step(&mut self, k: usize) {
        // without elliptic contacts every row is a set
        let set = self.order[k] as usize;
        if self.contacts.is_empty() {
            self.improvement -= self.relax_row(set);
            return;
        }
        let [r, num] = self.sets[set].map(|x| x as usize);
        self.improvement -= match num {
            1 => self.relax_row(r),
            _ => self.relax(r, num),
        };
    }

    fn end(&mut self) -> bool {
        // restart the momentum if it was against the sweep's change
        let against = self.niter > 0 && self.alignment() < 0.0;
        self.steady = if against { 0 } else { self.steady + 1 };
        self.niter += 1;
        let improvement = self.problem.scale * self.improvement;
        self.notes.sweep(&self.problem, improvement);
        let little = improvement < self.tolerance;
        little || self.niter >= self.iterations
    }
}

// projects the forces of a contact on its friction cone
fn project(force: &mut [f64], friction: &[f64]) {
    let mut sum = 0.0;
    for (f, mu) in force[1..].iter().zip(friction) {
        sum += (f / mu) * (f / mu);
    }
    let reach = sum.sqrt();
    if force[0] < 0.0 {
        force.fill(0.0);
    } else if reach > force[0] {
        let scale = force[0] / reach;
        force[1..].iter_mut().for_each(|x| *x *= scale);
    }
}

// scale all forces along their ray, then update the friction forces at that normal force
fn relax_contact(friction: &[f64], a: &Block, res: &[f64; MAXDIM], force: &mut [f64; MAXDIM]) {
    let num = friction.len() + 1;
    let old = *force;
    if old[0] < MINVAL {
        *force = [0.0; MAXDIM];
        force[0] = (old[0] - res[0] / a[0][0]).max(0.0);
    } else {
        let mut curvature = 0.0;
        let mut slope = 0.0;
        for i in 0..num {
            slope += old[i] * res[i];
            for j in 0..num {
                curvature += old[i] * a[i][j] * old[j];
            }
        }
        if curvature >= MINVAL {
            let step = (-slope / curvature).max(-1.0);
            force.iter_mut().for_each(|x| *x += step * *x);
        }
    }
    let normal = force[0];
    if normal < MINVAL {
        force[1..].fill(0.0);
        return;
    }

    // residual of the friction rows without their own forces
    let mut b = [0.0; MAXDIM];
    let mut ac = [[0.0; MAXDIM]; MAXDIM];
    for i in 1..num {
        b[i - 1] = res[i] + a[i][0] * (normal - old[0]);
        for j in 1..num {
            ac[i - 1][j - 1] = a[i][j];
            b[i - 1] -= a[i][j] * old[j];
        }
    }
    let tangent = friction_forces(&ac, &b[..num - 1], friction, normal);
    force[1..num].copy_from_slice(&tangent[..num - 1]);
}

/// Orders in which sweeps update rows and contacts. An order depends only on their number and on the sweep, so the orders of the
/// first sweeps are kept.
#[derive(Clone, Default)]
pub struct Orders {
    of: Vec<Kept>,
}

// the orders for one number of sets, one after the other, and the last one
#[derive(Clone, Default)]
struct Kept {
    orders: Vec<u32>,
    last: Shuffled,
}

// number of sweeps whose orders are kept, for at most this number of sets
const KEPT: usize = 64;
const KEPT_ROWS: usize = 128;

impl Orders {
    // the order of a sweep over `num` sets; `own`: the order of the sweep before, where orders are not kept
    fn of<'a>(&'a mut self, num: usize, sweep: usize, own: &'a mut Shuffled) -> &'a [u32] {
        if num > KEPT_ROWS {
            return own.next(num, sweep);
        }
        if self.of.len() <= num {
            self.of.resize_with(num + 1, Kept::default);
        }
        let Kept { orders, last } = &mut self.of[num];
        if sweep < KEPT {
            if orders.len() == sweep * num {
                orders.extend(last.next(num, sweep));
            }
            return &orders[sweep * num..][..num];
        }
        if sweep == KEPT {
            own.order.clone_from(&last.order);
            own.random = last.random.clone();
        }
        own.next(num, sweep)
    }
}

// an order, and its random generator
#[derive(Clone, Default)]
struct Shuffled {
    order: Vec<u32>,
    random: Pcg32,
}

impl Shuffled {
    // shuffles the order of the sweep before
    fn next(&mut self, num: usize, sweep: usize) -> &[u32] {
        if sweep == 0 {
            self.order.clear();
            self.order.extend(0..num as u32);
            self.random = Pcg32::default();
        }
        for i in (1..num).rev() {
            let j = self.random.next() % (i as u32 + 1);
            self.order.swap(i, j as usize);
        }
        &self.order
    }
}

// M. O'Neill's generator, at the state at which MuJoCo begins every solve
#[derive(Clone)]
struct Pcg32 {
    state: u64,
}

impl Default for Pcg32 {
    fn default() -> Self {
        let mut random = Self { state: 0 };
        random.next();
        random
    }
}

impl Pcg32 {
    fn next(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6364136223846793005).wrapping_add(1);
        let shifted = (((old >> 18) ^ old) >> 27) as u32;
        shifted.rotate_right((old >> 59) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_that_are_kept_are_those_that_are_shuffled() {
        let mut orders = Orders::default();
        for num in [0, 1, 5, 40, KEPT_ROWS, KEPT_ROWS + 1] {
            // the second pass uses kept orders
            for _ in 0..2 {
                let (mut own, mut plain) = (Shuffled::default(), Shuffled::default());
                for sweep in 0..KEPT + 9 {
                    let want = plain.next(num, sweep);
                    assert_eq!(orders.of(num, sweep, &mut own), want, "{num} rows, {sweep}");
                }
            }
        }
    }
}
