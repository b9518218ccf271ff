//! Primitives fitted to meshes, for geoms that name a mesh but are of another type.

use super::Mesh;
use super::inertia::Primitive;
use super::vec3::rotvecquat;
use glam::DVec3;

/// The primitive of a geom with `mesh=` and another `type=`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// `geom_size`.
    pub size: [f64; 3],
    /// Position in the frame of the mesh's file; to be composed with the geom's own frame.
    pub pos: [f64; 3],
    /// Orientation (wxyz), likewise.
    pub quat: [f64; 4],
}

/// Fits a primitive to a compiled mesh and scales its size by `fitscale`.
///
/// Without `fitaabb` the size comes from the box of equal inertia; with it, it is the smallest whose bounding box contains
/// the mesh's. Follows `mjCMesh::FitGeom`, which does not enlarge a capsule whose caps are too long for a flat mesh: its half
/// length is then negative, and the compiler's check of sizes reports it.
pub fn fit(mesh: &Mesh, shape: Primitive, fitscale: f64, fitaabb: bool) -> Fit {
    let mut pos = mesh.pos;
    let [a, b, c] = if fitaabb {
        let mid = |k: usize| (mesh.aamm[k] + mesh.aamm[k + 3]) / 2.0;
        let centre = [mid(0), mid(1), mid(2)];
        let shift = rotvecquat(centre, mesh.quat);
        pos = (DVec3::from_array(pos) + DVec3::from_array(shift)).to_array();
        [0, 1, 2].map(|k| mesh.aamm[k + 3] - centre[k])
    } else {
        mesh.boxsz
    };
    let across = if fitaabb { a.max(b) } else { (a + b) / 2.0 };
    let size = match shape {
        Primitive::Sphere if fitaabb => [a.max(b).max(c), 0.0, 0.0],
        Primitive::Sphere => [(a + b + c) / 3.0, 0.0, 0.0],
        Primitive::Capsule if fitaabb => [across, c - across, 0.0],
        Primitive::Capsule => [across, (c - across / 2.0).max(0.0), 0.0],
        Primitive::Cylinder => [across, c, 0.0],
        Primitive::Ellipsoid | Primitive::Box => [a, b, c],
    };
    Fit {
        size: size.map(|x| x * fitscale),
        pos,
        quat: mesh.quat,
    }
}
