//! Constants of the model that follow from its other fields (`mj_setConst`): masses of subtrees, springs at rest,
//! statistics. Constants that depend on poses at `qpos0` are in [`super::qpos0`].

use super::invweight::{moment_row, weight};
use super::qpos0::{body_sizes, without_rows};
use super::sleep;
use crate::cpu;
use crate::cpu::lib::math::*;
use crate::fields::{Arrays, Data, Model};
use crate::types::*;

/// Lengths of tendons where their springs are at rest, for tendons whose spring length is to follow (`setSpring`).
pub(super) fn set_spring(model: &mut Model) {
    let m = model.arrays_mut();
    let open = |i: usize, m: &Arrays| m.tendon_lengthspring[2 * i..2 * i + 2] == [-1.0, -1.0];
    if !(0..m.ntendon).any(|i| open(i, m)) {
        return;
    }
    let d = without_rows(model, |model| {
        let mut d = Data::new(model);
        d.qpos.clone_from(&model.qpos_spring);
        cpu::kinematics::kinematics(model, &mut d);
        cpu::com_pos::com_pos(model, &mut d);
        cpu::tendon::tendon(model, &mut d);
        d
    });
    let m = model.arrays_mut();
    for i in 0..m.ntendon {
        if open(i, m) {
            m.tendon_lengthspring[2 * i..2 * i + 2].fill(d.ten_length[i]);
        }
    }
}

/// Marks welds of bodies without a given pose: their pose is that at `qpos0`.
pub(super) fn mark_welds(m: &mut Arrays) {
    for i in 0..m.neq {
        if m.eq_type[i] != EqType::Weld || m.eq_objtype[i] != ObjType::Body {
            continue;
        }
        let data = &mut m.eq_data[12 * i..12 * i + 12];
        if data[6..10].iter().any(|x| *x != 0.0) {
            let quat = normalize4([data[6], data[7], data[8], data[9]]);
            data[6..10].copy_from_slice(&quat);
        } else {
            data[11] = 1.0;
        }
    }
}

/// Replaces a positive third bias parameter of a position servo, a ratio to the critical damping of its reflected inertia.
pub(super) fn damping_ratios(m: &mut Arrays, d: &Data) {
    for i in 0..m.nactuator {
        let kp = -m.actuator_biasprm[10 * i + 1];
        let ratio = m.actuator_biasprm[10 * i + 2];
        let servo = m.actuator_gaintype[i] == GainType::Pid || m.actuator_gainprm[10 * i] == kp;
        if !servo || ratio <= 0.0 {
            continue;
        }
        let (out, n) = (m.actuator_outadr[i] as usize, m.actuator_outnum[i] as usize);
        let mut row = vec![0.0; m.nv];
        let sum = (out..out + n).fold(0.0, |sum, k| {
            moment_row(m, d, k, &mut row);
            sum + weight(m, d, &mut row, 0..m.nv)
        });
        // the reflected inertia is zero where nothing moves
        let mass = if sum < MINVAL { 0.0 } else { n as f64 / sum };
        m.actuator_biasprm[10 * i + 2] = -ratio * 2.0 * (kp * mass).sqrt();
    }
}

/// Statistics of the model at `qpos0` (`setStat`).
pub(super) fn statistics(m: &mut Arrays, d: &Data) {
    extent(m, d);
    let size = body_sizes(m, d);
    if m.nbody > 1 {
        let n = (m.nbody - 1) as f64;
        m.stat.meansize = size[1..].iter().fold(0.0, |sum, s| sum + s / n);
        m.stat.meanmass = m.body_mass[1..].iter().fold(0.0, |sum, x| sum + x) / n;
    }
    m.stat.extent = m.stat.extent.max(2.0 * m.stat.meansize);
    if m.nv > 0 {
        let diagonal = |i: usize| d.M[(m.M_rowadr[i] + m.M_rownnz[i] - 1) as usize];
        let sum = (0..m.nv).fold(0.0, |sum, i| sum + diagonal(i));
        m.stat.meaninertia = sum / m.nv as f64;
    }
}

// bounding box of the model
fn extent(m: &mut Arrays, d: &Data) {
    let (mut lo, mut hi) = ([1e10; 3], [-1e10; 3]);
    let mut include = |pos: [f64; 3], radius: f64| {
        for k in 0..3 {
            lo[k] = f64::min(lo[k], pos[k] - radius);
            hi[k] = f64::max(hi[k], pos[k] + radius);
        }
    };
    for i in 1..m.nbody {
        include(d.xpos[i], 0.0);
        include(d.xipos[i], 0.0);
    }
    for pos in d.xanchor.iter().chain(&d.site_xpos) {
        include(*pos, 0.0);
    }
    for i in 0..m.ngeom {
        include(d.geom_xpos[i], radius(m, i));
    }
    m.stat.center = [0, 1, 2].map(|k| (lo[k] + hi[k]) * 0.5);
    if hi[0] > lo[0] {
        let side = [0, 1, 2].map(|k| hi[k] - lo[k]);
        m.stat.extent = f64::max(1e-5, side[0].max(side[1].max(side[2])));
    }
}

// radius of a geom that counts for the extent of the model: for a plane a tenth of its half size, or 0.01
fn radius(m: &Arrays, i: usize) -> f64 {
    let [x, y, _] = m.geom_size[i];
    if m.geom_rbound[i] > 0.0 {
        m.geom_rbound[i]
    } else if m.geom_type[i] == GeomType::Plane && (x != 0.0 || y != 0.0) {
        x.max(y) * 0.1
    } else if m.geom_type[i] == GeomType::Plane {
        0.01
    } else {
        0.0
    }
}

/// Constants that do not depend on a configuration (`setFixed`).
pub(super) fn set_fixed(m: &mut Arrays) {
    subtree_masses(m);
    count_gravcomp(m);
    contributions(m);
    tendon_trees(m);
    sleep::policies(m);
}

/// Masses of subtrees: of bodies with all their descendants.
pub(super) fn subtree_masses(m: &mut Arrays) {
    m.body_subtreemass.clone_from(&m.body_mass);
    for i in (1..m.nbody).rev() {
        m.body_subtreemass[m.body_parentid[i] as usize] += m.body_subtreemass[i];
    }
}

/// Number of bodies whose weight is compensated.
pub(super) fn count_gravcomp(m: &mut Arrays) {
    m.ngravcomp = m.body_gravcomp.iter().filter(|g| **g > 0.0).count();
}

/// The actuator that adds damping or armature to a joint or tendon; -2: several.
pub(super) fn contributions(m: &mut Arrays) {
    m.jnt_actuatorid = vec![-1; m.njnt];
    m.tendon_actuatorid = vec![-1; m.ntendon];
    for i in 0..m.nactuator {
        let poly = &m.actuator_dampingpoly[2 * i..2 * i + 2];
        let none =
            m.actuator_damping[i] == 0.0 && poly == [0.0, 0.0] && m.actuator_armature[i] == 0.0;
        let id = m.actuator_trnid[2 * i] as usize;
        let slot = match TrnType::from_i32(m.actuator_trntype[i]) {
            _ if none => continue,
            Some(TrnType::Joint | TrnType::JointInParent) => &mut m.jnt_actuatorid[id],
            Some(TrnType::Tendon) => &mut m.tendon_actuatorid[id],
            _ => continue,
        };
        *slot = if *slot == -1 { i as i32 } else { -2 };
    }
}

/// The tree of the object of one step of a tendon's path; -1: none.
fn wrap_tree(m: &Arrays, k: usize) -> i32 {
    let id = m.wrap_objid[k];
    let body = match WrapType::from_i32(m.wrap_type[k]) {
        Some(WrapType::Joint) => m.jnt_bodyid[id as usize],
        Some(WrapType::Site) => m.site_bodyid[id as usize],
        Some(WrapType::Sphere | WrapType::Cylinder) => m.geom_bodyid[id as usize],
        _ => return -1,
    };
    m.body_treeid[body as usize]
}

/// Trees along a tendon's path, each once.
pub(super) fn path_trees(m: &Arrays, i: usize) -> Vec<i32> {
    let adr = m.tendon_adr[i] as usize;
    let mut trees = Vec::new();
    for k in adr..adr + m.tendon_num[i] as usize {
        let tree = wrap_tree(m, k);
        if tree >= 0 && !trees.contains(&tree) {
            trees.push(tree);
        }
    }
    trees
}

/// Trees that each tendon ties together.
pub(super) fn tendon_trees(m: &mut Arrays) {
    for i in 0..m.ntendon {
        let trees = path_trees(m, i);
        m.tendon_treenum[i] = trees.len() as i32;
        for k in 0..2 {
            m.tendon_treeid[2 * i + k] = trees.get(k).copied().unwrap_or(-1);
        }
    }
}

/// Dofs that each tendon depends on (`makeTendonSparse`).
pub(super) fn tendon_pattern(m: &mut Arrays) {
    m.ten_J_colind.clear();
    for i in 0..m.ntendon {
        let adr = m.tendon_adr[i] as usize;
        let mut dofs = Vec::new();
        for k in adr..adr + m.tendon_num[i] as usize {
            let id = m.wrap_objid[k];
            let body = match WrapType::from_i32(m.wrap_type[k]) {
                Some(WrapType::Joint) => {
                    dofs.push(m.jnt_dofadr[id as usize]);
                    continue;
                }
                Some(WrapType::Site) => m.site_bodyid[id as usize],
                Some(WrapType::Sphere | WrapType::Cylinder) => m.geom_bodyid[id as usize],
                _ => continue,
            };
            chain(m, body as usize, &mut dofs);
        }
        dofs.sort_unstable();
        dofs.dedup();
        m.ten_J_rowadr[i] = m.ten_J_colind.len() as i32;
        m.ten_J_rownnz[i] = dofs.len() as i32;
        m.ten_J_colind.extend(dofs);
    }
    m.nJten = m.ten_J_colind.len();
}

// dofs of a body and its ancestors
fn chain(m: &Arrays, mut body: usize, dofs: &mut Vec<i32>) {
    while body > 0 {
        let adr = m.body_dofadr[body];
        dofs.extend(adr..adr + m.body_dofnum[body]);
        body = m.body_parentid[body] as usize;
    }
}

/// Stiffness and damping of joints with a given time constant and damping ratio (`mjCModel::AutoSpringDamper`).
pub(super) fn spring_dampers(m: &mut Arrays, springdamper: &[[f64; 2]]) {
    for (j, &[timeconst, dampratio]) in springdamper.iter().enumerate() {
        if timeconst <= 0.0 || dampratio <= 0.0 {
            continue;
        }
        let adr = m.jnt_dofadr[j] as usize;
        let n = match JointType::from_i32(m.jnt_type[j]) {
            Some(JointType::Free) => 6,
            Some(JointType::Ball) => 3,
            _ => 1,
        };
        let sum: f64 = m.dof_invweight0[adr..adr + n].iter().sum();
        let inertia = n as f64 / MINVAL.max(sum);
        let den = timeconst * timeconst * dampratio * dampratio;
        m.jnt_stiffness[j] = inertia / MINVAL.max(den);
        m.dof_damping[adr..adr + n].fill(2.0 * inertia / MINVAL.max(timeconst));
    }
}
