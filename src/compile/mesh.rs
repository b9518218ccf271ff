//! A mesh of a model: from the attributes of its element to the arrays that are simulated.

use crate::asset::grid::Shape;
use crate::asset::sdf::{Prm, shape_mesh};
use crate::asset::{
    AssetError, Mesh, MeshData, MeshInertia, MeshOptions, builtin, builtin_solid, compile, is_gmsh,
    read_gmsh, read_msh, read_obj, read_stl, transform,
};
use crate::mjcf::schema::{self, MeshBuiltin};
use crate::mjcf::table::Keyword;
use crate::types::PluginKind;

/// Parts of a mesh that are needed beside its triangles.
#[derive(Debug, Default)]
pub(super) struct Need {
    /// Its convex hull.
    pub hull: bool,
    /// The octree of its signed distance.
    pub octree: bool,
    /// The tree of boxes around its triangles.
    pub tree: bool,
}

/// The bytes of a file.
type Read<'a> = dyn Fn(&str) -> std::result::Result<Vec<u8>, AssetError> + Sync + 'a;

/// A mesh as its element says, without the parts that only contacts need.
pub(crate) fn plain(read: &Read, said: &schema::Mesh) -> std::result::Result<Mesh, AssetError> {
    mesh(read, said, None, &Need::default())
}

/// Nodes and tetrahedra of a mesh that is made or read as a solid, in the frame of its file with refpos, refquat and scale applied.
pub(crate) fn solid(
    read: &Read,
    said: &schema::Mesh,
) -> std::result::Result<Option<Shape>, AssetError> {
    let params = said.params.as_deref().unwrap_or_default();
    let shape = if let Some(file) = &said.file {
        let bytes = read(file)?;
        if !gmsh_file(file, said, &bytes) {
            return Ok(None);
        }
        let found = read_gmsh(&bytes)?;
        (found.dim == 3).then(|| Shape {
            dim: 3,
            point: found.point,
            element: found.element,
            ..Shape::default()
        })
    } else {
        builtin_solid(said.builtin().word(), params)
    };
    Ok(shape.map(|mut shape| {
        let options = MeshOptions {
            scale: said.scale(),
            stretch: said.stretch,
            refpos: said.refpos(),
            refquat: said.refquat(),
            ..MeshOptions::default()
        };
        transform(&mut shape.point, &mut [], &options);
        shape
    }))
}

// whether a file is none of the types that MuJoCo knows by their names, and begins as a GMSH file does
fn gmsh_file(file: &str, said: &schema::Mesh, bytes: &[u8]) -> bool {
    let kind = extension(file, said.content_type.as_deref());
    let known = ["stl", "obj", "msh"].contains(&kind.as_str())
        || ["model/stl", "model/obj", "model/vnd.mujoco.msh"].contains(&kind.as_str());
    !known && is_gmsh(bytes)
}

/// A mesh as its element, or the plugin whose shape it is, says.
pub(super) fn mesh(
    read: &Read,
    said: &schema::Mesh,
    shape: Option<(PluginKind, Prm)>,
    need: &Need,
) -> std::result::Result<Mesh, AssetError> {
    let mut inertia = match said.inertia() {
        schema::MeshInertia::Convex => MeshInertia::Convex,
        schema::MeshInertia::Exact => MeshInertia::Exact,
        schema::MeshInertia::Legacy => MeshInertia::Legacy,
        schema::MeshInertia::Shell => MeshInertia::Shell,
    };
    let data = if let Some((kind, prm)) = shape {
        if said.scale() != [1.0; 3] {
            return Err(AssetError::new("scale is not for the shape of a plugin"));
        }
        shape_mesh(kind, &prm)?
    } else if let Some(file) = &said.file {
        let bytes = read(file)?;
        match extension(file, said.content_type.as_deref()).as_str() {
            "stl" | "model/stl" => read_stl(&bytes)?,
            "obj" | "model/obj" => read_obj(&bytes)?,
            "msh" | "model/vnd.mujoco.msh" => read_msh(&bytes)?,
            _ if gmsh_file(file, said, &bytes) => read_gmsh(&bytes)?.mesh(),
            other => {
                let msg = format!(
                    "file {file:?} is of type {other:?}; meshes are STL, OBJ, MSH, or GMSH files that end otherwise"
                );
                return Err(AssetError::new(msg));
            }
        }
    } else if said.builtin() != MeshBuiltin::None {
        let params = said.params.as_deref().unwrap_or_default();
        let (data, adjusted) = builtin(said.builtin().word(), params, inertia)?;
        inertia = adjusted;
        data
    } else {
        MeshData::default()
    };
    // a plugin's shape takes the place of all other data of the mesh
    let data = match shape {
        Some(_) => data,
        None => with_attributes(data, said)?,
    };
    let options = MeshOptions {
        scale: said.scale(),
        stretch: said.stretch,
        refpos: said.refpos(),
        refquat: said.refquat(),
        inertia,
        smoothnormal: said.smoothnormal(),
        maxhullvert: said.maxhullvert(),
        needhull: need.hull || inertia == MeshInertia::Convex,
        stays: shape.is_some(),
        needsdf: need.octree,
        needbvh: need.tree,
    };
    compile(data, &options)
}

// numbers that the element itself gives replace those of the file
fn with_attributes(
    mut data: MeshData,
    said: &schema::Mesh,
) -> std::result::Result<MeshData, AssetError> {
    fn rows<T: Copy, U, const N: usize>(
        list: &Option<Vec<T>>,
        what: &str,
        to: impl Fn(T) -> U,
    ) -> std::result::Result<Option<Vec<[U; N]>>, AssetError> {
        let Some(list) = list else { return Ok(None) };
        if !list.len().is_multiple_of(N) {
            let msg = format!(
                "{what} needs a multiple of {N} numbers, found {}",
                list.len()
            );
            return Err(AssetError::new(msg));
        }
        let row = |row: &[T]| std::array::from_fn(|k| to(row[k]));
        Ok(Some(list.chunks_exact(N).map(row).collect()))
    }
    let single = |x: f64| x as f32;
    if let Some(vert) = rows(&said.vertex, "vertex", single)? {
        data.vert = vert;
    }
    if let Some(normal) = rows(&said.normal, "normal", single)? {
        data.normal = normal;
    }
    if let Some(texcoord) = rows(&said.texcoord, "texcoord", single)? {
        data.texcoord = texcoord;
    }
    if let Some(face) = rows(&said.face, "face", |i: i32| i)? {
        data.face = face;
    }
    Ok(data)
}

/// The media type if one was said, else the ending of the file's name.
pub(super) fn extension(file: &str, content_type: Option<&str>) -> String {
    match content_type {
        Some(kind) => kind.split(';').next().unwrap_or_default().to_owned(),
        None => file
            .rsplit_once('.')
            .map_or(String::new(), |(_, end)| end.to_ascii_lowercase()),
    }
}
