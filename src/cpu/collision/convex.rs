//! Two convex solids of which there is no closed form (`mjc_Convex`): GJK tells how far they are apart, EPA how deep they are
//! in each other.

use super::clip::meet;
use super::epa::epa;
use super::gjk::{Found, Two, Vertex, gjk};
use super::manifold::{Part, meeting};
use super::polytope::Polytope;
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
    let (normal, _) = normalize3(sub3(s.point1, s.point2));
    if several(m, &two)
        && let Some(corner) = ended.corner
    {
        let part1 = Part::new(&two.first, corner, ended.bare, s.point1, true);
        let part2 = Part::new(&two.second, corner, ended.bare, s.point2, false);
        if let Some(meeting) = meeting(&part1, &part2, normal) {
            meet(&meeting, margin, 4, out);
        }
    }
    if out.num == 0 {
        let pos = scl3(add3(s.point1, s.point2), 0.5);
        out.add(margin + s.dist, pos, normal);
    }
    ended.sure
}

// whether the solids may have several contacts
fn several(m: &Model, two: &Two) -> bool {
    use GeomType as T;
    let flat = |solid: &Solid| [T::Capsule, T::Cylinder, T::Box, T::Mesh].contains(&solid.kind);
    !m.opt.disabled(DSBL_MULTICCD) && flat(&two.first) && flat(&two.second)
}

/// How a search ended.
#[derive(Clone, Copy, Default)]
pub struct Ended {
    /// The vertices of the simplex or of the face of the polytope that is nearest, if there is one.
    pub corner: Option<[Vertex; 3]>,
    /// They were found without margins.
    pub bare: bool,
    /// Its bounds met.
    pub sure: bool,
}

/// Signed distance of two solids with their margins and the points of it (`mjc_ccd`).
pub fn penetration(two: &mut Two, s: &mut Found) -> Ended {
    let mut ended = Ended {
        sure: true,
        ..Ended::default()
    };

    // solids are bare at first: margins and the surface of spheres and capsules are added where the cores are apart
    if thick(&two.first) || thick(&two.second) {
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

    // touching solids are searched from the simplex that holds the origin
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

// takes the margin off a solid, and the surface if it is round; returns its thickness
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
