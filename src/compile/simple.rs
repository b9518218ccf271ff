//! Simple bodies: those whose inertia matrix is diagonal whatever the state, so that only the diagonal is kept. The compiler
//! decides which bodies are simple; an edit must not change that.

use super::emit::{is_zero, same_frame};
use super::pose::Pose;
use crate::asset::vec3::EPS;
use crate::fields::Arrays;
use crate::types::*;

/// The first body that is marked as simple and is not, and why.
pub(super) fn violated(m: &Arrays) -> Option<(usize, &'static str)> {
    let mut parent = vec![false; m.nbody];
    for i in 1..m.nbody {
        parent[m.body_parentid[i] as usize] = true;
    }
    let heavy = under_heavy_tendons(m);
    let simple = (1..m.nbody).filter(|&i| m.body_simple[i] != 0 && m.body_dofnum[i] > 0);
    simple.into_iter().find_map(|i| {
        let why = frame(m, i).or_else(|| joints(m, i));
        let why = why.or(parent[i].then_some("another body hangs on it"));
        let why = why.or(heavy[i].then_some("a tendon with armature passes over it"));
        why.map(|why| (i, why))
    })
}

fn frame(m: &Arrays, i: usize) -> Option<&'static str> {
    let p = m.body_parentid[i] as usize;
    let fixed_parent = m.body_parentid[p] == 0 && m.body_dofnum[p] == 0;
    let inertial = Pose {
        pos: m.body_ipos[i],
        quat: m.body_iquat[i],
    };
    if same_frame(inertial, None) != SameFrame::Body {
        return Some("its inertial frame is not that of the body (body_ipos, body_iquat)");
    }
    let alone = m.body_rootid[i] == i as i32 || fixed_parent;
    (!alone).then_some("it hangs on a body that moves")
}

// coupled: a rotation after another, an anchor elsewhere, an oblique axis
fn joints(m: &Arrays, i: usize) -> Option<&'static str> {
    let mut rotation = false;
    let adr = m.body_jntadr[i] as usize;
    for j in adr..adr + m.body_jntnum[i] as usize {
        let slides = m.jnt_type[j] == JointType::Slide;
        let scalar = slides || m.jnt_type[j] == JointType::Hinge;
        let along = m.jnt_axis[j].iter().filter(|x| x.abs() > EPS).count() == 1;
        if rotation {
            return Some("a joint follows one that turns");
        }
        if !is_zero(m.jnt_pos[j]) {
            return Some("a joint is not at its origin (jnt_pos)");
        }
        if scalar && !along {
            return Some("a joint's axis is none of the body's (jnt_axis)");
        }
        if m.body_simple[i] == 2 && !slides {
            return Some("it does not only slide");
        }
        rotation |= m.jnt_type[j] == JointType::Ball || m.jnt_type[j] == JointType::Hinge;
    }
    None
}

/// Bodies along the paths of tendons that have inertia, whose inertia couples them.
pub(super) fn under_heavy_tendons(m: &Arrays) -> Vec<bool> {
    let lent = |i: usize| {
        (0..m.nactuator).any(|k| {
            let here =
                m.actuator_trntype[k] == TrnType::Tendon && m.actuator_trnid[2 * k] as usize == i;
            here && m.actuator_armature[k] != 0.0
        })
    };
    let mut heavy = vec![false; m.nbody];
    // paths are checked later: here an invalid one passes no body
    let body_at = |k: usize| {
        let id = usize::try_from(m.wrap_objid[k]).ok()?;
        let body = match WrapType::from_i32(m.wrap_type[k]) {
            Some(WrapType::Joint) => *m.jnt_bodyid.get(id)?,
            Some(WrapType::Site) => *m.site_bodyid.get(id)?,
            Some(WrapType::Sphere | WrapType::Cylinder) => *m.geom_bodyid.get(id)?,
            _ => return None,
        };
        usize::try_from(body).ok()
    };
    for i in (0..m.ntendon).filter(|&i| m.tendon_armature[i] != 0.0 || lent(i)) {
        let (Ok(adr), Ok(num)) = (
            usize::try_from(m.tendon_adr[i]),
            usize::try_from(m.tendon_num[i]),
        ) else {
            continue;
        };
        for body in (adr..(adr + num).min(m.nwrap)).filter_map(body_at) {
            if let Some(heavy) = heavy.get_mut(body) {
                *heavy = true;
            }
        }
    }
    heavy
}
