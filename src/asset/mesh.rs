//! The mesh as read, the options of its processing, and the mesh as compiled.

use super::bvh::Bvh;
use super::octree::Octree;

/// A mesh as read from a file, from the `vertex`… attributes, or generated: nothing scaled, nothing moved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MeshData {
    /// Vertex positions.
    pub vert: Vec<[f32; 3]>,
    /// Triangles, as indices into `vert`, counter-clockwise from outside; empty for the convex hull of a point cloud.
    pub face: Vec<[i32; 3]>,
    /// Vertex normals; empty to have them made.
    pub normal: Vec<[f32; 3]>,
    /// Normals of the corners of each triangle, as indices into `normal`; empty to follow `face`.
    pub facenormal: Vec<[i32; 3]>,
    /// Texture coordinates.
    pub texcoord: Vec<[f32; 2]>,
    /// Texture coordinates of the corners of each triangle, as indices into `texcoord`; empty to follow `face`.
    pub facetexcoord: Vec<[i32; 3]>,
}

/// How mass is spread over a mesh: the `inertia` attribute, with MuJoCo's numbers (`mjtMeshInertia`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(i32)]
pub enum MeshInertia {
    /// Uniform density inside the convex hull.
    Convex = 0,
    /// Uniform density inside a closed, well-oriented surface.
    Exact = 1,
    /// Pyramids over all triangles, all counted positive.
    #[default]
    Legacy = 2,
    /// Uniform density on the surface.
    Shell = 3,
}

/// Attributes of a `<mesh>` that control the processing of its data.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshOptions {
    /// Factors along the axes of the file; negative ones mirror.
    pub scale: [f64; 3],
    /// Linear map behind `scale`, row by row; its determinant is positive.
    pub stretch: Option<[f64; 9]>,
    /// Point of the file that becomes the origin.
    pub refpos: [f64; 3],
    /// Orientation of the mesh's frame in the file (wxyz); need not be normalised.
    pub refquat: [f64; 4],
    /// How mass is spread.
    pub inertia: MeshInertia,
    /// Average normals over all faces around a vertex, sharp edges included.
    pub smoothnormal: bool,
    /// Largest number of hull vertices, −1 for no limit.
    pub maxhullvert: i32,
    /// Make the convex hull: some geom collides with the mesh. A mesh without faces gets it anyway.
    pub needhull: bool,
    /// True if the frame is kept: the mesh is not moved to the centre of mass, nor turned to the principal axes.
    pub stays: bool,
    /// Make the octree of its signed distance: some geom uses it.
    pub needsdf: bool,
    /// Make the tree of boxes around its triangles: it may meet a signed distance field.
    pub needbvh: bool,
}

impl Default for MeshOptions {
    fn default() -> Self {
        MeshOptions {
            scale: [1.0; 3],
            stretch: None,
            refpos: [0.0; 3],
            refquat: [1.0, 0.0, 0.0, 0.0],
            inertia: MeshInertia::Legacy,
            smoothnormal: false,
            maxhullvert: -1,
            needhull: true,
            stays: false,
            needsdf: false,
            needbvh: false,
        }
    }
}

/// A compiled mesh: centred at its centre of mass, axes along its principal axes of inertia.
///
/// Arrays that have a namesake in the model carry its contents for this mesh alone: addresses start at 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Mesh {
    /// Vertices (`mesh_vert`).
    pub vert: Vec<[f32; 3]>,
    /// The vertices before rounding to `f32`, for fitting.
    pub vert64: Vec<[f64; 3]>,
    /// Unit normals (`mesh_normal`), one or three a vertex.
    pub normal: Vec<[f32; 3]>,
    /// Triangles (`mesh_face`).
    pub face: Vec<[i32; 3]>,
    /// `mesh_facenormal`.
    pub facenormal: Vec<[i32; 3]>,
    /// `mesh_texcoord`.
    pub texcoord: Vec<[f32; 2]>,
    /// `mesh_facetexcoord`.
    pub facetexcoord: Vec<[i32; 3]>,
    /// Convex hull (`mesh_graph`): numvert, numface, vert_edgeadr\[numvert\], vert_globalid\[numvert\],
    /// edge_localid\[numvert + 3·numface\], face_globalid\[3·numface\]; empty without hull.
    pub graph: Vec<i32>,
    /// Hull corners, as numbers within the graph, farthest along {−1, 0, 1}³ (`mesh_extrema`).
    pub extrema: [i32; 27],
    /// Unit normals of the polygons (`mesh_polynormal`).
    pub polynormal: Vec<[f64; 3]>,
    /// First entry of each polygon in `polyvert` (`mesh_polyvertadr`).
    pub polyvertadr: Vec<i32>,
    /// Number of vertices of each polygon (`mesh_polyvertnum`).
    pub polyvertnum: Vec<i32>,
    /// Vertices of the polygons, counter-clockwise (`mesh_polyvert`).
    pub polyvert: Vec<i32>,
    /// First entry of each vertex in `polymap` (`mesh_polymapadr`).
    pub polymapadr: Vec<i32>,
    /// Number of polygons around each vertex (`mesh_polymapnum`).
    pub polymapnum: Vec<i32>,
    /// Polygons around the vertices (`mesh_polymap`).
    pub polymap: Vec<i32>,
    /// Translation applied to the file's vertices, in the file's frame after `refpos`, `refquat`, `scale` (`mesh_pos`).
    pub pos: [f64; 3],
    /// Rotation applied, wxyz (`mesh_quat`).
    pub quat: [f64; 4],
    /// Half-sizes of the box of equal inertia; see [`super::inertia::mesh_inertia`].
    pub boxsz: [f64; 3],
    /// Volume (m³), or area (m²) when the mass lies on the surface: multiply by density.
    pub volume: f64,
    /// Bounding box: smallest corner, then largest.
    pub aamm: [f64; 6],
    /// Octree of its signed distance (`oct_*`); empty without.
    pub octree: Octree,
    /// Boxes around its triangles (`bvh_*`); empty without.
    pub bvh: Bvh,
}
