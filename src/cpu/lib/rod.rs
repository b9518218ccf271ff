//! Elastic rods: their vertices and edges, and the frames of the edges (discrete elastic rods, MuJoCo documentation, Modeling, "Rods").
//!
//! A hinge of a rod is a vertex between two edges. Its curvature is `2 (t0 x t1) / (1 + t0 t1)`, with `t0` and `t1` the directions of the
//! edges. A frame of an edge is a vector across it; it is carried along as the edge turns, without twist. The hinges of joints turn the
//! material about the edge, from this frame.

use crate::cpu::lib::contact::select3;
use crate::cpu::lib::math::*;
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;
use crate::types::MINVAL;
use std::f64::consts::TAU;

/// Numbers of a record of `flex_bending`: four vertices, and what holds them.
pub(crate) const RECORD: usize = 10;
/// Numbers of a rod at rest before its curvatures.
pub(crate) const REST: usize = 12;
/// Numbers of the curvatures of a hinge at rest.
pub(crate) const CURVATURES: usize = 4;

/// True if a flex is an elastic rod.
pub fn is_rod(m: &Arrays, f: usize) -> bool {
    m.flex_dim[f] == 1 && m.flex_bendingadr[f] >= 0
}

/// Number of hinges or pairs of hinges of a rod.
pub fn hinges(m: &Arrays, f: usize) -> usize {
    m.flex_bending[m.flex_bendingadr[f] as usize] as usize
}

/// Address of the record of a hinge or of a pair of hinges.
pub fn record(m: &Arrays, f: usize, k: usize) -> usize {
    m.flex_bendingadr[f] as usize + 1 + RECORD * k
}

/// The vertex at a place of a record.
pub fn rod_corner(m: &Arrays, f: usize, k: usize, c: usize) -> usize {
    m.flex_vertadr[f] as usize + m.flex_bending[record(m, f, k) + c] as usize
}

/// The vertex with a number along an open chain.
pub fn vertex(m: &Arrays, f: usize, v: usize) -> usize {
    let k = v.min(hinges(m, f) - 1);
    rod_corner(m, f, k, v - k)
}

/// Turns a vector as the shortest rotation between two directions does.
pub fn transport<R: Real>(x: [R; 3], from: [R; 3], to: [R; 3]) -> [R; 3] {
    let (axis, cosine) = (cross(from, to), dot3(from, to));
    let turned = add3(scl3(x, cosine), cross(axis, x));
    let along = dot3(axis, x) / (R::one() + cosine).max(R::splat(MINVAL));
    let turned = add_scl3(turned, axis, along);
    // rounding errors do not add up over steps
    normalize3(add_scl3(turned, to, -dot3(to, turned))).0
}

/// Curvature between two edges with these directions.
pub fn curvature<R: Real>(first: [R; 3], second: [R; 3]) -> [R; 3] {
    let chi = (R::one() + dot3(first, second)).max(R::splat(MINVAL));
    scl3(cross(first, second), R::splat(2.0) / chi)
}

/// A curvature in the frame of an edge.
pub(crate) fn bends<R: Real>(curvature: [R; 3], tangent: [R; 3], frame: [R; 3]) -> [R; 2] {
    [
        dot3(curvature, cross(tangent, frame)),
        -dot3(curvature, frame),
    ]
}

/// True if hinges of joints twist the edges of a rod.
pub fn twists(m: &Arrays, f: usize) -> bool {
    m.flex_rodadr[f] >= 0
}

/// The joint that twists an edge of an open chain; none if a body holds it.
pub fn twist_joint(m: &Arrays, f: usize, e: usize) -> Option<usize> {
    if e > 0 {
        return usize::try_from(m.flex_bending[record(m, f, e - 1) + 7] as i32).ok();
    }
    let [a, b] = [0, 1].map(|v| m.flex_vertbodyid[vertex(m, f, v)]);
    let second = m.flex_bending[record(m, f, 0) + 7] as usize;
    (a != b).then(|| second - 1)
}

/// The number along an open chain of a vertex; one more than the last if it is not there.
pub fn place_along(m: &Arrays, f: usize, v: usize) -> usize {
    let num = hinges(m, f) + 2;
    // most chains run in the order of their vertices
    let guess = v.wrapping_sub(m.flex_vertadr[f] as usize);
    if guess < num && vertex(m, f, guess) == v {
        return guess;
    }
    (0..num).find(|&i| vertex(m, f, i) == v).unwrap_or(num)
}

/// The number along an open chain of an element.
pub fn edge_of(m: &Arrays, f: usize, element: usize) -> usize {
    let adr = m.flex_elemdataadr[f] as usize + 2 * element;
    let ends = [0, 1].map(|i| (m.flex_vertadr[f] + m.flex_elem[adr + i]) as usize);
    let [a, b] = ends.map(|v| place_along(m, f, v));
    a.min(b).min(hinges(m, f))
}

/// The angle by which a joint turns the material of an edge from its frame.
pub fn twist_angle<R: Real>(m: &Model, d: &Data<R>, joint: usize) -> R {
    let q = m.jnt_qposadr[joint] as usize;
    d.qpos[q] - d.own.qpos0(m, q)
}

/// The frame of an edge, turned as the material is.
pub fn turned_frame<R: Real>(m: &Model, d: &Data<R>, f: usize, e: usize) -> [R; 3] {
    let at = m.flex_plasticadr[f] as usize + 6 * e;
    let (tangent, frame) = (vec_at(&d.rod_plastic, at), vec_at(&d.rod_plastic, at + 3));
    let Some(j) = twist_joint(m, f, e) else {
        return frame;
    };
    let (sine, cosine) = twist_angle(m, d, j).sin_cos();
    add_scl3(scl3(frame, cosine), cross(tangent, frame), sine)
}

/// True if the section of a rod whose edges twist is a box.
pub fn is_boxed(m: &Arrays, f: usize) -> bool {
    twists(m, f) && m.flex_bending[record(m, f, 0) + 9] != 0.0
}

/// Half sizes of a section that is a box: the larger one, which is along the frame of an edge, then the smaller one.
pub fn half_sizes<R: Real>(m: &Model, d: &Data<R>, f: usize) -> [R; 2] {
    let adr = record(m, f, 0);
    let [weak, more, minor] = [4, 5, 9].map(|i| d.own.flex_bending(m, adr + i));
    let ratio = (R::one() + more / weak.max(R::splat(MINVAL))).sqrt();
    [minor.abs() * ratio, minor.abs()]
}

/// Vectors from the middle of an edge to the sides of its section, a box.
pub fn half_sides<R: Real>(m: &Model, d: &Data<R>, f: usize, e: usize) -> [[R; 3]; 2] {
    let [wide, thin] = half_sizes(m, d, f);
    let tangent = vec_at(&d.rod_plastic, m.flex_plasticadr[f] as usize + 6 * e);
    let frame = turned_frame(m, d, f, e);
    [scl3(frame, wide), scl3(cross(tangent, frame), thin)]
}

pub(crate) fn vec_at<R: Real>(x: &[R], adr: usize) -> [R; 3] {
    [x[adr], x[adr + 1], x[adr + 2]]
}

/// The direction of an edge where its frame was kept; zero if none was.
pub fn kept<R: Real>(m: &Arrays, plastic: &[R], f: usize, e: usize) -> [R; 3] {
    vec_at(plastic, m.flex_plasticadr[f] as usize + 6 * e)
}

/// Direction and length from a vertex to another.
pub fn between<R: Real>(d: &Data<R>, v: [usize; 2]) -> ([R; 3], R) {
    normalize3(sub3(d.flexvert_xpos[v[1]], d.flexvert_xpos[v[0]]))
}

/// Carries the frames of rods to the present positions of their vertices. Frames that were never set begin with that of the first
/// edge, which follows its body or else the edge from rest, and go on along the rod without twist.
pub fn carry_rods<R: Real>(m: &Model, d: &mut Data<R>) {
    for f in (0..m.nflex).filter(|&f| twists(m, f)) {
        carry_rod(m, d, f);
    }
}

fn carry_rod<R: Real>(m: &Model, d: &mut Data<R>, f: usize) {
    let (num, adr) = (hinges(m, f), m.flex_plasticadr[f] as usize);
    let rest = m.flex_rodadr[f] as usize;
    let mut before = [R::zero(); 3];
    let mut frame_before = [R::zero(); 3];
    for e in 0..=num {
        let at = adr + 6 * e;
        let v = [e, e + 1].map(|v| vertex(m, f, v));
        let (tangent, _) = between(d, v);
        let (old, old_frame) = (vec_at(&d.plastic, at), vec_at(&d.plastic, at + 3));
        let set = nonzero(dot3(old, old));
        let held = twist_joint(m, f, e).is_none();
        let frame = if held {
            let body = m.flex_vertbodyid[v[0]] as usize;
            mul_mat_vec3(
                d.xmat[body],
                at_rest(m, d, rest + if e == 0 { 6 } else { 9 }),
            )
        } else {
            let first = match e {
                0 => transport(at_rest(m, d, rest + 3), at_rest(m, d, rest), tangent),
                _ => transport(frame_before, before, tangent),
            };
            select3(set, transport(old_frame, old, tangent), first)
        };
        d.rod_plastic[at..at + 3].copy_from_slice(&tangent);
        d.rod_plastic[at + 3..at + 6].copy_from_slice(&frame);
        if e > 0 {
            // twist between the frames, counted on over full turns
            let at = adr + 6 * (num + 1) + e - 1;
            let plain = transport(frame_before, before, tangent);
            let angle = dot3(cross(plain, frame), tangent).atan2(dot3(plain, frame));
            let old = d.plastic[at];
            let turns = round((old - angle) * R::splat(1.0 / TAU));
            d.rod_plastic[at] = angle + turns * R::splat(TAU);
        }
        (before, frame_before) = (tangent, frame);
    }
}

// a vector of a rod at rest
fn at_rest<R: Real>(m: &Model, d: &Data<R>, adr: usize) -> [R; 3] {
    [0, 1, 2].map(|i| d.own.flex_rod(m, adr + i))
}

/// Keeps the frames of rods for the next step: those at the positions where this one began.
pub fn keep_rods<R: Real>(m: &Model, d: &mut Data<R>) {
    for f in (0..m.nflex).filter(|&f| twists(m, f)) {
        let adr = m.flex_plasticadr[f] as usize;
        let words = 7 * (hinges(m, f) + 1) - 1;
        d.plastic[adr..adr + words].copy_from_slice(&d.rod_plastic[adr..adr + words]);
    }
}
