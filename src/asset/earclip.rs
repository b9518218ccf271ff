//! Polygons cut into triangles the way tinyobjloader cuts them, so that the same corners meet as in MuJoCo.

use super::obj::Corner;

/// Appends the triangles of a polygon; one with fewer than 3 corners has none.
///
/// Quadrilaterals and larger polygons with vertices that do not exist are left out; triangles are kept for the check of
/// indices to find.
pub(crate) fn cut(vert: &[[f32; 3]], polygon: &[Corner], out: &mut Vec<[Corner; 3]>) {
    let at = |c: &Corner| vert.get(c[0] as usize).copied();
    match *polygon {
        [] | [_] | [_, _] => {}
        [a, b, c] => out.push([a, b, c]),
        [a, b, c, d] => {
            let (Some(pa), Some(pb), Some(pc), Some(pd)) = (at(&a), at(&b), at(&c), at(&d)) else {
                return;
            };
            // along the shorter diagonal
            if distance2(pa, pc) < distance2(pb, pd) {
                out.extend([[a, b, c], [a, c, d]]);
            } else {
                out.extend([[a, b, d], [b, c, d]]);
            }
        }
        _ => clip_ears(vert, polygon, out),
    }
}

fn distance2(a: [f32; 3], b: [f32; 3]) -> f32 {
    let d: [f32; 3] = std::array::from_fn(|k| b[k] - a[k]);
    d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
}

/// Cuts off ears in the coordinate plane the polygon lies flattest in; gives up once a whole turn finds none.
fn clip_ears(vert: &[[f32; 3]], polygon: &[Corner], out: &mut Vec<[Corner; 3]>) {
    let axes = plane(vert, polygon);
    let flat = |c: &Corner| {
        vert.get(c[0] as usize)
            .map_or([0.0; 2], |p| axes.map(|k| p[k]))
    };
    let mut rest = polygon.to_vec();
    let mut tries = rest.len();
    let mut last = rest.len();
    let mut first = 0;
    while rest.len() > 3 && tries > 0 {
        let n = rest.len();
        if first >= n {
            first -= n;
        }
        if n == last {
            tries -= 1;
        } else {
            (last, tries) = (n, n);
        }
        let corner = |i: usize| &rest[(first + i) % n];
        let ear = [0, 1, 2].map(|i| *corner(i));
        let [a, b, c] = ear.map(|c| flat(&c));

        // no ear if the corner turns inwards or another one lies within
        let turn = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
        let area = (a[0] * b[1] - a[1] * b[0]) * 0.5;
        let inwards = turn * area < 0.0;
        if inwards || (3..n).any(|i| inside([a, b, c], flat(corner(i)))) {
            first += 1;
            continue;
        }
        out.push(ear);
        rest.remove((first + 1) % n);
    }
    if let [a, b, c] = rest[..] {
        out.push([a, b, c]);
    }
}

/// The two axes of the coordinate plane in which the first real corner looks largest.
fn plane(vert: &[[f32; 3]], polygon: &[Corner]) -> [usize; 2] {
    let n = polygon.len();
    for k in 0..n {
        let p = [0, 1, 2].map(|i| vert.get(polygon[(k + i) % n][0] as usize));
        let [Some(a), Some(b), Some(c)] = p else {
            continue;
        };
        let e: [f32; 3] = std::array::from_fn(|i| b[i] - a[i]);
        let g: [f32; 3] = std::array::from_fn(|i| c[i] - b[i]);
        let x = [
            (e[1] * g[2] - e[2] * g[1]).abs(),
            (e[2] * g[0] - e[0] * g[2]).abs(),
            (e[0] * g[1] - e[1] * g[0]).abs(),
        ];
        if x.iter().any(|&x| x > f32::EPSILON) {
            return if x[0] > x[1] && x[0] > x[2] {
                [1, 2]
            } else if x[2] > x[0] && x[2] > x[1] {
                [0, 1]
            } else {
                [0, 2]
            };
        }
    }
    [1, 2]
}

/// Whether a point lies in a triangle, by crossings of a ray.
fn inside(t: [[f32; 2]; 3], p: [f32; 2]) -> bool {
    let mut odd = false;
    for i in 0..3 {
        let (a, b) = (t[i], t[(i + 2) % 3]);
        let crosses = (a[1] > p[1]) != (b[1] > p[1]);
        if crosses && p[0] < (b[0] - a[0]) * (p[1] - a[1]) / (b[1] - a[1]) + a[0] {
            odd = !odd;
        }
    }
    odd
}
