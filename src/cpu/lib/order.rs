//! Orders of an island's trees in which the factor of its Hessian has few entries.
//!
//! A row of the factor reaches from the diagonal to the last dof that it is coupled to. In a heap of many bodies, neighbours have
//! numbers far apart, so rows in the order of the model are long. In the order of their distance from a body at the edge of the
//! heap, neighbours have numbers close together (Cuthill and McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969).
//! The dofs of a tree stay together, in the order of the model.

use std::collections::VecDeque;

use super::coupling::{couplings_of, is_coupled};
use super::primal::Island;
use super::rows::dofs_of;
use crate::fields::{Data, Model};

/// Fewest trees of an island whose order is worth a search.
const TREES: usize = 8;

/// Mean number of columns of a row from which on the order is worth a search.
const COLUMNS: usize = 24;

/// Dofs of an island in an order of their own.
pub struct Order {
    /// Dof numbers.
    pub dofs: Vec<i32>,
    /// Place of a dof in that list, by the dof's number.
    pub place: Vec<i32>,
}

/// Multiplications of a factor, about: over all columns, the square of the number of rows that reach the column. `end` is the last
/// column of each row.
pub fn work(end: &[i32]) -> u64 {
    let mut ending = vec![0u64; end.len()];
    for &last in end {
        ending[last as usize] += 1;
    }
    let mut front = 0;
    ending.iter().fold(0, |work, &ending| {
        front += 1;
        let here = front * front;
        front -= ending;
        work + here
    })
}

/// Orders to try for an island; none if it has few trees, or rows that are short as they are.
pub fn orders(m: &Model, d: &Data, island: &Island<'_, f64>, end: &[i32]) -> Vec<Order> {
    let columns: usize = (0..end.len()).map(|k| end[k] as usize + 1 - k).sum();
    if count(m, island.dofs) < TREES || columns < COLUMNS * end.len() {
        return Vec::new();
    }
    let trees = Trees::new(m, island.dofs);
    let near = trees.neighbours(m, d, island);
    let mut order = by_distance(&near);
    let there = trees.order(m, island.dofs, &order);
    order.reverse();
    vec![there, trees.order(m, island.dofs, &order)]
}

// number of trees of an island
fn count(m: &Model, dofs: &[i32]) -> usize {
    let of = |dof: i32| m.dof_treeid[dof as usize];
    1 + dofs
        .windows(2)
        .filter(|pair| of(pair[0]) != of(pair[1]))
        .count()
}

// trees of an island, numbered in the order of the model
struct Trees {
    // place of the tree's first dof in the island
    first: Vec<usize>,
    // number of a tree in the island; -1: not in the island
    number: Vec<i32>,
}

impl Trees {
    fn new(m: &Model, dofs: &[i32]) -> Self {
        let mut trees = Self {
            first: Vec::new(),
            number: vec![-1; m.ntree],
        };
        for (k, &dof) in dofs.iter().enumerate() {
            let number = &mut trees.number[m.dof_treeid[dof as usize] as usize];
            if *number < 0 {
                *number = trees.first.len() as i32;
                trees.first.push(k);
            }
        }
        trees
    }

    fn of_dof(&self, m: &Model, dof: i32) -> usize {
        self.number[m.dof_treeid[dof as usize] as usize] as usize
    }

    // trees that are coupled to each tree, ascending
    fn neighbours(&self, m: &Model, d: &Data, island: &Island<'_, f64>) -> Vec<Vec<usize>> {
        let mut near = vec![Vec::new(); self.first.len()];
        let mut meet = |trees: &mut Vec<usize>| {
            trees.dedup();
            for &a in trees.iter() {
                near[a].extend(trees.iter().copied().filter(|&b| b != a));
            }
        };
        let mut last = -1;
        for &r in island.rows {
            let pattern = d.efc_Jpat[r as usize];
            if pattern != last {
                let dofs = dofs_of(m, d, pattern).iter();
                meet(&mut dofs.map(|&dof| self.of_dof(m, dof)).collect());
            }
            last = pattern;
        }
        for &dof in island.dofs.iter().filter(|_| is_coupled(m)) {
            for &other in couplings_of(m, dof as usize).1 {
                meet(&mut vec![self.of_dof(m, dof), self.of_dof(m, other)]);
            }
        }
        for near in &mut near {
            near.sort_unstable();
            near.dedup();
        }
        near
    }

    fn order(&self, m: &Model, dofs: &[i32], trees: &[usize]) -> Order {
        let end = |tree: usize| self.first.get(tree + 1).map_or(dofs.len(), |&next| next);
        let of_tree = |&tree: &usize| &dofs[self.first[tree]..end(tree)];
        let dofs: Vec<i32> = trees.iter().flat_map(of_tree).copied().collect();
        let mut place = vec![-1; m.nv];
        for (k, &dof) in dofs.iter().enumerate() {
            place[dof as usize] = k as i32;
        }
        Order { dofs, place }
    }
}

// all trees by their distance from one at the edge, those with few neighbours first
fn by_distance(near: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; near.len()];
    for tree in 0..near.len() {
        if !seen[tree] {
            let mut edge = tree;
            // the farthest tree from the farthest tree is at the edge
            for _ in 0..2 {
                let reached = walk(near, edge, &mut seen.clone());
                edge = reached.last().map_or(edge, |&far| far);
            }
            order.extend(walk(near, edge, &mut seen));
        }
    }
    order
}

// the trees that can be reached from a tree, by their distance; marks them as seen
fn walk(near: &[Vec<usize>], start: usize, seen: &mut [bool]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut next = VecDeque::from([start]);
    seen[start] = true;
    while let Some(tree) = next.pop_front() {
        order.push(tree);
        let mut new: Vec<usize> = near[tree].iter().copied().filter(|&t| !seen[t]).collect();
        new.sort_by_key(|&t| near[t].len());
        for t in new {
            seen[t] = true;
            next.push_back(t);
        }
    }
    order
}
