//! Islands of worlds side by side, and their solution one by one (`mj_island`, `mj_fwdConstraint`). Twin of `cpu/island.rs`.
//!
//! Every lane has its own islands. Islands of all lanes with the same first tree are solved together:
//!
//! ```text
//!            lane 0         lane 1         solved together
//! tree 0  [ island 0 ]   [ island 0 ]      trees 0 1 2: all three in lane 1; in lane 0 tree 2 is frozen, only its M
//! tree 1  [ island 0 ]   [ island 0 ]      counts, its rows have D = 0
//! tree 2  [ island 1 ]   [ island 0 ]      tree 2, in lane 0 only
//! ```
//!
//! Dofs and rows outside of a lane's island add exact zeros, so a lane's numbers do not depend on its neighbours. A lane with a large
//! island takes no part: its world is solved by itself ([`super::heap`]).

use std::ops::Range;

use super::heap::Heap;
use super::rows::Rows;
use crate::cpu::lib::primal::{Island, start};
use crate::cpu::lib::rows::dofs_of;
use crate::cpu::lib::stat;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real, lanes};
use crate::types::{DSBL_ISLAND, ENBL_IPC};

/// Islands of the lanes of a tile.
#[derive(Clone)]
pub struct Islands<R: Real> {
    // first tree of the island of each tree; the number of trees: a tree without rows. Empty: every world is one island.
    root: Vec<R>,
    // lanes whose worlds are solved by themselves, and the world that is; a world is too large to be moved about with this
    heaps: Vec<usize>,
    heap: Option<Box<Heap>>,
    // consecutive rows with the same pattern
    runs: Vec<Run<R>>,
    // trees of the runs, one run after the other
    trees: Vec<i32>,
    // trees and runs of the islands of all lanes with the same first tree: that tree, and the tree or the run; ascending
    tree_of: Vec<[u32; 2]>,
    run_of: Vec<[u32; 2]>,
    // lanes where each tree belongs to the island being solved; dofs and rows of that island
    member: Vec<R::Mask>,
    dofs: Vec<i32>,
    rows: Vec<i32>,
    // saved values of lanes where they belong to another island: D, frictionloss, force; Ma, qfrc_constraint
    saved_rows: Vec<[R; 3]>,
    saved_states: Vec<R::Int>,
    saved_dofs: Vec<[R; 2]>,
}

// consecutive rows with the same pattern
#[derive(Clone, Copy)]
struct Run<R: Real> {
    // first row, and number of rows
    first: usize,
    num: usize,
    // lanes that have any of these rows
    present: R::Mask,
    // index of its first tree in the list of trees, and number of its trees
    adr: usize,
    ntree: usize,
}

/// `mj_fwdConstraint`: finds the start and solves every island; `solve` returns the number of iterations. The twin solves worlds with a
/// large island.
pub fn by_island<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    rows: &mut Rows<R>,
    solve: impl Fn(&Model, &mut Data<R>, &mut Rows<R>, &Island<'_, R>) -> R,
    twin: fn(&Model, &mut Data),
) {
    d.solver_niter[0] = R::int(0);
    stat::clear_notes(d);
    d.qfrc_constraint.fill(R::zero());
    d.qacc.copy_from_slice(&d.qacc_smooth);
    rows.find_islands(m, d);

    // no rows: qacc is the unconstrained acceleration
    if rows.num > 0 {
        room(d, rows.num);
        let mut islands = std::mem::take(&mut rows.islands);
        islands.leave_heaps_out(m, d, rows.ne);
        islands.solve(m, d, rows, solve);
        for &lane in &islands.heaps {
            let heap = islands.heap.get_or_insert_default();
            heap.solve(m, d, rows.num, lane, twin);
        }
        rows.islands = islands;
    }
}

// the union of the lanes' rows may exceed the capacity of a world
fn room<R: Real>(d: &mut Data<R>, num: usize) {
    let rows = d.efc_D.len().max(num);
    if d.solver_quad.len() < 5 * rows {
        d.solver_quad.resize(5 * rows, R::zero());
    }
}

fn present<R: Real>(d: &Data<R>, first: usize, num: usize) -> R::Mask {
    let rows = &d.efc_D[first..first + num];
    let none = R::zero().lt(R::zero());
    rows.iter().fold(none, |some, &x| some | R::zero().lt(x))
}

impl<R: Real> Default for Islands<R> {
    fn default() -> Self {
        Self {
            root: Vec::new(),
            heaps: Vec::new(),
            heap: None,
            runs: Vec::new(),
            trees: Vec::new(),
            tree_of: Vec::new(),
            run_of: Vec::new(),
            member: Vec::new(),
            dofs: Vec::new(),
            rows: Vec::new(),
            saved_rows: Vec::new(),
            saved_states: Vec::new(),
            saved_dofs: Vec::new(),
        }
    }
}

impl<R: Real> Islands<R> {
    // finds the islands of every lane, numbered as in the reference; addresses of their dofs and rows are computed when they are read
    pub(super) fn find(&mut self, m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
        self.root.clear();
        if m.ntree == 1 || m.opt.disabled(DSBL_ISLAND) {
            let none = R::int_is(d.nefc[0], 0);
            d.nisland[0] = R::select_int(none, R::int(0), R::int(1));
            d.tree_island.fill(R::int(0));
            return;
        }
        self.find_runs(m, d, rows);
        self.join_trees(m);
        if m.opt.enabled(ENBL_IPC) {
            self.join_islands(m);
        }
        for lane in 0..R::WIDTH {
            self.number_islands(d, lane);
        }
    }

    fn find_runs(&mut self, m: &Model, d: &Data<R>, rows: &Rows<R>) {
        self.runs.clear();
        self.trees.clear();
        let mut first = 0;
        for same in rows.pattern.chunk_by(|a, b| a == b) {
            let adr = self.trees.len();
            let trees = dofs_of(m, d, same[0])
                .iter()
                .map(|&dof| m.dof_treeid[dof as usize]);
            for tree in trees {
                if self.trees[adr..].last() != Some(&tree) {
                    self.trees.push(tree);
                }
            }
            self.runs.push(Run {
                first,
                num: same.len(),
                present: present(d, first, same.len()),
                adr,
                ntree: self.trees.len() - adr,
            });
            first += same.len();
        }
    }

    fn trees_of(&self, run: &Run<R>) -> &[i32] {
        &self.trees[run.adr..run.adr + run.ntree]
    }

    // propagates the first tree of an island to all trees coupled to it
    fn join_trees(&mut self, m: &Model) {
        let mut root = std::mem::take(&mut self.root);
        root.resize(m.ntree, R::splat(m.ntree as f64));
        for run in &self.runs {
            for &tree in self.trees_of(run) {
                let root = &mut root[tree as usize];
                *root = R::select(run.present, R::splat(f64::from(tree)), *root);
            }
        }
        begin_coupled(m, &mut root);
        let always = R::zero().le(R::zero());
        let mut spreads = true;
        while spreads {
            // forward and backward: contacts are in the order of their bodies
            spreads = false;
            for run in &self.runs {
                spreads |= spread(&mut root, self.trees_of(run), run.present);
            }
            if spreads {
                spreads = false;
                for run in self.runs.iter().rev() {
                    spreads |= spread(&mut root, self.trees_of(run), run.present);
                }
            }
            for (tree, &first) in m.efm_tree.iter().enumerate() {
                spreads |= spread(&mut root, &[first, tree as i32], always);
            }
        }
        self.root = root;
    }

    // with the flag `ipc` the trees that have rows are solved together, as in MuJoCo
    fn join_islands(&mut self, m: &Model) {
        let none = R::splat(m.ntree as f64);
        let first = self.root.iter().fold(none, |first, &root| first.min(root));
        for root in &mut self.root {
            *root = R::select(root.lt(none), first, *root);
        }
    }

    // numbers the islands in the order of their first trees
    fn number_islands(&self, d: &mut Data<R>, lane: usize) {
        let mut nisland = 0;
        for (tree, root) in self.root.iter().enumerate() {
            let root = root.lane(lane) as usize;
            let mut island = -1;
            if root == tree {
                island = nisland;
                nisland += 1;
            } else if root < tree {
                island = R::int_lane(d.tree_island[root], lane);
            }
            R::set_int_lane(&mut d.tree_island[tree], lane, island);
        }
        R::set_int_lane(&mut d.nisland[0], lane, nisland);
    }

    // trees of a world that is solved by itself have no rows here; the first `ne` rows are equalities
    fn leave_heaps_out(&mut self, m: &Model, d: &Data<R>, ne: usize) {
        self.heaps.clear();
        if self.root.is_empty() || !Heap::may_be::<R>(m) {
            return;
        }
        let heap = self.heap.get_or_insert_default();
        for lane in 0..R::WIDTH {
            let here = |run: &&Run<R>| run.present.bits() >> lane & 1 != 0;
            let ties = self
                .runs
                .iter()
                .filter(|run| run.ntree > 1 && run.first >= ne);
            let ties = ties.filter(here).map(|run| self.trees[run.adr]);
            if heap.is(m, d, lane, ties) {
                self.heaps.push(lane);
            }
        }
        let none = m.ntree as f64;
        for x in &mut self.root {
            self.heaps.iter().for_each(|&lane| x.set_lane(lane, none));
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
        self.rows.clear();
        self.rows.extend(0..rows.num as i32);
        let all = Island {
            dofs: &self.dofs,
            rows: &self.rows,
            ne: rows.ne,
            nf: rows.nf,
            scale: scale_of(m, d, &self.dofs, |_| always),
            lanes: some,
            number: R::int(0),
        };
        start(m, d, rows, &all);
        // the solver leaves dofs without rows alone
        for i in 0..m.nv {
            let free = match self.root.get(m.dof_treeid[i] as usize) {
                Some(root) => R::splat(m.ntree as f64).le(*root),
                None => !some,
            };
            d.qacc[i] = R::select(free, d.qacc_smooth[i], d.qacc[i]);
        }
        if whole {
            let niter = solve(m, d, rows, &all);
            count(d, some, niter, |_| 0);
            return;
        }

        self.list_members();
        let none = R::zero().lt(R::zero());
        self.member.resize(m.ntree, none);
        let (mut trees, mut runs) = (0, 0);
        while let Some(&[root, _]) = self.tree_of.get(trees) {
            let [trees_end, runs_end] = [(&self.tree_of, trees), (&self.run_of, runs)]
                .map(|(list, from)| from + list[from..].partition_point(|entry| entry[0] == root));
            self.solve_from(m, d, rows, [trees..trees_end, runs..runs_end], &solve);
            (trees, runs) = (trees_end, runs_end);
        }
    }

    // lists the trees and the runs of the islands by their first tree
    fn list_members(&mut self) {
        let always = R::zero().le(R::zero());
        self.tree_of.clear();
        self.run_of.clear();
        for (tree, &root) in self.root.iter().enumerate() {
            add_roots(&mut self.tree_of, root, always, self.root.len(), tree);
        }
        for (k, run) in self
            .runs
            .iter()
            .enumerate()
            .filter(|(_, run)| run.ntree > 0)
        {
            let root = self.root[self.trees[run.adr] as usize];
            add_roots(&mut self.run_of, root, run.present, self.root.len(), k);
        }
        self.tree_of.sort_unstable();
        self.run_of.sort_unstable();
    }

    // solves the islands with the same first tree, from their trees and runs
    fn solve_from(
        &mut self,
        m: &Model,
        d: &mut Data<R>,
        rows: &mut Rows<R>,
        [trees, runs]: [Range<usize>; 2],
        solve: &impl Fn(&Model, &mut Data<R>, &mut Rows<R>, &Island<'_, R>) -> R,
    ) {
        let root = self.tree_of[trees.start][0] as usize;
        let lanes = is(self.root[root], root);
        let mut whole = true;
        self.dofs.clear();
        for &[_, tree] in &self.tree_of[trees] {
            let tree = tree as usize;
            let member = is(self.root[tree], root);
            self.member[tree] = member;
            whole &= member.all();
            let adr = m.tree_dofadr[tree];
            self.dofs.extend(adr..adr + m.tree_dofnum[tree]);
        }
        self.rows.clear();
        for &[_, run] in &self.run_of[runs] {
            let run = &self.runs[run as usize];
            self.rows
                .extend(run.first as i32..(run.first + run.num) as i32);
        }
        let stop = |stop: usize| self.rows.partition_point(|&r| (r as usize) < stop);
        let ne = stop(rows.ne);
        let nf = stop(rows.ne + rows.nf) - ne;
        let scale = scale_of(m, d, &self.dofs, |i| self.is_member(m, i));

        let number = d.tree_island[root];

        // meanwhile the others are frozen
        if !whole {
            self.hide_others(m, d, rows);
        }
        let island = Island {
            dofs: &self.dofs,
            rows: &self.rows,
            ne,
            nf,
            scale: R::select(lanes, scale, R::one()),
            lanes,
            number,
        };
        let niter = solve(m, d, rows, &island);
        if !whole {
            self.show_others(m, d, rows);
        }
        count(d, lanes, niter, |lane| R::int_lane(number, lane));
    }

    // lanes where a dof belongs to the island
    fn is_member(&self, m: &Model, i: usize) -> R::Mask {
        self.member[m.dof_treeid[i] as usize]
    }

    fn is_member_row(&self, m: &Model, d: &Data<R>, rows: &Rows<R>, r: usize) -> R::Mask {
        let dofs = dofs_of(m, d, rows.pattern[r]);
        self.is_member(m, dofs[0] as usize)
    }

    fn hide_others(&mut self, m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
        let zero = R::zero();
        self.saved_rows.clear();
        self.saved_states.clear();
        self.saved_dofs.clear();
        for &r in &self.rows {
            let r = r as usize;
            let member = self.is_member_row(m, d, rows, r);
            let old = [d.efc_D[r], d.efc_frictionloss[r], d.efc_force[r]];
            self.saved_rows.push(old);
            self.saved_states.push(d.efc_state[r]);
            d.efc_D[r] = R::select(member, old[0], zero);
            d.efc_frictionloss[r] = R::select(member, old[1], zero);
        }
        for &i in &self.dofs {
            let i = i as usize;
            let member = self.is_member(m, i);
            self.saved_dofs.push([d.solver_Ma[i], d.qfrc_constraint[i]]);
            d.solver_Ma[i] = R::select(member, d.solver_Ma[i], zero);
        }
    }

    fn show_others(&self, m: &Model, d: &mut Data<R>, rows: &Rows<R>) {
        for (&r, (old, &state)) in self
            .rows
            .iter()
            .zip(self.saved_rows.iter().zip(&self.saved_states))
        {
            let r = r as usize;
            let member = self.is_member_row(m, d, rows, r);
            (d.efc_D[r], d.efc_frictionloss[r]) = (old[0], old[1]);
            d.efc_force[r] = R::select(member, d.efc_force[r], old[2]);
            d.efc_state[r] = R::select_int(member, d.efc_state[r], state);
        }
        for (&i, old) in self.dofs.iter().zip(&self.saved_dofs) {
            let i = i as usize;
            let member = self.is_member(m, i);
            d.solver_Ma[i] = R::select(member, d.solver_Ma[i], old[0]);
            d.qfrc_constraint[i] = R::select(member, d.qfrc_constraint[i], old[1]);
        }
    }
}

// 1 / trace of the inertia of dofs, in the lanes selected by `meant`
fn scale_of<R: Real>(m: &Model, d: &Data<R>, dofs: &[i32], meant: impl Fn(usize) -> R::Mask) -> R {
    let mut trace = R::zero();
    for &i in dofs {
        let i = i as usize;
        let inertia = d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
        trace += R::select(meant(i), inertia, R::zero());
    }
    R::one() / trace
}

// adds the iterations on an island in each of these lanes
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

// appends a tree or run to the list of each first tree that these lanes have; there are `ntree` trees
fn add_roots<R: Real>(list: &mut Vec<[u32; 2]>, root: R, some: R::Mask, ntree: usize, what: usize) {
    let first = list.len();
    for lane in lanes::<R>(some) {
        let entry = [root.lane(lane) as u32, what as u32];
        if (entry[0] as usize) < ntree && !list[first..].contains(&entry) {
            list.push(entry);
        }
    }
}

// lanes where the number is this tree
fn is<R: Real>(x: R, tree: usize) -> R::Mask {
    let tree = R::splat(tree as f64);
    x.le(tree) & tree.le(x)
}

// trees that the metric couples belong together in the lanes where any of them has rows
fn begin_coupled<R: Real>(m: &Model, root: &mut [R]) {
    let has_rows = |root: R| root.lt(R::splat(m.ntree as f64));
    let own = |tree: usize| R::splat(tree as f64);
    for (tree, &first) in m.efm_tree.iter().enumerate() {
        let first = first as usize;
        let some = has_rows(root[tree]) & !has_rows(root[first]);
        root[first] = R::select(some, own(first), root[first]);
    }
    for (tree, &first) in m.efm_tree.iter().enumerate() {
        let some = has_rows(root[first as usize]) & !has_rows(root[tree]);
        root[tree] = R::select(some, own(tree), root[tree]);
    }
}

// gives the trees of a run the smallest of their roots; true if any changed
fn spread<R: Real>(root: &mut [R], trees: &[i32], present: R::Mask) -> bool {
    if trees.len() < 2 {
        return false;
    }
    let roots = trees.iter().map(|&tree| root[tree as usize]);
    let low = roots.reduce(R::min).unwrap_or_default();
    let mut changed = false;
    for &tree in trees {
        let root = &mut root[tree as usize];
        changed |= (present & low.lt(*root)).any();
        *root = R::select(present, low, *root);
    }
    changed
}
