//! What of a flex yields, and where its plastic state is.

use super::{Part, bends};
use crate::compile::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Elastic2d, Flex};

/// Bits of `flex_plasticmode`.
pub(crate) const BEND: i32 = 1;
pub(crate) const STRETCH: i32 = 2;

/// Yield strains of stretching and bending; one number alone is that of both of a shell whose vertices move by themselves.
pub(super) fn yields(said: &Flex, part: &Part) -> [f64; 2] {
    let list = said.elasticity.yield_.as_deref().unwrap_or_default();
    let shell = part.dim == 2 && part.cage.is_none();
    match *list {
        [] => [0.0; 2],
        [one] if shell => [one; 2],
        [one] => [one, 0.0],
        [stretch, bend, ..] => [stretch, bend],
    }
}

pub(super) fn check(tree: &Tree, said: &Flex, part: &Part) -> Result<()> {
    let list = said.elasticity.yield_.as_deref().unwrap_or_default();
    let ensure = |ok: bool, msg: &str| tree.ensure(ok, said.origin, Some("dim"), msg);
    ensure(list.len() <= 2, "yield needs one number or two")?;
    let positive = list.iter().all(|x| *x >= 0.0);
    ensure(positive, "yield must not be negative")?;
    let [stretch, bend] = yields(said, part);
    ensure(
        part.dim > 1 || [stretch, bend] == [0.0; 2],
        "yield is for dim 2 and 3",
    )?;
    ensure(
        bend == 0.0 || (part.dim == 2 && part.cage.is_none()),
        "yield has a strain of bending, and only flexes of dim 2 whose vertices move by themselves have hinges",
    )
}

/// What of a flex yields.
pub(super) fn mode(said: &Flex, part: &Part) -> i32 {
    let elastic = said.elasticity.young() > 0.0 && !part.rigid;
    let [stretch, bend] = yields(said, part);
    let flat = said.elasticity.elastic2d();
    let between = part.cage.is_some();
    let solid = (part.dim == 3 || between) && flat == Elastic2d::None;
    let stretches = matches!(flat, Elastic2d::Stretch | Elastic2d::Both) || solid;
    let mut mode = 0;
    if elastic && stretch > 0.0 && stretches {
        mode |= STRETCH;
    }
    if elastic && bend > 0.0 && bends(said) && part.cage.is_none() {
        mode |= BEND;
    }
    mode
}

/// Number of words of the plastic state of a flex.
pub(in crate::compile) fn words(m: &Arrays, f: usize) -> i64 {
    parts(m, f).into_iter().fold(0, i64::saturating_add)
}

/// Number of words of the parts of that state, in their order: what rods, stretching and bending have kept.
fn parts(m: &Arrays, f: usize) -> [i64; 3] {
    let mode = m.flex_plasticmode[f];
    let cells = [0, 1, 2].map(|k| i64::from(m.flex_cellnum[3 * f + k]));
    let stretch = match (m.flex_interp[f], m.flex_dim[f]) {
        _ if mode & STRETCH == 0 => 0,
        (0, 2) => 3 * i64::from(m.flex_elemnum[f]),
        (0, _) => 6 * i64::from(m.flex_elemnum[f]),
        (order, _) if order < 0 => 3 * faces(cells),
        _ => cells.into_iter().fold(6, i64::saturating_mul),
    };
    let bend = match mode & BEND {
        0 => 0,
        _ => i64::from(m.flex_edgenum[f]),
    };
    [super::rod::words(m, f), stretch, bend]
}

/// Scales the plastic states of flexes in a keyframe: the factors of stretching and bending of each flex. What nodes and rods keep
/// stays, as in MuJoCo.
pub(in crate::compile) fn scale(m: &Arrays, factors: &[[f64; 2]], plastic: &mut [f64]) {
    for (f, &[stretch, bend]) in factors.iter().enumerate().take(m.nflex) {
        let Ok(adr) = usize::try_from(m.flex_plasticadr[f]) else {
            continue;
        };
        if m.flex_interp[f] != 0 {
            continue;
        }
        let factors = parts(m, f).into_iter().zip([1.0, stretch, bend]);
        let factors = factors.flat_map(|(n, factor)| (0..n).map(move |_| factor));
        for (x, factor) in plastic[adr..].iter_mut().zip(factors) {
            *x *= factor;
        }
    }
}

fn faces([x, y, z]: [i64; 3]) -> i64 {
    let sides = [(x, y), (y, z), (z, x)].map(|(a, b)| a.saturating_mul(b));
    2 * sides.into_iter().fold(0, i64::saturating_add)
}

/// Places the plastic states of flexes after those of springs.
pub(in crate::compile) fn addresses(m: &mut Arrays) {
    for f in 0..m.nflex {
        let words = words(m, f);
        if words > 0 {
            m.flex_plasticadr[f] = m.nplastic as i32;
            m.nplastic = m.nplastic.saturating_add(words as usize);
        }
    }
}
