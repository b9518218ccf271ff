//! What elastic rods add to the metric of a discrete step: the squares of the slopes of their curvatures and twists
//! (`mjd_flexStiff_assemble`).
//!
//! The slopes of the material's axes are left out, and of what is negative nothing is taken: the metric stays positive. The twist that
//! moving vertices cause is in the metric, but not in the change of forces over a timestep.

use super::math::*;
use super::rod::*;
use super::rod_force::{Bend, Pair, SMOOTH, Size, axes, bend_at, fold, pair_at, smoothed};
use super::soft_metric::{Weight, add_form, add_hinges};
use crate::fields::{Data, Model};
use crate::real::Real;

type Mat3<R> = [[R; 3]; 3];

/// Weights of what a rod holds: of springs, of the twist by moving vertices, and of dampers.
#[derive(Clone, Copy)]
struct Weights<R> {
    spring: Weight<R>,
    twist: Weight<R>,
    damper: Weight<R>,
}

/// Adds the material of a rod to `efm_K_val` and `efm_c`: `shift` is the timestep, or zero without springs.
pub(super) fn stiffen_rod<R: Real>(m: &Model, d: &mut Data<R>, f: usize, shift: R, damping: R) {
    let h = d.own.timestep(m);
    let of = |metric: R, shift: R| Weight { metric, shift };
    let weights = Weights {
        spring: of(h * shift, shift),
        twist: of(h * shift, R::zero()),
        damper: of(h * damping, R::zero()),
    };
    for k in 0..hinges(m, f) {
        if twists(m, f) {
            twisting_metric(m, d, f, k, weights);
        } else if m.flex_bending[record(m, f, k) + 3] < 0.0 {
            let v = [0, 1, 2].map(|c| rod_corner(m, f, k, c));
            let adr = record(m, f, k);
            let [stiffness, rest] = [4, 6].map(|i| d.own.flex_bending(m, adr + i));
            let bend = bend_at(d, v);
            held_metric(m, d, &bend, stiffness, smoothed(&bend, rest), None, weights);
        } else {
            pair_metric(m, d, f, k, weights);
        }
    }
}

// x y'
fn outer<R: Real>(x: [R; 3], y: [R; 3]) -> Mat3<R> {
    x.map(|x| scl3(y, x))
}

fn add_scaled<R: Real>(to: &mut Mat3<R>, mat: Mat3<R>, scale: R) {
    for (to, row) in to.iter_mut().zip(mat) {
        *to = add_scl3(*to, row, scale);
    }
}

fn unit<R: Real>(scale: R) -> Mat3<R> {
    let none = R::zero();
    [
        [scale, none, none],
        [none, scale, none],
        [none, none, scale],
    ]
}

// adds a quadratic form of the curvature
fn add_curved<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    weight: Weight<R>,
    bend: &Bend<R>,
    form: &Mat3<R>,
) {
    let slopes = unit(R::one()).map(|axis| corners(bend.slopes(axis, R::zero())));
    add_form(m, d, weight, bend.v, &slopes, form);
}

// slopes over three vertices, from those over the two edges
fn corners<R: Real>([first, second]: [[R; 3]; 2]) -> [[R; 3]; 3] {
    [scl3(first, -R::one()), sub3(first, second), second]
}

// what the damping of a hinge without twist holds: only the angle between its edges, unless they are aligned
fn damped_form<R: Real>(bend: &Bend<R>, stiffness: R) -> Mat3<R> {
    let size = bend.size();
    let dir = bend.direction(size);
    let aligned = R::select(nonzero(size), R::zero(), stiffness);
    let mut out = unit(aligned);
    add_scaled(&mut out, outer(dir, dir), stiffness);
    out
}

// a hinge that holds the size of its curvature; a tension resists its turning unless it is negative, of a pair's hinge only across the
// edge between both
fn held_metric<R: Real>(
    m: &Model,
    d: &mut Data<R>,
    bend: &Bend<R>,
    stiffness: R,
    size: Size<R>,
    edge: Option<[R; 3]>,
    weights: Weights<R>,
) {
    let two = R::splat(2.0) * stiffness;
    let dir = scl3(bend.curvature, R::one() / size.smooth);
    let tension = (R::one() - size.held / size.smooth).max(R::zero());
    let mut form = unit(two * tension);
    if let Some(edge) = edge {
        add_scaled(&mut form, outer(edge, edge), -two * tension);
    }
    add_scaled(&mut form, outer(dir, dir), two * (R::one() - tension));
    add_curved(m, d, weights.spring, bend, &form);
    add_curved(m, d, weights.damper, bend, &damped_form(bend, two));
}

// two neighbours that are bent at rest, and the angle between their planes
fn pair_metric<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize, weights: Weights<R>) {
    let Pair {
        v,
        said,
        bends,
        sizes,
    } = pair_at(m, d, f, k);
    for k in [0, 1] {
        let between = Some(bends[0].tangent[1]);
        held_metric(m, d, &bends[k], said[4 + k], sizes[k], between, weights);
    }
    let fold = fold(d, v);
    let weight = R::splat(2.0) * sizes[0].weight * sizes[1].weight;
    let stiffness = (said[8] * said[8] + said[9] * said[9]).sqrt();
    let [own, both] = [
        weight * stiffness,
        -weight * (fold.cosine * said[8] + fold.sine * said[9]),
    ];
    let form = [[own, both], [both, own]];
    add_form(m, d, weights.spring, v, &fold.turns, &form);
    let drag = own * sizes[0].weight * sizes[1].weight * R::splat(1.0 / (1.0 + SMOOTH));
    let form = [[drag, -drag], [-drag, drag]];
    add_form(m, d, weights.damper, v, &fold.turns, &form);
}

// a hinge of an open chain whose edges twist
fn twisting_metric<R: Real>(m: &Model, d: &mut Data<R>, f: usize, k: usize, weights: Weights<R>) {
    let v = [0, 1, 2].map(|c| rod_corner(m, f, k, c));
    let bend = bend_at(d, v);
    let edges = [k, k + 1].map(|e| axes(m, d, f, e));
    let adr = record(m, f, k);
    let [weak, more, torsion] = [4, 5, 8].map(|i| d.own.flex_bending(m, adr + i));
    let strong = weak + more;
    let (stiff, damp) = ([strong, weak], [strong, (weak * strong).sqrt()]);
    let rest = m.flex_rodadr[f] as usize + REST + CURVATURES * k;
    let size = bend.size();
    let dir = bend.direction(size);
    let (mut form, mut aligned) = (unit(R::zero()), unit(R::zero()));
    let mut bent = R::zero();
    let mut turning = [R::zero(); 2];
    for (j, edge) in edges.iter().enumerate() {
        let own = edge.axes.map(|axis| dot3(bend.curvature, axis));
        turning[j] = stiff[0] * own[1] * own[1] + stiff[1] * own[0] * own[0];
        for axis in 0..2 {
            let along = edge.axes[axis];
            let held = d.own.flex_rod(m, rest + 2 * j + axis);
            turning[j] -= stiff[axis] * (own[axis] - held) * own[axis];
            add_scaled(&mut form, outer(along, along), stiff[axis]);
            add_scaled(&mut aligned, outer(along, along), damp[axis]);
            let part = dot3(dir, along);
            bent += damp[axis] * part * part;
        }
    }
    add_curved(m, d, weights.spring, &bend, &form);
    let is_bent = nonzero(size);
    let mut form = aligned.map(|row| row.map(|x| R::select(is_bent, R::zero(), x)));
    add_scaled(
        &mut form,
        outer(dir, dir),
        R::select(is_bent, bent, R::zero()),
    );
    add_curved(m, d, weights.damper, &bend, &form);

    // torsion: by moving vertices, and by the hinges of joints
    let two = R::splat(2.0) * torsion;
    let slopes = [corners(bend.slopes([R::zero(); 3], R::one()))];
    let joints = [edges[0].joint, edges[1].joint];
    let turning = turning.map(|x| x.max(R::zero()));
    for weight in [weights.twist, weights.damper] {
        add_form(m, d, weight, v, &slopes, &[[two]]);
    }
    add_hinges(m, d, weights.spring, joints, two, turning);
    add_hinges(m, d, weights.damper, joints, two, [R::zero(); 2]);
}
