//! Intersection of a ray with a shape that a few numbers describe, and with a triangle.

use super::{Hit, MISS, Ray, sooner};
use crate::cpu::lib::contact::Shape;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Distance at which a ray hits a shape at its pose; -1 if it does not (`mju_rayGeom`).
pub fn ray_geom(place: &Shape, kind: i32, ray: Ray) -> f64 {
    ray_shape(kind, place.size, to_local(place, ray)).dist
}

/// A ray in the frame of a shape.
pub fn to_local(place: &Shape, ray: Ray) -> Ray {
    Ray {
        pnt: mul_mat_t_vec3(place.mat, sub3(ray.pnt, place.pos)),
        vec: mul_mat_t_vec3(place.mat, ray.vec),
    }
}

/// Intersection of a ray with a shape of primitive type, in the frame of the shape.
pub fn ray_shape(kind: i32, size: [f64; 3], ray: Ray) -> Hit {
    match GeomType::from_i32(kind) {
        Some(GeomType::Plane) => ray_plane(size, ray),
        Some(GeomType::Sphere) => ray_ellipsoid([size[0]; 3], ray),
        Some(GeomType::Capsule) => ray_capsule(size, ray),
        Some(GeomType::Ellipsoid) => ray_ellipsoid(size, ray),
        Some(GeomType::Cylinder) => ray_cylinder(size, ray),
        Some(GeomType::Box) => ray_box(size, ray).0,
        _ => MISS,
    }
}

/// Solutions of `a x² + 2 b x + c = 0`: the smallest nonnegative one or -1, then both.
pub fn ray_quad([a, b, c]: [f64; 3]) -> [f64; 3] {
    let det = b * b - a * c;
    if det < MINVAL {
        return [-1.0; 3];
    }
    let root = det.sqrt();
    let (x0, x1) = ((-b - root) / a, (-b + root) / a);
    let first = match (x0 >= 0.0, x1 >= 0.0) {
        (true, _) => x0,
        (_, true) => x1,
        _ => -1.0,
    };
    [first, x0, x1]
}

// coefficients of the equation for a sphere about the origin
fn around(ray: Ray, radius: f64) -> [f64; 3] {
    let Ray { pnt, vec } = ray;
    [
        dot3(vec, vec),
        dot3(vec, pnt),
        dot3(pnt, pnt) - radius * radius,
    ]
}

/// The front side of a plane, within its rectangle if it has one.
pub fn ray_plane(size: [f64; 3], ray: Ray) -> Hit {
    if ray.vec[2] > -MINVAL {
        return MISS;
    }
    let dist = -ray.pnt[2] / ray.vec[2];
    let p = ray.at(dist);
    let within = |k: usize| size[k] <= 0.0 || p[k].abs() <= size[k];
    match dist >= 0.0 && within(0) && within(1) {
        true => Hit {
            dist,
            normal: [0.0, 0.0, 1.0],
        },
        false => MISS,
    }
}

/// An ellipsoid of three semiaxes, or a sphere.
pub fn ray_ellipsoid(size: [f64; 3], ray: Ray) -> Hit {
    let s = size.map(|x| 1.0 / (x * x));
    let scaled = |v: [f64; 3]| [s[0] * v[0], s[1] * v[1], s[2] * v[2]];
    let (vec, pnt) = (scaled(ray.vec), scaled(ray.pnt));
    let coefficients = [
        dot3(vec, ray.vec),
        dot3(vec, ray.pnt),
        dot3(pnt, ray.pnt) - 1.0,
    ];
    let [dist, ..] = ray_quad(coefficients);
    match dist >= 0.0 {
        true => Hit {
            dist,
            normal: normalize3(scaled(ray.at(dist))).0,
        },
        false => MISS,
    }
}

/// The curved surface of a cylinder about the z axis.
pub fn ray_side(radius: f64, half: f64, ray: Ray) -> Hit {
    let Ray { pnt, vec } = ray;
    let coefficients = [
        vec[0] * vec[0] + vec[1] * vec[1],
        vec[0] * pnt[0] + vec[1] * pnt[1],
        pnt[0] * pnt[0] + pnt[1] * pnt[1] - radius * radius,
    ];
    let [dist, ..] = ray_quad(coefficients);
    let p = ray.at(dist);
    match dist >= 0.0 && p[2].abs() <= half {
        true => Hit {
            dist,
            normal: normalize3([p[0], p[1], 0.0]).0,
        },
        false => MISS,
    }
}

/// A capsule of radius and half length: its side, and hemispheres at its ends.
pub fn ray_capsule(size: [f64; 3], ray: Ray) -> Hit {
    let mut hit = ray_side(size[0], size[1], ray);
    for side in [1.0, -1.0] {
        let end = side * size[1];
        let cap = Ray {
            pnt: [ray.pnt[0], ray.pnt[1], ray.pnt[2] - end],
            vec: ray.vec,
        };
        let [_, x0, x1] = ray_quad(around(cap, size[0]));
        for dist in [x0, x1] {
            let p = cap.at(dist);
            if dist >= 0.0 && p[2] * side >= 0.0 {
                let normal = normalize3(p).0;
                hit = sooner(hit, Hit { dist, normal });
            }
        }
    }
    hit
}

/// A cylinder of radius and half length: its ends, and its side.
pub fn ray_cylinder(size: [f64; 3], ray: Ray) -> Hit {
    let mut hit = MISS;
    if ray.vec[2].abs() > MINVAL {
        for side in [-1.0, 1.0] {
            let dist = (side * size[1] - ray.pnt[2]) / ray.vec[2];
            let p = ray.at(dist);
            if dist >= 0.0 && p[0] * p[0] + p[1] * p[1] <= size[0] * size[0] {
                let normal = [0.0, 0.0, side];
                hit = sooner(hit, Hit { dist, normal });
            }
        }
    }
    sooner(hit, ray_side(size[0], size[1], ray))
}

/// A box of three half sizes: the nearest face hit, and the distance to each face, -1 if missed: -x x -y y -z z.
pub fn ray_box(size: [f64; 3], ray: Ray) -> (Hit, [f64; 6]) {
    let (mut hit, mut all) = (MISS, [-1.0; 6]);
    for k in 0..3 {
        if ray.vec[k].abs() <= MINVAL {
            continue;
        }
        for side in 0..2 {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let dist = (sign * size[k] - ray.pnt[k]) / ray.vec[k];
            let p = ray.at(dist);
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            if dist >= 0.0 && p[i].abs() <= size[i] && p[j].abs() <= size[j] {
                let mut normal = [0.0; 3];
                normal[k] = sign;
                hit = sooner(hit, Hit { dist, normal });
                all[2 * k + side] = dist;
            }
        }
    }
    (hit, all)
}

/// Two unit vectors perpendicular to a direction and to each other.
pub fn ray_basis(vec: [f64; 3]) -> [[f64; 3]; 2] {
    let size = vec.map(f64::abs);
    let most = match size[0] >= size[1] && size[0] >= size[2] {
        true => 0,
        false => 1 + usize::from(size[1] < size[2]),
    };
    let mut b0 = [1.0; 3];
    b0[most] = 0.0;
    let (b1, _) = normalize3(add_scl3(b0, vec, -dot3(vec, b0) / dot3(vec, vec)));
    [normalize3(cross(b1, vec)).0, b1]
}

/// A triangle; its normal follows its corners by the right-hand rule.
pub fn ray_triangle(v: [[f64; 3]; 3], ray: Ray, basis: [[f64; 3]; 2]) -> Hit {
    // corners projected along the ray
    let seen = v.map(|v| {
        let dif = sub3(v, ray.pnt);
        [dot3(basis[0], dif), dot3(basis[1], dif)]
    });
    let a = [0, 1].map(|k| [seen[0][k] - seen[2][k], seen[1][k] - seen[2][k]]);
    let b = [-seen[2][0], -seen[2][1]];
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if det.abs() < MINVAL {
        return MISS;
    }
    let t0 = (a[1][1] * b[0] - a[0][1] * b[1]) / det;
    let t1 = (a[0][0] * b[1] - a[1][0] * b[0]) / det;
    if t0 < 0.0 || t1 < 0.0 || t0 + t1 > 1.0 {
        return MISS;
    }

    // the plane of the triangle
    let normal = cross(sub3(v[0], v[2]), sub3(v[1], v[2]));
    let denom = dot3(ray.vec, normal);
    if denom.abs() < MINVAL {
        return MISS;
    }
    let dist = -dot3(sub3(ray.pnt, v[2]), normal) / denom;
    Hit {
        dist,
        normal: normalize3(normal).0,
    }
}
