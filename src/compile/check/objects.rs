//! Elements that refer to the tree: pairs, equalities, tendons, actuators, cameras and lights, numbers. Sensors are a topic of their own.

use super::{bad, ensure, id, runs, span, spans};
use crate::compile::actuator::{Kind, activations_of};
use crate::compile::pattern::strain_patch;
use crate::compile::plastic::words;
use crate::compile::tendon::check_step;
use crate::cpu::lib::cage::STRAIN;
use crate::error::Result;
use crate::fields::{Arrays, Row};
use crate::rowset::RowSet;
use crate::types::*;

pub(super) fn check(m: &Arrays) -> Result<()> {
    for k in 0..m.npair {
        pair(m, k)?;
    }
    for i in 0..m.neq {
        equality(m, i)?;
    }
    friction(m)?;
    tendons(m)?;
    plastic(m)?;
    actuators(m)?;
    let names = ["numeric_adr", "numeric_size"];
    spans(names, &m.numeric_adr, &m.numeric_size, m.nnumericdata)
}

/// Arrays that [`friction`] reads.
pub(super) const OF_FRICTION: RowSet =
    RowSet::of(&[Row::dof_frictionloss, Row::tendon_frictionloss]);

/// Checks that friction losses are not negative.
pub(super) fn friction(m: &Arrays) -> Result<()> {
    for (name, loss) in [
        ("dof_frictionloss", &m.dof_frictionloss),
        ("tendon_frictionloss", &m.tendon_frictionloss),
    ] {
        for (i, &loss) in loss.iter().enumerate() {
            ensure(
                loss >= 0.0,
                name,
                i,
                format_args!("is {loss}, and may not be negative"),
            )?;
        }
    }
    Ok(())
}

fn pair(m: &Arrays, k: usize) -> Result<()> {
    let dim = m.pair_dim[k];
    ensure(
        matches!(dim, 1 | 3 | 4 | 6),
        "pair_dim",
        k,
        format_args!("is {dim}, and must be 1, 3, 4 or 6"),
    )
}

fn equality(m: &Arrays, i: usize) -> Result<()> {
    let (kind, least, len) = match EqType::from_i32(m.eq_type[i]) {
        Some(EqType::Connect | EqType::Weld) if m.eq_objtype[i] == ObjType::Site => {
            ("site", 0, m.nsite)
        }
        Some(EqType::Connect | EqType::Weld) if m.eq_objtype[i] == ObjType::Body => {
            ("body", 0, m.nbody)
        }
        Some(EqType::Joint) => ("joint", -1, m.njnt),
        Some(EqType::Tendon) => ("tendon", -1, m.ntendon),
        Some(EqType::Flex | EqType::FlexStrain) => ("flex", -1, m.nflex),
        _ => {
            return Err(bad(
                "eq_type",
                i,
                "is not a type of equality, or not one for objects of this type",
            ));
        }
    };
    let [id1, id2] = [m.eq_obj1id[i], m.eq_obj2id[i]];
    let first = id("eq_obj1id", i, id1, 0, len)?;
    id("eq_obj2id", i, id2, least, len)?;
    let strain = m.eq_type[i] == EqType::FlexStrain;
    let why = "is of a flex whose strains no equality holds";
    let held = !strain || (m.flex_edgeequality[first] == STRAIN && m.flex_stiffnessadr[first] >= 0);
    ensure(held, "eq_obj1id", i, why)?;
    let why = "and the next two do not lead to a cell of the flex";
    ensure(
        !strain || strain_patch(m, i).is_some(),
        "eq_data",
        12 * i,
        why,
    )?;
    let scalar = |j: usize| m.jnt_type[j] == JointType::Slide || m.jnt_type[j] == JointType::Hinge;
    let ok = kind != "joint" || (scalar(first) && usize::try_from(id2).map_or(true, scalar));
    ensure(
        ok,
        "eq_obj1id",
        i,
        "and the second must be joints that slide or hinge",
    )
}

/// Arrays that [`tendons`] reads.
pub(super) const OF_PATHS: RowSet = RowSet::of(&[Row::wrap_prm]);

/// Checks that paths of tendons refer to existing elements.
pub(super) fn tendons(m: &Arrays) -> Result<()> {
    for i in 0..m.ntendon {
        let (adr, num) = (m.tendon_adr[i], m.tendon_num[i]);
        span(["tendon_adr", "tendon_num"], i, adr, num, m.nwrap)?;
        ensure(num > 0, "tendon_num", i, "is 0")?;
        let path = adr as usize..adr as usize + num as usize;
        for k in path.clone() {
            wrap(m, k)?;
        }
        let (types, ids) = (&m.wrap_type[path.clone()], &m.wrap_objid[path.clone()]);
        if m.tendon_type[i] == TendonType::Fixed {
            let joints = types.iter().all(|t| *t == WrapType::Joint);
            ensure(
                joints,
                "tendon_type",
                i,
                "is fixed, and not all of its path are joints",
            )?;
            let mut met = ids.to_vec();
            met.sort_unstable();
            met.dedup();
            ensure(
                met.len() == ids.len(),
                "wrap_objid",
                path.start,
                "and those after it name a joint twice",
            )?;
            continue;
        }
        ensure(
            num > 1,
            "tendon_num",
            i,
            "is 1, and a path has at least two steps",
        )?;
        for k in 0..types.len() {
            check_step(ids, types, k, 0.0)
                .map_err(|why| bad("wrap_type", path.start + k, format!("is wrong: {why}")))?;
        }
    }
    Ok(())
}

fn wrap(m: &Arrays, k: usize) -> Result<()> {
    let len = match WrapType::from_i32(m.wrap_type[k]) {
        Some(WrapType::Joint) => m.njnt,
        Some(WrapType::Site) => m.nsite,
        Some(WrapType::Sphere | WrapType::Cylinder) => m.ngeom,
        Some(WrapType::Pulley) => {
            let divisor = m.wrap_prm[k];
            return ensure(
                divisor > 0.0,
                "wrap_prm",
                k,
                format_args!("is {divisor}, and a pulley divides by a positive number"),
            );
        }
        _ => return Err(bad("wrap_type", k, "is no step of a path")),
    };
    let object = id("wrap_objid", k, m.wrap_objid[k], 0, len)?;
    match WrapType::from_i32(m.wrap_type[k]) {
        Some(WrapType::Sphere | WrapType::Cylinder) => {
            let kind = m.geom_type[object];
            let round = kind == GeomType::Sphere || kind == GeomType::Cylinder;
            ensure(round, "wrap_objid", k, "is neither a sphere nor a cylinder")?;
            // the side site, on whose side of the geom the tendon stays
            let site = m.wrap_prm[k];
            let ok = site.fract() == 0.0 && (-1.0..m.nsite as f64).contains(&site);
            ensure(
                ok,
                "wrap_prm",
                k,
                format_args!("is {site}, and must be the id of a site or -1"),
            )
        }
        Some(WrapType::Joint) => {
            let kind = m.jnt_type[object];
            let scalar = kind == JointType::Slide || kind == JointType::Hinge;
            ensure(
                scalar,
                "wrap_objid",
                k,
                "is neither a slide nor a hinge joint",
            )
        }
        _ => Ok(()),
    }
}

fn actuators(m: &Arrays) -> Result<()> {
    runs(
        ["actuator_ctrladr", "actuator_ctrlnum"],
        &m.actuator_ctrladr,
        &m.actuator_ctrlnum,
        m.nu,
    )?;
    runs(
        ["actuator_outadr", "actuator_outnum"],
        &m.actuator_outadr,
        &m.actuator_outnum,
        m.nout,
    )?;
    runs(
        ["actuator_actadr", "actuator_actnum"],
        &m.actuator_actadr,
        &m.actuator_actnum,
        m.na,
    )?;
    for i in 0..m.nactuator {
        transmission(m, i)?;
        let outnum = if m.actuator_trntype[i] == TrnType::So3 {
            3
        } else {
            1
        };
        for (name, have, need) in [
            ("actuator_outnum", m.actuator_outnum[i], outnum),
            ("actuator_ctrlnum", m.actuator_ctrlnum[i], inputs(m, i)),
        ] {
            ensure(
                have == need,
                name,
                i,
                format_args!("is {have}, and an actuator of its kind has {need}"),
            )?;
        }
        kind(m, i)?;
        activations(m, i)?;
        let (adr, num) = (m.actuator_historyadr[i], m.actuator_history[2 * i]);
        let samples = [adr, num, m.actuator_ctrlnum[i]];
        history(m, "actuator_history", i, samples)?;
    }
    Ok(())
}

/// Arrays that [`parameters`] reads.
pub(super) const OF_ACTUATORS: RowSet = RowSet::of(&[Row::actuator_dynprm, Row::actuator_gainprm]);

/// Checks that actuators have the activations that their parameters ask for.
pub(super) fn parameters(m: &Arrays) -> Result<()> {
    (0..m.nactuator).try_for_each(|i| {
        kind(m, i)?;
        activations(m, i)
    })
}

// whether the plastic state of each spring lies within that of a world
fn plastic(m: &Arrays) -> Result<()> {
    for j in 0..m.njnt {
        let end = m.jnt_plasticadr[j] + words(m.jnt_type[j]) as i32;
        let fits = m.jnt_plasticadr[j] < 0 || end as usize <= m.nplastic;
        ensure(
            fits,
            "jnt_plasticadr",
            j,
            "does not fit into a world's plastic",
        )?;
        let fixed = m.jnt_plasticadr[j] < 0 || m.jnt_type[j] != JointType::Free;
        ensure(
            fixed,
            "jnt_plasticadr",
            j,
            "is of a free joint, which does not yield",
        )?;
    }
    for t in 0..m.ntendon {
        let adr = m.tendon_plasticadr[t];
        let fits = adr < 0 || (adr + 2) as usize <= m.nplastic;
        ensure(
            fits,
            "tendon_plasticadr",
            t,
            "does not fit into a world's plastic",
        )?;
    }
    Ok(())
}

/// Checks that a history of `num` samples of `dim` numbers lies within the histories of a world.
pub(super) fn history(
    m: &Arrays,
    name: &'static str,
    i: usize,
    [adr, num, dim]: [i32; 3],
) -> Result<()> {
    let end = || {
        let words = usize::try_from(num).ok()?;
        let words = words.checked_mul(1 + usize::try_from(dim).ok()?)?;
        words.checked_add(2 + adr.max(0) as usize)
    };
    let fits = adr < 0 || end().is_some_and(|end| end <= m.nhistory);
    ensure(fits, name, i, "does not fit into a world's history")
}

fn transmission(m: &Arrays, i: usize) -> Result<()> {
    let [target, other] = [m.actuator_trnid[2 * i], m.actuator_trnid[2 * i + 1]];
    let on_joint = m.actuator_trntype[i] == TrnType::So3 && other < 0;
    let (len, least, others) = match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::Joint | TrnType::JointInParent) => (m.njnt, -1, 0),
        Some(TrnType::So3) if on_joint => (m.njnt, -1, 0),
        Some(TrnType::Tendon) => (m.ntendon, -1, 0),
        Some(TrnType::Body) => (m.nbody, -1, 0),
        Some(TrnType::SliderCrank | TrnType::So3) => (m.nsite, 0, m.nsite),
        Some(TrnType::Site) => (m.nsite, -1, m.nsite),
        _ => return Err(bad("actuator_trntype", i, "is no transmission")),
    };
    let joint = id("actuator_trnid", 2 * i, target, 0, len)?;
    id("actuator_trnid", 2 * i + 1, other, least, others)?;
    let ball = !on_joint || m.jnt_type[joint] == JointType::Ball;
    ensure(
        ball,
        "actuator_trnid",
        2 * i,
        "is no ball joint, and an orientation servo turns one",
    )
}

// controls of an actuator, by the kind of its gain
fn inputs(m: &Arrays, i: usize) -> i32 {
    use CtrlInput as I;
    let spec = m.actuator_ctrlspec[i];
    let bits = I::Pos as i32 | I::Vel as i32 | I::Ff as i32 | I::Voltage as i32;
    match GainType::from_i32(m.actuator_gaintype[i]) {
        Some(GainType::So3) if spec == CtrlChart::Quat as i32 => 4,
        Some(GainType::So3) => 3,
        Some(GainType::Pid | GainType::DcMotor) => (spec & bits).count_ones() as i32,
        _ => 1,
    }
}

// whether gain, bias and dynamics fit each other
fn kind(m: &Arrays, i: usize) -> Result<()> {
    let (Some(dyntype), Some(gaintype), Some(biastype)) = (
        DynType::from_i32(m.actuator_dyntype[i]),
        GainType::from_i32(m.actuator_gaintype[i]),
        BiasType::from_i32(m.actuator_biastype[i]),
    ) else {
        return Err(bad("actuator_dyntype", i, "is no dynamics"));
    };
    let kind = Kind {
        dyntype,
        gaintype,
        biastype,
        ctrlspec: m.actuator_ctrlspec[i],
        actearly: m.actuator_actearly[i] != 0,
        gainprm: &m.actuator_gainprm[10 * i..10 * i + 10],
    };
    match kind.misfit() {
        Some((_, why)) => Err(bad("actuator_gaintype", i, format!("does not fit: {why}"))),
        None => Ok(()),
    }
}

fn activations(m: &Arrays, i: usize) -> Result<()> {
    let have = m.actuator_actnum[i];
    // activations of a plugin are checked with the plugin
    if m.actuator_plugin[i] >= 0 {
        return Ok(());
    }
    let (Some(dyntype), Some(gaintype)) = (
        DynType::from_i32(m.actuator_dyntype[i]),
        GainType::from_i32(m.actuator_gaintype[i]),
    ) else {
        return Err(bad("actuator_dyntype", i, "is no dynamics"));
    };
    let [dynprm, gainprm] =
        [&m.actuator_dynprm, &m.actuator_gainprm].map(|prm| &prm[10 * i..10 * i + 10]);
    let need = match (activations_of(dyntype, gaintype, dynprm, gainprm), dyntype) {
        (Some(need), _) => need,
        (None, DynType::User) => return Ok(()),
        (None, dyntype) => usize::from(dyntype != DynType::None),
    };
    let why = format_args!(
        "is {have}, and the parameters of the actuator need {need}: compile the model again after a change that turns a \
         part of the actuator on or off"
    );
    ensure(have as usize == need, "actuator_actnum", i, why)
}
