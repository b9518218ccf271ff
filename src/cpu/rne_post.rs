//! Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).

use crate::cpu::lib::equality::{anchors, bodies, weld_torque};
use crate::cpu::lib::math::*;
use crate::cpu::lib::spatial::{add_scl6, cross_force, mul_inert_vec};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Accelerations of bodies, and the forces between them (`mj_rnePostConstraint`).
///
/// `cacc` (rad/s², m/s²) has gravity as an acceleration of the world upwards, as an accelerometer feels it; `cfrc_ext` (N m, N)
/// is what acts on a body from outside the tree: what was applied, contacts, connects and welds; `cfrc_int` what its parent
/// gives it through the joint. All rotation first, in world axes, about the centre of mass of the tree.
pub fn rne_post(m: &Model, d: &mut Data) {
    let num = d.nefc[0] as usize;
    let ncon = (d.ncon[0] as usize).min(d.contact_collision.len());
    let contact = std::mem::take(&mut d.contact_collision);
    post(m, d, &contact[..ncon], d.ne[0] as usize, num);
    d.contact_collision = contact;
}

/// The same of a world, or of worlds side by side: `num` rows, the first `ne` of them equalities; `contact` gives the pair of
/// each contact slot.
pub fn post<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], ne: usize, num: usize) {
    // what is applied to bodies, at their centres of mass
    d.cfrc_ext[0] = [R::zero(); 6];
    for i in 1..m.nbody {
        let [fx, fy, fz, tx, ty, tz] = d.xfrc_applied[i];
        d.cfrc_ext[i] = [R::zero(); 6];
        push(m, d, i, d.xipos[i], [tx, ty, tz, fx, fy, fz], 1.0);
    }

    // contacts
    let mut r = ne;
    while r < num {
        if R::int_lane(d.efc_type[r], 0) < ConstraintType::ContactFrictionless as i32 {
            r += 1;
            continue;
        }
        let c = R::int_lane(d.efc_id[r], 0) as usize;
        let pair = contact[c] as usize;
        let force = contact_force(m, d, pair, r);

        // from the frame of the contact to that of the world
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
            push(
                m,
                d,
                m.geom_bodyid[geom as usize] as usize,
                pos,
                force,
                sign,
            );
        }
        r += contact_rows(m, pair);
    }

    // connects and welds; a joint or a tendon is no force on a body
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

    // gravity is an acceleration of the world
    let mut world = [R::zero(); 6];
    if !m.opt.disabled(DSBL_GRAVITY) {
        for k in 0..3 {
            world[3 + k] = R::splat(-m.opt.gravity[k]);
        }
    }
    d.cacc[0] = world;
    d.cfrc_int[0] = [R::zero(); 6];

    // acceleration, and force that it takes beside the one from outside, parents first
    for i in 1..m.nbody {
        let mut cacc = d.cacc[m.body_parentid[i] as usize];
        for k in m.body_dofadr[i]..m.body_dofadr[i] + m.body_dofnum[i] {
            let k = k as usize;
            cacc = add_scl6(cacc, d.cdof_dot[k], d.qvel[k]);
            cacc = add_scl6(cacc, d.cdof[k], d.qacc[k]);
        }
        d.cacc[i] = cacc;
        let momentum = mul_inert_vec(d.cinert[i], d.cvel[i]);
        let gyroscopic = cross_force(d.cvel[i], momentum);
        let inertial = mul_inert_vec(d.cinert[i], cacc);
        let external = d.cfrc_ext[i];
        d.cfrc_int[i] = std::array::from_fn(|k| inertial[k] + gyroscopic[k] - external[k]);
    }

    // force on subtrees, children before parents, the world too
    for i in (1..m.nbody).rev() {
        let child = d.cfrc_int[i];
        let sum = &mut d.cfrc_int[m.body_parentid[i] as usize];
        *sum = add_scl6(*sum, child, R::one());
    }
}

/// Rows of a contact of a pair.
fn contact_rows(m: &Model, pair: usize) -> usize {
    match m.collision_condim[pair] as usize {
        1 => 1,
        dim if m.opt.cone == Cone::Elliptic => dim,
        dim => 2 * (dim - 1),
    }
}

/// Force and torque of a contact in its frame, from its rows (`mj_contactForce`); it acts on the second geom.
fn contact_force<R: Real>(m: &Model, d: &Data<R>, pair: usize, r: usize) -> [R; 6] {
    let mut force = [R::zero(); 6];
    let dim = m.collision_condim[pair] as usize;
    if dim == 1 || m.opt.cone == Cone::Elliptic {
        force[..dim].copy_from_slice(&d.efc_force[r..r + dim]);
        return force;
    }

    // edges of the pyramid, two for each direction of friction
    for k in 0..dim - 1 {
        let [plus, minus] = [d.efc_force[r + 2 * k], d.efc_force[r + 2 * k + 1]];
        force[0] += plus + minus;
        force[k + 1] = (plus - minus) * R::splat(m.collision_friction[5 * pair + k]);
    }
    force
}

// adds a force with its torque at a point, torque first, to what acts on a body; the world is none
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
