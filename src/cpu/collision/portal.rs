//! The older search for the penetration depth of two convex solids. A portal is a triangle in the surface of their Minkowski
//! difference, through which the ray from an inner point to the origin leaves it; the portal is moved outwards (XenoCollide, as
//! in libccd).

use super::support::Solid;
use crate::cpu::lib::math::*;

/// Numbers below this count as zero.
const NOTHING: f64 = f64::EPSILON;
/// Maximum number of portals tried to find whether the origin is inside.
const MOST: usize = 1000;

/// Result: the penetration of two solids.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// Depth (m).
    pub depth: f64,
    /// Unit normal from the first solid to the second; zero where their surfaces touch in one point.
    pub normal: [f64; 3],
    /// Contact position, between the two surfaces.
    pub pos: [f64; 3],
}

// a point of the Minkowski difference, and the points of both solids whose difference it is
#[derive(Clone, Copy)]
struct Point {
    at: [f64; 3],
    first: [f64; 3],
    second: [f64; 3],
}

impl Point {
    fn middle(&self) -> [f64; 3] {
        scl3(add3(self.first, self.second), 0.5)
    }
}

/// Displacements of the points of a search, as roundings in `f32` are: drawn anew for each coordinate of each point.
#[derive(Clone, Copy, Debug)]
pub struct Rounding {
    /// The largest one (m).
    pub size: f64,
    pub random: Random,
}

/// Pseudorandom numbers, the same on every run.
#[derive(Clone, Copy, Debug)]
pub struct Random(u32);

impl Default for Random {
    fn default() -> Self {
        Self(1)
    }
}

impl Random {
    /// A number from -1 to 1.
    pub fn next(&mut self) -> f64 {
        let Self(seed) = self;
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(*seed >> 8) / f64::from(1 << 23) - 1.0
    }
}

/// Two solids, and the limits of their search.
pub struct Pair<'a, 'b> {
    pub first: &'b mut Solid<'a>,
    pub second: &'b mut Solid<'a>,
    pub tolerance: f64,
    pub iterations: i32,
    /// None: exact.
    pub rounding: Option<&'b mut Rounding>,
}

fn is_zero(x: f64) -> bool {
    x.abs() < NOTHING
}

// equality up to rounding
fn same(a: f64, b: f64) -> bool {
    let apart = (a - b).abs();
    apart < NOTHING || apart < NOTHING * a.abs().max(b.abs())
}

fn is_origin(v: [f64; 3]) -> bool {
    v.iter().all(|x| is_zero(*x))
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    scl3(v, 1.0 / norm3(v))
}

// result of the search for a portal
enum Found {
    Apart,
    Touching,
    // the origin lies on the segment between the inner point and its support point
    Between,
    Portal,
}

impl Pair<'_, '_> {
    /// Penetration depth of the solids; none if they are apart.
    pub fn depth(&mut self) -> Option<Depth> {
        let mut portal = [self.inside(); 4];
        match self.discover(&mut portal) {
            Found::Apart => None,
            Found::Touching => Some(Depth {
                depth: 0.0,
                normal: [0.0; 3],
                pos: portal[1].middle(),
            }),
            Found::Between => Some(Depth {
                depth: norm3(portal[1].at),
                normal: unit(portal[1].at),
                pos: portal[1].middle(),
            }),
            Found::Portal => match self.refine(&mut portal) {
                true => Some(self.outermost(&mut portal)),
                false => None,
            },
        }
    }

    // a point inside the difference
    fn inside(&self) -> Point {
        let (first, second) = (self.first.center(), self.second.center());
        let mut at = sub3(first, second);
        if is_origin(at) {
            at[0] += 10.0 * NOTHING;
        }
        Point { at, first, second }
    }

    fn support(&mut self, dir: [f64; 3]) -> Point {
        let back = scl3(dir, -1.0);
        let first = add_scl3(self.first.support(dir), dir, 0.5 * self.first.margin);
        let second = add_scl3(self.second.support(back), back, 0.5 * self.second.margin);
        let mut at = sub3(first, second);
        if let Some(rounding) = &mut self.rounding {
            at = at.map(|x| x + rounding.size * rounding.random.next());
        }
        Point { at, first, second }
    }

    // finds a portal through which the ray leaves the difference
    fn discover(&mut self, p: &mut [Point; 4]) -> Found {
        let outside = |point: &Point, dir: [f64; 3]| {
            let reach = dot3(point.at, dir);
            is_zero(reach) || reach < 0.0
        };
        let dir = unit(scl3(p[0].at, -1.0));
        p[1] = self.support(dir);
        if outside(&p[1], dir) {
            return Found::Apart;
        }
        let dir = cross(p[0].at, p[1].at);
        if is_zero(dot3(dir, dir)) {
            return match is_origin(p[1].at) {
                true => Found::Touching,
                false => Found::Between,
            };
        }
        let dir = unit(dir);
        p[2] = self.support(dir);
        if outside(&p[2], dir) {
            return Found::Apart;
        }

        // order the corners so that the normal points outwards
        let mut dir = across(p);
        if dot3(dir, p[0].at) > 0.0 {
            p.swap(1, 2);
            dir = scl3(dir, -1.0);
        }
        for _ in 0..MOST {
            p[3] = self.support(dir);
            if outside(&p[3], dir) {
                return Found::Apart;
            }
            let beyond = |a: [f64; 3], b: [f64; 3]| {
                let side = dot3(cross(a, b), p[0].at);
                side < 0.0 && !is_zero(side)
            };
            if beyond(p[1].at, p[3].at) {
                p[2] = p[3];
            } else if beyond(p[3].at, p[2].at) {
                p[1] = p[3];
            } else {
                return Found::Portal;
            }
            dir = across(p);
        }
        Found::Apart
    }

    // moves the portal outwards until the origin lies inside of it; false if the origin lies outside of the difference
    fn refine(&mut self, p: &mut [Point; 4]) -> bool {
        for _ in 0..MOST {
            let dir = outwards(p);
            let reach = dot3(dir, p[1].at);
            if is_zero(reach) || reach > 0.0 {
                return true;
            }
            let next = self.support(dir);
            let reach = dot3(next.at, dir);
            let holds = is_zero(reach) || reach > 0.0;
            if !holds || self.ends(p, &next, dir) {
                return false;
            }
            expand(p, next);
        }
        false
    }

    // moves the portal on to the surface; returns the origin's distance from it
    fn outermost(&mut self, p: &mut [Point; 4]) -> Depth {
        for turn in 0.. {
            let dir = outwards(p);
            let next = self.support(dir);
            if self.ends(p, &next, dir) || turn > self.iterations {
                break;
            }
            expand(p, next);
        }
        let dir = outwards(p);
        let [_, a, b, c] = p.map(|point| point.at);
        let (depth, nearest) = nearest(a, b, c);
        Depth {
            depth,
            normal: match is_origin(nearest) {
                true => dir,
                false => unit(nearest),
            },
            pos: place(p, dir),
        }
    }

    // true if a support point is no farther out than a corner of the portal, within the tolerance
    fn ends(&self, p: &[Point; 4], next: &Point, dir: [f64; 3]) -> bool {
        let reach = dot3(next.at, dir);
        let over = |k: usize| reach - dot3(p[k].at, dir);
        let least = over(1).min(over(2)).min(over(3));
        same(least, self.tolerance) || least < self.tolerance
    }
}

// unit normal of the triangle of the inner point and two corners
fn across(p: &[Point; 4]) -> [f64; 3] {
    unit(cross(sub3(p[1].at, p[0].at), sub3(p[2].at, p[0].at)))
}

fn outwards(p: &[Point; 4]) -> [f64; 3] {
    unit(cross(sub3(p[2].at, p[1].at), sub3(p[3].at, p[1].at)))
}

// replaces the portal corner that the ray does not need by a new point
fn expand(p: &mut [Point; 4], next: Point) {
    let side = cross(next.at, p[0].at);
    let ahead = |k: usize| dot3(p[k].at, side) > 0.0;
    let corner = match (ahead(1), ahead(2), ahead(3)) {
        (true, true, _) => 1,
        (true, false, _) => 3,
        (false, _, true) => 2,
        (false, _, false) => 1,
    };
    p[corner] = next;
}

// contact position: midway between the two points of the solids that make up the point of the portal on the ray
fn place(p: &[Point; 4], dir: [f64; 3]) -> [f64; 3] {
    let v = p.map(|point| point.at);
    let volume = |a: usize, b: usize, c: usize| dot3(cross(v[a], v[b]), v[c]);
    let mut share = [
        volume(1, 2, 3),
        volume(3, 2, 0),
        volume(0, 1, 3),
        volume(2, 1, 0),
    ];
    let mut sum = share[0] + share[1] + share[2] + share[3];
    if is_zero(sum) || sum < 0.0 {
        let area = |a: usize, b: usize| dot3(cross(v[a], v[b]), dir);
        share = [0.0, area(2, 3), area(3, 1), area(1, 2)];
        sum = share[1] + share[2] + share[3];
    }
    let (mut first, mut second) = ([0.0; 3], [0.0; 3]);
    for (point, share) in p.iter().zip(share) {
        first = add_scl3(first, point.first, share);
        second = add_scl3(second, point.second, share);
    }
    let scale = 1.0 / sum;
    scl3(add3(scl3(first, scale), scl3(second, scale)), 0.5)
}

// distance of the origin from a triangle, and the nearest point of the triangle
fn nearest(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> (f64, [f64; 3]) {
    let (d1, d2) = (sub3(b, a), sub3(c, a));
    let (v, w, r) = (dot3(d1, d1), dot3(d2, d2), dot3(d1, d2));
    let (p, q) = (dot3(a, d1), dot3(a, d2));
    let divisor = w * v - r * r;
    if !is_zero(divisor) {
        let s = (q * r - w * p) / divisor;
        let t = (-s * r - q) / w;
        let within = |x: f64| (is_zero(x) || x > 0.0) && (same(x, 1.0) || x < 1.0);
        if within(s) && within(t) && (same(s + t, 1.0) || s + t < 1.0) {
            let point = add3(add3(scl3(d1, s), scl3(d2, t)), a);
            return (norm3(point), point);
        }
    }
    let mut best = on_edge(a, b);
    for next in [on_edge(a, c), on_edge(b, c)] {
        if next.0 < best.0 {
            best = next;
        }
    }
    best
}

fn on_edge(a: [f64; 3], b: [f64; 3]) -> (f64, [f64; 3]) {
    let d = sub3(b, a);
    let t = -dot3(a, d) / dot3(d, d);
    let point = match t {
        t if t < 0.0 || is_zero(t) => a,
        t if t > 1.0 || same(t, 1.0) => b,
        t => add3(scl3(d, t), a),
    };
    (norm3(point), point)
}
