//! Fields that are ours, derived from MuJoCo's once a model is compiled: the tables by which stages find elements.

use super::pair::Pairs;
use super::{
    capacity, couple, emit, flex, history, pair, pattern, plastic, plugin, setconst, sleep, sparse,
};
use crate::cpu::ipc::resolves;
use crate::error::Result;
use crate::fields::Arrays;
use crate::types::*;

/// Fills the fields that are ours from MuJoCo's own, at the end of compilation and after every edit. Fails if far too many pairs
/// of geoms may collide.
pub fn layout(m: &mut Arrays, wanted: &Pairs) -> Result<()> {
    ways(m);
    neutral_controls(m);
    pair::pairs(m, wanted)?;
    numbers(m);
    flex::rest::rods(m);
    pattern::patterns(m)?;
    capacity::capacities(m);
    option_sizes(m);
    couple::couplings(m);
    sleep::of_flexes(m);
    Ok(())
}

/// Fills our fields that depend on numbers of MuJoCo's; the structure must be filled before.
pub(super) fn numbers(m: &mut Arrays) {
    of_actuators(m);
    pair::parameters::parameters(m);
    plastic::begin(m);
    plugin::parameters(m);
    count_surfacevel(m);
}

/// Number of geoms whose surface moves.
pub(super) fn count_surfacevel(m: &mut Arrays) {
    let moving = |vel: &&[f64]| vel.iter().any(|x| *x != 0.0);
    m.nsurfacevel = m.geom_surfacevel.chunks_exact(6).filter(moving).count();
}

/// Fills all integer fields that follow from the tree, the tendons, the actuators and the options, except pairs and patterns.
pub(super) fn structure(m: &mut Arrays) {
    emit::kinematic_trees(m);
    setconst::tendon_pattern(m);
    sparse::fill(m);
    setconst::contributions(m);
    setconst::tendon_trees(m);
    ways(m);
    option_sizes(m);
    flex::rest::rods(m);
    couple::couplings(m);
    sleep::of_flexes(m);
}

// lists by which stages go over the tree and the transmissions
fn ways(m: &mut Arrays) {
    levels(m);
    children(m);
    flex::edge_pattern(m);
    moment_pattern(m);
    m.ntri = m.nv * (m.nv + 1) / 2 + crate::cpu::lib::chains::MARGIN;
    m.nquad = m.nv.div_ceil(4);
    m.ntile = 2 * m.nquad * (m.nquad + 1);
    m.nvpad = m.nv + crate::cpu::lib::chains::MARGIN;
}

/// Sizes of arrays that only some options need; 0 without them.
pub(super) fn option_sizes(m: &mut Arrays) {
    runge_kutta_sizes(m);
    implicit_sizes(m);
    history::begin(m);
    m.nvexact = if m.opt.enabled(ENBL_DIAGEXACT) {
        m.nv
    } else {
        0
    };
    m.nconelem = if m.nblock > 0 { m.nconmax } else { 0 };
    m.njdual = dual_rows(m);
    m.nsolver = match m.opt.enabled(ENBL_SOLVERSTAT) {
        true => (m.opt.iterations.max(0) + m.opt.noslip_iterations.max(0)).min(MAXSOLVER) as usize,
        false => 0,
    };
    m.nflexvertipc = if resolves(m) { m.nflexvert } else { 0 };
    m.ntreestat = if m.nsolver > 0 { m.ntree } else { 0 };
    let sleep = m.ntree > 0 && m.opt.enabled(ENBL_SLEEP);
    let latent = m.nq + m.nv + m.na + m.nsensordata;
    [m.ntreesleep, m.nbodysleep, m.nlatent] = match sleep {
        true => [m.ntree, m.nbody, latent],
        false => [0; 3],
    };
}

/// Rows that a solver of the dual problem needs room for (`njdual`): 0 if the model's options ask for no such solver.
pub fn dual_rows(m: &Arrays) -> usize {
    let dual = m.opt.solver == Solver::Pgs || m.opt.noslip_iterations > 0;
    if dual { m.njmax } else { 0 }
}

// bodies by depth, so that a recursion over the tree can go level by level
fn levels(m: &mut Arrays) {
    m.body_level = vec![0; m.nbody];
    m.body_lastdof = vec![-1; m.nbody];
    for i in 1..m.nbody {
        let p = m.body_parentid[i] as usize;
        m.body_level[i] = m.body_level[p] + 1;
        m.body_lastdof[i] = match m.body_dofnum[i] {
            0 => m.body_lastdof[p],
            n => m.body_dofadr[i] + n - 1,
        };
    }
    let mut level_body: Vec<i32> = (0..m.nbody as i32).collect();
    level_body.sort_by_key(|&i| m.body_level[i as usize]);
    m.nlevel = m
        .body_level
        .iter()
        .max()
        .map_or(0, |&level| level as usize + 1);
    m.level_num = vec![0; m.nlevel];
    for &level in &m.body_level {
        m.level_num[level as usize] += 1;
    }
    m.level_adr = addresses(&m.level_num);
    m.level_body = level_body;
}

// controls after a reset (`mj_resetCtrl`)
fn neutral_controls(m: &mut Arrays) {
    m.ctrl0 = vec![0.0; m.nu];
    for i in 0..m.nactuator {
        let quat = m.actuator_ctrlspec[i] == CtrlChart::Quat as i32;
        if m.actuator_gaintype[i] == GainType::So3 && quat {
            m.ctrl0[m.actuator_ctrladr[i] as usize] = 1.0;
        }
    }
}

// children of a body, so that a parent can gather from them
fn children(m: &mut Arrays) {
    m.body_childnum = vec![0; m.nbody];
    for i in 1..m.nbody {
        m.body_childnum[m.body_parentid[i] as usize] += 1;
    }
    m.body_childadr = addresses(&m.body_childnum);
    let mut next = m.body_childadr.clone();
    m.child_body = vec![0; m.nbody];
    for i in (1..m.nbody).rev() {
        let p = m.body_parentid[i] as usize;
        m.child_body[next[p] as usize] = i as i32;
        next[p] += 1;
    }
}

/// Armature and damping of dofs and tendons, with the parts that actuators add to the joint or tendon that they act on.
pub(super) fn of_actuators(m: &mut Arrays) {
    m.dof_armature_all.clone_from(&m.dof_armature);
    m.dof_damping_all.clone_from(&m.dof_damping);
    m.dof_dampingpoly_all.clone_from(&m.dof_dampingpoly);
    for i in 0..m.nv {
        let joint = m.dof_jntid[i] as usize;
        for k in lenders(m, m.jnt_actuatorid[joint], joint, false) {
            let gear2 = gear_squared(m, k);
            m.dof_armature_all[i] += m.actuator_armature[k] * gear2;
            m.dof_damping_all[i] += m.actuator_damping[k] * gear2;
            for c in 0..2 {
                m.dof_dampingpoly_all[2 * i + c] += m.actuator_dampingpoly[2 * k + c] * gear2;
            }
        }
    }
    m.tendon_armature_all.clone_from(&m.tendon_armature);
    m.tendon_damping_all.clone_from(&m.tendon_damping);
    m.tendon_dampingpoly_all.clone_from(&m.tendon_dampingpoly);
    for i in 0..m.ntendon {
        for k in lenders(m, m.tendon_actuatorid[i], i, true) {
            let gear2 = gear_squared(m, k);
            m.tendon_armature_all[i] += m.actuator_armature[k] * gear2;
            m.tendon_damping_all[i] += m.actuator_damping[k] * gear2;
            for c in 0..2 {
                m.tendon_dampingpoly_all[2 * i + c] += m.actuator_dampingpoly[2 * k + c] * gear2;
            }
        }
    }
}

fn gear_squared(m: &Arrays, k: usize) -> f64 {
    let gear = m.actuator_gear[6 * m.actuator_outadr[k] as usize];
    gear * gear
}

// actuators that add to a joint or tendon: one by its id, none if that is -1, else all that act on it
fn lenders(m: &Arrays, actuatorid: i32, target: usize, tendon: bool) -> Vec<usize> {
    match actuatorid {
        -1 => Vec::new(),
        0.. => vec![actuatorid as usize],
        _ => (0..m.nactuator)
            .filter(|&k| {
                let trntype = m.actuator_trntype[k];
                let fits = match tendon {
                    true => trntype == TrnType::Tendon,
                    false => trntype == TrnType::Joint || trntype == TrnType::JointInParent,
                };
                fits && m.actuator_trnid[2 * k] as usize == target
            })
            .collect(),
    }
}

// where each of consecutive runs begins
pub(super) fn addresses(num: &[i32]) -> Vec<i32> {
    num.iter()
        .scan(0, |adr, &num| {
            let start = *adr;
            *adr += num;
            Some(start)
        })
        .collect()
}

/// Dofs that move a body, ascending: its own and those of its ancestors.
pub fn body_chain(m: &Arrays, body: usize) -> Vec<i32> {
    let mut chain = Vec::new();
    let mut dof = m.body_lastdof[body];
    while dof >= 0 {
        chain.push(dof);
        dof = m.dof_parentid[dof as usize];
    }
    chain.reverse();
    chain
}

/// Dofs that move either of two bodies, ascending. Dofs that move both alike are kept: their entries may cancel, or not.
pub fn merged_chain(m: &Arrays, body1: usize, body2: usize) -> Vec<i32> {
    let mut chain = body_chain(m, body1);
    chain.extend(body_chain(m, body2));
    chain.sort_unstable();
    chain.dedup();
    chain
}

// the model determines which dofs an actuator's output can move
fn moment_pattern(m: &mut Arrays) {
    let mut rows = vec![Vec::new(); m.nout];
    for i in 0..m.nactuator {
        let chain = actuator_dofs(m, i);
        let adr = m.actuator_outadr[i] as usize;
        for row in &mut rows[adr..adr + m.actuator_outnum[i] as usize] {
            row.clone_from(&chain);
        }
    }
    m.moment_rownnz = rows.iter().map(|row| row.len() as i32).collect();
    m.moment_rowadr = addresses(&m.moment_rownnz);
    m.moment_colind = rows.concat();
    m.nJmom = m.moment_colind.len();
}

fn actuator_dofs(m: &Arrays, i: usize) -> Vec<i32> {
    let [id, refid] = [m.actuator_trnid[2 * i], m.actuator_trnid[2 * i + 1]];
    let body_of_site = |site: i32| m.site_bodyid[site as usize] as usize;
    match TrnType::from_i32(m.actuator_trntype[i]) {
        Some(TrnType::So3) if refid < 0 => {
            let adr = m.jnt_dofadr[id as usize];
            (adr..adr + 3).collect()
        }
        Some(TrnType::Joint | TrnType::JointInParent) => {
            let joint = id as usize;
            let adr = m.jnt_dofadr[joint];
            let num = match JointType::from_i32(m.jnt_type[joint]) {
                Some(JointType::Free) => 6,
                Some(JointType::Ball) => 3,
                _ => 1,
            };
            (adr..adr + num).collect()
        }
        Some(TrnType::Tendon) => {
            let adr = m.ten_J_rowadr[id as usize] as usize;
            m.ten_J_colind[adr..adr + m.ten_J_rownnz[id as usize] as usize].to_vec()
        }
        Some(TrnType::SliderCrank | TrnType::Site | TrnType::So3) if refid >= 0 => {
            merged_chain(m, body_of_site(id), body_of_site(refid))
        }
        Some(TrnType::Site | TrnType::SliderCrank | TrnType::So3) => {
            body_chain(m, body_of_site(id))
        }
        // adhesion acts at whatever contacts the body has
        Some(TrnType::Body) => (0..m.nv as i32).collect(),
        Some(TrnType::Undefined) | None => Vec::new(),
    }
}

// the states of the four stages are kept only where the integrator needs them
fn runge_kutta_sizes(m: &mut Arrays) {
    let rk = m.opt.integrator == Integrator::Rk4;
    (m.nqrk, m.nvrk, m.nark) = if rk { (m.nq, m.nv, m.na) } else { (0, 0, 0) };
    let plastic = rk && m.tendon_plasticadr.iter().any(|adr| *adr >= 0);
    (m.ntendonrk, m.nJtenrk) = if plastic {
        (m.ntendon, m.nJten)
    } else {
        (0, 0)
    };
}

// slopes over the velocity are kept likewise
fn implicit_sizes(m: &mut Arrays) {
    let implicit = m.opt.integrator == Integrator::Implicit;
    let fast = m.opt.integrator == Integrator::ImplicitFast;
    (m.nvimp, m.nDimp) = if implicit || fast {
        (m.nv, m.nD)
    } else {
        (0, 0)
    };
    (m.nvefm, m.nCefm) = match m.opt.is_discrete() {
        true => (m.nv, m.nC),
        false => (0, 0),
    };
    let slope = implicit || ((fast || m.opt.is_discrete()) && m.opt.has_medium());
    (m.nvslope, m.nbodyslope) = if slope { (m.nv, m.nbody) } else { (0, 0) };
}
