//! Lists that follow from other arrays: indices by which stages find elements at run time.

use super::{bad, ensure, spans};
use crate::compile::pair::Pairs;
use crate::compile::{layout, pair, pattern, plugin};
use crate::cpu::collision::block::Block;
use crate::cpu::collision::soft::{self, Pair};
use crate::error::{Error, Result};
use crate::fields::{Arrays, Field, Role, SIZES, View};
use crate::types::{EqType, GeomType};

/// Checks that lists of pairs and patterns lie within their bounds, and that the other lists are those of the compiler.
pub(super) fn check(m: &Arrays) -> Result<()> {
    let flexes = m.ncollisionflex;
    ensure(
        flexes == 0 || flexes == m.ncollision,
        "collision_flex",
        0,
        format_args!(
            "and the rest have {flexes} pairs, and collision_geom1 has {}",
            m.ncollision
        ),
    )?;
    for k in 0..m.ncollision {
        if m.collision_geom2[k] < 0 {
            of_flexes(m, k)?;
            continue;
        }
        let geoms = [m.collision_geom1[k], m.collision_geom2[k]];
        let ok = geoms[0] >= 0 && is_of_geom(m, k, 0) && is_of_geom(m, k, 1) && {
            let [low, high] = geoms.map(|g| m.geom_type[g as usize]);
            low <= high && pair::collides(low, high)
        };
        ensure(
            ok,
            "collision_geom1",
            k,
            "and the second are no pair of shapes that collide, the lower type first",
        )?;
    }
    for (k, condim) in m.collision_condim.iter().enumerate() {
        ensure(
            matches!(condim, 1 | 3 | 4 | 6),
            "collision_condim",
            k,
            format_args!("is {condim}, and must be 1, 3, 4 or 6"),
        )?;
    }
    plugins(m)?;
    let mut again = m.clone();
    layout::structure(&mut again);
    pair::soft::blocks(&mut again);
    patterns(m, &again)?;
    again.nJelem = pattern::room(&again);
    pattern::masks(&mut again);
    same(m, &again, |field| !listed(field))
}

// parameters of a plugin's instance must be those of its attributes: the number of activations depends on them
fn plugins(m: &Arrays) -> Result<()> {
    let again = (0..m.nplugin).flat_map(|id| plugin::of_instance(m, id).unwrap_or_default());
    let differs = |(x, y): (&f64, f64)| x.to_bits() != y.to_bits();
    match m.plugin_prm.iter().zip(again).position(differs) {
        Some(i) => Err(bad(
            "plugin_prm",
            i,
            "does not equal the value of the attributes",
        )),
        None => Ok(()),
    }
}

// whether a side of a pair is not of a flex
fn is_of_geom(m: &Arrays, k: usize, side: usize) -> bool {
    let lists = [&m.collision_flex, &m.collision_elem, &m.collision_vert];
    let mut of = lists.iter().map(|list| list.get(2 * k + side));
    of.all(|id| id.is_none_or(|id| *id == -1))
}

// whether both sides of a pair are all elements of a flex
fn is_of_flex(m: &Arrays, k: usize) -> bool {
    let none = |list: &[i32]| list[2 * k..2 * k + 2] == [-1; 2];
    let flexes = &m.collision_flex[2 * k..2 * k + 2];
    flexes.iter().all(|f| *f >= 0) && none(&m.collision_elem) && none(&m.collision_vert)
}

// a pair whose second side is of a flex; the first is a geom, or of a flex too
fn of_flexes(m: &Arrays, k: usize) -> Result<()> {
    let within = |index: i32, num: i32| (0..num).contains(&index);
    let place = |side: usize| {
        let at = 2 * k + side;
        let [flex, elem, vert] =
            [&m.collision_flex, &m.collision_elem, &m.collision_vert].map(|list| list.get(at));
        let (Some(&flex), Some(&elem), Some(&vert)) = (flex, elem, vert) else {
            return false;
        };
        let f = flex.max(0) as usize;
        flex >= 0
            && (within(elem, m.flex_elemnum[f]) && vert == -1
                || within(vert, m.flex_vertnum[f]) && elem == -1)
    };
    let geom = usize::try_from(m.collision_geom1[k]).map(|g| m.geom_type[g]);
    let vertex = place(1) && m.collision_vert[2 * k + 1] >= 0;
    let ok = match geom {
        Ok(geom) if geom == GeomType::Plane => vertex && is_of_geom(m, k, 0),
        Ok(geom) => {
            place(1)
                && !vertex
                && is_of_geom(m, k, 0)
                && pair::collides(geom, GeomType::Mesh as i32)
        }
        Err(_) => is_of_flex(m, k),
    };
    ensure(
        ok,
        "collision_flex",
        2 * k,
        "and the second are no pair of a flex that collides",
    )
}

/// Checks that all arrays of indices are those that the compiler derives, pairs and patterns too.
pub(super) fn as_compiled(m: &Arrays) -> Result<()> {
    let mut again = m.clone();
    pair::pairs(&mut again, &Pairs::default())?;
    pair::parameters::parameters(&mut again);
    pattern::patterns(&mut again)?;
    same(m, &again, |_| true)
}

// a list of pairs or patterns
fn listed(field: &Field) -> bool {
    let bits = ["Jpat_mask", "Jpat_rank"].contains(&field.name);
    field.name.starts_with("collision_") || field.name.contains("Jpat") && !bits
}

fn patterns(m: &Arrays, again: &Arrays) -> Result<()> {
    spans(
        ["Jpat_adr", "Jpat_num"],
        &m.Jpat_adr,
        &m.Jpat_num,
        m.nJpatdof,
    )?;
    for (k, (&adr, &num)) in m.Jpat_adr.iter().zip(&m.Jpat_num).enumerate() {
        let most = m.nJrow;
        ensure(
            num as usize <= most,
            "Jpat_num",
            k,
            format_args!("is {num}, and nJrow is {most}"),
        )?;
        let adr = adr.max(0) as usize;
        let ascends = m.Jpat_dof[adr..adr + num as usize]
            .windows(2)
            .all(|w| w[0] < w[1]);
        ensure(ascends, "Jpat_adr", k, "leads to dofs that do not ascend")?;
    }
    of_blocks(m, again)?;
    for i in 0..m.neq {
        ensure(
            m.eq_Jpat[i] >= 0 || m.eq_type[i] == EqType::Flex,
            "eq_Jpat",
            i,
            "is -1, and the equality makes rows",
        )?;
    }
    for i in 0..m.ntendon {
        let rows = m.tendon_limited[i] != 0 || m.tendon_frictionloss[i] != 0.0;
        ensure(
            !rows || m.tendon_Jpat[i] >= 0,
            "tendon_Jpat",
            i,
            "is -1, and the tendon makes rows",
        )?;
    }
    Ok(())
}

// a pair has a pattern, or is a block, whose elements have some; `again` has the blocks of the list
fn of_blocks(m: &Arrays, again: &Arrays) -> Result<()> {
    for (k, &pattern) in m.collision_Jpat.iter().enumerate() {
        ensure(
            (pattern < 0) == soft::is_block(m, k),
            "collision_Jpat",
            k,
            "is -1 where a pair has geoms, or is not where it stands for all pairs of elements of flexes",
        )?;
    }
    ensure(
        m.nelemblock == again.nelemblock,
        "flexelem_Jpat",
        0,
        format_args!(
            "and the rest have {} elements, not {}",
            m.nelemblock, again.nelemblock
        ),
    )?;
    for block in 0..again.nblock {
        let k = again.block_collision[block] as usize;
        for (side, list) in Block::new(again, block).elem.into_iter().enumerate() {
            for &e in list {
                let e = soft::element_of(m, &Pair { k, elem: [e; 2] }, side);
                let listed = m.flexelem_Jpat[e] >= 0;
                ensure(
                    listed,
                    "flexelem_Jpat",
                    e,
                    "is -1, and the element is in a block",
                )?;
            }
        }
    }
    ensure(
        m.nJelem <= m.nJrow,
        "Jpat_num",
        0,
        format_args!(
            "and the rest: nJelem is {}, and nJrow is {}",
            m.nJelem, m.nJrow
        ),
    )
}

// sizes, and integers of some derived arrays
fn same(m: &Arrays, again: &Arrays, of: impl Fn(&Field) -> bool) -> Result<()> {
    for (size, _) in SIZES {
        let (have, want) = (m.size(size), again.size(size));
        if have != want {
            let [have, want] = [have, want].map(Option::unwrap_or_default);
            return Err(Error::Input(format!(
                "{size} is {have}, and the rest of the model needs {want}"
            )));
        }
    }
    let primary = ["body_simple", "dof_treeid"];
    let follows = |field: &&Field| field.role == Role::Derived || primary.contains(&field.name);
    for field in super::arrays().filter(follows).filter(|field| of(field)) {
        let (Some(View::Int(x)), Some(View::Int(y))) = (m.view(field.row), again.view(field.row))
        else {
            continue;
        };
        if let Some(i) = x.iter().zip(y).position(|(x, y)| x != y) {
            let why = format_args!("is {}, and the rest of the model needs {}", x[i], y[i]);
            return Err(bad(field.name, i, why));
        }
    }
    Ok(())
}
