//! The point of a segment, a triangle or a tetrahedron that is nearest to another point.
//!
//! Searches of convex solids know that the nearest vertex can only be the last one ([`super::simplex`]); here any may be.

use super::simplex::{areas, combine, det3, origin_on_plane};
use crate::cpu::lib::math::*;

/// Barycentric weights of the point of a segment, triangle or tetrahedron nearest to `point`; corners beyond `corner.len()` get zero.
pub fn nearest(corner: &[[f64; 3]], point: [f64; 3]) -> [f64; 4] {
    let x = |i: usize| sub3(corner[i], point);
    match corner.len() {
        2 => {
            let [a, b] = on_segment(x(0), x(1));
            [a, b, 0.0, 0.0]
        }
        3 => {
            let [a, b, c] = on_triangle([x(0), x(1), x(2)]);
            [a, b, c, 0.0]
        }
        _ => on_tetrahedron([x(0), x(1), x(2), x(3)]),
    }
}

/// The nearest point itself.
pub fn nearest_point(corner: &[[f64; 3]], point: [f64; 3]) -> [f64; 3] {
    combine(&nearest(corner, point)[..corner.len()], corner)
}

// weights of the point nearest to the origin, as in all functions below
fn on_segment(a: [f64; 3], b: [f64; 3]) -> [f64; 2] {
    let ab = sub3(b, a);
    let length2 = dot3(ab, ab);
    let share = match length2 > 0.0 {
        true => clip(-dot3(a, ab) / length2, 0.0, 1.0),
        false => 0.0,
    };
    [1.0 - share, share]
}

fn on_triangle(p: [[f64; 3]; 3]) -> [f64; 3] {
    if let Some(origin) = origin_on_plane(p[0], p[1], p[2]) {
        let (part, whole) = areas(p[0], p[1], p[2], origin);
        let weights = part.map(|part| part / whole);
        if weights.iter().all(|w| *w >= 0.0) {
            return weights;
        }
    }
    const EDGES: [[usize; 2]; 3] = [[0, 1], [1, 2], [2, 0]];
    nearest_part(p, EDGES, |[a, b]| on_segment(a, b))
}

/// Corner numbers of the faces of a tetrahedron.
pub const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];

fn on_tetrahedron(p: [[f64; 3]; 4]) -> [f64; 4] {
    let [a, b, c, d] = p;
    let part = [-det3(b, c, d), det3(a, c, d), -det3(a, b, d), det3(a, b, c)];
    let whole: f64 = part.iter().sum();
    let weights = part.map(|part| part / whole);
    if weights.iter().all(|w| *w >= 0.0) {
        return weights;
    }
    nearest_part(p, FACES, on_triangle)
}

// weights of the nearest part of a simplex, the first of equally near ones
fn nearest_part<const N: usize, const K: usize, const P: usize>(
    p: [[f64; 3]; N],
    parts: [[usize; K]; P],
    weights_of: impl Fn([[f64; 3]; K]) -> [f64; K],
) -> [f64; N] {
    let (mut weights, mut least) = ([0.0; N], f64::INFINITY);
    for part in parts {
        let corner = part.map(|i| p[i]);
        let own = weights_of(corner);
        let x = combine(&own, &corner);
        if dot3(x, x) < least {
            least = dot3(x, x);
            weights = [0.0; N];
            for (i, w) in part.into_iter().zip(own) {
                weights[i] = w;
            }
        }
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f64; 3]; 4] = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [0.5, 1.0, 0.0],
        [0.5, 0.5, 1.0],
    ];

    // no point of a fine grid over the simplex is nearer
    fn is_nearest(num: usize, point: [f64; 3]) {
        let corner = &CORNERS[..num];
        let weights = nearest(corner, point);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(weights[num..].iter().all(|w| *w == 0.0));
        let far = |w: &[f64]| norm3(sub3(combine(w, corner), point));
        let have = far(&weights[..num]);
        let n = 20;
        for i in 0..=n {
            for j in 0..=n - i {
                for k in 0..=n - i - j {
                    let w = [i, j, k, n - i - j - k].map(|x| f64::from(x) / f64::from(n));
                    if w[num..].iter().all(|w| *w == 0.0) {
                        assert!(have < far(&w[..num]) + 1e-12, "{num} {point:?} {w:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn nothing_is_nearer() {
        for num in 2..5 {
            for i in -2..5 {
                for j in -2..5 {
                    for k in -2..4 {
                        let at = |x: i32| 0.6 * f64::from(x) + 0.05;
                        is_nearest(num, [at(i), at(j), at(k)]);
                    }
                }
            }
        }
    }

    #[test]
    fn a_point_inside_is_its_own_nearest() {
        let inside = [0.6, 0.4, 0.2];
        let same = nearest_point(&CORNERS, inside);
        assert!(norm3(sub3(same, inside)) < 1e-15);
    }
}
