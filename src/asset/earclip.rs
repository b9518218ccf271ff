//! Polygons cut into triangles the way tinyobjloader cuts them, so that the same corners meet as in MuJoCo.

use super::obj::Corner;

/// Most corners of a polygon that is cut.
const MOST: usize = 100;

/// Appends the triangles of a polygon; a polygon with fewer than 3 corners has none.
///
/// Quadrilaterals and larger polygons with vertices that do not exist are left out; triangles are kept for the check of
/// indices to find. Polygons of more than [`MOST`] corners are left out, too, as MuJoCo does; this bounds the work, which grows
/// faster than the square of the corners.
pub(crate) fn cut(vert: &[[f32; 3]], polygon: &[Corner], out: &mut Vec<[Corner; 3]>) {
    let at = |c: &Corner| point(vert, c);
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
        _ if polygon.len() > MOST => {}
        _ => clip_ears(vert, polygon, out),
    }
}

fn distance2(a: [f32; 3], b: [f32; 3]) -> f32 {
    let [x, y, z] = minus(b, a);
    x * x + y * y + z * z
}

fn minus([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ax - bx, ay - by, az - bz]
}

/// Cuts off ears in the coordinate plane that the polygon is flattest in; stops once a whole turn finds none.
fn clip_ears(vert: &[[f32; 3]], polygon: &[Corner], out: &mut Vec<[Corner; 3]>) {
    let flatten = plane(vert, polygon);
    let flat = |c: Corner| point(vert, &c).map_or([0.0; 2], flatten);
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
        let mut turn = rest.iter().copied().cycle().skip(first).take(n);
        let (Some(p), Some(q), Some(r)) = (turn.next(), turn.next(), turn.next()) else {
            return;
        };
        let [a, b, c] = [p, q, r].map(flat);

        // no ear if the corner turns inwards or contains another corner
        let [[ax, ay], [bx, by], [cx, cy]] = [a, b, c];
        let turns = (bx - ax) * (cy - by) - (by - ay) * (cx - bx);
        let area = (ax * by - ay * bx) * 0.5;
        if turns * area < 0.0 || turn.any(|d| inside([a, b, c], flat(d))) {
            first += 1;
            continue;
        }
        out.push([p, q, r]);
        rest.remove((first + 1) % n);
    }
    if let [a, b, c] = rest[..] {
        out.push([a, b, c]);
    }
}

fn point(vert: &[[f32; 3]], c: &Corner) -> Option<[f32; 3]> {
    let &[v, _, _] = c;
    vert.get(usize::try_from(v).ok()?).copied()
}

/// Drops the axis along which the first proper corner of a polygon has the largest area.
fn plane(vert: &[[f32; 3]], polygon: &[Corner]) -> fn([f32; 3]) -> [f32; 2] {
    let corners = polygon.iter().cycle();
    let triples = corners
        .clone()
        .zip(corners.clone().skip(1))
        .zip(corners.skip(2));
    for ((a, b), c) in triples.take(polygon.len()) {
        let (Some(a), Some(b), Some(c)) = (point(vert, a), point(vert, b), point(vert, c)) else {
            continue;
        };
        let ([ex, ey, ez], [gx, gy, gz]) = (minus(b, a), minus(c, b));
        let x = (ey * gz - ez * gy).abs();
        let y = (ez * gx - ex * gz).abs();
        let z = (ex * gy - ey * gx).abs();
        if x.max(y).max(z) > f32::EPSILON {
            return if x > y && x > z {
                |[_, y, z]| [y, z]
            } else if z > x && z > y {
                |[x, y, _]| [x, y]
            } else {
                |[x, _, z]| [x, z]
            };
        }
    }
    |[_, y, z]| [y, z]
}

/// Whether a point lies in a triangle, by crossings of a ray.
fn inside([a, b, c]: [[f32; 2]; 3], [x, y]: [f32; 2]) -> bool {
    let crossed = [(a, c), (b, a), (c, b)].map(|([ax, ay], [bx, by])| {
        (ay > y) != (by > y) && x < (bx - ax) * (y - ay) / (by - ay) + ax
    });
    crossed.iter().fold(false, |odd, &c| odd != c)
}
