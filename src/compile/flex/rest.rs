//! Elastic rods at rest, as `flex_rod` holds them: the rod at `qpos0`.
//!
//! ```text
//! direction of the first edge │ its frame │ frame of the first edge in its body │ frame of the last edge in its body │ curvatures
//!   3                           3           3                                     3                                    4 of a hinge
//! ```
//!
//! A frame is one vector across its edge. That of the first edge follows from its direction in its body; it goes on along the rod
//! without twist.

use super::poses;
use crate::compile::pose::{Pose, V3};
use crate::cpu::lib::contact::make_frame;
use crate::cpu::lib::math::{mul_mat_t_vec3, mul_mat_vec3, normalize3, sub3};
use crate::cpu::lib::rod::{CURVATURES, REST, bends, curvature, hinges, transport, vertex};
use crate::fields::Arrays;
use crate::types::Integrator;

/// Fills the rods at rest and the sizes of what depends on them; all are empty where no elastic rod has hinges that twist its edges.
pub(crate) fn rods(m: &mut Arrays) {
    m.flex_rodadr = vec![-1; m.nflex];
    m.flex_rod = Vec::new();
    let twisting: Vec<usize> = (0..m.nflex)
        .filter(|&f| super::rod::words(m, f) > 0)
        .collect();
    if !twisting.is_empty() {
        let poses = poses(m);
        for f in twisting {
            m.flex_rodadr[f] = m.flex_rod.len() as i32;
            let rest = rest(m, &poses, f);
            m.flex_rod.extend(rest);
        }
    }
    let some = !m.flex_rod.is_empty();
    let rk = m.opt.integrator == Integrator::Rk4;
    m.nflexrod = m.flex_rod.len();
    m.nrod = if some { m.nplastic } else { 0 };
    m.nrodrk = if some && rk { m.nplastic } else { 0 };
}

fn rest(m: &Arrays, poses: &[Pose], f: usize) -> Vec<f64> {
    let num = hinges(m, f);
    let body = |e: usize| m.flex_vertbodyid[vertex(m, f, e)] as usize;
    let place = |e: usize| -> V3 {
        let at = Pose {
            pos: m.flex_vert[vertex(m, f, e)],
            quat: [1.0, 0.0, 0.0, 0.0],
        };
        poses[body(e)].then(at).pos
    };
    let tangent = |e: usize| normalize3(sub3(place(e + 1), place(e))).0;
    let turn = |e: usize| crate::asset::vec3::quat2mat(poses[body(e)].quat);

    let first = tangent(0);
    let within = make_frame(mul_mat_t_vec3(turn(0), first), [0.0; 3]);
    // along the larger side of a section, which is said second if the smaller one is negative
    let side = 3 * if super::rod::is_upright(m, f) { 2 } else { 1 };
    let own = [within[side], within[side + 1], within[side + 2]];
    let mut frames = vec![mul_mat_vec3(turn(0), own)];
    for e in 0..num {
        frames.push(transport(frames[e], tangent(e), tangent(e + 1)));
    }
    let last = mul_mat_t_vec3(turn(num + 1), frames[num]);
    let mut out: Vec<f64> = [first, frames[0], own, last].concat();
    debug_assert_eq!(out.len(), REST);
    for k in 0..num {
        let bend = curvature(tangent(k), tangent(k + 1));
        let both = [k, k + 1].map(|e| bends(bend, tangent(e), frames[e]));
        // straight rods of a round section have no direction in which they bend
        let directed = super::rod::is_directed(m, f, k);
        out.extend(
            both.as_flattened()
                .iter()
                .map(|x| if directed { *x } else { 0.0 }),
        );
    }
    debug_assert_eq!(out.len(), REST + CURVATURES * num);
    out
}
