//! Two convex solids without a closed form (`mjc_Convex`): GJK finds their distance, EPA their penetration depth.

use super::clip::meet;
use super::epa::epa;
use super::gjk::{Found, Two, Vertex, gjk};
use super::manifold::{Meeting, Part, meeting};
use super::older;
use super::polytope::{Face, Polytope};
use super::simplex::FAR;
use super::support::Solid;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::math::*;
use crate::fields::Model;
use crate::parted::known;
use crate::types::*;
use std::cell::Cell;

/// By how much a plane is to separate two solids, relative to their sizes and beside the tolerance: more than vertices are moved by their
/// rounding to single precision, after which a climb may end beside the farthest one.
pub const CLEAR: f64 = 1e-6;

/// Sum of the absolute components of a vector: not less than its length.
pub fn extent(x: [f64; 3]) -> f64 {
    x.map(f64::abs).iter().sum()
}

/// Contacts of two geoms of any convex types; false if the search stopped before it converged. `plane` is the unit normal of the plane
/// that separated them last, in the frame of the first, and becomes that of a plane that separates them now; zero if none is known.
pub fn convex(
    m: &Model,
    geoms: [usize; 2],
    shapes: [Shape; 2],
    margin: f64,
    plane: &mut [f64; 3],
    out: &mut Contacts,
) -> bool {
    let mut two = Two::new(
        m,
        Solid::new(m, geoms[0], shapes[0], margin),
        Solid::new(m, geoms[1], shapes[1], margin),
    );
    if separates(&mut two, *plane) {
        return true;
    }
    let mut s = Found::default();
    let ended = penetration(&mut two, &mut s);
    if s.dist >= 0.0 {
        *plane = mul_mat_t_vec3(shapes[0].mat, s.normal);
        return ended.sure;
    }
    *plane = [0.0; 3];
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

// true if a plane across a normal, in the frame of the first solid, separates two solids by more than the tolerance. Then a search finds
// them apart too: it looks for a point of their difference within the tolerance from the origin
fn separates(two: &mut Two, plane: [f64; 3]) -> bool {
    if !known(&plane) {
        return false;
    }
    // a step of Newton's makes it a unit vector: it may have been rounded to single precision
    let plane = scl3(plane, 1.5 - 0.5 * dot3(plane, plane));
    let normal = mul_mat_vec3(two.first.shape.mat, plane);
    let vertex = two.vertex(scl3(normal, -1.0));
    two.first.forget();
    two.second.forget();
    let out = |solid: &Solid, on: [f64; 3]| extent(sub3(on, solid.shape.pos));
    let sizes = out(&two.first, vertex.on1) + out(&two.second, vertex.on2);
    dot3(normal, vertex.diff) > two.tolerance + CLEAR * sizes
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
pub fn single<'a>(m: &Model, first: Solid<'a>, second: Solid<'a>, out: &mut Contacts) -> bool {
    if m.opt.disabled(DSBL_NATIVECCD) {
        older::single(m, first, second, out);
        return true;
    }
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
    use crate::cpu::collision::element::Element;

    /// Solids of every kind in all distances, and planes of every direction, among them such that nearly separate.
    #[test]
    fn a_known_plane_changes_no_contact() {
        let geoms = ["sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh"].map(|kind| {
            let mesh = if kind == "mesh" { r#" mesh="gem""# } else { "" };
            format!(r#"<geom type="{kind}"{mesh} size=".3 .2 .1"/>"#)
        });
        let xml = format!(
            r#"<mujoco><asset><mesh name="gem" builtin="sphere" params="2" scale=".3 .2 .1"/></asset><worldbody>{}</worldbody></mujoco>"#,
            geoms.concat()
        );
        let m = Model::from_xml_str(&xml).unwrap();
        let wave = |k: usize, i: usize| (1.0 + 12.9898 * (k + 1) as f64 * (i + 1) as f64).sin();
        let (mut apart, mut spared) = (0, 0);
        for k in 0..6000 {
            let geoms = [k % 6, k / 6 % 6];
            let shapes = [0, 1].map(|i| {
                let quat = normalize4([0, 1, 2, 3].map(|j| wave(k, 4 * i + j)));
                let far = 0.6 * i as f64;
                Shape {
                    pos: [8, 9, 10].map(|j| far * wave(k, j)),
                    mat: quat2mat(quat),
                    size: m.geom_size[geoms[i]],
                }
            });
            let margin = if k % 4 == 0 { 0.02 } else { 0.0 };
            let run = |mut plane: [f64; 3]| {
                let mut out = Contacts::new();
                let sure = convex(&m, geoms, shapes, margin, &mut plane, &mut out);
                let point = |p: &Point| {
                    (
                        p.dist.to_bits(),
                        p.pos.map(f64::to_bits),
                        p.normal.map(f64::to_bits),
                    )
                };
                let points: Vec<_> = out.point[..out.num].iter().map(point).collect();
                ((sure, points), plane)
            };
            let (want, plane) = run([0.0; 3]);
            let known = plane != [0.0; 3];
            assert_eq!(
                known,
                want.1.is_empty(),
                "{k}: a plane separates solids without contacts"
            );
            for bend in [0.0, 1e-3, 0.1, 0.3, 3.0] {
                let hint = [0, 1, 2].map(|j| plane[j] + bend * wave(k, 20 + j));
                let (got, after) = run(normalize3(hint).0);
                assert_eq!(got, want, "{k}, {bend}");
                assert_eq!(after != [0.0; 3], known);
                spared += usize::from(bend == 1e-3 && known && after == normalize3(hint).0);
            }
            apart += usize::from(known);
        }
        assert!(apart > 1000 && apart < 5000, "{apart}");
        assert!(spared > apart * 9 / 10, "{spared} of {apart}");
    }

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
