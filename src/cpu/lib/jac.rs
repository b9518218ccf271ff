//! Motion of points of bodies, and what each dof contributes to it.

use crate::cpu::lib::math::*;
use crate::fields::{Data, Model};
use crate::real::Real;

/// Walks the dofs that move a body, last first, and the entries of a sparse row that are theirs; dofs that the row does
/// not hold are passed over.
#[inline(always)]
pub fn for_chain(m: &Model, body: usize, colind: &[i32], mut f: impl FnMut(usize, usize)) {
    // both descend
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

/// Adds to a sparse row what each dof does to a point of a body along `dir`, and to its turning about `axis`: the row of
/// the Jacobian of that motion (`mj_jac`).
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

/// Velocity of a point of a body, and its acceleration while the dofs keep theirs; gravity is not part of it.
#[inline(always)]
pub fn point_motion<R: Real>(
    m: &Model,
    d: &Data<R>,
    body: usize,
    point: [R; 3],
) -> ([R; 3], [R; 3]) {
    let offset = sub3(point, d.subtree_com[m.body_rootid[body] as usize]);
    let at = |[rx, ry, rz, x, y, z]: [R; 6]| add3([x, y, z], cross([rx, ry, rz], offset));
    let [wx, wy, wz, ..] = d.cvel[body];
    let vel = at(d.cvel[body]);
    let (cacc, world) = (d.rne_cacc[body], d.rne_cacc[0]);
    let acc = at(std::array::from_fn(|k| cacc[k] - world[k]));
    (vel, add3(acc, cross([wx, wy, wz], vel)))
}
