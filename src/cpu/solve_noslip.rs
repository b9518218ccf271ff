//! Friction forces solved again without regularization (`mj_solNoSlip`): sweeps over the friction losses of joints and tendons
//! and the friction of contacts, at the normal forces of the solver.

use std::cell::RefCell;

use crate::cpu::lib::cone::MAXDIM;
use crate::cpu::lib::dual::*;
use crate::cpu::lib::half::Half;
use crate::cpu::lib::hessian::Sparse;
use crate::cpu::lib::primal::*;
use crate::cpu::lib::problem::{Problem, Whose};
use crate::cpu::lib::stat::SweepNotes;
use crate::cpu::lib::turns::{Sweeps, in_turn};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Friction forces solved again without regularization (`mj_solNoSlip`).
pub fn solve_noslip(m: &Model, d: &mut Data) {
    if d.nefc[0] == 0 {
        return;
    }
    let maps = Maps::take(d);
    WORK.with_borrow_mut(|work| sweep_islands(m, d, &maps, work));
    finish(m, d, &Sparse::default(), &maps.all(d));
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
    pub sweeps: Vec<NoSlip>,
    /// Work memory for making their problems.
    pub half: Half,
}

fn sweep_islands(m: &Model, d: &mut Data, maps: &Maps, work: &mut Work) {
    let mut next = 0;
    in_turn(&mut work.sweeps, &mut (), |sweeps, done| {
        if done {
            let niter = sweeps.give(d, 0);
            d.island_niter[sweeps.island] += niter;
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

// kind of friction
#[derive(Clone, Copy)]
enum Slip {
    // friction loss of a dof or tendon
    Joint,
    // two opposite edges of a pyramid
    Edges,
    // an elliptic contact with this number of rows
    Contact(usize),
}

/// Sweeps over an island's friction forces until a sweep gains little.
#[derive(Clone, Default)]
pub struct NoSlip {
    /// Number of the island in its world.
    pub island: usize,
    /// Lane of the world.
    pub lane: usize,
    problem: Problem,
    // first row and kind of each friction
    slips: Vec<(usize, Slip)>,
    notes: SweepNotes,
    niter: i32,
    improvement: f64,
    tolerance: f64,
    iterations: i32,
}

impl NoSlip {
    /// Becomes the sweeps over an island.
    pub fn take<R: Real, S: System<R>>(
        &mut self,
        whose: &Whose<'_, R, S>,
        island: usize,
        half: &mut Half,
    ) {
        (self.island, self.lane) = (island, whose.lane);
        self.tolerance = whose.d.own.noslip_tolerance(whose.m).lane(whose.lane);
        self.iterations = whose.m.opt.noslip_iterations;
        self.niter = 0;
        self.problem.take(whose, false, half);
        self.problem.accelerate();
        self.find_slips();
        self.notes.begin(whose.m, &self.problem);

        // count the cost of regularization as gained
        let problem = &self.problem;
        self.improvement = 0.0;
        for r in 0..problem.rows.len() {
            let force = problem.force[r];
            self.improvement += 0.5 * force * force * problem.softness[r];
        }
    }

    /// Writes the forces to the world; returns the number of sweeps.
    pub fn give<R: Real>(&self, d: &mut Data<R>, lane: usize) -> i32 {
        self.problem.give(d, lane);
        let before = R::int_lane(d.island_niter[self.island], lane);
        self.notes.give(d, self.island, lane, before as usize);
        self.niter
    }

    fn find_slips(&mut self) {
        let problem = &self.problem;
        let [ne, nf] = problem.counts;
        self.slips.clear();
        let mut r = ne;
        while r < problem.rows.len() {
            let mut num = 1;
            if r < ne + nf {
                self.slips.push((r, Slip::Joint));
            } else if problem.dim[r] > 1 {
                num = problem.dim[r];
                self.slips.push((r, Slip::Contact(num)));
            } else if problem.edge[r] {
                num = 2;
                self.slips.push((r, Slip::Edges));
            }
            r += num;
        }
    }

    // updates the friction loss force of a dof or tendon; returns the change of the cost
    fn joint(&mut self, r: usize) -> f64 {
        let problem = &mut self.problem;
        let a = problem.diagonal(r).max(MINVAL);
        let res = problem.residual(r);
        let (old, loss) = (problem.force[r], problem.high[r]);
        let force = (old - res / a).max(-loss).min(loss);
        problem.set_force(r, force);
        let change = force - old;
        change * (0.5 * change * a + res)
    }

    // updates two opposite edges of a pyramid, keeping their sum; returns the change of the cost
    fn pyramidal(&mut self, r: usize) -> f64 {
        let problem = &self.problem;
        let a = soft_block(problem, r, 2, 0);
        let res = [problem.residual(r), problem.residual(r + 1)];
        let old = [problem.force[r], problem.force[r + 1]];
        let b: [f64; 2] = std::array::from_fn(|i| res[i] - a[i][0] * old[0] - a[i][1] * old[1]);
        let middle = 0.5 * (old[0] + old[1]);
        let curvature = a[0][0] + a[1][1] - a[0][1] - a[1][0];
        let slope = middle * (a[0][0] - a[1][1]) + b[0] - b[1];
        let half = match curvature < MINVAL {
            true => 0.0,
            false => (-slope / curvature).max(-middle).min(middle),
        };
        self.commit(r, &a, &[middle + half, middle - half], &res)
    }

    // updates the friction forces of an elliptic contact; returns the change of the cost
    fn elliptic(&mut self, r: usize, dim: usize) -> f64 {
        let problem = &self.problem;
        let num = dim - 1;
        let a = soft_block(problem, r, num, 1);
        let mut res = [0.0; MAXDIM];
        for (k, res) in res[..num].iter_mut().enumerate() {
            *res = problem.residual(r + 1 + k);
        }
        let mut force = [0.0; MAXDIM];
        if problem.force[r] >= MINVAL {
            let mut b = res;
            for i in 0..num {
                for j in 0..num {
                    b[i] -= a[i][j] * problem.force[r + 1 + j];
                }
            }
            let friction = &problem.friction[r][..num];
            force = friction_forces(&a, &b[..num], friction, problem.force[r]);
        }
        self.commit(r + 1, &a, &force[..num], &res)
    }

    // sets forces unless that raises the cost; returns the change of the cost
    fn commit(&mut self, r: usize, a: &Block, force: &[f64], res: &[f64]) -> f64 {
        let mut change = [0.0; MAXDIM];
        for (k, force) in force.iter().enumerate() {
            change[k] = force - self.problem.force[r + k];
        }
        let cost = cost_change(a, &change[..force.len()], res);
        if cost > NOISE {
            return 0.0;
        }
        self.problem.set_forces(r, force);
        cost
    }
}

impl Sweeps for NoSlip {
    type Shared = ();

    fn begin(&mut self, (): &mut ()) -> usize {
        self.slips.len()
    }

    fn step(&mut self, k: usize) {
        let (r, slip) = self.slips[k];
        self.improvement -= match slip {
            Slip::Joint => self.joint(r),
            Slip::Edges => self.pyramidal(r),
            Slip::Contact(dim) => self.elliptic(r, dim),
        };
    }

    fn end(&mut self) -> bool {
        self.niter += 1;
        let improvement = self.problem.scale * self.improvement;
        self.notes.sweep(&self.problem, improvement);
        let little = improvement < self.tolerance;
        self.improvement = 0.0;
        little || self.niter >= self.iterations
    }
}

// A without R, with a minimum diagonal for division
fn soft_block(problem: &Problem, r: usize, num: usize, skip: usize) -> Block {
    let mut a = problem.block(r, num, skip);
    for (k, row) in a[..num].iter_mut().enumerate() {
        row[k] = row[k].max(NOISE);
    }
    a
}
