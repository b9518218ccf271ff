//! Poses of frames fixed to a body.

use crate::cpu::lib::math::*;
use crate::fields::Data;
use crate::real::Real;
use crate::types::SameFrame;

/// Position and orientation in the world of a frame given in a body; frames that coincide with the body's own frames are copied
/// from them (`mj_local2Global`).
#[inline(always)]
pub fn local2global<R: Real>(
    d: &Data<R>,
    body: usize,
    sameframe: i32,
    pos: [R; 3],
    quat: [R; 4],
) -> ([R; 3], [R; 9]) {
    let xpos = if sameframe == SameFrame::Body {
        d.xpos[body]
    } else if sameframe == SameFrame::Inertia {
        d.xipos[body]
    } else {
        add3(d.xpos[body], mul_mat_vec3(d.xmat[body], pos))
    };
    let xmat = if sameframe == SameFrame::None {
        quat2mat(mul_quat(d.xquat[body], quat))
    } else if sameframe == SameFrame::Body || sameframe == SameFrame::BodyRot {
        d.xmat[body]
    } else {
        d.ximat[body]
    };
    (xpos, xmat)
}
