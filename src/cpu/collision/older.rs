//! The older convex collider (`mjc_Convex` with the flag `nativeccd` disabled): one search, and four more with the solids turned a
//! little against each other to find further corners of faces that meet.

use super::gjk::Two;
use super::portal::{Depth, Pair, Rounding};
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::types::*;

/// Angle by which the solids are turned against each other (rad).
const TURN: f64 = 1e-3;
/// Distance below which two contacts count as one, as a fraction of the smaller bounding sphere's radius.
const DISTINCT: f64 = 1e-3;
/// Share of a cylinder's half length in which the normal may be that of the side.
const SIDE: f64 = 0.95;
/// Factor of the distance from a cylinder's side below which its cap counts as the nearer surface.
const CAP: f64 = 0.25;

/// Maximum iterations of the search for the normal of an ellipsoid.
const TURNS: usize = 30;
/// Change of the unit normal at which that search ends.
const CHANGE: f64 = 1e-6;

/// Contacts of two geoms of any convex types. `bound` is the radius of the smaller bounding sphere.
pub fn convex(
    m: &Model,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    margin: f64,
    bound: f64,
    mut rounding: Option<&mut Rounding>,
    out: &mut Contacts,
) {
    let mut search = |shapes| search(m, geoms, shapes, margin, rounding.as_deref_mut());
    let Some(found) = search(shapes) else {
        return;
    };
    let normal = smooth_normal(m, geoms, shapes, &found);
    let dist = margin - found.depth;
    out.add(dist, found.pos, normal);

    // all contacts of two meeting faces get the same distance
    let round = |geom: usize| {
        m.geom_type[geom] == GeomType::Sphere || m.geom_type[geom] == GeomType::Ellipsoid
    };
    if m.opt.disabled(DSBL_MULTICCD) || geoms.into_iter().any(round) {
        return;
    }
    let frame = make_frame(normal, [0.0; 3]);
    for axis in [1, 2] {
        for angle in [-TURN, TURN] {
            let axis = [0, 1, 2].map(|k| frame[3 * axis + k]);
            let turn = quat2mat(axis_angle2quat(axis, angle));
            let back = quat2mat(axis_angle2quat(axis, -angle));
            let turned = [
                shapes[0].turned(found.pos, turn),
                shapes[1].turned(found.pos, back),
            ];
            let Some(other) = search(turned) else {
                continue;
            };
            let far = |point: &Point| norm3(sub3(other.pos, point.pos)) > DISTINCT * bound;
            if out.point[..out.num].iter().all(far) {
                let normal = smooth_normal(m, geoms, shapes, &other);
                out.add(dist, other.pos, normal);
            }
        }
    }
}

/// Contact of two solids, one or both of which are elements of flexes. Both have the margin.
pub fn single<'a>(m: &Model, mut first: Solid<'a>, mut second: Solid<'a>, out: &mut Contacts) {
    let margin = second.margin;
    if let Some(found) = depth(m, &mut first, &mut second, None) {
        out.add(margin - found.depth, found.pos, found.normal);
    }
}

/// Contact of a prism of a height field and a geom, both in the field's frame; `shapes` are the field and the geom in the world
/// frame.
pub fn against_prism(
    m: &Model,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    two: &mut Two<'_>,
    out: &mut Contacts,
) {
    if let Some(found) = at_prism(m, &shapes[0], two, None) {
        let normal = smooth_normal(m, geoms, shapes, &found);
        out.add(two.second.margin - found.depth, found.pos, normal);
    }
}

/// Contact of a prism of a height field and an element of a flex, both in the field's frame.
pub fn prism_element(
    m: &Model,
    field: &Shape,
    two: &mut Two<'_>,
    rounding: Option<&mut Rounding>,
    out: &mut Contacts,
) {
    if let Some(found) = at_prism(m, field, two, rounding) {
        out.add(two.second.margin - found.depth, found.pos, found.normal);
    }
}

// the penetration of a prism and a solid in the world frame
fn at_prism(
    m: &Model,
    field: &Shape,
    two: &mut Two<'_>,
    rounding: Option<&mut Rounding>,
) -> Option<Depth> {
    let local = depth(m, &mut two.first, &mut two.second, rounding)?;
    Some(Depth {
        normal: mul_mat_vec3(field.mat, local.normal),
        pos: add3(mul_mat_vec3(field.mat, local.pos), field.pos),
        ..local
    })
}

fn search(
    m: &Model,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    margin: f64,
    rounding: Option<&mut Rounding>,
) -> Option<Depth> {
    let [mut first, mut second] = [0, 1].map(|k| Solid::new(m, geoms[k], shapes[k], margin));
    depth(m, &mut first, &mut second, rounding)
}

/// The penetration of two solids with their margins.
pub(crate) fn depth<'a>(
    m: &Model,
    first: &mut Solid<'a>,
    second: &mut Solid<'a>,
    rounding: Option<&mut Rounding>,
) -> Option<Depth> {
    let mut pair = Pair {
        first,
        second,
        tolerance: m.opt.ccd_tolerance,
        iterations: m.opt.ccd_iterations,
        rounding,
    };
    pair.depth()
}

// normal from a smooth surface, if one of the geoms has one: it is more accurate than the search (`mjc_fixNormal`)
fn smooth_normal(m: &Model, geoms: [usize; 2], shapes: [Shape; 2], found: &Depth) -> [f64; 3] {
    let back = scl3(found.normal, -1.0);
    let [first, second] = [(0, found.normal), (1, back)]
        .map(|(k, guess)| surface_normal(m.geom_type[geoms[k]], &shapes[k], found.pos, guess));
    match (first, second) {
        (Some(first), Some(second)) => normalize3(sub3(first, second)).0,
        (Some(first), None) => first,
        (None, Some(second)) => scl3(second, -1.0),
        (None, None) => found.normal,
    }
}

/// Outward normal of a smooth surface near a point.
pub fn surface_normal(
    kind: i32,
    shape: &Shape,
    point: [f64; 3],
    guess: [f64; 3],
) -> Option<[f64; 3]> {
    let [x, y, z] = mul_mat_t_vec3(shape.mat, sub3(point, shape.pos));
    let size = shape.size;
    let local = match GeomType::from_i32(kind)? {
        GeomType::Sphere => [x, y, z],
        GeomType::Capsule => [x, y, z - clip(z, -size[1], size[1])],
        GeomType::Cylinder if !near_cap(size, [x, y, z]) => [x, y, 0.0],
        GeomType::Ellipsoid => nearest_normal(size, [x, y, z], mul_mat_t_vec3(shape.mat, guess))?,
        _ => return None,
    };
    Some(mul_mat_vec3(shape.mat, normalize3(local).0))
}

// true if a point of a cylinder is near an end of its axis, or much nearer to a cap than to the side
fn near_cap([radius, half, _]: [f64; 3], [x, y, z]: [f64; 3]) -> bool {
    let inside = (radius - (x * x + y * y).sqrt()).abs();
    z.abs() > SIDE * half || (half - z.abs()).abs() < CAP * inside
}

// normal of an ellipsoid where it is nearest to a point
fn nearest_normal(size: [f64; 3], point: [f64; 3], guess: [f64; 3]) -> Option<[f64; 3]> {
    let shares = [0, 1, 2].map(|k| 1.0 / (size[k] * size[k]));
    let form = |a: [f64; 3], b: [f64; 3]| {
        a[0] * b[0] * shares[0] + a[1] * b[1] * shares[1] + a[2] * b[2] * shares[2]
    };
    match form(point, point) - 1.0 {
        out if out > 0.0 => Some(normal_of_outer(size, point)),
        out => normal_of_inner(form, shares, out, point, guess),
    }
}

// from inside: the normal where a ray meets the surface is the direction of the next ray
fn normal_of_inner(
    form: impl Fn([f64; 3], [f64; 3]) -> f64,
    shares: [f64; 3],
    out: f64,
    point: [f64; 3],
    guess: [f64; 3],
) -> Option<[f64; 3]> {
    let mut normal = normalize3(guess).0;
    for turn in 0..TURNS {
        let (a, b) = (form(normal, normal), form(point, normal));
        let root = b * b - a * out;
        let along = (root.max(0.0).sqrt() - b) / a;
        if root < MINVAL || a < MINVAL || along < 0.0 {
            return (turn > 0).then_some(normal);
        }
        let met = add_scl3(point, normal, along);
        let next = normalize3([0, 1, 2].map(|k| met[k] * shares[k])).0;
        let change = norm3(sub3(normal, next));
        normal = next;
        if change < CHANGE {
            break;
        }
    }
    Some(normal)
}

// from outside: Newton's method for the multiplier of the nearest point
fn normal_of_outer(size: [f64; 3], point: [f64; 3]) -> [f64; 3] {
    let square = size.map(|x| x * x);
    let weight = [0, 1, 2].map(|k| point[k] * point[k] * square[k]);
    let mut multiplier = 0.0;
    for _ in 0..TURNS {
        let share = square.map(|x| 1.0 / (x + multiplier));
        let sum = |power: i32| {
            let term = |k: usize| weight[k] * share[k].powi(power);
            term(0) + term(1) + term(2)
        };
        let (value, slope) = (sum(2) - 1.0, -2.0 * sum(3));
        if value < CHANGE || slope > -MINVAL || -value / slope < CHANGE {
            break;
        }
        multiplier -= value / slope;
    }
    normalize3([0, 1, 2].map(|k| point[k] / (square[k] + multiplier))).0
}
