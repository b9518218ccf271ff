//! Elastic rods: forces of bending and torsion on the vertices of flexes of lines, and on the hinges that twist their edges
//! (discrete elastic rods, MuJoCo documentation, Modeling, "Rods"; `mj_flexPassiveBend1D`).
//!
//! A hinge of a rod is a vertex between two edges. Its curvature is `2 (t0 x t1) / (1 + t0 t1)`, with `t0` and `t1` the directions of the
//! edges. A frame of an edge is a vector across it; it is carried along as the edge turns, without twist. The hinges of joints turn the
//! material about the edge, from this frame.

use crate::cpu::lib::contact::select3;
use crate::cpu::lib::force::apply_ft;
use crate::cpu::lib::math::*;
use crate::fields::{Arrays, Data, Model};
use crate::real::Real;
use crate::types::{DSBL_DAMPER, DSBL_SPRING, MINVAL};
use std::f64::consts::TAU;

/// Numbers of a record of `flex_bending`: four vertices, and what holds them.
pub(crate) const RECORD: usize = 10;
/// Part of the squared curvature at rest by which the size of a curvature is smoothed.
const SMOOTH: f64 = 1e-8;
/// Numbers of a rod at rest before its curvatures.
pub(crate) const REST: usize = 12;
/// Numbers of the curvatures of a hinge at rest.
pub(crate) const CURVATURES: usize = 4;

/// True if a flex is an elastic rod.
pub(crate) fn is_rod(m: &Arrays, f: usize) -> bool {
    m.flex_dim[f] == 1 && m.flex_bendingadr[f] >= 0
}

/// Number of hinges or pairs of hinges of a rod.
pub(crate) fn hinges(m: &Arrays, f: usize) -> usize {
    m.flex_bending[m.flex_bendingadr[f] as usize] as usize
}

/// Address of the record of a hinge or of a pair of hinges.
pub(crate) fn record(m: &Arrays, f: usize, k: usize) -> usize {
    m.flex_bendingadr[f] as usize + 1 + RECORD * k
}

fn corner(m: &Arrays, f: usize, k: usize, c: usize) -> usize {
    m.flex_vertadr[f] as usize + m.flex_bending[record(m, f, k) + c] as usize
}

/// The vertex with a number along an open chain.
pub(crate) fn vertex(m: &Arrays, f: usize, v: usize) -> usize {
    let k = v.min(hinges(m, f) - 1);
    corner(m, f, k, v - k)
}

/// Turns a vector as the shortest rotation between two directions does.
pub(crate) fn transport<R: Real>(x: [R; 3], from: [R; 3], to: [R; 3]) -> [R; 3] {
    let (axis, cosine) = (cross(from, to), dot3(from, to));
    let turned = add3(scl3(x, cosine), cross(axis, x));
    let along = dot3(axis, x) / (R::one() + cosine).max(R::splat(MINVAL));
    let turned = add_scl3(turned, axis, along);
    // rounding errors do not add up over steps
    normalize3(add_scl3(turned, to, -dot3(to, turned))).0
}

/// Curvature between two edges with these directions.
pub(crate) fn curvature<R: Real>(first: [R; 3], second: [R; 3]) -> [R; 3] {
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
pub(crate) fn twists(m: &Arrays, f: usize) -> bool {
    m.flex_rodadr[f] >= 0
}

/// The joint that twists an edge of an open chain; none if a body holds it.
pub(crate) fn twist_joint(m: &Arrays, f: usize, e: usize) -> Option<usize> {
    if e > 0 {
        return usize::try_from(m.flex_bending[record(m, f, e - 1) + 7] as i32).ok();
    }
    let [a, b] = [0, 1].map(|v| m.flex_vertbodyid[vertex(m, f, v)]);
    let second = m.flex_bending[record(m, f, 0) + 7] as usize;
    (a != b).then(|| second - 1)
}

/// The flex and the edge on a side of a pair, if contacts there turn the edge: a vertex touches with the edge that begins there, or the
/// last one. None of edges that a body holds, and of flexes whose edges do not twist.
pub(crate) fn lever(m: &Arrays, k: usize, side: usize) -> Option<[usize; 2]> {
    let f = usize::try_from(*m.collision_flex.get(2 * k + side)?).ok()?;
    if !twists(m, f) {
        return None;
    }
    let last = hinges(m, f);
    let along = |v: i32| {
        let v = (m.flex_vertadr[f] + v) as usize;
        (0..=last + 1).position(|i| vertex(m, f, i) == v)
    };
    let edge = match m.collision_vert[2 * k + side] {
        v if v >= 0 => along(v)?.min(last),
        _ => {
            let adr = m.flex_elemdataadr[f] + 2 * m.collision_elem[2 * k + side];
            let ends = [0, 1].map(|i| along(m.flex_elem[adr as usize + i]));
            ends[0]?.min(ends[1]?)
        }
    };
    twist_joint(m, f, edge).map(|_| [f, edge])
}

fn vec_at<R: Real>(x: &[R], adr: usize) -> [R; 3] {
    [x[adr], x[adr + 1], x[adr + 2]]
}

/// The direction of an edge where its frame was kept; zero if none was.
pub(crate) fn kept<R: Real>(m: &Arrays, plastic: &[R], f: usize, e: usize) -> [R; 3] {
    vec_at(plastic, m.flex_plasticadr[f] as usize + 6 * e)
}

// direction and length from a vertex to another
fn between<R: Real>(d: &Data<R>, v: [usize; 2]) -> ([R; 3], R) {
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
    let of_rest = |d: &Data<R>, k: usize| std::array::from_fn(|i| d.own.flex_rod(m, rest + k + i));
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
            mul_mat_vec3(d.xmat[body], of_rest(d, if e == 0 { 6 } else { 9 }))
        } else {
            let first = match e {
                0 => transport(of_rest(d, 3), of_rest(d, 0), tangent),
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

/// Keeps the frames of rods for the next step: those at the positions where this one began.
pub fn keep_rods<R: Real>(m: &Model, d: &mut Data<R>) {
    for f in (0..m.nflex).filter(|&f| twists(m, f)) {
        let adr = m.flex_plasticadr[f] as usize;
        let words = 7 * (hinges(m, f) + 1) - 1;
        d.plastic[adr..adr + words].copy_from_slice(&d.rod_plastic[adr..adr + words]);
    }
}

/// Two edges that meet at a hinge.
struct Bend<R> {
    v: [usize; 3],
    tangent: [[R; 3]; 2],
    length: [R; 2],
    chi: R,
    curvature: [R; 3],
    // change of the curvature with time
    rate: [R; 3],
}

impl<R: Real> Bend<R> {
    fn new(d: &Data<R>, v: [usize; 3]) -> Self {
        let (t0, l0) = between(d, [v[0], v[1]]);
        let (t1, l1) = between(d, [v[1], v[2]]);
        let mut out = Self {
            v,
            tangent: [t0, t1],
            length: [l0, l1],
            chi: (R::one() + dot3(t0, t1)).max(R::splat(MINVAL)),
            curvature: curvature(t0, t1),
            rate: [R::zero(); 3],
        };
        let turn = |k: usize| {
            let vel = sub3(d.flexvert_vel[v[k + 1]], d.flexvert_vel[v[k]]);
            out.across(k, vel)
        };
        let (turn0, turn1) = (turn(0), turn(1));
        let moved = add3(cross(turn0, t1), cross(t0, turn1));
        let change = dot3(turn0, t1) + dot3(t0, turn1);
        let rate = add_scl3(scl3(moved, R::splat(2.0)), out.curvature, -change);
        out.rate = scl3(rate, R::one() / out.chi);
        out
    }

    // change of the direction of an edge with the vector from its first to its second vertex
    fn across(&self, k: usize, x: [R; 3]) -> [R; 3] {
        let t = self.tangent[k];
        scl3(add_scl3(x, t, -dot3(t, x)), R::one() / self.length[k])
    }

    /// Slopes over the two edges, from the slope over the curvature and that over the twist.
    fn slopes(&self, over: [R; 3], torque: R) -> [[R; 3]; 2] {
        let [t0, t1] = self.tangent;
        let along = dot3(self.curvature, over);
        let turned = [cross(t1, over), cross(over, t0)];
        std::array::from_fn(|k| {
            let slope = add_scl3(scl3(turned[k], R::splat(2.0)), [t1, t0][k], -along);
            let bent = self.across(k, scl3(slope, R::one() / self.chi));
            add_scl3(bent, self.curvature, torque * self.twist_slope(k))
        })
    }

    // slope of the twist between the edges over one of them, in units of the curvature
    fn twist_slope(&self, k: usize) -> R {
        R::splat(0.5) / self.length[k]
    }

    /// Rate at which the frames of the edges twist against each other.
    fn twist_rate(&self, d: &Data<R>) -> R {
        let rate = |k: usize| {
            let vel = sub3(d.flexvert_vel[self.v[k + 1]], d.flexvert_vel[self.v[k]]);
            dot3(self.curvature, vel) * self.twist_slope(k)
        };
        rate(0) + rate(1)
    }

    /// Adds forces down the slopes over the edges.
    fn push(&self, force: &mut [[R; 3]], [first, second]: [[R; 3]; 2]) {
        let [a, b, c] = self.v;
        force[a] = add3(force[a], first);
        force[b] = add3(force[b], sub3(second, first));
        force[c] = sub3(force[c], second);
    }

    // length of the curvature, 0 where its direction is but rounding
    fn size(&self) -> R {
        let size = norm3(self.curvature);
        R::select(nothing(R::one()).lt(size), size, R::zero())
    }

    // direction of the curvature, zero where it has none
    fn direction(&self, size: R) -> [R; 3] {
        let some = nonzero(size);
        let inverse = R::one() / R::select(some, size, R::one());
        scl3(self.curvature, R::select(some, inverse, R::zero()))
    }

    // slope of the damping: only the angle between the edges is damped, unless they are aligned
    fn damped(&self, stiffness: R) -> [R; 3] {
        let size = self.size();
        let dir = self.direction(size);
        let along = scl3(dir, dot3(dir, self.rate));
        scl3(select3(nonzero(size), along, self.rate), stiffness)
    }
}

/// Adds the forces of a rod.
pub fn rod_forces<R: Real>(m: &Model, d: &mut Data<R>, f: usize) {
    for k in 0..hinges(m, f) {
        if twists(m, f) {
            twisting_hinge(m, d, f, k);
        } else if m.flex_bending[record(m, f, k) + 3] < 0.0 {
            plain_hinge(m, d, f, k);
        } else {
            pair(m, d, f, k);
        }
    }
}

// a hinge without twist: of curvature at rest only the size counts
fn plain_hinge<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize) {
    let v = [0, 1, 2].map(|c| corner(m, f, k, c));
    let adr = record(m, f, k);
    let [stiffness, rest] = [4, 6].map(|i| d.own.flex_bending(m, adr + i));
    let bend = Bend::new(d, v);
    hold(m, d, f, &bend, stiffness, Size::new(&bend, rest));
}

/// Size of a curvature, smoothed where it has one at rest.
#[derive(Clone, Copy)]
struct Size<R> {
    smooth: R,
    // the smoothed size at rest
    held: R,
    // 1 at rest, 0 without curvature, and its slope over the size
    weight: R,
    slope: R,
}

impl<R: Real> Size<R> {
    fn new(bend: &Bend<R>, rest: R) -> Self {
        let square = dot3(bend.curvature, bend.curvature);
        let more = rest * rest * R::splat(SMOOTH);
        let smooth = (square + more).sqrt().max(R::splat(MINVAL));
        let unit = R::splat((1.0 + SMOOTH).sqrt());
        Self {
            smooth,
            held: rest * unit,
            weight: square.sqrt() * unit / smooth,
            slope: unit * more / (smooth * smooth * smooth),
        }
    }
}

// holds the size of the curvature at a hinge
fn hold<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    f: usize,
    bend: &Bend<R>,
    stiffness: R,
    size: Size<R>,
) {
    let two = R::splat(2.0);
    let pull = two * stiffness * (R::one() - size.held / size.smooth);
    let slopes = bend.slopes(scl3(bend.curvature, pull), R::zero());
    bend.push(&mut d.flexvert_spring, slopes);
    let damping = two * d.own.flex_damping(m, f);
    let slopes = bend.slopes(bend.damped(stiffness * damping), R::zero());
    bend.push(&mut d.flexvert_damper, slopes);
}

// two neighbours that are bent at rest, and the angle between their planes
fn pair<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize) {
    let v = [0, 1, 2, 3].map(|c| corner(m, f, k, c));
    let adr = record(m, f, k);
    let said: [R; RECORD] = std::array::from_fn(|i| d.own.flex_bending(m, adr + i));
    let bends = [0, 1].map(|k| Bend::new(d, [v[k], v[k + 1], v[k + 2]]));
    let sizes = [0, 1].map(|k| Size::new(&bends[k], said[6 + k]));
    for k in [0, 1] {
        hold(m, d, f, &bends[k], said[4 + k], sizes[k]);
    }

    // slope of the angle over the vertices
    let edge = |k: usize| sub3(d.flexvert_xpos[v[k + 1]], d.flexvert_xpos[v[k]]);
    let [e0, e1, e2] = [edge(0), edge(1), edge(2)];
    let (n0, n1) = (cross(e0, e1), cross(e1, e2));
    let (dir, length) = normalize3(e1);
    let [a, b] = [n0, n1].map(|n| scl3(n, R::one() / dot3(n, n).max(R::splat(MINVAL))));
    let [s0, s2] = [e0, e2].map(|e| dot3(e, dir));
    let ends = [scl3(a, -length), scl3(b, length)];
    let middle = add_scl3(scl3(a, s0), b, s2);
    let slope = [
        ends[0],
        sub3(middle, ends[0]),
        scl3(add3(middle, ends[1]), -R::one()),
        ends[1],
    ];
    let size = (dot3(n0, n0) * dot3(n1, n1)).sqrt().max(R::splat(MINVAL));
    let (sine, cosine) = (dot3(cross(n0, n1), dir) / size, dot3(n0, n1) / size);
    let two = R::splat(2.0);
    let weight = sizes[0].weight * sizes[1].weight;
    let torque = two * (sine * said[8] - cosine * said[9]) * weight;
    let rate = (0..4).fold(R::zero(), |sum, k| {
        sum + dot3(slope[k], d.flexvert_vel[v[k]])
    });
    let stiffness = (said[8] * said[8] + said[9] * said[9]).sqrt();
    let energy = two * (stiffness - cosine * said[8] - sine * said[9]);
    for k in [0, 1] {
        // the angle counts less where a bend vanishes
        let pull = energy * sizes[1 - k].weight * sizes[k].slope / sizes[k].smooth;
        let over = scl3(bends[k].curvature, pull);
        bends[k].push(&mut d.flexvert_spring, bends[k].slopes(over, R::zero()));
    }
    let damping = stiffness * weight * weight * R::splat(1.0 / (1.0 + SMOOTH));
    let drag = two * d.own.flex_damping(m, f) * damping * rate;
    for (v, slope) in v.into_iter().zip(slope) {
        d.flexvert_spring[v] = add_scl3(d.flexvert_spring[v], slope, -torque);
        d.flexvert_damper[v] = add_scl3(d.flexvert_damper[v], slope, -drag);
    }
}

/// Axes of the material of an edge, and the joint that turns it.
struct Axes<R> {
    joint: Option<usize>,
    // angle and its rate
    angle: R,
    rate: R,
    axes: [[R; 3]; 2],
}

fn axes<R: Real>(m: &Model, d: &Data<R>, f: usize, e: usize) -> Axes<R> {
    let at = m.flex_plasticadr[f] as usize + 6 * e;
    let (tangent, frame) = (vec_at(&d.rod_plastic, at), vec_at(&d.rod_plastic, at + 3));
    let side = cross(tangent, frame);
    let Some(j) = twist_joint(m, f, e) else {
        // it turns with its body
        let body = m.flex_vertbodyid[vertex(m, f, e)] as usize;
        return Axes {
            joint: None,
            angle: R::zero(),
            rate: dot3(vec_at(&d.cvel[body], 0), tangent),
            axes: [side, scl3(frame, -R::one())],
        };
    };
    let q = m.jnt_qposadr[j] as usize;
    let angle = d.qpos[q] - d.own.qpos0(m, q);
    let (sine, cosine) = angle.sin_cos();
    let first = add_scl3(scl3(frame, cosine), side, sine);
    Axes {
        joint: Some(j),
        angle,
        rate: d.qvel[m.jnt_dofadr[j] as usize],
        axes: [cross(tangent, first), scl3(first, -R::one())],
    }
}

// a hinge of an open chain whose edges twist
fn twisting_hinge<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize) {
    let v = [0, 1, 2].map(|c| corner(m, f, k, c));
    let adr = record(m, f, k);
    let bend = Bend::new(d, v);
    let edges = [k, k + 1].map(|e| axes(m, d, f, e));
    let (two, half) = (R::splat(2.0), R::splat(0.5));
    let damping = two * d.own.flex_damping(m, f);

    // torsion
    let stiffness = d.own.flex_bending(m, adr + 8);
    let frames = m.flex_plasticadr[f] as usize + 6 * (hinges(m, f) + 1) + k;
    let twist = edges[1].angle - edges[0].angle + d.rod_plastic[frames];
    let rate = edges[1].rate - edges[0].rate + bend.twist_rate(d);
    let torque = two * stiffness * twist;
    let drag = damping * stiffness * rate;

    // bending
    let weak = d.own.flex_bending(m, adr + 4);
    let strong = weak + d.own.flex_bending(m, adr + 5);
    let minor = m.flex_bending[adr + 9];
    let mixed = (weak * strong).sqrt();
    let (stiff, damp) = ([strong, weak], [strong, mixed]);
    let mut turns = [-torque, torque];
    let (over, drags) = if minor == 0.0 && m.flex_bending[adr + 6] == 0.0 {
        (scl3(bend.curvature, two * weak), bend.damped(weak))
    } else {
        let rest = m.flex_rodadr[f] as usize + REST + CURVATURES * k;
        let size = bend.size();
        let dir = bend.direction(size);
        let mut over = [R::zero(); 3];
        let (mut aligned, mut stiffness) = ([R::zero(); 3], R::zero());
        for (j, edge) in edges.iter().enumerate() {
            let at = |axis: usize| d.own.flex_rod(m, rest + 2 * j + axis);
            let own: [R; 2] = std::array::from_fn(|axis| dot3(bend.curvature, edge.axes[axis]));
            let pull: [R; 2] = std::array::from_fn(|axis| stiff[axis] * (own[axis] - at(axis)));
            turns[j] += pull[0] * own[1] - pull[1] * own[0];
            for axis in 0..2 {
                let along = edge.axes[axis];
                over = add_scl3(over, along, pull[axis]);
                let part = dot3(dir, along);
                stiffness += half * damp[axis] * part * part;
                aligned = add_scl3(aligned, along, half * damp[axis] * dot3(along, bend.rate));
            }
        }
        let bent = scl3(dir, stiffness * dot3(dir, bend.rate));
        (over, select3(nonzero(size), bent, aligned))
    };
    let mut slopes = bend.slopes(over, torque);
    for (j, edge) in edges.iter().enumerate() {
        // the shortest way from the kept direction also twists the frame
        if edge.joint.is_some() {
            let kept = kept(m, &d.plastic, f, k + j);
            let twist = scl3(curvature(kept, bend.tangent[j]), bend.twist_slope(j));
            slopes[j] = add_scl3(slopes[j], twist, -turns[j]);
        }
    }
    bend.push(&mut d.flexvert_spring, slopes);
    bend.push(
        &mut d.flexvert_damper,
        bend.slopes(scl3(drags, damping), drag),
    );
    for (j, edge) in edges.iter().enumerate() {
        let drag = if j == 0 { -drag } else { drag };
        turn(m, d, f, k + j, edge.joint, [-turns[j], -drag]);
    }
}

// adds the torques of spring and damper about an edge: to its joint, or to the body that holds it
fn turn<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    f: usize,
    e: usize,
    joint: Option<usize>,
    torques: [R; 2],
) {
    let off = [DSBL_SPRING, DSBL_DAMPER].map(|flag| m.opt.disabled(flag));
    let on = |k: usize| if off[k] { R::zero() } else { torques[k] };
    let (spring, damper) = (on(0), on(1));
    if let Some(j) = joint {
        let dof = m.jnt_dofadr[j] as usize;
        d.qfrc_spring[dof] += spring;
        d.qfrc_damper[dof] += damper;
        return;
    }
    let v = vertex(m, f, e);
    let body = m.flex_vertbodyid[v] as usize;
    let tangent = vec_at(&d.rod_plastic, m.flex_plasticadr[f] as usize + 6 * e);
    let (at, none) = (d.flexvert_xpos[v], [R::zero(); 3]);
    let mut qfrc = std::mem::take(&mut d.qfrc_spring);
    apply_ft(m, d, &mut qfrc, body, at, none, scl3(tangent, spring));
    d.qfrc_spring = qfrc;
    let mut qfrc = std::mem::take(&mut d.qfrc_damper);
    apply_ft(m, d, &mut qfrc, body, at, none, scl3(tangent, damper));
    d.qfrc_damper = qfrc;
}
