//! The slots of a tile that belong to a lane.
//!
//! Contacts and rows of a tile are the union of its lanes' contacts and rows, each in its own slot:
//!
//! ```text
//! slot            0    1    2    3    4
//! lane 0          a    –    b    c    –      is read as a b c
//! lane 1          –    a    b    –    c      is read as a b c
//! ```
//!
//! A contact absent in a lane has the distance [`ABSENT`], an absent row has D = 0. Integers of a slot are the same in all lanes
//! that have it; the values of other lanes are ignored, because those lanes may have been reset since.

use crate::cpu::lib::contact::ABSENT;
use crate::cpu::lib::rows::dofs_of;
use crate::fields::{Data, Field, Model, Row, View};
use crate::real::Real;
use crate::types::*;

// slots of the contacts and rows of a lane, ascending
struct Own {
    contacts: Vec<usize>,
    rows: Vec<usize>,
}

impl Own {
    fn of<R: Real>(d: &Data<R>, lane: usize) -> Self {
        // entries behind the last are outdated
        let [ncon, nefc] = [&d.ncon, &d.nefc].map(|n| R::int_lane(n[0], lane) as usize);
        let contacts = (0..d.contact_dist.len()).filter(|&c| has_contact(d, lane, c));
        let rows = (0..d.efc_D.len()).filter(|&r| has_row(d, lane, r));
        Self {
            contacts: contacts.take(ncon).collect(),
            rows: rows.take(nefc).collect(),
        }
    }
}

fn has_contact<R: Real>(d: &Data<R>, lane: usize, c: usize) -> bool {
    R::WIDTH == 1 || d.contact_dist[c].lane(lane) < ABSENT
}

fn has_row<R: Real>(d: &Data<R>, lane: usize, r: usize) -> bool {
    R::WIDTH == 1 || d.efc_D[r].lane(lane) > 0.0
}

// index of a slot among a lane's own; -1: not among them
fn place(own: &[usize], slot: i32) -> i32 {
    let found = usize::try_from(slot).map(|slot| own.binary_search(&slot));
    found.map_or(-1, |place| place.map_or(-1, |place| place as i32))
}

/// Appends one lane's contacts or rows to the data read: its own come first, in order, the rest is zero, as in a single world.
/// Numbers of contacts and rows are those of the lane.
pub fn read_slots<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    field: &Field,
    reals: &mut Vec<f64>,
    ints: &mut Vec<i32>,
) {
    let own = Own::of(d, lane);
    let slots = match field.dims[0] {
        "njmax" => &own.rows,
        _ => &own.contacts,
    };
    let words = field.words(m);
    let width = words / m.size(field.dims[0]).unwrap_or(0).max(1);
    if let Some(x) = of_blocks(d, field.row) {
        let end = ints.len() + words;
        for &slot in slots {
            ints.extend_from_slice(&x[slot * width..][..width]);
        }
        return ints.resize(end, 0);
    }
    match d.view(field.row) {
        Some(View::Real(x)) => {
            let end = reals.len() + words;
            for &slot in slots {
                // a row has as many entries as its pattern has dofs
                let used = match field.name {
                    "efc_J" => dofs_of(m, d, R::int_lane(d.efc_Jpat[slot], lane)).len(),
                    _ => width,
                };
                let row = &x[slot * width..][..used];
                reals.extend(row.iter().map(|x| x.lane(lane)));
                reals.extend((used..width).map(|_| 0.0));
            }
            reals.resize(end, 0.0);
        }
        Some(View::Int(x)) => {
            let end = ints.len() + words;
            for &slot in slots {
                let value = x[slot * R::WIDTH + lane];
                let contact = ConstraintType::ContactFrictionless as i32;
                ints.push(match field.name {
                    "efc_id" if R::int_lane(d.efc_type[slot], lane) >= contact => {
                        place(&own.contacts, value)
                    }
                    "contact_efc_address" => place(&own.rows, value),
                    "efc_Jpat" => match value - m.nJpat as i32 {
                        c @ 0.. => m.nJpat as i32 + place(&own.contacts, c),
                        _ => value,
                    },
                    _ => value,
                });
            }
            ints.resize(end, 0);
        }
        None => {}
    }
}

// numbers of slots that all worlds of a tile share
fn of_blocks<R: Real>(d: &Data<R>, row: Row) -> Option<&[i32]> {
    match row {
        Row::contact_elem => Some(&d.contact_elem),
        Row::contact_dofnum => Some(&d.contact_dofnum),
        Row::contact_dof => Some(&d.contact_dof),
        _ => None,
    }
}

/// True for arrays of contacts or rows.
pub fn is_of_slots(field: &Field) -> bool {
    matches!(field.dims[0], "njmax" | "nconmax" | "nconelem")
}

/// True for the arrays with addresses of islands' dofs and rows: worlds side by side do not need them.
pub fn is_order_of_islands(field: &Field) -> bool {
    matches!(
        field.row,
        Row::island_nv
            | Row::island_idofadr
            | Row::map_dof2idof
            | Row::map_idof2dof
            | Row::island_nefc
            | Row::island_iefcadr
            | Row::map_iefc2efc
    )
}

/// Appends the islands of a lane as the reference finds them, from the lane's own rows.
pub fn read_islands<R: Real>(
    m: &Model,
    d: &Data<R>,
    lane: usize,
    field: &Field,
    ints: &mut Vec<i32>,
) {
    let own = Own::of(d, lane);
    let pattern = |&r: &usize| R::int_lane(d.efc_Jpat[r], lane);
    let of_trees = vec![0; m.ntree];
    let of_dofs = vec![0; m.nv];
    let mut world = Data::<f64> {
        nefc: vec![own.rows.len() as i32],
        efc_Jpat: own.rows.iter().map(pattern).collect(),
        contact_dofnum: d.contact_dofnum.clone(),
        contact_dof: d.contact_dof.clone(),
        nisland: vec![0],
        tree_island: of_trees.clone(),
        island_nv: of_trees.clone(),
        island_idofadr: of_trees.clone(),
        island_nefc: of_trees.clone(),
        island_iefcadr: of_trees,
        map_dof2idof: of_dofs.clone(),
        map_idof2dof: of_dofs,
        map_iefc2efc: vec![0; own.rows.len()],
        ..Data::default()
    };
    crate::cpu::island::island(m, &mut world);
    let end = ints.len() + field.words(m);
    if let Some(View::Int(x)) = world.view(field.row) {
        ints.extend(x);
    }
    ints.resize(end, 0);
}

/// Drops the rows of a lane that do not fit, always a whole contact, connect or weld.
pub(super) fn cut<R: Real>(d: &mut Data<R>, lane: usize, num: usize, room: usize) {
    let (mut r, mut asked) = (0, 0);
    while r < num {
        let end = r + together(d, r, num);
        if has_row(d, lane, r) {
            asked += end - r;
        }
        if asked > room {
            for r in r..end {
                d.efc_D[r].set_lane(lane, 0.0);
                d.efc_frictionloss[r].set_lane(lane, 0.0);
            }
        }
        r = end;
    }
}

// number of rows that are kept or dropped together with the row `r`
fn together<R: Real>(d: &Data<R>, r: usize, num: usize) -> usize {
    let what = |r: usize| [d.efc_type[r], d.efc_id[r]].map(|x| R::int_lane(x, 0));
    let [kind, _] = what(r);
    if kind != ConstraintType::Equality as i32 && kind < ConstraintType::ContactFrictionless as i32
    {
        return 1;
    }
    (r..num).take_while(|&next| what(next) == what(r)).count()
}
