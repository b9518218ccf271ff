//! Nearest points of the parts of flexes, and the distance of a point from a geom.

use crate::cpu::collision::gjk::{Found, Two, gjk};
use crate::cpu::collision::support::Solid;
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::math::*;
use crate::fields::{Arrays, Data, Model};
use crate::types::*;

/// Squares of lengths (m²), and of areas (m⁴), below which edges count as points or as parallel.
const TINY: f64 = 1e-12;
/// Distance (m) beyond any that is looked for.
pub const FAR: f64 = 1e30;

/// Weights of a triangle's corners at its point nearest to `p` (Ericson, Real-Time Collision Detection, 5.1.5).
pub fn on_triangle(p: [f64; 3], [a, b, c]: [[f64; 3]; 3]) -> [f64; 3] {
    let (ab, ac) = (sub3(b, a), sub3(c, a));
    let along = |corner: [f64; 3]| {
        let to = sub3(p, corner);
        [dot3(ab, to), dot3(ac, to)]
    };
    let [d1, d2] = along(a);
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let [d3, d4] = along(b);
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = d1 / (d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let [d5, d6] = along(c);
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = d2 / (d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    let (from_b, from_c) = (d4 - d3, d5 - d6);
    if va <= 0.0 && from_b >= 0.0 && from_c >= 0.0 {
        let t = from_b / (from_b + from_c);
        return [0.0, 1.0 - t, t];
    }
    let whole = 1.0 / (va + vb + vc);
    let (t, u) = (vb * whole, vc * whole);
    [1.0 - t - u, t, u]
}

/// Where the nearest points of two segments lie along them, as parts of their lengths; of parallel segments at the start of the first
/// (Ericson, 5.1.9).
pub fn on_segments([p1, p2]: [[f64; 3]; 2], [q1, q2]: [[f64; 3]; 2]) -> [f64; 2] {
    let (first, second, between) = (sub3(p2, p1), sub3(q2, q1), sub3(p1, q1));
    let (a, e) = (dot3(first, first), dot3(second, second));
    let (c, f) = (dot3(first, between), dot3(second, between));
    let within = |x: f64| x.clamp(0.0, 1.0);
    if a <= TINY && e <= TINY {
        return [0.0, 0.0];
    }
    if a <= TINY {
        return [0.0, within(f / e)];
    }
    if e <= TINY {
        return [within(-c / a), 0.0];
    }
    let b = dot3(first, second);
    let area2 = a * e - b * b;
    let s = match area2 > TINY {
        true => within((b * f - c * e) / area2),
        false => 0.0,
    };
    let t = (b * s + f) / e;
    if t < 0.0 {
        [within(-c / a), 0.0]
    } else if t > 1.0 {
        [within((b - c) / a), 1.0]
    } else {
        [s, t]
    }
}

/// Whether contacts of flexes with a geom are found here: one that does not move, of any kind but height fields and signed distance fields.
pub fn is_wall(m: &Arrays, geom: usize) -> bool {
    use GeomType as T;
    let still = m.body_weldid[m.geom_bodyid[geom] as usize] == 0;
    let kind = T::from_i32(m.geom_type[geom]);
    still && !matches!(kind, None | Some(T::Hfield | T::Sdf | T::None))
}

/// Signed distance of a point from a geom's surface, and the surface's outward normal there; [`FAR`] from an ellipsoid, a cylinder or a
/// mesh that is farther away than `most`.
pub fn of_geom(m: &Model, d: &Data, geom: usize, p: [f64; 3], most: f64) -> (f64, [f64; 3]) {
    use GeomType as T;
    let (pos, mat) = (d.geom_xpos[geom], d.geom_xmat[geom]);
    let size = d.own.geom_size(m, geom);
    let away = sub3(p, pos);
    let local = mul_mat_t_vec3(mat, away);
    let (dist, normal) = match T::from_i32(m.geom_type[geom]) {
        Some(T::Plane) => {
            let normal = [mat[2], mat[5], mat[8]];
            return (dot3(normal, away), normal);
        }
        Some(T::Sphere) => {
            let dist = norm3(away);
            let normal = match dist < TINY {
                true => [0.0, 0.0, 1.0],
                false => scl3(away, 1.0 / dist),
            };
            return (dist - size[0], normal);
        }
        Some(T::Capsule) => of_capsule(local, size),
        Some(T::Box) => of_box(local, size),
        _ => match outside(m, d, geom, p, most) {
            Some(found) => return found,
            None => inside(m, geom, local, size),
        },
    };
    (dist, mul_mat_vec3(mat, normal))
}

fn of_capsule([x, y, z]: [f64; 3], size: [f64; 3]) -> (f64, [f64; 3]) {
    let from_axis = [x, y, z - z.clamp(-size[1], size[1])];
    let dist = norm3(from_axis);
    let normal = match dist < TINY {
        true => [1.0, 0.0, 0.0],
        false => scl3(from_axis, 1.0 / dist),
    };
    (dist - size[0], normal)
}

// inside of a box the nearest face counts
fn of_box(p: [f64; 3], size: [f64; 3]) -> (f64, [f64; 3]) {
    let out: [f64; 3] = std::array::from_fn(|k| p[k] - p[k].clamp(-size[k], size[k]));
    if out != [0.0; 3] {
        let dist = norm3(out);
        return (dist, scl3(out, 1.0 / dist));
    }
    let (mut axis, mut least) = (0, FAR);
    for k in 0..3 {
        let depth = size[k] - p[k].abs();
        if depth < least {
            (axis, least) = (k, depth);
        }
    }
    let mut normal = [0.0; 3];
    normal[axis] = if p[axis] > 0.0 { 1.0 } else { -1.0 };
    (-least, normal)
}

// distance of a point from a convex solid by GJK; none if it is inside
fn outside(m: &Model, d: &Data, geom: usize, p: [f64; 3], most: f64) -> Option<(f64, [f64; 3])> {
    let up = [0.0, 0.0, 1.0];
    if m.geom_type[geom] == GeomType::Mesh && m.mesh_polynum[m.geom_dataid[geom] as usize] <= 0 {
        return Some((FAR, up));
    }
    let shape = Shape {
        pos: d.geom_xpos[geom],
        mat: d.geom_xmat[geom],
        size: d.own.geom_size(m, geom),
    };
    let point = Solid::of_element(m, [p; 4], p, 0.0, 0.0);
    let mut two = Two::new(m, point, Solid::new(m, geom, shape, 0.0));
    two.cutoff = most;
    let mut found = Found {
        point1: p,
        point2: shape.pos,
        ..Found::default()
    };
    gjk(&mut two, &mut found);
    if found.dist > most {
        return Some((FAR, up));
    }
    let away = sub3(p, found.point2);
    (found.dist > 0.0 && away != [0.0; 3]).then(|| (found.dist, normalize3(away).0))
}

// distance of a point that is inside of a solid from its surface, and the normal there
fn inside(m: &Model, geom: usize, p: [f64; 3], size: [f64; 3]) -> (f64, [f64; 3]) {
    match GeomType::from_i32(m.geom_type[geom]) {
        Some(GeomType::Cylinder) => in_cylinder(p, size),
        Some(GeomType::Ellipsoid) => in_ellipsoid(p, size),
        _ => in_mesh(m, m.geom_dataid[geom] as usize, p),
    }
}

fn in_cylinder([x, y, z]: [f64; 3], size: [f64; 3]) -> (f64, [f64; 3]) {
    let across = (x * x + y * y).sqrt();
    let [side, end] = [size[0] - across, size[1] - z.abs()];
    if end <= side {
        return (-end, [0.0, 0.0, if z >= 0.0 { 1.0 } else { -1.0 }]);
    }
    let normal = match across > MINVAL {
        true => [x / across, y / across, 0.0],
        false => [1.0, 0.0, 0.0],
    };
    (-side, normal)
}

// not the distance, but as much of the least half axis as of the way out
fn in_ellipsoid(p: [f64; 3], size: [f64; 3]) -> (f64, [f64; 3]) {
    let scaled: [f64; 3] = std::array::from_fn(|k| p[k] / size[k]);
    let slope: [f64; 3] = std::array::from_fn(|k| p[k] / (size[k] * size[k]));
    let least = size[0].min(size[1]).min(size[2]);
    let normal = match slope == [0.0; 3] {
        true => [0.0, 0.0, 1.0],
        false => normalize3(slope).0,
    };
    (least * (norm3(scaled) - 1.0), normal)
}

// the nearest plane of a hull
fn in_mesh(m: &Model, mesh: usize, p: [f64; 3]) -> (f64, [f64; 3]) {
    let adr = m.mesh_polyadr[mesh] as usize;
    let (mut highest, mut normal) = (-FAR, m.mesh_polynormal[adr]);
    for polygon in adr..adr + m.mesh_polynum[mesh] as usize {
        let corner = m.mesh_polyvert[m.mesh_polyvertadr[polygon] as usize];
        let corner = m.mesh_vert[(m.mesh_vertadr[mesh] + corner) as usize];
        let plane = m.mesh_polynormal[polygon];
        let height = dot3(plane, p) - dot3(plane, corner);
        if height > highest {
            (highest, normal) = (height, plane);
        }
    }
    (highest, normal)
}
