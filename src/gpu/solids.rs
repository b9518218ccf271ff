//! Solids that the convex collider and the distance and enclosure sensors of a model meet, and the largest number of corners
//! of their faces.

use crate::cpu::collision::element_boxes::is_swept;
use crate::cpu::collision::enclosure::geoms_of as enclosed;
use crate::cpu::collision::{Kind, kind, soft, sweep};
use crate::cpu::sensor_pos::{asks_enclosure, geoms as geoms_of};
use crate::fields::Model;
use crate::types::*;

/// Largest number of corners of a face, and of faces at a vertex, for the kernel; of larger ones it takes this many, evenly spread.
const MOST: i32 = 512;
/// Default room for the corners of a clipped face (`MESH_CORNERS`).
const ROOM: i32 = 64;
/// Support points of meshes of at least this many vertices are found by hill climbing, of others by exhaustive search (`mjMESH_HILLCLIMB_MIN`).
const CLIMB: i32 = 10;

/// Whether a pair of this kind may collide.
pub fn collides(m: &Model, what: Kind) -> bool {
    pairs(m).any(|(_, k)| k == what)
}

/// Whether contacts of the model are made before its geoms touch: searches then meet the solids of nearly every pair.
pub fn speculates(m: &Model) -> bool {
    m.ncollision > 0 && sweep::speculates(m)
}

// whether a search meets both solids of a pair, now or ahead of time
fn solid_pair(m: &Model, k: Kind) -> bool {
    let ahead = speculates(m) && matches!(k, Kind::Closed | Kind::PlaneMesh);
    ahead || matches!(k, Kind::Convex | Kind::Hfield)
}

/// Whether a sensor measures the distance of a pair of this kind.
pub fn measures(m: &Model, what: Kind) -> bool {
    measured(m).any(|(_, k)| k == what)
}

/// Whether a sensor reports a distance.
pub fn tells_distance(m: &Model, i: usize) -> bool {
    let kinds = [
        SensorType::GeomDist,
        SensorType::GeomNormal,
        SensorType::GeomFromTo,
    ];
    kinds.iter().any(|kind| m.sensor_type[i] == *kind)
}

/// Whether the model has a distance sensor.
pub fn tells_distances(m: &Model) -> bool {
    (0..m.nsensor).any(|i| tells_distance(m, i))
}

/// Whether the model has an enclosure sensor, which measures how far an object juts out of a site.
pub fn encloses(m: &Model) -> bool {
    enclosures(m).next().is_some()
}

// ids of enclosure sensors
fn enclosures(m: &Model) -> impl Iterator<Item = usize> + '_ {
    (0..m.nsensor).filter(|&i| asks_enclosure(m, i))
}

/// Pairs of geoms whose distance a sensor measures, the geom of the lower type first, and the kind of the pair.
pub fn measured(m: &Model) -> impl Iterator<Item = ([usize; 2], Kind)> + '_ {
    (0..m.nsensor).flat_map(|i| measured_by(m, i))
}

/// Like [`measured`] for one sensor; none if it is not a distance sensor.
pub fn measured_by(m: &Model, i: usize) -> impl Iterator<Item = ([usize; 2], Kind)> + '_ {
    let of = |kind: i32, id: i32| match tells_distance(m, i) {
        true => geoms_of(m, kind, id),
        false => 0..0,
    };
    let second = of(m.sensor_reftype[i], m.sensor_refid[i]);
    let both = of(m.sensor_objtype[i], m.sensor_objid[i])
        .flat_map(move |geom1| second.clone().map(move |geom2| [geom1, geom2]));
    both.filter_map(|mut geoms| {
        geoms.sort_by_key(|geom| m.geom_type[*geom]);
        let types = geoms.map(|geom| m.geom_type[geom]);
        // contacts of two boxes have a closed form, their distance has none
        let boxes = types.map(|t| t == GeomType::Box) == [true; 2];
        let how = if boxes { Kind::Convex } else { kind(types)? };
        Some((geoms, how))
    })
}

/// Whether a support search meets a solid of this type.
pub fn solid(m: &Model, name: &str) -> Option<bool> {
    let is = |t: &&GeomType| format!("{t:?}").eq_ignore_ascii_case(name);
    let of_type = GeomType::ALL.iter().find(is)?;
    Some(searched(m).any(|(kind, _)| kind == *of_type))
}

/// Whether two convex solids of a pair may have several contacts by one search: the older collider searches several times.
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
        && !m.opt.disabled(DSBL_NATIVECCD)
        && pairs
            .any(|(geoms, k)| k != Kind::Hfield && solid_pair(m, k) && geoms.into_iter().all(flat))
}

/// Whether a mesh among the solids is searched by hill climbing (`true`) or exhaustively.
pub fn mesh_that(m: &Model, climbs: bool) -> bool {
    let climbed = |mesh: usize| m.mesh_graphadr[mesh] >= 0 && m.mesh_vertnum[mesh] >= CLIMB;
    let meshes = searched(m).filter(|(kind, _)| *kind == GeomType::Mesh);
    meshes
        .filter_map(|(_, mesh)| usize::try_from(mesh).ok())
        .any(|mesh| climbs == climbed(mesh))
}

/// The largest number of corners that a face of a solid has in the kernel.
pub fn corners(m: &Model) -> i32 {
    geoms(m).map(|geom| face(m, geom)).max().unwrap_or(0)
}

/// Largest number of corners of a solid's face clipped to another's, or of a mesh on a plane; none if every face fits in the
/// default room.
pub fn left(m: &Model) -> Option<i32> {
    let flat = |(_, k): &([usize; 2], Kind)| matches!(k, Kind::Convex | Kind::PlaneMesh);
    let faces = |(geoms, _): ([usize; 2], Kind)| geoms.map(|geom| face(m, geom));
    let told = || measured(m).filter(|(_, k)| *k == Kind::PlaneMesh);
    let all = || pairs(m).filter(flat).chain(told()).map(faces);
    let large = all().flatten().any(|corners| corners > ROOM);
    let most = all().map(|[first, second]| first + second + 2).max();
    most.filter(|_| large)
}

// the largest number of corners that a face of a geom has in the kernel
fn face(m: &Model, geom: usize) -> i32 {
    match GeomType::from_i32(m.geom_type[geom]) {
        Some(GeomType::Box) => 4,
        Some(GeomType::Cylinder) => 16,
        Some(GeomType::Mesh | GeomType::Sdf) => {
            let mesh = m.geom_dataid[geom] as usize;
            let adr = m.mesh_polyadr[mesh] as usize;
            let polygons = &m.mesh_polyvertnum[adr..adr + m.mesh_polynum[mesh] as usize];
            polygons.iter().copied().max().unwrap_or(0).clamp(2, MOST)
        }
        _ => 2,
    }
}

/// The largest number of faces at a vertex of a solid, in the kernel.
pub fn facings(m: &Model) -> i32 {
    let vertices = meshes(m, geoms(m)).flat_map(|mesh| {
        let adr = m.mesh_vertadr[mesh] as usize;
        &m.mesh_polymapnum[adr..adr + m.mesh_vertnum[mesh] as usize]
    });
    // a corner of a box has three faces
    vertices.copied().max().unwrap_or(0).clamp(3, MOST)
}

/// Whether elements of flexes of a number of dimensions may collide.
pub fn elements_of(m: &Model, dim: i32) -> bool {
    (0..m.ncollisionflex).any(|k| [0, 1].iter().any(|&side| element(m, k, side) == Some(dim)))
}

/// Whether contacts of elements of flexes need a search of convex solids: those without a closed form.
pub fn elements_searched(m: &Model) -> bool {
    sought(m).next().is_some()
}

/// Whether a pair with a flex needs such a search.
pub(super) fn is_searched(m: &Model, k: usize) -> bool {
    sought_by(m, k).is_some()
}

/// Whether two elements of one flex may touch that MuJoCo sweeps over.
pub fn sweeps(m: &Model) -> bool {
    let mut pairs = m.collision_flex.as_chunks::<2>().0.iter();
    pairs.any(|[f, g]| f == g && *f >= 0 && is_swept(m, *f as usize))
}

/// Whether pairs with flexes share a limit of their contacts.
pub fn crowds(m: &Model) -> bool {
    let several = |k: usize| soft::is_block(m, k) || soft::crowd(m, k) > k + 1;
    (0..m.ncollisionflex).any(|k| soft::is_soft(m, k) && soft::share_limit(m, k) && several(k))
}

// dimensions of the element on a side of a pair
fn element(m: &Model, k: usize, side: usize) -> Option<i32> {
    let f = usize::try_from(m.collision_flex[2 * k + side]).ok()?;
    let elements = soft::is_block(m, k) || m.collision_elem[2 * k + side] >= 0;
    elements.then(|| m.flex_dim[f])
}

// pairs of an element that need a search: the geom, or none where the other side is an element too
fn sought(m: &Model) -> impl Iterator<Item = Option<usize>> + '_ {
    (0..m.ncollisionflex).filter_map(|k| sought_by(m, k))
}

// the geom, or none, of one pair
fn sought_by(m: &Model, k: usize) -> Option<Option<usize>> {
    let dim = element(m, k, 1)?;
    let Ok(geom) = usize::try_from(m.collision_geom1[k]) else {
        return (element(m, k, 0) != Some(1) || dim != 1).then_some(None);
    };
    let closed = match GeomType::from_i32(m.geom_type[geom]) {
        Some(GeomType::Sphere | GeomType::Capsule | GeomType::Sdf) => true,
        Some(GeomType::Box) => dim < 3,
        _ => false,
    };
    (!closed).then_some(Some(geom))
}

/// Pairs of geoms that may collide, and their kinds.
pub(super) fn pairs(m: &Model) -> impl Iterator<Item = ([usize; 2], Kind)> + '_ {
    let geoms = m.collision_geom1.iter().zip(&m.collision_geom2);
    // pairs with flexes are not pairs of two geoms
    let geoms = geoms.filter(|(_, geom2)| **geom2 >= 0);
    geoms.filter_map(|(&geom1, &geom2)| {
        let geoms = [geom1 as usize, geom2 as usize];
        Some((geoms, kind(geoms.map(|geom| m.geom_type[geom]))?))
    })
}

// geoms that a search of solids meets
fn geoms(m: &Model) -> impl Iterator<Item = usize> + '_ {
    let met = pairs(m).filter(|(_, k)| solid_pair(m, *k));
    met.flat_map(|(geoms, _)| geoms)
}

// types of all solids with a support search, with their meshes or -1: of colliding pairs, with elements too, of distance sensors,
// and of enclosure sensors
fn searched(m: &Model) -> impl Iterator<Item = (i32, i32)> + '_ {
    let told = measured(m).filter(convex).flat_map(|(geoms, _)| geoms);
    let inner = enclosures(m).flat_map(|i| match m.sensor_objtype[i] == ObjType::Site {
        true => 0..0,
        false => enclosed(m, m.sensor_objtype[i], m.sensor_objid[i] as usize),
    });
    let of_elements = sought(m).flatten();
    let geoms = geoms(m).chain(told).chain(inner).chain(of_elements);
    let sites = enclosures(m).flat_map(|i| {
        let inner = (m.sensor_objtype[i] == ObjType::Site).then_some(m.sensor_objid[i]);
        inner.into_iter().chain([m.sensor_refid[i]])
    });
    let of_site = |site: i32| (m.site_type[site as usize], m.site_dataid[site as usize]);
    let of_geom = |geom: usize| (m.geom_type[geom], m.geom_dataid[geom]);
    geoms.map(of_geom).chain(sites.map(of_site))
}

fn convex((_, k): &([usize; 2], Kind)) -> bool {
    matches!(k, Kind::Convex | Kind::Hfield)
}

fn meshes(m: &Model, geoms: impl Iterator<Item = usize>) -> impl Iterator<Item = usize> {
    let mesh = |geom: &usize| m.geom_type[*geom] == GeomType::Mesh;
    geoms.filter(mesh).map(|geom| m.geom_dataid[geom] as usize)
}
