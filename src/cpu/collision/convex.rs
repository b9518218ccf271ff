//! Two convex solids of which there is no closed form (`mjc_Convex`): GJK tells how far they are apart, EPA how deep they are
//! in each other.

use super::clip::{Touch, meet};
use super::epa::epa;
use super::gjk::{Found, Two, Vertex, gjk};
use super::manifold::{Part, meeting};
use super::polytope::{MAXSTEP, Polytope};
use super::simplex::FAR;
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::types::*;

/// Two geoms of any convex types; false if the search ended before it was sure.
pub fn convex(
    m: &Model,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    margin: f64,
    out: &mut Contacts,
) -> bool {
    let mut two = Two {
        first: Solid::new(m, geoms[0], shapes[0], margin),
        second: Solid::new(m, geoms[1], shapes[1], margin),
        tolerance: m.opt.ccd_tolerance,
        maxstep: (m.opt.ccd_iterations.max(0) as usize).min(MAXSTEP),
        cutoff: 0.0,
    };
    let mut s = Found::default();
    let most = most_contacts(m, &two);
    let (face, sure) = penetration(&mut two, &mut s);
    if s.dist >= 0.0 {
        return sure;
    }
    let mut touch = [Touch::default(); MAXCONPAIR];
    let num = match face {
        Some(corner) if most > 1 => faces(&two, corner, &s, most, &mut touch),
        _ => 0,
    };
    if num == 0 {
        add(s.point1, s.point2, margin + s.dist, out);
    }
    for touch in &touch[..num] {
        add(touch.on_first, touch.on_second, margin + touch.dist, out);
    }
    sure
}

fn add(point1: [f64; 3], point2: [f64; 3], dist: f64, out: &mut Contacts) {
    let pos = scl3(add3(point1, point2), 0.5);
    let (normal, _) = normalize3(sub3(point1, point2));
    out.add(dist, pos, normal);
}

// contacts that one search may give
fn most_contacts(m: &Model, two: &Two) -> usize {
    let flat =
        |solid: &Solid| [GeomType::Box, GeomType::Mesh, GeomType::Cylinder].contains(&solid.kind);
    let multiccd = !m.opt.disabled(DSBL_MULTICCD);
    match multiccd && two.first.margin <= 0.0 && flat(&two.first) && flat(&two.second) {
        true => 4,
        false => 1,
    }
}

// contacts of the faces in which the solids meet, if they do
fn faces(
    two: &Two,
    corner: [Vertex; 3],
    s: &Found,
    most: usize,
    touch: &mut [Touch; MAXCONPAIR],
) -> usize {
    let part1 = Part::new(&two.first, corner, true);
    let part2 = Part::new(&two.second, corner, false);
    match meeting(&part1, &part2, [s.point1, s.point2]) {
        Some(mut meeting) => meet(&mut meeting, most, touch),
        None => 0,
    }
}

/// Signed distance of two solids with their margins and the points of it (`mjc_ccd`); the vertices of the nearest face of
/// the polytope, if there is one, and false if the search ended early.
pub fn penetration(two: &mut Two, s: &mut Found) -> (Option<[Vertex; 3]>, bool) {
    // spheres and capsules are bare at first: their surface is added where the cores are apart
    let round = |solid: &Solid| [GeomType::Sphere, GeomType::Capsule].contains(&solid.kind);
    if round(&two.first) || round(&two.second) {
        let margins = [two.first.margin, two.second.margin];
        let skin = [bare(&mut two.first), bare(&mut two.second)];
        two.cutoff = skin[0] + skin[1];
        begin(two, s);
        gjk(two, s);
        two.cutoff = 0.0;
        (two.first.bare, two.second.bare) = (false, false);
        [two.first.margin, two.second.margin] = margins;
        if s.dist > two.tolerance {
            inflate(s, skin);
            return (None, true);
        }
    }

    // touching solids are searched from the simplex that holds the origin
    begin(two, s);
    gjk(two, s);
    if s.dist > two.tolerance || s.num < 2 || s.separated {
        return (None, true);
    }
    s.dist = 0.0;
    let mut polytope = Polytope::new(two.maxstep);
    if !polytope.start(two, s) {
        return (None, true);
    }
    let deepest = epa(two, &mut polytope, s);
    let face = deepest
        .face
        .map(|face| face.corner.map(|i| polytope.vertex[i]));
    (face, !deepest.early)
}

fn begin(two: &Two, s: &mut Found) {
    s.point1 = two.first.center();
    s.point2 = two.second.center();
}

// takes the surface off a round solid; returns its thickness
fn bare(solid: &mut Solid) -> f64 {
    if solid.kind != GeomType::Sphere && solid.kind != GeomType::Capsule {
        return 0.0;
    }
    solid.bare = true;
    let skin = solid.shape.size[0] + 0.5 * solid.margin;
    solid.margin = 0.0;
    skin
}

fn inflate(s: &mut Found, skin: [f64; 2]) {
    if s.dist == FAR {
        return;
    }
    let (normal, _) = normalize3(sub3(s.point2, s.point1));
    s.point1 = add_scl3(s.point1, normal, skin[0]);
    s.point2 = add_scl3(s.point2, normal, -skin[1]);
    s.dist -= skin[0] + skin[1];
}
