//! Constants of the model that depend on poses at `qpos0` (`mj_setConst`): inverse weights, lengths, poses fixed to a body.
//!
//! ```text
//! models ─numbers─▶ d.own, a lane each ─kinematics … transmission─▶ d.own ─[`WRITES`]─▶ models
//! ```
//!
//! Models whose numbers differ are computed side by side, each with the bits that it has when computed alone.

use super::flex;
use super::invweight;
use crate::cpu;
use crate::cpu::lib::math::*;
use crate::cpu::lib::sleep::sleeps;
use crate::cpu::lib::spatial::{dot6, mul_inert_vec};
use crate::fields::{Arrays, Data, Model, OwnArrays, Row, View, ViewMut};
use crate::own::Own;
use crate::real::{F64x8, Real};
use crate::rowset::RowSet;
use crate::types::*;

/// Arrays that the derivation reads, if they may change.
pub(super) static READS: RowSet = RowSet::of(&[
    Row::qpos0,
    Row::body_pos,
    Row::body_quat,
    Row::body_ipos,
    Row::body_iquat,
    Row::body_mass,
    Row::body_subtreemass,
    Row::body_inertia,
    Row::jnt_pos,
    Row::jnt_axis,
    Row::geom_size,
    Row::geom_pos,
    Row::geom_quat,
    Row::site_pos,
    Row::site_quat,
    Row::cam_pos,
    Row::cam_quat,
    Row::light_pos,
    Row::light_dir,
    Row::eq_data,
    Row::wrap_prm,
    Row::actuator_cranklength,
    Row::actuator_gear,
    Row::dof_armature_all,
    Row::tendon_armature_all,
    Row::geom_rbound,
]);

/// Arrays that the derivation writes.
pub(super) const WRITES: &[Row] = &[
    Row::dof_M0,
    Row::tendon_length0,
    Row::flexedge_length0,
    Row::actuator_length0,
    Row::body_invweight0,
    Row::dof_invweight0,
    Row::tendon_invweight0,
    Row::actuator_acc0,
    Row::flexedge_invweight0,
    Row::eq_data,
    Row::cam_pos0,
    Row::cam_poscom0,
    Row::cam_mat0,
    Row::light_pos0,
    Row::light_poscom0,
    Row::light_dir0,
    Row::dof_length,
];

/// Arrays that select shortcuts of kinematics: all lanes must agree on them.
const SHORTCUTS: [Row; 3] = [
    Row::body_sameframe,
    Row::geom_sameframe,
    Row::site_sameframe,
];

/// Fewer models than this are computed one after the other.
const FEW: usize = 3;

/// Worlds to compute in, kept from call to call: one, and some side by side.
#[derive(Debug, Default)]
pub(crate) struct Work {
    one: Option<Data>,
    lanes: Option<Data<F64x8<true>>>,
}

/// Most models that are computed side by side.
pub(crate) const WIDTH: usize = F64x8::<true>::WIDTH;

/// Derives the constants of one model. Returns the world at `qpos0`.
pub(super) fn of_one(model: &mut Model) -> Data {
    let mut work = None;
    of_one_in(&mut work, model);
    work.unwrap_or_default()
}

// derives the constants in a world of a model of the same sizes; makes the world where there is none yet
fn of_one_in(work: &mut Option<Data>, model: &mut Model) {
    // sleeping trees are left out of computations
    let d = match work {
        Some(d) if !sleeps(model) => d,
        _ => work.insert(without_rows(model, |model| Data::new(model))),
    };
    d.own.set_lane(model, 0, model, RowSet::of(WRITES), &[]);
    d.start(model);
    at_qpos0(model, d);
    give(&d.own, 0, model);
}

/// Derives the constants of several models that differ from a shared one in numbers alone, [`WIDTH`] at most.
pub(super) fn of_several(work: &mut Work, shared: &Model, models: &mut [&mut Model]) {
    let as_shared = |row: Row, m: &Model| m.view(row) == shared.view(row);
    let alike = |m: &&mut Model| SHORTCUTS.iter().all(|row| as_shared(*row, m));
    if models.len() < FEW || sleeps(shared) || !models.iter().all(alike) {
        models.iter_mut().for_each(|m| of_one_in(&mut work.one, m));
        return;
    }
    let d = work
        .lanes
        .get_or_insert_with(|| without_rows(&mut shared.clone(), |m| Data::zeroed(m)));
    let rows = READS.with(&RowSet::of(WRITES));
    for (lane, own) in models.iter().enumerate() {
        d.own.set_lane(shared, lane, own, rows, &[]);
    }
    d.start(shared);
    at_qpos0(shared, d);
    for (lane, own) in models.iter_mut().enumerate() {
        give(&d.own, lane, own);
    }
}

// copies the results of a lane into a model
fn give<R: Real>(own: &Own<R>, lane: usize, model: &mut Model) {
    let Some(own) = own.arrays() else {
        return;
    };
    let m = model.arrays_mut();
    for row in WRITES {
        if let (Some(ViewMut::Real(to)), Some(View::Real(from))) =
            (m.view_mut(*row), own.view(*row))
        {
            let words = to.iter_mut().zip(from);
            words.for_each(|(to, x)| *to = x.lane(lane));
        }
    }
}

/// Runs a function on a model without room for rows and contacts, since it needs none.
pub(super) fn without_rows<T>(model: &mut Model, run: impl FnOnce(&mut Model) -> T) -> T {
    let m = model.arrays_mut();
    let room = (m.njmax, m.nconmax);
    (m.njmax, m.nconmax) = (0, 0);
    let out = run(model);
    let m = model.arrays_mut();
    (m.njmax, m.nconmax) = room;
    out
}

fn at_qpos0<R: Real>(m: &Model, d: &mut Data<R>) {
    dof_inertia(m, d);
    on_poses(m, d);
    lengths(m, d);
    invweight::body_invweight(m, d);
    invweight::dof_invweight(m, d);
    invweight::row_weights(m, d);
    invweight::edge_weights(m, d);
    equality_poses(m, d);
    cameras(m, d);
    lights(m, d);
    dof_lengths(m, d);
}

/// Bodies, tendons, inertia and transmissions at `d.qpos`.
pub(super) fn position(m: &Model, d: &mut Data) {
    cpu::kinematics::kinematics(m, d);
    cpu::com_pos::com_pos(m, d);
    on_poses(m, d);
}

// constants that depend on the poses of bodies
fn on_poses<R: Real>(m: &Model, d: &mut Data<R>) {
    if m.nflex > 0 {
        cpu::flex::flex(m, d);
    }
    if m.ntendon > 0 {
        cpu::tendon::tendon(m, d);
    }
    cpu::crb::crb(m, d);
    cpu::factor_m::factor_m(m, d);
    if m.nactuator > 0 {
        cpu::transmission::transmit(m, d, &[]);
    }
}

// the arrays that are written
fn to<R: Real>(d: &mut Data<R>) -> &mut OwnArrays<R> {
    d.own.arrays_mut()
}

// kinematics at `d.qpos`; the diagonal of the inertia matrix, without the inertia of tendons; for simple bodies the whole matrix
fn dof_inertia<R: Real>(m: &Model, d: &mut Data<R>) {
    cpu::kinematics::kinematics(m, d);
    cpu::com_pos::com_pos(m, d);
    cpu::crb::crb(m, d);
    for i in 0..m.nv {
        let force = mul_inert_vec(d.crb[m.dof_bodyid[i] as usize], d.cdof[i]);
        let inertia = d.own.dof_armature_all(m, i) + dot6(d.cdof[i], force);
        to(d).dof_M0[i] = inertia;
    }
}

fn lengths<R: Real>(m: &Model, d: &mut Data<R>) {
    let own = d.own.arrays_mut();
    own.tendon_length0.copy_from_slice(&d.ten_length);
    own.actuator_length0.copy_from_slice(&d.actuator_length);
    // edges between nodes are not measured
    for f in (0..m.nflex).filter(|&f| m.flex_interp[f] == 0) {
        for e in flex::edges_of(m, f) {
            let point = |k: usize| {
                let v = m.flex_vertadr[f] + m.flex_edge[2 * e + k];
                d.flexvert_xpos[v as usize]
            };
            own.flexedge_length0[e] = norm3(sub3(point(1), point(0)));
        }
    }
}

// relative poses of equalities at qpos0
fn equality_poses<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.neq {
        let (id1, id2) = (m.eq_obj1id[i] as usize, m.eq_obj2id[i]);
        let bodies = m.eq_objtype[i] == ObjType::Body;
        let data: [R; 12] = std::array::from_fn(|k| d.own.eq_data(m, 12 * i + k));
        let mut new = data;
        if m.eq_type[i] == EqType::Connect && !bodies {
            new.fill(R::zero());
        } else if m.eq_type[i] == EqType::Connect {
            new[3..6].copy_from_slice(&relative(d, id1, id2 as usize, &data));
        } else if m.eq_type[i] == EqType::Weld && bodies {
            new[3..6].copy_from_slice(&relative(d, id2 as usize, id1, &data));
            let quat = mul_quat(neg_quat(d.xquat[id1]), d.xquat[id2 as usize]);
            new[6..10].copy_from_slice(&quat);
            // a given pose stays
            let open = nonzero(data[11]);
            new = std::array::from_fn(|k| R::select(open, new[k], data[k]));
        }
        to(d).eq_data[12 * i..12 * i + 12].copy_from_slice(&new);
    }
}

// the anchor, given in one body, in the frame of the other
fn relative<R: Real>(d: &Data<R>, from: usize, to: usize, data: &[R; 12]) -> [R; 3] {
    let anchor = [data[0], data[1], data[2]];
    let pos = add3(mul_mat_vec3(d.xmat[from], anchor), d.xpos[from]);
    mul_mat_t_vec3(d.xmat[to], sub3(pos, d.xpos[to]))
}

// the place of a point that is fixed to a body: from the body, and from the centre of mass of the subtree of another, in world axes
fn place<R: Real>(d: &Data<R>, body: usize, com_of: usize, point: [R; 3]) -> [[R; 3]; 2] {
    let pos = add3(mul_mat_vec3(d.xmat[body], point), d.xpos[body]);
    [d.xpos[body], d.subtree_com[com_of]].map(|from| sub3(pos, from))
}

// poses of cameras as if they were fixed to their bodies
fn cameras<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.ncam {
        let body = m.cam_bodyid[i] as usize;
        let of = usize::try_from(m.cam_targetbodyid[i]).unwrap_or(body);
        let [pos, poscom] = place(d, body, of, d.own.cam_pos(m, i));
        let mat = quat2mat(mul_quat(d.xquat[body], d.own.cam_quat(m, i)));
        let own = to(d);
        own.cam_pos0[i] = pos;
        own.cam_poscom0[i] = poscom;
        own.cam_mat0[i] = mat;
    }
}

fn lights<R: Real>(m: &Model, d: &mut Data<R>) {
    for i in 0..m.nlight {
        let body = m.light_bodyid[i] as usize;
        let of = usize::try_from(m.light_targetbodyid[i]).unwrap_or(body);
        let [pos, poscom] = place(d, body, of, d.own.light_pos(m, i));
        let dir = mul_mat_vec3(d.xmat[body], d.own.light_dir(m, i));
        let own = to(d);
        own.light_pos0[i] = pos;
        own.light_poscom0[i] = poscom;
        own.light_dir0[i] = dir;
    }
}

// lengths that make angles comparable with distances
fn dof_lengths<R: Real>(m: &Model, d: &mut Data<R>) {
    let size = body_sizes(m, d);
    for i in 0..m.nv {
        let joint = m.dof_jntid[i] as usize;
        let rotation = match JointType::from_i32(m.jnt_type[joint]) {
            Some(JointType::Free) => i as i32 - m.jnt_dofadr[joint] >= 3,
            Some(JointType::Slide) => false,
            _ => true,
        };
        to(d).dof_length[i] = if rotation {
            size[m.dof_bodyid[i] as usize]
        } else {
            R::one()
        };
    }
}

/// Length scale of each body: from its centre of mass to joints and around geoms.
pub(super) fn body_sizes<R: Real>(m: &Arrays, d: &Data<R>) -> Vec<R> {
    let mut size = vec![R::zero(); m.nbody];
    for j in 0..m.njnt {
        let body = m.jnt_bodyid[j] as usize;
        for i in [body, m.body_parentid[body] as usize] {
            size[i] = size[i].max(norm3(sub3(d.xipos[i], d.xanchor[j])));
        }
    }
    size[0] = R::zero();
    for k in 0..m.ngeom {
        let i = m.geom_bodyid[k] as usize;
        let rbound = d.own.geom_rbound(m, k);
        let bounded = R::zero().lt(rbound);
        if i > 0 {
            let reach = rbound + norm3(sub3(d.xipos[i], d.geom_xpos[k]));
            size[i] = R::select(bounded, size[i].max(reach), size[i]);
        }
    }
    // edges of soft bodies count at both of their ends
    for f in (0..m.nflex).filter(|&f| m.flex_interp[f] == 0) {
        for e in flex::edges_of(m, f) {
            for i in flex::edge_bodies(m, f, e).into_iter().filter(|i| *i > 0) {
                size[i] = size[i].max(d.own.flexedge_length0(m, e));
            }
        }
    }
    for s in &mut size[1..] {
        *s = s.max(R::splat(1e-5));
    }
    size
}
