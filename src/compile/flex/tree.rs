//! The order of a flex's elements in the tree of boxes around them at `qpos0` (`flex_bvhadr`).

use super::{V3, poses};
use crate::asset;
use crate::compile::pose::Pose;
use crate::fields::Arrays;
use glam::DVec3;

/// Elements that may touch, of all of a flex, in the order in which a walk through the tree meets them: the first half of each part first.
pub fn order(m: &Arrays, f: usize, active: &[usize]) -> Vec<usize> {
    let places = places(m, f);
    let num = m.flex_dim[f] as usize + 1;
    let adr = m.flex_elemdataadr[f] as usize;
    let around = |&e: &usize| {
        let corners = || {
            let own = &m.flex_elem[adr + num * e..][..num];
            own.iter().map(|&v| places[v as usize])
        };
        let over =
            |pick: fn(DVec3, DVec3) -> DVec3| corners().reduce(pick).unwrap_or_default().to_array();
        [over(DVec3::min), over(DVec3::max)]
    };
    let boxes: Vec<[V3; 2]> = active.iter().map(around).collect();
    let order = asset::order(&boxes);
    order.into_iter().map(|k| active[k]).collect()
}

// the vertices of a flex at qpos0, in the world
fn places(m: &Arrays, f: usize) -> Vec<DVec3> {
    let poses = poses(m);
    let place = |body: i32, v: V3| DVec3::from(poses[body as usize].then(Pose::at(v)).pos);
    let vertices = m.flex_vertadr[f] as usize..(m.flex_vertadr[f] + m.flex_vertnum[f]) as usize;
    if m.flex_interp[f] == 0 {
        return vertices
            .map(|v| place(m.flex_vertbodyid[v], m.flex_vert[v]))
            .collect();
    }
    // the first node, and those at the other ends of the axes; nodes along z come first
    let order = m.flex_interp[f].unsigned_abs() as usize;
    let count = [0, 1, 2].map(|k| m.flex_cellnum[3 * f + k] as usize * order + 1);
    let node = |k: usize| {
        let k = m.flex_nodeadr[f] as usize + k;
        place(m.flex_nodebodyid[k], m.flex_node[k])
    };
    let [_, y, z] = count;
    let first = node(0);
    let axes = [(count[0] - 1) * y * z, (y - 1) * z, z - 1].map(|k| node(k) - first);
    vertices
        .map(|v| {
            let share = m.flex_vert0[v];
            (0..3).fold(first, |x, k| x + share[k] * axes[k])
        })
        .collect()
}
