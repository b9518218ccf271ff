//! The point of a simplex nearest to the origin, by signed volumes (Montanari, Petrinic and Barbieri, "Improving the GJK
//! algorithm for faster and more reliable distance queries between convex objects", 2017).

use crate::cpu::lib::math::*;
use crate::types::*;

/// Larger than any squared distance.
pub const FAR: f64 = f64::MAX;

/// Determinant of three vectors.
#[inline]
pub fn det3(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

// true if both are positive or both negative
fn alike(a: f64, b: f64) -> bool {
    (a > 0.0 && b > 0.0) || (a < 0.0 && b < 0.0)
}

/// Projection of the origin on the plane of three points, by the normal of the two edges at `b`; none if that is too short, or if the
/// plane contains the origin.
#[inline(always)]
pub fn origin_on_clear_plane(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> Option<[f64; 3]> {
    let normal = cross(sub3(c, b), sub3(b, a));
    let (height, norm2) = (dot3(normal, b), dot3(normal, normal));
    (height != 0.0 && norm2 > MINVAL).then(|| scl3(normal, height / norm2))
}

/// Projection of the origin on the plane of three points; none if they are on a line.
#[inline]
pub fn origin_on_plane(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> Option<[f64; 3]> {
    let (ab, ac, bc) = (sub3(b, a), sub3(c, a), sub3(c, b));

    // the normal from one pair of edges, or from another if that is too short
    for k in 0..3 {
        let (normal, point) = match k {
            0 => (cross(bc, ab), b),
            1 => (cross(ab, ac), a),
            _ => (cross(ac, bc), c),
        };
        let height = dot3(normal, point);
        let norm2 = dot3(normal, normal);
        if norm2 == 0.0 {
            return None;
        }
        if (height != 0.0 && norm2 > MINVAL) || k == 2 {
            return Some(scl3(normal, height / norm2));
        }
    }
    None
}

/// Projection of the origin on the line through two points; none if they are the same.
#[inline]
pub fn origin_on_line(a: [f64; 3], b: [f64; 3]) -> Option<[f64; 3]> {
    let ab = sub3(b, a);
    let length2 = dot3(ab, ab);
    (length2 >= MINVAL * MINVAL).then(|| add_scl3(b, ab, -dot3(b, ab) / length2))
}

/// Barycentric weights of the point of a segment nearest to the origin.
#[inline]
pub fn on_segment(a: [f64; 3], b: [f64; 3]) -> [f64; 2] {
    let Some(origin) = origin_on_line(a, b) else {
        return [0.0, 1.0];
    };

    // along the coordinate axis with the longest projection
    let mut axis = 0;
    for k in 1..3 {
        if (a[k] - b[k]).abs() >= (a[axis] - b[axis]).abs() {
            axis = k;
        }
    }
    let length = a[axis] - b[axis];
    let part_a = origin[axis] - b[axis];
    let part_b = a[axis] - origin[axis];
    match (alike(length, part_a), alike(length, part_b)) {
        (true, true) => [part_a / length, part_b / length],
        (true, false) => [1.0, 0.0],
        _ => [0.0, 1.0],
    }
}

/// Signed areas that a point in the plane of a triangle cuts off, and the triangle's area, projected along the coordinate axis of
/// the largest area.
#[inline]
pub fn areas(a: [f64; 3], b: [f64; 3], c: [f64; 3], p: [f64; 3]) -> ([f64; 3], f64) {
    let (ab, ac) = (sub3(b, a), sub3(c, a));
    let minor = |x: usize, y: usize| ab[x] * ac[y] - ab[y] * ac[x];
    let (yz, xz, xy) = (minor(1, 2), minor(0, 2), minor(0, 1));
    let (whole, x, y) = if yz.abs() >= xz.abs() && yz.abs() >= xy.abs() {
        (yz, 1, 2)
    } else if xz.abs() >= xy.abs() {
        (xz, 0, 2)
    } else {
        (xy, 0, 1)
    };
    let [a, b, c] = [a, b, c].map(|corner| sub3(corner, p));
    let area = |u: [f64; 3], v: [f64; 3]| u[x] * v[y] - v[x] * u[y];
    ([area(b, c), area(c, a), area(a, b)], whole)
}

/// Parts of the areas that a point cuts off in their sum.
#[inline]
pub fn shares(part: [f64; 3]) -> [f64; 3] {
    let sum = part[0] + part[1] + part[2];
    part.map(|part| part / sum)
}

/// Barycentric weights of the point of a triangle nearest to the origin.
pub fn on_triangle(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let mut inside = [false; 3];
    if let Some(origin) = origin_on_plane(a, b, c) {
        let (part, whole) = areas(a, b, c, origin);
        inside = part.map(|part| alike(whole, part));
        if inside == [true; 3] {
            // of tiny triangles the areas do not add up to the whole: their sum keeps the point in the triangle
            return shares(part);
        }
    }

    // outside: the nearest of the edges that have the origin on their outer side
    let mut weights = [0.0; 3];
    let mut least = FAR;
    if !inside[0] {
        let [wb, wc] = on_segment(b, c);
        least = length2(&[wb, wc], &[b, c]);
        weights = [0.0, wb, wc];
    }
    if !inside[1] {
        let [wa, wc] = on_segment(a, c);
        let dist = length2(&[wa, wc], &[a, c]);
        if dist < least {
            least = dist;
            weights = [wa, 0.0, wc];
        }
    }
    if !inside[2] {
        let [wa, wb] = on_segment(a, b);
        if length2(&[wa, wb], &[a, b]) < least {
            weights = [wa, wb, 0.0];
        }
    }
    weights
}

/// Barycentric weights of the point of a tetrahedron nearest to the origin.
pub fn on_tetrahedron(p: [[f64; 3]; 4]) -> [f64; 4] {
    let [a, b, c, d] = p;
    let part = [-det3(b, c, d), det3(a, c, d), -det3(a, b, d), det3(a, b, c)];
    let whole = part[0] + part[1] + part[2] + part[3];
    let inside = part.map(|part| alike(whole, part));
    if inside == [true; 4] {
        return part.map(|part| part / whole);
    }

    // outside: the nearest of the faces that have the origin on their outer side
    let mut weights = [0.0; 4];
    let mut least = FAR;
    for (k, _) in inside.iter().enumerate().filter(|(_, inside)| !**inside) {
        let corner = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]][k];
        let face = corner.map(|i| p[i]);
        let part = on_triangle(face[0], face[1], face[2]);
        let dist = length2(&part, &face);
        if dist < least || k == 0 {
            least = dist;
            weights = [0.0; 4];
            for (i, part) in corner.into_iter().zip(part) {
                weights[i] = part;
            }
        }
    }
    weights
}

fn length2<const N: usize>(weights: &[f64; N], points: &[[f64; 3]; N]) -> f64 {
    let x = combine(weights, points);
    dot3(x, x)
}

/// Weighted sum of points.
#[inline]
pub fn combine(weights: &[f64], points: &[[f64; 3]]) -> [f64; 3] {
    let mut sum = [0.0; 3];
    for (&w, &p) in weights.iter().zip(points) {
        sum = add_scl3(sum, p, w);
    }
    sum
}
