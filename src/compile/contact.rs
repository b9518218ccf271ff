//! Contact pairs and exclusions.

use super::tree::{Ids, Tree};
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::table::fill;

/// Fills `pair_*` in increasing order of signature (`mjCPair::Compile`). The order of names follows.
pub(super) fn pairs(m: &mut Arrays, tree: &Tree, geoms: &Ids) -> Result<Vec<String>> {
    let mut list = Vec::new();
    for said in &tree.spec.pairs {
        let find = |attr: &str, name: &Option<String>| match name {
            Some(name) => geoms.find(tree, said.origin, attr, name),
            None => Err(tree.error(said.origin, None, format!("{attr} is needed"))),
        };
        let mut geom1 = find("geom1", &said.geom1)?;
        let mut geom2 = find("geom2", &said.geom2)?;
        let body = |g: usize| m.geom_bodyid[g];
        if body(geom1) > body(geom2) {
            (geom1, geom2) = (geom2, geom1);
        }
        let condim = said.condim.unwrap_or(3);
        let msg = "condim is the number of dimensions of contacts: 1, 3, 4 or 6";
        let ok = matches!(condim, 1 | 3 | 4 | 6);
        tree.ensure(ok, said.origin, Some("condim"), msg)?;
        list.push((
            signature(body(geom1), body(geom2)),
            geom1,
            geom2,
            condim,
            said,
        ));
    }
    list.sort_by_key(|row| row.0);
    for &(signature, geom1, geom2, condim, said) in &list {
        m.pair_dim.push(condim);
        m.pair_geom1.push(geom1 as i32);
        m.pair_geom2.push(geom2 as i32);
        m.pair_signature.push(signature);
        m.pair_solref
            .extend(fill(said.solref.as_deref(), [0.02, 1.0]));
        m.pair_solreffriction
            .extend(fill(said.solreffriction.as_deref(), [0.0, 0.0]));
        m.pair_solimp
            .extend(fill(said.solimp.as_deref(), [0.9, 0.95, 0.001, 0.5, 2.0]));
        m.pair_margin.push(said.margin.unwrap_or(0.0));
        m.pair_gap.push(said.gap.unwrap_or(0.0));
        m.pair_adhesion.push(said.adhesion.unwrap_or(0.0));
        m.pair_friction.extend(fill(
            said.friction.as_deref(),
            [1.0, 1.0, 0.005, 0.0001, 0.0001],
        ));
    }
    m.npair = list.len();
    let name = |row: &(i32, usize, usize, i32, &crate::mjcf::schema::Pair)| row.4.name.clone();
    Ok(list
        .iter()
        .map(|row| name(row).unwrap_or_default())
        .collect())
}

/// Fills `exclude_signature` in increasing order. The order of names follows.
pub(super) fn excludes(m: &mut Arrays, tree: &Tree, bodies: &Ids) -> Result<Vec<String>> {
    let mut list = Vec::new();
    for said in &tree.spec.excludes {
        let find = |attr: &str, name: &Option<String>| match name {
            Some(name) => bodies.find(tree, said.origin, attr, name),
            None => Err(tree.error(said.origin, None, format!("{attr} is needed"))),
        };
        let body1 = find("body1", &said.body1)? as i32;
        let body2 = find("body2", &said.body2)? as i32;
        let name = said.name.clone().unwrap_or_default();
        list.push((signature(body1.min(body2), body1.max(body2)), name));
    }
    list.sort_by_key(|row| row.0);
    m.exclude_signature = list.iter().map(|row| row.0).collect();
    m.nexclude = list.len();
    Ok(list.into_iter().map(|row| row.1).collect())
}

// ids are below 65534, but the sum may use the sign bit
fn signature(body1: i32, body2: i32) -> i32 {
    (((body1 as u32) << 16) + body2 as u32) as i32
}
