//! Constants of the model that follow from its other fields (`mj_setConst`): masses of subtrees, inverse weights and lengths
//! at `qpos0`, statistics.

use super::flex;
use super::layout::body_chain;
use crate::cpu;
use crate::cpu::lib::math::*;
use crate::cpu::lib::primal::inverse_square;
use crate::cpu::lib::sleep::sleeps;
use crate::cpu::lib::sparse::solve_ld;
use crate::cpu::lib::spatial::{dot6, mul_inert_vec};
use crate::fields::{Arrays, Data, Model};
use crate::types::*;

/// Computes everything that depends on `qpos0` and `qpos_spring`.
///
/// Returns the world at `qpos0`.
pub(super) fn set_const(model: &mut Model) -> Data {
    without_rows(model, |model| {
        let mut d = Data::new(model);
        at_qpos0(model, &mut d);
        d
    })
}

/// The same in a world that was made for a model of the same sizes; it is made where there is none yet.
pub(super) fn set_const_in(work: &mut Option<Data>, model: &mut Model) {
    without_rows(model, |model| match work {
        // what sleeps is left out of computations
        Some(d) if !sleeps(model) => {
            d.start(model);
            at_qpos0(model, d);
        }
        _ => at_qpos0(model, work.insert(Data::new(model))),
    });
}

// no rows or contacts are needed here
fn without_rows<T>(model: &mut Model, run: impl FnOnce(&mut Model) -> T) -> T {
    let m = model.arrays_mut();
    let room = (m.njmax, m.nconmax);
    (m.njmax, m.nconmax) = (0, 0);
    let out = run(model);
    let m = model.arrays_mut();
    (m.njmax, m.nconmax) = room;
    out
}

fn at_qpos0(model: &mut Model, d: &mut Data) {
    dof_inertia(model, d);
    on_poses(model, d);
    let m = model.arrays_mut();
    set0(m, d);
    dof_lengths(m, d);
}

/// Bodies, tendons, inertia and transmissions at `d.qpos`.
pub(super) fn position(m: &Model, d: &mut Data) {
    cpu::kinematics::kinematics(m, d);
    cpu::com_pos::com_pos(m, d);
    on_poses(m, d);
}

// what hangs on the poses of bodies
fn on_poses(m: &Model, d: &mut Data) {
    if m.nflex > 0 {
        cpu::flex::flex(m, d);
    }
    if m.ntendon > 0 {
        cpu::tendon::tendon(m, d);
    }
    cpu::crb::crb(m, d);
    cpu::factor_m::factor_m(m, d);
    if m.nactuator > 0 {
        cpu::transmission::transmission(m, d);
    }
}

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

fn set0(m: &mut Arrays, d: &Data) {
    m.tendon_length0.clone_from(&d.ten_length);
    edge_lengths(m, d);
    m.actuator_length0.clone_from(&d.actuator_length);
    body_invweight(m, d);
    dof_invweight(m, d);
    row_weights(m, d);
    edge_weights(m, d);
    equality_poses(m, d);
    cameras(m, d);
    lights(m, d);
}

// bodies where `d.qpos` says; the diagonal of the inertia matrix, without the inertia of tendons; all there is of it for simple bodies
fn dof_inertia(model: &mut Model, d: &mut Data) {
    cpu::kinematics::kinematics(model, d);
    cpu::com_pos::com_pos(model, d);
    cpu::crb::crb(model, d);
    let m = model.arrays_mut();
    for i in 0..m.nv {
        let force = mul_inert_vec(d.crb[m.dof_bodyid[i] as usize], d.cdof[i]);
        m.dof_M0[i] = m.dof_armature_all[i] + dot6(d.cdof[i], force);
    }
}

// J M⁻¹ Jᵀ of one row, which is used up: `dofs` ascend, and hold those of the row and all that these hang on
fn weight(
    m: &Arrays,
    d: &Data,
    row: &mut [f64],
    dofs: impl DoubleEndedIterator<Item = usize>,
) -> f64 {
    inverse_square(m, &d.qLD, &d.qLDiagInv, row, dofs)
}

fn body_invweight(m: &mut Arrays, d: &Data) {
    let mut row = vec![0.0; m.nv];
    for i in 1..m.nbody {
        let weights = match m.body_simple[i] {
            _ if m.body_weldid[i] == 0 => [0.0; 2],
            2 => [1.0 / MINVAL.max(m.body_mass[i]), 0.0],
            _ => {
                let chain = body_chain(m, i);
                let mut mean = |rotation: bool| {
                    let of_axis = |axis| {
                        jacobian_row(m, d, i, axis, rotation, &mut row);
                        weight(m, d, &mut row, chain.iter().map(|&k| k as usize))
                    };
                    [0, 1, 2].map(of_axis).iter().sum::<f64>() / 3.0
                };
                [mean(false), mean(true)]
            }
        };
        m.body_invweight0[2 * i..2 * i + 2].copy_from_slice(&weights);
    }
}

// one row of the Jacobian of a body's centre of mass
fn jacobian_row(m: &Arrays, d: &Data, i: usize, axis: usize, rotation: bool, row: &mut [f64]) {
    row.fill(0.0);
    let offset = sub3(d.xipos[i], d.subtree_com[m.body_rootid[i] as usize]);
    let mut dof = m.body_lastdof[i];
    while let Ok(k) = usize::try_from(dof) {
        let [a, b, c, x, y, z] = d.cdof[k];
        row[k] = if rotation {
            [a, b, c][axis]
        } else {
            add3([x, y, z], cross([a, b, c], offset))[axis]
        };
        dof = m.dof_parentid[k];
    }
}

fn dof_invweight(m: &mut Arrays, d: &Data) {
    let mut row = vec![0.0; m.nv];
    for j in 0..m.njnt {
        let adr = m.jnt_dofadr[j] as usize;
        let body = m.jnt_bodyid[j] as usize;
        if m.body_simple[body] == 2 {
            m.dof_invweight0[adr] = 1.0 / MINVAL.max(m.body_mass[body]);
            continue;
        }
        let groups: &[(usize, usize)] = match JointType::from_i32(m.jnt_type[j]) {
            Some(JointType::Free) => &[(0, 3), (3, 6)],
            Some(JointType::Ball) => &[(0, 3)],
            _ => &[(0, 1)],
        };
        // dofs that turn together share their mean
        let chain = body_chain(m, body);
        for &(from, to) in groups {
            let mut sum = 0.0;
            for dof in adr + from..adr + to {
                row.fill(0.0);
                row[dof] = 1.0;
                sum += weight(m, d, &mut row, chain.iter().map(|&k| k as usize));
            }
            m.dof_invweight0[adr + from..adr + to].fill(sum / (to - from) as f64);
        }
    }
}

fn edge_lengths(m: &mut Arrays, d: &Data) {
    for f in 0..m.nflex {
        // edges between nodes are not measured
        if m.flex_interp[f] != 0 {
            continue;
        }
        for e in flex::edges_of(m, f) {
            let point = |k: usize| {
                let v = m.flex_vertadr[f] + m.flex_edge[2 * e + k];
                d.flexvert_xpos[v as usize]
            };
            m.flexedge_length0[e] = norm3(sub3(point(1), point(0)));
        }
    }
}

// of edges of soft bodies; points that slide by themselves count by the mean of theirs
fn edge_weights(m: &mut Arrays, d: &Data) {
    let mut row = vec![0.0; m.nv];
    for f in 0..m.nflex {
        if m.flex_interp[f] != 0 {
            continue;
        }
        for e in flex::edges_of(m, f) {
            let bodies = flex::edge_bodies(m, f, e);
            m.flexedge_invweight0[e] = if m.flexedge_rigid[e] != 0 {
                0.0
            } else if bodies.iter().all(|&b| m.body_simple[b] == 2) {
                bodies
                    .iter()
                    .fold(0.0, |sum, &b| sum + 1.0 / m.body_mass[b])
                    / 2.0
            } else {
                row.fill(0.0);
                let adr = m.flexedge_J_rowadr[e] as usize;
                for k in adr..adr + m.flexedge_J_rownnz[e] as usize {
                    row[m.flexedge_J_colind[k] as usize] = d.flexedge_J[k];
                }
                weight(m, d, &mut row, 0..m.nv)
            };
        }
    }
}

fn row_weights(m: &mut Arrays, d: &Data) {
    let mut row = vec![0.0; m.nv];
    for i in 0..m.ntendon {
        row.fill(0.0);
        let adr = m.ten_J_rowadr[i] as usize;
        for k in adr..adr + m.ten_J_rownnz[i] as usize {
            row[m.ten_J_colind[k] as usize] = d.ten_J[k];
        }
        m.tendon_invweight0[i] = weight(m, d, &mut row, 0..m.nv);
    }
    for i in 0..m.nout {
        let mut row = moment_row(m, d, i);
        solve_ld(m, &d.qLD, &d.qLDiagInv, &mut row);
        m.actuator_acc0[i] = row.iter().fold(0.0, |sum, x| sum + x * x).sqrt();
    }
}

/// Moment of one output over all dofs.
pub(super) fn moment_row(m: &Arrays, d: &Data, out: usize) -> Vec<f64> {
    let mut row = vec![0.0; m.nv];
    let adr = m.moment_rowadr[out] as usize;
    for k in adr..adr + m.moment_rownnz[out] as usize {
        row[m.moment_colind[k] as usize] = d.actuator_moment[k];
    }
    row
}

// relative poses that equalities hold, as they are at qpos0
fn equality_poses(m: &mut Arrays, d: &Data) {
    for i in 0..m.neq {
        let (id1, id2) = (m.eq_obj1id[i] as usize, m.eq_obj2id[i]);
        let bodies = m.eq_objtype[i] == ObjType::Body;
        let data = &mut m.eq_data[12 * i..12 * i + 12];
        if m.eq_type[i] == EqType::Connect && !bodies {
            data.fill(0.0);
        } else if m.eq_type[i] == EqType::Connect {
            let local = relative(d, id1, id2 as usize, data);
            data[3..6].copy_from_slice(&local);
        } else if m.eq_type[i] == EqType::Weld && bodies {
            // a pose that was said stays
            if data[11] == 0.0 {
                continue;
            }
            let local = relative(d, id2 as usize, id1, data);
            data[3..6].copy_from_slice(&local);
            let quat = mul_quat(neg_quat(d.xquat[id1]), d.xquat[id2 as usize]);
            data[6..10].copy_from_slice(&quat);
        }
    }
}

/// Welds of bodies whose pose was not said are marked: it is that at `qpos0`.
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

// the anchor, said in one body, in the frame of the other
fn relative(d: &Data, from: usize, to: usize, data: &[f64]) -> [f64; 3] {
    let anchor = [data[0], data[1], data[2]];
    let pos = add3(mul_mat_vec3(d.xmat[from], anchor), d.xpos[from]);
    mul_mat_t_vec3(d.xmat[to], sub3(pos, d.xpos[to]))
}

// poses of cameras as if they were fixed to their bodies
fn cameras(m: &mut Arrays, d: &Data) {
    for i in 0..m.ncam {
        let body = m.cam_bodyid[i] as usize;
        let of = usize::try_from(m.cam_targetbodyid[i]).unwrap_or(body);
        let pos = add3(mul_mat_vec3(d.xmat[body], m.cam_pos[i]), d.xpos[body]);
        m.cam_pos0[i] = sub3(pos, d.xpos[body]);
        m.cam_poscom0[i] = sub3(pos, d.subtree_com[of]);
        m.cam_mat0[i] = quat2mat(mul_quat(d.xquat[body], m.cam_quat[i]));
    }
}

fn lights(m: &mut Arrays, d: &Data) {
    for i in 0..m.nlight {
        let body = m.light_bodyid[i] as usize;
        let of = usize::try_from(m.light_targetbodyid[i]).unwrap_or(body);
        let pos = add3(mul_mat_vec3(d.xmat[body], m.light_pos[i]), d.xpos[body]);
        m.light_pos0[i] = sub3(pos, d.xpos[body]);
        m.light_poscom0[i] = sub3(pos, d.subtree_com[of]);
        m.light_dir0[i] = mul_mat_vec3(d.xmat[body], m.light_dir[i]);
    }
}

/// A positive third bias parameter of a position servo is a ratio to critical damping of the inertia that it feels.
pub(super) fn damping_ratios(m: &mut Arrays, d: &Data) {
    for i in 0..m.nactuator {
        let kp = -m.actuator_biasprm[10 * i + 1];
        let ratio = m.actuator_biasprm[10 * i + 2];
        let servo = m.actuator_gaintype[i] == GainType::Pid || m.actuator_gainprm[10 * i] == kp;
        if !servo || ratio <= 0.0 {
            continue;
        }
        let (out, n) = (m.actuator_outadr[i] as usize, m.actuator_outnum[i] as usize);
        let sum = (out..out + n).fold(0.0, |sum, k| {
            sum + weight(m, d, &mut moment_row(m, d, k), 0..m.nv)
        });
        // nothing is felt where nothing moves
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

// lengths that make angles comparable with distances
fn dof_lengths(m: &mut Arrays, d: &Data) {
    let size = body_sizes(m, d);
    for i in 0..m.nv {
        let joint = m.dof_jntid[i] as usize;
        let rotation = match JointType::from_i32(m.jnt_type[joint]) {
            Some(JointType::Free) => i as i32 - m.jnt_dofadr[joint] >= 3,
            Some(JointType::Slide) => false,
            _ => true,
        };
        m.dof_length[i] = if rotation {
            size[m.dof_bodyid[i] as usize]
        } else {
            1.0
        };
    }
}

// the box around everything
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

// how much of a geom counts for the extent: a tenth of what is large and flat
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

// the length that goes with a body: from its centre of mass to joints and around geoms
fn body_sizes(m: &Arrays, d: &Data) -> Vec<f64> {
    let mut size = vec![0.0_f64; m.nbody];
    for j in 0..m.njnt {
        let body = m.jnt_bodyid[j] as usize;
        for i in [body, m.body_parentid[body] as usize] {
            size[i] = size[i].max(norm3(sub3(d.xipos[i], d.xanchor[j])));
        }
    }
    size[0] = 0.0;
    for k in 0..m.ngeom {
        let i = m.geom_bodyid[k] as usize;
        if i > 0 && m.geom_rbound[k] > 0.0 {
            let reach = m.geom_rbound[k] + norm3(sub3(d.xipos[i], d.geom_xpos[k]));
            size[i] = size[i].max(reach);
        }
    }
    // edges of soft bodies count at both of their ends
    for f in (0..m.nflex).filter(|&f| m.flex_interp[f] == 0) {
        for e in flex::edges_of(m, f) {
            for i in flex::edge_bodies(m, f, e).into_iter().filter(|i| *i > 0) {
                size[i] = size[i].max(m.flexedge_length0[e]);
            }
        }
    }
    for s in &mut size[1..] {
        *s = s.max(1e-5);
    }
    size
}

/// What does not depend on a configuration (`setFixed`).
pub(super) fn set_fixed(m: &mut Arrays) {
    subtree_masses(m);
    count_gravcomp(m);
    contributions(m);
    tendon_trees(m);
    sleep(m);
}

/// Masses of bodies with all that hangs on them.
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
fn path_trees(m: &Arrays, i: usize) -> Vec<i32> {
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

/// Which trees may sleep where the model leaves it open.
pub(super) fn sleep(m: &mut Arrays) {
    for policy in &mut m.tree_sleep_policy {
        if *policy == SleepPolicy::AutoNever || *policy == SleepPolicy::AutoAllowed {
            *policy = SleepPolicy::Auto as i32;
        }
    }
    let mut wake = Vec::new();
    for i in 0..m.nactuator {
        let id = m.actuator_trnid[2 * i] as usize;
        match TrnType::from_i32(m.actuator_trntype[i]) {
            Some(TrnType::Joint | TrnType::JointInParent) => {
                wake.push(m.body_treeid[m.jnt_bodyid[id] as usize]);
            }
            Some(TrnType::So3) if m.actuator_trnid[2 * i + 1] < 0 => {
                wake.push(m.body_treeid[m.jnt_bodyid[id] as usize]);
            }
            Some(TrnType::Site | TrnType::SliderCrank | TrnType::So3) => {
                let sites = &m.actuator_trnid[2 * i..2 * i + 2];
                let sites = sites.iter().filter_map(|&id| usize::try_from(id).ok());
                wake.extend(sites.map(|id| m.body_treeid[m.site_bodyid[id] as usize]));
            }
            Some(TrnType::Body) => wake.push(m.body_treeid[id]),
            Some(TrnType::Tendon) => wake.extend(path_trees(m, id)),
            _ => {}
        }
    }
    for i in 0..m.ntendon {
        let zero = |x: &[f64]| x.iter().all(|x| *x == 0.0);
        let passive = m.tendon_stiffness[i] == 0.0
            && zero(&m.tendon_stiffnesspoly[2 * i..2 * i + 2])
            && m.tendon_damping[i] == 0.0
            && zero(&m.tendon_dampingpoly[2 * i..2 * i + 2])
            && m.tendon_actuatorid[i] == -1;
        if m.tendon_treenum[i] > 2 || (m.tendon_treenum[i] == 2 && !passive) {
            wake.extend(path_trees(m, i));
        }
    }
    for f in (0..m.nflex).filter(|&f| !flex::keeps_shape(m, f)) {
        let bodies = flex::bodies_of(m, f);
        wake.extend(bodies.iter().map(|&b| m.body_treeid[b as usize]));
    }
    for tree in wake {
        let Ok(t) = usize::try_from(tree) else {
            continue;
        };
        if m.tree_sleep_policy[t] == SleepPolicy::Auto {
            m.tree_sleep_policy[t] = SleepPolicy::AutoNever as i32;
        }
    }
    for policy in &mut m.tree_sleep_policy {
        if *policy == SleepPolicy::Auto {
            *policy = SleepPolicy::AutoAllowed as i32;
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

/// Stiffness and damping of joints that say a time constant and a damping ratio (`mjCModel::AutoSpringDamper`).
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
