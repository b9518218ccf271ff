//! Sparsity patterns of constraint rows: which dofs a row can touch is known from the model, so a row stores values only.

use std::collections::HashMap;

use super::layout::{body_chain, merged_chain};
use super::pair::body_pairs;
use crate::fields::Model;
use crate::types::*;

/// Fills `Jpat_*`, the pattern of every element that makes rows, and `nJrow`. Needs the collision list.
pub fn patterns(m: &mut Model) {
    let mut table = Table::default();
    m.dof_Jpat = (0..m.nv as i32).map(|i| table.id(vec![i])).collect();
    m.jnt_Jpat = (0..m.njnt).map(|j| joint(m, j, &mut table)).collect();
    m.tendon_Jpat = (0..m.ntendon).map(|i| tendon(m, i, &mut table)).collect();
    m.eq_Jpat = (0..m.neq).map(|i| equality(m, i, &mut table)).collect();
    let (bodies, of) = body_pairs(m);
    let of_bodies: Vec<i32> = bodies
        .iter()
        .map(|&(body1, body2)| table.id(moving_chain(m, body1, body2)))
        .collect();
    m.collision_Jpat = of.iter().map(|&k| of_bodies[k]).collect();
    table.write(m);
}

// distinct dof lists in first-met order
#[derive(Default)]
struct Table {
    index: HashMap<Vec<i32>, i32>,
    lists: Vec<Vec<i32>>,
}

impl Table {
    fn id(&mut self, dofs: Vec<i32>) -> i32 {
        let next = self.lists.len() as i32;
        let id = *self.index.entry(dofs.clone()).or_insert(next);
        if id == next {
            self.lists.push(dofs);
        }
        id
    }

    fn write(self, m: &mut Model) {
        m.nJpat = self.lists.len();
        m.Jpat_num = self.lists.iter().map(|dofs| dofs.len() as i32).collect();
        m.Jpat_adr = super::layout::addresses(&m.Jpat_num);
        m.Jpat_dof = self.lists.concat();
        m.nJpatdof = m.Jpat_dof.len();
        m.nJrow = self.lists.iter().map(Vec::len).max().unwrap_or(0);
    }
}

/// Dofs that move one of two bodies and not the other, ascending. The Jacobian difference of a contact, where both bodies'
/// points are one, is zero for the dofs that move both.
pub fn moving_chain(m: &Model, body1: usize, body2: usize) -> Vec<i32> {
    let (chain1, chain2) = (body_chain(m, body1), body_chain(m, body2));
    let common = chain1
        .iter()
        .zip(&chain2)
        .take_while(|(a, b)| a == b)
        .count();
    let mut chain = [&chain1[common..], &chain2[common..]].concat();
    chain.sort_unstable();
    chain
}

fn joint(m: &Model, j: usize, table: &mut Table) -> i32 {
    let adr = m.jnt_dofadr[j];
    match m.jnt_type[j] == JointType::Ball {
        true => table.id((adr..adr + 3).collect()),
        false => table.id(vec![adr]),
    }
}

fn tendon_dofs(m: &Model, i: i32) -> Vec<i32> {
    let adr = m.ten_J_rowadr[i as usize] as usize;
    m.ten_J_colind[adr..adr + m.ten_J_rownnz[i as usize] as usize].to_vec()
}

// a tendon that makes no rows needs no pattern
fn tendon(m: &Model, i: usize, table: &mut Table) -> i32 {
    match m.tendon_limited[i] != 0 || m.tendon_frictionloss[i] > 0.0 {
        true => table.id(tendon_dofs(m, i as i32)),
        false => -1,
    }
}

fn equality(m: &Model, i: usize, table: &mut Table) -> i32 {
    let (id1, id2) = (m.eq_obj1id[i], m.eq_obj2id[i]);
    let body = |id: i32| match m.eq_objtype[i] == ObjType::Site {
        true => m.site_bodyid[id as usize] as usize,
        false => id as usize,
    };
    let scalar = |of: fn(&Model, i32) -> Vec<i32>| {
        let mut dofs = of(m, id1);
        if id2 >= 0 {
            dofs.extend(of(m, id2));
        }
        dofs.sort_unstable();
        dofs.dedup();
        dofs
    };
    match EqType::from_i32(m.eq_type[i]) {
        Some(EqType::Connect | EqType::Weld) => table.id(merged_chain(m, body(id1), body(id2))),
        Some(EqType::Joint) => table.id(scalar(|m, j| vec![m.jnt_dofadr[j as usize]])),
        Some(EqType::Tendon) => table.id(scalar(tendon_dofs)),
        _ => -1,
    }
}
