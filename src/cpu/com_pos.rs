//! Subtree centres of mass, cinert, cdof (`mj_comPos`).

use crate::cpu::lib::contact::select3;
use crate::cpu::lib::math::*;
use crate::cpu::lib::spatial::{dof_com, inert_com};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{JointType, MINVAL};

/// Subtree centres of mass, cinert, cdof (`mj_comPos`).
pub fn com_pos<R: Real>(m: &Model, d: &mut Data<R>) {
    // mass times position, children before parents
    d.subtree_com.fill([R::zero(); 3]);
    for i in (0..m.nbody).rev() {
        let mass = d.own.body_mass(m, i);
        let moment = add_scl3(d.subtree_com[i], d.xipos[i], mass);
        if i > 0 {
            let p = m.body_parentid[i] as usize;
            d.subtree_com[p] = add3(d.subtree_com[p], moment);
        }

        // a subtree without mass, or of one body, has its body's centre of mass
        let subtreemass = d.own.body_subtreemass(m, i);
        let light = subtreemass.lt(R::splat(MINVAL));
        d.subtree_com[i] = if light.all() || m.body_childnum[i] == 0 {
            d.xipos[i]
        } else {
            let inverse = R::one() / R::select(light, R::one(), subtreemass);
            select3(light, d.xipos[i], scl3(moment, inverse))
        };
    }

    // inertia of bodies about the centre of mass of their tree
    d.cinert[0] = [R::zero(); 10];
    for i in 1..m.nbody {
        if d.still.body(i) {
            continue;
        }
        let offset = sub3(d.xipos[i], d.subtree_com[m.body_rootid[i] as usize]);
        let inertia = d.own.body_inertia(m, i);
        let mass = d.own.body_mass(m, i);
        d.cinert[i] = inert_com(inertia, d.ximat[i], offset, mass);
    }

    // motion axes of dofs about the centre of mass of their tree
    let (zero, one) = (R::zero(), R::one());
    for j in 0..m.njnt {
        let i = m.jnt_bodyid[j] as usize;
        if d.still.body(i) {
            continue;
        }
        let offset = sub3(d.subtree_com[m.body_rootid[i] as usize], d.xanchor[j]);
        let axis = d.xaxis[j];
        let mut adr = m.jnt_dofadr[j] as usize;
        let jnt_type = m.jnt_type[j];
        if jnt_type == JointType::Slide {
            d.cdof[adr] = [zero, zero, zero, axis[0], axis[1], axis[2]];
            continue;
        }
        if jnt_type == JointType::Hinge {
            d.cdof[adr] = dof_com(axis, offset);
            continue;
        }
        // a free joint translates along the world's axes
        if jnt_type == JointType::Free {
            d.cdof[adr] = [zero, zero, zero, one, zero, zero];
            d.cdof[adr + 1] = [zero, zero, zero, zero, one, zero];
            d.cdof[adr + 2] = [zero, zero, zero, zero, zero, one];
            adr += 3;
        }
        // a free joint rotates, like a ball joint, about the axes of its body
        let mat = d.xmat[i];
        for k in 0..3 {
            d.cdof[adr + k] = dof_com([mat[k], mat[k + 3], mat[k + 6]], offset);
        }
    }
}
