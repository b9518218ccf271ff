//! Equality constraints.

use super::names::Names;
use super::pattern::strain_patch;
use super::tree::Tree;
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::schema::{Equality, EqualityTag};
use crate::types::{EqType, JointType, ObjType};

/// Fills `eq_*`; the poses at `qpos0` come later (`mjCEquality::Compile`).
pub(super) fn fill(m: &mut Arrays, tree: &Tree, names: &Names) -> Result<()> {
    for said in &tree.spec.equalities {
        let (kind, objtype, ids) = objects(tree, names, said)?;
        let msg = "the two objects must differ";
        tree.ensure(Some(ids.0) != ids.1, said.origin, None, msg)?;
        if kind == EqType::Joint {
            scalar(m, tree, said, ids)?;
        }
        m.eq_type.push(kind as i32);
        m.eq_obj1id.push(ids.0 as i32);
        m.eq_obj2id.push(ids.1.map_or(-1, |id| id as i32));
        m.eq_objtype.push(objtype as i32);
        m.eq_active0.push(i32::from(said.active()));
        m.eq_solref.extend(said.solref());
        m.eq_solimp.extend(said.solimp());
        m.eq_data.extend(data(kind, objtype, said));
        if kind == EqType::FlexStrain {
            let there = strain_patch(m, m.eq_type.len() - 1).is_some();
            let msg = "cell must be one of the cells of the flex";
            tree.ensure(there, said.origin, Some("cell"), msg)?;
        }
    }
    m.neq = m.eq_type.len();
    Ok(())
}

type Pair = (usize, Option<usize>);

fn objects(tree: &Tree, names: &Names, said: &Equality) -> Result<(EqType, ObjType, Pair)> {
    let origin = said.origin;
    let find = |ids: &super::tree::Ids, attr: &str, name: &Option<String>| match name {
        Some(name) => ids.find(tree, origin, attr, name).map(Some),
        None => Ok(None),
    };
    let first = |id: Option<usize>, attr: &str| {
        id.ok_or_else(|| tree.error(origin, None, format!("{attr} is needed")))
    };
    let kind = match said.tag {
        EqualityTag::Connect => EqType::Connect,
        EqualityTag::Weld => EqType::Weld,
        EqualityTag::Joint => EqType::Joint,
        EqualityTag::Tendon => EqType::Tendon,
        EqualityTag::Flex => EqType::Flex,
        EqualityTag::Flexstrain => EqType::FlexStrain,
        EqualityTag::Unsaid => return Err(tree.error(origin, None, "has no kind: set tag")),
    };
    match kind {
        EqType::Joint => {
            let id1 = find(&names.joint, "joint1", &said.joint1)?;
            let id2 = find(&names.joint, "joint2", &said.joint2)?;
            // the type is not kept for joints and tendons
            Ok((kind, ObjType::Unknown, (first(id1, "joint1")?, id2)))
        }
        EqType::Tendon => {
            let id1 = find(&names.tendon, "tendon1", &said.tendon1)?;
            let id2 = find(&names.tendon, "tendon2", &said.tendon2)?;
            Ok((kind, ObjType::Unknown, (first(id1, "tendon1")?, id2)))
        }
        EqType::Flex | EqType::FlexStrain => {
            let id = find(&names.flex, "flex", &said.flex)?;
            Ok((kind, ObjType::Unknown, (first(id, "flex")?, None)))
        }
        _ if said.site1.is_some() || said.site2.is_some() => {
            let id1 = find(&names.site, "site1", &said.site1)?;
            let id2 = find(&names.site, "site2", &said.site2)?;
            let ids = (first(id1, "site1")?, Some(first(id2, "site2")?));
            Ok((kind, ObjType::Site, ids))
        }
        _ => {
            let id1 = find(&names.body, "body1", &said.body1)?;
            let id2 = find(&names.body, "body2", &said.body2)?;
            let ids = (first(id1, "body1")?, Some(id2.unwrap_or(0)));
            Ok((kind, ObjType::Body, ids))
        }
    }
}

fn scalar(m: &Arrays, tree: &Tree, said: &Equality, ids: Pair) -> Result<()> {
    for (id, attr) in [(Some(ids.0), "joint1"), (ids.1, "joint2")] {
        let Some(id) = id else { continue };
        let kind = m.jnt_type[id];
        let ok = kind == JointType::Slide || kind == JointType::Hinge;
        let msg = format!("{attr} must be a slide or hinge joint");
        tree.ensure(ok, said.origin, Some(attr), &msg)?;
    }
    Ok(())
}

// the row of eq_data before qpos0 is known; unused entries keep MuJoCo's defaults
fn data(kind: EqType, objtype: ObjType, said: &Equality) -> [f64; 12] {
    let mut data = [0.0; 12];
    (data[1], data[10]) = (1.0, 1.0);
    match (kind, objtype) {
        (EqType::Joint | EqType::Tendon, _) => data[..5].copy_from_slice(&said.polycoef()),
        (EqType::Connect, ObjType::Body) => {
            data[..3].copy_from_slice(&said.anchor.unwrap_or([0.0; 3]));
        }
        (EqType::FlexStrain, _) => {
            let cell = said.cell.unwrap_or([0, 1, 0]);
            data[..3].copy_from_slice(&cell.map(f64::from));
        }
        (EqType::Weld, _) => {
            if objtype == ObjType::Body {
                data[..3].copy_from_slice(&said.anchor.unwrap_or([0.0; 3]));
                data[3..10].copy_from_slice(&said.relpose.unwrap_or([0.0; 7]));
            }
            data[10] = said.torquescale();
        }
        _ => {}
    }
    data
}
