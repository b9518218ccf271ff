//! Meshes and height fields of a model, compiled, and their pose and size in geoms.

use rayon::prelude::*;

use super::mesh::{Need, extension, mesh};
use super::names::Names;
use super::plugin::Plugins;
use super::pose::{Pose, V3};
use super::tree::{Part, Tree};
use crate::asset::inertia::Primitive;
use crate::asset::{AssetError, Bvh, HField, Mesh, bvh, fit, hfield, read_hfield, read_hfield_png};
use crate::error::Result;
use crate::fields::Arrays;
use crate::mjcf::Limits;
use crate::mjcf::schema::{self, Geom, SensorTag, TextureBuiltin};
use crate::mjcf::source::Origin;
use crate::types::GeomType;

/// Meshes and height fields that geoms refer to.
pub(super) struct Assets<'a> {
    names: &'a Names<'a>,
    meshes: Vec<Mesh>,
    hfields: Vec<([f64; 4], HField)>,
}

impl<'a> Assets<'a> {
    /// Compiles the assets of a model, independently of each other and so on all cores.
    pub fn new(tree: &Tree, names: &'a Names<'a>, plugins: &Plugins) -> Result<Assets<'a>> {
        only_looked_at(tree)?;
        let hulls = needed_hulls(tree, names);
        let octrees = needed_octrees(tree, names);
        let meshes = &tree.spec.meshes;
        let meshes: Vec<Result<Mesh>> = meshes
            .par_iter()
            .zip(hulls)
            .enumerate()
            .map(|(id, (said, hull))| {
                let need = Need {
                    hull,
                    octree: octrees[id],
                    tree: true,
                };
                mesh(&|file| read(tree, file), said, plugins.shape(id), &need)
                    .map_err(|e| tree.error(said.origin, None, format!("{e}; mesh not usable")))
            })
            .collect();
        let hfields = tree.spec.hfields.iter().map(|said| {
            height_field(tree, said).map_err(|e| tree.error(said.origin, None, e.to_string()))
        });
        Ok(Assets {
            names,
            hfields: hfields.collect::<Result<_>>()?,
            meshes: meshes.into_iter().collect::<Result<_>>()?,
        })
    }

    /// The id of the mesh that a geom or site names.
    pub fn mesh_of(
        &self,
        tree: &Tree,
        origin: Origin,
        name: Option<&str>,
    ) -> Result<Option<usize>> {
        name.map(|name| self.names.mesh.find(tree, origin, "mesh", name))
            .transpose()
    }

    /// The id of the height field that a geom names.
    pub fn hfield_of(
        &self,
        tree: &Tree,
        origin: Origin,
        name: Option<&str>,
    ) -> Result<Option<usize>> {
        name.map(|name| self.names.hfield.find(tree, origin, "hfield", name))
            .transpose()
    }

    /// Pose of the compiled mesh in the geom's frame; a primitive is fitted to the mesh and gets its size.
    pub fn place(
        &self,
        tree: &Tree,
        id: usize,
        part: &Part<Geom>,
        shape: Option<Primitive>,
        size: &mut V3,
    ) -> Result<Pose> {
        let mesh = &self.meshes[id];
        let origin = part.said.origin;
        let msg = "fromto and mesh both give the shape; drop one";
        tree.ensure(part.said.fromto.is_none(), origin, Some("fromto"), msg)?;
        if matches!(part.said.type_(), GeomType::Mesh | GeomType::Sdf) {
            let msg = "shellinertia is not for meshes; set inertia=\"shell\" in the mesh asset";
            let ok = !part.said.shellinertia();
            tree.ensure(ok, origin, Some("shellinertia"), msg)?;
            return Ok(Pose {
                pos: mesh.pos,
                quat: mesh.quat,
            });
        }
        let Some(shape) = shape else {
            let msg =
                "only spheres, capsules, cylinders, ellipsoids and boxes are fitted to a mesh";
            return Err(tree.error(origin, Some("mesh"), msg));
        };
        let fitaabb = tree.bodies[part.body].compiler.fitaabb();
        let fitted = fit(mesh, shape, part.said.fitscale(), fitaabb);
        *size = fitted.size;
        Ok(Pose {
            pos: fitted.pos,
            quat: fitted.quat,
        })
    }

    /// Half size in x and y, height, depth of a height field.
    pub fn hsize(&self, id: usize) -> [f64; 4] {
        self.hfields[id].0
    }

    /// Texture coordinates at the corners of each face of each mesh; empty for a mesh without them.
    #[cfg(feature = "scene")]
    pub fn corners(&self) -> Vec<Vec<[[f32; 2]; 3]>> {
        let of = |mesh: &Mesh| {
            let point = |k: i32| mesh.texcoord.get(k as usize).copied().unwrap_or_default();
            let faces = mesh.facetexcoord.iter();
            faces.map(|corners| corners.map(point)).collect()
        };
        self.meshes.iter().map(of).collect()
    }

    /// The mesh element of a name.
    pub fn said<'t>(&self, tree: &Tree<'t>, name: &str) -> Option<&'t schema::Mesh> {
        tree.spec.meshes.get(self.names.mesh.get(name)?)
    }

    /// Half sizes of the smallest box around the origin of a mesh that contains it.
    pub fn half_sizes(&self, id: usize) -> V3 {
        let aamm = self.meshes[id].aamm;
        [0, 1, 2].map(|k| f64::max(aamm[k].abs(), aamm[k + 3].abs()))
    }

    /// Bounding box of a mesh: smallest corner, then largest.
    pub fn aamm(&self, id: usize) -> [f64; 6] {
        self.meshes[id].aamm
    }

    /// Volume or area of a mesh.
    pub fn volume(&self, id: usize) -> f64 {
        self.meshes[id].volume
    }

    /// Half sizes of the box of equal inertia.
    pub fn boxsz(&self, id: usize) -> V3 {
        self.meshes[id].boxsz
    }

    /// Fills `mesh_*` and `hfield_*`.
    pub fn fill(self, m: &mut Arrays, tree: &Tree) {
        for (mesh, said) in self.meshes.iter().zip(&tree.spec.meshes) {
            append(m, mesh);
            feel(m, tree, mesh, &said.name);
            m.mesh_scale.push(said.scale());
        }
        m.nmesh = self.meshes.len();
        m.nbvh = m.bvh_nodeid.len();
        m.noct = m.oct_depth.len();
        m.nmeshvert = m.mesh_vert.len();
        m.nmeshnormal = m.mesh_normal.len();
        m.nmeshface = m.mesh_face.len() / 3;
        m.nmeshgraph = m.mesh_graph.len();
        m.nmeshpoly = m.mesh_polynormal.len();
        m.nmeshpolyvert = m.mesh_polyvert.len();
        m.nmeshpolymap = m.mesh_polymap.len();
        let most = |list: &[i32]| list.iter().copied().max().unwrap_or(0) as usize;
        m.npolygonmax = most(&m.mesh_polyvertnum);
        m.nmeshdegmax = most(&m.mesh_polymapnum);
        for (size, field) in &self.hfields {
            m.hfield_size.extend(size);
            m.hfield_nrow.push(field.nrow as i32);
            m.hfield_ncol.push(field.ncol as i32);
            m.hfield_adr.push(m.hfield_data.len() as i32);
            m.hfield_data
                .extend(field.data.iter().map(|x| f64::from(*x)));
        }
        m.nhfield = self.hfields.len();
        m.nhfielddata = m.hfield_data.len();
    }
}

// normals of a mesh that a tactile sensor uses
fn feel(m: &mut Arrays, tree: &Tree, mesh: &Mesh, name: &Option<String>) {
    let mut sensors = tree.spec.sensors.iter();
    let felt = sensors.any(|s| s.tag == SensorTag::Tactile && s.mesh == *name);
    let normals: &[[f32; 3]] = if felt { &mesh.normal } else { &[] };
    m.mesh_normaladr.push(m.mesh_normal.len() as i32);
    m.mesh_normalnum.push(normals.len() as i32);
    m.mesh_normal
        .extend(normals.iter().map(|n| n.map(f64::from)));
}

/// Makes the trees of boxes around the triangles of a model's meshes. A mesh whose triangles lead out of an array gets none: the model is
/// refused later.
pub(super) fn add_trees(m: &mut Arrays) {
    m.mesh_bvhadr.clear();
    m.mesh_bvhnum.clear();
    for mesh in 0..m.nmesh {
        let tree = tree_of(m, mesh).unwrap_or_default();
        add_tree(m, &tree);
    }
    m.nbvh = m.bvh_nodeid.len();
}

// the tree of a mesh among the arrays; none if they do not hold it
fn tree_of(m: &Arrays, mesh: usize) -> Option<Bvh> {
    let span = |adr: i32, num: i32| {
        let first = usize::try_from(adr).ok()?;
        Some(first..first + usize::try_from(num).ok()?)
    };
    let vert = m
        .mesh_vert
        .get(span(m.mesh_vertadr[mesh], m.mesh_vertnum[mesh])?)?;
    let face = m.mesh_face.as_chunks().0;
    let face = face.get(span(m.mesh_faceadr[mesh], m.mesh_facenum[mesh])?)?;
    let inside = |v: &i32| usize::try_from(*v).is_ok_and(|v| v < vert.len());
    face.as_flattened()
        .iter()
        .all(inside)
        .then(|| bvh(vert, face))
}

// the tree of one mesh after those before it
fn add_tree(m: &mut Arrays, bvh: &Bvh) {
    let adr = match bvh.nodeid.is_empty() {
        true => -1,
        false => m.bvh_nodeid.len() as i32,
    };
    m.mesh_bvhadr.push(adr);
    m.mesh_bvhnum.push(bvh.nodeid.len() as i32);
    m.bvh_child.extend(bvh.child.iter().flatten());
    m.bvh_nodeid.extend(&bvh.nodeid);
    m.bvh_aabb.extend(bvh.aabb.iter().flatten());
}

// one mesh after those before it; addresses are shifted
fn append(m: &mut Arrays, mesh: &Mesh) {
    let wide = |v: &[f32; 3]| v.map(f64::from);
    let shifted =
        |list: &[i32], by: usize| -> Vec<i32> { list.iter().map(|adr| adr + by as i32).collect() };
    m.mesh_vertadr.push(m.mesh_vert.len() as i32);
    m.mesh_vertnum.push(mesh.vert.len() as i32);
    m.mesh_faceadr.push((m.mesh_face.len() / 3) as i32);
    m.mesh_facenum.push(mesh.face.len() as i32);
    let graphadr = if mesh.graph.is_empty() {
        -1
    } else {
        m.mesh_graph.len() as i32
    };
    m.mesh_graphadr.push(graphadr);
    m.mesh_extrema.extend(mesh.extrema);
    m.mesh_polyadr.push(m.mesh_polynormal.len() as i32);
    m.mesh_polynum.push(mesh.polynormal.len() as i32);
    m.mesh_pos.push(mesh.pos);
    m.mesh_quat.push(mesh.quat);
    m.mesh_vert.extend(mesh.vert.iter().map(wide));
    m.mesh_face.extend(mesh.face.iter().flatten());
    m.mesh_graph.extend(&mesh.graph);
    add_tree(m, &mesh.bvh);
    let octree = &mesh.octree;
    let octadr = match octree.depth.is_empty() {
        true => -1,
        false => m.oct_depth.len() as i32,
    };
    m.mesh_octadr.push(octadr);
    m.mesh_octnum.push(octree.depth.len() as i32);
    m.oct_depth.extend(&octree.depth);
    m.oct_child.extend(octree.child.iter().flatten());
    m.oct_aabb.extend(octree.aabb.iter().flatten());
    m.oct_coeff.extend(octree.coeff.iter().flatten());
    let (polyvert, polymap) = (m.mesh_polyvert.len(), m.mesh_polymap.len());
    m.mesh_polynormal.extend(&mesh.polynormal);
    m.mesh_polyvertadr
        .extend(shifted(&mesh.polyvertadr, polyvert));
    m.mesh_polyvertnum.extend(&mesh.polyvertnum);
    m.mesh_polyvert.extend(&mesh.polyvert);
    m.mesh_polymapadr.extend(shifted(&mesh.polymapadr, polymap));
    m.mesh_polymapnum.extend(&mesh.polymapnum);
    m.mesh_polymap.extend(&mesh.polymap);
}

// meshes of geoms that may collide need their convex hull
fn needed_hulls(tree: &Tree, names: &Names) -> Vec<bool> {
    let mut need = vec![false; tree.spec.meshes.len()];
    let paired = |name: &Option<String>| {
        let of = |g: &Option<String>| name.is_some() && g == name;
        tree.spec.pairs.iter().any(|p| of(&p.geom1) || of(&p.geom2))
    };
    for part in &tree.geoms {
        let said = part.said;
        let is_mesh = matches!(said.type_(), GeomType::Mesh | GeomType::Sdf);
        let Some(name) = said.mesh.as_deref().filter(|_| is_mesh) else {
            continue;
        };
        let touches = said.contype() != 0 || said.conaffinity() != 0 || paired(&said.name);
        if let (true, Some(id)) = (touches, names.mesh.get(name)) {
            need[id] = true;
        }
    }
    for part in tree
        .sites
        .iter()
        .filter(|p| p.said.type_() == GeomType::Mesh)
    {
        if let Some(id) = part.said.mesh.as_deref().and_then(|n| names.mesh.get(n)) {
            need[id] = true;
        }
    }
    need
}

// meshes whose signed distance a geom uses; a plugin's shape computes its own distance
fn needed_octrees(tree: &Tree, names: &Names) -> Vec<bool> {
    let mut need = vec![false; tree.spec.meshes.len()];
    let fields = tree.geoms.iter().map(|part| part.said);
    for said in fields.filter(|said| said.type_() == GeomType::Sdf) {
        if let Some(id) = said.mesh.as_deref().and_then(|n| names.mesh.get(n)) {
            need[id] = tree.spec.meshes[id].plugin.is_none();
        }
    }
    need
}

// the files of textures and skins are not read here, but must exist, as in MuJoCo; `discardvisual` drops textures
fn only_looked_at(tree: &Tree) -> Result<()> {
    let look = |origin: Origin, attr: &str, file: &Option<String>| match file {
        Some(file) => (tree.spec.sources.store.look(file))
            .map(drop)
            .map_err(|why| tree.error(origin, Some(attr), why)),
        None => Ok(()),
    };
    let textures = match tree.spec.compiler().discardvisual() {
        true => &[][..],
        false => &tree.spec.textures,
    };
    for said in textures
        .iter()
        .filter(|said| said.builtin() == TextureBuiltin::None)
    {
        look(said.origin, "file", &said.file)?;
        for (attr, file) in said.sides() {
            look(said.origin, attr, file)?;
        }
    }
    for said in &tree.spec.skins {
        look(said.origin, "file", &said.file)?;
    }
    Ok(())
}
fn height_field(
    tree: &Tree,
    said: &schema::Hfield,
) -> std::result::Result<([f64; 4], HField), AssetError> {
    let size = said.size.unwrap_or([0.0; 4]);
    if size.iter().any(|x| *x <= 0.0 || !x.is_finite()) {
        return Err(AssetError::new("size needs 4 positive numbers"));
    }
    let Some(file) = &said.file else {
        let count = |n: i32| usize::try_from(n).unwrap_or(0);
        let elevation = said.elevation.as_deref().unwrap_or_default();
        let elevation: Vec<f32> = elevation.iter().map(|x| *x as f32).collect();
        let field = hfield(count(said.nrow()), count(said.ncol()), &elevation)?;
        return Ok((size, field));
    };
    if said.nrow() != 0 || said.ncol() != 0 || said.elevation.is_some() {
        let msg = "file gives the elevations; drop nrow, ncol and elevation";
        return Err(AssetError::new(msg));
    }
    let bytes = read(tree, file)?;
    let field = match extension(file, said.content_type.as_deref()).as_str() {
        "png" | "image/png" => read_hfield_png(&bytes)?,
        _ => read_hfield(&bytes)?,
    };
    Ok((size, field))
}

fn read(tree: &Tree, file: &str) -> std::result::Result<Vec<u8>, AssetError> {
    tree.spec
        .read_file(file, Limits::default().file)
        .map_err(|e| AssetError::new(format!("file {file:?}: {e}")))
}
