//! Two boxes: the axis of greatest separation among 15, then the contacts of the faces or edges that meet along it
//! (`mjc_BoxBox`). In one world or in worlds side by side: `near` is the mask of worlds in which the two are near. The choice of an
//! axis and of corners needs double precision.
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
use crate::real::{Mask, Real};
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
struct Boxes<'a, R: Real> {
    first: &'a Shape<R>,
    second: &'a Shape<R>,
    // axes of the second in the frame of the first, as columns
    rot: [R; 9],
    // center of the second in the frame of the first, and the reverse
    pos21: [R; 3],
    pos12: [R; 3],
    margin: R,
    // margin with slack
    slack: R,
}

/// Two boxes (`mjc_BoxBox`).
pub fn box_box<R: Real>(
    first: &Shape<R>,
    second: &Shape<R>,
    margin: R,
    near: R::Mask,
    out: &mut Contacts<R>,
) {
    let columns: [[R; 3]; 3] =
        std::array::from_fn(|j| mul_mat_t_vec3(first.mat, column(second.mat, j)));
    let sizes = add3(first.size, second.size);
    let boxes = Boxes {
        first,
        second,
        rot: std::array::from_fn(|k| columns[k % 3][k / 3]),
        pos21: mul_mat_t_vec3(first.mat, sub3(second.pos, first.pos)),
        pos12: mul_mat_t_vec3(second.mat, sub3(first.pos, second.pos)),
        margin,
        slack: margin + R::splat(SEPARATION) * (sizes[0] + sizes[1] + sizes[2]),
    };
    let axis = best_axis(&boxes, near);
    for code in 0..15 {
        let lanes = near & is(axis, code);
        if !lanes.any() {
            continue;
        }
        match code {
            0..6 => face(&boxes, code, lanes, out),
            _ => edge_edge(&boxes, code - 6, lanes, out),
        }
    }
}

// where a small integer that is kept as a number has this value
#[inline(always)]
fn is<R: Real>(x: R, value: usize) -> R::Mask {
    let value = R::splat(value as f64);
    x.le(value) & value.le(x)
}

// the axis of greatest separation: 0..2 face of the first, 3..5 of the second, 6 + 3 i + j edges i and j; -1: apart
fn best_axis<R: Real>(b: &Boxes<R>, near: R::Mask) -> R {
    let apart = R::splat(-1.0);
    let mut lanes = near;
    let mut best = R::splat(-MAXVAL);
    let mut axis = apart;

    // faces
    for i in 0..3 {
        let separation = b.pos21[i].abs() - b.first.size[i] - reach(b, i, true);
        lanes = lanes & !b.slack.lt(separation);
        let better = best.lt(separation);
        best = R::select(better, separation, best);
        axis = R::select(better, R::splat(i as f64), axis);
    }
    if !lanes.any() {
        return apart;
    }
    for j in 0..3 {
        let separation = b.pos12[j].abs() - b.second.size[j] - reach(b, j, false);
        lanes = lanes & !b.slack.lt(separation);
        let better = best.lt(separation);
        best = R::select(better, separation, best);
        axis = R::select(better, R::splat((3 + j) as f64), axis);
    }

    // pairs of edges, unless parallel
    let (face, best_face) = (axis, best);
    let mut along = [R::zero(); 3];
    for i in 0..3 {
        for j in 0..3 {
            if !lanes.any() {
                return apart;
            }
            let cross = edge_cross(b, i, j);
            let norm2 = dot3(cross, cross);
            let skew = lanes & !norm2.lt(R::splat(PARALLEL));
            if !skew.any() {
                continue;
            }
            let dir = scl3(cross, R::one() / norm2.sqrt());
            let separation = edge_separation(b, i, j, dir);
            lanes = lanes & !(skew & b.slack.lt(separation));
            let biased = separation - R::splat(BIAS) * separation.abs();
            let better = skew & best.lt(biased) & best_face.lt(separation);
            best = R::select(better, separation, best);
            axis = R::select(better, R::splat((6 + 3 * i + j) as f64), axis);
            along = select3(better, cross, along);
        }
    }

    // a pair of edges along nearly the axis of the best face gives way to the face, which has more contacts of about the same depth
    let edges = lanes & R::splat(5.5).lt(axis);
    if edges.any() {
        let (dir, _) = normalize3(along);
        let mut along = R::zero();
        for k in 0..3 {
            along = R::select(is(face, k), dir[k], along);
            along = R::select(is(face, 3 + k), dot3(dir, column(b.rot, k)), along);
        }
        let close = best.lt(best_face + R::splat(0.05) * best_face.abs() + R::splat(MINVAL));
        let gives = edges & R::splat(0.99).lt(along.abs()) & close;
        axis = R::select(gives, face, axis);
    }
    R::select(lanes, axis, apart)
}

// half extent of the other box along a face normal
#[inline(always)]
fn reach<R: Real>(b: &Boxes<R>, i: usize, of_first: bool) -> R {
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
#[inline(always)]
fn edge_cross<R: Real>(b: &Boxes<R>, i: usize, j: usize) -> [R; 3] {
    let [i1, i2] = [(i + 1) % 3, (i + 2) % 3];
    let mut cross = [R::zero(); 3];
    cross[i1] = -b.rot[3 * i2 + j];
    cross[i2] = b.rot[3 * i1 + j];
    cross
}

#[inline(always)]
fn edge_separation<R: Real>(b: &Boxes<R>, i: usize, j: usize, dir: [R; 3]) -> R {
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
fn edge_edge<R: Real>(b: &Boxes<R>, edges: usize, lanes: R::Mask, out: &mut Contacts<R>) {
    let (zero, one) = (R::zero(), R::one());
    let [i, j] = [edges / 3, edges % 3];
    let [i1, i2] = [(i + 1) % 3, (i + 2) % 3];
    let [j1, j2] = [(j + 1) % 3, (j + 2) % 3];

    // the axis points from the first to the second
    let (axis, _) = normalize3(edge_cross(b, i, j));
    let towards = R::select(dot3(axis, b.pos21).lt(zero), -one, one);
    let axis = scl3(axis, towards);
    let axis2 = mul_mat_t_vec3(b.rot, axis);

    // where the axis lies in a face, either of two edges may be nearest: try both
    let ambiguous = |axis: [R; 3], k1: usize, k2: usize| {
        let [flat1, flat2] = [k1, k2].map(|k| axis[k].abs().lt(R::splat(AMBIGUOUS)));
        [flat1, flat2 & !flat1]
    };
    let [turn1, turn2] = [ambiguous(axis, i1, i2), ambiguous(axis2, j1, j2)];
    let mut gap2 = R::splat(MAXVAL);
    let (mut point1, mut point2) = ([zero; 3], [zero; 3]);
    for try1 in [false, true] {
        for try2 in [false, true] {
            let mut tried = lanes;
            if try1 {
                tried = tried & (turn1[0] | turn1[1]);
            }
            if try2 {
                tried = tried & (turn2[0] | turn2[1]);
            }
            if !tried.any() {
                continue;
            }
            let corner = |size: R, axis: R, turned: R::Mask| {
                let sign = R::select(zero.le(axis), one, -one);
                R::select(turned, -sign, sign) * size
            };
            let never = zero.lt(zero);
            let mut middle1 = [zero; 3];
            let mut middle2 = [zero; 3];
            for (k, turn) in [i1, i2].into_iter().zip(turn1) {
                let turned = if try1 { turn } else { never };
                middle1[k] = corner(b.first.size[k], axis[k], turned);
            }
            for (k, turn) in [j1, j2].into_iter().zip(turn2) {
                let turned = if try2 { turn } else { never };
                middle2[k] = -corner(b.second.size[k], axis2[k], turned);
            }
            let middle2 = add3(mul_mat_vec3(b.rot, middle2), b.pos21);
            let (near1, near2) = edge_points(b, [i, j], middle1, middle2);
            let gap = sub3(near2, near1);
            let nearer = tried & dot3(gap, gap).lt(gap2);
            gap2 = R::select(nearer, dot3(gap, gap), gap2);
            point1 = select3(nearer, near1, point1);
            point2 = select3(nearer, near2, point2);
        }
    }

    // the contact
    let dist = dot3(sub3(point2, point1), axis);
    let middle = scl3(add3(point1, point2), R::splat(0.5));
    let point = Point {
        dist,
        pos: add3(mul_mat_vec3(b.first.mat, middle), b.first.pos),
        normal: mul_mat_vec3(b.first.mat, axis),
        tangent: [zero; 3],
    };
    out.add_where(lanes & !b.slack.lt(dist), point);
}

// nearest points of two edges given by their middles
fn edge_points<R: Real>(
    b: &Boxes<R>,
    [i, j]: [usize; 2],
    middle1: [R; 3],
    middle2: [R; 3],
) -> ([R; 3], [R; 3]) {
    let (zero, one) = (R::zero(), R::one());
    let dir2 = column(b.rot, j);
    let slope = dir2[i];
    let dif = sub3(middle2, middle1);
    let (along1, along2) = (dif[i], dot3(dir2, dif));
    let (half1, half2) = (b.first.size[i], b.second.size[j]);
    let sine2 = one - slope * slope;
    let parallel = sine2.lt(R::splat(MINVAL));
    let free = R::select(parallel, zero, (along1 - slope * along2) / sine2);
    let x1 = clip(free, -half1, half1);
    let x2 = clip(slope * x1 - along2, -half2, half2);
    let x1 = clip(along1 + slope * x2, -half1, half1);
    let mut point1 = middle1;
    point1[i] += x1;
    (point1, add_scl3(middle2, dir2, x2))
}

// a face being clipped: the corners of every lane, their number, and the largest number of any lane
struct Polygon<R: Real> {
    corner: [[R; 3]; MAXCORNER],
    num: R,
    most: usize,
}

// contacts of a face of one box (reference) and the facing face of the other (incident)
fn face<R: Real>(b: &Boxes<R>, code: usize, lanes: R::Mask, out: &mut Contacts<R>) {
    let (zero, one) = (R::zero(), R::one());
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
    let sign = R::select(zero.le(center[a]), one, -one);

    // corners of the incident face: x, y in the reference face, z above it
    let [ax, ay] = [(a + 1) % 3, (a + 2) % 3];
    let mut polygon = Polygon {
        corner: [[zero; 3]; MAXCORNER],
        num: R::splat(4.0),
        most: 4,
    };
    let corner = &mut polygon.corner;
    incident_face(center, rot, incident.size, [ax, ay, a], sign, corner);
    for point in &mut corner[..4] {
        point[2] -= reference.size[a];
    }

    // clip to the sides of the reference face
    let [sizex, sizey] = [reference.size[ax], reference.size[ay]];
    cut(&mut polygon, lanes, 0, one, sizex);
    cut(&mut polygon, lanes, 0, -one, sizex);
    cut(&mut polygon, lanes, 1, one, sizey);
    cut(&mut polygon, lanes, 1, -one, sizey);

    // corners within the margin, duplicates left out
    let side = if of_first { sign } else { -sign };
    let normal = scl3(column(reference.mat, a), side);
    let same = R::splat(SAME) * (sizex * sizex + sizey * sizey);
    let mut kept = [lanes; MAXCORNER];
    for k in 0..polygon.most {
        let point = polygon.corner[k];
        let here = lanes & R::splat(k as f64).lt(polygon.num);
        let mut keeps = here & !b.margin.lt(point[2]);
        for (other, &kept) in polygon.corner[..k].iter().zip(&kept) {
            let (x, y) = (other[0] - point[0], other[1] - point[1]);
            keeps = keeps & !(kept & (x * x + y * y).lt(same));
        }
        kept[k] = keeps;
        if !keeps.any() {
            continue;
        }
        let mut local = [zero; 3];
        local[ax] = point[0];
        local[ay] = point[1];
        local[a] = sign * (reference.size[a] + R::splat(0.5) * point[2]);
        let point = Point {
            dist: point[2],
            pos: add3(mul_mat_vec3(reference.mat, local), reference.pos),
            normal,
            tangent: [zero; 3],
        };
        out.add_where(keeps, point);
    }
}

// the face of the incident box that is most opposed to the reference face
fn incident_face<R: Real>(
    center: [R; 3],
    rot: [R; 9],
    size: [R; 3],
    axes: [usize; 3],
    sign: R,
    corner: &mut [[R; 3]; MAXCORNER],
) {
    let row = [0, 1, 2].map(|k| rot[3 * axes[2] + k].abs());
    let after = row[0].lt(row[1]);
    let last = R::select(after, row[1], row[0]).lt(row[2]);
    // of three numbers by axis, those of the facing axis and of the two axes after it
    let pick = |x: [R; 3]| {
        let turned = |k: usize| {
            let middle = R::select(after, x[(1 + k) % 3], x[k]);
            R::select(last, x[(2 + k) % 3], middle)
        };
        [turned(0), turned(1), turned(2)]
    };
    let [half, half_u, half_v] = pick(size);
    let [facing, ..] = pick([0, 1, 2].map(|k| rot[3 * axes[2] + k]));
    let side = R::select(R::zero().lt(sign * facing), -half, half);
    for (row, &axis) in axes.iter().enumerate() {
        let up = if row == 2 { sign } else { R::one() };
        let [normal, along_u, along_v] = pick([0, 1, 2].map(|k| rot[3 * axis + k]));
        let middle = up * (center[axis] + side * normal);
        let along_u = up * half_u * along_u;
        let along_v = up * half_v * along_v;
        corner[0][row] = middle + along_u + along_v;
        corner[1][row] = middle - along_u + along_v;
        corner[2][row] = middle - along_u - along_v;
        corner[3][row] = middle + along_u - along_v;
    }
}

// number of corners that are left: of every lane, the smallest, and the largest
struct Left<R> {
    num: R,
    least: usize,
    most: usize,
}

impl<R: Real> Left<R> {
    // adds a corner to the polygons of the lanes that have it, of all lanes of a face
    #[inline(always)]
    fn add(
        &mut self,
        corner: &mut [[R; 3]; MAXCORNER],
        lanes: R::Mask,
        has: R::Mask,
        point: [R; 3],
    ) {
        let has = has & self.num.lt(R::splat(MAXCORNER as f64));
        if !has.any() {
            return;
        }
        for (k, corner) in (self.least..=self.most).zip(&mut corner[self.least..]) {
            *corner = select3(has & is(self.num, k), point, *corner);
        }
        self.num += R::select(has, R::one(), R::zero());
        self.least += usize::from(!(has ^ lanes).any());
        self.most += 1;
    }
}

// clips a polygon to the side below a limit in one coordinate
fn cut<R: Real>(polygon: &mut Polygon<R>, lanes: R::Mask, coord: usize, sign: R, limit: R) {
    let zero = R::zero();
    let Polygon { corner, num, most } = polygon;
    let above = |point: [R; 3]| sign * point[coord] - limit;
    let used = |k: usize| lanes & R::splat(k as f64).lt(*num);
    if !(0..*most).any(|k| (used(k) & !above(corner[k]).le(zero)).any()) {
        return;
    }
    let from = *corner;
    let mut left = Left {
        num: zero,
        least: 0,
        most: 0,
    };
    for k in 0..*most {
        let here = used(k);
        let next = match k + 1 < *most {
            true => select3(used(k + 1), from[k + 1], from[0]),
            false => from[0],
        };
        let (p, q) = (from[k], next);
        let (dp, dq) = (above(p), above(q));
        left.add(corner, lanes, here & dp.le(zero), p);
        let crosses = (dp.lt(zero) & zero.lt(dq)) | (zero.lt(dp) & dq.lt(zero));
        if (here & crosses).any() {
            let point = add_scl3(p, sub3(q, p), dp / (dp - dq));
            left.add(corner, lanes, here & crosses, point);
        }
    }
    *num = left.num;
    *most = left.most.min(MAXCORNER);
}
