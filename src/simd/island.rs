//! Islands of worlds side by side, and the solvers that take them one by one (`mj_island`, `mj_fwdConstraint`). Twin of
//! `cpu/island.rs`.
//!
//! Every lane has islands of its own. Those of all lanes that begin with the same tree are solved together:
//!
//! ```text
//!            lane 0         lane 1         solved together
//! tree 0  [ island 0 ]   [ island 0 ]      trees 0 1 2: all three in lane 1; in lane 0 tree 2 stands still, its M alone
//! tree 1  [ island 0 ]   [ island 0 ]      counts, its rows have D = 0
//! tree 2  [ island 1 ]   [ island 0 ]      tree 2, in lane 0 only
//! ```
//!
//! What is no part of a lane's island adds exact zeros, so a lane's numbers do not depend on its neighbours.

use super::rows::Rows;
use crate::cpu::lib::primal::{Island, start};
use crate::cpu::lib::rows::dofs_of;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::DSBL_ISLAND;

/// Islands of the lanes of a tile.
#[derive(Clone, Default)]
pub struct Islands<R: Real> {
    // first tree of the island of a tree; -1: no row touches it
    root: Vec<R::Int>,
    // rows that follow each other and have one pattern: first row, number, first tree
    runs: Vec<[usize; 3]>,
    // the same by the island that they are part of in some lane: its first tree, and the number of the run
    parts: Vec<[usize; 2]>,
    // dofs and rows of what is being solved
    dofs: Vec<i32>,
    rows: Vec<i32>,
    // what they were in the lanes where they are of another island: D, frictionloss, force; Ma, qfrc_constraint
    saved_rows: Vec<[R; 3]>,
    saved_states: Vec<R::Int>,
    saved_dofs: Vec<[R; 2]>,
}

/// `mj_fwdConstraint`: starts, and has every island solved; `solve` returns the number of iterations.
pub fn by_island<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    rows: &mut Rows<R>,
    solve: impl Fn(&Model, &mut Data<R>, &mut Rows<R>, &Island<'_, R>) -> R,
) {
    d.solver_niter[0] = R::int(0);
    d.qfrc_constraint.fill(R::zero());
    d.qacc.copy_from_slice(&d.qacc_smooth);
    let mut islands = std::mem::take(&mut rows.islands);
    islands.find(m, d, rows);

    // no rows: nothing holds the unconstrained acceleration up
    if rows.num > 0 {
        room(d, rows.num);
        islands.solve(m, d, rows, solve);
    }
    rows.islands = islands;
}

// the union of the lanes' rows may be more than a world has room for
fn room<R: Real>(d: &mut Data<R>, num: usize) {
    let rows = d.efc_D.len().max(num);
    if d.solver_quad.len() < 5 * rows {
        d.solver_quad.resize(5 * rows, R::zero());
    }
}

fn first_tree(m: &Model, pattern: i32) -> Option<usize> {
    let dofs = dofs_of(m, pattern);
    dofs.first().map(|&dof| m.dof_treeid[dof as usize] as usize)
}

// the lanes where a mask is true
fn lanes<R: Real>(mask: R::Mask) -> impl Iterator<Item = usize> {
    let mask = R::select(mask, R::one(), R::zero());
    (0..R::WIDTH).filter(move |&lane| mask.lane(lane) != 0.0)
}

fn present<R: Real>(d: &Data<R>, first: usize, num: usize) -> R::Mask {
    let rows = &d.efc_D[first..first + num];
    let none = R::zero().lt(R::zero());
    rows.iter().fold(none, |some, &x| some | R::zero().lt(x))
}

impl<R: Real> Islands<R> {
    /// Room for those of a model.
    pub fn new(m: &Model) -> Self {
        Self {
            root: Vec::with_capacity(m.ntree),
            runs: Vec::with_capacity(m.njmax),
            parts: Vec::with_capacity(m.njmax),
            dofs: Vec::with_capacity(m.nv),
            rows: Vec::with_capacity(m.njmax),
            saved_rows: Vec::with_capacity(m.njmax),
            saved_states: Vec::with_capacity(m.njmax),
            saved_dofs: Vec::with_capacity(m.nv),
        }
    }

    // the islands of every lane, as the reference finds them
    fn find(&mut self, m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
        let whole = m.ntree == 1 || m.opt.disabled(DSBL_ISLAND);
        self.rows.clear();
        self.rows.extend(0..rows.num as i32);
        if whole {
            self.one_island(m, d, rows);
        } else {
            self.find_runs(m, rows);
            self.join_trees(m, d, rows);
            for lane in 0..R::WIDTH {
                number_islands(d, lane);
                if R::int_lane(d.nefc[0], lane) > 0 {
                    sort_dofs(m, d, lane);
                    self.sort_rows(d, rows, lane);
                }
            }
        }
    }

    // everything is one island
    fn one_island(&mut self, m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
        let none = R::int_is(d.nefc[0], 0);
        let if_any = |x: i32, old: R::Int| R::select_int(none, old, R::int(x));
        d.nisland[0] = R::select_int(none, R::int(0), R::int(1));
        for tree in &mut d.tree_island {
            *tree = if_any(0, *tree);
        }
        if m.ntree > 0 {
            d.island_nv[0] = if_any(m.nv as i32, d.island_nv[0]);
            d.island_idofadr[0] = if_any(0, d.island_idofadr[0]);
            d.island_nefc[0] = R::select_int(none, d.island_nefc[0], d.nefc[0]);
            d.island_iefcadr[0] = if_any(0, d.island_iefcadr[0]);
        }
        for i in 0..m.nv {
            d.map_idof2dof[i] = if_any(i as i32, d.map_idof2dof[i]);
            d.map_dof2idof[i] = if_any(i as i32, d.map_dof2idof[i]);
        }
        if d.map_iefc2efc.len() < rows.num {
            d.map_iefc2efc.resize(rows.num, R::int(0));
        }
        for r in 0..rows.num {
            d.map_iefc2efc[r] = if_any(r as i32, d.map_iefc2efc[r]);
        }
        self.dofs.clear();
        self.dofs.extend(0..m.nv as i32);
        self.root.clear();
    }

    fn find_runs(&mut self, m: &Model, rows: &Rows<R>) {
        self.runs.clear();
        let mut first = 0;
        for same in rows.pattern.chunk_by(|a, b| a == b) {
            if let Some(tree) = first_tree(m, same[0]) {
                self.runs.push([first, same.len(), tree]);
            }
            first += same.len();
        }
    }

    // every tree points at an earlier tree of its island or at itself; -1 where no row is
    fn join_trees(&mut self, m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
        d.tree_island.fill(R::int(-1));
        for &[first, num, _] in &self.runs {
            let dofs = dofs_of(m, rows.pattern[first]);
            let of = |dof: &i32| m.dof_treeid[*dof as usize];
            for lane in lanes::<R>(present(d, first, num)) {
                let mut low = -1;
                for same in dofs.chunk_by(|a, b| of(a) == of(b)) {
                    low = join(d, of(&same[0]), low, lane);
                }
            }
        }

        // parents come before their children, so one pass finds the first tree of each
        self.root.clear();
        for tree in 0..m.ntree {
            let mut root = d.tree_island[tree];
            for lane in 0..R::WIDTH {
                let parent = R::int_lane(root, lane);
                if parent >= 0 && parent != tree as i32 {
                    let of_parent = R::int_lane(self.root[parent as usize], lane);
                    R::set_int_lane(&mut root, lane, of_parent);
                }
            }
            self.root.push(root);
        }

        // which runs an island has in some lane
        self.parts.clear();
        for (k, &[first, num, tree]) in self.runs.iter().enumerate() {
            let start = self.parts.len();
            for lane in lanes::<R>(present(d, first, num)) {
                let part = [R::int_lane(self.root[tree], lane) as usize, k];
                if !self.parts[start..].contains(&part) {
                    self.parts.push(part);
                }
            }
        }
        self.parts.sort_unstable();
    }

    // rows by island, numbered as the lane numbers them
    fn sort_rows(&self, d: &mut Data<R>, rows: &Rows<R>, lane: usize) {
        let nisland = R::int_lane(d.nisland[0], lane) as usize;
        if d.map_iefc2efc.len() < rows.num {
            d.map_iefc2efc.resize(rows.num, R::int(0));
        }
        for place in [false, true] {
            let mut adr = 0;
            for k in 0..nisland {
                if place {
                    R::set_int_lane(&mut d.island_iefcadr[k], lane, adr);
                    adr += R::int_lane(d.island_nefc[k], lane);
                }
                R::set_int_lane(&mut d.island_nefc[k], lane, 0);
            }
            let mut own = 0;
            let mut runs = self.runs.iter().peekable();
            for r in 0..rows.num {
                while runs.next_if(|[first, num, _]| first + num <= r).is_some() {}
                if d.efc_D[r].lane(lane) <= 0.0 {
                    continue;
                }
                // a row that touches no dof is counted to the first
                let tree = runs.peek().filter(|[first, ..]| *first <= r);
                let k = tree.map_or(0, |[.., tree]| R::int_lane(d.tree_island[*tree], lane));
                let num = R::int_lane(d.island_nefc[k as usize], lane);
                R::set_int_lane(&mut d.island_nefc[k as usize], lane, num + 1);
                if place {
                    let at = (R::int_lane(d.island_iefcadr[k as usize], lane) + num) as usize;
                    R::set_int_lane(&mut d.map_iefc2efc[at], lane, own);
                }
                own += 1;
            }
        }
    }

    fn solve(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        rows: &mut Rows<R>,
        solve: impl Fn(&Model, &mut Data<R>, &mut Rows<R>, &Island<'_, R>) -> R,
    ) {
        let always = R::zero().le(R::zero());
        let some = !R::int_is(d.nefc[0], 0);
        let whole = self.root.is_empty();
        self.dofs.clear();
        self.dofs.extend(0..m.nv as i32);
        let all = Island {
            dofs: &self.dofs,
            rows: &self.rows,
            ne: rows.ne,
            nf: rows.nf,
            scale: scale_of(m, d, &self.dofs, |_| always),
            lanes: some,
        };
        start(m, d, rows, &all);
        if whole {
            let niter = solve(m, d, rows, &all);
            count(d, some, niter, |_| 0);
            return;
        }

        // dofs that no row moves are not the solver's
        for i in 0..m.nv {
            let free = R::int_is(self.root[m.dof_treeid[i] as usize], -1);
            d.qacc[i] = R::select(free, d.qacc_smooth[i], d.qacc[i]);
        }
        for tree in 0..m.ntree {
            let lanes = R::int_is(self.root[tree], tree as i32);
            if lanes.any() {
                self.solve_from(m, d, rows, tree, lanes, &solve);
            }
        }
    }

    // solves the islands that begin with a tree
    fn solve_from(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        rows: &mut Rows<R>,
        root: usize,
        lanes: R::Mask,
        solve: &impl Fn(&Model, &mut Data<R>, &mut Rows<R>, &Island<'_, R>) -> R,
    ) {
        // what is part of it in any lane
        let mut whole = true;
        self.dofs.clear();
        for tree in root..m.ntree {
            let members = R::int_is(self.root[tree], root as i32);
            if members.any() {
                whole &= members.all();
                let adr = m.tree_dofadr[tree];
                self.dofs.extend(adr..adr + m.tree_dofnum[tree]);
            }
        }
        self.rows.clear();
        let from = self.parts.partition_point(|part| part[0] < root);
        for part in self.parts[from..].iter().take_while(|part| part[0] == root) {
            let [first, num, _] = self.runs[part[1]];
            self.rows.extend(first as i32..(first + num) as i32);
        }
        let stop = |stop: usize| self.rows.partition_point(|&r| (r as usize) < stop);
        let ne = stop(rows.ne);
        let nf = stop(rows.ne + rows.nf) - ne;
        let scale = scale_of(m, d, &self.dofs, |i| self.is_member(m, i, root));

        // the others stand still in the meantime
        if !whole {
            self.hide_others(m, d, rows, root);
        }
        let island = Island {
            dofs: &self.dofs,
            rows: &self.rows,
            ne,
            nf,
            scale: R::select(lanes, scale, R::one()),
            lanes,
        };
        let niter = solve(m, d, rows, &island);
        if !whole {
            self.show_others(m, d, rows, root);
        }
        let tree_island = d.tree_island[root];
        count(d, lanes, niter, |lane| R::int_lane(tree_island, lane));
    }

    // the lanes where a dof is part of the island
    fn is_member(&self, m: &Model, i: usize, root: usize) -> R::Mask {
        R::int_is(self.root[m.dof_treeid[i] as usize], root as i32)
    }

    fn is_member_row(&self, m: &Model, rows: &Rows<R>, r: usize, root: usize) -> R::Mask {
        let adr = m.Jpat_adr[rows.pattern[r] as usize] as usize;
        self.is_member(m, m.Jpat_dof[adr] as usize, root)
    }

    fn hide_others(&mut self, m: &Model, d: &mut Data<R>, rows: &Rows<R>, root: usize) {
        let zero = R::zero();
        self.saved_rows.clear();
        self.saved_states.clear();
        self.saved_dofs.clear();
        for &r in &self.rows {
            let r = r as usize;
            let member = self.is_member_row(m, rows, r, root);
            let old = [d.efc_D[r], d.efc_frictionloss[r], d.efc_force[r]];
            self.saved_rows.push(old);
            self.saved_states.push(d.efc_state[r]);
            d.efc_D[r] = R::select(member, old[0], zero);
            d.efc_frictionloss[r] = R::select(member, old[1], zero);
        }
        for &i in &self.dofs {
            let i = i as usize;
            let member = self.is_member(m, i, root);
            self.saved_dofs.push([d.solver_Ma[i], d.qfrc_constraint[i]]);
            d.solver_Ma[i] = R::select(member, d.solver_Ma[i], zero);
        }
    }

    fn show_others(&self, m: &Model, d: &mut Data<R>, rows: &Rows<R>, root: usize) {
        for (&r, (old, &state)) in self
            .rows
            .iter()
            .zip(self.saved_rows.iter().zip(&self.saved_states))
        {
            let r = r as usize;
            let member = self.is_member_row(m, rows, r, root);
            (d.efc_D[r], d.efc_frictionloss[r]) = (old[0], old[1]);
            d.efc_force[r] = R::select(member, d.efc_force[r], old[2]);
            d.efc_state[r] = R::select_int(member, d.efc_state[r], state);
        }
        for (&i, old) in self.dofs.iter().zip(&self.saved_dofs) {
            let i = i as usize;
            let member = self.is_member(m, i, root);
            d.solver_Ma[i] = R::select(member, d.solver_Ma[i], old[0]);
            d.qfrc_constraint[i] = R::select(member, d.qfrc_constraint[i], old[1]);
        }
    }
}

// 1 / trace of the inertia of dofs in the lanes where they are meant
fn scale_of<R: Real>(m: &Model, d: &Data<R>, dofs: &[i32], meant: impl Fn(usize) -> R::Mask) -> R {
    let mut trace = R::zero();
    for &i in dofs {
        let i = i as usize;
        let inertia = d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
        trace += R::select(meant(i), inertia, R::zero());
    }
    R::one() / trace
}

// tells the iterations on an island of every lane
fn count<R: Real>(d: &mut Data<R>, some: R::Mask, niter: R, island: impl Fn(usize) -> i32) {
    for lane in lanes::<R>(some) {
        let niter = niter.lane(lane) as i32;
        if let Some(count) = d.island_niter.get_mut(island(lane) as usize) {
            R::set_int_lane(count, lane, niter);
        }
        let sum = R::int_lane(d.solver_niter[0], lane) + niter;
        R::set_int_lane(&mut d.solver_niter[0], lane, sum);
    }
}

// joins a tree with an earlier one (-1: none) in a lane; the first tree of both
fn join<R: Real>(d: &mut Data<R>, tree: i32, low: i32, lane: usize) -> i32 {
    let of = |d: &Data<R>, tree: i32| R::int_lane(d.tree_island[tree as usize], lane);
    if of(d, tree) < 0 {
        R::set_int_lane(&mut d.tree_island[tree as usize], lane, tree);
    }
    let mut root = tree;
    while of(d, root) != root {
        root = of(d, root);
    }
    let low = if low < 0 { root } else { low };
    let [low, high] = [low.min(root), low.max(root)];
    R::set_int_lane(&mut d.tree_island[high as usize], lane, low);
    low
}

// parents come before their children, so one pass turns pointers into numbers
fn number_islands<R: Real>(d: &mut Data<R>, lane: usize) {
    let mut nisland = 0;
    for tree in 0..d.tree_island.len() {
        let parent = R::int_lane(d.tree_island[tree], lane);
        if parent < 0 {
            continue;
        }
        let mut island = nisland;
        if parent == tree as i32 {
            nisland += 1;
        } else {
            island = R::int_lane(d.tree_island[parent as usize], lane);
        }
        R::set_int_lane(&mut d.tree_island[tree], lane, island);
    }
    R::set_int_lane(&mut d.nisland[0], lane, nisland);
}

// dofs by island; those that no row moves come last
fn sort_dofs<R: Real>(m: &Model, d: &mut Data<R>, lane: usize) {
    let nisland = R::int_lane(d.nisland[0], lane) as usize;
    for nv in &mut d.island_nv[..nisland] {
        R::set_int_lane(nv, lane, 0);
    }
    for tree in 0..m.ntree {
        if let Ok(k) = usize::try_from(R::int_lane(d.tree_island[tree], lane)) {
            let nv = R::int_lane(d.island_nv[k], lane) + m.tree_dofnum[tree];
            R::set_int_lane(&mut d.island_nv[k], lane, nv);
        }
    }
    let mut end = 0;
    for k in 0..nisland {
        R::set_int_lane(&mut d.island_idofadr[k], lane, end);
        end += R::int_lane(d.island_nv[k], lane);
        R::set_int_lane(&mut d.island_nv[k], lane, 0);
    }
    for tree in 0..m.ntree {
        let island = usize::try_from(R::int_lane(d.tree_island[tree], lane)).ok();
        for dof in m.tree_dofadr[tree]..m.tree_dofadr[tree] + m.tree_dofnum[tree] {
            let (mut at, mut place) = (end, -1);
            if let Some(k) = island {
                place = R::int_lane(d.island_nv[k], lane);
                at = R::int_lane(d.island_idofadr[k], lane) + place;
                R::set_int_lane(&mut d.island_nv[k], lane, place + 1);
            } else {
                end += 1;
            }
            R::set_int_lane(&mut d.map_idof2dof[at as usize], lane, dof);
            R::set_int_lane(&mut d.map_dof2idof[dof as usize], lane, place);
        }
    }
}
