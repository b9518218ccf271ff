//! Solvers of the dual problem for worlds side by side. The setup of their problems and the evaluation of the forces run in all
//! lanes at once. The random order of a sweep depends on the number of rows, so every lane has its own problems, one per island,
//! and the reference solves them interleaved.

use super::rows::Rows;
use crate::cpu::lib::dual::finish;
use crate::cpu::lib::half::Halves;
use crate::cpu::lib::primal::{Island, residuals, update_constraint};
use crate::cpu::lib::problem::Whose;
use crate::cpu::lib::rows::dofs_of;
use crate::cpu::lib::stat;
use crate::cpu::lib::turns::in_turn;
use crate::cpu::solve_pgs::start_forces;
use crate::cpu::{solve_noslip as noslip, solve_pgs as pgs};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};

/// Problems of the lanes of a tile.
#[derive(Clone, Default)]
pub struct Problems<R> {
    halves: Halves<R>,
    pgs: pgs::Work,
    noslip: noslip::Work,
    queue: Queue,
    // numbers of all rows of the tile
    all: Vec<i32>,
}

/// Constraint forces and acceleration by projected Gauss-Seidel (`mj_fwdConstraint`, `mj_solPGS`).
pub fn solve_pgs<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    d.solver_niter[0] = R::int(0);
    stat::clear_notes(d);
    d.qfrc_constraint.fill(R::zero());
    d.qacc.copy_from_slice(&d.qacc_smooth);
    rows.find_islands(m, d);

    // no rows: qacc is the unconstrained acceleration
    if rows.num == 0 {
        return;
    }
    let mut problems = std::mem::take(&mut rows.problems);
    problems.list_rows(rows);
    let all = all_of(rows, &problems.all);
    residuals(m, d, rows, all.rows);
    update_constraint(m, d, rows, &all);
    drop_absent(d, rows.num);
    start_forces(m, d, rows, all.rows);
    d.island_niter.fill(R::int(0));
    let pgs::Work {
        sweeps,
        half,
        orders,
    } = &mut problems.pgs;
    let (queue, halves) = (&mut problems.queue, &mut problems.halves);
    halves.take(m, d, rows, &problems.all);
    queue.begin(m, d, rows);
    in_turn(sweeps, orders, |sweeps, done| {
        if done {
            let niter = sweeps.give(d, sweeps.lane);
            R::set_int_lane(&mut d.island_niter[sweeps.island], sweeps.lane, niter);
            add::<R>(&mut d.solver_niter[0], sweeps.lane, niter);
        }
        let next = (m.opt.iterations > 0).then(|| queue.next(m, d, rows, halves));
        let Some((island, whose)) = next.flatten() else {
            return false;
        };
        sweeps.take(&whose, island, half);
        true
    });
    finish(m, d, rows, &all);
    rows.problems = problems;
}

/// Friction forces solved again without regularization (`mj_solNoSlip`).
pub fn solve_noslip<R: Real>(m: &Model, d: &mut Data<R>, rows: &mut Rows<R>) {
    if rows.num == 0 {
        return;
    }
    let mut problems = std::mem::take(&mut rows.problems);
    problems.list_rows(rows);
    drop_absent(d, rows.num);
    let noslip::Work { sweeps, half } = &mut problems.noslip;
    let (queue, halves) = (&mut problems.queue, &mut problems.halves);
    halves.take(m, d, rows, &problems.all);
    queue.begin(m, d, rows);
    in_turn(sweeps, &mut (), |sweeps, done| {
        if done {
            let niter = sweeps.give(d, sweeps.lane);
            add::<R>(&mut d.island_niter[sweeps.island], sweeps.lane, niter);
            add::<R>(&mut d.solver_niter[0], sweeps.lane, niter);
        }
        let Some((island, whose)) = queue.next(m, d, rows, halves) else {
            return false;
        };
        sweeps.take(&whose, island, half);
        true
    });
    finish(m, d, rows, &all_of(rows, &problems.all));
    rows.problems = problems;
}

impl<R: Real> Problems<R> {
    fn list_rows(&mut self, rows: &Rows<R>) {
        self.all.clear();
        self.all.extend(0..rows.num as i32);
    }
}

// zero forces for rows that a lane does not have
fn drop_absent<R: Real>(d: &mut Data<R>, num: usize) {
    for r in 0..num {
        let present = R::zero().lt(d.efc_D[r]);
        d.efc_force[r] = R::select(present, d.efc_force[r], R::zero());
    }
}

// the island of all rows of a tile
fn all_of<'a, R: Real>(rows: &Rows<R>, list: &'a [i32]) -> Island<'a, R> {
    Island {
        dofs: &[],
        rows: list,
        ne: rows.ne,
        nf: rows.nf,
        scale: R::one(),
        lanes: R::zero().le(R::zero()),
        number: R::int(0),
    }
}

fn add<R: Real>(to: &mut R::Int, lane: usize, num: i32) {
    R::set_int_lane(to, lane, R::int_lane(*to, lane) + num);
}

// islands of the lanes, one after the other
#[derive(Clone, Default)]
struct Queue {
    lane: usize,
    island: usize,
    // of each row: the lanes that have it, a bit for each, and the tree of its first dof, or -1
    present: Vec<u32>,
    tree: Vec<i32>,
    // rows of the lane, and the island of each
    own: Vec<i32>,
    island_of: Vec<i32>,
    // rows and dofs of the island
    rows: Vec<i32>,
    dofs: Vec<i32>,
}

impl Queue {
    // restarts at the first lane
    fn begin<R: Real>(&mut self, m: &Model, d: &Data<R>, system: &Rows<R>) {
        (self.lane, self.island) = (0, 0);
        self.present.clear();
        self.tree.clear();
        for r in 0..system.num {
            self.present.push(R::zero().lt(d.efc_D[r]).bits());
            let first = dofs_of(m, d, system.pattern[r]).first();
            let tree = first.map_or(-1, |&dof| m.dof_treeid[dof as usize]);
            self.tree.push(tree);
        }
    }

    // the next island and its lane; none if there are no more
    fn next<'a, R: Real>(
        &'a mut self,
        m: &'a Model,
        d: &'a Data<R>,
        system: &'a Rows<R>,
        halves: &'a Halves<R>,
    ) -> Option<(usize, Whose<'a, R, Rows<R>>)> {
        while self.lane < R::WIDTH && self.island == R::int_lane(d.nisland[0], self.lane) as usize {
            (self.lane, self.island) = (self.lane + 1, 0);
        }
        if self.lane == R::WIDTH {
            return None;
        }
        if self.island == 0 {
            self.find_rows(d);
        }
        let island = self.island;
        self.island += 1;
        self.list(m, d, island as i32);
        let before = |stop: usize| self.rows.partition_point(|&r| (r as usize) < stop);
        let ne = before(system.ne);
        let of_lane = Island {
            dofs: &self.dofs,
            rows: &self.rows,
            ne,
            nf: before(system.ne + system.nf) - ne,
            scale: self.scale(m, d),
            lanes: true,
            number: island as i32,
        };
        let whose = Whose {
            m,
            d,
            system,
            lane: self.lane,
            island: of_lane,
            solved: Some(halves),
        };
        Some((island, whose))
    }

    // finds the rows of the lane, and their islands
    fn find_rows<R: Real>(&mut self, d: &Data<R>) {
        self.own.clear();
        self.island_of.clear();
        for (r, (present, &tree)) in self.present.iter().zip(&self.tree).enumerate() {
            if present >> self.lane & 1 == 0 {
                continue;
            }
            let island = match tree {
                0.. => R::int_lane(d.tree_island[tree as usize], self.lane),
                _ => 0,
            };
            self.own.push(r as i32);
            self.island_of.push(island);
        }
    }

    // lists rows and dofs of an island of the lane
    fn list<R: Real>(&mut self, m: &Model, d: &Data<R>, island: i32) {
        let own = self.own.iter().zip(&self.island_of);
        self.rows.clear();
        self.rows
            .extend(own.filter(|(_, of)| **of == island).map(|(r, _)| *r));
        self.dofs.clear();
        for tree in 0..m.ntree {
            if R::int_lane(d.tree_island[tree], self.lane) == island {
                let adr = m.tree_dofadr[tree];
                self.dofs.extend(adr..adr + m.tree_dofnum[tree]);
            }
        }
    }

    // 1 / trace of the island's inertia
    fn scale<R: Real>(&self, m: &Model, d: &Data<R>) -> f64 {
        let mut trace = 0.0;
        for &i in &self.dofs {
            let i = i as usize;
            trace += d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize].lane(self.lane);
        }
        1.0 / trace
    }
}
