//! Islands: sets of trees coupled by constraint rows, each solved by itself (`mj_island`).

use crate::cpu::lib::rows::{dofs_of, patterns};
use crate::fields::{Data, Model};
use crate::types::*;

/// Islands: sets of trees coupled by constraint rows, each solved by itself (`mj_island`). Islands are numbered in order of their
/// first tree, dofs and rows keep their order inside an island. A tree without rows is in no island.
pub fn island(m: &Model, d: &mut Data) {
    let nefc = d.nefc[0] as usize;
    let whole = m.ntree == 1 || m.opt.disabled(DSBL_ISLAND);
    if nefc == 0 {
        d.nisland[0] = 0;
        d.tree_island.fill(if whole { 0 } else { -1 });
    } else if whole {
        one_island(m, d, nefc);
    } else {
        join_trees(m, d, nefc);
        number_islands(d);
        if m.opt.enabled(ENBL_IPC) {
            join_islands(d);
        }
        sort_dofs(m, d);
        sort_rows(m, d, nefc);
    }
}

// the whole model is one island
fn one_island(m: &Model, d: &mut Data, nefc: usize) {
    d.nisland[0] = 1;
    d.tree_island.fill(0);
    d.island_nv[0] = m.nv as i32;
    d.island_idofadr[0] = 0;
    d.island_nefc[0] = nefc as i32;
    d.island_iefcadr[0] = 0;
    for i in 0..m.nv {
        d.map_idof2dof[i] = i as i32;
        d.map_dof2idof[i] = i as i32;
    }
    for r in 0..nefc {
        d.map_iefc2efc[r] = r as i32;
    }
}

// union-find: every tree points to an earlier tree of its island or to itself; -1: tree without rows
fn join_trees(m: &Model, d: &mut Data, nefc: usize) {
    d.tree_island.fill(-1);
    for r in 0..nefc {
        // rows of a contact are consecutive and have the same dofs
        if r > 0 && d.efc_Jpat[r] == d.efc_Jpat[r - 1] {
            continue;
        }
        let mut first = -1;
        for &dof in patterns!(m, d).dofs(d.efc_Jpat[r]) {
            let tree = m.dof_treeid[dof as usize];
            if d.tree_island[tree as usize] < 0 {
                d.tree_island[tree as usize] = tree;
            }
            let root = root_of(&d.tree_island, tree);
            if first < 0 {
                first = root;
            }
            let [low, high] = [first.min(root), first.max(root)];
            d.tree_island[high as usize] = low;
            first = low;
        }
    }
    if !m.efm_tree.is_empty() {
        join_coupled(m, d);
    }
}

// trees that the metric couples belong together if any of them has rows
fn join_coupled(m: &Model, d: &mut Data) {
    let coupled = || m.efm_tree.iter().enumerate();
    for (tree, &first) in coupled() {
        if d.tree_island[tree] >= 0 && d.tree_island[first as usize] < 0 {
            d.tree_island[first as usize] = first;
        }
    }
    for (tree, &first) in coupled() {
        if d.tree_island[first as usize] < 0 {
            continue;
        }
        if d.tree_island[tree] < 0 {
            d.tree_island[tree] = tree as i32;
        }
        let [a, b] = [tree as i32, first].map(|tree| root_of(&d.tree_island, tree));
        d.tree_island[a.max(b) as usize] = a.min(b);
    }
}

fn root_of(tree_island: &[i32], mut tree: i32) -> i32 {
    while tree_island[tree as usize] != tree {
        tree = tree_island[tree as usize];
    }
    tree
}

// roots come before the trees that point to them, so one pass replaces pointers by island numbers
fn number_islands(d: &mut Data) {
    let mut nisland = 0;
    for tree in 0..d.tree_island.len() {
        let parent = d.tree_island[tree];
        if parent == tree as i32 {
            d.tree_island[tree] = nisland;
            nisland += 1;
        } else if parent >= 0 {
            d.tree_island[tree] = d.tree_island[parent as usize];
        }
    }
    d.nisland[0] = nisland;
}

// with the flag `ipc` the trees that have rows are solved together, as in MuJoCo
fn join_islands(d: &mut Data) {
    d.tree_island
        .iter_mut()
        .for_each(|island| *island = (*island).min(0));
    d.nisland[0] = d.nisland[0].min(1);
}

fn sort_dofs(m: &Model, d: &mut Data) {
    // number of dofs of each island, and the addresses that follow from them
    let nisland = d.nisland[0] as usize;
    d.island_nv[..nisland].fill(0);
    for tree in 0..m.ntree {
        if let Ok(island) = usize::try_from(d.tree_island[tree]) {
            d.island_nv[island] += m.tree_dofnum[tree];
        }
    }
    let mut adr = 0;
    for island in 0..nisland {
        d.island_idofadr[island] = adr;
        adr += d.island_nv[island];
        d.island_nv[island] = 0;
    }

    // dofs without rows come last
    for tree in 0..m.ntree {
        let island = usize::try_from(d.tree_island[tree]);
        let dofadr = m.tree_dofadr[tree];
        for dof in dofadr..dofadr + m.tree_dofnum[tree] {
            let (place, within) = match island {
                Ok(island) => {
                    let within = d.island_nv[island];
                    d.island_nv[island] += 1;
                    (d.island_idofadr[island] + within, within)
                }
                Err(_) => {
                    adr += 1;
                    (adr - 1, -1)
                }
            };
            d.map_idof2dof[place as usize] = dof;
            d.map_dof2idof[dof as usize] = within;
        }
    }
}

fn sort_rows(m: &Model, d: &mut Data, nefc: usize) {
    let island_of = |d: &Data, r: usize| match dofs_of(m, d, d.efc_Jpat[r]).first() {
        None => 0,
        Some(&dof) => d.tree_island[m.dof_treeid[dof as usize] as usize] as usize,
    };
    let nisland = d.nisland[0] as usize;
    d.island_nefc[..nisland].fill(0);
    for r in 0..nefc {
        let island = island_of(d, r);
        d.island_nefc[island] += 1;
    }
    let mut adr = 0;
    for island in 0..nisland {
        d.island_iefcadr[island] = adr;
        adr += d.island_nefc[island];
        d.island_nefc[island] = 0;
    }
    for r in 0..nefc {
        let island = island_of(d, r);
        let place = d.island_iefcadr[island] + d.island_nefc[island];
        d.map_iefc2efc[place as usize] = r as i32;
        d.island_nefc[island] += 1;
    }
}
