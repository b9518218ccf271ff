//! The shortest way around a sphere or an infinite cylinder (`mju_wrap`), in one world or in worlds side by side.

use crate::cpu::lib::contact::select3;
use crate::cpu::lib::math::*;
use crate::real::{Mask, Real};
use crate::types::{MINVAL, WrapType};

/// Contact of a path with an obstacle, and the length of its part on the surface; zero in lanes where they do not touch.
#[derive(Clone, Copy)]
pub struct Touch<R: Real> {
    /// Point at which the path reaches the surface (world frame).
    pub on: [R; 3],
    /// Point at which the path leaves the surface (world frame).
    pub off: [R; 3],
    /// Length between both points along the surface.
    pub length: R,
    /// The lanes where they touch.
    pub held: R::Mask,
}

/// An obstacle in a tendon's path.
#[derive(Clone, Copy)]
pub struct Obstacle<R: Real> {
    /// Position of the geom.
    pub pos: [R; 3],
    /// Orientation of the geom.
    pub mat: [R; 9],
    /// Radius of the geom.
    pub radius: R,
    /// Sphere or cylinder ([`WrapType`]).
    pub kind: i32,
    /// The lanes that have a side site.
    pub sided: R::Mask,
    /// Its position in these.
    pub side: [R; 3],
}

// the contact in the plane of the path
#[derive(Clone, Copy)]
struct Arc<R: Real> {
    on: [R; 2],
    off: [R; 2],
    length: R,
    held: R::Mask,
}

impl<R: Real> Arc<R> {
    fn none() -> Self {
        let zero = R::zero();
        Self {
            on: [zero; 2],
            off: [zero; 2],
            length: zero,
            held: zero.lt(zero),
        }
    }

    // replaces it in the lanes where another one is held
    fn or(self, other: Self) -> Self {
        Self {
            on: select2(other.held, other.on, self.on),
            off: select2(other.held, other.off, self.off),
            length: R::select(other.held, other.length, self.length),
            held: self.held | other.held,
        }
    }
}

/// Path around an obstacle between two points.
#[inline]
pub fn wrap<R: Real>(from: [R; 3], to: [R; 3], o: &Obstacle<R>) -> Touch<R> {
    let (zero, one) = (R::zero(), R::one());
    let local = |x: [R; 3]| mul_mat_t_vec3(o.mat, sub3(x, o.pos));
    let (p0, p1) = (local(from), local(to));
    let least = R::splat(MINVAL);
    let lanes = !(norm3(p0).lt(least) | norm3(p1).lt(least));

    // plane of the path: through both points and the centre, or perpendicular to the cylinder's axis
    let sphere = o.kind == WrapType::Sphere;
    let (x, y) = if sphere {
        plane(p0, p1)
    } else {
        ([one, zero, zero], [zero, one, zero])
    };
    let flat = |p: [R; 3]| [dot3(p, x), dot3(p, y)];
    let (a, b) = (flat(p0), flat(p1));

    // through the inside, or around the circle
    let s = local(o.side);
    let within = o.sided & norm3(s).lt(o.radius);
    let mut arc = Arc::none();
    if (lanes & within).any() {
        arc = inside(a, b, o.radius, lanes & within);
    }
    if (lanes & !within).any() {
        let sided = o.sided.any().then(|| (o.sided, flat(s)));
        arc = arc.or(circle(a, b, sided, o.radius, lanes & !within));
    }
    if !arc.held.any() {
        return Touch {
            on: [zero; 3],
            off: [zero; 3],
            length: zero,
            held: arc.held,
        };
    }

    // back to three dimensions; on a cylinder the path also rises along the axis
    let rise = |p: [R; 2]| add_scl3(scl3(x, p[0]), y, p[1]);
    let (mut on, mut off, mut length) = (rise(arc.on), rise(arc.off), arc.length);
    if !sphere {
        let (l0, l1) = (distance(a, arc.on), distance(b, arc.off));
        let slope = (p1[2] - p0[2]) / (l0 + length + l1);
        on[2] = p0[2] + slope * l0;
        off[2] = p0[2] + slope * (l0 + length);
        length = norm2([length, off[2] - on[2]]);
    }
    let world = |p: [R; 3]| add3(o.pos, mul_mat_vec3(o.mat, p));
    Touch {
        on: select3(arc.held, world(on), [zero; 3]),
        off: select3(arc.held, world(off), [zero; 3]),
        length: R::select(arc.held, length, zero),
        held: arc.held,
    }
}

#[inline(always)]
fn select2<R: Real>(lanes: R::Mask, yes: [R; 2], no: [R; 2]) -> [R; 2] {
    [0, 1].map(|k| R::select(lanes, yes[k], no[k]))
}

#[inline(always)]
fn norm2<R: Real>(p: [R; 2]) -> R {
    (p[0] * p[0] + p[1] * p[1]).sqrt()
}

#[inline(always)]
fn distance<R: Real>(a: [R; 2], b: [R; 2]) -> R {
    norm2([a[0] - b[0], a[1] - b[1]])
}

// two axes of the plane of two points and the centre
fn plane<R: Real>(p0: [R; 3], p1: [R; 3]) -> ([R; 3], [R; 3]) {
    let (zero, one) = (R::zero(), R::one());
    let (x, _) = normalize3(p0);
    let (mut normal, length) = normalize3(cross(p0, p1));
    // any plane fits opposite points
    let opposite = length.lt(R::splat(MINVAL));
    if opposite.any() {
        let [sx, sy, sz] = x.map(R::abs);
        let is_x = sy.le(sx) & sz.le(sx);
        let is_y = !is_x & sz.le(sy);
        let pick = |largest: R::Mask| R::select(largest, zero, one);
        let other = [pick(is_x), pick(is_y), pick(!(is_x | is_y))];
        normal = select3(opposite, normalize3(cross(x, other)).0, normal);
    }
    (x, normalize3(cross(normal, x)).0)
}

// angle from one direction to another, counterclockwise
#[inline(always)]
fn turn_between<R: Real>(u: [R; 2], v: [R; 2]) -> R {
    (u[0] * v[1] - u[1] * v[0]).atan2(u[0] * v[0] + u[1] * v[1])
}

// around a circle: in the direction of the path via the side point, or without one the shorter way
fn circle<R: Real>(
    a: [R; 2],
    b: [R; 2],
    side: Option<(R::Mask, [R; 2])>,
    radius: R,
    lanes: R::Mask,
) -> Arc<R> {
    let (zero, least) = (R::zero(), R::splat(MINVAL));
    let (la, lb) = (norm2(a), norm2(b));
    let apart = [b[0] - a[0], b[1] - a[1]];
    let outside = radius.le(la) & radius.le(lb) & least.le(radius);
    let differ = least.le(apart[0] * apart[0] + apart[1] * apart[1]);
    let lanes = lanes & outside & differ;
    if !lanes.any() {
        return Arc::none();
    }
    let mut total = turn_between(a, b);
    if let Some((sided, s)) = side {
        let by = turn_between(a, s) + turn_between(s, b);
        total = R::select(sided, by, total);
    }

    // minus the angles of the straight parts on both sides
    let straight = |length: R| {
        let tangent = ((length - radius) * (length + radius)).max(zero).sqrt();
        tangent.atan2(radius)
    };
    let (alpha, beta) = (straight(la), straight(lb));
    let angle = total.abs() - alpha - beta;
    let held = lanes & zero.lt(angle);
    if !held.any() {
        return Arc::none();
    }
    let way = R::select(total.lt(zero), -R::one(), R::one());
    Arc {
        on: turned2(a, way * alpha, radius / la),
        off: turned2(b, -way * beta, radius / lb),
        length: radius * angle,
        held,
    }
}

// a direction rotated and scaled
#[inline(always)]
fn turned2<R: Real>(p: [R; 2], by: R, scale: R) -> [R; 2] {
    let (sin, cos) = by.sin_cos();
    [
        (cos * p[0] - sin * p[1]) * scale,
        (sin * p[0] + cos * p[1]) * scale,
    ]
}

#[inline(always)]
fn arc_sine<R: Real>(x: R) -> R {
    x.atan2(((R::one() - x) * (R::one() + x)).max(R::zero()).sqrt())
}

// through the inside of a circle that holds the path: the point at which the path touches it
fn inside<R: Real>(a: [R; 2], b: [R; 2], radius: R, lanes: R::Mask) -> Arc<R> {
    let (zero, one, least) = (R::zero(), R::one(), R::splat(MINVAL));
    let (la, lb) = (norm2(a), norm2(b));
    let mut lanes = lanes & radius.lt(la) & radius.lt(lb) & least.le(radius);

    // a straight path through the circle is not held
    let apart = [b[0] - a[0], b[1] - a[1]];
    let dd = apart[0] * apart[0] + apart[1] * apart[1];
    let s = -(apart[0] * a[0] + apart[1] * a[1]) / dd;
    let near = norm2([a[0] + s * apart[0], a[1] + s * apart[1]]);
    lanes = lanes & !(least.lt(dd) & zero.lt(s) & s.lt(one) & near.le(radius));

    // points in the same direction from the centre: the path touches between them; opposite points: no contact
    let cosine = (la * la + lb * lb - dd) / (R::splat(2.0) * la * lb);
    lanes = lanes & !cosine.lt(least - one);
    if !lanes.any() {
        return Arc::none();
    }
    let same = (one - least).lt(cosine);
    let sum = [a[0] + b[0], a[1] + b[1]];
    let scale = radius / norm2(sum).max(least);
    let between = [sum[0] * scale, sum[1] * scale];

    // counterclockwise from the first of the two points
    let turn = turn_between(a, b);
    let g = match is_fine::<R>() {
        true => {
            let sine = ((one - cosine) * (one + cosine)).max(zero).sqrt();
            sine.atan2(cosine)
        }
        false => turn.abs(),
    };
    let t = incidence(radius / la, radius / lb, g, lanes & !same);
    let is_first = zero.lt(turn);
    let first = select2(is_first, a, b);
    let ratio = radius / R::select(is_first, la, lb);
    let (sin, _) = t.sin_cos();
    let touch = turned2(first, t - arc_sine(ratio * sin), ratio);
    let touch = select2(same, between, touch);
    Arc {
        on: touch,
        off: touch,
        length: zero,
        held: lanes,
    }
}

// the path is reflected like light: asin(a sin t) + asin(b sin t) - 2 t + g = 0 for the angle of incidence; the left side is
// concave and decreases, so that Newton's method from above never passes the root; it stops where MuJoCo's stops
fn incidence<R: Real>(a: R, b: R, g: R, lanes: R::Mask) -> R {
    let (one, two) = (R::one(), R::splat(2.0));
    let mut t = R::splat(std::f64::consts::FRAC_PI_2);
    let mut going = lanes;
    for _ in 0..20 {
        if !going.any() {
            break;
        }
        let (sin, cos) = t.sin_cos();
        let f = arc_sine(a * sin) + arc_sine(b * sin) - two * t + g;
        going = going & !f.abs().le(R::splat(1e-6));
        let slope = |c: R| c * cos / ((one - c * sin) * (one + c * sin)).sqrt();
        let next = t - f / (slope(a) + slope(b) - two);
        t = R::select(going, next, t);
    }
    t
}
