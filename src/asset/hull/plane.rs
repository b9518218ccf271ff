//! Bounds on rounding, and planes through three points.
//!
//! The points that a hull takes, and their order, depend on the last bits of these numbers, so the order of operations matters.

use super::super::vec3::V3;
use super::store::Stop;

const EPS: f64 = f64::EPSILON;

/// Size of the points' bounding box, and the tolerances that follow from it.
#[derive(Debug)]
pub(super) struct Roundoff {
    /// Lowest and highest point along x, y, z.
    pub extreme: [u32; 6],
    /// Largest extent along an axis.
    pub width: f64,
    /// A pivot or determinant below this is zero, for each column.
    pub nearzero: V3,
    /// Rounding of a point's height above a plane.
    pub dist: f64,
    /// A facet is seen from points higher than this.
    pub visible: f64,
    /// Points higher than this are outside.
    pub outside: f64,
    /// Most height over its facet that one merge may add to a vertex.
    pub onemerge: f64,
    /// Points less deep than this are kept with the facets above them.
    pub inside: f64,
    /// A facet is wide if a merge put a vertex farther from its plane.
    pub wide: f64,
    mindenom: f64,
    mindenom_1_2: f64,
    mindenom_2: f64,
}

impl Roundoff {
    pub fn new(points: &[V3]) -> Self {
        let mut extreme = [0; 6];
        let mut width = -f64::MAX;
        let (mut most, mut sum) = (0.0f64, 0.0f64);
        let mut nearzero = [0.0; 3];
        for k in 0..3 {
            let (mut lo, mut hi) = (0, 0);
            for (i, p) in points.iter().enumerate() {
                if points[hi][k] < p[k] {
                    hi = i;
                } else if points[lo][k] > p[k] {
                    lo = i;
                }
            }
            let (a, b) = (points[lo][k], points[hi][k]);
            let reach = larger(b, -a);
            width = larger(width, b - a);
            most = larger(most, reach);
            sum += reach;
            extreme[2 * k] = lo as u32;
            extreme[2 * k + 1] = hi as u32;
            nearzero[k] = 80.0 * sum * EPS;
        }
        let mut diagonal = 3f64.sqrt() * most;
        if diagonal > sum {
            diagonal = sum;
        }
        let dist = EPS * (3.0 * diagonal * 1.01 + most);
        let visible = 2.0 * dist;
        let onemerge = larger(dist, 3.0 * visible + dist);
        let outside = 2.0 * visible;
        let mindenom_1_2 = (f64::MIN_POSITIVE * 3.0).sqrt();
        Roundoff {
            extreme,
            width,
            nearzero,
            dist,
            visible,
            outside,
            onemerge,
            inside: onemerge * 5.0,
            wide: larger(outside, 6.0 * visible),
            mindenom: f64::MIN_POSITIVE * most,
            mindenom_1_2,
            mindenom_2: mindenom_1_2 * most,
        }
    }

    /// Normal and offset of the plane through three points, the first of them exactly in it.
    ///
    /// The third value is true if rounding spoiled the plane, so that its side must be found otherwise.
    pub fn plane(&self, p: [V3; 3], same: [bool; 3], toporient: bool) -> (V3, f64, bool) {
        let d = |i: usize, k: usize| p[i][k] - p[0][k];
        let mut n = [
            d(2, 1) * d(1, 2) - d(2, 2) * d(1, 1),
            d(1, 0) * d(2, 2) - d(1, 2) * d(2, 0),
            d(2, 0) * d(1, 1) - d(2, 1) * d(1, 0),
        ];
        self.normalize(&mut n, toporient);
        let offset = -(p[0][0] * n[0] + p[0][1] * n[1] + p[0][2] * n[2]);
        let off = |i: usize| {
            let q = p[i];
            let dist = offset + (q[0] * n[0] + q[1] * n[1] + q[2] * n[2]);
            !same[i] && (dist > self.dist || dist < -self.dist)
        };
        if off(2) || off(1) || off(0) {
            self.plane_by_elimination(p, same, toporient)
        } else {
            (n, offset, false)
        }
    }

    /// The same by Gaussian elimination with pivots.
    fn plane_by_elimination(
        &self,
        p: [V3; 3],
        same: [bool; 3],
        toporient: bool,
    ) -> (V3, f64, bool) {
        let mut rows = [[0.0; 3]; 2];
        let others = (0..3).filter(|&i| !same[i]);
        for (row, i) in rows.iter_mut().zip(others) {
            *row = std::array::from_fn(|k| p[i][k] - p[0][k]);
        }
        let mut sign = toporient;
        let mut nearzero = false;
        for k in 0..2 {
            let mut most = rows[k][k].abs();
            if k == 0 && rows[1][0].abs() > most {
                most = rows[1][0].abs();
                rows.swap(0, 1);
                sign = !sign;
            }
            if most <= self.nearzero[k] {
                nearzero = true;
            }
            if k == 0 && most != 0.0 {
                let n = rows[1][0] / rows[0][0];
                for j in 1..3 {
                    rows[1][j] -= n * rows[0][j];
                }
            }
        }
        for k in [1, 0] {
            sign ^= rows[k][k] < 0.0;
        }
        let one = if sign { -1.0 } else { 1.0 };
        let mut n = [0.0, 0.0, one];
        for i in [1, 0] {
            for j in i + 1..3 {
                n[i] -= rows[i][j] * n[j];
            }
            let diagonal = rows[i][i];
            if diagonal.abs() > self.mindenom_2 {
                n[i] /= diagonal;
            } else if let Some(x) = quotient(n[i], diagonal, self.mindenom_1_2) {
                n[i] = x;
            } else {
                nearzero = true;
                n[i] = one;
                n[i + 1..].fill(0.0);
            }
        }
        self.normalize(&mut n, true);
        let q = p[0];
        let mut offset = -(q[0] * n[0]);
        offset -= q[1] * n[1];
        offset -= q[2] * n[2];
        (n, offset, nearzero)
    }

    /// Scales to unit length, and reverses the direction unless `toporient`.
    fn normalize(&self, n: &mut V3, toporient: bool) {
        let mut norm = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        let tiny = norm <= self.mindenom;
        if norm == 0.0 {
            *n = [(1.0 / 3f64).sqrt(); 3];
            return;
        }
        if !toporient {
            norm = -norm;
        }
        if !tiny {
            *n = n.map(|x| x / norm);
            return;
        }
        for k in 0..3 {
            if let Some(x) = quotient(n[k], norm, f64::MIN_POSITIVE) {
                n[k] = x;
                continue;
            }
            let mut most = 0;
            for j in 1..3 {
                if n[j].abs() > n[most].abs() {
                    most = j;
                }
            }
            let one = if n[most] * norm >= 0.0 { 1.0 } else { -1.0 };
            *n = [0.0; 3];
            n[most] = one;
            return;
        }
    }

    /// The approximately largest simplex: its points, in the order in which they are chosen.
    pub fn simplex(&self, points: &[V3]) -> Result<Vec<u32>, Stop> {
        let x = |i: u32| points[i as usize][0];
        let (mut lo, mut hi) = (None, None);
        let (mut least, mut most) = (f64::MAX, -f64::MAX);
        for &i in &self.extreme {
            if most < x(i) {
                (most, hi) = (x(i), Some(i));
            }
            if least > x(i) {
                (least, lo) = (x(i), Some(i));
            }
        }
        let (Some(lo), Some(hi)) = (lo, hi) else {
            return Err(Stop::Flat);
        };
        if lo == hi {
            return Err(Stop::Flat);
        }
        let mut simplex = vec![lo, hi];
        let mut size = most - least;
        for _ in 2..4 {
            let next;
            (next, size) = self.largest(points, &simplex, size).ok_or(Stop::Flat)?;
            simplex.push(next);
        }
        Ok(simplex)
    }

    /// The point that makes the largest triangle (seen along z) or tetrahedron with those chosen: an extreme point, or any other
    /// only if the extreme points make next to nothing.
    fn largest(&self, points: &[V3], chosen: &[u32], before: f64) -> Option<(u32, f64)> {
        let mut best = None;
        let mut size = -1.0;
        let mut flat = false;
        for &i in &self.extreme {
            if !chosen.contains(&i) && Some(i) != best {
                let (det, zero) = self.determinant(points, chosen, i);
                if det.abs() > size {
                    (best, size, flat) = (Some(i), det.abs(), zero);
                }
            }
        }
        let target = before * self.width;
        let enough = (10.0 * 1.0e-3) * target;
        let small = size > 0.0 && size / target < 1.0e-3;
        if best.is_none() || flat || small {
            for i in 0..points.len() as u32 {
                if self.extreme.contains(&i) || chosen.contains(&i) {
                    continue;
                }
                let (det, zero) = self.determinant(points, chosen, i);
                if det.abs() > size {
                    (best, size, flat) = (Some(i), det.abs(), zero);
                    if !flat && size > enough {
                        break;
                    }
                }
            }
        }
        Some((best?, size))
    }

    /// Determinant of the vectors from a point to two others (of their x and y) or three, and whether it is nearly zero.
    fn determinant(&self, points: &[V3], chosen: &[u32], apex: u32) -> (f64, bool) {
        let a = points[apex as usize];
        let row = |i: usize| {
            let p = points[chosen[i] as usize];
            [p[0] - a[0], p[1] - a[1], p[2] - a[2]]
        };
        let (r, s) = (row(0), row(1));
        let k = chosen.len();
        let det = if k == 2 {
            det2(r[0], r[1], s[0], s[1])
        } else {
            let t = row(2);
            r[0] * det2(s[1], s[2], t[1], t[2]) - s[0] * det2(r[1], r[2], t[1], t[2])
                + t[0] * det2(r[1], r[2], s[1], s[2])
        };
        (det, det.abs() < 10.0 * self.nearzero[k - 1])
    }
}

/// Height of a point above a plane.
pub(super) fn height(p: V3, n: V3, offset: f64) -> f64 {
    offset + p[0] * n[0] + p[1] * n[1] + p[2] * n[2]
}

/// Cosine of the angle between two unit normals.
pub(super) fn cosine(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The larger of two numbers; the first of equals.
pub(super) fn larger(a: f64, b: f64) -> f64 {
    if a < b { b } else { a }
}

fn det2(a1: f64, a2: f64, b1: f64, b2: f64) -> f64 {
    a1 * b2 - a2 * b1
}

/// `numer / denom`, or none if it would be infinite.
fn quotient(numer: f64, denom: f64, least: f64) -> Option<f64> {
    let fits = if numer < least && numer > -least {
        numer.abs() < denom.abs()
    } else {
        let inverse = denom / numer;
        inverse > least || inverse < -least
    };
    fits.then(|| numer / denom)
}
