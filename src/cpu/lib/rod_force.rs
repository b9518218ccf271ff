//! Forces of elastic rods: bending and torsion, on the vertices of flexes of lines and on the hinges that twist their edges
//! (`mj_flexPassiveBend1D`).

use crate::cpu::lib::contact::select3;
use crate::cpu::lib::force::apply_ft;
use crate::cpu::lib::math::*;
use crate::cpu::lib::rod::*;
use crate::fields::{Data, Model};
use crate::real::Real;
use crate::types::{DSBL_DAMPER, DSBL_SPRING, MINVAL};

/// Part of the squared curvature at rest by which the size of a curvature is smoothed.
pub(super) const SMOOTH: f64 = 1e-8;

/// Two edges that meet at a hinge.
pub struct Bend<R> {
    pub v: [usize; 3],
    pub tangent: [[R; 3]; 2],
    length: [R; 2],
    chi: R,
    pub curvature: [R; 3],
    // change of the curvature with time
    rate: [R; 3],
}

/// Two edges that meet at a hinge, by their three vertices.
pub fn bend_at<R: Real>(d: &Data<R>, v: [usize; 3]) -> Bend<R> {
    let (t0, l0) = between(d, [v[0], v[1]]);
    let (t1, l1) = between(d, [v[1], v[2]]);
    let mut out = Bend {
        v,
        tangent: [t0, t1],
        length: [l0, l1],
        chi: (R::one() + dot3(t0, t1)).max(R::splat(MINVAL)),
        curvature: curvature(t0, t1),
        rate: [R::zero(); 3],
    };
    let turn0 = out.across(0, sub3(d.flexvert_vel[v[1]], d.flexvert_vel[v[0]]));
    let turn1 = out.across(1, sub3(d.flexvert_vel[v[2]], d.flexvert_vel[v[1]]));
    let moved = add3(cross(turn0, t1), cross(t0, turn1));
    let change = dot3(turn0, t1) + dot3(t0, turn1);
    let rate = add_scl3(scl3(moved, R::splat(2.0)), out.curvature, -change);
    out.rate = scl3(rate, R::one() / out.chi);
    out
}

impl<R: Real> Bend<R> {
    /// Change of the direction of an edge with the vector from its first to its second vertex.
    pub fn across(&self, k: usize, x: [R; 3]) -> [R; 3] {
        let t = self.tangent[k];
        scl3(add_scl3(x, t, -dot3(t, x)), R::one() / self.length[k])
    }

    /// Slopes over the two edges, from the slope over the curvature and that over the twist.
    pub fn slopes(&self, over: [R; 3], torque: R) -> [[R; 3]; 2] {
        let [t0, t1] = self.tangent;
        let along = dot3(self.curvature, over);
        let turned = [cross(t1, over), cross(over, t0)];
        std::array::from_fn(|k| {
            let slope = add_scl3(scl3(turned[k], R::splat(2.0)), [t1, t0][k], -along);
            let bent = self.across(k, scl3(slope, R::one() / self.chi));
            add_scl3(bent, self.curvature, torque * self.twist_slope(k))
        })
    }

    /// Slope of the twist between the edges over one of them, in units of the curvature.
    pub fn twist_slope(&self, k: usize) -> R {
        R::splat(0.5) / self.length[k]
    }

    /// Rate at which the frames of the edges twist against each other.
    pub fn twist_rate(&self, d: &Data<R>) -> R {
        let rate = |k: usize| {
            let vel = sub3(d.flexvert_vel[self.v[k + 1]], d.flexvert_vel[self.v[k]]);
            dot3(self.curvature, vel) * self.twist_slope(k)
        };
        rate(0) + rate(1)
    }

    /// Adds forces down the slopes over the edges.
    pub fn push(&self, force: &mut [[R; 3]], [first, second]: [[R; 3]; 2]) {
        let [a, b, c] = self.v;
        force[a] = add3(force[a], first);
        force[b] = add3(force[b], sub3(second, first));
        force[c] = sub3(force[c], second);
    }

    /// Length of the curvature, 0 where its direction is but rounding.
    pub fn size(&self) -> R {
        let size = norm3(self.curvature);
        R::select(nothing(R::one()).lt(size), size, R::zero())
    }

    /// Direction of the curvature, zero where it has none.
    pub fn direction(&self, size: R) -> [R; 3] {
        let some = nonzero(size);
        let inverse = R::one() / R::select(some, size, R::one());
        scl3(self.curvature, R::select(some, inverse, R::zero()))
    }

    /// Slope of the damping: only the angle between the edges is damped, unless they are aligned.
    pub fn damped(&self, stiffness: R) -> [R; 3] {
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
            bent_pair(m, d, f, k);
        }
    }
}

// a hinge without twist: of curvature at rest only the size counts
fn plain_hinge<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize) {
    let v = [0, 1, 2].map(|c| rod_corner(m, f, k, c));
    let adr = record(m, f, k);
    let [stiffness, rest] = [4, 6].map(|i| d.own.flex_bending(m, adr + i));
    let bend = bend_at(d, v);
    hold_bend(m, d, f, &bend, stiffness, smoothed(&bend, rest));
}

/// Size of a curvature, smoothed where it has one at rest.
#[derive(Clone, Copy)]
pub struct Size<R> {
    pub smooth: R,
    // the smoothed size at rest
    pub held: R,
    // 1 at rest, 0 without curvature, and its slope over the size
    pub weight: R,
    slope: R,
}

// the size of the curvature at a hinge; `rest` is that at rest
pub fn smoothed<R: Real>(bend: &Bend<R>, rest: R) -> Size<R> {
    let square = dot3(bend.curvature, bend.curvature);
    let more = rest * rest * R::splat(SMOOTH);
    let smooth = (square + more).sqrt().max(R::splat(MINVAL));
    let unit = R::splat((1.0 + SMOOTH).sqrt());
    Size {
        smooth,
        held: rest * unit,
        weight: square.sqrt() * unit / smooth,
        slope: unit * more / (smooth * smooth * smooth),
    }
}

// holds the size of the curvature at a hinge
fn hold_bend<R: Real>(
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

/// Two neighbouring hinges that are bent at rest.
pub(super) struct Pair<R> {
    pub v: [usize; 4],
    /// Numbers of its record.
    pub said: [R; RECORD],
    pub bends: [Bend<R>; 2],
    pub sizes: [Size<R>; 2],
}

/// The pair of a record.
pub(super) fn pair_at<R: Real>(m: &Model, d: &Data<R>, f: usize, k: usize) -> Pair<R> {
    let v = [0, 1, 2, 3].map(|c| rod_corner(m, f, k, c));
    let adr = record(m, f, k);
    let said: [R; RECORD] = std::array::from_fn(|i| d.own.flex_bending(m, adr + i));
    let bends = [0, 1].map(|k| bend_at(d, [v[k], v[k + 1], v[k + 2]]));
    let sizes = [0, 1].map(|k| smoothed(&bends[k], said[6 + k]));
    Pair {
        v,
        said,
        bends,
        sizes,
    }
}

// two neighbours that are bent at rest, and the angle between their planes
fn bent_pair<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize) {
    let Pair {
        v,
        said,
        bends,
        sizes,
    } = pair_at(m, d, f, k);
    for k in [0, 1] {
        hold_bend(m, d, f, &bends[k], said[4 + k], sizes[k]);
    }

    let Fold {
        sine,
        cosine,
        turns: [first, second],
    } = fold(d, v);
    let slope: [[R; 3]; 4] = std::array::from_fn(|k| sub3(second[k], first[k]));
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

/// Angle between the planes of two neighbouring hinges.
pub struct Fold<R> {
    pub sine: R,
    pub cosine: R,
    // slopes over the vertices of how far both planes turn about the edge between them
    pub turns: [[[R; 3]; 4]; 2],
}

pub fn fold<R: Real>(d: &Data<R>, v: [usize; 4]) -> Fold<R> {
    let edge = |k: usize| sub3(d.flexvert_xpos[v[k + 1]], d.flexvert_xpos[v[k]]);
    let [e0, e1, e2] = [edge(0), edge(1), edge(2)];
    let (n0, n1) = (cross(e0, e1), cross(e1, e2));
    let (dir, length) = normalize3(e1);
    let [a, b] = [n0, n1].map(|n| scl3(n, R::one() / dot3(n, n).max(R::splat(MINVAL))));
    let [s0, s2] = [e0, e2].map(|e| dot3(e, dir));
    let none = [R::zero(); 3];
    let size = (dot3(n0, n0) * dot3(n1, n1)).sqrt().max(R::splat(MINVAL));
    Fold {
        sine: dot3(cross(n0, n1), dir) / size,
        cosine: dot3(n0, n1) / size,
        turns: [
            [scl3(a, length), scl3(a, -(s0 + length)), scl3(a, s0), none],
            [none, scl3(b, s2), scl3(b, -(s2 + length)), scl3(b, length)],
        ],
    }
}

/// Axes of the material of an edge, and the joint that turns it.
pub struct Axes<R> {
    pub joint: Option<usize>,
    // angle and its rate
    angle: R,
    rate: R,
    pub axes: [[R; 3]; 2],
}

pub fn axes<R: Real>(m: &Model, d: &Data<R>, f: usize, e: usize) -> Axes<R> {
    let at = m.flex_plasticadr[f] as usize + 6 * e;
    let tangent = vec_at(&d.rod_plastic, at);
    let frame = turned_frame(m, d, f, e);
    let axes = [cross(tangent, frame), scl3(frame, -R::one())];
    let Some(j) = twist_joint(m, f, e) else {
        // it turns with its body
        let body = m.flex_vertbodyid[vertex(m, f, e)] as usize;
        return Axes {
            joint: None,
            angle: R::zero(),
            rate: dot3(vec_at(&d.cvel[body], 0), tangent),
            axes,
        };
    };
    Axes {
        joint: Some(j),
        angle: twist_angle(m, d, j),
        rate: d.qvel[m.jnt_dofadr[j] as usize],
        axes,
    }
}

// a hinge of an open chain whose edges twist
fn twisting_hinge<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize) {
    let v = [0, 1, 2].map(|c| rod_corner(m, f, k, c));
    let bend = bend_at(d, v);
    let edges = [k, k + 1].map(|e| axes(m, d, f, e));
    let two = R::splat(2.0);
    let damping = two * d.own.flex_damping(m, f);

    // torsion
    let stiffness = d.own.flex_bending(m, record(m, f, k) + 8);
    let twists = m.flex_plasticadr[f] as usize + 6 * (hinges(m, f) + 1);
    let twist = edges[1].angle - edges[0].angle + d.rod_plastic[twists + k];
    let rate = edges[1].rate - edges[0].rate + bend.twist_rate(d);
    let torque = two * stiffness * twist;
    let drag = damping * stiffness * rate;

    // bending
    let Bending { over, rate, turns } = bending(m, d, f, k, &bend, &edges);
    let turns = [turns[0] - torque, turns[1] + torque];
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
    let slopes = bend.slopes(scl3(rate, damping), drag);
    bend.push(&mut d.flexvert_damper, slopes);
    twist_edge(m, d, f, k, edges[0].joint, [-turns[0], drag]);
    twist_edge(m, d, f, k + 1, edges[1].joint, [-turns[1], -drag]);
}

/// Bending at a hinge whose edges twist.
struct Bending<R> {
    // slope of the energy over the curvature
    over: [R; 3],
    // what damping holds: the rate of the curvature, times the stiffness
    rate: [R; 3],
    // slopes over the angles of the edges
    turns: [R; 2],
}

fn bending<R: Real>(
    m: &Model,
    d: &Data<R>,
    f: usize,
    k: usize,
    bend: &Bend<R>,
    edges: &[Axes<R>; 2],
) -> Bending<R> {
    let adr = record(m, f, k);
    let (two, half) = (R::splat(2.0), R::splat(0.5));
    let weak = d.own.flex_bending(m, adr + 4);
    // straight and round
    if m.flex_bending[adr + 9] == 0.0 && m.flex_bending[adr + 6] == 0.0 {
        return Bending {
            over: scl3(bend.curvature, two * weak),
            rate: bend.damped(weak),
            turns: [R::zero(); 2],
        };
    }

    let strong = weak + d.own.flex_bending(m, adr + 5);
    let mixed = (weak * strong).sqrt();
    let (stiff, damp) = ([strong, weak], [strong, mixed]);
    let rest = m.flex_rodadr[f] as usize + REST + CURVATURES * k;
    let size = bend.size();
    let dir = bend.direction(size);
    let mut out = Bending {
        over: [R::zero(); 3],
        rate: [R::zero(); 3],
        turns: [R::zero(); 2],
    };
    let mut stiffness = R::zero();
    for (j, edge) in edges.iter().enumerate() {
        let mut own = [R::zero(); 2];
        let mut pull = [R::zero(); 2];
        for axis in 0..2 {
            let along = edge.axes[axis];
            own[axis] = dot3(bend.curvature, along);
            let held = d.own.flex_rod(m, rest + 2 * j + axis);
            pull[axis] = stiff[axis] * (own[axis] - held);
            out.over = add_scl3(out.over, along, pull[axis]);
            let part = dot3(dir, along);
            stiffness += half * damp[axis] * part * part;
            let aligned = half * damp[axis] * dot3(along, bend.rate);
            out.rate = add_scl3(out.rate, along, aligned);
        }
        out.turns[j] = pull[0] * own[1] - pull[1] * own[0];
    }
    let bent = scl3(dir, stiffness * dot3(dir, bend.rate));
    out.rate = select3(nonzero(size), bent, out.rate);
    out
}

// adds the torques of spring and damper about an edge: to its joint, or to the body that holds it
fn twist_edge<R: Real>(
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
