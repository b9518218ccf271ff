//! Lists that follow from the rest: where everything is found at run time.

use super::{bad, ensure, spans};
use crate::compile::{layout, pair, pattern};
use crate::error::{Error, Result};
use crate::fields::{Arrays, Field, Role, SIZES, View};
use crate::types::EqType;

/// Lists of pairs and patterns lie within their bounds; the rest is as the compiler makes it.
pub(super) fn check(m: &Arrays) -> Result<()> {
    patterns(m)?;
    for k in 0..m.ncollision {
        let types = [m.collision_geom1[k], m.collision_geom2[k]].map(|g| m.geom_type[g as usize]);
        let ok = types[0] <= types[1] && pair::collides(types[0], types[1]);
        ensure(
            ok,
            "collision_geom1",
            k,
            "and the second are no pair of shapes that collide, the lower type first",
        )?;
        let condim = m.collision_condim[k];
        ensure(
            matches!(condim, 1 | 3 | 4 | 6),
            "collision_condim",
            k,
            format!("is {condim}, and must be 1, 3, 4 or 6"),
        )?;
    }
    let mut again = m.clone();
    layout::structure(&mut again);
    same(m, &again, |field| !listed(field))
}

/// Everything that has to do with indices is what the compiler makes of the rest, pairs and patterns too.
pub(super) fn as_compiled(m: &Arrays) -> Result<()> {
    let mut again = m.clone();
    pair::pairs(&mut again)?;
    pair::parameters(&mut again);
    pattern::patterns(&mut again)?;
    same(m, &again, |_| true)
}

// a list of pairs or patterns
fn listed(field: &Field) -> bool {
    field.name.starts_with("collision_") || field.name.contains("Jpat")
}

fn patterns(m: &Arrays) -> Result<()> {
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
            format!("is {num}, and nJrow is {most}"),
        )?;
        let adr = adr.max(0) as usize;
        let ascends = m.Jpat_dof[adr..adr + num as usize]
            .windows(2)
            .all(|w| w[0] < w[1]);
        ensure(ascends, "Jpat_adr", k, "leads to dofs that do not ascend")?;
    }
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

// sizes, and integers of some derived arrays
fn same(m: &Arrays, again: &Arrays, of: impl Fn(&Field) -> bool) -> Result<()> {
    for (size, _) in SIZES {
        let (have, want) = (m.size(size), again.size(size));
        if have != want {
            let [have, want] = [have, want].map(Option::unwrap_or_default);
            return Err(Error::Input(format!(
                "{size} is {have}, and the rest of the model says {want}"
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
            let why = format!("is {}, and the rest of the model says {}", x[i], y[i]);
            return Err(bad(field.name, i, why));
        }
    }
    Ok(())
}
