//! Which trees may sleep, and what keeps those of flexes awake.

use super::flex;
use super::setconst::path_trees;
use crate::cpu::lib::cage::{patch_nodes, patch_num};
use crate::fields::Arrays;
use crate::types::*;

// values of `tree_flexeq` where no equality counts
const FREE: i32 = -1;
const NEVER: i32 = -2;

/// Which trees may sleep where the model leaves it open: all but those that actuators, springs between trees or loose flexes move.
pub(super) fn policies(m: &mut Arrays) {
    let (auto, never) = (SleepPolicy::Auto as i32, SleepPolicy::AutoNever as i32);
    let allowed = SleepPolicy::AutoAllowed as i32;
    for policy in &mut m.tree_sleep_policy {
        if [never, allowed].contains(policy) {
            *policy = auto;
        }
    }
    let mut restless: Vec<i32> = (0..m.nactuator).flat_map(|i| driven(m, i)).collect();
    restless.extend((0..m.ntendon).flat_map(|i| tied(m, i)));
    for f in (0..m.nflex).filter(|&f| !flex::keeps_shape(m, f)) {
        let bodies = flex::bodies_of(m, f);
        restless.extend(bodies.iter().map(|&b| m.body_treeid[b as usize]));
    }
    for t in restless
        .into_iter()
        .filter_map(|tree| usize::try_from(tree).ok())
    {
        if m.tree_sleep_policy[t] == auto {
            m.tree_sleep_policy[t] = never;
        }
    }
    for policy in &mut m.tree_sleep_policy {
        if *policy == auto {
            *policy = allowed;
        }
    }
}

// the trees that an actuator drives; -1 for static bodies
fn driven(m: &Arrays, i: usize) -> Vec<i32> {
    let ids = &m.actuator_trnid[2 * i..2 * i + 2];
    let id = ids[0] as usize;
    let of_joint = || vec![m.body_treeid[m.jnt_bodyid[id] as usize]];
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Joint | TrnType::JointInParent) => of_joint(),
        Some(TrnType::So3) if ids[1] < 0 => of_joint(),
        Some(TrnType::Site | TrnType::SliderCrank | TrnType::So3) => {
            let sites = ids.iter().filter_map(|&id| usize::try_from(id).ok());
            sites
                .map(|id| m.body_treeid[m.site_bodyid[id] as usize])
                .collect()
        }
        Some(TrnType::Body) => vec![m.body_treeid[id]],
        Some(TrnType::Tendon) => path_trees(m, id),
        _ => Vec::new(),
    }
}

// the trees that a tendon ties together: more than two, or two by a spring, a damper or an actuator's damping
fn tied(m: &Arrays, i: usize) -> Vec<i32> {
    let zero = |x: &[f64]| x.iter().all(|x| *x == 0.0);
    let passive = m.tendon_stiffness[i] == 0.0
        && zero(&m.tendon_stiffnesspoly[2 * i..2 * i + 2])
        && m.tendon_damping[i] == 0.0
        && zero(&m.tendon_dampingpoly[2 * i..2 * i + 2])
        && m.tendon_actuatorid[i] == -1;
    match m.tendon_treenum[i] > 2 || (m.tendon_treenum[i] == 2 && !passive) {
        true => path_trees(m, i),
        false => Vec::new(),
    }
}

/// Fills the tables by which flexes sleep. A flex falls asleep and wakes as a whole, so what does not hold all its trees together
/// keeps it awake. The couplings of the metric must be filled before.
pub(super) fn of_flexes(m: &mut Arrays) {
    m.ntreeflex = if m.nflex > 0 { m.ntree } else { 0 };
    m.tree_flexeq = vec![FREE; m.ntreeflex];
    m.flex_bodyid = (0..m.nflex).map(|f| mover(m, f)).collect();
    for f in (0..m.nflex).filter(|&f| m.flex_rigid[f] == 0) {
        let trees = trees_of(m, f);
        let needs = held_by(m, f, &trees);
        for t in trees {
            let now = &mut m.tree_flexeq[t];
            *now = match (*now, needs) {
                (FREE, one) | (one, FREE) => one,
                (one, other) if one == other => one,
                _ => NEVER,
            };
        }
    }
}

// a body of a flex, one that belongs to a tree if there is one
fn mover(m: &Arrays, f: usize) -> i32 {
    let bodies = flex::bodies_of(m, f);
    let moving = |b: &&i32| m.body_treeid[**b as usize] >= 0;
    let any = bodies.iter().find(moving).or(bodies.first());
    any.copied().unwrap_or_default()
}

// the trees of a flex, ascending
fn trees_of(m: &Arrays, f: usize) -> Vec<usize> {
    let trees = flex::bodies_of(m, f)
        .iter()
        .filter_map(|&b| usize::try_from(m.body_treeid[b as usize]).ok());
    let mut trees: Vec<_> = trees.collect();
    trees.sort_unstable();
    trees.dedup();
    trees
}

// what holds the trees of a flex together: FREE for the metric, else the equality, NEVER if nothing does
fn held_by(m: &Arrays, f: usize, trees: &[usize]) -> i32 {
    let tied = |t: &usize| m.tree_tied[*t] == m.tree_tied[trees[0]];
    if !m.tree_tied.is_empty() && trees.iter().all(tied) {
        return FREE;
    }
    let of_flex = [EqType::Flex, EqType::FlexVert, EqType::FlexStrain];
    let equality = (0..m.neq).find(|&i| {
        of_flex.iter().any(|kind| m.eq_type[i] == *kind) && m.eq_obj1id[i] as usize == f
    });
    match equality {
        Some(i) if is_whole(m, f, trees) => i as i32,
        _ => NEVER,
    }
}

// whether edges between trees, or cells of nodes, lead from each tree of a flex to all others
fn is_whole(m: &Arrays, f: usize, trees: &[usize]) -> bool {
    let place = |body: i32| {
        let tree = usize::try_from(m.body_treeid[usize::try_from(body).ok()?]).ok()?;
        trees.binary_search(&tree).ok()
    };
    let mut first: Vec<usize> = (0..trees.len()).collect();
    for_neighbors(m, f, |bodies| {
        let mut places = bodies.iter().filter_map(|b| place(*b));
        let Some(one) = places.next() else { return };
        for other in places {
            let [low, high] = [first[one].min(first[other]), first[one].max(first[other])];
            first
                .iter_mut()
                .filter(|t| **t == high)
                .for_each(|t| *t = low);
        }
    });
    first.iter().all(|t| *t == 0)
}

// calls `visit` with the bodies of the ends of each edge, or of the nodes of each cell
fn for_neighbors(m: &Arrays, f: usize, mut visit: impl FnMut(&[i32])) {
    if m.flex_interp[f] != 0 {
        for c in 0..patch_num(m, f) {
            let nodes = patch_nodes(m, f, c).into_iter();
            visit(&nodes.map(|n| m.flex_nodebodyid[n]).collect::<Vec<_>>());
        }
        return;
    }
    let adr = 2 * m.flex_edgeadr[f] as usize;
    let edges = &m.flex_edge[adr..adr + 2 * m.flex_edgenum[f] as usize];
    for ends in edges.chunks_exact(2) {
        visit(&[0, 1].map(|k| m.flex_vertbodyid[(m.flex_vertadr[f] + ends[k]) as usize]));
    }
}
