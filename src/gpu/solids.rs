//! What the convex collider of a model has to deal with: which solids, and how many corners their faces have.

use crate::cpu::collision::{Kind, kind};
use crate::fields::Model;
use crate::types::*;

/// Corners of a face that the kernel looks at; of a face with more it takes as many, evenly spread.
const MOST: i32 = 64;
/// Meshes of at least this many vertices are climbed, others searched (`mjMESH_HILLCLIMB_MIN`).
const CLIMB: i32 = 10;

/// Is there a pair of this kind that may collide?
pub fn collides(m: &Model, what: Kind) -> bool {
    pairs(m).any(|(_, k)| k == what)
}

/// Is a geom of this type one of a pair that the convex collider sees?
pub fn solid(m: &Model, name: &str) -> Option<bool> {
    let is = |t: &&GeomType| format!("{t:?}").eq_ignore_ascii_case(name);
    let of_type = GeomType::ALL.iter().find(is)?;
    Some(geoms(m).any(|geom| m.geom_type[geom] == *of_type))
}

/// May two solids of a pair meet in several contacts?
pub fn meet_in_several(m: &Model) -> bool {
    let flat = |geom: usize| {
        let flat = [
            GeomType::Capsule,
            GeomType::Cylinder,
            GeomType::Box,
            GeomType::Mesh,
        ];
        flat.iter().any(|t| m.geom_type[geom] == *t)
    };
    let mut pairs = pairs(m);
    !m.opt.disabled(DSBL_MULTICCD)
        && pairs.any(|(geoms, k)| k == Kind::Convex && geoms.into_iter().all(flat))
}

/// Is there a mesh among the solids that is climbed (`true`) or searched?
pub fn mesh_that(m: &Model, climbs: bool) -> bool {
    meshes(m).any(|mesh| climbs == (m.mesh_graphadr[mesh] >= 0 && m.mesh_vertnum[mesh] >= CLIMB))
}

/// The largest number of corners that a face of a solid has for the kernel.
pub fn corners(m: &Model) -> i32 {
    let of = |geom: usize| match GeomType::from_i32(m.geom_type[geom]) {
        Some(GeomType::Box) => 4,
        Some(GeomType::Cylinder) => 16,
        _ => 2,
    };
    let polygons = meshes(m).flat_map(|mesh| {
        let adr = m.mesh_polyadr[mesh] as usize;
        &m.mesh_polyvertnum[adr..adr + m.mesh_polynum[mesh] as usize]
    });
    let most = geoms(m).map(of).chain(polygons.copied()).max();
    most.unwrap_or(0).min(MOST)
}

/// The largest number of faces that a vertex of a solid is of, for the kernel.
pub fn facings(m: &Model) -> i32 {
    let vertices = meshes(m).flat_map(|mesh| {
        let adr = m.mesh_vertadr[mesh] as usize;
        &m.mesh_polymapnum[adr..adr + m.mesh_vertnum[mesh] as usize]
    });
    // a corner of a box is of three
    vertices.copied().max().unwrap_or(0).clamp(3, MOST)
}

// pairs of geoms that may collide, and how
fn pairs(m: &Model) -> impl Iterator<Item = ([usize; 2], Kind)> + '_ {
    let geoms = m.collision_geom1.iter().zip(&m.collision_geom2);
    // those with flexes are none of two geoms
    let geoms = geoms.filter(|(_, geom2)| **geom2 >= 0);
    geoms.filter_map(|(&geom1, &geom2)| {
        let geoms = [geom1 as usize, geom2 as usize];
        Some((geoms, kind(geoms.map(|geom| m.geom_type[geom]))?))
    })
}

fn geoms(m: &Model) -> impl Iterator<Item = usize> + '_ {
    let convex = |k: Kind| matches!(k, Kind::Convex | Kind::Hfield);
    let pairs = pairs(m).filter(move |(_, k)| convex(*k));
    pairs.flat_map(|(geoms, _)| geoms)
}

fn meshes(m: &Model) -> impl Iterator<Item = usize> + '_ {
    let mesh = |geom: &usize| m.geom_type[*geom] == GeomType::Mesh;
    geoms(m)
        .filter(mesh)
        .map(|geom| m.geom_dataid[geom] as usize)
}
