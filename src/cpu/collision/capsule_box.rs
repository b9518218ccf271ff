//! Capsule and box: the point of the capsule's segment nearest to the box, and a second one where the capsule lies along a face
//! or an edge. Each point is then tested as a sphere against the box.
//!
//! In one world or in worlds side by side: `near` is the mask of worlds in which the two are near. Edges that are nearly parallel need
//! double precision.

use super::plane::Ball;
use super::sphere_box::ball_box;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::real::{Mask, Real};
use crate::types::*;

/// Position on the segment that stands for no second point.
const NONE: f64 = -4.0;

// the capsule's segment in the frame of the box
struct Segment<R: Real> {
    center: [R; 3],
    axis: [R; 3],
    halfaxis: [R; 3],
    half: R,
    // true where a component of the axis is positive
    direction: [R::Mask; 3],
}

// feature of the box nearest to the segment: at most one is true of `face`, of `edge`, and of the three kinds
struct Nearest<R: Real> {
    on_face: R::Mask,
    on_edge: R::Mask,
    on_corner: R::Mask,
    // squared distance
    dist: R,
    // position on the segment, -1 to 1
    on_segment: R,
    // position on the edge, -1 to 1
    along_edge: R,
    // face: its axis; none if the point is inside the box
    face: [R::Mask; 3],
    // edge: its axis, and the sides of the corner at which it begins
    edge: [R::Mask; 3],
    corner: [R::Mask; 3],
}

/// Capsule and box: the point of the capsule's segment nearest to the box, and a second one where the capsule lies along a face
/// or an edge (`mjc_CapsuleBox`).
pub fn capsule_box<R: Real>(
    capsule: &Shape<R>,
    cube: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let zero = R::zero();
    let half = capsule.size[1];
    let axis = mul_mat_t_vec3(cube.mat, capsule.axis());
    let halfaxis = scl3(axis, half);
    let segment = Segment {
        center: mul_mat_t_vec3(cube.mat, sub3(capsule.pos, cube.pos)),
        axis,
        halfaxis,
        half,
        direction: halfaxis.map(|x| zero.lt(x)),
    };
    let size = cube.size;
    let radius = capsule.size[0];
    let far = margin + R::splat(2.0) * (radius + half + size[0] + size[1] + size[2]);
    let none = zero.lt(zero);
    let mut nearest = Nearest {
        on_face: none,
        on_edge: none,
        on_corner: none,
        dist: far * far,
        on_segment: zero,
        along_edge: zero,
        face: [none; 3],
        edge: [none; 3],
        corner: [none; 3],
    };
    nearest_face(&segment, size, &mut nearest);
    nearest_edge(&segment, size, &mut nearest);
    let Nearest {
        on_face,
        on_edge,
        on_corner,
        on_segment,
        ..
    } = nearest;
    let lanes = near & (on_face | on_edge | on_corner);
    if !lanes.any() {
        return;
    }

    // a sphere at the nearest point, and one at the second
    let mut second = R::splat(NONE);
    if (lanes & on_face).any() {
        second = R::select(on_face, second_on_face(&segment, size, &nearest), second);
    }
    if (lanes & on_edge).any() {
        let across = second_across_edge(&segment, size, &nearest);
        second = R::select(on_edge, across, second);
    }
    if (lanes & on_corner).any() {
        let from = second_from_corner(&segment, size, &nearest);
        second = R::select(on_corner, from, second);
    }
    let at = |x: R| Ball {
        center: add_scl3(segment.center, segment.halfaxis, x),
        radius,
    };
    ball_box(at(on_segment), cube, margin, lanes, out);
    let lanes = lanes & R::splat(-3.0).lt(second);
    if lanes.any() {
        ball_box(at(second + on_segment), cube, margin, lanes, out);
    }
}

// an end of the segment above a face or inside the box
#[inline(always)]
fn nearest_face<R: Real>(segment: &Segment<R>, size: [R; 3], near: &mut Nearest<R>) {
    for end in [-1.0, 1.0] {
        let end = R::splat(end);
        let point = add_scl3(segment.center, segment.halfaxis, end);
        let mut clamped = point;
        let mut face = near.face;
        for j in 0..3 {
            face[j] = size[j].lt(point[j].abs());
            let side = R::select(point[j].lt(R::zero()), -size[j], size[j]);
            clamped[j] = R::select(face[j], side, point[j]);
        }
        let several = (face[0] & face[1]) | (face[0] & face[2]) | (face[1] & face[2]);
        let dif = sub3(clamped, point);
        let dist = dot3(dif, dif);
        let nearer = !several & dist.lt(near.dist);
        near.on_face = near.on_face | nearer;
        near.dist = R::select(nearer, dist, near.dist);
        near.on_segment = R::select(nearer, end, near.on_segment);
        near.face = either(nearer, face, near.face);
    }
}

// masks of three axes, by lane
#[inline(always)]
fn either<M: Mask>(lanes: M, yes: [M; 3], no: [M; 3]) -> [M; 3] {
    [0, 1, 2].map(|k| (lanes & yes[k]) | (!lanes & no[k]))
}

// the component of the one axis whose mask is true; 0 if none is
#[inline(always)]
fn pick<R: Real>(axis: [R::Mask; 3], x: [R; 3]) -> R {
    let mut picked = R::zero();
    for k in 0..3 {
        picked = R::select(axis[k], x[k], picked);
    }
    picked
}

// the axis after an axis
#[inline(always)]
fn next<M: Copy>([x, y, z]: [M; 3]) -> [M; 3] {
    [z, x, y]
}

// the segment against each of the twelve edges
#[inline(always)]
fn nearest_edge<R: Real>(segment: &Segment<R>, size: [R; 3], near: &mut Nearest<R>) {
    nearest_along::<R, 0>(segment, size, near);
    nearest_along::<R, 1>(segment, size, near);
    nearest_along::<R, 2>(segment, size, near);
}

// the edges along axis J
#[inline(always)]
fn nearest_along<R: Real, const J: usize>(
    segment: &Segment<R>,
    size: [R; 3],
    near: &mut Nearest<R>,
) {
    let (zero, one) = (R::zero(), R::one());
    for i in 0..8 {
        if i & (1 << J) != 0 {
            continue;
        }

        // middle of the edge
        let sign = |bit: i32| if i & bit != 0 { one } else { -one };
        let mut middle = [sign(1) * size[0], sign(2) * size[1], sign(4) * size[2]];
        middle[J] = zero;
        let dif = sub3(middle, segment.center);

        // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v
        let ma = size[J] * size[J];
        let mb = -size[J] * segment.halfaxis[J];
        let mc = segment.half * segment.half;
        let u = -size[J] * dif[J];
        let v = dot3(segment.halfaxis, dif);
        let det = ma * mc - mb * mb;
        let meet = !det.abs().lt(R::splat(MINVAL));
        if !meet.any() {
            continue;
        }
        let mut x1 = (mc * u - mb * v) / det;
        let mut x2 = (ma * v - mb * u) / det;

        // clipped to the segments; an edge clipped at an end counts as that corner
        let [high, low] = [one.lt(x1), x1.lt(-one)];
        if (high | low).any() {
            let side = R::select(high, one, -one);
            x1 = R::select(high | low, side, x1);
            x2 = R::select(high | low, (v - side * mb) / mc, x2);
        }
        let [high2, low2] = [one.lt(x2), x2.lt(-one)];
        if (high2 | low2).any() {
            let side = R::select(high2, one, -one);
            x2 = R::select(high2 | low2, side, x2);
            x1 = R::select(high2 | low2, (u - side * mb) / ma, x1);
        }
        let [high1, low1] = [one.lt(x1), x1.lt(-one)];
        x1 = R::select(high1, one, R::select(low1, -one, x1));
        let first = low1 | (low & !high1);
        let last = high1 | (high & !low1);

        // the nearest so far
        let mut gap = add_scl3(dif, segment.halfaxis, -x2);
        gap[J] += size[J] * x1;
        let dist = dot3(gap, gap);
        let nearer = meet & dist.lt(near.dist - R::splat(MINVAL));
        if nearer.any() {
            let end = first | last;
            near.on_face = near.on_face & !nearer;
            near.on_edge = (nearer & !end) | (!nearer & near.on_edge);
            near.on_corner = (nearer & end) | (!nearer & near.on_corner);
            near.dist = R::select(nearer, dist, near.dist);
            near.on_segment = R::select(nearer, x2, near.on_segment);
            near.along_edge = R::select(nearer, x1, near.along_edge);
            let always = zero.le(zero);
            let corner = [0, 1, 2].map(|k| match k {
                k if k == J => last,
                k if i & (1 << k) != 0 => always,
                _ => !always,
            });
            let edge = [0, 1, 2].map(|k| if k == J { always } else { !always });
            near.corner = either(nearer, corner, near.corner);
            near.edge = either(nearer, edge, near.edge);
        }
    }
}

// length along the segment, in half lengths, over which it crosses the whole box along an axis
#[inline(always)]
fn crossing<R: Real>(segment: &Segment<R>, size: [R; 3], axis: [R::Mask; 3]) -> R {
    let along = pick(axis, segment.halfaxis).abs();
    R::splat(2.0) * pick(axis, size) / along.max(R::splat(MINVAL))
}

// nearest to a corner: along an edge or along a face, unless the segment points at the corner
fn second_from_corner<R: Real>(segment: &Segment<R>, size: [R; 3], near: &Nearest<R>) -> R {
    let one = R::one();
    let turn = [0, 1, 2].map(|k| segment.direction[k] ^ near.corner[k]);
    let points = (turn[0] & turn[1] & turn[2]) | !(turn[0] | turn[1] | turn[2]);
    let two = !(turn[0] ^ turn[1] ^ turn[2]);
    let axis = turn.map(|turn| turn ^ two);
    let sign = R::select(two, -one, one);
    let ahead = one - sign * near.on_segment;
    let behind = one + sign * near.on_segment;
    let part = pick(axis, segment.axis);
    // along the edge
    let edge = sign * ahead.min(crossing(segment, size, axis));
    // along the face
    let side = next(axis);
    let second = behind.min(crossing(segment, size, side));
    let face = -sign * second.min(crossing(segment, size, next(side)));
    let second = R::select(R::splat(0.5).lt(part * part), edge, face);
    R::select(points, R::splat(NONE), second)
}

// nearest to an edge: the segment crosses it, so the second point is over a face
fn second_across_edge<R: Real>(segment: &Segment<R>, size: [R; 3], near: &Nearest<R>) -> R {
    let (one, axis) = (R::one(), near.edge);
    let turn = [0, 1, 2].map(|k| (segment.direction[k] ^ near.corner[k]) & !axis[k]);
    let crosses = turn[0] ^ turn[1] ^ turn[2];

    // the direction across the adjacent face to which the segment is more parallel
    let side = next(axis);
    let [part1, part2] = [side, next(side)].map(|side| pick(side, segment.axis).abs());
    let across = either(part2.lt(part1), side, next(side));
    let ahead = (turn[0] & across[0]) | (turn[1] & across[1]) | (turn[2] & across[2]);
    let sign = R::select(ahead, one, -one);

    // up to the end of the segment, the far side of the face, or the end of the edge
    let mut second = (one - sign * near.on_segment).min(crossing(segment, size, across));
    let towards = [0, 1, 2].map(|k| segment.direction[k] & axis[k]);
    let same = !((towards[0] | towards[1] | towards[2]) ^ ahead);
    let left = R::select(same, one - near.along_edge, one + near.along_edge);
    let along = pick(axis, segment.halfaxis).abs().max(R::splat(MINVAL));
    second = second.min(pick(axis, size) * left / along);
    R::select(crosses, sign * second, R::splat(NONE))
}

// an end is nearest to a face: the second point is where the segment leaves the space above the face, at most the other end
fn second_on_face<R: Real>(segment: &Segment<R>, size: [R; 3], near: &Nearest<R>) -> R {
    let zero = R::zero();
    let sign = -near.on_segment;
    let end = add_scl3(segment.center, segment.halfaxis, -sign);
    let mut second = R::splat(2.0);
    for i in 0..3 {
        let open = !near.face[i] & nonzero(segment.halfaxis[i]);
        for side in [1.0, -1.0] {
            let x = (R::splat(side) * size[i] - end[i]) / segment.halfaxis[i] * sign;
            second = R::select(open & zero.lt(x), second.min(x), second);
        }
    }
    let above = near.face[0] | near.face[1] | near.face[2];
    R::select(above, sign * second, R::splat(NONE))
}

#[cfg(test)]
mod tests {
    use super::*;

    // their squared distance is more than the lengths of both together
    #[test]
    fn a_capsule_far_from_a_box_has_its_distance() {
        let mat = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let shape = |pos, size| Shape { pos, mat, size };
        let capsule = shape([0.0, 0.0, 3.0], [0.05, 0.08, 0.0]);
        let cube = shape([0.0; 3], [0.09, 0.07, 0.05]);
        let mut out = Contacts::new();
        capsule_box(&capsule, &cube, 3.0, true, &mut out);
        let dist = out.point[..out.num].iter().map(|p| p.dist);
        let nearest = dist.fold(f64::INFINITY, f64::min);
        assert!((nearest - 2.82).abs() < 1e-12, "{nearest}");
    }
}
