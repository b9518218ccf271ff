//! Velocity and reference acceleration of rows (`mj_referenceConstraint`).

use crate::cpu::lib::adhesion::adhesion_share;
use crate::cpu::lib::equality::{anchors, bodies, jac_dot_vel, orientations};
use crate::cpu::lib::math::*;
use crate::cpu::lib::rows::{dofs_of, first_row};
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::*;

/// Velocity and reference acceleration of rows (`mj_referenceConstraint`).
pub fn reference_constraint(m: &Model, d: &mut Data) {
    let (ncon, num) = (d.ncon[0] as usize, d.nefc[0] as usize);
    let contact = std::mem::take(&mut d.contact_collision);
    reference(m, d, &contact[..ncon], num);
    d.contact_collision = contact;
}

/// The stage for the first `num` constraint rows of worlds side by side; `contact` gives the pair of each contact slot.
pub fn reference<R: Real>(m: &Model, d: &mut Data<R>, contact: &[i32], num: usize) {
    for r in 0..num {
        // vel = J qvel
        let dofs = dofs_of(m, d, R::int_lane(d.efc_Jpat[r], 0));
        let row = &d.efc_J[r * m.nJrow..][..dofs.len()];
        let mut vel = R::zero();
        for (&i, &x) in dofs.iter().zip(row) {
            vel += x * d.qvel[i as usize];
        }
        // plus the surface velocity of the geoms
        if m.nsurfacevel > 0 {
            vel += surface_motion(m, d, contact, r);
        }
        d.efc_vel[r] = vel;

        // aref = - B vel - K I (pos - margin)
        let kbip = &d.efc_KBIP[4 * r..4 * r + 4];
        d.efc_aref[r] = -kbip[1] * vel - kbip[0] * kbip[2] * (d.efc_pos[r] - d.efc_margin[r]);
        // + R adhesion: a sticking contact rests where it would without adhesion; a discrete step adds it with an R of its own
        if m.nadhesion > 0 && !m.opt.is_discrete() {
            let share = adhesion_share(m, d, contact, r);
            d.efc_aref[r] += d.efc_R[r] * share;
        }
    }

    // connects and welds: minus the acceleration due to their rotating axes
    let mut r = 0;
    while r < num && R::int_lane(d.efc_type[r], 0) == ConstraintType::Equality {
        let i = R::int_lane(d.efc_id[r], 0) as usize;
        r += match EqType::from_i32(m.eq_type[i]) {
            Some(EqType::Connect) => turning(m, d, i, r, 3),
            Some(EqType::Weld) => turning(m, d, i, r, 6),
            _ => 1,
        };
    }
}

// velocity of a contact row due to the surface velocities of its geoms
fn surface_motion<R: Real>(m: &Model, d: &Data<R>, contact: &[i32], r: usize) -> R {
    let kind = R::int_lane(d.efc_type[r], 0);
    let pyramid = kind == ConstraintType::ContactPyramidal;
    if !pyramid && kind != ConstraintType::ContactElliptic {
        return R::zero();
    }
    let c = R::int_lane(d.efc_id[r], 0) as usize;
    let k = contact[c] as usize;
    let e = r - first_row(d, r);

    // edges come in pairs; the first axis of a cone is the normal
    let part = if pyramid { e / 2 } else { e.wrapping_sub(1) };
    if part > 2 {
        return R::zero();
    }
    let edge = R::splat(if e.is_multiple_of(2) { 1.0 } else { -1.0 });
    let share = match pyramid {
        true => edge * d.own.collision_friction(m, 5 * k + part),
        false => R::one(),
    };

    // surface velocity of the second geom minus that of the first, along the tangents, and about the normal
    let field1 = surface_field(m, d, m.collision_geom1[k], d.contact_pos[c]);
    let field2 = surface_field(m, d, m.collision_geom2[k], d.contact_pos[c]);
    let vel = [0, 1].map(|n| sub3(field2[n], field1[n]));
    let frame = d.contact_frame[c];
    let axis = |n: usize| [frame[3 * n], frame[3 * n + 1], frame[3 * n + 2]];
    let along = match part {
        2 => dot3(axis(0), vel[1]),
        _ => dot3(axis(part + 1), vel[0]),
    };
    along * share
}

// velocity of a geom's surface at a point relative to its body: linear, angular
fn surface_field<R: Real>(m: &Model, d: &Data<R>, geom: i32, pos: [R; 3]) -> [[R; 3]; 2] {
    let Ok(geom) = usize::try_from(geom) else {
        return [[R::zero(); 3]; 2];
    };
    let at = |k: usize| d.own.geom_surfacevel(m, 6 * geom + k);
    let mat = d.geom_xmat[geom];
    let lin = mul_mat_vec3(mat, [at(0), at(1), at(2)]);
    let ang = mul_mat_vec3(mat, [at(3), at(4), at(5)]);
    let arm = sub3(pos, d.geom_xpos[geom]);
    [add3(lin, cross(ang, arm)), ang]
}

// aref -= Jdot v; returns the number of rows
fn turning<R: Real>(m: &Model, d: &mut Data<R>, i: usize, r: usize, nrow: usize) -> usize {
    let [body1, body2] = bodies(m, i);
    let [point1, point2] = anchors(m, d, i);
    let (rot1, lin1) = jac_dot_vel(m, d, point1, body1);
    let (rot2, lin2) = jac_dot_vel(m, d, point2, body2);
    let lin = sub3(lin1, lin2);
    let rot = match nrow == 6 {
        true => weld_rate(m, d, i, sub3(rot1, rot2)),
        false => [R::zero(); 3],
    };
    let aref = d.efc_aref[r..r + nrow].iter_mut();
    for (aref, rate) in aref.zip(lin.into_iter().chain(rot)) {
        *aref -= rate;
    }
    nrow
}

// time derivative of half of inverse(q2) (rot1 - rot2) q1 applied to the velocities, by the product rule
fn weld_rate<R: Real>(m: &Model, d: &Data<R>, i: usize, jdv: [R; 3]) -> [R; 3] {
    let [body1, body2] = bodies(m, i);
    let [quat1, quat2] = orientations(m, d, i);
    let spin = |body: usize| [d.cvel[body][0], d.cvel[body][1], d.cvel[body][2]];
    let half = R::splat(0.5);
    let pure = |v: [R; 3]| [R::zero(), v[0], v[1], v[2]];
    let rate = |spin: [R; 3], quat: [R; 4]| mul_quat(pure(scl3(spin, half)), quat);
    let (rate1, rate2) = (rate(spin(body1), quat1), rate(spin(body2), quat2));
    let dif = pure(sub3(spin(body1), spin(body2)));
    let terms = [
        mul_quat(mul_quat(neg_quat(rate2), dif), quat1),
        mul_quat(mul_quat(neg_quat(quat2), pure(jdv)), quat1),
        mul_quat(mul_quat(neg_quat(quat2), dif), rate1),
    ];
    let scale = R::splat(0.5) * d.own.eq_data(m, 12 * i + 10);
    [1, 2, 3].map(|k| (terms[0][k] + terms[1][k] + terms[2][k]) * scale)
}
