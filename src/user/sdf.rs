//! Shapes of the user's own, by their signed distance.

use super::Users;
use crate::asset::sdf::{differences, surface_mesh};
use crate::cpu::lib::math::*;
use crate::error::{Error, Result};
use crate::fields::Model;
use crate::types::GeomType;
use std::fmt::{self, Write as _};
use std::sync::Arc;

/// A signed distance of a point.
pub(super) type Distance = dyn Fn([f64; 3]) -> f64 + Send + Sync;

impl Model {
    /// Binds a signed distance to the geoms of type `sdf` with a mesh, in place of the distances that were sampled from the mesh, or of
    /// an earlier function. It gets a point in the frame of the mesh's file (m) and returns its distance from the surface (m), negative
    /// inside. Slopes are taken by differences, so it must be continuous.
    ///
    /// Contacts, rays, distance sensors and tactile pads use it. The mesh still gives mass, picture and the box in which contacts are
    /// sought, and its hull stands for the shape where it meets planes; [`surface`] makes such a mesh. For threads and panics see
    /// [`crate::user`].
    ///
    /// ```
    /// use manyworlds::{Batch, Model};
    ///
    /// let mut model = Model::from_xml_str(
    ///     r#"<mujoco><asset><mesh name="blob" builtin="sphere" params="2" scale="0.1 0.1 0.1"/></asset><worldbody>
    ///     <geom type="sdf" mesh="blob"/><body pos="0 0 1"><site name="eye" zaxis="0 0 -1"/></body>
    ///     <body pos="1 0 0"><freejoint/><geom size="0.1"/></body></worldbody>
    ///     <sensor><rangefinder site="eye"/></sensor></mujoco>"#,
    /// )?;
    /// // rounder than its mesh
    /// model.bind_sdf("blob", |[x, y, z]| (x * x + y * y + z * z).sqrt() - 0.1)?;
    /// let mut batch = Batch::new(&model, 4)?;
    /// batch.forward()?;
    /// assert!((batch.reals("sensordata")?[0] - 0.9).abs() < 1e-5);
    /// # Ok::<(), manyworlds::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Input`] if there is no mesh of that name, or no geom of type `sdf` has its distances.
    pub fn bind_sdf(
        &mut self,
        mesh: &str,
        distance: impl Fn([f64; 3]) -> f64 + Send + Sync + 'static,
    ) -> Result<()> {
        let mesh = self.sdf_mesh(mesh)?;
        let users = self.users_mut();
        users.sdfs.retain(|(of, _)| *of != mesh);
        users.sdfs.push((mesh, Arc::new(distance)));
        Ok(())
    }

    /// Id of a mesh whose distances a geom of type `sdf` has, by the mesh's name.
    pub(super) fn sdf_mesh(&self, mesh: &str) -> Result<usize> {
        let Some(id) = self.names.mesh.iter().position(|name| name == mesh) else {
            let msg = format!("mesh {mesh:?}: the model has none of that name");
            return Err(Error::Input(msg));
        };
        let has = |g: usize| {
            self.geom_type[g] == GeomType::Sdf
                && self.geom_plugin[g] < 0
                && self.geom_dataid[g] == id as i32
        };
        match (0..self.ngeom).any(has) {
            true => Ok(id),
            false => Err(Error::Input(format!(
                "mesh {mesh:?}: no geom of type \"sdf\" has it, or a plugin gives its shape"
            ))),
        }
    }
}

/// A shape's distance by a function of the user's own, in the frame of a geom.
#[derive(Clone, Copy)]
pub struct OwnSdf<'a> {
    distance: &'a Distance,
    // pose of the geom's frame in that of the mesh's file
    pos: [f64; 3],
    mat: [f64; 9],
}

impl fmt::Debug for OwnSdf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnSdf")
            .field("pos", &self.pos)
            .field("mat", &self.mat)
            .finish_non_exhaustive()
    }
}

impl<'a> OwnSdf<'a> {
    /// The function of a mesh, if there is one.
    pub fn of(m: &'a Model, mesh: usize) -> Option<Self> {
        let mut all = m.users().sdfs.iter();
        let (_, distance) = all.find(|(of, _)| *of == mesh)?;
        Some(Self {
            distance: &**distance,
            pos: m.mesh_pos[mesh],
            mat: quat2mat(m.mesh_quat[mesh]),
        })
    }

    // a point in the frame of the mesh's file
    fn point(&self, x: [f64; 3]) -> [f64; 3] {
        add3(mul_mat_vec3(self.mat, x), self.pos)
    }

    /// Signed distance of a point.
    pub fn distance(&self, x: [f64; 3]) -> f64 {
        (self.distance)(self.point(x))
    }

    /// Slope of the distance.
    pub fn gradient(&self, x: [f64; 3]) -> [f64; 3] {
        mul_mat_t_vec3(self.mat, differences(self.point(x), self.distance))
    }
}

/// The surface of a signed distance as a mesh: the text of a Wavefront OBJ file, for [`Model::bind_sdf`]. `half_sizes` (m) are those of a
/// box around the origin in which the surface lies; the grid has some 300 points over the three sides together.
///
/// # Errors
/// [`Error::Input`] if a half size is not positive, the box is too flat for the grid, or no surface lies in it.
pub fn surface(half_sizes: [f64; 3], distance: impl Fn([f64; 3]) -> f64) -> Result<String> {
    let wrong = |why: &str| Err(Error::Input(format!("half sizes {half_sizes:?}: {why}")));
    if !half_sizes.iter().all(|h| *h > 0.0 && h.is_finite()) {
        return wrong("they have to be positive");
    }
    let mesh = match surface_mesh(half_sizes, distance) {
        Ok(mesh) => mesh,
        Err(e) => return wrong(&e.to_string()),
    };
    if mesh.face.is_empty() {
        return wrong("no surface lies in the box");
    }
    let mut out = String::new();
    for [x, y, z] in &mesh.vert {
        let _ = writeln!(out, "v {x} {y} {z}");
    }
    for corners in &mesh.face {
        let [a, b, c] = corners.map(|v| v + 1);
        let _ = writeln!(out, "f {a} {b} {c}");
    }
    Ok(out)
}

impl Users {
    /// Meshes whose distances a function gives.
    pub(super) fn own_sdfs(&self) -> impl Iterator<Item = usize> {
        self.sdfs.iter().map(|(mesh, _)| *mesh)
    }
}
