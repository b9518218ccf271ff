//! Checks of elastic rods: the records of their hinges in `flex_bending`.

use super::ensure;
use crate::compile::flex::rod;
use crate::cpu::lib::rod::{RECORD, is_rod, record as record_at};
use crate::error::Result;
use crate::fields::{Arrays, Row};
use crate::rowset::RowSet;
use crate::types::JointType;

/// Arrays that [`all`] reads.
pub(super) const OF_BENDING: RowSet = RowSet::of(&[Row::flex_bending]);

/// Checks all flexes.
pub(super) fn all(m: &Arrays) -> Result<()> {
    (0..m.nflex).try_for_each(|f| check(m, f))
}

/// The vertices of each record, and the joints that twist the edges of an open chain. The records must lie within the list.
pub(super) fn check(m: &Arrays, f: usize) -> Result<()> {
    if !is_rod(m, f) {
        return Ok(());
    }
    let adr = m.flex_bendingadr[f] as usize;
    let num = m.flex_bending[adr].max(0.0) as usize;
    let records = m.flex_bending[adr + 1..].as_chunks::<RECORD>().0;
    let records = &records[..num.min(records.len())];
    let open = rod::words(m, f) > 0;
    for (k, record) in records.iter().enumerate() {
        let at = record_at(m, f, k);
        let within = |x: f64| x.fract() == 0.0 && x >= 0.0 && x < f64::from(m.flex_vertnum[f]);
        let vertices = record[..3].iter().all(|v| within(*v));
        let last = within(record[3]) || record[3] == -1.0;
        let why = "begins a record whose vertices are not those of the flex";
        ensure(vertices && last, "flex_bending", at, why)?;
        if open {
            let why =
                "begins a record of a rod that twists, and does not go on where the last one ended";
            let follows = k == 0 || record[..2] == records[k - 1][1..3];
            ensure(follows && record[3] == -1.0, "flex_bending", at, why)?;
            let why = "is no hinge that twists an edge";
            let hinges = is_twisted(m, f, k, record, k + 1 == num);
            ensure(hinges, "flex_bending", at + 7, why)?;
        }
    }
    let whole = !open || records.len() + 1 == m.flex_elemnum[f].max(0) as usize;
    let why = "counts other hinges than the lines of the flex have";
    ensure(whole, "flex_bending", adr, why)
}

// whether a record names the joint of its second edge; those of the first and of the last edge may be missing
fn is_twisted(m: &Arrays, f: usize, k: usize, record: &[f64; RECORD], last: bool) -> bool {
    let hinge = |x: f64| {
        let known = x.fract() == 0.0 && x >= 0.0 && x < m.njnt as f64;
        known && m.jnt_type[x as usize] == JointType::Hinge
    };
    if k > 0 {
        return hinge(record[7]) || last && record[7] == -1.0;
    }
    let body = |c: usize| m.flex_vertbodyid[m.flex_vertadr[f] as usize + record[c] as usize];
    let held = body(0) == body(1);
    body(0) >= 0 && hinge(record[7]) && (held || hinge(record[7] - 1.0))
}
