//! Flexes in the list of pairs: a vertex with a plane, an element with a geom, and blocks: the elements of two flexes, or of one.

use super::{Pair, collides, fits, geoms, is_static};
use crate::compile::flex;
use crate::cpu::collision::soft;
use crate::cpu::ipc::{is_wall, resolves};
use crate::cpu::lib::cage::bodies_between;
use crate::cpu::lib::contact::bits_match;
use crate::cpu::lib::lever::turned_edge;
use crate::cpu::lib::rod::{is_boxed, twist_joint, vertex};
use crate::error::Result;
use crate::fields::Arrays;
use crate::types::*;

/// A side of a pair that is of a flex: the flex, and its element or vertex (the other is -1). All are -1 where the side is a geom.
#[derive(Clone, Copy)]
pub(super) struct Soft {
    flex: i32,
    elem: i32,
    vert: i32,
}

impl Soft {
    pub const NONE: Soft = Soft {
        flex: -1,
        elem: -1,
        vert: -1,
    };

    fn element(f: usize, e: usize) -> Soft {
        Soft {
            flex: f as i32,
            elem: e as i32,
            vert: -1,
        }
    }

    fn vertex(f: usize, v: usize) -> Soft {
        Soft {
            flex: f as i32,
            elem: -1,
            vert: v as i32,
        }
    }
}

/// Fills `collision_flex`, `collision_elem` and `collision_vert`, which only a list with flexes has.
pub(super) fn write(m: &mut Arrays, list: &[Pair]) {
    let some = list.iter().any(|pair| pair.geom2 < 0);
    m.ncollisionflex = if some { list.len() } else { 0 };
    let sides = || list[..m.ncollisionflex].iter().flat_map(|pair| pair.soft);
    let (flex, elem, vert) = (
        sides().map(|side| side.flex).collect(),
        sides().map(|side| side.elem).collect(),
        sides().map(|side| side.vert).collect(),
    );
    (m.collision_flex, m.collision_elem, m.collision_vert) = (flex, elem, vert);
}

/// Whether a flex is in the list at all.
pub(super) fn can_collide(m: &Arrays, f: usize) -> bool {
    m.flex_contype[f] != 0 || m.flex_conaffinity[f] != 0
}

fn masks(m: &Arrays, f: usize) -> [i32; 2] {
    [m.flex_contype[f], m.flex_conaffinity[f]]
}

// elements that touch: of tetrahedra those of the outer layers
fn active(m: &Arrays, f: usize) -> impl Iterator<Item = usize> + '_ {
    let layer = move |e: usize| m.flex_elemlayer[m.flex_elemadr[f] as usize + e];
    (0..m.flex_elemnum[f] as usize)
        .filter(move |&e| m.flex_dim[f] < 3 || layer(e) < m.flex_activelayers[f])
}

// whether forces cannot move any vertex
fn stands(m: &Arrays, f: usize) -> bool {
    let bodies = flex::bodies_of(m, f);
    bodies.iter().all(|&body| is_static(m, body as usize))
}

// whether the step resolves contacts of a flex with others and itself (flag `ipc`)
fn takes(m: &Arrays, f: usize) -> bool {
    resolves(m) && m.flex_dim[f] == 2
}

// and contacts with a geom
fn takes_geom(m: &Arrays, f: usize, geom: usize) -> bool {
    takes(m, f) && is_wall(m, geom)
}

/// Appends the pairs of a body's geoms and a flex, unless both stand still.
pub(super) fn with_body(m: &Arrays, body: usize, f: usize, list: &mut Vec<Pair>) -> Result<()> {
    if is_static(m, body) && stands(m, f) {
        return Ok(());
    }
    for geom in geoms(m, body) {
        let of_geom = [m.geom_contype[geom], m.geom_conaffinity[geom]];
        if !bits_match(of_geom, masks(m, f)) || takes_geom(m, f, geom) {
            continue;
        }
        let pair = |soft: Soft| Pair {
            geom1: geom as i32,
            geom2: -1,
            pairid: -1,
            soft: [Soft::NONE, soft],
        };
        if m.geom_type[geom] == GeomType::Plane {
            let vertices = 0..m.flex_vertnum[f] as usize;
            list.extend(vertices.map(|v| pair(Soft::vertex(f, v))));
        } else if collides(m.geom_type[geom], GeomType::Mesh as i32) {
            // not with elements that are on the body
            let apart = |e: &usize| !elem_bodies(m, f, *e).any(|b| b == body);
            let elements = active(m, f).filter(apart);
            let elements = elements.map(|e| pair(Soft::element(f, e)));
            match m.geom_type[geom] == GeomType::Sdf {
                true => with_field(m, f, apart, pair, list),
                false => list.extend(elements),
            }
        }
        fits(list)?;
    }
    Ok(())
}

// appends the pairs of a signed distance field and the triangles of a flex: in the order of a walk through the tree of boxes around them
// that goes into the second half of each part first. It touches no others, and none where the midphase is disabled
fn with_field(
    m: &Arrays,
    f: usize,
    apart: impl Fn(&usize) -> bool,
    pair: impl Fn(Soft) -> Pair,
    list: &mut Vec<Pair>,
) {
    if m.flex_dim[f] != 2 || m.opt.disabled(DSBL_MIDPHASE) {
        return;
    }
    let active: Vec<usize> = active(m, f).collect();
    let order = flex::tree::order(m, f, &active).into_iter().rev();
    let elements = order.filter(apart);
    list.extend(elements.map(|e| pair(Soft::element(f, e))));
}

/// Appends the block of the pairs of elements of two flexes, unless both stand still.
pub(super) fn with_flex(m: &Arrays, f1: usize, f2: usize, list: &mut Vec<Pair>) {
    let still = stands(m, f1) && stands(m, f2);
    let one = on_one_body(m, f1).is_some_and(|body| on_one_body(m, f2) == Some(body));
    let resolved = takes(m, f1) && takes(m, f2);
    if bits_match(masks(m, f1), masks(m, f2)) && !(still || one || resolved) {
        list.push(block([f1, f2]));
    }
}

// the body that all vertices of a flex are on; none if they are between nodes
fn on_one_body(m: &Arrays, f: usize) -> Option<i32> {
    let bodies = flex::bodies_of(m, f);
    let first = *bodies.first()?;
    let one = m.flex_interp[f] == 0 && bodies.iter().all(|body| *body == first);
    one.then_some(first)
}

/// Appends the block of the pairs of elements of a flex that touches itself.
pub(super) fn with_itself(m: &Arrays, f: usize, list: &mut Vec<Pair>) {
    if m.flex_rigid[f] != 0
        || m.flex_selfcollide[f] == 0
        || m.flex_contype[f] & m.flex_conaffinity[f] == 0
        || stands(m, f)
        || takes(m, f)
    {
        return;
    }
    // every two cells are neighbours where there are at most two along each axis
    let cells = &m.flex_cellnum[3 * f..3 * f + 3];
    let near = m.flex_interp[f] != 0 && cells.iter().all(|&num| num < 3);
    if !near {
        list.push(block([f, f]));
    }
}

fn block(f: [usize; 2]) -> Pair {
    let side = |f: usize| Soft {
        flex: f as i32,
        ..Soft::NONE
    };
    Pair {
        geom1: -1,
        geom2: -1,
        pairid: -1,
        soft: f.map(side),
    }
}

/// Fills the lists of the elements of each block, and the cells of elements between nodes. Needs the list of pairs.
pub(in crate::compile) fn blocks(m: &mut Arrays) {
    let is_block = |k: &i32| soft::is_block(m, *k as usize);
    m.block_collision = (0..m.ncollision as i32).filter(is_block).collect();
    m.nblock = m.block_collision.len();
    (m.block_adr, m.block_num, m.block_elem) = (Vec::new(), Vec::new(), Vec::new());
    (m.nblockrun, m.block_runadr) = (0, Vec::new());
    for block in 0..m.nblock {
        let k = m.block_collision[block] as usize;
        let f = [0, 1].map(|side| m.collision_flex[2 * k + side] as usize);
        for side in [0, 1] {
            // both sides of a flex that touches itself have one list
            if f[0] != f[1] || side == 0 {
                let elements = match f[0] == f[1] {
                    true => self_order(m, f[0]),
                    false => active(m, f[side]).collect(),
                };
                m.block_num.push(elements.len() as i32);
                m.block_adr.push(m.block_elem.len() as i32);
                m.block_elem.extend(elements.iter().map(|e| *e as i32));
            } else {
                m.block_num.extend_from_within(2 * block..);
                m.block_adr.extend_from_within(2 * block..);
            }
        }
        m.block_runadr.push(m.nblockrun as i32);
        m.nblockrun += (m.block_num[2 * block + 1] as usize).div_ceil(BLOCK_RUN);
    }
    m.nblockelem = m.block_elem.len();
    m.nelemblock = if m.nblock > 0 { m.nflexelem } else { 0 };
    list_cells(m);
}

// the cells that each element reaches, of flexes between nodes that touch themselves
fn list_cells(m: &mut Arrays) {
    let blocks = m.block_collision.iter().map(|k| *k as usize);
    let own = blocks
        .filter(|&k| is_itself(m, k))
        .map(|k| m.collision_flex[2 * k] as usize);
    let own: Vec<usize> = own.filter(|&f| m.flex_interp[f] != 0).collect();
    m.nelemcell = if own.is_empty() { 0 } else { m.nflexelem };
    m.flexelem_cell = vec![-1; 6 * m.nelemcell];
    for f in own {
        for e in 0..m.flex_elemnum[f] as usize {
            let first = 6 * (m.flex_elemadr[f] as usize + e);
            let reached = cells(m, f, e).into_iter().flatten();
            for (to, cell) in m.flexelem_cell[first..first + 6].iter_mut().zip(reached) {
                *to = cell as i32;
            }
        }
    }
}

// elements of a flex that touches itself, the first of two before the second: in the order of the tree of boxes where MuJoCo searches it,
// else by number
fn self_order(m: &Arrays, f: usize) -> Vec<usize> {
    let active: Vec<usize> = active(m, f).collect();
    let said = m.flex_selfcollide[f];
    let searched = said == FlexSelf::Bvh || said == FlexSelf::Auto && m.flex_dim[f] == 3;
    match searched && !m.opt.disabled(DSBL_MIDPHASE) {
        true => flex::tree::order(m, f, &active),
        false => active,
    }
}

// the first and the last cell along each axis that an element reaches; a vertex between two cells is in both
fn cells(m: &Arrays, f: usize, e: usize) -> [[usize; 3]; 2] {
    let (mut low, mut high) = ([usize::MAX; 3], [0; 3]);
    for v in elem_vertices(m, f, e) {
        for k in 0..3 {
            let num = m.flex_cellnum[3 * f + k] as usize;
            let place = m.flex_vert0[v][k] * num as f64;
            low[k] = low[k].min((place - 1e-9).max(0.0).floor() as usize);
            high[k] = high[k].max((place + 1e-9).floor() as usize).min(num - 1);
        }
    }
    [low, high]
}

fn elem_vertices(m: &Arrays, f: usize, e: usize) -> impl Iterator<Item = usize> + '_ {
    let num = m.flex_dim[f] as usize + 1;
    let adr = m.flex_elemdataadr[f] as usize + num * e;
    m.flex_elem[adr..adr + num]
        .iter()
        .map(move |v| (m.flex_vertadr[f] + v) as usize)
}

// bodies of an element's vertices; none if the vertices are between nodes
fn elem_bodies(m: &Arrays, f: usize, e: usize) -> impl Iterator<Item = usize> + '_ {
    elem_vertices(m, f, e).filter_map(|v| usize::try_from(m.flex_vertbodyid[v]).ok())
}

/// The bodies that carry a side of a pair: of a geom, of vertices, of the nodes that these are between, or of an edge that twists.
pub(in crate::compile) fn bodies(m: &Arrays, pair: &soft::Pair, side: usize) -> Vec<usize> {
    let k = pair.k;
    let geom = [m.collision_geom1[k], m.collision_geom2[k]][side];
    if let Ok(geom) = usize::try_from(geom) {
        return vec![m.geom_bodyid[geom] as usize];
    }
    let f = pair.flex(m, side) as usize;
    if let Some(e) = turned_edge(m, pair, side) {
        let mut bodies: Vec<usize> = [e, e + 1]
            .map(|v| m.flex_vertbodyid[vertex(m, f, v)] as usize)
            .into();
        bodies.extend(twist_joint(m, f, e).map(|j| m.jnt_bodyid[j] as usize));
        return bodies;
    }
    let vertices = match usize::try_from(m.collision_vert[2 * k + side]) {
        Ok(v) => vec![m.flex_vertadr[f] as usize + v],
        Err(_) => elem_vertices(m, f, pair.elem[side] as usize).collect(),
    };
    match m.flex_interp[f] {
        0 => vertices
            .iter()
            .map(|&v| m.flex_vertbodyid[v] as usize)
            .collect(),
        _ => bodies_between(m, f, &vertices),
    }
}

/// Whether both sides of a pair are of one flex.
pub(super) fn is_itself(m: &Arrays, k: usize) -> bool {
    m.collision_geom1[k] < 0 && m.collision_flex[2 * k] == m.collision_flex[2 * k + 1]
}

/// Largest number of contacts that a pair with a flex can make.
pub(super) fn max_contact(m: &Arrays, k: usize) -> usize {
    use GeomType as T;
    let side = |side: usize| usize::try_from(m.collision_flex[2 * k + side]).ok();
    let boxed = [0, 1].map(|i| side(i).is_some_and(|f| is_boxed(m, f)));
    let [first, dim] = [0, 1].map(|i| side(i).map_or(0, |f| m.flex_dim[f]));
    let geom = usize::try_from(m.collision_geom1[k]);
    let geom = geom.map_or(T::None as i32, |g| m.geom_type[g]);
    match (T::from_i32(geom), dim) {
        // two corners of a section, and what two boxes make, or a capsule and a box
        (Some(T::Plane), 1) if boxed[1] => 2,
        (Some(T::Box), 1) if boxed[1] => 8,
        (Some(T::Capsule), 1) if boxed[1] => 4,
        (Some(T::None) | None, 1) if boxed == [true; 2] => 8,
        (Some(T::None) | None, 1) if first == 1 && boxed != [false; 2] => 4,
        (Some(T::Hfield), _) => MAXCONPAIR,
        // the ends of the capsule, and corners of the triangle at its side
        (Some(T::Capsule), 2) => 5,
        // corners of the triangle, and of the box
        (Some(T::Box), 2) => 11,
        (Some(T::Box), 1) => 4,
        (Some(T::Capsule | T::None) | None, 1) => 2,
        _ => 1,
    }
}
