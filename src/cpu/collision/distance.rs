//! Distance of two geoms (`mj_geomDistance`).

use super::convex::penetration;
use super::gjk::{Found, Two};
use super::simplex::FAR;
use super::support::Solid;
use super::{Kind, collide, kind};
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::{Model, OwnLane};
use crate::real::Real;
use crate::types::*;

/// Signed distance of two geoms at their poses and their nearest points; `most` and zeros if they are farther apart than `most`,
/// or cannot collide.
pub fn geom_distance<R: Real>(
    m: &Model,
    own: OwnLane<'_, R>,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    most: f64,
) -> (f64, [[f64; 3]; 2]) {
    let nothing = (most, [[0.0; 3]; 2]);
    let types = geoms.map(|geom| m.geom_type[geom]);
    let flip = types[0] > types[1];
    let ordered = |pair: [i32; 2]| if flip { [pair[1], pair[0]] } else { pair };
    let boxes = types.map(|t| t == GeomType::Box) == [true; 2];
    let Some(kind) = kind(ordered(types)) else {
        return nothing;
    };
    if boxes || kind == Kind::Convex {
        return of_solids(m, geoms, shapes, most).unwrap_or(nothing);
    }

    // the deepest contact
    let (geoms, shapes) = match flip {
        true => ([geoms[1], geoms[0]], [shapes[1], shapes[0]]),
        false => (geoms, shapes),
    };
    let mut out = Contacts::new();
    collide(m, own, geoms, &shapes, most, &mut [0.0; 3], &mut out);
    let (mut dist, mut points) = nothing;
    for point in &out.point[..out.num] {
        if point.dist < dist {
            dist = point.dist;
            let half = if flip { -0.5 * dist } else { 0.5 * dist };
            let (normal, _) = normalize3(point.normal);
            points = [-half, half].map(|x| add_scl3(point.pos, normal, x));
        }
    }
    (dist, points)
}

// distance and nearest points of two convex solids; none if they are farther apart than `most`
fn of_solids(
    m: &Model,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    most: f64,
) -> Option<(f64, [[f64; 3]; 2])> {
    let [first, second] = [0, 1].map(|k| Solid::new(m, geoms[k], shapes[k], 0.0));
    let mut two = Two::new(m, first, second);
    two.beyond = most;
    let mut s = Found::default();
    penetration(&mut two, &mut s);
    (s.dist < most && s.dist != FAR).then_some((s.dist, [s.point1, s.point2]))
}
