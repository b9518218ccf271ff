//! Statistics of each solver iteration (`mjSolverStat`), if asked for (`ENBL_SOLVERSTAT`): other models have no arrays for them, and nothing
//! is computed. Arrays without memory are not even filled: with AVX-512 seven such fills take as long as a small stage, since masked stores
//! to no page are slow.

use super::cone::MAXDIM;
use super::primal::{Island, Step};
use super::problem::Problem;
use crate::fields::{Data, Model};
use crate::real::{Real, lanes};
use crate::types::{ConstraintState, Solver};

/// Clears the statistics of all iterations.
pub fn clear_notes<R: Real>(d: &mut Data<R>) {
    if d.solver_improvement.is_empty() {
        return;
    }
    for x in [
        &mut d.solver_improvement,
        &mut d.solver_gradient,
        &mut d.solver_lineslope,
    ] {
        x.fill(R::zero());
    }
    for x in [
        &mut d.solver_nactive,
        &mut d.solver_nchange,
        &mut d.solver_neval,
        &mut d.solver_nupdate,
    ] {
        x.fill(R::int(0));
    }
}

/// Statistics of the iterations of a primal solver on an island, while it runs.
pub struct Notes<R: Real> {
    asked: bool,
    newton: bool,
    // number of iterations so far
    num: usize,
    // states of the rows before the step
    states: Vec<R::Int>,
}

impl<R: Real> Notes<R> {
    /// Empty.
    pub(crate) fn new(m: &Model) -> Self {
        Self {
            asked: m.nsolver > 0,
            newton: m.opt.solver == Solver::Newton,
            num: 0,
            states: Vec::new(),
        }
    }

    /// Stores the states of an island's rows before a step.
    pub(crate) fn before(&mut self, d: &Data<R>, island: &Island<'_, R>) {
        if self.asked {
            self.states.clear();
            let states = island.rows.iter().map(|&r| d.efc_state[r as usize]);
            self.states.extend(states);
        }
    }

    /// Writes the statistics of a step in the lanes that made it, and the gradient after it.
    pub(crate) fn write(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        island: &Island<'_, R>,
        who: R::Mask,
        step: &Step<R>,
        gradient: R,
    ) {
        if !self.asked || self.num >= m.nsolver {
            return;
        }
        let [nactive, nchange, nupdate] = self.count(d, island);
        let improvement = island.scale * step.improvement;
        for lane in lanes::<R>(who) {
            let island = R::int_lane(island.number, lane) as usize;
            let at = island * m.nsolver + self.num;
            d.solver_improvement[at].set_lane(lane, improvement.lane(lane));
            d.solver_gradient[at].set_lane(lane, gradient.lane(lane));
            d.solver_lineslope[at].set_lane(lane, step.slope.lane(lane));
            for (to, count) in [
                (&mut d.solver_nactive, nactive),
                (&mut d.solver_nchange, nchange),
                (&mut d.solver_neval, step.neval),
                (&mut d.solver_nupdate, nupdate),
            ] {
                R::set_int_lane(&mut to[at], lane, count.lane(lane) as i32);
            }
        }
        self.num += 1;
    }

    // number of active rows, of rows that changed their state, and of rows to update in the Hessian
    fn count(&self, d: &Data<R>, island: &Island<'_, R>) -> [R; 3] {
        let (zero, one) = (R::zero(), R::one());
        let [mut nactive, mut nchange, mut nupdate] = [zero; 3];
        for (&r, &was) in island.rows.iter().zip(&self.states) {
            let now = d.efc_state[r as usize];
            let is = |state: R::Int, what: ConstraintState| R::int_is(state, what as i32);
            let present = zero.lt(d.efc_D[r as usize]);
            let active = present & !is(now, ConstraintState::Satisfied);
            nactive += R::select(active, one, zero);
            let same = (R::of_int(now) - R::of_int(was)).abs().le(zero);
            nchange += R::select(present & !same, one, zero);
            let crossed = is(now, ConstraintState::Quadratic) ^ is(was, ConstraintState::Quadratic);
            nupdate += R::select(present & crossed, one, zero);
            let slides = present & is(now, ConstraintState::Cone);
            nupdate += R::select(slides, one, zero);
        }
        match self.newton {
            true => [nactive, nchange, nupdate],
            false => [nactive, nchange, zero],
        }
    }
}

/// Statistics of the sweeps of a dual solver over an island, until they are written to its world.
#[derive(Clone, Default)]
pub struct SweepNotes {
    // maximum number of sweeps to record
    room: usize,
    states: Vec<ConstraintState>,
    sweeps: Vec<Sweep>,
}

#[derive(Clone, Copy)]
struct Sweep {
    improvement: f64,
    nactive: i32,
    nchange: i32,
}

impl SweepNotes {
    /// Starts the statistics of a problem.
    pub(crate) fn begin(&mut self, m: &Model, problem: &Problem) {
        self.room = m.nsolver;
        self.sweeps.clear();
        if self.room > 0 {
            find_states(problem, &mut self.states);
        }
    }

    /// Records a sweep.
    pub(crate) fn sweep(&mut self, problem: &Problem, improvement: f64) {
        if self.room == 0 {
            return;
        }
        let before = std::mem::take(&mut self.states);
        find_states(problem, &mut self.states);
        let active = self.states.iter();
        let active = active.filter(|state| **state != ConstraintState::Satisfied);
        let changed = self.states.iter().zip(&before);
        let changed = changed.filter(|(now, was)| now != was);
        self.sweeps.push(Sweep {
            improvement,
            nactive: active.count() as i32,
            nchange: changed.count() as i32,
        });
    }

    /// Writes the statistics to an island of the world, behind those of `before` iterations.
    pub(crate) fn give<R: Real>(&self, d: &mut Data<R>, island: usize, lane: usize, before: usize) {
        let sweeps = self.sweeps.iter().zip(before..self.room);
        for (sweep, k) in sweeps {
            let at = island * self.room + k;
            d.solver_improvement[at].set_lane(lane, sweep.improvement);
            R::set_int_lane(&mut d.solver_nactive[at], lane, sweep.nactive);
            R::set_int_lane(&mut d.solver_nchange[at], lane, sweep.nchange);
        }
    }
}

// the states of rows whose forces these are
fn find_states(problem: &Problem, states: &mut Vec<ConstraintState>) {
    let [ne, nf] = problem.counts;
    states.clear();
    while states.len() < problem.rows.len() {
        let r = states.len();
        let dim = problem.dim[r];
        let force = &problem.force[r..r + dim];
        let state = match r {
            _ if r < ne => ConstraintState::Quadratic,
            _ if r < ne + nf && force[0] <= problem.low[r] => ConstraintState::LinearPos,
            _ if r < ne + nf && force[0] >= problem.high[r] => ConstraintState::LinearNeg,
            _ if r < ne + nf => ConstraintState::Quadratic,
            _ if force[0] <= 0.0 => ConstraintState::Satisfied,
            _ if slides(force, &problem.friction[r]) => ConstraintState::Cone,
            _ => ConstraintState::Quadratic,
        };
        states.extend((0..dim).map(|_| state));
    }
}

// true if the friction forces of a contact are as large as its normal force allows
fn slides(force: &[f64], friction: &[f64; MAXDIM]) -> bool {
    let parts = force[1..].iter().zip(friction).map(|(f, mu)| f / mu);
    let reach = parts.map(|x| x * x).sum::<f64>().sqrt();
    force.len() > 1 && force[0] * (1.0 - 1e-12) <= reach
}
