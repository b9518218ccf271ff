//! Geoms: size, pose, mass and inertia, bounds.

use super::asset::Assets;
use super::fluid;
use super::pose::{Pose, V3, conjugate, z2quat};
use super::tree::{Part, Tree};
use crate::asset::inertia::{self, Primitive};
use crate::asset::vec3::{EPS, normalize, rotvecquat};
use crate::error::Result;
use crate::mjcf::schema::{FluidShape, Geom, Orientation};
use crate::mjcf::source::Origin;
use crate::types::{GeomType, MAXVAL};
use glam::DVec3;

/// A geom in the frame of its body.
#[derive(Clone, Debug)]
pub(super) struct Compiled {
    pub kind: GeomType,
    pub pose: Pose,
    pub size: V3,
    /// Id of the mesh or height field.
    pub data: Option<usize>,
    /// Mass and inertia that the geom adds to its body, where these are inferred.
    pub mass: f64,
    pub inertia: V3,
    /// Centre and half sizes of the bounding box in the geom's frame.
    pub aabb: [f64; 6],
    pub rbound: f64,
    pub fluid: [f64; 12],
    pub surfacevel: [f64; 6],
}

/// Compiles one geom (`mjCGeom::Compile`); `infer` says whether its mass counts.
pub(super) fn compile(
    tree: &Tree,
    assets: &Assets,
    part: &Part<Geom>,
    infer: bool,
) -> Result<Compiled> {
    let said = part.said;
    let origin = said.origin;
    let kind = said.type_();
    check(tree, part, kind)?;

    // given pose and size
    let (mut pose, mut size) = placed(
        tree,
        kind,
        said.pos(),
        &said.orientation,
        said.fromto,
        sizes(said.size.as_deref()),
        origin,
    )?;
    let mut surfacevel = said.surfacevel();

    // a mesh has a frame of its own; a primitive may be fitted to it
    let mesh = assets.mesh_of(tree, origin, said.mesh.as_deref())?;
    if let Some(id) = mesh {
        let offset = assets.place(tree, id, part, primitive(kind), &mut size)?;
        pose = pose.then(offset);
        turn_back(&mut surfacevel, offset);
    }
    let is_mesh = matches!(kind, GeomType::Mesh | GeomType::Sdf);
    let hfield = match kind {
        GeomType::Hfield => assets.hfield_of(tree, origin, said.hfield.as_deref())?,
        _ => None,
    };
    let data = if is_mesh { mesh } else { hfield };

    check_sizes(tree, kind, size, origin)?;
    let aamm = bounds(assets, kind, size, data);
    match (kind, data) {
        (GeomType::Hfield, Some(id)) => {
            size = hfield_size(assets.hsize(id));
        }
        (GeomType::Mesh | GeomType::Sdf, Some(id)) => size = assets.half_sizes(id),
        _ => {}
    }
    let rbound = match (kind, data) {
        (GeomType::Hfield, Some(id)) => hfield_rbound(assets.hsize(id)),
        _ => rbound(kind, size),
    };
    let (mass, inertia) = if infer {
        weigh(tree, assets, said, kind, size, data)?
    } else {
        (0.0, [0.0; 3])
    };
    let fluid = match said.fluidshape() {
        FluidShape::Ellipsoid => fluid::coefficients(kind, size, said.fluidcoef()),
        FluidShape::None => [0.0; 12],
    };
    if let Some(frame) = part.frame {
        pose = frame.then(pose);
    }
    Ok(Compiled {
        kind,
        pose,
        size,
        data,
        mass,
        inertia,
        aabb: center_size(aamm),
        rbound,
        fluid,
        surfacevel,
    })
}

fn check(tree: &Tree, part: &Part<Geom>, kind: GeomType) -> Result<()> {
    let said = part.said;
    let origin = said.origin;
    let condim = matches!(said.condim(), 1 | 3 | 4 | 6);
    let msg = "condim is the number of dimensions of contacts: 1, 3, 4 or 6";
    tree.ensure(condim, origin, Some("condim"), msg)?;
    let is_mesh = matches!(kind, GeomType::Mesh | GeomType::Sdf);
    let msg = "mesh is needed for type=\"mesh\": the name of a mesh asset";
    tree.ensure(!is_mesh || said.mesh.is_some(), origin, None, msg)?;
    let has = said.hfield.is_some();
    let msg = "hfield is needed for type=\"hfield\": the name of a height field asset";
    tree.ensure(kind != GeomType::Hfield || has, origin, None, msg)?;
    let msg = "hfield is for type=\"hfield\" only";
    tree.ensure(
        kind == GeomType::Hfield || !has,
        origin,
        Some("hfield"),
        msg,
    )?;
    let fixed = tree.bodies.get(part.body).is_some_and(|b| b.weldid == 0);
    let msg = "type \"plane\" is for bodies that cannot move; use a box, or put it in the world";
    tree.ensure(kind != GeomType::Plane || fixed, origin, Some("type"), msg)?;
    let mut meshes = tree.spec.meshes.iter().filter(|x| x.plugin.is_some());
    let bare = kind == GeomType::Sdf && said.plugin.is_none();
    let shaped = bare && meshes.any(|mesh| mesh.name == said.mesh);
    let msg = "the mesh is the shape of a plugin, which the geom must have too: give it the mesh's <plugin>";
    tree.ensure(!shaped, origin, Some("type"), msg)
}

/// Given sizes; the others are zero.
pub(super) fn sizes(said: Option<&[f64]>) -> V3 {
    crate::mjcf::table::fill(said, [0.0; 3])
}

/// Pose and size of a geom or site, by `fromto` if that was given.
pub(super) fn placed(
    tree: &Tree,
    kind: GeomType,
    pos: V3,
    orientation: &Orientation,
    fromto: Option<[f64; 6]>,
    mut size: V3,
    origin: Origin,
) -> Result<(Pose, V3)> {
    let Some([x0, y0, z0, x1, y1, z1]) = fromto else {
        return Ok((tree.pose(pos, orientation, origin)?, size));
    };
    let long = matches!(
        kind,
        GeomType::Capsule | GeomType::Cylinder | GeomType::Ellipsoid | GeomType::Box
    );
    let msg = "fromto is for type=\"capsule\", \"cylinder\", \"ellipsoid\" or \"box\"";
    tree.ensure(long, origin, Some("fromto"), msg)?;
    let msg = "pos and fromto both give the position; drop one";
    tree.ensure(pos == [0.0; 3], origin, Some("pos"), msg)?;
    let mut axis = [x0 - x1, y0 - y1, z0 - z1];
    size[1] = normalize(&mut axis) / 2.0;
    let msg = "fromto needs two points that are apart";
    tree.ensure(size[1] >= EPS, origin, Some("fromto"), msg)?;
    if matches!(kind, GeomType::Ellipsoid | GeomType::Box) {
        size = [size[0], size[0], size[1]];
    }
    let pose = Pose {
        pos: [(x0 + x1) / 2.0, (y0 + y1) / 2.0, (z0 + z1) / 2.0],
        quat: z2quat(axis),
    };
    Ok((pose, size))
}

/// Number of sizes that a shape needs.
pub(super) fn size_count(kind: GeomType) -> usize {
    match kind {
        GeomType::Sphere => 1,
        GeomType::Capsule | GeomType::Cylinder => 2,
        GeomType::Plane | GeomType::Ellipsoid | GeomType::Box => 3,
        GeomType::Hfield | GeomType::Mesh | GeomType::Sdf | GeomType::None => 0,
    }
}

/// Fails when a size that the shape needs is not positive.
pub(super) fn check_sizes(tree: &Tree, kind: GeomType, size: V3, origin: Origin) -> Result<()> {
    let name = crate::mjcf::table::Keyword::word(kind);
    if kind == GeomType::Plane {
        let msg = "size of a plane needs 3 numbers: half sizes in x and y, 0 for infinite, and a positive spacing of the grid";
        return tree.ensure(size[2] > 0.0, origin, Some("size"), msg);
    }
    let need = size_count(kind);
    for (k, x) in size.iter().enumerate().take(need) {
        if !(*x > 0.0 && x.is_finite()) {
            let msg = format!(
                "size needs {need} positive number{} for type=\"{name}\", number {} is {x}",
                if need == 1 { "" } else { "s" },
                k + 1
            );
            return Err(tree.error(origin, Some("size"), msg));
        }
    }
    Ok(())
}

// smallest and largest corner in the geom's frame
fn bounds(assets: &Assets, kind: GeomType, size: V3, data: Option<usize>) -> [f64; 6] {
    match (kind, data) {
        (GeomType::Hfield, Some(id)) => hfield_bounds(assets.hsize(id)),
        (GeomType::Mesh | GeomType::Sdf, Some(id)) => assets.aamm(id),
        _ => shape_bounds(kind, size),
    }
}

/// Smallest and largest corner of a height field of these sizes.
pub(super) fn hfield_bounds([x, y, top, bottom]: [f64; 4]) -> [f64; 6] {
    [-x, -y, -bottom, x, y, top]
}

/// Half sizes that stand for a height field of these sizes.
pub(super) fn hfield_size([x, y, top, bottom]: [f64; 4]) -> V3 {
    [x, y, 0.25 * top + 0.5 * bottom]
}

/// Smallest and largest corner of a shape of this size.
pub(super) fn shape_bounds(kind: GeomType, [a, b, c]: V3) -> [f64; 6] {
    let half = match kind {
        GeomType::Plane => return [-MAXVAL, -MAXVAL, -MAXVAL, MAXVAL, MAXVAL, 0.0],
        GeomType::Sphere => [a, a, a],
        GeomType::Capsule => [a, a, a + b],
        GeomType::Cylinder => [a, a, b],
        _ => [a, b, c],
    };
    [-half[0], -half[1], -half[2], half[0], half[1], half[2]]
}

/// Centre and half sizes of a box by its corners.
pub(super) fn center_size(aamm: [f64; 6]) -> [f64; 6] {
    let mid = [0, 1, 2].map(|k| (aamm[k + 3] + aamm[k]) / 2.0);
    let half = [0, 1, 2].map(|k| (aamm[k + 3] - aamm[k]) / 2.0);
    [mid[0], mid[1], mid[2], half[0], half[1], half[2]]
}

/// Radius around the origin of a height field of these sizes.
pub(super) fn hfield_rbound([x, y, top, bottom]: [f64; 4]) -> f64 {
    (x * x + y * y + f64::max(top * top, bottom * bottom)).sqrt()
}

/// Radius around the origin of a shape of this size.
pub(super) fn rbound(kind: GeomType, [a, b, c]: V3) -> f64 {
    match kind {
        GeomType::Sphere => a,
        GeomType::Capsule => a + b,
        GeomType::Cylinder => (a * a + b * b).sqrt(),
        GeomType::Ellipsoid => f64::max(f64::max(a, b), c),
        GeomType::Box | GeomType::Mesh | GeomType::Sdf => (a * a + b * b + c * c).sqrt(),
        _ => 0.0,
    }
}

fn primitive(kind: GeomType) -> Option<Primitive> {
    match kind {
        GeomType::Sphere => Some(Primitive::Sphere),
        GeomType::Capsule => Some(Primitive::Capsule),
        GeomType::Cylinder => Some(Primitive::Cylinder),
        GeomType::Ellipsoid => Some(Primitive::Ellipsoid),
        GeomType::Box | GeomType::Hfield => Some(Primitive::Box),
        _ => None,
    }
}

// mass, given or from the density, and the inertia that follows
fn weigh(
    tree: &Tree,
    assets: &Assets,
    said: &Geom,
    kind: GeomType,
    size: V3,
    data: Option<usize>,
) -> Result<(f64, V3)> {
    let shell = said.shellinertia();
    let origin = said.origin;
    let msg = "mass must not be negative";
    let ok = said.mass.is_none_or(|m| m >= 0.0);
    tree.ensure(ok, origin, Some("mass"), msg)?;
    let msg = "density must not be negative";
    tree.ensure(said.density() >= 0.0, origin, Some("density"), msg)?;

    let is_mesh = matches!(kind, GeomType::Mesh | GeomType::Sdf);
    let volume = match (is_mesh, data, primitive(kind)) {
        (true, Some(id), _) => assets.volume(id),
        (_, _, Some(shape)) => inertia::volume(shape, size, shell),
        _ => 0.0,
    };
    let mass = match said.mass {
        Some(mass) if volume > EPS => mass,
        Some(_) => 0.0,
        None => said.density() * volume,
    };
    if mass == 0.0 {
        return Ok((0.0, [0.0; 3]));
    }
    let inertia = match (is_mesh, data, primitive(kind)) {
        (true, Some(id), _) => inertia::mesh_inertia(assets.boxsz(id), mass),
        (_, _, Some(shape)) => inertia::inertia(shape, size, shell, mass),
        _ => [0.0; 3],
    };
    Ok((mass, inertia))
}

// turns a velocity from the frame of the mesh's file into that of the mesh, or of the primitive fitted to it
fn turn_back(surfacevel: &mut [f64; 6], offset: Pose) {
    let [a, b, c, d, e, f] = *surfacevel;
    let quat = conjugate(offset.quat);
    let (v, w) = (DVec3::new(a, b, c), DVec3::new(d, e, f));
    let lin = (v + w.cross(offset.pos.into())).to_array();
    let lin = rotvecquat(lin, quat);
    let ang = rotvecquat([d, e, f], quat);
    *surfacevel = [lin[0], lin[1], lin[2], ang[0], ang[1], ang[2]];
}
