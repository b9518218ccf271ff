//! Capacities of a world: numbers of contacts and rows. `nconmax` and `njmax` are plain sizes of the model:
//! [`crate::Model::edit`] may set them. An overflow at run time is flagged (`overflow`, `needed`), never silent.

use std::collections::{BTreeMap, BTreeSet};

use super::flex;
use super::pair::{contact_rows, max_contact, number};
use crate::cpu::collision::block::Block;
use crate::cpu::collision::soft::is_field;
use crate::fields::Arrays;
use crate::types::*;

/// Up to this many possible contacts, there is room for all of them.
const SMALL: usize = 16;

/// Pairs of a block are counted up to this number.
const MANY: usize = 1 << 16;

/// Sets `nconmax` and `njmax` where the model leaves them open (0).
///
/// Contacts: the sum over all pairs of the most contacts that each can make, if that is at most 16. Beyond 16 it is 4, and for
/// every moving geom half of the contacts of its richest pair, 2 for every kinematic tree if there are several, one for every
/// vertex of a flex that may touch a plane, every element that may touch a signed distance field and every second other one that may touch
/// something, rounded up to a multiple of 8.
///
/// Rows: every equality and friction loss, all limits, and the rows of `nconmax` contacts, if `nconmax` is the number of all possible
/// contacts or if there are several trees (bodies pile up). Else half of the limits, but not less than 8 of them, and two thirds of
/// the rows of contacts (a robot does not lie on all its sides), rounded up to a multiple of 8.
///
/// A humanoid of 20 capsules gets 24 contacts and 80 rows; 12,000 steps of flailing needed 18 and 75 at most. It is an estimate:
/// [`crate::batch::Overflow::Grow`] makes more room where it fails.
pub fn capacities(m: &mut Arrays) {
    if m.nconmax == 0 {
        m.nconmax = contacts(m);
    }
    if m.njmax == 0 {
        let all = contact_most(m);
        m.njmax = match m.nconmax < all && m.ntree <= 1 {
            true => {
                (fixed_rows(m, true) + (2 * rows_of_contacts(m)).div_ceil(3)).next_multiple_of(8)
            }
            false => fixed_rows(m, false) + rows_of_contacts(m),
        };
    }
}

/// True if a world has room for all contacts and rows that there could ever be.
pub fn holds_all(m: &Arrays) -> bool {
    m.nconmax >= contact_most(m) && m.njmax >= fixed_rows(m, false) + rows_of_contacts(m)
}

fn contact_most(m: &Arrays) -> usize {
    (0..m.ncollision).map(|k| most(m, k)).sum()
}

// contacts that a pair of the list can make, in a block those of all its pairs
fn most(m: &Arrays, k: usize) -> usize {
    number(m, k, MANY) * max_contact(m, k)
}

fn contacts(m: &Arrays) -> usize {
    let all = contact_most(m);
    if all <= SMALL {
        return all;
    }
    let mut richest = BTreeMap::new();
    for k in (0..m.ncollision).filter(|&k| m.collision_geom2[k] >= 0) {
        for geom in [m.collision_geom1[k], m.collision_geom2[k]] {
            let moves = m.body_weldid[m.geom_bodyid[geom as usize] as usize] != 0;
            let most = richest.entry(geom).or_insert(0);
            *most = max_contact(m, k).min(8).max(*most) * usize::from(moves);
        }
    }
    let geoms: usize = richest.values().map(|most| most.div_ceil(2)).sum();
    let piles = match m.ntree - trees_of_flexes(m) {
        0 | 1 => 0,
        several => 2 * several,
    };
    (4 + geoms + piles + soft(m)).next_multiple_of(8).min(all)
}

fn trees_of_flexes(m: &Arrays) -> usize {
    let bodies = (0..m.nflex).flat_map(|f| flex::bodies_of(m, f));
    let trees = bodies.map(|&b| m.body_treeid[b as usize]);
    trees
        .filter(|tree| *tree >= 0)
        .collect::<BTreeSet<_>>()
        .len()
}

// vertices that may touch a plane, elements that may touch a signed distance field, and half of those that may touch something else. A
// device needs room for all contacts with a field before it leaves out those beyond the limit
fn soft(m: &Arrays) -> usize {
    let (mut vertices, mut elements) = (BTreeSet::new(), BTreeSet::new());
    let mut of_fields = BTreeSet::new();
    for side in 0..2 * m.ncollisionflex {
        let flex = m.collision_flex[side];
        match (m.collision_vert[side], m.collision_elem[side]) {
            (v @ 0.., _) => vertices.insert((flex, v)),
            (_, e @ 0..) if is_field(m, side / 2) => of_fields.insert((flex, e)),
            (_, e @ 0..) => elements.insert((flex, e)),
            _ => continue,
        };
    }
    for block in 0..m.nblock {
        let k = m.block_collision[block] as usize;
        let flexes = &m.collision_flex[2 * k..2 * k + 2];
        for (list, flex) in Block::new(m, block).elem.iter().zip(flexes) {
            elements.extend(list.iter().map(|e| (*flex, *e)));
        }
    }
    vertices.len() + of_fields.len() + elements.difference(&of_fields).count().div_ceil(2)
}

// assuming that the contacts are of the pairs with most rows
fn rows_of_contacts(m: &Arrays) -> usize {
    let mut all = BTreeMap::new();
    for k in 0..m.ncollision {
        *all.entry(contact_rows(m, k)).or_insert(0) += most(m, k);
    }
    let mut left = m.nconmax;
    all.iter()
        .rev()
        .map(|(rows, num)| {
            let take = left.min(*num);
            left -= take;
            rows * take
        })
        .sum()
}

// `half`: not all limits at once
fn fixed_rows(m: &Arrays, half: bool) -> usize {
    let equality = (0..m.neq).map(|i| match EqType::from_i32(m.eq_type[i]) {
        Some(EqType::Connect) => 3,
        Some(EqType::Weld) => 6,
        Some(EqType::Joint | EqType::Tendon) => 1,
        Some(EqType::Flex) => m.flex_rownum[m.eq_obj1id[i] as usize] as usize,
        Some(EqType::FlexStrain) => m.eq_modenum[i] as usize,
        _ => 0,
    });
    let friction = m.dof_frictionloss.iter().chain(&m.tendon_frictionloss);
    let friction = friction.filter(|&&loss| loss != 0.0).count();

    // both sides of a limit are active only if the margin spans the range
    let sides =
        |range: &[f64], margin: f64| 1 + usize::from(range[1] - range[0] < 2.0 * margin.max(0.0));
    let joint = (0..m.njnt)
        .filter(|&j| m.jnt_limited[j] != 0)
        .map(|j| sides(&m.jnt_range[2 * j..], m.jnt_margin[j]));
    let tendon = (0..m.ntendon)
        .filter(|&i| m.tendon_limited[i] != 0)
        .map(|i| sides(&m.tendon_range[2 * i..], m.tendon_margin[i]));
    let limits = joint.sum::<usize>() + tendon.sum::<usize>();
    let limits = if half {
        limits.div_ceil(2).max(limits.min(8))
    } else {
        limits
    };
    equality.sum::<usize>() + friction + limits
}
