//! Sparsity patterns of constraint rows: the model determines which dofs a row can touch, so a row stores values only.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::flex;
use super::layout::{body_chain, merged_chain};
use super::pair::bodies;
use crate::cpu::collision::block::Block;
use crate::cpu::collision::soft::{self, Pair, is_block};
use crate::cpu::lib::cage::{patch_nodes, patch_num};
use crate::cpu::lib::rows::listed_dofs;
use crate::error::{Error, Result};
use crate::fields::Arrays;
use crate::types::*;

/// Most dofs that all patterns may have together (512 MiB): a long chain whose every link may touch every other has many.
pub const MAXJPATDOF: usize = 1 << 26;

/// Most words of `Jpat_mask`. Patterns of pairs grow with the square of the number of bodies that may touch, their masks with the
/// cube: 2000 boxes that may touch each other would have 6 GiB of masks. Beyond the limit there are no masks, and kernels search
/// `Jpat_dof`.
pub const MAXJPATWORD: usize = 1 << 20;

/// Fills `Jpat_*`, the pattern of every element that makes rows, and `nJrow`. Needs the collision list. Fails if the patterns
/// have more than [`MAXJPATDOF`] dofs.
pub fn patterns(m: &mut Arrays) -> Result<()> {
    let mut table = Table::default();
    m.dof_Jpat = (0..m.nv as i32).map(|i| table.id(own(vec![i]))).collect();
    m.jnt_Jpat = (0..m.njnt).map(|j| joint(m, j, &mut table)).collect();
    m.tendon_Jpat = (0..m.ntendon).map(|i| tendon(m, i, &mut table)).collect();
    m.eq_patch = (0..m.neq)
        .map(|i| strain_patch(m, i).map_or(-1, |c| c as i32))
        .collect();
    m.eq_modenum = (0..m.neq).map(|i| modes(m, i)).collect();
    m.eq_Jpat = (0..m.neq).map(|i| equality(m, i, &mut table)).collect();
    m.flexedge_Jpat = edges(m, &mut table);
    m.collision_Jpat = contacts(m, &mut table)?;
    m.flexelem_Jpat = elements(m, &mut table);
    table.write(m);
    m.nJelem = room(m);
    m.nJrow = m.nJrow.max(m.nJelem);
    Ok(())
}

// patterns of every pair of the collision list
fn contacts(m: &Arrays, table: &mut Table) -> Result<Vec<i32>> {
    let mut of_bodies = HashMap::new();
    let mut out = Vec::with_capacity(m.ncollision);
    for k in 0..m.ncollision {
        let id = if m.collision_geom2[k] >= 0 {
            let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
            let [body1, body2] = geoms.map(|g| m.geom_bodyid[g as usize] as usize);
            let pattern = of_bodies.entry((body1, body2));
            *pattern.or_insert_with(|| table.id(contact_pattern(m, body1, body2)))
        } else if is_block(m, k) {
            -1
        } else {
            table.id(soft_pattern(m, k))
        };
        out.push(id);
        if table.ndof > MAXJPATDOF {
            return Err(Error::Size {
                what: "dofs in the patterns of contact rows (exclude pairs by contype, conaffinity, <exclude> or selfcollide)"
                    .into(),
                need: table.ndof as u64,
                have: MAXJPATDOF as u64,
            });
        }
    }
    Ok(out)
}

/// A dof of a pattern and the side it moves: -1 the first body, 1 the second, 0 both; of the bodies of an element 1 some, 0 all.
type Entry = (i32, i32);

// distinct patterns in first-met order
#[derive(Default)]
struct Table {
    index: HashMap<Rc<[Entry]>, i32>,
    lists: Vec<Rc<[Entry]>>,
    // entries of all lists
    ndof: usize,
}

impl Table {
    fn id(&mut self, list: Vec<Entry>) -> i32 {
        if let Some(&id) = self.index.get(list.as_slice()) {
            return id;
        }
        let (id, list) = (self.lists.len() as i32, Rc::<[Entry]>::from(list));
        self.ndof += list.len();
        self.index.insert(list.clone(), id);
        self.lists.push(list);
        id
    }

    fn write(self, m: &mut Arrays) {
        m.nJpat = self.lists.len();
        m.Jpat_num = self.lists.iter().map(|list| list.len() as i32).collect();
        m.Jpat_adr = super::layout::addresses(&m.Jpat_num);
        let entries = || self.lists.iter().flat_map(|list| list.iter());
        m.Jpat_dof = entries().map(|entry| entry.0).collect();
        m.Jpat_side = entries().map(|entry| entry.1).collect();
        m.nJpatdof = m.Jpat_dof.len();
        m.nJrow = self.lists.iter().map(|list| list.len()).max().unwrap_or(0);
        masks(m);
    }
}

/// The dofs of all patterns as bits: `Jpat_mask`, `Jpat_rank`; both empty where they would have more than [`MAXJPATWORD`].
pub(crate) fn masks(m: &mut Arrays) {
    let width = m.nv.div_ceil(32);
    let words = m.nJpat * width;
    m.nJpatword = if words > MAXJPATWORD { 0 } else { words };
    m.Jpat_mask = vec![0; m.nJpatword];
    m.Jpat_rank = vec![0; m.nJpatword];
    if m.nJpatword == 0 {
        return;
    }
    for pattern in 0..m.nJpat {
        let (adr, num) = (m.Jpat_adr[pattern] as usize, m.Jpat_num[pattern] as usize);
        let words = pattern * width..(pattern + 1) * width;
        for &dof in &m.Jpat_dof[adr..adr + num] {
            m.Jpat_mask[words.start + dof as usize / 32] |= 1 << (dof % 32);
        }
        let mut rank = 0;
        for word in words {
            m.Jpat_rank[word] = rank;
            rank += m.Jpat_mask[word].count_ones() as i32;
        }
    }
}

// entries of a row that is not about two bodies
fn own(dofs: Vec<i32>) -> Vec<Entry> {
    dofs.into_iter().map(|i| (i, 1)).collect()
}

// dofs of a connect or weld of two bodies. None if slides of both are all that moves them, in a dense Jacobian: MuJoCo leaves out rows
// that are zero there
fn apart(m: &Arrays, body1: usize, body2: usize) -> Vec<Entry> {
    let entries = sides(m, body1, body2);
    let slides = |dof: i32| m.jnt_type[m.dof_jntid[dof as usize] as usize] == JointType::Slide;
    let carried = entries.iter().all(|&(dof, side)| side == 0 && slides(dof));
    match carried && m.opt.has_dense_jacobian(m.nv) {
        true => Vec::new(),
        false => entries,
    }
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

// dofs that move some of the bodies that carry the sides of a contact; a dof that moves all of them moves them alike and is left out
fn soft_pattern(m: &Arrays, k: usize) -> Vec<Entry> {
    let pair = Pair::listed(m, k);
    let mut carriers = bodies(m, &pair, 0);
    carriers.extend(bodies(m, &pair, 1));
    let mut list = carried(m, &carriers);
    list.retain(|entry| entry.1 != 0);
    list
}

// dofs that move bodies, ascending: 1 where a dof moves some of them, 0 all
fn carried(m: &Arrays, carriers: &[usize]) -> Vec<Entry> {
    let mut times = BTreeMap::new();
    for &body in carriers {
        for dof in body_chain(m, body) {
            *times.entry(dof).or_insert(0) += 1;
        }
    }
    let side = |n: usize| i32::from(n < carriers.len());
    times.into_iter().map(|(dof, n)| (dof, side(n))).collect()
}

// patterns of the elements of blocks
fn elements(m: &Arrays, table: &mut Table) -> Vec<i32> {
    let mut out = vec![-1; m.nelemblock];
    for block in 0..m.nblock {
        let k = m.block_collision[block] as usize;
        for (side, list) in Block::new(m, block).elem.into_iter().enumerate() {
            for &e in list {
                let pair = Pair { k, elem: [e; 2] };
                let id = &mut out[soft::element_of(m, &pair, side)];
                if *id < 0 {
                    *id = table.id(carried(m, &bodies(m, &pair, side)));
                }
            }
        }
    }
    out
}

/// Largest number of dofs of two elements of a block (`nJelem`), less those that move all elements of both sides.
pub(crate) fn room(m: &Arrays) -> usize {
    let of_block = |block: usize| {
        let k = m.block_collision[block] as usize;
        let lists = Block::new(m, block).elem;
        let sides = [0, 1].map(|side| {
            let first = m.flex_elemadr[m.collision_flex[2 * k + side] as usize];
            let of = move |e: &i32| m.flexelem_Jpat[(first + e) as usize];
            lists[side].iter().map(of)
        });
        let most = |side: usize| {
            let num = sides[side].clone().map(|id| m.Jpat_num[id as usize]);
            num.max().unwrap_or(0) as usize
        };
        let [mut ids, others] = sides.clone();
        let shared = |dof: i32, id: i32| {
            let adr = m.Jpat_adr[id as usize] as usize;
            let place = listed_dofs(m, id).binary_search(&dof);
            place.is_ok_and(|n| m.Jpat_side[adr + n] == 0)
        };
        let first = ids.next().map_or(&[][..], |id| listed_dofs(m, id));
        let all = |dof: &&i32| {
            sides[0]
                .clone()
                .chain(others.clone())
                .all(|id| shared(**dof, id))
        };
        most(0) + most(1) - 2 * first.iter().filter(all).count()
    };
    (0..m.nblock).map(of_block).max().unwrap_or(0)
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
    match m.tendon_limited[i] != 0 || m.tendon_frictionloss[i] != 0.0 {
        true => table.id(own(tendon_dofs(m, i as i32))),
        false => -1,
    }
}

// an edge of a flex that has a Jacobian may make a row
fn edges(m: &Arrays, table: &mut Table) -> Vec<i32> {
    let mut out = vec![-1; m.nflexedge];
    for f in 0..m.nflex {
        for e in flex::edges_of(m, f) {
            if m.flexedge_J_rownnz[e] > 0 && m.flexedge_rigid[e] == 0 {
                let [body1, body2] = flex::edge_bodies(m, f, e);
                out[e] = table.id(sides(m, body1, body2));
            }
        }
    }
    out
}

// number of strains that an equality holds
fn modes(m: &Arrays, i: usize) -> i32 {
    let Some(c) = strain_patch(m, i) else {
        return 0;
    };
    let f = m.eq_obj1id[i] as usize;
    let size = 3 * patch_nodes(m, f, c).len();
    let adr = m.flex_stiffnessadr[f].max(0) as usize + c * size * size;
    m.flex_stiffness.get(adr).map_or(0, |num| *num as i32)
}

// dofs that move a node of the cell or face whose strains an equality holds
fn strain_dofs(m: &Arrays, i: usize) -> Vec<i32> {
    let c = strain_patch(m, i).unwrap_or_default();
    let nodes = patch_nodes(m, m.eq_obj1id[i] as usize, c).into_iter();
    let chains = nodes.map(|n| body_chain(m, m.flex_nodebodyid[n] as usize));
    let mut dofs: Vec<i32> = chains.flatten().collect();
    dofs.sort_unstable();
    dofs.dedup();
    dofs
}

/// The cell or face of a flex whose strains an equality holds, if it is of this kind and there is one.
pub(crate) fn strain_patch(m: &Arrays, i: usize) -> Option<usize> {
    if m.eq_type[i] != EqType::FlexStrain {
        return None;
    }
    let f = m.eq_obj1id[i] as usize;
    let data = &m.eq_data[12 * i..12 * i + 3];
    let cells = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k]);
    let within = |x: f64, num: usize| x.fract() == 0.0 && (0.0..num as f64).contains(&x);
    if m.flex_interp[f] < 0 {
        return within(data[0], patch_num(m, f)).then_some(data[0] as usize);
    }
    let inside = (0..3).all(|k| within(data[k], cells[k] as usize));
    let at = |k: usize| data[k] as usize;
    let [_, y, z] = cells.map(|n| n as usize);
    (inside && m.flex_interp[f] != 0).then(|| (at(0) * y + at(1)) * z + at(2))
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
        Some(EqType::Connect | EqType::Weld) => table.id(apart(m, body(id1), body(id2))),
        Some(EqType::Joint) => table.id(scalar(|m, j| vec![m.jnt_dofadr[j as usize]])),
        Some(EqType::Tendon) => table.id(scalar(tendon_dofs)),
        Some(EqType::FlexStrain) => table.id(own(strain_dofs(m, i))),
        _ => -1,
    }
}
