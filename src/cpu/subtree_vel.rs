//! Linear velocity and angular momentum of subtrees (`mj_subtreeVel`).

use crate::cpu::lib::math::*;
use crate::cpu::lib::sensor::object_velocity;
use crate::cpu::lib::spatial::{lin, rot};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{MINVAL, ObjType};

/// Linear velocity and angular momentum of subtrees (`mj_subtreeVel`).
pub fn subtree_vel<R: Real>(m: &Model, d: &mut Data<R>) {
    // momentum, children before parents, then velocity
    d.subtree_linvel.fill([R::zero(); 3]);
    for i in (0..m.nbody).rev() {
        let vel = object_velocity(m, d, ObjType::Body as i32, i);
        let momentum = add_scl3(d.subtree_linvel[i], lin(vel), d.own.body_mass(m, i));
        if i > 0 {
            let p = m.body_parentid[i] as usize;
            d.subtree_linvel[p] = add3(d.subtree_linvel[p], momentum);
        }
        let mass = d.own.body_subtreemass(m, i).max(R::splat(MINVAL));
        d.subtree_linvel[i] = scl3(momentum, R::one() / mass);
    }

    // angular momentum, children before parents: of the body itself, and of subtrees about the parent's centre of mass
    d.subtree_angmom.fill([R::zero(); 3]);
    for i in (0..m.nbody).rev() {
        let own = body_angmom(m, d, i);
        d.subtree_angmom[i] = add3(d.subtree_angmom[i], own);
        if i > 0 {
            let p = m.body_parentid[i] as usize;
            let arm = sub3(d.subtree_com[i], d.subtree_com[p]);
            let vel = sub3(d.subtree_linvel[i], d.subtree_linvel[p]);
            let moment = scl3(cross(arm, vel), d.own.body_subtreemass(m, i));
            d.subtree_angmom[p] = add3(d.subtree_angmom[p], add3(d.subtree_angmom[i], moment));
        }
    }
}

// angular momentum of a body about the centre of mass of its subtree
#[inline(always)]
fn body_angmom<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [R; 3] {
    let vel = object_velocity(m, d, ObjType::Body as i32, i);
    let local = mul_mat_t_vec3(d.ximat[i], rot(vel));
    let inertia = d.own.body_inertia(m, i);
    let spin = [0, 1, 2].map(|k| local[k] * inertia[k]);
    let own = mul_mat_vec3(d.ximat[i], spin);
    if i == 0 {
        return own;
    }
    let arm = sub3(d.xipos[i], d.subtree_com[i]);
    let vel = sub3(lin(vel), d.subtree_linvel[i]);
    add3(own, scl3(cross(arm, vel), d.own.body_mass(m, i)))
}
