//! Dead code elimination: nodes without a reader, stores that are overwritten before a read, empty branches.

use std::collections::HashSet;

use super::graph::{Atom, Graph, Op, Place, Stmt};

/// State of a backward pass through a kernel: nodes and variables that are read later.
#[derive(Debug, Default)]
struct Later {
    nodes: Vec<bool>,
    vars: HashSet<u32>,
}

/// The statements that are not dead.
pub fn live(graph: &Graph, block: Vec<Stmt>) -> Vec<Stmt> {
    let mut later = Later {
        nodes: vec![false; graph.nodes.len()],
        vars: HashSet::new(),
    };
    later.block(graph, block, &mut HashSet::new())
}

impl Later {
    fn need(&mut self, a: Atom) {
        if let Atom::Node(id) = a {
            self.nodes[id as usize] = true;
        }
    }

    fn block(&mut self, graph: &Graph, block: Vec<Stmt>, over: &mut HashSet<Place>) -> Vec<Stmt> {
        let mut kept = Vec::with_capacity(block.len());
        for stmt in block.into_iter().rev() {
            match stmt {
                Stmt::Let(id) => {
                    if !self.nodes[id as usize] {
                        continue;
                    }
                    let op = graph.nodes[id as usize].op;
                    op.operands().for_each(|a| self.need(a));
                    match op {
                        Op::Get(var) => {
                            self.vars.insert(var);
                        }
                        Op::Load(index) => {
                            // this load may read a word that is overwritten later under another base
                            let (base, k) = graph.place(index);
                            over.retain(|&place| place.0 == base && place.1 != k);
                        }
                        _ => {}
                    }
                }
                Stmt::Store(index, word) => {
                    if !over.insert(graph.place(index)) {
                        continue;
                    }
                    self.need(index);
                    self.need(word);
                }
                Stmt::Var(var, _) if !self.vars.contains(&var) => continue,
                Stmt::Var(..) => {}
                Stmt::Set(var, _) if !self.vars.contains(&var) => continue,
                Stmt::Set(_, value) => self.need(value),
                Stmt::If(condition, a, b) => {
                    let (mut over_a, mut over_b) = (over.clone(), over.clone());
                    let a = self.block(graph, a, &mut over_a);
                    let b = self.block(graph, b, &mut over_b);
                    over_a.retain(|place| over_b.contains(place));
                    *over = over_a;
                    if a.is_empty() && b.is_empty() {
                        continue;
                    }
                    self.need(condition);
                    kept.push(Stmt::If(condition, a, b));
                    continue;
                }
            }
            kept.push(stmt);
        }
        kept.reverse();
        kept
    }
}
