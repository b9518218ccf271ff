//! Spring and damper forces, gravity compensation (`mj_passive`).

use crate::cpu::lib::cage::{cell_forces, node_xpos};
use crate::cpu::lib::elastic::{bend_forces, stretch_forces, vertex_motion};
use crate::cpu::lib::force::{acts, apply_ft, joint_rest, poly_force, tendon_passive};
use crate::cpu::lib::math::*;
use crate::cpu::lib::penalty::{has_penalties, pairs_of_contacts, push_apart};
use crate::cpu::lib::rod::is_rod;
use crate::cpu::lib::rod_force::rod_forces;
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::{DSBL_DAMPER, DSBL_GRAVITY, DSBL_SPRING, JointType};
use crate::user::add_passive;

/// Spring and damper forces, gravity compensation (`mj_passive`).
pub fn passive(m: &Model, d: &mut Data) {
    let contact = pairs_of_contacts(m, d);
    push(m, d, &contact);
}

/// The stage for worlds side by side; `contact` gives the pair of each contact slot.
pub fn push<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32]) {
    let spring = !m.opt.disabled(DSBL_SPRING);
    let damper = !m.opt.disabled(DSBL_DAMPER);
    let still = !adds_up(m) && d.still.any();
    if !still {
        d.qfrc_spring.fill(R::zero());
        d.qfrc_damper.fill(R::zero());
        d.qfrc_gravcomp.fill(R::zero());
        d.qfrc_passive.fill(R::zero());
    }

    // no passive forces if springs and dampers are both disabled
    if !spring && !damper {
        return;
    }

    // springs of joints
    if spring {
        for j in 0..m.njnt {
            if still && d.still.body(m.jnt_bodyid[j] as usize) {
                continue;
            }
            joint_spring(m, d, j);
        }
    }

    // dampers of dofs
    if damper {
        for i in 0..m.nv {
            if still && d.still.dof(i) {
                continue;
            }
            dof_damper(m, d, i);
        }
    }

    // springs and dampers of flexes
    if m.nflexstiffness > 0 || m.nflexbending > 0 {
        elastic(m, d, spring, damper);
    }
    for f in 0..m.nflex {
        edges_spring_damper(m, d, f, spring, damper);
    }

    // passive contacts of flexes
    if has_penalties(m) {
        push_apart(m, d, contact);
    }

    // springs and dampers of tendons
    for t in 0..m.ntendon {
        tendon_spring_damper(m, d, t);
    }

    compensate_gravity(m, d);

    // the sum; gravity compensation by actuators is not passive
    for i in 0..m.nv {
        if still && d.still.dof(i) {
            continue;
        }
        let mut sum = d.qfrc_spring[i] + d.qfrc_damper[i] + d.qfrc_fluid[i];
        if m.jnt_actgravcomp[m.dof_jntid[i] as usize] == 0 {
            sum += d.qfrc_gravcomp[i];
        }
        if m.nadhesion > 0 {
            sum += d.qfrc_adhesion[i];
        }
        d.qfrc_passive[i] = sum;
    }
    add_passive(m, d);
}

fn dof_damper<R: Real>(m: &Model, d: &mut Data<R>, i: usize) {
    let linear = d.own.dof_damping_all(m, i);
    let poly = [2 * i, 2 * i + 1].map(|k| d.own.dof_dampingpoly_all(m, k));
    let v = d.qvel[i];
    d.qfrc_damper[i] = -v * poly_force(linear, poly, v, true);
}

fn compensate_gravity<R: Real>(m: &Model, d: &mut Data<R>) {
    let gravity = d.own.gravity(m);
    let pull = !m.opt.disabled(DSBL_GRAVITY) && d.own.has_gravity(m);
    if m.ngravcomp == 0 || !pull {
        return;
    }
    let mut qfrc = std::mem::take(&mut d.qfrc_gravcomp);
    for i in 1..m.nbody {
        let gravcomp = d.own.body_gravcomp(m, i);
        if nonzero(gravcomp).any() {
            let weight = -(d.own.body_mass(m, i) * gravcomp);
            let force = gravity.map(|g| g * weight);
            apply_ft(m, d, &mut qfrc, i, d.xipos[i], force, [R::zero(); 3]);
        }
    }
    d.qfrc_gravcomp = qfrc;
}

// true if forces are added up from several sides, so that arrays have to be zero first
fn adds_up(m: &Model) -> bool {
    m.nflex + m.ntendon + m.ngravcomp > 0
}

#[inline(always)]
fn joint_spring<R: Real>(m: &Model, d: &mut Data<R>, j: usize) {
    let linear = d.own.jnt_stiffness(m, j);
    let poly = [
        d.own.jnt_stiffnesspoly(m, 2 * j),
        d.own.jnt_stiffnesspoly(m, 2 * j + 1),
    ];
    if !acts(linear, poly) {
        return;
    }
    let (mut padr, mut dadr) = (m.jnt_qposadr[j] as usize, m.jnt_dofadr[j] as usize);
    let jnt_type = m.jnt_type[j];

    // one coordinate
    if jnt_type == JointType::Slide || jnt_type == JointType::Hinge {
        let x = d.qpos[padr] - joint_rest(m, d, j, 0);
        d.qfrc_spring[dadr] = -x * poly_force(linear, poly, x, false);
        return;
    }

    // three coordinates: the distance from rest counts
    if jnt_type == JointType::Free {
        let x: [R; 3] = std::array::from_fn(|k| d.qpos[padr + k] - joint_rest(m, d, j, k));
        let stiffness = poly_force(linear, poly, norm3(x), false);
        for (force, x) in d.qfrc_spring[dadr..dadr + 3].iter_mut().zip(x) {
            *force = -x * stiffness;
        }
        padr += 3;
        dadr += 3;
    }

    // an orientation: the angle from rest counts
    let first = padr - m.jnt_qposadr[j] as usize;
    let quat = normalize4(std::array::from_fn(|k| d.qpos[padr + k]));
    let x = sub_quat(
        quat,
        std::array::from_fn(|k| joint_rest(m, d, j, first + k)),
    );
    let stiffness = poly_force(linear, poly, norm3(x), false);
    for (force, x) in d.qfrc_spring[dadr..dadr + 3].iter_mut().zip(x) {
        *force = -x * stiffness;
    }
}

// forces on the vertices, then generalized forces of their bodies
#[inline(always)]
fn elastic<R: Real>(m: &Model, d: &mut Data<R>, spring: bool, damper: bool) {
    vertex_motion(m, d);
    for f in 0..m.nflex {
        if between_nodes(m, f) {
            cell_forces(m, d, f);
        } else if m.flex_stiffnessadr[f] >= 0 && m.flex_rigid[f] == 0 && m.flex_interp[f] == 0 {
            stretch_forces(m, d, f);
        }
        let hinges = m.flex_dim[f] == 2 && m.flex_interp[f] == 0;
        if m.flex_bendingadr[f] >= 0 && m.flex_rigid[f] == 0 && hinges {
            bend_forces(m, d, f);
        }
        if is_rod(m, f) {
            rod_forces(m, d, f);
        }
    }

    // as generalized forces
    let mut qfrc_spring = std::mem::take(&mut d.qfrc_spring);
    let mut qfrc_damper = std::mem::take(&mut d.qfrc_damper);
    for v in 0..m.nflexvert {
        let point = d.flexvert_xpos[v];
        let Ok(body) = usize::try_from(m.flex_vertbodyid[v]) else {
            continue;
        };
        let none = [R::zero(); 3];
        if spring {
            let force = d.flexvert_spring[v];
            apply_ft(m, d, &mut qfrc_spring, body, point, force, none);
        }
        if damper {
            let force = d.flexvert_damper[v];
            apply_ft(m, d, &mut qfrc_damper, body, point, force, none);
        }
    }
    for f in (0..m.nflex).filter(|&f| between_nodes(m, f)) {
        let adr = m.flex_nodeadr[f] as usize;
        for n in adr..adr + m.flex_nodenum[f] as usize {
            if spring {
                push_node(m, d, &mut qfrc_spring, n, d.flexnode_spring[n]);
            }
            if damper {
                push_node(m, d, &mut qfrc_damper, n, d.flexnode_damper[n]);
            }
        }
    }
    d.qfrc_spring = qfrc_spring;
    d.qfrc_damper = qfrc_damper;
}

// whether the vertices of a flex lie between nodes that its material holds; the material of lines there has no forces in MuJoCo
fn between_nodes(m: &Model, f: usize) -> bool {
    let grid = m.flex_interp[f] != 0 && m.flex_dim[f] > 1;
    grid && (m.flex_stiffnessadr[f] >= 0 || m.flex_bendingadr[f] >= 0)
}

// a body with three slide joints passes no force on to its ancestors, as in MuJoCo
fn push_node<R: Real>(m: &Model, d: &Data<R>, qfrc: &mut [R], n: usize, force: [R; 3]) {
    let body = m.flex_nodebodyid[n] as usize;
    let adr = m.body_jntadr[body].max(0) as usize;
    let joints = adr..adr + m.body_jntnum[body] as usize;
    if joints.len() != 3 || joints.clone().any(|j| m.jnt_type[j] != JointType::Slide) {
        let point = node_xpos(m, d, n);
        return apply_ft(m, d, qfrc, body, point, force, [R::zero(); 3]);
    }
    for j in joints {
        qfrc[m.jnt_dofadr[j] as usize] += dot3(d.xaxis[j], force);
    }
}

#[inline(always)]
fn edges_spring_damper<R: Real>(m: &Model, d: &mut Data<R>, f: usize, spring: bool, damper: bool) {
    let stiffness = d.own.flex_edgestiffness(m, f);
    let damping = d.own.flex_edgedamping(m, f);
    if m.flex_rownum[f] == 0 || !acts(stiffness, [damping, R::zero()]) {
        return;
    }
    let adr = m.flex_edgeadr[f] as usize;
    for e in adr..adr + m.flex_edgenum[f] as usize {
        let (adr, num) = (
            m.flexedge_J_rowadr[e] as usize,
            m.flexedge_J_rownnz[e] as usize,
        );
        if m.flexedge_rigid[e] != 0 {
            continue;
        }
        let away = d.own.flexedge_length0(m, e) - d.flexedge_length[e];
        let frc_spring = stiffness * away;
        let frc_damper = -damping * d.flexedge_velocity[e];
        for k in adr..adr + num {
            let i = m.flexedge_J_colind[k] as usize;
            if spring {
                d.qfrc_spring[i] += d.flexedge_J[k] * frc_spring;
            }
            if damper {
                d.qfrc_damper[i] += d.flexedge_J[k] * frc_damper;
            }
        }
    }
}

// as generalized forces
#[inline(always)]
fn tendon_spring_damper<R: Real>(m: &Model, d: &mut Data<R>, t: usize) {
    let [frc_spring, frc_damper] = tendon_passive(m, d, t);
    let (adr, num) = (m.ten_J_rowadr[t] as usize, m.ten_J_rownnz[t] as usize);
    for k in adr..adr + num {
        let i = m.ten_J_colind[k] as usize;
        d.qfrc_spring[i] += d.ten_J[k] * frc_spring;
        d.qfrc_damper[i] += d.ten_J[k] * frc_damper;
    }
}
