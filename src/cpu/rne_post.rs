//! Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).

use crate::cpu::collision::soft::is_soft;
use crate::cpu::lib::equality::{anchors, bodies, weld_torque};
use crate::cpu::lib::force::tendon_passive;
use crate::cpu::lib::jac::tendon_acceleration;
use crate::cpu::lib::math::*;
use crate::cpu::lib::spatial::{
    add_scl6, gyroscopic_force, lin, mul_inert_vec, rot, spatial, world_acceleration,
};
use crate::cpu::lib::touch::{contact_force_at, contact_rows};
use crate::fields::{Data, Model};
use crate::real::{Mask, Real};
use crate::types::*;

/// Tolerance of the forces between bodies, in roundings of their terms.
const SLACK: f64 = 64.0;

/// Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).
///
/// `cacc` (rad/s², m/s²) includes gravity as an upward acceleration of the world, as an accelerometer measures it. `cfrc_ext` (N
/// m, N) is the external force on a body: applied forces, contacts, connects, welds, spatial tendons. `cfrc_int` is the force
/// from its parent through the joint. All have rotation first, in world axes, about the centre of mass of the tree.
///
/// A free joint transmits only its own forces: springs, dampers, motors, applied forces. Beside contacts of 100 kN the sum loses them
/// in single precision. So they replace the sum wherever it equals them up to rounding.
pub fn rne_post(m: &Model, d: &mut Data) {
    let num = d.nefc[0] as usize;
    let ncon = (d.ncon[0] as usize).min(d.contact_collision.len());
    let contact = std::mem::take(&mut d.contact_collision);
    post(m, d, &contact[..ncon], d.ne[0] as usize, num);
    d.contact_collision = contact;
}

/// The stage for one world, or for worlds side by side: `num` rows, the first `ne` of them equalities; `contact` gives the pair
/// of each contact slot.
pub fn post<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], ne: usize, num: usize) {
    // gravity is an acceleration of the world
    d.cacc[0] = world_acceleration(m, d);

    // acceleration, parents first
    for i in 1..m.nbody {
        let mut cacc = d.cacc[m.body_parentid[i] as usize];
        for k in m.body_dofadr[i]..m.body_dofadr[i] + m.body_dofnum[i] {
            let k = k as usize;
            cacc = add_scl6(cacc, d.cdof_dot[k], d.qvel[k]);
            cacc = add_scl6(cacc, d.cdof[k], d.qacc[k]);
        }
        d.cacc[i] = cacc;
    }

    // forces applied to bodies, at their centres of mass
    d.cfrc_ext[0] = [R::zero(); 6];
    for i in 1..m.nbody {
        let [fx, fy, fz, tx, ty, tz] = d.xfrc_applied[i];
        d.cfrc_ext[i] = [R::zero(); 6];
        push(m, d, i, d.xipos[i], [tx, ty, tz, fx, fy, fz], 1.0);
    }

    push_contacts(m, d, contact, ne, num);
    push_equalities(m, d, ne);

    // spatial tendons, at the bodies of their path
    for t in 0..m.ntendon {
        if m.tendon_type[t] == TendonType::Spatial {
            let force = tension(m, d, t, num);
            (0..R::WIDTH).for_each(|lane| pull(m, d, lane, t, force.lane(lane)));
        }
    }

    // inertial force minus external force
    d.cfrc_int[0] = [R::zero(); 6];
    for i in 1..m.nbody {
        let [inertial, gyroscopic] = taken_by_motion(d, i);
        let external = d.cfrc_ext[i];
        d.cfrc_int[i] = std::array::from_fn(|k| inertial[k] + gyroscopic[k] - external[k]);
    }

    // force on subtrees, children before parents, the world body included
    for i in (1..m.nbody).rev() {
        if m.body_jntnum[i] == 1 && m.jnt_type[m.body_jntadr[i] as usize] == JointType::Free {
            d.cfrc_int[i] = of_free_joint(m, d, i);
        }
        let child = d.cfrc_int[i];
        let sum = &mut d.cfrc_int[m.body_parentid[i] as usize];
        *sum = add_scl6(*sum, child, R::one());
    }
}

// forces of contacts on bodies
fn push_contacts<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], ne: usize, num: usize) {
    let mut r = ne;
    while r < num {
        let kind = R::int_lane(d.efc_type[r], 0);
        if kind < ConstraintType::ContactFrictionless as i32 {
            r += 1;
            continue;
        }
        let c = R::int_lane(d.efc_id[r], 0) as usize;
        let pair = contact[c] as usize;
        if is_soft(m, pair) {
            r += contact_rows(m, pair, ConstraintType::from_i32(kind));
            continue;
        }
        let force = contact_force_at(m, d, pair, r);

        // from the contact frame to the world frame
        let [fx, fy, fz, tx, ty, tz] = force;
        let frame = d.contact_frame[c];
        let [tx, ty, tz] = mul_mat_t_vec3(frame, [tx, ty, tz]);
        let [fx, fy, fz] = mul_mat_t_vec3(frame, [fx, fy, fz]);
        let force = [tx, ty, tz, fx, fy, fz];
        let present = R::zero().lt(d.efc_D[r]);
        let force = force.map(|x| R::select(present, x, R::zero()));
        let pos = d.contact_pos[c].map(|x| R::select(present, x, R::zero()));
        let geoms = [m.collision_geom1[pair], m.collision_geom2[pair]];
        for (geom, sign) in geoms.into_iter().zip([-1.0, 1.0]) {
            let body = m.geom_bodyid[geom as usize] as usize;
            push(m, d, body, pos, force, sign);
        }
        r += contact_rows(m, pair, ConstraintType::from_i32(kind));
    }
}

// forces of connects and welds; a joint equality exerts no force on a body
fn push_equalities<R: Real>(m: &Model, d: &mut Data<R>, ne: usize) {
    let mut r = 0;
    while r < ne {
        let i = R::int_lane(d.efc_id[r], 0) as usize;
        let weld = m.eq_type[i] == EqType::Weld;
        if !weld && m.eq_type[i] != EqType::Connect {
            r += 1;
            continue;
        }
        let rows = |r: usize| [d.efc_force[r], d.efc_force[r + 1], d.efc_force[r + 2]];
        let [fx, fy, fz] = rows(r);
        let [tx, ty, tz] = match weld {
            true => weld_torque(m, d, i, rows(r + 3)),
            false => [R::zero(); 3],
        };
        let force = [tx, ty, tz, fx, fy, fz];
        let present = R::zero().lt(d.efc_D[r]);
        let force = force.map(|x| R::select(present, x, R::zero()));
        let points = anchors(m, d, i);
        let [first, second] = bodies(m, i);
        push(m, d, first, points[0], force, 1.0);
        push(m, d, second, points[1], force, -1.0);
        r += if weld { 6 } else { 3 };
    }
}

// inertial and gyroscopic force of a body
#[inline(always)]
fn taken_by_motion<R: Real>(d: &Data<R>, i: usize) -> [[R; 6]; 2] {
    let inertia = d.cinert[i];
    [
        mul_inert_vec(inertia, d.cacc[i]),
        gyroscopic_force(inertia, d.cvel[i]),
    ]
}

// force transmitted by a free joint: its own forces, unless the sum differs from them by more than the rounding of its terms
#[inline(always)]
fn of_free_joint<R: Real>(m: &Model, d: &Data<R>, i: usize) -> [R; 6] {
    // torques and forces in the sum, and their lever arm to the centre of mass of the tree
    let mut turning = R::zero();
    let mut pushing = R::zero();
    let mut inertia = R::zero();
    let mut mass = R::zero();
    for b in i..m.nbody {
        if m.body_rootid[b] == i as i32 {
            let [inertial, gyroscopic] = taken_by_motion(d, b);
            for term in [inertial, gyroscopic, d.cfrc_ext[b]] {
                turning += norm3(rot(term));
                pushing += norm3(lin(term));
            }
            let [xx, yy, zz, .., m] = d.cinert[b];
            inertia += xx + yy + zz;
            mass += m;
        }
    }
    let lever = (inertia / mass).sqrt();
    let slack = R::splat(SLACK * R::ROUNDING);

    // the dofs: along world axes, then about the body's axes, which are orthogonal
    let dof = m.body_dofadr[i] as usize;
    let force = [0, 1, 2].map(|k| dof_force(m, d, dof + k));
    let mut torque = [R::zero(); 3];
    for k in dof + 3..dof + 6 {
        let turn = dof_force(m, d, k) - dot3(lin(d.cdof[k]), force);
        torque = add3(torque, scl3(rot(d.cdof[k]), turn));
    }
    let sum = d.cfrc_int[i];
    let torque = rounded_to(rot(sum), torque, (turning + lever * pushing) * slack);
    let force = rounded_to(lin(sum), force, pushing * slack);
    spatial(torque, force)
}

// each number of a sum, replaced by the intended one where they differ by at most `slack`
#[inline(always)]
fn rounded_to<R: Real>(sum: [R; 3], meant: [R; 3], slack: R) -> [R; 3] {
    std::array::from_fn(|k| {
        let near = (sum[k] - meant[k]).abs().le(slack);
        R::select(near, meant[k], sum[k])
    })
}

// a dof's own force: without spatial tendons, which act on bodies, and minus armature, which belongs to no body
#[inline(always)]
fn dof_force<R: Real>(m: &Model, d: &Data<R>, i: usize) -> R {
    let mut sum = d.qfrc_applied[i] + d.qfrc_passive[i] + d.qfrc_actuator[i];
    sum -= d.own.dof_armature_all(m, i) * d.qacc[i];
    for t in 0..m.ntendon {
        if m.tendon_type[t] == TendonType::Spatial {
            let adr = m.ten_J_rowadr[t] as usize;
            for k in adr..adr + m.ten_J_rownnz[t] as usize {
                if m.ten_J_colind[k] == i as i32 {
                    sum -= d.ten_J[k] * driven(m, d, t);
                }
            }
        }
    }
    sum
}

// force along a tendon: of its spring, damper and armature, its actuators and its rows
fn tension<R: Real>(m: &Model, d: &Data<R>, t: usize, num: usize) -> R {
    let mut sum = driven(m, d, t);
    let armature = d.own.tendon_armature_all(m, t);
    if nonzero(armature).any() {
        sum -= armature * tendon_acceleration(m, d, &d.cacc, t);
    }
    for r in 0..num {
        let present = R::zero().lt(d.efc_D[r]);
        let force = R::select(present, d.efc_force[r], R::zero());
        sum += force * row_slope(m, d, t, r);
    }
    sum
}

// the part of the spring, the damper and the actuators
fn driven<R: Real>(m: &Model, d: &Data<R>, t: usize) -> R {
    let [spring, damper] = tendon_passive(m, d, t);
    let mut sum = spring + damper;
    for i in 0..m.nactuator {
        if m.actuator_trntype[i] == TrnType::Tendon && m.actuator_trnid[2 * i] == t as i32 {
            let out = m.actuator_outadr[i] as usize;
            sum += d.actuator_force[out] * d.own.actuator_gear(m, 6 * out);
        }
    }
    sum
}

// derivative of a row's value with respect to the length of a tendon
fn row_slope<R: Real>(m: &Model, d: &Data<R>, t: usize, r: usize) -> R {
    let (kind, id) = (R::int_lane(d.efc_type[r], 0), R::int_lane(d.efc_id[r], 0));
    let rows = [ConstraintType::LimitTendon, ConstraintType::FrictionTendon];
    if rows.iter().any(|row| kind == *row) && id == t as i32 {
        // an upper limit has the negative Jacobian of the tendon
        let adr = m.ten_J_rowadr[t] as usize;
        let mut dot = R::zero();
        for k in 0..m.ten_J_rownnz[t] as usize {
            dot += d.efc_J[r * m.nJrow + k] * d.ten_J[adr + k];
        }
        return R::select(dot.lt(R::zero()), R::splat(-1.0), R::one());
    }
    let i = id as usize;
    if kind != ConstraintType::Equality || m.eq_type[i] != EqType::Tendon {
        return R::zero();
    }
    let mut slope = R::zero();
    if m.eq_obj1id[i] == t as i32 {
        slope += R::one();
    }
    if m.eq_obj2id[i] == t as i32 {
        let [a, b, c, e] = [1, 2, 3, 4].map(|k| R::splat(k as f64) * d.own.eq_data(m, 12 * i + k));
        let x = d.ten_length[t] - d.own.tendon_length0(m, t);
        slope -= a + x * (b + x * (c + x * e));
    }
    slope
}

// applies a tendon's force to the bodies along its path; in one lane
fn pull<R: Real>(m: &Model, d: &mut Data<R>, lane: usize, t: usize, force: f64) {
    let start = m.tendon_adr[t] as usize;
    let end = start + m.tendon_num[t] as usize;
    let mut n = R::int_lane(d.ten_wrapadr[t], lane) as usize;
    let point = |d: &Data<R>, n: usize| [0, 1, 2].map(|k| d.wrap_xpos[3 * n + k].lane(lane));
    let mut divisor = 1.0;
    let mut w = start;
    while w + 1 < end {
        // a pulley starts a branch
        if m.wrap_type[w] == WrapType::Pulley {
            divisor = d.own.wrap_prm(m, w).lane(lane);
            n += 1;
            w += 1;
            continue;
        }
        if m.wrap_type[w + 1] == WrapType::Pulley {
            n += usize::from(w > start && m.wrap_type[w - 1] != WrapType::Pulley);
            w += 1;
            continue;
        }

        // from a site, around a geom if the path has points on it, to the next site
        let geom = m.wrap_type[w + 1] != WrapType::Site;
        let next = if geom { w + 2 } else { w + 1 };
        let site = [w, next].map(|w| m.wrap_objid[w] as usize);
        let body = site.map(|s| m.site_bodyid[s] as usize);
        let to = d.site_xpos[site[1]].map(|x| x.lane(lane));
        let scale = force / divisor;
        if geom && point(d, n + 1) != to {
            let around = m.geom_bodyid[m.wrap_objid[w + 1] as usize] as usize;
            let points = [0, 1, 2].map(|k| point(d, n + k));
            stretch(m, d, lane, [body[0], around], [points[0], points[1]], scale);
            stretch(m, d, lane, [around, body[1]], [points[2], to], scale);
            n += 3;
        } else {
            let from = point(d, n);
            stretch(m, d, lane, body, [from, to], scale);
            n += 1;
        }
        w = next;
    }
}

// force that pushes two points of two bodies apart; in one lane
fn stretch<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    lane: usize,
    body: [usize; 2],
    pos: [[f64; 3]; 2],
    force: f64,
) {
    if body[0] == body[1] {
        return;
    }
    let (dir, _) = normalize3(sub3(pos[1], pos[0]));
    for (side, sign) in [(0, -force), (1, force)] {
        if body[side] == 0 {
            continue;
        }
        let com = d.subtree_com[m.body_rootid[body[side]] as usize].map(|x| x.lane(lane));
        let lin = scl3(dir, sign);
        let turn = cross(sub3(pos[side], com), lin);
        let sum = &mut d.cfrc_ext[body[side]];
        for (to, x) in sum.iter_mut().zip(turn.into_iter().chain(lin)) {
            to.set_lane(lane, to.lane(lane) + x);
        }
    }
}

// adds a force and torque at a point, torque first, to the external force on a body, except the world body
#[inline(always)]
fn push<R: Real>(m: &Model, d: &mut Data<R>, body: usize, pos: [R; 3], force: [R; 6], sign: f64) {
    if body == 0 {
        return;
    }
    let [tx, ty, tz, fx, fy, fz] = force;
    let offset = sub3(pos, d.subtree_com[m.body_rootid[body] as usize]);
    let [x, y, z] = add3([tx, ty, tz], cross(offset, [fx, fy, fz]));
    d.cfrc_ext[body] = add_scl6(d.cfrc_ext[body], [x, y, z, fx, fy, fz], R::splat(sign));
}
