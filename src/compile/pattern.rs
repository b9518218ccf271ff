//! Sparsity patterns of constraint rows: which dofs a row can touch is known from the model, so a row stores values only.

use std::collections::HashMap;

use super::layout::{body_chain, merged_chain};
use super::pair::body_pairs;
use crate::fields::Arrays;
use crate::types::*;

/// Fills `Jpat_*`, the pattern of every element that makes rows, and `nJrow`. Needs the collision list.
pub fn patterns(m: &mut Arrays) {
    let mut table = Table::default();
    m.dof_Jpat = (0..m.nv as i32).map(|i| table.id(own(vec![i]))).collect();
    m.jnt_Jpat = (0..m.njnt).map(|j| joint(m, j, &mut table)).collect();
    m.tendon_Jpat = (0..m.ntendon).map(|i| tendon(m, i, &mut table)).collect();
    m.eq_Jpat = (0..m.neq).map(|i| equality(m, i, &mut table)).collect();
    let (bodies, of) = body_pairs(m);
    let of_bodies: Vec<i32> = bodies
        .iter()
        .map(|&(body1, body2)| table.id(contact_pattern(m, body1, body2)))
        .collect();
    m.collision_Jpat = of.iter().map(|&k| of_bodies[k]).collect();
    table.write(m);
}

/// A dof of a pattern and the side it moves: -1 the first body, 1 the second, 0 both.
type Entry = (i32, i32);

// distinct patterns in first-met order
#[derive(Default)]
struct Table {
    index: HashMap<Vec<Entry>, i32>,
    lists: Vec<Vec<Entry>>,
}

impl Table {
    fn id(&mut self, list: Vec<Entry>) -> i32 {
        let next = self.lists.len() as i32;
        let id = *self.index.entry(list.clone()).or_insert(next);
        if id == next {
            self.lists.push(list);
        }
        id
    }

    fn write(self, m: &mut Arrays) {
        m.nJpat = self.lists.len();
        m.Jpat_num = self.lists.iter().map(|list| list.len() as i32).collect();
        m.Jpat_adr = super::layout::addresses(&m.Jpat_num);
        m.Jpat_dof = self.lists.iter().flatten().map(|entry| entry.0).collect();
        m.Jpat_side = self.lists.iter().flatten().map(|entry| entry.1).collect();
        m.nJpatdof = m.Jpat_dof.len();
        m.nJrow = self.lists.iter().map(Vec::len).max().unwrap_or(0);
    }
}

// dofs of a row that is not about two bodies
fn own(dofs: Vec<i32>) -> Vec<Entry> {
    dofs.into_iter().map(|i| (i, 1)).collect()
}

// dofs that move either of two bodies, ascending, with the side that each moves
fn sides(m: &Arrays, body1: usize, body2: usize) -> Vec<Entry> {
    let (chain1, chain2) = (body_chain(m, body1), body_chain(m, body2));
    let side = |i: i32| match (chain1.binary_search(&i), chain2.binary_search(&i)) {
        (Ok(_), Ok(_)) => 0,
        (Ok(_), Err(_)) => -1,
        _ => 1,
    };
    let merged = merged_chain(m, body1, body2).into_iter();
    merged.map(|i| (i, side(i))).collect()
}

// the Jacobian difference of a contact, where both bodies' points are one, is zero for the dofs that move both
fn contact_pattern(m: &Arrays, body1: usize, body2: usize) -> Vec<Entry> {
    let mut list = sides(m, body1, body2);
    list.retain(|entry| entry.1 != 0);
    list
}

fn joint(m: &Arrays, j: usize, table: &mut Table) -> i32 {
    let adr = m.jnt_dofadr[j];
    match m.jnt_type[j] == JointType::Ball {
        true => table.id(own((adr..adr + 3).collect())),
        false => table.id(own(vec![adr])),
    }
}

fn tendon_dofs(m: &Arrays, i: i32) -> Vec<i32> {
    let adr = m.ten_J_rowadr[i as usize] as usize;
    m.ten_J_colind[adr..adr + m.ten_J_rownnz[i as usize] as usize].to_vec()
}

// a tendon that makes no rows needs no pattern
fn tendon(m: &Arrays, i: usize, table: &mut Table) -> i32 {
    match m.tendon_limited[i] != 0 || m.tendon_frictionloss[i] > 0.0 {
        true => table.id(own(tendon_dofs(m, i as i32))),
        false => -1,
    }
}

fn equality(m: &Arrays, i: usize, table: &mut Table) -> i32 {
    let (id1, id2) = (m.eq_obj1id[i], m.eq_obj2id[i]);
    let body = |id: i32| match m.eq_objtype[i] == ObjType::Site {
        true => m.site_bodyid[id as usize] as usize,
        false => id as usize,
    };
    let scalar = |of: fn(&Arrays, i32) -> Vec<i32>| {
        let mut dofs = of(m, id1);
        if id2 >= 0 {
            dofs.extend(of(m, id2));
        }
        dofs.sort_unstable();
        dofs.dedup();
        own(dofs)
    };
    match EqType::from_i32(m.eq_type[i]) {
        Some(EqType::Connect | EqType::Weld) => table.id(sides(m, body(id1), body(id2))),
        Some(EqType::Joint) => table.id(scalar(|m, j| vec![m.jnt_dofadr[j as usize]])),
        Some(EqType::Tendon) => table.id(scalar(tendon_dofs)),
        _ => -1,
    }
}
