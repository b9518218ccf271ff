//! Two boxes: the axis of greatest separation among 15, then the contacts of the faces or edges that meet along it
//! (`mjc_BoxBox`).
//!
//! ```text
//!   a face wins: the facing face of the other box        an edge pair wins: one contact
//!   is clipped to the four sides of the face             midway between the edges
//!        ┌──────┐                                              ╲ ╱
//!     ┌──┼───┐  │                                               ╳
//!     │  └───┼──┘                                              ╱ ╲
//! ```

use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Slack of the separation tests for rounding, as a fraction of the sizes of both boxes.
const SEPARATION: f64 = 1e-13;
/// Squared sine of the angle below which two edges count as parallel.
const PARALLEL: f64 = 1e-16;
/// Component of the axis below which either of two edges may be the supporting one.
const AMBIGUOUS: f64 = 1e-9;
/// Squared distance, relative to the face, below which two corners are the same.
const SAME: f64 = 1e-14;
/// Relative margin by which an edge pair must be better than the best face.
const BIAS: f64 = 1e-6;
/// Maximum number of corners of a clipped face.
const MAXCORNER: usize = 12;

// two boxes, each in the frame of the other
struct Boxes<'a> {
    first: &'a Shape,
    second: &'a Shape,
    // axes of the second in the frame of the first, as columns
    rot: [f64; 9],
    // center of the second in the frame of the first, and the reverse
    pos21: [f64; 3],
    pos12: [f64; 3],
    margin: f64,
    // margin with slack
    slack: f64,
}

/// Two boxes (`mjc_BoxBox`).
pub fn box_box(first: &Shape, second: &Shape, margin: f64, out: &mut Contacts) {
    let columns: [[f64; 3]; 3] =
        std::array::from_fn(|j| mul_mat_t_vec3(first.mat, column(second.mat, j)));
    let sizes = add3(first.size, second.size);
    let boxes = Boxes {
        first,
        second,
        rot: std::array::from_fn(|k| columns[k % 3][k / 3]),
        pos21: mul_mat_t_vec3(first.mat, sub3(second.pos, first.pos)),
        pos12: mul_mat_t_vec3(second.mat, sub3(first.pos, second.pos)),
        margin,
        slack: margin + SEPARATION * (sizes[0] + sizes[1] + sizes[2]),
    };
    let axis = best_axis(&boxes);
    if axis >= 6 {
        edge_edge(&boxes, axis as usize - 6, out);
    } else if axis >= 0 {
        face(&boxes, axis as usize, out);
    }
}

// the axis of greatest separation: 0..2 face of the first, 3..5 of the second, 6 + 3 i + j edges i and j; -1: apart
fn best_axis(b: &Boxes) -> i32 {
    let mut best = -MAXVAL;
    let mut axis = -1;

    // faces
    for i in 0..3 {
        let separation = b.pos21[i].abs() - b.first.size[i] - reach(b, i, true);
        if separation > b.slack {
            return -1;
        }
        if separation > best {
            best = separation;
            axis = i as i32;
        }
    }
    for j in 0..3 {
        let separation = b.pos12[j].abs() - b.second.size[j] - reach(b, j, false);
        if separation > b.slack {
            return -1;
        }
        if separation > best {
            best = separation;
            axis = 3 + j as i32;
        }
    }

    // pairs of edges, unless parallel
    let (face, best_face) = (axis, best);
    for i in 0..3 {
        for j in 0..3 {
            let cross = edge_cross(b, i, j);
            let norm2 = dot3(cross, cross);
            if norm2 < PARALLEL {
                continue;
            }
            let separation = edge_separation(b, i, j, scl3(cross, 1.0 / norm2.sqrt()));
            if separation > b.slack {
                return -1;
            }
            if separation - BIAS * separation.abs() > best && separation > best_face {
                best = separation;
                axis = 6 + (3 * i + j) as i32;
            }
        }
    }

    // a pair of edges along nearly the axis of the best face gives way to the face, which has more contacts of about the same depth
    if axis >= 6 {
        let edges = axis as usize - 6;
        let (dir, _) = normalize3(edge_cross(b, edges / 3, edges % 3));
        let along = match face < 3 {
            true => dir[face as usize],
            false => dot3(dir, column(b.rot, face as usize - 3)),
        };
        let close = best < best_face + 0.05 * best_face.abs() + MINVAL;
        if along.abs() > 0.99 && close {
            axis = face;
        }
    }
    axis
}

// half extent of the other box along a face normal
fn reach(b: &Boxes, i: usize, of_first: bool) -> f64 {
    let (normal, size) = match of_first {
        true => (
            [b.rot[3 * i], b.rot[3 * i + 1], b.rot[3 * i + 2]],
            b.second.size,
        ),
        false => (column(b.rot, i), b.first.size),
    };
    normal[0].abs() * size[0] + normal[1].abs() * size[1] + normal[2].abs() * size[2]
}

// cross product of edge i of the first and edge j of the second, in the frame of the first: component i is zero
fn edge_cross(b: &Boxes, i: usize, j: usize) -> [f64; 3] {
    let [i1, i2] = [(i + 1) % 3, (i + 2) % 3];
    let mut cross = [0.0; 3];
    cross[i1] = -b.rot[3 * i2 + j];
    cross[i2] = b.rot[3 * i1 + j];
    cross
}

fn edge_separation(b: &Boxes, i: usize, j: usize, dir: [f64; 3]) -> f64 {
    let [i1, i2] = [(i + 1) % 3, (i + 2) % 3];
    let [j1, j2] = [(j + 1) % 3, (j + 2) % 3];
    let size1 = b.first.size;
    let size2 = b.second.size;
    let reach1 = size1[i1] * dir[i1].abs() + size1[i2] * dir[i2].abs();
    let part1 = dir[i1] * b.rot[3 * i1 + j1] + dir[i2] * b.rot[3 * i2 + j1];
    let part2 = dir[i1] * b.rot[3 * i1 + j2] + dir[i2] * b.rot[3 * i2 + j2];
    let reach2 = size2[j1] * part1.abs() + size2[j2] * part2.abs();
    (dir[i1] * b.pos21[i1] + dir[i2] * b.pos21[i2]).abs() - reach1 - reach2
}

// one contact midway between two edges
fn edge_edge(b: &Boxes, edges: usize, out: &mut Contacts) {
    let [i, j] = [edges / 3, edges % 3];
    let [i1, i2] = [(i + 1) % 3, (i + 2) % 3];
    let [j1, j2] = [(j + 1) % 3, (j + 2) % 3];

    // the axis points from the first to the second
    let (mut axis, _) = normalize3(edge_cross(b, i, j));
    if dot3(axis, b.pos21) < 0.0 {
        axis = scl3(axis, -1.0);
    }
    let axis2 = mul_mat_t_vec3(b.rot, axis);

    // where the axis lies in a face, either of two edges may be nearest: try both
    let ambiguous = |axis: [f64; 3], k1: usize, k2: usize| match axis {
        axis if axis[k1].abs() < AMBIGUOUS => k1,
        axis if axis[k2].abs() < AMBIGUOUS => k2,
        _ => 3,
    };
    let [turn1, turn2] = [ambiguous(axis, i1, i2), ambiguous(axis2, j1, j2)];
    let mut gap2 = MAXVAL;
    let (mut point1, mut point2) = ([0.0; 3], [0.0; 3]);
    for try1 in 0..if turn1 < 3 { 2 } else { 1 } {
        for try2 in 0..if turn2 < 3 { 2 } else { 1 } {
            let corner = |size: [f64; 3], axis: [f64; 3], k: usize, turn: usize| {
                let sign = if axis[k] >= 0.0 { 1.0 } else { -1.0 };
                if k == turn {
                    -sign * size[k]
                } else {
                    sign * size[k]
                }
            };
            let turned1 = if try1 == 1 { turn1 } else { 3 };
            let turned2 = if try2 == 1 { turn2 } else { 3 };
            let mut middle1 = [0.0; 3];
            let mut middle2 = [0.0; 3];
            for k in [i1, i2] {
                middle1[k] = corner(b.first.size, axis, k, turned1);
            }
            for k in [j1, j2] {
                middle2[k] = -corner(b.second.size, axis2, k, turned2);
            }
            let middle2 = add3(mul_mat_vec3(b.rot, middle2), b.pos21);
            let (near1, near2) = edge_points(b, i, j, middle1, middle2);
            let gap = sub3(near2, near1);
            if dot3(gap, gap) < gap2 {
                gap2 = dot3(gap, gap);
                point1 = near1;
                point2 = near2;
            }
        }
    }

    // the contact
    let dist = dot3(sub3(point2, point1), axis);
    if dist > b.slack {
        return;
    }
    let middle = scl3(add3(point1, point2), 0.5);
    let pos = add3(mul_mat_vec3(b.first.mat, middle), b.first.pos);
    out.add(dist, pos, mul_mat_vec3(b.first.mat, axis));
}

// nearest points of two edges given by their middles
fn edge_points(
    b: &Boxes,
    i: usize,
    j: usize,
    middle1: [f64; 3],
    middle2: [f64; 3],
) -> ([f64; 3], [f64; 3]) {
    let dir2 = column(b.rot, j);
    let slope = dir2[i];
    let dif = sub3(middle2, middle1);
    let (along1, along2) = (dif[i], dot3(dir2, dif));
    let (half1, half2) = (b.first.size[i], b.second.size[j]);
    let sine2 = 1.0 - slope * slope;
    let free = match sine2 < MINVAL {
        true => 0.0,
        false => (along1 - slope * along2) / sine2,
    };
    let x1 = clip(free, -half1, half1);
    let x2 = clip(slope * x1 - along2, -half2, half2);
    let x1 = clip(along1 + slope * x2, -half1, half1);
    let mut point1 = middle1;
    point1[i] += x1;
    (point1, add_scl3(middle2, dir2, x2))
}

// contacts of a face of one box (reference) and the facing face of the other (incident)
fn face(b: &Boxes, code: usize, out: &mut Contacts) {
    let of_first = code < 3;
    let a = code % 3;
    let (reference, incident) = match of_first {
        true => (b.first, b.second),
        false => (b.second, b.first),
    };
    let center = if of_first { b.pos21 } else { b.pos12 };

    // axes of the incident box in the frame of the reference, as columns
    let r = b.rot;
    let rot = match of_first {
        true => r,
        false => [r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]],
    };
    let sign = if center[a] >= 0.0 { 1.0 } else { -1.0 };

    // corners of the incident face: x, y in the reference face, z above it
    let [ax, ay] = [(a + 1) % 3, (a + 2) % 3];
    let mut corner = [[0.0; 3]; MAXCORNER];
    incident_face(center, rot, incident.size, [ax, ay, a], sign, &mut corner);
    for point in &mut corner[..4] {
        point[2] -= reference.size[a];
    }

    // clip to the sides of the reference face
    let [sizex, sizey] = [reference.size[ax], reference.size[ay]];
    let mut num = 4;
    num = cut(&mut corner, num, 0, 1.0, sizex);
    num = cut(&mut corner, num, 0, -1.0, sizex);
    num = cut(&mut corner, num, 1, 1.0, sizey);
    num = cut(&mut corner, num, 1, -1.0, sizey);

    // corners within the margin, duplicates left out
    let normal = scl3(
        column(reference.mat, a),
        if of_first { sign } else { -sign },
    );
    let same = SAME * (sizex * sizex + sizey * sizey);
    let mut kept = 0;
    for k in 0..num {
        let point = corner[k];
        let repeated = corner[..kept].iter().any(|other| {
            let (x, y) = (other[0] - point[0], other[1] - point[1]);
            x * x + y * y < same
        });
        if point[2] > b.margin || repeated {
            continue;
        }
        corner[kept] = point;
        kept += 1;
        let mut local = [0.0; 3];
        local[ax] = point[0];
        local[ay] = point[1];
        local[a] = sign * (reference.size[a] + 0.5 * point[2]);
        let pos = add3(mul_mat_vec3(reference.mat, local), reference.pos);
        out.add(point[2], pos, normal);
    }
}

// the face of the incident box that is most opposed to the reference face
fn incident_face(
    center: [f64; 3],
    rot: [f64; 9],
    size: [f64; 3],
    axes: [usize; 3],
    sign: f64,
    corner: &mut [[f64; 3]; MAXCORNER],
) {
    let a = axes[2];
    let mut facing = 0;
    for k in 1..3 {
        if rot[3 * a + k].abs() > rot[3 * a + facing].abs() {
            facing = k;
        }
    }
    let side = match sign * rot[3 * a + facing] > 0.0 {
        true => -size[facing],
        false => size[facing],
    };
    let [u, v] = [(facing + 1) % 3, (facing + 2) % 3];
    for (row, &axis) in axes.iter().enumerate() {
        let up = if row == 2 { sign } else { 1.0 };
        let middle = up * (center[axis] + side * rot[3 * axis + facing]);
        let along_u = up * size[u] * rot[3 * axis + u];
        let along_v = up * size[v] * rot[3 * axis + v];
        corner[0][row] = middle + along_u + along_v;
        corner[1][row] = middle - along_u + along_v;
        corner[2][row] = middle - along_u - along_v;
        corner[3][row] = middle + along_u - along_v;
    }
}

// clips a polygon to the side below a limit in one coordinate; returns the number of corners left
fn cut(
    corner: &mut [[f64; 3]; MAXCORNER],
    num: usize,
    coord: usize,
    sign: f64,
    limit: f64,
) -> usize {
    let above = |point: [f64; 3]| sign * point[coord] - limit;
    if corner[..num].iter().all(|&point| above(point) <= 0.0) {
        return num;
    }
    let from = *corner;
    let mut left = 0;
    for k in 0..num {
        let next = if k + 1 == num { 0 } else { k + 1 };
        let (p, q) = (from[k], from[next]);
        let (dp, dq) = (above(p), above(q));
        if dp <= 0.0 && left < MAXCORNER {
            corner[left] = p;
            left += 1;
        }
        let crosses = (dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0);
        if crosses && left < MAXCORNER {
            corner[left] = add_scl3(p, sub3(q, p), dp / (dp - dq));
            left += 1;
        }
    }
    left
}
