//! Trees at rest fall asleep (`mj_sleep`), and some sleep from the start.

use crate::cpu::lib::contact::ABSENT;
use crate::cpu::lib::penalty::{is_passive, pairs_of_contacts};
use crate::cpu::lib::rows::{dofs_of, pattern_of};
use crate::cpu::lib::sleep::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::simd::copy_lane;
use crate::stages;
use crate::types::*;

// at rest for long enough
const READY: i32 = -1;

/// Trees at rest fall asleep (`mj_sleep`); quantities that depend on their velocities, which are now zero, are computed again.
pub fn sleep(m: &Model, d: &mut Data) {
    let contact = pairs_of_contacts(m, d);
    if fall_asleep(m, d, &contact, d.nefc[0] as usize) {
        stages::again(m, &stages::sleep, &mut |stage| (stage.twin)(m, d));
    }
}

/// Counts the steps of trees at rest, and puts ready trees to sleep together with all trees coupled to them; true in worlds where any
/// fell asleep. `contact` has the pairs of the contacts, if some are passive.
pub fn fall_asleep<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], nrow: usize) -> R::Mask {
    let mut fell = R::zero();
    for lane in 0..R::WIDTH {
        if !couplings_are_known(m, d, lane) {
            continue;
        }
        let mut ready = false;
        for t in 0..m.ntree {
            ready |= count_rest(m, d, t, lane);
        }
        if ready && tie_all(m, d, contact, nrow, lane) {
            fell.set_lane(lane, 1.0);
        }
    }
    let fell = R::zero().lt(fell);
    d.sleep_changed[0] = R::select_int(fell, R::int(1), R::int(0));
    fell
}

// without islands the coupling of trees is unknown
fn couplings_are_known<R: Real>(m: &Model, d: &Data<R>, lane: usize) -> bool {
    !m.opt.disabled(DSBL_ISLAND) || R::int_lane(d.nefc[0], lane) == 0
}

// counts the step of an awake tree if it is at rest; true if it is ready to sleep
fn count_rest<R: Real>(m: &Model, d: &mut Data<R>, t: usize, lane: usize) -> bool {
    if asleep(d, t, lane) {
        return false;
    }
    let count = match can_sleep(m, d, t, lane) {
        true => (R::int_lane(d.tree_asleep[t], lane) + 1).min(READY),
        false => AWAKE,
    };
    R::set_int_lane(&mut d.tree_asleep[t], lane, count);
    count == READY
}

fn tie_all<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], nrow: usize, lane: usize) -> bool {
    let island = islands(m, d, contact, nrow, lane);
    let mut trees: Vec<usize> = (0..m.ntree).collect();
    trees.sort_by_key(|&t| island[t]);
    let mut any = false;
    for trees in trees.chunk_by(|&t, &u| island[t] == island[u]) {
        any |= tie(m, d, trees, lane);
    }
    any
}

// puts the trees of an island, which ascend, to sleep if all are ready; true if they are
fn tie<R: Real>(m: &Model, d: &mut Data<R>, trees: &[usize], lane: usize) -> bool {
    let ready = |&t: &usize| R::int_lane(d.tree_asleep[t], lane) == READY;
    if !trees.iter().all(ready) {
        return false;
    }
    for (k, &t) in trees.iter().enumerate() {
        let next = trees[(k + 1) % trees.len()];
        R::set_int_lane(&mut d.tree_asleep[t], lane, next as i32);
        lie_down(m, d, t, lane);
    }
    true
}

// notes the position of a tree that falls asleep, and stops it
fn lie_down<R: Real>(m: &Model, d: &mut Data<R>, t: usize, lane: usize) {
    // with Runge-Kutta they were noted in its last evaluation
    if m.opt.integrator != Integrator::Rk4 {
        positions(m, t).for_each(|q| d.latent[q].set_lane(lane, d.qpos[q].lane(lane)));
    }
    dofs(m, t).for_each(|v| d.qvel[v].set_lane(lane, 0.0));
}

// for each tree, the first of the trees coupled to it by rows, passive contacts or the metric
fn islands<R: Real>(
    m: &Model,
    d: &Data<R>,
    contact: &[i32],
    nrow: usize,
    lane: usize,
) -> Vec<usize> {
    let mut first: Vec<usize> = match m.tree_tied.is_empty() {
        true => (0..m.ntree).collect(),
        false => m.tree_tied.iter().map(|t| *t as usize).collect(),
    };
    for r in (0..nrow).filter(|&r| R::WIDTH == 1 || d.efc_D[r].lane(lane) > 0.0) {
        join(m, dofs_of(m, d, R::int_lane(d.efc_Jpat[r], 0)), &mut first);
    }
    let present = |c: &usize| R::WIDTH == 1 || d.contact_dist[*c].lane(lane) < ABSENT;
    let pairs = (0..contact.len()).filter(present);
    for (c, k) in pairs.map(|c| (c, contact[c] as usize)) {
        if is_passive(m, k) {
            join(m, dofs_of(m, d, pattern_of(m, c, k)), &mut first);
        }
    }
    (0..m.ntree).for_each(|t| first[t] = root(&mut first, t));
    first
}

// the first tree of an island; `first` leads from each tree to one before it
fn root(first: &mut [usize], mut tree: usize) -> usize {
    while first[tree] != tree {
        first[tree] = first[first[tree]];
        tree = first[tree];
    }
    tree
}

// makes the trees of these dofs one island
fn join(m: &Model, dofs: &[i32], first: &mut [usize]) {
    let mut last = None;
    for &dof in dofs {
        let own = root(first, m.dof_treeid[dof as usize] as usize);
        let other = last.unwrap_or(own);
        let (low, high) = (own.min(other), own.max(other));
        first[high] = low;
        last = Some(low);
    }
}

/// Initializes worlds: all trees are awake, except those that are to sleep from the start.
pub fn begin<R: Real>(m: &Model, d: &mut Data<R>) {
    d.still.forget();
    d.tree_asleep.fill(R::int(AWAKE));
    d.latent.fill(R::zero());
    if m.tree_sleep_policy.iter().any(|p| *p == SleepPolicy::Init) {
        for lane in 0..R::WIDTH {
            let mut world = Data::<f64>::zeroed(m);
            world.own = d.own.lane(m, lane);
            copy_lane(&mut world, d, 0, lane);
            begin_asleep(m, &mut world);
            for t in 0..m.ntree {
                R::set_int_lane(&mut d.tree_asleep[t], lane, world.tree_asleep[t]);
                for q in positions(m, t).filter(|_| asleep(&world, t, 0)) {
                    d.latent[q].set_lane(lane, world.qpos[q]);
                }
            }
            let noted = d.latent[m.nq + m.nv..].iter_mut();
            let values = world.act_dot.iter().chain(&world.sensordata);
            noted.zip(values).for_each(|(to, x)| to.set_lane(lane, *x));
        }
    }
    tell_awake(m, d);
}

// as if all trees had been at rest for a step, and those that are to sleep for long; rates and readings are those of the start
fn begin_asleep(m: &Model, d: &mut Data) {
    let init = |t: usize| m.tree_sleep_policy[t] == SleepPolicy::Init;
    tell_awake(m, d);
    stages::forward(m, &mut |stage| (stage.twin)(m, d));
    for t in (0..m.ntree).filter(|&t| init(t)) {
        d.tree_asleep[t] = READY;
    }
    let contact = pairs_of_contacts(m, d);
    fall_asleep(m, d, &contact, d.nefc[0] as usize);
    for t in (0..m.ntree).filter(|&t| init(t)) {
        if !asleep(d, t, 0) {
            d.tree_asleep[t] = AWAKE;
        }
    }
}
