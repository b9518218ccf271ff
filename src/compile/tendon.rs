//! Tendons and their paths.

use super::joint::{check_not_negative, limited};
use super::mark::single;
use super::names::Names;
use super::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Tendon, TendonTag, Wrap, WrapTag};
use crate::types::{GeomType, JointType, TendonType, WrapType};

/// Fills `tendon_*` and `wrap_*` (`mjCTendon::Compile`).
pub(super) fn fill(m: &mut Arrays, tree: &Tree, names: &Names) -> Result<()> {
    m.ntendon = tree.spec.tendons.len();
    for (i, said) in tree.spec.tendons.iter().enumerate() {
        let adr = m.wrap_type.len();
        for wrap in &said.path {
            let (kind, id, prm) = step(m, tree, names, wrap)?;
            m.wrap_type.push(kind as i32);
            m.wrap_objid.push(id);
            m.wrap_prm.push(prm);
        }
        let kind = match said.tag {
            TendonTag::Fixed => TendonType::Fixed,
            _ => TendonType::Spatial,
        };
        check_path(m, tree, said, adr, kind)?;
        m.tendon_type.push(kind as i32);
        m.tendon_adr.push(adr as i32);
        m.tendon_num.push((m.wrap_type.len() - adr) as i32);
        m.tendon_matid.push(match &said.material {
            Some(name) => names.material.find(tree, said.origin, "material", name)? as i32,
            None => -1,
        });
        m.tendon_group.push(said.group());
        numbers(m, tree, said)?;
        let _ = i;
    }
    m.nwrap = m.wrap_type.len();
    Ok(())
}

// kind, object and parameter of one step of a path
fn step(m: &Arrays, tree: &Tree, names: &Names, wrap: &Wrap) -> Result<(WrapType, i32, f64)> {
    let origin = wrap.origin;
    let find = |ids: &super::tree::Ids, attr: &str, name: &Option<String>| match name {
        Some(name) => ids.find(tree, origin, attr, name),
        None => Err(tree.error(origin, None, format!("{attr} is needed"))),
    };
    match wrap.tag {
        WrapTag::Joint => {
            let id = find(&names.joint, "joint", &wrap.joint)?;
            let ok = m.jnt_type[id] == JointType::Slide || m.jnt_type[id] == JointType::Hinge;
            let msg = "joint must be a slide or hinge joint";
            tree.ensure(ok, origin, Some("joint"), msg)?;
            Ok((WrapType::Joint, id as i32, wrap.coef.unwrap_or(0.0)))
        }
        WrapTag::Site => {
            let id = find(&names.site, "site", &wrap.site)?;
            Ok((WrapType::Site, id as i32, 0.0))
        }
        WrapTag::Pulley => {
            let divisor = wrap.divisor.unwrap_or(0.0);
            let msg = "divisor must be positive";
            tree.ensure(divisor > 0.0, origin, Some("divisor"), msg)?;
            Ok((WrapType::Pulley, -1, divisor))
        }
        WrapTag::Geom => {
            let id = find(&names.geom, "geom", &wrap.geom)?;
            let kind = match GeomType::from_i32(m.geom_type[id]) {
                Some(GeomType::Sphere) => WrapType::Sphere,
                Some(GeomType::Cylinder) => WrapType::Cylinder,
                _ => {
                    let msg =
                        "geom must be a sphere or a cylinder: tendons wrap around nothing else";
                    return Err(tree.error(origin, Some("geom"), msg));
                }
            };
            let side = match &wrap.sidesite {
                Some(name) => names.site.find(tree, origin, "sidesite", name)? as f64,
                None => -1.0,
            };
            Ok((kind, id as i32, side))
        }
        WrapTag::Unsaid => Err(tree.error(origin, None, "has no kind of path step: set tag")),
    }
}

fn check_path(m: &Arrays, tree: &Tree, said: &Tendon, adr: usize, kind: TendonType) -> Result<()> {
    let path = &m.wrap_type[adr..];
    let origin = said.origin;
    let at = |k: usize| said.path.get(k).map_or(origin, |wrap| wrap.origin);
    tree.ensure(!path.is_empty(), origin, None, "the path is empty")?;
    let armature = said.armature();
    let msg = "armature must not be negative";
    tree.ensure(armature >= 0.0, origin, Some("armature"), msg)?;
    if kind == TendonType::Fixed {
        for (k, id) in m.wrap_objid[adr..].iter().enumerate() {
            let joint = path[k] == WrapType::Joint;
            let msg = "a fixed tendon is made of joints";
            tree.ensure(joint, at(k), None, msg)?;
            let repeated = m.wrap_objid[adr..adr + k].contains(id);
            let msg = "joint is in this tendon already; add the coefficients";
            tree.ensure(!repeated, at(k), Some("joint"), msg)?;
        }
        return Ok(());
    }
    let msg = "the path needs at least two steps";
    tree.ensure(path.len() >= 2, origin, None, msg)?;
    let msg = "width must be positive";
    tree.ensure(said.width() > 0.0, origin, Some("width"), msg)?;
    for k in 0..path.len() {
        check_step(&m.wrap_objid[adr..], path, k, armature)
            .map_err(|msg| tree.error(at(k), None, msg))?;
    }
    Ok(())
}

/// Checks one step of a path. A path is a row of stretches between sites, each perhaps around a geom.
pub(super) fn check_step(
    ids: &[i32],
    path: &[i32],
    k: usize,
    armature: f64,
) -> std::result::Result<(), &'static str> {
    let is =
        |k: Option<usize>, kind: WrapType| k.and_then(|k| path.get(k)).is_some_and(|&t| t == kind);
    let (before, after) = (k.checked_sub(1), Some(k + 1));
    let last = k + 1 == path.len();
    match WrapType::from_i32(path[k]) {
        Some(WrapType::Pulley) if is(before, WrapType::Pulley) => {
            Err("a pulley cannot follow a pulley")
        }
        Some(WrapType::Pulley) if last => Err("the path cannot end with a pulley"),
        Some(WrapType::Site) => {
            let start = k == 0 || is(before, WrapType::Pulley);
            let end = last || is(after, WrapType::Pulley);
            if start && end {
                return Err("a site needs a neighbour that is not a pulley");
            }
            if is(after, WrapType::Site) && ids[k] == ids[k + 1] {
                return Err("the next site is the same one");
            }
            Ok(())
        }
        Some(WrapType::Sphere | WrapType::Cylinder) => {
            if !is(before, WrapType::Site) || !is(after, WrapType::Site) {
                return Err("a geom needs a site before it and a site after it");
            }
            if armature > 0.0 {
                return Err("a tendon with armature cannot wrap around geoms");
            }
            Ok(())
        }
        Some(WrapType::Joint) => Err("a joint is for fixed tendons"),
        _ => Ok(()),
    }
}

fn numbers(m: &mut Arrays, tree: &Tree, said: &Tendon) -> Result<()> {
    let origin = said.origin;
    let autolimits = tree.spec.compiler().autolimits();
    let range = said.range();
    let is_limited = limited(tree, origin, "", said.limited(), range, autolimits)?;
    let msg = "range needs its first number below its second";
    tree.ensure(
        !is_limited || range[0] < range[1],
        origin,
        Some("range"),
        msg,
    )?;
    let frc = said.actuatorfrcrange();
    let frc_limited = limited(
        tree,
        origin,
        "actuatorfrc",
        said.actuatorfrclimited(),
        frc,
        autolimits,
    )?;
    let msg = "actuatorfrcrange needs its first number below its second, and zero between them";
    let ok = frc[0] < frc[1] && frc[0] <= 0.0 && frc[1] >= 0.0;
    tree.ensure(!frc_limited || ok, origin, Some("actuatorfrcrange"), msg)?;
    let spring = said.springlength();
    let msg = "springlength needs its first number at most its second";
    tree.ensure(spring[0] <= spring[1], origin, Some("springlength"), msg)?;
    check_not_negative(tree, origin, "frictionloss", said.frictionloss())?;
    check_not_negative(tree, origin, "springyield", said.springyield())?;

    m.tendon_limited.push(i32::from(is_limited));
    m.tendon_actfrclimited.push(i32::from(frc_limited));
    m.tendon_width.push(said.width());
    m.tendon_solref_lim.extend(said.solreflimit());
    m.tendon_solimp_lim.extend(said.solimplimit());
    m.tendon_solref_fri.extend(said.solreffriction());
    m.tendon_solimp_fri.extend(said.solimpfriction());
    m.tendon_range.extend(range);
    m.tendon_actfrcrange.extend(frc);
    m.tendon_margin.push(said.margin());
    let [stiffness, poly @ ..] = said.stiffness();
    m.tendon_stiffness.push(stiffness);
    m.tendon_stiffnesspoly.extend(poly);
    let [damping, poly @ ..] = said.damping();
    m.tendon_damping.push(damping);
    m.tendon_dampingpoly.extend(poly);
    m.tendon_armature.push(said.armature());
    m.tendon_frictionloss.push(said.frictionloss());
    m.tendon_lengthspring.extend(spring);
    m.tendon_springyield.push(said.springyield());
    m.tendon_plasticadr.push(-1);
    if said.springyield() > 0.0 {
        if let Some(adr) = m.tendon_plasticadr.last_mut() {
            *adr = m.nplastic as i32;
        }
        // both ends of the dead band move
        m.nplastic += 2;
    }
    m.tendon_rgba.extend(said.rgba().map(single));
    Ok(())
}
