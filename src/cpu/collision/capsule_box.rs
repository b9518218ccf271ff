//! Capsule and box: the point of the capsule's segment nearest to the box, and a second one where the capsule lies along a face
//! or an edge. Each point is then tested as a sphere against the box.

use super::plane::Ball;
use super::sphere_box::ball_box;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Position on the segment that stands for no second point.
const NONE: f64 = -4.0;

// the capsule's segment in the frame of the box
struct Segment {
    center: [f64; 3],
    axis: [f64; 3],
    halfaxis: [f64; 3],
    half: f64,
    // bit i: component i of the axis is positive
    direction: i32,
}

// feature of the box nearest to the segment
struct Nearest {
    kind: Kind,
    // squared distance
    dist: f64,
    // position on the segment, -1 to 1
    on_segment: f64,
    // position on the edge, -1 to 1
    on_edge: f64,
    // face: its axis, or -1 if the point is inside the box
    face: i32,
    // edge: its axis, and the corner at which it begins, bit i: on the +i side
    edge: usize,
    corner: i32,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    None,
    Face,
    Edge,
    Corner,
}

/// Capsule and box: the point of the capsule's segment nearest to the box, and a second one where the capsule lies along a face
/// or an edge (`mjc_CapsuleBox`).
pub fn capsule_box(capsule: &Shape, cube: &Shape, margin: f64, out: &mut Contacts) {
    let half = capsule.size[1];
    let axis = mul_mat_t_vec3(cube.mat, capsule.axis());
    let halfaxis = scl3(axis, half);
    let bit = |i: usize| i32::from(halfaxis[i] > 0.0) << i;
    let segment = Segment {
        center: mul_mat_t_vec3(cube.mat, sub3(capsule.pos, cube.pos)),
        axis,
        halfaxis,
        half,
        direction: bit(0) + bit(1) + bit(2),
    };
    let size = cube.size;
    let radius = capsule.size[0];
    let far = margin + 2.0 * (radius + half + size[0] + size[1] + size[2]);
    let far2 = far * far;
    let mut near = Nearest {
        kind: Kind::None,
        dist: far2,
        on_segment: 0.0,
        on_edge: 0.0,
        face: -1,
        edge: 0,
        corner: 0,
    };
    nearest_face(&segment, size, &mut near);
    nearest_edge(&segment, size, &mut near);
    if near.kind == Kind::None {
        return;
    }

    // a sphere at the nearest point, and one at the second
    let second = match near.kind {
        Kind::Face => second_on_face(&segment, size, &near),
        Kind::Edge => second_across_edge(&segment, size, &near),
        _ => second_from_corner(&segment, size, &near),
    };
    let at = |x: f64| Ball {
        center: add_scl3(segment.center, segment.halfaxis, x),
        radius,
    };
    ball_box(at(near.on_segment), cube, margin, true, out);
    if second > -3.0 {
        ball_box(at(second + near.on_segment), cube, margin, true, out);
    }
}

// an end of the segment above a face or inside the box
fn nearest_face(segment: &Segment, size: [f64; 3], near: &mut Nearest) {
    for end in [-1.0, 1.0] {
        let point = add_scl3(segment.center, segment.halfaxis, end);
        let mut outside = 0;
        let mut face = -1;
        let mut clamped = point;
        for j in 0..3 {
            if point[j].abs() > size[j] {
                outside += 1;
                face = j as i32;
                clamped[j] = if point[j] < 0.0 { -size[j] } else { size[j] };
            }
        }
        if outside > 1 {
            continue;
        }
        let dif = sub3(clamped, point);
        let dist = dot3(dif, dif);
        if dist < near.dist {
            near.kind = Kind::Face;
            near.dist = dist;
            near.on_segment = end;
            near.face = face;
        }
    }
}

// the segment against each of the twelve edges
fn nearest_edge(segment: &Segment, size: [f64; 3], near: &mut Nearest) {
    for j in 0..3 {
        for i in 0..8 {
            if i & (1 << j) != 0 {
                continue;
            }

            // middle of the edge
            let sign = |bit: i32| if i & bit != 0 { 1.0 } else { -1.0 };
            let mut middle = [sign(1) * size[0], sign(2) * size[1], sign(4) * size[2]];
            middle[j] = 0.0;
            let dif = sub3(middle, segment.center);

            // nearest points of two lines: ma x1 + mb x2 = u, mb x1 + mc x2 = v
            let ma = size[j] * size[j];
            let mb = -size[j] * segment.halfaxis[j];
            let mc = segment.half * segment.half;
            let u = -size[j] * dif[j];
            let v = dot3(segment.halfaxis, dif);
            let det = ma * mc - mb * mb;
            if det.abs() < MINVAL {
                continue;
            }
            let mut x1 = (mc * u - mb * v) / det;
            let mut x2 = (ma * v - mb * u) / det;

            // clipped to the segments; an edge clipped at an end counts as that corner
            let mut end = 0;
            if x1 > 1.0 {
                x1 = 1.0;
                x2 = (v - mb) / mc;
                end = 1;
            } else if x1 < -1.0 {
                x1 = -1.0;
                x2 = (v + mb) / mc;
                end = -1;
            }
            if x2 > 1.0 {
                x2 = 1.0;
                x1 = (u - mb) / ma;
            } else if x2 < -1.0 {
                x2 = -1.0;
                x1 = (u + mb) / ma;
            }
            if x1 > 1.0 {
                x1 = 1.0;
                end = 1;
            } else if x1 < -1.0 {
                x1 = -1.0;
                end = -1;
            }

            // the nearest so far
            let mut gap = add_scl3(dif, segment.halfaxis, -x2);
            gap[j] += size[j] * x1;
            let dist = dot3(gap, gap);
            if dist < near.dist - MINVAL {
                near.kind = if end != 0 { Kind::Corner } else { Kind::Edge };
                near.dist = dist;
                near.on_segment = x2;
                near.on_edge = x1;
                near.edge = j;
                near.corner = i + if end == 1 { 1 << j } else { 0 };
            }
        }
    }
}

// length along the segment, in half lengths, over which it crosses the whole box along an axis
fn crossing(segment: &Segment, size: [f64; 3], i: usize) -> f64 {
    2.0 * size[i] / segment.halfaxis[i].abs().max(MINVAL)
}

// nearest to a corner: along an edge or along a face, unless the segment points at the corner
fn second_from_corner(segment: &Segment, size: [f64; 3], near: &Nearest) -> f64 {
    let mut turn = segment.direction ^ near.corner;
    if turn == 0 || turn == 7 {
        return NONE;
    }
    let mut sign = 1.0;
    if turn == 3 || turn == 5 || turn == 6 {
        turn = 7 - turn;
        sign = -1.0;
    }
    let ahead = 1.0 - sign * near.on_segment;
    let behind = 1.0 + sign * near.on_segment;
    let ax = if turn == 4 { 2 } else { turn as usize - 1 };
    if segment.axis[ax] * segment.axis[ax] > 0.5 {
        // along the edge
        sign * ahead.min(crossing(segment, size, ax))
    } else {
        // along the face
        let [ax1, ax2] = [(ax + 1) % 3, (ax + 2) % 3];
        let second = behind.min(crossing(segment, size, ax1));
        -sign * second.min(crossing(segment, size, ax2))
    }
}

// nearest to an edge: the segment crosses it, so the second point is over a face
fn second_across_edge(segment: &Segment, size: [f64; 3], near: &Nearest) -> f64 {
    let ax = near.edge;
    let turn = (segment.direction ^ near.corner) & (7 - (1 << ax));
    if turn != 1 && turn != 2 && turn != 4 {
        return NONE;
    }

    // the direction across the adjacent face to which the segment is more parallel
    let [side1, side2] = [(ax + 1) % 3, (ax + 2) % 3];
    let flat = segment.axis[side1].abs() > segment.axis[side2].abs();
    let across = if flat { side1 } else { side2 };
    let ahead = turn & (1 << across) != 0;
    let sign = if ahead { 1.0 } else { -1.0 };

    // up to the end of the segment, the far side of the face, or the end of the edge
    let mut second = (1.0 - sign * near.on_segment).min(crossing(segment, size, across));
    let same = (segment.direction & (1 << ax) != 0) == ahead;
    let left = if same {
        1.0 - near.on_edge
    } else {
        1.0 + near.on_edge
    };
    second = second.min(size[ax] * left / segment.halfaxis[ax].abs().max(MINVAL));
    sign * second
}

// an end is nearest to a face: the second point is where the segment leaves the space above the face, at most the other end
fn second_on_face(segment: &Segment, size: [f64; 3], near: &Nearest) -> f64 {
    if near.face < 0 {
        return NONE;
    }
    let sign = -near.on_segment;
    let end = add_scl3(segment.center, segment.halfaxis, -sign);
    let mut second = 2.0f64;
    for i in 0..3 {
        if i as i32 == near.face || segment.halfaxis[i] == 0.0 {
            continue;
        }
        for side in [1.0, -1.0] {
            let x = (side * size[i] - end[i]) / segment.halfaxis[i] * sign;
            if x > 0.0 {
                second = second.min(x);
            }
        }
    }
    sign * second
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
        capsule_box(&capsule, &cube, 3.0, &mut out);
        let dist = out.point[..out.num].iter().map(|p| p.dist);
        let nearest = dist.fold(f64::INFINITY, f64::min);
        assert!((nearest - 2.82).abs() < 1e-12, "{nearest}");
    }
}
