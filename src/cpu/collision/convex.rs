//! Two convex solids without a closed form (`mjc_Convex`): GJK finds their distance, EPA their penetration depth.

use super::clip::meet;
use super::epa::epa;
use super::gjk::{Found, Two, Vertex, gjk};
use super::manifold::{Meeting, Part, meeting};
use super::polytope::{Face, Polytope};
use super::simplex::FAR;
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::types::*;
use std::cell::Cell;

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
    let element = two.first.is_element() || two.second.is_element();
    let thick = two.first.margin > 0.0 || two.second.margin > 0.0;
    if two.first.is_round() || two.second.is_round() || (thick && !element) {
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
    let mut polytope = POLYTOPE.take().unwrap_or_default();
    expand(two, s, &mut polytope, &mut ended);
    POLYTOPE.set(Some(polytope));
    ended
}

thread_local! {
    // memory for the polytope of a search, kept by this thread
    static POLYTOPE: Cell<Option<Box<Polytope>>> = const { Cell::new(None) };
}

// the depth of touching solids, from the simplex that holds the origin
fn expand(two: &mut Two, s: &mut Found, polytope: &mut Polytope, ended: &mut Ended) {
    polytope.begin(two.maxstep, two.tolerance);
    let dist = std::mem::take(&mut s.dist);
    if !polytope.start(two, s) {
        return;
    }
    let deepest = epa(two, polytope, s);
    if deepest.outside && two.beyond > 0.0 {
        s.dist = dist;
    }
    ended.sure = !deepest.early;
    let corner = |face: Face| face.corner.map(|i| polytope.vertex[i as usize]);
    ended.corner = deepest.face.map(corner);
}

fn begin(two: &Two, s: &mut Found) {
    s.point1 = two.first.center();
    s.point2 = two.second.center();
}

// takes the margin off a solid, and the radius of a sphere or capsule; returns the thickness taken off. An element keeps both
fn bare(solid: &mut Solid) -> f64 {
    if solid.is_element() {
        return 0.0;
    }
    solid.bare = true;
    let margin = std::mem::take(&mut solid.margin);
    match solid.is_round() {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::collision::soft::Element;

    /// Two triangles of radius 4 mm, by MuJoCo 7.65e-7 m deep in each other, which is less than `ccd_tolerance`.
    #[test]
    fn a_depth_below_the_tolerance_is_found() {
        let m = Model::from_xml_str("<mujoco/>").unwrap();
        let first = [
            [
                -0.23367927984821094,
                -0.25439800466109874,
                1.0055205265804306,
            ],
            [-0.2542190609193147, -0.2737336537720554, 1.0058083398105453],
            [
                -0.25396185645631475,
                -0.25344130943681803,
                1.0055403581675557,
            ],
        ];
        let second = [
            [-0.2300590477862372, -0.2496869827831886, 1.0001640686628355],
            [
                -0.20979370643255962,
                -0.23017016646706825,
                1.0002006286772542,
            ],
            [
                -0.2296742174883194,
                -0.22982682330485832,
                1.0000393480621041,
            ],
        ];
        let solid = |t: [[f64; 3]; 3]| {
            let element = Element {
                corner: [t[0], t[1], t[2], t[2]],
                num: 3,
                radius: 0.004,
            };
            Solid::of_element(&m, element.corner, element.center(), element.radius, 0.0)
        };
        let mut out = Contacts::new();
        assert!(single(&m, solid(first), solid(second), &mut out));
        assert_eq!(out.num, 1);
        let found = out.point[0];
        let normal = [0.18474295064847013, 0.24281993576129926, 0.9523174475890777];
        assert!((found.dist + 7.650192622103165e-07).abs() < 1e-15);
        assert!(
            norm3(sub3(found.normal, normal)) < 1e-8,
            "{:?}",
            found.normal
        );
    }
}
