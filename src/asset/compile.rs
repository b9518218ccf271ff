//! From a mesh as read to a mesh as simulated: hull, scale, centre of mass, principal axes.
//!
//! Follows `mjCMesh::Process` of MuJoCo, in its order, so that positions agree to the last digits.

use super::bvh::{self, Bvh};
use super::hull::{Hull, convex_hull};
use super::octree::{self, Octree};
use super::vec3::{MINVAL, V3, mulmattvec, mulmatvec, normalize, quat2mat};
use super::{AssetError, Mesh, MeshData, MeshInertia, MeshOptions};
use super::{graph, inertia, massprops, normals, polygon};
use glam::{DMat3, DVec3, Vec3};

/// Processes a mesh.
///
/// Fails, with a message for the model's author, on data that do not fit together, on coordinates that are not finite, on
/// meshes without area or volume, on faces turned inside out where volume is asked for, and on flat meshes that need a hull.
pub fn compile(data: MeshData, opt: &MeshOptions) -> Result<Mesh, AssetError> {
    check(&data, opt)?;
    let mut vert: Vec<V3> = data.vert.iter().map(|v| v.map(f64::from)).collect();
    if opt.inertia == MeshInertia::Exact {
        check_orientation(&vert, &data.face)?;
    }

    // hull of the points as given, before any rounding by transformations
    let mut hull = Hull::default();
    if opt.needhull || data.face.is_empty() || opt.inertia == MeshInertia::Convex {
        let maxvert = usize::try_from(opt.maxhullvert).ok();
        hull = convex_hull(&data.vert, maxvert)?;
    }
    let mut data = completed(data, &vert, &hull, opt);
    let mut poly = polygon::merge(&vert, &hull.face);

    // into the frame asked for; mirrors turn triangles inside out, so turn them back
    transform(&mut vert, &mut data.normal, opt);
    if opt.scale.iter().product::<f64>() < 0.0 {
        for list in [
            &mut data.face,
            &mut data.facenormal,
            &mut data.facetexcoord,
            &mut hull.face,
        ] {
            list.iter_mut().for_each(|f| f.swap(1, 2));
        }
        poly.mirror();
    }

    // centre of mass and principal axes
    let solid = if opt.inertia == MeshInertia::Convex {
        &hull.face
    } else {
        &data.face
    };
    let (pos, _) = massprops::centre(&vert, &data.face, solid, opt.inertia)?;
    let (full, volume) = massprops::inertia(&vert, solid, opt.inertia, pos);
    let e = inertia::eig3_tol(&full, 1e-7);
    massprops::check_moments(e.eigval)?;
    let boxsz = massprops::equivalent_box(e.eigval, volume);

    // with `stays` the file's frame is kept, else the mesh gets its own frame
    let (pos, quat) = match opt.stays {
        true => ([0.0; 3], [1.0, 0.0, 0.0, 0.0]),
        false => (pos, e.quat),
    };
    into_frame(&mut vert, &mut data.normal, pos, quat);
    let polynormal = poly.normals(&vert);
    let aamm = bounds(&vert);
    let octree = match opt.needsdf {
        true => octree::octree(&vert, &data.face, aamm),
        false => Octree::default(),
    };
    let bvh = match opt.needbvh {
        true => bvh::bvh(&vert, &data.face),
        false => Bvh::default(),
    };
    let graph = graph::make(&hull);
    let single: Vec<[f32; 3]> = vert.iter().map(|v| v.map(|x| x as f32)).collect();
    Ok(Mesh {
        normal: data.normal,
        face: data.face,
        facenormal: data.facenormal,
        texcoord: data.texcoord,
        facetexcoord: data.facetexcoord,
        extrema: graph::extrema(&graph, &single),
        vert: single,
        graph,
        polynormal,
        polyvertadr: poly.adr,
        polyvertnum: poly.num,
        polyvert: poly.vert,
        polymapadr: poly.mapadr,
        polymapnum: poly.mapnum,
        polymap: poly.map,
        pos,
        quat,
        boxsz,
        volume,
        aamm,
        octree,
        bvh,
        vert64: vert,
    })
}

/// The arrays that a file may leave out: faces are those of the hull, normals follow from the faces.
fn completed(data: MeshData, vert: &[V3], hull: &Hull, opt: &MeshOptions) -> MeshData {
    let mut data = data;
    if data.face.is_empty() {
        data.face.clone_from(&hull.face);
    }
    if data.normal.is_empty() {
        data.normal = normals::make(vert, &data.face, opt.smoothnormal);
    }
    if data.facenormal.is_empty() {
        let per_vertex = (data.normal.len() / vert.len()).max(1) as i32;
        let scaled = data.face.iter().map(|f| f.map(|v| v * per_vertex));
        data.facenormal = scaled.collect();
    }
    if data.facetexcoord.is_empty() && !data.texcoord.is_empty() {
        data.facetexcoord.clone_from(&data.face);
    }
    data
}

/// Moves vertices and normals into a frame.
fn into_frame(vert: &mut [V3], normal: &mut [[f32; 3]], pos: V3, quat: [f64; 4]) {
    let [w, x, y, z] = quat;
    let mat = quat2mat([w, -x, -y, -z]);
    let centre = DVec3::from_array(pos);
    for v in vert {
        *v = mulmatvec(&mat, (DVec3::from_array(*v) - centre).to_array());
    }
    for n in normal {
        *n = mulmatvec(&mat, n.map(f64::from)).map(|x| x as f32);
    }
}

/// Checks that the arrays of a mesh fit together.
fn check(data: &MeshData, opt: &MeshOptions) -> Result<(), AssetError> {
    let nvert = data.vert.len();
    if nvert < 4 {
        return Err(AssetError::new("at least 4 vertices required"));
    }
    if nvert > (i32::MAX / 3) as usize {
        return Err(AssetError::new("too many vertices"));
    }
    if let Some(i) = data
        .vert
        .iter()
        .position(|v| !v.iter().all(|x| x.is_finite()))
    {
        return Err(AssetError::new(format!(
            "vertex coordinate {i} is not finite"
        )));
    }
    if opt.maxhullvert >= 0 && opt.maxhullvert < 4 {
        return Err(AssetError::new("maxhullvert must be larger than 3"));
    }
    let finite = |a: &[f64]| a.iter().all(|x| x.is_finite());
    if !finite(&opt.scale) || !finite(&opt.refpos) || !finite(&opt.refquat) {
        return Err(AssetError::new("scale, refpos and refquat must be finite"));
    }

    // indices, and lists that go along with the faces
    index(&data.face, nvert, "vertex")?;
    index(&data.facenormal, data.normal.len(), "normal")?;
    index(&data.facetexcoord, data.texcoord.len(), "texcoord")?;
    let along = |n: usize| n == 0 || n == data.face.len();
    if !along(data.facenormal.len()) || !along(data.facetexcoord.len()) {
        return Err(AssetError::new(
            "normal and texcoord indices must have the same size as the face data",
        ));
    }
    if data.facenormal.is_empty()
        && !data.normal.is_empty()
        && !data.normal.len().is_multiple_of(nvert)
    {
        return Err(AssetError::new(format!(
            "{} normals for {nvert} vertices: give as many, or a normal for each corner",
            data.normal.len()
        )));
    }
    if data.facetexcoord.is_empty() && !data.texcoord.is_empty() && data.texcoord.len() != nvert {
        return Err(AssetError::new(
            "texcoord must be 2*nv if face texcoord indices are not provided",
        ));
    }
    Ok(())
}

fn index(list: &[[i32; 3]], len: usize, what: &str) -> Result<(), AssetError> {
    let bad = |&i: &i32| usize::try_from(i).map_or(true, |i| i >= len);
    for (i, f) in list.iter().enumerate() {
        if let Some(v) = f.iter().copied().find(bad) {
            return Err(AssetError::new(format!(
                "in face {i}, {what} index {v} does not exist"
            )));
        }
    }
    Ok(())
}

/// Checks that no edge is used twice in the same direction; slivers do not count.
fn check_orientation(vert: &[V3], face: &[[i32; 3]]) -> Result<(), AssetError> {
    let mut edges = Vec::with_capacity(3 * face.len());
    for f in face {
        let (area, _, _) = massprops::triangle(vert, *f);
        if area > MINVAL.sqrt() {
            edges.extend([(f[0], f[1]), (f[1], f[2]), (f[2], f[0])]);
        }
    }
    edges.sort_unstable();
    match edges.windows(2).find(|w| w[0] == w[1]) {
        None => Ok(()),
        Some(w) => Err(AssetError::new(format!(
            "faces have inconsistent orientation: check the faces containing the vertices {} and {}",
            w[0].0 + 1,
            w[0].1 + 1
        ))),
    }
}

/// `refpos`, `refquat`, `scale`, `stretch`, in this order; normals are covectors and come out with unit length.
pub(crate) fn transform(vert: &mut [V3], normal: &mut [[f32; 3]], opt: &MeshOptions) {
    if opt.refpos != [0.0; 3] {
        let refpos = DVec3::from_array(opt.refpos);
        for v in vert.iter_mut() {
            *v = (DVec3::from_array(*v) - refpos).to_array();
        }
    }
    if opt.refquat != [1.0, 0.0, 0.0, 0.0] {
        let mut quat = opt.refquat;
        normalize(&mut quat);
        let mat = quat2mat(quat);
        vert.iter_mut().for_each(|v| *v = mulmattvec(&mat, *v));
        for n in normal.iter_mut() {
            *n = mulmattvec(&mat, n.map(f64::from)).map(|x| x as f32);
        }
    }
    if opt.scale != [1.0; 3] {
        for v in vert.iter_mut() {
            *v = std::array::from_fn(|k| v[k] * opt.scale[k]);
        }
        for n in normal.iter_mut() {
            *n = std::array::from_fn(|k| (f64::from(n[k]) / opt.scale[k]) as f32);
        }
    }
    if let Some(stretch) = opt.stretch {
        let map = DMat3::from_cols_array(&stretch).transpose();
        let covector = map.inverse().transpose();
        for v in vert.iter_mut() {
            *v = (map * DVec3::from_array(*v)).to_array();
        }
        for n in normal.iter_mut() {
            *n = (covector * Vec3::from_array(*n).as_dvec3())
                .as_vec3()
                .to_array();
        }
    }
    for n in normal.iter_mut() {
        let len2 = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
        if f64::from(len2) > MINVAL && len2.is_finite() {
            let s = 1.0 / len2.sqrt();
            *n = n.map(|x| x * s);
        } else {
            *n = [0.0, 0.0, 1.0];
        }
    }
}

fn bounds(vert: &[V3]) -> [f64; 6] {
    let mut b = [1e10f64, 1e10, 1e10, -1e10, -1e10, -1e10];
    for v in vert {
        for k in 0..3 {
            b[k] = b[k].min(v[k]);
            b[k + 3] = b[k + 3].max(v[k]);
        }
    }
    b
}

#[cfg(test)]
#[path = "compile_test.rs"]
mod tests;
