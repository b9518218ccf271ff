//! Contacts of flexes: a vertex and a plane, an element and a geom, two elements.

use super::bounds::{bounding_box, boxes_meet};
use super::box_box::box_box;
use super::capsule_box::capsule_box;
use super::convex::single;
use super::element::Element;
use super::element_boxes::Boxes;
use super::hfield::hfield_element;
#[cfg(feature = "gpu")]
use super::hfield::{older_element, placed};
use super::mesh_sdf::triangle_sdf;
use super::nearest::nearest;
use super::older::surface_normal;
use super::plane::{Ball, plane_ball};
#[cfg(feature = "gpu")]
use super::portal::Rounding;
use super::round::{capsule_capsule, sphere_capsule};
use super::sdf::Field;
use super::shape;
use super::sphere_box::sphere_box;
use super::support::Solid;
use super::tetrahedron::capsule_tetrahedron;
use super::triangle::{box_triangle, capsule_triangle, sphere_triangle};
use crate::cpu::lib::cage::for_nodes;
use crate::cpu::lib::contact::*;
use crate::cpu::lib::jac::for_chain;
use crate::cpu::lib::math::*;
use crate::cpu::lib::rod::{
    edge_of, half_sides, half_sizes, hinges, is_boxed, place_along, turned_frame,
};
use crate::cpu::lib::rows::{dofs_of, pattern_of};
use crate::fields::{Arrays, Data, Model, OwnLane};
use crate::real::{Mask, Real, lanes};
use crate::types::*;

/// True if a pair of the collision list has a flex.
#[inline(always)]
pub fn is_soft(m: &Arrays, k: usize) -> bool {
    m.ncollisionflex > 0 && m.collision_geom2[k] < 0
}

/// True if a pair stands for all pairs of elements of two flexes, or of one.
#[inline(always)]
pub fn is_block(m: &Arrays, k: usize) -> bool {
    is_soft(m, k) && m.collision_geom1[k] < 0
}

/// A pair with a flex: its place in the list, and the elements of its sides, counted from their flex's first; -1: a geom or a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Place in the list.
    pub k: usize,
    /// Elements of the sides.
    pub elem: [i32; 2],
}

impl Pair {
    /// A pair of the list that is no block.
    pub fn listed(m: &Arrays, k: usize) -> Self {
        let elem = [0, 1].map(|side| m.collision_elem[2 * k + side]);
        Self { k, elem }
    }

    /// The pair of the contact in slot `c`, which is `k` in the list.
    pub fn of_contact<R: Real>(m: &Arrays, d: &Data<R>, c: usize, k: usize) -> Self {
        match is_block(m, k) {
            true => Self {
                k,
                elem: [0, 1].map(|side| d.contact_elem[2 * c + side]),
            },
            false => Self::listed(m, k),
        }
    }

    /// The flex of a side; -1: a geom.
    pub fn flex(&self, m: &Arrays, side: usize) -> i32 {
        m.collision_flex[2 * self.k + side]
    }
}

/// Flex vertex of a pair of a plane and a vertex, as an index into all flex vertices.
pub fn vertex(m: &Model, k: usize) -> Option<usize> {
    let v = usize::try_from(m.collision_vert[2 * k + 1]).ok()?;
    Some(m.flex_vertadr[m.collision_flex[2 * k + 1] as usize] as usize + v)
}

/// Corners of the flex element on a side of a pair, as indices into all flex vertices.
fn corners<'a>(
    m: &'a Model,
    pair: &Pair,
    side: usize,
) -> impl ExactSizeIterator<Item = usize> + use<'a> {
    elem_vertices(m, pair.flex(m, side) as usize, pair.elem[side] as usize)
}

/// Vertices of a side of a pair with a flex, as indices into all flex vertices: the one that touches a plane, or the corners of the
/// element.
pub fn vertices(m: &Model, pair: &Pair, side: usize) -> Vec<usize> {
    match vertex(m, pair.k) {
        Some(v) => vec![v],
        None => corners(m, pair, side).collect(),
    }
}

pub(super) fn elem_vertices(
    m: &Arrays,
    f: usize,
    e: usize,
) -> impl ExactSizeIterator<Item = usize> + '_ {
    let num = m.flex_dim[f] as usize + 1;
    let adr = m.flex_elemdataadr[f] as usize + num * e;
    m.flex_elem[adr..adr + num]
        .iter()
        .map(move |v| (m.flex_vertadr[f] + v) as usize)
}

/// Whether the pairs with the geom and flexes of a pair share a limit, of [`MAXCONPAIR`] contacts: the flexes are rigid or interpolated,
/// or the geom is a signed distance field.
pub fn share_limit(m: &Arrays, k: usize) -> bool {
    let few = |f: usize| m.flex_rigid[f] != 0 || m.flex_interp[f] != 0;
    let mut flexes = m.collision_flex[2 * k..2 * k + 2].iter();
    is_field(m, k) || flexes.all(|f| usize::try_from(*f).map_or(true, few))
}

/// End of the run of pairs from `k` on with the same geom and flexes, if they share a limit. Else the next pair.
pub fn crowd(m: &Arrays, k: usize) -> usize {
    if is_block(m, k) || !share_limit(m, k) {
        return k + 1;
    }
    let who = |k: usize| {
        [
            m.collision_geom1[k],
            m.collision_flex[2 * k],
            m.collision_flex[2 * k + 1],
        ]
    };
    let same = |next: &usize| is_soft(m, *next) && who(*next) == who(k);
    k + (k..m.ncollision).take_while(same).count()
}

/// Which contacts of a run of pairs from `k` on stay: at most [`MAXCONPAIR`], of those of a signed distance field the first ones, each
/// place once.
pub fn stay(m: &Model, k: usize, spots: &[(f64, [f64; 3])]) -> Vec<bool> {
    if !is_field(m, k) {
        return spread(spots);
    }
    let mut stays = vec![false; spots.len()];
    for i in 0..spots.len().min(MAXCONPAIR) {
        let same = |j: &usize| stays[*j] && norm3(sub3(spots[i].1, spots[*j].1)) < MINVAL;
        stays[i] = !(0..i).any(|j| same(&j));
    }
    stays
}

/// Whether the contacts of a run of pairs may have to be reduced if there are `num`.
pub fn reduces(m: &Model, pairs: &[Pair], num: usize) -> bool {
    let [first, _, ..] = pairs else { return false };
    share_limit(m, first.k) && (num > MAXCONPAIR || (num > 1 && is_field(m, first.k)))
}

/// True if the geom of a pair with a flex is a signed distance field.
pub fn is_field(m: &Arrays, k: usize) -> bool {
    usize::try_from(m.collision_geom1[k]).is_ok_and(|geom| m.geom_type[geom] == GeomType::Sdf)
}

/// Mask of the at most [`MAXCONPAIR`] contacts that stay, by distance and position: the deepest, then repeatedly the one farthest from
/// all that stay.
pub fn spread(spots: &[(f64, [f64; 3])]) -> Vec<bool> {
    let mut stays = vec![false; spots.len()];
    let mut apart = vec![f64::INFINITY; spots.len()];
    let first = |of: &dyn Fn(usize) -> f64, among: &[bool]| {
        let mut best = None;
        for i in (0..spots.len()).filter(|&i| !among[i]) {
            if best.is_none_or(|best| of(i) > of(best)) {
                best = Some(i);
            }
        }
        best
    };
    let mut next = first(&|i| -spots[i].0, &stays);
    for _ in 0..MAXCONPAIR {
        let Some(chosen) = next else { break };
        stays[chosen] = true;
        for (apart, spot) in apart.iter_mut().zip(spots) {
            let dif = sub3(spot.1, spots[chosen].1);
            *apart = apart.min(dot3(dif, dif));
        }
        next = first(&|i| apart[i], &stays);
    }
    stays
}

/// Contacts of a plane and a vertex.
pub fn plane_vertex<R: Real>(
    m: &Model,
    d: &Data<R>,
    k: usize,
    v: usize,
    awake: R::Mask,
    out: &mut Contacts<R>,
) {
    let plane = m.collision_geom1[k] as usize;
    let f = m.collision_flex[2 * k + 1] as usize;
    let center = d.flexvert_xpos[v];
    let normal = column(d.geom_xmat[plane], 2);
    let detect = d.own.collision_detect(m, k);
    let mut touch = |center: [R; 3], radius: R| {
        let ball = Ball { center, radius };
        let (lanes, point) = plane_ball(d.geom_xpos[plane], normal, ball, detect);
        out.add_where(lanes & awake, point);
    };
    if !is_boxed(m, f) {
        return touch(center, d.own.flex_radius(m, f));
    }
    let edge = place_along(m, f, v).min(hinges(m, f));
    let sides = half_sides(m, d, f, edge);
    for corner in deepest_corners(sides, normal) {
        touch(add3(center, corner), R::zero());
    }
}

/// The two deepest corners of a section at a plane, the deepest one first: from there to the next along the side that rises less.
fn deepest_corners<R: Real>(sides: [[R; 3]; 2], normal: [R; 3]) -> [[R; 3]; 2] {
    let rise = sides.map(|side| dot3(normal, side));
    let zero = R::zero();
    let [wide, thin] = [0, 1].map(|i| {
        let up = zero.le(rise[i]);
        scl3(sides[i], R::select(up, -R::one(), R::one()))
    });
    let along = rise[0].abs().le(rise[1].abs());
    let deepest = add3(wide, thin);
    let turned = select3(along, sub3(thin, wide), sub3(wide, thin));
    [deepest, turned]
}

/// Number of the element on a side of a pair among those of all flexes.
pub fn element_of(m: &Arrays, pair: &Pair, side: usize) -> usize {
    (m.flex_elemadr[pair.flex(m, side) as usize] + pair.elem[side]) as usize
}

/// Lanes where an element is near the other side of its pair: by boxes along the world axes, the bounding sphere of a geom and
/// its own box (`mjc_GeomElem`).
pub fn near<R: Real>(m: &Model, d: &Data<R>, boxes: &Boxes<R>, pair: &Pair) -> R::Mask {
    let detect = d.own.collision_detect(m, pair.k);
    let element = boxes.of(m, pair, 1);
    let Ok(geom) = usize::try_from(m.collision_geom1[pair.k]) else {
        let other = boxes.of(m, pair, 0);
        let reach = add3(other.size, element.size);
        return within(sub3(element.pos, other.pos), reach.map(|x| x + detect));
    };
    let reach = d.own.geom_rbound(m, geom) + detect;
    let dif = sub3(element.pos, d.geom_xpos[geom]);
    let near = within(dif, element.size.map(|x| x + reach));
    if !near.any() {
        return near;
    }
    let own = bounding_box(m, &d.own, geom, &shape(m, d, geom));
    near & boxes_meet(&own, element, detect)
}

// lanes where no component is larger in size than its limit
#[inline(always)]
fn within<R: Real>(dif: [R; 3], reach: [R; 3]) -> R::Mask {
    dif[0].abs().le(reach[0]) & dif[1].abs().le(reach[1]) & dif[2].abs().le(reach[2])
}

// the element on a side of a pair, in one lane
fn element_on<R: Real>(m: &Model, d: &Data<R>, pair: &Pair, side: usize, lane: usize) -> Element {
    let f = pair.flex(m, side) as usize;
    let radius = OwnLane::new(&d.own, lane).flex_radius(m, f);
    Element::new(d, corners(m, pair, side), radius, lane)
}

/// The edge on a side of a pair, if its section is a box: its axes are along the larger side of the section, along the smaller
/// one and along the edge, as its element runs.
fn edge_box<R: Real>(
    m: &Model,
    d: &Data<R>,
    pair: &Pair,
    side: usize,
    lane: usize,
) -> Option<Shape> {
    let f = pair.flex(m, side) as usize;
    if !is_boxed(m, f) {
        return None;
    }
    let e = edge_of(m, f, pair.elem[side] as usize);
    let frame = turned_frame(m, d, f, e).map(|x| x.lane(lane));
    let [wide, thin] = half_sizes(m, d, f).map(|x| x.lane(lane));
    let Element { corner, .. } = element_on(m, d, pair, side, lane);
    let [a, b, ..] = corner;
    let (along, length) = normalize3(sub3(b, a));
    let [x, y, z] = [frame, cross(along, frame), along];
    Some(Shape {
        pos: scl3(add3(a, b), 0.5),
        mat: [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]],
        size: [wide, thin, 0.5 * length],
    })
}

/// Contacts of edges whose section is a box; false where they count as capsules: with all but lines, spheres, capsules and
/// boxes.
fn touch_boxed<R: Real>(
    m: &Model,
    d: &Data<R>,
    pair: &Pair,
    sides: [usize; 2],
    lane: usize,
    detect: f64,
    out: &mut Contacts,
) -> bool {
    use GeomType as T;
    let edge = |side: usize| edge_box(m, d, pair, sides[side], lane);
    let capsule = |side: usize| element_on(m, d, pair, sides[side], lane).capsule();
    let (kind, other, cube, reversed) = match usize::try_from(m.collision_geom1[pair.k]) {
        Ok(geom) => {
            let Some(cube) = edge(1) else { return false };
            let other = geom_shape(m, d, geom, lane);
            (m.geom_type[geom], other, cube, false)
        }
        Err(_) if (0..2).any(|side| corners(m, pair, side).len() != 2) => return false,
        Err(_) => match [edge(0), edge(1)] {
            [None, None] => return false,
            [None, Some(cube)] => (T::Capsule as i32, capsule(0), cube, false),
            [Some(first), Some(cube)] => (T::Box as i32, first, cube, false),
            [Some(first), None] => (T::Capsule as i32, capsule(1), first, true),
        },
    };
    match T::from_i32(kind) {
        Some(T::Sphere) => sphere_box(&other, &cube, detect, true, out),
        Some(T::Capsule) => capsule_box(&other, &cube, detect, true, out),
        Some(T::Box) => box_box(&other, &cube, detect, true, out),
        _ => return false,
    }
    if reversed {
        reverse(out);
    }
    true
}

// reverses the normals: what was given first comes second
fn reverse(out: &mut Contacts) {
    for point in &mut out.point[..out.num] {
        point.normal = scl3(point.normal, -1.0);
    }
}

/// Contacts of an element in one lane, of the two sides of the pair in this order; false if the convex collider stopped before it
/// converged.
pub fn touch<R: Real>(
    m: &Model,
    d: &Data<R>,
    pair: &Pair,
    sides: [usize; 2],
    lane: usize,
    out: &mut Contacts,
) -> bool {
    let detect = d.own.collision_detect(m, pair.k).lane(lane);
    if m.nrod > 0 && touch_boxed(m, d, pair, sides, lane, detect, out) {
        return true;
    }
    let element = element_on(m, d, pair, sides[1], lane);
    let Ok(geom) = usize::try_from(m.collision_geom1[pair.k]) else {
        let first = element_on(m, d, pair, sides[0], lane);
        return elements(m, &first, &element, detect, out);
    };
    let (own, shape) = (OwnLane::new(&d.own, lane), geom_shape(m, d, geom, lane));
    use GeomType as T;
    match (T::from_i32(m.geom_type[geom]), element.num - 1) {
        (Some(T::Hfield), _) => {
            return hfield_element(m, own, geom, shape, &element, detect, out);
        }
        (Some(T::Sdf), _) => {
            let aabb = own.geom_aabb(m, geom);
            triangle_sdf(
                m,
                &Field::new(m, geom, shape, aabb),
                element.triangle(),
                out,
            );
        }
        (Some(T::Sphere), 1) => sphere_capsule(&shape, &element.capsule(), detect, true, out),
        (Some(T::Capsule), 1) => capsule_capsule(&shape, &element.capsule(), detect, true, out),
        (Some(T::Box), 1) => {
            capsule_box(&element.capsule(), &shape, detect, true, out);
            reverse(out);
        }
        (Some(T::Sphere), 2) => {
            let ball = Ball::of(&shape, shape.pos);
            sphere_triangle(ball, element.triangle(), element.radius, detect, out);
        }
        (Some(T::Capsule), 2) => {
            capsule_triangle(&shape, element.triangle(), element.radius, detect, out);
        }
        (Some(T::Box), 2) => box_triangle(&shape, element.triangle(), element.radius, detect, out),
        (Some(T::Sphere | T::Capsule), 3) => {
            let ends = ends(&shape, m.geom_type[geom]);
            capsule_tetrahedron(
                ends,
                shape.size[0],
                element.corner,
                element.radius,
                detect,
                out,
            );
        }
        _ => {
            let solid = Solid::new(m, geom, shape, detect);
            let sure = single(m, solid, element.solid(m, detect), out);
            if element.num == 3 && !m.opt.disabled(DSBL_NATIVECCD) {
                smooth(m.geom_type[geom], &shape, out);
            }
            return sure;
        }
    }
    true
}

/// The sides of a pair in one lane as convex solids with their margin: a geom or an element, and an element.
#[cfg(feature = "gpu")]
pub(crate) fn solids<'a, R: Real>(
    m: &'a Model,
    d: &Data<R>,
    pair: &Pair,
    sides: [usize; 2],
    lane: usize,
) -> [Solid<'a>; 2] {
    let detect = d.own.collision_detect(m, pair.k).lane(lane);
    let element = |side: usize| element_on(m, d, pair, side, lane).solid(m, detect);
    let first = match usize::try_from(m.collision_geom1[pair.k]) {
        Ok(geom) => Solid::new(m, geom, geom_shape(m, d, geom, lane), detect),
        Err(_) => element(sides[0]),
    };
    [first, element(sides[1])]
}

/// Contacts of a height field and an element in one world by the older collider, the points of its search displaced.
#[cfg(feature = "gpu")]
pub(crate) fn older_over_field(
    m: &Model,
    d: &Data,
    pair: &Pair,
    rounding: &mut Rounding,
) -> Contacts {
    let mut out = Contacts::new();
    let (geom, own) = (m.collision_geom1[pair.k] as usize, OwnLane::new(&d.own, 0));
    let field = geom_shape(m, d, geom, 0);
    let element = element_on(m, d, pair, 1, 0);
    let element = placed(m, &field, &element, d.own.collision_detect(m, pair.k));
    older_element(m, own, geom, field, element, Some(rounding), &mut out);
    out
}

// a geom in one lane
fn geom_shape<R: Real>(m: &Model, d: &Data<R>, geom: usize, lane: usize) -> Shape {
    Shape {
        size: OwnLane::new(&d.own, lane).geom_size(m, geom),
        ..shape(m, d, geom).lane(lane)
    }
}

// a triangle on a smooth surface: take the surface's normal, as the newer collider does
fn smooth(kind: i32, shape: &Shape, out: &mut Contacts) {
    for point in &mut out.point[..out.num] {
        if let Some(normal) = surface_normal(kind, shape, point.pos, point.normal) {
            point.normal = normal;
        }
    }
}

// ends of the axis of a capsule, or the center of a sphere twice
fn ends(shape: &Shape, kind: i32) -> [[f64; 3]; 2] {
    let half = if kind == GeomType::Capsule {
        shape.size[1]
    } else {
        0.0
    };
    [-half, half].map(|x| add_scl3(shape.pos, shape.axis(), x))
}

fn elements(m: &Model, first: &Element, second: &Element, detect: f64, out: &mut Contacts) -> bool {
    if first.num == 2 && second.num == 2 {
        capsule_capsule(&first.capsule(), &second.capsule(), detect, true, out);
        return true;
    }
    // a search would find them apart too
    let gap = first.radius + second.radius + detect + m.opt.ccd_tolerance;
    if !m.opt.disabled(DSBL_NATIVECCD) && first.is_beyond(second, gap) {
        return true;
    }
    single(m, first.solid(m, detect), second.solid(m, detect), out)
}

/// Calls `visit` with every body that carries a side of a contact in one lane, and its share. The body of a geom or vertex has the
/// whole share. Of an element the point nearest to the contact decides; points between nodes are carried by the nodes.
pub fn for_carriers<R: Real>(
    m: &Model,
    d: &Data<R>,
    pair: &Pair,
    side: usize,
    lane: usize,
    point: [f64; 3],
    mut visit: impl FnMut(usize, f64),
) {
    let geom = [m.collision_geom1[pair.k], m.collision_geom2[pair.k]][side];
    if let Ok(geom) = usize::try_from(geom) {
        return visit(m.geom_bodyid[geom] as usize, 1.0);
    }
    let mut vertices = [0; 4];
    let (num, share) = match vertex(m, pair.k) {
        Some(v) => {
            vertices[0] = v;
            (1, [1.0, 0.0, 0.0, 0.0])
        }
        None => {
            let element = element_on(m, d, pair, side, lane);
            for (to, v) in vertices.iter_mut().zip(corners(m, pair, side)) {
                *to = v;
            }
            (element.num, nearest(&element.corner[..element.num], point))
        }
    };
    let f = pair.flex(m, side) as usize;
    if m.flex_interp[f] != 0 {
        return for_nodes(m, d, f, lane, &vertices[..num], &share[..num], visit);
    }
    for (v, share) in vertices[..num].iter().zip(share) {
        visit(m.flex_vertbodyid[*v] as usize, share);
    }
}

/// Calls `visit` in every lane that has a contact, for both sides, with the lane, the side, each body that carries the side, and its
/// share.
pub fn for_sides<R: Real>(
    m: &Model,
    d: &Data<R>,
    c: usize,
    k: usize,
    mut visit: impl FnMut(usize, usize, usize, f64),
) {
    let pair = Pair::of_contact(m, d, c, k);
    for lane in lanes::<R>(d.contact_dist[c].lt(R::splat(ABSENT))) {
        let point = d.contact_pos[c].map(|x| x.lane(lane));
        for side in [0, 1] {
            for_carriers(m, d, &pair, side, lane, point, |body, share| {
                visit(lane, side, body, share);
            });
        }
    }
}

/// Weight of each dof of the pattern in a contact with a flex, from the shares of the bodies that carry its sides; none of a side that is
/// turned.
pub fn shares<R: Real>(m: &Model, d: &Data<R>, c: usize, k: usize, turned: [bool; 2]) -> Vec<R> {
    let dofs = dofs_of(m, d, pattern_of(m, c, k));
    let mut shares = vec![R::zero(); dofs.len()];
    for_sides(m, d, c, k, |lane, side, body, share| {
        if turned[side] {
            return;
        }
        let share = if side == 0 { -share } else { share };
        for_chain(m, body, dofs, |n, _| {
            let sum = shares[n].lane(lane) + share;
            shares[n].set_lane(lane, sum);
        });
    });
    shares
}
