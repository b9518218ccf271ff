//! Penetration depth of two convex solids: a polytope inside their Minkowski difference is grown until its face nearest to the
//! origin lies on the surface (expanding polytope algorithm, van den Bergen).

use super::gjk::{Found, Two};
use super::polytope::{Face, Grown, Polytope, support};
use super::simplex::*;
use crate::cpu::lib::math::*;
use crate::types::*;

/// Result of the search.
pub struct Deepest {
    /// The nearest face.
    pub face: Option<Face>,
    /// The search stopped before its bounds met.
    pub early: bool,
    /// The origin is outside of the first polytope: there is no face.
    pub outside: bool,
}

/// Grows the polytope; writes the witness points and the depth, negative, to `s` (`epa`).
pub fn epa(two: &mut Two, polytope: &mut Polytope, s: &mut Found) -> Deepest {
    let discrete = two.discrete();
    let tolerance = if discrete { MINVAL } else { two.tolerance };
    let mut upper = FAR;
    let mut upper2 = FAR;
    let mut nearest = None;
    let (mut early, mut outside) = (true, false);
    for k in 0..two.maxstep {
        // lower bound of the depth: the distance of the face nearest to the origin
        let before = nearest;
        let mut lower2 = FAR;
        for candidate in &polytope.list {
            if candidate.dist2 < lower2 {
                nearest = Some(candidate.face);
                lower2 = candidate.dist2;
            }
        }
        if lower2 > upper2 {
            nearest = before;
            early = false;
            break;
        }
        let Some(face) = nearest else { break };
        if lower2 <= 0.0 {
            break;
        }

        // upper bound of the depth: the support point beyond that face
        let lower = lower2.sqrt();
        let near = polytope.face[face].near;
        let new = support(two, near, lower);
        let depth = dot3(near, new.diff) / lower;
        if depth < upper {
            upper = depth;
            upper2 = upper * upper;
        }
        if depth - lower < tolerance {
            outside = k == 0 && depth < lower - tolerance;
            if outside {
                nearest = None;
            }
            early = false;
            break;
        }

        // polyhedra: a vertex met before lies on the surface, so the face does too
        let mut others = polytope.vertex.iter();
        if discrete && others.any(|v| v.id1 == new.id1 && v.id2 == new.id2) {
            early = false;
            break;
        }
        match polytope.grow(face, new, lower2, upper2) {
            Grown::Done => {}
            Grown::Full => break,
            Grown::Flat => {
                early = false;
                break;
            }
            Grown::Failed => {
                nearest = None;
                early = false;
                break;
            }
        }
        if polytope.list.is_empty() {
            early = false;
            break;
        }
    }
    let face = nearest.map(|face| polytope.face[face]);
    match &face {
        Some(face) => witness(polytope, face, s),
        None => s.dist = 0.0,
    }
    Deepest {
        face,
        early,
        outside,
    }
}

// witness points: the points of both solids whose difference is the point of the face nearest to the origin
fn witness(polytope: &Polytope, face: &Face, s: &mut Found) {
    let corner = face.corner.map(|i| polytope.vertex[i as usize]);
    let [a, b, c] = corner.map(|v| v.diff);
    let weights = shares(areas(a, b, c, face.near).0);
    s.point1 = combine(&weights, &corner.map(|v| v.on1));
    s.point2 = combine(&weights, &corner.map(|v| v.on2));
    s.dist = -face.dist2.sqrt();
}
