//! Two convex solids without a closed form (`mjc_Convex`): GJK finds their distance, EPA their penetration depth.

use super::clip::meet;
use super::epa::epa;
use super::gjk::{Found, Two, Vertex, gjk};
use super::manifold::{Meeting, Part, meeting};
use super::polytope::Polytope;
use super::simplex::FAR;
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::types::*;

/// Contacts of two geoms of any convex types; false if the search stopped before it converged.
pub fn convex(
    m: &Model,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    margin: f64,
    out: &mut Contacts,
) -> bool {
    let mut two = Two::new(
        m,
        Solid::new(m, geoms[0], shapes[0], margin),
        Solid::new(m, geoms[1], shapes[1], margin),
    );
    let mut s = Found::default();
    let ended = penetration(&mut two, &mut s);
    if s.dist >= 0.0 {
        return ended.sure;
    }
    let normal = s.toward();
    if several(m, geoms)
        && let Some(meeting) = faces(&two, &s, &ended)
    {
        meet(&meeting, margin, 4, out);
    }
    if out.num == 0 {
        out.add(margin + s.dist, s.middle(), normal);
    }
    ended.sure
}

/// The faces or edges in which two touching solids meet.
fn faces(two: &Two, s: &Found, ended: &Ended) -> Option<Meeting> {
    let corner = ended.corner?;
    let part1 = Part::new(&two.first, corner, ended.bare, s.point1, true);
    let part2 = Part::new(&two.second, corner, ended.bare, s.point2, false);
    meeting(&part1, &part2, s.toward())
}

/// The faces or edges in which two geoms meet that are at most a margin apart.
pub fn faces_of(m: &Model, geoms: [usize; 2], shapes: [Shape; 2], margin: f64) -> Option<Meeting> {
    let [first, second] = [0, 1].map(|i| Solid::new(m, geoms[i], shapes[i], margin));
    let mut two = Two::new(m, first, second);
    let mut s = Found::default();
    let ended = penetration(&mut two, &mut s);
    match s.dist < 0.0 {
        true => faces(&two, &s, &ended),
        false => None,
    }
}

/// Contact at the nearest points of two solids, one or both of which are elements of flexes (`mjc_ConvexElem`); false if the search
/// stopped before it converged. Both solids have the margin.
pub fn single(m: &Model, first: Solid<'_>, second: Solid<'_>, out: &mut Contacts) -> bool {
    let margin = second.margin;
    let mut two = Two::new(m, first, second);
    let mut s = Found::default();
    let sure = penetration(&mut two, &mut s).sure;
    if s.dist < 0.0 {
        out.add(margin + s.dist, s.middle(), s.toward());
    }
    sure
}

/// True if two geoms may have several contacts.
pub fn several(m: &Model, geoms: [usize; 2]) -> bool {
    !m.opt.disabled(DSBL_MULTICCD) && geoms.iter().all(|&geom| is_flat(m, geom))
}

/// True if a geom has faces or edges.
pub fn is_flat(m: &Model, geom: usize) -> bool {
    use GeomType as T;
    let flat = [T::Capsule, T::Cylinder, T::Box, T::Mesh];
    flat.iter().any(|&kind| m.geom_type[geom] == kind)
}

/// How a search ended.
#[derive(Clone, Copy, Default)]
pub struct Ended {
    /// The nearest vertices of the simplex, or of the face of the polytope, if there are any.
    pub corner: Option<[Vertex; 3]>,
    /// The vertices were found without margins.
    pub bare: bool,
    /// The search converged: its bounds met.
    pub sure: bool,
}

/// Signed distance of two solids with their margins, and its witness points (`mjc_ccd`).
pub fn penetration(two: &mut Two, s: &mut Found) -> Ended {
    let mut ended = Ended {
        sure: true,
        ..Ended::default()
    };

    // first search without margins and without the radius of spheres and capsules: both are added where the cores are apart;
    // elements of flexes always keep theirs
    let element = two.first.kind == GeomType::None || two.second.kind == GeomType::None;
    if !element && (thick(&two.first) || thick(&two.second)) {
        let margins = [two.first.margin, two.second.margin];
        let skin = [bare(&mut two.first), bare(&mut two.second)];
        two.cutoff = two.beyond + skin[0] + skin[1];
        begin(two, s);
        gjk(two, s);
        (two.first.bare, two.second.bare) = (false, false);
        [two.first.margin, two.second.margin] = margins;
        if s.dist > two.tolerance {
            inflate(s, skin);
            let [a, b, c, _] = s.simplex;
            ended.bare = true;
            ended.corner = match s.num {
                1 => Some([a, a, a]),
                2 => Some([a, b, b]),
                3 => Some([a, b, c]),
                _ => None,
            };
            return ended;
        }
    }

    // touching solids: EPA starts from the simplex that holds the origin
    two.cutoff = two.beyond;
    begin(two, s);
    gjk(two, s);
    if s.dist > two.tolerance || s.num < 2 || s.separated {
        return ended;
    }
    s.dist = 0.0;
    let mut polytope = Polytope::new(two.maxstep);
    if polytope.start(two, s) {
        let deepest = epa(two, &mut polytope, s);
        ended.sure = !deepest.early;
        ended.corner = deepest
            .face
            .map(|face| face.corner.map(|i| polytope.vertex[i]));
    }
    ended
}

fn begin(two: &Two, s: &mut Found) {
    s.point1 = two.first.center();
    s.point2 = two.second.center();
}

fn round(solid: &Solid) -> bool {
    solid.kind == GeomType::Sphere || solid.kind == GeomType::Capsule
}

fn thick(solid: &Solid) -> bool {
    round(solid) || solid.margin > 0.0
}

// takes the margin off a solid, and the radius of a sphere or capsule; returns the thickness taken off
fn bare(solid: &mut Solid) -> f64 {
    solid.bare = true;
    let margin = std::mem::take(&mut solid.margin);
    match round(solid) {
        true => solid.shape.size[0] + 0.5 * margin,
        false => 0.5 * margin,
    }
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
