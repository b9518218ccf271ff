//! Motion of points of bodies, and the contributions of dofs to it.

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{MINVAL, WrapType};

/// Calls `f` for the dofs that move a body, last first, with their entries of a sparse row; dofs without an entry in the row are
/// skipped.
#[inline(always)]
pub fn for_chain(m: &Model, body: usize, colind: &[i32], mut f: impl FnMut(usize, usize)) {
    // both lists descend
    let mut k = colind.len();
    let mut i = m.body_lastdof[body];
    while i >= 0 {
        while k > 0 && colind[k - 1] > i {
            k -= 1;
        }
        if k > 0 && colind[k - 1] == i {
            f(k - 1, i as usize);
        }
        i = m.dof_parentid[i as usize];
    }
}

/// Adds to a sparse row the Jacobian of a point of a body along `dir`, and of the body's rotation about `axis` (`mj_jac`).
#[inline(always)]
#[expect(
    clippy::too_many_arguments,
    reason = "a point, a direction and an axis of a body, into a row"
)]
pub fn add_jac<R: Real>(
    m: &Model,
    d: &Data<R>,
    row: &mut [R],
    colind: &[i32],
    body: usize,
    point: [R; 3],
    dir: [R; 3],
    axis: [R; 3],
) {
    let offset = sub3(point, d.subtree_com[m.body_rootid[body] as usize]);
    let moment = add3(axis, cross(offset, dir));
    for_chain(m, body, colind, |k, i| {
        let [rx, ry, rz, x, y, z] = d.cdof[i];
        row[k] += dot3([rx, ry, rz], moment) + dot3([x, y, z], dir);
    });
}

/// Second time derivative of the length of a spatial tendon without geoms, from the accelerations of the bodies.
#[inline(always)]
pub fn tendon_acceleration<R: Real>(m: &Model, d: &Data<R>, cacc: &[[R; 6]], t: usize) -> R {
    let start = m.tendon_adr[t] as usize;
    let mut divisor = R::one();
    let mut acc = R::zero();
    for w in start..start + m.tendon_num[t] as usize - 1 {
        // a pulley starts a branch; there are no geoms
        if m.wrap_type[w] == WrapType::Pulley {
            divisor = d.own.wrap_prm(m, w);
            continue;
        }
        if m.wrap_type[w + 1] == WrapType::Pulley {
            continue;
        }
        let site = [m.wrap_objid[w] as usize, m.wrap_objid[w + 1] as usize];
        let body = site.map(|s| m.site_bodyid[s] as usize);
        if body[0] == body[1] {
            continue;
        }

        // acceleration along the direction, and the term due to its rotation
        let pos = site.map(|s| d.site_xpos[s]);
        let (dir, length) = normalize3(sub3(pos[1], pos[0]));
        let (vel0, acc0) = point_motion(m, d, cacc, body[0], pos[0]);
        let (vel1, acc1) = point_motion(m, d, cacc, body[1], pos[1]);
        let vel = sub3(vel1, vel0);
        let across = add_scl3(vel, dir, -dot3(dir, vel));
        let long = R::splat(MINVAL).lt(length);
        let turning = dot3(across, vel) / R::select(long, length, R::one());
        let turning = R::select(long, turning, R::zero());
        acc += (dot3(dir, sub3(acc1, acc0)) + turning) * (R::one() / divisor);
    }
    acc
}

/// Velocity of a point of a body, and its acceleration from the bodies' accelerations, without gravity.
#[inline(always)]
pub fn point_motion<R: Real>(
    m: &Model,
    d: &Data<R>,
    cacc: &[[R; 6]],
    body: usize,
    point: [R; 3],
) -> ([R; 3], [R; 3]) {
    let offset = sub3(point, d.subtree_com[m.body_rootid[body] as usize]);
    let at = |[rx, ry, rz, x, y, z]: [R; 6]| add3([x, y, z], cross([rx, ry, rz], offset));
    let [wx, wy, wz, ..] = d.cvel[body];
    let vel = at(d.cvel[body]);
    let (cacc, world) = (cacc[body], cacc[0]);
    let acc = at(std::array::from_fn(|k| cacc[k] - world[k]));
    (vel, add3(acc, cross([wx, wy, wz], vel)))
}
