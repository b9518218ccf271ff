//! The shortest way around a sphere or an infinite cylinder (`mju_wrap`).

use crate::cpu::lib::math::*;
use crate::types::{MINVAL, WrapType};

/// Contact of a path with an obstacle, and the length of its part on the surface.
#[derive(Clone, Copy, Debug, Default)]
pub struct Touch {
    /// Point at which the path reaches the surface (world frame).
    pub on: [f64; 3],
    /// Point at which the path leaves the surface (world frame).
    pub off: [f64; 3],
    /// Length between both points along the surface.
    pub length: f64,
}

/// An obstacle in a tendon's path.
#[derive(Clone, Copy, Debug)]
pub struct Obstacle {
    /// Position of the geom.
    pub pos: [f64; 3],
    /// Orientation of the geom.
    pub mat: [f64; 9],
    /// Radius of the geom.
    pub radius: f64,
    /// Sphere or cylinder ([`WrapType`]).
    pub kind: i32,
    /// Position of the side site, if there is one.
    pub side: Option<[f64; 3]>,
}

/// Path around an obstacle between two points; `None` if the straight path is free.
#[inline]
pub fn wrap(from: [f64; 3], to: [f64; 3], o: &Obstacle) -> Option<Touch> {
    let local = |x: [f64; 3]| mul_mat_t_vec3(o.mat, sub3(x, o.pos));
    let (p0, p1) = (local(from), local(to));
    if norm3(p0) < MINVAL || norm3(p1) < MINVAL {
        return None;
    }

    // plane of the path: through both points and the centre, or perpendicular to the cylinder's axis
    let sphere = o.kind == WrapType::Sphere;
    let (x, y) = if sphere {
        plane(p0, p1)
    } else {
        ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    };
    let flat = |p: [f64; 3]| [dot3(p, x), dot3(p, y)];
    let (a, b) = (flat(p0), flat(p1));

    // through the inside, or around the circle
    let side = o.side.map(local);
    let (on, off, arc) = match side {
        Some(s) if norm3(s) < o.radius => inside(a, b, o.radius)?,
        _ => circle(a, b, side.map(flat), o.radius)?,
    };

    // back to three dimensions; on a cylinder the path also rises along the axis
    let rise = |p: [f64; 2]| add_scl3(scl3(x, p[0]), y, p[1]);
    let (mut on3, mut off3, mut length) = (rise(on), rise(off), arc);
    if !sphere {
        let (l0, l1) = (distance(a, on), distance(b, off));
        let slope = (p1[2] - p0[2]) / (l0 + arc + l1);
        on3[2] = p0[2] + slope * l0;
        off3[2] = p0[2] + slope * (l0 + arc);
        length = arc.hypot(off3[2] - on3[2]);
    }
    let world = |p: [f64; 3]| add3(o.pos, mul_mat_vec3(o.mat, p));
    Some(Touch {
        on: world(on3),
        off: world(off3),
        length,
    })
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

// two axes of the plane of two points and the centre
fn plane(p0: [f64; 3], p1: [f64; 3]) -> ([f64; 3], [f64; 3]) {
    let (x, _) = normalize3(p0);
    let (mut normal, length) = normalize3(cross(p0, p1));
    // any plane fits opposite points
    if length < MINVAL {
        let mut largest = 0;
        for k in 1..3 {
            if x[k].abs() > x[largest].abs() {
                largest = k;
            }
        }
        let mut other = [1.0; 3];
        other[largest] = 0.0;
        normal = normalize3(cross(x, other)).0;
    }
    (x, normalize3(cross(normal, x)).0)
}

type Arc = ([f64; 2], [f64; 2], f64);

// around a circle: in the direction of the path via the side point, or without one the shorter way
fn circle(a: [f64; 2], b: [f64; 2], side: Option<[f64; 2]>, radius: f64) -> Option<Arc> {
    let (la, lb) = (a[0].hypot(a[1]), b[0].hypot(b[1]));
    if la < radius || lb < radius || radius < MINVAL {
        return None;
    }
    let apart = [b[0] - a[0], b[1] - a[1]];
    if apart[0] * apart[0] + apart[1] * apart[1] < MINVAL {
        return None;
    }

    // angle from one direction to another, counterclockwise
    let turn =
        |u: [f64; 2], v: [f64; 2]| (u[0] * v[1] - u[1] * v[0]).atan2(u[0] * v[0] + u[1] * v[1]);
    let total = match side {
        Some(s) => turn(a, s) + turn(s, b),
        None => turn(a, b),
    };

    // minus the angles of the straight parts on both sides
    let straight = |length: f64| {
        let tangent = (length * length - radius * radius).max(0.0).sqrt();
        tangent.atan2(radius)
    };
    let (alpha, beta) = (straight(la), straight(lb));
    let angle = total.abs() - alpha - beta;
    if angle <= 0.0 {
        return None;
    }
    let way = if total < 0.0 { -1.0 } else { 1.0 };
    let touch = |p: [f64; 2], length: f64, by: f64| {
        let (sin, cos) = by.sin_cos();
        let scale = radius / length;
        [
            (cos * p[0] - sin * p[1]) * scale,
            (sin * p[0] + cos * p[1]) * scale,
        ]
    };
    let on = touch(a, la, way * alpha);
    let off = touch(b, lb, -way * beta);
    Some((on, off, radius * angle))
}

// through the inside of a circle that holds the path: the point at which the path touches it
fn inside(a: [f64; 2], b: [f64; 2], radius: f64) -> Option<Arc> {
    let (la, lb) = (a[0].hypot(a[1]), b[0].hypot(b[1]));
    if la <= radius || lb <= radius || radius < MINVAL {
        return None;
    }

    // a straight path through the circle is not held
    let apart = [b[0] - a[0], b[1] - a[1]];
    let dd = apart[0] * apart[0] + apart[1] * apart[1];
    if dd > MINVAL {
        let s = -(apart[0] * a[0] + apart[1] * a[1]) / dd;
        let near = [a[0] + s * apart[0], a[1] + s * apart[1]];
        if s > 0.0 && s < 1.0 && near[0].hypot(near[1]) <= radius {
            return None;
        }
    }

    // points in the same direction from the centre: the path touches between them; opposite points: no contact
    let cos = (la * la + lb * lb - dd) / (2.0 * la * lb);
    if cos < -1.0 + MINVAL {
        return None;
    }
    if cos > 1.0 - MINVAL {
        let scale = radius / (a[0] + b[0]).hypot(a[1] + b[1]).max(MINVAL);
        let touch = [(a[0] + b[0]) * scale, (a[1] + b[1]) * scale];
        return Some((touch, touch, 0.0));
    }

    // counterclockwise from the first of the two points
    let t = incidence(radius / la, radius / lb, cos.acos());
    let (p, length) = if a[0] * b[1] - a[1] * b[0] > 0.0 {
        (a, la)
    } else {
        (b, lb)
    };
    let (sin, cos) = (t - (radius / length * t.sin()).asin()).sin_cos();
    let scale = radius / length;
    let touch = [
        scale * (cos * p[0] - sin * p[1]),
        scale * (sin * p[0] + cos * p[1]),
    ];
    Some((touch, touch, 0.0))
}

// the path is reflected like light: asin(a sin t) + asin(b sin t) - 2 t + g = 0 for the angle of incidence; the left side is
// concave and decreases, so that Newton's method from above never passes the root; it stops where MuJoCo's stops
fn incidence(a: f64, b: f64, g: f64) -> f64 {
    let mut t = std::f64::consts::FRAC_PI_2;
    for _ in 0..20 {
        let (sin, cos) = t.sin_cos();
        let f = (a * sin).asin() + (b * sin).asin() - 2.0 * t + g;
        if f.abs() <= 1e-6 {
            break;
        }
        let slope = |c: f64| c * cos / (1.0 - c * c * sin * sin).sqrt();
        t -= f / (slope(a) + slope(b) - 2.0);
    }
    t
}
